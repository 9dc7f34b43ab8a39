# SPDX-License-Identifier: Apache-2.0
"""The TCP talk of Linux's RDMA tools before they begin, and their other end on a node.

`ibv_rc_pingpong` and perftest (`ib_write_bw` and its sisters) exchange queue pair number, first
packet number, GID, and for one-sided operations address and key of a region, over a TCP connection
beside the RDMA network.
"""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from ..common.errors import KumiError
from .records import RETRIES_EXCEEDED, Gid
from .verbs import QueuePair, Rdma

_PINGPONG_BYTES = len("0000:000000:000000:00000000000000000000000000000000") + 1


class ExchangeError(KumiError):
    """A tool that says something else than expected."""


@dataclass(frozen=True)
class Remote:
    """One end of a connection, as the tools describe it."""

    address: str
    qpn: int
    psn: int
    rkey: int = 0
    vaddr: int = 0


def _parse(message: bytes) -> Remote:
    lid, qpn, psn, gid = message.rstrip(b"\0").decode().split(":")
    if int(lid, 16):
        raise ExchangeError(f"a LID of {lid}: the tool has no RoCE (start it with -g)")
    return Remote(Gid.address(bytes.fromhex(gid)), int(qpn, 16), int(psn, 16))


class Exchange:
    """A TCP connection with a tool: `listen` for one that is the client, or `connect`."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    @classmethod
    def listen(cls, listener: socket.socket, timeout: float) -> Self:
        """Wait for a client."""
        listener.settimeout(timeout)
        connection, _ = listener.accept()
        connection.settimeout(timeout)
        return cls(connection)

    @classmethod
    def connect(cls, port: int, timeout: float, host: str = "127.0.0.1") -> Self:
        """Reach a server."""
        return cls(socket.create_connection((host, port), timeout))

    @classmethod
    def until_there(cls, port: int, hello: bytes, timeout: float) -> tuple[Self, bytes]:
        """Reach a server that may not be there yet; also its answer of the hello's length.

        A forwarded port takes a connection before the guest's tool listens, and drops it.
        """
        end = time.monotonic() + timeout
        while True:
            exchange = cls.connect(port, timeout)
            try:
                exchange.write(hello)
                return exchange, exchange.read(len(hello))
            except (OSError, ExchangeError):
                exchange.close()
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def read(self, size: int) -> bytes:
        """Exactly so many bytes."""
        data = b""
        while len(data) < size:
            more = self._connection.recv(size - len(data))
            if not more:
                raise ExchangeError(f"the tool has closed its connection after {data!r}")
            data += more
        return data

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._connection.sendall(data)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class PingPong:
    """`ibv_rc_pingpong` on a node: every message comes back.

    Arguments:
        rdma: of the node.
        address: its IPv4 address.
        base: a free part of its memory, of two messages' size.
        size: bytes of a message (the tool's -s).
        psn: first packet number of the node.
    """

    def __init__(
        self, rdma: Rdma, address: str, base: int = 0, size: int = 4096, psn: int = 0x123456
    ) -> None:
        self.rdma, self.address, self.base, self.size, self.psn = rdma, address, base, size, psn
        self.pair: QueuePair = rdma.create_qp()
        self.messages = 0

    def greet(
        self, exchange: Exchange, receives: int = 8, mtu: int = 1024, timeout: int = 8
    ) -> Remote:
        """Take the client's description, connect, post receives, and answer with ours."""
        remote = _parse(exchange.read(_PINGPONG_BYTES))
        self._connect(remote, receives, mtu, timeout)
        own = Gid.of(self.address).hex()
        exchange.write(f"0000:{self.pair.number:06x}:{self.psn:06x}:{own}\0".encode())
        if exchange.read(5) != b"done\0":
            raise ExchangeError("the client did not say that it is done")
        return remote

    def begin(
        self,
        port: int,
        receives: int = 8,
        mtu: int = 1024,
        timeout: int = 10,
        patience: float = 60,
    ) -> Exchange:
        """The client's side of `greet`: the tool is the server. Sends the first message."""
        own = f"0000:{self.pair.number:06x}:{self.psn:06x}:{Gid.of(self.address).hex()}\0"
        exchange, answer = Exchange.until_there(port, own.encode(), patience)
        self._connect(_parse(answer), receives, mtu, timeout)
        exchange.write(b"done\0")
        self.pair.send(self.base, self.size, id=2)
        return exchange

    def _connect(self, remote: Remote, receives: int, mtu: int, timeout: int) -> None:
        self.pair.connect(
            remote.address, remote.qpn, remote.psn, self.psn, mtu=mtu, timeout=timeout
        )
        for _ in range(receives):
            self.pair.receive(self.base, self.size, id=1)

    def serve(self, count: int, first: bool = False, tries: int = 100_000) -> None:
        """Return so many messages; each must be as long as agreed.

        With `first` (after `begin`) the first one is on its way, and the last is not returned.
        """
        sent = received = 0
        while sent < count or received < count:
            (done,) = self.rdma.wait(1, tries)
            if not done.ok:
                if received == count and done.status == RETRIES_EXCEEDED:
                    break  # the tool has all it wants and is gone; an acknowledgement was lost
                raise ExchangeError(f"after {received} messages: {done.text}")
            if done.id == 1:
                if done.length != self.size:
                    raise ExchangeError(f"a message of {done.length} bytes, not {self.size}")
                received += 1
                self.pair.receive(self.base, self.size, id=1)
                if received < count or not first:
                    self.pair.send(self.base, self.size, id=2)
            else:
                sent += 1
        self.messages += count
