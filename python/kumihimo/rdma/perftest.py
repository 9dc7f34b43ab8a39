# SPDX-License-Identifier: Apache-2.0
"""The other end of perftest's bandwidth tests on a node.

`ib_send_bw`, `ib_write_bw`, `ib_read_bw`, `ib_atomic_bw`: in every exchange over TCP the client
writes first and the server answers with as many bytes: version, two numbers of the buffer, MTU,
then descriptions of the queue pair, several times over as barriers, and results. A server without
wishes of its own may return everything but the descriptions.
"""

from __future__ import annotations

import threading

from ..common.errors import KumiError
from .pingpong import Exchange, ExchangeError, Remote
from .records import Gid
from .verbs import RECEIVE, QueuePair, Rdma

_PRELUDE = (16, 4, 4, 2)  # version, cycle buffer, cache line, MTU code
_KEYS_BYTES = 108
_READS = 4  # READs and atomics under way
_REPORTS = 5  # of 8 bytes each
_VERSION = b"6.06"  # from 5.70 on the tools accept each other


def _keys(own: Remote, reads: int) -> bytes:
    gid = Gid.of(own.address).hex(":")
    numbers = f"{0:04x}:{reads:04x}:{own.qpn:06x}:{own.psn:06x}:{own.rkey:08x}:{own.vaddr:016x}"
    return f"{numbers}:{gid}:{0:08x}:\0".encode()


def _parse(keys: bytes) -> Remote:
    fields = keys.decode("ascii", "replace").split(":")
    if len(fields) < 22:
        raise ExchangeError(f"this is no description of a queue pair (no GID? use -x): {keys!r}")
    _, _, qpn, psn, rkey, vaddr = (int(field, 16) for field in fields[:6])
    return Remote(Gid.address(bytes.fromhex("".join(fields[6:22]))), qpn, psn, rkey, vaddr)


def _check(verb: str) -> None:
    if verb not in ("send", "write", "read", "atomic"):
        raise KumiError(f"there is no bandwidth test ib_{verb}_bw")


def _exchanges(verb: str, pairs: int) -> list[int]:
    """The queue pairs whose descriptions are exchanged before the test, in their order."""
    everyone = list(range(pairs))
    return [*everyone, 0, *everyone] + [0] * (verb == "send")


def _connect(pair: QueuePair, own: Remote, remote: Remote, mtu: int, timeout: int) -> None:
    pair.connect(
        remote.address,
        remote.qpn,
        remote.psn,
        own.psn,
        mtu=mtu,
        timeout=timeout,
        max_rd_atomic=_READS,
    )


def _swap(exchange: Exchange, own: Remote) -> bytes:
    exchange.write(_keys(own, _READS))
    return exchange.read(_KEYS_BYTES)


class PerftestServer:
    """The server's side of one bandwidth test; the guest's tool is the client.

    Arguments:
        rdma: of the node.
        address: its IPv4 address.
        verb: `send`, `write`, `read` or `atomic`.
        base, length: the buffer in the node's memory.
        psn: first packet number of the node.
        pairs: queue pairs (`-q` of the tools).
    """

    def __init__(
        self,
        rdma: Rdma,
        address: str,
        verb: str,
        base: int = 0,
        length: int = 1 << 20,
        psn: int = 0x654321,
        pairs: int = 1,
    ) -> None:
        _check(verb)
        self.rdma, self.verb, self.base, self.length = rdma, verb, base, length
        self.pairs: list[QueuePair] = [rdma.create_qp() for _ in range(pairs)]
        self.region = rdma.register(base, length)
        self.own = [Remote(address, p.number, psn, self.region.key, base) for p in self.pairs]
        self.received = 0

    def run(self, exchange: Exchange, receives: int = 8, timeout: int = 7) -> None:
        """The whole test; returns when the client is done, and frees queue pairs and region."""
        for size in _PRELUDE:
            data = exchange.read(size)
            exchange.write(data)
        mtu = 128 << int(data.rstrip(b"\0"))
        answers: dict[int, bytes] = {}
        for number in _exchanges(self.verb, len(self.pairs)):
            remote = _parse(exchange.read(_KEYS_BYTES))
            if number not in answers:
                pair = self.pairs[number]
                _connect(pair, self.own[number], remote, mtu, timeout)
                for _ in range(receives if self.verb == "send" else 0):
                    pair.receive(self.base, self.length)
                answers[number] = _keys(self.own[number], _READS)
            exchange.write(answers[number])
        keys = _keys(self.own[0], _READS)
        if self.verb == "send":
            self._receive_until_the_end(exchange, keys)
        else:
            exchange.read(_KEYS_BYTES)
            exchange.write(keys)
            for _ in range(_REPORTS):
                exchange.write(exchange.read(8))
            exchange.read(_KEYS_BYTES)
            exchange.write(keys)
        if exchange.read(5) != b"done\0":
            raise ExchangeError("the client did not say that it is done")
        if any(pair.failed for pair in self.pairs):
            raise ExchangeError("a queue pair of the node is in the error state")
        for pair in self.pairs:
            self.rdma.destroy_qp(pair)
        self.rdma.deregister(self.region)

    def _receive_until_the_end(self, exchange: Exchange, keys: bytes) -> None:
        """Replace each receive that is used, until the client comes to its last barrier."""
        failure: list[Exception] = []
        by_number = {pair.number: pair for pair in self.pairs}

        def last_barrier() -> None:
            try:
                exchange.read(_KEYS_BYTES)
            except (OSError, KumiError) as error:
                failure.append(error)

        waiting = threading.Thread(target=last_barrier)
        waiting.start()
        while waiting.is_alive():
            for done in self.rdma.poll():
                if not done.ok:
                    raise ExchangeError(f"after {self.received} messages: {done.text}")
                if done.op == RECEIVE:
                    self.received += 1
                    by_number[done.qp].receive(self.base, self.length)
            waiting.join(0.002)
        if failure:
            raise failure[0]
        while last := self.rdma.poll(64):  # what came between the last look and the barrier
            self.received += sum(done.ok for done in last)
        exchange.write(keys)


