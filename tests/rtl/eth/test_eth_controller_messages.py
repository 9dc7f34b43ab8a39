# SPDX-License-Identifier: Apache-2.0
"""Ethernet controller: the paper's frames, lost and misplaced frames, and no room."""

from __future__ import annotations

import random

import pytest
from controller_bench import (
    ETHERTYPE,
    OTHER,
    OWN,
    PEER,
    Info,
    Piece,
    controller,
    cut,
    events,
    number,
    pad,
    record,
)
from kumihimo.testing import Frame
from kumihimo.testing.sizes import data_widths
from scapy.layers.l2 import Ether

pytestmark = pytest.mark.long  # all data widths

WIDTHS = data_widths(64, 128, 256, 512)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.3, 0.4)])
def test_paper_framing(width: int, stalls: tuple[float, float]) -> None:
    """A word of addresses, then full words; the next message follows without tlast."""
    rng = random.Random(width)
    word = width // 8
    head = max(word, 16)
    dut = controller(width, mtu=300, PAPER_FRAMING=1)
    dut.stall_all(*stalls, seed=width)
    per_frame = (300 - head) // word
    counts = [1, 2, per_frame - 1, per_frame, per_frame + 1, 3 * per_frame, 50]
    counts = [n for n in counts if n]
    expect = []
    words = b""
    for i, count in enumerate(counts):
        peer = PEER if i % 2 else OTHER
        data = rng.randbytes(count * word)
        dut.send("set_dest_addr_count", record(peer, count))
        words += data
        for at in range(0, count, per_frame):
            part = data[at * word : (at + per_frame) * word]
            addresses = bytes(Ether(dst=peer, src=OWN, type=ETHERTYPE)).ljust(head, b"\0")
            expect.append(addresses + part)
    dut.send("send_data", words)  # tlast only at the very end
    frames = dut.recv_data("m_mac", len(expect), 100_000)
    assert frames == expect
    for frame in frames:
        dut.send("s_mac", bytes.fromhex(OWN.replace(":", "")) + frame[6:])
    out = dut.recv_data("receive_data", len(expect), 100_000)
    assert out == [f[head:] for f in expect]
    infos = [Info.of(f) for f in dut.recv("receive_info")]
    assert [i.addr for i in infos] == [number(OWN)] * len(expect)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("store", [1, 0])
def test_lost_frames(width: int, store: int) -> None:
    """Lost, duplicated, reordered, corrupted frames: a message is complete or marked bad."""
    rng = random.Random(width)
    dut = controller(width, TX_STORE=store, RX_STORE=store)
    dut.stall_all(0.1, 0.3, seed=1)
    whole: list[bytes] = []
    sent = []
    for i in range(120):
        message = rng.randbytes(rng.randrange(1, 1500))
        pieces = cut(message, width, 300, i, OWN, rng.choice([PEER, OTHER]))
        frames = [Frame(pad(p.bytes())) for p in pieces]
        kind = rng.choice(["good", "good", "lose", "double", "swap", "bad"])
        k = rng.randrange(len(frames))
        if kind == "lose":
            del frames[k]
        elif kind == "double":
            frames.insert(k, frames[k])
        elif kind == "swap" and k:
            frames[k - 1], frames[k] = frames[k], frames[k - 1]
        elif kind == "bad":
            frames[k].bad = True
        if kind == "good" or (kind == "double" and k) or (kind == "swap" and not k):
            whole.append(message)
        sent.append(message)
        dut.send("s_mac", frames)
        dut.drain()
    dut.run(2000)
    out = dut.recv("receive_data")
    good = [f.data for f in out if not f.bad]
    # A duplicated first frame restarts its message, which may be complete as well.
    assert [m for m in good if m in whole] == whole
    assert all(m in sent for m in good)
    got = events(dut, "rx_ev")
    if store:
        assert got["broken"] == sum(f.bad for f in out)
    starts = [i for i in map(Info.of, dut.recv("receive_info")) if i.first]
    assert len(starts) in (len(out), len(out) + 1)  # the last one may still be open


@pytest.mark.parametrize("width", [64, 256, 512])
@pytest.mark.parametrize("store", [1, 0])
def test_no_room(width: int, store: int) -> None:
    """The kernel stalls: frames are dropped and counted, and afterwards everything resumes."""
    dut = controller(width, TX_STORE=store, RX_STORE=store, RX_BYTES=width * 16)  # 128 words
    total = 0
    for size, count in ((20, 100), (600, 30)):
        dut.stall("receive_data", 1.0)
        for i in range(count):
            data = bytes([i]) * size
            dut.send("s_mac", pad(Piece(OWN, PEER, True, True, i, size, data).bytes()))
        dut.drain()
        assert dut.stats("s_mac")["rx_wait"] == 0
        dut.stall("receive_data", 0.0)
        dut.run(1000)
        total += count
        out = dut.recv("receive_data")
        kept = [f for f in out if not f.bad]
        assert 0 < len(kept) < count
        assert [f.data for f in kept] == [bytes([i]) * size for i in range(len(kept))]
        dut.send("s_mac", pad(Piece(OWN, PEER, True, True, 7, 3, b"abc").bytes()))
        total += 1
        assert dut.recv_data("receive_data", 1) == [b"abc"]
    got = events(dut, "rx_ev")
    assert got["ok"] + got["no_room"] == total and set(got) <= {"ok", "no_room", "broken"}


def test_frame_longer_than_the_buffer() -> None:
    """It can never fit: dropped, counted, no hang."""
    dut = controller(64, RX_BYTES=512)
    for size in (500, 600, 9000, 30):
        data = random.Random(size).randbytes(size)
        dut.send("s_mac", pad(Piece(OWN, PEER, True, True, 0, size, data).bytes()))
        dut.drain()
    assert [len(f) for f in dut.recv_data("receive_data", 2)] == [500, 30]
    assert events(dut, "rx_ev") == {"ok": 2, "no_room": 2}


def test_records_and_data_apart() -> None:
    """receive_info stalled and receive_data free, and the other way round: nothing is lost."""
    for held, free in (("receive_info", "receive_data"), ("receive_data", "receive_info")):
        dut = controller(128)
        dut.stall(held, 1.0)
        for i in range(5):
            dut.send("s_mac", pad(Piece(OWN, PEER, True, True, i, 100, bytes([i]) * 100).bytes()))
        dut.run(300)
        assert len(dut.recv(free)) <= 1
        dut.stall(held, 0.0)
        dut.run(300)
        assert len(dut.recv(held)) == 5
    assert events(dut, "rx_ev") == {"ok": 5}


def test_mtu_limits() -> None:
    """An MTU below header and word, or above the maximum, is taken as the nearest that can be."""
    for mtu, longest in ((0, 56), (64, 56), (9216, 9208), (16383, 9208)):
        dut = controller(256, mtu=mtu)
        dut.send("set_dest_addr_count", record(PEER, 20_000))
        dut.send("send_data", bytes(20_000))
        assert len(dut.recv_data("m_mac", 2, 50_000)[0]) == longest
