#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matrix product by a kernel that is written in OpenCL, from and to the board's memory.

.venv/bin/python examples/opencl/matmul.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from kumihimo import Cluster
from kumihimo.host import allocate


def product(cluster: Cluster, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, int]:
    """The product, and the kernel's cycles."""
    board = cluster["board"]
    left, right, out = (allocate(a.shape, np.float32, target=board) for _ in range(3))
    with left, right, out:
        left[:], right[:] = a, b
        cycles = board.kernel("matmul").run(left, right, out, len(a), timeout="20 ms")
        return np.array(out), cycles


def main() -> None:
    """Two random matrices."""
    rng = np.random.default_rng(1)
    with Cluster(Path(__file__).with_suffix(".yaml")) as cluster:
        for n in (8, 24):
            a, b = (rng.normal(size=(n, n)).astype(np.float32) for _ in range(2))
            found, cycles = product(cluster, a, b)
            assert np.allclose(found, a @ b, rtol=1e-4, atol=1e-5)
            print(f"{n} x {n}: {cycles} cycles")


if __name__ == "__main__":
    main()
