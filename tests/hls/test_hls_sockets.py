# SPDX-License-Identifier: Apache-2.0
"""Channels bound to TCP and UDP sockets: kernels answer programs on Linux."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo import Cluster

TEXT = """\
name: sockets
nodes:
  node: {{design: {design}, ip: 10.77.0.10/24, timers: fast}}
cables:
  - {{between: [node.eth0, host0], rate: 10 Gb/s, latency: 500 ns}}
taps:
  host0: {{ip: 10.77.0.1/24, mtu: 1500}}
"""
STREAM = """
import socket, sys
s = socket.create_connection((sys.argv[1], 7000), timeout=60)
s.sendall(bytes.fromhex(sys.argv[2]))
s.shutdown(socket.SHUT_WR)
data = b""
while piece := s.recv(65536):
    data += piece
print(data.hex())
"""
DATAGRAM = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(60)
s.sendto(bytes.fromhex(sys.argv[2]), (sys.argv[1], 900))
print(s.recv(65536).hex())
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    file = tmp_path_factory.mktemp("sockets") / "sockets.yaml"
    file.write_text(TEXT.format(design=Path(__file__).with_name("sockets.cl")), encoding="utf-8")
    with Cluster(file) as running, running.serving():
        yield running


def ask(cluster: Cluster, program: str, data: bytes) -> bytes:
    done = cluster.namespace.run(["python3", "-c", program, str(cluster["node"].ip), data.hex()])
    assert done.returncode == 0, done.stderr
    return bytes.fromhex(done.stdout)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 1460, 10_000])
def test_stream(cluster: Cluster, size: int) -> None:
    """Every byte comes back inverted, and the end of the stream is answered by its end."""
    data = random.Random(size).randbytes(size)
    assert ask(cluster, STREAM, data) == bytes(255 - b for b in data)


@pytest.mark.parametrize("size", [0, 1, 8, 13, 1472])
def test_datagram(cluster: Cluster, size: int) -> None:
    """The words in the other order, the last one filled with zeros, as many bytes as came."""
    data = random.Random(size).randbytes(size)
    padded = data + bytes(-size % 8)
    words = [padded[i : i + 8] for i in range(0, len(padded), 8)]
    assert ask(cluster, DATAGRAM, data) == b"".join(words[::-1])[:size]
