# SPDX-License-Identifier: Apache-2.0
"""Commands for what runs leave behind: replay, bisect, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import JsonOption, ThreadsOption, app


@app.command()
def replay(
    recording: Annotated[Path, typer.Argument(help="Recording of `kumi up --record`.")],
    pcap: Annotated[
        Path | None, typer.Option("--pcap", help="Write the run's capture to this file.")
    ] = None,
    trace: Annotated[
        list[str] | None,
        typer.Option(help="Write this node's waveforms and views of them; repeatable."),
    ] = None,
    from_: Annotated[
        str, typer.Option("--from", help="Start of the waveforms, in simulated time.")
    ] = "0",
    to: Annotated[
        str | None, typer.Option("--to", help="End of the waveforms, in simulated time.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the waveforms.")] = Path("."),
    cluster: Annotated[
        Path | None, typer.Option(help="Use this cluster file instead of the recorded one.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Replay even if designs have changed.")] = False,
    compare: Annotated[
        bool, typer.Option(help="With --force: show the first frame that differs.")
    ] = True,
    threads: ThreadsOption = 0,
    json_: JsonOption = False,
) -> None:
    """Replay a recording bit for bit, without a network.

    With --force after an edit: the first frame that differs, decoded, and a waveform around it.

    Examples: `kumi replay demo.kumirec --pcap again.pcapng`,
    `kumi replay demo.kumirec --trace alice --from 10us --to 20us`
    """
    from .replay import run

    raise typer.Exit(
        run(
            recording,
            pcap,
            trace or [],
            from_,
            to,
            out,
            cluster,
            force,
            threads,
            compare,
            json_,
        )
    )


@app.command()
def bisect(
    recording: Annotated[Path, typer.Argument(help="Recording of `kumi up --record`.")],
    good: Annotated[str, typer.Argument(help="Commit, or cluster file, that is well.")],
    bad: Annotated[str, typer.Argument(help="Commit, or cluster file, that is not.")],
    out: Annotated[Path, typer.Option(help="Folder for the waveforms.")] = Path("."),
    threads: ThreadsOption = 0,
    json_: JsonOption = False,
) -> None:
    """Find the commit with which a recording begins to come out otherwise, or compare two designs.

    Shows the first frame that differs, decoded, and writes a waveform of both around it.

    Examples: `kumi bisect bug.kumirec v1.0 HEAD`, `kumi bisect bug.kumirec old.yaml new.yaml`
    """
    from .bisect import run

    raise typer.Exit(run(recording, good, bad, out, threads, json_))


@app.command()
def report(
    files: Annotated[
        list[Path], typer.Argument(help="Captures (.pcapng) and counters (.json of `up --stats`).")
    ],
    picture: Annotated[
        Path | None,
        typer.Option("--picture", help="Plot latency and rate to this file (.svg, .png)."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with all pictures to this file.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Report latency and rate from the files of a run.

    Requests are paired with replies: ARP, ping, any UDP service, TCP.

    Examples: `kumi report kumi-out/demo.pcapng --picture demo.svg`,
    `kumi report demo.pcapng demo.json --html demo.html`
    """
    from .report import run

    raise typer.Exit(run(files, picture, json_, html))
