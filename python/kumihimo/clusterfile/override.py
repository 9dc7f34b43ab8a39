# SPDX-License-Identifier: Apache-2.0
"""Values set from outside a cluster file: `cable.loss=1e-4`.

The path begins with a section (`cables.0.loss`, `nodes.alice.params.SESSIONS`) or a field of the
file itself (`seed`). A section in the singular, or `*`, means each of its items: `cable.loss` sets
the loss of every cable. What follows `regs.` is one name: `nodes.alice.regs.tcp.segment.mss`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.errors import did_you_mean
from .model import ClusterFile
from .source import ClusterFileError, Key, Place, Problem, Source, parse

_PLURAL = {"node": "nodes", "switch": "switches", "cable": "cables", "tap": "taps"}
_PLURAL |= {"peer": "peers", "host": "hosts", "guest": "guests"}
_PLURAL |= {"disk": "disks", "event": "events"}
_NAMES_WITH_DOTS = "regs"


@dataclass(frozen=True)
class Given(Place):
    """The place of a value that no file holds."""

    def __str__(self) -> str:
        return str(self.file)


def _wrong(path: str, text: str) -> ClusterFileError:
    return ClusterFileError([Problem(Given(Path(f"--set {path}"), 1), "", text)])


def value_of(text: str) -> Any:
    """A value as YAML reads it: `1e-4`, `true`, `10 us`, `[a.eth0, b.eth0]`."""
    return parse(f"value: {text}\n", Path("--set")).data["value"]


def apply(source: Source, settings: Iterable[tuple[str, str]]) -> None:
    """Set each (path, text) in a file that was read, before its values are checked.

    Raises ClusterFileError for a path that leads nowhere; a value that does not suit its field is
    found by the check that follows, which names the option as its place.
    """
    for path, text in settings:
        keys = list(_targets(source.data, path))
        if not keys:
            raise _wrong(path, "the file has no such item")
        for key in keys:
            _set(source.data, path, key, value_of(text))
            source.places[key] = source.keys[key] = Given(Path(f"--set {path}={text}"), 1)


def _set(data: dict[str, Any], path: str, key: Key, value: Any) -> None:
    place: Any = data
    for part in key[:-1]:
        if isinstance(place, dict) and place.get(part) is None:
            place[part] = {}
        place = place[part]
        if not isinstance(place, dict | list):
            raise _wrong(path, f"`{part}` is `{place}`, which has no fields")
    place[key[-1]] = value


def _targets(data: dict[str, Any], path: str) -> Iterator[Key]:
    first, *rest = path.split(".")
    if first in _PLURAL:
        first, rest = _PLURAL[first], ["*", *rest]
    if first not in ClusterFile.model_fields:
        known = [*ClusterFile.model_fields, *_PLURAL]
        raise _wrong(path, f"a cluster file has no section `{first}`.{did_you_mean(first, known)}")
    if first not in _PLURAL.values():
        yield (first, *_parts(rest))
        return
    if len(rest) < 2:
        raise _wrong(path, f"name an item of `{first}` and a field, as in `{first}.*.FIELD`")
    items = data.get(first) or {}
    names: list[str | int] = list(items) if isinstance(items, dict) else list(range(len(items)))
    item, *field = rest
    if item == "*":
        yield from ((first, name, *_parts(field)) for name in names)
        return
    wanted: str | int = item if isinstance(items, dict) else _index(path, item, len(names))
    if wanted not in names:
        hint = did_you_mean(str(wanted), map(str, names))
        raise _wrong(path, f"there is no `{wanted}` in `{first}`.{hint}")
    yield (first, wanted, *_parts(field))


def _index(path: str, item: str, count: int) -> int:
    if not item.isdecimal() or int(item) >= count:
        raise _wrong(path, f"`{item}` must be a number from 0 to {count - 1}, or `*`")
    return int(item)


def _parts(field: list[str]) -> Iterator[str]:
    """The path below an item; the name of a register has dots itself."""
    for at, part in enumerate(field):
        yield part
        if part == _NAMES_WITH_DOTS and at + 1 < len(field):
            yield ".".join(field[at + 1 :])
            return
