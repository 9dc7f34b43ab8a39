# SPDX-License-Identifier: Apache-2.0
"""The bound of Serial ATA over a line with delay, against figures worked out by hand."""

from __future__ import annotations

import pytest
from kumihimo.bench.storage.sata_bound import fises, share

KIB = 1024


@pytest.mark.parametrize(
    "op,queued,count",
    [("read", True, 20), ("read", False, 18), ("write", True, 35), ("write", False, 34)],
)
def test_fises_of_128_kib(op: str, queued: bool, count: int) -> None:
    """16 of data; register, register, setup and bits; an activation for each but the first."""
    steps = fises(op, 128 * KIB, queued=queued)
    assert len(steps) == count
    assert sum(fis.words for fis in steps if fis.words > 7) == 16 * 2049


def test_without_delay_frames_and_aligns_are_left() -> None:
    """Data with its header, two Register FISes, DMA Setup, Set Device Bits; three words around."""
    words = (1 + 2048) + 5 + 5 + 7 + 2 + 5 * 3
    got = share("read", 8 * KIB, queued=True, line_words=0)
    assert got == pytest.approx(2048 / words * 254 / 256)


def test_delay() -> None:
    """A read of 8 KiB waits 4 times for each of five FISes and twice for a change of direction."""
    plain = 2048 / share("read", 8 * KIB, queued=True, line_words=0)
    far = 2048 / share("read", 8 * KIB, queued=True, line_words=10)
    assert far - plain == pytest.approx(22 * 10 * 256 / 254)
    plain = 2048 / share("write", 8 * KIB, queued=True, line_words=0)
    far = 2048 / share("write", 8 * KIB, queued=True, line_words=10)
    assert far - plain == pytest.approx(24 * 10 * 256 / 254)


def test_a_short_last_fis() -> None:
    steps = fises("read", 9 * KIB, queued=False)
    assert [fis.words for fis in steps] == [5, 2049, 257, 5]
