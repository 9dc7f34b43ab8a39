# SPDX-License-Identifier: Apache-2.0
"""Compress bytes: with the model, with the circuit in simulation, and with zlib beside them."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass
from enum import IntEnum

from kumihimo._engine import Deflate
from kumihimo.common.errors import KumiError
from kumihimo.gzip.params import DeflateParams

CHUNK = 1 << 20
LEVELS = (1, 6, 9)


class Format(IntEnum):
    """Wrapper around the deflate stream, numbered as the circuit's pin."""

    RAW = 0
    ZLIB = 1
    GZIP = 2

    @property
    def window_bits(self) -> int:
        """What zlib calls it."""
        return {Format.RAW: -15, Format.ZLIB: 15, Format.GZIP: 31}[self]


@dataclass(frozen=True)
class Compressed:
    """A compressed message.

    cycles:  of the circuit, from the first beat in to the last one out; None from the model.
    feed:    of the circuit, from the first beat in to the last one in; None from the model.
    seconds: of wall time.
    design:  hash of the circuit's sources; "" from the model.
    """

    data: bytes
    seconds: float
    cycles: int | None = None
    feed: int | None = None
    design: str = ""


def deflate_model(params: DeflateParams, form: int) -> Deflate:
    """The bit-exact model of the circuit."""
    p = params
    return Deflate(p.lanes, p.ways, p.hash_bits, p.segment, form, p.match)


def compress_model(data: bytes, params: DeflateParams, form: Format = Format.GZIP) -> Compressed:
    """Compress with the bit-exact model."""
    start = time.perf_counter()
    model = deflate_model(params, form)
    out = [model.write(data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)]
    out.append(model.end_piece(True))
    return Compressed(b"".join(out), time.perf_counter() - start)


def compress_circuit(
    data: bytes, params: DeflateParams, form: Format = Format.GZIP, profile: str = "fast"
) -> Compressed:
    """Compress with the circuit, Verilated, as fast as it takes bytes.

    Raises:
        KumiError: there are no bytes; the simulated port cannot send an empty frame.
    """
    from kumihimo.testing import Dut

    if not data:
        raise KumiError("The circuit's simulated input needs at least one byte.")
    start = time.perf_counter()
    dut = Dut.of_module(
        "hw/gzip/deflate/kumi_deflate.sv",
        params.sv,
        {"s_axis": {"DATA_W": 8 * params.lanes, "USER_W": 2}, "m_axis": {"USER_W": 2}},
        profile=profile,
    )
    dut.set("format", int(form))
    dut.send("s_axis", data)
    frame = dut.recv("m_axis", 1, timeout_cycles=20_000 + 4 * len(data))[0]
    first, last = dut.sent("s_axis")[0]
    return Compressed(
        frame.data,
        time.perf_counter() - start,
        cycles=frame.last_cycle - first + 1,
        feed=last - first + 1,
        design=dut.built.design_hash,
    )


def software_sizes(data: bytes) -> dict[int, int]:
    """Bytes that gzip makes of it at levels 1, 6 and 9, without a name in the header."""
    return {level: len(_deflated(data, level)) for level in LEVELS}


def _deflated(data: bytes, level: int) -> bytes:
    one = zlib.compressobj(level, zlib.DEFLATED, Format.GZIP.window_bits)
    return one.compress(data) + one.flush()
