# SPDX-License-Identifier: Apache-2.0
"""`kumi up --checkpoint` and `--resume`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from ..cluster import Cluster
from ..cluster.checkpoint import Checkpoints, last_file
from ..clusterfile import units
from ..common.errors import KumiError
from . import console


@dataclass(frozen=True)
class Keeping:
    """What the options say."""

    file: Path
    """The cluster file."""
    every: str | None
    folder: Path
    resume: Path | None

    def checkpoints(self) -> Checkpoints | None:
        """Where the run writes them; None: it does not."""
        return Checkpoints(self.folder, units.time_ps(self.every)) if self.every else None

    def words(self) -> list[str]:
        """The options again, for a run in the background."""
        given = {"--checkpoint": self.every, "--resume": self.resume}
        words = [word for name, value in given.items() if value for word in (name, str(value))]
        return [*words, "--checkpoints", str(self.folder)] if words else []


def keeping(
    file: Path | None,
    every: str | None,
    folder: Path | None,
    resume: Path | None,
    record: Path | None,
) -> Keeping:
    """Check the options, before anything is built."""
    if file is None and resume is None:
        raise KumiError("Which cluster?", "kumi up CLUSTER.yaml", 2)
    if every is not None and record is not None:
        text = "A run with --checkpoint has its recording beside the checkpoints: no --record."
        raise KumiError(text, "`kumi replay` takes run-1.kumirec in their folder.", 2)
    if every is not None:
        try:
            units.time_ps(every)
        except (units.UnitError, ValueError) as problem:
            raise KumiError(f"--checkpoint: {problem}.", code=2) from None
    if file is None:
        assert resume is not None
        file = last_file(resume)
    return Keeping(file, every, folder or resume or Path(f"{file.stem}.checkpoints"), resume)


def go_on(cluster: Cluster, folder: Path) -> None:
    """Resume, and say how far the run is."""
    began = time.monotonic()
    with console.err.status("executing the run again") as status:

        def again(now: int, end: int) -> None:
            status.update(
                f"executing the run again: {units.format_time(now)} of {units.format_time(end)}"
            )

        cluster.resume(folder, again=again)
    console.err.print(
        f"resumed at {units.format_time(cluster.now_ps)} after {time.monotonic() - began:.1f} s",
        soft_wrap=True,
    )
