# SPDX-License-Identifier: Apache-2.0
"""Thousands of invalid frames of RTP's own EtherType while streams are in progress.

The streams must not be harmed, and the event counters must add up: each frame raises exactly one.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest
from kumihimo.proto.eth_rtp import Frame, Hello, Type, make_tag
from kumihimo.testing import Frame as Message
from rtp_endpoint import Config
from rtp_endpoint_bench import (
    OWN,
    RX_EVENTS,
    TIMES,
    UP,
    WINDOW,
    Bench,
    ack_frame,
    address,
    data_frame,
    its_number,
    transport,
)

PEER = 2


class Storm:
    """Makes invalid frames, each with the events of which it may raise one."""

    def __init__(self, bench: Bench, rng: random.Random) -> None:
        self.bench, self.rng = bench, rng
        self.makers: dict[str, Callable[[], tuple[bytes, bool]]] = {
            "marked bad": self.bad,
            "noise": self.noise,
            "truncated": self.truncated,
            "version": self.version,
            "type": self.type,
            "length": self.length,
            "old tag": self.old_tag,
            "forged ack": self.forged_ack,
            "forged ack with data": self.forged_data,
            "forged sack": self.forged_sack,
            "absurd limit": self.limit,
            "outside": self.outside,
            "duplicate": self.duplicate,
            "stranger": self.stranger,
            "hello": self.hello,
            "reset": self.reset,
            "mutated": self.mutated,
        }

    @property
    def tag(self) -> int:
        """The tag that the core expects."""
        return int(self.bench.link(PEER).rem)

    def far(self) -> int:
        """A number far ahead of all that is under way."""
        return self.rng.choice([5000, 2**20, 2**31 - 70_000]) + self.rng.randrange(5000)

    def good(self) -> bytes:
        """Any frame that is valid except for its tag."""
        r = self.rng
        kind = r.randrange(3)
        tag = self.wrong_tag()
        seq, ack = r.choice([r.randrange(64), r.getrandbits(32)]), r.getrandbits(32)
        if kind == 0:
            return data_frame(PEER, tag, seq, r.randbytes(r.randrange(1, 560)), ack, r.randrange(8))
        if kind == 1:
            return ack_frame(PEER, tag, ack, ack + 16, r.getrandbits(64), r.randrange(16))
        return Frame(OWN, address(PEER), Type.RESET, tag).to_bytes()

    def wrong_tag(self) -> int:
        """Any tag but the valid one, and but those that the core will issue next."""
        r, tag = self.rng, self.tag
        while True:
            wrong = r.choice(
                [
                    tag ^ 1 << r.randrange(15, 32),
                    make_tag(r.randrange(4096), tag & 0xFFFFF),
                    make_tag(PEER, (tag - 1 - r.randrange(50)) & 0xFFFFF),
                    0,
                    0xFFFFFFFF,
                ]
            )
            if wrong not in self.bench.watcher.tags:
                return wrong

    # ---- each kind ------------------------------------------------------------------------------

    def bad(self) -> tuple[bytes, bool]:
        return data_frame(PEER, self.tag, 0, self.rng.randbytes(self.rng.randrange(1, 560))), True

    def noise(self) -> tuple[bytes, bool]:
        r = self.rng
        head = r.choice([bytes(6), bytes.fromhex(OWN.replace(":", ""))]) + r.randbytes(6)
        # The tag of the association must not come by chance, nor a HELLO of the peer.
        return head + b"\x88\xb6" + r.randbytes(r.randrange(0, 500)), False

    def truncated(self) -> tuple[bytes, bool]:
        """Cut by the MAC of another: no padding here."""
        frame = data_frame(PEER, self.tag, 0, bytes(100))
        return frame[: self.rng.randrange(14, 130)], False

    def version(self) -> tuple[bytes, bool]:
        frame = bytearray(data_frame(PEER, self.tag, 0, b"wrong"))
        frame[14] = self.rng.choice([0, 2, 3, 8, 15]) << 4 | self.rng.randrange(4)
        return bytes(frame), False

    def type(self) -> tuple[bytes, bool]:
        frame = bytearray(data_frame(PEER, self.tag, 0, b"wrong"))
        frame[14] = 0x10 | self.rng.randrange(4, 16)
        return bytes(frame), False

    def length(self) -> tuple[bytes, bool]:
        r = self.rng
        if r.random() < 0.5:
            frame = bytearray(data_frame(PEER, self.tag, 0, r.randbytes(r.randrange(31, 500))))
            size = len(frame) - 30
            wrong = r.choice([size + 1, size + 2, size + 300, 0xFFFF])
            frame[28:30] = struct.pack(">H", wrong)
            return bytes(frame), False
        # The body of an ACK, a HELLO or a RESET of another length; DATA without data.
        kind = r.randrange(4)
        size = {0: 0, 1: r.choice([0, 11, 13]), 2: r.choice([0, 8, 16]), 3: 1}[kind]
        head = Frame(OWN, address(PEER), Type.RESET, self.tag).to_bytes()[:28]
        frame = bytearray(head + struct.pack(">H", size) + bytes(size))
        frame[14] = 0x10 | kind
        return bytes(frame), False

    def old_tag(self) -> tuple[bytes, bool]:
        return self.good(), False

    def forged_ack(self) -> tuple[bytes, bool]:
        ack = self.far()
        return ack_frame(PEER, self.tag, ack, ack + 16, flags=self.rng.choice([0, 4, 8])), False

    def forged_data(self) -> tuple[bytes, bool]:
        seq = self.bench.watcher.seen[self.bench.link(PEER).own].in_order
        return data_frame(PEER, self.tag, seq, b"forged", self.far()), False

    def forged_sack(self) -> tuple[bytes, bool]:
        """Nothing new, but numbers that were never sent."""
        seen = self.bench.seen(PEER)
        bit = self.rng.randrange(40, 64)  # above the ack by more than the sender's window
        sack = 1 << bit | self.rng.getrandbits(64) >> 24 << 24
        return ack_frame(PEER, self.tag, seen.acked, seen.granted, sack), False

    def limit(self) -> tuple[bytes, bool]:
        seen = self.bench.seen(PEER)
        absurd = seen.acked + self.rng.choice([2**31 + 5, 2**32 - 1, 2**20])
        return ack_frame(PEER, self.tag, seen.acked, absurd % 2**32), False

    def outside(self) -> tuple[bytes, bool]:
        seen = self.bench.seen(PEER)
        seq = (seen.in_order + self.far()) % 2**32
        return data_frame(PEER, self.tag, seq, b"outside", seen.acked), False

    def duplicate(self) -> tuple[bytes, bool]:
        seen = self.bench.seen(PEER)
        last = seen.ack - 1
        if last < 0:
            return self.outside()
        seq = self.rng.randrange(max(0, last - 20), last + 1)
        return data_frame(PEER, self.tag, seq, b"twice", seen.acked), False

    def stranger(self) -> tuple[bytes, bool]:
        body = Hello(self.rng.getrandbits(32), 16)
        mac = f"02:00:00:00:02:{self.rng.randrange(256):02x}"
        return Frame(OWN, mac, Type.HELLO, 0, body=body).to_bytes(), False

    def hello(self) -> tuple[bytes, bool]:
        """From the peer's address, with tags that were never issued."""
        r = self.rng
        body = Hello(make_tag(its_number(PEER), r.randrange(0x80000, 0x100000)), r.randrange(1, 65))
        tag = r.choice([0, make_tag(PEER, r.randrange(0x80000, 0x100000))])
        return Frame(OWN, address(PEER), Type.HELLO, tag, body=body).to_bytes(), False

    def reset(self) -> tuple[bytes, bool]:
        return Frame(OWN, address(PEER), Type.RESET, self.wrong_tag()).to_bytes(), False

    def mutated(self) -> tuple[bytes, bool]:
        """Frames that went in before, with a wrong tag and up to three bits changed."""
        frame = bytearray(self.rng.choice(self.bench.into[-200:]))
        for _ in range(self.rng.randrange(4)):
            frame[self.rng.randrange(14, len(frame))] ^= 1 << self.rng.randrange(8)
        frame[16:20] = struct.pack(">I", self.wrong_tag())
        return bytes(frame), False


