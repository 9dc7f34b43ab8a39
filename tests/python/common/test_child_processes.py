# SPDX-License-Identifier: Apache-2.0
"""A tool never outlives the command that started it, however that ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from kumihimo.common import tools

# A tool with a child of its own, as a compiler driver has one; both write their numbers. The child
# makes a process group of its own, as sby's do.
CHILD = "import os, sys, time; os.setpgrp(); open(sys.argv[1], 'w').write(str(os.getpid()))"
TOOL = f'echo $$ > "$0/tool"; {sys.executable} -c "{CHILD}; time.sleep(300)" "$0/child"; true'
COMMAND = """
import sys
from concurrent.futures import ThreadPoolExecutor
from kumihimo.common import ending, tools
ending.prepare()
words = ["sh", "-c", sys.argv[2], sys.argv[1]]
if sys.argv[3] == "thread":
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(tools.run, words)
        try:
            waiting.result()
        except BaseException:
            tools.stop_all()
            raise
else:
    tools.run(words)
"""


def _numbers(folder: Path) -> list[int]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        files = [folder / "tool", folder / "child"]
        if all(f.is_file() and f.read_text().strip() for f in files):
            return [int(f.read_text()) for f in files]
        time.sleep(0.02)
    raise AssertionError("the tool did not start")


def _gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize("where", ["main", "thread"])
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
def test_nothing_is_left(number: str, where: str, tmp_path: Path) -> None:
    command = subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(tmp_path), TOOL, where],
        stderr=subprocess.DEVNULL,
        restore_signals=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    pids = _numbers(tmp_path)
    assert not any(_gone(pid) for pid in pids)
    time.sleep(0.2)  # the command has entered the tool with its watcher
    command.send_signal(getattr(signal, number))
    command.wait(timeout=20)
    deadline = time.monotonic() + 20
    while not all(_gone(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert all(_gone(pid) for pid in pids)


def test_output_status_and_time_limit() -> None:
    done = tools.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 3)
    with pytest.raises(subprocess.TimeoutExpired):
        tools.run(["sleep", "60"], timeout=0.2)
    lines: list[str] = []
    done = tools.run(["sh", "-c", "echo a; echo b >&2; exit 3"], on_line=lines.append)
    assert (lines, done.stdout, done.returncode) == (["a", "b"], "a\nb\n", 3)
    with pytest.raises(subprocess.TimeoutExpired) as late:
        tools.run(["sh", "-c", "echo a; sleep 60"], timeout=0.3, on_line=lines.append)
    assert late.value.output == "a\n"
    with pytest.raises(FileNotFoundError):
        tools.run(["/no/such/tool"])


COMPILER = 'echo of a compiler > "$TMPDIR/cc1.s"; echo $TMPDIR > "$0/made"; mv "$0/made" "$0/where"'


@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_temporary_files_go_with_the_tool(number: str, tmp_path: Path) -> None:
    """A compiler's, which a killed one leaves, and those of one that ends."""
    command = subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(tmp_path), f"{COMPILER}; sleep 300; true", "main"],
        stderr=subprocess.DEVNULL,
        restore_signals=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    where, deadline = tmp_path / "where", time.monotonic() + 30
    while not where.is_file() and time.monotonic() < deadline:
        time.sleep(0.02)
    folder = Path(where.read_text().strip())
    assert (folder / "cc1.s").is_file()
    command.send_signal(getattr(signal, number))
    command.wait(timeout=20)
    assert not folder.exists()
    tools.run(["sh", "-c", COMPILER, str(tmp_path)])
    assert Path(where.read_text().strip()) != folder
    assert not Path(where.read_text().strip()).exists()
