# SPDX-License-Identifier: Apache-2.0
"""The timeline of a cluster file: each event checked, its cable, register or disk found."""

from __future__ import annotations

from ..common.errors import KumiError, did_you_mean
from . import model
from .addresses import Fail, register_number
from .disk_options import fault_arguments
from .load import Loaded
from .plans import EventPlan, Plan
from .source import Key, dotted

_NEEDS = {
    "unplug": ("cable",),
    "plug": ("cable",),
    "write": ("reg", "value"),
    "fault": ("disk", "fault"),
}
_OF_FAULTS = tuple(model.FaultArguments.model_fields)


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
                    found.append(placed)
        self.plan.events = sorted(found, key=lambda event: event.at)

    def _fields(self, key: Key, spec: model.EventSpec) -> bool:
        """Whether the event has the fields of its kind, and no others."""
        needs = _NEEDS[spec.do]
        may = {"at", "do", *needs, *(_OF_FAULTS if spec.do == "fault" else ())}
        missing = [name for name in needs if getattr(spec, name) is None]
        wrong = [name for name in sorted(spec.model_fields_set) if name not in may]
        for name in missing:
            self.fail(key, f"`do: {spec.do}` needs the field `{name}`", True)
        for name in wrong:
            text = f"`do: {spec.do}` has no field `{name}`; it has {', '.join(needs)}"
            self.fail((*key, name), text, True)
        return not missing and not wrong

    def _place(self, key: Key, spec: model.EventSpec) -> EventPlan | None:
        where = f"{self.loaded.source.place(key)}: {dotted(key)}"
        if spec.do in ("unplug", "plug"):
            return self._cable(key, spec, where)
        if spec.do == "write":
            return self._write(key, spec, where)
        return self._fault(key, spec, where)

    def _cable(self, key: Key, spec: model.EventSpec, where: str) -> EventPlan | None:
        end = str(spec.cable)
        lanes = self.plan.lanes_at(end)
        if lanes:
            return EventPlan(spec.at, spec.do, where, lanes=lanes)
        if any(end in (str(e), e.name) for cable in self.plan.cables for e in (cable.a, cable.b)):
            text = f"`{end}` has an Ethernet cable; only cables between lanes can be pulled"
        else:
            known = [str(e) for lane in self.plan.lanes for e in (lane.a, lane.b)]
            text = f"there is no cable between lanes at `{end}`.{did_you_mean(end, known)}"
        self.fail((*key, "cable"), text)
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
        return EventPlan(spec.at, spec.do, where, node=node, register=path, value=value)

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
        return EventPlan(spec.at, spec.do, where, disk=disk, fault=kind, arguments=more)
