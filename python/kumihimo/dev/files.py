# SPDX-License-Identifier: Apache-2.0
"""Which files are the project's: one answer for every linter and page check."""

from __future__ import annotations

import subprocess
from pathlib import Path


def project_files(root: Path) -> list[Path]:
    """Files of the project: what git tracks or would track, else everything but hidden folders."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"],
            cwd=root,
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        found = [root / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        skipped = {"build", "__pycache__", "node_modules"}
        found = [
            p
            for p in root.rglob("*")
            if not any(x.startswith(".") or x in skipped for x in p.relative_to(root).parts)
        ]
    return sorted(p for p in found if p.is_file())
