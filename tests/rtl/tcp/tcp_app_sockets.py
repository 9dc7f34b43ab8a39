# SPDX-License-Identifier: Apache-2.0
"""Real sockets in place of the engine's peers: unmodified programs talk to a kernel in a Dut."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from typing import Any

from kumihimo.testing import Dut
from tcp_app_model import OK, REFUSED, RESET, Engine, Session


def program(name: str) -> str:
    """Where it is; these tests need it."""
    found = shutil.which(name)
    assert found, f"{name} is not installed"
    return found


class SocketEngine(Engine):
    """The model of the engine, with the kernel's port on a loopback socket of this machine."""

    def __init__(self, dut: Dut, address: str, **more: Any) -> None:
        super().__init__(dut, **more)
        self.address = address
        self.listeners: dict[int, socket.socket] = {}  # by port of the kernel
        self.numbers: dict[int, int] = {}  # real port by port of the kernel
        self.wires: dict[int, tuple[Session, socket.socket]] = {}
        self.accept_open = self._dial
        self.on_open = self._dialled
        self.dialled: socket.socket | None = None
        self.shut: set[int] = set()  # no more goes to these peers
        self.started = time.monotonic()

    def now_us(self) -> int:
        return int((time.monotonic() - self.started) * 1e6) & 0xFFFFFFFF

    def _dial(self, ip: int, port: int) -> int:
        try:
            self.dialled = socket.create_connection((socket.inet_ntoa(ip.to_bytes(4, "big")), port))
        except OSError:
            return REFUSED
        return OK

    def _dialled(self, s: Session) -> None:
        assert self.dialled
        self._wire(s, self.dialled)

    def _wire(self, s: Session, wire: socket.socket) -> None:
        wire.setblocking(False)
        self.wires[s.sid] = (s, wire)
        self.shut.discard(s.sid)

    def step(self) -> None:
        super().step()
        for port in self.ports - set(self.listeners):
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((self.address, self.numbers.get(port, 0)))
            sock.listen(16)
            sock.setblocking(False)
            self.listeners[port] = sock
            self.numbers[port] = sock.getsockname()[1]
        for port, sock in self.listeners.items():
            if self.free:
                with contextlib.suppress(BlockingIOError):
                    wire, peer = sock.accept()
                    ip = int.from_bytes(socket.inet_aton(peer[0]), "big")
                    s = self.connect(port, ip, peer[1])
                    assert s
                    self._wire(s, wire)
        for sid, (s, wire) in list(self.wires.items()):
            self._serve(sid, s, wire)

    def _serve(self, sid: int, s: Session, wire: socket.socket) -> None:
        try:
            if not s.peer_fin and not s.ended and len(s.unread) < 30000:
                with contextlib.suppress(BlockingIOError):
                    data = wire.recv(16384)
                    if data:
                        self.feed(s, data)
                    else:
                        self.fin(s)
            if s.to_peer:
                with contextlib.suppress(BlockingIOError):
                    n = wire.send(s.to_peer[:65536])
                    del s.to_peer[:n]
            elif (s.closed and not s.owed) or s.ended:
                if s.ended:
                    wire.close()
                    del self.wires[sid]
                elif sid not in self.shut:
                    # Once: a socket that both sides have closed in the meantime refuses it.
                    wire.shutdown(socket.SHUT_WR)
                    self.shut.add(sid)
        except OSError:
            self.kill(s, RESET)
            wire.close()
            self.wires.pop(sid, None)

    def close(self) -> None:
        for sock in self.listeners.values():
            sock.close()
        for _, wire in self.wires.values():
            wire.close()


@contextlib.contextmanager
def running(words: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A program that runs while the caller steps the engine."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        if child.stdout:
            child.stdout.close()
