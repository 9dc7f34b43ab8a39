# SPDX-License-Identifier: Apache-2.0
"""The Python model of an RTP endpoint against itself, to find its own faults."""

from __future__ import annotations

import heapq
import random

import pytest
from kumihimo.proto.eth_rtp import Ack, Frame, Hello, Type
from rtp_endpoint import Config, Endpoint

A, B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"


class Wire:
    """Two endpoints and a lossy line between them."""

    def __init__(
        self, seed: int, loss: float = 0, double: float = 0, reorder: float = 0, delay: int = 100
    ) -> None:
        self.rng = random.Random(seed)
        self.chances = loss, double, reorder
        self.delay = delay
        self.ends = {
            A: Endpoint(A, {5: B}, Config(window=16), nonce=1000),
            B: Endpoint(B, {9: A}, Config(window=8), nonce=2000),
        }
        self.flying: list[tuple[int, int, bytes]] = []
        self.log: list[tuple[int, bytes]] = []
        self.now = 0
        self.count = 0

    def throw(self, frame: bytes, late: int = 0) -> None:
        """A frame onto the line."""
        self.count += 1
        heapq.heappush(self.flying, (self.now + self.delay + late, self.count, frame))

    def run(self, time: int, step: int = 50) -> None:
        """Let time pass."""
        loss, double, reorder = self.chances
        end = self.now + time
        while self.now < end:
            self.now += step
            while self.flying and self.flying[0][0] <= self.now:
                frame = heapq.heappop(self.flying)[2]
                self.ends[frame[:6].hex(":")].receive(self.now, frame)
            for endpoint in self.ends.values():
                for frame in endpoint.poll(self.now):
                    self.log.append((self.now, frame))
                    if self.rng.random() >= loss:
                        self.throw(frame, 500 if self.rng.random() < reorder else 0)
                    if self.rng.random() < double:
                        self.throw(frame, self.rng.randrange(2000))

    @property
    def both(self) -> tuple[Endpoint, Endpoint]:
        """The two endpoints."""
        return self.ends[A], self.ends[B]


@pytest.mark.parametrize("who", ["first", "second", "both"])
def test_set_up(who: str) -> None:
    wire = Wire(1)
    a, b = wire.both
    if who != "second":
        a.open(5)
    if who != "first":
        b.open(9)
    wire.run(1000)
    assert (a.status, b.status) == ([(5, "up")], [(9, "up")])
    hellos = [Frame.parse(f) for _, f in wire.log]
    assert [f.type for f in hellos] == [Type.HELLO] * (4 if who == "both" else 3)
    assert a.links[5].own == b.links[9].rem and a.links[5].rem == b.links[9].own
    assert isinstance(hellos[0].body, Hello) and hellos[0].tag == 0


@pytest.mark.parametrize("seed", range(6))
def test_bad_line(seed: int) -> None:
    """Loss, doubling and reordering of one frame in ten: every message once, in order."""
    wire = Wire(seed, loss=0.1, double=0.1, reorder=0.1)
    a, b = wire.both
    rng = random.Random(seed)
    texts = [[rng.randbytes(rng.randrange(1, 6000)) for _ in range(40)] for _ in range(2)]
    a.open(5)
    b.open(9)
    wire.run(60_000)
    for text in texts[0]:
        a.send(5, text)
    for text in texts[1]:
        b.send(9, text)
    wire.run(600_000)
    assert b.messages(9) == texts[0] and a.messages(5) == texts[1]
    assert a.status == [(5, "up")] and b.status == [(9, "up")]
    assert a.counts["again"] and a.counts["dup"] and not a.counts["forged"]


def test_credit() -> None:
    """A kernel that does not take stops its peer at the limit; nothing is dropped."""
    wire = Wire(1)
    a, b = wire.both
    a.open(5)
    wire.run(1000)
    b.links[9].hold = True
    text = bytes(30 * 1470)
    a.send(5, text)
    wire.run(30_000)
    assert len(a.links[5].queue) == 22 and not b.counts["outside"] and not b.delivered
    b.links[9].hold = False
    wire.run(30_000)
    assert b.messages(9) == [text]
    limits = [
        f.body.limit
        for _, data in wire.log
        if (f := Frame.parse(data)).src == B and isinstance(f.body, Ack)
    ]
    assert limits == sorted(limits) and limits[-1] == 38


def test_restart_and_old_frames() -> None:
    """A new association; frames of the old one on the line are not delivered."""
    wire = Wire(1)
    a, b = wire.both
    a.open(5)
    b.open(9)
    wire.run(1000)
    a.send(5, bytes(3000))
    wire.run(5000)
    old = [frame for _, frame in wire.log]
    wire.ends[B] = b = Endpoint(B, {9: A}, Config(window=8), nonce=3000)
    b.open(9)
    wire.run(5000)
    assert a.status == [(5, "up"), (5, "restart"), (5, "up")] and b.status == [(9, "up")]
    for frame in old * 3:
        wire.throw(frame)
    wire.run(30_000)
    assert b.counts["old_tag"] == 3 * sum(
        f[:6].hex(":") == B and f[14] & 15 in (Type.DATA, Type.ACK) for f in old
    )
    a.send(5, b"after")
    b.send(9, b"back")
    wire.run(10_000)
    assert b.messages(9) == [b"after"] and a.messages(5) == [b"back"]
    assert len(a.status) == 3


def test_death_and_bye() -> None:
    wire = Wire(1)
    a, b = wire.both
    a.open(5)
    wire.run(1000)
    a.links[5].active = False
    a.send(5, bytes(30_000))
    wire.run(150)
    wire.chances = 1, 0, 0
    wire.run(100_000)
    # The receiver, with half a message, detects it too, and its kernel gets an abort.
    assert a.status[-1] == (5, "dead") and b.status[-1] == (9, "dead")
    assert [s.bad for _, s in b.delivered] == [False] * 8 + [True]
    wire.chances = 0, 0, 0
    a.open(5)
    wire.run(20_000)
    assert a.status[-1] == (5, "up") and b.status[-1] == (9, "up")
    b.bye(9)
    wire.run(200)
    assert (5, "bye") in a.status and b.status[-1] == (9, "bye")
