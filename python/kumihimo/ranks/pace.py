# SPDX-License-Identifier: Apache-2.0
"""How far ranks advance from meeting to meeting."""

from __future__ import annotations

SEGMENT_S = 0.05
"""Wall time between two meetings of all ranks in a run; calls of other threads wait for one."""
LIVE_S = 0.005
"""The same while Linux or a peer may send."""
MOST_PS = 10**9


class Pace:
    """Simulated time that takes about so much wall time."""

    def __init__(self, seconds: float, least_ps: int) -> None:
        self._seconds = seconds
        self._least = least_ps
        self.ps = 4 * least_ps

    def took(self, ps: int, seconds: float) -> None:
        """Measure a segment."""
        fitting = ps * self._seconds / max(seconds, 1e-6)
        self.ps = int(max(self._least, min(fitting, 2 * self.ps, MOST_PS)))
