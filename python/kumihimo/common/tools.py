# SPDX-License-Identifier: Apache-2.0
"""Runs compilers and other tools so that none of them outlives the command.

Each tool runs in a process group of its own. When the command is interrupted, the group is killed;
when the command itself is killed (even by SIGKILL), a small watcher sees its pipe close and kills
what is left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from .process import start

# Keeps the groups that live ("+PGID" adds one, "-PGID" removes it) and kills them at the end of its
# input. It ignores what the terminal sends, or it would die before its task.
_WATCHER = """
trap '' INT TERM HUP
groups=
while read -r line; do
  case $line in
    +*) groups="$groups ${line#+}" ;;
    -*) kept=
        for g in $groups; do [ "$g" = "${line#-}" ] || kept="$kept $g"; done
        groups=$kept ;;
  esac
done
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
"""
_lock = threading.Lock()
_groups: set[int] = set()
_pipe: int | None = None
_owner = 0


def _watch() -> int:
    """The pipe to this process's watcher, which starts when it is first wanted; lock held."""
    global _pipe, _owner
    if _pipe is None or _owner != os.getpid():
        reader, writer = os.pipe()
        with contextlib.suppress(OSError):
            # It holds no file of ours open: a pipe to our standard output would never close.
            subprocess.Popen(
                ["/bin/sh", "-c", _WATCHER],
                stdin=reader,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
            )
        os.close(reader)
        _pipe, _owner = writer, os.getpid()
        _groups.clear()
    return _pipe


def _enter(group: int) -> None:
    with _lock, contextlib.suppress(OSError):
        _groups.add(group)
        os.write(_watch(), f"+{group}\n".encode())


def _leave(group: int) -> None:
    with _lock, contextlib.suppress(OSError):
        _groups.discard(group)
        os.write(_watch(), f"-{group}\n".encode())


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def stop_all() -> None:
    """Kill every tool that runs: for the thread that is interrupted while others wait for them."""
    with _lock:
        running = list(_groups)
    for group in running:
        _kill(group)


def run(
    command: Sequence[str | Path],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` with captured text. Whatever ends it, the tool and its children end as well.

    Raises:
        subprocess.TimeoutExpired: the tool took more than `timeout` seconds; it has been killed.
    """
    with _lock:
        _watch()  # before the tool, so that the tool is entered within microseconds of its start
    process = start(
        [str(word) for word in command],
        cwd=cwd,
        env=None if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        process_group=0,
    )
    _enter(process.pid)
    try:
        out, err = process.communicate(timeout=timeout)
    except BaseException:
        _kill(process.pid)
        process.communicate()
        raise
    finally:
        _leave(process.pid)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
