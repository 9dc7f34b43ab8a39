# SPDX-License-Identifier: Apache-2.0
"""`kumi bench tcp-fuzz`: a million wrong segments to a node, at the speed of its simulation.

`fuzz` only needs a handle: a node under test (`Dut`) with its registers. Some of what it sends is
right, so that sessions open, move data and close in between; the rest is right but for a few
fields, or rubbish. Afterwards all counters must add up, every session must be free again, and an
honest client must be served.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Protocol

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.setup import Setup
from kumihimo.bench.tcp.segments import ACK, FIN, PSH, RST, SYN, WORD, Maker, Raw, number, parse

ECHO = 7
PORTS = (7,) * 12 + (9, 80, 5001, 4444, 0, 65535)
BATCH = 64
MAC = 0x02_4B_4D_00_02_02
# Words of options: right ones, wrong lengths, rubbish.
OPTIONS = (
    b"",
    b"",
    b"\x02\x04\x05\xb4",
    b"\x02\x04\x05\xb4\x04\x02\x08\x0a\x00\x00\x10\x00\x00\x00\x00\x00\x01\x03\x03\x07",
    b"\x01\x01\x08\x0a\x00\x00\x10\x01\x00\x00\x00\x01",
    b"\x01\x01\x05\x0a\x00\x00\x00\x10\x00\x00\x00\x20",
    b"\x02\x00\x00\x00",
    b"\x08\x01\x02\x03",
    b"\xfd\xff\x00\x00",
    b"\xff" * 40,
)


# Sessions whose peer is silent are to end soon: microseconds.
SOON = {
    "rto_init": 200,
    "rto_min": 100,
    "rto_max": 400,
    "ack_delay": 20,
    "time_wait": 200,
    "fin_wait": 400,
    "linger": 400,
    "keep_idle_ms": 1,
    "keep_interval_ms": 1,
}


class Handle(Protocol):
    """A node, and its registers by name."""

    dut: Any
    regs: Any
    ip: str
    mac: int


@dataclass
class Flow:
    """What the fuzzer knows of one of its connections."""

    seq: int
    ack: int = 0
    open: bool = False


@dataclass
class Fuzzer:
    """Makes frames, and looks at those that come back."""

    node: Handle
    seed: int = 1
    sent: int = 0
    answers: int = 0
    bad: int = 0
    flows: dict[tuple[int, int, int], Flow] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.maker = Maker(MAC, self.node.mac, self.node.ip)
        self.addresses = [number(f"10.77.0.{host}") for host in (2, 3, 250)]
        self.bytes = self.rng.randbytes(1 << 16)

    def data(self) -> bytes:
        """Payload, mostly short."""
        rng = self.rng
        size = rng.choice((0, 0, 0, 1, 3, 8, 64, 100, rng.randint(0, 1460)))
        at = rng.randrange(1 << 15)
        return self.bytes[at : at + size]

    def frame(self) -> bytes:
        """The next frame."""
        rng = self.rng
        key = rng.choice(self.addresses), 20_000 + rng.randrange(12), rng.choice(PORTS)
        flow = self.flows.get(key)
        if flow is None or rng.random() < 0.01:
            flow = self.flows[key] = Flow(rng.randrange(1 << 32))
            frame = self.right(key, flow, SYN)
        elif rng.random() < 0.5:
            flags = rng.choice((ACK, ACK | PSH) * 8 + (ACK | FIN, RST))
            frame = self.right(key, flow, flags)
        else:
            frame = self.wrong(key, flow)
        if rng.random() < 0.1:
            frame = self.damaged(frame)
        return frame

    def right(self, key: tuple[int, int, int], flow: Flow, flags: int) -> bytes:
        """As a peer would send it."""
        options, data = b"", b""
        if flags == SYN:
            options = self.rng.choice(OPTIONS[1:4])
        elif not flags & RST:
            data = self.data()
        frame = self.maker.segment(*key, flow.seq, flow.ack, flags, options=options, data=data)
        flow.seq = (flow.seq + len(data) + bool(flags & FIN)) & WORD
        if flags & RST:
            del self.flows[key]
        return frame

    def near(self, value: int) -> int:
        """A sequence number that may matter."""
        rng = self.rng
        off = rng.choice((0, 0, 1, -1, 100, -100, 1460, 30_000, -70_000, rng.randrange(1 << 32)))
        return (value + off) & WORD

    def wrong(self, key: tuple[int, int, int], flow: Flow) -> bytes:
        """Fields that do not belong together, with right checksums."""
        rng = self.rng
        return self.maker.segment(
            *key,
            self.near(flow.seq),
            self.near(flow.ack),
            rng.choice((ACK, ACK | PSH, SYN, SYN | ACK, RST, FIN, 0, rng.randrange(64))),
            rng.choice((0, 1, 100, 65_535, rng.randrange(1 << 16))),
            rng.choice(OPTIONS),
            self.data(),
            rng.choice((0, 0, 5, 65_535)),
        )

    def damaged(self, frame: bytes) -> bytes:
        """Some bytes of the TCP header, or of all of it, are others."""
        rng = self.rng
        out = bytearray(frame)
        for _ in range(rng.choice((1, 1, 2, 8))):
            low = 34 if rng.random() < 0.8 else 14
            out[rng.randrange(low, len(out))] = rng.randrange(256)
        return bytes(out)

    def take(self, frame: bytes) -> bytes | None:
        """Look at a frame of the node; a frame to answer with, if it asks for one."""
        seg = parse(frame)
        if seg is None:
            return self.maker.arp_answer(frame)
        self.answers += 1
        self.bad += not seg.good
        self.learn(seg)
        return None

    def learn(self, seg: Raw) -> None:
        """Follow the numbers of a connection."""
        flow = self.flows.get((seg.address, seg.port, seg.peer_port))
        if flow is None or seg.flags & RST:
            return
        if seg.flags & SYN:
            flow.ack, flow.open = (seg.seq + 1) & WORD, True
            flow.seq = seg.ack
        elif flow.open and seg.seq == flow.ack:
            flow.ack = (flow.ack + len(seg.data) + bool(seg.flags & FIN)) & WORD


def fuzz(node: Handle, count: int, seed: int = 1, progress: Any = None) -> dict[str, Any]:
    """Send `count` frames; raises when a counter does not add up."""
    dut, fuzzer = node.dut, Fuzzer(node, seed)
    for address in fuzzer.addresses:
        dut.send("s_axis_eth0", fuzzer.maker.announcement(address))
    dut.drain(timeout_cycles=100_000)
    dut.recv("m_axis_eth0")
    before, begin = totals(node), dut.cycle
    while fuzzer.sent < count:
        number_of = min(BATCH, count - fuzzer.sent)
        dut.send("s_axis_eth0", [fuzzer.frame() for _ in range(number_of)])
        fuzzer.sent += number_of
        extra = answer(node, fuzzer)
        if progress is not None:
            progress(fuzzer.sent + extra, count)
    dut.run(2000)
    answer(node, fuzzer)
    if fuzzer.bad:
        raise BenchError(f"{fuzzer.bad} segments of the node have wrong checksums")
    after = settle(node, fuzzer)
    row = check(node, {key: after[key] - before[key] for key in after}, fuzzer.sent)
    return {
        "segments": fuzzer.sent,
        "answers": fuzzer.answers,
        "honest_bytes": honest(node, fuzzer.maker),
        "cycles": dut.cycle - begin,
        **row,
    }


def honest(node: Handle, maker: Maker) -> int:
    """A client that does everything right is served: the bytes of its echo."""
    dut, source, port = node.dut, number("10.77.0.2"), 30_000
    dut.recv("m_axis_eth0")
    dut.send("s_axis_eth0", maker.segment(source, port, ECHO, 1000, 0, SYN))
    first = _next(node)
    if first.flags != SYN | ACK or first.ack != 1001:
        raise BenchError(f"an honest client's SYN is answered by {first}")
    data, got = bytes(range(250)) * 4, b""
    dut.send("s_axis_eth0", maker.segment(source, port, ECHO, 1001, first.seq + 1, ACK))
    dut.run(500)
    dut.send(
        "s_axis_eth0",
        maker.segment(source, port, ECHO, 1001, first.seq + 1, ACK | PSH, data=data),
    )
    while len(got) < len(data):
        seg = _next(node)
        if (seg.seq - first.seq - 1) & WORD == len(got):
            got += seg.data
    if got != data:
        raise BenchError("an honest client's echo is wrong")
    ack = (first.seq + 1 + len(got)) & WORD
    dut.send("s_axis_eth0", maker.segment(source, port, ECHO, 1001 + len(data), ack, RST))
    dut.drain(settle=500)
    return len(got)


def _next(node: Handle) -> Raw:
    """The next segment of the node."""
    while True:
        for frame in node.dut.recv("m_axis_eth0", 1, 200_000):
            seg = parse(frame.data)
            if seg is not None:
                return seg


def answer(node: Handle, fuzzer: Fuzzer) -> int:
    """Let the node take what was sent, and look at what came. Counts frames sent in answer."""
    dut = node.dut
    dut.drain(timeout_cycles=2_000_000, settle=200)
    sent = 0
    for frame in dut.recv("m_axis_eth0"):
        if frame.bad:
            raise BenchError("the node sent a frame that is marked bad")
        reply = fuzzer.take(frame.data)
        if reply is not None:
            dut.send("s_axis_eth0", reply)
            sent += 1
    fuzzer.sent += sent
    return sent


def settle(node: Handle, fuzzer: Fuzzer, patience_cycles: int = 20_000_000) -> dict[str, int]:
    """Stay silent until the node's timers have ended every session."""
    dut = node.dut
    end = dut.cycle + patience_cycles
    while left := node.regs.tcp.status.get("sessions"):
        if dut.cycle > end:
            raise BenchError(
                f"{left} sessions are left {patience_cycles} cycles after the last word"
            )
        dut.run(20_000)
        answer(node, fuzzer)
    return totals(node)


