# SPDX-License-Identifier: Apache-2.0
"""The message kernels alone: every byte, order, broken messages, turns, room, replies."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import messages
import pytest
from kumihimo.regs import BLOCKS, Block
from kumihimo.testing import Dut, Frame
from kumihimo.testing.sizes import data_widths

pytestmark = pytest.mark.long  # all data widths

HERE = Path(__file__).parent
BAD, FIRST, LAST = 1, 2, 4


class Bench:
    """The test top with its three register blocks."""

    def __init__(self, width: int) -> None:
        self.bytes = width // 8
        self.dut = Dut(HERE / "kumi_t_msg.sv", params={"DATA_W": width})
        self.gen = Block(self, BLOCKS["eth_gen"], 0x0000)
        self.check = Block(self, BLOCKS["eth_check"], 0x1000)
        self.echo = Block(self, BLOCKS["eth_echo"], 0x2000)

    def read(self, addr: int) -> int:
        """A register."""
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        """A register."""
        self.dut.axil_write(addr, data)

    def feed(self, port: str, data: bytes, peer: int, cuts: tuple[int, ...] = ()) -> None:
        """A message cut into frames at these places."""
        edges = [0, *cuts, len(data)]
        for a, b in itertools.pairwise(edges):
            user = (FIRST if a == 0 else 0) | (LAST if b == len(data) else 0)
            self.frame(port, data[a:b], peer, user)

    def frame(self, port: str, data: bytes, peer: int, user: int) -> None:
        """One frame with its marks on every beat."""
        beats = -(-len(data) // self.bytes)
        users = [user & ~BAD] * (beats - 1) + [user]
        self.dut.send(port, [Frame(data, users=users, id=peer)])

    def settle(self) -> None:
        """Until everything has been taken and counted."""
        self.dut.drain(400_000, 12)

    def found(self) -> dict[str, int]:
        """What the checker counted and is not zero."""
        names = ("messages", "bad_bytes", "wrong", "broken", "order", "orphan")
        return {n: v for n in names if (v := self.check[n].read())}


@pytest.fixture(scope="module", params=data_widths(128, 256, 512))
def made(request: pytest.FixtureRequest) -> Bench:
    """One build a width."""
    return Bench(request.param)


@pytest.fixture
def bench(made: Bench) -> Iterator[Bench]:
    """Fresh from reset, with random pauses at every stream."""
    made.dut.restart()
    made.dut.stall_all(rx=0.25, tx=0.25, seed=7)
    made.dut.set("rooms", 0xFFFF)
    yield made


def test_generator(bench: Bench) -> None:
    """Messages are what the description says, numbered for each peer, records beside them."""
    gen = bench.gen
    gen.option.set(source=0x1234)
    gen.peers.write(3 | 4 << 16)
    gen.low.write(16)
    gen.high.write(700)
    gen.messages.write(30)
    gen.ctrl.write(1)
    frames = bench.dut.recv("m_axis_gen", 30)
    records = [f.value for f in bench.dut.recv("m_hdr_gen", 30)]
    for i, (frame, record) in enumerate(zip(frames, records, strict=True)):
        source, number, _stamp = messages.read(frame.data)
        assert (source, number, frame.dest) == (0x1234, i // 4, 3 + i % 4)
        assert record == frame.dest << 32 | len(frame.data)
    sizes = {len(f.data) for f in frames}
    assert min(sizes) >= 16 and max(sizes) <= 700 and len(sizes) > 20
    bench.dut.run(4)
    assert gen.status.get("running") == 0
    assert gen.read64("sent_bytes") == sum(len(f.data) for f in frames)
    # Again: the same lengths and numbers.
    gen.ctrl.write(1)
    again = bench.dut.recv("m_axis_gen", 30)
    assert [len(f.data) for f in again] == [len(f.data) for f in frames]
    assert messages.read(again[0].data)[1] == 0


def test_time_stamp(bench: Bench) -> None:
    """With a free way the stamp is the cycle in which the first beat leaves."""
    bench.dut.stall_all()
    bench.gen.low.write(64)
    bench.gen.high.write(64)
    bench.gen.messages.write(3)
    bench.gen.gap.write(20)
    bench.gen.ctrl.write(1)
    frames = bench.dut.recv("m_axis_gen", 3)
    gaps = {f.cycle - messages.read(f.data)[2] for f in frames}
    assert len(gaps) == 1  # the testbench counts its cycles from another start
    assert frames[1].cycle - frames[0].last_cycle >= 20


def test_back_to_back(bench: Bench) -> None:
    """No idle cycle between messages of five beats or more."""
    bench.dut.stall_all()
    size = 5 * bench.bytes
    bench.gen.low.write(size)
    bench.gen.high.write(size)
    bench.gen.messages.write(20)
    bench.gen.ctrl.write(1)
    frames = bench.dut.recv("m_axis_gen", 20)
    assert frames[-1].last_cycle - frames[0].cycle + 1 == 100


def test_turns_and_room(bench: Bench) -> None:
    """A peer without room is passed over, the others get their turns; with none nothing is sent."""
    gen = bench.gen
    bench.dut.set("rooms", 0b1011)
    gen.option.set(skip_no_credit=1)
    gen.peers.write(0 | 4 << 16)
    gen.messages.write(9)
    gen.ctrl.write(1)
    frames = bench.dut.recv("m_axis_gen", 9)
    assert [f.dest for f in frames] == [0, 1, 3] * 3
    assert gen.skipped.read() >= 2
    bench.dut.set("rooms", 0)
    gen.ctrl.write(1)
    bench.dut.run(400)
    assert gen.sent.read() == 0 and gen.status.get("running") == 1
    bench.dut.set("rooms", 0b0100)
    assert {f.dest for f in bench.dut.recv("m_axis_gen", 9)} == {2}


def test_stop(bench: Bench) -> None:
    """An endless run ends after a whole message; so does one that waits for a reply for ever."""
    gen = bench.gen
    gen.messages.write(0)
    gen.low.write(1000)
    gen.high.write(1000)
    gen.ctrl.write(1)
    bench.dut.recv("m_axis_gen", 5)
    gen.ctrl.write(2)
    bench.dut.run_until(lambda: gen.status.get("running") == 0, 4000, 20)
    for frame in bench.dut.recv("m_axis_gen"):
        messages.read(frame.data)
    gen.option.set(reply=1)
    gen.timeout.write(0)
    gen.ctrl.write(1)
    bench.dut.recv("m_axis_gen", 1)
    bench.dut.run(300)
    assert gen.status.get("running") == 1
    gen.ctrl.write(2)
    bench.dut.run(20)
    assert gen.status.get("running") == 0


def test_replies(bench: Bench) -> None:
    """Ping-pong: the next message waits for the right reply; a lost one times out."""
    gen = bench.gen
    gen.option.set(source=9, reply=1)
    gen.timeout.write(500)
    gen.low.write(100)
    gen.high.write(100)
    gen.messages.write(4)
    gen.ctrl.write(1)
    for number in range(4):
        (ping,) = bench.dut.recv("m_axis_gen", 1)
        assert messages.read(ping.data)[1] == number
        bench.dut.run(100)
        assert not bench.dut.recv("m_axis_gen")
        if number == 1:
            continue  # no reply
        if number == 2:  # a wrong one first
            bench.feed("s_axis_check", messages.make(100, 7, 9), 0)
            bench.settle()
            assert not bench.dut.recv("m_axis_gen")
        bench.feed("s_axis_check", ping.data, 0)
    bench.settle()
    assert (gen.replies.read(), gen.lost.read(), gen.status.get("running")) == (3, 1, 0)


def test_checker_takes_what_is_right(bench: Bench) -> None:
    """Messages of many senders, cut anywhere and mixed frame by frame: all right, all counted."""
    rng = random.Random(bench.bytes)
    queues: dict[int, list[tuple[bytes, int]]] = {}
    total = dict.fromkeys(range(6), 0)
    for source in total:
        frames: list[tuple[bytes, int]] = []
        for number in range(6):
            size = rng.choice([16, 17, 31, 32, 33, 64, 65, 100, 257, 700, 1500])
            data = messages.make(size, number, 100 + source, rng.getrandbits(32))
            cuts = sorted(rng.sample(range(16, size), min(2, size - 16))) if number % 2 else []
            edges = [0, *cuts, size]
            for a, b in itertools.pairwise(edges):
                user = (FIRST if a == 0 else 0) | (LAST if b == size else 0)
                frames.append((data[a:b], user))
            total[source] += size
        queues[source] = frames
    while any(queues.values()):
        source = rng.choice([s for s, q in queues.items() if q])
        data, user = queues[source].pop(0)
        bench.frame("s_axis_check", data, source, user)
    bench.settle()
    assert bench.found() == {"messages": 36}
    assert bench.check.read64("bytes") == sum(total.values())
    for source, size in total.items():
        bench.check.select.write(source)
        assert bench.check.read64("source_bytes") == size
        assert bench.check.source_next.read() == 6


def test_checker_finds_every_wrong_byte(bench: Bench) -> None:
    """A flipped bit anywhere makes the message wrong; behind the header it is one bad byte."""
    size = 3 * bench.bytes + 5
    rng = random.Random(3)
    for place in range(size):
        data = bytearray(messages.make(size, place, 1, 77))
        data[place] ^= 1 << rng.randrange(8)
        bench.feed("s_axis_check", bytes(data), 2)
    bench.settle()
    found = bench.found()
    assert found["wrong"] == size and "messages" not in found
    # A wrong header makes the whole pattern wrong; each byte behind it is one by itself.
    assert found["bad_bytes"] >= size - 16
    bench.check.ctrl.write(1)
    data = bytearray(messages.make(size, 0, 1, 77))
    for place in (16, 40, size - 1):
        data[place] ^= 0x80
    bench.feed("s_axis_check", bytes(data), 2, (20, 41))
    bench.settle()
    assert bench.found() == {"wrong": 1, "bad_bytes": 3}


def test_checker_finds_what_is_missing(bench: Bench) -> None:
    """Numbers missing, duplicated or swapped; lengths too short or too long; frames missing."""
    for number in (0, 1, 3, 3, 2):
        bench.feed("s_axis_check", messages.make(64, number), 0)
    bench.settle()
    assert bench.found() == {"messages": 5, "order": 3}
    bench.check.ctrl.write(1)
    data = messages.make(300, 0)
    bench.frame("s_axis_check", data[:100], 1, FIRST)
    bench.frame("s_axis_check", data[100:200], 1, LAST)  # ends too early
    bench.frame("s_axis_check", data[200:300], 1, LAST)  # continues nothing
    bench.frame("s_axis_check", messages.make(64, 1) + b"\0", 1, FIRST | LAST)  # too long
    bench.frame("s_axis_check", messages.make(64, 2)[:9], 1, FIRST | LAST)  # no header
    bench.settle()
    found = bench.found()
    assert (found["wrong"], found["orphan"]) == (3, 1) and "messages" not in found
    # One message breaks off with the mark, the next one begins inside another.
    bench.check.ctrl.write(1)
    bench.frame("s_axis_check", data[:100], 1, FIRST)
    bench.frame("s_axis_check", b"\0", 1, BAD)
    bench.frame("s_axis_check", messages.make(300, 1)[:100], 1, FIRST)
    bench.feed("s_axis_check", messages.make(40, 2), 1)
    bench.settle()
    assert bench.found() == {"broken": 1, "wrong": 1, "messages": 1}


def test_checker_by_length(bench: Bench) -> None:
    """Without marks a message ends when its length has come."""
    bench.check.ctrl.write(1 | 4)
    for number in range(4):
        data = messages.make(20 * bench.bytes, number)
        for at in range(0, len(data), 8 * bench.bytes):
            bench.frame("s_axis_check", data[at : at + 8 * bench.bytes], 5, 0)
    bench.settle()
    assert bench.found() == {"messages": 4}


def test_checker_window_and_hold(bench: Bench) -> None:
    """Bytes of a source count between two cycles; while held nothing is taken."""
    check = bench.check
    bench.dut.stall_all()
    check.ctrl.write(1 | 2)
    bench.feed("s_axis_check", messages.make(64, 0), 1)
    bench.dut.run(100)
    assert bench.dut.waiting("s_axis_check") == 1 and check.messages.read() == 0
    check.ctrl.write(0)
    bench.settle()
    assert check.messages.read() == 1
    end = check.end_cycle.read()
    check.ctrl.write(1)
    check.from_cycle.write(end + 1000)
    check.to_cycle.write(end + 1400)
    for number in range(3):
        bench.feed("s_axis_check", messages.make(64, number), 1)
        bench.dut.run(600)
    check.select.write(1)
    assert check.messages.read() == 3 and check.read64("source_bytes") == 64


def test_echo(bench: Bench) -> None:
    """Whole messages go back to their sender, in one piece, with a record of their length."""
    whole = 4 * bench.bytes
    sizes = (16, 33, 100, whole, whole + 7, 3 * whole + 1)
    want = []
    for number, size in enumerate(sizes):
        data = messages.make(size, number, 3)
        cuts = (whole,) if size > whole else ()
        bench.feed("s_axis_echo", data, number, cuts)
        want.append((number, data))
    frames = bench.dut.recv("m_axis_echo", len(sizes))
    records = [f.value for f in bench.dut.recv("m_hdr_echo", len(sizes))]
    assert [(f.dest, f.data) for f in frames] == want and not any(f.bad for f in frames)
    assert records == [peer << 32 | len(data) for peer, data in want]
    assert bench.echo.counters() == {
        "messages": len(sizes),
        "drop_busy": 0,
        "drop_orphan": 0,
        "drop_format": 0,
        "broken": 0,
    }


def test_echo_of_bad_input(bench: Bench) -> None:
    """Others' frames inside a message, orphans, and broken messages never stop the echo."""
    whole = 4 * bench.bytes
    data = messages.make(3 * whole, 0)
    bench.frame("s_axis_echo", data[:whole], 1, FIRST)
    bench.feed("s_axis_echo", messages.make(64, 0), 2)  # another peer's: dropped
    bench.frame("s_axis_echo", data[whole:], 1, LAST)
    bench.frame("s_axis_echo", data[:64], 1, LAST)  # orphan
    bench.frame("s_axis_echo", data[:9], 1, FIRST | LAST)  # no header
    bench.frame("s_axis_echo", data[:whole], 1, FIRST)
    bench.frame("s_axis_echo", b"\0", 1, BAD)  # broke off
    bench.frame("s_axis_echo", data[:whole], 1, FIRST)
    bench.feed("s_axis_echo", messages.make(64, 1), 1)  # begins inside another
    bench.frame("s_axis_echo", data[:whole], 1, FIRST)
    bench.frame("s_axis_echo", data[whole : whole + 3], 1, 0)  # not a whole word
    bench.feed("s_axis_echo", messages.make(80, 2), 1)
    frames = bench.dut.recv("m_axis_echo", 6)
    assert [f.bad for f in frames] == [False, True, True, False, True, False]
    assert frames[0].data == data
    assert frames[3].data == messages.make(64, 1) and frames[5].data == messages.make(80, 2)
    assert {f.dest for f in frames} == {1}
    counts = bench.echo.counters()
    assert counts == {
        "messages": 3,
        "drop_busy": 1,
        "drop_orphan": 1,
        "drop_format": 1,
        "broken": 3,
    }
