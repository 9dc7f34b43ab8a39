# SPDX-License-Identifier: Apache-2.0
"""What a cluster does by itself while it runs: at simulated times, and when conditions hold."""

from __future__ import annotations

import time
from bisect import insort
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .watch import Watch

POLL_PS = 10_000_000
"""Simulated time between two looks at conditions where the wall clock plays no part."""
POLL_SHARE = 0.05
"""Largest share of the wall time that looking at conditions may take."""


class Timed(NamedTuple):
    """Something to do at a simulated time."""

    at: int
    do: Callable[[], None]


class Waiting(NamedTuple):
    """Something to do once, as soon as a condition holds."""

    watch: Watch
    do: Callable[[], None]
    number: int = 0
    """Of the event in the cluster file."""


class Timeline:
    """Things to do, in the order of time, and those that wait for a condition."""

    def __init__(
        self,
        timed: Sequence[Timed] = (),
        waiting: Sequence[Waiting] = (),
        done: Sequence[int] = (),
    ) -> None:
        """Of these; see `Assembly.schedule`."""
        self._timed = deque(sorted(timed, key=lambda item: item.at))
        self._waiting = list(waiting)
        self._done = list(done)
        self._next_look = 0.0

    def stop(self, now: int) -> int | None:
        """Time up to which the cluster may run before it asks again."""
        times = [self._timed[0].at] if self._timed else []
        return min([*times, now + POLL_PS] if self._waiting else times, default=None)

    def next_ps(self) -> int | None:
        """Time of the next thing to do."""
        return self._timed[0].at if self._timed else None

    def add(self, at: int, do: Callable[[], None]) -> None:
        """Do something at a time, after what is to be done then already."""
        insort(self._timed, Timed(at, do), key=lambda item: item.at)

    def done(self) -> tuple[int, ...]:
        """Numbers of the events whose condition held."""
        return tuple(self._done)

    def do_due(self, now: int) -> None:
        """Do what is due."""
        while self._timed and self._timed[0].at <= now:
            self._timed.popleft().do()

    def look(self) -> None:
        """Do what waits for a condition that holds."""
        for item in list(self._waiting):
            if item.watch.poll():
                self._waiting.remove(item)
                self._done.append(item.number)
                item.do()

    def look_sometimes(self, watch: Watch | None) -> None:
        """`look`, and at `watch`, as often as POLL_SHARE allows."""
        began = time.monotonic()
        if began < self._next_look or not (self._waiting or watch):
            return
        self.look()
        if watch is not None:
            watch.poll()
        ended = time.monotonic()
        self._next_look = ended + (ended - began) * (1 / POLL_SHARE - 1)
