# SPDX-License-Identifier: Apache-2.0
"""What the channels of a node may be bound to: names, widths, ports and text of each binding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .errors import HlsError
from .print_program import Port

FALSE, TRUE, ZERO = "1'b0", "1'b1", "'0"
_KINDS = {32: "int", 64: "ulong", 128: "uint4", 256: "int8", 512: "int16"}


@dataclass(frozen=True)
class Ends:
    """A name: whether it leads toward the kernels, and the widths that its channel may have."""

    into: bool
    bits: tuple[int, ...]


@dataclass(frozen=True)
class Border:
    """One binding.

    together: names of which a program has all or none.
    same:     names whose channels have the same width.
    """

    what: str
    names: Mapping[str, Ends]
    ports: Callable[[dict[str, Port]], list[str]]
    body: Callable[[str, dict[str, Port]], list[str]]
    together: tuple[frozenset[str], ...] = ()
    same: frozenset[str] = field(default_factory=frozenset)


def check(border: Border, bound: Mapping[str, Port]) -> None:
    """Refuse channels that a binding cannot have."""
    for name, port in bound.items():
        ends, channel = border.names[name], port.channel
        if channel.bits not in ends.bits:
            widths = " or ".join(str(b) for b in ends.bits)
            text = f"the channel {channel.source} has {channel.bits} bits, {name} has {widths}."
            raise HlsError(channel.place, text, f"channel {_KINDS[ends.bits[0]]} {channel.source}")
        if port.into != ends.into:
            verb, other = ("read", "written") if ends.into else ("written", "read")
            hint = f"It leads the other way: a kernel has {verb} it where it should be {other}."
            text = f"{name} is to be {verb} by kernels."
            raise HlsError(channel.place, text, hint if port.into == ends.into else "")
    for group in border.together:
        missing = sorted(group - set(bound))
        if missing and len(missing) < len(group):
            have = next(port for name, port in bound.items() if name in group)
            text = f"{have.name} has no {missing[0]} beside it."
            hint = f'Use a channel with io("{missing[0]}") as well.'
            raise HlsError(have.channel.place, text, hint)
    wide = [bound[name] for name in sorted(border.same & set(bound))]
    for port in wide[1:]:
        if port.channel.bits != wide[0].channel.bits:
            text = f"{port.name} and {wide[0].name} have words of different widths."
            raise HlsError(port.channel.place, text, "Give both channels one type.")