WANT = {
    "marked bad": {"rx_bad"},
    "version": {"rx_malformed"},
    "type": {"rx_malformed"},
    "length": {"rx_malformed"},
    "old tag": {"rx_stale_tag"},
    "forged ack": {"rx_bad_ack"},
    "forged ack with data": {"rx_bad_ack"},
    "forged sack": {"rx_bad_ack"},
    "absurd limit": {"rx_bad_ack"},
    "outside": {"rx_out_of_window"},
    "duplicate": {"rx_dup"},
    "stranger": {"rx_unknown", "rx_hello_overflow"},
    "hello": {"rx_hello", "rx_hello_overflow"},
    "reset": {"rx_stale_tag"},
}


def rx_counts(bench: Bench) -> dict[str, int]:
    counts = bench.dut.counts("ev")
    return {name: counts[name] for name in RX_EVENTS}


@pytest.mark.parametrize("kind", WANT)
def test_reason(kind: str) -> None:
    """Alone, each kind of wrong frame raises its own event."""
    rng = random.Random(kind)
    bench = Bench(transport(), numbers=(1, PEER))
    bench.open()
    there, back = rng.randbytes(8000), rng.randbytes(8000)
    bench.dut.send("s_msg", Message(there, dest=PEER))
    bench.ends[PEER].send(its_number(PEER), back)
    bench.until(lambda: bench.messages(PEER) and bench.ends[PEER].messages(its_number(PEER)))
    bench.run(4000)
    # From here on the endpoints are silent, so that every received frame is invalid.
    bench.silent = {1, PEER}
    storm = Storm(bench, rng)
    before = rx_counts(bench)
    for _ in range(60):
        frame, bad = storm.makers[kind]()
        bench.throw(frame, bad=bad)
        bench.run(32 if rng.random() < 0.5 else 160)
    bench.run(4000)
    grown = {n: v - before[n] for n, v in rx_counts(bench).items() if v > before[n]}
    assert set(grown) <= WANT[kind] and sum(grown.values()) == 60, grown
    assert len(bench.status) == 2
    assert bench.messages(PEER) == [back]


