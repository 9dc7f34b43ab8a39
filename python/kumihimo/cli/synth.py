# SPDX-License-Identifier: Apache-2.0
"""`kumi synth`: hands its arguments to the synthesis package."""

from __future__ import annotations

EXAMPLES = (
    "Examples: kumi synth udp_echo, kumi synth kumi_axis_reg -p DATA_W=512 --target ecp5, "
    "kumi synth --all"
)


def run(args: list[str]) -> int:
    """Run the synthesis command."""
    import typer

    from ..synth.cli import synth

    sub = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    names = {"help_option_names": ["-h", "--help"]}
    sub.command(epilog=EXAMPLES, context_settings=names)(synth)
    sub(args, prog_name="kumi synth")
    return 0
