#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages between two FPGAs whose kernels are written in OpenCL.

.venv/bin/python examples/opencl/ethernet.py
"""

from __future__ import annotations

import random
from pathlib import Path

from kumihimo import Cluster

FROM, TO = 0x1_0000, 0x1000_0000  # addresses in the nodes' memories


def main() -> None:
    """Send memory of alice to bob, and compare what arrives."""
    with Cluster(Path(__file__).with_suffix(".yaml")) as cluster:
        alice, bob = cluster["alice"], cluster["bob"]
        sender, receiver = alice.kernel("sender"), bob.kernel("receiver")
        for words in (1, 287, 4000):
            data = random.Random(words).randbytes(32 * words)
            alice.memory().write(FROM, data)
            receiver.start(data=TO, count=words)
            sender.run(data=FROM, count=words, own=0xA, addr=0xB)
            cycles = receiver.wait()
            assert bob.memory().read(TO, len(data)) == data
            print(f"{words:5} words in {cycles:6} cycles of the receiver")


if __name__ == "__main__":
    main()
