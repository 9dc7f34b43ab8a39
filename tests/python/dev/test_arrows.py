# SPDX-License-Identifier: Apache-2.0
"""Import cycles between packages are found, wherever the import stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.common.paths import project_root
from kumihimo.dev.arrows import package_cycles


def _package(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / "house" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(text)
    return root / "house"


@pytest.mark.parametrize(
    "back",
    [
        "from ..a import one",
        "from house.a.one import x",
        "def f():\n    from .. import a",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import house.a.one",
    ],
)
def test_a_ring_is_found(tmp_path: Path, back: str) -> None:
    root = _package(tmp_path, {"a/one.py": "from ..b.two import y\n", "b/two.py": back + "\n"})
    (found,) = package_cycles(root)
    assert "house.a, house.b import each other" in found and "house/b/two.py:" in found


def test_one_way_and_sub_packages_are_no_ring(tmp_path: Path) -> None:
    files = {
        "a/one.py": "from ..b.two import y\nfrom .sub.x import z\n",
        "a/sub/x.py": "from ..one import q\n",
        "b/two.py": "from . import three\n",
    }
    assert package_cycles(_package(tmp_path, files)) == []


def test_no_packages_of_the_project_import_each_other() -> None:
    assert package_cycles(project_root() / "python" / "kumihimo") == []
