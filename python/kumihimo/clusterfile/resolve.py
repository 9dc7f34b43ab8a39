# SPDX-License-Identifier: Apache-2.0
"""Resolves a cluster file into a plan: ends of cables, addresses, conflicts.

Everything that can be checked without building a design is checked here, so a mistake costs
milliseconds instead of a compilation.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..build.model import MODELS, refusal
from ..common.errors import KumiError, did_you_mean
from .addresses import Addresses
from .channels import Channels
from .designs import DesignSketch, find_design, known_designs, sketch
from .disk_options import fault_arguments
from .events import Events
from .load import Loaded, load, load_text
from .model import NodeSpec
from .plans import CablePlan, DiskPlan, End, HostPlan, LanePlan, Plan
from .source import ClusterFileError, Key, Problem

LANE_FIELDS = {"between", "latency", "ber", "skew", "dark", "unplugged", "a_to_b", "b_to_a"}


def plan(file: str | Path, settings: Iterable[tuple[str, str]] = ()) -> Plan:
    """Load and resolve a cluster file. Raises ClusterFileError with every problem found.

    `settings`: values set from outside, as (path, text); see `override`.
    """
    return _Resolver(load(file, settings)).run()


def plan_text(text: str, file: str | Path) -> Plan:
    """Resolve text (a recording contains its cluster file)."""
    return _Resolver(load_text(text, file)).run()


class _Resolver:
    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.spec = loaded.spec
        self.problems: list[Problem] = []
        self.plan = Plan(loaded.source.file, loaded.spec, data=loaded.data)
        self.used: dict[End, Key] = {}
        self.designs: dict[str, DesignSketch] = {}
        self._kinds = {station: kind for kind, station, _key in self._stations()}

    def run(self) -> Plan:
        """The plan; raises ClusterFileError with every problem."""
        if not (self.spec.nodes or self.spec.switches):
            self._fail(("nodes",), "a cluster needs at least one node")
        self._names()
        twice = len(self.problems)
        self._find_designs()
        before = len(self.problems)
        if not twice:
            self._cables()
        wrong_ends = twice or len(self.problems) > before
        self._disks()
        self._hosts()
        if not wrong_ends:  # else a port without a cable is the same mistake again
            self._uncabled()
        Addresses(self.loaded, self.plan, self.designs, self._fail).run()
        Channels(self.loaded, self.plan, self._fail).run()
        Events(self.loaded, self.plan, self._fail).run()
        self._capture()
        if self.problems:
            raise ClusterFileError(self.problems)
        return self.plan

    def _fail(self, key: Key, text: str, on_key: bool = False) -> None:
        self.problems.append(self.loaded.problem(key, text, on_key))

    # ---- names and designs ----------------------------------------------------------------

    def _stations(self) -> Iterator[tuple[str, str, Key]]:
        """(kind, name, key) of everything that a cable can end at."""
        for section, kind in (
            ("nodes", "node"),
            ("switches", "switch"),
            ("taps", "tap"),
            ("peers", "peer"),
        ):
            for name in getattr(self.spec, section):
                yield kind, name, (section, name)

    def _names(self) -> None:
        seen: dict[str, Key] = {}
        for _kind, name, key in self._stations():
            if name in seen:
                at = self.loaded.source.key_place(seen[name])
                self._fail(key, f"the name `{name}` is also used at {at}; names must differ", True)
            seen[name] = key
            if name in self.spec.disks:
                at = self.loaded.source.key_place(key)
                text = f"the name `{name}` is also used at {at}; names must differ"
                self._fail(("disks", name), text, True)
            if key[0] == "taps" and len(name) > 15:
                self._fail(key, "the name of a Linux interface has at most 15 characters", True)

    def _find_designs(self) -> None:
        for name, spec in self.spec.nodes.items():
            if self.spec.wall_timers and spec.timers != "product":
                text = f"`timers: {spec.timers}` and `wall_timers` both shorten the time-outs"
                self._fail(("nodes", name, "timers"), f"{text}: take one")
            key: Key = ("nodes", name, "design")
            folder = self.loaded.folder(key)
            file = find_design(spec.design, folder)
            if file is None:
                if spec.design.endswith((".sv", ".v")):
                    known = [p.name for p in folder.glob("*.sv")]
                    hint = did_you_mean(spec.design, known)
                    text = f"there is no file `{spec.design}` in {folder}.{hint}"
                else:
                    text = (
                        f"there is no design `{spec.design}`."
                        f"{did_you_mean(spec.design, known_designs(folder))}"
                    )
                self._fail(key, text)
                continue
            top = self.designs[name] = sketch(file)
            for param in spec.params:
                if param not in top.params:
                    text = f"{top.top} has no parameter `{param}`.{did_you_mean(param, top.params)}"
                    self._fail(("nodes", name, "params", param), text, True)
            if spec.ip == "dhcp":
                self._builds_in(name, spec, top, "ip", "DHCP", "DHCP client")
            if spec.ip6 != "none":
                self._builds_in(name, spec, top, "ip6", "IPV6", "IPv6")
                if spec.ip == "none":
                    text = "the IPv4 stack behind it needs an address, too: take `ip: auto`"
                    self._fail(("nodes", name, "ip"), text)
            if spec.detail == "model" and top.top not in MODELS:
                models = ", ".join(f"`{name.removeprefix('kumi_node_')}`" for name in MODELS)
                text = f"there is no model of `{spec.design}`, only of {models}"
                self._fail(("nodes", name, "detail"), text)
            elif spec.detail == "model" and (refused := refusal(top.top, spec.params)) is not None:
                self._fail(("nodes", name, "params", refused[0]), refused[1])
            if spec.detail == "model" and spec.trace:
                self._fail(("nodes", name, "trace"), "a model has no waveforms: take `detail: rtl`")
            for clock in spec.clocks:
                if clock not in top.clocks:
                    text = f"{top.top} has no clock `{clock}`.{did_you_mean(clock, top.clocks)}"
                    self._fail(("nodes", name, "clocks", clock), text, True)
            known_ports = [*top.eth, *top.lanes, *top.bundles(), *top.ib]
            for index, port in enumerate(spec.open_ports):
                if port not in known_ports:
                    text = f"{top.top} has no port `{port}`.{did_you_mean(port, known_ports)}"
                    self._fail(("nodes", name, "open_ports", index), text)
            for memory in spec.memories:
                if memory not in top.memories:
                    hint = did_you_mean(memory, top.memories)
                    text = f"{top.top} has no memory port `{memory}`.{hint}"
                    self._fail(("nodes", name, "memories", memory), text, True)

    def _builds_in(
        self, name: str, spec: NodeSpec, top: DesignSketch, field: str, param: str, what: str
    ) -> None:
        """A parameter that a field of a node needs: set, unless the file says otherwise."""
        if param not in top.params:
            text = f"`{spec.design}` has no {what} (a parameter `{param}`)"
            self._fail(("nodes", name, field), text)
        elif not spec.params.setdefault(param, 1):
            text = f"`{param}: 0` leaves out what `{field}: {getattr(spec, field)}` needs"
            self._fail(("nodes", name, "params", param), text)

    # ---- cables ---------------------------------------------------------------------------

    def _cables(self) -> None:
        fixed: list[tuple[int, list[End | None]]] = []
        for index, cable in enumerate(self.spec.cables):
            ends = [
                self._end(text, ("cables", index, "between", side))
                for side, text in enumerate(cable.between)
            ]
            fixed.append((index, ends))
        for index, ends in fixed:
            if any(end is not None and end.kind == "ib" for end in ends):
                if ends[0] is not None and ends[1] is not None:
                    self._ib_cable(index, ends[0], ends[1])
                continue
            if any(end is not None and end.kind == "lane" for end in ends):
                if ends[0] is not None and ends[1] is not None:
                    self._lane_cable(index, ends[0], ends[1])
                continue
            for name in sorted({"skew", "dark", "unplugged"} & self._written(index)):
                text = f"`{name}` is for lanes and InfiniBand; an end of this cable is neither"
                self._fail(("cables", index, name), text, True)
            ready = [
                self._switch_port(end, ("cables", index, "between", side)) if end else None
                for side, end in enumerate(ends)
            ]
            if ready[0] and ready[1]:
                spec = self.spec.cables[index]
                self.plan.cables.append(CablePlan(ready[0], ready[1], spec))

    def _written(self, index: int) -> set[str]:
        """Fields that stand at the cable itself, not in `defaults`."""
        item = self.loaded.source.data["cables"][index]
        return set(item) if isinstance(item, dict) else set()

    def _ib_cable(self, index: int, a: End, b: End) -> None:
        """All lanes of two InfiniBand ports."""
        spec = self.spec.cables[index]
        keys = self._line_keys(index, a, b, "ib", "an InfiniBand port")
        if keys is None:
            return
        skews = spec.skew
        if isinstance(skews, int):
            rng = random.Random(f"{self.spec.seed} skew {a} {b}")
            skews = tuple(rng.randint(0, skews) for _ in range(4)) if skews else ()
        one = self._claim(a, keys[0])
        two = one if a == b else self._claim(b, keys[1])
        if one and two:
            self.plan.lanes.append(LanePlan(one, two, 0, spec, skews))

    def _line_keys(self, index: int, a: End, b: End, kind: str, what: str) -> list[Key] | None:
        """Keys of both ends, if they are of one kind; and the fields are looked at."""
        spec = self.spec.cables[index]
        keys: list[Key] = [("cables", index, "between", side) for side in (0, 1)]
        for side, end in enumerate((a, b)):
            if end.kind != kind:
                self._fail(keys[side], f"`{end}` is not {what}, but the other end is")
                return None
        for name in sorted(self._written(index) - LANE_FIELDS):
            cable = "a lane's cable" if kind == "lane" else "an InfiniBand cable"
            text = f"{cable} has no `{name}`; it has {', '.join(sorted(LANE_FIELDS))}"
            self._fail(("cables", index, name), text, True)
        for name, special in (("a_to_b", spec.a_to_b), ("b_to_a", spec.b_to_a)):
            for wrong in sorted(special.model_fields_set - {"ber"} if special else ()):
                text = f"of {what} only `ber` can differ by direction"
                self._fail(("cables", index, name, wrong), text, True)
        return keys

    def _lane_cable(self, index: int, a: End, b: End) -> None:
        """Lane by lane, what joins two lanes or two bundles of them."""
        spec = self.spec.cables[index]
        keys = self._line_keys(index, a, b, "lane", "a lane")
        if keys is None:
            return
        ours, theirs = (
            self.designs[end.name].bundles().get(end.port, (end.port,)) for end in (a, b)
        )
        if len(ours) != len(theirs):
            text = f"`{a}` has {len(ours)} lanes and `{b}` {len(theirs)}; the numbers must be equal"
            self._fail(keys[1], text)
            return
        skews = spec.skew
        if isinstance(skews, int):
            rng = random.Random(f"{self.spec.seed} skew {a} {b}")
            skews = tuple(rng.randint(0, skews) for _ in ours)
        if len(skews) != len(ours):
            text = f"{len(skews)} times for {len(ours)} lanes; give one time, or one per lane"
            self._fail(("cables", index, "skew"), text)
            return
        for near, far, skew in zip(ours, theirs, skews, strict=True):
            one = self._claim(End("lane", a.name, near), keys[0])
            same = (a.name, near) == (b.name, far)
            two = one if same else self._claim(End("lane", b.name, far), keys[1])
            if one and two:
                self.plan.lanes.append(LanePlan(one, two, skew, spec))

    # ---- disks ----------------------------------------------------------------------------

    def _disks(self) -> None:
        files: dict[Path, Key] = {}
        for name, spec in self.spec.disks.items():
            key: Key = ("disks", name)
            file = None
            if spec.file is not None:
                file = (self.loaded.folder((*key, "file")) / spec.file).resolve()
                if file in files and not spec.snapshot:
                    text = f"another disk has this file ({self.loaded.source.place(files[file])})"
                    self._fail((*key, "file"), text)
                files[file] = (*key, "file")
                if not file.parent.is_dir():
                    self._fail((*key, "file"), f"there is no folder {file.parent}")
                elif not file.is_file() and (spec.snapshot or spec.size is None):
                    self._fail((*key, "file"), f"there is no file {file}")
            for index, fault in enumerate(spec.faults):
                try:
                    fault_arguments(fault.do, **fault.arguments())
                except KumiError as problem:
                    self._fail((*key, "faults", index), str(problem))
            end = self._side_end("disk", spec.port, (*key, "port"))
            if end is not None:
                self.plan.disks[name] = DiskPlan(name, end, spec, file)

    # ---- hosts ----------------------------------------------------------------------------

    def _hosts(self) -> None:
        for name, spec in self.spec.hosts.items():
            key: Key = ("hosts", name)
            end = self._side_end("host", spec.port, (*key, "port"))
            if end is not None:
                socket = self.loaded.folder(key) / spec.socket
                self.plan.hosts[name] = HostPlan(name, end, socket)
        for name, guest in self.spec.guests.items():
            key = ("guests", name)
            if name in self.spec.hosts:
                at = self.loaded.source.key_place(("hosts", name))
                self._fail(key, f"the name `{name}` is also used at {at}; names must differ", True)
                continue
            end = self._side_end("host", guest.port, (*key, "port"))
            if end is not None:
                self.plan.hosts[name] = HostPlan(name, end, None, guest)

    def _side_end(self, kind: str, text: str, key: Key) -> End | None:
        """The disk port or host port that is named, or the only one of the node."""
        name, _, port = text.partition(".")
        if name not in self.spec.nodes:
            hint = did_you_mean(name, self.spec.nodes)
            self._fail(key, f"there is no node called `{name}`.{hint}")
            return None
        top = self.designs.get(name)
        if top is None:
            return None
        ports = top.disks if kind == "disk" else top.hosts
        if not port and len(ports) == 1:
            port = ports[0]
        if port not in ports:
            have = f"it has {', '.join(ports)}" if ports else "it has none"
            text = f"{top.top} has no {kind} port `{port}`; {have}."
            self._fail(key, text + did_you_mean(port, ports))
            return None
        return self._claim(End(kind, name, port), key)

    def _end(self, text: str, key: Key) -> End | None:
        name, _, port = text.partition(".")
        kinds = self._kinds
        kind = kinds.get(name)
        if kind is None:
            self._fail(key, f"there is nothing called `{name}`.{did_you_mean(name, kinds)}")
            return None
        if kind == "node":
            return self._node_end(name, port, key)
        if kind == "switch":
            if not port:
                return End(kind, name, "")
            ports = self.spec.switches[name].ports
            if not port.isdigit() or int(port) >= ports:
                self._fail(key, f"switch `{name}` has ports 0 to {ports - 1}, not `{port}`")
                return None
            return self._claim(End(kind, name, str(int(port))), key)
        if port:
            self._fail(key, f"a {kind} has one end only: write `{name}`, not `{text}`")
            return None
        return self._claim(End(kind, name, ""), key)

    def _node_end(self, name: str, port: str, key: Key) -> End | None:
        top = self.designs.get(name)
        if top is None:
            return None
        if not port:
            ports = top.eth or top.ib or tuple(top.bundles())
            if len(ports) != 1:
                self._fail(key, f"say which port of `{name}`: {', '.join(ports) or 'it has none'}")
                return None
            port = ports[0]
        if port in top.ib:
            return End("ib", name, port)
        if port in top.lanes or port in top.bundles():
            return End("lane", name, port)
        if port not in top.eth:
            known = [*top.eth, *top.bundles(), *top.lanes, *top.ib]
            self._fail(key, f"{top.top} has no port `{port}`.{did_you_mean(port, known)}")
            return None
        return self._claim(End("node", name, port), key)

    def _claim(self, end: End, key: Key) -> End | None:
        if end in self.used:
            at = self.loaded.source.place(self.used[end])
            what = {"disk": "disk", "host": "guest"}.get(end.kind, "cable")
            self._fail(key, f"`{end}` already has a {what} ({at}); a port takes one")
            return None
        self.used[end] = key
        return end

    def _switch_port(self, end: End, key: Key) -> End | None:
        """Give a cable that names only the switch its lowest free port."""
        if end.kind != "switch" or end.port:
            return end
        count = self.spec.switches[end.name].ports
        for port in range(count):
            candidate = End("switch", end.name, str(port))
            if candidate not in self.used:
                return self._claim(candidate, key)
        self._fail(key, f"switch `{end.name}` has no free port; raise its `ports` above {count}")
        return None

    def _uncabled(self) -> None:
        ends = {(end.name, end.port) for end in self.used}
        for kind, name, key in self._stations():
            if kind == "node":
                top = self.designs.get(name)
                for port in self._wanted(name, top, ends) if top else ():
                    if (name, port) not in ends and port not in self.spec.nodes[name].open_ports:
                        text = (
                            f"port `{port}` has no cable; add one or write `open_ports: [{port}]`"
                        )
                        self._fail(key, text, True)
            elif kind == "switch":
                if not any(end.name == name for end in self.used):
                    self._fail(key, "no cable ends at this switch", True)
            elif (name, "") not in ends:
                self._fail(key, f"this {kind} has no cable; add one to `cables`", True)

    def _wanted(self, name: str, top: DesignSketch, ends: set[tuple[str, str]]) -> list[str]:
        """Ports that need a cable; a bundle without any stands for its lanes."""
        opened = self.spec.nodes[name].open_ports
        bundles = top.bundles()
        wanted = [*top.eth, *top.ib]
        for bundle, lanes in bundles.items():
            if bundle in opened:
                continue
            if any((name, lane) in ends or lane in opened for lane in lanes):
                wanted += lanes
            else:
                wanted.append(bundle)
        return wanted + [lane for lane in top.lanes if lane not in sum(bundles.values(), ())]

    def _capture(self) -> None:
        wanted = self.spec.capture or []
        known = [n for _k, n, _key in self._stations()]
        ends = {str(end) for cable in self.plan.cables for end in (cable.a, cable.b)}
        for index, text in enumerate(wanted):
            name, _, port = text.partition(".")
            said = ""
            if name not in known:
                said = f"there is nothing called `{name}`.{did_you_mean(name, known)}"
            elif port and text not in ends:
                said = f"no cable ends at `{text}`.{did_you_mean(text, ends)}"
            elif text in wanted[:index]:
                said = f"`{text}` is named twice"
            if said:
                self._fail(("capture", index), said)
