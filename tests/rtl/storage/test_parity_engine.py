# SPDX-License-Identifier: Apache-2.0
"""Check chunks and lost chunks in RTL: against sums of polynomials, vectors, and the C++ array."""

from __future__ import annotations

import itertools
import random

import pytest
from kumihimo import _storage
from kumihimo.testing import Dut, Frame
from storage_bench import COEF, STALLS, STRIPE, Bench, bits, pack, unpack

# name: bits, longest chunk, banks
UNITS = {
    "w8": (8, 16, 1),
    "w32": (32, 128, 1),
    "w64": (64, 512, 2),
    "w128": (128, 512, 1),
    "w256": (256, 1024, 2),
    "w512": (512, 2048, 2),
}
CRC_WIDTHS = (8, 32, 64, 128, 256, 512)


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("storage_parity")
    bench.add(
        "coef", "kumi_parity_coef", hdr={"s_req": bits(STRIPE), "m_coef": bits(COEF)}
    )  # fmt: skip
    for name, (width, chunk, banks) in UNITS.items():
        bench.add(
            name,
            "kumi_parity_engine",
            {"DATA_W": width, "PARITY_BYTES": chunk, "BANKS": banks},
            axis={"s_axis": width, "m_axis": width},
            hdr={"s_coef": bits(COEF)},
            pins_out={"ev_bad": 1},
        )
    for width in CRC_WIDTHS:
        bench.add_crc(f"crc{width}", width)
    return bench.build()


@pytest.fixture
def dut(built: Dut) -> Dut:
    built.restart()
    return built


# The field by its definition: polynomials over GF(2) modulo x^8 + x^4 + x^3 + x^2 + 1.
def mul(a: int, b: int) -> int:
    product = 0
    for i in range(8):
        product ^= (a << i) * (b >> i & 1)
    for i in range(14, 7, -1):
        product ^= (0x11D << (i - 8)) * (product >> i & 1)
    return product


TABLE = [bytes(mul(a, b) for b in range(256)) for a in range(256)]
POWER = [1]
for _ in range(254):
    POWER.append(mul(POWER[-1], 2))


def add(x: bytes, y: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(x, y, strict=True))


def checks(data: list[bytes], p: int) -> list[bytes]:
    """P and Q by their sums."""
    out = [bytes(len(data[0])), bytes(len(data[0]))]
    for j, d in enumerate(data):
        out = [add(out[0], d), add(out[1], d.translate(TABLE[POWER[j]]))]
    return out[:p]


def call(dut: Dut, k: int, p: int, lost: tuple[int, ...], want: int = 0) -> list[dict[str, int]]:
    """The answer of kumi_parity_coef."""
    own = want or (1 << len(lost)) - 1
    two = len(lost) == 2
    request = pack(STRIPE, k=k, p=p, lost0=lost[0], lost1=lost[1] if two else 0, two=two, want=own)
    dut.send("s_hdr_coef_req", [request])
    out: list[dict[str, int]] = []
    while not out or not out[-1]["last"]:
        out.append(unpack(COEF, dut.recv("m_hdr_coef_coef", 1)[0].value))
    return out


def every_loss(k: int, p: int) -> list[tuple[int, ...]]:
    w = range(k + p)
    return [*((x,) for x in w if p), *(itertools.combinations(w, 2) if p == 2 else ())]


