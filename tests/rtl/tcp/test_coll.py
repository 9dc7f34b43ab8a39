# SPDX-License-Identifier: Apache-2.0
"""kumi_coll: rings of nodes whose engines are models, joined by the test; numpy does the sums."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from tcp_app_bench import KernelBench
from tcp_app_model import NO_SESSION, OK, REFUSED, RESET, TIMEOUT, Engine, Session

MODULE = "kumi_coll"
SEND, RECV, SCATTER, GATHER, BROADCAST, REDUCE, ALL_REDUCE, BARRIER, PASS = range(1, 10)
PORT = 5100
IP = 0x0A000000


class Node:
    """One kernel with its engine."""

    def __init__(self, width: int, rank: int) -> None:
        self.rank = rank
        more = {"s_cmd": {"W": 45}, "m_done": {"W": 4}}
        params = {"CHUNK": 256, "WINDOW": 3, "RETRY": 200}
        self.bench = KernelBench(MODULE, "coll", width, params, more)
        self.dut, self.regs = self.bench.dut, self.bench.regs
        self.begin(1)

    def begin(self, nodes: int) -> None:
        self.dut.restart()
        self.engine = Engine(self.dut, seed=self.rank + 1, ring=4096, sessions=8, rest=100, step=16)
        self.regs.place.write(PORT << 16 | nodes << 8 | self.rank)
        self.regs.next_ip.write(IP + (self.rank + 1) % nodes)
        self.got: list[tuple[int, bytes]] = []
        self.ends: list[int] = []

    def command(self, op: int, root: int = 0, length: int = 0, is_float: int = 0) -> None:
        self.dut.send("s_cmd", [op << 41 | is_float << 40 | root << 32 | length])

    def give(self, data: bytes) -> None:
        self.dut.send("s_local", [data])


class Ring:
    """Nodes and the wires between their engines."""

    def __init__(self, nodes: list[Node], seed: int = 1) -> None:
        self.nodes = nodes
        self.rnd = random.Random(seed)
        self.wires: list[tuple[Session, Engine, Session]] = []
        for node in nodes:
            node.begin(len(nodes))
            node.engine.accept_open = self._accept
            node.engine.on_open = self._joined
            if len(nodes) > 1:
                node.regs.ctrl.write(1)
        if len(nodes) > 1:
            self.until(self.up, 3000)

    def up(self) -> bool:
        return all(n.regs.status.read() & 3 == 3 for n in self.nodes)

    def _accept(self, ip: int, port: int) -> int:
        node = self.nodes[ip - IP]
        return OK if port in node.engine.ports and node.engine.free else REFUSED

    def _joined(self, s: Session) -> None:
        target = self.nodes[s.peer_ip - IP].engine
        other = target.connect(PORT)
        if other:
            self.wires.append((s, target, other))

    def step(self) -> None:
        for node in self.nodes:
            node.engine.step()
            node.got += [(f.id, f.data) for f in node.dut.recv("m_local")]
            node.ends += [f.value for f in node.dut.recv("m_done")]
        for wire in list(self.wires):
            s, target, other = wire
            if s.ended or other.ended:
                if not other.ended:
                    target.kill(other, RESET)
                self.wires.remove(wire)
            elif s.to_peer and len(other.unread) < 4096:
                n = min(len(s.to_peer), self.rnd.choice((60, 500, 1460)))
                target.feed(other, bytes(s.to_peer[:n]))
                del s.to_peer[:n]
        for node in self.nodes:
            for s in list(node.engine.sessions.values()):
                mine = [w for w in self.wires if w[2] is s or w[0] is s]
                if not mine and not s.ended:
                    node.engine.kill(s, RESET)

    def until(self, condition: Callable[[], bool], steps: int = 4000) -> None:
        for _ in range(steps):
            if condition():
                return
            self.step()
        raise AssertionError([hex(n.regs.status.read()) for n in self.nodes])

    def run(self, op: int, **more: int) -> None:
        """All nodes begin the operation, at different times, and end it."""
        before = [len(n.ends) for n in self.nodes]
        for node in self.rnd.sample(self.nodes, len(self.nodes)):
            node.command(op, **more)
            for _ in range(self.rnd.randint(0, 20)):
                self.step()
        self.until(lambda: [len(n.ends) for n in self.nodes] == [b + 1 for b in before])
        assert all(n.ends[-1] == OK for n in self.nodes)
        self.until(lambda: not any(n.dut.get("busy") for n in self.nodes), 400)


@pytest.fixture(scope="module", params=[64, 512])
def built(request: pytest.FixtureRequest) -> list[Node]:
    return [Node(request.param, rank) for rank in range(4)]


def parts(nodes: int, size: int, seed: int = 1) -> list[bytes]:
    rng = np.random.default_rng(seed)
    return [rng.bytes(size) for _ in range(nodes)]


SIZES = (4, 256, 1300)


@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_all_reduce_integers(built: list[Node], nodes: int) -> None:
    ring = Ring(built[:nodes])
    for size in SIZES:
        data = parts(nodes, size, size)
        for node, part in zip(ring.nodes, data, strict=True):
            node.give(part)
        ring.run(ALL_REDUCE, length=size)
        want = sum(np.frombuffer(p, "<u4") for p in data).astype("<u4").tobytes()
        for node in ring.nodes:
            assert node.got.pop()[1] == want and not node.got


def test_sums_of_floats(built: list[Node]) -> None:
    """Reduce to each root and all-reduce; added in the order of the ring, as numpy rounds."""
    ring = Ring(built)
    rng = np.random.default_rng(5)
    for op, root in ((REDUCE, 0), (REDUCE, 2), (REDUCE, 3), (ALL_REDUCE, 0)):
        data = [
            (rng.standard_normal(500) * 10.0 ** rng.integers(-30, 30)).astype("<f4") for _ in "1234"
        ]
        for node, part in zip(ring.nodes, data, strict=True):
            node.give(part.tobytes())
        ring.run(op, root=root, length=2000, is_float=1)
        first = (root + 1) % 4 if op == REDUCE else 0
        want = data[first]
        for i in range(1, 4):
            want = want + data[(first + i) % 4]
        for node in ring.nodes:
            if op == ALL_REDUCE or node.rank == root:
                assert node.got.pop()[1] == want.tobytes()
            assert not node.got


@pytest.mark.parametrize("root", [0, 1, 3])
def test_broadcast_scatter_gather(built: list[Node], root: int) -> None:
    ring = Ring(built, seed=root + 2)
    for size in SIZES:
        (data,) = parts(1, size)
        ring.nodes[root].give(data)
        ring.run(BROADCAST, root=root, length=size)
        for node in ring.nodes:
            if node.rank != root:
                assert node.got.pop() == (root, data)
            assert not node.got
        data = parts(4, size)
        for i in range(4):  # the root's own first, then backwards around the ring
            ring.nodes[root].give(data[(root - i) % 4])
        ring.run(SCATTER, root=root, length=size)
        for node in ring.nodes:
            assert node.got.pop() == (root, data[node.rank]) and not node.got
            node.give(data[node.rank])
        ring.run(GATHER, root=root, length=size)
        order = [(root + i) % 4 for i in range(4)]
        assert ring.nodes[root].got == [(i, data[i]) for i in order]
        ring.nodes[root].got.clear()
        assert not any(n.got for n in ring.nodes)


def test_send_receive_and_pass(built: list[Node]) -> None:
    """Between neighbours, and past the other nodes, which wait for it before they go on."""
    ring = Ring(built)
    for source, dest in ((0, 1), (1, 0), (3, 1), (0, 3)):
        (data,) = parts(1, 1000, source)
        ring.nodes[source].give(data)
        passing = (source + 1) % 4
        while passing != dest:
            ring.nodes[passing].command(PASS)
            passing = (passing + 1) % 4
        ring.nodes[source].command(SEND, root=dest, length=1000)
        ring.nodes[dest].command(RECV, root=source, length=1000)
        ring.until(lambda dest=dest: bool(ring.nodes[dest].got))
        assert ring.nodes[dest].got.pop() == (source, data)
    ring.until(lambda: [len(n.ends) for n in ring.nodes] == [4, 4, 2, 3], 300)
    assert not any(e for n in ring.nodes for e in n.ends)
    ring.run(BARRIER)


def test_barrier_waits_for_all(built: list[Node]) -> None:
    ring = Ring(built)
    for late in range(4):
        for node in ring.nodes:
            if node.rank != late:
                node.command(BARRIER)
        for _ in range(150):
            ring.step()
        assert not any(n.ends for n in ring.nodes)
        ring.nodes[late].command(BARRIER)
        ring.until(lambda: all(n.ends for n in ring.nodes))
        for node in ring.nodes:
            assert node.ends.pop() == OK


def test_mixed_one_behind_the_other(built: list[Node]) -> None:
    """All nodes are given a long list at once; stalls everywhere; nothing gets in the way."""
    ring = Ring(built, seed=9)
    for node in ring.nodes:
        node.dut.stall_all(rx=0.1, tx=0.2, seed=node.rank)
    rnd = random.Random(4)
    want: list[list[tuple[int, bytes]]] = [[] for _ in range(4)]
    count = 25
    for i in range(count):
        op = rnd.choice((SCATTER, GATHER, BROADCAST, REDUCE, ALL_REDUCE, BARRIER))
        root, size = rnd.randrange(4), 4 * rnd.randint(1, 250)
        data = parts(4, size, i)
        total = sum(np.frombuffer(p, "<u4") for p in data).astype("<u4").tobytes()
        for node in ring.nodes:
            rank = node.rank
            node.command(op, root=root, length=size)
            if op == SCATTER:
                if rank == root:
                    for j in range(4):
                        node.give(data[(root - j) % 4])
                want[rank].append((root, data[rank]))
            elif op == BROADCAST:
                if rank == root:
                    node.give(data[rank])
                else:
                    want[rank].append((root, data[root]))
            elif op != BARRIER:
                node.give(data[rank])
            if op == GATHER and rank == root:
                want[rank] += [((root + j) % 4, data[(root + j) % 4]) for j in range(4)]
            if op == ALL_REDUCE or (op == REDUCE and rank == root):
                want[rank].append((-1, total))
    ring.until(lambda: all(len(n.ends) == count for n in ring.nodes), 30000)
    ring.until(
        lambda: all(len(n.got) == len(w) for n, w in zip(ring.nodes, want, strict=True)), 200
    )
    for node, mine in zip(ring.nodes, want, strict=True):
        assert not any(node.ends)
        for (source, data), (rank, expected) in zip(node.got, mine, strict=True):
            assert data == expected and rank in (-1, source)


def test_failures(built: list[Node]) -> None:
    """Time-out, a lost neighbour, refused commands; then the ring works again."""
    ring = Ring(built)
    a, b = ring.nodes[0], ring.nodes[1]
    for bad in ((0, 0, 4), (SEND, 0, 4), (RECV, 1, 0), (REDUCE, 4, 4), (15, 0, 4)):
        a.command(bad[0], root=bad[1], length=bad[2])
    ring.until(lambda: len(a.ends) == 5, 300)
    assert a.ends == [NO_SESSION] * 5 and ring.up()
    a.ends.clear()
    a.regs.timeout_us.write(500)
    a.command(RECV, root=1, length=4)
    for _ in range(50):
        ring.step()
    assert not a.ends
    a.dut.set("now_us", 501)
    ring.until(lambda: bool(a.ends), 200)
    assert a.ends.pop() == TIMEOUT
    ring.until(ring.up, 3000)
    b.command(RECV, root=0, length=4)
    for _ in range(30):
        ring.step()
    s = next(w[0] for w in ring.wires if w[1] is b.engine)
    a.engine.kill(s, RESET)
    ring.until(lambda: bool(b.ends), 300)
    assert b.ends.pop() == RESET
    ring.until(ring.up, 4000)
    for node in ring.nodes:
        node.give(bytes([node.rank, 0, 0, 0]))
    ring.run(ALL_REDUCE, length=4)
    assert [n.got.pop()[1] for n in ring.nodes] == [bytes([6, 0, 0, 0])] * 4


@pytest.mark.parametrize("cycles", range(4))
def test_registers(built: list[Node], cycles: int) -> None:
    """Started by a register, alone, in whatever cycle: the sum of one node."""
    ring = Ring(built[:1])
    node = ring.nodes[0]
    node.dut.run(cycles)
    node.give(b"abcdefgh")
    node.regs.command.set(op=ALL_REDUCE)
    node.regs.length.write(8)
    node.regs.ctrl.write(2)
    ring.until(lambda: bool(node.got), 200)
    assert node.got == [(0, b"abcdefgh")] and not node.ends
    assert node.regs.status.fields()["reason"] == OK and node.regs.cycles.read() > 0
    assert node.regs.counters()["done"] == 1
