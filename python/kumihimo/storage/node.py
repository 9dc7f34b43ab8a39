# SPDX-License-Identifier: Apache-2.0
"""The driver of the storage node: what a controller's firmware does, rarely and by hand.

The node places stripes, makes check chunks and checksums, writes logs, reads, reconstructs and
heals by itself. Here is the rest: making an array and recognising its disks (the C++ array does
both, through the node's ports), setting the node up from what the logs say, superblocks when the
state of a device changes, and moving a log that is full.
"""

from __future__ import annotations

import errno
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar

from .. import _storage
from .node_link import SECTOR, Do, End, Link, Set, State

SUPER = 8192
LOG_OFFSET = 65536
ABSENT = 255
NOWHERE = 255  # port of a device that is at none
TRIES = 4
LIST_AT_MOST = 1 << 16


class Place:
    """Events of the node's placer (kumi_storage_pkg)."""

    START, CLEAR, USABLE, ROOM, RATE, CLAIM, RELEASE, QUEUED, SERVED, OCCUPY, VACATE = range(11)


class Slot:
    """Requests to the node's slot allocator."""

    CLAIM, RELEASE, SET, TEST, SIZE = range(5)


@dataclass
class Disk:
    """What is at a port."""

    port: int
    size: int


@dataclass
class Log:
    """Where a device's log stands."""

    owner: int
    generation: int
    half: int
    next: int
    data_offset: int


@dataclass
class Version:
    """An entry of the map, or of the list of earlier versions."""

    seq: int
    logical: int
    mapped: bool
    places: list[int]
    holders: tuple[int, int, int]


P = ParamSpec("P")
R = TypeVar("R")


