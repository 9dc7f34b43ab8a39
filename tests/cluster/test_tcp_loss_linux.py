# SPDX-License-Identifier: Apache-2.0
"""Linux over a slow cable that loses frames: what the TCP engine's loss bench is held against."""

from __future__ import annotations

import pytest
from kumihimo.bench.tcp.loss_linux import goodput
from kumihimo.bench.tcp.slow_cable import Losses


@pytest.mark.parametrize("chance", [0.5, 0.1, 1e-3])
def test_as_many_losses_as_there_should_be(chance: float) -> None:
    """As many as the chance says, independent of each other and of another seed's."""
    count = round(400 / chance)
    both = Losses(chance, 1), Losses(chance, 2)
    first, second = ([losses.next() for _ in range(count)] for losses in both)
    for lost in (first, second):
        assert 300 < sum(lost) < 500
    pairs = sum(a and b for a, b in zip(first, second, strict=True))
    assert pairs == pytest.approx(400 * chance, abs=6 * (400 * chance) ** 0.5)


def test_no_losses() -> None:
    losses = Losses(0, 1)
    assert not any(losses.next() for _ in range(1000))


@pytest.mark.parametrize("loss", [0, 0.02])
def test_goodput(loss: float) -> None:
    """Data arrive, not faster than the line; frames are lost where they should be."""
    row = goodput(loss, 0.7, warm_up=0.3)
    assert 0 < row["goodput_share_of_line"] < 0.96
    assert bool(row["lost_frames"]) == bool(loss)
