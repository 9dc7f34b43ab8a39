# SPDX-License-Identifier: Apache-2.0
"""What every command that replays a recording shares: metadata, designs, captures, waveforms."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..build import BuildResult
from ..build.recorded import recorded
from ..capture.waves import write_views
from ..cluster import Cluster
from ..cluster.cluster import RECORD_FORMAT
from ..clusterfile import Plan, plan, plan_text, units
from ..common.errors import KumiError
from . import console

BEFORE_PS, AFTER_PS = 2_000_000, 500_000
"""Span of a waveform around a frame."""


def read_metadata(recording: Path) -> dict[str, Any]:
    """The cluster's metadata in a recording."""
    from .._engine import recording_info

    if not recording.is_file():
        raise KumiError(f"There is no file {recording}.", code=2)
    info = dict(recording_info(str(recording)))
    try:
        data = json.loads(str(info["metadata"]))
        if data["format"] != RECORD_FORMAT:
            raise KumiError(
                f"{recording} has format {data['format']}, not {RECORD_FORMAT}.", code=2
            )
    except (ValueError, KeyError, TypeError):
        hint = (
            "Only recordings of `kumi up`, `kumi shell`, `kumi demo` and Cluster(record=...) work."
        )
        raise KumiError(f"{recording} does not say which cluster it is of.", hint, 2) from None
    return {**data, "info": info}


def changed(cluster: Cluster, data: dict[str, Any]) -> dict[str, str]:
    """Nodes whose design differs from the recorded one, and how to say so."""
    texts = {}
    for name, entry in data["designs"].items():
        built = cluster.built.get(name)
        if built is not None and built.design_hash != entry["hash"]:
            now = built.design_hash[:12]
            texts[name] = f"{name} ({entry['design']}: {entry['hash'][:12]}, now {now})"
    return texts


def as_recorded(data: dict[str, Any], names: Iterable[str]) -> dict[str, BuildResult] | None:
    """The libraries that these nodes had; None unless the cache has all of them."""
    found = {name: recorded(data["designs"][name]["hash"]) for name in names}
    kept = {name: built for name, built in found.items() if built is not None}
    return kept if len(kept) == len(found) else None


class Replayer:
    """Replays one recording, with one cluster file or another."""

    def __init__(self, recording: Path, given: Path | None, threads: int) -> None:
        """Read the recording; `given` replaces the cluster file in it."""
        self.recording = recording
        self.data = read_metadata(recording)
        self.plan: Plan = (
            plan(given) if given else plan_text(self.data["cluster"], self.data["file"])
        )
        self.last_ps = int(self.data["info"]["last_ps"])
        self._threads = threads

    def cluster(self, pcap: Path | None, trace: dict[str, Path] | None = None) -> Cluster:
        """A cluster of this plan with its designs built."""
        made = Cluster(
            self.plan,
            threads=self._threads,
            pcap=pcap,
            offline=True,
            trace=trace,
            comment=self.data["comment"],
        )
        console.build(made)
        return made

    def run(
        self,
        cluster: Cluster,
        window: tuple[int, int] | None = None,
        force: bool = False,
        until_ps: int | None = None,
    ) -> dict[str, Any]:
        """The engine's result, with `wall_s`; ends soon after `until_ps` if that is given."""
        began = time.monotonic()
        last = min(self.last_ps, until_ps or self.last_ps)
        try:
            with console.err.status("replaying") as status:

                def progress(now: int, _next: int) -> None:
                    status.update(
                        f"replaying: {units.format_time(now)} of {units.format_time(last)}, "
                        f"{time.monotonic() - began:.1f} s"
                    )
                    if until_ps is not None and now > until_ps:
                        cluster.engine.stop()

                result = cluster.replay(self.recording, progress, window, force)
            console.messages(cluster, 0)
        finally:
            cluster.close()
        return {**result, "wall_s": time.monotonic() - began}

    def waves(
        self, names: Iterable[str], window: tuple[int, int], out: Path, suffix: str = ""
    ) -> list[Path]:
        """Waveforms of these nodes in a span of simulated time, and views of them."""
        files = {name: out / f"{name}{suffix}.fst" for name in names}
        cluster = self.cluster(None, files)
        result = self.run(cluster, window, True, window[1])
        return views(cluster, files, window, int(result["final_ps"]))


def views(
    cluster: Cluster, files: dict[str, Path], window: tuple[int, int], final_ps: int
) -> list[Path]:
    """Write views of the waveforms; returns all files. Raises if the run ended before them."""
    last = min(window[1], final_ps)
    written = []
    for name, file in files.items():
        if not file.is_file():
            raise KumiError(f"The run ended at {units.format_time(last)}, before --from.", code=2)
        written += [file, *write_views(file, cluster.built[name].info, window[0], last)]
    return written
