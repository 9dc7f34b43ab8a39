# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a run: a recording up to a time, and what the cluster had become by then.

A run that is resumed executes the recording again and goes on live from there, with the same bits;
docs/decisions/0011-checkpoints.md says why nothing is restored. A checkpoint is a small file beside
the recording, written when the recording has reached the disk, under its name only once it is
whole; the newest whose recording is intact counts.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..clusterfile import Plan
from ..clusterfile.units import format_time
from ..common.errors import KumiError

if TYPE_CHECKING:
    from .._engine import Engine
    from .cluster import Cluster
    from .running import RunProgress

SUFFIX = ".checkpoint.json"
KEPT = 2
"""Checkpoints in a folder: the newest, and the one before it."""


@dataclass(frozen=True)
class Checkpoint:
    """A time of a run from which it can go on."""

    time_ps: int
    digest: str
    recording: str
    """Name of its file, beside the checkpoint."""
    bytes: int
    """Of the recording."""
    done: tuple[int, ...]
    """Numbers of the conditions in `events:` that held already."""
    file: str
    """Cluster file."""

    def text(self) -> str:
        """Content of the file."""
        body = json.dumps(asdict(self))
        return json.dumps({"crc": zlib.crc32(body.encode()), "checkpoint": body}) + "\n"

    @staticmethod
    def parsed(text: str) -> Checkpoint | None:
        """None: it is torn."""
        try:
            outer = json.loads(text)
            if zlib.crc32(outer["checkpoint"].encode()) != outer["crc"]:
                return None
            inner = json.loads(outer["checkpoint"])
            return Checkpoint(**inner | {"done": tuple(inner["done"])})
        except (ValueError, KeyError, TypeError, AttributeError):
            return None


def _all(folder: Path) -> list[Path]:
    """Newest first."""
    return sorted(folder.glob(f"*{SUFFIX}"), reverse=True)


def _intact(folder: Path, found: Checkpoint, copy: Path) -> bool:
    """Whether its recording is; `copy` becomes the part up to the checkpoint."""
    from .._engine import recording_info

    try:
        data = (folder / found.recording).read_bytes()[: found.bytes]
        if len(data) < found.bytes:
            return False
        copy.write_bytes(data)
        info = recording_info(str(copy))
    except (OSError, RuntimeError):
        return False
    return (info["last_ps"], info["digest"]) == (found.time_ps, found.digest)


@dataclass(frozen=True)
class Found:
    """A checkpoint from which a run can go on, and its recording up to there: until `with` ends."""

    checkpoint: Checkpoint
    recording: Path

    def __enter__(self) -> Found:
        return self

    def __exit__(self, *_: object) -> None:
        self.recording.unlink(missing_ok=True)

    def execute(self, engine: Engine, progress: RunProgress | None) -> None:
        """Take an engine that was not started to the time of the checkpoint. Raises KumiError."""
        try:
            engine.begin_replay(str(self.recording))
            reason = engine.run(self.checkpoint.time_ps, progress)
        except RuntimeError as problem:
            raise KumiError(f"The run cannot be resumed: {problem}.") from problem
        if reason != "done":
            raise KumiError("Stopped before the run was where it had been.")
        if (digest := engine.digest()) != self.checkpoint.digest:
            raise KumiError(
                f"The checkpoint at {format_time(self.checkpoint.time_ps)} was "
                f"{self.checkpoint.digest}, and is {digest} now.",
                "A design or a file that the cluster reads has changed since.",
            )


def newest(folder: Path) -> Found:
    """The newest checkpoint that is whole. Raises KumiError."""
    torn = 0
    for path in _all(folder):
        made = Checkpoint.parsed(path.read_text(encoding="utf-8", errors="replace"))
        copy = folder / f"resumed-{os.getpid()}.kumirec"
        if made is not None and _intact(folder, made, copy):
            return Found(made, copy)
        copy.unlink(missing_ok=True)
        torn += 1
    what = f"only {torn} that are torn" if torn else "none"
    raise KumiError(f"There is no checkpoint in {folder}: {what}.", "", 2)


def last_file(folder: Path) -> Path:
    """The cluster file of the newest run in a folder."""
    for path in _all(folder):
        found = Checkpoint.parsed(path.read_text(encoding="utf-8", errors="replace"))
        if found is not None:
            return Path(found.file)
    raise KumiError(f"There is no checkpoint in {folder}.", "", 2)


def check(plan: Plan) -> None:
    """Raise KumiError for a cluster with something that cannot be executed again."""
    for name, disk in plan.disks.items():
        if disk.file and not disk.spec.snapshot:
            text = f"No checkpoints: the disk {name} writes to {disk.file}, which cannot go back."
            raise KumiError(text, "Give it `snapshot: true`, or leave out `file:`.", 2)
    for name in plan.hosts:
        raise KumiError(f"No checkpoints: the guest at {name} cannot go back.", code=2)


class Checkpoints:
    """Writes the checkpoints of a run to a folder."""

    def __init__(self, folder: Path, every_ps: int) -> None:
        """every_ps: simulated time from one to the next."""
        if every_ps <= 0:
            raise KumiError("Checkpoints are written every so often: a time above zero.", code=2)
        self.folder = folder
        self._every = every_ps
        folder.mkdir(parents=True, exist_ok=True)
        self.record = folder / f"run-{next(_free(folder))}.kumirec"
        """The recording of this run."""

    def begin(self, cluster: Cluster) -> None:
        """The run has started, or was resumed."""
        self._next(cluster)

    def _next(self, cluster: Cluster) -> None:
        at = (cluster.now_ps // self._every + 1) * self._every
        cluster.timeline.add(at, lambda: self._due(cluster))

    def _due(self, cluster: Cluster) -> None:
        self.take(cluster)
        self._next(cluster)

    def take(self, cluster: Cluster) -> Checkpoint:
        """Write one now."""
        cluster.engine.flush()  # its digest is the last record
        made = Checkpoint(
            time_ps=cluster.now_ps,
            digest=cluster.digest(),
            recording=self.record.name,
            bytes=self.record.stat().st_size,
            done=cluster.timeline.done(),
            file=str(cluster.plan.file.absolute()),
        )
        _durable(self.record)
        path = self.folder / f"{made.time_ps:020d}{SUFFIX}"
        part = path.with_suffix(".part")
        part.write_text(made.text(), encoding="utf-8")
        _durable(part)
        part.replace(path)
        self._forget()
        return made

    def _forget(self) -> None:
        """Remove what no checkpoint needs."""
        for old in _all(self.folder)[KEPT:]:
            old.unlink(missing_ok=True)
        kept = [Checkpoint.parsed(path.read_text(encoding="utf-8")) for path in _all(self.folder)]
        needed = {found.recording for found in kept if found is not None} | {self.record.name}
        for recording in self.folder.glob("run-*.kumirec"):
            if recording.name not in needed:
                recording.unlink(missing_ok=True)


def _free(folder: Path) -> Iterator[int]:
    number = 1
    while True:
        if not (folder / f"run-{number}.kumirec").exists():
            yield number
        number += 1


def _durable(file: Path) -> None:
    with file.open("rb") as handle:
        os.fsync(handle.fileno())