@pytest.mark.parametrize(
    ("k", "p"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (6, 1), (10, 2), (28, 2), (29, 1)]
)
def test_coefficients_restore_any_loss(dut: Dut, k: int, p: int) -> None:
    """Every pair of lost positions (a sample of them when there are many)."""
    dut.stall_all(0.3, 0.3, seed=k)
    r = random.Random(100 * k + p)
    data = [r.randbytes(5) for _ in range(k)]
    whole = data + checks(data, p)
    if k > 1:  # with one data chunk it is three copies
        assert list(_storage.checks([d + bytes(3) for d in data]))[:p] == [
            c + bytes(3) for c in whole[k:]
        ]
    losses = every_loss(k, p)
    for lost in losses if len(losses) < 80 else r.sample(losses, 80):
        records = call(dut, k, p, lost)
        assert not any(c["bad"] for c in records)
        positions = [c["position"] for c in records]
        assert positions == sorted(set(positions)) and not set(positions) & set(lost)
        assert len(positions) <= k  # no more is read than there is to know
        sums = [bytes(5), bytes(5)]
        for c in records:
            chunk = whole[c["position"]]
            sums = [add(s, chunk.translate(TABLE[c[n]])) for s, n in zip(sums, "ab", strict=True)]
            assert c["want"] == (1 << len(lost)) - 1
        assert sums[0] == whole[lost[0]]
        assert sums[1] == (whole[lost[1]] if len(lost) == 2 else bytes(5))
    dut.run(40)
    assert not dut.recv("m_hdr_coef_coef")


def test_known_raid6_factors(dut: Dut) -> None:
    """g^j and the two-disk formulas of Anvin's paper: A = g^(y-x) / (g^(y-x) + 1)."""
    assert [POWER[i] for i in (0, 1, 7, 8, 9, 25)] == [1, 2, 0x80, 0x1D, 0x3A, 3]
    made = call(dut, 12, 2, (12, 13))
    assert [c["a"] for c in made] == [1] * 12
    assert [c["b"] for c in made] == [1, 2, 4, 8, 16, 32, 64, 128, 0x1D, 0x3A, 0x74, 0xE8]
    x, y = 3, 8
    found = {c["position"]: c for c in call(dut, 12, 2, (x, y))}
    d = POWER[y - x]
    inverse = next(v for v in range(256) if mul(v, d ^ 1) == 1)
    assert found[12]["a"] == mul(d, inverse)
    inverse_b = next(v for v in range(256) if mul(v, POWER[x] ^ POWER[y]) == 1)
    assert found[13]["a"] == found[13]["b"] == inverse_b


def test_requests_that_cannot_be_met(dut: Dut) -> None:
    bad = [
        dict(k=0, p=2, lost0=0, want=1),
        dict(k=4, p=0, lost0=0, want=1),
        dict(k=4, p=3, lost0=0, want=1),
        dict(k=29, p=2, lost0=0, want=1),
        dict(k=31, p=2, lost0=0, want=1),
        dict(k=4, p=1, lost0=5, want=1),
        dict(k=4, p=2, lost0=6, want=1),
        dict(k=4, p=1, lost0=0, lost1=1, two=1, want=3),
        dict(k=4, p=2, lost0=1, lost1=1, two=1, want=3),
        dict(k=4, p=2, lost0=2, lost1=1, two=1, want=3),
        dict(k=4, p=2, lost0=2, lost1=6, two=1, want=3),
        dict(k=4, p=2, lost0=2, want=0),
        dict(k=4, p=2, lost0=2, want=2),
    ]
    dut.send("s_hdr_coef_req", [pack(STRIPE, **b) for b in bad])
    for f in dut.recv("m_hdr_coef_coef", len(bad)):
        record = unpack(COEF, f.value)
        assert record["bad"] and record["last"]
    assert len(call(dut, 4, 2, (1, 4))) == 4  # and a good one after them


def test_latency_of_the_coefficients(dut: Dut) -> None:
    dut.send("s_hdr_coef_req", [pack(STRIPE, k=6, p=2, lost0=6, lost1=7, two=1, want=3)])
    out = dut.recv("m_hdr_coef_coef", 6)
    start = dut.sent("s_hdr_coef_req")[0][0]
    assert [f.cycle - start for f in out] == [4 + 3 * i for i in range(6)]
    dut.send("s_hdr_coef_req", [pack(STRIPE, k=6, p=2, lost0=4, lost1=5, two=1, want=3)])
    out = dut.recv("m_hdr_coef_coef", 6)
    start = dut.sent("s_hdr_coef_req")[0][0]
    assert out[0].cycle - start == 12


