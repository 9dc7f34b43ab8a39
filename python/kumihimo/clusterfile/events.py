# SPDX-License-Identifier: Apache-2.0
"""The timeline of a cluster file: each event checked, its cable, register or disk found."""

from __future__ import annotations

from dataclasses import replace

from ..common.errors import KumiError, did_you_mean
from . import model
from .addresses import Fail, register_number
from .conditions import Condition, parse
from .disk_options import fault_arguments
from .load import Loaded
from .plans import EventPlan, Plan
from .source import Key, dotted

_NEEDS = {
    "unplug": ("cable",),
    "plug": ("cable",),
    "impair": ("cable",),
    "flip": ("cable", "bit"),
    "write": ("reg", "value"),
    "reset": ("node",),
    "fault": ("disk", "fault"),
}
_IMPAIRMENTS = tuple(model.Impairments.model_fields)
_MAY = {
    "impair": ("direction", *_IMPAIRMENTS),
    "flip": ("direction", "lane"),
    "fault": tuple(model.FaultArguments.model_fields),
}


class Events:
    """Places the events into a plan that has its cables, disks and addresses."""

    def __init__(self, loaded: Loaded, plan: Plan, fail: Fail) -> None:
        self.loaded = loaded
        self.plan = plan
        self.fail = fail

    def run(self) -> None:
        """Fill in `events` of the plan, in the order of time."""
        found = []
        for index, spec in enumerate(self.loaded.spec.events):
            key: Key = ("events", index)
            if self._fields(key, spec):
                placed = self._place(key, spec)
                if placed is not None:
                    found.append(replace(placed, at=spec.at or 0, when=self._when(key, spec)))
        self.plan.events = sorted(found, key=lambda event: event.at)

    def _fields(self, key: Key, spec: model.EventSpec) -> bool:
        """Whether the event has the fields of its kind, and no others."""
        needs, more = _NEEDS[spec.do], _MAY.get(spec.do, ())
        may = {"at", "when", "do", *needs, *more}
        missing = [name for name in needs if getattr(spec, name) is None]
        wrong = [name for name in sorted(spec.model_fields_set) if name not in may]
        if (spec.at is None) == (spec.when is None):
            self.fail(key, "an event has either a time (`at`) or a condition (`when`)", True)
            return False
        for name in missing:
            self.fail(key, f"`do: {spec.do}` needs the field `{name}`", True)
        for name in wrong:
            text = f"`do: {spec.do}` has no field `{name}`; it has {', '.join(needs)}"
            self.fail((*key, name), text, True)
        if spec.do == "impair" and not spec.model_fields_set & set(_IMPAIRMENTS):
            self.fail(key, f"`do: impair` needs one of {', '.join(_IMPAIRMENTS)}", True)
            return False
        return not missing and not wrong

    def _when(self, key: Key, spec: model.EventSpec) -> Condition | None:
        try:
            return parse(spec.when) if spec.when is not None else None
        except ValueError as problem:
            self.fail((*key, "when"), str(problem))
            return None

    def _place(self, key: Key, spec: model.EventSpec) -> EventPlan | None:
        where = f"{self.loaded.source.place(key)}: {dotted(key)}"
        if spec.do in ("unplug", "plug", "impair", "flip"):
            return self._cable(key, spec, where)
        if spec.do == "write":
            return self._write(key, spec, where)
        if spec.do == "reset":
            return self._reset(key, spec, where)
        return self._fault(key, spec, where)

    def _cable(self, key: Key, spec: model.EventSpec, where: str) -> EventPlan | None:
        end = str(spec.cable)
        lanes, cables = self.plan.lanes_at(end), self.plan.cables_at(end)
        if spec.do == "impair" and lanes and not cables:
            text = f"`{end}` has no Ethernet cable; others can only be pulled and plugged"
            self.fail((*key, "cable"), text)
            return None
        if spec.do == "flip":
            return self._flip(key, spec, where)
        if lanes or cables:
            event = EventPlan(0, spec.do, where, lanes, cables)
            return self._impaired(event, spec) if spec.do == "impair" else event
        lane_ends = [(lane.a, lane.b) for lane in self.plan.lanes]
        ends = [*lane_ends, *((cable.a, cable.b) for cable in self.plan.cables)]
        text = f"there is no cable at `{end}`."
        text += did_you_mean(end, [str(side) for pair in ends for side in pair])
        self.fail((*key, "cable"), text)
        return None

    def _flip(self, key: Key, spec: model.EventSpec, where: str) -> EventPlan | None:
        joined = [
            i for i in self.plan.lanes_at(str(spec.cable)) if self.plan.lanes[i].a.kind == "ib"
        ]
        if not joined:
            text = f"`{spec.cable}` has no InfiniBand cable; `flip` is for these"
            self.fail((*key, "cable"), text)
            return None
        flip = (int(spec.direction == "b_to_a"), spec.lane or 0, spec.bit or 0)
        return EventPlan(0, spec.do, where, lanes=tuple(joined[:1]), flip=flip)

    def _impaired(self, event: EventPlan, spec: model.EventSpec) -> EventPlan:
        """Fields that are not given stay as the cable has them in the file."""
        given = spec.model_dump(include=spec.model_fields_set & set(_IMPAIRMENTS))
        cable = self.plan.cables[event.cables[0]].spec
        sides = [
            cable.direction(way == "a_to_b").model_copy(update=given)
            if spec.direction in (None, way)
            else None
            for way in ("a_to_b", "b_to_a")
        ]
        return replace(event, cables=event.cables[:1], impairments=(sides[0], sides[1]))

    def _reset(self, key: Key, spec: model.EventSpec, where: str) -> EventPlan | None:
        if spec.node in self.loaded.spec.nodes:
            return EventPlan(0, spec.do, where, node=str(spec.node))
        hint = did_you_mean(str(spec.node), self.loaded.spec.nodes)
        self.fail((*key, "node"), f"there is no node called `{spec.node}`.{hint}")
        return None

    def _write(self, key: Key, spec: model.EventSpec, where: str) -> EventPlan | None:
        node, _, path = str(spec.reg).partition(".")
        if not path:
            text = f"expected `node.block.register` or `node.0x1000`, found `{spec.reg}`"
            self.fail((*key, "reg"), text)
            return None
        if node not in self.loaded.spec.nodes:
            hint = did_you_mean(node, self.loaded.spec.nodes)
            self.fail((*key, "reg"), f"there is no node called `{node}`.{hint}")
            return None
        try:
            value = register_number(spec.value, self.plan.addresses())
        except ValueError as problem:
            self.fail((*key, "value"), str(problem))
            return None
        return EventPlan(0, spec.do, where, node=node, register=path, value=value)

    def _fault(self, key: Key, spec: model.EventSpec, where: str) -> EventPlan | None:
        disk, kind = str(spec.disk), str(spec.fault)
        if disk not in self.loaded.spec.disks:
            hint = did_you_mean(disk, self.loaded.spec.disks)
            self.fail((*key, "disk"), f"there is no disk called `{disk}`.{hint}")
            return None
        try:
            fault_arguments(kind, **spec.arguments())
        except KumiError as problem:
            self.fail((*key, "fault"), str(problem))
            return None
        more = tuple(spec.arguments().items())
        return EventPlan(0, spec.do, where, disk=disk, fault=kind, arguments=more)
