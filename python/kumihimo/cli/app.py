# SPDX-License-Identifier: Apache-2.0
"""The commands and their options; each command imports its implementation when it runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand


class CommandAfterDashes(TyperCommand):
    """A command whose arguments after `--` are another program's command line."""

    def parse_args(self, ctx, args):  # type: ignore[no-untyped-def]
        """Move the arguments after `--` into the context."""
        if "--" in args:
            at = args.index("--")
            ctx.meta["after_dashes"] = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="kumi",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="An FPGA cluster in simulation, connected to real Linux programs. Start with `kumi demo`.",
)
ClusterArg = Annotated[Path, typer.Argument(help="Cluster file.", metavar="CLUSTER.yaml")]
PcapOption = Annotated[
    Path | None, typer.Option("--pcap", help="Write a pcapng capture to this file.")
]
RecordOption = Annotated[
    Path | None, typer.Option("--record", help="Write a recording for `kumi replay` to this file.")
]
ThreadsOption = Annotated[
    int,
    typer.Option(min=0, help="Simulation threads; 0: one per core. Results do not depend on it."),
]
RanksOption = Annotated[
    int,
    typer.Option(min=1, help="Processes that share the nodes. Results do not depend on it."),
]
CheckpointOption = Annotated[
    str | None,
    typer.Option(help="Write a checkpoint every so often, of simulated time, like 10ms."),
]
CheckpointsOption = Annotated[
    Path | None,
    typer.Option(help="Folder for them; default: NAME.checkpoints, with --resume that one."),
]
ResumeOption = Annotated[
    Path | None, typer.Option(help="Go on from the newest checkpoint in this folder.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _fast_build(chosen: bool | None) -> None:
    if chosen is not None:
        os.environ["KUMI_BUILD"] = "quick" if chosen else "optimize"


FastBuildOption = Annotated[
    bool | None,
    typer.Option(
        "--fast-build/--optimize",
        callback=_fast_build,
        expose_value=False,
        help="Compile in less time, or for speed. Otherwise: your own designs in less time, "
        "the library's, which are compiled once, for speed.",
    ),
]


def _version(show: bool) -> None:
    if show:
        from .. import __version__

        typer.echo(f"kumi {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def demo(
    quick: Annotated[bool, typer.Option(help="Send a tenth of the traffic.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the capture and the recording.")] = Path(
        "kumi-out"
    ),
    threads: ThreadsOption = 0,
) -> None:
    """Boot a small cluster and run ordinary Linux programs against it.

    Five nodes on a switch, Linux at the end of a cable: ping, ARP, 10,000 UDP datagrams of 1 to
    8,972 bytes with every byte compared, ping-pong between two nodes, TCP echo, curl, gzip, iperf.
    Then an array of disks, an InfiniBand fabric under opensm, and a Linux with an RTL network card.

    Examples: `kumi demo`, `kumi demo --quick`
    """
    from .demo import run

    raise typer.Exit(run(quick, out, threads))


@app.command()
def up(
    cluster: Annotated[
        Path | None,
        typer.Argument(
            help="Cluster file; with --resume that of the run.",
            metavar="CLUSTER.yaml",
            show_default=False,
        ),
    ] = None,
    pcap: PcapOption = None,
    record: RecordOption = None,
    stats: Annotated[
        Path | None, typer.Option(help="Write all counters to this JSON file at the end.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            help="Stop at this simulated time, when a condition holds, or after all `guests`."
        ),
    ] = None,
    threads: ThreadsOption = 0,
    _fast: FastBuildOption = None,
    trace_last: Annotated[
        str | None,
        typer.Option(help="With --trigger: write the waveform of this time before the trigger."),
    ] = None,
    trigger: Annotated[
        str | None, typer.Option(help="Condition that ends the run, like 'echo.drop_*>0'.")
    ] = None,
    trace: Annotated[
        list[str] | None,
        typer.Option(help="With --trigger: this node's waveform too; repeatable."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the waveforms.")] = Path("."),
    detach: Annotated[
        bool, typer.Option("--detach", "-d", help="Run in the background, return when ready.")
    ] = False,
    wait: Annotated[
        float, typer.Option(min=1, help="With --detach: seconds until it must be ready.")
    ] = 900.0,
    json_: JsonOption = False,
    ranks: RanksOption = 1,
    plan: Annotated[
        bool, typer.Option("--plan", help="With --ranks: show which process holds what, and end.")
    ] = False,
    profile: Annotated[
        Path | None,
        typer.Option(help="With --ranks: distribute by the costs in this file of --stats."),
    ] = None,
    checkpoint: CheckpointOption = None,
    checkpoints: CheckpointsOption = None,
    resume: ResumeOption = None,
) -> None:
    """Run a cluster until Ctrl-C, or in the background until `kumi stop`.

    Linux sees the cluster in a private network; `kumi shell` opens a shell in it. Guests of the
    cluster file that have a script boot; if one fails, the exit code is 1.

    Examples: `kumi up examples/demo.yaml`, `kumi up examples/demo.yaml --detach`,
    `kumi up ring.yaml --pcap ring.pcapng --record ring.kumirec`,
    `kumi up demo.yaml --until "alice.echo.rx_datagrams>=100"`,
    `kumi up examples/guest_ping.yaml --until guests`,
    `kumi up demo.yaml --trace-last 50us --trigger "echo.drop_*>0"`,
    `kumi up demo.yaml --ranks 2 --plan`,
    `kumi up torus.yaml --ranks 2 --checkpoint 10ms`, `kumi up --resume torus.checkpoints`
    """
    from .checkpoints import keeping

    kept = keeping(cluster, checkpoint, checkpoints, resume, record)
    if plan:
        from .ranks import show

        raise typer.Exit(show(kept.file, ranks, profile, json_))
    from .up import run
    from .up import trigger as trigger_of

    background = (wait, json_) if detach else None
    retrace = trigger_of(trace_last, trigger, trace or [], out)
    raise typer.Exit(
        run(
            kept.file,
            pcap,
            record,
            stats,
            until,
            threads,
            background,
            retrace,
            ranks,
            profile,
            kept=kept,
        )
    )


@app.command()
def rank(
    cluster: ClusterArg,
    at: Annotated[
        str | None, typer.Option(help="HOST:PORT where rank 0 listens; not needed with MPI.")
    ] = None,
    rank: Annotated[
        int | None, typer.Option(help="Number of this process; default: as of mpirun or srun.")
    ] = None,
    ranks: Annotated[
        int | None, typer.Option(help="Number of all; default: as of mpirun or srun.")
    ] = None,
    pcap: PcapOption = None,
    record: RecordOption = None,
    stats: Annotated[
        Path | None, typer.Option(help="Write all counters to this JSON file at the end.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Stop at this simulated time, or when a condition holds."),
    ] = None,
    threads: ThreadsOption = 0,
    profile: Annotated[
        Path | None, typer.Option(help="Distribute by the costs in this file of --stats.")
    ] = None,
    transport: Annotated[
        str,
        typer.Option(help="mpi, tcp, or auto: MPI if its launcher started this, without --at."),
    ] = "auto",
    checkpoint: CheckpointOption = None,
    checkpoints: CheckpointsOption = None,
    resume: ResumeOption = None,
) -> None:
    """Be one process of a cluster over many machines; the same command on each of them.

    Rank 0 has Linux, the captures, the recording and the checkpoints. All see the same built
    designs, in a shared home. Without MPI they need --at and the same secret in KUMI_RANK_KEY.

    Examples: `mpirun -n 8 kumi rank torus.yaml`,
    `srun -n 8 kumi rank torus.yaml --at node17:7077`,
    `kumi rank pair.yaml --at 10.0.0.1:7077 --ranks 2 --rank 1`,
    `mpirun -n 8 kumi rank torus.yaml --checkpoint 10ms`,
    `mpirun -n 8 kumi rank torus.yaml --resume torus.checkpoints`
    """
    from .checkpoints import keeping
    from .ranks import attend, where_by

    kept = keeping(cluster, checkpoint, checkpoints, resume, record)
    where = where_by(transport, at, rank, ranks)
    raise typer.Exit(attend(kept, where, pcap, record, stats, until, threads, profile))


@app.command(cls=CommandAfterDashes)
def shell(
    ctx: typer.Context,
    cluster: Annotated[
        str | None,
        typer.Argument(
            help="Name of a running cluster, or a cluster file to boot.", show_default=False
        ),
    ] = None,
    pcap: PcapOption = None,
    record: RecordOption = None,
    threads: ThreadsOption = 0,
    _fast: FastBuildOption = None,
) -> None:
    """Open a shell (or run a command) inside a cluster's network.

    Without a name: the running cluster. With a file: boots that cluster first and ends it
    afterwards. A command to run follows `--`. Stations resolve by name.

    Examples: `kumi shell`, `kumi shell demo -- ping -c3 alice`,
    `kumi shell examples/demo.yaml -- ping -c3 alice`
    """
    from .shell import run

    raise typer.Exit(run(cluster, ctx.meta.get("after_dashes", []), pcap, record, threads))


@app.command()
def build(
    designs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Cluster files, node names or .sv files; default: every node in hw/node."
        ),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", help="NAME=VALUE of the top module.")
    ] = None,
    profile: Annotated[str, typer.Option(help="fast, test or trace.")] = "fast",
    _fast: FastBuildOption = None,
    json_: JsonOption = False,
) -> None:
    """Build node libraries into the cache.

    Examples: `kumi build examples/demo.yaml`, `kumi build udp_echo -p DATA_W=512`
    """
    from .build import run

    raise typer.Exit(run(designs or [], param or [], profile, json_))


@app.command()
def bench(
    name: Annotated[str | None, typer.Argument(help="Bench; default: list all benches.")] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Renew the kept figures; of one bench if named.")
    ] = False,
    quick: Annotated[
        bool, typer.Option(help="Measure the same figures in less than a minute.")
    ] = False,
    json_: JsonOption = False,
    write: Annotated[Path | None, typer.Option(help="Also write the figures to this file.")] = None,
    stale: Annotated[
        bool, typer.Option(help="List figures of an older tree; with --all renew only those.")
    ] = False,
    corpus: Annotated[
        Path | None, typer.Option(help="Folder of files to measure; only the bench gzip uses it.")
    ] = None,
) -> None:
    """Run benchmarks: simulated figures in cycles and bytes, and the simulator's own speed.

    Examples: `kumi bench`, `kumi bench udp --json`, `kumi bench --stale`
    """
    from .bench import run

    raise typer.Exit(run(name, all_, quick, json_, write, stale, corpus))


@app.command("gzip")
def gzip_(
    file: Annotated[Path, typer.Argument(help="File to compress.", metavar="FILE")],
    name: Annotated[
        str, typer.Option("--set", help="Parameter set: 1, 4, 8 (bytes a cycle) or best.")
    ] = "8",
    rtl: Annotated[
        bool, typer.Option("--rtl", help="Run the circuit too; it must give the same bytes.")
    ] = False,
    clock: Annotated[float, typer.Option(min=1, help="Clock in MHz for the rate.")] = 300.0,
    out: Annotated[Path | None, typer.Option(help="Keep the compressed file here.")] = None,
    json_: JsonOption = False,
) -> None:
    """Compress a file as the gzip engine does, and compare with gzip -1, -6 and -9.

    Examples: `kumi gzip book.txt`, `kumi gzip book.txt --rtl`, `kumi gzip book.txt --set best`
    """
    from .gzip import run

    raise typer.Exit(run(file, name, rtl, clock, out, json_))


@app.command()
def gunzip(
    file: Annotated[Path, typer.Argument(help="File to decompress.", metavar="FILE")],
    width: Annotated[int, typer.Option(help="Bits of the circuit's beats: 32, 64 or 128.")] = 64,
    clock: Annotated[float, typer.Option(min=1, help="Clock in MHz for the rate.")] = 300.0,
    out: Annotated[Path | None, typer.Option(help="Keep the contents here.")] = None,
    json_: JsonOption = False,
) -> None:
    """Decompress a gzip file with the circuit, in simulation; its cycles and its rate.

    Examples: `kumi gunzip book.gz`, `kumi gunzip book.gz --width 128 --out book.txt`
    """
    from .gzip import run_gunzip

    raise typer.Exit(run_gunzip(file, width, clock, out, json_))


@app.command()
def export(
    module: Annotated[
        str,
        typer.Argument(help="Module, with or without kumi_ (`axis_async_fifo`), or a .sv file."),
    ],
    folder: Annotated[
        Path, typer.Argument(help="New folder, or an earlier export.", metavar="DIR")
    ],
    to: Annotated[
        str, typer.Option("--to", help="vivado, quartus, fusesoc, bender, litex or flist.")
    ] = "flist",
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            help="NAME=VALUE of the module, or of its streams (DATA_W=512, "
            "s_axis.DATA_W=64); repeatable.",
        ),
    ] = None,
    clock: Annotated[
        list[str] | None,
        typer.Option("--clock", help="NAME=MHZ, for the constraints; 156.25 without."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder in use.")] = False,
) -> None:
    """Write a block with all it needs for another tool: sources, flat top, constraints, scripts.

    The folder needs nothing else of the project. Every clock crossing of the block is constrained
    (XDC and SDC).

    Examples: `kumi export axis_async_fifo --to vivado fifo`,
    `kumi export dma --to litex dma -p DATA_W=128`,
    `kumi export mac_xgmii --to quartus mac --clock tx_clk=312.5 --clock rx_clk=312.5`
    """
    from .export import run

    raise typer.Exit(run(module, to, folder, param or [], clock or [], force))


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def synth(ctx: typer.Context) -> None:
    """Synthesise a module or node: UltraScale+ cells, and clock rate on ECP5 after routing.

    Examples: `kumi synth udp_echo`, `kumi synth --all`
    """
    from .synth import run

    raise typer.Exit(run(ctx.args))


@app.command()
def doctor(
    fix: Annotated[bool, typer.Option(help="Install missing Debian packages.")] = False,
    json_: JsonOption = False,
) -> None:
    """Check this machine for everything needed, and print the command that installs the rest.

    Examples: `kumi doctor`, `kumi doctor --fix`
    """
    from .doctor import run

    raise typer.Exit(run(fix, json_))


@app.command()
def plan(
    request: Annotated[
        Path,
        typer.Argument(help="Plan request, or a finished plan to show.", metavar="REQUEST.yaml"),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the plan to this file (JSON).")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Plot it to this file (.svg, .png, .pdf).")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Plan circuits over serial links: routes and switch tables, or the reasons why none exist.

    Examples: `kumi plan examples/ring_plan.yaml --out plan.json --picture plan.svg`,
    `kumi plan plan.json` (shows and replays a plan)
    """
    from .plan import run

    raise typer.Exit(run(request, out, picture, json_))


@app.command()
def schema(
    write: Annotated[bool, typer.Option(help="Write docs/cluster.schema.json.")] = False,
    check: Annotated[
        Path | None, typer.Option(help="Check this cluster file instead; builds nothing.")
    ] = None,
) -> None:
    """Print the JSON schema of cluster files, or check a cluster file.

    Examples: `kumi schema > cluster.schema.json`, `kumi schema --check ring.yaml`
    """
    from .schema import run

    raise typer.Exit(run(write, check))