class PerftestClient:
    """The client's side: the node sends, writes, reads or adds, the guest's tool is the server.

    Arguments:
        rdma: of the node.
        address: its IPv4 address.
        verb: `send`, `write`, `read` or `atomic`.
        base: of the buffer in the node's memory.
        psn: first packet number of the node.
        pairs: queue pairs (`-q` of the tools).
    """

    def __init__(
        self,
        rdma: Rdma,
        address: str,
        verb: str,
        base: int = 0,
        psn: int = 0x234567,
        pairs: int = 1,
    ) -> None:
        _check(verb)
        self.rdma, self.verb, self.base = rdma, verb, base
        self.pairs: list[QueuePair] = [rdma.create_qp() for _ in range(pairs)]
        self.own = [Remote(address, pair.number, psn) for pair in self.pairs]

    def reach(self, port: int, timeout: float = 60) -> Exchange:
        """Wait for the server at a port of this machine, and exchange versions."""
        hello = _VERSION.ljust(_PRELUDE[0], b"\0")
        return Exchange.until_there(port, hello, timeout)[0]

    def greet(self, exchange: Exchange, mtu: int = 1024, timeout: int = 10) -> list[Remote]:
        """Everything up to the test; the queue pairs are connected."""
        code = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}[mtu]
        for data in ((4096).to_bytes(4), (64).to_bytes(4), f"{code}\0".encode()):
            exchange.write(data)
            answer = exchange.read(len(data))
        mtu = min(mtu, 128 << int(answer.rstrip(b"\0")))
        remotes: list[Remote] = []
        for number in _exchanges(self.verb, len(self.pairs)):
            remote = _parse(_swap(exchange, self.own[number]))
            if number == len(remotes):
                remotes.append(remote)
                _connect(self.pairs[number], self.own[number], remote, mtu, timeout)
        return remotes

    def run(self, remotes: list[Remote], size: int, count: int, under_way: int = 4) -> None:
        """The test: of each queue pair `count` messages of `size` bytes, or additions of 1."""
        remote = dict(zip((pair.number for pair in self.pairs), remotes, strict=True))
        posted = dict.fromkeys(remote, 0)
        done = 0
        for pair in self.pairs:
            for _ in range(min(count, under_way)):
                self._post(pair, remote[pair.number], size, posted)
        by_number = {pair.number: pair for pair in self.pairs}
        while done < count * len(self.pairs):
            for completion in self.rdma.wait(1, 10_000):
                if not completion.ok:
                    raise ExchangeError(f"after {done} messages: {completion.text}")
                done += 1
                pair = by_number[completion.qp]
                if posted[pair.number] < count:
                    self._post(pair, remote[pair.number], size, posted)

    def finish(self, exchange: Exchange, size: int, count: int) -> None:
        """Tell the server that the test is over, and free the queue pairs."""
        if self.verb != "send":
            _swap(exchange, self.own[0])
            for value in (size, count, 0, 0, 0):
                exchange.write(value.to_bytes(8))
                exchange.read(8)
        _swap(exchange, self.own[0])
        exchange.write(b"done\0")
        for pair in self.pairs:
            self.rdma.destroy_qp(pair)

    def _post(self, pair: QueuePair, remote: Remote, size: int, posted: dict[int, int]) -> None:
        number = posted[pair.number]
        posted[pair.number] += 1
        if self.verb == "send":
            pair.send(self.base, size)
        elif self.verb == "write":
            pair.write(self.base, size, remote.vaddr, remote.rkey)
        elif self.verb == "read":
            pair.read(self.base, size, remote.vaddr, remote.rkey)
        else:
            pair.fetch_add(self.base + 8 * number, remote.vaddr, remote.rkey, 1)
