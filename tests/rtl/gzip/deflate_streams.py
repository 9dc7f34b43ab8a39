# SPDX-License-Identifier: Apache-2.0
"""Compressed streams to test decompressors with: what zlib makes, and what is malformed."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

RAW, ZLIB, GZIP = range(3)
WINDOW_BITS = {RAW: -15, ZLIB: 15, GZIP: 31}
STRATEGIES = {
    "default": zlib.Z_DEFAULT_STRATEGY,
    "filtered": zlib.Z_FILTERED,
    "huffman only": zlib.Z_HUFFMAN_ONLY,
    "rle": zlib.Z_RLE,
    "fixed": zlib.Z_FIXED,
}
EDGES = (0, 1, 2, 7, 8, 9, 257, 258, 259, 32767, 32768, 32769, 65535, 65536, 65537)

Stream = tuple[int, bytes]  # format, bytes


def deflated(
    data: bytes, form: int, level: int = 6, strategy: int = 0, memory: int = 8, flush: int = 0
) -> bytes:
    """A stream of zlib's; `flush`: a sync flush after each piece of that many bytes."""
    c = zlib.compressobj(level, zlib.DEFLATED, WINDOW_BITS[form], memory, strategy)
    if not flush:
        return c.compress(data) + c.flush()
    out = b""
    for at in range(0, len(data), flush):
        out += c.compress(data[at : at + flush]) + c.flush(zlib.Z_SYNC_FLUSH)
    return out + c.flush()


