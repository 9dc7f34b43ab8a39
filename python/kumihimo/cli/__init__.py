# SPDX-License-Identifier: Apache-2.0
"""The command `kumi`."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point: run a command; errors the user can fix become one sentence."""
    from ..common import ending

    ending.prepare()
    # Each of these modules adds its commands to `app`.
    from . import (  # noqa: F401
        app_cluster,
        app_guest,
        app_ib,
        app_kernel,
        app_model,
        app_new,
        app_replay,
        app_running,
        app_storage,
        app_sweep,
    )
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
