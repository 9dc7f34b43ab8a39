# SPDX-License-Identifier: Apache-2.0
"""Small designs whose cost is known by counting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, str], str]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the session, so that no design is measured twice."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def cache(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that holds nothing from before the session."""
    monkeypatch.setenv("KUMI_CACHE", str(shared))
    return shared


@pytest.fixture
def design(tmp_path: Path) -> Write:
    """Write a module to a file of its name; returns the file's path."""

    def write(name: str, text: str) -> str:
        path = tmp_path / f"{name}.sv"
        path.write_text("// SPDX-License-Identifier: Apache-2.0\n" + text)
        return str(path)

    return write
