# SPDX-License-Identifier: Apache-2.0
"""The account of circuits between boards joined by serial links, from the boards' registers."""

from __future__ import annotations

from collections.abc import Iterator

from .accounts import Account, Item, items
from .drops import reason
from .nodes import CIRCUITS, description
from .wires import Stats

_DAMAGE = ("bad", "truncated", "hunt")


def _named(blocks: dict[str, dict[str, int]], node: str, counter: str) -> list[Item]:
    """The counter of each circuit of a board."""
    text = reason(description(CIRCUITS, counter))
    counts = blocks[CIRCUITS].items()
    found = [(name, count) for name, count in counts if name.partition("[")[0] == counter]
    return items((f"{node}.{CIRCUITS}.{name}", int(count), text) for name, count in found)


def circuits(stats: Stats) -> Iterator[Account]:
    """All packets that were given to a circuit, and what became of them at its other end.

    A packet whose header is lost on the way is not received at all: with damage on the line the
    sum need not close.
    """
    registers = stats.get("registers", {}).items()
    boards = {name: seen["blocks"] for name, seen in registers if CIRCUITS in seen["blocks"]}
    if not boards:
        return
    sums = {
        counter: sum(item.count for n in boards for item in _named(boards[n], n, counter))
        for counter in ("sent", "dropped", "good", "full", *_DAMAGE)
    }
    account = Account(", ".join(boards), "circuits", sums["sent"] + sums["dropped"])
    account.went = items([("", sums["good"] - sums["full"], "received")])
    for node, blocks in boards.items():
        for counter in ("dropped", "full", "bad", "truncated"):
            account.dropped += _named(blocks, node, counter)
    account.inside = max(0, account.remainder)
    if any(sums[counter] for counter in _DAMAGE):
        account.counted, account.inside = False, 0
        account.note = "words were lost on the links, and with a header its whole packet"
    if account.came_in or account.drops:
        yield account
