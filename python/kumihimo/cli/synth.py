# SPDX-License-Identifier: Apache-2.0
"""`kumi synth`: hands its arguments to the synthesis package."""

from __future__ import annotations


def run(args: list[str]) -> int:
    """Run the synthesis command."""
    import typer

    from ..synth.cli import synth

    sub = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    sub.command()(synth)
    sub(args, prog_name="kumi synth")
    return 0
