# SPDX-License-Identifier: Apache-2.0
"""Runs compilers and other programs so that none of them outlives the command.

Each runs in a session of its own, so that whatever it starts can be found, process groups included.
When the command is interrupted, the session is killed; when the command itself is killed (even by
SIGKILL), a small watcher sees its pipe close and kills what is left. What `run` runs has a folder
for temporary files that goes with it: a compiler that is killed leaves its own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .process import deferred_signals

# Keeps the processes that live ("+PID" adds one, "-PID" removes it). At the end of its input it
# kills them and all of the sessions that they lead; again, as one may have forked meanwhile. It
# ignores what the terminal sends, or it would die before its task.
_WATCHER = """
trap '' INT TERM HUP
tools=' '
while read -r line; do
  case $line in
    +*) tools="$tools${line#+} " ;;
    -*) gone=" ${line#-} "
        case $tools in *"$gone"*) tools="${tools%%"$gone"*} ${tools#*"$gone"}" ;; esac ;;
  esac
done
for round in 1 2 3; do
  for stat in /proc/[0-9]*/stat; do
    read -r text < "$stat" || continue
    set -- ${text##*) }
    pid=${stat#/proc/}; pid=${pid%/stat}
    case $tools in *" $4 "*|*" $pid "*) kill -s KILL "$pid" ;; esac
  done
done
"""
_lock = threading.Lock()
_sessions: set[int] = set()
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
        _sessions.clear()
    return _pipe


def _members(sessions: set[int]) -> set[int]:
    found = set()
    for name in os.listdir("/proc"):
        with contextlib.suppress(ValueError, ProcessLookupError, PermissionError):
            if os.getsid(int(name)) in sessions:
                found.add(int(name))
    return found


def _kill(sessions: set[int]) -> None:
    """SIGKILL for every process of these sessions, and for those that they fork meanwhile."""
    killed: set[int] = set()
    while sessions and (fresh := _members(sessions) - killed):
        for pid in sorted(fresh):  # mostly parents first: a shell would tell of its child's end
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed |= fresh


def end_session(pid: int) -> None:
    """Kill what is left of the session that a tool leads or led."""
    _kill({pid})


def stop_all() -> None:
    """Kill every tool that runs: for the thread that is interrupted while others wait for them."""
    with _lock:
        running = set(_sessions)
    _kill(running)


class Tool(subprocess.Popen[Any]):
    """A program that ends no later than this process; start it with `begin`.

    As a context manager it is killed if the block raises, and waited for otherwise.
    """

    _entered = False

    def __init__(self, argv: Sequence[str], lasting: bool, **options: Any) -> None:
        options.setdefault("start_new_session", True)
        with _lock:
            pipe = _watch()  # before the tool, so that it is entered within microseconds
            super().__init__(argv, **options)
            self._entered = True
            if not lasting:
                _sessions.add(self.pid)
            with contextlib.suppress(OSError):
                os.write(pipe, f"+{self.pid}\n".encode())

    def _leave(self) -> None:
        with _lock:
            if self._entered and self.returncode is not None:
                self._entered = False
                _sessions.discard(self.pid)
                with contextlib.suppress(OSError):
                    os.write(_watch(), f"-{self.pid}\n".encode())

    def poll(self) -> int | None:
        """As `Popen.poll`."""
        code = super().poll()
        self._leave()
        return code

    def wait(self, timeout: float | None = None) -> int:
        """As `Popen.wait`."""
        try:
            return super().wait(timeout)
        finally:
            self._leave()

    def end(self) -> None:
        """Kill it and all that it started; it has ended when this returns."""
        if self.poll() is None:
            _kill({self.pid})
            self.kill()
            self.wait()

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        if kind is not None:
            self.end()
        super().__exit__(kind, *rest)


def begin(argv: Sequence[str | Path], *, lasting: bool = False, **options: Any) -> Tool:
    """Start a program with the options of `Popen`, in a session of its own unless they say no.

    If a signal interrupts the start, the program is killed. `lasting`: not a tool of a command but
    what the command holds; `stop_all` spares it.
    """
    tool: Tool | None = None
    try:
        with deferred_signals():
            tool = Tool([str(word) for word in argv], lasting, **options)
    except BaseException:
        if tool is not None:
            tool.end()
        raise
    return tool


def run(
    command: Sequence[str | Path],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    on_line: Callable[[str], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` with captured text. Whatever ends it, the tool and its children end as well.

    TMPDIR is a folder that goes with them.

    `on_line` is called with each line as it comes; standard error is then part of the output.

    Raises:
        subprocess.TimeoutExpired: the tool took more than `timeout` seconds; it has been killed.
            `output` holds what it wrote.
    """
    with (
        tempfile.TemporaryDirectory(prefix="kumi-tool-", ignore_cleanup_errors=True) as folder,
        begin(
            command,
            cwd=cwd,
            env={**(os.environ if env is None else env), "TMPDIR": folder},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if on_line is None else subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as tool,
    ):
        if on_line is None:
            out, err = tool.communicate(timeout=timeout)
        else:
            out, err = _lines(tool, timeout, on_line), ""
    return subprocess.CompletedProcess(tool.args, tool.returncode, out, err)


def _lines(tool: Tool, timeout: float | None, on_line: Callable[[str], None]) -> str:
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        _kill({tool.pid})

    timer = threading.Timer(timeout, expire) if timeout is not None else None
    lines = []
    try:
        if timer:
            timer.start()
        for line in tool.stdout or ():
            lines.append(line)
            on_line(line.rstrip("\n"))
        tool.wait()
    finally:
        if timer:
            timer.cancel()
    if expired.is_set() and timeout is not None:
        raise subprocess.TimeoutExpired(tool.args, timeout, "".join(lines))
    return "".join(lines)
