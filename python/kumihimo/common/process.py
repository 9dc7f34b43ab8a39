# SPDX-License-Identifier: Apache-2.0
"""What starting other programs needs: where they are, and that no signal is lost meanwhile.

Python runs hooks around a fork and discards exceptions raised in them. A signal handler that raises
to end the command would have no effect there, so signals are deferred until the fork is done.
"""

from __future__ import annotations

import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def find_program(name: str) -> str | None:
    """A program on the path or in the system's sbin folders."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/bin:/bin")


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Defer the handlers of SIGINT, SIGTERM and SIGHUP to the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread only
        return
    came: list[int] = []
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    before = {n: handler for n, handler in before.items() if callable(handler)}
    for number in before:
        signal.signal(number, lambda which, _: came.append(which))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for which in came:
            signal.raise_signal(which)
