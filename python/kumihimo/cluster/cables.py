# SPDX-License-Identifier: Apache-2.0
"""Changes of cables while a cluster runs: pulled, plugged in, other impairments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pydantic import ValidationError

from ..clusterfile import Plan, model, units
from ..common.errors import KumiError, did_you_mean
from .assembly import Assembly, impairments

if TYPE_CHECKING:
    from .._engine import Engine

WAYS = ("a_to_b", "b_to_a")


def _ps(at: str | int | None) -> int | None:
    if isinstance(at, int) and at < 0:
        raise ValueError(f"a time cannot be negative, found {at}")
    return at if at is None or isinstance(at, int) else units.time_ps(at)


def _missing(plan: Plan, end: str) -> NoReturn:
    ends = [*((c.a, c.b) for c in plan.lanes), *((c.a, c.b) for c in plan.cables)]
    known = [str(side) for pair in ends for side in pair]
    raise KumiError(f"There is no cable at {end}.", did_you_mean(end, known).strip())


class Cables:
    """The cables of a started cluster."""

    def __init__(self, plan: Plan, made: Assembly, engine: Engine) -> None:
        """Those of a plan that an assembly has added to an engine."""
        self._plan, self._made, self._engine = plan, made, engine

    def plug(self, end: str, plugged: bool, at: str | int | None) -> None:
        """Plug the cables at an end in or out."""
        if not isinstance(plugged, bool):
            raise TypeError(f"plugged is True or False, not {plugged!r}.")
        lanes, cables = self._plan.lanes_at(end), self._plan.cables_at(end)
        for number in lanes:
            self._engine.plug(number, plugged, _ps(at))
        for number in cables:
            self._engine.plug_cable(self._made.cables[number], plugged, _ps(at))
        if not lanes and not cables:
            _missing(self._plan, end)

    def flip(self, end: str, bit: int, lane: int, direction: str, at: str | int | None) -> None:
        """Spoil one bit on the InfiniBand cable at an end."""
        numbers = [n for n in self._plan.lanes_at(end) if self._plan.lanes[n].a.kind == "ib"]
        if not numbers:
            _missing(self._plan, end)
        if direction not in WAYS:
            raise KumiError(f"direction is a_to_b or b_to_a, not {direction}.", code=2)
        self._engine.flip(numbers[0], WAYS.index(direction), lane, bit, _ps(at))

    def impair(
        self, end: str, direction: str | None, at: str | int | None, changes: dict[str, float | str]
    ) -> None:
        """Change impairments of the Ethernet cables at an end."""
        cables = self._plan.cables_at(end)
        if not cables:
            _missing(self._plan, end)
        if direction not in (None, *WAYS):
            raise KumiError(f"direction is a_to_b or b_to_a, not {direction}.", code=2)
        if not changes:
            raise KumiError("impair: nothing is said to change.", 'For example loss="1 %".', 2)
        known = model.Impairments.model_fields
        for name in changes:
            if name not in known:
                hint = did_you_mean(name, known).strip()
                raise KumiError(f"impair: there is no impairment `{name}`.", hint, 2)
        try:
            given = model.Impairments.model_validate(changes)
        except ValidationError as problem:
            first = problem.errors()[0]
            text = str(first["msg"]).removeprefix("Value error, ")
            raise KumiError(f"impair: {'.'.join(map(str, first['loc']))}: {text}.", "", 2) from None
        fields = given.model_dump(include=given.model_fields_set)
        for number in cables:
            spec = self._plan.cables[number].spec
            sides = [
                impairments(spec.direction(way == "a_to_b").model_copy(update=fields))
                if direction in (None, way)
                else None
                for way in WAYS
            ]
            self._engine.impair(self._made.cables[number], sides[0], sides[1], _ps(at))
