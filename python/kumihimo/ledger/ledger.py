# SPDX-License-Identifier: Apache-2.0
"""The ledger of a run: every account, and whether they balance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..common.errors import KumiError
from .accounts import Account, Item
from .boards import circuits
from .nodes import nodes
from .wires import cables, outside, switches


@dataclass
class Ledger:
    """Accounts of the nodes and their circuits, then of switches, cables and the cluster's ends."""

    accounts: list[Account]
    now_ps: int = 0
    registers: bool = True
    """Whether the counters of the nodes' registers were there."""

    @classmethod
    def of(cls, stats: Mapping[str, Any]) -> Ledger:
        """From a snapshot, or a file that `--stats` wrote."""
        if "nodes" not in stats or "cables" not in stats:
            raise KumiError("These are not the counters of a cluster.", "`--stats` writes them.", 2)
        found = dict(stats)
        rooms = (nodes, circuits, switches, cables, outside)
        accounts = [account for room in rooms for account in room(found)]
        now = int(found.get("engine", {}).get("now_ps", 0))
        return cls(accounts, now, "registers" in found)

    @property
    def unexplained(self) -> int:
        """Frames that no counter accounts for."""
        return sum(abs(account.unexplained) for account in self.accounts)

    @property
    def drops(self) -> list[tuple[str, Item]]:
        """Where and by which counter frames were dropped, the most frequent first."""
        found = [(a.where, item) for a in self.accounts for item in a.dropped]
        return sorted(found, key=lambda pair: -pair[1].count)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "now_ps": self.now_ps,
            "balanced": self.unexplained == 0,
            "unexplained": self.unexplained,
            "drops": [
                {"where": where, "counter": item.name, "count": item.count, "why": item.text}
                for where, item in self.drops
            ],
            "accounts": [account.document() for account in self.accounts],
        }
