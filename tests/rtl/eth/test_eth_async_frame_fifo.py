# SPDX-License-Identifier: Apache-2.0
"""The controller's frame FIFO where room appears in the middle of a frame that has lost a word.

Everything else about it is proved (formal/eth/eth_async_frame_fifo.sby).
"""

from __future__ import annotations

import pytest
from kumihimo.testing import Dut

DEPTH = 4


class Fifo:
    def __init__(self, drop: bool) -> None:
        params = {"DATA_W": 16, "DEPTH": DEPTH, "FRAMES": 4, "DROP": int(drop)}
        self.dut = Dut.of_module("kumi_eth_async_frame_fifo", params)
        for pin in ("w_en", "w_last", "w_commit", "w_bad", "m_ready"):
            self.dut.set(pin, 0)

    def write(self, word: int, last: bool = False) -> bool:
        """One word, committed with the last one; whether its frame was lost."""
        for pin, value in (("w_en", 1), ("w_data", word), ("w_last", last), ("w_commit", last)):
            self.dut.set(pin, int(value))
        self.dut.run(1)
        lost = bool(self.dut.get("w_lost"))
        self.dut.set("w_en", 0)
        self.dut.set("w_commit", 0)
        self.dut.run(1)
        return lost

    def drain(self, cycles: int = 20) -> list[tuple[int, int]]:
        """Read for a while: (word, last)."""
        self.dut.set("m_ready", 1)
        words = []
        for _ in range(cycles):
            self.dut.run(1)
            if self.dut.get("m_valid"):
                words.append((self.dut.get("m_data"), self.dut.get("m_last")))
        self.dut.set("m_ready", 0)
        self.dut.run(1)
        return words


@pytest.mark.parametrize("more", [0, 1])
def test_frame_with_a_hole_is_lost(more: int) -> None:
    """Full, then room again before the frame ends: it is lost as a whole, the next one is not."""
    fifo = Fifo(drop=True)
    for word in range(DEPTH - 1):
        assert not fifo.write(0xA0 + word, last=word == DEPTH - 2)
    for word in range(4):
        fifo.write(0xB0 + word)
    assert fifo.drain() == [(0xA0 + n, int(n == DEPTH - 2)) for n in range(DEPTH - 1)]
    for word in range(more):
        fifo.write(0xB4 + word)
    assert fifo.write(0xBF, last=True)
    assert not fifo.write(0xC0, last=True)
    assert fifo.drain() == [(0xC0, 1)]
