# SPDX-License-Identifier: Apache-2.0
"""Probe payloads as kumi_probe_pkg describes them, written bit by bit for the tests."""

from __future__ import annotations

import struct
from functools import lru_cache

MARK = 0x4B50


def seed(flow: int, seq: int, stamp: int) -> int:
    """Seed of the PRBS from the header's fields."""
    low, high = stamp & 0xFFFFFFFF, stamp >> 32
    fold = MARK ^ seq ^ low ^ ((high & 0xFFFF) << 16 | high >> 16) ^ (flow << 16 | flow)
    value = (fold & 0x7FFFFFFF) ^ ((fold >> 31) << 30)
    return value or 0x7FFFFFFF


@lru_cache(maxsize=64)
def _bits(start: int, count: int) -> bytes:
    line = [start >> i & 1 for i in range(31)]
    for n in range(31, 31 + 8 * count):
        line.append(line[n - 31] ^ line[n - 28])
    out = bytearray()
    for i in range(count):
        out.append(sum(bit << j for j, bit in enumerate(line[31 + 8 * i : 39 + 8 * i])))
    return bytes(out)


def make(length: int, seq: int, flow: int = 0, stamp: int = 0) -> bytes:
    """A whole probe."""
    head = struct.pack(">HHIQ", MARK, flow, seq, stamp)
    return head + _bits(seed(flow, seq, stamp), length - 16)


def read(data: bytes) -> tuple[int, int, int]:
    """(flow, seq, stamp) of a probe; raises when any bit of it is wrong."""
    mark, flow, seq, stamp = struct.unpack(">HHIQ", data[:16])
    assert mark == MARK
    assert data == make(len(data), seq, flow, stamp)
    return flow, seq, stamp
