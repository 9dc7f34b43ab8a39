# SPDX-License-Identifier: Apache-2.0
"""The bytes on the disks, read here by docs/storage-layout.md alone; shares and arithmetic."""

from __future__ import annotations

import itertools
import random
import struct
import zlib

import pytest
from arraykit import Rig
from kumihimo import _storage
from kumihimo.storage import bounds

TABLE = []
for _i in range(256):
    _c = _i
    for _ in range(8):
        _c = (_c >> 1) ^ (0x82F63B78 if _c & 1 else 0)
    TABLE.append(_c)


def crc32c(data: bytes) -> int:
    c = 0xFFFFFFFF
    for b in data:
        c = c >> 8 ^ TABLE[(c ^ b) & 255]
    return c ^ 0xFFFFFFFF


def double(v: int) -> int:
    return (v << 1) ^ (0x11D if v & 0x80 else 0)


def test_crc32c() -> None:
    assert crc32c(b"123456789") == 0xE3069283
    r = random.Random(1)
    for n in (0, 1, 7, 8, 63, 3071, 3072, 3073, 6144, 10_001):
        data = r.randbytes(n)
        assert _storage.crc32c(data) == _storage.crc32c_table(data) == crc32c(data)
    # And it is not the CRC of zlib.
    assert _storage.crc32c(b"123456789") != zlib.crc32(b"123456789")


@pytest.mark.parametrize("k", [1, 2, 3, 6, 10, 28])
def test_parity(k: int) -> None:
    r = random.Random(k)
    data = [r.randbytes(64) for _ in range(k)]
    p, q = _storage.checks(data)
    for i in range(64):
        x = y = 0
        for d in reversed(data):
            x ^= d[i]
            y = double(y) ^ d[i]
        assert (p[i], q[i]) == (x, y)
    whole = [*data, p, q]
    for missing in itertools.chain(
        itertools.combinations(range(k + 2), 1), itertools.combinations(range(k + 2), 2)
    ):
        broken = [b"\xaa" * 64 if i in missing else c for i, c in enumerate(whole)]
        assert _storage.restore(broken, k, list(missing)) == whole


def test_field() -> None:
    """GF(2^8) modulo 0x11D against a product of polynomials."""
    for a, b in itertools.product(range(0, 256, 5), range(256)):
        product = 0
        for i in range(8):
            product ^= (a << i) * (b >> i & 1)
        for i in range(14, 7, -1):
            product ^= (0x11D << (i - 8)) * (product >> i & 1)
        assert _storage.gf_mul(a, b) == product


def _super(image: bytes) -> dict[str, int | bytes]:
    assert image[:8] == b"KUMISTOR"
    head = image[:8192]
    assert struct.unpack_from("<I", head, 12)[0] == crc32c(head[:12] + bytes(4) + head[16:])
    assert image[-8192:] == head
    names = ["events", "stripes", "physical"]
    out: dict[str, int | bytes] = dict(zip(names, struct.unpack_from("<3Q", head, 48), strict=True))
    names = ["index", "c", "k", "p", "entries", "policy", "spares", "holders"]
    out |= dict(zip(names, head[72:80], strict=True))
    names = ["size", "log", "half", "slots", "data"]
    out |= dict(zip(names, struct.unpack_from("<QQIIQ", head, 80), strict=True))
    out["owner"] = crc32c(head[16:48])
    return out


def _records(image: bytes, s: dict[str, int | bytes]) -> dict[int, tuple[int, int, list[int]]]:
    width = int(s["k"]) + int(s["p"])
    halves = []
    for j in range(2):
        base = int(s["log"]) + j * int(s["half"]) * 512
        sectors = [image[base + i * 512 : base + i * 512 + 512] for i in range(int(s["half"]))]
        head = sectors[0]
        if head[:4] == b"KLOG" and head[30] == 2:
            halves.append((struct.unpack_from("<I", head, 12)[0], sectors))
    generation, sectors = max(halves)
    out: dict[int, tuple[int, int, list[int]]] = {}
    for i, sector in enumerate(sectors[1:], 1):
        magic, crc, owner, gen, index, first, _n, count, kind, words = struct.unpack_from(
            "<4s6IHBB", sector
        )
        if magic != b"KLOG" or gen != generation:
            break
        assert crc == crc32c(sector[:4] + bytes(4) + sector[8:])
        assert (owner, index, kind, words * 8) == (s["owner"], i, 1, 16 + 8 * width)
        assert first <= i
        for j in range(count):
            at = 32 + j * (16 + 8 * width)
            seq, logical, what, w = struct.unpack_from("<QIBB", sector, at)
            assert w == width
            places = list(struct.unpack_from(f"<{width}Q", sector, at + 16))
            out[logical] = max(out.get(logical, (0, 0, [])), (seq, what, places))
    return out


