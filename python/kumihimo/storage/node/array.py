# SPDX-License-Identifier: Apache-2.0
"""An array on the disks of a storage node, and its creation through the node's ports."""

from __future__ import annotations

import errno
import functools
import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from ... import _storage
from .access import AccessLock
from .config import DeviceLog, NodeConfig
from .link import Cmd, NodeLink, Query, Status
from .membership import Disk, Membership
from .memory_map import MemoryMap, StripeVersion

__all__ = ["Disk", "NodeArray", "create", "devices"]

TRIES = 4

P = ParamSpec("P")
R = TypeVar("R")


def serialized(
    call: Callable[Concatenate[NodeArray, P], R],
) -> Callable[Concatenate[NodeArray, P], R]:
    """What changes more than stripes: nothing else goes on meanwhile."""

    @functools.wraps(call)
    def wrapper(self: NodeArray, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self.lock:
            return call(self, *args, **kwargs)

    return wrapper


def devices(link: NodeLink, disks: Sequence[Disk]) -> list[_storage.CallbackDevice]:
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


def create(link: NodeLink, disks: Sequence[Disk], **options: Any) -> None:
    """Create an array on the node's disks; options as for `_storage.Array.create`."""
    _storage.Array.create(devices(link, disks), **options)


class NodeArray:
    """An array on the disks of a storage node; threads may share it.

    They read and write different stripes at the same time; commits, devices that come and go, and
    repairs have the node for themselves.
    """

    def __init__(
        self,
        link: NodeLink,
        disks: Sequence[Disk],
        *,
        ports: int,
        contexts: int,
        width: int,
        degraded: bool = False,
        read_errors: int = 64,
        clock_hz: int = 250_000_000,
        slots: int = 1 << 24,
        most_stripes: int = 1 << 24,
        memory_base: int = 0,
        depth: int = 2,
    ) -> None:
        self.link = link
        self.clock_hz, self.slots = clock_hz, slots
        self.lock = AccessLock()
        self._books = threading.RLock()  # of what data operations note together
        self.ports = ports
        array = _storage.Array.open(devices(link, disks), degraded=degraded)
        if array.lost_stripes():
            raise _storage.StorageError(
                "stripes of the array are lost, which the node would read as zeros: write them "
                "again without it first"
            )
        self.super = _storage.super_of(array)
        self.width = self.super.k + self.super.p
        self.chunk = 1 << self.super.chunk_log2
        self.stripes: int = self.super.stripes
        self.seq = _storage.sequence_of(array)
        self.wanted: set[int] = set()
        self._failures_seen = link.failures
        self._uncommitted = False
        if self.width > width:
            raise _storage.StorageError(f"stripes of {self.width} chunks: the node knows {width}")
        if self.super.entries > ports:
            raise _storage.StorageError(f"device numbers above {ports - 1} do not fit the node")
        self.port_of = {
            d["index"]: int(d["name"].split()[1]) for d in array.devices() if d["present"]
        }
        self.logs = {
            i: DeviceLog(
                log["owner"], log["generation"], log["half"], log["next"], log["data_offset"]
            )
            for i, log in enumerate(_storage.logs_of(array))
            if log["present"]
        }
        held = [_storage.stripe_version_of(array, i) for i in range(self.stripes)]
        del array
        if self.stripes > most_stripes:
            raise _storage.StorageError(
                f"an array of {self.stripes} stripes: the node knows {most_stripes}"
            )
        self._memory = MemoryMap(
            link,
            self.super,
            ports=ports,
            contexts=contexts,
            width=width,
            most_slots=slots,
            most_stripes=most_stripes,
            base=memory_base,
        )
        self._config = NodeConfig(link, self.super, self._memory, self.logs, self.port_of)
        self._membership = Membership(link, self._config, self.super, self.logs, self.port_of)
        self._config.configure(self.seq, clock_hz, depth, read_errors)
        self._config.load(ports, held)

    @serialized
    def versions(self) -> list[StripeVersion]:
        """The node's version of every logical stripe."""
        found = self._memory.versions(self._memory.map, self.stripes)
        for logical, v in enumerate(found):
            v.logical = logical
        return found

    # ---- data ------------------------------------------------------------------------------

    def _with_space(self, op: Cmd, logical: int, arg: int = 0, data: bytes = b"") -> int:
        """Run a command that may need a commit for space; the new version number, or 0."""
        for _ in range(TRIES):
            with self.lock.shared():
                if op != Cmd.REPAIR:
                    self._require_redundancy()
                response = self.link.call(op, 0, logical, 0, arg, data)
                self._failures()
                if response.status == Status.OK:
                    self._written(response.value)
                    return response.value
            if response.status == Status.DATA_LOST:
                raise _storage.StorageError(f"stripe {logical} is lost")
            if response.status == Status.IO_ERROR:
                raise _storage.StorageError("a stripe could not be written: too many devices fail")
            if response.status != Status.NO_SPACE:
                raise _storage.StorageError(f"the node refused it ({response.status.name})")
            self.commit()
        raise _storage.StorageError("the devices have no room for a stripe")

    def _written(self, seq: int) -> None:
        """Note a version number, 0: nothing was written."""
        with self._books:
            self.seq = max(self.seq, seq)
            self._uncommitted = self._uncommitted or seq > 0

    def write_stripe(self, logical: int, data: bytes) -> int:
        """Write a logical stripe, durable after the next commit; its version number.

        A stripe must not be written or read by another thread meanwhile.
        """
        return self._with_space(Cmd.WRITE, logical, 0, data)

    def unmap(self, logical: int) -> int:
        """Make a stripe read as zeros; the version number, 0 if it already did."""
        return self._with_space(Cmd.UNMAP, logical)

    def read_chunk(self, logical: int, position: int) -> bytes:
        """A verified data chunk."""
        with self.lock.shared():
            response = self.link.call(Cmd.READ, position, logical)
            self._failures()
        if response.status == Status.UNMAPPED:
            return bytes(self.chunk)
        if response.status == Status.MEM_ERROR:
            raise _storage.StorageError("the node's memory returned an error")
        if response.status != Status.OK:
            raise _storage.StorageError(f"stripe {logical} is lost")
        if response.detail & 2:
            with self._books:
                self.wanted.add(logical)
        return response.data

    @serialized
    def repair_pending(self) -> None:
        """Repair the stripes in which a read found a bad chunk on a working device."""
        while self.wanted:
            logical = self.wanted.pop()
            self.repair(logical, logical + 1, verify=True)

    @serialized
    def array(self) -> _storage.NodeArray:
        """An array for a Volume and an NBD server, with its stripes in the node."""
        found = self.versions()
        return _storage.NodeArray(
            self.super, self, [v.seq for v in found], [v.mapped for v in found]
        )

    # ---- commits ---------------------------------------------------------------------------

    def _failures(self) -> None:
        """Record the devices that the node has failed."""
        with self._books:
            if self.link.failures == self._failures_seen:
                return
            self._failures_seen = self.link.failures
            failed = self.link.state(Query.FAILED)
            for d in list(self.logs):
                if failed >> d & 1 and self._membership.state(d) in ("active", "draining"):
                    self._membership.lose(d)

    def _lost(self) -> int:
        """Number of devices that are failed, missing or offline."""
        return len(self._membership.lost())

    def _require_redundancy(self) -> None:
        """Beyond the redundancy nothing new is written, as in the C++ array."""
        if self._lost() > self.super.p:
            raise _storage.StorageError(
                f"the array is suspended: {self._lost()} devices are failed or missing, more than "
                f"the redundancy of {self.super.p} covers"
            )

    @serialized
    def commit(self) -> None:
        """Make everything written before durable."""
        self._failures()
        self._membership.publish()
        response = self.link.call(Cmd.COMMIT, count=self._failures_seen)
        if response.status == Status.LOG_FULL:
            full = self.link.state(Query.LOG_FULL)
            for d in range(self.ports):
                if full >> d & 1:
                    listed = self._memory.versions(self._memory.list, response.value >> 32)
                    self._membership.move_log(d, self.versions() + listed, self.seq)
        elif response.status == Status.MEM_ERROR:
            raise _storage.StorageError("the node's memory returned an error")
        elif response.status != Status.OK:
            raise _storage.StorageError("no device is left that could hold the log")
        self._failures()
        self._membership.publish()
        if not response.value & 1:
            self._config.wait_all([self.link.submit(Cmd.RECLAIM)])
        if self._uncommitted:
            self._require_redundancy()  # lost devices have not heard of it
        self._uncommitted = False

    # ---- devices come and go ---------------------------------------------------------------

    @serialized
    def fail(self, d: int, force: bool = False) -> None:
        """Mark a device as failed; refused beyond the redundancy unless forced."""
        if d >= self.super.entries or self.super.entry(d).state == "empty":
            raise _storage.StorageError(f"there is no device {d}")
        active = self._membership.active()
        if d in self._membership.readable() and self._lost() >= self.super.p and not force:
            raise _storage.StorageError(
                f"device {d} must not fail: the redundancy of {self.super.p} does not cover one "
                "more; stripes would be lost"
            )
        if d in active and len(active) <= self.super.k:
            raise _storage.StorageError(
                f"device {d} must not fail: the others are too few for a stripe"
            )
        if d in self._membership.readable():
            self._membership.mark_failed(d)
        self.commit()

    @serialized
    def drain(self, d: int) -> None:
        """Drain a device: the next rebuild relocates its chunks."""
        active = self._membership.active()
        if d not in active:
            raise _storage.StorageError(f"device {d} is not active")
        if len(active) <= self.width:
            raise _storage.StorageError(
                f"device {d} cannot leave: the others are too few for whole stripes"
            )
        self._membership.set_state(d, "draining")
        self._config.stop_placement(d, readable=True)
        self.commit()

    @serialized
    def add(self, disk: Disk, read_kbs: int, write_kbs: int, *, force: bool = False) -> int:
        """Add a device; its number."""
        d = self._membership.join(disk, self.ports, (read_kbs, write_kbs), force=force)
        self.commit()
        return d

    @serialized
    def state(self, d: int) -> str:
        """State of a device: empty, active, draining, failed."""
        return self._membership.state(d)

    @serialized
    def has_free_number(self) -> bool:
        """Whether a device number is free."""
        return self._membership.number() < self.ports

    @serialized
    def unreadable_without(self, d: int) -> int:
        """Number of stripes that would be unreadable without a device."""
        self.commit()
        return self._membership.unreadable_without(d, self.versions())

    @serialized
    def disk_removed(self, port: int) -> None:
        """Note that the failed device at a port has been removed."""
        for d in [d for d, at in self.port_of.items() if at == port]:
            self._membership.unplugged(d)

    @serialized
    def evict(self, d: int) -> None:
        """Forget a failed device without waiting for a rebuild; its chunks become absent."""
        if self._membership.state(d) != "failed":
            raise _storage.StorageError(f"device {d} has not failed")
        self.commit()
        versions = [v.without(d) for v in self.versions()]
        self._memory.fill(versions)
        self._membership.evict(d, versions, self.seq)
        self.commit()

    @serialized
    def repair(self, first: int, last: int, *, verify: bool = False) -> None:
        """Repair a range of stripes; with `verify` read and verify all of them."""
        problem = ""
        for logical in range(first, min(last, self.stripes)):
            try:
                self._with_space(Cmd.REPAIR, logical, int(verify))
            except _storage.StorageError as lost:
                problem = problem or str(lost)
        if problem:
            raise _storage.StorageError(problem)

    @serialized
    def repair_range(self, first: int, last: int, *, verify: bool = False) -> None:
        """Repair a range of stripes, several at a time."""
        left = [(x, TRIES) for x in range(first, min(last, self.stripes))]
        problem = ""
        while left:
            tags = [(x, n, self.link.submit(Cmd.REPAIR, 0, x, 0, int(verify))) for x, n in left]
            left = []
            for logical, tries, tag in tags:
                response = self.link.wait(tag)
                if response.status == Status.NO_SPACE and tries > 1:
                    left.append((logical, tries - 1))
                elif response.status == Status.OK:
                    self.seq = max(self.seq, response.value)
                else:
                    problem = problem or f"stripe {logical} could not be made whole"
            self._failures()
            if left:
                self.commit()
        if problem:
            raise _storage.StorageError(problem)

    @serialized
    def missing_chunks(self, first: int, last: int) -> int:
        """Number of chunks of these stripes that a rebuild must relocate."""
        count = min(last, self.stripes) - first
        usable = set(self._membership.active())
        start = self._memory.map + (first << self._memory.stride)
        found = self._memory.versions(start, count)
        return sum(place >> 56 not in usable for v in found for place in v.places)

    @serialized
    def finish_rebuild(self) -> None:
        """Forget failed and drained devices that hold nothing any more."""
        self.commit()
        held: set[int] = set()
        for v in self.versions():
            held.update(place >> 56 for place in v.places)
            if v.seq:
                held.update(v.replicas)
        self._membership.forget(held)
        self.commit()

    @serialized
    def describe(self) -> dict[str, Any]:
        """State for `kumi storage status`."""
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

    @serialized
    def degraded_stripes(self) -> int:
        """Number of stripes that lack chunks or log replicas."""
        usable = set(self._membership.active())
        least = min(self.super.replicas, len(usable))
        return sum(
            any(place >> 56 not in usable for place in v.places)
            or len(usable & set(v.replicas)) < least
            for v in self.versions()
            if v.seq
        )
