# SPDX-License-Identifier: Apache-2.0
"""The first frame in which two captures of one cluster differ.

Captures of equal runs are equal, so everything before the first difference is the same in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from .pcapng import Packet

LOOK_AHEAD = 100_000
"""Packets that are searched for the counterpart of a frame."""


@dataclass(frozen=True)
class Difference:
    """A frame of one capture, or of both, that the other does not have.

    kind: `changed` (other bytes), `moved` (another time), `missing` or `extra` in the second.
    """

    kind: str
    first: Packet | None
    second: Packet | None

    @property
    def packet(self) -> Packet:
        """The frame that came first in time."""
        found = [p for p in (self.first, self.second) if p is not None]
        return min(found, key=lambda p: p.time_ns)


def _same_place(packet: Packet, other: Packet) -> bool:
    return (packet.interface, packet.inbound) == (other.interface, other.inbound)


def _next(packets: Iterator[Packet], place: Packet, count: int) -> list[Packet]:
    """The next packets that passed the same interface in the same direction."""
    found: list[Packet] = []
    for number, packet in enumerate(packets):
        if _same_place(place, packet):
            found.append(packet)
        if len(found) == count or number >= LOOK_AHEAD:
            break
    return found


def first_difference(one: Iterable[Packet], two: Iterable[Packet]) -> Difference | None:
    """Compare two captures, in the order of their files; None: they are equal."""
    left, right = iter(one), iter(two)
    while True:
        a, b = next(left, None), next(right, None)
        if a is None and b is None:
            return None
        if a != b:
            break
    # The earlier of the two is the one that the other capture does not have there.
    place = min((p for p in (a, b) if p is not None), key=lambda p: p.time_ns)
    ours = _next(chain([a] if a else [], left), place, 2)
    theirs = _next(chain([b] if b else [], right), place, 2)
    if not theirs:
        return Difference("missing", ours[0], None)
    if not ours:
        return Difference("extra", None, theirs[0])
    if ours[0].data == theirs[0].data:
        return Difference("moved", ours[0], theirs[0])
    if len(ours) > 1 and ours[1].data == theirs[0].data:
        return Difference("missing", ours[0], None)
    if len(theirs) > 1 and theirs[1].data == ours[0].data:
        return Difference("extra", None, theirs[0])
    return Difference("changed", ours[0], theirs[0])
