# SPDX-License-Identifier: Apache-2.0
"""Messages as kumi_msg_pkg describes them, written for the tests from that description."""

from __future__ import annotations

import struct
from functools import lru_cache

MARK = 0x4B4D


def _turn(value: int, left: int) -> int:
    """A 32-bit rotation."""
    return (value << left | value >> (32 - left)) & 0xFFFFFFFF


def seed(source: int, number: int, length: int, stamp: int) -> int:
    """Seed of the PRBS from the header's fields."""
    fold = (source << 16 | MARK) ^ _turn(number, 13) ^ _turn(length, 23) ^ stamp
    value = (fold & 0x7FFFFFFF) ^ ((fold >> 31) << 30)
    return value or 0x7FFFFFFF


@lru_cache(maxsize=256)
def _bits(start: int, count: int) -> bytes:
    line = [start >> i & 1 for i in range(31)]
    for n in range(31, 31 + 8 * count):
        line.append(line[n - 31] ^ line[n - 28])
    out = bytearray()
    for i in range(count):
        out.append(sum(bit << j for j, bit in enumerate(line[31 + 8 * i : 39 + 8 * i])))
    return bytes(out)


def make(length: int, number: int, source: int = 0, stamp: int = 0) -> bytes:
    """A whole message."""
    head = struct.pack(">HHIII", MARK, source, number, length, stamp)
    return head + _bits(seed(source, number, length, stamp), length - 16)


def read(data: bytes) -> tuple[int, int, int]:
    """(source, number, stamp) of a message; raises when any bit of it is wrong."""
    mark, source, number, length, stamp = struct.unpack(">HHIII", data[:16])
    assert mark == MARK and length == len(data)
    assert data == make(length, number, source, stamp)
    return source, number, stamp
