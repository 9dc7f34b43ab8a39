# SPDX-License-Identifier: Apache-2.0
"""Blocks of hw/kernel written again as kernels: what they send, against models of the formats."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hlskit import Run, Twin, random_words

N = 150


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(Path(__file__).with_name("shipped.cl"), tmp_path_factory.mktemp("shipped"))


def outputs(twin: Twin, run: Run) -> dict[str, list[int]]:
    """What leaves, the same in RTL with and without stalls as in emulation."""
    twin.compare(run)
    twin.compare(run, stall=0.4, seed=3)
    return {k: list(v) for k, v in twin.emulation.run(run.kernels, run.inputs).outputs.items()}


def pattern(header: bytes, size: int) -> bytes:
    """PRBS-31 behind a header, bit by bit (ITU-T O.150; the seed folds the header)."""
    words = [int.from_bytes(header[i : i + 4], "big") for i in range(0, 16, 4)]
    source, number, length, stamp = words[0] & 0xFFFF, *words[1:]
    fold = source << 16 | 0x4B4D
    fold ^= (number << 13 | number >> 19) & 0xFFFFFFFF
    fold ^= (length << 23 | length >> 9) & 0xFFFFFFFF
    fold ^= stamp
    seed = (fold & 0x7FFFFFFF) ^ (fold >> 31) << 30 or 0x7FFFFFFF
    bits = [seed >> i & 1 for i in range(31)]
    for i in range(8 * size):
        bits.append(bits[i] ^ bits[i + 3])
    return bytes(sum(bits[31 + 8 * i + k] << k for k in range(8)) for i in range(size))


def message(source: int, number: int, length: int, stamp: int) -> bytes:
    header = b"KM" + source.to_bytes(2, "big")
    header += b"".join(x.to_bytes(4, "big") for x in (number, length, stamp))
    return header + pattern(header, length - 16)


def beats(data: bytes, width: int, keep_bytes: int) -> list[int]:
    """Words of a packet with byte mask and end mark behind the data."""
    out = []
    for at in range(0, len(data), width):
        part = data[at : at + width]
        last = at + width >= len(data)
        mask = (1 << len(part)) - 1
        word = part.ljust(width, b"\0") + mask.to_bytes(keep_bytes, "little") + bytes([last])
        out.append(int.from_bytes(word, "little"))
    return out


LENGTHS = (16, 17, 31, 32, 33, 64, 100, 700)


def test_echo(twin: Twin) -> None:
    rng = random.Random(1)
    records, data, back, back_data, dropped = [], [], [], [], 0
    for size in (0, 1, 7, 8, 9, 64, 300):
        port = rng.choice([7, 8])
        record = rng.getrandbits(32) | rng.getrandbits(16) << 32 | port << 48 | size << 64
        words = beats(rng.randbytes(size), 8, 1)
        records.append(record)
        data += words
        if port == 7:
            back.append(record)
            back_data += words
        else:
            dropped += 1
    inputs = {"ECHO_RECORD_IN": records, "ECHO_IN": data}
    for port, expected in ((7, (back, back_data, dropped)), (0, (records, data, 0))):
        run = Run({"udp_echo": {"datagrams": len(records), "port": port}}, inputs)
        out = outputs(twin, run)
        assert out["ECHO_RECORD_OUT"] == expected[0] and out["ECHO_OUT"] == expected[1]
        assert out["ECHO_DROPPED"] == [expected[2]]


@pytest.mark.parametrize("real", [0, 1])
def test_lane_add(twin: Twin, real: int) -> None:
    rng = np.random.default_rng(2)
    pairs = rng.integers(0, 2**32, (N, 2), np.uint64).astype("<u4")
    if real:
        pairs = rng.normal(size=(N, 2)).astype("<f4").view("<u4")
    words = [int(a) | int(b) << 32 for a, b in pairs]
    out = outputs(twin, Run({"lane_add": {"n": N, "is_float": real}}, {"ADD_IN": words}))
    sums = pairs.view("<f4").sum(1, dtype="f4").view("<u4") if real else pairs.sum(1, dtype="<u4")
    assert out["ADD_OUT"] == sums.tolist()


def test_messages(twin: Twin) -> None:
    """Built as the format says; a checker counts bytes that are wrong, and lengths."""
    requests, expected, records = [], [], []
    for number, length in enumerate(LENGTHS):
        record = length | 5 << 32
        requests.append(record | 0xABCD << 48 | number << 64 | 1000 * number << 96)
        records.append(record)
        expected += beats(message(0xABCD, number, length, 1000 * number), 16, 2)
    run = Run({"msg_build": {"messages": len(LENGTHS)}}, {"GEN_REQUEST": requests})
    out = outputs(twin, run)
    assert out["GEN_RECORD"] == records
    kept = [sum(0xFF << 8 * i for i in range(16) if w >> 128 + i & 1) | 0xFFFFFF << 128
            for w in expected]  # fmt: skip
    assert [w & k for w, k in zip(out["GEN_OUT"], kept, strict=True)] == expected

    total = sum(LENGTHS)
    spoilt = list(expected)
    spoilt[-3] ^= 0x1101FF  # three bytes of the last message
    long_ = beats(message(1, 2, 64, 3) + bytes(16), 16, 2)
    for words, counts in (
        (expected, (len(LENGTHS), 0, total, 0)),
        (spoilt, (len(LENGTHS), 1, total, 3)),
        (long_, (1, 1, 80, None)),
    ):
        run = Run({"msg_check": {"beats": len(words)}}, {"CHECK_IN": words})
        found = outputs(twin, run)["CHECK_COUNTS"][0]
        for i, count in enumerate(counts):
            assert count is None or found >> 32 * i & 0xFFFFFFFF == count


@pytest.mark.parametrize(("prev", "local", "real"), [(1, 0, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1)])
@pytest.mark.parametrize("length", [1, 32, 33, 640])
def test_all_reduce_block(twin: Twin, prev: int, local: int, real: int, length: int) -> None:
    count = -(-length // 32)
    rng = np.random.default_rng(length)
    a, b = (rng.normal(size=(count, 8)).astype("<f4") for _ in range(2))
    words = [[int.from_bytes(row.tobytes(), "little") for row in x] for x in (a, b)]
    inputs = {"COLL_PREV": words[0] * prev, "COLL_LOCAL": words[1] * local}
    args = {"from_prev": prev, "from_local": local, "is_float": real, "to_next": 1, "to_local": 1,
            "ends": 0, "header": 0x1122334455667788, "length": length}  # fmt: skip
    out = outputs(twin, Run({"coll": args}, inputs))
    total = a + b if real else (a.view("<u4") + b.view("<u4")).view("<f4")
    body = (total if prev and local else a if prev else b).tobytes()[: 32 * count]
    packet = beats(body[:length], 32, 4)
    data = [int.from_bytes(body[i : i + 32], "little") for i in range(0, len(body), 32)]
    low, full = (1 << 256) - 1, 0xFFFFFFFF << 256
    packet = [w & ~low | d for w, d in zip(packet, data, strict=True)]
    assert out["COLL_NEXT"] == [0x1122334455667788 | full, full, *packet]
    assert out["COLL_KEPT"] == [w & ((1 << 288) - 1) for w in packet]


def test_rate(twin: Twin) -> None:
    """A word in each cycle: II 1 from end to end."""
    words = random_words(64, 1000, 4)
    assert twin.compare(Run({"lane_add": {"n": 1000, "is_float": 0}}, {"ADD_IN": words})) <= 1060
