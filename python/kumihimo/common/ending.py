# SPDX-License-Identifier: Apache-2.0
"""SIGINT, SIGTERM and SIGHUP end a command within two seconds, wherever it is.

A signal raises KeyboardInterrupt or SystemExit in the main thread, or does what the command has set
up instead, so that files are completed. Python runs handlers only between two steps of its own: not
while the main thread is inside a long step of a simulation, and the exception is lost where Python
ignores exceptions. A second thread therefore kills the tools that the main thread waits for, and
ends the process if it is still there after LIMIT_S.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from types import FrameType

from . import tools

LIMIT_S = 1.5
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_limit_s = LIMIT_S


def _end(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def prepare() -> None:
    """Call once, in the main thread, before anything else. What is ignored (nohup) stays so."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_enforce, args=(reader,), name="kumi-ending", daemon=True).start()


def allow(seconds: float) -> None:
    """Give an orderly end more time: for a command that would lose data otherwise."""
    global _limit_s
    _limit_s = seconds


def _enforce(reader: int) -> None:
    number = 0
    while number not in SIGNALS:
        number = os.read(reader, 1)[0]
    began = time.monotonic()
    while time.monotonic() < began + _limit_s:
        tools.stop_all()  # also those that other threads start meanwhile
        time.sleep(0.05)
    shown = "\x1b[?25h" if sys.stderr.isatty() else ""  # a status line hides the cursor
    text = f"{shown}\nkumi: did not end within {_limit_s:g} s of the signal; ended by force\n"
    os.write(2, text.encode())
    os._exit(128 + number)
