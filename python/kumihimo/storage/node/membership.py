# SPDX-License-Identifier: Apache-2.0
"""Members of an array in a storage node: superblocks, log moves, devices that join and leave."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from ... import _storage
from .config import LOG_OFFSET, NOWHERE, DeviceLog, NodeConfig, PlacerEvent, SlotOp
from .link import SECTOR, NodeLink, Param
from .memory_map import StripeVersion

SUPER = 8192


@dataclass
class Disk:
    """A disk at a port."""

    port: int
    size: int


class Membership:
    """Device states and their superblocks; `changed`: not all superblocks are up to date."""

    def __init__(
        self,
        link: NodeLink,
        config: NodeConfig,
        array: _storage.Super,
        logs: dict[int, DeviceLog],
        port_of: dict[int, int],
    ) -> None:
        self._link, self._config, self._super = link, config, array
        self._logs, self._port_of = logs, port_of
        self.changed = False
        # Failed beyond the redundancy: only until the next start, and nothing is published then.
        self.offline: set[int] = set()
        self._heard = array.events  # by all devices

    def state(self, d: int) -> str:
        """State of a device."""
        return str(self._super.entry(d).state)

    def set_state(self, d: int, state: str) -> None:
        """Change the state of a device, published with the next `publish`."""
        entry = self._super.entry(d)
        entry.state = state
        self._super.set_entry(d, entry)
        self.changed = True

    def readable(self) -> list[int]:
        """Readable devices."""
        return [
            d
            for d in self._logs
            if self.state(d) in ("active", "draining") and d not in self.offline
        ]

    def active(self) -> list[int]:
        """Devices that accept new chunks."""
        return [d for d in self._logs if self.state(d) == "active"]

    def lost(self) -> list[int]:
        """Devices that are failed or missing."""
        entries = range(self._super.entries)
        readable = set(self.readable())
        return [d for d in entries if self.state(d) != "empty" and d not in readable]

    def number(self) -> int:
        """Number of the next device that joins."""
        entries = self._super.entries
        return next((i for i in range(entries) if self.state(i) == "empty"), entries)

    def unreadable_without(self, d: int, versions: Sequence[StripeVersion]) -> int:
        """Number of stripes that would be unreadable without a device."""
        left = set(self.readable()) - {d}

        def lost(v: StripeVersion) -> bool:
            if not left & set(v.replicas):
                return True
            return v.mapped and sum(place >> 56 in left for place in v.places) < self._super.k

        return sum(lost(v) for v in versions if v.seq)

    def mark_failed(self, d: int) -> None:
        """Mark a device as failed."""
        self.set_state(d, "failed")
        self._config.stop_placement(d, readable=False)

    def lose(self, d: int) -> None:
        """Note a device that has failed: for good, if the redundancy covers that."""
        if len(self.lost()) < self._super.p:
            self.set_state(d, "failed")
        else:
            self.offline.add(d)

    def _write(self, d: int, offset: int, data: bytes) -> bool:
        return self._link.raw_write(self._port_of[d], offset, data) == 0

    def _flush(self, d: int) -> bool:
        return self._link.raw_flush(self._port_of[d]) == 0

    def publish(self) -> None:
        """Write the state of the array to all devices; again when one of them fails meanwhile."""
        while self.changed and not self.offline:
            self.changed = False
            self._super.events += 1
            to = self.readable()
            if not to:
                raise _storage.StorageError("no device is left")
            # All hear the same, also when one fails under it: another count goes with what differs.
            blocks = {d: self._block(d) for d in to}
            for d in to:
                if not self._write_super(d, blocks[d]):
                    self.lose(d)
                    self._config.stop_placement(d, readable=False)
            if not self.changed and not self.offline:
                self._heard = self._super.events

    def _block(self, d: int) -> bytes:
        """The superblock of a device."""
        return self._super.encode(d, self._logs[d].data_offset)

    def _write_super(self, d: int, block: bytes) -> bool:
        """Both superblocks of a device."""
        return all(
            self._write(d, at, block) and self._flush(d)
            for at in (0, self._super.entry(d).size - SUPER)
        )

    def move_log(self, d: int, versions: Sequence[StripeVersion], seq: int) -> None:
        """Move all records of a device to the other half of its log."""
        log, sectors = self._logs[d], self._super.entry(d).half_sectors
        held = sorted((v for v in versions if v.seq and d in v.replicas), key=lambda v: v.seq)
        rows = [(v.seq, v.logical, v.mapped, v.places) for v in held]
        width = self._super.k + self._super.p
        body = _storage.encode_records(rows, width, log.owner, log.generation + 1, 1)
        base = LOG_OFFSET + (log.half ^ 1) * sectors * SECTOR
        old = LOG_OFFSET + log.half * sectors * SECTOR
        used = len(body) // SECTOR
        head = _storage.encode_head(log.owner, log.generation + 1, used, seq, self._heard)
        good = used < sectors and (not body or self._write(d, base + SECTOR, body))
        good = good and self._flush(d) and self._write(d, base, head) and self._flush(d)
        good = good and self._write(d, old, bytes(SECTOR)) and self._flush(d)
        if not good:
            self.mark_failed(d)
            return
        log.half ^= 1
        log.generation += 1
        log.next = 1 + used
        self._config.log(d)

    def join(self, disk: Disk, ports: int, rates_kbs: tuple[int, int], *, force: bool) -> int:
        """Add a device with read and write rate; its number. Others learn of it with `publish`."""
        start = self._link.raw_read(disk.port, 0, SECTOR)
        if isinstance(start, int):
            raise _storage.StorageError(f"port {disk.port} cannot be read")
        if start[:8] == b"KUMISTOR" and not force:
            raise _storage.StorageError(f"port {disk.port}: belongs to an array already")
        size, half, slots, data_offset = _storage.geometry(
            disk.size, self._super.chunk_log2, self._super.k + self._super.p
        )
        if slots < 16:
            raise _storage.StorageError(f"port {disk.port}: is too small")
        d = self.number()
        if d >= ports:
            raise _storage.StorageError("the node has no room for one more device")
        # The only thing that the controller may refuse.
        self._config.wait_all([self._config.slot_op(SlotOp.SIZE, d, slots)])
        entry = _storage.Entry()
        entry.uuid = uuid.uuid4().bytes
        entry.slots, entry.half_sectors, entry.size = slots, half, size
        entry.read_kbs, entry.write_kbs = rates_kbs
        log = DeviceLog(_storage.owner_of(self._super.uuid, entry.uuid), 1, 0, 1, data_offset)
        # Its log first: from the moment it is announced it counts. It is not part of anything yet.
        head = _storage.encode_head(log.owner, 1, 0, 0, 0)
        self._port_of[d] = disk.port
        good = self._write(d, LOG_OFFSET + half * SECTOR, bytes(SECTOR))
        if not (good and self._write(d, LOG_OFFSET, head) and self._flush(d)):
            del self._port_of[d]
            raise _storage.StorageError(f"port {disk.port}: cannot be written")
        entry.state = "active"
        self._super.set_entry(d, entry)
        self._logs[d] = log
        self._config.wait_all(
            [*self._config.device(d), self._config.placer_event(PlacerEvent.CLEAR)]
        )
        # It learns first that it is in. If power fails before the others know, they start without.
        self._super.events += 1
        written = self._write_super(d, self._block(d))
        self._super.events -= 1
        if not written:
            self.mark_failed(d)
        self.changed = True
        return d

    def forget(self, held: set[int]) -> None:
        """Forget failed and draining devices that are not in `held`."""
        for d in range(self._super.entries):
            if self.state(d) in ("failed", "draining") and d not in held:
                self._forget(d)

    def _forget(self, d: int) -> None:
        self._super.set_entry(d, _storage.Entry())
        self.unplugged(d)
        self.changed = True

    def unplugged(self, d: int) -> None:
        """Note that a device is at no port any more."""
        self._logs.pop(d, None)
        self._port_of.pop(d, None)
        self._config.set(Param.DEV_STATE, d, NOWHERE << 8)

    def evict(self, d: int, versions: Sequence[StripeVersion], seq: int) -> None:
        """Forget a failed device; `versions`, all of them, have nothing on it.

        First no log names it any more, so that its number can be given to another.
        """
        for other in self.readable():
            self.move_log(other, versions, seq)
        self._forget(d)
