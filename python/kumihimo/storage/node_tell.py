# SPDX-License-Identifier: Apache-2.0
"""What the storage node is told: settings, its devices, and at the start the map and the slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import _storage
from .node_link import SECTOR, Do, End, Link, Set
from .node_map import Layout, Version

LOG_OFFSET = 65536
NOWHERE = 255  # port of a device that is at none


class Place:
    """Events of the node's placer (kumi_storage_pkg)."""

    START, CLEAR, USABLE, ROOM, RATE, CLAIM, RELEASE, QUEUED, SERVED, OCCUPY, VACATE = range(11)


class Slot:
    """Requests to the node's slot allocator."""

    CLAIM, RELEASE, SET, TEST, SIZE = range(5)


@dataclass
class Log:
    """Where a device's log stands."""

    owner: int
    generation: int
    half: int
    next: int
    data_offset: int


class Teller:
    """Tells the node of an array; what it is told of is shared with who changes it."""

    def __init__(
        self,
        link: Link,
        array: _storage.Super,
        layout: Layout,
        logs: dict[int, Log],
        port_of: dict[int, int],
    ) -> None:
        self._link, self._super, self._layout = link, array, layout
        self._logs, self._port_of = logs, port_of
        self._claims: set[int] = set()  # settings of slots under way

    def set(self, what: Set, index: int = 0, arg: int = 0) -> None:
        """A setting that must be taken."""
        if self._link.set(what, index, arg).reason != End.OK:
            raise _storage.StorageError(f"the node refused a setting ({what.name})")

    def shape(self, seq: int, clock_hz: int, depth: int, read_errors: int) -> None:
        """What the array is like."""
        s, m = self._super, self._layout
        shape = s.k | s.p << 8 | s.holders << 16 | s.chunk_log2 << 24
        self.set(Set.SHAPE, 0, shape | m.log_room << 32 | m.stride << 40)
        self.set(Set.STRIPES, s.stripes, s.physical)
        self.set(Set.MEMORY, 0, m.map | m.list << 32)
        self.set(Set.BUFFERS, 0, m.stage | m.log << 32)
        self.set(Set.LIMIT, m.limit)
        self.set(Set.NUMBER, 0, seq)
        self.set(Set.ERRORS, read_errors)
        if s.policy:
            self.set(Set.DYNAMIC, depth, (clock_hz << s.chunk_log2) // 1000 * 16)
        else:
            self.set(Set.DYNAMIC, 0, 1 << 40)

    def place(self, op: int, device: int = 0, value: int = 0) -> int:
        """Begin to tell the placer; a tag for `all`."""
        return self._link.give(Do.SET, int(Set.PLACER), 0, 0, op << 40 | device << 32 | value)

    def slot(self, op: int, device: int, slot: int) -> int:
        """Begin to tell the slot allocator; a tag for `all`."""
        tag = self._link.give(Do.SET, int(Set.SLOT), 0, 0, op << 33 | device << 25 | slot)
        if op == Slot.SET or slot:
            self._claims.add(tag)
        return tag

    def all(self, tags: list[int]) -> None:
        """Until these have been taken."""
        for tag in tags:
            answer = self._link.wait(tag)
            if answer.reason != End.OK:
                raise _storage.StorageError(f"the node refused a setting ({answer.reason.name})")
            if tag in self._claims:
                self._claims.discard(tag)
                if not answer.value >> 24 & 1:
                    raise _storage.StorageError("the node has no room for the slots of a device")

    def device(self, d: int) -> list[int]:
        """A device that works; tags for `all`."""
        entry, log = self._super.entry(d), self._logs[d]
        usable = entry.state == "active"
        self.set(Set.DATA, d, log.data_offset // SECTOR)
        self.set(Set.STATE, d, int(usable) | 2 | self._port_of[d] << 8)
        self.log(d)
        return [
            self.place(Place.ROOM, d, entry.slots),
            self.place(Place.RATE, d, entry.write_kbs),
            self.place(Place.USABLE, d, int(usable)),
            self.slot(Slot.SIZE, d, entry.slots),
        ]

    def log(self, d: int) -> None:
        """Where a device's log is, and where it goes on."""
        log, sectors = self._logs[d], self._super.entry(d).half_sectors
        self.set(Set.OWNER, d, log.owner | log.generation << 32)
        self.set(Set.HALF, d, LOG_OFFSET // SECTOR + log.half * sectors)
        self.set(Set.ROOM, d, sectors | log.next << 32)

    def no_chunks(self, d: int, *, readable: bool) -> None:
        """No more chunks go to a device."""
        self.set(Set.STATE, d, int(readable) << 1 | self._port_of[d] << 8)
        self.all([self.place(Place.USABLE, d, 0)])

    def load(self, ports: int, held: Sequence[tuple[int, bool, list[int], Sequence[int]]]) -> None:
        """All devices, the map, and which slots are taken."""
        tags = [self.place(Place.START)]
        for d in range(ports):
            if d in self._logs:
                tags += self.device(d)
            else:
                tags.append(self.slot(Slot.SIZE, d, 0))
        versions = []
        for logical, (seq, mapped, places, holders) in enumerate(held):
            version = Version(seq, logical, mapped, places, tuple(holders))  # type: ignore[arg-type]
            versions.append(version)
            if not mapped:
                continue
            for place in places:
                d, slot = place >> 56, place >> 32 & 0xFFFFFF
                if d in self._logs:
                    tags += [self.slot(Slot.SET, d, slot), self.place(Place.CLAIM, d)]
            tags.append(self.place(Place.OCCUPY))
        self._layout.fill(versions)
        self.all(tags)
