# SPDX-License-Identifier: Apache-2.0
"""Starting programs: a signal that comes in the middle of a fork counts."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from kumihimo.common.tools import begin

# Only a fork (not vfork, that is: with preexec_fn) has hooks.
SCRIPT = """
import os, signal, sys
from kumihimo.common.tools import begin
number = int(sys.argv[1])
def end(number, frame):
    print("handled", flush=True)
    sys.exit(128 + number)
if number != signal.SIGINT:
    signal.signal(number, end)
os.register_at_fork(after_in_parent=lambda: signal.raise_signal(number))
try:
    begin(["sh", "-c", "echo $$; exec sleep 60"], preexec_fn=lambda: None)
except KeyboardInterrupt:
    print("handled", flush=True)
    sys.exit(130)
"""


@pytest.mark.parametrize("number", [1, 2, 15])
def test_a_signal_within_a_fork_is_not_lost(number: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(number)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 128 + number and "handled" in done.stdout
    assert done.stderr == ""  # else the program would hold it open, and this would time out


def test_what_is_ignored_stays_ignored() -> None:
    script = (
        "import signal, sys; from kumihimo.common.tools import begin;"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        "sys.exit(begin(['sh', '-c', 'kill -HUP $$; exit 7']).wait())"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 7


def test_another_thread_may_start_programs() -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(begin(["true"]).wait()))
    thread.start()
    thread.join()
    assert codes == [0]
