# SPDX-License-Identifier: Apache-2.0
"""Small designs whose cost is known by counting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, str], str]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    place = tmp_path / "cache"
    monkeypatch.setenv("KUMI_CACHE", str(place))
    return place


@pytest.fixture
def design(tmp_path: Path) -> Write:
    """Write a module to a file of its name; returns the file's path."""

    def write(name: str, text: str) -> str:
        path = tmp_path / f"{name}.sv"
        path.write_text("// SPDX-License-Identifier: Apache-2.0\n" + text)
        return str(path)

    return write
