# SPDX-License-Identifier: Apache-2.0
"""Notifications to applications that share an engine: one that takes none stops no other."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from kumihimo.testing import Dut
from tcp_app_model import CLOSED, NOTE, pack, unpack

SESSIONS, DONE_W = 16, 49


@dataclass
class Session:
    """What the engine said of a session, and what its application heard."""

    port: int
    said: int = 0
    heard: int = 0
    opened: bool = False
    ended: bool = False  # the engine said so
    over: bool = False  # the application heard it


def done(sid: int) -> int:
    """tcp_rx_done_t with `released`."""
    return sid << 33 | 1


class Engine:
    """Says random things, and frees a number when it is released."""

    def __init__(self, seed: int) -> None:
        self.rnd = random.Random(seed)
        shape = {
            "s_notify": {"W": 103},
            "m_notify": {"W": 103},
            "s_done": {"W": DONE_W},
            "m_done": {"W": DONE_W},
            "m_orphan": {"W": 17},
        }
        self.dut = Dut.of_module("tests/rtl/tcp/kumi_t_tcp_notes.sv", {}, shape)
        self.dut.run(SESSIONS + 40)
        self.live: dict[int, Session] = {}
        self.lives = [0, 0]
        self.last: list[tuple[int, Session] | None] = [None, None]

    def say(self) -> None:
        """One notification."""
        sid = self.rnd.randrange(SESSIONS)
        s = self.live.get(sid)
        if s is None:
            s = self.live[sid] = Session(self.rnd.randrange(2))
            self.note(sid, s, opened=1)
        elif not s.ended and self.rnd.random() < 0.1:
            s.ended = True
            self.note(sid, s, ended=1, reason=CLOSED)
            self.dut.send("s_done", [done(sid)])
        elif not s.ended:
            length = self.rnd.choice((0, 1, 500, 65535))
            s.said += length
            self.note(sid, s, length=length)

    def note(self, sid: int, s: Session, **fields: int) -> None:
        record = pack(NOTE, sid=sid, local_port=s.port, peer_port=sid, **fields)
        self.dut.send("s_notify", [record])

    def hear(self) -> None:
        """What came out."""
        for client in range(2):
            for frame in self.dut.recv(f"m_notify[{client}]"):
                n = unpack(NOTE, frame.value)
                s = self.live.get(n["sid"], Session(-1))
                if last := self.last[client]:
                    self.last[client] = None
                    assert last[0] == n["sid"] and n["ended"]
                    s = last[1]
                assert s.port == client == n["local_port"] and n["peer_port"] == n["sid"]
                assert not s.over and bool(n["opened"]) == (not s.opened)
                s.opened = True
                s.heard += n["length"]
                assert s.heard <= s.said
                if n["ended"]:
                    assert s.ended and s.heard == s.said and n["reason"] == CLOSED
                    s.over = True
        for frame in self.dut.recv("m_done"):
            sid = frame.value >> 33
            assert frame.value & 1
            s = self.live.pop(sid)
            if not s.over:  # the application's register holds the end, nothing is before it
                assert s.ended and self.last[s.port] is None
                self.last[s.port] = (sid, s)
            self.lives[s.port] += 1

    def run(self, count: int) -> None:
        """Say something now and then."""
        for _ in range(count):
            self.say()
            self.dut.run(self.rnd.choice((1, 1, 2, 8)))
            self.hear()

    def settle(self) -> None:
        """Everything that can arrive has arrived."""
        self.dut.run(3000)
        self.hear()


@pytest.mark.parametrize("seed", [1, 2])
def test_one_takes_nothing(seed: int) -> None:
    """The other one hears all that is said of its sessions; later the first does, too."""
    e = Engine(seed)
    e.dut.stall("m_notify[1]", 1.0)
    e.run(3000)
    e.settle()
    mine = [s for s in e.live.values() if s.port == 0]
    assert all(s.heard == s.said and s.over == s.ended for s in mine)
    assert e.lives[0] > 5 and e.lives[1] <= 1
    e.dut.stall("m_notify[1]", 0.0)
    e.settle()
    assert all(s.heard == s.said and s.over == s.ended for s in e.live.values())
    e.run(1000)
    e.settle()
    assert e.lives[1] > 5 and not any(s.over for s in e.live.values())


def test_both_are_slow() -> None:
    """Any mixture of stalls: sums, order and release are right."""
    e = Engine(3)
    e.dut.stall("m_notify[0]", 0.7, seed=1)
    e.dut.stall("m_notify[1]", 0.9, seed=2)
    e.dut.stall("m_done", 0.5, seed=3)
    e.run(3000)
    e.settle()
    assert all(s.heard == s.said for s in e.live.values()) and min(e.lives) > 20
