# SPDX-License-Identifier: Apache-2.0
"""`kumi doctor`."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.table import Table

from ..common.errors import EXIT_ENVIRONMENT
from . import doctor_checks
from .console import err, out


def run(fix: bool, as_json: bool) -> int:
    """Show the checks; exit 3 if something that the demo needs is missing."""
    with err.status("checking this machine"):
        checks = doctor_checks.examine()
    line = doctor_checks.apt_line(checks)
    if fix and line and doctor_checks.may_install():
        err.print(f"running: {line}")
        doctor_checks.install(line)
        checks = doctor_checks.examine()
        line = doctor_checks.apt_line(checks)
    missing = any(not c.ok and c.use == "demo" for c in checks)
    if as_json:
        print(json.dumps({"ok": not missing, "apt": line, "checks": [asdict(c) for c in checks]}))
        return EXIT_ENVIRONMENT if missing else 0
    table = Table()
    for heading in ("", "what", "needed for", "found", "how to get it"):
        table.add_column(heading)
    for check in checks:
        mark = "[green]ok[/]" if check.ok else "[red]no[/]"
        get = "" if check.ok else (check.fix or f"{doctor_checks.APT} {check.package}")
        table.add_row(mark, check.name, check.use, check.found, get)
    out.print(table)
    if line:
        out.print(f"To install all missing Debian packages:\n  {line}", soft_wrap=True)
    elif not missing:
        out.print("Everything the demo needs is installed.")
    return EXIT_ENVIRONMENT if missing else 0
