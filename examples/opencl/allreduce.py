#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-reduce of four nodes whose kernels are written in OpenCL.

.venv/bin/python examples/opencl/allreduce.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from kumihimo import Cluster

NODES, LANES = 4, 8
DATA = 0x1_0000
ADDRESS = 0x10  # of node 0; the others follow


def all_reduce(cluster: Cluster, data: np.ndarray, count: int) -> tuple[np.ndarray, int]:
    """Sums of the rows of `data`, as node 0 and all others hold them; cycles of the slowest."""
    takes = []
    for rank in range(NODES):
        node = cluster[f"n{rank}"]
        node.memory().write(DATA, data[rank].tobytes())
        takes.append(node.kernel("take"))
        takes[-1].start(data=DATA, count=count, rank=rank)
    for rank in range(NODES):
        give = cluster[f"n{rank}"].kernel("give")
        following = ADDRESS + (rank + 1) % NODES
        give.start(data=DATA, count=count, rank=rank, own=ADDRESS + rank, next=following)
    cycles = max(take.wait("20 ms") for take in takes)
    size = data[0].nbytes
    found = [
        np.frombuffer(cluster[f"n{rank}"].memory().read(DATA, size), np.int32)
        for rank in range(NODES)
    ]
    assert all((other == found[0]).all() for other in found)
    return found[0], cycles


def main() -> None:
    """Add vectors of three sizes."""
    rng = np.random.default_rng(1)
    with Cluster(Path(__file__).with_suffix(".yaml")) as cluster:
        for count in (1, 32, 288):
            shape = (NODES, NODES * count * LANES)
            data = rng.integers(-(2**30), 2**30, shape).astype(np.int32)
            found, cycles = all_reduce(cluster, data, count)
            assert (found == data.sum(0, dtype=np.int32)).all()
            print(f"{data[0].nbytes:6} bytes on each node: {cycles:6} cycles")


if __name__ == "__main__":
    main()
