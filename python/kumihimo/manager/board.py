# SPDX-License-Identifier: Apache-2.0
"""What the manager needs of a board, and a guard that ends the work on one that was given up."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

from ..common.errors import KumiError
from ..regs import Mmio


class BoardError(KumiError):
    """A board that refuses, answers wrongly or not at all; the text does not name it."""


class AccessError(BoardError):
    """The board answered that there is nothing to read or write at an address."""


class GivenUp(Exception):
    """The manager no longer waits for this board: nothing more may be done to it."""


class Board(ABC):
    """One FPGA board: words by byte address. Accesses of one board come from one thread."""

    def __init__(self, name: str) -> None:
        """A board of that name."""
        self.name = name

    def start(self) -> None:  # noqa: B027 (nothing to do for a board that runs)
        """Load the design. Raises BoardError. May take long."""

    @abstractmethod
    def read(self, addr: int, /) -> int:
        """Word at a byte address."""

    @abstractmethod
    def write(self, addr: int, data: int, /) -> None:
        """Store a word at a byte address."""


class MmioBoard(Board):
    """A board over an object that reads and writes words, as a node's `mmio`."""

    def __init__(self, name: str, mmio: Mmio) -> None:
        """Words of `mmio`."""
        super().__init__(name)
        self._mmio = mmio

    def read(self, addr: int, /) -> int:
        """Word at a byte address."""
        return self._mmio.read(addr)

    def write(self, addr: int, data: int, /) -> None:
        """Store a word at a byte address."""
        self._mmio.write(addr, data)


class Guarded:
    """Accesses to a board, counted, until the manager gives it up.

    A thread cannot be ended from outside. One that hangs in an access stays there; when it comes
    back, the next access ends it, so a late board is not changed behind the manager's back.
    """

    def __init__(self, board: Board) -> None:
        """Accesses to that board."""
        self.board = board
        self.accesses = 0
        self.step = "starting"
        self._given_up = threading.Event()

    def give_up(self) -> None:
        """No access from now on."""
        self._given_up.set()

    def _check(self) -> None:
        if self._given_up.is_set():
            raise GivenUp(self.board.name)
        self.accesses += 1

    def read(self, addr: int, /) -> int:
        """Word at a byte address."""
        self._check()
        return self.board.read(addr)

    def write(self, addr: int, data: int, /) -> None:
        """Store a word at a byte address."""
        self._check()
        self.board.write(addr, data)
