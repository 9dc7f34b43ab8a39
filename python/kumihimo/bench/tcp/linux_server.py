# SPDX-License-Identifier: Apache-2.0
"""What a TCP node serves, by the Linux kernel instead: echo, discard, iperf 2, HTTP (stdlib only).

Runs as a program of its own inside a network namespace, so that every test and bench of a TCP node
can have Linux as its target first. Prints "ready" when all ports are open.

    tcp_linux_server.py [--receive BYTES]

    7     echo, until the client closes
    9     discard
    80    HTTP/1.1, "/" and "/bytes/N"; closes first when the client asks for it, or after HTTP/1.0
    5001  server of iperf 2: discards; a client that announces a port (`iperf -c -r`) is
          connected to at that port when it has closed, and gets what it asked for
"""

from __future__ import annotations

import argparse
import contextlib
import socket
import struct
import threading
from collections.abc import Callable

ECHO, DISCARD, HTTP, IPERF = 7, 9, 80, 5001
BACKLOG = 64
KEEP_IDLE, KEEP_INTERVAL, KEEP_PROBES = 2, 1, 2
IPERF_VERSION1 = 0x80000000  # the client announces its port: it wants data in return
IPERF_RUN_NOW = 0x00000001  # at once, and not after its own
IPERF_HEADER = struct.Struct(">IiiiIi")  # flags, threads, port, buffer, rate, amount
BLOCK = 1 << 16


def echo(connection: socket.socket) -> None:
    """Send back what comes."""
    for option, value in (
        (socket.TCP_KEEPIDLE, KEEP_IDLE),
        (socket.TCP_KEEPINTVL, KEEP_INTERVAL),
        (socket.TCP_KEEPCNT, KEEP_PROBES),
    ):
        connection.setsockopt(socket.IPPROTO_TCP, option, value)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    # Urgent data are part of the stream (RFC 6093).
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    while data := connection.recv(BLOCK):
        connection.sendall(data)


def discard(connection: socket.socket) -> None:
    """Read and forget."""
    while connection.recv(BLOCK):
        pass


def pattern(count: int) -> bytes:
    """Bytes of an HTTP answer: 0 to 250, over and over."""
    return (bytes(range(251)) * (count // 251 + 1))[:count]


def http(connection: socket.socket) -> None:
    """Answer GET requests until the client or its request closes."""
    text = b""
    while True:
        while b"\r\n\r\n" not in text:
            data = connection.recv(BLOCK)
            if not data:
                return
            text += data
        head, _, text = text.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split()
        status, body = "400 Bad Request", b""
        if len(words) == 3 and words[0] == "GET":
            status, body = "404 Not Found", b""
            if words[1] == "/":
                status, body = "200 OK", b"hello\n"
            elif words[1].startswith("/bytes/") and words[1][7:].isdigit():
                status, body = "200 OK", pattern(int(words[1][7:]))
        last = words[-1:] == ["HTTP/1.0"] or any(
            line.lower().replace(" ", "") == "connection:close" for line in lines
        )
        answer = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n"
        answer += "Connection: close\r\n\r\n" if last else "\r\n"
        connection.sendall(answer.encode() + body)
        if last:  # what still comes is read, or it would be answered with RST (RFC 9112, 9.6)
            connection.shutdown(socket.SHUT_WR)
            discard(connection)
            return


def iperf(connection: socket.socket) -> None:
    """Discard; then be a client of the client, if it wants that."""
    header = b""
    while len(header) < IPERF_HEADER.size:
        data = connection.recv(IPERF_HEADER.size - len(header))
        if not data:
            return
        header += data
    flags, _, port, _, _, amount = IPERF_HEADER.unpack(header)
    peer = connection.getpeername()[0]
    back: Callable[[], None] | None = None
    if flags & IPERF_VERSION1 and 0 < port < 65536:

        def back() -> None:
            iperf_client(peer, port, amount)

        if flags & IPERF_RUN_NOW:
            threading.Thread(target=back, daemon=True).start()
    discard(connection)
    if back is not None and not flags & IPERF_RUN_NOW:
        connection.close()
        back()


def iperf_client(peer: str, port: int, amount: int) -> None:
    """Send `amount` bytes (negative: for that many hundredths of a second, here 1 MB each)."""
    left = amount if amount > 0 else -amount * 1_000_000
    with contextlib.suppress(OSError), socket.create_connection((peer, port)) as way:
        block = (b"0123456789" * (BLOCK // 10 + 1))[:BLOCK]
        header = IPERF_HEADER.pack(0, 1, port, 0, 0, amount)
        way.sendall((header + block)[: max(left, 0)])
        left -= len(header) + BLOCK
        while left > 0:
            way.sendall(block[:left])
            left -= BLOCK


SERVICES: dict[int, Callable[[socket.socket], None]] = {
    ECHO: echo,
    DISCARD: discard,
    HTTP: http,
    IPERF: iperf,
}


def listen(port: int, receive: int) -> socket.socket:
    """An open port; `receive` limits the room for data that nobody has read yet."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if receive and port == ECHO:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, receive)
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server.bind(("0.0.0.0", port))
    server.listen(BACKLOG)
    return server


def work(service: Callable[[socket.socket], None], connection: socket.socket) -> None:
    """One connection; what its peer does wrong ends it, and nothing else."""
    with connection, contextlib.suppress(OSError):
        service(connection)


def accept(server: socket.socket, service: Callable[[socket.socket], None]) -> None:
    """A thread a connection."""
    while True:
        connection, _ = server.accept()
        threading.Thread(target=work, args=(service, connection), daemon=True).start()


def main() -> None:
    """Open the ports and serve until the standard input closes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--receive", type=int, default=0)
    receive = parser.parse_args().receive
    threading.stack_size(256 << 10)
    for port, service in SERVICES.items():
        server = listen(port, receive)
        threading.Thread(target=accept, args=(server, service), daemon=True).start()
    print("ready", flush=True)
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            input()


if __name__ == "__main__":
    main()
