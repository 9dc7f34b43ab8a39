# SPDX-License-Identifier: Apache-2.0
"""`python -m kumihimo.synth`: `run` is `kumi synth`, `table` writes the tables again."""

from __future__ import annotations

import sys

import typer

from kumihimo.common.errors import KumiError
from kumihimo.synth.cli import synth
from kumihimo.synth.table import write_tables

app = typer.Typer(add_completion=False, no_args_is_help=True)
app.command("run")(synth)


@app.command("table")
def table() -> None:
    """Write docs/figures/synth.md and fill the marked places from docs/figures/synth.json."""
    for path in write_tables():
        print(f"wrote {path}")


def main() -> None:
    """Entry point: errors meant for people, no tracebacks."""
    try:
        app()
    except KumiError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(problem.code)


if __name__ == "__main__":
    main()
