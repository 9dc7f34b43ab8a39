# SPDX-License-Identifier: Apache-2.0
"""Commands end within seconds of a signal, at any moment, and leave no process.

`kumi bench craft` tries 200 moments on every kind of command.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from kumihimo.bench.craft.signals import SIGNALS, Trial, trials

LIMIT_S = 3.0  # beside other tests; alone it is 2


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    folder = tmp_path_factory.mktemp("signals")
    return trials(folder, 10, 15, ("build", "shell", "replay", "synth", "up"))


def test_commands_end_in_time(tried: list[Trial]) -> None:
    assert {t.number for t in tried} == set(map(int, SIGNALS))
    slow = [t for t in tried if t.stop_s > LIMIT_S]
    assert not slow, slow


def test_nothing_is_left(tried: list[Trial]) -> None:
    assert not [t for t in tried if t.left], tried


STUCK = """
import threading, time
from kumihimo.common import ending
ending.prepare()
print("ready", flush=True)
while True:
    try:
        time.sleep(100)
    except BaseException:  # as a step of a simulation that never returns to Python
        print("refused", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_does_not_listen_is_ended(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUCK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)  # it is in the block
        sent = time.monotonic()
        process.send_signal(number)
        assert process.wait(10) == 128 + number
        assert time.monotonic() - sent < LIMIT_S
        assert process.stdout.read() == "refused\n"
        assert "ended by force" in process.stderr.read()
