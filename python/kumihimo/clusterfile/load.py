# SPDX-License-Identifier: Apache-2.0
"""Loads a cluster file into validated models: includes, defaults, readable errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ..common.errors import did_you_mean
from . import model
from .override import apply
from .source import ClusterFileError, Key, Place, Problem, Source, dotted, read

_SECTIONS: dict[str, type[BaseModel]] = {
    "nodes": model.NodeSpec,
    "switches": model.SwitchSpec,
    "cables": model.CableSpec,
    "taps": model.TapSpec,
    "peers": model.PeerSpec,
    "hosts": model.HostSpec,
    "guests": model.GuestSpec,
    "disks": model.DiskSpec,
    "events": model.EventSpec,
}
_SINGULAR = {"nodes": "node", "switches": "switch", "cables": "cable", "taps": "tap"}
_SINGULAR["disks"] = "disk"


@dataclass
class Loaded:
    """A cluster file whose fields are individually valid."""

    spec: model.ClusterFile
    source: Source
    files: list[Path]
    data: dict[str, Any]

    def problem(self, key: Key, text: str, on_key: bool = False) -> Problem:
        """A problem at a path through the file."""
        place = self.source.key_place(key) if on_key else self.source.place(key)
        return Problem(place, dotted(key), text)

    def folder(self, key: Key) -> Path:
        """The folder that relative paths at this key start from."""
        return self.source.place(key).file.resolve().parent


def load(file: str | Path, settings: Iterable[tuple[str, str]] = ()) -> Loaded:
    """Read and check a cluster file. Raises ClusterFileError with every problem found.

    `settings`: values set from outside, as (path, text); see `override`.
    """
    path = Path(file)
    files: list[Path] = []
    source = _gather(path, files, ())
    apply(source, settings)
    spec, data = _validate(source)
    return Loaded(spec, source, files, data)


def load_text(text: str, file: str | Path) -> Loaded:
    """Load from text; `file` is used in messages and for relative paths."""
    from .source import parse

    source = parse(text, Path(file))
    files: list[Path] = [Path(file)]
    _add_includes(source, files, (Path(file).resolve(),))
    spec, data = _validate(source)
    return Loaded(spec, source, files, data)


def _gather(path: Path, files: list[Path], stack: tuple[Path, ...]) -> Source:
    source = read(path)
    files.append(path)
    _add_includes(source, files, (*stack, path.resolve()))
    return source


def _add_includes(source: Source, files: list[Path], stack: tuple[Path, ...]) -> None:
    """Merge the sections of included files into this one; names must not collide."""
    includes = source.data.get("include")
    if not isinstance(includes, list):
        return
    problems: list[Problem] = []
    for index, name in enumerate(includes):
        key: Key = ("include", index)
        place = source.place(key)
        target = place.file.parent / str(name)
        if target.resolve() in stack:
            problems.append(Problem(place, dotted(key), f"`{name}` includes itself"))
            continue
        if not target.is_file():
            known = [p.name for p in place.file.resolve().parent.glob("*.y*ml")]
            text = f"there is no file `{name}`.{did_you_mean(str(name), known)}"
            problems.append(Problem(place, dotted(key), text))
            continue
        other = _gather(target, files, stack)
        problems += _merge(source, other)
    if problems:
        raise ClusterFileError(problems)


def _merge(into: Source, other: Source) -> list[Problem]:
    problems: list[Problem] = []
    for section, value in other.data.items():
        if section not in _SECTIONS or not isinstance(value, list | dict):
            continue
        if isinstance(value, list):
            mine = into.data.setdefault(section, [])
            if isinstance(mine, list):
                _move(into, other, (section,), len(mine))
                mine.extend(value)
            continue
        target = into.data.get(section)
        if target is None:
            target = into.data[section] = {}
        if not isinstance(target, dict):
            continue
        for name, item in value.items():
            key: Key = (section, name)
            if name in target:
                text = f"this name is also used at {into.key_place(key)}"
                problems.append(Problem(other.key_place(key), dotted(key), text))
                continue
            target[name] = item
            _move(into, other, key, None)
    return problems


def _move(into: Source, other: Source, prefix: Key, shift: int | None) -> None:
    """Copy the positions below a prefix; list items are renumbered by `shift`."""
    size = len(prefix)
    for mine, theirs in ((into.places, other.places), (into.keys, other.keys)):
        for key, place in theirs.items():
            if key[:size] != prefix:
                continue
            if shift is None:
                mine[key] = place
            elif len(key) > size and isinstance(key[size], int):
                mine[(*prefix, int(key[size]) + shift, *key[size + 1 :])] = place


def _apply_defaults(source: Source) -> dict[str, Any]:
    """Apply `defaults`, and read empty items as `{}`."""
    data = dict(source.data)
    defaults = data.get("defaults")
    for section in _SECTIONS:
        items = data.get(section)
        if items is None:
            data.pop(section, None)
            continue
        base = defaults.get(_SINGULAR.get(section, "")) if isinstance(defaults, dict) else None
        base = base if isinstance(base, dict) else {}
        places = _places_of_defaults(source, section, base)
        pairs = items.items() if isinstance(items, dict) else enumerate(items)
        if not isinstance(items, dict | list):
            continue
        filled: dict[Any, Any] = {}
        for name, item in pairs:
            item = {} if item is None else item
            filled[name] = {**base, **item} if isinstance(item, dict) else item
            if isinstance(item, dict):
                _point_to_defaults(source, (section, name), places, item)
        data[section] = filled if isinstance(items, dict) else list(filled.values())
    return data


def _places_of_defaults(source: Source, section: str, base: Any) -> list[tuple[Key, Place, Place]]:
    """Of each default of a section: its key there, where its value and its name are."""
    prefix: Key = ("defaults", _SINGULAR.get(section, ""))
    return [
        (key[2:], place, source.keys.get(key, place))
        for key, place in source.places.items()
        if key[:2] == prefix and len(key) > 2 and key[2] in base
    ]


def _point_to_defaults(
    source: Source, item_key: Key, places: list[tuple[Key, Place, Place]], item: Any
) -> None:
    for key, place, name in places:
        if key[0] not in item:
            source.places[(*item_key, *key)] = place
            source.keys[(*item_key, *key)] = name


def _validate(source: Source) -> tuple[model.ClusterFile, dict[str, Any]]:
    data = _apply_defaults(source)
    if "name" not in data:
        stem = "".join(c if c.isalnum() or c in "_-" else "_" for c in source.file.stem)[:32]
        data["name"] = stem if stem[:1].isalpha() else "cluster"
    try:
        return model.ClusterFile.model_validate(data), data
    except ValidationError as failure:
        errors = _joined(failure.errors())
        raise ClusterFileError([_problem(source, error) for error in errors]) from None


def _joined(errors: list[Any]) -> list[Any]:
    """One error per mistake.

    A value that fits none of several types has one per type; a field that is missing because its
    name is misspelt has two.
    """
    kept: list[Any] = []
    unknown = [error["loc"] for error in errors if error["type"] == "extra_forbidden"]
    for error in errors:
        *place, name = error["loc"]
        if error["type"] == "missing" and any(
            list(loc[:-1]) == place and did_you_mean(str(loc[-1]), [str(name)]) for loc in unknown
        ):
            continue
        if error["loc"][-1:] in (("int",), ("bool",), ("str",)):
            loc = error["loc"][:-1]
            if kept and kept[-1]["loc"] == loc:
                continue
            text = "Input should be a whole number, true or false, or a text"
            error = {**error, "type": "union", "loc": loc, "msg": text}
        kept.append(error)
    return kept


_EXPECTED = {
    "bool_parsing": "expected true or false",
    "bool_type": "expected true or false",
    "int_parsing": "expected a whole number",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "list_type": "expected a list (`- item`, or `[item, item]`)",
    "dict_type": "expected fields (`name: value`)",
    "model_type": "expected fields (`name: value`)",
    "string_type": "expected a text",
}


def _problem(source: Source, error: Any) -> Problem:
    loc: Key = tuple(p for p in error["loc"] if p != "[key]")
    kind = str(error["type"])
    found = error.get("input")
    if kind == "extra_forbidden":
        names = _fields(loc[:-1])
        return Problem(
            source.key_place(loc),
            dotted(loc),
            f"there is no field `{loc[-1]}` here.{did_you_mean(str(loc[-1]), names)}",
        )
    if kind == "missing":
        place: Place = source.key_place(loc[:-1])
        return Problem(place, dotted(loc[:-1]), f"the field `{loc[-1]}` is missing")
    if "[key]" in error["loc"]:
        text = f"the name `{found}` is not allowed: letters, digits, `_` and `-`, at most 32"
        return Problem(source.key_place(loc), dotted(loc), text)
    message = str(error["msg"])
    if kind == "value_error":
        message = message.removeprefix("Value error, ")
    else:
        message = _EXPECTED.get(kind) or message.replace("Input should be", "expected")
        if "expected" not in message:
            message = f"expected something else ({message})"
        if kind in ("too_short", "too_long") and "between" in loc:
            return Problem(
                source.place(loc), dotted(loc), f"a cable has two ends, not {len(found)}"
            )
        if kind == "string_pattern_mismatch" and "between" not in loc:
            message = "expected a name (letters, digits, `_` and `-`, at most 32)"
        if kind == "string_pattern_mismatch" and "between" in loc:
            message = "expected an end like `alice.eth0`, `sw0`, `sw0.3` or `host0`"
        message += f", found {_show(found)}"
    return Problem(source.place(loc), dotted(loc), message)


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "nothing" if value is None else f"`{value}`"


def _fields(loc: Key) -> list[str]:
    """Names that a section at this path may have."""
    if not loc:
        return list(model.ClusterFile.model_fields)
    if loc[-1] in ("a_to_b", "b_to_a"):
        return list(model.Impairments.model_fields)
    if loc[0] == "defaults":
        return list(model.Defaults.model_fields)
    section = _SECTIONS.get(str(loc[0]))
    return list(section.model_fields) if section else []
