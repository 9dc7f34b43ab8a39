# SPDX-License-Identifier: Apache-2.0
"""From a design to a node library in the cache."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kumihimo.build import cache, toolchain
from kumihimo.build.adapter import write_adapter
from kumihimo.build.compile import Progress, compile_all, link, verilate
from kumihimo.build.design import DesignInfo, ParamValue
from kumihimo.build.errors import BuildError
from kumihimo.build.expansion import expansion
from kumihimo.build.filelist import FileList, is_own
from kumihimo.build.lint import ERROR, Finding, lint, loops_in, own_loops
from kumihimo.build.monitors import monitor_file, monitor_text
from kumihimo.build.scan import Elaboration, resolve_design, scan


@dataclass(frozen=True)
class BuildResult:
    """A node library.

    `hash` names it in the cache; `design_hash` is of its sources and parameters only, so it is the
    same for every profile: it is what a recording remembers.
    """

    path: Path
    info: DesignInfo
    hash: str
    design_hash: str
    cached: bool
    seconds: float
    profile: str
    warnings: tuple[str, ...] = ()
    """What lint says of the user's own files, a text each (see `lint.Finding.show`)."""


made: list[tuple[str, float]] = []
"""(top, seconds) of each library that this process built: for the profile of a test run."""


def _quiet(_: str) -> None:
    pass


def _stamp(prof: toolchain.Profile) -> str:
    return cache.digest(
        "kumi-lib-1",
        prof.name,
        *prof.verilator,
        *prof.hot,
        *prof.cold,
        *prof.large,
        toolchain.verilator_stamp(),
        toolchain.quick_stamp(toolchain.compiler()),
        toolchain.runtime_hash(),
    )


def build(
    design: str | Path,
    params: Mapping[str, ParamValue] | None = None,
    profile: str = "fast",
    files: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    top: str | None = None,
    text: str | None = None,
    sources: FileList | None = None,
) -> BuildResult:
    """Build a node library, or find it in the cache.

    Args:
        design: a name (`udp_echo`) or the path of the top's file.
        params: values of the top's parameters.
        profile: fast, test, trace (see toolchain.PROFILES).
        files: more sources or `.f` lists, read before the top's own.
        defines: macro definitions.
        progress: called with a short text at each step.
        top: the module's name if it is not the file's name.
        text: source of a top that is on no disk; `sources` then holds what it instantiates.
        sources: further files.
    """
    start = time.monotonic()
    say = progress or _quiet
    values = dict(params or {})
    extra = [Path(f).resolve() for f in files]
    path = Path(design) if text is not None else resolve_design(design)
    own = text is None and is_own(path)
    prof = toolchain.profile(profile, own)
    stamp = _stamp(prof)
    request = json.dumps(
        [
            str(path),
            values,
            [str(f) for f in extra],
            dict(defines or {}),
            top,
            text,
            [str(f) for f in sources.files] if sources else [],
            prof.monitors,
        ],
        sort_keys=True,
    )
    manifest = cache.cache_root() / "manifest" / f"{cache.digest(stamp, request)[:40]}.json"
    found = _from_manifest(manifest)
    if found is not None:
        info, hash_, design_hash, warnings = found
        library = _library(hash_)
        if library.is_file():
            _remember(library, design_hash, profile)
            spent = time.monotonic() - start
            return BuildResult(library, info, hash_, design_hash, True, spent, profile, warnings)

    say("read")
    info = scan(path, values, extra, defines, top, text, sources)
    warnings, monitors = _examined(info, values) if text is None else ((), "")
    digests = {f: cache.file_digest(f) for f in sorted(set(info.read + info.files))}
    watch: tuple[str, ...] = ()
    if monitors and prof.monitors:
        watch = (monitors, str(monitor_file()))
        digests[watch[1]] = cache.file_digest(watch[1])
    design_hash = cache.digest(
        # Of all parameters: one that is given its default makes no other design.
        json.dumps({**values, **info.all_params}, sort_keys=True),
        json.dumps(info.defines, sort_keys=True),
        info.top,
        text or "",
        *(Path(f).name + digests[f] for f in info.files),
        *sorted(Path(f).name + digests[f] for f in info.read),
    )[:40]
    hash_ = _library_hash(stamp, design_hash, watch)
    library = _library(hash_)
    cached = library.is_file()
    if not cached:
        with cache.lock(f"lib-{hash_}"):
            cached = library.is_file()
            if not cached:
                began = time.monotonic()
                if prof.traced and _untraced(design_hash, watch, own).is_file():
                    say("again, for waveforms")
                large = _make(info, prof, values, design_hash, library, text, watch, say)
                warnings += (large,) if large else ()
                made.append((info.top, time.monotonic() - began))
    _remember(library, design_hash, profile)
    names = {"hash": hash_, "design_hash": design_hash}
    kept = {"files": digests, "info": info.to_json(), "warnings": list(warnings)}
    cache.write_json(manifest, {**names, **kept})
    spent = time.monotonic() - start
    return BuildResult(library, info, hash_, design_hash, cached, spent, profile, warnings)