@pytest.mark.parametrize(
    ("count", "k", "p"), [(1, 1, 0), (3, 1, 0), (3, 1, 1), (5, 3, 1), (6, 3, 2)]
)
def test_a_reader_of_the_page_finds_every_byte(count: int, k: int, p: int) -> None:
    rig = Rig.make(count, k, p)
    volume = rig.open()
    r = random.Random(count)
    data = bytearray(r.randbytes(volume.size))
    volume.write(0, bytes(data))
    volume.flush()
    for _ in range(60):
        at = r.randrange(volume.size - 9000)
        piece = r.randbytes(9000)
        volume.write(at, piece)
        data[at : at + 9000] = piece
        volume.flush()
    stripe = k * 4096
    volume.zero(stripe * 2, stripe)
    data[stripe * 2 : stripe * 3] = bytes(stripe)
    volume.flush()
    rig.close()
    images = rig.images()
    supers = [_super(image) for image in images]
    merged: dict[int, tuple[int, int, list[int]]] = {}
    copies: dict[tuple[int, int], int] = {}
    for image, s in zip(images, supers, strict=True):
        for logical, record in _records(image, s).items():
            merged[logical] = max(merged.get(logical, (0, 0, [])), record)
            copies[logical, record[0]] = copies.get((logical, record[0]), 0) + 1
    found = bytearray(len(data))
    for logical, (seq, what, places) in merged.items():
        assert copies[logical, seq] == supers[0]["holders"] == min(count, max(2, p + 1))
        if what == 2:
            continue
        chunks, devices = [], []
        for word in places:
            crc, slot, device = word & 0xFFFFFFFF, word >> 32 & 0xFFFFFF, word >> 56
            at = int(supers[device]["data"]) + slot * 4096
            chunk = images[device][at : at + 4096]
            assert crc32c(chunk) == crc
            chunks.append(chunk)
            devices.append(device)
        assert len(set(devices)) == k + p
        assert k == 1 or p == 0 or list(_storage.checks(chunks[:k]))[:p] == chunks[k:]
        found[logical * stripe : (logical + 1) * stripe] = b"".join(chunks[:k])
    assert found == data
    assert merged[2][1] == 2


def _dhondt(rates: list[int], stripes: int, width: int) -> list[set[int]]:
    """Placement, speed zone, static, as the page says it."""
    given = [0] * len(rates)
    cost = [(1 << 40) // r for r in rates]
    out = []

    def key(i: int) -> tuple[int, int]:
        u = 0
        if width > 1:
            h = (i + 1) * ((2 * given[i] + 1) * 0x9E3779B1) & 0xFFFFFFFF
            h = (h ^ h >> 15) * 0x85EBCA6B & 0xFFFFFFFF
            u = (h ^ h >> 13) >> 28
        return (16 * (given[i] + 1) + u) * cost[i], i

    for _ in range(stripes):
        picked = sorted(range(len(rates)), key=key)[:width]
        for i in picked:
            given[i] += 1
        out.append(set(picked))
    return out


@pytest.mark.parametrize(("k", "p"), [(1, 0), (1, 1), (3, 1), (3, 2)])
def test_static_shares_are_dhondts(k: int, p: int) -> None:
    mbs = [540.0, 540.0, 151.0, 350.0, 540.0, 200.0, 90.0]
    rig = Rig.make(7, k, p, dynamic=False, stripes=60, write_mbs=mbs, read_mbs=mbs)
    volume = rig.open()
    volume.write(0, random.Random(1).randbytes(volume.size))
    assert rig.array is not None
    got = [{device for device, _, _ in rig.array.places(i)} for i in range(60)]
    assert got == _dhondt([int(m * 1000) for m in mbs], 60, k + p)


def test_every_prefix_of_the_shares_is_balanced() -> None:
    """After any number of chunks none has more than one chunk too many by its speed."""
    rates = [537_700] * 7 + [151_000]
    given = [0] * 8
    for n, (i,) in enumerate(map(tuple, _dhondt(rates, 3000, 1)), 1):
        given[i] += 1
        ideal = n / sum(rates)
        assert max(g / r for g, r in zip(given, rates, strict=True)) <= ideal + 8 / sum(rates)
        assert all(g >= int(ideal * r) - 1 for g, r in zip(given, rates, strict=True))


@pytest.mark.parametrize(("rates", "width"), [([1, 1, 2], 1), ([1, 1, 2, 2], 2)])
def test_shares_after_years_of_writing(rates: list[int], width: int) -> None:
    """A chunk of 4 KiB at 1 kB/s is 4 s: beyond 2^20 of them the keys have more than 64 bits."""
    stripes = (7 << 20) // width
    got = _storage.static_shares(rates, width, stripes)
    assert sum(got) == stripes * width and min(got) > 1 << 20
    for share, rate in zip(got, rates, strict=True):
        assert abs(share - stripes * width * rate / sum(rates)) <= 2
    few = _storage.static_shares([540, 350, 90], width, 3000)
    assert few == [sum(i in s for s in _dhondt([540, 350, 90], 3000, width)) for i in range(3)]


def test_capacity_and_bounds() -> None:
    r = random.Random(3)
    for _ in range(200):
        slots = [r.randrange(20, 400) for _ in range(r.randrange(3, 9))]
        width = r.randrange(1, len(slots) + 1)
        stripes, physical = _storage.capacity(slots, width)
        assert sum(min(s, physical) for s in slots) >= width * physical
        assert sum(min(s, physical + 1) for s in slots) < width * (physical + 1)
        assert stripes <= physical
        rate = bounds.stripes_a_second([float(s) for s in slots], width)
        assert sum(min(s, rate) for s in slots) == pytest.approx(width * rate)
    # Figures of the reference: 7 x 537.7 + 151, and 16 mixed.
    fast = [537.7] * 7 + [151.0]
    assert bounds.write_bound(fast, 1) == pytest.approx(3377, abs=1)
    assert bounds.fixed_width_rate(fast, 7, 1) == pytest.approx(3356, abs=1)
    assert bounds.lock_step_rate(fast, 1) == pytest.approx(1057, abs=1)
    mixed = [540.0] * 8 + [350.0] * 4 + [200.0] * 4
    assert bounds.write_bound(mixed, 1) == 5980
    assert bounds.fixed_width_rate(mixed, 12, 1) == pytest.approx(5977, abs=1)
    assert bounds.fixed_width_rate(mixed, 12, 2) == pytest.approx(5433, abs=1)
