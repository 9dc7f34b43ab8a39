# SPDX-License-Identifier: Apache-2.0
"""The manager's interface to a board, and a guard that blocks access after a time-out."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

from ..common.errors import KumiError
from ..regs import Mmio


class BoardError(KumiError):
    """A board failed, answered wrongly or not at all; the text does not name it."""


class AccessError(BoardError):
    """The board has no register at an address."""


class Abandoned(Exception):
    """The manager abandoned this board after a time-out: no further access is allowed."""


class Board(ABC):
    """One FPGA board: words by byte address. Accesses of one board come from one thread."""

    def __init__(self, name: str) -> None:
        """A board of that name."""
        self.name = name

    def start(self) -> None:  # noqa: B027 (nothing to do for a board that runs)
        """Load the design, which may take long. Raises BoardError."""

    @abstractmethod
    def read(self, addr: int, /) -> int:
        """Read the word at a byte address."""

    @abstractmethod
    def write(self, addr: int, data: int, /) -> None:
        """Write the word at a byte address."""


class MmioBoard(Board):
    """A board with the registers of an object like a node's `mmio`."""

    def __init__(self, name: str, mmio: Mmio) -> None:
        """Words of `mmio`."""
        super().__init__(name)
        self._mmio = mmio

    def read(self, addr: int, /) -> int:
        """Read the word at a byte address."""
        return self._mmio.read(addr)

    def write(self, addr: int, data: int, /) -> None:
        """Write the word at a byte address."""
        self._mmio.write(addr, data)


class Guarded:
    """Counted accesses to a board, until the manager abandons it.

    A thread cannot be killed. If one hangs in an access and returns late, its next access raises,
    so an abandoned board is not modified any further.
    """

    def __init__(self, board: Board) -> None:
        """Accesses to that board."""
        self.board = board
        self.accesses = 0
        self.step = "starting"
        self._abandoned = threading.Event()

    def abandon(self) -> None:
        """Reject all further accesses."""
        self._abandoned.set()

    def _check(self) -> None:
        if self._abandoned.is_set():
            raise Abandoned(self.board.name)
        self.accesses += 1

    def read(self, addr: int, /) -> int:
        """Read the word at a byte address."""
        self._check()
        return self.board.read(addr)

    def write(self, addr: int, data: int, /) -> None:
        """Write the word at a byte address."""
        self._check()
        self.board.write(addr, data)
