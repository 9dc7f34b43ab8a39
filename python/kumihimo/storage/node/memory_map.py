# SPDX-License-Identifier: Apache-2.0
"""Layout of the storage node's memory, and the entries of its map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ... import _storage
from .link import SECTOR, NodeLink

LIST_AT_MOST = 1 << 16
AT_ONCE = 1 << 16  # bytes of a command
ABSENT = 255  # device of a chunk or of a record that is nowhere


@dataclass
class StripeVersion:
    """An entry of the map, or of the list of superseded versions."""

    seq: int
    logical: int
    mapped: bool
    places: list[int]
    replicas: tuple[int, int, int]

    def without(self, d: int) -> StripeVersion:
        """A copy with nothing on a device."""
        absent = ABSENT << 56
        places = [absent | x & 0xFFFFFFFF if x >> 56 == d else x for x in self.places]
        first, second, third = (ABSENT if h == d else h for h in self.replicas)
        return StripeVersion(self.seq, self.logical, self.mapped, places, (first, second, third))


def _ceil_log2(n: int) -> int:
    return max(0, (n - 1).bit_length())


class MemoryMap:
    """Areas of the node's memory; access to the map and the list."""

    def __init__(
        self, link: NodeLink, array: _storage.Super, *, ports: int, contexts: int, width: int
    ) -> None:
        self._link = link
        self._width = array.k + array.p
        self.stride = _ceil_log2(8 * (4 + self._width))
        self.limit = min(array.stripes + array.physical, LIST_AT_MOST)
        records = 480 // (16 + 8 * self._width)
        self.log_room = max(9, _ceil_log2(512 * (self.limit // records + 1)))
        at = 0

        def area(size: int) -> int:
            nonlocal at
            here = at
            at = (at + size + 4095) // 4096 * 4096
            return here

        self.map = area(array.stripes << self.stride)
        self.list = area(self.limit << self.stride)
        self.log = area(ports << self.log_room)
        self.stage = area((contexts << max(1, _ceil_log2(width))) << array.chunk_log2)

    def entry(self, v: StripeVersion) -> bytes:
        """Encoding of a version."""
        words = [v.seq, v.logical | (1 if v.mapped else 2 if v.seq else 0) << 32]
        words += (v.places if v.mapped else []) + [0] * self._width
        words[2 + self._width :] = [v.replicas[0] | v.replicas[1] << 8 | v.replicas[2] << 16]
        out = b"".join(w.to_bytes(8, "little") for w in words)
        return out.ljust(1 << self.stride, b"\0")

    def fill(self, versions: Iterable[StripeVersion]) -> None:
        """Write the whole map."""
        image = b"".join(self.entry(v) for v in versions)
        image += bytes(-len(image) % 4096)
        for at in range(0, len(image), AT_ONCE):
            self._link.mem_write(self.map + at, image[at : at + AT_ONCE])

    def versions(self, address: int, count: int) -> list[StripeVersion]:
        """Read entries from the node's memory."""
        size = count << self.stride
        raw = b""
        for at in range(0, size, AT_ONCE):
            part = min(AT_ONCE, (size - at + SECTOR - 1) // SECTOR * SECTOR)
            raw += self._link.mem_read(address + at, part)
        out = []
        for i in range(count):
            at = i << self.stride
            words = [
                int.from_bytes(raw[at + 8 * j : at + 8 * j + 8], "little")
                for j in range(3 + self._width)
            ]
            mapped = words[1] >> 32 & 255 == 1
            places = words[2 : 2 + self._width] if mapped else []
            h = words[2 + self._width]
            replicas = (h & 255, h >> 8 & 255, h >> 16 & 255)
            out.append(StripeVersion(words[0], words[1] & 0xFFFFFFFF, mapped, places, replicas))
        return out
