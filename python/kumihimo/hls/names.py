# SPDX-License-Identifier: Apache-2.0
"""Names of the source as names of SystemVerilog."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


_KEYWORDS = words(
    "always and assign automatic begin bit buf byte case cell cell config const context continue "
    "cover default design disable do edge else end enum event expect export extends extern final "
    "first_match for force forever fork function generate genvar global if import initial inout "
    "input inside instance int integer interface join large library local localparam logic longint "
    "macromodule matches medium modport module nand negedge new nor not null or output package "
    "parameter posedge primitive priority process program property protected pull0 pull1 pulldown "
    "pullup pure rand real ref reg release repeat return scalared sequence shortint shortreal "
    "signed small solve specify static string strong struct super supply0 supply1 table tagged "
    "task this throughout time tri type typedef union unique unsigned use var vectored "
    "virtual void wait wand weak while wildcard wire with within wor xnor xor "
    "clk rst start busy done stall args"
)


class Names:
    """Unique names of one module."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def exact(self, wanted: str) -> str:
        """The wanted name; only a keyword gets an underscore."""
        name = f"{wanted}_" if _taken(wanted) else wanted
        self._used.add(name)
        return name

    def new(self, wanted: str) -> str:
        """A name like the wanted one that is valid and free.

        The numbers that LLVM appends to a repeated name are left out where the name is free.
        """
        text = re.sub(r"\W+", "_", wanted).strip("_") or "value"
        if text[0].isdigit():
            text = f"n{text}"
        for candidate in (re.sub(r"(_\d+|(?<=\D)\d{2,})$", "", text), text):
            if candidate and candidate not in self._used and not _taken(candidate):
                self._used.add(candidate)
                return candidate
        number = 2
        while f"{text}_{number}" in self._used:
            number += 1
        self._used.add(f"{text}_{number}")
        return f"{text}_{number}"

    def made(self, stem: str) -> str:
        """A free name of what a pass makes out of something named: the stem, numbered if taken."""
        name, number = stem, 1
        while name in self._used or _taken(name):
            number += 1
            name = f"{stem}_{number}"
        self._used.add(name)
        return name


def _taken(name: str) -> bool:
    """Keywords, and the shapes that registers and ports made from other names have."""
    return name in _KEYWORDS or bool(re.search(r"(_q|_s\d+|_d|_p\d+|_go|_take)$", name))
