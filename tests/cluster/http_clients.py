# SPDX-License-Identifier: Apache-2.0
"""Clients of the HTTP server, run inside a cluster's network: `python http_clients.py NAME ...`.

Each writes to its standard output what it got.
"""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import socket
import struct
import sys
import time
from pathlib import Path

TIMEOUT_S = 100.0


def session(host: str, file: str) -> None:
    """Requests of many kinds over one connection of http.client; a JSON list of what came back."""
    data = Path(file).read_bytes()
    connection = http.client.HTTPConnection(host, timeout=TIMEOUT_S)
    requests: list[tuple[str, str, bytes | None, dict[str, str]]] = [
        ("GET", "/", None, {}),
        ("GET", "/robots.txt", None, {"Range": "bytes=5-9"}),
        ("GET", "/nothing", None, {}),
        ("POST", "/echo", data, {}),
        (
            "POST",
            "/echo",
            gzip.compress(data),
            {"Content-Encoding": "gzip", "Accept-Encoding": "gzip"},
        ),
        ("PUT", "/gunzip", gzip.compress(data), {"Content-Encoding": "gzip"}),
        ("HEAD", "/status", None, {}),
    ]
    got = []
    for method, path, body, headers in requests:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = base64.b64encode(response.read()).decode()
        got.append([response.status, response.getheader("Content-Encoding"), text])
    connection.close()
    print(json.dumps(got))


def slow(host: str, file: str, rate: str, seconds: str) -> None:
    """Reads so many bytes a second for so long, with a small window, then the rest."""
    data = Path(file).read_bytes()
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(TIMEOUT_S)
        sock.connect((host, 80))
        head = f"POST /gunzip HTTP/1.0\r\nContent-Length: {len(data)}\r\n\r\n"
        sock.sendall(head.encode() + data)
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            sys.stdout.buffer.write(sock.recv(max(1, int(rate) // 10)))
            time.sleep(0.1)
        while part := sock.recv(65536):
            sys.stdout.buffer.write(part)


def raw(host: str, port: str, file: str) -> None:
    """A message of raw framing; the pieces of the response, joined."""
    data = Path(file).read_bytes()
    with socket.create_connection((host, int(port)), TIMEOUT_S) as sock:
        stream = sock.makefile("rwb")
        stream.write(struct.pack(">I", len(data)) + data)
        stream.flush()
        while size := struct.unpack(">I", stream.read(4))[0]:
            sys.stdout.buffer.write(stream.read(size))


if __name__ == "__main__":
    {"session": session, "slow": slow, "raw": raw}[sys.argv[1]](*sys.argv[2:])
