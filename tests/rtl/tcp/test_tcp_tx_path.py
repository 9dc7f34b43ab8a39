# SPDX-License-Identifier: Apache-2.0
"""Transmit path: every record is sent as the segment that scapy would have built."""

from __future__ import annotations

import random

import pytest
from tcp_tx_path_bench import BASE, WIDTHS, Out, random_record

pytestmark = pytest.mark.long  # all data widths


@pytest.mark.parametrize("width", WIDTHS)
def test_lengths(width: int) -> None:
    """Every payload length to 200 and boundary lengths to 8,960, the rest random."""
    rng = random.Random(width)
    out = Out(width, HOLD_BYTES=32768)
    lengths = [*range(201), 536, 1024, 1448, 1460, 4095, 4096, 4097, 8948, 8960]
    for stalls, latency in ((0.0, 2), (0.3, 60)):
        out.memory.configure(latency_cycles=latency)
        out.dut.stall_all(stalls, stalls, seed=width)
        for i in range(0, len(lengths), 30):
            for length in lengths[i : i + 30]:
                out.send(**random_record(rng, [length], out.ring))
            out.check()
    assert out.counts() == {"sent": 2 * len(lengths)}


@pytest.mark.parametrize("width", WIDTHS)
def test_ring(width: int) -> None:
    """Any start in the ring, around its end and across pages, for each place in a beat."""
    out = Out(width, HOLD_BYTES=32768)
    out.memory.configure(latency_cycles=20, jitter_ps=100_000)
    for lane in range(width // 8):
        for edge in (0, 4096, 8192, out.ring):
            for before, length in ((0, 1), (lane, 2 * lane + 5), (70 + lane, 70 + lane), (1, 1400)):
                seq = 0xFFFFC000 + edge - before + (lane if not before else 0)
                options = {"opts.ts_valid": lane % 2, "opts.ts_val": lane}
                out.send(**options, seq=seq & 0xFFFFFFFF, len=length, sid=lane % 16)
        if lane % 8 == 7:
            out.check()
    out.check()


@pytest.mark.parametrize("width", WIDTHS)
def test_checksum_corners(width: int) -> None:
    """Payloads whose sums carry as often as they can, or come to nothing."""
    out = Out(width, HOLD_BYTES=32768)
    for fill in (b"\xff", b"\0", b"\xff\xfe", b"\x80\0"):
        data = (fill * out.ring)[: out.ring]
        out.memory.write(BASE, data)
        out.rings = data + out.rings[out.ring :]
        for length in (0, 1, 2, 3, 63, 64, 65, 1460, 8960):
            for seq in (0, 1, 0xFFFFFFFF, 0x80008000):
                out.send(len=length, seq=seq, ack=0xFFFFFFFF, wnd=0xFFFF)
        out.check()


@pytest.mark.parametrize("width", [64, 512])
def test_read_errors(width: int) -> None:
    """A segment with an unreadable byte is dropped and counted, those around it are unharmed."""
    rng = random.Random(width)
    out = Out(width, HOLD_BYTES=32768)
    out.memory.fault(BASE + 3 * out.ring + 5000, 1)
    out.memory.fault(BASE + 7 * out.ring, 3)
    out.dut.stall_all(0.2, 0.2, seed=2)
    dropped = 0
    for i in range(300):
        sid, at = rng.choice(((3, 5000), (7, 0), (7, 2), (1, 0)))
        length = rng.choice((0, 1, 2, 100, 2000))
        start = at - rng.randrange(200) if rng.random() < 0.5 else rng.randrange(out.ring)
        whole = width // 8
        first = start // whole * whole
        bad = range(5000, 5001) if sid == 3 else range(0, 3) if sid == 7 else range(0)
        spoilt = length and any(
            (b - first) % out.ring < -(-(start - first + length) // whole) * whole for b in bad
        )
        out.send(expect=not spoilt, seq=start % 2**32, len=length, sid=sid, ack=i)
        dropped += bool(spoilt)
        if i % 20 == 19:
            out.check()
    out.check()
    assert dropped > 20
    assert out.counts() == {"sent": 300 - dropped, "drop_axi": dropped}


def test_too_long() -> None:
    """A payload that can never be held is dropped and counted, and blocks nothing."""
    out = Out(64, HOLD_BYTES=2048)
    for length in (2048 - 20, 65515, 3000, 100, 2049, 0):
        out.send(expect=length < 2040, len=length, seq=4)
    out.check()
    assert out.counts() == {"sent": 3, "drop_length": 3}


# Payload, timestamps: most cycles a segment at 512 bits, whatever the memory's latency. The short
# ones take more beats of memory than of the packet at times.
RATES = {(1460, 0): 24, (1448, 1): 24, (8960, 0): 141, (8948, 1): 142, (536, 1): 9.5}


@pytest.mark.parametrize("latency", [2, 300])
def test_rates(latency: int) -> None:
    """At 512 bits the segments leave without a cycle between them."""
    out = Out(512, HOLD_BYTES=65536)
    out.memory.configure(latency_cycles=latency)
    for (length, stamp), cycles in RATES.items():
        if latency == 300 and length < 1000:
            continue  # QUEUE segments do not fill the latency
        seq = 7
        for _ in range(60):
            record = {"opts.ts_valid": stamp, "len": length, "seq": seq & 0xFFFFFFFF}
            out.send(**record)
            seq += length
        frames = out.check()
        assert (frames[-1].last_cycle - frames[20].last_cycle) / 39 <= cycles, length


# Without payload; from a memory that answers 2 cycles after the address, one byte; 1,460 bytes.
LATENCIES = {64: (12, 15, 197), 128: (12, 16, 107), 256: (12, 17, 63), 512: (12, 17, 40)}


@pytest.mark.parametrize("width", WIDTHS)
def test_latencies(width: int) -> None:
    """Cycles from record to first beat that docs/blocks/tcp-path.md states."""
    out = Out(width, HOLD_BYTES=65536 if width == 512 else 32768)
    out.memory.configure(latency_cycles=2)
    got = []
    for length in (0, 1, 1460):
        out.send(**{"opts.ts_valid": int(length < 1000), "len": length})
        frames = out.check()
        got.append(frames[0].cycle - out.dut.sent("s_tx")[0][0])
    assert tuple(got) == LATENCIES[width]


def test_records_ahead() -> None:
    """IP records come at least 5 cycles before their packets: what kumi_ip_tx_resolve needs."""
    out = Out(512, HOLD_BYTES=65536)
    out.memory.configure(latency_cycles=2)
    for count, length in ((1, 0), (1, 1), (1, 1460), (20, 0), (20, 1460)):
        for i in range(count):
            out.send(len=length, seq=i * length)
        frames = out.dut.recv("m_axis", count)
        headers = out.dut.recv("m_hdr", count)
        assert all(f.cycle - h.cycle >= 5 for f, h in zip(frames, headers, strict=True)), length
        out.wanted.clear()
