# SPDX-License-Identifier: Apache-2.0
"""Clusters for tests with real Linux clients. All of it happens in private network namespaces."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def private_network() -> None:
    """Without namespaces and TAPs nothing here can be tested: say so once, clearly."""
    from kumihimo.net.namespace import probe

    problem = probe()
    if problem is not None:
        pytest.fail(str(problem))
