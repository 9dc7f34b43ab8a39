# SPDX-License-Identifier: Apache-2.0
"""The driver of the storage node: what a controller's firmware does, rarely and by hand.

The node places stripes, makes check chunks and checksums, writes logs, reads, reconstructs and
heals by itself. The rest is here: making an array and recognising its disks (the C++ array does
both, through the node's ports), setting the node up from what the logs say (`node_tell`,
`node_map`), superblocks when the state of a device changes, and moving a log that is full
(`node_members`).
"""

from __future__ import annotations

import errno
import functools
import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from .. import _storage
from .node_link import Do, End, Link, State
from .node_map import Layout, Version
from .node_members import Disk, Members
from .node_tell import Log, Teller

__all__ = ["Disk", "NodeArray", "create", "devices"]

TRIES = 4

P = ParamSpec("P")
R = TypeVar("R")


def alone(
    call: Callable[Concatenate[NodeArray, P], R],
) -> Callable[Concatenate[NodeArray, P], R]:
    """One thread at a time talks to the node."""

    @functools.wraps(call)
    def wrapper(self: NodeArray, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self.lock:
            return call(self, *args, **kwargs)

    return wrapper


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
        slots: int = 1 << 16,
        depth: int = 2,
    ) -> None:
        self.link = link
        self.clock_hz, self.slots = clock_hz, slots
        self.lock = threading.RLock()
        self.ports = ports
        array = _storage.Array.open(devices(link, disks), degraded=degraded)
        self.super = _storage.super_of(array)
        self.width = self.super.k + self.super.p
        self.chunk = 1 << self.super.chunk_log2
        self.stripes: int = self.super.stripes
        self.seq = _storage.sequence_of(array)
        self.wanted: set[int] = set()
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
        self._memory = Layout(link, self.super, ports=ports, contexts=contexts, width=width)
        self._teller = Teller(link, self.super, self._memory, self.logs, self.port_of)
        self._members = Members(link, self._teller, self.super, self.logs, self.port_of)
        self._teller.shape(self.seq, clock_hz, depth, read_errors)
        self._teller.load(ports, held)

    @alone
    def versions(self) -> list[Version]:
        """The version of every logical stripe, as the node has it."""
        found = self._memory.versions(self._memory.map, self.stripes)
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
            if failed >> d & 1 and self._members.state(d) in ("active", "leaving"):
                self._members.set_state(d, "failed")

    @alone
    def commit(self) -> None:
        """Everything that was written before is safe when this returns."""
        self._failures()
        self._members.publish()
        answer = self.link.ask(Do.COMMIT, count=self._failures_seen)
        if answer.reason == End.LOG:
            full = self.link.state(State.FULL)
            for d in range(self.ports):
                if full >> d & 1:
                    listed = self._memory.versions(self._memory.list, answer.value >> 32)
                    self._members.move_log(d, self.versions() + listed, self.seq)
        elif answer.reason != End.OK:
            raise _storage.StorageError("no device is left that could hold the log")
        self._failures()
        self._members.publish()
        if not answer.value & 1:
            self._teller.all([self.link.give(Do.RELEASE)])

    # ---- devices come and go ---------------------------------------------------------------

    @alone
    def fail(self, d: int) -> None:
        """Give a device up."""
        if d >= self.super.entries or self.super.entry(d).state == "empty":
            raise _storage.StorageError(f"there is no device {d}")
        active = self._members.active()
        if d in active and len(active) <= self.super.k:
            raise _storage.StorageError(
                f"device {d} cannot be given up: the others are too few for a stripe"
            )
        if d in self._members.readable():
            self._members.give_up(d)
        self.commit()

    @alone
    def leave(self, d: int) -> None:
        """Its chunks go elsewhere with the next rebuild."""
        active = self._members.active()
        if d not in active:
            raise _storage.StorageError(f"device {d} is not active")
        if len(active) <= self.width:
            raise _storage.StorageError(
                f"device {d} cannot leave: the others are too few for whole stripes"
            )
        self._members.set_state(d, "leaving")
        self._teller.no_chunks(d, readable=True)
        self.commit()

    @alone
    def add(self, disk: Disk, read_kbs: int, write_kbs: int, *, force: bool = False) -> int:
        """One more device; its number."""
        d = self._members.join(disk, self.ports, (read_kbs, write_kbs), force=force)
        self.commit()
        return d

    @alone
    def state(self, d: int) -> str:
        """Of a device: empty, active, leaving, failed."""
        return self._members.state(d)

    @alone
    def has_number(self) -> bool:
        """One more device can join."""
        return self._members.number() < self.ports

    @alone
    def needed(self, d: int) -> int:
        """Stripes that could not be read without a device."""
        self.commit()
        return self._members.needed(d, self.versions())

    @alone
    def pulled(self, port: int) -> None:
        """Devices, given up before, that were at a port are there no more."""
        for d in [d for d, at in self.port_of.items() if at == port]:
            self._members.unplugged(d)

    @alone
    def expel(self, d: int) -> None:
        """Forget a device that failed before a rebuild has: its chunks are absent from now on."""
        if self._members.state(d) != "failed":
            raise _storage.StorageError(f"device {d} has not failed")
        self.commit()
        versions = [v.without(d) for v in self.versions()]
        self._memory.fill(versions)
        self._members.expel(d, versions, self.seq)
        self.commit()

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
        usable = set(self._members.active())
        start = self._memory.map + (first << self._memory.stride)
        found = self._memory.versions(start, count)
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
        self._members.forget(held)
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
        usable = set(self._members.active())
        least = min(self.super.holders, len(usable))
        return sum(
            any(place >> 56 not in usable for place in v.places)
            or len(usable & set(v.holders)) < least
            for v in self.versions()
            if v.seq
        )