def sample(rng: random.Random, size: int) -> bytes:
    """Bytes of one of several kinds: text, one byte, noise, short periods."""
    kind = rng.randrange(5)
    if kind == 0:
        return bytes([rng.randrange(256)]) * size
    if kind == 1:
        return rng.randbytes(size)
    if kind == 2:
        period = rng.randbytes(rng.randint(1, 20))
        return (period * (size // len(period) + 1))[:size]
    words = [bytes(rng.choices(b"etaoinshrdlu", k=rng.randint(1, 9))) for _ in range(300)]
    out = bytearray()
    while len(out) < size:
        # Few words are frequent, as in text: codes of all lengths come up.
        out += words[min(int(rng.expovariate(0.02)), 299)] + b" "
        if rng.random() < 0.05:
            out.append(rng.randrange(256))
    return bytes(out[:size])


def good_streams(rng: random.Random) -> Iterator[Stream]:
    """All levels and strategies, edge sizes, flushes, small memory, headers, members."""
    for level in range(10):
        for strategy in STRATEGIES.values():
            form = rng.randrange(3)
            yield form, deflated(sample(rng, rng.randrange(5000)), form, level, strategy)
    for size in EDGES:
        for level in (0, rng.randint(1, 9)):
            form = rng.randrange(3)
            yield form, deflated(sample(rng, size), form, level)
    for memory in (1, 9):
        yield ZLIB, deflated(sample(rng, 40000), ZLIB, 6, 0, memory)
    for flush in (1, 100, 3000):
        yield GZIP, deflated(sample(rng, 60 * flush % 9000 + 50), GZIP, 6, 0, 8, flush)
    for flags in range(32):
        yield GZIP, gzip_member(sample(rng, 300), flags, rng)
    for padding in (0, 1, 9):
        parts = [
            gzip_member(sample(rng, rng.randrange(2000)), rng.randrange(32), rng) for _ in "abc"
        ]
        yield GZIP, bytes(padding).join(parts) + bytes(padding)
    for form in (RAW, ZLIB):
        yield form, deflated(b"what follows is not looked at", form) + b"trailing bytes" * 9


def gzip_member(data: bytes, flags: int, rng: random.Random) -> bytes:
    """A gzip member with the optional fields of `flags` (RFC 1952, 2.3.1)."""
    head = bytes([0x1F, 0x8B, 8, flags]) + rng.randbytes(6)
    if flags & 4:
        extra = rng.randbytes(rng.randrange(40))
        head += struct.pack("<H", len(extra)) + extra
    for bit in (8, 16):
        if flags & bit:
            head += bytes(rng.randrange(1, 256) for _ in range(rng.randrange(30))) + b"\0"
    if flags & 2:
        head += struct.pack("<H", zlib.crc32(head) & 0xFFFF)
    return head + deflated(data, RAW) + struct.pack("<II", zlib.crc32(data), len(data))


# ---- malformed, by class -------------------------------------------------------------------------


@dataclass
class Bits:
    """Bits in the order of RFC 1951, 3.1.1."""

    value: int = 0
    count: int = 0

    def put(self, value: int, count: int) -> Bits:
        """A number, least significant bit first."""
        self.value |= value << self.count
        self.count += count
        return self

    def code(self, value: int, count: int) -> Bits:
        """A code, most significant bit first."""
        return self.put(int(f"{value:0{count}b}"[::-1], 2), count)

    def copy(self) -> Bits:
        """The same bits, to go on differently."""
        return replace(self)

    def data(self) -> bytes:
        """All of them, in bytes."""
        return self.value.to_bytes((self.count + 7) // 8, "little")


CODELEN_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)


def dynamic(
    lengths: list[tuple[int, int]],
    lits: int = 257,
    dists: int = 1,
    codelens: dict[int, int] | None = None,
) -> Bits:
    """A dynamic block up to its code lengths: (symbol of the code for lengths, its extra bits)."""
    # Three-bit codes 0, 1, 2, 16, 17, 18 and two of two bits unless told otherwise.
    sizes = codelens or {0: 3, 1: 3, 2: 3, 15: 3, 16: 3, 17: 3, 18: 3, 14: 3}
    bits = Bits().put(1, 1).put(2, 2).put(lits - 257, 5).put(dists - 1, 5).put(15, 4)
    for symbol in CODELEN_ORDER:
        bits.put(sizes.get(symbol, 0), 3)
    codes, code = {}, 0
    for size in range(1, 8):
        for symbol in range(19):
            if sizes.get(symbol) == size:
                codes[symbol] = (code, size)
                code += 1
        code <<= 1
    for symbol, extra in lengths:
        if symbol in codes:
            bits.code(*codes[symbol])
            bits.put(extra, {16: 2, 17: 3, 18: 7}.get(symbol, 0))
    return bits


def zeros(count: int) -> list[tuple[int, int]]:
    """Code lengths of zero."""
    out = []
    while count >= 11:
        out.append((18, min(count, 138) - 11))
        count -= min(count, 138)
    return out + [(0, 0)] * count


def fixed() -> Bits:
    """The beginning of a last block with the fixed code."""
    return Bits().put(1, 1).put(1, 2)


def raw(bits: Bits) -> Stream:
    """A raw stream of these bits and some zeros."""
    return RAW, bits.data() + bytes(8)


def malformed() -> dict[str, Stream]:
    """One stream for each class of mistake, and neighbours that are valid."""
    text = b"malformed streams end with an error " * 9
    good = deflated(text, GZIP)
    wrapped = deflated(text, ZLIB)
    one = [*zeros(256), (1, 0)]  # end of block alone
    two = [(1, 0), *zeros(255), (1, 0)]  # the byte 0 and end of block
    three = [(1, 0)] * 3
    far = fixed().code(0x30 + 65, 8).code(1, 7)  # a literal, and a length of 3
    far_member = good[:10] + fixed().code(1, 7).code(0, 5).put(0, 40).data()
    two_lits = dynamic([*zeros(256), (1, 0), (1, 0), (0, 0)], lits=258)
    return {
        "empty": (GZIP, b""),
        "magic": (GZIP, b"\x1f\x8c" + good[2:]),
        "gzip as zlib": (ZLIB, good),
        "zlib check": (ZLIB, b"\x78\x9d" + wrapped[2:]),
        "zlib method": (ZLIB, b"\x77\x85" + wrapped[2:]),
        "zlib window": (ZLIB, b"\x88\x1c" + wrapped[2:]),
        "zlib dictionary": (ZLIB, b"\x78\xbb" + bytes(4) + wrapped[2:]),
        "gzip method": (GZIP, b"\x1f\x8b\x07" + good[3:]),
        "gzip flags": (GZIP, b"\x1f\x8b\x08\x20" + good[4:]),
        "header crc": (GZIP, good[:3] + b"\x02" + good[4:10] + b"\0\0" + good[10:]),
        "block type": (RAW, b"\x07"),
        "stored length": (RAW, b"\x01\x05\x00\xfb\xff12345"),
        "stored truncated": (RAW, b"\x01\x05\x00\xfa\xff123"),
        "lengths above 286": raw(dynamic([], lits=287)),
        "distances above 30": raw(dynamic([], dists=31)),
        "code lengths oversubscribed": raw(dynamic([], codelens=dict.fromkeys(range(3), 1))),
        "code lengths incomplete": raw(dynamic([], codelens={0: 1})),
        "code lengths empty": raw(dynamic([], codelens={})),
        "repeat of nothing": raw(dynamic([(16, 0)])),
        "repeat of nothing, cut": (RAW, bytes.fromhex("25000425")),
        "repeat too far": raw(dynamic([*zeros(250), (18, 127)])),
        "no end of block": raw(dynamic([(1, 0), (1, 0), *zeros(256)])),
        "literals oversubscribed": raw(dynamic([*three, *zeros(253), (1, 0), (1, 0)])),
        "literals incomplete": raw(dynamic([(2, 0), *zeros(255), (2, 0), (1, 0)])),
        "distances oversubscribed": raw(dynamic([*two, *three], dists=3)),
        "distances incomplete": raw(dynamic([*two, (2, 0), (2, 0)], dists=2)),
        "one code of one bit": raw(dynamic([*one, (0, 0)]).code(0, 1)),
        "its unused half": raw(dynamic([*one, (0, 0)]).code(1, 1)),
        "reserved length": raw(fixed().code(0xC6, 8)),
        "reserved distance": raw(far.copy().code(30, 5)),
        "no distance code": raw(two_lits.code(1, 1)),
        "distance too far": raw(far.copy().code(1, 5)),
        "distance as far as possible": raw(far.copy().code(0, 5).code(0, 7)),
        "distance into the member before": (GZIP, good + far_member),
        "crc": (GZIP, good[:-8] + bytes(4) + good[-4:]),
        "adler": (ZLIB, wrapped[:-4] + bytes(4)),
        "size": (GZIP, good[:-4] + bytes(4)),
        "not a member": (GZIP, good + b"\1" + good),
        "second member truncated": (GZIP, good + good[:-1]),
    }
