# SPDX-License-Identifier: Apache-2.0
"""Two reliable-connection engines, each other's reference for what arrives: every byte compared."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing.sizes import by_size
from rc_bench import (
    CMP_SWAP,
    FETCH_ADD,
    READ,
    RECV,
    SEND,
    SEND_IMM,
    WRITE,
    WRITE_IMM,
    Engine,
    Packet,
    Wire,
    engine,
)

LOCAL, REMOTE, KEY = 0x1_0003, 0x20_0005, 0x2A7
SIZE = 1 << 18


def pair(width: int, seed: int, **attr: int) -> tuple[Engine, Engine, random.Random]:
    """Two engines with a connection on queue pairs 1 and 2, and a region at the second."""
    rng = random.Random(seed)
    a, b = engine(width, 1), engine(width, 2)
    psn = attr.pop("psn", 0xFFFFF0)
    a.connect(1, b, 2, sq_psn=psn, rq_psn=5, **attr)
    b.connect(2, a, 1, sq_psn=5, rq_psn=psn, **attr)
    b.region(KEY, REMOTE, SIZE)
    a.memory.write(LOCAL, rng.randbytes(SIZE))
    b.memory.write(REMOTE, rng.randbytes(SIZE))
    return a, b, rng


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize(("loss", "stall"), [(0.0, 0.3), (0.04, 0.0)])
def test_every_operation(width: int, loss: float, stall: float) -> None:
    """SENDs, WRITEs, READs and atomics of all lengths, over PSN 0, with losses."""
    a, b, rng = pair(width, width + int(100 * loss))
    wire = Wire(a, b, rng, loss, loss, loss)
    for one, seed in ((a, 1), (b, 2)):
        one.dut.stall_all(stall, stall, seed)
    word = REMOTE + SIZE + 3
    word -= word % 8
    b.region(0x301, word, 8)
    value = rng.getrandbits(64)
    b.memory.write(word, value.to_bytes(8, "little"))
    received = 0
    expected: list[tuple[int, bytes]] = []
    inbox: list[bytes] = []
    for round_ in range(12 if loss else 8):
        op = [SEND, WRITE, READ, FETCH_ADD, SEND_IMM, WRITE_IMM, CMP_SWAP][round_ % 7]
        length = rng.choice([0, 1, 255, 256, 257, 511, 700, 1024, 3000])
        mine = LOCAL + rng.randrange(SIZE - 4096)
        theirs = REMOTE + rng.randrange(SIZE - 4096)
        data = a.memory.read(mine, length) if length else b""
        if op in (SEND, SEND_IMM, WRITE_IMM):
            b.post(2, RECV, id=100 + received, local_addr=0x50_0001 + 5000 * received, length=4100)
            received += 1
            b.step()
        more = {"remote_addr": theirs, "r_key": KEY}
        if op in (FETCH_ADD, CMP_SWAP):
            more = {
                "remote_addr": word,
                "r_key": 0x301,
                "compare": value if rng.random() < 0.5 else 1,
                "swap_add": rng.getrandbits(64),
            }
        back = b.memory.read(theirs, max(length, 1))[:length]
        a.post(1, op, id=round_, local_addr=mine, length=length, imm=round_, **more)
        wire.until(lambda n=round_: len(a.done) > n, what=f"round {round_}, {op} of {length}")
        last = a.done[-1]
        assert (last["status"], last["id"], last["op"]) == (0, round_, op)
        if op in (WRITE, WRITE_IMM) and length:
            assert b.memory.read(theirs, length) == data
        elif op == READ and length:
            assert a.memory.read(mine, length) == back
        elif op in (FETCH_ADD, CMP_SWAP):
            assert int.from_bytes(a.memory.read(mine, 8), "little") == value
            if op == FETCH_ADD:
                value = (value + more["swap_add"]) % (1 << 64)
            elif value == more["compare"]:
                value = more["swap_add"]
            assert int.from_bytes(b.memory.read(word, 8), "little") == value
        if op in (SEND, SEND_IMM):
            inbox.append(data)
            expected.append((round_ if op == SEND_IMM else 0, data))
        elif op == WRITE_IMM:
            expected.append((round_, b"w" * length))
    wire.until(lambda: len(b.done) == received, what="the receives")
    for n, (wc, (imm, data)) in enumerate(zip(b.done, expected, strict=True)):
        assert (wc["status"], wc["id"], wc["imm"], wc["length"]) == (0, 100 + n, imm, len(data))
        if not wc["write"] and data:
            assert b.memory.read(0x50_0001 + 5000 * n, len(data)) == data
    assert a.dut.get("qp_error") == b.dut.get("qp_error") == 0
    assert not loss or wire.lost > 0


@pytest.mark.parametrize("width", [64, 512])
def test_many_under_way(width: int) -> None:
    """Queues full of requests both ways over a lossy wire; each byte arrives once, in order."""
    a, b, rng = pair(width, 7, mtu=2)
    a.region(KEY, REMOTE, SIZE)
    a.memory.write(REMOTE, bytes(SIZE))
    wire = Wire(a, b, rng, 0.01, 0.01, 0.01)
    images = {}
    for one, qp, base in ((a, 1, LOCAL), (b, 2, 0x30_0001)):
        one.memory.write(base, rng.randbytes(1 << 16))
        other = b if one is a else a
        image = bytearray(other.memory.read(REMOTE, SIZE))
        for n in range(16):
            length, at = rng.randrange(1, 4000), rng.randrange(1 << 15)
            to = n * 8192 + rng.randrange(64)
            op = WRITE if n % 4 else READ
            own = base + at if op == WRITE else 0x60_0000 + n * 8192 + 5
            one.post(
                qp, op, id=n, local_addr=own, length=length, remote_addr=REMOTE + to, r_key=KEY,
                signaled=int(n % 2 == 0 or n == 15),
            )  # fmt: skip
            if op == WRITE:
                image[to : to + length] = one.memory.read(base + at, length)
            else:
                images[(one.number, own)] = bytes(image[to : to + length])
        images[(other.number, REMOTE)] = bytes(image)
    wire.until(lambda: a.done and b.done and a.done[-1]["id"] == b.done[-1]["id"] == 15)
    for one in (a, b):
        assert [wc["id"] for wc in one.done] == [0, 2, 4, 6, 8, 10, 12, 14, 15]
        assert {wc["status"] for wc in one.done} == {0}
        for (number, at), data in images.items():
            if number == one.number:
                assert one.memory.read(at, len(data)) == data


def test_receive_not_ready() -> None:
    """A SEND without a receive waits and goes through; with its retries used up it fails."""
    a, b, rng = pair(64, 3, rnr_retry=7)
    wire = Wire(a, b, rng)
    a.post(1, SEND, id=1, local_addr=LOCAL, length=600)
    for _ in range(40):
        wire.step()
    assert a.done == [] and a.events()["rx_rnr_nak"] > 2
    b.post(2, RECV, id=9, local_addr=0x50_0000, length=600)
    wire.until(lambda: a.done and b.done)
    assert b.memory.read(0x50_0000, 600) == a.memory.read(LOCAL, 600)
    a.connect(1, b, 2, sq_psn=1, rq_psn=1, rnr_retry=2)
    b.connect(2, a, 1, sq_psn=1, rq_psn=1)
    before = a.events()["rx_rnr_nak"]
    a.post(1, SEND, id=2, local_addr=LOCAL, length=6)
    wire.until(lambda: len(a.done) == 2)
    assert a.done[1]["status"] == 13 and a.events()["rx_rnr_nak"] == before + 3
    assert a.dut.get("qp_error") == 2


def test_dead_peer() -> None:
    """A peer that is silent: an error after the retries, all requests flushed, others go on."""
    a, b, rng = pair(64, 4)
    a.connect(3, b, 3, sq_psn=0, retry_cnt=2, timeout=7)
    sent = []

    def cut(packet: Packet, source: Engine) -> Packet | None:
        if packet.hdr["hdr.dest_qp"] == 3:
            sent.append(packet.hdr["hdr.psn"])
            return None
        return packet

    wire = Wire(a, b, rng, log=cut)
    for n in range(3):
        a.post(3, SEND, id=n, local_addr=LOCAL, length=100)
    a.post(3, RECV, id=7, local_addr=LOCAL, length=100)
    a.post(1, WRITE, id=50, local_addr=LOCAL, length=2000, remote_addr=REMOTE, r_key=KEY)
    wire.until(lambda: len(a.done) == 5)
    dead = [(wc["id"], wc["status"]) for wc in a.done if wc["qp"] == 3]
    assert dead == [(0, 12), (1, 5), (2, 5), (7, 5)]
    assert sent == [0, 1, 2] * 3 and a.dut.get("qp_error") == 8
    assert b.memory.read(REMOTE, 2000) == a.memory.read(LOCAL, 2000)
    a.post(3, SEND, id=8, local_addr=LOCAL, length=1)
    wire.until(lambda: len(a.done) == 6)
    assert (a.done[5]["id"], a.done[5]["status"]) == (8, 5)


@pytest.mark.parametrize(
    ("op", "at", "length", "key", "status"),
    [
        (WRITE, SIZE - 100, 100, KEY, 0),
        (WRITE, SIZE - 100, 101, KEY, 10),
        (WRITE, -1, 2, KEY, 10),
        (READ, SIZE - 300, 300, KEY, 0),
        (READ, SIZE - 300, 301, KEY, 10),
        (WRITE, 0, 1000, KEY + 1, 10),
        (WRITE, 0, 1000, 0xFFFFFFFF, 10),
    ],
)
def test_bounds(op: int, at: int, length: int, key: int, status: int) -> None:
    """A region holds to its last byte and no further; nothing is written before the check."""
    a, b, rng = pair(64, 5)
    wire = Wire(a, b, rng)
    before = b.memory.read(REMOTE - 64, SIZE + 256)
    a.post(1, op, id=1, local_addr=LOCAL, length=length, remote_addr=REMOTE + at, r_key=key)
    wire.until(lambda: a.done)
    assert a.done[0]["status"] == status
    image = bytearray(before)
    if status == 0 and op == WRITE:
        image[64 + at : 64 + at + length] = a.memory.read(LOCAL, length)
    assert b.memory.read(REMOTE - 64, SIZE + 256) == bytes(image)
    if status == 0 and op == READ:
        assert a.memory.read(LOCAL, length) == b.memory.read(REMOTE + at, length)
    assert b.dut.get("qp_error") == (4 if status else 0)


class Talker:
    """One direction of one queue pair in the soak: posts what there is room for, checks it all."""

    def __init__(self, one: Engine, other: Engine, qp: int, rng: random.Random, count: int) -> None:
        self.one, self.other, self.qp, self.rng = one, other, qp, rng
        self.plan = [
            rng.choice([SEND, SEND_IMM, WRITE, WRITE_IMM, READ, FETCH_ADD]) for _ in range(count)
        ]
        self.lengths = [rng.choice([0, 1, 200, 256, 257, 1500, 2600]) for _ in range(count)]
        self.posted = self.received = self.completed = 0
        self.receives = [n for n, op in enumerate(self.plan) if op in (SEND, SEND_IMM, WRITE_IMM)]
        self.signaled = [rng.random() < 0.7 or n % 5 == 4 for n in range(count)]
        self.signaled[-1] = True
        self.source = 0x100_0000 * qp + 0x40_0000 * one.number

    def local(self, n: int) -> int:
        """Where the bytes of request n are, or go to."""
        return self.source + 0x1000 * n + n

    def target(self, n: int) -> int:
        """Where they go to, or come from."""
        return 0x800_0000 + self.source + 0x1000 * n + 3 * n

    def step(self) -> None:
        """Posts some requests, and receives at the other end."""
        oldest = [n for n in range(self.posted) if self.signaled[n]][self.completed :]
        first = oldest[0] - 5 if oldest else self.posted
        while self.posted < len(self.plan) and self.posted < first + 12:
            n, op = self.posted, self.plan[self.posted]
            data = self.rng.randbytes(self.lengths[n])
            if data and op == READ:
                self.other.memory.write(self.target(n), data)
            elif data:
                self.one.memory.write(self.local(n), data)
            self.one.post(
                self.qp, op, id=n, local_addr=self.local(n), length=self.lengths[n], imm=n,
                signaled=int(self.signaled[n]), fence=self.rng.randrange(2), r_key=KEY, swap_add=1,
                remote_addr=0xF00_0000 + 8 * self.qp if op == FETCH_ADD else self.target(n),
            )  # fmt: skip
            self.posted += 1
        done = [wc for wc in self.other.done if wc["qp"] == self.qp and wc["op"] == RECV]
        while self.received < min(len(self.receives), len(done) + 10) and self.rng.random() < 0.7:
            n = self.receives[self.received]
            self.other.post(self.qp, RECV, id=n, local_addr=self.target(n), length=2600)
            self.received += 1
        mine = [wc for wc in self.one.done if wc["qp"] == self.qp and wc["op"] != RECV]
        self.completed = len(mine)

    def finished(self) -> bool:
        """Whether everything has completed."""
        done = [wc for wc in self.other.done if wc["qp"] == self.qp and wc["op"] == RECV]
        return self.completed == sum(self.signaled) and len(done) == len(self.receives)

    def check(self) -> list[int]:
        """Order, bytes; returns the values that the atomics brought."""
        mine = [wc for wc in self.one.done if wc["qp"] == self.qp and wc["op"] != RECV]
        assert [wc["id"] for wc in mine] == [n for n, s in enumerate(self.signaled) if s]
        done = [wc for wc in self.other.done if wc["qp"] == self.qp and wc["op"] == RECV]
        assert [wc["id"] for wc in done] == self.receives
        assert {wc["status"] for wc in mine + done} <= {0}
        values = []
        for n, (op, length) in enumerate(zip(self.plan, self.lengths, strict=True)):
            if op == FETCH_ADD:
                values.append(int.from_bytes(self.one.memory.read(self.local(n), 8), "little"))
            elif length:
                sent = self.one.memory.read(self.local(n), length)
                assert self.other.memory.read(self.target(n), length) == sent, (self.qp, n, op)
        return values


@pytest.mark.parametrize("width", [64, 512])
def test_soak(width: int) -> None:
    """Three queue pairs, everything at once in both directions, losses, stalls, fences."""
    rng = random.Random(width)
    a, b = engine(width, 1), engine(width, 2)
    talkers = []
    for one, other in ((a, b), (b, a)):
        one.region(KEY, 0x800_0000, 0x800_0000)
        one.dut.stall_all(0.1, 0.1, one.number)
        for qp in (0, 1, 3):
            one.connect(qp, other, mtu=1 + qp // 2, max_rd_atomic=1 + qp, sq_psn=0, rq_psn=0)
            talkers.append(Talker(one, other, qp, rng, by_size(40, 1000)))
    wire = Wire(a, b, rng, 0.01, 0.01, 0.01)

    def finished() -> bool:
        for t in talkers:
            t.step()
        return all(t.finished() for t in talkers)

    wire.until(finished, by_size(4000, 100_000))
    for number in (1, 2):
        for qp in (0, 1, 3):
            values = [t.check() for t in talkers if t.one.number == number and t.qp == qp]
            assert values == [list(range(len(values[0])))]
    assert wire.lost > 0 and a.events()["go_back"] > 0
