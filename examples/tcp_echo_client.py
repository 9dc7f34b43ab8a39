#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An ordinary TCP program: connections to an echo server, every byte that returns is compared.

    python3 tcp_echo_client.py 10.77.0.30 --connections 8 --bytes 200000

It knows nothing of simulation. All connections are open at once; each one sends random bytes in
pieces of random size while it reads, closes its sending side, and reads until the server closes.
It waits patiently, because the far end may be slow. Exit code 0: everything came back intact.
"""

from __future__ import annotations

import argparse
import json
import random
import selectors
import socket
import sys
import time


class Echo:
    """One connection."""

    def __init__(self, host: str, port: int, size: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.data = self.rng.randbytes(size)
        self.sent = self.got = 0
        self.closed = False  # our sending side
        self.error = ""
        self.socket = socket.create_connection((host, port), timeout=120)
        self.socket.setblocking(False)

    def write(self) -> None:
        """Send a piece; after the last one close the sending side."""
        piece = self.data[self.sent : self.sent + self.rng.randint(1, 40_000)]
        if piece:
            self.sent += self.socket.send(piece)
        if self.sent == len(self.data):
            self.socket.shutdown(socket.SHUT_WR)
            self.closed = True

    def read(self) -> bool:
        """Take and compare what is there; False at the end."""
        piece = self.socket.recv(1 << 16)
        if piece != self.data[self.got : self.got + len(piece)]:
            self.error = f"wrong bytes near {self.got}"
            return False
        self.got += len(piece)
        if piece:
            return True
        if self.got != len(self.data):
            self.error = f"closed after {self.got} of {len(self.data)} bytes"
        return False

    def events(self) -> int:
        """What to wait for."""
        return selectors.EVENT_READ | (0 if self.closed else selectors.EVENT_WRITE)


def converse(options: argparse.Namespace) -> dict[str, object]:
    """All connections until the last one ends."""
    start = time.monotonic()
    echoes = [
        Echo(options.host, options.port, options.bytes, options.seed * 1000 + n)
        for n in range(options.connections)
    ]
    end = start + options.timeout
    with selectors.DefaultSelector() as waiting:
        for echo in echoes:
            waiting.register(echo.socket, echo.events(), echo)
        while waiting.get_map() and time.monotonic() < end:
            for key, ready in waiting.select(1):
                echo = key.data
                try:
                    if ready & selectors.EVENT_WRITE and not echo.closed:
                        echo.write()
                        waiting.modify(echo.socket, echo.events(), echo)
                    open_ = not ready & selectors.EVENT_READ or echo.read()
                except OSError as error:
                    echo.error, open_ = str(error), False
                if not open_:
                    waiting.unregister(echo.socket)
                    echo.socket.close()
        for key in waiting.get_map().values():
            key.data.error = f"no end within {options.timeout} s, {key.data.got} bytes came back"
    errors = [echo.error for echo in echoes if echo.error]
    return {
        "ok": not errors,
        "connections": len(echoes),
        "payload_bytes": sum(echo.got for echo in echoes),
        "errors": errors,
        "wall_s": time.monotonic() - start,
    }


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog="Example: tcp_echo_client.py 10.77.0.30 --connections 100 --bytes 10000",
    )
    parser.add_argument("host", help="name or address of the echo server")
    parser.add_argument("--port", type=int, default=7, help="TCP port (7)")
    parser.add_argument("--connections", type=int, default=1, help="at the same time (1)")
    parser.add_argument("--bytes", type=int, default=100_000, help="a connection (100000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random bytes (1)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for everything (600)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args()
    result = converse(options)
    if options.json:
        print(json.dumps(result))
    else:
        rate = float(str(result["payload_bytes"])) * 8 / float(str(result["wall_s"])) / 1e6
        print(
            f"{result['connections']} connections, {result['payload_bytes']} bytes came back, "
            f"{rate:.1f} Mbit/s, " + ("all equal" if result["ok"] else f"WRONG: {result['errors']}")
        )
    return 0 if result["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
