# SPDX-License-Identifier: Apache-2.0
"""VL arbitration against the rules of IBTA volume 1, clause 7.6.9, as a model."""

from __future__ import annotations

import random

import pytest
from ib_pair import config
from kumihimo.testing import Dut

VLS = 8


class Table:
    """One of the two tables: (vl, weight) in order."""

    def __init__(self, entries: list[tuple[int, int]]) -> None:
        self.entries, self.at, self.left = entries, 0, 0

    def next(self, ready: set[int]) -> int | None:
        """Index of the entry that is served next."""
        able = [i for i, (vl, weight) in enumerate(self.entries) if weight and vl in ready]
        if not able:
            return None
        if self.at in able and self.left:
            return self.at
        return next((i for i in able if i > self.at), able[0])

    def serve(self, index: int, blocks: int) -> None:
        if index != self.at or not self.left:
            self.at, self.left = index, self.entries[index][1]
        self.left = max(0, self.left - blocks)


class Model:
    def __init__(self, high: list[tuple[int, int]], low: list[tuple[int, int]], limit: int) -> None:
        self.high, self.low, self.limit, self.left = Table(high), Table(low), limit, 0

    def grant(self, ready: set[int], blocks: list[int]) -> int:
        high, low = self.high.next(ready), self.low.next(ready)
        if high is not None and (low is None or self.left or self.limit == 255):
            vl = self.high.entries[high][0]
            self.high.serve(high, blocks[vl])
            self.left = max(0, self.left - blocks[vl])
            return vl
        assert low is not None
        vl = self.low.entries[low][0]
        self.low.serve(low, blocks[vl])
        self.left = max(1, 64 * self.limit)
        return vl


@pytest.mark.parametrize("limit", [0, 1, 3, 255])
def test_choices(limit: int) -> None:
    """Random requests and lengths: every choice is that of the model."""
    dut = Dut.of_module("kumi_ib_vl_arb", {"DATA_VLS": VLS})
    rng = random.Random(limit)
    low = [(vl, rng.choice([0, 1, 7, 40, 255])) for vl in (0, 1, 2, 0, 3, 15, 9, 2)]
    high = [(5, 20), (6, 3), (5, 1), (0, 50)]
    cfg = config(VLS, high=high, low=low)
    dut.set("low", cfg["arb_low"])
    dut.set("high", cfg["arb_high"])
    dut.set("high_limit", limit)
    model = Model(high, [e if e[0] < VLS else (0, 0) for e in low], limit)
    known = {vl for vl, weight in high + low if weight and vl < VLS}
    for _ in range(600):
        ready = {vl for vl in range(VLS) if rng.random() < 0.7}
        blocks = [rng.randrange(1, 67) for _ in range(VLS)]
        mgmt = rng.random() < 0.1
        dut.set("req", sum(1 << vl for vl in ready))
        dut.set("blocks", sum(b << 7 * vl for vl, b in enumerate([*blocks, 5])))
        dut.set("mgmt", int(mgmt))
        dut.run(4)
        if not (ready & known) and not mgmt:
            assert not dut.get("grant_valid")
            continue
        expected = VLS if mgmt else model.grant(ready, blocks)
        assert dut.get("grant_valid") and dut.get("grant_ring") == expected
        assert dut.get("grant_blocks") == ([*blocks, 5])[expected]
        dut.set("req", 0)
        dut.set("mgmt", 0)
        dut.set("take", 1)
        dut.set("done", 1)
        dut.run(1)
        dut.set("take", 0)
        dut.set("done", 0)


def test_shares_follow_the_weights() -> None:
    """Lanes that always have packets share by weight; the high table leaves what its limit says."""
    weights = {0: 8, 1: 24, 2: 48}
    dut = Dut.of_module("kumi_ib_vl_arb", {"DATA_VLS": VLS})
    cfg = config(VLS, high=[(4, 100)], low=list(weights.items()))
    dut.set("low", cfg["arb_low"])
    dut.set("high", cfg["arb_high"])
    dut.set("high_limit", 2)
    dut.set("req", 0b10111)
    dut.set("blocks", sum(4 << 7 * vl for vl in range(VLS)))
    served = dict.fromkeys(range(VLS), 0)
    for _ in range(4000):
        dut.set("take", 0)
        dut.set("done", 0)
        dut.run(4)
        assert dut.get("grant_valid")
        served[dut.get("grant_ring")] += 1
        dut.set("take", 1)
        dut.set("done", 1)
        dut.run(1)
    # 128 blocks of the high table, then one packet of the low one.
    assert served[4] / sum(served[vl] for vl in weights) == pytest.approx(32, rel=0.05)
    total = sum(served[vl] for vl in weights)
    for vl, weight in weights.items():
        assert served[vl] / total == pytest.approx(weight / 80, abs=0.05)


def test_turns_end_with_the_weight() -> None:
    """Blocks that a turn may send: the rest of the weight, or any if no other lane asks."""
    dut = Dut.of_module("kumi_ib_vl_arb", {"DATA_VLS": VLS})
    cfg = config(VLS, high=[(4, 100)], low=[(0, 6), (1, 40)])
    for name in ("low", "high"):
        dut.set(name, cfg[f"arb_{name}"])
    dut.set("high_limit", 0)
    dut.set("blocks", sum(1 << 7 * vl for vl in range(VLS + 1)))

    def turn(req: int, packets: int, mgmt: int = 0) -> tuple[int, int]:
        dut.set("req", req)
        dut.set("mgmt", mgmt)
        dut.run(4)
        assert dut.get("grant_valid")
        found = dut.get("grant_ring"), dut.get("grant_share")
        dut.set("req", 0)
        dut.set("mgmt", 0)
        for left in reversed(range(packets)):
            dut.set("take", 1)
            dut.set("done", int(left == 0))
            dut.run(1)
            dut.set("take", 0)
            dut.set("done", 0)
            dut.run(2)
        return found

    assert turn(0b01, 3) == (0, 15)  # alone
    assert turn(0b11, 2) == (0, 3)  # of 6
    assert turn(0b11, 1) == (0, 1)
    assert turn(0b11, 15) == (1, 15)  # of 40
    assert turn(0b11, 15) == (1, 15)
    assert turn(0b11, 10) == (1, 10)
    assert turn(0b11, 6) == (0, 6)
    assert turn(0b11, 1, mgmt=1) == (VLS, 1)
    # The limit lets the low table send one packet, then the high one may send one.
    assert turn(0b10001, 1) == (4, 1)
    assert turn(0b10001, 1) == (0, 1)
    assert turn(0b10000, 1) == (4, 15)
