# SPDX-License-Identifier: Apache-2.0
"""`kumi replay`: replays a recording bit for bit, optionally with waveforms and views of them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from ..capture.waves import write_views
from ..cluster import Cluster
from ..cluster.cluster import RECORD_FORMAT
from ..clusterfile import Plan, plan, plan_text, units
from ..common.errors import KumiError
from . import console
from .up import prepare_outputs


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


def _changed(cluster: Cluster, recorded: dict[str, Any]) -> list[str]:
    """Nodes whose design differs from the recorded one."""
    texts = []
    for name, entry in recorded["designs"].items():
        built = cluster.built.get(name)
        if built is not None and built.design_hash != entry["hash"]:
            texts.append(
                f"{name} ({entry['design']}: {entry['hash'][:12]}, now {built.design_hash[:12]})"
            )
    return texts


def _plan(data: dict[str, Any], given: Path | None) -> Plan:
    return plan(given) if given else plan_text(data["cluster"], data["file"])


def _window(start: str, end: str | None) -> tuple[int, int]:
    try:
        first = units.time_ps(start)
        last = units.time_ps(end) if end is not None else 2**63
    except units.UnitError as problem:
        raise KumiError(f"--from/--to: {problem}.", code=2) from None
    if last <= first:
        raise KumiError("--to must be later than --from.", code=2)
    return first, last


def run(
    recording: Path,
    pcap: Path | None,
    trace: list[str],
    start: str,
    end: str | None,
    out: Path,
    given: Path | None,
    force: bool,
    threads: int,
) -> int:
    """Replay; exit 1 if the result differs from the recorded one."""
    window = _window(start, end)
    data = read_metadata(recording)
    prepare_outputs(pcap, out / "x" if trace else None)
    made = _plan(data, given)
    plain = Cluster(made, threads=threads, pcap=pcap, offline=True, comment=data["comment"])
    console.build(plain)
    changed = _changed(plain, data)
    if changed and not force:
        raise KumiError(
            f"The design has changed since the recording: {', '.join(changed)}.",
            "Go back to the recorded sources, or see what the new ones do with --force.",
        )
    waves = {name: out / f"{name}.fst" for name in trace}
    cluster = plain
    if waves:
        cluster = Cluster(
            made, threads=threads, pcap=pcap, offline=True, trace=waves, comment=data["comment"]
        )
        console.build(cluster)
    last = int(data["info"]["last_ps"])
    began = time.monotonic()
    try:
        with console.err.status("replaying") as status:

            def progress(now: int, _next: int) -> None:
                status.update(
                    f"replaying: {units.format_time(now)} of {units.format_time(last)}, "
                    f"{time.monotonic() - began:.1f} s"
                )

            result = cluster.replay(recording, progress, window if waves else None, force)
        console.messages(cluster, 0)
    finally:
        cluster.close()
    views = []
    for name, file in waves.items():
        last = min(window[1], int(result["final_ps"]))
        if not file.is_file():
            raise KumiError(f"The run ended at {units.format_time(last)}, before --from.", code=2)
        views += write_views(file, cluster.built[name].info, window[0], last)
    for written in (pcap, *waves.values(), *views):
        if written:
            console.err.print(f"wrote {written}")
    return _verdict(result, time.monotonic() - began)


def _verdict(result: dict[str, Any], spent: float) -> int:
    say = console.err.print
    simulated = units.format_time(result["final_ps"])
    what = f"{result['events']} events, {simulated} simulated in {spent:.1f} s"
    if not result["equal"]:
        at = units.format_time(result["differs_ps"])
        say(f"[red]The replay differs from the recording[/] at or before {at} ({what}).")
        return 1
    if not result["complete"]:
        say(f"[yellow]The recording is cut off[/]; what is whole replayed identically ({what}).")
        return 0
    say(f"[green]Identical[/]: digest {result['digest']} as recorded ({what}).")
    return 0
