# SPDX-License-Identifier: Apache-2.0
"""Decompress bytes with the circuit in simulation."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kumihimo.common.errors import KumiError
from kumihimo.testing import Dut

PATIENCE = 20_000  # cycles without an end, for each byte of the stream at most 1032 come out
MOST = 1032


@dataclass(frozen=True)
class Decompressed:
    """A decompressed stream.

    cycles:  from the first beat in to the last one out.
    seconds: of wall time.
    design:  hash of the circuit's sources.
    """

    data: bytes
    cycles: int
    seconds: float
    design: str = ""


def decompress_circuit(packed: bytes, span: int = 32, profile: str = "fast") -> Decompressed:
    """Decompress a gzip stream with kumi_inflate.

    Args:
        packed: one or more gzip members.
        span: bits of the stream that are decoded in a cycle, 16 or 32.
        profile: build profile.

    Raises:
        KumiError: the circuit found the stream malformed.
    """
    start = time.perf_counter()
    dut = Dut.of_module(
        "kumi_inflate",
        {"SPAN": span, "SYMS": span // 8},
        {"m_axis": {"DATA_W": 64, "USER_W": 6}, "s_axis": {"DATA_W": 64}},
        pins={"format": 2},
        profile=profile,
    )
    dut.send("s_axis", packed)
    (frame,) = dut.recv("m_axis", 1, PATIENCE + MOST * len(packed))
    (first, _), *_ = dut.sent("s_axis")
    if frame.user & 1:
        raise KumiError(f"the circuit finds the stream malformed: error {frame.user >> 1}")
    cycles = frame.last_cycle - first + 1
    return Decompressed(frame.data, cycles, time.perf_counter() - start, dut.built.design_hash)
