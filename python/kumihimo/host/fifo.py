# SPDX-License-Identifier: Apache-2.0
"""Driver of `kumi_mmio_fifo`: packets through registers, one word at a time."""

from __future__ import annotations

from ..regs import Block
from .packets import Packet
from .platform import Platform, wait_for


class MmioFifo:
    """A stream through registers; every word takes register accesses."""

    def __init__(self, platform: Platform, block: Block) -> None:
        self._platform = platform
        self.register_map = block
        self._words: list[bytes] = []
        self._option = -1
        self.accesses = 0
        """Register accesses so far."""
        self.bad = 0
        """Packets that came in marked bad; they were dropped."""

    def _read(self, name: str) -> int:
        self.accesses += 1
        return self.register_map[name].read()

    def _write(self, name: str, value: int) -> None:
        self.accesses += 1
        self.register_map[name].write(value)

    def send(self, data: bytes, dest: int = 0, seconds: float = 1.0) -> None:
        """Push a packet; waits for free space."""
        if not data:
            raise ValueError("A packet has at least one byte.")
        words = [data[i : i + 4] for i in range(0, len(data), 4)]
        option = len(words[-1]) | dest << 8
        if option != self._option:
            self._write("push_option", option)
            self._option = option
        room = 0
        for word in words[:-1]:
            if room == 0:
                room = self._room(seconds)
            self._write("push", int.from_bytes(word, "little"))
            room -= 1
        if room == 0:
            self._room(seconds)
        self._write("push_last", int.from_bytes(words[-1], "little"))

    def _room(self, seconds: float) -> int:
        found = [0]

        def look() -> int:
            found[0] = self._read("status") & 0xFFFF
            return found[0]

        wait_for(self._platform, look, "room in the register fifo", seconds)
        return found[0]

    def poll(self) -> list[Packet]:
        """Pop all available words; returns the completed packets."""
        packets: list[Packet] = []
        while True:
            info = self._read("pop_info")
            count = info & 7
            if count == 0:
                return packets
            word = self._read("pop")
            self._words.append(word.to_bytes(4, "little")[:count])
            if info & 8:
                data, self._words = b"".join(self._words), []
                if info & 16:
                    self.bad += 1
                else:
                    packets.append(Packet(data, info >> 8 & 0xFF))
