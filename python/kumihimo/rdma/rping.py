# SPDX-License-Identifier: Apache-2.0
"""The other end of `rping` on a node.

The client names a buffer (address, key, length: 16 bytes in a SEND), the server reads it, and says
so with a SEND; the client names a second one, and the server writes there what it has read. With
-V the tool compares each byte that came back.
"""

from __future__ import annotations

from .cm_messages import INVALID_SERVICE
from .manager import Connection, ConnectionManager, Refused
from .pingpong import ExchangeError
from .records import Completion
from .verbs import RECEIVE, Rdma

_ADVERT = 16


class _End:
    """Buffers: at `base` the ping, 16 bytes each behind it that come and go."""

    def __init__(self, rdma: Rdma, base: int, size: int, tries: int) -> None:
        self.rdma, self.base, self.size, self.tries = rdma, base, size, tries
        self._in, self._out = base + 2 * size, base + 2 * size + 64

    def _await(self, connection: Connection, op: int | None) -> Completion | None:
        """The next completion of an operation (None: any but receives); None: peer is gone."""
        waiting = self._waiting
        for _ in range(self.tries):
            for done in self.rdma.poll():
                if not done.ok and not connection.closed:
                    raise ExchangeError(f"{connection.address}: {done.text}")
                waiting.append(done)
            for done in waiting:
                if (done.op == RECEIVE) == (op == RECEIVE):
                    waiting.remove(done)
                    return done
            if connection.closed:
                return None
            self.rdma.advance()
        raise ExchangeError(f"{connection.address}: no completion came")

    def _begin(self) -> None:
        self._waiting: list[Completion] = []

    def _receive(self, connection: Connection) -> None:
        connection.pair.receive(self._in, _ADVERT)

    def _advert(self, connection: Connection) -> tuple[int, int, int] | None:
        """What the peer names, and a receive for the next one."""
        done = self._await(connection, RECEIVE)
        if done is None or connection.closed:
            return None
        if done.length != _ADVERT:
            raise ExchangeError(f"{connection.address}: a message of {done.length} bytes")
        data = self.rdma.memory.read(self._in, _ADVERT)
        self._receive(connection)
        return int.from_bytes(data[:8]), int.from_bytes(data[8:12]), int.from_bytes(data[12:])

    def _say(self, connection: Connection, address: int = 0, key: int = 0) -> None:
        data = address.to_bytes(8) + key.to_bytes(4) + self.size.to_bytes(4)
        self.rdma.memory.write(self._out, data)
        connection.pair.send(self._out, _ADVERT)
        self._await(connection, None)


class RpingServer(_End):
    """The server's side; `rping -c -V` is the client.

    Arguments:
        rdma, manager: of the node.
        base: of the buffers in the node's memory.
        size: longest ping.
        tries: polls that an answer may take.
    """

    def __init__(
        self,
        rdma: Rdma,
        manager: ConnectionManager,
        base: int = 0,
        size: int = 65536,
        tries: int = 10_000,
    ) -> None:
        super().__init__(rdma, base, size, tries)
        self.manager = manager

    def serve(self, count: int | None = None) -> list[bytes]:
        """One client, until it disconnects or has sent so many; the pings.

        A program that ends says goodbye once. Where that may be lost, `count` is what to wait for.
        """
        self._begin()
        connection = self.manager.accept()
        self._receive(connection)
        connection.establish()
        pings: list[bytes] = []
        while len(pings) != count and (source := self._advert(connection)) is not None:
            address, key, length = source
            connection.pair.read(self.base, length, address, key)
            self._await(connection, None)
            pings.append(self.rdma.memory.read(self.base, length))
            self._say(connection)
            sink = self._advert(connection)
            if sink is None:
                break
            connection.pair.write(self.base, length, sink[0], sink[1])
            self._await(connection, None)
            self._say(connection)
        connection.disconnect()
        return pings


class RpingClient(_End):
    """The client's side; `rping -s` is the server.

    Arguments:
        rdma, manager: of the node.
        base: of the buffers in the node's memory.
        size: bytes of a ping.
        tries: polls that an answer may take.
    """

    def __init__(
        self,
        rdma: Rdma,
        manager: ConnectionManager,
        base: int = 0,
        size: int = 64,
        tries: int = 10_000,
    ) -> None:
        super().__init__(rdma, base, size, tries)
        self.manager = manager

    def run(self, address: str, port: int, pings: list[bytes]) -> None:
        """Send pings of `size` bytes and compare what comes back."""
        self._begin()
        region = self.rdma.register(self.base, 2 * self.size)
        connection = self._connect(address, port)
        self._receive(connection)
        for ping in pings:
            self.rdma.memory.write(self.base, ping)
            self.rdma.memory.write(self.base + self.size, bytes(self.size))
            self._say(connection, self.base, region.key)
            read = self._advert(connection)
            self._say(connection, self.base + self.size, region.key)
            wrote = self._advert(connection)
            if read is None or wrote is None:
                raise ExchangeError(f"{address} has disconnected")
            if self.rdma.memory.read(self.base + self.size, self.size) != ping:
                raise ExchangeError(f"{address} has returned another ping")
        connection.disconnect()
        self.rdma.deregister(region)

    def _connect(self, address: str, port: int) -> Connection:
        """Also to a server that is about to listen."""
        for left in range(self.tries // 100, -1, -1):
            try:
                return self.manager.connect(address, port)
            except Refused as problem:
                if problem.reason != INVALID_SERVICE or not left:
                    raise
            for _ in range(100):
                self.rdma.gather()
                self.rdma.advance()
        raise AssertionError
