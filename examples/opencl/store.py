#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A key-value store in an FPGA, asked by a program that runs on Linux.

.venv/bin/python examples/opencl/store.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kumihimo import Cluster

CLIENT = """
import json, socket, struct, sys
peer = (sys.argv[1], 6000)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(30)
out = []
for n, (what, key, value) in enumerate(json.loads(sys.argv[2])):
    s.sendto(struct.pack("<B3sIQ", what, n.to_bytes(3, "little"), key, value), peer)
    status, tag, k, v = struct.unpack("<B3sIQ", s.recv(64))
    assert int.from_bytes(tag, "little") == n and k == key
    out.append((status, v))
print(json.dumps(out))
"""
GET, PUT, DELETE = range(3)
DONE, MISSING, FULL = range(3)


def ask(cluster: Cluster, requests: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Send requests (operation, key, value) one by one from Linux; status and value of each."""
    command = ["python3", "-c", CLIENT, str(cluster["store"].ip), json.dumps(requests)]
    done = cluster.namespace.run(command)
    if done.returncode:
        sys.exit(done.stderr)
    return [(status, value) for status, value in json.loads(done.stdout)]


def main() -> None:
    """Put, get, delete."""
    with Cluster(Path(__file__).with_suffix(".yaml")) as cluster, cluster.serving():
        requests = [(PUT, 7, 49), (PUT, 8, 64), (GET, 7, 0), (DELETE, 7, 0), (GET, 7, 0)]
        for request, answer in zip(requests, ask(cluster, requests), strict=True):
            print(request, "->", answer)


if __name__ == "__main__":
    main()
