# SPDX-License-Identifier: Apache-2.0
"""Channels: stream ports of a node other than Ethernet, read and written from Python.

    alice.channel("set_dest_addr_count").write(addr=bob_mac, count=len(data))
    alice.channel("send_data").write(data)
    assert bob.channel("receive_data").read(timeout="50 us") == data

A message channel (`s_axis_NAME`, `m_axis_NAME`) transfers bytes; a record channel (`s_hdr_NAME`,
`m_hdr_NAME`) transfers integers, or fields if the port's type is a packed struct. Python's end is
always ready: whatever the node sends is queued here without limit.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from ..build.design import Direction, Port
from ..clusterfile import units
from ..common.errors import KumiError, did_you_mean
from .running import RunningCluster

STEP_PS = 1_000_000
MAX_MESSAGE = 1 << 30
Record = int | dict[str, int]


class ChannelError(KumiError):
    """A channel does not support the requested operation."""


class ChannelTimeout(ChannelError):
    """Nothing was received within the timeout."""


class ChannelBroken(ChannelError):
    """A message ended with the error flag; `data` holds the received part."""

    def __init__(self, text: str, data: bytes) -> None:
        super().__init__(text)
        self.data = data


class Channel:
    """One channel of a node of a running cluster."""

    def __init__(self, cluster: RunningCluster, node: str, port: Port, script: int) -> None:
        self._cluster = cluster
        self._script = script
        self._where = f"channel {port.name} of {node}"
        self._waiting: deque[tuple[int, bytes, bool, int]] = deque()
        self.id = 0  # tid of the last message read
        self.name = port.name
        self.kind = port.kind
        self.to_node: Direction | None = port.rx
        self.from_node: Direction | None = port.tx

    # ---- writing --------------------------------------------------------------------------

    def write(
        self,
        data: bytes | bytearray | memoryview | int | Mapping[str, int] | None = None,
        /,
        **fields: int,
    ) -> None:
        """Send one message (bytes) or one record (a number, a mapping, or fields by name).

        Returns at once; the node accepts the data at the pace of its `ready`.
        """
        if self.to_node is None:
            raise ChannelError(f"The {self._where} can only be read.")
        if self.kind == "hdr":
            payload = self._pack(self.to_node, data, fields)
        else:
            if fields or not isinstance(data, bytes | bytearray | memoryview):
                raise ChannelError(f"The {self._where} carries messages: write bytes.")
            payload = bytes(data)
            if not 0 < len(payload) <= MAX_MESSAGE:
                text = f"The {self._where}: a message has 1 to {MAX_MESSAGE} bytes"
                raise ChannelError(f"{text}, not {len(payload)}.")
        self._cluster.engine.send(self._script, payload)

    def _pack(self, way: Direction, data: Any, fields: Mapping[str, int]) -> bytes:
        if isinstance(data, Mapping) or (data is None and fields):
            values = {**(data or {}), **fields}
            known = {name: (low, bits) for name, low, bits in way.fields}
            if not known:
                raise ChannelError(
                    f"The records of the {self._where} have no fields: write a number."
                )
            number = 0
            for name, value in values.items():
                if name not in known:
                    hint = did_you_mean(name, known)
                    raise ChannelError(f"The records of the {self._where} have no {name}.{hint}")
                low, bits = known[name]
                if not isinstance(value, int):
                    text = f"The {self._where}: {name} takes an integer, not {value!r}."
                    raise ChannelError(text)
                if not 0 <= value < 1 << bits:
                    text = f"The {self._where}: {name} has {bits} bits, {value:#x} does not fit."
                    raise ChannelError(text)
                number |= value << low
        elif isinstance(data, int) and not fields:
            number = data
            if not 0 <= number < 1 << way.bits:
                text = f"The {self._where} has {way.bits} bits, {number:#x} does not fit."
                raise ChannelError(text)
        else:
            raise ChannelError(f"The {self._where} carries records: write a number or fields.")
        return number.to_bytes((way.bits + 7) // 8, "little")

    # ---- reading --------------------------------------------------------------------------

    def read(self, timeout: str | int = "1 ms") -> Any:
        """The next message (bytes) or record (a dictionary of its fields, or a number).

        Runs the cluster until it arrives, or waits while another thread runs the cluster.
        `timeout` is simulated time: a string with a unit, or picoseconds. Raises ChannelTimeout
        when nothing arrives, and ChannelBroken for a message that ended with the error flag.
        """
        if self.from_node is None:
            raise ChannelError(f"The {self._where} can only be written.")
        span = timeout if isinstance(timeout, int) else units.time_ps(timeout)
        engine = self._cluster.engine
        end = engine.now_ps + span
        while not self.pending():
            left = end - engine.now_ps
            if left <= 0:
                raise ChannelTimeout(
                    f"Nothing came out of the {self._where} within {span / 1e6:g} us."
                )
            if self._cluster.is_serving:
                time.sleep(0.001)
            else:
                self._cluster.run(min(left, STEP_PS))
        return self.take()[1]

    def take(self) -> tuple[int, Any]:
        """The next of the `pending` messages or records, behind its simulated time in ps."""
        if self.from_node is None or not self.pending():
            raise ChannelError(f"Nothing waits in the {self._where}.")
        when, data, bad, self.id = self._waiting.popleft()
        if bad:
            text = f"A message of the {self._where} was aborted after {len(data)} bytes."
            raise ChannelBroken(text, data)
        return when, self._unpack(self.from_node, data)

    def read_all(self) -> list[Any]:
        """All pending messages or records; raises ChannelBroken at a broken message."""
        return [self.read(0) for _ in range(self.pending())]

    def pending(self) -> int:
        """Number of messages or records that can be read at once."""
        if self.from_node is None:
            return 0
        for when, data, bad, _user, tid in self._cluster.engine.received_messages(self._script):
            self._waiting.append((when, data, bad and self.kind == "axis", tid))
        return len(self._waiting)

    def _unpack(self, way: Direction, data: bytes) -> bytes | Record:
        if self.kind == "axis":
            return data
        number = int.from_bytes(data, "little")
        if not way.fields:
            return number
        return {name: number >> low & ((1 << bits) - 1) for name, low, bits in way.fields}

    def __repr__(self) -> str:
        """Name, node, kind and directions."""
        ways = [w for w, have in (("write", self.to_node), ("read", self.from_node)) if have]
        kind = "messages" if self.kind == "axis" else "records"
        return f"<{self._where}: {kind}, {' and '.join(ways)}>"
