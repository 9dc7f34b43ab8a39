# SPDX-License-Identifier: Apache-2.0
"""Quantities with units."""

from __future__ import annotations

import pytest
from kumihimo.clusterfile import units


@pytest.mark.parametrize(
    ("text", "ps"),
    [
        ("500 ns", 500_000),
        ("0.5us", 500_000),
        ("1e-3 ms", 10**6),
        ("2 s", 2 * 10**12),
        ("7 ps", 7),
        (0, 0),
    ],
)
def test_times(text: object, ps: int) -> None:
    assert units.time_ps(text) == ps


@pytest.mark.parametrize(
    "text", ["5", 5, "5 parsecs", "-1 ns", "ns", "", None, True, "1 2 ns", "5 nS x"]
)
def test_bad_times(text: object) -> None:
    with pytest.raises(units.UnitError):
        units.time_ps(text)


@pytest.mark.parametrize(
    ("text", "hertz"),
    [("322.265625 MHz", 322265625.0), ("125mhz", 125e6), ("1.5 GHz", 1.5e9), (2e8, 2e8)],
)
def test_frequencies(text: object, hertz: float) -> None:
    assert units.frequency_hz(text) == hertz


def test_periods_are_whole_picoseconds() -> None:
    assert units.period_ps(156.25e6) == 6400
    assert units.period_ps(322265625.0) == 3103


@pytest.mark.parametrize(
    ("text", "bps"),
    [("10 Gb/s", 1e10), ("2.5Gbps", 2.5e9), ("100 Mbit/s", 1e8), ("400 gb/s", 4e11)],
)
def test_rates(text: object, bps: float) -> None:
    assert units.rate_bps(text) == bps


@pytest.mark.parametrize("text", ["10 GB/s", "10 Gb", "0 b/s", "10 Pb/s"])
def test_bad_rates(text: object) -> None:
    with pytest.raises(units.UnitError):
        units.rate_bps(text)


@pytest.mark.parametrize(
    ("text", "size"), [("128 KiB", 131072), ("1 kB", 1000), (4096, 4096), ("1.5 MiB", 1572864)]
)
def test_sizes(text: object, size: int) -> None:
    assert units.size_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "value"), [("0.1 %", 0.001), (1e-3, 0.001), ("100%", 1.0), (0, 0.0), ("1e-12", 1e-12)]
)
def test_chances(text: object, value: float) -> None:
    assert units.chance(text) == value


@pytest.mark.parametrize("text", ["101 %", -0.1, "often", 2])
def test_bad_chances(text: object) -> None:
    with pytest.raises(units.UnitError):
        units.chance(text)


def test_for_people() -> None:
    assert units.format_time(1_234_567) == "1.235 us"
    assert units.format_rate(9.876e9) == "9.876 Gb/s"
    assert units.format_size(131072) == "128 KiB"
