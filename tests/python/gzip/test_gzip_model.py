# SPDX-License-Identifier: Apache-2.0
"""The compressor's model against decompressors of others, at every size and kind of contents."""

from __future__ import annotations

import random
import shutil
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import deflate
import pytest
from isal import igzip
from kumihimo._engine import Deflate
from kumihimo.gzip.compress import deflate_model
from kumihimo.gzip.params import SETS
from kumihimo.testing.sizes import by_size

SIZES = (0, 1, 2, 3, 257, 258, 259, 1459, 1460, 1461, 32767, 32768, 32769, 65535, 65536, 65537)
TOOLS = ["gzip", *filter(shutil.which, ("pigz",))]
# Whoever decompresses a gzip member: zlib, libdeflate, and igzip (ISA-L).
DECOMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zlib": lambda packed: zlib.decompress(packed, 31),
    "libdeflate": lambda packed: bytes(deflate.gzip_decompress(packed)),
    "igzip": igzip.decompress,
}
HEADER = 18  # bytes of the gzip wrapper


def contents(size: int) -> dict[str, bytes]:
    rng = random.Random(size)
    words = [rng.randbytes(5).hex()[: rng.randint(2, 9)] for _ in range(400)]
    text = " ".join(rng.choices(words, k=size // 2 + 1)).encode()[:size]
    return {
        "same": b"a" * size,
        "random": rng.randbytes(size),
        "text": text,
        "compressed": zlib.compress(text * 3)[:size],
        "period 3": (b"abc" * (size // 3 + 1))[:size],
        "skewed": bytes(rng.choices((0, 65), (999, 1), k=size)),
    }


def compress(name: str, data: bytes, form: int = 2, piece: int = 0) -> bytes:
    model = deflate_model(SETS[name], form)
    step = piece or len(data) or 1
    out = b""
    for at in range(0, max(len(data), 1), step):
        out += model.write(data[at : at + step])
        out += model.end_piece(at + step >= len(data))
    return out


@pytest.mark.parametrize("name", SETS)
def test_libraries_read_it(name: str) -> None:
    for size in by_size(SIZES[::2] if name != "8" else SIZES, SIZES):
        for kind, data in contents(size).items():
            packed = compress(name, data)
            for reader, decompress in DECOMPRESSORS.items():
                assert decompress(packed) == data, (size, kind, reader)
            # Stored blocks are the worst: 5 bytes for each 16 KiB begun at the most.
            assert len(packed) <= size + HEADER + 5 * (size // 16384 + 1), (size, kind)


def test_pieces_can_be_read_as_they_come() -> None:
    data = contents(20_000)["text"]
    model = deflate_model(SETS["8"], 1)
    inflate = zlib.decompressobj()
    for at in range(0, len(data), 777):
        got = inflate.decompress(model.write(data[at : at + 777]) + model.end_piece(False))
        assert got == data[at : at + 777]
    assert inflate.decompress(model.end_piece(True)) == b""
    assert inflate.eof


def test_a_message_without_bytes_needs_no_write() -> None:
    for form, bits in ((0, -15), (1, 15), (2, 31)):
        assert zlib.decompress(deflate_model(SETS["8"], form).end_piece(True), bits) == b""


def test_how_bytes_are_given_makes_no_difference() -> None:
    data = contents(70_000)["text"]
    whole, parts = (deflate_model(SETS["8"], 2) for _ in range(2))
    first = whole.write(data) + whole.end_piece(True)
    second = b"".join(parts.write(data[at : at + 1001]) for at in range(0, len(data), 1001))
    assert second + parts.end_piece(True) == first


@pytest.mark.parametrize("tool", TOOLS)
def test_programs_read_it(tool: str, tmp_path: Path) -> None:
    for kind, data in contents(65_537).items():
        path = tmp_path / "x.gz"
        path.write_bytes(compress("8", data))
        done = subprocess.run([tool, "-dc", path], capture_output=True, check=True)
        assert done.stdout == data, kind


def test_parameters_that_no_circuit_has() -> None:
    with pytest.raises(ValueError, match="Parameters"):
        Deflate(3, 1, 11, 4096, 2)
    with pytest.raises(ValueError, match="Parameters"):
        Deflate(1, 1, 11, 4096, 2, 12)
