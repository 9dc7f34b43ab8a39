# SPDX-License-Identifier: Apache-2.0
"""`python -m kumihimo.regs generate [--check]`."""

from __future__ import annotations

import argparse
import sys

from .generate import generate, stale


def main(argv: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kumihimo.regs", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("generate", help="write RTL, C headers, Python maps and tables")
    command.add_argument("--check", action="store_true", help="only say whether files are stale")
    options = parser.parse_args(argv)
    if options.check:
        problems = stale()
        for line in problems:
            print(line, file=sys.stderr)
        if problems:
            print("run: python -m kumihimo.regs generate", file=sys.stderr)
        return 1 if problems else 0
    print(f"{len(generate())} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
