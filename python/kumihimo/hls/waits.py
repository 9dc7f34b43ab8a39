# SPDX-License-Identifier: Apache-2.0
"""Where a kernel may wait, for registers that show it: a bit for each channel and line."""

from __future__ import annotations

from dataclasses import dataclass

from .ops import Op

_MEMORY = {
    "load_issue": "waits for memory to take a load",
    "load_result": "waits for memory to answer a load",
    "store": "waits for memory to take a store",
    "fence": "waits at a fence for its stores",
    "drain": "waits for its stores",
    "fsum_take": "waits for a sum",
}


@dataclass(frozen=True)
class Wait:
    """A bit of the register: its name, and the rest of a sentence that begins with the kernel."""

    name: str
    text: str


def wait_of(op: Op) -> Wait:
    """What a kernel waits for at an operation."""
    line = op.place.line
    where = f" ({op.place.file.rsplit('/', 1)[-1]}:{line})" if line else ""
    if op.channel is None:
        return Wait(f"{op.kind}_l{line}", f"{_MEMORY[op.kind]}{where}")
    reads = op.kind.startswith("chan_read")
    verb = "read" if reads else "write"
    other = op.channel.writer if reads else op.channel.reader
    whose = f", which {other} {'writes' if reads else 'reads'}" if other else ", a port of the node"
    name = f"{verb}_{op.channel.name}_l{line}"
    return Wait(name, f"waits to {verb} {op.channel.source}{whose}{where}")
