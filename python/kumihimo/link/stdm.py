# SPDX-License-Identifier: Apache-2.0
"""Driver of the circuit switch's registers (`regs/stdm.rdl`).

    switch = Stdm(regs.block("stdm"))
    switch.load(tables)      # Tables of stdm_model
    switch.swap()

Works over anything with `read(addr)` and `write(addr, data)`.
"""

from __future__ import annotations

from typing import Protocol

from kumihimo.common.errors import KumiError
from kumihimo.link.stdm_model import InEntry, OutEntry, Tables

REASONS = (
    "nothing",
    "there is no such table",
    "the entry is beyond the longest TDM frame",
    "kind 3",
    "the input number is beyond the last port",
    "the owner or channel is out of range",
    "best effort on a local output, or in a switch that has none",
    "a swap is still waiting",
    "the length is 0 or above 256 slots",
    "the guard is not 6 to 16 cycles",
    "an entry of this table was refused",
    "tables are still being cleared after reset",
)
REG = {
    "info": 0x00,
    "board": 0x04,
    "size": 0x08,
    "timing": 0x0C,
    "command": 0x10,
    "status": 0x14,
    "refused": 0x18,
    "tdm_frames": 0x1C,
    "at": 0x40,
    "data": 0x44,
    "count_at": 0x48,
    "words": 0x4C,
    "empties": 0x50,
    "route": 0x54,
    "route_at": 0x58,
    "link": 0x5C,
}
PORT_COUNTERS = (
    "lost",
    "stray",
    "bad_crc",
    "bad_word",
    "slip",
    "be_broken",
    "be_route",
    "be_full",
)
NO_ROUTE = 31
WAIT_READS = 2000


class Registers(Protocol):
    """Access to the registers."""

    def read(self, addr: int) -> int:
        """A word."""

    def write(self, addr: int, data: int) -> None:
        """A word."""


class Stdm:
    """One circuit switch."""

    def __init__(self, regs: Registers, base: int = 0) -> None:
        self.registers, self._base = regs, base
        info = self._read("info")
        self.ports = info & 0xFF
        self.locals = info >> 8 & 0xFF
        self.channels = info >> 16 & 0xFF
        self.lanes = info >> 24 & 15
        self.hybrid = bool(info >> 31)

    def _read(self, name: str) -> int:
        return self.registers.read(self._base + REG[name])

    def _write(self, name: str, data: int) -> None:
        self.registers.write(self._base + REG[name], data)

    def _wait(self, what: str, mask: int, value: int) -> None:
        for _ in range(WAIT_READS):
            if self._read("status") & mask == value:
                return
        raise KumiError(f"The circuit switch waits for {what} and it does not come.")

    def commands(self, tables: Tables) -> list[tuple[int, int]]:
        """Register writes that load tables: (address, word)."""
        writes = [(REG["command"], 2)]
        for table, row in self._rows(tables).items():
            writes.append((REG["at"], table))
            writes += [(REG["data"], value) for value in row]
        writes.append((REG["size"], tables.slots | tables.guard << 16))
        return [(self._base + addr, word) for addr, word in writes]

    @staticmethod
    def _rows(tables: Tables) -> dict[int, list[int]]:
        rows = {port: [e.encode() for e in row] for port, row in enumerate(tables.out)}
        return rows | {32 + port: [e.encode() for e in row] for port, row in enumerate(tables.into)}

    def load(self, tables: Tables, verify: bool = False) -> None:
        """Write the tables that the next swap activates; `verify` reads them back."""
        self._wait("the end of the clearing", 8, 8)
        self._wait("the swap before", 4, 0)
        for addr, word in self.commands(tables):
            self.registers.write(addr, word)
        self.check()
        if verify:
            for table, row in self._rows(tables).items():
                found = self.read_back(table, len(row))
                if found != row:
                    raise KumiError(f"Table {table} reads back as something else.")

    def read_back(self, table: int, length: int, active: bool = False) -> list[int]:
        """Entries in the memory, of the active or the inactive bank."""
        self._write("at", table | int(active) << 8)
        return [self._read("data") for _ in range(length)]

    def swap(self, wait: bool = True) -> None:
        """Activate the other bank at the next position 0."""
        self._write("command", 1)
        self.check()
        if wait:
            self._wait("position 0", 4, 0)

    def refused(self) -> tuple[int, int, int]:
        """Reason, table and entry of the first rejected write."""
        word = self._read("refused")
        return word & 15, word >> 8 & 63, word >> 16

    def check(self) -> None:
        """Raise if a write was rejected."""
        reason, table, entry = self.refused()
        if reason:
            where = f"input table of port {table - 32}" if table >= 32 else f"output table {table}"
            raise KumiError(f"The switch refuses {where}, entry {entry}: {REASONS[reason]}.")

    @property
    def running(self) -> bool:
        """Whether a table is active."""
        return bool(self._read("status") & 1)

    def timing(self, margin: int = 1, follow: int | None = None) -> None:
        """Set the margin for early words, and the link port to align to."""
        self._write("timing", margin | (0 if follow is None else 1 << 8 | follow << 16))

    def board(self, number: int) -> None:
        """Number of this board for best-effort packets."""
        self._write("board", number)

    def routes(self, port: int, targets: dict[int, int]) -> None:
        """Set the outputs of packets from a port, by destination board; None: no route."""
        self._write("count_at", port << 8)
        self._write("route_at", 0)
        last = max(targets, default=-1)
        for board in range(256 if last < 0 else last + 1):
            self._write("route", targets.get(board, NO_ROUTE))

    def fix_offset(self, port: int, offset: int | None) -> None:
        """Set a link's offset instead of measuring it; None: measure."""
        self._write("count_at", port << 8)
        self._write("link", 0 if offset is None else 1 << 15 | offset)

    def link(self, port: int) -> dict[str, int]:
        """State of a link port: up, locked, offset, number of the last TDM frame."""
        self._write("count_at", port << 8)
        word = self._read("link")
        return {
            "up": word >> 16 & 1,
            "locked": word >> 17 & 1,
            "offset": word & 0x1FF,
            "number": word >> 24,
        }

    def owner(self, port: int, owner: int) -> tuple[int, int]:
        """Counters of a circuit at an output: slots with a word, and empty slots."""
        self._write("count_at", port << 8 | owner)
        return self._read("words"), self._read("empties")

    def counters(self, port: int) -> dict[str, int]:
        """Events of a port."""
        self._write("count_at", port << 8)
        base = self._base + 0x100
        return {name: self.registers.read(base + 4 * i) for i, name in enumerate(PORT_COUNTERS)}


def decode_out(word: int) -> OutEntry:
    """Decode an output entry from the register `data`."""
    return OutEntry(word & 3, word >> 8 & 31, word >> 16 & 63)


def decode_in(word: int) -> InEntry:
    """Decode an input entry from the register `data`."""
    return InEntry(bool(word & 1), word >> 16 & 63)
