# SPDX-License-Identifier: Apache-2.0
"""CRC-32 against zlib and the Internet checksum against scapy, at every width."""

from __future__ import annotations

import random
import zlib

import pytest
from kumihimo.testing import Dut
from scapy.utils import checksum
from stream_bench import Bench, interesting_lengths

WIDTHS = (8, 16, 32, 64, 128, 256, 512, 1024)
CRC_LATENCY = {8: 2, 16: 3, 32: 3, 64: 4, 128: 7, 256: 8, 512: 9}
SUM_LATENCY = {8: 3, 16: 3, 32: 3, 64: 3, 128: 4, 256: 5, 512: 5}


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("stream_sums")
    for width in WIDTHS:
        bench.add_listener(f"crc{width}", "kumi_crc32", width, 32, False)
        bench.add_listener(f"sum{width}", "kumi_checksum", width, 16, True)
    bench.add_listener("crc24", "kumi_crc32", 24, 32, False)
    bench.add_listener("crc320", "kumi_crc32", 320, 32, False)
    bench.add_listener("sum48", "kumi_checksum", 48, 16, True)
    return bench.build()


def frames_for(width: int, rng: random.Random) -> list[bytes]:
    frames = [rng.randbytes(n) for n in interesting_lengths(width)]
    frames += [rng.randbytes(rng.randint(1, 1600)) for _ in range(60)]
    frames += [b"\xff" * n for n in (1, 2, 3, 63, 64, 65, 1500, 1501)]
    frames += [b"\0" * n for n in (1, 2, 64, 65)]
    rng.shuffle(frames)
    return frames


@pytest.mark.parametrize("idle", [0.0, 0.5])
@pytest.mark.parametrize("width", [*WIDTHS, 24, 320])
def test_crc32(built: Dut, width: int, idle: float) -> None:
    built.restart()
    built.stall_all(rx=idle, seed=width)
    rng = random.Random(width)
    frames = frames_for(width, rng)
    # A frame with its own CRC behind it leaves the known residue.
    frames += [f + zlib.crc32(f).to_bytes(4, "little") for f in frames[:20]]
    built.send(f"s_axis_crc{width}", frames)
    out = built.recv(f"m_hdr_crc{width}", len(frames), 400_000)
    assert [f.value for f in out] == [zlib.crc32(f) for f in frames]
    assert {f.value for f in out[-20:]} == {0x2144DF1C}
    if width in CRC_LATENCY:
        taken = built.sent(f"s_axis_crc{width}")
        delays = {o.cycle - t[1] for o, t in zip(out, taken, strict=True)}
        assert delays == {CRC_LATENCY[width]}


def ones_sum(data: bytes, seed: int) -> int:
    """The one's complement sum by way of scapy's checksum of seed and data."""
    return 0xFFFF ^ checksum(seed.to_bytes(2, "big") + data)


@pytest.mark.parametrize("idle", [0.0, 0.5])
@pytest.mark.parametrize("seed", [0, 1, 0x8000, 0xFFFE, 0xFFFF, 0x1234])
@pytest.mark.parametrize("width", [*WIDTHS, 48])
def test_checksum(built: Dut, width: int, seed: int, idle: float) -> None:
    built.restart()
    built.set(f"sum{width}_seed", seed)
    built.stall_all(rx=idle, seed=width)
    rng = random.Random(width)
    frames = frames_for(width, rng)
    # Sums that fold exactly at a carry: the last pair brings the total to 0xffff and around it.
    for length in (2, 4, 6, width // 4 + 2, 64, 130, 1480):
        for target in (0xFFFF, 0xFFFE, 0x0001, 0x8000):
            head = rng.randbytes(length - 2)
            rest = (target - ones_sum(head, seed)) % 0xFFFF
            frames.append(head + rest.to_bytes(2, "big"))
            frames.append(head + (0xFFFF if rest == 0 else rest).to_bytes(2, "big"))
    built.send(f"s_axis_sum{width}", frames)
    out = built.recv(f"m_hdr_sum{width}", len(frames), 400_000)
    for frame, record in zip(frames, out, strict=True):
        assert record.value == ones_sum(frame, seed), (len(frame), frame[:16].hex())
    if width in SUM_LATENCY:
        taken = built.sent(f"s_axis_sum{width}")
        assert {o.cycle - t[1] for o, t in zip(out, taken, strict=True)} == {SUM_LATENCY[width]}
