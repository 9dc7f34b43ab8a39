# SPDX-License-Identifier: Apache-2.0
"""A guest's process: its output, the end of its script, and its own end."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from ..common import tools
from ..common.errors import KumiError

BOOTED = "kumi-guest-booted"  # printed when the script begins
DONE = "kumi-guest-exit"  # printed with the script's exit status behind it
_TERM_S = 2.0


class GuestFailed(KumiError):
    """A guest did not boot, or its script failed."""


def require(absent: Sequence[str]) -> None:
    """Raise with the Debian packages that are missing."""
    if absent:
        raise GuestFailed(
            f"a guest needs {' and '.join(absent)}: apt-get install {' '.join(absent)}"
        )


class GuestProcess:
    """A running guest; with `shell` its console is this process's terminal.

    `environment` adds to this process's; with `prompt` it reads what `say` says.
    """

    def __init__(
        self,
        command: Sequence[str],
        shell: bool = False,
        environment: Mapping[str, str] | None = None,
        prompt: bool = False,
    ) -> None:
        self._lines: list[str] = []
        self._booted = False
        self._status: int | None = None
        self._changed = threading.Condition()
        self._own_session = not shell
        self._process = tools.begin(
            command,
            lasting=True,
            stdin=None if shell else subprocess.PIPE if prompt else subprocess.DEVNULL,
            stdout=None if shell else subprocess.PIPE,
            stderr=None if shell else subprocess.STDOUT,
            start_new_session=not shell,
            text=True,
            errors="replace",
            env={**os.environ, **(environment or {})},
        )
        if not shell:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                if ended := re.search(rf"{DONE} (\d+)", line):
                    self._status = int(ended[1])
                if BOOTED in line:
                    self._booted = True
                else:
                    self._lines.append(line.rstrip())
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    @property
    def output(self) -> str:
        """What the guest has printed so far."""
        with self._changed:
            return "\n".join(self._lines)

    def lines(self, since: int = 0) -> list[str]:
        """Lines of its output from the one with this number."""
        with self._changed:
            return self._lines[since:]

    @property
    def booted(self) -> bool:
        """Whether its script has begun."""
        return self._booted

    @property
    def status(self) -> int | None:
        """Exit status of its script; None until that has ended."""
        return self._status

    @property
    def running(self) -> bool:
        """Whether its kernel runs."""
        return self._process.poll() is None

    def say(self, line: str) -> None:
        """A line at the prompt of what was started with one."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def wait_for(self, text: str, timeout: float = 60, lines: int = 1) -> None:
        """Wait until a line that contains the text was printed, or several."""
        end = time.monotonic() + timeout
        with self._changed:
            while sum(text in line for line in self._lines) < lines:
                left = end - time.monotonic()
                # What it printed last may still be on its way.
                if left <= 0 or not (self.running or self._changed.wait(0.5)):
                    raise GuestFailed(
                        f"the guest did not print '{text}':\n" + "\n".join(self._lines)
                    )
                self._changed.wait(min(left, 1.0))

    def finish(self, timeout: float = 60) -> str:
        """Wait for the end of the script; its output. A failed script raises."""
        try:
            self.wait_for(DONE, timeout)
        except GuestFailed:
            what = "did not boot" if not self._booted else "ended before its script did"
            if self._booted and self.running:
                what = f"was not through with its script after {timeout:g} s"
            raise GuestFailed(f"the guest {what}:\n{self.output}") from None
        text = self.output
        self.stop()
        body, _, code = text.rpartition(DONE)
        if code.split()[:1] != ["0"]:
            raise GuestFailed(f"the guest's script failed ({code.strip()}):\n{body}")
        return body

    def wait(self) -> int:
        """Wait for the end of a shell."""
        return self._process.wait()

    def kill(self) -> None:
        """End the guest at once, as by pulling its plug."""
        self._end()

    def stop(self) -> None:
        """End the guest and everything of it."""
        if self.running:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TERM_S)
        self._end()
        self._release()

    def _end(self) -> None:
        # Its processes are many, and those of a killed kernel would sleep for ever.
        if self._own_session:
            tools.end_session(self._process.pid)
        elif self.running:
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def _release(self) -> None:
        """Remove what the guest was made with."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._lines:
            print(self.output, file=sys.stderr)
        self.stop()
