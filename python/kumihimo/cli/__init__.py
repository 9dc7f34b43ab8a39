# SPDX-License-Identifier: Apache-2.0
"""The command `kumi`."""

from __future__ import annotations

import signal
import sys
from types import FrameType


def _end(number: int, _frame: FrameType | None) -> None:
    """A polite kill or a closed terminal ends a command in order: files are finished."""
    sys.exit(128 + number)


def main() -> None:
    """Entry point: runs a command, and turns what the user can mend into one sentence."""
    from .app import app
    from .errors import report

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
    except Exception as problem:
        sys.exit(report(problem))