@pytest.mark.parametrize(("width", "seed"), [(64, 1), (256, 2), (512, 3)])
def test_storm(width: int, seed: int) -> None:
    """All kinds mixed, more invalid than valid frames; every byte of the streams is checked."""
    rng = random.Random(seed)
    # At 64 bits valid frames queue so long behind invalid ones that short time-outs would expire.
    rto = 2000 if width == 64 else TIMES["rto_init"]
    patient = Config(
        window=WINDOW,
        mtu=600,
        ack_delay=96,
        rto=20 * rto,
        hello_interval=1500,
        probe_interval=60_000,
    )
    dut = transport(width, rto_init=rto)
    bench = Bench(dut, width, numbers=(1, PEER), config=patient)
    bench.open()
    bench.run(500)
    bench.dut.stall_all(0.05, 0.2, seed=seed)
    storm = Storm(bench, rng)
    there = [rng.randbytes(rng.randrange(1, 20_000)) for _ in range(60)]
    back = [rng.randbytes(rng.randrange(1, 20_000)) for _ in range(60)]
    for a, b in zip(there, back, strict=True):
        bench.dut.send("s_msg", Message(a, dest=PEER))
        bench.ends[PEER].send(its_number(PEER), b)
    bench.until(lambda: len(bench.into) > 20)
    wrong = 0
    marks = {(PEER, UP), (1, UP)}
    while wrong < 12_000:
        for _ in range(rng.randrange(12)):
            frame, bad = storm.makers[rng.choice(list(storm.makers))]()
            bench.throw(frame, rng.randrange(64), bad)
            wrong += 1
        bench.advance()
        if bench.dut.waiting("s_frame") > 20:  # not faster than the line
            bench.run(256)
    bench.until(
        lambda: (
            len(bench.messages(PEER)) == len(back)
            and len(bench.ends[PEER].messages(its_number(PEER))) == len(there)
        ),
        400_000,
    )
    bench.run(8000)
    assert bench.messages(PEER) == back
    assert bench.ends[PEER].messages(its_number(PEER)) == there
    assert set(bench.status) == marks and len(bench.status) == 2
    counts = rx_counts(bench)
    assert sum(counts.values()) == wrong + len(bench.into)
    assert all(counts[n] for n in RX_EVENTS if n not in ("rx_reset", "rx_hello_overflow")), counts
    assert bench.ends[PEER].counts["forged"] == 0


def test_nothing_but_noise() -> None:
    """Without any peer: nothing is sent, and every frame is counted."""
    rng = random.Random(9)
    bench = Bench(transport(), numbers=())
    count = 3000
    for _ in range(count):
        size = rng.choice([0, 1, 15, 16, 17, 28, 29, 46, 200, 560])
        kind = bytes([rng.choice([0x10, 0x11, 0x12, 0x13, rng.randrange(256)])])
        frame = bytes.fromhex(OWN.replace(":", "")) + rng.randbytes(6) + b"\x88\xb6"
        bench.dut.send("s_frame", frame + (kind + rng.randbytes(size) if size else b""))
    bench.dut.drain(200_000)
    bench.run(3000)
    assert sum(rx_counts(bench).values()) == count
    assert not bench.watcher.frames and not bench.segments and not bench.status
    assert not bench.dut.get("busy")
