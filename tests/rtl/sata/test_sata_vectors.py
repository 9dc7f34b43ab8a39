# SPDX-License-Identifier: Apache-2.0
"""CRC and scrambler against published vectors and against the bit-serial definition."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut
from sata_device import Scrambler, crc

SCRAMBLED = [0xC2D2768D, 0x1F26B368, 0xA508436C, 0x3452D354, 0x8A559502, 0xBB1ABE1B]
CRCS = [
    ([0x00308027, 0xE1234567, 0x00000000, 0x00000002, 0x00000000], 0x319FFF6F),
    ([0x00000027], 0xB5F0D3F5),
]


def test_the_model_gives_the_vectors() -> None:
    lfsr = Scrambler()
    assert [lfsr.word() for _ in SCRAMBLED] == SCRAMBLED
    for words, value in CRCS:
        assert crc(words) == value
        assert crc([*words, value]) == 0


def test_scrambler() -> None:
    dut = Dut.of_module("kumi_sata_scrambler")
    lfsr = Scrambler()
    rng = random.Random(1)
    out = []
    expected = [lfsr.word() for _ in range(300)]
    dut.set("init", 1)
    dut.run(1)
    dut.set("init", 0)
    while len(out) < 300:
        en = rng.randrange(2)
        dut.set("en", en)
        dut.run(1)
        if en:
            out.append(dut.get("word"))
    assert out[:6] == SCRAMBLED
    assert out == expected


@pytest.mark.parametrize("case", range(12))
def test_crc(case: int) -> None:
    dut = Dut.of_module("kumi_sata_crc")
    rng = random.Random(case)
    words = CRCS[case][0] if case < 2 else [rng.getrandbits(32) for _ in range(5 * case)]
    dut.set("init", 1)
    dut.run(1)
    dut.set("init", 0)
    for word in [*words, 0]:
        dut.set("en", 1)
        dut.set("data", word)
        dut.run(1)
    value = dut.get("crc")  # before the edge that takes the zero
    assert value == crc(words)
    if case < 2:
        assert value == CRCS[case][1]
