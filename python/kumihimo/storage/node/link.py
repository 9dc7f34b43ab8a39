# SPDX-License-Identifier: Apache-2.0
"""Commands of the storage node (hw/storage/controller/kumi_array_pkg.sv) and their responses.

`Transport` connects Python to the node's channels; `NodeLink` submits commands and waits for their
responses. Threads may share a `NodeLink`: one of those that wait lets time pass, for all of them.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from ...common.errors import KumiError

SECTOR = 512
SECTORS_AT_ONCE = 128  # of a raw command
SILENT = "The storage node does not answer."


class Cmd(IntEnum):
    """Commands."""

    SET = 0
    WRITE = 1
    READ = 2
    UNMAP = 3
    COMMIT = 4
    RECLAIM = 5
    REPAIR = 6
    RAW_READ = 7
    RAW_WRITE = 8
    RAW_FLUSH = 9
    MEM_READ = 10
    MEM_WRITE = 11
    SPEED_TEST = 12
    GET_STATE = 13


class Param(IntEnum):
    """Parameters of Cmd.SET."""

    GEOMETRY = 0
    STRIPES = 1
    AREA = 2
    DIRTY_LIMIT = 3
    SEQ = 4
    DEV_DATA = 5
    DEV_STATE = 6
    LOG_OWNER = 7
    LOG_BASE = 8
    LOG_SPACE = 9
    PLACER_EVENT = 10
    SLOT_OP = 11
    DYNAMIC = 12
    READ_ERRORS = 13


class Area(IntEnum):
    """Areas of the node's memory, of Param.AREA."""

    MAP = 0
    LIST = 1
    STAGE = 2
    LOG = 3
    SLOTS = 4
    DIRTY = 5


class Query(IntEnum):
    """State vectors of Cmd.GET_STATE."""

    FAILED = 0
    USABLE = 1
    READABLE = 2
    LOG_FULL = 3


class Status(IntEnum):
    """Status of a response."""

    OK = 0
    UNMAPPED = 1
    INVALID = 2
    BAD_FRAME = 3
    NO_SPACE = 4
    DATA_LOST = 5
    IO_ERROR = 6
    LOG_FULL = 7
    MEM_ERROR = 8


class NodeError(KumiError):
    """The node refused a command or did not respond."""


@dataclass
class Response:
    """Response to one command."""

    tag: int
    status: Status
    detail: int
    value: int
    data: bytes = b""


class Transport(Protocol):
    """The node's channels; called by one thread at a time."""

    def command(self, record: int) -> None:
        """Send a command."""
        ...

    def data(self, frame: bytes) -> None:
        """Send a frame of data."""
        ...

    def step(self) -> None:
        """Let some time pass."""
        ...

    def responses(self) -> list[int]:
        """Responses received since the last call."""
        ...

    def frames(self) -> list[bytes]:
        """Frames received since the last call."""
        ...


