# SPDX-License-Identifier: Apache-2.0
"""`kumi bisect`: the commit, or the design, with which a recording begins to come out otherwise.

Each subject is a cluster file, or a commit of the repository that the recorded cluster file is in.
A commit is checked out beside the repository (a git worktree); of the project itself, its hardware
sources are used too. A subject is replayed by a process of its own.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common import tools
from ..common.errors import KumiError
from . import console, difference
from .replaying import Replayer
from .up import prepare_outputs


@dataclass(frozen=True)
class Subject:
    """What is replayed: a name to show, a cluster file, and where the project's sources are."""

    name: str
    file: Path
    home: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a subject: the digest of its replay, or why there is none."""

    digest: str
    problem: str = ""


class _Bench:
    """Replays subjects into a folder, each once."""

    def __init__(self, recording: Path, folder: Path, threads: int) -> None:
        self._recording, self._folder, self._threads = recording, folder, threads
        self._done: dict[str, Outcome] = {}

    def capture(self, subject: Subject) -> Path:
        return self._folder / f"{subject.name.replace('/', '_')}.pcapng"

    def _kumi(self, subject: Subject, *words: str) -> tuple[int, str, str]:
        environment = dict(os.environ)
        if subject.home is not None:
            environment["KUMI_HOME"] = str(subject.home)
        done = tools.run(
            [
                *(sys.executable, "-m", "kumihimo.cli", "replay", self._recording),
                *("--cluster", subject.file, "--force", "--no-compare"),
                *("--threads", str(self._threads), *words),
            ],
            env=environment,
        )
        return done.returncode, done.stdout, done.stderr

    def outcome(self, subject: Subject) -> Outcome:
        if subject.name not in self._done:
            with console.err.status(f"replaying {subject.name}"):
                words = ("--json", "--pcap", str(self.capture(subject)))
                _, printed, said = self._kumi(subject, *words)
            try:
                outcome = Outcome(str(json.loads(printed)["digest"]))
            except (ValueError, KeyError, TypeError):
                outcome = Outcome("", (said.strip().splitlines() or ["no answer"])[-1])
            self._done[subject.name] = outcome
            text = outcome.problem or f"digest {outcome.digest}"
            console.err.print(f"{subject.name}: {text}", markup=False, soft_wrap=True)
        return self._done[subject.name]

    def waves(self, subject: Subject, node: str, span: tuple[int, int], out: Path) -> None:
        place = out / subject.name.replace("/", "_")
        words = ("--trace", node, "--from", f"{span[0]}ps", "--to", f"{span[1]}ps")
        self._kumi(subject, *words, "--out", str(place))
        if (place / f"{node}.fst").is_file():
            console.err.print(f"wrote {place / node}.fst")


def first_bad(
    subjects: Sequence[Subject], judge: Callable[[Subject], bool | None]
) -> tuple[int, int]:
    """Numbers of the last good and the first bad subject, of which the first is good, the last bad.

    `judge` says good, bad, or None where that cannot be told; those between are passed over.
    """
    good, bad = 0, len(subjects) - 1
    unknown: set[int] = set()
    while True:
        middle = [i for i in range(good + 1, bad) if i not in unknown]
        if not middle:
            return good, bad
        at = min(middle, key=lambda i: abs(i - (good + bad) / 2))
        verdict = judge(subjects[at])
        if verdict is None:
            unknown.add(at)
        elif verdict:
            good = at
        else:
            bad = at


def _git(folder: Path, *words: str) -> str:
    done = tools.run(["git", "-C", folder, *words])
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["it failed"])[-1]
        raise KumiError(f"git {words[0]}: {said}", code=2)
    return done.stdout.strip()


class _Commits:
    """Commits of a repository, checked out on demand."""

    def __init__(self, file: Path, folder: Path) -> None:
        place = file.parent
        if not place.is_dir():
            raise KumiError(f"The recorded cluster file {file} is gone.", "Give two files.", 2)
        self._root = Path(_git(place, "rev-parse", "--show-toplevel"))
        self._inside = file.resolve().relative_to(self._root.resolve())
        self._folder = folder
        self._made: list[Path] = []

    def list(self, good: str, bad: str) -> list[str]:
        """The good commit, and those after it up to the bad one, oldest first."""
        first = _git(self._root, "rev-parse", "--short=10", f"{good}^{{commit}}")
        after = _git(self._root, "rev-list", "--reverse", "--first-parent", f"{good}..{bad}")
        if not after:
            raise KumiError(f"No commit lies between {good} and {bad}.", "The good one first.", 2)
        return [first, *(line[:10] for line in after.splitlines())]

    def subject(self, commit: str) -> Subject:
        place = self._folder / f"tree-{commit}"
        if not place.exists():
            _git(self._root, "worktree", "add", "--detach", "--force", str(place), commit)
            self._made.append(place)
        mine = (place / "hw" / "include" / "kumi_assert.svh").is_file()
        return Subject(commit, place / self._inside, place if mine else None)

    def title(self, commit: str) -> str:
        return _git(self._root, "log", "-1", "--format=%h %s", commit)

    def close(self) -> None:
        for place in self._made:
            _git(self._root, "worktree", "remove", "--force", str(place))


def run(recording: Path, good: str, bad: str, out: Path, threads: int, as_json: bool) -> int:
    """Find the first commit, or compare two designs. Exit 1 if they differ."""
    replayer = Replayer(recording, None, threads)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        bench = _Bench(recording.resolve(), folder, threads)
        if good.endswith((".yaml", ".yml")) and bad.endswith((".yaml", ".yml")):
            subjects = [Subject(text, Path(text).resolve()) for text in (good, bad)]
            return _report(bench, subjects, replayer, out, as_json, lambda s: s.name)
        commits = _Commits(Path(replayer.data["file"]), folder)
        try:
            names = commits.list(good, bad)
            ends = [commits.subject(names[0]), commits.subject(names[-1])]
            if not _differ(bench, ends):
                return _report(bench, ends, replayer, out, as_json, lambda s: s.name)
            expected = bench.outcome(ends[0]).digest

            def judge(subject: Subject) -> bool | None:
                outcome = bench.outcome(commits.subject(subject.name))
                return None if outcome.problem else outcome.digest == expected

            every = [Subject(name, Path()) for name in names]
            before, first = first_bad(every, judge)
            pair = [commits.subject(names[before]), commits.subject(names[first])]
            return _report(
                bench, pair, replayer, out, as_json, lambda s: commits.title(s.name), first - before
            )
        finally:
            commits.close()


def _differ(bench: _Bench, pair: Sequence[Subject]) -> bool:
    outcomes = [bench.outcome(subject) for subject in pair]
    for subject, outcome in zip(pair, outcomes, strict=True):
        if outcome.problem:
            raise KumiError(f"{subject.name} cannot be replayed: {outcome.problem}")
    return outcomes[0].digest != outcomes[1].digest


def _report(
    bench: _Bench,
    pair: Sequence[Subject],
    replayer: Replayer,
    out: Path,
    as_json: bool,
    title: Callable[[Subject], str],
    steps: int = 1,
) -> int:
    told: dict[str, Any] = {"good": pair[0].name, "bad": pair[1].name, "difference": None}
    differ = _differ(bench, pair)
    told["equal"] = not differ
    if not differ:
        console.err.print(f"[green]No difference[/]: {pair[0].name} and {pair[1].name}")
    else:
        text = "The first that differs" if steps == 1 else f"The first of {steps} that may differ"
        console.err.print(f"[red]{text}[/]: {title(pair[1])}", soft_wrap=True)
        found = difference.compare(bench.capture(pair[0]), bench.capture(pair[1]))
        if found is None:
            console.err.print("No frame differs; registers, memories or lanes do.")
        else:
            difference.show(found, replayer.plan, ("good", "bad"))
            told["difference"] = difference.document(found, replayer.plan)
            if who := difference.sender(replayer.plan, found.packet):
                prepare_outputs(out / "x")
                for subject in pair:
                    bench.waves(subject, who, difference.window(found), out)
    if as_json:
        print(json.dumps(told))
    return 1 if differ else 0
