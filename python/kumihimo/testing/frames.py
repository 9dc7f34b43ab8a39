# SPDX-License-Identifier: Apache-2.0
"""Frames at the ports of a module under test, and the failures of a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


class DutFailed(AssertionError):
    """An assertion of the design failed, or it called $finish or $stop."""


class Hang(AssertionError):
    """An expected event did not occur within the given cycles."""


class ProtocolError(AssertionError):
    """The design violated the AXI4-Stream or AXI4-Lite protocol at a port."""


@dataclass
class Frame:
    """A frame to send, or a received one.

    `cycle` and `last_cycle` are the clock cycles in which its first and last beat moved. `user` is
    the tuser of the last beat; `users` that of every beat.
    """

    data: bytes
    bad: bool = False
    user: int = 0
    id: int = 0
    dest: int = 0
    users: Sequence[int] = field(default_factory=list)
    cycle: int = 0
    last_cycle: int = 0
    beats: int = 0
    beat_cycles: Sequence[int] = field(default_factory=list)

    @property
    def value(self) -> int:
        """The bytes as a little-endian integer (records of a header stream)."""
        return int.from_bytes(self.data, "little")

    def __len__(self) -> int:
        return len(self.data)
