# SPDX-License-Identifier: Apache-2.0
"""What Serial ATA itself allows over a line with delay, in words.

One FIS is on the line at a time: X_RDY waits for R_RDY, then SOF, the FIS, its CRC and EOF, and
WTRM waits for R_OK. So each FIS takes four times the delay and its words, whoever the ends are, and
once more the delay where the direction changes: the end of R_OK, SYNC, has to arrive first. A Data
FIS has 8 KiB at most, and each one to the device waits for a DMA Activate; the DMA Setup of a
queued command, auto-activated, replaces the first.

The bound is that of ends that answer in the very word in which they hear, with a Set Device Bits
for each command and two ALIGNs in 256 words.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

WORD = 4
DATA_WORDS = 2048  # of a Data FIS, without its first word
REGISTER, ACTIVATE, SETUP, SET_BITS = 5, 1, 7, 2
AROUND = 3  # SOF, CRC, EOF; SYNC is sent in the word that brings R_OK
LINE_SHARE = 254 / 256  # what ALIGNs leave


class Fis(NamedTuple):
    """A FIS on the line."""

    to_device: bool
    words: int


def fises(op: str, size: int, *, queued: bool) -> list[Fis]:
    """All FISes of a command of `size` bytes without an error."""
    command, answer = Fis(True, REGISTER), Fis(False, REGISTER)
    write = op == "write"
    data: list[Fis] = []
    for at in range(0, size // WORD, DATA_WORDS):
        if write and (at or not queued):
            data.append(Fis(False, ACTIVATE))
        data.append(Fis(write, 1 + min(DATA_WORDS, size // WORD - at)))
    if queued:
        return [command, answer, Fis(False, SETUP), *data, Fis(False, SET_BITS)]
    return [command, *data, answer]


def share(op: str, size: int, *, queued: bool, line_words: int) -> float:
    """Data's share of the line's rate, at best, with commands one after the other."""
    steps = fises(op, size, queued=queued)
    words = sum(4 * line_words + fis.words + AROUND for fis in steps)
    turns = sum(a.to_device != b.to_device for a, b in pairwise([*steps, steps[0]]))
    return size / WORD / (words + turns * line_words) * LINE_SHARE
