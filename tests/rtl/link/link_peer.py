# SPDX-License-Identifier: Apache-2.0
"""The other end of a link, as a list of 66-bit blocks: it trains, then sends TDM frames for ever.

It listens to nothing, so the whole line can be written before the run. What it does wrong, and how
often, is drawn: words and markers that are corrupt, early, late or missing, a dead line, noise.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

DATA, CTRL = 0b01, 0b10
EMPTY, MARK, HEAD, TAIL = 0xD2, 0x99, 0x55, 0xB4
CC, CB, NR, SA = 0x80, 0x40, 0x30, 0x10
ALL = (1 << 64) - 1
TRAINING = 2000  # blocks until the receiver is up and frames begin


def control(kind: int, body: int) -> int:
    """A control block with its check byte."""
    check = 0xFF
    for byte in body.to_bytes(6, "little"):
        check ^= byte
    return kind << 56 | check << 48 | body


def idle(flags: int) -> tuple[int, int]:
    return CTRL, 0x78 << 56 | flags << 48


@dataclass
class Faults:
    """Chances, of a frame unless it says other."""

    slip: float = 0.0  # a row more or less
    mark: float = 0.0  # no marker
    number: float = 0.0
    crc: float = 0.0
    word: float = 0.0  # of a word: a corrupt control block
    bit: float = 0.0  # of a block: a wrong bit on the line
    dead: float = 0.0  # the line goes dark, then trains again
    xoff: float = 0.0


@dataclass
class Peer:
    """A line of frames with `slots` and `guard`; best-effort words at the positions `free`."""

    rng: random.Random
    slots: int
    guard: int
    free: frozenset[int]
    boards: int = 4
    load: float = 0.9
    faults: Faults = field(default_factory=Faults)
    _packet: int = 0  # words that are left of the packet
    _inside: bool = False
    _number: int = 0
    _crc: int = 0

    def line(self, blocks: int) -> list[tuple[int, int]]:
        """(data, head) of so many blocks, scrambled."""
        out: list[tuple[int, int]] = []
        state, source = ALL, self._clear()
        while len(out) < blocks:
            head, data = next(source)
            if head in (0, 3):
                out.append((data, 0 if head == 0 else self.rng.randrange(4)))
                continue
            state = data ^ (state << 25) & ALL ^ (state << 6) & ALL
            state ^= state >> 39 ^ state >> 58
            wrong = 1 << self.rng.randrange(64) if self.rng.random() < self.faults.bit else 0
            if wrong == 1:
                out.append((state, head ^ self.rng.randrange(1, 4)))
            else:
                out.append((state ^ wrong, head))
        return out

    def _clear(self) -> Iterator[tuple[int, int]]:
        """Blocks before scrambling; head 0: dark, head 3: noise."""
        while True:
            for n in range(TRAINING):
                yield idle(CB if n % 128 == 0 else NR if n < 1500 else SA)
            while self.rng.random() >= self.faults.dead:
                yield from self._frame()
            noise = self.rng.random() < 0.3
            for _ in range(self.rng.choice([1, 3, 40, 700])):
                yield (3, self.rng.getrandbits(64)) if noise else (0, 0)

    def _frame(self) -> Iterator[tuple[int, int]]:
        draw, faults = self.rng.random, self.faults
        body = self._crc ^ (draw() < faults.crc) | self._number << 32 | (draw() < faults.xoff) << 40
        self._number = self._number + 1 + (draw() < faults.number) & 255
        if draw() >= faults.mark:
            yield CTRL, control(MARK, body)
        self._crc = 0
        for slot in range(self.slots):
            head, data = self._word(slot)
            self._crc = zlib.crc32(data.to_bytes(8, "little"), self._crc)
            yield head, data
        rows = self.guard - 1
        if draw() < faults.slip:
            rows += self.rng.choice([-2, -1, 1, 1, 2])
        for n in range(rows):
            yield idle(CC if n < 4 else SA)

    def _word(self, slot: int) -> tuple[int, int]:
        rng, draw = self.rng, self.rng.random
        if draw() < self.faults.word:
            kind = rng.choice([EMPTY, HEAD, TAIL, MARK, 0x33])
            return CTRL, control(kind, rng.getrandbits(48)) ^ (rng.random() < 0.5) << rng.randrange(
                64
            )
        if slot in self.free:
            return self._packet_word()
        if draw() < self.load:
            return DATA, rng.getrandbits(64)
        return CTRL, control(EMPTY, (draw() < self.faults.xoff) | self._inside << 1)

    def _packet_word(self) -> tuple[int, int]:
        rng = self.rng
        if rng.random() >= self.load:
            return CTRL, control(EMPTY, (rng.random() < self.faults.xoff) | self._inside << 1)
        if not self._inside:
            self._inside, self._packet = True, rng.choice([0, 1, 2, 7, 60])
            words = [rng.getrandbits(64) for _ in range(self._packet)]
            self._left = words
            last = rng.choice([8, 8, 1, 5, 0, 9])
            sent = b"".join(w.to_bytes(8, "little") for w in words)
            cut = len(sent) - 8 + min(max(last, 1), 8)
            crc = zlib.crc32(sent[: max(cut, 0)]) ^ (rng.random() < 0.1)
            self._tail = crc | last << 33 | (rng.random() < 0.05) << 32
            dest, port = rng.randrange(self.boards), rng.choice([0, 1, 1, 5])
            return CTRL, control(HEAD, dest | rng.randrange(256) << 8 | port << 28)
        if self._left:
            return DATA, self._left.pop(0)
        self._inside = False
        return CTRL, control(TAIL, self._tail)

    _left: list[int] = field(default_factory=list)
    _tail: int = 0
