# SPDX-License-Identifier: Apache-2.0
"""Style and lint checks of every language, one function a linter, clean results remembered."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from kumihimo.build import flat
from kumihimo.build.cache import cache_root, digest, file_digest
from kumihimo.common import tools
from kumihimo.dev import diagram, house, hw
from kumihimo.dev import pages as documentation
from kumihimo.dev.arrows import package_cycles
from kumihimo.dev.files import project_files
from kumihimo.dev.stubs import MODULES, stale_stubs
from kumihimo.synth.tools import command

VERIBLE = ("--verify", "--column_limit=100", "--indentation_spaces=2")
CXX_SUFFIXES = {".cpp", ".hpp", ".h", ".cc"}
HOST_PATH = re.compile(r"(?<![\w.])/(?:home/[a-z]\w*/|Users/\w+/|root/\.)|PosixPath\('/")


@dataclass
class Report:
    """What a linter found; no findings means clean."""

    name: str
    checked: int = 0
    findings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""  # shown with the result, whatever it is

    @property
    def clean(self) -> bool:
        """Whether there is nothing to mend."""
        return not self.findings


@dataclass
class Context:
    """The project, and how to run; `every`: modules at all their parameter sets."""

    root: Path
    jobs: int = 2
    fresh: bool = False
    every: bool = True

    def known_clean(self, key: str) -> bool:
        """Whether this content was clean before."""
        return not self.fresh and (cache_root() / "lint" / key[:32]).is_file()

    def remember(self, key: str) -> None:
        """This content is clean."""
        place = cache_root() / "lint" / key[:32]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()


def _hand_written(path: Path) -> bool:
    return "generated" not in path.parts


def _tool(words: Sequence[str], root: Path) -> tuple[int, str]:
    done = tools.run([command(words[0]), *words[1:]], cwd=root)
    return done.returncode, (done.stdout + done.stderr).strip()


def _each(context: Context, items: Sequence[Path], check: Callable[[Path], list[str]]) -> list[str]:
    with ThreadPoolExecutor(max_workers=context.jobs) as pool:
        return [finding for found in pool.map(check, items) for finding in found]


def verible(context: Context) -> Report:
    """Layout of SystemVerilog: `verible-verilog-format`, 100 columns, two spaces."""
    files = [p for p in project_files(context.root) if p.suffix in (".sv", ".svh")]
    files = [p for p in files if _hand_written(p)]

    def check(path: Path) -> list[str]:
        key = digest("verible", *VERIBLE, file_digest(path))
        if context.known_clean(key):
            return []
        code, text = _tool(["verible-verilog-format", *VERIBLE, str(path)], context.root)
        if code == 0:
            context.remember(key)
            return []
        where = path.relative_to(context.root)
        if "Needs formatting" in text or not text:
            return [f"{where}: not laid out; run verible-verilog-format --inplace on it"]
        return [f"{where}: {text}"]

    return Report("verible", len(files), _each(context, files, check))


def headers(context: Context) -> Report:
    """Licence line; a file is one module, package or interface of its own name, prefix kumi_."""
    findings = []
    coded = {".sv", ".svh", ".py", ".rdl", ".sby", *CXX_SUFFIXES}
    files = [p for p in project_files(context.root) if p.suffix in coded]
    for path in files:
        where = path.relative_to(context.root)
        text = path.read_text(errors="replace")
        if text.strip() and not any("SPDX-License-Identifier: " in x for x in text.split("\n")[:3]):
            findings.append(f"{where}:1: no SPDX licence line")
        if path.suffix == ".sv" and where.parts[0] == "hw":
            findings += hw.header_findings(path, where, text)
    return Report("headers", len(files), findings)


def filelists(context: Context) -> Report:
    """No file list in hw/: the builder derives them, so a list could only be wrong."""
    lists = sorted((context.root / "hw").rglob("*.f"))
    found = [f"{p.relative_to(context.root)}: a file list; lists are derived" for p in lists]
    return Report("filelists", len(lists), found)


def slang(context: Context) -> Report:
    """Every module of hw/ elaborates from the sources derived for it, at each set."""
    return _modules(context, "slang", hw.slang_findings)


def verilator(context: Context) -> Report:
    """Verilator -Wall on every module of hw/, inside its shell, at each parameter set.

    Some modules of a room are read together; only where that says anything, one by one.
    """
    rooms: dict[Path, list[hw.Target]] = {}
    for target in hw.targets(context.root, context.every):
        if not context.known_clean(_key("verilator", target)):
            rooms.setdefault(target.path.parent, []).append(target)

    def check(targets: Sequence[hw.Target]) -> None:
        if hw.verilator_clean(targets):
            for target in targets:
                context.remember(_key("verilator", target))

    # More together costs more than it saves: the optimiser's time grows faster than its input.
    batches = [room[i : i + 6] for room in rooms.values() for i in range(0, len(room), 6)]
    with ThreadPoolExecutor(max_workers=context.jobs) as pool:
        list(pool.map(check, batches))
    return _modules(context, "verilator", hw.verilator_findings)


def _key(name: str, target: hw.Target) -> str:
    return digest(name, str(target.every), hw.target_digest(target))


def _modules(
    context: Context, name: str, check_one: Callable[[hw.Target], list[str]]
) -> Report:  # fmt: skip
    targets = hw.targets(context.root, context.every)
    failed: list[str] = []

    def check(target: hw.Target) -> list[str]:
        key = _key(name, target)
        if context.known_clean(key):
            return []
        found = check_one(target)
        if not found:
            context.remember(key)
        return found

    with ThreadPoolExecutor(max_workers=context.jobs) as pool:
        for found in pool.map(check, targets):
            failed += found
    return Report(name, len(targets), failed)


def ruff(context: Context) -> Report:
    """Python: lint and layout."""
    findings = []
    files = [p for p in project_files(context.root) if p.suffix == ".py"]
    if not files:
        return Report("ruff")
    shared = ["--force-exclude", "--output-format=concise", *(str(p) for p in files)]
    code, text = _tool(["ruff", "check", *shared], context.root)
    if code:
        findings += [x for x in text.splitlines() if re.match(r"\S+:\d+:", x)] or [text]
    code, text = _tool(["ruff", "format", "--check", *shared], context.root)
    if code:
        findings += [x for x in text.splitlines() if ": unformatted:" in x] or [text]
    return Report("ruff", len(files), findings)


def mypy(context: Context) -> Report:
    """Python: types."""
    code, text = _tool(["mypy"], context.root)
    findings = [x for x in text.splitlines() if ": error:" in x] or [text] if code else []
    files = [p for p in project_files(context.root) if p.suffix == ".py" and "python" in p.parts]
    return Report("mypy", len(files), findings)


def clang_format(context: Context) -> Report:
    """C++: layout."""
    files = [p for p in project_files(context.root) if p.suffix in CXX_SUFFIXES]
    files = [p for p in files if _hand_written(p)]
    findings = []
    if files:
        words = ["clang-format", "--dry-run", "-Werror", *(str(p) for p in files)]
        code, text = _tool(words, context.root)
        lines = [x for x in text.splitlines() if ": error:" in x]
        findings = lines or [text] if code else []
    prefix = f"{context.root}/"
    return Report("clang-format", len(files), [x.removeprefix(prefix) for x in findings])


def paths(context: Context) -> Report:
    """No file names a folder of the machine it was written on."""
    findings = []
    files = project_files(context.root)
    for path in files:
        where = path.relative_to(context.root)
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        own = str(context.root) + "/"
        for number, line in enumerate(text.splitlines(), 1):
            if own in line or HOST_PATH.search(line):
                findings.append(f"{where}:{number}: names a path of this machine")
    return Report("paths", len(files), findings)


def pages(context: Context) -> Report:
    """Links between pages hold; the list of modules and the diagrams are current."""
    found = documentation.link_findings(context.root)
    listing = context.root / documentation.MODULES_PAGE
    if listing.is_file() and listing.read_text() != documentation.modules_page(context.root):
        found.append(f"{documentation.MODULES_PAGE}: not current; run `kumihimo.dev pages`")
    for picture, _ in diagram.stale(context.root):
        where = picture.relative_to(context.root)
        found.append(f"{where}: not the picture of its .yaml; run `kumihimo.dev pages`")
    return Report("pages", len(documentation.pages(context.root)), found)


def nodes(context: Context) -> Report:
    """The generated flat tops of nodes are what their cores give."""
    tops = list((context.root / flat.FLAT).glob("*.sv"))
    return Report("nodes", len(tops), flat.stale(context.root))


def arrows(context: Context) -> Report:
    """Dependencies of hw/ follow its layers; no packages import each other."""
    found = house.forbidden_arrows(context.root)
    found += package_cycles(context.root / "python" / "kumihimo")
    names = house.references(context.root)
    return Report("arrows", len(names), found, note=house.matrix(context.root))


def stubs(context: Context) -> Report:
    """Type stubs of the compiled modules are current."""
    return Report("stubs", len(MODULES), stale_stubs(context.root))


def types(context: Context) -> Report:
    """No type name of hw/ is defined in two files."""
    twice = house.types_twice(context.root)
    found = [f"{name}: defined in {', '.join(map(str, where))}" for name, where in twice.items()]
    return Report("types", len(list((context.root / "hw").rglob("*.sv"))), found)


def lengths(context: Context) -> Report:
    """No hand-written source file is longer than 600 lines."""
    known = house.source_lengths(context.root, project_files(context.root))
    found = [f"{path}: {n} lines" for path, n in known.items() if n > house.LONGEST_SOURCE]
    return Report("lengths", len(known), found)


def prose(context: Context) -> Report:
    """Markdown and comments end within 110 columns."""
    files = project_files(context.root)
    return Report("prose", len(files), house.long_prose(context.root, files))


LINTERS: dict[str, Callable[[Context], Report]] = {
    "headers": headers,
    "paths": paths,
    "filelists": filelists,
    "pages": pages,
    "nodes": nodes,
    "arrows": arrows,
    "stubs": stubs,
    "types": types,
    "lengths": lengths,
    "prose": prose,
    "verible": verible,
    "slang": slang,
    "verilator": verilator,
    "ruff": ruff,
    "mypy": mypy,
    "clang-format": clang_format,
}


def run(name: str, root: Path, jobs: int = 2, fresh: bool = False, every: bool = True) -> Report:
    """Run one linter; without `every`, modules at their first and last parameter sets only."""
    started = time.monotonic()
    report = LINTERS[name](Context(root, jobs, fresh, every))
    report.seconds = time.monotonic() - started
    return report