def stripe(
    dut: Dut, unit: str, records: list[dict[str, int]], chunks: list[bytes], bad: int = -1
) -> None:
    """Send a stripe's factors and chunks."""
    dut.send(f"s_hdr_{unit}_coef", [pack(COEF, **c) for c in records])
    frames = [Frame(c, bad=i == bad) for i, c in enumerate(chunks)]
    dut.send(f"s_axis_{unit}_axis", frames)


@pytest.mark.parametrize(("rx", "tx"), STALLS)
@pytest.mark.parametrize("unit", UNITS)
def test_checks_and_restores(dut: Dut, unit: str, rx: float, tx: float) -> None:
    """Chunks of every length from one beat on, one after the other without a pause."""
    width, longest, _ = UNITS[unit]
    beat = width // 8
    r = random.Random(unit)
    expected = []
    for n in range(14):
        beats = n + 1 if n < 5 else r.randint(1, longest // beat)
        size = longest if n == 6 else beats * beat
        k, p = r.choice([(1, 1), (1, 2), (2, 1), (3, 2), (5, 2)])
        data = [r.randbytes(size) for _ in range(k)]
        whole = data + checks(data, p)
        lost = r.choice([*every_loss(k, p), tuple(range(k, k + p))])
        want = r.randint(1, 3) if len(lost) == 2 else 1
        records = call(dut, k, p, lost, want)
        stripe(dut, unit, records, [whole[c["position"]] for c in records])
        expected += [(i, whole[x]) for i, x in enumerate(lost) if want >> i & 1]
    dut.stall_all(rx, tx, seed=len(unit))
    out = dut.recv(f"m_axis_{unit}_axis", len(expected), 60_000)
    assert [(f.dest, f.data) for f in out] == expected
    assert not any(f.bad for f in out)
    dut.run(20)
    assert not dut.recv(f"m_axis_{unit}_axis")


@pytest.mark.parametrize("unit", UNITS)
def test_one_beat_a_cycle(dut: Dut, unit: str) -> None:
    """Time of k chunks in and two out, or of k chunks with two banks."""
    width, longest, banks = UNITS[unit]
    beats = longest * 8 // width
    k, count = 4, 5
    data = [random.Random(1).randbytes(longest) for _ in range(k)]
    records = call(dut, k, 2, (k, k + 1))
    for _ in range(count):
        stripe(dut, unit, records, data)
    out = dut.recv(f"m_axis_{unit}_axis", 2 * count)
    assert [f.data for f in out] == checks(data, 2) * count
    taken = dut.sent(f"s_axis_{unit}_axis")
    for a, b in taken:
        assert b - a == beats - 1
    assert out[0].cycle - taken[k - 1][1] == 5
    for f in out:
        assert f.last_cycle - f.cycle == beats - 1
    period = (taken[-1][1] - taken[k - 1][1]) / (count - 1)
    assert period == k * beats if banks == 2 else period <= (k + 2) * beats + 6


@pytest.mark.parametrize("unit", ["w8", "w64", "w512"])
def test_broken_chunks(dut: Dut, unit: str) -> None:
    """Marked, shorter, longer, too long, partial: marked results, and the next stripe is well."""
    width, longest, _ = UNITS[unit]
    beat = width // 8
    dut.watch(f"{unit}_ev_bad")
    r = random.Random(7)
    size = 4 * beat
    good = [r.randbytes(size) for _ in range(3)]
    records = call(dut, 3, 2, (3, 4))
    cases: list[tuple[list[bytes], int, int]] = [
        (good, 0, size),
        (good, 2, size),
        ([good[0], good[1][:beat], good[2]], -1, size),
        ([good[0], good[1] + good[1], good[2]], -1, size),
        ([good[0][:beat], good[1], good[2]], -1, beat),
        ([bytes(longest + beat), *good[1:]], -1, longest),
        ([bytes(longest + beat)] * 3, -1, longest),
    ]
    if beat > 1:
        cases.append(([good[0], good[1][:-1], good[2]], -1, size))
    for chunks, bad, length in cases:
        stripe(dut, unit, records, chunks, bad)
        out = dut.recv(f"m_axis_{unit}_axis", 2)
        assert [len(f.data) for f in out] == [length] * 2
        assert [f.bad for f in out] == [True, True]
        stripe(dut, unit, records, good)
        out = dut.recv(f"m_axis_{unit}_axis", 2)
        assert [f.data for f in out] == checks(good, 2)
        assert not any(f.bad for f in out)
    assert dut.counts(f"{unit}_ev_bad") == {"0": len(cases)}


def test_bad_records_stand_for_no_chunk_and_nothing_wanted_gives_nothing(dut: Dut) -> None:
    data = [random.Random(3).randbytes(32) for _ in range(2)]
    dut.send("s_hdr_w64_coef", [pack(COEF, bad=1, last=1)])
    nothing = [{**c, "want": 0} for c in call(dut, 2, 2, (2, 3))]
    for _ in range(5):
        stripe(dut, "w64", nothing, data)
    stripe(dut, "w64", call(dut, 2, 2, (2, 3)), data)
    assert dut.recv_data("m_axis_w64_axis", 2) == checks(data, 2)
    dut.run(30)
    assert not dut.recv("m_axis_w64_axis")


def test_cpp_array_agrees(dut: Dut) -> None:
    """The same checks as the C++ array makes, and what it restores from the RTL's."""
    r = random.Random(11)
    k = 6
    data = [r.randbytes(512) for _ in range(k)]
    stripe(dut, "w64", call(dut, k, 2, (k, k + 1)), data)
    made = dut.recv_data("m_axis_w64_axis", 2)
    assert tuple(made) == tuple(_storage.checks(data))
    whole = data + made
    assert _storage.restore([bytes(512), *whole[1:4], bytes(512), *whole[5:]], k, [0, 4]) == whole


def crc32c(data: bytes) -> int:
    """Bit by bit."""
    c = 0xFFFFFFFF
    for byte in data:
        for i in range(8):
            c = c >> 1 ^ (0x82F63B78 if (c ^ byte >> i) & 1 else 0)
    return c ^ 0xFFFFFFFF


# RFC 3720, appendix B.4, and the check value of the CRC catalogues.
VECTORS = {
    bytes(32): 0x8A9136AA,
    b"\xff" * 32: 0x62A8AB43,
    bytes(range(32)): 0x46DD794E,
    bytes(range(31, -1, -1)): 0x113FDB5C,
    b"123456789": 0xE3069283,
}


@pytest.mark.parametrize("idle", [0.0, 0.5])
@pytest.mark.parametrize("width", CRC_WIDTHS)
def test_crc32c(dut: Dut, width: int, idle: float) -> None:
    dut.stall_all(rx=idle, seed=width)
    r = random.Random(width)
    frames = [*VECTORS, *(r.randbytes(n) for n in range(1, 150)), r.randbytes(512)]
    frames += [r.randbytes(4096), bytes(4096)] if idle else []
    dut.send(f"s_axis_crc{width}", frames)
    out = dut.recv(f"m_hdr_crc{width}", len(frames), 60_000)
    assert [f.value for f in out] == [crc32c(f) for f in frames]
    assert [f.value for f in out[: len(VECTORS)]] == list(VECTORS.values())


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"DATA_W": 12}, "power of two|must be"),
        ({"PARITY_BYTES": 16}, "PARITY_BYTES"),
        ({"PARITY_BYTES": 3000}, "PARITY_BYTES"),
        ({"BANKS": 3}, "BANKS"),
        ({"BANKS": 0}, "BANKS"),
    ],
)
def test_illegal_parameters(params: dict[str, int], message: str) -> None:
    width = params.get("DATA_W", 64)
    shapes = {"s_coef": {"W": bits(COEF)}, "*": {"DATA_W": width}}
    with pytest.raises(Exception, match=message):
        Dut.of_module("kumi_parity_engine", params, shapes)
