# SPDX-License-Identifier: Apache-2.0
"""A model of a board's registers: identity, IP addresses and a circuit switch.

For tests and benches of the manager without hardware or simulator. It follows the switch's rules:
two banks of tables, rejected entries with their reason, a delayed swap.
"""

from __future__ import annotations

import threading
import time

from ..regs import BLOCKS, MAGIC, WINDOW, BlockInfo
from .board import Board

POSITIONS = 272
PAGES = {"id": 0, "ip": 1, "stdm": 2}


def _words(text: str) -> list[int]:
    raw = text.encode().ljust(32, b"\0")[:32]
    return [int.from_bytes(raw[i : i + 4], "little") for i in range(0, 32, 4)]


class ModelBoard(Board):
    """Registers in memory."""

    def __init__(
        self,
        name: str,
        design: str = "link",
        ports: int = 5,
        locals_: int = 1,
        channels: int = 64,
        delay: float = 0.0,
    ) -> None:
        """A switch of the given size; each access takes `delay` seconds."""
        super().__init__(name)
        self.delay = delay
        self.ports, self.locals, self.channels = ports, locals_, channels
        self.memory: dict[int, int] = {}
        self.banks: list[dict[tuple[int, int], int]] = [{}, {}]
        self.bank = 0
        self.running = False
        self.pending = 0
        self.reason = (0, 0, 0)
        self.links: dict[int, int] = {}
        self.measured: dict[int, int] = {}
        """Offsets by link port, as if measured."""
        self.routes: dict[tuple[int, int], int] = {}
        self.lock = threading.Lock()
        self._names: dict[int, str] = {}
        for key, page in PAGES.items():
            self._place(BLOCKS[key], page * WINDOW)
        self._identify(design)

    def _place(self, info: BlockInfo, base: int) -> None:
        for reg in info.regs:
            for index in range(reg.count):
                addr = base + reg.offset + index * reg.stride
                self.memory[addr] = reg.reset or 0
                self._names[addr] = f"{info.name}.{reg.name}"

    def address(self, path: str, index: int = 0) -> int:
        """Address of `block.register`."""
        block, name = path.split(".")
        reg = BLOCKS[block].reg(name)
        return PAGES[block] * WINDOW + reg.offset + index * reg.stride

    def _identify(self, design: str) -> None:
        self.memory[self.address("id.magic")] = MAGIC
        shape = BLOCKS["id"].reg("shape").fields
        word = next(f for f in shape if f.name == "blocks").insert(0, len(PAGES))
        self.memory[self.address("id.shape")] = word
        for index, word in enumerate(_words(design)):
            self.memory[self.address("id.name", index)] = word
        for index, (key, page) in enumerate(PAGES.items()):
            info = BLOCKS[key]
            self.memory[self.address("id.block_kind", index)] = int.from_bytes(
                info.kind.encode(), "little"
            )
            self.memory[self.address("id.block_place", index)] = page << 12 | info.version

    # ---- accesses -------------------------------------------------------------------------

    def read(self, addr: int, /) -> int:
        """Read the word at a byte address."""
        if self.delay:
            time.sleep(self.delay)
        with self.lock:
            name = self._names.get(addr, "")
            if name.startswith("stdm."):
                return self._read_switch(name[5:], addr)
            if addr in self.memory:
                return self.memory[addr]
        raise OSError(f"there is no register at {addr:#x}")

    def write(self, addr: int, data: int, /) -> None:
        """Write the word at a byte address."""
        if self.delay:
            time.sleep(self.delay)
        with self.lock:
            name = self._names.get(addr, "")
            if name.startswith("stdm."):
                self._write_switch(name[5:], addr, data)
            elif name.startswith("ip.") or name == "id.scratch":
                self.memory[addr] = data

    # ---- the switch -----------------------------------------------------------------------

    def _field(self, register: str, field: str) -> int:
        word = self.memory[self.address(f"stdm.{register}")]
        return next(f for f in BLOCKS["stdm"].reg(register).fields if f.name == field).extract(word)

    def _pack(self, register: str, **values: int) -> int:
        word = 0
        for info in BLOCKS["stdm"].reg(register).fields:
            word = info.insert(word, values.get(info.name, 0))
        return word

    def _read_switch(self, name: str, addr: int) -> int:
        if name == "info":
            sizes = {"ports": self.ports, "locals": self.locals, "channels": self.channels}
            return self._pack("info", **sizes, lanes=1, hybrid=1)
        if name == "status":
            waits = int(self.pending > 0)
            if self.pending:
                self.pending -= 1
                if not self.pending:
                    self.bank, self.running = 1 - self.bank, True
            return self._pack(
                "status", run=int(self.running), bank=self.bank, pending=waits, ready=1
            )
        if name == "tdm_frames":
            # Accesses advance time: one TDM frame per poll.
            self.memory[addr] = (self.memory[addr] + int(self.running)) % 2**32
            return self.memory[addr]
        if name == "refused":
            return self._pack(
                "refused", reason=self.reason[0], which=self.reason[1], entry=self.reason[2]
            )
        if name == "data":
            table, entry = self._field("at", "table"), self._field("at", "entry")
            bank = self.bank if self._field("at", "active") else 1 - self.bank
            self._advance(table, entry)
            return self.banks[bank].get((table, entry), 0)
        if name == "link":
            port = self._field("count_at", "port")
            given = self.links.get(port, 0)
            if not given & self._pack("link", fixed=1):
                given = self._pack("link", offset=self.measured.get(port, 0))
            return given | self._pack("link", up=1, locked=int(self.running))
        if name == "route":
            port, dest = self._field("count_at", "port"), self._field("route_at", "dest")
            self.memory[self.address("stdm.route_at")] = (dest + 1) % 256
            return self.routes.get((port, dest), 31)
        return self.memory[addr]

    def _advance(self, table: int, entry: int) -> None:
        active = self._field("at", "active")
        word = self._pack("at", table=table, entry=(entry + 1) % 512, active=active)
        self.memory[self.address("stdm.at")] = word

    def _write_switch(self, name: str, addr: int, data: int) -> None:
        if name == "command":
            if data & 2:
                self.reason = (0, 0, 0)
            if data & 1:
                self._swap()
        elif name == "data":
            table, entry = self._field("at", "table"), self._field("at", "entry")
            self._advance(table, entry)
            why = self._why(table, entry, data)
            if why and not self.reason[0]:
                self.reason = (why, table, entry)
            elif not why:
                self.banks[1 - self.bank][table, entry] = data
        elif name == "link":
            self.links[self._field("count_at", "port")] = data & self._pack(
                "link", offset=511, fixed=1
            )
        elif name == "route":
            port, dest = self._field("count_at", "port"), self._field("route_at", "dest")
            self.routes[port, dest] = data & 31
            self.memory[self.address("stdm.route_at")] = (dest + 1) % 256
        else:
            self.memory[addr] = data

    def _swap(self) -> None:
        slots, guard = self._field("size", "slots"), self._field("size", "guard")
        if self.reason[0]:
            return
        if not 1 <= slots <= 256:
            self.reason = (8, 0, 0)
        elif not 6 <= guard <= 16:
            self.reason = (9, 0, 0)
        else:
            self.pending = 2

    def _why(self, table: int, entry: int, data: int) -> int:
        """Reason why the switch rejects an entry; 0: accepted."""
        values = {f.name: f.extract(data) for f in BLOCKS["stdm"].reg("data").fields}
        port = table % 32
        if port >= self.ports:
            return 1
        if entry >= POSITIONS:
            return 2
        local = port < self.locals
        if table >= 32:
            if values["kind"] > 1:
                return 3
            return 5 if local and values["owner"] >= self.channels else 0
        if values["kind"] == 3:
            return 3
        if values["kind"] == 2:
            return 6 if local else 0
        if values["kind"] == 1 and values["src"] >= self.ports:
            return 4
        return 5 if values["kind"] == 1 and local and values["owner"] >= self.channels else 0
