# SPDX-License-Identifier: Apache-2.0
"""The responder against a model of the rules: right, repeated, lost and mutated requests."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing.sizes import by_size
from rc_bench import RECV, Engine, Packet, engine
from rc_model import (
    ATOMICS,
    READ_REQUEST,
    SENDS,
    WRITES,
    Request,
    Responder,
    answer,
    code,
    record,
)

BASE, SIZE, KEY = 0x40_0003, 5000, 0x1FF
INBOX = 0x80_0007


class Peer:
    """A requester that keeps the rules, until it is told not to."""

    def __init__(self, rng: random.Random, model: Responder) -> None:
        self.rng, self.model = rng, model
        self.sent: list[Request] = []
        self.queue: list[Request] = []
        self.psn = model.epsn

    def message(self) -> list[Request]:
        """The packets of a message that is right."""
        rng, mtu = self.rng, self.model.mtu
        kind = rng.choice(["send", "write", "write", "read", "atomic"])
        if kind == "atomic":
            va = BASE + 5 + 8 * rng.randrange(600)
            return [
                Request(
                    rng.choice(sorted(ATOMICS)), 0, va=va, key=KEY, swap=rng.getrandbits(64),
                    compare=int.from_bytes(self.model.memory[va - BASE : va - BASE + 8], "little"),
                )
            ]  # fmt: skip
        length = rng.choice([0, 1, 100, mtu - 1, mtu, mtu + 1, 3 * mtu, rng.randrange(4 * mtu)])
        va = BASE + rng.randrange(SIZE - length)
        va = rng.choice([va, BASE, BASE + SIZE - length])
        if kind == "read":
            return [Request(READ_REQUEST, 0, va=va, key=KEY, length=length)]
        data = rng.randbytes(length)
        parts = [data[i : i + mtu] for i in range(0, length, mtu)] or [b""]
        names = ["MIDDLE"] * len(parts)
        imm = rng.random() < 0.3
        tail = "_WITH_IMMEDIATE" if imm else ""
        names[0], names[-1] = "FIRST", "LAST" + tail
        if len(parts) == 1:
            names = ["ONLY" + tail]
        prefix = "SEND_" if kind == "send" else "RDMA_WRITE_"
        return [
            Request(
                code(prefix + name), 0, part, va, KEY, length, imm=rng.getrandbits(32),
                ack=int(rng.random() < 0.7),
            )
            for name, part in zip(names, parts, strict=True)
        ]  # fmt: skip

    def next(self) -> Request:
        """The next packet in order."""
        if not self.queue:
            self.queue = self.message()
        r = self.queue.pop(0)
        r.psn = self.psn
        if r.opcode == READ_REQUEST:
            self.psn += max(1, -(-r.length // self.model.mtu))
        else:
            self.psn += 1
        self.psn &= 0xFFFFFF
        self.sent = [*self.sent[-6:], r]
        return r

    def mutated(self, r: Request) -> Request:
        """The same with one thing wrong."""
        rng = self.rng
        r = Request(**vars(r))
        what = rng.randrange(9)
        if what == 0:
            r.opcode = rng.choice([*SENDS, *WRITES, READ_REQUEST, *ATOMICS])
        elif what == 1:
            r.psn = r.psn + rng.choice([1, 2, 1 << 22, -1, -3]) & 0xFFFFFF
        elif what == 2:
            r.payload = r.payload[: rng.randrange(self.model.mtu)] + bytes(rng.randrange(3))
        elif what == 3:
            r.va = rng.choice([r.va + SIZE, BASE - 1, r.va + 1, rng.getrandbits(64)])
        elif what == 4:
            r.key ^= 1 << rng.randrange(32)
        elif what == 5:
            r.length = rng.choice([r.length + 1, SIZE + 1, rng.getrandbits(32), 0])
        elif what == 6:
            r.qp = rng.choice([0, 3, 66, 1 << 23])
        elif what == 7:
            r.p_key = rng.randrange(0x7FFF)
        else:
            r.ack ^= 1
        return r


def life(one: Engine, rng: random.Random, wrong: float) -> int:
    """One connection until its end; returns the packets that it saw."""
    mtu = rng.choice([1, 2])
    psn = rng.choice([0xFFFFF0, rng.getrandbits(24)])
    one.connect(2, None, 9, mtu=mtu, rq_psn=psn, min_rnr_timer=1)
    one.done.clear()
    image = bytearray(rng.randbytes(SIZE))
    one.memory.write(BASE - 32, b"\xa5" * 32 + image + b"\xa5" * 32)
    model = Responder(psn, 128 << mtu, BASE, image, KEY, [])
    peer = Peer(rng, model)
    posted = count = 0
    while count < 60 and not model.dead:
        while len(model.buffers) < 2 and rng.random() < 0.6:
            length = rng.choice([1100, 2200, 2200])
            one.post(2, RECV, id=posted, local_addr=INBOX + 4096 * posted, length=length)
            one.memory.write(INBOX + 4096 * posted, b"\xa5" * 2300)
            model.buffers.append(length)
            posted += 1
            one.step(40)
        chance = rng.random()
        count += 1
        if chance < 0.1 and peer.sent:
            r = rng.choice(peer.sent)
        elif chance < 0.1 + wrong:
            r = peer.mutated(peer.next())
        else:
            if chance > 0.95:
                peer.next()  # is lost
            r = peer.next()
        expected = model.take(r)
        one.feed(record(r.bytes(), 77))
        got: list[Packet] = []
        for _ in range(60):
            got += one.step(30)
            if len(got) >= len(expected) and len(one.done) >= len(model.inbox):
                break
        got += one.step(60)
        assert [answer(p) for p in got] == expected, (r, model)
        inbox = [(d["status"], d["length"], d["imm"]) for d in one.done]
        assert inbox == model.inbox, (r, model)
        if expected and expected[0][2] in (0x60, 0x21) and not model.dead:
            # Go back: what is expected comes again, or another message.
            peer.psn, peer.queue = model.epsn, []
            if model.msg:
                return count
        elif peer.psn != model.epsn:
            peer.psn = model.epsn
            peer.queue = []
            if model.msg:
                break
    one.step(600)  # a WRITE that asked for no acknowledgement
    whole = b"\xa5" * 32 + bytes(model.memory) + b"\xa5" * 32
    assert one.memory.read(BASE - 32, len(whole)) == whole
    good = [d for d in one.done if d["status"] == 0]
    for d, text in zip(good, model.texts, strict=True):
        if not d["write"]:
            at = INBOX + 4096 * d["id"]
            assert one.memory.read(at, len(text) + 8) == text + b"\xa5" * 8
    return count


@pytest.mark.parametrize(("width", "stall"), [(64, 0.0), (64, 0.3), (512, 0.0)])
def test_responder_model(width: int, stall: float) -> None:
    """Connections until something ends them, each packet's answers and effects as in the model."""
    rng = random.Random(width + int(10 * stall))
    one = engine(width)
    one.region(KEY, BASE, SIZE)
    one.dut.stall_all(stall, stall, 3)
    packets = sum(life(one, rng, rng.choice([0.0, 0.1, 0.3])) for _ in range(by_size(14, 400)))
    one.connect(2, None, 9)
    one.feed(record(Request(code("SEND_ONLY"), 0, p_key=0x7FF0).bytes(), 77))
    one.step(60)
    events = one.events()
    assert packets > 100
    for name in ("rx_request", "duplicate", "gap", "no_receive", "invalid", "access", "bad_key"):
        assert events[name] > 0, name
