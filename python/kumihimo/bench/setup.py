# SPDX-License-Identifier: Apache-2.0
"""The configuration that a figure was measured with, and whether the node ships so.

A node ships with the default parameters of its module and the reset values of its registers. What
every node must be given (addresses, the clock's period) is no part of a configuration.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kumihimo.build.defaults import defaults


def reset_value(name: str) -> int | None:
    """Reset value of `block.register` or `block.register.field`; None when hardware drives it."""
    block, register, *rest = name.split(".")
    info = importlib.import_module(f"kumihimo.regs.generated.{block}").BLOCK.reg(register)
    if not rest:
        return None if info.reset is None else int(info.reset)
    return next((f.reset for f in info.fields if f.name == rest[0]), None)


@dataclass(frozen=True)
class Setup:
    """A configuration.

    design:    node or block; "" for software alone, which ships as it is.
    params:    parameters that were given.
    registers: registers that were written, `block.register` or `block.register.field`.
    note:      what else a reader has to know, such as the line and the frame size.
    node:      for a block measured alone: the node whose default parameters it ships with.
    """

    design: str
    params: Mapping[str, int] = field(default_factory=dict)
    registers: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    node: str = ""

    @property
    def shipped(self) -> bool:
        """Whether the node ships so."""
        if not self.design:
            return True
        usual = defaults(self.node or self.design)
        if usual is None:
            return False
        if any(usual.get(name) != value for name, value in self.params.items()):
            return False
        return all(reset_value(name) == value for name, value in self.registers.items())

    @property
    def text(self) -> str:
        """One line for people."""
        words = [self.design.removeprefix("kumi_node_") or "software"]
        words += [f"{name}={value}" for name, value in self.params.items()]
        words += [f"{name}={value}" for name, value in self.registers.items()]
        if self.design and not self.params and not self.registers:
            words.append("with its defaults")
        return " ".join(words) + (f"; {self.note}" if self.note else "")

    def as_row(self) -> dict[str, Any]:
        """The keys of a row or a figure."""
        return {"configuration": self.text, "shipped": self.shipped}


SOFTWARE = Setup("")
