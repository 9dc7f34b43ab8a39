# SPDX-License-Identifier: Apache-2.0
"""The interface of a running cluster that its nodes, channels and disks use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .._engine import Engine

RunProgress = Callable[[int, int], None]


class RunningCluster(Protocol):
    """A started cluster."""

    @property
    def engine(self) -> Engine:
        """The compiled engine."""
        ...

    @property
    def now_ps(self) -> int:
        """Simulated time since start, in picoseconds."""
        ...

    @property
    def is_serving(self) -> bool:
        """Whether another thread advances the cluster."""
        ...

    def run(self, time: str | int, progress: RunProgress | None = None) -> int:
        """Advance by a simulated time; returns the time now, in picoseconds."""
        ...

    def stats(self) -> dict[str, Any]:
        """Every counter of the engine."""
        ...
