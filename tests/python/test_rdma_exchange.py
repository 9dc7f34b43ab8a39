# SPDX-License-Identifier: Apache-2.0
"""What is said over TCP before RDMA begins: both of our sides, and messages as tools print them.

The tools themselves are met in tests/cluster/test_roce_linux.py.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from typing import Any

import pytest
from kumihimo.rdma import (
    Completion,
    Exchange,
    ExchangeError,
    Gid,
    MemoryRegion,
    PerftestClient,
    PerftestServer,
    PingPong,
    RdmaError,
)
from kumihimo.rdma.verbs import RECEIVE, SEND

CLIENT, SERVER = "10.77.0.9", "10.77.0.1"


class Pair:
    """A queue pair that is joined to the one that it was connected to."""

    failed = False

    def __init__(self, net: Net, owner: Adapter, number: int) -> None:
        self.net, self.owner, self.number = net, owner, number
        self.peer: tuple[str, int] | None = None
        self.known: dict[str, int] = {}
        net.pairs[owner.address, number] = self

    def connect(self, address: str, qpn: int, rq_psn: int, sq_psn: int, **known: int) -> None:
        self.peer, self.known = (address, qpn), {"rq_psn": rq_psn, "sq_psn": sq_psn, **known}

    def receive(self, address: int, length: int, id: int = 0) -> None:
        """Receives are never short here."""

    def send(self, address: int, length: int, id: int = 0) -> None:
        assert self.peer is not None
        there = self.net.pairs[self.peer]
        there.owner.done.append(Completion(there.number, 1, RECEIVE, 0, length, None, False, 0))
        self.owner.done.append(Completion(self.number, id, SEND, 0, length, None, False, 0))

    def write(self, address: int, length: int, remote: int, rkey: int, id: int = 0) -> None:
        self.net.touched.append((remote, rkey, length))
        self.owner.done.append(Completion(self.number, id, 2, 0, length, None, False, 0))

    read = write

    def fetch_add(self, address: int, remote: int, rkey: int, add: int, id: int = 0) -> None:
        self.write(address, 8, remote, rkey, id)


class Net:
    """All queue pairs."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[str, int], Pair] = {}
        self.touched: list[tuple[int, int, int]] = []


class Adapter:
    """What the exchanges want of an Rdma."""

    def __init__(self, net: Net, address: str, number: int) -> None:
        self.net, self.address, self.number = net, address, number
        self.done: deque[Completion] = deque()
        self.freed = 0

    def create_qp(self) -> Pair:
        return Pair(self.net, self, self.number)

    def destroy_qp(self, pair: Pair) -> None:
        self.freed += 1

    def register(self, address: int, length: int) -> MemoryRegion:
        return MemoryRegion(address, length, 0x15A)

    def deregister(self, region: MemoryRegion) -> None:
        self.freed += 1

    def poll(self, most: int = 16) -> list[Completion]:
        return [self.done.popleft() for _ in range(min(most, len(self.done)))]

    def wait(self, count: int = 1, tries: int = 1000) -> list[Completion]:
        while not self.done:
            threading.Event().wait(0.001)
        return [self.done.popleft()]


@pytest.fixture
def adapters() -> tuple[Any, Any]:
    net = Net()
    return Adapter(net, SERVER, 5), Adapter(net, CLIENT, 0x123456)


def accepting(listener: socket.socket, work: Any) -> threading.Thread:
    def run() -> None:
        with Exchange.listen(listener, 10) as exchange:
            work(exchange)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.parametrize("verb", ["send", "write", "read", "atomic"])
def test_a_bandwidth_test(adapters: tuple[Any, Any], verb: str) -> None:
    ours, theirs = adapters
    server = PerftestServer(ours, SERVER, verb, base=0x4000)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = accepting(listener, server.run)
        client = PerftestClient(theirs, CLIENT, verb)
        with client.reach(listener.getsockname()[1], 10) as exchange:
            remotes = client.greet(exchange)
            client.run(remotes, 6000, 20)
            client.finish(exchange, 6000, 20)
        thread.join(10)
        assert not thread.is_alive()
    (remote,), (one,), (two,) = remotes, server.pairs, client.pairs
    assert (remote.address, remote.qpn, remote.vaddr, remote.rkey) == (SERVER, 5, 0x4000, 0x15A)
    assert one.peer == (CLIENT, 0x123456)
    assert two.peer == (SERVER, 5)
    assert one.known["rq_psn"] == two.known["sq_psn"]
    assert two.known["rq_psn"] == one.known["sq_psn"]
    assert one.known["mtu"] == two.known["mtu"] == 1024
    assert (server.received == 20) == (verb == "send")
    assert len(ours.net.touched) == (0 if verb == "send" else 20)
    assert (ours.freed, theirs.freed) == (2, 1)


def test_pingpong(adapters: tuple[Any, Any]) -> None:
    ours, theirs = adapters
    server, client = PingPong(ours, SERVER, size=100), PingPong(theirs, CLIENT, size=100)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(exchange: Exchange) -> None:
            remote = server.greet(exchange)
            assert (remote.address, remote.qpn) == (CLIENT, 0x123456)
            server.serve(10)

        thread = accepting(listener, serve)
        with client.begin(listener.getsockname()[1]):
            client.serve(10, first=True)
        thread.join(10)
        assert not thread.is_alive()
    assert server.messages == client.messages == 10


def test_messages_are_those_of_the_tools(adapters: tuple[Any, Any]) -> None:
    """As `ibv_rc_pingpong` 44 and perftest 6.06 write them, the last byte a zero."""
    ours, _ = adapters
    here, there = socket.socketpair()
    thread = threading.Thread(target=PingPong(ours, SERVER).greet, args=(Exchange(here),))
    thread.start()
    there.sendall(b"0000:000011:c7909d:00000000000000000000ffff0a000002\0")
    assert there.recv(100) == b"0000:000005:123456:00000000000000000000ffff0a4d0001\0"
    there.sendall(b"done\0")
    thread.join(10)
    assert not thread.is_alive()

    here, there = socket.socketpair()
    with pytest.raises(ExchangeError, match="start it with -g"):
        there.sendall(b"0001:000011:c7909d:00000000000000000000ffff0a000002\0")
        PingPong(ours, SERVER).greet(Exchange(here))
    with pytest.raises(ExchangeError, match="closed its connection"):
        there.close()
        Exchange(here).read(1)


def test_a_gid_is_an_address() -> None:
    assert Gid.address(Gid.of(SERVER)) == SERVER
    with pytest.raises(RdmaError, match="IPv4 only"):
        Gid.address(b"\xfe\x80" + bytes(14))
