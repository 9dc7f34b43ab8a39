# SPDX-License-Identifier: Apache-2.0
"""The TCP core under test, with its environment modelled in Python.

Tables, receive and transmit memory and applications answer by themselves; what goes over the wire
is in the hands of the test. Records carry no payload: what a command stores is checked by numbers.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from kumihimo.testing import Dut

FIND, INSERT, DELETE, PORT = range(4)
FOUND_HALF, TX_HALF = 288, 272
REASONS = [
    *("ok", "closed", "reset", "timeout", "refused", "unreachable", "aborted", "no_session"),
    *("no_space", "no_room", "in_use", "half_closed", "disabled"),
]
CFG = {
    "enable": 1,
    "ip": 0x0A000001,
    "period_ps": 6400,
    "mss": 1460,
    "use_ws": 0,
    "use_ts": 0,
    "use_sack": 0,
    "ecn": 0,
    "use_tlp": 0,
    "tlp_delay": 600,
    "tlp_guard": 0,
    "init_segs": 10,
    "rto_init": 4000,
    "rto_min": 2000,
    "rto_max": 300000,
    "syn_retries": 3,
    "retries": 5,
    "ack_delay": 40,
    "time_wait": 5000,
    "fin_wait": 20000,
    "linger": 30000,
    "keep_idle": 0,
    "keep_interval": 1,
    "keep_probes": 3,
    "half_open": 32,
    "secret": 0x0123456789ABCDEF0011223344556677,
    "cookie_key": 0xFEDCBA9876543210,
}
LATE = 512  # microseconds that a timer of 256 us ticks may be late
M = 1 << 32
PEER_IP = 0x0A000002


def signed(x: int) -> int:
    """A difference of sequence numbers."""
    return (x + M // 2) % M - M // 2


@dataclass
class Session:
    """State of a session at the receive side, the transmit side and the application."""

    sid: int
    first: int = 0  # first byte to come
    upto: int = 0
    read: int = 0
    noted: bool = False
    fin: bool = False
    ended: str = ""
    una: int = 0
    tail: int = 0
    open: bool = False
    placed: bool = False  # the transmit side knows where it begins
    stored: list[tuple[int, int]] = field(default_factory=list)
    released: bool = False
    forgotten: bool = False


class Bench:
    """The core and its environment."""

    def __init__(
        self,
        sessions: int = 4,
        ring: int = 65536,
        gaps: int = 4,
        rx_ring: int = 0,
        cubic: bool = False,
        **cfg: int,
    ) -> None:
        widths = {
            "s_hit": FOUND_HALF,
            "s_miss": FOUND_HALF,
            "m_table": 82,
            "s_table": 50,
            "m_rx_cmd": 186,
            "s_rx_done": 49,
            "m_tx_space": 50,
            "s_tx_data": 51,
            "m_tx": TX_HALF,
            "s_listen": 17,
            "m_listen_rsp": 20,
            "s_open": 48,
            "m_open_rsp": 68,
        }
        self.cfg = CFG | {"use_cubic": int(cubic)} | cfg
        self.sessions_n = sessions
        self.dut = Dut.of_module(
            "tests/rtl/tcp/kumi_t_tcp_core.sv",
            {
                "SESSIONS": sessions,
                "TX_RING": ring,
                "RX_RING": rx_ring or ring,
                "OOO_RANGES": gaps,
                "CUBIC": int(cubic),
            },
            {name: {"W": w} for name, w in widths.items()},
        )
        d = self.dut
        self.found = d.struct("tcp_seg_lookup_t")
        self.tx = d.struct("tcp_tx_t")
        self.types = {
            name: d.struct(f"tcp_{t}_t")
            for name, t in {
                "m_table": "table_req",
                "s_table": "table_rsp",
                "m_rx_cmd": "rx_cmd",
                "s_rx_done": "rx_done",
                "m_tx_space": "tx_space",
                "s_tx_data": "tx_data",
                "s_listen": "listen",
                "m_listen_rsp": "listen_rsp",
                "s_open": "open",
                "m_open_rsp": "open_rsp",
            }.items()
        }
        d.set("cfg", self.cfg)
        d.set("cycles_per_us", 8)
        d.watch("ev")
        self.skipped = 0
        self.table: dict[tuple[int, int, int], int] = {}
        self.ports: set[int] = set()
        self.hash = 0x1000
        self.stale: set[tuple[int, int, int]] = set()
        self.s: dict[int, Session] = {}
        self.over: list[Session] = []
        self.opened: deque[dict[str, int]] = deque()
        self.listened: deque[dict[str, int]] = deque()
        self.wire: deque[dict[str, int]] = deque()
        self.notes: deque[tuple[int, dict[str, int]]] = deque()
        self.expect_frames: deque[tuple[int, int, int]] = deque()
        self.auto_read = True
        self.half: int | None = None
        self.accepting = True
        d.run(sessions + 20)

    # ---- the clock -------------------------------------------------------------------------------

    def skip(self, us: int) -> None:
        """Advance the time by `us` at once, after all that was sent so far."""
        self.run(80)
        self.skipped += us
        self.dut.set("now_us", self.skipped % M)
        self.run(2 * self.sessions_n + 60)

    def run(self, cycles: int = 64) -> None:
        """Run with the environment answering."""
        end = self.dut.cycle + cycles
        while self.dut.cycle < end:
            self.dut.run(min(8, end - self.dut.cycle))
            self.serve()

    def until(self, condition: Any, cycles: int = 3000, what: str = "it") -> None:
        """Run until a condition holds."""
        end = self.dut.cycle + cycles
        while not condition():
            assert self.dut.cycle < end, f"{what} did not happen; {self.events()}"
            self.run(8)

    def events(self) -> dict[str, int]:
        """Counts of the events seen so far."""
        return {k: n for k, n in self.dut.counts("ev").items() if n}

    # ---- surroundings ----------------------------------------------------------------------------

    def take(self, port: str) -> list[dict[str, int]]:
        """Records received from a port."""
        return [self.types[port].unpack(f.value) for f in self.dut.recv(port)]

    def give(self, to: str, **fields: int) -> None:
        """Send a record to a port."""
        self.dut.send(to, [self.types[to].pack(fields)])

    def serve(self) -> None:
        """Answer everything."""
        for r in self.take("m_table"):
            self._table(r)
        for r in self.take("m_tx_space"):
            self._room(r)
        for r in self.take("m_rx_cmd"):
            self._command(r)
        self.opened += self.take("m_open_rsp")
        self.listened += self.take("m_listen_rsp")
        for f in self.dut.recv("m_tx"):
            if self.half is None:
                self.half = f.value
            else:
                self.wire.append(self.tx.unpack(f.value << TX_HALF | self.half))
                self.wire[-1]["cycle"] = f.cycle
                self.half = None

    def _table(self, r: dict[str, int]) -> None:
        key = (r["tuple.peer_ip"], r["tuple.peer_port"], r["tuple.local_port"])
        out = {"hash": self.hash_of(key), "listen": int(key[2] in self.ports)}
        if r["op"] == FIND:
            out |= {"ok": int(key in self.table), "sid": self.table.get(key, 0)}
        elif r["op"] == INSERT:
            assert key not in self.table, "inserted twice"
            assert r["sid"] not in self.table.values(), "number used twice"
            out["ok"] = int(self.accepting)
            if self.accepting:
                self.table[key] = r["sid"]
        elif r["op"] == DELETE:
            out["ok"] = int(key in self.table)
            assert key in self.table, "deleted twice"
            del self.table[key]
        else:
            out["ok"] = out["listen"]
            (self.ports.add if r["sid"] & 1 else self.ports.discard)(key[2])
        self.give("s_table", **out)

    def hash_of(self, key: tuple[int, int, int]) -> int:
        """The keyed hash."""
        return hash((key, self.hash)) % M

    def _room(self, r: dict[str, int]) -> None:
        sid = r["sid"]
        if r["first"]:
            # Both sides hear of a new session, in any order.
            s = self.s.setdefault(sid, Session(sid))
            s.tail = s.una = r["snd_una"]
            s.placed = True
        if sid not in self.s:  # the receive side was faster to be done with it
            assert not r["open"]
            return
        s = self.s[sid]
        assert signed(r["snd_una"] - s.una) >= 0
        if r["open"]:
            assert signed(s.tail - r["snd_una"]) >= -1
        s.una, s.open = r["snd_una"], bool(r["open"])

    def _command(self, r: dict[str, int]) -> None:
        sid = r["sid"]
        if r["frame"]:
            seq, length, _ = self.expect_frames.popleft()
            assert r["skip"] + r["len"] <= length
            if r["len"]:
                assert (seq + r["skip"]) % M == r["seq"]
                self.s[sid].stored.append((r["seq"], r["len"]))
        if r["opened"]:
            s = self.s.setdefault(sid, Session(sid))
            s.first = s.upto = s.read = r["in_order_end"]
            s.noted = True
        if not r["notify"]:
            return
        self.notes.append((sid, r))
        s = self.s[sid]
        assert s.noted and not s.released
        if not r["opened"] and not r["discard"]:
            assert signed(r["in_order_end"] - s.upto) >= 0
            s.upto = r["in_order_end"]
        if r["fin"]:
            assert not s.fin
            s.fin = True
        if r["ended"]:
            assert not s.ended
            s.ended = REASONS[r["reason"]]
        if r["discard"]:
            s.forgotten = True
            s.read = s.upto
        if self.auto_read or (s.forgotten and s.ended):
            self.read(sid)

    def read(self, sid: int, count: int | None = None) -> None:
        """The application reads, all by default."""
        s = self.s[sid]
        have = signed(s.upto - s.read)
        count = have if count is None else min(count, have)
        s.read = (s.read + count) % M
        done = bool(s.ended) and s.read == s.upto
        if count or done:
            self.give("s_rx_done", sid=sid, seq=s.read, released=int(done))
        if done:
            s.released = True
            self.over.append(self.s.pop(sid))

    def write(self, sid: int, count: int, fin: bool = False, abort: bool = False) -> None:
        """The application has written further bytes."""
        s = self.s[sid]
        self.until(lambda: s.placed, what="space to write into")
        s.tail = (s.tail + count) % M
        self.give("s_tx_data", sid=sid, seq=s.tail, fin=int(fin), abort=int(abort))

    def covers(self, sid: int, first: int, upto: int) -> bool:
        """Whether all bytes were stored."""
        at = first
        for seq, n in sorted(self.s[sid].stored, key=lambda x: signed(x[0] - first)):
            if signed(seq - at) > 0:
                break
            if signed(seq + n - at) > 0:
                at = (seq + n) % M
        return signed(at - upto) >= 0

    # ---- wire ------------------------------------------------------------------------------------

    def arrive(self, peer: Peer, **fields: Any) -> None:
        """A segment of a peer arrives, with the result of its table lookup."""
        key = (peer.ip, peer.port, peer.local)
        rec: dict[str, int] = {
            "seg.tuple.peer_ip": peer.ip,
            "seg.tuple.peer_port": peer.port,
            "seg.tuple.local_port": peer.local,
            "seg.seq": fields["seq"] % M,
            "seg.ack": fields.get("ack", 0) % M,
            "seg.wnd": fields.get("wnd", 65535),
            "seg.len": fields.get("len", 0),
        }
        for flag in fields["flags"].split():
            rec[f"seg.flags.{flag}"] = 1
        rec["seg.ce"] = fields.get("ce", 0)
        for name, value in fields.get("opts", {}).items():
            rec[f"seg.opts.{name}"] = value
        port = "s_miss"
        if "sid" in fields or key in self.table:
            rec |= {"hit": 1, "sid": fields.get("sid", self.table.get(key, 0))}
            port = "s_hit"
            if rec["seg.len"]:
                self.expect_frames.append((rec["seg.seq"], rec["seg.len"], rec["sid"]))
        else:
            rec |= {"listen": int(peer.local in self.ports), "hash": self.hash_of(key)}
        value = self.found.pack(rec)
        self.dut.send(port, [value % (1 << FOUND_HALF), value >> FOUND_HALF])

    def listen(self, port: int, off: bool = False) -> str:
        """Open or close a port."""
        self.give("s_listen", port=port, off=int(off))
        self.until(lambda: self.listened, what="listened")
        r = self.listened.popleft()
        assert r["port"] == port
        return REASONS[r["reason"]]

    def next(self, cycles: int = 3000, what: str = "a segment") -> dict[str, int]:
        """The next segment on the wire."""
        self.until(lambda: self.wire, cycles, what)
        return self.wire.popleft()

    def none(self, cycles: int = 300) -> None:
        """Nothing is sent."""
        self.run(cycles)
        assert not self.wire, self.wire

    def quiet(self) -> bool:
        """Every number is free and the table is empty."""
        return self.dut.get("sessions") == 0 and not self.table


def flags(r: dict[str, int]) -> str:
    """Flags of a segment that was sent, as letters."""
    names = ("syn", "fin", "rst", "psh", "ack")
    return "".join(n[0].upper() for n in names if r[f"flags.{n}"])


def blocks(r: dict[str, int]) -> list[tuple[int, int]]:
    """SACK blocks of a segment, the first one first."""
    raw = [r["opts.sack"] >> 64 * i for i in range(r["opts.sacks"])]
    return [(x >> 32 & M - 1, x & M - 1) for x in raw]


def sack(*pairs: tuple[int, int]) -> dict[str, int]:
    """Options with SACK blocks."""
    value = 0
    for i, (left, right) in enumerate(pairs):
        value |= (left % M << 32 | right % M) << 64 * i
    return {"sacks": len(pairs), "sack": value}


@dataclass
class Peer:
    """The other end of a connection, driven by hand."""

    bench: Bench
    port: int = 40000
    local: int = 80
    ip: int = PEER_IP
    seq: int = 1000
    ack: int = 0
    wnd: int = 65535
    opts: dict[str, int] = field(default_factory=dict)  # on every segment but SYN
    sid: int = -1

    def send(self, flags: str = "ack", length: int = 0, at: int | None = None, **more: Any) -> None:
        """Send a segment; advances this side's sequence number unless `at` is given."""
        seq = self.seq if at is None else at
        fields = {"wnd": self.wnd, "ack": self.ack, "opts": self.opts} | more
        self.bench.arrive(self, flags=flags, seq=seq, len=length, **fields)
        if at is None:
            self.seq = (seq + length + ("syn" in flags) + ("fin" in flags)) % M

    def connect(self, opts: dict[str, int] | None = None) -> dict[str, int]:
        """Opens; returns the SYN, ACK."""
        b = self.bench
        self.send("syn", opts={"mss_valid": 1, "mss": 1460} | (opts or {}))
        r = b.next(what="SYN, ACK")
        assert flags(r) == "SA" and r["ack"] == self.seq, r
        self.ack = (r["seq"] + 1) % M
        self.send()
        b.until(lambda: any(n["opened"] for _, n in b.notes), what="opened")
        self.sid = next(s for s, n in b.notes if n["opened"])
        assert self.sid == r["sid"]
        b.notes.clear()
        b.run(60)
        return r
