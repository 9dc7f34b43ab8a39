# SPDX-License-Identifier: Apache-2.0
"""`kumi bench gzip-long`: 1 GiB through the model, 100 MiB through the circuit, a message each.

Both at the parameters that ship (8 lanes). The bytes are pieces of text, noise, compressed data,
short periods and records, 64 KiB each, in random order, from a fixed seed; the circuit gets the
first of them. Each message is one gzip member without a flush.

model_ratio, ratio: bytes in over bytes out.
bytes_per_cycle:    of the circuit: bytes over the cycles from the first beat in to the last.
mismatches:         messages that zlib does not give back, or for which circuit and model differ.
"""

from __future__ import annotations

import gzip
import hashlib
import random
import zlib
from collections.abc import Iterator
from typing import Any

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.corpus import own_files
from kumihimo.bench.setup import Setup
from kumihimo.gzip import SETS, Format, compress_circuit, compress_model
from kumihimo.gzip.compress import deflate_model

MODEL_BYTES, CIRCUIT_BYTES = 1 << 30, 100 << 20
QUICK = 512  # times fewer bytes
PIECE = 1 << 16
REPORT = 1 << 24  # bytes between two words about the progress


def pieces(size: int) -> Iterator[bytes]:
    """`size` bytes, a piece at a time; always the same ones."""
    rng = random.Random(1)
    text = b"".join(own_files().values())
    compressed = gzip.compress(text, 6)
    for at in range(0, size, PIECE):
        kind = rng.randrange(8)
        if kind == 0:
            made = rng.randbytes(PIECE)
        elif kind == 1:
            made = bytes([rng.randrange(256)]) * PIECE
        elif kind == 2:
            period = rng.randbytes(rng.randint(2, 5000))
            made = period * (PIECE // len(period) + 1)
        elif kind == 3:
            start = rng.randrange(len(compressed) - PIECE)
            made = compressed[start : start + PIECE]
        elif kind == 4:
            first = rng.randrange(1 << 24)
            step = rng.randrange(1, 300)
            made = b"".join((first + i * step).to_bytes(4, "little") for i in range(PIECE // 4))
        else:
            start = rng.randrange(len(text) - PIECE)
            made = text[start : start + PIECE]
        yield made[: min(PIECE, size - at)]


def _model(size: int, progress: Progress) -> dict[str, Any]:
    """Compress and decompress as the pieces come: memory does not grow with the message."""
    model = deflate_model(SETS["8"], Format.GZIP)
    inflate = zlib.decompressobj(Format.GZIP.window_bits)
    given, back = hashlib.blake2b(), hashlib.blake2b()
    done = out = 0
    for piece in pieces(size):
        given.update(piece)
        packed = model.write(piece)
        out += len(packed)
        back.update(inflate.decompress(packed))
        done += len(piece)
        if done % REPORT == 0:
            progress.step(f"model, {done >> 20} MiB", 0, 2)
    packed = model.end_piece(True)
    out += len(packed)
    back.update(inflate.decompress(packed))
    same = inflate.eof and not inflate.unused_data and given.digest() == back.digest()
    return {"what": "model", "bytes": done, "ratio": done / out, "wrong": int(not same)}


def run(progress: Progress, quick: bool) -> BenchResult:
    """The circuit first, since it is the shorter one."""
    result = BenchResult("gzip-long")
    share = QUICK if quick else 1
    progress.step("circuit", 1, 2)
    data = b"".join(pieces(CIRCUIT_BYTES // share))
    made = compress_circuit(data, SETS["8"])
    assert made.feed is not None
    same = made.data == compress_model(data, SETS["8"]).data
    same = same and gzip.decompress(made.data) == data
    circuit: dict[str, Any] = {
        "what": "circuit",
        "bytes": len(data),
        "ratio": len(data) / len(made.data),
        "bytes_per_cycle": len(data) / made.feed,
        "cycles": made.cycles,
        "wrong": int(not same),
    }
    result.rtl["kumi_deflate"] = made.design
    del data
    model = _model(MODEL_BYTES // share, progress)
    result.rows = [model, circuit]
    result.summary = {
        "model_bytes": model["bytes"],
        "model_ratio": model["ratio"],
        "bytes": circuit["bytes"],
        "ratio": circuit["ratio"],
        "bytes_per_cycle": circuit["bytes_per_cycle"],
        "mismatches": model["wrong"] + circuit["wrong"],
    }
    result.goals = {
        "model_bytes": (">=", MODEL_BYTES),
        "bytes": (">=", CIRCUIT_BYTES),
        "bytes_per_cycle": (">=", 7.6),
        "mismatches": ("==", 0.0),
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    result.setup = Setup("kumi_deflate")
    return result