@dataclass
class NodeLink:
    """Commands to a node, any number outstanding."""

    transport: Transport
    timeout_steps: int = 1_000_000  # steps without any answer
    frames: deque[bytes] = field(default_factory=deque)
    done: dict[int, Response] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)
    failures: int = 0  # how often the node has given a device up, modulo 2^16
    _next: int = 0
    _sent: int = 0  # frames that the node had sent by its last answer, modulo 256
    # Commands that wait for being sent, with their data.
    _queue: deque[tuple[int, bytes]] = field(default_factory=deque)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _led: bool = False  # a thread lets time pass
    _silent: bool = False  # the node has not answered in time

    def submit(
        self,
        op: Cmd,
        unit: int = 0,
        index: int = 0,
        count: int = 0,
        arg: int = 0,
        data: bytes = b"",
    ) -> int:
        """Submit a command; its tag. It is sent at the latest when somebody waits."""
        with self._changed:
            tag = self._next
            self._next = (self._next + 1) % 65536
            self.open.add(tag)
            record = arg | count << 64 | index << 96 | unit << 128 | int(op) << 136 | tag << 144
            self._queue.append((record, data))
            if not self._led:
                self._send()
        return tag

    def _send(self) -> None:
        """Send what was submitted."""
        while self._queue:
            record, data = self._queue.popleft()
            self.transport.command(record)
            if data:
                self.transport.data(data)

    def poll(self) -> None:
        """Collect received responses and frames."""
        self.frames.extend(self.transport.frames())
        for record in self.transport.responses():
            frames = record >> 110 & 3
            status = Status(record >> 104 & 15)
            response = Response(
                record >> 112 & 0xFFFF, status, record >> 64 & 0xFFFFFFFF, record & (1 << 64) - 1
            )
            self.failures = record >> 128
            last = self._until(record >> 96 & 255)
            if frames and status == Status.OK:
                response.data = last
            with self._changed:
                self.open.discard(response.tag)
                self.done[response.tag] = response
                self._changed.notify_all()

    def _until(self, sent: int) -> bytes:
        """Take the frames sent before a response (a count modulo 256); the last of them.

        Those before it were bad, maybe of commands that are not answered yet.
        """
        count = (sent - self._sent) % 256
        self._sent = sent
        while len(self.frames) < count:
            self.transport.step()
            self.frames.extend(self.transport.frames())
        taken = [self.frames.popleft() for _ in range(count)]
        return taken[-1] if taken else b""

    def wait(self, tag: int) -> Response:
        """Wait for the response to a command; NodeError if the node is silent for too long."""
        with self._changed:
            self._changed.wait_for(lambda: tag in self.done or not self._led)
            if tag in self.done:
                return self.done.pop(tag)
            if self._silent:
                raise NodeError(SILENT)
            self._led = True
        try:
            self._lead(tag)
        finally:
            with self._changed:
                self._led = False
                self._changed.notify_all()
        return self.done.pop(tag)

    def _lead(self, tag: int) -> None:
        """Let time pass until the response to a command has come."""
        for _ in range(self.timeout_steps):
            self._send()
            self.poll()
            if tag in self.done:
                return
            self.transport.step()
        self._silent = True
        raise NodeError(SILENT)

    def call(
        self,
        op: Cmd,
        unit: int = 0,
        index: int = 0,
        count: int = 0,
        arg: int = 0,
        data: bytes = b"",
    ) -> Response:
        """Submit a command and wait for its response."""
        return self.wait(self.submit(op, unit, index, count, arg, data))

    def set(self, what: Param, index: int = 0, arg: int = 0) -> Response:
        """Set a parameter."""
        return self.call(Cmd.SET, int(what), index, 0, arg)

    def state(self, of: Query) -> int:
        """State vector, one bit per device."""
        low, high = (self.call(Cmd.GET_STATE, int(of) << 1 | word) for word in (0, 1))
        return low.value | high.value << 64

    # ---- one port --------------------------------------------------------------------------

    def raw_read(self, port: int, offset: int, size: int) -> bytes | int:
        """Read whole sectors of a disk; the bytes, or the port's status."""
        out = b""
        for at in range(offset // SECTOR, (offset + size) // SECTOR, SECTORS_AT_ONCE):
            count = min(SECTORS_AT_ONCE, (offset + size) // SECTOR - at)
            response = self.call(Cmd.RAW_READ, port, 0, count, at)
            if response.status != Status.OK:
                return response.detail or 1
            out += response.data
        return out

    def raw_write(self, port: int, offset: int, data: bytes) -> int:
        """Write whole sectors of a disk; the port's status, 0: success."""
        for at in range(0, len(data), SECTORS_AT_ONCE * SECTOR):
            part = data[at : at + SECTORS_AT_ONCE * SECTOR]
            response = self.call(
                Cmd.RAW_WRITE, port, 0, len(part) // SECTOR, (offset + at) // SECTOR, part
            )
            if response.status != Status.OK:
                return response.detail or 1
        return 0

    def raw_flush(self, port: int) -> int:
        """Flush a disk; the port's status, 0: success."""
        response = self.call(Cmd.RAW_FLUSH, port, 0, 1)
        return 0 if response.status == Status.OK else response.detail or 1

    def measure(self, port: int, *, sectors: int, count: int, first: int, write: bool) -> int:
        """Cycles for `count` commands of `sectors` each, several at a time."""
        arg = first | int(write) << 63
        response = self.call(Cmd.SPEED_TEST, port, sectors, count, arg)
        if response.status != Status.OK:
            raise NodeError(f"The speed test of port {port} failed (reason {response.detail}).")
        return response.value

    # ---- memory ----------------------------------------------------------------------------

    def mem_read(self, address: int, size: int) -> bytes:
        """Read the node's memory, a multiple of 512 bytes."""
        response = self.call(Cmd.MEM_READ, 0, 0, size // SECTOR, address)
        if response.status != Status.OK:
            raise NodeError(f"The node's memory cannot be read at {address:#x}.")
        return response.data

    def mem_write(self, address: int, data: bytes) -> None:
        """Write the node's memory, a multiple of 512 bytes."""
        response = self.call(Cmd.MEM_WRITE, 0, 0, len(data) // SECTOR, address, data)
        if response.status != Status.OK:
            raise NodeError(f"The node's memory cannot be written at {address:#x}.")
