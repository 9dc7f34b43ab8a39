# SPDX-License-Identifier: Apache-2.0
"""`kumi new`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from ..common import topology
from ..common.errors import KumiError
from ..ib import topology as fabrics
from ..scaffold import new_card, new_experiment, new_kernel, new_node
from ..scaffold.cluster import Wiring, cluster_text
from .console import out


def _command(name: str) -> str:
    """How to call a program of this installation: by its name if it is on the path."""
    here = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    if found and Path(found).parent == here.parent:
        return name
    return os.path.relpath(here) if here.is_relative_to(Path.cwd()) else str(here)


def _report(files: Iterable[Path], *lines: str) -> int:
    for file in files:
        out.print(f"wrote {file}")
    if lines:
        out.print("\n".join(["Now:", *(f"  {line}" for line in lines)]), soft_wrap=True)
    return 0


def run_kernel(name: str, folder: Path | None, kinds: list[str]) -> int:
    """Write a kernel's files and print the next commands."""
    if len(kinds) > 1:
        options = " and ".join(f"--{kind}" for kind in kinds)
        raise KumiError(f"{options} cannot be combined.", "Take one of them.", 2)
    kind = kinds[0] if kinds else "udp"
    place = folder or Path(name)
    files = new_kernel(name, place, kind)
    edited = f"{place / f'{name}.sv'}"
    again = [f"{_command('kumi')} new regs {place / f'{name}.rdl'}    # after editing it"]
    return _report(
        files,
        f"{_command('kumi')} shell {place / f'{name}.yaml'} -- ping -c 3 {name}",
        f"{_command('python')} -m pytest {place}",
        f"edit {edited} and run them again",
        *(again if kind == "regs" else ()),
    )


def run_node(name: str, folder: Path | None) -> int:
    """Write a node's files and print the next commands."""
    place = folder or Path(name)
    return _report(
        new_node(name, place),
        f"{_command('python')} -m pytest {place}",
        f"edit {place / f'kumi_node_{name}_core.sv'} and run it again",
    )


def run_card(name: str, folder: Path | None) -> int:
    """Write a card's files and print the next commands."""
    place = folder or Path(name)
    return _report(
        new_card(name, place),
        f"{_command('python')} -m pytest {place}",
        f"edit {place / f'{name}.sv'} and run it again",
    )


def run_fabric(shape: str, size: str, hosts: int | None, model: bool, file: Path | None) -> int:
    """Write the cluster file of a fabric and print the next commands."""
    made = fabrics.make(shape, topology.sizes(size), hosts)
    place = _new_file(file, shape)
    place.write_text(fabrics.fabric_text(made, "model" if model else "rtl"), encoding="utf-8")
    count = f"{len(made.switches)} switches, {len(made.hosts)} endpoints, {len(made.cables)} cables"
    out.print(count)
    return _report([place], f"{_command('kumi')} up {place}", f"{_command('kumi')} ib")


def _new_file(file: Path | None, shape: str) -> Path:
    place = file or Path(f"{shape}.yaml")
    if place.exists():
        raise KumiError(f"{place} is there already.", "Name another with --file.", 2)
    return place


def run_cluster(shape: str, size: str, hosts: int | None, wiring: Wiring, file: Path | None) -> int:
    """Write the cluster file of many equal boards and print the next commands."""
    place = _new_file(file, shape)
    made = topology.make(shape, topology.sizes(size), 0 if wiring.links else hosts)
    place.write_text(cluster_text(made, wiring, place.parent), encoding="utf-8")
    boards = len(made.switches if wiring.links else made.hosts)
    switches = 0 if wiring.links else len(made.switches)
    out.print(f"{boards} boards, {switches} switches, {len(made.cables)} cables")
    plan = f"{_command('kumi')} up {place} --ranks 2 --plan"
    return _report([place], f"{_command('kumi')} up {place}", plan)


def run_experiment(name: str, folder: Path | None) -> int:
    """Write an experiment's files and print the next commands."""
    place = folder or Path(name)
    return _report(
        new_experiment(name, place),
        f"{_command('python')} -m pytest {place}",
        f"edit {place / f'{name}.yaml'} and {place / f'{name}.py'} and run it again",
    )


def run_regs(file: Path) -> int:
    """Generate a register block."""
    from ..regs.own import generate_block

    return _report(generate_block(file))
