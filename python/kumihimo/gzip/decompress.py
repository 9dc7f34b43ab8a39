# SPDX-License-Identifier: Apache-2.0
"""Decompress bytes with the circuit in simulation."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kumihimo.common.errors import KumiError

PATIENCE = 20_000  # cycles without an end, for each byte of the stream at most 1032 come out
MOST = 1032
WIDTHS = (32, 64, 128)

# gzip_error_e of hw/gzip/common/kumi_gzip_pkg.sv.
ERRORS = (
    "no error",
    "it does not begin like a gzip file",
    "its method is not deflate",
    "its header has reserved flags",
    "the header's checksum is wrong",
    "a block is of the reserved type 3",
    "a stored block's length and its complement differ",
    "a block has too many length or distance codes",
    "the code of a block's code lengths is oversubscribed or incomplete",
    "a code length is repeated that does not exist, or too often",
    "a block has no code for its end",
    "a literal/length code is oversubscribed or incomplete",
    "a distance code is oversubscribed or incomplete",
    "an unused or reserved literal/length code",
    "an unused or reserved distance code",
    "a distance goes back before the first byte",
    "the checksum (CRC-32) is wrong",
    "the size at the end is wrong",
    "it ends too early",
)


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


def decompress_circuit(
    packed: bytes, span: int = 32, width: int = 64, profile: str = "fast"
) -> Decompressed:
    """Decompress a gzip stream with kumi_inflate.

    Args:
        packed: one or more gzip members.
        span: bits of the stream that are decoded in a cycle, 16 or 32.
        width: bits of a beat, one of WIDTHS.
        profile: build profile.

    Raises:
        KumiError: the circuit found the stream malformed, or there are no bytes (the simulated port
            cannot send an empty frame).
    """
    from kumihimo.testing import Dut

    if not packed:
        raise KumiError(f"The stream is malformed: {ERRORS[18]} (0 bytes).")
    start = time.perf_counter()
    dut = Dut.of_module(
        "kumi_inflate",
        {"DATA_W": width, "SPAN": span, "SYMS": span // 8},
        {"m_axis": {"DATA_W": width, "USER_W": 6}, "s_axis": {"DATA_W": width}},
        pins={"format": 2},
        profile=profile,
    )
    dut.check = False  # a stream without contents is a frame without bytes
    dut.send("s_axis", packed)
    (frame,) = dut.recv("m_axis", 1, PATIENCE + MOST * len(packed))
    (first, _), *_ = dut.sent("s_axis")
    if frame.user & 1:
        came = f"after {len(frame.data)} bytes of contents"
        raise KumiError(f"The stream is malformed: {ERRORS[frame.user >> 1]} ({came}).")
    cycles = frame.last_cycle - first + 1
    return Decompressed(frame.data, cycles, time.perf_counter() - start, dut.built.design_hash)
