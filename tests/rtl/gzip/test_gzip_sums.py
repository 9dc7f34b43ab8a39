# SPDX-License-Identifier: Apache-2.0
"""CRC-32 and Adler-32 of several bytes a cycle against zlib."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import by_size


@pytest.mark.long
@pytest.mark.parametrize("lanes", by_size((16,), (1, 4, 8, 16)))
@pytest.mark.parametrize(
    ("unit", "pin", "latency", "reference"),
    [("crc32", "crc", 3, zlib.crc32), ("adler32", "adler", 9, zlib.adler32)],
)
def test_sum(
    unit: str, pin: str, latency: int, reference: Callable[[bytes], int], lanes: int
) -> None:
    d = Dut.of_module(f"hw/gzip/common/kumi_gzip_{unit}.sv", {"N": lanes})
    rng = random.Random(lanes)
    given = b""
    values = []
    for step in range(2500):
        clear = step == 0 or rng.random() < 0.005
        count = rng.randint(0, lanes)
        # Bytes of 255 reach the sums' wrap soonest.
        data = bytes([255]) * lanes if step % 512 < 400 else rng.randbytes(lanes)
        valid = rng.random() < 0.9
        d.set("in_clear", clear)
        d.set("in_valid", valid)
        d.set("in_count", count)
        d.set("in_data", int.from_bytes(data, "little"))
        if clear:
            given = b""
        if valid:
            given += data[:count]
        values.append(reference(given))
        d.run(1)
        if step >= latency + 2:
            assert d.get(pin) in values[-latency - 3 :], step
    d.set("in_clear", 0)
    d.set("in_valid", 0)
    d.run(latency + 2)
    assert d.get(pin) == values[-1]
