# SPDX-License-Identifier: Apache-2.0
"""What the channels of a node may be bound to: names, widths, ports and text of each binding."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .errors import HlsError
from .print_program import Port

FALSE, TRUE, ZERO = "1'b0", "1'b1", "'0"
SIGNALS = ("data", "valid", "ready")
_KINDS = {32: "int", 64: "ulong", 128: "uint4", 256: "int8", 512: "int16"}


@dataclass(frozen=True)
class Ends:
    """A name: whether it leads toward the kernels, and the widths that its channel may have.

    into: None: the channel may lead either way.
    """

    into: bool | None
    bits: tuple[int, ...]


@dataclass(frozen=True)
class NodeReg:
    """A register beside those of the kernels; the node's logic has its 32 bits as `io_NAME`."""

    name: str
    text: str
    writable: bool


@dataclass(frozen=True)
class Blocks:
    """Register blocks of a node besides its own: block 0 is the kernels'."""

    kinds: tuple[str, ...]

    @property
    def count(self) -> str:
        """How many."""
        return str(len(self.kinds))

    @property
    def text(self) -> str:
        """Their kinds, block 0 last."""
        return f"{{{', '.join(reversed(self.kinds))}}}"

    def fill(self, shell: str) -> str:
        """A shell's instance with number and kinds of the blocks."""
        return shell.replace("BLOCKS_", self.count).replace("KINDS_", self.text)


Bound = dict[str, Port]


@dataclass(frozen=True)
class Border:
    """One binding.

    names:    patterns of io names, and what they need.
    body:     text, from the node's name, the channels, its blocks and the first of its own ones.
    kinds:    register blocks that it adds, for the channels that are bound.
    regs:     registers that it adds to those of the kernels.
    params:   parameters that the node gets.
    together: names of which a program has all or none.
    same:     names whose channels have the same width.
    most:     channels at most, each way.
    """

    what: str
    names: Mapping[str, Ends]
    ports: Callable[[Bound], list[str]]
    body: Callable[[str, Bound, Blocks, int], list[str]]
    kinds: Callable[[Bound], list[str]] = lambda bound: []
    regs: Callable[[Bound], list[NodeReg]] = lambda bound: []
    params: tuple[str, ...] = ()
    together: tuple[frozenset[str], ...] = ()
    same: frozenset[str] = field(default_factory=frozenset)
    most: int = 16

    def ends(self, name: str) -> Ends | None:
        """What an io name of this binding needs; None if it is no name of it."""
        return next((e for p, e in self.names.items() if re.fullmatch(p, name)), None)


def check(border: Border, bound: Mapping[str, Port]) -> None:
    """Refuse channels that a binding cannot have."""
    for name, port in bound.items():
        ends, channel = border.ends(name), port.channel
        assert ends is not None
        if channel.bits not in ends.bits:
            widths = " or ".join(str(b) for b in ends.bits)
            if len(ends.bits) > len(_KINDS):
                widths = f"at most {max(ends.bits)}"
            text = f"the channel {channel.source} has {channel.bits} bits, {name} has {widths}."
            kind = _KINDS[max(b for b in ends.bits if b in _KINDS)]
            kind = _KINDS.get(ends.bits[0], kind)
            raise HlsError(channel.place, text, f"channel {kind} {channel.source}")
        if ends.into is not None and port.into != ends.into:
            verb, other = ("read", "written") if ends.into else ("written", "read")
            text = f"{name} is to be {verb} by kernels."
            hint = f"It leads the other way: a kernel has {other} it where it should be {verb}."
            raise HlsError(channel.place, text, hint)
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
    for into in (False, True):
        way = [port for port in bound.values() if port.into == into]
        if len(way) > border.most:
            text = f"{len(way)} channels of one direction are bound to {border.what}."
            hint = f"It has {border.most}: send words of several kinds through one channel."
            raise HlsError(way[border.most].channel.place, text, hint)


def join(net: str, interface: str, into: bool) -> list[str]:
    """A channel's net and an interface of its width, into: from the interface to the net."""
    lines = []
    for signal in SIGNALS:
        pair = (f"{net}_{signal}", f"{interface}.{signal}")
        target, source = pair if into == (signal != "ready") else pair[::-1]
        lines.append(f"  assign {target} = {source};")
    return lines