def totals(node: Handle) -> dict[str, int]:
    """All counters."""
    out = {f"ip.{name}": value for name, value in node.regs.ip.counters().items()}
    for block in ("counters", "core"):
        out |= {f"tcp.{name}": n for name, n in node.regs.tcp.counters(block).items()}
    return out


def check(node: Handle, counts: dict[str, int], sent: int) -> dict[str, Any]:
    """Each frame has one outcome, each segment too, and each of the core's events of a segment.

    A hit of an ended session, and a SYN that replaces one in TIME-WAIT, are looked up again and
    then count as a miss as well; a miss that then is a hit counts as a hit as well.
    """

    def some(prefix: str) -> int:
        return sum(n for name, n in counts.items() if name.startswith(prefix))

    ip_outcomes = some("ip.drop_") + sum(
        counts[f"ip.{name}"] for name in ("rx_udp", "rx_raw", "rx_icmp", "rx_arp")
    )
    if not counts["ip.rx_frame"] == ip_outcomes == sent:
        raise BenchError(f"{sent} frames, {counts['ip.rx_frame']} taken, {ip_outcomes} outcomes")
    checks = ("disabled", "proto", "bad", "short", "offset", "checksum")
    full = ("buffer_full", "hit_full", "miss_full")
    dropped = sum(counts[f"tcp.drop_{name}"] for name in (*checks, *full))
    outcomes = counts["tcp.hit"] + counts["tcp.miss"] + dropped
    if outcomes != counts["ip.rx_raw"]:
        raise BenchError(f"{counts['ip.rx_raw']} packets for TCP, {outcomes} outcomes: {counts}")
    hits, misses = some("tcp.hit_"), some("tcp.miss_")
    again = counts["tcp.hit_stale"] + counts["tcp.hit_time_wait_reuse"]
    if not 0 <= hits - counts["tcp.hit"] <= counts["tcp.miss_relookup_hit"]:
        raise BenchError(f"{counts['tcp.hit']} hits, {hits} outcomes in the core: {counts}")
    if not 0 <= misses - counts["tcp.miss"] <= again:
        raise BenchError(f"{counts['tcp.miss']} misses, {misses} outcomes in the core: {counts}")
    opened = counts["tcp.open_passive"] + counts["tcp.open_active"]
    if counts["tcp.session_freed"] < opened:
        raise BenchError(f"{opened} sessions opened, {counts['tcp.session_freed']} freed")
    return {"opened": opened, "dropped": dropped, "for_tcp": counts["ip.rx_raw"]}


