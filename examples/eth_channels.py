#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages between two FPGAs through the channels of their Ethernet controllers.

    .venv/bin/python examples/eth_channels.py

What an OpenCL kernel does with the four channels is done here from Python: the address and the
length of a message go into one channel, its bytes into another, and come out at the far end.
"""

from __future__ import annotations

import random
from pathlib import Path

from kumihimo import Cluster


def main() -> None:
    """Send messages of growing size from alice to bob, and back what came."""
    rng = random.Random(1)
    with Cluster(Path(__file__).with_suffix(".yaml")) as cluster:
        alice, bob = cluster["alice"], cluster["bob"]
        for size in (1, 32, 1000, 9192, 100_000):
            data = rng.randbytes(size)
            send(alice, int(bob.mac.replace(":", ""), 16), data)
            got = bob.channel("receive_data").read(timeout="200 us")
            info = bob.channel("receive_info").read()
            assert got == data and info["left"] == size
            send(bob, info["addr"], got)  # back to whoever sent it
            assert alice.channel("receive_data").read(timeout="200 us") == data
            print(f"{size:7,} bytes there and back at {cluster.now_ps / 1e6:8.2f} us")
        print("frames:", bob.regs.eth_port.counters("rx_counters")["rx_ok"])


def send(node, addr: int, data: bytes) -> None:  # type: ignore[no-untyped-def]
    """One message: where to and how long, then its bytes."""
    node.channel("set_dest_addr_count").write(addr=addr, count=len(data))
    node.channel("send_data").write(data)


if __name__ == "__main__":
    main()
