# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of RTP: cores, and a network in Python."""

from __future__ import annotations

import heapq
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kumihimo.testing import Dut, Frame

PS = 3200  # 312.5 MHz
BASE = 0x020000000100  # address of core 0
ETHERTYPE = 0x88B6
HEADER = 30
DATA, ACK, HELLO, RESET = range(4)
UP, DEAD, RESTART, BYE, FAILED = range(1, 6)
CFG = {
    "mtu": 1500,
    "nonce": 100,
    "ack_delay": 8,
    "rto_init": 100,
    "rto_min": 40,
    "rto_max": 1000,
    "hello_interval": 50,
    "probe_interval": 200,
    "max_timeouts": 5,
}
Fate = Callable[["Net", int, bytes], list[tuple[int, bytes]]]


@dataclass
class Header:
    """Header of a frame, as the format page has it."""

    dst: int
    src: int
    kind: int
    flags: int
    tag: int
    seq: int
    ack: int
    size: int
    payload: bytes

    @staticmethod
    def parse(frame: bytes) -> Header:
        """Take a frame apart."""
        kind, version, flags, tag, seq, ack, size = struct.unpack(">HBBIIIH", frame[12:30])
        assert kind == ETHERTYPE and version >> 4 == 1
        dst, src = int.from_bytes(frame[:6], "big"), int.from_bytes(frame[6:12], "big")
        payload = frame[30 : 30 + size]
        assert len(payload) == size and len(frame) == 30 + size
        return Header(dst, src, version & 15, flags, tag, seq, ack, size, payload)

    def bytes(self) -> bytes:
        """The frame."""
        head = self.dst.to_bytes(6, "big") + self.src.to_bytes(6, "big")
        head += struct.pack(
            ">HBBIIIH",
            ETHERTYPE,
            0x10 | self.kind,
            self.flags,
            self.tag,
            self.seq,
            self.ack,
            self.size,
        )
        return head + self.payload


@dataclass
class Inbox:
    """What a core's kernel has received."""

    messages: list[tuple[int, bytes]] = field(default_factory=list)
    broken: list[tuple[int, int]] = field(default_factory=list)  # peer, bytes before
    open: dict[int, bytearray] = field(default_factory=dict)
    status: list[tuple[int, int]] = field(default_factory=list)

    def take(self, frame: Frame) -> None:
        """A frame of m_msg."""
        users = set(frame.users[:-1]) or {frame.user & 6}
        assert {u & 6 for u in users} == {frame.user & 6}
        first, last = frame.user >> 1 & 1, frame.user >> 2 & 1
        if frame.bad:
            assert last and not first and len(frame) == 1
            self.broken.append((frame.id, len(self.open.pop(frame.id))))
            return
        assert first == (frame.id not in self.open), "first flag"
        self.open.setdefault(frame.id, bytearray()).extend(frame.data)
        if last:
            self.messages.append((frame.id, bytes(self.open.pop(frame.id))))


