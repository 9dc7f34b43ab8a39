# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for curl, nc and iperf 2, where these are not installed: ordinary socket programs.

Run inside the cluster's network: `python -m kumihimo.demo.clients get URL`, `line HOST PORT TEXT`,
`tcp HOST BYTES`, `udp HOST BYTES`.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
import urllib.request
from collections.abc import Callable

PORT = 5001
DATAGRAM = 1470
PATIENCE_S = 120.0


def get(url: str) -> str:
    """The body of a page, as `curl URL` prints it."""
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return str(answer.read().decode())


def line(host: str, port: str, text: str) -> str:
    """Send a line and return the one that comes back, as `nc HOST PORT` does."""
    with socket.create_connection((host, int(port)), PATIENCE_S) as made:
        made.sendall(text.encode() + b"\n")
        return made.makefile(encoding="utf-8").readline().rstrip("\n")


def tcp(host: str, amount: str) -> str:
    """Zeros to an iperf server, as `iperf -c HOST -n BYTES -f m`."""
    left, start = int(amount), time.monotonic()
    with socket.create_connection((host, PORT), PATIENCE_S) as made:
        while left:
            left -= made.send(bytes(min(left, 1 << 16)))
        made.shutdown(socket.SHUT_WR)
        made.recv(1)  # the server closes when it has read everything
    return f"{int(amount) * 8 / (time.monotonic() - start) / 1e6:.1f} Mbits/sec"


def udp(host: str, amount: str) -> str:
    """Datagrams to an iperf server and its report, as `iperf -u -c HOST -n BYTES`."""
    count = -(-int(amount) // DATAGRAM)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.connect((host, PORT))
        for number in range(count):
            made.send(_datagram(number))
            time.sleep(DATAGRAM * 8 / 100e6)
        made.settimeout(5.0)
        for _ in range(int(PATIENCE_S / 5)):
            made.send(_datagram(-count))
            try:
                report = made.recv(2048)
            except TimeoutError:
                continue
            words = struct.unpack_from(">10I", report, 12)
            return f"{words[5]}/{words[7]} ({100 * words[5] / max(words[7], 1):.0f}%)"
    raise SystemExit("the server sent no report")


def _datagram(number: int) -> bytes:
    now = time.time_ns() // 1000
    return struct.pack(">iII", number, now // 1_000_000, now % 1_000_000).ljust(DATAGRAM, b"\0")


CLIENTS: dict[str, Callable[..., str]] = {"get": get, "line": line, "tcp": tcp, "udp": udp}

if __name__ == "__main__":
    print(CLIENTS[sys.argv[1]](*sys.argv[2:]))
