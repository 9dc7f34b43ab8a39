# SPDX-License-Identifier: Apache-2.0
"""Connections over bad lines: every byte arrives once, and every number is freed."""

from __future__ import annotations

import random

import pytest
from tcp_core_bench import LATE, Bench, Peer
from tcp_core_peer import End, Line

ALL = {"ws_valid": 1, "ws": 3, "sack_ok": 1, "ts_valid": 1}
OPTIONS = {
    "none": {},
    "sack": {"sack_ok": 1},
    "ts": {"ts_valid": 1},
    "all": ALL,
}
LINES = {
    "good": {},
    "loss": {"loss": 0.02},
    "bad": {"loss": 0.1, "double": 0.05, "jitter": 150},
}


def run(b: Bench, line: Line, ends: list[End], sizes: list[int], limit: int = 600_000) -> None:
    """Run all connections to their close; the application writes `sizes` and then closes."""
    left = {end.me.port: size for end, size in zip(ends, sizes, strict=True)}
    closed: set[int] = set()
    for end in ends:
        end.connect()
    stop = b.dut.cycle + limit
    sids: dict[int, int] = {}
    while b.s or not all(end.done for end in ends):
        assert b.dut.cycle < stop, (b.events(), [vars(e) for e in ends if not e.done][:1])
        line.step()
        while b.notes:
            sid, note = b.notes.popleft()
            if note["opened"]:
                sids[note["tuple.peer_port"]] = sid
        for port, sid in sids.items():
            s = b.s.get(sid)
            if s is None or port in closed or not s.open:
                continue
            free = 60000 - (s.tail - s.una) % (1 << 32)
            n = min(left[port], free, line.rng.randrange(1, 5000))
            left[port] -= n
            if left[port] == 0:
                closed.add(port)
                b.write(sid, n, fin=True)
            elif n:
                b.write(sid, n)
    for end, size in zip(ends, sizes, strict=True):
        assert end.bytes_in == size and not end.reset
    for s in b.over:
        assert s.ended == "closed" and s.fin
    totals = sorted((s.upto - s.first) % (1 << 32) for s in b.over)
    assert totals == sorted(end.total for end in ends)
    b.skip(b.cfg["time_wait"] + LATE)
    b.until(b.quiet, 20_000, "all numbers free")
    b.until(lambda: not b.dut.get("busy"), 20_000, "what came late is answered")


CASES = [(line, opts, False, 0) for line in LINES for opts in OPTIONS]
CASES += [(line, opts, True, 0) for line in LINES for opts in ("none", "all")]
CASES += [(line, "all", cubic, 1) for line in LINES if line != "good" for cubic in (False, True)]


@pytest.mark.parametrize(("line", "opts", "cubic", "tlp"), CASES)
def test_one(line: str, opts: str, cubic: bool, tlp: int) -> None:
    """One connection, both directions at once; with `tlp` also with tail loss probes."""
    rng = random.Random(f"{line} {opts}")
    use = {f"use_{k}": 1 for k in ("ws", "ts", "sack")}
    times = {"rto_min": 400, "rto_init": 800, "ack_delay": 20, "retries": 15}
    b = Bench(4, cubic=cubic, syn_retries=10, use_tlp=tlp, tlp_delay=50, **times, **use)
    b.listen(80)
    road = Line(b, rng, **LINES[line])  # type: ignore[arg-type]
    end = End(road, 5000, 150_000, OPTIONS[opts])
    run(b, road, [end], [150_000])
    assert ("tx_tlp" in b.events()) == bool(tlp)
    if line == "good":
        assert "rto" not in b.events() and "tx_retransmit" not in b.events()


def test_many() -> None:
    """Twenty connections of mixed kinds at once, two ranges each, stalls at every port."""
    rng = random.Random(4)
    use = {f"use_{k}": 1 for k in ("ws", "ts", "sack")}
    b = Bench(64, gaps=2, rto_min=600, rto_init=900, ack_delay=20, retries=15, **use)
    b.dut.stall_all(0.2, 0.3, seed=1)
    b.listen(80)
    road = Line(b, rng, loss=0.03, double=0.02, jitter=60)
    ends = [
        End(road, 5000 + i, rng.randrange(12_000), rng.choice(list(OPTIONS.values())))
        for i in range(20)
    ]
    run(b, road, ends, [rng.randrange(12_000) for _ in ends])
    events = b.events()
    assert events["close_ok"] == 20 and events["rx_ooo_full"] and events["fast_recovery"]


def test_small_ring() -> None:
    """Rings of 4 KiB, read late and in pieces: windows close, open, and are probed."""
    rng = random.Random(5)
    b = Bench(4, ring=65536, rx_ring=4096, rto_min=400, rto_init=800, ack_delay=20, retries=15)
    b.auto_read = False
    b.listen(80)
    road = Line(b, rng, loss=0.02)
    end = End(road, 5000, 20_000, {}, window=3000)
    serve = b.serve

    def late() -> None:
        serve()
        for sid in list(b.s):
            if rng.random() < 0.02:
                b.read(sid, rng.randrange(1, 4097))

    b.serve = late  # type: ignore[method-assign]
    run(b, road, [end], [10_000])
    assert b.events()["tx_ack"] > 10


def test_nothing_leaks() -> None:
    """Sessions opened and ended in every way: all numbers are freed."""
    rng = random.Random(7)
    times = {"fin_wait": 3000, "time_wait": 1500, "rto_init": 1000, "rto_min": 500}
    alive = {"keep_idle": 2, "keep_interval": 1, "keep_probes": 2}
    b = Bench(4, half_open=3, retries=2, syn_retries=1, **times, **alive)
    b.listen(80)
    b.hash_of = lambda key: rng.randrange(1 << 32)  # type: ignore[method-assign]
    for i in range(440):
        p = Peer(b, port=1024 + i, seq=rng.randrange(1 << 32))
        way = rng.randrange(9)
        p.send("syn")
        b.run(rng.randrange(1, 120))
        r = next((r for r in b.wire if r["tuple.peer_port"] == p.port), None)
        b.wire.clear()
        if r is None or way == 0:
            b.skip(rng.randrange(3000))
            continue  # nobody answers the SYN, ACK
        p.ack = (r["seq"] + 1) % (1 << 32)
        if way == 1:
            p.send("rst")
            continue
        p.send(length=rng.randrange(2000))
        b.run(rng.randrange(100))
        sid = next((n for n, s in b.s.items() if s.una == p.ack), None)
        if way == 2:
            p.send("rst")
        elif way == 3:
            p.send("fin ack")
        if sid is None:
            continue
        if way in (3, 4, 5):
            b.write(sid, rng.randrange(3000), fin=way < 5)
        if way in (6, 7):
            b.write(sid, rng.randrange(2000), abort=True)
            if way == 7:
                p.send("rst")
        if rng.random() < 0.5:
            b.skip(rng.randrange(6000))
    for _ in range(8):
        b.skip(40_000)
    b.until(b.quiet, 20_000, "all numbers free")
    events = b.events()
    made = events["miss_passive"]
    assert made > 200
    # Every session ended in exactly one way.
    ways = ("close_ok", "close_reset", "close_timeout", "close_abort", "close_handshake")
    assert sum(events.get(w, 0) for w in ways) == made == events["session_freed"]
    assert all(events.get(w) for w in ways[1:])
    assert len(b.over) == events["open_passive"]
    b.skip(60_000)
    assert not b.dut.get("busy")