def _examined(info: DesignInfo, params: dict[str, ParamValue]) -> tuple[tuple[str, ...], str]:
    """Lint's warnings on the user's own files, and the monitors of the user's kernels.

    A BuildError with all findings if one is an error.
    """
    if not any(is_own(file) for file in info.files):
        return (), ""
    sources = FileList(
        [Path(f) for f in info.files], [Path(d) for d in info.incdirs], dict(info.defines)
    )
    elab = Elaboration(info.top, sources, params, interfaces=True)
    warnings = _checked(info.top, lint(info.top, sources, params, loops=False, elab=elab))
    return warnings, monitor_text(elab)


def _checked(top: str, findings: list[Finding]) -> tuple[str, ...]:
    texts = tuple(finding.show() for finding in findings)
    if any(finding.severity == ERROR for finding in findings):
        raise BuildError(f"{top} has mistakes:", "\n".join(texts))
    return texts


def _library_hash(stamp: str, design_hash: str, watch: tuple[str, ...]) -> str:
    # Monitors do not change what the design does: a recording does not depend on them.
    return cache.digest(stamp, design_hash, *watch[:1], *map(cache.file_digest, watch[1:]))[:40]


def _untraced(design_hash: str, watch: tuple[str, ...], own: bool) -> Path:
    """The library without waveforms that clusters run."""
    return _library(_library_hash(_stamp(toolchain.profile("fast", own)), design_hash, watch))


def _library(hash_: str) -> Path:
    return cache.cache_root() / "lib" / hash_ / "node.so"


def _remember(library: Path, design_hash: str, profile: str) -> None:
    """Beside a library: what it is of, so that it is found when the sources have changed."""
    names = library.with_name("names.json")
    if not names.is_file():
        interface = toolchain.interface_version()
        cache.write_json(names, {"design": design_hash, "profile": profile, "interface": interface})


def _from_manifest(path: Path) -> tuple[DesignInfo, str, str, tuple[str, ...]] | None:
    data = cache.read_json(path)
    if not isinstance(data, dict):
        return None
    try:
        if any(cache.file_digest(f) != d for f, d in data["files"].items()):
            return None
        info = DesignInfo.from_json(data["info"])
        return info, str(data["hash"]), str(data["design_hash"]), tuple(data["warnings"])
    except (KeyError, TypeError, ValueError):
        return None


def _make(
    info: DesignInfo,
    prof: toolchain.Profile,
    params: dict[str, ParamValue],
    design_hash: str,
    library: Path,
    text: str | None,
    watch: tuple[str, ...],
    say: Progress,
) -> str:
    """Build the library; returns a warning if its C++ is out of proportion, or ""."""
    with cache.work_folder() as work:
        verilated = work / "verilated"
        verilated.mkdir()
        if text is not None:
            shell = work / f"{info.top}.sv"
            shell.write_text(text)
            info = replace(info, files=[*info.files, str(shell)])
        if watch:
            bound = work / "kumi_monitors.sv"
            bound.write_text(watch[0])
            info = replace(info, files=[*info.files, watch[1], str(bound)])
        say("verilate")
        log = verilate(info, prof, verilated, params)
        loops = loops_in(log)
        if text is None:
            _checked(info.top, own_loops(loops))
        scratch = work / "expansion"
        scratch.mkdir()
        large = expansion(info, prof, params, verilated, scratch) if text is None else ""
        if large:
            say(large)
        adapter = verilated / "adapter.cpp"
        adapter.write_text(
            write_adapter(info, prof.traced, "; ".join(loop.signals for loop in loops))
        )
        objects = compile_all(verilated, adapter, prof, design_hash, say)
        say("link")
        ready = work / "ready"
        ready.mkdir()
        link(objects, ready / "node.so", prof)
        (ready / "build.log").write_text(log)
        (ready / "adapter.cpp").write_text(adapter.read_text())
        cache.write_json(ready / "info.json", info.to_json())
        cache.install_folder(ready, library.parent)
    return large
