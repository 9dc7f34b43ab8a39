# SPDX-License-Identifier: Apache-2.0
"""Says which node keeps a cluster waiting: a design may loop for ever within one evaluation."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from .clusterfile import units
from .common.closing import Closing

STEP_S = 10.0
"""Wall time of one step of a node until it is named; an ordinary step takes less than 1 ms."""


def _tell(text: str) -> None:
    print(f"kumi: {text}", file=sys.stderr, flush=True)


class Watchdog(Closing):
    """Names a node whose step takes longer than `seconds`, again whenever that has doubled.

    A step is what a node does between two meetings with the others: some hundred cycles, its reset
    or its set-up. `now_ps` says the simulated time at which it began.
    """

    def __init__(
        self, now_ps: Callable[[], int], seconds: float, tell: Callable[[str], None] = _tell
    ) -> None:
        self._now_ps = now_ps
        self._seconds = seconds
        self._tell = tell
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="kumi-watchdog", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        from ._engine import longest_step

        limit = self._seconds
        while not self._ended.wait(min(1.0, self._seconds / 4)):
            step = longest_step()
            if step is None or step[1] < self._seconds:
                limit = self._seconds
            elif step[1] >= limit:
                limit = 2 * step[1]
                self._tell(
                    f"node {step[0]} has been computing one step, at {self._at()}, for "
                    f"{step[1]:.0f} s. Does a loop in its design never end?"
                )

    def _at(self) -> str:
        return units.format_time(self._now_ps())

    def close(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()
