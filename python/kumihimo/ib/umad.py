# SPDX-License-Identifier: Apache-2.0
"""The server's end of the socket protocol of libumad2sim.

Debian's ibsim-utils preload that library into opensm and infiniband-diags. The sockets are UNIX
datagram sockets with abstract names: a client binds NAME:ctl<pid> and NAME:in<pid>, the server
NAME:ctl and NAME:out0 to out9, one per client. A control message is answered with the same message,
its data changed.
"""

from __future__ import annotations

import errno
import selectors
import socket
import struct
from collections import deque
from dataclasses import dataclass

from kumihimo.common.errors import KumiError
from kumihimo.ib.packets import CLASS_DIRECTED, MAD_BYTES, PERMISSIVE, Datagram

CLIENTS = 10
MAGIC = 0xDEADBEEF
ERROR, CONNECT, DISCONNECT, VENDOR = 0, 1, 2, 4
NODE_INFO, PORT_INFO, SET_IS_SM, P_KEYS = 7, 8, 9, 10
TIMED_OUT = 110  # ETIMEDOUT of Linux, the status of a datagram that could not be delivered

_MOST_LATE = 1000  # datagrams that wait for a client that does not read

_CTL = struct.Struct("=IIII64s")
_CONNECT = struct.Struct("=III32s")
_VENDOR = struct.Struct("=III4xQ")
_REQUEST = struct.Struct("=IIIII4x8s256s")


@dataclass
class Client:
    """A program that uses the fabric, at a host's port."""

    number: int
    pid: int
    host: str
    sender: bytes = b""
    """Name of its socket for control messages."""
    is_sm: bool = False


@dataclass
class Control:
    """A control message that waits for its answer."""

    kind: int
    client: int
    data: bytearray
    sender: bytes
    length: int


def _name(text: str) -> bytes:
    return b"\0" + text.encode() + b"\0"


def _swap16(value: int) -> int:
    return socket.ntohs(value & 0xFFFF)


class UmadServer:
    """The sockets; `name` as $IBSIM_SOCKNAME of the clients."""

    def __init__(self, name: str = "sim") -> None:
        self.name = name
        self._selector = selectors.DefaultSelector()
        self._ctl = self._bind("ctl")
        self._outs: dict[int, socket.socket] = {}
        self._late: dict[int, deque[bytes]] = {}
        self._last = -1
        self.clients: dict[int, Client] = {}
        self._selector.register(self._ctl, selectors.EVENT_READ, -1)

    def _bind(self, role: str) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            sock.bind(_name(f"{self.name}:{role}"))
        except OSError as problem:
            sock.close()
            if problem.errno != errno.EADDRINUSE:
                raise
            raise KumiError(
                f"Another fabric has the sockets @{self.name}:*.",
                "End it, or give this one another name (and IBSIM_SOCKNAME to its programs).",
            ) from None
        sock.setblocking(False)
        return sock

    def close(self) -> None:
        """Close all sockets."""
        for sock in (self._ctl, *self._outs.values()):
            sock.close()
        self._selector.close()

    def wait(self, timeout: float) -> tuple[list[Control], list[tuple[int, Datagram]]]:
        """Control messages, and datagrams with their client's number."""
        controls: list[Control] = []
        datagrams: list[tuple[int, Datagram]] = []
        for number in list(self._late):
            self._flush(number)
        for key, _ in self._selector.select(timeout):
            while True:
                try:
                    data, sender = key.fileobj.recvfrom(512)  # type: ignore[union-attr]
                except BlockingIOError:
                    break
                except ConnectionError:
                    self.drop(key.data)
                    break
                if key.data < 0:
                    if len(data) == _CTL.size:
                        magic, client, kind, length, body = _CTL.unpack(data)
                        if magic == MAGIC:
                            controls.append(Control(kind, client, bytearray(body), sender, length))
                elif len(data) == _REQUEST.size:
                    datagrams.append((key.data, self._datagram(data)))
        return controls, datagrams

    @staticmethod
    def _datagram(data: bytes) -> Datagram:
        dlid, _, dest_qp, src_qp, _, _, mad = _REQUEST.unpack(data)
        directed = mad[1] == CLASS_DIRECTED
        return Datagram(
            mad, PERMISSIVE if directed else _swap16(dlid), PERMISSIVE if directed else 0,
            socket.ntohl(dest_qp), socket.ntohl(src_qp),
        )  # fmt: skip

    def connect(self, message: Control, default_host: str, hosts: list[str]) -> Client | None:
        """A new client, answered; None if there is no place, or no host of that name."""
        pid, qp, is_sm, node = _CONNECT.unpack_from(message.data)
        host = node.split(b"\0")[0].decode(errors="replace") or default_host
        # Numbers in turn: what a program that has ended left behind must not meet the next one.
        turn = [(self._last + n) % CLIENTS for n in range(1, CLIENTS + 1)]
        free = [n for n in turn if n not in self.clients]
        if not free or host not in hosts:
            self.refuse(message)
            return None
        client = Client(free[0], pid, host, message.sender, bool(is_sm))
        self._last = client.number
        out = self._bind(f"out{client.number}")
        try:
            out.connect(_name(f"{self.name}:in{pid}"))
        except OSError:
            out.close()
            self.refuse(message)
            return None
        self._outs[client.number] = out
        self._selector.register(out, selectors.EVENT_READ, client.number)
        self.clients[client.number] = client
        _CONNECT.pack_into(message.data, 0, client.number, qp, is_sm, node)
        self.answer(message)
        return client

    def drop(self, number: int) -> None:
        """A client has left."""
        if self.clients.pop(number, None):
            self._late.pop(number, None)
            out = self._outs.pop(number)
            self._selector.unregister(out)
            out.close()

    def leave(self, message: Control) -> None:
        """The sender of a control message has left; another may have its number by now."""
        client = self.clients.get(message.client)
        if client is not None and client.sender == message.sender:
            self.drop(client.number)

    def answer(self, message: Control, data: bytes | None = None) -> None:
        """Answer a control message with its data, or with other data."""
        body = bytes(message.data if data is None else data)
        reply = _CTL.pack(MAGIC, message.client, message.kind, message.length, body[:64])
        try:
            self._ctl.sendto(reply, message.sender)
        except OSError:
            self.leave(message)

    def refuse(self, message: Control) -> None:
        """Answer with an error."""
        message.kind = ERROR
        self.answer(message)

    def vendor(self, message: Control) -> None:
        """Answer what the device is."""
        data = bytearray(64)
        _VENDOR.pack_into(data, 0, 0, 1, 1, 1)
        self.answer(message, bytes(data))

    def deliver(self, number: int, got: Datagram, status: int = 0) -> None:
        """A datagram to a client, at once or when it reads again; one that is gone loses it."""
        if number not in self.clients:
            return
        data = _REQUEST.pack(
            socket.htons(got.dlid), socket.htons(got.slid), socket.htonl(got.dest_qp),
            socket.htonl(got.src_qp), socket.htonl(status), MAD_BYTES.to_bytes(8, "big"), got.mad,
        )  # fmt: skip
        self._late.setdefault(number, deque(maxlen=_MOST_LATE)).append(data)
        self._flush(number)

    def _flush(self, number: int) -> None:
        """Send what waits for a client, as far as it has space."""
        waiting = self._late[number]
        try:
            while waiting:
                self._outs[number].send(waiting[0])
                waiting.popleft()
            del self._late[number]
        except BlockingIOError:
            return
        except OSError:
            self.drop(number)