def alone(
    call: Callable[Concatenate[NodeArray, P], R],
) -> Callable[Concatenate[NodeArray, P], R]:
    """One thread at a time talks to the node."""

    def wrapper(self: NodeArray, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self.lock:
            return call(self, *args, **kwargs)

    wrapper.__doc__ = call.__doc__
    return wrapper


def _ceil_log2(n: int) -> int:
    return max(0, (n - 1).bit_length())


def devices(link: Link, disks: Sequence[Disk]) -> list[_storage.CallbackDevice]:
    """Disks of the node for the C++ array."""

    def operation(port: int) -> Any:
        def call(op: str, offset: int, data: Any) -> bytes | int | None:
            if op == "read":
                got = link.raw_read(port, offset, int(data))
                return errno.EIO if isinstance(got, int) else got
            if op == "write":
                return errno.EIO if link.raw_write(port, offset, bytes(data)) else None
            return errno.EIO if link.raw_flush(port) else None

        return call

    return [_storage.CallbackDevice(f"port {d.port}", d.size, operation(d.port)) for d in disks]


def create(link: Link, disks: Sequence[Disk], **options: Any) -> None:
    """Make an array of the node's disks; options as of `_storage.Array.create`."""
    _storage.Array.create(devices(link, disks), **options)


class NodeArray:
    """An array on the disks of a storage node; threads may share it."""

    def __init__(
        self,
        link: Link,
        disks: Sequence[Disk],
        *,
        ports: int,
        contexts: int,
        width: int,
        degraded: bool = False,
        read_errors: int = 64,
        clock_hz: int = 250_000_000,
        depth: int = 2,
    ) -> None:
        self.link = link
        self.lock = threading.RLock()
        self.ports = ports
        array = _storage.Array.open(devices(link, disks), degraded=degraded)
        self.super = _storage.super_of(array)
        self.width = self.super.k + self.super.p
        self.chunk = 1 << self.super.chunk_log2
        self.stripes: int = self.super.stripes
        self.seq = _storage.sequence_of(array)
        self.wanted: set[int] = set()
        self._unpublished = False
        self._claims: set[int] = set()  # settings of slots under way
        self._failures_seen = link.failures
        if self.width > width:
            raise _storage.StorageError(f"stripes of {self.width} chunks: the node knows {width}")
        if self.super.entries > ports:
            raise _storage.StorageError(f"device numbers above {ports - 1} do not fit the node")
        self.port_of = {
            d["index"]: int(d["name"].split()[1]) for d in array.devices() if d["present"]
        }
        self.logs = {
            i: Log(log["owner"], log["generation"], log["half"], log["next"], log["data_offset"])
            for i, log in enumerate(_storage.logs_of(array))
            if log["present"]
        }
        held = [_storage.held_of(array, i) for i in range(self.stripes)]
        del array
        self._layout(contexts, width)
        self._shape(clock_hz, depth, read_errors)
        self._load(held)

    # ---- setting up ------------------------------------------------------------------------

    def _layout(self, contexts: int, width: int) -> None:
        """Where things are in the node's memory."""
        self._stride = _ceil_log2(8 * (4 + self.width))
        self._limit = min(self.super.stripes + self.super.physical, LIST_AT_MOST)
        records = 480 // (16 + 8 * self.width)
        self._log_room = max(9, _ceil_log2(512 * (self._limit // records + 1)))
        at = 0

        def area(size: int) -> int:
            nonlocal at
            here = at
            at = (at + size + 4095) // 4096 * 4096
            return here

        self._map = area(self.stripes << self._stride)
        self._list = area(self._limit << self._stride)
        self._log = area(self.ports << self._log_room)
        self._stage = area((contexts << max(1, _ceil_log2(width))) * self.chunk)
        self.memory_bytes = at

    def _set(self, what: Set, index: int = 0, arg: int = 0) -> None:
        if self.link.set(what, index, arg).reason != End.OK:
            raise _storage.StorageError(f"the node refused a setting ({what.name})")

    def _shape(self, clock_hz: int, depth: int, read_errors: int) -> None:
        s = self.super
        shape = s.k | s.p << 8 | s.holders << 16 | s.chunk_log2 << 24
        self._set(Set.SHAPE, 0, shape | self._log_room << 32 | self._stride << 40)
        self._set(Set.STRIPES, self.stripes, s.physical)
        self._set(Set.MEMORY, 0, self._map | self._list << 32)
        self._set(Set.BUFFERS, 0, self._stage | self._log << 32)
        self._set(Set.LIMIT, self._limit)
        self._set(Set.NUMBER, 0, self.seq)
        self._set(Set.ERRORS, read_errors)
        if s.policy:
            self._set(Set.DYNAMIC, depth, clock_hz * self.chunk // 1000 * 16)
        else:
            self._set(Set.DYNAMIC, 0, 1 << 40)

    def _place(self, op: int, device: int = 0, value: int = 0) -> int:
        return self.link.give(Do.SET, int(Set.PLACER), 0, 0, op << 40 | device << 32 | value)

    def _slot(self, op: int, device: int, slot: int) -> int:
        tag = self.link.give(Do.SET, int(Set.SLOT), 0, 0, op << 33 | device << 25 | slot)
        if op == Slot.SET or slot:
            self._claims.add(tag)
        return tag

    def _all(self, tags: list[int]) -> None:
        for tag in tags:
            answer = self.link.wait(tag)
            if answer.reason != End.OK:
                raise _storage.StorageError(f"the node refused a setting ({answer.reason.name})")
            if tag in self._claims:
                self._claims.discard(tag)
                if not answer.value >> 24 & 1:
                    raise _storage.StorageError("the node has no room for the slots of a device")

    def _device(self, d: int) -> list[int]:
        """Tell the node of a device that works."""
        entry, log = self.super.entry(d), self.logs[d]
        usable = entry.state == "active"
        self._set(Set.DATA, d, log.data_offset // SECTOR)
        self._set(Set.STATE, d, int(usable) | 2 | self.port_of[d] << 8)
        self._tell_log(d)
        return [
            self._place(Place.ROOM, d, entry.slots),
            self._place(Place.RATE, d, entry.write_kbs),
            self._place(Place.USABLE, d, int(usable)),
            self._slot(Slot.SIZE, d, entry.slots),
        ]

    def _tell_log(self, d: int) -> None:
        log, sectors = self.logs[d], self.super.entry(d).half_sectors
        self._set(Set.OWNER, d, log.owner | log.generation << 32)
        self._set(Set.HALF, d, LOG_OFFSET // SECTOR + log.half * sectors)
        self._set(Set.ROOM, d, sectors | log.next << 32)

    def _load(self, held: Sequence[tuple[int, bool, list[int], Sequence[int]]]) -> None:
        """The map, and which slots are taken."""
        tags = [self._place(Place.START)]
        for d in range(self.ports):
            if d in self.logs:
                tags += self._device(d)
            else:
                tags.append(self._slot(Slot.SIZE, d, 0))
        image = bytearray()
        for logical, (seq, mapped, places, holders) in enumerate(held):
            image += self._entry(Version(seq, logical, mapped, places, tuple(holders)))  # type: ignore[arg-type]
            if not mapped:
                continue
            for place in places:
                d, slot = place >> 56, place >> 32 & 0xFFFFFF
                if d in self.logs:
                    tags += [self._slot(Slot.SET, d, slot), self._place(Place.CLAIM, d)]
            tags.append(self._place(Place.OCCUPY))
        image += bytes(-len(image) % 4096)
        for at in range(0, len(image), 65536):
            self.link.mem_write(self._map + at, bytes(image[at : at + 65536]))
        self._all(tags)

    # ---- entries of the map ----------------------------------------------------------------

    def _entry(self, v: Version) -> bytes:
        words = [v.seq, v.logical | (1 if v.mapped else 2 if v.seq else 0) << 32]
        words += (v.places if v.mapped else []) + [0] * self.width
        words[2 + self.width :] = [v.holders[0] | v.holders[1] << 8 | v.holders[2] << 16]
        out = b"".join(w.to_bytes(8, "little") for w in words)
        return out.ljust(1 << self._stride, b"\0")

    def _versions(self, address: int, count: int) -> list[Version]:
        """Entries in the node's memory."""
        size = count << self._stride
        raw = b""
        for at in range(0, size, 65536):
            part = min(65536, (size - at + SECTOR - 1) // SECTOR * SECTOR)
            raw += self.link.mem_read(address + at, part)
        out = []
        for i in range(count):
            at = i << self._stride
            words = [
                int.from_bytes(raw[at + 8 * j : at + 8 * j + 8], "little")
                for j in range(3 + self.width)
            ]
            mapped = words[1] >> 32 & 255 == 1
            places = words[2 : 2 + self.width] if mapped else []
            h = words[2 + self.width]
            holders = (h & 255, h >> 8 & 255, h >> 16 & 255)
            out.append(Version(words[0], words[1] & 0xFFFFFFFF, mapped, places, holders))
        return out

    @alone
    def versions(self) -> list[Version]:
        """The version of every logical stripe, as the node has it."""
        found = self._versions(self._map, self.stripes)
        for logical, v in enumerate(found):
            v.logical = logical
        return found

    # ---- data ------------------------------------------------------------------------------

    def _again(self, op: Do, logical: int, arg: int = 0, data: bytes = b"") -> int:
        """A command that may have to wait for room; the number of the new version, or 0."""
        for _ in range(TRIES):
            answer = self.link.ask(op, 0, logical, 0, arg, data)
            self._failures()
            if answer.reason == End.NO_ROOM:
                self.commit()
                continue
            if answer.reason == End.LOST:
                raise _storage.StorageError(f"stripe {logical} is lost")
            if answer.reason == End.FAILED:
                raise _storage.StorageError("a stripe could not be written: too many devices fail")
            if answer.reason != End.OK:
                raise _storage.StorageError(f"the node refused it ({answer.reason.name})")
            self.seq = max(self.seq, answer.value)
            return answer.value
        raise _storage.StorageError("the devices have no room for a stripe")

    @alone
    def write_stripe(self, logical: int, data: bytes) -> int:
        """A logical stripe; safe after the next commit. The number of the version."""
        return self._again(Do.WRITE, logical, 0, data)

    @alone
    def unmap(self, logical: int) -> int:
        """It reads as zeros from now on; the number of the version, 0 if it did already."""
        return self._again(Do.UNMAP, logical)

    @alone
    def read_chunk(self, logical: int, position: int) -> bytes:
        """A verified data chunk."""
        answer = self.link.ask(Do.READ, position, logical)
        self._failures()
        if answer.reason == End.ZERO:
            return bytes(self.chunk)
        if answer.reason != End.OK:
            raise _storage.StorageError(f"stripe {logical} is lost")
        if answer.detail & 2:
            self.wanted.add(logical)
        return answer.data

    @alone
    def heal_wanted(self) -> None:
        """Mend the stripes in which a read found a bad chunk on a device that works."""
        while self.wanted:
            logical = self.wanted.pop()
            self.heal(logical, logical + 1, verify=True)

    @alone
    def array(self) -> _storage.NodeArray:
        """For a Volume and an NBD server: an array whose stripes are here."""
        found = self.versions()
        return _storage.NodeArray(
            self.super, self, [v.seq for v in found], [v.mapped for v in found]
        )

    # ---- commits ---------------------------------------------------------------------------

    def _failures(self) -> None:
        """Devices that the node has given up."""
        if self.link.failures == self._failures_seen:
            return
        self._failures_seen = self.link.failures
        failed = self.link.state(State.FAILED)
        for d in list(self.logs):
            if failed >> d & 1 and self.super.entry(d).state in ("active", "leaving"):
                self._set_state(d, "failed")

    def _set_state(self, d: int, state: str) -> None:
        entry = self.super.entry(d)
        entry.state = state
        self.super.set_entry(d, entry)
        self._unpublished = True

    def _readable(self) -> list[int]:
        return [d for d in self.logs if self.super.entry(d).state in ("active", "leaving")]

    def _give_up(self, d: int) -> None:
        """A device is not used any more."""
        self._set_state(d, "failed")
        self._set(Set.STATE, d, self.port_of[d] << 8)
        self._all([self._place(Place.USABLE, d, 0)])

    @alone
    def commit(self) -> None:
        """Everything that was written before is safe when this returns."""
        self._failures()
        if self._unpublished:
            self._publish()
        answer = self.link.ask(Do.COMMIT)
        if answer.reason == End.LOG:
            full = self.link.state(State.FULL)
            for d in range(self.ports):
                if full >> d & 1:
                    self._move_log(d, answer.value >> 32)
        elif answer.reason != End.OK:
            raise _storage.StorageError("no device is left that could hold the log")
        self._failures()
        if self._unpublished:
            self._publish()
        if not answer.value & 1:
            self._all([self.link.give(Do.RELEASE)])

    def _write(self, d: int, offset: int, data: bytes) -> bool:
        return self.link.raw_write(self.port_of[d], offset, data) == 0

    def _flush(self, d: int) -> bool:
        return self.link.raw_flush(self.port_of[d]) == 0

    def _publish(self) -> None:
        """Tell all devices the state of the array; again when one of them fails under it."""
        while self._unpublished:
            self._unpublished = False
            self.super.events += 1
            to = self._readable()
            if not to:
                raise _storage.StorageError("no device is left")
            for d in to:
                block = self.super.encode(d, self.logs[d].data_offset)
                good = True
                for at in (0, self.super.entry(d).size - SUPER):
                    good = good and self._write(d, at, block) and self._flush(d)
                if not good:
                    self._give_up(d)

    def _move_log(self, d: int, listed: int) -> None:
        """All records of a device into the other half of its log."""
        log, sectors = self.logs[d], self.super.entry(d).half_sectors
        held = [
            v
            for v in self.versions() + self._versions(self._list, listed)
            if v.seq and d in v.holders
        ]
        held.sort(key=lambda v: v.seq)
        rows = [(v.seq, v.logical, v.mapped, v.places) for v in held]
        body = _storage.encode_records(rows, self.width, log.owner, log.generation + 1, 1)
        base = LOG_OFFSET + (log.half ^ 1) * sectors * SECTOR
        old = LOG_OFFSET + log.half * sectors * SECTOR
        used = len(body) // SECTOR
        head = _storage.encode_head(log.owner, log.generation + 1, used, self.seq)
        good = used < sectors and (not body or self._write(d, base + SECTOR, body))
        good = good and self._flush(d) and self._write(d, base, head) and self._flush(d)
        good = good and self._write(d, old, bytes(SECTOR)) and self._flush(d)
        if not good:
            self._give_up(d)
            return
        log.half ^= 1
        log.generation += 1
        log.next = 1 + used
        self._tell_log(d)

    # ---- devices come and go ---------------------------------------------------------------

    def _active(self) -> int:
        return sum(self.super.entry(d).state == "active" for d in self.logs)

    @alone
    def fail(self, d: int) -> None:
        """Give a device up."""
        if d >= self.super.entries or self.super.entry(d).state == "empty":
            raise _storage.StorageError(f"there is no device {d}")
        if self.super.entry(d).state == "active" and self._active() <= self.super.k:
            raise _storage.StorageError(
                f"device {d} cannot be given up: the others are too few for a stripe"
            )
        if d in self.logs and self.super.entry(d).state in ("active", "leaving"):
            self._give_up(d)
        self.commit()

    @alone
    def leave(self, d: int) -> None:
        """Its chunks go elsewhere with the next rebuild."""
        if d not in self.logs or self.super.entry(d).state != "active":
            raise _storage.StorageError(f"device {d} is not active")
        if self._active() <= self.width:
            raise _storage.StorageError(
                f"device {d} cannot leave: the others are too few for whole stripes"
            )
        self._set_state(d, "leaving")
        self._set(Set.STATE, d, 2 | self.port_of[d] << 8)
        self._all([self._place(Place.USABLE, d, 0)])
        self.commit()

    @alone
    def add(self, disk: Disk, read_kbs: int, write_kbs: int, *, force: bool = False) -> int:
        """One more device; its number."""
        start = self.link.raw_read(disk.port, 0, SECTOR)
        if isinstance(start, int):
            raise _storage.StorageError(f"port {disk.port} cannot be read")
        if start[:8] == b"KUMISTOR" and not force:
            raise _storage.StorageError(f"port {disk.port}: belongs to an array already")
        size, half, slots, data_offset = _storage.geometry(
            disk.size, self.super.chunk_log2, self.width
        )
        if slots < 16:
            raise _storage.StorageError(f"port {disk.port}: is too small")
        states = [self.super.entry(i).state for i in range(self.super.entries)]
        d = next((i for i, state in enumerate(states) if state == "empty"), len(states))
        if d >= self.ports:
            raise _storage.StorageError("the node has no room for one more device")
        entry = _storage.Entry()
        entry.uuid = uuid.uuid4().bytes
        entry.slots, entry.half_sectors, entry.size = slots, half, size
        entry.read_kbs, entry.write_kbs = read_kbs, write_kbs
        log = Log(_storage.owner_of(self.super.uuid, entry.uuid), 1, 0, 1, data_offset)
        # Its log first: from the moment it is announced it counts. It is not part of anything yet.
        head = _storage.encode_head(log.owner, 1, 0, 0)
        self.port_of[d] = disk.port
        good = self._write(d, LOG_OFFSET + half * SECTOR, bytes(SECTOR))
        if not (good and self._write(d, LOG_OFFSET, head) and self._flush(d)):
            del self.port_of[d]
            raise _storage.StorageError(f"port {disk.port}: cannot be written")
        entry.state = "active"
        self.super.set_entry(d, entry)
        self.logs[d] = log
        self._all([*self._device(d), self._place(Place.CLEAR)])
        # It learns first that it is in. If power fails before the others know, they start without.
        self.super.events += 1
        block = self.super.encode(d, data_offset)
        self.super.events -= 1
        for at in (0, size - SUPER):
            if not (self._write(d, at, block) and self._flush(d)):
                self._give_up(d)
                break
        self._unpublished = True
        self.commit()
        return d

    @alone
    def heal(self, first: int, last: int, *, verify: bool = False) -> None:
        """Make stripes whole; with `verify` read and check all of them."""
        problem = ""
        for logical in range(first, min(last, self.stripes)):
            try:
                self._again(Do.HEAL, logical, int(verify))
            except _storage.StorageError as lost:
                problem = problem or str(lost)
        if problem:
            raise _storage.StorageError(problem)

    @alone
    def heal_some(self, first: int, last: int, *, verify: bool = False) -> None:
        """Make stripes whole, several at a time."""
        left = [(x, TRIES) for x in range(first, min(last, self.stripes))]
        problem = ""
        while left:
            tags = [(x, n, self.link.give(Do.HEAL, 0, x, 0, int(verify))) for x, n in left]
            left = []
            for logical, tries, tag in tags:
                answer = self.link.wait(tag)
                if answer.reason == End.NO_ROOM and tries > 1:
                    left.append((logical, tries - 1))
                elif answer.reason == End.OK:
                    self.seq = max(self.seq, answer.value)
                else:
                    problem = problem or f"stripe {logical} could not be made whole"
            self._failures()
            if left:
                self.commit()
        if problem:
            raise _storage.StorageError(problem)

    @alone
    def lost_chunks(self, first: int, last: int) -> int:
        """Chunks of these stripes on devices that get none any more: what a rebuild makes anew."""
        count = min(last, self.stripes) - first
        usable = {d for d in self.logs if self.super.entry(d).state == "active"}
        found = self._versions(self._map + (first << self._stride), count)
        return sum(place >> 56 not in usable for v in found for place in v.places)

    @alone
    def finish_rebuild(self) -> None:
        """Devices that failed or leave and hold nothing any more are forgotten."""
        self.commit()
        held: set[int] = set()
        for v in self.versions():
            held.update(place >> 56 for place in v.places)
            if v.seq:
                held.update(v.holders)
        for d in range(self.super.entries):
            if self.super.entry(d).state in ("failed", "leaving") and d not in held:
                self.super.set_entry(d, _storage.Entry())
                self.logs.pop(d, None)
                self._set(Set.STATE, d, NOWHERE << 8)
                self._unpublished = True
        self.commit()

    @alone
    def describe(self) -> dict[str, Any]:
        """What `kumi storage status` shows."""
        s = self.super
        used: dict[int, int] = {}
        for v in self.versions():
            for place in v.places:
                used[place >> 56] = used.get(place >> 56, 0) + 1
        rows = []
        for d in range(s.entries):
            entry = s.entry(d)
            if entry.state == "empty":
                continue
            rows.append(
                {
                    "index": d,
                    "name": f"port {self.port_of[d]}" if d in self.logs else "",
                    "uuid": str(uuid.UUID(bytes=entry.uuid)),
                    "state": entry.state,
                    "present": d in self.logs,
                    "slots": entry.slots,
                    "chunks": used.get(d, 0),
                    "read_mbs": entry.read_kbs / 1e3,
                    "write_mbs": entry.write_kbs / 1e3,
                }
            )
        info = {
            "uuid": str(uuid.UUID(bytes=s.uuid)),
            "name": s.name,
            "bytes": self.stripes * s.k * self.chunk,
            "chunk": self.chunk,
            "k": s.k,
            "p": s.p,
            "policy": "dynamic" if s.policy else "static",
            "stripes": self.stripes,
            "physical": s.physical,
            "events": s.events,
        }
        return {"array": info, "devices": rows, "degraded_stripes": self.degraded_stripes()}

    @alone
    def degraded_stripes(self) -> int:
        """Stripes that have lost chunks or holders of their record."""
        usable = {d for d in self.logs if self.super.entry(d).state == "active"}
        least = min(self.super.holders, len(usable))
        return sum(
            any(place >> 56 not in usable for place in v.places)
            or len(usable & set(v.holders)) < least
            for v in self.versions()
            if v.seq
        )
