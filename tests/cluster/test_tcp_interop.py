# SPDX-License-Identifier: Apache-2.0
"""Unmodified TCP programs of Linux over bad cables, every byte compared: small sizes.

The scenarios are those of `kumi bench tcp-interop`. A second Linux host in the node's place shows
that they are right themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kumihimo.bench.tcp import places, scenarios
from kumihimo.bench.tcp.places import CABLES, SMALL, Place
from kumihimo.bench.tcp.scenarios import EVERYWHERE, PROGRAMS, REST, Scenario
from kumihimo.common.process import find_program

NAMES = {"iperf": "iperf", "iperf_both": "iperf", "curl": "curl", "netcat": "nc"}


def names(some: tuple[Scenario, ...]) -> list[str]:
    return [scenario.__name__ for scenario in some]


def play(place: Place, name: str) -> None:
    getattr(scenarios, name)(place, SMALL)


@pytest.fixture(scope="module")
def good() -> Iterator[Place]:
    """A node at the end of a clean cable."""
    with places.node("clean") as place:
        yield place


@pytest.fixture(scope="module")
def bad() -> Iterator[Place]:
    """A node at the end of a cable that does everything to frames."""
    with places.node("all of it") as place:
        yield place


@pytest.fixture(scope="module")
def linux() -> Iterator[Place]:
    """Linux at the end of such a cable."""
    with places.linux("all of it") as place:
        yield place


@pytest.mark.parametrize("name", names(EVERYWHERE + REST))
def test_clean_cable(good: Place, name: str) -> None:
    play(good, name)


@pytest.mark.parametrize("name", names(PROGRAMS))
def test_programs(good: Place, name: str) -> None:
    """iperf, curl and nc; `both_ways`, `web` and `stream` do the same in Python."""
    if not find_program(NAMES[name]):
        pytest.fail(f"{NAMES[name]} is missing: make setup-test installs it")
    play(good, name)


@pytest.mark.parametrize("name", names(EVERYWHERE + REST))
def test_bad_cable(bad: Place, name: str) -> None:
    play(bad, name)


@pytest.mark.parametrize("cable", [name for name in CABLES if name not in ("clean", "all of it")])
def test_each_impairment(cable: str) -> None:
    with places.node(cable) as place:
        play(place, "stream")
        play(place, "at_once")


@pytest.mark.parametrize("name", names(EVERYWHERE + REST))
def test_linux_in_the_nodes_place(linux: Place, name: str) -> None:
    play(linux, name)
