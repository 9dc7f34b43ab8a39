# SPDX-License-Identifier: Apache-2.0
"""The commands and their options. What they do is in the modules that they import when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand


class _CommandAfterDashes(TyperCommand):
    """What follows `--` is a command line of its own: options before it, and no guessing."""

    def parse_args(self, ctx, args):  # type: ignore[no-untyped-def]
        """Keep the part after `--` aside."""
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
    help="An FPGA cluster in simulation, on the real Linux network. Start with `kumi demo`.",
)
new_app = typer.Typer(
    no_args_is_help=True,
    help="Make something of your own to edit.\n\nExamples: `kumi new kernel shout`",
)
app.add_typer(new_app, name="new")
cluster_app = typer.Typer(
    no_args_is_help=True,
    help="Configure the boards of a cluster and look at them.\n\n"
    "Examples: `kumi cluster configure ring.yaml --plan plan.json`, `kumi cluster status`",
)
app.add_typer(cluster_app, name="cluster")

storage_app = typer.Typer(
    no_args_is_help=True,
    help="Arrays on disks of unequal speed, served as a network block device.\n\n"
    "Examples: `kumi storage create a.img b.img c.img --size 1G --redundancy single`, "
    "`kumi storage serve *.img --socket array.sock`",
)
app.add_typer(storage_app, name="storage")

ClusterArg = Annotated[Path, typer.Argument(help="Cluster file.", metavar="CLUSTER.yaml")]
PcapOption = Annotated[Path | None, typer.Option("--pcap", help="Write a pcapng capture here.")]
RecordOption = Annotated[
    Path | None, typer.Option("--record", help="Write a recording for `kumi replay` here.")
]
ThreadsOption = Annotated[
    int, typer.Option(min=0, help="Simulation threads; 0: one a core. The result is the same.")
]
DisksArg = Annotated[
    list[Path],
    typer.Argument(help="Disks: files or block devices, in any order.", metavar="DISK..."),
]
DegradedOption = Annotated[
    bool, typer.Option("--degraded", help="Start although disks are missing.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


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
    quick: Annotated[bool, typer.Option(help="A tenth of the traffic.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the capture and the recording.")] = Path(
        "kumi-out"
    ),
    threads: ThreadsOption = 0,
) -> None:
    """Boot a small cluster and let ordinary Linux programs use it.

    Four nodes on a switch, Linux at the end of a cable: ping, 10,000 UDP datagrams of 1 to 8,972
    bytes with every byte compared, ARP, and two nodes that play ping-pong.

    Examples: `kumi demo`, `kumi demo --quick`
    """
    from .demo import run

    raise typer.Exit(run(quick, out, threads))


@app.command()
def up(
    cluster: ClusterArg,
    pcap: PcapOption = None,
    record: RecordOption = None,
    stats: Annotated[
        Path | None, typer.Option(help="Write every counter as JSON at the end.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Stop at this simulated time.")] = None,
    threads: ThreadsOption = 0,
) -> None:
    """Run a cluster until Ctrl-C.

    Its Linux side is a private network; `kumi shell` in another terminal is a shell in there.

    Examples: `kumi up examples/demo.yaml`,
    `kumi up ring.yaml --pcap ring.pcapng --record ring.kumirec`
    """
    from .up import run

    raise typer.Exit(run(cluster, pcap, record, stats, until, threads))


@app.command(cls=_CommandAfterDashes)
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
) -> None:
    """Open a shell (or run a command) inside a cluster's network.

    Without a name: the cluster that runs. With a file: boots it first, and ends it afterwards.
    A command follows after `--`. Stations can be called by name in there.

    Examples: `kumi shell`, `kumi shell demo -- ping -c3 alice`,
    `kumi shell examples/demo.yaml -- ping -c3 alice`
    """
    from .shell import run

    raise typer.Exit(run(cluster, ctx.meta.get("after_dashes", []), pcap, record, threads))


@app.command()
def build(
    designs: Annotated[
        list[str] | None,
        typer.Argument(help="Cluster files, node names or .sv files; none: every node in hw/node."),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", help="NAME=VALUE of the top module.")
    ] = None,
    profile: Annotated[str, typer.Option(help="fast, test or trace.")] = "fast",
    json_: JsonOption = False,
) -> None:
    """Build node libraries into the cache.

    Examples: `kumi build examples/demo.yaml`, `kumi build udp_echo -p DATA_W=512`
    """
    from .build import run

    raise typer.Exit(run(designs or [], param or [], profile, json_))


@app.command()
def bench(
    name: Annotated[str | None, typer.Argument(help="Bench; none: show which there are.")] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Renew the kept figures; of one bench if named.")
    ] = False,
    quick: Annotated[bool, typer.Option(help="The same figures in under a minute.")] = False,
    json_: JsonOption = False,
    write: Annotated[Path | None, typer.Option(help="Also write the figures to this file.")] = None,
    stale: Annotated[
        bool, typer.Option(help="List figures of an older tree; with --all renew only those.")
    ] = False,
) -> None:
    """Measure: simulated figures in cycles and bytes, and the speed of the simulator itself.

    Examples: `kumi bench`, `kumi bench udp --json`, `kumi bench --stale`
    """
    from .bench import run

    raise typer.Exit(run(name, all_, quick, json_, write, stale))


@app.command()
def replay(
    recording: Annotated[Path, typer.Argument(help="Recording of `kumi up --record`.")],
    pcap: Annotated[Path | None, typer.Option("--pcap", help="Write the capture again.")] = None,
    trace: Annotated[
        list[str] | None, typer.Option(help="Node whose waveforms are wanted (FST); repeatable.")
    ] = None,
    from_: Annotated[str, typer.Option("--from", help="Waveforms from this simulated time.")] = "0",
    to: Annotated[
        str | None, typer.Option("--to", help="Waveforms until this simulated time.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the waveforms.")] = Path("."),
    cluster: Annotated[
        Path | None, typer.Option(help="Use this cluster file instead of the recorded one.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Replay although designs have changed.")] = False,
    threads: ThreadsOption = 0,
) -> None:
    """Run a recording again, bit for bit, without any network.

    Examples: `kumi replay demo.kumirec --pcap again.pcapng`,
    `kumi replay demo.kumirec --trace alice --from 10us --to 20us`
    """
    from .replay import run

    raise typer.Exit(run(recording, pcap, trace or [], from_, to, out, cluster, force, threads))


@app.command()
def export(
    module: Annotated[
        str, typer.Argument(help="Module, with or without kumi_: `axis_async_fifo`.")
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
    """Synthesise a module or node: UltraScale+ cells, and placed and routed ECP5 clock rate.

    Examples: `kumi synth udp_echo`, `kumi synth --all`
    """
    from .synth import run

    raise typer.Exit(run(ctx.args))


@app.command()
def report(
    files: Annotated[
        list[Path], typer.Argument(help="Captures (.pcapng) and counters (.json of `up --stats`).")
    ],
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Draw latency and rate here (.svg, .png).")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Latency and rate from the files of a run.

    Examples: `kumi report kumi-out/demo.pcapng --picture demo.svg`
    """
    from .report import run

    raise typer.Exit(run(files, picture, json_))


