# SPDX-License-Identifier: Apache-2.0
"""`kumi lint`: the classic mistakes in a user's own RTL, before anything is built."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from ..build.filelist import for_module
from ..build.lint import ERROR, Finding, lint
from ..common.errors import KumiError
from ..common.pairs import parameters
from ..common.paths import project_root
from .console import err


def show(findings: list[Finding]) -> None:
    """Each finding with its source line and a caret, on standard error."""
    here = f"{Path.cwd()}/"
    for finding in findings:
        colour = "red" if finding.severity == ERROR else "yellow"
        first, _, rest = finding.show().replace(here, "").partition("\n")
        err.print(first, style=colour, markup=False, soft_wrap=True)
        err.print(rest, markup=False, soft_wrap=True)


def run(files: list[Path], params: list[str], as_json: bool) -> int:
    """Lint each file as a top with all that it uses; 1 when there is an error."""
    values = parameters(params)
    findings: list[Finding] = []
    for file in files:
        if not file.is_file():
            raise KumiError(f"{file}: no such file.", code=2)
        top = file.stem
        for finding in lint(top, for_module(file, project_root()), values):
            if finding not in findings:
                findings.append(finding)
    errors = sum(finding.severity == ERROR for finding in findings)
    if as_json:
        json.dump([asdict(finding) for finding in findings], sys.stdout)
        print()
    else:
        show(findings)
        what = f"{errors} errors, {len(findings) - errors} warnings" if findings else "clean"
        err.print(f"{len(files)} file{'s' if len(files) > 1 else ''}: {what}")
    return 1 if errors else 0
