# SPDX-License-Identifier: Apache-2.0
"""`kumi gzip`, `kumi gunzip`: compress or decompress a file as the engines do, beside gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from rich.table import Table

from ..common.errors import KumiError, did_you_mean
from .console import out


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(result))
        return
    table = Table(show_header=False, box=None)
    for key, value in result.items():
        table.add_row(key, f"{value:.3f}" if isinstance(value, float) else str(value))
    out.print(table)


def run(
    file: Path, name: str, circuit: bool, clock_mhz: float, write: Path | None, as_json: bool
) -> int:
    """Compress a file; every result is decompressed with zlib and compared. Exit 0.

    Args:
        file:      what to compress.
        name:      parameter set.
        circuit:   also run the circuit, which must give the model's bytes.
        clock_mhz: clock that the rate is stated at.
        write:     keep the .gz file here.
        as_json:   print one object.
    """
    from ..gzip import SETS, compress_circuit, compress_model, software_sizes

    if name not in SETS:
        raise KumiError(f"There is no parameter set {name}.{did_you_mean(name, SETS)}", code=2)
    data = file.read_bytes()
    params = SETS[name]
    made = compress_model(data, params)
    if zlib.decompress(made.data, 31) != data:
        raise KumiError("zlib does not get the file back: the model is wrong.")
    result = {
        "file": str(file),
        "set": name,
        "bytes": len(data),
        "compressed": len(made.data),
        "ratio": len(data) / len(made.data),
        "model_mb_s": len(data) / 1e6 / made.seconds,
        **{f"gzip{level}_ratio": len(data) / size for level, size in software_sizes(data).items()},
    }
    if circuit:
        shown = compress_circuit(data, params)
        if shown.data != made.data:
            raise KumiError("The circuit and the model differ.")
        assert shown.cycles is not None and shown.feed is not None
        result |= {
            "cycles": shown.cycles,
            "bytes_per_cycle": len(data) / shown.feed,
            "clock_mhz": clock_mhz,
            "mb_s": len(data) / shown.cycles * clock_mhz,
        }
    if write is not None:
        write.write_bytes(made.data)
    _show(result, as_json)
    return 0


def run_gunzip(file: Path, width: int, clock_mhz: float, write: Path | None, as_json: bool) -> int:
    """Decompress a gzip file with the circuit, and compare with zlib. Exit 0.

    Args:
        file:      what to decompress.
        width:     bits of a beat of the circuit.
        clock_mhz: clock that the rate is stated at.
        write:     keep the contents here.
        as_json:   print one object.
    """
    from ..gzip import WIDTHS, decompress_circuit

    if width not in WIDTHS:
        words = ", ".join(map(str, WIDTHS))
        raise KumiError(f"There is no width of {width} bits.", f"Widths: {words}.", 2)
    packed = file.read_bytes()
    try:
        made = decompress_circuit(packed, width=width)
    except KumiError as problem:
        raise KumiError(f"{file}: {problem}") from problem
    if gzip.decompress(packed) != made.data:
        raise KumiError("The circuit and zlib differ.")
    result = {
        "file": str(file),
        "compressed": len(packed),
        "bytes": len(made.data),
        "cycles": made.cycles,
        "bytes_per_cycle": len(made.data) / made.cycles,
        "clock_mhz": clock_mhz,
        "mb_s": len(made.data) / made.cycles * clock_mhz,
    }
    if write is not None:
        write.write_bytes(made.data)
    _show(result, as_json)
    return 0
