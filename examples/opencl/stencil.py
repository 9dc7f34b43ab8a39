#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stencil that is streamed over boards: each makes one step on what passes through it.

.venv/bin/python examples/opencl/stencil.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from kumihimo import Cluster

FROM, TO = 0x1_0000, 0x1000_0000
SOURCE, STEP1, STEP2, SINK = range(0x20, 0x24)


def smooth(cells: np.ndarray) -> np.ndarray:
    """One step."""
    line = np.concatenate([[0], cells, [0]])
    return (line[:-2] + 2 * line[1:-1] + line[2:]) >> 2


def stream(cluster: Cluster, cells: np.ndarray) -> tuple[np.ndarray, int]:
    """Cells after the steps of all boards; cycles of the last one."""
    count = len(cells) // 8
    cluster["source"].memory().write(FROM, cells.tobytes())
    receiver = cluster["sink"].kernel("receiver")
    receiver.start(data=TO, count=count)
    cluster["step2"].kernel("smooth").start(count=count, own=STEP2, addr=SINK)
    cluster["step1"].kernel("smooth").start(count=count, own=STEP1, addr=STEP2)
    cluster["source"].kernel("sender").start(data=FROM, count=count, own=SOURCE, addr=STEP1)
    cycles = receiver.wait("20 ms")
    return np.frombuffer(cluster["sink"].memory().read(TO, cells.nbytes), np.int32), cycles


def main() -> None:
    """Lines of three lengths."""
    rng = np.random.default_rng(1)
    with Cluster(Path(__file__).with_suffix(".yaml")) as cluster:
        for count in (1, 300, 2000):
            cells = rng.integers(-(2**20), 2**20, 8 * count).astype(np.int32)
            found, cycles = stream(cluster, cells)
            assert (found == smooth(smooth(cells))).all()
            print(f"{len(cells):6} cells, two steps: {cycles:6} cycles")


if __name__ == "__main__":
    main()
