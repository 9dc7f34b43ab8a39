# SPDX-License-Identifier: Apache-2.0
"""`kumi replay`: replays a recording bit for bit, optionally with waveforms and views of them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from ..cluster import Cluster
from ..clusterfile import units
from ..common.errors import KumiError
from . import console, difference
from .replaying import Replayer, as_recorded, changed, views
from .up import prepare_outputs


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
    compare: bool = True,
    as_json: bool = False,
) -> int:
    """Replay; exit 1 if the result differs from the recorded one."""
    window = _window(start, end)
    replayer = Replayer(recording, given, threads)
    prepare_outputs(pcap, out / "x" if trace else None)
    plain = replayer.cluster(pcap)
    now = changed(plain, replayer.data)
    if now and not force:
        raise KumiError(
            f"The design has changed since the recording: {', '.join(now.values())}.",
            "Go back to the recorded sources, or see what the new ones do with --force.",
        )
    if now and compare and not trace:
        return _compare(replayer, plain, pcap, list(now), out, as_json)
    waves = {name: out / f"{name}.fst" for name in trace}
    cluster = replayer.cluster(pcap, waves) if waves else plain
    result = replayer.run(cluster, window if waves else None, force)
    written = [pcap] if pcap else []
    written += views(cluster, waves, window, int(result["final_ps"]))
    for file in written:
        console.err.print(f"wrote {file}")
    if as_json:
        print(json.dumps(result))
    return _verdict(result)


def _verdict(result: dict[str, Any]) -> int:
    say = console.err.print
    simulated = units.format_time(result["final_ps"])
    what = f"{result['events']} events, {simulated} simulated in {result['wall_s']:.1f} s"
    if not result["equal"]:
        at = units.format_time(result["differs_ps"])
        say(f"[red]The replay differs from the recording[/] at or before {at} ({what}).")
        return 1
    if not result["complete"]:
        say(f"[yellow]The recording is cut off[/]; what is whole replayed identically ({what}).")
        return 0
    say(f"[green]Identical[/]: digest {result['digest']} as recorded ({what}).")
    return 0


def _compare(
    replayer: Replayer,
    plain: Cluster,
    pcap: Path | None,
    names: list[str],
    out: Path,
    as_json: bool,
) -> int:
    """Replay with the recorded designs too, and show the first frame that differs."""
    with tempfile.TemporaryDirectory() as folder:
        new = pcap or Path(folder) / "now.pcapng"
        if plain.pcap is None:
            plain.pcap = new
        result = replayer.run(plain, None, True)
        code = _verdict(result)
        before = as_recorded(replayer.data, names)
        found = None
        if code and before is None:
            console.err.print(
                "The cache no longer has the recorded design, so only the time is known; "
                "`kumi bisect` with the commit shows the frame."
            )
        elif code and before is not None:
            old = Path(folder) / "recorded.pcapng"
            cluster = replayer.cluster(old)
            cluster.built.update(before)
            replayer.run(cluster, None, True)
            found = difference.compare(old, new)
            if found is None:
                console.err.print("No frame differs; registers, memories or lanes do.")
    if found is not None:
        difference.show(found, replayer.plan)
        if who := difference.sender(replayer.plan, found.packet):
            prepare_outputs(out / "x")
            for file in replayer.waves([who], difference.window(found), out):
                console.err.print(f"wrote {file}")
    if as_json:
        told = difference.document(found, replayer.plan) if found else None
        print(json.dumps({**result, "difference": told}))
    return code
