# SPDX-License-Identifier: Apache-2.0
"""Packets on circuits: words made and read by Python (zlib) against the RTL, and both in a row."""

from __future__ import annotations

import random
import zlib

import pytest
from kumihimo.testing import Dut, Frame
from kumihimo.testing.sizes import data_widths

pytestmark = pytest.mark.long  # all data widths

WIDTHS = data_widths(64, 128, 256)


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE, bit by bit."""
    value = 0xFFFF
    for byte in data:
        for i in range(8):
            bit = (byte >> (7 - i) ^ value >> 15) & 1
            value = value << 1 & 0xFFFF ^ (0x1021 if bit else 0)
    return value


def encode(frame: bytes, width: int) -> list[bytes]:
    """The words of a packet."""
    size = width // 8
    low = len(frame).to_bytes(2, "big") + zlib.crc32(frame).to_bytes(4, "big")
    head = int.from_bytes(crc16(low).to_bytes(2, "big") + low, "big")
    padded = frame + bytes(-len(frame) % size)
    words = [padded[i : i + size] for i in range(0, len(padded), size)]
    return [head.to_bytes(size, "little"), *words]


def sender(width: int, **params: int) -> Dut:
    return Dut.of_module("kumi_circuit_tx", params, {"*": {"DATA_W": width}})


def receiver(width: int, **params: int) -> Dut:
    return Dut.of_module("kumi_circuit_rx", params, {"*": {"DATA_W": width}})


def frames(rng: random.Random, width: int, count: int) -> list[bytes]:
    size = width // 8
    edges = [1, size - 1, size, size + 1, 2 * size, 60, 1500, 9000]
    sizes = edges + [rng.randrange(1, 400) for _ in range(count - len(edges))]
    return [rng.randbytes(n) for n in sizes]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_words_of_a_frame(width: int, stall: float) -> None:
    rng = random.Random(width)
    dut = sender(width)
    dut.stall_all(rx=stall / 2, tx=stall, seed=3)
    data = frames(rng, width, 40)
    dut.send("s_axis", data)
    want = [word for frame in data for word in encode(frame, width)]
    got = dut.recv("m_axis", len(want), timeout_cycles=60_000)
    assert [f.data for f in got] == want
    if not stall:
        # Long frames back to back: no gap between words.
        dut.send("s_axis", [bytes(100 * width // 8)] * 6)
        cycles = [f.cycle for f in dut.recv("m_axis", 6 * 101)]
        assert cycles[-1] - cycles[101] == 5 * 101 - 1


def test_frames_that_cannot_be_sent() -> None:
    """Bad and oversize frames are dropped and counted; the others are not harmed."""
    dut = sender(64, DEPTH=64)
    dut.watch("ev_drop"), dut.watch("ev_sent")
    good = [bytes([i]) * 100 for i in range(4)]
    for i, frame in enumerate(good):
        dut.send("s_axis", frame)
        dut.send("s_axis", [Frame(b"x" * 90, bad=True), bytes(65 * 8), bytes(5000)][i % 3])
    want = [word for frame in good for word in encode(frame, 64)]
    assert [f.data for f in dut.recv("m_axis", len(want))] == want
    dut.drain()
    assert sum(dut.counts("ev_drop").values()) == 4
    assert sum(dut.counts("ev_sent").values()) == 4
    big = sender(64, DEPTH=16384)
    big.watch("ev_drop")
    big.send("s_axis", [bytes(65535), bytes(65536), b"end"])
    want = encode(bytes(65535), 64) + encode(b"end", 64)
    assert [f.data for f in big.recv("m_axis", len(want), 60_000)] == want
    assert sum(big.counts("ev_drop").values()) == 1


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_frames_of_words(width: int, stall: float) -> None:
    rng = random.Random(width + 1)
    dut = receiver(width)
    dut.watch("ev")
    dut.stall_all(rx=stall / 2, tx=stall, seed=5)
    data = frames(rng, width, 60)
    for frame in data:
        dut.send("s_axis", encode(frame, width))
    got = dut.recv("m_axis", len(data), timeout_cycles=60_000)
    assert [f.data for f in got] == data
    assert not any(f.bad for f in got)
    counts = dut.counts("ev")
    assert (counts["good"], counts["bad"], counts["truncated"], counts["hunt"]) == (60, 0, 0, 0)
    if not stall:
        # Short packets, a word every cycle: the input never stalls, whatever the CRC's latency.
        small = [rng.randbytes(width // 8) for _ in range(200)]
        dut.sent("s_axis")
        for frame in small:
            dut.send("s_axis", encode(frame, width))
        assert dut.recv_data("m_axis", 200) == small
        taken = [a for a, _ in dut.sent("s_axis")]
        assert taken[-1] - taken[0] == len(taken) - 1


@pytest.mark.parametrize("width", [64, 256])
def test_lost_doubled_and_wrong_words(width: int) -> None:
    """No corrupt packet is delivered as good, and the receiver does not hang.

    Every packet that was left alone and follows one that was left alone comes.
    """
    rng = random.Random(9)
    dut = receiver(width, TIMEOUT=200, MAX_BYTES=2000)
    dut.watch("ev")
    sent, alone = [], []
    harmed_before = False
    for _ in range(300):
        frame = rng.randbytes(rng.randrange(1, 300))
        words = encode(frame, width)
        what = rng.random()
        place = rng.randrange(len(words))
        if what < 0.1:
            del words[place]
        elif what < 0.2:
            words.insert(place, rng.randbytes(width // 8))
        elif what < 0.3:
            broken = bytearray(words[place])
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
            words[place] = bytes(broken)
        harmed = what < 0.3
        sent.append(frame)
        if not harmed and not harmed_before:
            alone.append(frame)
        harmed_before = harmed
        dut.send("s_axis", words)
    dut.drain(60_000)
    dut.run(500)
    got = dut.recv("m_axis")
    good = [f.data for f in got if not f.bad]
    remaining = iter(sent)
    assert all(frame in remaining for frame in good), "wrong, or out of order"
    missing = [f for f in alone if f not in good]
    assert len(missing) <= 0.05 * len(alone), "packets after a healthy one are found"
    counts = dut.counts("ev")
    assert counts["good"] == len(good)
    assert counts["bad"] + counts["truncated"] == len(got) - len(good)
    for frame in (b"a" * 700, b"still here"):
        dut.send("s_axis", encode(frame, width))
    dut.drain(2000, settle=300)
    assert dut.recv_data("m_axis")[-1] == b"still here"


def test_words_stop_coming() -> None:
    """A packet without its end is ended bad after the time limit, and the next one is complete."""
    dut = receiver(64, TIMEOUT=50)
    dut.watch("ev")
    for keep in (1, 2, 13):
        dut.send("s_axis", encode(bytes(100), 64)[:keep])
        dut.run(120)
        (frame,) = dut.recv("m_axis")
        assert frame.bad
        dut.send("s_axis", encode(b"next", 64))
        dut.run(40)
        (frame,) = dut.recv("m_axis")
        assert frame.data == b"next" and not frame.bad
    assert dut.counts("ev")["truncated"] == 3


def test_noise_is_not_a_packet() -> None:
    """Random words: invalid headers, too long, or of length zero."""
    rng = random.Random(4)
    dut = receiver(64, MAX_BYTES=1000, TIMEOUT=100)
    dut.watch("ev")
    for head in (encode(bytes(1001), 64)[0], bytes(8), b"\xff" * 8):
        dut.send("s_axis", head)
    low = bytes(2) + zlib.crc32(b"").to_bytes(4, "big")
    empty = int.from_bytes(crc16(low).to_bytes(2, "big") + low, "big").to_bytes(8, "little")
    dut.send("s_axis", empty)
    dut.drain()
    assert dut.recv("m_axis") == []
    assert dut.counts("ev")["hunt"] == 1
    dut.send("s_axis", [rng.randbytes(8) for _ in range(5000)])
    dut.drain(settle=400)
    assert all(f.bad for f in dut.recv("m_axis"))
    dut.send("s_axis", encode(b"hello", 64))
    dut.run(60)
    assert dut.recv_data("m_axis") == [b"hello"]
