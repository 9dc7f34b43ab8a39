# SPDX-License-Identifier: Apache-2.0
"""Starting other programs without losing a signal.

Python calls its own hooks around a fork and drops what is raised in them. A handler that ends the
command by raising would be called there and do nothing, so signals wait until the fork is over.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def find_program(name: str) -> str | None:
    """A program on the path or where the system keeps its administration programs."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/bin:/bin")


@contextmanager
def _held() -> Iterator[None]:
    """Handlers of SIGINT, SIGTERM and SIGHUP are called at the end of the block."""
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


def start(argv: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """`subprocess.Popen`; a program whose start was interrupted is ended."""
    process: subprocess.Popen[Any] | None = None
    try:
        with _held():
            process = subprocess.Popen(argv, **options)
    except BaseException:
        if process is not None:
            process.terminate()
            process.wait()
        raise
    return process
