# SPDX-License-Identifier: Apache-2.0
"""The command `kumi`."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point: runs a command, and turns what the user can mend into one sentence."""
    from .app import app
    from .errors import report

    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
    except Exception as problem:
        sys.exit(report(problem))
