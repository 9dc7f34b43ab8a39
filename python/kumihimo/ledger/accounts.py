# SPDX-License-Identifier: Apache-2.0
"""One account: what came in, and the counters that say what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Item:
    """A counter that is not zero: its name, its value and what it says."""

    name: str
    count: int
    text: str


def items(found: Iterable[tuple[str, int, str]]) -> list[Item]:
    """Items of the counters that are not zero."""
    return [Item(name, count, text) for name, count, text in found if count]


NOT_READ = "its registers were not all read"


@dataclass
class Account:
    """Frames that came in somewhere = those that went on + dropped + still inside + unexplained."""

    where: str
    kind: str
    """node, node output, switch, cable, tap, peer or script."""
    came_in: int
    added: list[Item] = field(default_factory=list)
    """Copies made here."""
    went: list[Item] = field(default_factory=list)
    dropped: list[Item] = field(default_factory=list)
    inside: int = 0
    uncertain: int = 0
    """Frames that moved while the counters were read, one after another."""
    later: list[Item] = field(default_factory=list)
    """Drops of parts of what went on, outside the sum."""
    counted: bool = True
    """Whether counters tell what became of each frame."""
    note: str = ""

    @property
    def drops(self) -> int:
        """Frames dropped, whatever the reason."""
        return sum(item.count for item in self.dropped)

    @property
    def remainder(self) -> int:
        """Frames that no counter accounts for."""
        there = sum(item.count for item in (*self.went, *self.dropped)) + self.inside
        return self.came_in + sum(item.count for item in self.added) - there

    @property
    def unexplained(self) -> int:
        """The remainder, where counters should leave none."""
        return self.remainder if self.counted and abs(self.remainder) > self.uncertain else 0

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "drops": self.drops, "unexplained": self.unexplained}
