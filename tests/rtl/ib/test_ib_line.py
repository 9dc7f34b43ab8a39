# SPDX-License-Identifier: Apache-2.0
"""The line of an InfiniBand link, symbol by symbol, against a model that is not the RTL."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from ib_line import WINDOW, Line
from ib_model import (
    EBP,
    EGP,
    SDP,
    SLP,
    Header,
    Symbol,
    blocks_of,
    data_symbols,
    fc_symbols,
    icrc,
    idle,
    on_vl,
    packet,
    skip_set,
    vcrc,
)
from ib_pair import ACTIVE, CONFIGS, LINK_UP
from kumihimo.testing.sizes import by_size


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_what_is_sent(config: tuple[int, int, int]) -> None:
    """Ordered sets, delimiters, VCRC, and link packets with the counts that the line shows."""
    line = Line(*config)
    line.bring_up()
    rng = random.Random(4)
    packets = [
        packet(rng.randbytes(rng.randrange(300)), Header(sl=rng.randrange(16))) for _ in range(40)
    ]
    line.dut.send("s_axis", packets)
    line.run(4000)
    found = line.found()
    kinds = [f.kind for f in found]
    assert kinds.count("ts1") >= 8 and kinds.count("ts2") >= 16
    assert kinds.index("ts2") > kinds.index("ts1") and "skip" in kinds
    sent = {vl: 0 for vl in range(line.vls)}
    got: dict[int, list[bytes]] = {vl: [] for vl in range(line.vls)}
    seen = dict.fromkeys(range(line.vls), 0)
    for f in found:
        if f.kind == "packet":
            assert f.good
            vl = f.data[0] >> 4
            got[vl].append(f.data)
            sent[vl] += blocks_of(f.data)
        elif f.kind == "fc":
            assert f.fctbs == sent[f.vl] % 4096, "FCTBS is not what the line has carried"
            assert f.fccl == line.blocks, "nothing was received: the whole buffer is free"
            seen[f.vl] += 1
    for vl in range(line.vls):
        mine = [on_vl(p, vl) for p in packets if (p[1] >> 4) % line.vls == vl]
        assert got[vl] == mine
        assert seen[vl] >= 4
    # A skip set at least every 1024 symbols per lane and a packet's length (bench setting).
    gaps = [i for i, f in enumerate(found) if f.kind == "skip"]
    assert len(gaps) >= len(line.symbols) // line.lanes // 1024 - 4


def test_credits_are_kept() -> None:
    """Exactly the packets for which there is credit are sent, then those of the next limit."""
    line = Line()
    line.bring_up(limit=7)
    packets = [packet(bytes([n] * 100)) for n in range(20)]  # 2 blocks each and 3 more
    assert {blocks_of(p) for p in packets} == {2}
    line.dut.send("s_axis", packets)
    line.run(2000)
    for limit, count in ((7, 3), (8, 4), (8, 4), (26, 13), (4096 + 40, 20)):
        line.credit(limit)
        line.run(400)
        assert [f.data for f in line.found() if f.kind == "packet"] == packets[:count]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_what_is_received(config: tuple[int, int, int]) -> None:
    """Packets at every alignment, skips of any length, and the limits given for them."""
    line = Line(*config)
    line.bring_up()
    rng = random.Random(6)
    wanted: dict[int, list[bytes]] = {vl: [] for vl in range(line.vls)}
    wanted[15] = []
    received = {vl: 0 for vl in range(line.vls)}
    script: list[Symbol] = []
    for size in [*range(4, 60), *(rng.randrange(2048) for _ in range(12))]:
        vl = rng.choice([*range(line.vls), 15])
        data = packet(rng.randbytes(size), Header(vl=vl))
        wanted[vl].append(data)
        script += data_symbols(data)
        if vl != 15:
            received[vl] += blocks_of(data)
        script += rng.choice(
            [[], idle(1), idle(2), skip_set(line.lanes, rng.randrange(1, 6)), idle(60)]
        )  # fmt: skip
    line.feed(script)
    line.run(5000)
    total = sum(map(len, wanted.values()))
    frames = line.dut.recv("m_axis", total)
    for vl, expected in wanted.items():
        assert [f.data for f in frames if f.dest == vl] == expected
    assert not {k: v for k, v in line.counters().items() if "err" in k and v}
    last = {f.vl: f.fccl for f in line.found() if f.kind == "fc"}
    assert last == {vl: (n + line.blocks) % 4096 for vl, n in received.items()}


def test_lost_packets_cost_no_credit() -> None:
    """FCTBS of the sender corrects the count of a receiver that lost packets."""
    line = Line()
    line.bring_up()
    line.credit(WINDOW, fctbs=100)
    line.run(2500)
    assert {f.vl: f.fccl for f in line.found() if f.kind == "fc"} == {
        vl: 100 + line.blocks for vl in range(line.vls)
    }


# What is wrong with a packet, and the event that counts it.
BAD: dict[str, list[Callable[[bytes], list[Symbol]]]] = {
    "bad_packet": [
        lambda p: data_symbols(p, crc=bytes(2)),
        lambda p: data_symbols(p[:9] + bytes([p[9] ^ 1]) + p[10:], crc=vcrc(p)),
        lambda p: [*data_symbols(p)[:12], (156, True), *data_symbols(p)[13:]],
        # No end: the next start ends it, and that packet is lost too.
        lambda p: data_symbols(p)[:-4] + idle(1) + data_symbols(p),
        lambda p: data_symbols(packet(bytes(6000))),
        lambda p: [*data_symbols(p)[:16], (EBP, True), *data_symbols(p)[17:]],
    ],
    "remote_bad": [lambda p: data_symbols(p, end=EBP)],
    "bad_lver": [lambda p: data_symbols(bytes([p[0] | 3]) + p[1:])],
    "bad_length": [
        lambda p: data_symbols(p[:5] + bytes([p[5] + 1]) + p[6:]),
        lambda p: data_symbols(p[:5] + bytes([p[5] - 1]) + p[6:]),
        lambda p: data_symbols(p[:4] + b"\0\5" + p[6:20]),
        lambda p: data_symbols(packet(bytes(2300))),
    ],
    "bad_vl": [lambda p: data_symbols(on_vl(p, 4)), lambda p: data_symbols(on_vl(p, 14))],
    "bad_fc": [
        lambda p: fc_symbols(0, 0, WINDOW, crc=b"\1\2"),
        lambda p: fc_symbols(9, 0, WINDOW),
        lambda p: fc_symbols(0, 0, WINDOW, op=7),
        lambda p: fc_symbols(0, 0, WINDOW, end=EBP),
        lambda p: [(SLP, True), *data_symbols(p)[1:15], (EGP, True)],
    ],
}  # fmt: skip


@pytest.mark.parametrize("event", BAD)
def test_bad_input(event: str) -> None:
    """Each malformed packet is dropped with its own event; the link stays up."""
    line = Line()
    line.bring_up()
    line.dut.watch("ev")
    rng = random.Random(8)
    good = []
    for make in BAD[event]:
        before = line.dut.counts("ev")[f"drops.{event}"]
        line.feed(make(packet(rng.randbytes(64))) + idle(2))
        line.run(900)
        good.append(packet(rng.randbytes(40)))
        line.feed(data_symbols(good[-1]) + idle(2))
        line.run(100)
        now = line.dut.counts("ev")[f"drops.{event}"]
        assert now == before + 1

    assert line.dut.recv_data("m_axis") == good
    assert line.dut.get_struct("status") == {"phys_state": LINK_UP, "port_state": ACTIVE}


def test_mutated_packets() -> None:
    """Symbols are changed at random: what comes out was sent, or has a wrong ICRC (rare)."""
    line = Line()
    line.bring_up()
    line.dut.watch("ev")
    rng = random.Random(9)
    rounds, missed, retrained = by_size(3, 2000), 0, 0
    for _ in range(rounds):
        intact: list[bytes] = []
        script: list[Symbol] = []
        errors: list[int] = []
        for n in range(500):
            data = packet(rng.randbytes(rng.randrange(80)), Header(psn=n, vl=rng.randrange(4)))
            symbols = data_symbols(data)
            if rng.random() < 0.5:
                for _ in range(rng.randrange(1, 4)):
                    at = rng.randrange(len(symbols))
                    value, k = symbols[at]
                    if rng.random() < 0.3:
                        errors.append(len(script) + at)
                    elif rng.random() < 0.2:
                        symbols[at] = (rng.choice([SDP, SLP, EBP, EGP, 0xBC, 0x1C, 0xF7]), True)
                    else:
                        symbols[at] = (value ^ 1 << rng.randrange(8), k)
            if symbols == data_symbols(data) and not (errors and errors[-1] >= len(script)):
                intact.append(data)
            script += symbols + idle(rng.randrange(3)) + fc_symbols(n % 4, 0, WINDOW)
            if n % 4 == 0:
                script += skip_set(line.lanes)
        line.feed(script, errors)
        line.run(200)
        got = line.dut.recv_data("m_axis")
        changed = set(got) - set(intact)  # a CRC of 16 bits misses one in 65,536
        assert all(icrc(g[:-4]) != g[-4:] for g in changed)
        missed += len(changed)
        assert line.dut.get_struct("status")["port_state"] == ACTIVE
        if line.dut.get_struct("status")["phys_state"] == LINK_UP:
            assert len(got) > 0.6 * len(intact)
        else:  # stray COMs on some lanes look like lost alignment
            retrained += 1
            line.train()
    drops = line.dut.counts("ev")
    assert drops["drops.bad_packet"] > 100 * (rounds - retrained)
    assert retrained <= rounds // 5
    assert missed <= rounds // 50
    assert drops["drops.overrun"] == 0


@pytest.mark.parametrize(
    ("config", "transmit", "receive"), [((4, 64, 4), 10, 12), ((1, 32, 1), 10, 10)]
)
def test_latency(config: tuple[int, int, int], transmit: int, receive: int) -> None:
    """Cycles of a packet of 8 bytes: last beat in to SDP, and last symbol to first beat out."""
    line = Line(*config)
    line.bring_up()
    line.dut.recv("m_axis_line")
    line.dut.sent("s_axis")
    data = packet(bytes(8))
    line.dut.send("s_axis", data)
    line.dut.run(300)
    ((_, last),) = line.dut.sent("s_axis")
    sdp = [
        cycle
        for frame in line.dut.recv("m_axis_line")
        for cycle, k, at in zip(
            frame.beat_cycles, frame.users, range(0, len(frame.data), line.bytes), strict=True
        )
        if k & 1 and frame.data[at] == SDP
    ]
    assert len(sdp) == 1
    line.dut.sent("s_axis_line")
    line.feed(data_symbols(data))
    (frame,) = line.dut.recv("m_axis", 1)
    ((_, end),) = line.dut.sent("s_axis_line")
    assert (sdp[0] - last, frame.cycle - end) == (transmit, receive)
