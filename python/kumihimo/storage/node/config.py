# SPDX-License-Identifier: Apache-2.0
"""Configuration of the storage node: parameters, devices, and at start-up the map and the slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ... import _storage
from .link import SECTOR, Area, Cmd, NodeLink, Param, Status
from .memory_map import MemoryMap, StripeVersion

LOG_OFFSET = 65536
NOWHERE = 255  # port of a device that is at none


class PlacerEvent:
    """Events of the node's placer (kumi_storage_pkg)."""

    START, CLEAR, USABLE, ROOM, RATE, CLAIM, RELEASE, QUEUED, SERVED, OCCUPY, VACATE = range(11)


class SlotOp:
    """Requests to the node's slot allocator."""

    CLAIM, RELEASE, SET, TEST, SIZE = range(5)


@dataclass
class DeviceLog:
    """Position of a device's log."""

    owner: int
    generation: int
    half: int
    next: int
    data_offset: int


class NodeConfig:
    """Configures the node for an array; the dictionaries are shared with their owner."""

    def __init__(
        self,
        link: NodeLink,
        array: _storage.Super,
        memory_map: MemoryMap,
        logs: dict[int, DeviceLog],
        port_of: dict[int, int],
    ) -> None:
        self._link, self._super, self._memory_map = link, array, memory_map
        self._logs, self._port_of = logs, port_of
        self._claims: set[int] = set()  # settings of slots under way

    def set(self, what: Param, index: int = 0, arg: int = 0) -> None:
        """Set a parameter; raises if the node refuses it."""
        if self._link.set(what, index, arg).status != Status.OK:
            raise _storage.StorageError(f"the node refused a setting ({what.name})")

    def configure(self, seq: int, clock_hz: int, depth: int, read_errors: int) -> None:
        """Set the geometry and addresses of the array."""
        s, m = self._super, self._memory_map
        shape = s.k | s.p << 8 | s.replicas << 16 | s.chunk_log2 << 24
        self.set(Param.GEOMETRY, 0, shape | m.log_room << 32 | m.stride << 40)
        self.set(Param.STRIPES, s.stripes, s.physical)
        for area, address in (
            (Area.MAP, m.map),
            (Area.LIST, m.list),
            (Area.STAGE, m.stage),
            (Area.LOG, m.log),
            (Area.SLOTS, m.slots),
            (Area.DIRTY, m.dirty),
        ):
            self.set(Param.AREA, area, address)
        self.set(Param.DIRTY_LIMIT, m.limit)
        self.set(Param.SEQ, 0, seq)
        self.set(Param.READ_ERRORS, read_errors)
        if s.policy:
            self.set(Param.DYNAMIC, depth, (clock_hz << s.chunk_log2) // 1000 * 16)
        else:
            self.set(Param.DYNAMIC, 0, 1 << 40)

    def placer_event(self, op: int, device: int = 0, value: int = 0) -> int:
        """Submit a placer event; a tag for `wait_all`."""
        return self._link.submit(
            Cmd.SET, int(Param.PLACER_EVENT), 0, 0, op << 40 | device << 32 | value
        )

    def slot_op(self, op: int, device: int, slot: int) -> int:
        """Submit a slot operation; a tag for `wait_all`."""
        tag = self._link.submit(Cmd.SET, int(Param.SLOT_OP), 0, 0, op << 33 | device << 25 | slot)
        if op == SlotOp.SET or slot:
            self._claims.add(tag)
        return tag

    def wait_all(self, tags: list[int]) -> None:
        """Wait for these tags; raises if one was refused."""
        for tag in tags:
            response = self._link.wait(tag)
            if response.status != Status.OK:
                raise _storage.StorageError(f"the node refused a setting ({response.status.name})")
            if tag in self._claims:
                self._claims.discard(tag)
                if not response.value >> 24 & 1:
                    raise _storage.StorageError("the node has no room for the slots of a device")

    def device(self, d: int) -> list[int]:
        """Submit the configuration of a working device; tags for `wait_all`."""
        entry, log = self._super.entry(d), self._logs[d]
        usable = entry.state == "active"
        self.set(Param.DEV_DATA, d, log.data_offset // SECTOR)
        self.set(Param.DEV_STATE, d, int(usable) | 2 | self._port_of[d] << 8)
        self.log(d)
        return [
            self.placer_event(PlacerEvent.ROOM, d, entry.slots),
            self.placer_event(PlacerEvent.RATE, d, entry.write_kbs),
            self.placer_event(PlacerEvent.USABLE, d, int(usable)),
            self.slot_op(SlotOp.SIZE, d, entry.slots),
        ]

    def log(self, d: int) -> None:
        """Set the position of a device's log."""
        log, sectors = self._logs[d], self._super.entry(d).half_sectors
        self.set(Param.LOG_OWNER, d, log.owner | log.generation << 32)
        self.set(Param.LOG_BASE, d, LOG_OFFSET // SECTOR + log.half * sectors)
        self.set(Param.LOG_SPACE, d, sectors | log.next << 32)

    def stop_placement(self, d: int, *, readable: bool) -> None:
        """Exclude a device from placement."""
        self.set(Param.DEV_STATE, d, int(readable) << 1 | self._port_of[d] << 8)
        self.wait_all([self.placer_event(PlacerEvent.USABLE, d, 0)])

    def load(self, ports: int, held: Sequence[tuple[int, bool, list[int], Sequence[int]]]) -> None:
        """Load all devices, the map, and the occupied slots."""
        tags = [self.placer_event(PlacerEvent.START)]
        for d in range(ports):
            if d in self._logs:
                tags += self.device(d)
            else:
                tags.append(self.slot_op(SlotOp.SIZE, d, 0))
        versions = []
        for logical, (seq, mapped, places, replicas) in enumerate(held):
            version = StripeVersion(seq, logical, mapped, places, tuple(replicas))  # type: ignore[arg-type]
            versions.append(version)
            if not mapped:
                continue
            for place in places:
                d, slot = place >> 56, place >> 32 & 0xFFFFFF
                if d in self._logs:
                    tags += [
                        self.slot_op(SlotOp.SET, d, slot),
                        self.placer_event(PlacerEvent.CLAIM, d),
                    ]
            tags.append(self.placer_event(PlacerEvent.OCCUPY))
        self._memory_map.fill(versions)
        self.wait_all(tags)
