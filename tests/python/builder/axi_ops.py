# SPDX-License-Identifier: Apache-2.0
"""Random AXI4 bursts as plain data, and how they look on the wires of kumi_node_axi_wires."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, field
from typing import Any

FIXED, INCR, WRAP = 0, 1, 2
ADDR_W = 40


@dataclass
class Burst:
    """One burst. A write has a word and a strobe a beat (bus width, lowest byte first)."""

    write: bool
    addr: int
    beats: int
    size: int  # log2 of the bytes of a beat
    kind: int
    id: int = 0
    words: list[int] = field(default_factory=list)
    strobes: list[int] = field(default_factory=list)

    def address_record(self) -> int:
        head = (self.id << 2 | self.kind) << 3 | self.size
        return (head << 8 | (self.beats - 1)) << ADDR_W | self.addr

    def beat_range(self, beat: int) -> tuple[int, int]:
        """First byte of a beat, and the byte behind its last one (IHI 0022E, A3.4.1)."""
        bytes_ = 1 << self.size
        aligned = self.addr - self.addr % bytes_
        if beat == 0 or self.kind == FIXED:
            return self.addr, aligned + bytes_
        at = aligned + beat * bytes_
        if self.kind == WRAP:
            total = bytes_ * self.beats
            low = self.addr - self.addr % total
            at = low + (at - low) % total
        return at, at + bytes_

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def random_burst(
    rng: random.Random, write: bool, bus_bytes: int, base: int, room: int, id_: int
) -> Burst:
    """A legal burst within [base, base + room); room is at least 4 KiB, base a multiple of it."""
    size = rng.randint(0, bus_bytes.bit_length() - 1)
    kind = rng.choice([FIXED, INCR, INCR, INCR, WRAP])
    page = base + 4096 * rng.randrange(room // 4096)
    at = page + rng.randrange(4096)
    step = 1 << size
    if kind == WRAP:
        beats = rng.choice([2, 4, 8, 16])
        at -= at % step
    elif kind == FIXED:
        beats = rng.randint(1, 16)
    else:
        most = (page + 4096 - (at - at % step)) // step
        beats = rng.randint(1, min(most, rng.choice([1, 4, 16, 256])))
    burst = Burst(write, at, beats, size, kind, id_)
    for beat in range(beats if write else 0):
        first, end = burst.beat_range(beat)
        strobe = 0
        for byte in range(first, end):
            strobe |= (rng.random() < 0.8) << byte % bus_bytes
        burst.words.append(rng.getrandbits(8 * bus_bytes))
        burst.strobes.append(strobe)
    return burst


def apply(burst: Burst, memory: bytearray, base: int, bus_bytes: int) -> None:
    """What a write burst does to memory[addr - base]."""
    for beat in range(burst.beats):
        first, end = burst.beat_range(beat)
        for addr in range(first, end):
            if burst.strobes[beat] >> addr % bus_bytes & 1:
                word = burst.words[beat].to_bytes(bus_bytes, "little")
                memory[addr - base] = word[addr % bus_bytes]
