# SPDX-License-Identifier: Apache-2.0
"""Parses YAML into plain values with their positions, for errors that name file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..common.errors import KumiError

Key = tuple[str | int, ...]


@dataclass(frozen=True)
class Place:
    """A position in a file, counted from 1."""

    file: Path
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Problem:
    """One error in a cluster file."""

    place: Place
    where: str
    text: str

    def __str__(self) -> str:
        return (
            f"{self.place}: {self.where}: {self.text}"
            if self.where
            else f"{self.place}: {self.text}"
        )


class ClusterFileError(KumiError):
    """All errors found in a cluster file."""

    def __init__(self, problems: list[Problem]) -> None:
        problems = sorted(problems, key=lambda p: (str(p.place.file), p.place.line, p.place.column))
        super().__init__("\n".join(str(p) for p in problems), code=2)
        self.problems = problems


@dataclass
class Source:
    """A parsed file: plain values, and the positions of key and value by path."""

    file: Path
    text: str
    data: dict[str, Any]
    places: dict[Key, Place] = field(default_factory=dict)
    keys: dict[Key, Place] = field(default_factory=dict)

    def place(self, key: Key) -> Place:
        """The position of the value, or of the closest enclosing one that is known."""
        while key and key not in self.places:
            key = key[:-1]
        return self.places.get(key, Place(self.file, 1))

    def key_place(self, key: Key) -> Place:
        """The place of a mapping's key."""
        return self.keys.get(key) or self.place(key)


def dotted(key: Key) -> str:
    """`('cables', 2, 'rate')` -> `cables[2].rate`."""
    out = ""
    for part in key:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            out += f".{part}" if out else str(part)
    return out


def _scalar(tag: str, text: str) -> Any:
    kind = tag.rsplit(":", 1)[-1]
    try:
        if kind == "int":
            return int(text.replace("_", ""), 0)
        if kind == "float":
            return float(text.replace("_", ""))
    except ValueError:
        return text
    if kind == "bool":
        return text.lower() == "true"
    if kind == "null":
        return None
    return text


class _Builder:
    """Walks the node graph of ruamel.yaml."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []

    def build(self, node: Any, key: Key) -> Any:
        self.source.places[key] = self._mark(node)
        kind = type(node).__name__
        if kind == "ScalarNode":
            return _scalar(str(node.tag), node.value)
        if kind == "SequenceNode":
            return [self.build(child, (*key, i)) for i, child in enumerate(node.value)]
        return self._mapping(node, key)

    def _mark(self, node: Any) -> Place:
        mark = node.start_mark
        return Place(self.source.file, mark.line + 1, mark.column + 1)

    def _mapping(self, node: Any, key: Key) -> dict[str, Any]:
        out: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            name = str(key_node.value)
            if name == "<<":
                merged.update(self._merge(value_node, key))
                continue
            path = (*key, name)
            if name in out:
                first = self.source.keys[path]
                text = f"written twice (first on line {first.line}); keep one"
                self.problems.append(Problem(self._mark(key_node), dotted(path), text))
                continue
            self.source.keys[path] = self._mark(key_node)
            out[name] = self.build(value_node, path)
        return {**merged, **out}

    def _merge(self, node: Any, key: Key) -> dict[str, Any]:
        nodes = node.value if type(node).__name__ == "SequenceNode" else [node]
        result: dict[str, Any] = {}
        for part in nodes:
            value = self.build(part, (*key, "<<"))
            if isinstance(value, dict):
                result = {**value, **result}
        return result


def parse(text: str, file: Path) -> Source:
    """Read YAML text. Raises ClusterFileError for text that is not YAML or not a mapping."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    source = Source(file, text, {})
    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        place = Place(file, mark.line + 1 if mark else 1)
        what = " ".join(str(problem.problem or problem.context or problem).split())
        raise ClusterFileError([Problem(place, "", f"this is not YAML: {what}")]) from None
    except YAMLError as problem:
        raise ClusterFileError(
            [Problem(Place(file, 1), "", f"this is not YAML: {problem}")]
        ) from None
    if node is None:
        raise ClusterFileError(
            [Problem(Place(file, 1), "", "the file is empty; expected `nodes:`")]
        )
    if type(node).__name__ != "MappingNode":
        text = "expected sections like `nodes:` and `cables:` at the top"
        raise ClusterFileError([Problem(Place(file, 1), "", text)])
    builder = _Builder(source)
    source.data = builder.build(node, ())
    if builder.problems:
        raise ClusterFileError(builder.problems)
    return source


def read(file: Path) -> Source:
    """Read a cluster file from disk."""
    try:
        return parse(file.read_text(encoding="utf-8"), file)
    except FileNotFoundError:
        near = sorted(p.name for p in file.parent.glob("*.y*ml")) if file.parent.is_dir() else []
        hint = f"Here are: {', '.join(near)}." if near else "Try examples/demo.yaml."
        raise KumiError(f"There is no cluster file {file}.", hint, 2) from None
    except (IsADirectoryError, PermissionError) as problem:
        raise KumiError(f"Cannot read {file}: {problem.strerror}.", code=2) from None
    except UnicodeDecodeError:
        raise ClusterFileError([Problem(Place(file, 1), "", "this is not UTF-8 text")]) from None
