# SPDX-License-Identifier: Apache-2.0
"""Ordinary sockets over the simulated link, in the time of the wall on this machine."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

from kumihimo.bench.core import BenchError
from kumihimo.common.errors import EnvironmentProblem
from kumihimo.ip_over_link.boards import LinkedBoards
from kumihimo.ip_over_link.sockets import LinkSockets

PORT = 7007
SECONDS = 240

TCP_SERVER = """
import socket, sys
server = socket.create_server((sys.argv[1], int(sys.argv[2])))
print("ready", flush=True)
c, _ = server.accept()
while data := c.recv(65536):
    c.sendall(data)
c.close()
"""
TCP_CLIENT = """
import hashlib, random, socket, sys, threading, time
data = random.Random(1).randbytes(int(sys.argv[3]))
begin = time.monotonic()
c = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=200)
threading.Thread(target=lambda: (c.sendall(data), c.shutdown(socket.SHUT_WR))).start()
back = b""
while got := c.recv(65536):
    back += got
took = time.monotonic() - begin
assert back == data, (len(back), len(data))
print(took)
"""
UDP_SERVER = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((sys.argv[1], int(sys.argv[2])))
print("ready", flush=True)
while True:
    data, who = s.recvfrom(65536)
    s.sendto(data, who)
"""
# Eight datagrams under way, so that no queue on the way overflows.
UDP_CLIENT = """
import random, socket, sys, time
rng = random.Random(2)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(60)
s.connect((sys.argv[1], int(sys.argv[2])))
left = [rng.randbytes(1400) for _ in range(-(-int(sys.argv[3]) // 1400))]
begin = time.monotonic()
sent = 0
for n, data in enumerate(left):
    while sent < len(left) and sent < n + 8:
        s.send(left[sent])
        sent += 1
    assert s.recv(65536) == data, n
print(time.monotonic() - begin)
"""


def _python(code: str, *args: object) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code, *map(str, args)]


def _echo(sockets: LinkSockets, near: str, far: str, server: str, client: str, size: int) -> float:
    """Seconds of an echo between two hosts."""
    target = sockets.circuit(far)
    there = sockets[far].popen(
        _python(server, target, PORT), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert there.stdout is not None
        if there.stdout.readline().strip() != "ready":
            raise BenchError(f"the echo server did not start: {there.communicate()[1]}")
        done = sockets[near].run(_python(client, target, PORT, size), SECONDS)
        if done.returncode:
            raise BenchError(f"the echo failed: {done.stderr.strip().splitlines()[-1:]}")
        return float(done.stdout)
    finally:
        there.kill()
        there.communicate()


def sockets(boards: LinkedBoards, name: str, size: int) -> list[dict[str, Any]]:
    """Ping, TCP and UDP over a circuit; one row that says why where there are no namespaces."""
    (near, _, _), (far, _, _) = boards.ends(name)
    try:
        links = LinkSockets(boards)
    except EnvironmentProblem as problem:
        return [{"row": "sockets", "time": "wall", "not_measured": str(problem)}]
    rows: list[dict[str, Any]] = []
    with links:
        done = links[near].run(
            ["ping", "-c", "10", "-i", "0.2", "-W", "20", links.circuit(far)], SECONDS
        )
        found = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)", done.stdout)
        if done.returncode or found is None:
            raise BenchError(f"no answer to a real ping: {done.stdout.strip()[-200:]}")
        rows.append(
            {
                "row": "ICMP",
                "time": "wall",
                "way": "TUN, DMA",
                "ours": {"ms": float(found[2]), "least_ms": float(found[1])},
            }
        )
        for kind, server, client in (
            ("TCP", TCP_SERVER, TCP_CLIENT),
            ("UDP", UDP_SERVER, UDP_CLIENT),
        ):
            begin = boards.cluster.now_ps
            seconds = _echo(links, near, far, server, client, size)
            rows.append(
                {
                    "row": f"{kind} echo",
                    "time": "wall",
                    "way": "TUN, DMA",
                    "moved_bytes": size,
                    "ours": {"ms": seconds * 1e3, "mb_per_s": 2 * size / seconds / 1e6},
                    "simulated_ms_meanwhile": (boards.cluster.now_ps - begin) * 1e-9,
                }
            )
    return rows
