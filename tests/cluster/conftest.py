# SPDX-License-Identifier: Apache-2.0
"""Clusters for tests with real Linux clients. All of it happens in private network namespaces."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def private_network() -> None:
    """Without namespaces and TAPs there is nothing to test; on CI that is a failure."""
    from kumihimo.net.namespace import probe

    problem = probe()
    if problem is None:
        return
    if os.environ.get("CI"):
        pytest.fail(str(problem))
    pytest.skip(str(problem))
