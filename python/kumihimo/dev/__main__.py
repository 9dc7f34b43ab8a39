# SPDX-License-Identifier: Apache-2.0
"""`python -m kumihimo.dev formal|lint|manifests|nodes|pages|proofs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from kumihimo.build import flat
from kumihimo.common import ending
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root
from kumihimo.dev import diagram
from kumihimo.dev import formal as proofs
from kumihimo.dev import lint as linters
from kumihimo.dev import pages as pages_of
from kumihimo.dev.files import project_files
from kumihimo.dev.stubs import write_stubs
from kumihimo.dev.wrap import wrap_file
from kumihimo.export import manifests

app = typer.Typer(add_completion=False, no_args_is_help=True)
_err = Console(stderr=True)


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=_err,
        transient=True,
    )


@app.command("formal")
def formal(
    names: Annotated[list[str] | None, typer.Argument(help="Parts of proof names.")] = None,
    jobs: Annotated[int, typer.Option(help="Proofs at a time.", min=1, max=8)] = 2,
    fresh: Annotated[bool, typer.Option(help="Run again what passed before.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds a proof may take.")] = proofs.TIMEOUT,
) -> None:
    """Run the proofs of formal/, two at a time; passes are remembered."""
    found = proofs.discover(project_root(), names or [])
    if not found:
        raise KumiError("no such proof.", "Proofs are formal/**/*.sby; names are parts of them.")
    runner = proofs.Runner(jobs, fresh, timeout)
    outcomes = []
    with _bar() as bar:
        task = bar.add_task("proofs", total=len(found))
        try:
            for proof in found:
                runner.start(proof, lambda _: bar.advance(task))
            for proof in found:
                outcomes.append(runner.result(proof))
        finally:
            runner.close()
    grid = Table(title=f"{len(found)} proofs", title_justify="left")
    for name in ("proof", "mode", "result"):
        grid.add_column(name)
    for name in ("depth", "asserts", "covers", "seconds"):
        grid.add_column(name, justify="right")
    for one in outcomes:
        colour = "green" if one.passed else "red"
        text = f"[{colour}]{one.status}[/]" + (" [dim](as before)[/]" if one.cached else "")
        numbers = (str(one.depth), str(one.asserts), str(one.covers), f"{one.seconds:.1f}")
        grid.add_row(one.name, one.mode, text, *numbers)
    Console(file=sys.stdout).print(grid)
    failed = [o for o in outcomes if not o.passed]
    for one in failed:
        _err.print(f"[red]{one.name}: {one.status}[/]", highlight=False)
        _err.print(one.detail, markup=False, highlight=False)
    if failed:
        raise typer.Exit(1)


@app.command("proofs")
def proof_list() -> None:
    """Write the list of proofs into formal/README.md, from the comments in their files."""
    print("written" if proofs.fill_readme(project_root()) else "nothing changed")


@app.command("nodes")
def nodes(
    cores: Annotated[
        list[Path] | None, typer.Argument(help="kumi_node_NAME_core.sv files.")
    ] = None,
) -> None:
    """Write the flat tops of nodes from their cores; without files those of hw/node."""
    written = [flat.write_beside(core) for core in cores] if cores else flat.write_all()
    for path in written:
        print(path)


@app.command("pages")
def pages() -> None:
    """Write docs/modules.md from the headers of hw/, and the pictures of docs/diagrams."""
    root = project_root()
    written = [pages_of.MODULES_PAGE] if pages_of.write_modules(root) else []
    written += [path.relative_to(root) for path in diagram.write_all(root)]
    print("\n".join(f"{path}: written" for path in written) or "nothing changed")


@app.command("wrap")
def wrap(
    files: Annotated[list[Path] | None, typer.Argument(help="Markdown pages; all if none.")] = None,
) -> None:
    """Wrap the prose of Markdown pages at 110 columns."""
    root = project_root()
    known = files or [p for p in project_files(root) if p.suffix == ".md"]
    changed = [str(path) for path in known if wrap_file(path)]
    print("\n".join(changed) or "nothing changed")


@app.command("stubs")
def stubs() -> None:
    """Write the type stubs of the compiled modules (_engine.pyi, _storage.pyi)."""
    changed = write_stubs(project_root())
    print("\n".join(str(path) for path in changed) or "nothing changed")


@app.command("manifests")
def write_manifests() -> None:
    """Write kumihimo.core and Bender.yml at the root, from the sources of hw/."""
    changed = manifests.write(project_root())
    print(f"written: {', '.join(changed)}" if changed else "nothing changed")


@app.command("lint")
def lint(
    names: Annotated[list[str] | None, typer.Argument(help="Linters; all when none.")] = None,
    jobs: Annotated[int, typer.Option(help="Checks at a time.", min=1, max=8)] = 2,
    fresh: Annotated[bool, typer.Option(help="Check again what was clean before.")] = False,
) -> None:
    """Style, lint and types of all languages; clean results are remembered."""
    root = project_root()
    wanted = names or list(linters.LINTERS)
    for name in wanted:
        if name not in linters.LINTERS:
            raise KumiError(f'no linter "{name}".', f"Known: {', '.join(linters.LINTERS)}.")
    failed = False
    grid = Table(title="lint", title_justify="left")
    for column in ("linter", "result"):
        grid.add_column(column)
    grid.add_column("checked", justify="right")
    grid.add_column("seconds", justify="right")
    reports = []
    with _bar() as bar:
        task = bar.add_task("", total=len(wanted))
        for name in wanted:
            bar.update(task, description=name)
            reports.append(linters.run(name, root, jobs, fresh))
            bar.advance(task)
    for report in reports:
        text = "[green]clean[/]" if report.clean else f"[red]{len(report.findings)} findings[/]"
        grid.add_row(report.name, text, str(report.checked), f"{report.seconds:.1f}")
        failed |= not report.clean
    Console(file=sys.stdout).print(grid)
    for report in reports:
        if report.note:
            print(report.note)
        for finding in report.findings:
            _err.print(f"{report.name}: {finding}", markup=False, highlight=False)
    if failed:
        raise typer.Exit(1)


def main() -> None:
    """Entry point: errors meant for people, no tracebacks."""
    ending.prepare()
    try:
        app()
    except KumiError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(problem.code)


if __name__ == "__main__":
    main()
