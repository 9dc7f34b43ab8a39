# SPDX-License-Identifier: Apache-2.0
"""Layout of the storage node's memory, and the entries of its map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ... import _storage
from .link import SECTOR, NodeLink

LIST_AT_MOST = 1 << 16
AT_ONCE = 1 << 16  # bytes of a command
MEMORY = 1 << 40  # bytes that the node addresses
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


def slot_bitmaps(ports: int, slots: int) -> tuple[int, int]:
    """Bytes of the slot bitmaps of a node built for so many slots per device; their alignment."""
    devices = 1 << max(1, _ceil_log2(ports))
    low, high = max(1, slots >> 9), max(1, slots >> 15)  # lines of 64 bytes per device
    return 64 * devices * (low + high), 128 * devices * low


class MemoryMap:
    """Areas of the node's memory; access to the map and the list.

    The node is built for arrays of `most_stripes` with `most_slots` per device; `base` is where its
    memory starts.
    """

    def __init__(
        self,
        link: NodeLink,
        array: _storage.Super,
        *,
        ports: int,
        contexts: int,
        width: int,
        most_slots: int,
        most_stripes: int,
        base: int = 0,
    ) -> None:
        self._link = link
        self._width = array.k + array.p
        self.stride = _ceil_log2(8 * (4 + self._width))
        self.limit = min(array.stripes + array.physical, LIST_AT_MOST)
        records = 480 // (16 + 8 * self._width)
        self.log_room = max(9, _ceil_log2(512 * (self.limit // records + 1)))
        at = base

        def area(size: int, align: int = 4096) -> int:
            nonlocal at
            here = -(-at // align) * align
            at = here + size
            return here

        # The bitmaps are aligned, so that the node needs no sum for an address.
        self.slots = area(*slot_bitmaps(ports, most_slots))
        self.dirty = area(max(64, most_stripes // 8), max(64, most_stripes // 8))
        self.map = area(array.stripes << self.stride)
        self.list = area(self.limit << self.stride)
        self.log = area(ports << self.log_room)
        self.stage = area((contexts << max(1, _ceil_log2(width))) << array.chunk_log2)
        if at > MEMORY:
            raise _storage.StorageError(f"the array needs {at} bytes of the node's memory")

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
