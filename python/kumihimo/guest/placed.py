# SPDX-License-Identifier: Apache-2.0
"""Guests of a cluster file (`guests:`): what boots at which socket."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import card, uml
from .process import GuestProcess, require

if TYPE_CHECKING:
    from ..clusterfile import Plan

PAIRS, MTU = 4, 9000  # of a card whose node does not say


@dataclass(frozen=True)
class Placed:
    """A guest as it boots in a run. What concerns the card is for QEMU, which does not ask it."""

    socket: str
    kind: str = "uml"
    memory: str = "256M"
    script: str | None = None
    """That of the cluster file."""
    mac: str = "02:bb:00:00:00:01"
    pairs: int = PAIRS
    mtu: int = MTU

    @property
    def title(self) -> str:
        """Its kind in words."""
        return "Debian's Linux in QEMU" if self.kind == "qemu" else "Linux in user mode"

    def check(self) -> None:
        """Raise with the Debian packages without which it cannot boot."""
        require(card.missing() if self.kind == "qemu" else uml.missing())

    def boot(self, script: str | None) -> GuestProcess:
        """Boot it with these shell commands, or with None for a shell at this terminal."""
        if self.kind == "qemu":
            return card.CardGuest(
                self.socket, script, self.memory, pairs=self.pairs, mtu=self.mtu, mac=self.mac
            )
        return uml.Guest(self.socket, script, self.memory)


def socket(folder: Path, name: str) -> Path:
    """Where a guest finds its card, in the folder of its run."""
    return folder / f"{name}.sock"


def placed(plan: Plan, name: str, folder: Path) -> Placed:
    """A guest of a plan, in the folder of a run."""
    spec = plan.guests[name]
    node = plan.nodes[plan.hosts[name].end.name]

    def number(param: str, usual: int) -> int:
        value = node.spec.params.get(param, usual)
        return value if isinstance(value, int) else usual

    return Placed(
        str(socket(folder, name)),
        spec.kind,
        f"{spec.memory >> 20}M",
        spec.script,
        node.mac,
        number("PAIRS", PAIRS),
        number("MTU", MTU),
    )
