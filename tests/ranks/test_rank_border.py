# SPDX-License-Identifier: Apache-2.0
"""An engine that holds half a cluster; the test is its neighbour and speaks the protocol."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kumihimo import _engine
from kumihimo.ranks.engine import RankedEngine
from rankkit import Scene
from simkit import PERIODS, US, generator, mac

LATENCY = 500_000
HEAD = struct.Struct("<QQIHBB")  # of a beat: time, user, dest, id, bytes, flags
FIRST_LAST = 3


def message(clock: int, *links: tuple[int, int, list[bytes]]) -> bytes:
    body = struct.pack("<Q", clock)
    for key, dropped, beats in links:
        body += struct.pack("<IIQ", key, len(beats), dropped) + b"".join(beats)
    return struct.pack("<I", len(body)) + body


def beats_of(stream: bytes) -> list[tuple[int, bytes]]:
    """Arrival and data of every beat in whole messages."""
    found, at = [], 0
    while at < len(stream):
        end = at + 4 + struct.unpack_from("<I", stream, at)[0]
        at += 12
        while at < end:
            _, count, _ = struct.unpack_from("<IIQ", stream, at)
            at += 16
            for _ in range(count):
                arrival, _, _, _, size, _ = HEAD.unpack_from(stream, at)
                at += HEAD.size
                found.append((arrival, stream[at : at + size]))
                at += size
    return found


class Half:
    """Node `a` of rank 0; `b`, of rank 1, is this test."""

    def __init__(self, path: str) -> None:
        mine, self.other = socket.socketpair()
        mine.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.engine: Any = _engine.Engine(1, 1)
        self.engine.place(0, {"b": 1})
        self.engine.join(1, mine.fileno())
        mine.close()
        self.a = self.engine.add_node("a", path, PERIODS)
        b = self.engine.add_node("b", path, PERIODS)
        self.engine.connect((self.a, "eth0"), (b, "eth0"), latency_ps=LATENCY)

    def advance(self, until: int, seconds: float = 0.5) -> str:
        """Give up after some time."""
        end = time.monotonic() + seconds
        return str(self.engine.advance(until, lambda: time.monotonic() > end))

    def stats(self) -> dict[str, Any]:
        return dict(self.engine.rank_stats()["neighbours"]["1"])


@pytest.fixture
def half(fake_node: str) -> Iterator[Half]:
    made = Half(fake_node)
    yield made
    made.engine.close()
    made.other.close()


def test_no_further_than_the_cable_allows(half: Half) -> None:
    half.engine.start()
    assert half.advance(10 * US) == "stopped"
    assert half.engine.now_ps == LATENCY
    half.other.send(message(7 * US))
    assert half.advance(10 * US) == "stopped"
    assert half.engine.now_ps == 7 * US + LATENCY
    data = message(20 * US)
    for byte in data:  # in pieces
        half.other.send(bytes([byte]))
    assert half.advance(10 * US) == "done"
    assert half.engine.now_ps == 10 * US


def test_a_frame_arrives_and_is_echoed(half: Half) -> None:
    half.engine.start()
    frame = mac(1) + mac(2) + b"\x88\xb5" + bytes(46)
    beat = HEAD.pack(3 * US, 0, 0, 0, len(frame), FIRST_LAST) + frame
    half.other.send(message(20 * US, (1, 0, [beat])))
    assert half.advance(15 * US) == "done"
    port = half.engine.stats()["nodes"]["a"]["ports"]["eth0"]
    assert (port["rx_frames"], port["tx_frames"]) == (1, 1)
    beats = beats_of(half.other.recv(1 << 20))
    assert b"".join(data for _, data in beats) == mac(2) + mac(1) + frame[12:]
    assert all(3 * US + LATENCY < at < 15 * US + LATENCY for at, _ in beats)
    assert half.stats()["beats_out"] == len(beats)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (message(2 * US) + message(US), "went back"),
        (message(US, (9, 0, [])), "unknown cable"),
        (message(US, (0, 0, [])), "unknown cable"),  # the way that this rank itself feeds
        (struct.pack("<IQ", 12, US) + bytes(4), "short"),
        (struct.pack("<I", 3) + bytes(3), "short"),
        (message(US, (1, 0, [HEAD.pack(US, 0, 0, 0, 64, 3) + bytes(63)])), "short"),
        (message(US, (1, 0, [HEAD.pack(US, 0, 0, 0, 65, 3) + bytes(65)])), "damaged"),
        (struct.pack("<IQII", 16, US, 1 << 31, 0), "unknown cable"),
    ],
)
def test_damaged_messages(half: Half, data: bytes, why: str) -> None:
    half.engine.start()
    half.other.send(data)
    with pytest.raises(_engine.EngineError, match=f"rank 1 is gone: .*{why}"):
        half.advance(10 * US)


def test_the_other_side_closes(half: Half) -> None:
    half.engine.start()
    half.other.close()
    with pytest.raises(_engine.EngineError, match="rank 1 is gone: it closed"):
        half.advance(10 * US)


def test_times_replace_each_other_while_nobody_reads(half: Half) -> None:
    half.engine.start()
    half.other.send(message(2**40))
    windows, end = 0, 0
    for _ in range(3000):
        end += 10_000
        if half.advance(end, 0.02) == "stopped":
            break
        windows += 1
    stuck = half.stats()
    assert windows < 3000, "the socket never filled"
    for _ in range(50):
        end += 10_000
        half.advance(end, 0.0)
    assert half.stats()["messages_out"] <= stuck["messages_out"] + 1
    received = b""
    reader = threading.Thread(target=lambda: half.advance(end, 5), daemon=True)
    reader.start()
    half.other.settimeout(5)
    while not received.endswith(message(end)):
        received += half.other.recv(1 << 16)
    reader.join()
    clocks = [struct.unpack_from("<IQ", received, at)[1] for at in range(0, len(received), 12)]
    assert clocks == sorted(set(clocks)) and clocks[-1] == end


def test_a_part_refuses_what_needs_the_whole(half: Half, fake_node: str) -> None:
    engine = half.engine
    engine.start()
    for call in (
        lambda: engine.digest(),
        lambda: engine.serve(),
        lambda: engine.axil_read(half.a, 0),
        lambda: engine.pin(1, "leds"),
    ):
        with pytest.raises(_engine.EngineError, match=r"a part of a cluster|in rank 1"):
            call()
    lonely: Any = _engine.Engine(1, 1)
    lonely.place(0, {"b": 1})
    a, b = (lonely.add_node(name, fake_node, PERIODS) for name in "ab")
    lonely.connect((a, "eth0"), (b, "eth0"))
    with pytest.raises(_engine.EngineError, match="no connection"):
        lonely.start()


def test_calls_of_other_threads_during_a_run(fake_node: str) -> None:
    eng = RankedEngine(2, {"b": 1}, seed=1)
    try:
        a, b = (eng.add_node(name, fake_node, PERIODS) for name in "ab")
        eng.connect((a, "eth0"), (b, "eth0"))
        generator(eng, a, mac(2), mac(1), 100_000, 64, 100)
        eng.start()
        ended = threading.Event()
        read: list[int] = []

        def ask() -> None:
            while not ended.is_set():
                eng.axil_write(b, 0x04, len(read))
                assert eng.axil_read(b, 0x04) == len(read)
                read.append(eng.axil_read(a, 0x0C))

        thread = threading.Thread(target=ask)
        thread.start()
        assert eng.run(500 * US) == "done"
        ended.set()
        thread.join(10)
        assert not thread.is_alive() and len(read) > 2 and read == sorted(read)
        threading.Timer(0.2, eng.stop).start()
        assert eng.run(2**60) == "stopped"
    finally:
        eng.close()


def test_owners_leave_no_rank_empty() -> None:
    for ranks in (1, 2, 3, 4):
        assert set(Scene(4).owners(ranks, 0).values()) == set(range(ranks))
