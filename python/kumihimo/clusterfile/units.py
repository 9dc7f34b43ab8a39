# SPDX-License-Identifier: Apache-2.0
"""Numbers with units, as people write them in a cluster file or on the command line.

Times become integer picoseconds, frequencies hertz, rates bits per second, sizes bytes, chances a
number from 0 to 1. A bare number is in the base unit, except for times, which need a unit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

_NUMBER = re.compile(r"^\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S.*?)?\s*$")

_Table = Mapping[str, int | Fraction]

_TIME: dict[str, int | Fraction] = {
    "fs": Fraction(1, 1000),
    "ps": 1,
    "ns": 10**3,
    "us": 10**6,
    "µs": 10**6,
    "μs": 10**6,
}
_TIME |= {"ms": 10**9, "s": 10**12, "min": 60 * 10**12}
_FREQUENCY = {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}
_RATE = {
    f"{si}{tail}": scale
    for si, scale in {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}.items()
    for tail in ("b/s", "bit/s", "bps")
}
_SIZE = {"B": 1, "byte": 1, "bytes": 1}
_SIZE |= {f"{p}B": 1000 ** (i + 1) for i, p in enumerate("kMGT")} | {"KB": 1000}
_SIZE |= {f"{p}iB": 1024 ** (i + 1) for i, p in enumerate("KMGT")} | {"kiB": 1024}
_BYTE_RATE = {f"{unit}/s": scale for unit, scale in _SIZE.items() if unit.endswith("B")}


class UnitError(ValueError):
    """An unreadable quantity; the text says what was expected."""


def _parse(value: object, table: _Table, what: str, example: str) -> Fraction:
    """The value in the table's base unit."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise UnitError(f"expected {what} like `{example}`, found {value!r}")
    match = _NUMBER.match(str(value))
    if not match:
        raise UnitError(f"expected {what} like `{example}`, found `{value}`")
    number = Fraction(match.group(1).replace("_", ""))
    unit = match.group(2)
    if unit is None:
        if "" not in table:
            raise UnitError(f"`{value}` has no unit: expected {what} like `{example}`")
        return number * table[""]
    if unit in table:
        return number * table[unit]
    folded = {k.lower(): v for k, v in table.items() if k}
    if (
        unit.lower() in folded
        and len({v for k, v in table.items() if k.lower() == unit.lower()}) == 1
    ):
        return number * folded[unit.lower()]
    units = ", ".join(dict.fromkeys(k for k in table if k))
    raise UnitError(
        f"unknown unit `{unit}` in `{value}`: expected {what} like `{example}` ({units})"
    )


def time_ps(value: object) -> int:
    """`500 ns` -> 500000. Zero needs no unit."""
    if value in (0, "0"):
        return 0
    result = round(_parse(value, _TIME, "a time", "500 ns"))
    if result < 0:
        raise UnitError(f"a time cannot be negative, found `{value}`")
    return result


def cable_ps(value: object) -> int:
    """`5 m` of cable -> 25000, 5 ns a metre; or a time."""
    text = str(value).strip()
    if re.search(r"\d\s*m$", text) and not isinstance(value, bool):
        metres = _parse(text, {"m": 1}, "a length", "5 m")
        if metres < 0:
            raise UnitError(f"a length cannot be negative, found `{value}`")
        return round(metres * 5_000)
    return time_ps(value)


def frequency_hz(value: object) -> float:
    """`322.265625 MHz` -> 322265625.0."""
    result = _parse(value, {"": 1, **_FREQUENCY}, "a frequency", "156.25 MHz")
    if not 1_000 <= result <= 10**11:
        raise UnitError(f"expected a frequency between 1 kHz and 100 GHz, found `{value}`")
    return float(result)


def period_ps(hertz: float) -> int:
    """Clock period in whole picoseconds (rounded to the nearest)."""
    return max(1, round(10**12 / hertz))


def rate_bps(value: object) -> float:
    """`10 Gb/s` -> 1e10."""
    text = str(value)
    if re.search(r"\d\s*[kKMGT]?B/s\s*$", text):
        raise UnitError(f"`{value}` is in bytes a second: expected bits a second like `10 Gb/s`")
    result = _parse(value, {**_RATE, "": 1}, "a rate", "10 Gb/s")
    if not 1_000 <= result <= 10**13:
        raise UnitError(f"expected a rate between 1 kb/s and 10 Tb/s, found `{value}`")
    return float(result)


def size_bytes(value: object) -> int:
    """`128 KiB` -> 131072."""
    result = _parse(value, {"": 1, **_SIZE}, "a size", "128 KiB")
    if result < 0 or result.denominator != 1:
        raise UnitError(f"expected a whole number of bytes, found `{value}`")
    return int(result)


def byte_rate(value: object) -> float:
    """`540 MB/s` -> 540e6."""
    if re.search(r"b(it)?/s|bps", str(value)):
        raise UnitError(f"expected a rate in bytes like `540 MB/s`, found `{value}`: bits")
    result = _parse(value, _BYTE_RATE, "a rate in bytes", "540 MB/s")
    if not 1_000 <= result <= 10**12:
        raise UnitError(f"expected a rate between 1 kB/s and 1 TB/s, found `{value}`")
    return float(result)


def chance(value: object) -> float:
    """`1e-3`, `0.1 %` -> a number from 0 to 1."""
    result = _parse(value, {"": 1, "%": Fraction(1, 100)}, "a chance", "0.1 %")
    if not 0 <= result <= 1:
        raise UnitError(f"expected a chance between 0 and 1 (or 0 % and 100 %), found `{value}`")
    return float(result)


def format_time(ps: float) -> str:
    """A time with 4 significant digits and a suitable unit."""
    for unit, scale in (("s", 1e12), ("ms", 1e9), ("us", 1e6), ("ns", 1e3)):
        if abs(ps) >= scale:
            return f"{ps / scale:.4g} {unit}"
    return f"{ps:.0f} ps"


def format_rate(bps: float) -> str:
    """A bit rate with a suitable unit."""
    for unit, scale in (("Tb/s", 1e12), ("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3)):
        if abs(bps) >= scale:
            return f"{bps / scale:.4g} {unit}"
    return f"{bps:.0f} b/s"


def format_size(count: float) -> str:
    """A byte count with a suitable unit."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(count) >= scale:
            return f"{count / scale:.4g} {unit}"
    return f"{count:.0f} B"