SMALL_RINGS = {"DATA_W": 64, "SESSIONS": 64, "RING": 32768}


class Server:
    """A tcp_server node alone, 64 bits wide, with its addresses and short times."""

    ip, mac, period_ps = "10.77.0.30", 0x02_4B_4D_00_03_1E, 6400

    def __init__(self) -> None:
        from kumihimo.regs import RegisterMap
        from kumihimo.testing import Dut

        # The library of tests/tcp, too: optimised, as thousands of segments take seconds.
        self.dut: Any = Dut("tcp_server", params=dict(SMALL_RINGS), profile="soak")
        self.regs: Any = RegisterMap(self)
        ip, tcp = self.regs.ip, self.regs.tcp
        ip.mac_hi.write(self.mac >> 32)
        ip.mac_lo.write(self.mac & WORD)
        ip.ip.write(number(self.ip))
        ip.netmask.write(number("255.255.255.0"))
        tcp.period.write(self.period_ps)
        for name, value in SOON.items():
            getattr(tcp, name).write(value)
        tcp.retries.set(syn=2, data=2, keep=2)
        self.dut.run_until(lambda: tcp.status.get("ready"), step=100, what="the tables are clear")

    def read(self, addr: int, /) -> int:
        """For the registers' map."""
        return int(self.dut.axil_read(addr))

    def write(self, addr: int, data: int, /) -> None:
        """For the registers' map."""
        self.dut.axil_write(addr, data)


def run(progress: Progress, quick: bool = False) -> BenchResult:
    """A million segments; a thing that does not add up ends the bench."""
    server = Server()
    count = 20_000 if quick else 1_000_000

    def step(done: int, total: int) -> None:
        progress.step("segments", done, total)

    row = fuzz(server, count, 1, step)
    result = BenchResult("tcp-fuzz", rtl={"tcp_server": server.dut.built.design_hash}, rows=[row])
    result.summary = {name: row[name] for name in ("segments", "answers", "opened")}
    result.goals = {"segments": (">=", count)}
    result.origins = {"segments": Origin.REQUIREMENT}
    result.setup = Setup(
        "kumi_node_tcp_server", SMALL_RINGS, {f"tcp.{k}": v for k, v in SOON.items()}
    )
    return result
