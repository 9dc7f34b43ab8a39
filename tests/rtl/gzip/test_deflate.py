# SPDX-License-Identifier: Apache-2.0
"""The compressor's circuit: byte for byte what its model makes, and what zlib decompresses."""

from __future__ import annotations

import gzip
import random
import subprocess
import zlib
from functools import cache
from pathlib import Path

import pytest
from kumihimo.gzip.compress import deflate_model
from kumihimo.gzip.params import SETS, DeflateParams
from kumihimo.testing import Dut, Frame
from kumihimo.testing.sizes import by_size

RAW, ZLIB, GZIP = range(3)
WINDOW_BITS = {RAW: -15, ZLIB: 15, GZIP: 31}
FLUSH, EMPTY = 2, 4  # tuser
# Small tables and segments, so that short messages reach every seam.
SMALL = {
    1: DeflateParams(1, 4, 6, 256, 32),
    4: DeflateParams(4, 2, 6, 64),
    8: DeflateParams(8, 1, 6, 64),
}
FOLDER = Path(__file__).parent


@cache
def dut(params: DeflateParams, profile: str = "test") -> Dut:
    return Dut.of_module(
        FOLDER / "deflate_empty.sv",
        params.sv,
        {
            "s_axis": {"DATA_W": 8 * params.lanes, "USER_W": 3},
            "m_axis": {"DATA_W": 64, "USER_W": 2},
        },
        profile=profile,
    )


def text(rng: random.Random, size: int) -> bytes:
    words = [rng.randbytes(rng.randint(2, 9)).hex()[:9] for _ in range(300)]
    out = ""
    while len(out) < size:
        out += rng.choice(words[: rng.choice((10, 300))]) + rng.choice(("", " ", ", ", "\n"))
    return out.encode()[:size]


def contents(rng: random.Random, size: int) -> bytes:
    """Bytes of one kind out of several."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randbytes(size)
    if kind == 1:
        return bytes([rng.randrange(256)]) * size
    if kind == 2:
        return bytes(rng.choices((0, 1, 255, 7), (90, 5, 3, 2), k=size))
    if kind == 3:
        return zlib.compress(text(rng, 3 * size))[:size].ljust(size, b"\0")
    return text(rng, size)


def model(parts: list[bytes], params: DeflateParams, form: int) -> list[bytes]:
    one = deflate_model(params, form)
    return [one.write(p) + one.end_piece(i == len(parts) - 1) for i, p in enumerate(parts)]


def check(messages: list[list[bytes]], params: DeflateParams, form: int,
          stall: tuple[float, float] = (0.0, 0.0), seed: int = 1,
          profile: str = "test") -> Dut:  # fmt: skip
    """Compress messages, each of pieces, one after the other; look at every byte."""
    d = dut(params, profile)
    d.restart()
    d.set("format", form)
    d.stall_all(*stall, seed=seed)
    for parts in messages:
        for i, part in enumerate(parts):
            user = (0 if i == len(parts) - 1 else FLUSH) | (0 if part else EMPTY)
            d.send("s_axis", Frame(part or b"\xff", user=user))
    wanted = [frame for parts in messages for frame in model(parts, params, form)]
    got = d.recv("m_axis", len(wanted), timeout_cycles=4_000_000)
    for i, (frame, want) in enumerate(zip(got, wanted, strict=True)):
        assert frame.data == want, f"frame {i}: {len(frame.data)} bytes, model {len(want)}"
    at = 0
    for parts in messages:
        frames = got[at : at + len(parts)]
        at += len(parts)
        assert [f.user for f in frames] == [FLUSH] * (len(parts) - 1) + [0]
        inflate = zlib.decompressobj(WINDOW_BITS[form])
        for frame, part in zip(frames, parts, strict=True):
            assert inflate.decompress(frame.data) == part  # all of it, also after a flush
        assert inflate.eof
        assert not inflate.unused_data
    return d


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_sizes_at_every_edge(lanes: int) -> None:
    rng = random.Random(lanes)
    segment = SMALL[lanes].segment
    row = lanes * segment
    sizes = {0, 1, 2, 3, 7, 8, 9, 17, 257, 258, 259, 1459, 1460, 1461}
    sizes |= {n + d for n in (segment, row, 2 * row) for d in (-1, 0, 1, lanes)}
    check([[contents(rng, n)] for n in sorted(sizes)], SMALL[lanes], GZIP)


@pytest.mark.parametrize(("lanes", "form"), [(1, ZLIB), (4, RAW), (8, GZIP), (8, ZLIB)])
def test_pieces_under_back_pressure(lanes: int, form: int) -> None:
    rng = random.Random(form + 10 * lanes)
    for stall in ((0.3, 0.3), (0.0, 0.8)):
        messages = [
            [contents(rng, rng.choice((0, 1, 5, 60, 700, 3000))) for _ in range(rng.randint(1, 4))]
            for _ in range(by_size(6, 40))
        ]
        check(messages, SMALL[lanes], form, stall, seed=rng.randrange(1000))


def test_window_and_block_edges() -> None:
    """Distances up to the window and beyond."""
    rng = random.Random(5)
    block = text(rng, 1500)
    far = [block + rng.randbytes(gap) + block for gap in (31_260, 31_268, 31_269, 40_000)]
    check([[m] for m in far] + [[text(rng, 65_537)]], DeflateParams(1, 2, 9, 1024, 16), RAW)


@pytest.mark.long
def test_megabytes_at_full_rate() -> None:
    """Sustained, on text and on bytes that do not compress; at the size that ships in full.

    The profile of the tests does not optimise a design of that size.
    """
    rng = random.Random(6)
    params, profile = by_size((SMALL[8], "test"), (SETS["8"], "fast"))
    for data in (text(rng, by_size(12_000, 4_000_000)), rng.randbytes(by_size(12_000, 1_000_000))):
        first, last = check([[data]], params, GZIP, profile=profile).sent("s_axis")[0]
        assert len(data) / (last - first) > by_size(0.15, 7.6)


def test_gzip_reads_it(tmp_path: Path) -> None:
    rng = random.Random(7)
    data = text(rng, 20_000)
    d = dut(SMALL[8])
    d.restart()
    d.set("format", GZIP)
    d.send("s_axis", data)
    path = tmp_path / "x.gz"
    path.write_bytes(d.recv_data("m_axis", 1, timeout_cycles=200_000)[0])
    assert subprocess.run(["gzip", "-dc", path], capture_output=True, check=True).stdout == data
    with gzip.open(path) as stream:
        assert stream.read() == data
