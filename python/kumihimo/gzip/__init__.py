# SPDX-License-Identifier: Apache-2.0
"""The gzip engines from software: parameter sets, and both ways by circuit or model."""

from __future__ import annotations

from kumihimo.gzip.compress import (
    Compressed,
    Format,
    compress_circuit,
    compress_model,
    software_sizes,
)
from kumihimo.gzip.decompress import WIDTHS, Decompressed, decompress_circuit
from kumihimo.gzip.params import SETS, DeflateParams

__all__ = [
    "SETS",
    "WIDTHS",
    "Compressed",
    "Decompressed",
    "DeflateParams",
    "Format",
    "compress_circuit",
    "compress_model",
    "decompress_circuit",
    "software_sizes",
]
