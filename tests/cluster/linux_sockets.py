# SPDX-License-Identifier: Apache-2.0
"""Sockets of a cluster's Linux host, used step by step from a test.

`Linux` is the test's end; it starts this file as a program inside the namespace.
"""

from __future__ import annotations

import json
import queue
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

PATIENCE_S = 120.0


class Linux:
    """Calls run inside, each in a thread of its own; sockets are numbers there."""

    def __init__(self, namespace: Any) -> None:
        argv = [sys.executable, "-I", "-S", str(Path(__file__))]
        self._child = namespace.popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._count = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._child.stdout:
            answer = json.loads(line)
            self._answers[answer["call"]].put(answer)

    def begin(self, name: str, *args: Any) -> int:
        """Start a call; its number for `result`."""
        self._count += 1
        self._answers[self._count] = queue.Queue()
        self._child.stdin.write(json.dumps({"call": self._count, "do": name, "args": args}) + "\n")
        return self._count

    def result(self, call: int) -> Any:
        got = self._answers[call].get(timeout=PATIENCE_S)
        del self._answers[call]
        if "problem" in got:
            raise OSError(got["problem"])
        return got["value"]

    def __call__(self, name: str, *args: Any) -> Any:
        return self.result(self.begin(name, *args))

    def send(self, sock: int, data: bytes) -> int:
        return self.begin("send", sock, data.hex())

    def recv(self, sock: int, count: int) -> bytes:
        """So many bytes, or fewer at the stream's end."""
        return bytes.fromhex(self("recv", sock, count))

    def close(self) -> None:
        self._child.stdin.close()
        self._child.wait(PATIENCE_S)
        self._child.stdout.close()


class Inside:
    """What the program in the namespace can do."""

    def __init__(self) -> None:
        self.sockets: dict[int, socket.socket] = {}

    def _keep(self, sock: socket.socket) -> int:
        sock.settimeout(PATIENCE_S)
        self.sockets[sock.fileno()] = sock
        return sock.fileno()

    def connect(self, ip: str, port: int) -> int:
        return self._keep(socket.create_connection((ip, port), PATIENCE_S))

    def listen(self, port: int) -> int:
        return self._keep(socket.create_server(("", port), backlog=16))

    def accept(self, sock: int) -> int:
        return self._keep(self.sockets[sock].accept()[0])

    def port(self, sock: int) -> int:
        return int(self.sockets[sock].getsockname()[1])

    def send(self, sock: int, data: str) -> int:
        self.sockets[sock].sendall(bytes.fromhex(data))
        return len(data) // 2

    def recv(self, sock: int, count: int) -> str:
        got = b""
        while len(got) < count:
            data = self.sockets[sock].recv(count - len(got))
            if not data:
                break
            got += data
        return got.hex()

    def half(self, sock: int) -> None:
        self.sockets[sock].shutdown(socket.SHUT_WR)

    def until_reset(self, sock: int) -> None:
        """Send a byte now and then: a reset is not sent again by itself if it gets lost."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            time.sleep(1.0)
            self.sockets[sock].sendall(b"?")

    def end(self, sock: int) -> None:
        self.sockets.pop(sock).close()

    def reset(self, sock: int) -> None:
        self.sockets[sock].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.end(sock)


def main() -> None:
    inside, guard = Inside(), threading.Lock()

    def work(order: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"call": order["call"]}
        try:
            answer["value"] = getattr(inside, order["do"])(*order["args"])
        except OSError as problem:
            answer["problem"] = type(problem).__name__
        with guard:
            print(json.dumps(answer), flush=True)

    for line in sys.stdin:
        threading.Thread(target=work, args=(json.loads(line),), daemon=True).start()


if __name__ == "__main__":
    main()
