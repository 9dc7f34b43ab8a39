# SPDX-License-Identifier: Apache-2.0
"""The runs of a sweep: every combination of the values, each repeated with other seeds.

A path leads into the cluster file (`clusterfile.override`), or is `arg.NAME`: a word of the
command, which says `{arg.NAME}` where it wants the value (`{cable.loss}` and `{seed}` likewise).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..common.errors import KumiError

ARGUMENT = "arg."


@dataclass(frozen=True)
class Point:
    """One run: what is set, and which repetition it is."""

    number: int
    settings: tuple[tuple[str, str], ...]  # (path in the cluster file, value)
    repeat: int  # from 0
    seed: int  # of the cluster: that of the file plus `repeat`

    @property
    def name(self) -> str:
        """Name of its folder."""
        return f"{self.number:04d}"

    @property
    def of_file(self) -> tuple[tuple[str, str], ...]:
        """What is set in the cluster file, the seed included."""
        own = (pair for pair in self.settings if not pair[0].startswith(ARGUMENT))
        return (*own, ("seed", str(self.seed)))

    def words(self, command: Sequence[str]) -> list[str]:
        """The command with this point's values in place of their names in braces."""
        known = {**dict(self.settings), "seed": str(self.seed)}
        return [
            re.sub(r"\{([\w.*]+)\}", lambda found: known.get(found[1], found[0]), word)
            for word in command
        ]

    def __str__(self) -> str:
        shown = " ".join(f"{path}={value}" for path, value in self.settings)
        return f"{shown} seed={self.seed}".strip()


def axis(word: str) -> tuple[str, tuple[str, ...]]:
    """`cable.loss=0,1e-4` as path and values; a list in brackets is one value."""
    path, equals, text = word.partition("=")
    values = _split(text)
    if not equals or not path or not all(values):
        raise KumiError(
            f"--set {word}: expected PATH=VALUE,VALUE.", "Such as cable.loss=0,1e-4,1e-3.", 2
        )
    if len(set(values)) < len(values):
        raise KumiError(f"--set {word}: a value is named twice.", "--repeat runs one again.", 2)
    return path, values


def _split(text: str) -> tuple[str, ...]:
    """At commas outside of brackets."""
    values, depth = [""], 0
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            values.append("")
        else:
            values[-1] += letter
    return tuple(value.strip() for value in values)


def points(words: Sequence[str], repeat: int = 1, seed: int = 1) -> list[Point]:
    """Every combination of the axes (`PATH=VALUE,...`), the last axis varying fastest."""
    axes = [axis(word) for word in words]
    paths = [path for path, _ in axes]
    for path in paths:
        if paths.count(path) > 1:
            hint = "Give all its values in one, with commas."
            raise KumiError(f"--set {path}: set in two options.", hint, 2)
        if path == "seed" and repeat > 1:
            raise KumiError("--set seed and --repeat both choose seeds.", "Use one of them.", 2)
    combinations = itertools.product(*(values for _, values in axes))
    runs = itertools.product(combinations, range(repeat))
    found = []
    for number, (values, again) in enumerate(runs):
        chosen = dict(zip(paths, values, strict=True))
        own = int(chosen.pop("seed"), 0) if "seed" in chosen else seed + again
        found.append(Point(number, tuple(chosen.items()), again, own))
    return found
