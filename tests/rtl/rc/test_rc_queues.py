# SPDX-License-Identifier: Apache-2.0
"""Datagrams, refused work requests, the error state, reset, faults of memory."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from rc_bench import (
    CMP_SWAP,
    READ,
    RECV,
    SEND,
    SEND_IMM,
    SETUP_ERROR,
    SETUP_RESET,
    WRITE,
    Engine,
    Packet,
    Wire,
    engine,
)

BASE, KEY = 0x10_0000, 0x101


def datagrams(rng: random.Random) -> tuple[Engine, Engine, Wire]:
    """Two engines with datagram queue pairs 1 and 2."""
    a, b = engine(64, 1), engine(64, 2)
    a.connect(1, b, 0, ud=1, q_key=5)
    b.connect(2, a, 0, ud=1, q_key=6)
    a.memory.write(BASE, rng.randbytes(4096))
    return a, b, Wire(a, b, rng)


def test_datagrams() -> None:
    """Datagrams of all lengths; a wrong key, no receive, a short receive: dropped and counted."""
    a, b, wire = datagrams(random.Random(1))
    path = 2 << 24
    sizes = [0, 1, 8, 255, 256]
    for n, size in enumerate(sizes):
        b.post(2, RECV, id=n, local_addr=BASE + 0x1001 * n, length=40 + size)
        b.step()
        a.post(
            1, SEND_IMM, id=n, local_addr=BASE, length=size, remote_addr=2, r_key=6, imm=n,
            compare=path,
        )  # fmt: skip
    wire.until(lambda: len(a.done) == len(b.done) == 5)
    for n, (size, sent, got) in enumerate(zip(sizes, a.done, b.done, strict=True)):
        assert (sent["id"], sent["status"]) == (n, 0)
        assert (got["id"], got["status"], got["imm"], got["length"]) == (n, 0, n, 40 + size)
        assert (got["src_qp"], got["src_path.addr"]) == (1, 1)
        if size:
            assert b.memory.read(BASE + 0x1001 * n + 40, size) == a.memory.read(BASE, size)
    a.post(1, SEND, id=9, local_addr=BASE, length=9, remote_addr=2, r_key=6, compare=path)
    wire.until(lambda: b.events()["no_receive"] == 1)
    b.post(2, RECV, id=10, local_addr=BASE, length=48)
    b.step()
    a.post(1, SEND, id=10, local_addr=BASE, length=9, remote_addr=2, r_key=7, compare=path)
    a.post(1, SEND, id=11, local_addr=BASE, length=9, remote_addr=2, r_key=6, compare=path)
    wire.until(lambda: b.events()["bad_key"] == b.events()["invalid"] == 1)
    a.post(1, SEND, id=12, local_addr=BASE, length=8, remote_addr=2, r_key=6, compare=path)
    wire.until(lambda: len(b.done) == 6)
    assert (b.done[5]["id"], b.done[5]["length"]) == (10, 48)
    a.post(1, SEND, id=13, local_addr=BASE, length=257, remote_addr=2, r_key=6, compare=path)
    a.post(1, WRITE, id=14, local_addr=BASE, length=2, remote_addr=2, r_key=6)
    wire.until(lambda: len(a.done) == 11)
    assert [wc["status"] for wc in a.done[-2:]] == [2, 2]


def test_refused() -> None:
    """Work requests that are illegal or too many complete with an error; the others wait."""
    one = engine(64)
    one.connect(1, None, max_rd_atomic=0)
    for n in range(18):
        one.post(1, RECV, id=n, local_addr=BASE, length=100)
    one.post(1, READ, id=20, local_addr=BASE, length=8)
    one.post(1, CMP_SWAP, id=21, local_addr=BASE)
    one.post(1, 12, id=22, local_addr=BASE)
    one.post(1, SEND, id=23, local_addr=BASE, length=(1 << 31) + 1)
    one.post(2, SEND, id=24, local_addr=BASE, length=1)
    one.post(70, SEND, id=25, local_addr=BASE, length=1)
    one.dut.run_until(lambda: one.step() or len(one.done) >= 8, 4000)
    assert [(wc["id"], wc["status"]) for wc in one.done] == [
        (n, 2) for n in (16, 17, 20, 21, 22, 23, 24, 25)
    ]
    one.setup(SETUP_ERROR, qp=1)
    one.step(400)
    assert [(wc["id"], wc["status"]) for wc in one.done[8:]] == [(n, 5) for n in range(16)]
    one.post(1, SEND, id=30, local_addr=BASE, length=1)
    one.step(100)
    assert (one.done[-1]["id"], one.done[-1]["status"]) == (30, 5)
    assert one.dut.get("qp_error") == 2
    one.setup(SETUP_RESET, qp=1)
    one.post(1, SEND, id=31, local_addr=BASE, length=1)
    one.step(100)
    assert (one.done[-1]["id"], one.done[-1]["status"]) == (31, 2)
    assert one.dut.get("qp_error") == 0


def test_begins_again() -> None:
    """A queue pair set up again in the middle of everything begins with its new PSNs."""
    rng = random.Random(5)
    a, b = engine(64, 1), engine(64, 2)
    b.region(KEY, BASE, 1 << 20)
    a.memory.write(BASE, rng.randbytes(1 << 16))
    for life in range(6):
        wire = Wire(a, b, rng)
        psn = rng.getrandbits(24)
        a.connect(1, b, 1, sq_psn=psn)
        b.connect(1, a, 1, rq_psn=psn)
        done = len(a.done)
        for n in range(8):
            op = [WRITE, READ][n % 2]
            local = BASE + 5000 * n if op == WRITE else 0x60_0000 + n * 5000
            a.post(1, op, id=n, local_addr=local, length=3000 + life, r_key=KEY,
                   remote_addr=BASE + 5000 * (n - n % 2))  # fmt: skip
        if life % 2:
            wire.until(lambda d=done: len(a.done) == d + 8)
            for n in range(0, 8, 2):
                sent = a.memory.read(BASE + 5000 * n, 3000 + life)
                assert b.memory.read(BASE + 5000 * n, 3000 + life) == sent
                assert a.memory.read(0x60_0000 + 5000 * (n + 1), 3000 + life) == sent
        else:
            for _ in range(rng.randrange(4, 12)):
                wire.step()
            a.step(3000)
            b.step(3000)
    assert a.dut.get("qp_error") == b.dut.get("qp_error") == 0


def test_memory_faults() -> None:
    """Memory that refuses: a receive says so, a sender's packet is marked, a WRITE gets a NAK."""
    a, b = engine(64, 1), engine(64, 2)
    a.connect(1, b, 1)
    b.connect(1, a, 1)
    b.region(KEY, BASE, 1 << 16)
    wire = Wire(a, b, random.Random(1))
    b.memory.fault(BASE + 512, 256)
    b.post(1, RECV, id=1, local_addr=BASE + 500, length=100)
    b.step()
    a.post(1, SEND, id=2, local_addr=BASE, length=100)
    wire.until(lambda: a.done and b.done)
    assert b.done[0]["status"] == 4 and a.done[0]["status"] == 11
    assert b.events()["mem_error"] > 0
    a.connect(2, b, 2, retry_cnt=1, timeout=6)
    b.connect(2, a, 2)
    a.memory.fault(BASE + 512, 8)
    a.post(2, WRITE, id=3, local_addr=BASE + 500, length=100, remote_addr=BASE, r_key=KEY)
    wire.until(lambda: len(a.done) == 2)
    assert a.done[1]["status"] == 12 and a.events()["mem_error"] == 2
    a.connect(3, b, 3)
    b.connect(3, a, 3)
    for n, word in enumerate((BASE, BASE + 520)):
        a.post(3, CMP_SWAP, id=n, local_addr=BASE + 8192, remote_addr=word, r_key=KEY)
    wire.until(lambda: len(a.done) == 4)
    assert [wc["status"] for wc in a.done[2:]] == [0, 11]


