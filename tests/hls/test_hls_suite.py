# SPDX-License-Identifier: Apache-2.0
"""Kernels of known suites: RTL equals emulation, and both equal a library where there is one."""

from __future__ import annotations

import hashlib
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hlskit import Run, Twin, random_words

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(HERE / "suite.cl", tmp_path_factory.mktemp("suite"))


def check(twin: Twin, run: Run) -> dict[str, list[int]]:
    """Compare with stalls and a slow memory; the words that emulation gives."""
    given = {k: {a: bytearray(v) if isinstance(v, bytearray) else v for a, v in args.items()}
             for k, args in run.kernels.items()}  # fmt: skip
    twin.compare(Run(given, run.inputs), stall=0.3, seed=5, latency=15, jitter=8)
    twin.compare(run)
    return twin.emulation.run(given, run.inputs).outputs


def array(kind: str, values: object) -> bytearray:
    return bytearray(np.asarray(values, kind).tobytes())


def test_fir(twin: Twin) -> None:
    values = random_words(16, 200, 1)
    out = check(twin, Run({"fir": {"n": 200}}, {"FIR_IN": values}))["FIR_OUT"]
    taps = [1, -2, 3, -5, 8, -13, 21, 34, 34, 21, -13, 8, -5, 3, -2, 1]
    signal = np.array(values, np.uint16).view(np.int16).astype(np.int64)
    expected = np.convolve(signal, taps)[:200].astype(np.int32).view(np.uint32)
    assert out == [int(v) for v in expected]


def test_matmul(twin: Twin) -> None:
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-1000, 1000, (16, 16), dtype=np.int32) for _ in range(2))
    c = bytearray(1024)
    check(twin, Run({"matmul": {"a": array("i4", a), "b": array("i4", b), "c": c, "n": 16}}))
    assert (np.frombuffer(c, np.int32).reshape(16, 16) == a @ b).all()


def test_sobel(twin: Twin) -> None:
    check(twin, Run({"sobel": {"rows": 10}}, {"SOBEL_IN": random_words(8, 240, 3)}))


