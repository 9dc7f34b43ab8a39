# SPDX-License-Identifier: Apache-2.0
"""The network card that its tests share: its size, its address, frames for it."""

from __future__ import annotations

PAIRS = 2
MAC = 0x020000000042
CONTROL = 2 * PAIRS  # number of the control queue


def frame(length: int, number: int = 0, to: int = MAC) -> bytes:
    """A frame to an address, with bytes that tell its number."""
    head = to.to_bytes(6, "big") + bytes([2, 0, 0, 0, 0, 1]) + b"\x88\xb5"
    return head + bytes((number + i) & 0xFF for i in range(length - len(head)))