def only(what: Callable[[dict[str, int]], bool], times: int) -> Callable[..., Packet | None]:
    """Loses the first packets that something is true of."""
    left = [times]

    def log(packet: Packet, _source: Engine) -> Packet | None:
        if left[0] and what(packet.hdr):
            left[0] -= 1
            return None
        return packet

    return log


@pytest.mark.parametrize("opcode", [0x0C, 0x0D, 0x0E, 0x0F, 0x11, 0x06, 0x07, 0x08, 0x13, 0x12])
def test_one_lost(opcode: int) -> None:
    """One packet of each kind is lost, twice over; all the same everything is as it should be."""
    rng = random.Random(opcode)
    a, b = engine(64, 1), engine(64, 2)
    a.connect(1, b, 1, timeout=7)
    b.connect(1, a, 1)
    b.region(KEY, BASE, 1 << 16)
    wire = Wire(a, b, rng, log=only(lambda hdr: hdr["hdr.opcode"] == opcode, 2))
    a.memory.write(BASE, rng.randbytes(4096))
    b.memory.write(BASE + 0x4000, (1000).to_bytes(8, "little"))
    a.post(1, WRITE, id=0, local_addr=BASE, length=1000, remote_addr=BASE, r_key=KEY)
    a.post(1, READ, id=1, local_addr=BASE + 0x8000, length=1000, remote_addr=BASE, r_key=KEY)
    a.post(1, CMP_SWAP, id=2, local_addr=BASE + 0x9000, remote_addr=BASE + 0x4000, r_key=KEY,
           compare=1000, swap_add=1001)  # fmt: skip
    a.post(1, CMP_SWAP, id=3, local_addr=BASE + 0x9008, remote_addr=BASE + 0x4000, r_key=KEY,
           compare=1001, swap_add=1002)  # fmt: skip
    wire.until(lambda: len(a.done) == 4)
    assert [wc["status"] for wc in a.done] == [0, 0, 0, 0]
    # A last response comes again as an only one, and an ACK need not come again.
    assert wire.lost == 2 or (opcode in (0x0F, 0x11) and wire.lost)
    sent = a.memory.read(BASE, 1000)
    assert sent == b.memory.read(BASE, 1000) == a.memory.read(BASE + 0x8000, 1000)
    words = a.memory.read(BASE + 0x9000, 16) + b.memory.read(BASE + 0x4000, 8)
    assert [int.from_bytes(words[i : i + 8], "little") for i in (0, 8, 16)] == [1000, 1001, 1002]


def test_a_region_is_gone_once_its_setup_is_accepted() -> None:
    """WRITEs that were checked before are in memory by then, those behind it are refused."""
    rng = random.Random(5)
    a, b = engine(64, 1), engine(64, 2)
    a.connect(1, b, 1, mtu=1)
    b.connect(1, a, 1, mtu=1)
    b.region(KEY, BASE, 1 << 16)
    b.dut.stall("m_axi", 0.7, seed=3)
    a.memory.write(BASE, bytes(rng.choices(range(1, 256), k=8192)))
    a.post(1, WRITE, id=0, local_addr=BASE, length=8192, remote_addr=BASE, r_key=KEY)
    for packet in a.step(2000):
        b.feed(packet.copy(**{"path.addr": 1}))
    b.step(300)
    b.region(KEY, BASE, 1 << 16, valid=0)
    before = b.memory.read(BASE, 8192)
    assert any(before)
    assert not any(before[-256:])
    b.step(20_000)
    assert b.memory.read(BASE, 8192) == before
    assert b.dut.get("qp_error") == 2
