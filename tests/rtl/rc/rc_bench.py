# SPDX-License-Identifier: Apache-2.0
"""Engines of reliable connections under test, and a wire of records between two of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from kumihimo.testing import Dut, Frame, Hang
from kumihimo.testing.structs import StructType

RECORDS = {
    "s_setup": {"W": 362},
    "s_wr": {"W": 407},
    "m_completion": {"W": 203},
    "s_hdr": {"W": 511},
    "m_hdr": {"W": 511},
}
SEND, SEND_IMM, WRITE, WRITE_IMM, READ, CMP_SWAP, FETCH_ADD, RECV = range(8)
SETUP_QP, SETUP_RESET, SETUP_ERROR, SETUP_REGION = range(4)
BYTES = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}


@dataclass
class Packet:
    """A record and its payload."""

    hdr: dict[str, int]
    payload: bytes = b""

    def copy(self, **changed: int) -> Packet:
        """The packet with other fields; its length is that of its payload."""
        return Packet({**self.hdr, **changed}, self.payload)


@dataclass
class Engine:
    """One engine, its memory, its completions and the packets that it sends."""

    dut: Dut
    number: int = 0
    done: list[dict[str, int]] = field(default_factory=list)
    headers: list[dict[str, int]] = field(default_factory=list)
    payloads: list[Frame] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # cycles of the last beats

    def __post_init__(self) -> None:
        """Timers run 1 us a cycle."""
        self.memory = self.dut.memory("m_axi")
        rows = [(f"hdr.{name}", low, bits) for name, low, bits in self.dut.struct("rc_hdr_t").rows]
        self.pkt = StructType("packet", (*rows, ("path.flow", 463, 16), ("path.addr", 479, 32)))
        self.completion = self.dut.struct("rc_completion_t")
        self.dut.set("tick", 1)
        self.dut.watch("ev")

    def setup(self, op: int, **fields: int) -> None:
        """One set-up record, taken when it applies."""
        names = {f.replace("__", "."): v for f, v in fields.items()}
        self.dut.send("s_setup", self.dut.struct("rc_setup_t").pack({"op": op, **names}))
        self.dut.run_until(lambda: self.dut.waiting("s_setup") == 0, 3000, what="the set-up")
        self.dut.run(4)

    def connect(self, qp: int, peer: Engine | None = None, dest: int = -1, **attr: int) -> None:
        """A queue pair that talks with queue pair `dest` of the peer."""
        values = {
            "dest_qp": qp if dest < 0 else dest,
            "path__addr": peer.number if peer else 77,
            "p_key": 0xFFFF,
            "mtu": 1,
            "timeout": 8,
            "retry_cnt": 7,
            "rnr_retry": 7,
            "min_rnr_timer": 1,
            "max_rd_atomic": 4,
            "remote_write": 1,
            "remote_read": 1,
            "remote_atomic": 1,
            **attr,
        }
        self.setup(SETUP_QP, qp=qp, **{f"attr__{k}": v for k, v in values.items()})

    def region(self, key: int, addr: int, length: int, rights: str = "wra", valid: int = 1) -> None:
        """A memory region; rights: w, r, a."""
        self.setup(
            SETUP_REGION,
            region__key=key,
            region__addr=addr,
            region__length=length,
            region__valid=valid,
            region__remote_write=int("w" in rights),
            region__remote_read=int("r" in rights),
            region__remote_atomic=int("a" in rights),
        )

    def post(self, qp: int, op: int, **fields: int) -> None:
        """A work request."""
        values = {"qp": qp, "op": op, "signaled": 1, **fields}
        self.dut.send("s_wr", self.dut.struct("rc_wr_t").pack(values))

    def feed(self, packet: Packet) -> None:
        """A packet from the wire."""
        fields = {**packet.hdr, "hdr.length": len(packet.payload)}
        self.dut.send("s_hdr", self.pkt.pack(fields))
        if packet.payload:
            self.dut.send("s_axis", packet.payload)

    def step(self, cycles: int = 64) -> list[Packet]:
        """Run; returns the packets that came out whole, and keeps the completions."""
        self.dut.run(cycles)
        self.done += [self.completion.unpack(f.data) for f in self.dut.recv("m_completion")]
        self.headers += [self.pkt.unpack(f.data) for f in self.dut.recv("m_hdr")]
        frames = self.dut.recv("m_axis")
        self.ends += [f.last_cycle for f in frames]
        self.payloads += frames
        out = []
        while self.headers and (self.headers[0]["hdr.length"] == 0 or self.payloads):
            hdr, payload = self.headers.pop(0), b""
            if hdr["hdr.length"]:
                frame = self.payloads.pop(0)
                payload = frame.data
                if frame.bad:
                    continue
                assert len(payload) == hdr["hdr.length"], "record and payload differ"
            out.append(Packet(hdr, payload))
        return out

    def events(self) -> dict[str, int]:
        """Counts of the events."""
        return self.dut.counts("ev")


def engine(width: int, number: int = 1, qps: int = 4, window: int = 32, seed: int = 1) -> Engine:
    """An engine of its own."""
    dut = Dut.of_module(
        "tests/rtl/rc/kumi_t_rc.sv",
        {"QPS": qps, "WINDOW": window},
        interfaces={"*": {"DATA_W": width}, **RECORDS},
        seed=seed,
    )
    return Engine(dut, number)


@dataclass
class Wire:
    """A wire between two engines that loses, duplicates and reorders packets."""

    a: Engine
    b: Engine
    rng: random.Random
    loss: float = 0.0
    twice: float = 0.0
    late: float = 0.0
    log: Callable[[Packet, Engine], Packet | None] | None = None
    packets: int = 0
    lost: int = 0

    def __post_init__(self) -> None:
        """Nothing is held back at first."""
        self.held: list[tuple[int, Engine, Packet]] = []

    def step(self, cycles: int = 64) -> None:
        """Both engines run, and what they have sent arrives."""
        for source, sink in ((self.a, self.b), (self.b, self.a)):
            for one in source.step(cycles):
                packet = self.log(one, source) if self.log else one
                self.packets += 1
                if packet is None or self.rng.random() < self.loss:
                    self.lost += 1
                    continue
                packet.hdr["path.addr"] = source.number
                if self.rng.random() < self.twice:
                    sink.feed(packet)
                if self.rng.random() < self.late:
                    self.held.append((self.rng.randrange(1, 5), sink, packet))
                else:
                    sink.feed(packet)
        held, self.held = self.held, []
        for left, sink, packet in held:
            if left == 0:
                sink.feed(packet)
            else:
                self.held.append((left - 1, sink, packet))

    def until(self, condition: Callable[[], object], steps: int = 2000, what: str = "it") -> None:
        """Steps until the condition holds."""
        for _ in range(steps):
            if condition():
                return
            self.step()
        a, b = self.a.events(), self.b.events()
        raise Hang(f"{what} did not come; a {a}, b {b}, {self.a.done[-3:]}, {self.b.done[-3:]}")
