# SPDX-License-Identifier: Apache-2.0
"""Each test of the suite runs against every target."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import tcp_targets
from tcp_peer import Host, Target

TARGETS = {"linux": tcp_targets.linux, "node": tcp_targets.node}


@pytest.fixture(scope="session", params=TARGETS)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    with TARGETS[request.param]() as found:
        yield found


@pytest.fixture(scope="session")
def station(target: Target) -> Host:
    return Host(target)


@pytest.fixture
def host(station: Host) -> Iterator[Host]:
    """A station on the target's cable; each test leaves the target without connections."""
    yield station
    station.clean()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Floods come last: for two minutes after one the node ignores what may come with a cookie."""
    items.sort(key=lambda item: item.path.name == "test_rfc4987.py")
