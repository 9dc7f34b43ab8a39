# SPDX-License-Identifier: Apache-2.0
"""kumi_turn against a choice written in one line, at sizes beyond those of its proof."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut


@pytest.mark.parametrize("n", [2, 64, 129])
def test_turn(n: int) -> None:
    dut = Dut.of_module("kumi_turn", params={"N": n})
    rng = random.Random(n)
    last = n - 1
    waited = [0] * n
    for _ in range(400):
        asks = {i for i in range(n) if rng.random() < rng.choice((0.02, 0.5, 1.0))}
        dut.set("req", sum(1 << i for i in asks))
        dut.set("pick", 1)
        dut.run(1)
        dut.set("pick", 0)
        dut.set("req", rng.getrandbits(n))  # what asks afterwards no longer counts
        dut.run(1)
        if asks:
            last = min(asks, key=lambda i: (i - last - 1) % n)
            assert dut.get("index") == last
            for i in range(n):
                waited[i] = 0 if i == last or i not in asks else waited[i] + 1
                assert waited[i] < n
        dut.run(rng.choice((0, 0, 1)))
