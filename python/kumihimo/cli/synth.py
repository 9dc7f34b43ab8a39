# SPDX-License-Identifier: Apache-2.0
"""`kumi synth`: hands its arguments to the synthesis package."""

from __future__ import annotations


def run(args: list[str]) -> int:
    """Run the synthesis command."""
    from ..synth.cli import main

    return int(main(args) or 0)
