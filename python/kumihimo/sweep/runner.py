# SPDX-License-Identifier: Apache-2.0
"""Runs the points of a sweep, here or through a Dask scheduler, and remembers which are done.

A sweep has a folder: `sweep.json` says what it is, `runs/NNNN` holds each run (see `worker`). A
sweep that was interrupted goes on where it stopped when the same command is given again.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from ..cluster import Cluster
from ..cluster.cluster import BuildProgress
from ..clusterfile import plan
from ..common import tools
from ..common.errors import EnvironmentProblem, KumiError
from .points import Point, points
from .worker import OUTPUT, RECORDING, RESULT, RUN

FORMAT = 1


@dataclass(frozen=True)
class Definition:
    """What a sweep runs. Two runs of one sweep have the same definition."""

    file: str  # cluster file, absolute
    sets: tuple[str, ...]  # `PATH=VALUE,...`, an axis each
    repeat: int = 1
    until: str | None = None  # simulated time, unless there is a command
    command: tuple[str, ...] = ()  # run inside the cluster's network
    values: tuple[tuple[str, str], ...] = ()  # (name, regular expression) for its output
    format: int = FORMAT


@dataclass(frozen=True)
class Outcome:
    """What came of a point."""

    point: Point
    folder: Path
    ok: bool
    problem: str = ""
    wall_s: float = 0.0
    simulated_us: float = 0.0
    values: dict[str, float] = field(default_factory=dict)


def run_folder(folder: str, limit_s: float, ended: threading.Event | None = None) -> None:
    """Run one folder in a process of its own; a crash or a time-out becomes its result.

    A run that did not begin or was killed because the sweep ended (`ended`) has no result.
    """
    if ended and ended.is_set():
        return
    path = Path(folder)
    words = [sys.executable, "-m", "kumihimo.sweep.worker", folder]
    try:
        done = tools.run(words, timeout=limit_s)
        problem = f"The run ended with status {done.returncode}. {done.stderr.strip()[-500:]}"
    except subprocess.TimeoutExpired:
        problem = f"The run took more than {limit_s:g} s of wall time."
    if not (path / RESULT).is_file() and not (ended and ended.is_set()):
        crashed = {"ok": False, "problem": problem.strip(), "values": {}, "wall_s": limit_s}
        (path / RESULT).write_text(json.dumps(crashed, indent=1) + "\n", encoding="utf-8")


Submit = Callable[[str, float], "Future[None]"]
"""Takes a folder and its limit in seconds (`run_folder`)."""


class Scheduler(Protocol):
    """Where runs happen."""

    def open(self) -> AbstractContextManager[Submit]:
        """Takes runs during a `with` block. What has not ended is given up if the block raises."""
        ...


@dataclass(frozen=True)
class Local:
    """On this machine, `jobs` at a time."""

    jobs: int

    @contextmanager
    def open(self) -> Iterator[Submit]:
        """Threads that wait for the processes of the runs."""
        ended = threading.Event()
        with ThreadPoolExecutor(self.jobs, "kumi-sweep") as pool:
            try:
                yield lambda folder, limit_s: pool.submit(run_folder, folder, limit_s, ended)
            except BaseException:
                ended.set()
                pool.shutdown(wait=False, cancel_futures=True)
                tools.stop_all()
                raise


@dataclass(frozen=True)
class Dask:
    """Through a scheduler of Dask; its workers see the sweep's folder and have Kumihimo."""

    address: str

    @contextmanager
    def open(self) -> Iterator[Submit]:
        """Dask's own executor. Raises KumiError when the scheduler does not answer any more."""
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            hint = "Install it: .venv/bin/pip install 'kumihimo[sweep]'."
            raise EnvironmentProblem("A scheduler needs Dask distributed.", hint) from None
        try:
            client = distributed.Client(self.address, timeout=10)
        except (OSError, TimeoutError) as problem:
            raise KumiError(f"No scheduler answers at {self.address}: {problem}.") from None
        try:
            with client.get_executor(pure=False) as executor:
                yield lambda folder, limit_s: executor.submit(run_folder, folder, limit_s)
        except CancelledError:
            hint = "Give the command again; what is done is kept."
            raise KumiError(f"The scheduler at {self.address} has gone.", hint) from None
        finally:
            client.close()


class Sweep:
    """A sweep and its folder."""

    def __init__(self, definition: Definition, folder: Path) -> None:
        """Check every point and make the folder, or find it as it was left.

        Raises KumiError when the folder holds another sweep, or a point is not a valid cluster.
        """
        self.definition, self.folder = definition, folder
        base = plan(definition.file)
        self.points = points(definition.sets, definition.repeat, base.spec.seed)
        self._plans = {p.settings: plan(definition.file, p.of_file) for p in self.points}
        if definition.command and not base.taps:
            hint = "Add `taps: {host0: {}}` and a cable for it, or use --until instead."
            raise KumiError(f"{definition.file} has no TAP: no command can reach it.", hint, 2)
        self._claim()

    def _claim(self) -> None:
        file = self.folder / "sweep.json"
        text = json.dumps(asdict(self.definition), indent=1) + "\n"
        if file.is_file() and file.read_text(encoding="utf-8") != text:
            hint = "Choose another folder with --out, or remove this one."
            raise KumiError(f"{self.folder} holds another sweep.", hint, 2)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise KumiError(f"Cannot write {file}: {problem.strerror}.", code=2) from None

    def build(self, progress: BuildProgress | None = None) -> None:
        """Build every design once, before the runs ask for them all at once."""
        for settled in self._plans.values():
            Cluster(settled, offline=True).build(progress)

    def _folder(self, point: Point) -> Path:
        return self.folder / "runs" / point.name

    def outcome(self, point: Point) -> Outcome | None:
        """What came of a point, or None while it has no result."""
        folder = self._folder(point)
        try:
            found = json.loads((folder / RESULT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return Outcome(point, folder, **found)

    def outcomes(self) -> list[Outcome]:
        """Of every point that has a result."""
        return [found for found in map(self.outcome, self.points) if found is not None]

    def waiting(self, retry: bool) -> list[Point]:
        """Points without a result; with `retry` also those that failed."""

        def done(point: Point) -> bool:
            found = self.outcome(point)
            return found is not None and (found.ok or not retry)

        return [point for point in self.points if not done(point)]

    def run(
        self,
        todo: Sequence[Point],
        scheduler: Scheduler,
        *,
        limit_s: float = 3600,
        keep: bool = False,
        threads: int = 1,
    ) -> Iterator[Outcome]:
        """Run points; yields each as it ends. `keep`: recordings of runs that went well, too."""
        with scheduler.open() as submit:
            waiting = {submit(self._prepare(point, threads), limit_s): point for point in todo}
            for future in as_completed(waiting):
                future.result()
                outcome = self.outcome(waiting[future])
                assert outcome is not None  # every run leaves a result
                if outcome.ok and not keep:
                    (outcome.folder / RECORDING).unlink(missing_ok=True)
                yield outcome

    def _prepare(self, point: Point, threads: int) -> str:
        folder = self._folder(point)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        order: dict[str, Any] = {
            "file": self.definition.file,
            "settings": point.of_file,
            "until": self.definition.until,
            "command": point.words(self.definition.command),
            "values": dict(self.definition.values),
            "threads": threads,
        }
        (folder / RUN).write_text(json.dumps(order, indent=1) + "\n", encoding="utf-8")
        return str(folder.resolve())


__all__ = ["OUTPUT", "Dask", "Definition", "Local", "Outcome", "Scheduler", "Sweep", "run_folder"]
