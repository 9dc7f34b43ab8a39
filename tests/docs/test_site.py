# SPDX-License-Identifier: Apache-2.0
"""The documentation site builds without a warning; a page with a broken link is found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kumihimo.common.paths import project_root
from kumihimo.dev import diagram, pages


def test_the_site_builds(tmp_path: Path) -> None:
    """Strict: an unknown page, anchor or option is an error."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=project_root(),
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    front = (tmp_path / "site" / "index.html").read_text()
    assert "architecture.html" in front


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# One two\n[x](b.md#three) [y](none.md) `[z](no.md)` [w](#one-two)\n"
    )
    (tmp_path / "b.md").write_text("## Two, three!\n```\n# three\n```\n")
    found = pages.link_findings(tmp_path)
    assert found == [
        "a.md: link b.md#three: the page has no such heading",
        "a.md: link none.md: no such file",
    ]


def test_a_diagram_has_its_boxes_and_arrows() -> None:
    spec = {
        "title": "T",
        "rows": [{"label": "r", "flow": "right", "boxes": [["a", "note"], "b"]}, {"boxes": ["c"]}],
        "links": [["a", "c", "down"], ["b", "c"]],
    }
    text = diagram.render(spec)
    assert text.count("<rect") == 4 and text.count("<path class") == 3
    assert ">note<" in text and ">down<" in text


def test_every_test_file_is_collected() -> None:
    """No test lives in a folder that pytest leaves out (`build`, `dist`, `venv` ...)."""
    root = project_root()
    hidden = {"build", "dist", "venv", "node_modules", "CVS", "_darcs"}
    files = sorted((root / "tests").rglob("test_*.py"))
    lost = [p for p in files if hidden & set(p.relative_to(root).parts)]
    assert files and not lost
    names = [p.name for p in files]
    assert not [n for n in set(names) if names.count(n) > 1], "two files of one name"