def test_sha256(twin: Twin) -> None:
    message = random.Random(4).randbytes(100)
    length = struct.pack(">Q", 8 * len(message))
    data = message + b"\x80" + bytes(-(len(message) + 9) % 64) + length
    words = list(struct.unpack(f">{len(data) // 4}I", data))
    run = Run({"sha256": {"blocks": len(data) // 64}}, {"SHA_IN": words})
    digest = struct.pack(">8I", *check(twin, run)["SHA_OUT"])
    assert digest == hashlib.sha256(message).digest()


def test_sorting(twin: Twin) -> None:
    rng = np.random.default_rng(5)
    for kernel, kind, most in (("merge_sort", "i4", 2**31), ("radix_sort", "u4", 2**16)):
        values = rng.integers(0, most, 75)
        a, b = array(kind, values), bytearray(300)
        check(twin, Run({kernel: {"a": a, "b": b, "n": 75}}))
        assert (np.frombuffer(a, kind) == np.sort(values)).all()


def test_bfs(twin: Twin) -> None:
    rng = random.Random(6)
    edges = [[rng.randrange(60) for _ in range(rng.randint(0, 4))] for _ in range(60)]
    first = np.cumsum([0, *(len(e) for e in edges)])
    level = bytearray(240)
    flat = [t for e in edges for t in e] or [0]
    run = {"first": array("i4", first), "edge": array("i4", flat), "level": level, "n": 60}
    check(twin, Run({"bfs": run}))
    want, seen = {0: 0}, [0]
    for at in seen:
        for to in edges[at]:
            if to not in want:
                want[to] = want[at] + 1
                seen.append(to)
    assert list(np.frombuffer(level, np.int32)) == [want.get(i, -1) for i in range(60)]


def test_spmv(twin: Twin) -> None:
    rng = np.random.default_rng(7)
    counts = rng.integers(0, 6, 20)
    total = int(counts.sum())
    y = bytearray(80)
    first = np.concatenate([[0], np.cumsum(counts)])
    check(twin, Run({"spmv": {
        "first": array("i4", first), "column": array("i4", rng.integers(0, 20, total)),
        "value": array("f4", rng.normal(size=total)), "x": array("f4", rng.normal(size=20)),
        "y": y, "n": 20,
    }}))  # fmt: skip


def test_kmp(twin: Twin) -> None:
    rng = random.Random(8)
    text = bytes(rng.choice(b"ab") for _ in range(200))
    found = bytearray(4)
    check(twin, Run({"kmp": {"text": bytearray(text), "pattern": bytearray(b"abab"),
                             "found": found, "n": 200}}))  # fmt: skip
    count = sum(text[i : i + 4] == b"abab" for i in range(197))
    assert int.from_bytes(found, "little") == count > 0


def test_crc32(twin: Twin) -> None:
    data = random.Random(9).randbytes(150)
    out = check(twin, Run({"crc32": {"n": 150}}, {"CRC_IN": list(data)}))["CRC_OUT"]
    assert out == [zlib.crc32(data)]


def test_align(twin: Twin) -> None:
    rng = random.Random(10)
    a, b = (bytearray(rng.choice(b"ACGT") for _ in range(24)) for _ in range(2))
    check(twin, Run({"align24": {"a": a, "b": b, "score": bytearray(4)}}))


def test_jacobi(twin: Twin) -> None:
    values = np.random.default_rng(11).normal(size=40).astype(np.float32)
    a = array("f4", values)
    check(twin, Run({"jacobi": {"a": a, "b": bytearray(160), "n": 40, "steps": 3}}))
    for _ in range(3):
        inner = (values[:-2] + values[1:-1] + values[2:]) / np.float32(3)
        values = np.concatenate([values[:1], inner, values[-1:]])
    assert a == values.astype(np.float32).tobytes()


def test_adpcm(twin: Twin) -> None:
    samples = [int(3000 * np.sin(i / 7)) & 0xFFFF for i in range(150)]
    check(twin, Run({"adpcm": {"n": 150}}, {"ADPCM_IN": samples}))


def test_scan(twin: Twin) -> None:
    values = np.random.default_rng(12).integers(-1000, 1000, 50)
    a = array("i4", values)
    check(twin, Run({"scan": {"a": a, "n": 50}}))
    assert (np.frombuffer(a, np.int32) == np.cumsum(values)).all()


def test_matvec(twin: Twin) -> None:
    """The kernel adds in the order of the columns."""
    rng = np.random.default_rng(13)
    a, x = rng.normal(size=(9, 14)).astype("f4"), rng.normal(size=14).astype("f4")
    y = bytearray(36)
    args = {"a": array("f4", a), "x": array("f4", x), "y": y, "rows": 9, "columns": 14}
    check(twin, Run({"matvec": args}))
    sums = np.zeros(9, np.float32)
    for column in range(14):
        sums = sums + a[:, column] * x[column]
    assert (np.frombuffer(y, np.float32) == sums).all()


FIPS_197 = (  # appendices B and C.1: key, text, cipher
    ("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734",
     "3925841d02dc09fbdc118597196a0b32"),
    ("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
     "69c4e0d86a7b0430d8cdb78070b4c55a"),
)  # fmt: skip


def test_aes(twin: Twin) -> None:
    for key, text, cipher in FIPS_197:
        word = int.from_bytes(bytes.fromhex(text), "little")
        keys = bytearray(round_keys(bytes.fromhex(key)))
        out = check(twin, Run({"aes": {"keys": keys, "n": 1}}, {"AES_IN": [word]}))["AES_OUT"]
        assert [w.to_bytes(16, "little").hex() for w in out] == [cipher]


def round_keys(key: bytes) -> bytes:
    """Eleven round keys of AES-128."""
    box = [0x63] * 256
    p = q = 1
    while True:
        p ^= (p << 1 ^ (0x1B if p & 0x80 else 0)) & 0xFF
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 9 if q & 0x80 else 0
        turned = [(q << n | q >> (8 - n)) & 0xFF for n in range(5)]
        box[p] = turned[0] ^ turned[1] ^ turned[2] ^ turned[3] ^ turned[4] ^ 0x63
        if p == 1:
            break
    out, constant = list(key), 1
    while len(out) < 176:
        word = out[-4:]
        if len(out) % 16 == 0:
            word = [box[b] for b in word[1:] + word[:1]]
            word[0] ^= constant
            constant = (constant << 1 ^ (0x1B if constant & 0x80 else 0)) & 0xFF
        out += [a ^ b for a, b in zip(word, out[-16:-12], strict=True)]
    return bytes(out)


def test_smith_waterman(twin: Twin) -> None:
    rng = random.Random(15)
    query = bytes(rng.choice(b"ACGT") for _ in range(16))
    text = bytes(rng.choice(b"ACGT") for _ in range(50)) + query[3:12] + query[13:]
    run = Run({"smith_waterman": {"query": bytearray(query), "n": len(text)}}, {"SW_IN": text})
    table = np.zeros((len(text) + 1, 17), int)
    for i, c in enumerate(text, 1):
        for j, d in enumerate(query, 1):
            match = table[i - 1, j - 1] + (2 if c == d else -1)
            table[i, j] = max(0, match, table[i - 1, j] - 1, table[i, j - 1] - 1)
    assert check(twin, run)["SW_OUT"] == [table.max()]


def test_nearest(twin: Twin) -> None:
    points = np.random.default_rng(16).normal(size=(60, 2)).astype(np.float32)
    out = bytearray(12)
    here = int.from_bytes(np.array([0.25, -0.5], np.float32).tobytes(), "little")
    check(
        twin, Run({"nearest": {"points": array("f4", points), "from": here, "out": out, "n": 60}})
    )
    away = ((points - np.array([0.25, -0.5], np.float32)) ** 2).sum(1)
    assert list(np.frombuffer(out, np.int32)) == list(np.argsort(away)[:3])


def test_bitonic(twin: Twin) -> None:
    values = np.random.default_rng(17).integers(-100, 100, 32)
    a = array("i4", values)
    check(twin, Run({"bitonic": {"a": a}}))
    assert (np.frombuffer(a, np.int32) == np.sort(values)).all()


def test_histogram(twin: Twin) -> None:
    data = random.Random(18).randbytes(300)
    out = check(twin, Run({"histogram": {"n": 300}}, {"BANKED_IN": list(data)}))["BANKED_OUT"]
    assert out == [sum(b % 64 == i for b in data) for i in range(64)]
