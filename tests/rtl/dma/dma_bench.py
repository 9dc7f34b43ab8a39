# SPDX-License-Identifier: Apache-2.0
"""A kumi_dma with one channel under test: rings, random buffers, everything checked."""

from __future__ import annotations

import random
from dataclasses import dataclass

from kumihimo.host import Completion, DutPlatform, Flag, Pool, Ring
from kumihimo.regs import BLOCKS, Block
from kumihimo.testing import Dut, Frame

GUARD = 64
PATTERN = b"\xa5"
BASE, SIZE = 0x10_0000, 1 << 24


@dataclass
class Posted:
    """A descriptor, as software remembers it."""

    addr: int
    length: int
    flags: Flag


class DmaBench:
    """The flat engine, a memory, and software on both rings."""

    def __init__(self, width: int, seed: int = 1, log2: int = 5, **params: int) -> None:
        self.dut = Dut("kumi_dma_flat", {"DATA_W": width, **params}, seed=seed)
        self.width = width
        self.memory = self.dut.memory("m_axi")
        self.platform = DutPlatform(self.dut, memory="m_axi", step_cycles=16)
        self.block = Block(self.platform.mmio, BLOCKS["dma"], 0)
        # Rings with a place that is not a page's start, below the buffers.
        self.send = Ring(self.platform, self.block, 0, Pool(self.memory, 0x8FC0, 0x4000), log2)
        self.recv = Ring(self.platform, self.block, 1, Pool(self.memory, 0x1_0040, 0x4000), log2)
        self.rng = random.Random(seed)
        self.top = BASE
        self.posted: list[Posted] = []  # on the receive ring

    def place(self, length: int) -> int:
        """A place of any alignment for a buffer, with a guard around it."""
        addr = self.top + GUARD + self.rng.randrange(64)
        self.top = addr + length + GUARD
        if self.top > BASE + SIZE:
            self.top = BASE
            return self.place(length)
        self.memory.write(addr - GUARD, PATTERN * (length + 2 * GUARD))
        return addr

    def untouched(self, addr: int, length: int) -> bool:
        """Whether the guards, and what lies between, hold the pattern."""
        return self.memory.read(addr, length) == PATTERN * length

    def send_packets(self, packets: list[list[bytes]], dests: list[int]) -> list[Completion]:
        """Packets in pieces through the send ring; returns the completions."""
        todo = [
            (data, Flag.SOP * (i == 0) | Flag.EOP * (i == len(pieces) - 1), dest)
            for pieces, dest in zip(packets, dests, strict=True)
            for i, data in enumerate(pieces)
        ]
        done: list[Completion] = []
        total = len(todo)
        end = self.dut.cycle + 200_000
        while len(done) < total:
            assert self.dut.cycle < end, f"{len(done)} of {total} completions"
            while todo and self.send.free and self.rng.random() < 0.9:
                data, flags, dest = todo.pop(0)
                addr = self.place(len(data))
                self.memory.write(addr, data)
                self.send.post(addr, len(data), Flag(flags), dest)
            self.send.doorbell()
            self.dut.run(self.rng.randrange(1, 120))
            done += self.send.reap()
        return done

    def recv_packets(self, frames: list[Frame], sizes: list[int]) -> list[Frame]:
        """Frames into buffers of sizes drawn from a list; returns what memory holds.

        Checks the completions, and that nothing beside the bytes of a packet was written.
        """
        self.dut.send("s_axis", frames)
        posted = self.posted
        got: list[Frame] = []
        parts: list[bytes] = []
        end = self.dut.cycle + 400_000
        while len(got) < len(frames):
            assert self.dut.cycle < end, f"{len(got)} of {len(frames)} packets"
            while self.recv.free and self.rng.random() < 0.9:
                length = self.rng.choice(sizes)
                addr = self.place(length)
                self.recv.post(addr, length)
                posted.append(Posted(addr, length, Flag(0)))
            self.recv.doorbell()
            self.dut.run(self.rng.randrange(1, 120))
            for done in self.recv.reap():
                was = posted.pop(0)
                assert done.code == 0
                assert bool(done.flags & Flag.SOP) == (not parts)
                parts.append(self.memory.read(was.addr, done.length))
                assert self.untouched(was.addr - GUARD, GUARD)
                assert self.untouched(was.addr + done.length, was.length - done.length + GUARD)
                if done.flags & Flag.EOP:
                    bad = bool(done.flags & Flag.BAD)
                    got.append(Frame(b"".join(parts), bad=bad, id=done.dest))
                    parts = []
                else:
                    assert (done.length, done.flags & Flag.BAD) == (was.length, 0), (done, was)
        return got
