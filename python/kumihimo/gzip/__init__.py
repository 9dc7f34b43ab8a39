# SPDX-License-Identifier: Apache-2.0
"""The gzip engines from software: parameter sets, and compression by the model or the circuit."""

from __future__ import annotations

from kumihimo.gzip.compress import (
    Compressed,
    Format,
    compress_circuit,
    compress_model,
    software_sizes,
)
from kumihimo.gzip.params import SETS, DeflateParams

__all__ = [
    "SETS",
    "Compressed",
    "DeflateParams",
    "Format",
    "compress_circuit",
    "compress_model",
    "software_sizes",
]