@app.command()
def doctor(
    fix: Annotated[bool, typer.Option(help="Install missing Debian packages.")] = False,
    json_: JsonOption = False,
) -> None:
    """Show what this machine has and lacks, and the one line that gets it.

    Examples: `kumi doctor`, `kumi doctor --fix`
    """
    from .doctor import run

    raise typer.Exit(run(fix, json_))


@app.command()
def plan(
    request: Annotated[
        Path, typer.Argument(help="Plan request, or a plan to show.", metavar="REQUEST.yaml")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Write the plan here (JSON).")] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Draw it here (.svg, .png, .pdf).")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Plan circuits over serial links: routes and switch tables, or why there are none.

    Examples: `kumi plan examples/ring_plan.yaml --out plan.json --picture plan.svg`,
    `kumi plan plan.json` (shows and replays a plan)
    """
    from .plan import run

    raise typer.Exit(run(request, out, picture, json_))


@cluster_app.command("configure")
def cluster_configure(
    cluster: ClusterArg,
    plan: Annotated[
        Path | None, typer.Option("--plan", help="Plan request, or a finished plan (.json).")
    ] = None,
    before: Annotated[
        Path | None, typer.Option("--from", help="Plan in force; change from it without a loss.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the plan that is in force then.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one board.")] = 30.0,
    parallel: Annotated[int, typer.Option(min=1, help="Boards at a time.")] = 64,
    stay: Annotated[
        bool, typer.Option("--stay", help="Then run the cluster until Ctrl-C.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Load designs, addresses and circuit tables into all boards at once, and read them back.

    A cluster that runs already is configured as it runs. A board that does not answer in time, or
    reads back something else, is named; the others go on.

    Examples: `kumi cluster configure examples/demo.yaml`,
    `kumi cluster configure ring.yaml --plan request.yaml --out plan.json --stay`,
    `kumi cluster configure ring.yaml --plan new.yaml --from plan.json`
    """
    from .cluster_cmd import run_configure

    raise typer.Exit(run_configure(cluster, plan, before, out, timeout, parallel, stay, json_))


@cluster_app.command("status")
def cluster_status(
    cluster: Annotated[
        str | None,
        typer.Argument(help="Name or file of a running cluster; none: the only one."),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", help="Circuit plan, to show its circuits.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one board.")] = 10.0,
    json_: JsonOption = False,
) -> None:
    """Show lanes, errors and circuits of a running cluster.

    Examples: `kumi cluster status`, `kumi cluster status ring --plan plan.json --json`
    """
    from .cluster_cmd import run_status

    raise typer.Exit(run_status(cluster, plan, timeout, json_))


@new_app.command("kernel")
def new_kernel(
    name: Annotated[str, typer.Argument(help="Name of the kernel: letters, digits, underscores.")],
    folder: Annotated[
        Path | None, typer.Option(help="Where; default: a folder of that name here.")
    ] = None,
) -> None:
    """Make a working kernel, its node, a cluster file and a test, in a folder of your own.

    Examples: `kumi new kernel shout`
    """
    from .new import run

    raise typer.Exit(run(name, folder))


@app.command()
def schema(
    write: Annotated[bool, typer.Option(help="Write docs/cluster.schema.json.")] = False,
    check: Annotated[
        Path | None, typer.Option(help="Check a cluster file instead; builds nothing.")
    ] = None,
) -> None:
    """Print the JSON schema of cluster files, or check a cluster file.

    Examples: `kumi schema > cluster.schema.json`, `kumi schema --check ring.yaml`
    """
    from .schema import run

    raise typer.Exit(run(write, check))


@storage_app.command("create")
def storage_create(
    disks: DisksArg,
    redundancy: Annotated[
        str, typer.Option(help="none, mirror, mirror3, single or double (parity).")
    ] = "none",
    size: Annotated[
        str | None, typer.Option(help="Make files of this size that are not there, e.g. 1G.")
    ] = None,
    width: Annotated[
        int, typer.Option(min=0, help="Chunks a stripe with parity; 0: the fastest.")
    ] = 0,
    chunk: Annotated[str, typer.Option(help="Bytes of a chunk, 4K to 4M.")] = "64K",
    spares: Annotated[
        int, typer.Option(min=0, help="Lost disks for which room is kept free on the others.")
    ] = 0,
    policy: Annotated[str, typer.Option(help="static or dynamic shares.")] = "dynamic",
    name: Annotated[str, typer.Option(help="Name of the export.")] = "array",
    test: Annotated[str, typer.Option(help="Bytes of the speed test a disk; 0: none.")] = "8M",
    force: Annotated[
        bool, typer.Option(help="Take disks of another array; what is on them is lost.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Test the speed of disks and make an array of them. What is on them is lost.

    Examples: `kumi storage create d0.img d1.img d2.img --size 1G`,
    `kumi storage create /dev/sd[b-i] --redundancy double --spares 1`
    """
    from .storage import run_create

    raise typer.Exit(
        run_create(disks, redundancy, size, width, chunk, spares, policy, name, test, force, json_)
    )


@storage_app.command("serve")
def storage_serve(
    disks: DisksArg,
    socket: Annotated[
        Path | None, typer.Option(help="Unix socket; none: a port on 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="TCP port; 0: any. Default 10809.")
    ] = None,
    degraded: DegradedOption = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Write nothing.")] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which a disk is given up.")
    ] = 60.0,
    late: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which others answer a disk's reads.")
    ] = 2.0,
    node: Annotated[
        bool, typer.Option("--node", help="Through the simulated storage node, in RTL. Slow.")
    ] = False,
    ports: Annotated[
        int, typer.Option(min=0, max=16, help="With --node: ports at least; 0: as few as fit.")
    ] = 0,
) -> None:
    """Serve an array over NBD until Ctrl-C. Its URI is printed.

    Examples: `kumi storage serve *.img --socket array.sock`, then
    `nbdinfo 'nbd+unix:///?socket=array.sock'`, `qemu-img info nbd://127.0.0.1:10809`.
    Through a node with room for more disks: `kumi storage serve *.img --node --ports 8`
    """
    from .storage import run_serve

    raise typer.Exit(
        run_serve(disks, socket, port, degraded, read_only, timeout, late, node, ports)
    )


@storage_app.command("status")
def storage_status(
    disks: DisksArg, degraded: DegradedOption = False, json_: JsonOption = False
) -> None:
    """Show an array: one of its disks is enough while it is served, else all.

    Examples: `kumi storage status d0.img`, `kumi storage status *.img --json`
    """
    from .storage import run_status

    raise typer.Exit(run_status(disks, degraded, json_))


@storage_app.command("fail")
def storage_fail(
    disks: DisksArg,
    device: Annotated[int, typer.Option(min=0, help="Number of the device.")],
    degraded: DegradedOption = False,
    json_: JsonOption = False,
) -> None:
    """Give a device up: the array goes on without it.

    Examples: `kumi storage fail d0.img --device 3`
    """
    from .storage import run_fail

    raise typer.Exit(run_fail(disks, device, degraded, json_))


@storage_app.command("replace")
def storage_replace(
    disks: DisksArg,
    device: Annotated[int, typer.Option(min=0, help="Number of the device that goes.")],
    new: Annotated[Path, typer.Option("--with", help="Disk that comes.")],
    size: Annotated[str | None, typer.Option(help="Make the file, e.g. 1G.")] = None,
    limit: Annotated[float, typer.Option(min=0, help="MB/s of the rebuild; 0: all.")] = 0.0,
    degraded: DegradedOption = False,
    force: Annotated[
        bool, typer.Option(help="Take a disk of another array; what is on it is lost.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Put another disk in, and rebuild what the old one had.

    In a node it goes into a free port; without one the old disk is pulled out first, if all can be
    read without it.

    Examples: `kumi storage replace d0.img --device 3 --with new.img --size 1G`
    """
    from .storage import run_replace

    raise typer.Exit(run_replace(disks, device, new, size, limit, degraded, force, json_))


@storage_app.command("scrub")
def storage_scrub(
    disks: DisksArg,
    limit: Annotated[float, typer.Option(min=0, help="MB/s; 0: all.")] = 0.0,
    degraded: DegradedOption = False,
    json_: JsonOption = False,
) -> None:
    """Read every chunk, check it against its checksum, and mend what is wrong.

    Examples: `kumi storage scrub d0.img --limit 50`
    """
    from .storage import run_scrub

    raise typer.Exit(run_scrub(disks, limit, degraded, json_))
