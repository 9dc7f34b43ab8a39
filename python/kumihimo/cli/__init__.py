# SPDX-License-Identifier: Apache-2.0
"""The command `kumi`."""

from __future__ import annotations

import signal
import sys
from types import FrameType


def _end(number: int, _frame: FrameType | None) -> None:
    """End the command in order on SIGTERM or SIGHUP: files are completed."""
    sys.exit(128 + number)


def main() -> None:
    """Entry point: run a command; errors the user can fix become one sentence."""
    # Each of these modules adds its commands to `app`.
    from . import app_cluster, app_new, app_running, app_storage  # noqa: F401
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
