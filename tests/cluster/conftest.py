# SPDX-License-Identifier: Apache-2.0
"""Clusters for tests with real Linux clients. All of it happens in private network namespaces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kumihimo.cluster import Cluster
from kumihimo.ledger import Ledger, sentences


@pytest.fixture(scope="session", autouse=True)
def private_network() -> None:
    """Without namespaces and TAPs nothing here can be tested: say so once, clearly."""
    from kumihimo.net.namespace import probe

    problem = probe()
    if problem is not None:
        pytest.fail(str(problem))


@pytest.fixture(scope="session", autouse=True)
def ledgers_balance() -> Iterator[None]:
    """When a cluster of these tests ends, switches, cables and ports account for each frame.

    Registers would take simulated time to read, which recordings hold: test_why checks nodes too.
    """
    close = Cluster.close

    def checked(cluster: Cluster) -> None:
        engine, said = cluster._engine, ""
        if engine is not None and engine.started and not cluster._replaying:
            cluster._stop_serving()
            ledger = Ledger.of(cluster.stats())
            said = " ".join(sentences(ledger)) if ledger.unexplained else ""
        close(cluster)
        assert not said, f"{cluster.name}: {said}"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cluster, "close", checked)
        yield