class Net:
    """Cores joined by a network: each frame meets its fate, then arrives."""

    def __init__(
        self,
        cores: int = 2,
        width: int = 256,
        delay: int = 40,
        step: int = 16,
        cfg: dict[str, int] | None = None,
        stalls: tuple[float, float] = (0.0, 0.0),
        seed: int = 1,
        **params: int,
    ) -> None:
        """Cores that do not know each other yet; delay in cycles."""
        params = {"N": cores, "PEERS": 64 if cores == 3 else 4} | params
        if cores == 3:
            params |= {"WINDOW": 4}
        bits = (params["PEERS"] - 1).bit_length()
        self.dut = Dut.of_module(
            Path(__file__).with_name("kumi_tb_eth_rtp.sv"),
            params=params,
            interfaces={
                "*": {"DATA_W": width, "ID_W": bits, "DEST_W": bits},
                "m_msg": {"USER_W": 3},
                "set_peer": {"W": 60},
                "m_status": {"W": 16},
            },
            periods_ps={"clk": PS},
            pins={
                "cfg_addr": BASE,
                "cfg": self.pack(CFG | (cfg or {})),
                "nonces": sum((1000 * (i + 1)) << 20 * i for i in range(cores)),
            },
            seed=seed,
        )
        self.cores = cores
        self.delay = delay
        self.step = step
        self.fate: Fate = lambda net, source, frame: [(0, frame)]
        self.rng = random.Random(seed)
        self.inbox = [Inbox() for _ in range(cores)]
        self.sent: list[tuple[int, bytes]] = []  # every frame that left a core
        self.on_wire: list[tuple[int, int, int, bytes]] = []
        self.order = 0
        self.reading = [True] * cores
        self.dut.stall_all(*stalls, seed=seed)
        for pin in ("ev0", "ev1"):
            self.dut.watch(pin)
        self.dut.run(params["PEERS"] + 40)

    @staticmethod
    def pack(values: dict[str, int]) -> int:
        """Record rtp_cfg_t."""
        widths = [14, 20, 16, 20, 20, 20, 20, 20, 4]
        out = 0
        for (_, value), width in zip(values.items(), widths, strict=True):
            assert value < 1 << width
            out = out << width | value
        return out

    def peer(self, core: int, number: int, addr: int) -> None:
        """Fill an entry of a core's peer table."""
        self.dut.send(f"set_peer[{core}]", number << 48 | addr)

    def join(self) -> None:
        """All cores get to know each other; core i is peer i of all others."""
        for i in range(self.cores):
            for j in range(self.cores):
                if i != j:
                    self.peer(i, j, BASE + j)
        want = self.cores - 1
        self.until(lambda: all(sum(c == UP for _, c in b.status) >= want for b in self.inbox))

    def send(self, core: int, peer: int, message: bytes, bad: bool = False) -> None:
        """A message for a peer."""
        self.dut.send(f"s_msg[{core}]", Frame(message, dest=peer, bad=bad))

    def inject(self, core: int, frame: bytes, bad: bool = False) -> None:
        """A frame for a core from nowhere."""
        self.dut.send(f"s_frame[{core}]", Frame(frame, bad=bad))

    def run(self, cycles: int) -> None:
        """Let time pass."""
        end = self.dut.cycle + cycles
        while self.dut.cycle < end:
            self.once()

    def once(self) -> None:
        """One step of the network."""
        dut = self.dut
        dut.run(self.step)
        for i in range(self.cores):
            for frame in dut.recv(f"m_frame[{i}]"):
                assert not frame.bad
                self.sent.append((i, frame.data))
                for extra, data in self.fate(self, i, frame.data):
                    target = int.from_bytes(data[:6], "big") - BASE
                    if not 0 <= target < self.cores:
                        continue
                    self.order += 1
                    due = max(frame.last_cycle + self.delay + extra, dut.cycle)
                    heapq.heappush(self.on_wire, (due, self.order, target, data))
            for frame in dut.recv(f"m_msg[{i}]"):
                self.inbox[i].take(frame)
            for record in dut.recv(f"m_status[{i}]"):
                self.inbox[i].status.append((record.value >> 4, record.value & 15))
        while self.on_wire and self.on_wire[0][0] < dut.cycle + self.step:
            due, _, target, data = heapq.heappop(self.on_wire)
            dut.send(f"s_frame[{target}]", Frame(data), t_ps=due * PS)

    def until(self, condition: Callable[[], bool], cycles: int = 200_000) -> int:
        """Let time pass until something is so."""
        end = self.dut.cycle + cycles
        while not condition():
            if self.dut.cycle > end:
                raise AssertionError(f"did not come true in {cycles} cycles\n{self.picture()}")
            self.once()
        return self.dut.cycle

    def picture(self) -> str:
        """What has happened, for a failed test."""
        rows = [f"cycle {self.dut.cycle}"]
        for i, box in enumerate(self.inbox):
            rows.append(f"core {i}: {len(box.messages)} messages, status {box.status[-8:]}")
            rows.append(
                f"  open { ({k: len(v) for k, v in box.open.items()}) } broken {box.broken}"
            )
        for pin in ("ev0", "ev1"):
            rows.append(f"{pin}: { ({k: v for k, v in self.dut.counts(pin).items() if v}) }")
        for source, frame in self.sent[-12:]:
            h = Header.parse(frame)
            rows.append(
                f"  {source}: kind {h.kind} flags {h.flags:x} tag {h.tag:08x} seq {h.seq}"
                f" ack {h.ack} len {h.size} {h.payload[:12].hex()}"
            )
        return "\n".join(rows)

    def events(self, core: int) -> dict[str, int]:
        """Counters of core 0 or 1 that are not zero."""
        return {k: v for k, v in self.dut.counts(f"ev{core}").items() if v}
