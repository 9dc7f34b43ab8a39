# SPDX-License-Identifier: Apache-2.0
"""`kumi kernel`: OpenCL kernels to RTL, natively, and what became of their loops."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import JsonOption, app

kernel_app = typer.Typer(
    no_args_is_help=True,
    help="OpenCL kernels: build them as RTL, emulate them, report their loops.\n\n"
    "Examples: `kumi kernel build sum.cl`, `kumi kernel report sum.cl`",
)
app.add_typer(kernel_app, name="kernel")
FileArg = Annotated[Path, typer.Argument(help="OpenCL source.", metavar="FILE.cl")]
MhzOption = Annotated[float, typer.Option(min=1, help="Clock to schedule for.")]
RelaxedOption = Annotated[
    bool,
    typer.Option(
        "-cl-fast-relaxed-math",
        "-cl-unsafe-math-optimizations",
        help="Sums of float may be done in another order: one number a cycle.",
    ),
]


@kernel_app.command("build")
def build(
    file: FileArg,
    out: Annotated[
        Path | None, typer.Option(help="Target folder; default: one named like the file.")
    ] = None,
    mhz: MhzOption = 125.0,
    relaxed: RelaxedOption = False,
) -> None:
    """Write SystemVerilog, registers and a node of the kernels of a file.

    Examples: `kumi kernel build sum.cl`, `kumi kernel build sum.cl --mhz 150 --out rtl`
    """
    from .kernel import run_build

    raise typer.Exit(run_build(file, out, mhz, relaxed))


@kernel_app.command("report")
def report(
    file: FileArg,
    mhz: MhzOption = 125.0,
    relaxed: RelaxedOption = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with the source beside.", metavar="FILE")
    ] = None,
    measured: Annotated[
        list[str] | None,
        typer.Option(help="KERNEL=CYCLES,STALLS of a run, for the page; repeatable."),
    ] = None,
    synth: Annotated[
        bool,
        typer.Option(
            "--synth", help="Cells and clock of each kernel as well (kumi synth): minutes."
        ),
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Show each loop with its initiation interval, what limits it, and its accesses.

    Examples: `kumi kernel report sum.cl`, `kumi kernel report sum.cl --synth --html sum.html`
    """
    from .kernel import run_report

    raise typer.Exit(run_report(file, mhz, relaxed, json_, html, measured or [], synth))


@kernel_app.command("emulate")
def emulate(
    file: FileArg,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            help="KERNEL or KERNEL:ARG=VALUE,...; a VALUE is a number or @FILE, a buffer that "
            "the kernel may change; repeatable. Default: all kernels without arguments.",
        ),
    ] = None,
    input_: Annotated[
        list[str] | None,
        typer.Option("--input", help="CHANNEL=NUMBER,NUMBER,... or CHANNEL=@FILE; repeatable."),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds.")] = 10.0,
    json_: JsonOption = False,
) -> None:
    """Run the kernels natively and show the words that leave by channels.

    A deadlock is reported with the kernel, the channel and the line of each wait.

    Examples: `kumi kernel emulate sum.cl --run sum:n=3 --input IN=1,2,3`
    """
    from .kernel import run_emulate

    raise typer.Exit(run_emulate(file, run or [], input_ or [], timeout, json_))
