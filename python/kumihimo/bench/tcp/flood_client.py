# SPDX-License-Identifier: Apache-2.0
"""Clients of a node under a flood: `flood_client.py ADDRESS PORT COUNT BYTES SECONDS`.

All connect at once. Each sends its bytes of the test stream (kumi_tcp_pattern), closes, and waits
until the node has closed. A line of JSON for each: the seconds that connecting took, or why it
failed. SECONDS: how long a client tries.
"""

import json
import socket
import sys
import threading
import time


def pattern(size: int, salt: int) -> bytes:
    """The first bytes of a test stream."""
    return bytes((at ^ at >> 8 ^ at >> 16 ^ at >> 24 ^ salt) & 0xFF for at in range(size))


def client(address: str, port: int, data: bytes, seconds: float) -> None:
    """One connection, from SYN to the last FIN."""
    begin = time.monotonic()
    try:
        with socket.create_connection((address, port), seconds) as conn:
            took = time.monotonic() - begin
            conn.sendall(data)
            conn.shutdown(socket.SHUT_WR)
            rest = conn.recv(1)
        print(json.dumps({"connected_s": took, "closed": rest == b""}), flush=True)
    except OSError as problem:
        print(json.dumps({"problem": str(problem)}), flush=True)


def main(address: str, port: str, count: str, size: str, seconds: str) -> None:
    """All clients at once."""
    threads = [
        threading.Thread(target=client, args=(address, int(port), data, float(seconds)))
        for data in (pattern(int(size), salt) for salt in range(int(count)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
