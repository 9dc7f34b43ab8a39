# SPDX-License-Identifier: Apache-2.0
"""A cable between two TAPs in wall time: rate, delay and loss, slow enough for a script to keep.

It is a line with a sender's queue in front of it: frames are read from a TAP when the line is free,
what waits is in Linux, which pushes back on its sockets as over a network card.
"""

from __future__ import annotations

import heapq
import os
import random
import select
import threading
import time
from types import TracebackType

from kumihimo.bench.tcp.linux_host import read_frame

OVERHEAD = 24  # bytes of a frame: preamble, FCS, gap
SLACK = 0.002  # seconds of frames that are read ahead of the line: a script wakes up late


class Losses:
    """Each frame is lost with the same chance, as on the engine's cables."""

    def __init__(self, chance: float, seed: int) -> None:
        self._rng = random.Random(seed)
        self._chance = chance

    def next(self) -> bool:
        """Whether the next frame is lost."""
        return self._rng.random() < self._chance


class SlowCable:
    """Joins two TAPs while it is entered."""

    def __init__(self, fds: tuple[int, int], rate_bps: float, delay_s: float, loss: float) -> None:
        self._fds = fds
        self._byte_s = 8 / rate_bps
        self._delay = delay_s
        self._losses = [Losses(loss, seed) for seed in (1, 2)]
        self._line = [0.0, 0.0]  # when each direction is free
        self._under_way: list[tuple[float, int, int, bytes]] = []
        self.frames = self.lost = 0
        self.late = 0.0  # the most that a frame came later than it should
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._drive, daemon=True)

    def _take(self, way: int, now: float) -> None:
        """Put what waits onto a free line."""
        while self._line[way] <= now + SLACK:
            frame = read_frame(self._fds[way])
            if frame is None:
                return
            self._line[way] = max(self._line[way], now) + (len(frame) + OVERHEAD) * self._byte_s
            self.frames += 1
            if self._losses[way].next():
                self.lost += 1
            else:
                due = self._line[way] + self._delay
                heapq.heappush(self._under_way, (due, self.frames, 1 - way, frame))

    def _drive(self) -> None:
        while not self._stop.is_set():
            now = time.monotonic()
            while self._under_way and self._under_way[0][0] <= now:
                due, _, way, frame = heapq.heappop(self._under_way)
                self.late = max(self.late, now - due)
                os.write(self._fds[way], frame)
            free = []
            wake = now + 0.1
            for way in (0, 1):
                self._take(way, now)
                if self._line[way] <= now + SLACK:
                    free.append(self._fds[way])
                else:
                    wake = min(wake, self._line[way] - SLACK)
            if self._under_way:
                wake = min(wake, self._under_way[0][0])
            select.select(free, [], [], max(wake - time.monotonic(), 0))

    def __enter__(self) -> SlowCable:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
