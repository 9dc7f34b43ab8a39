# SPDX-License-Identifier: Apache-2.0
"""What a cluster file comes to: every end found, every address decided. Plain data."""

from __future__ import annotations

import ipaddress
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import model
from .conditions import Condition
from .designs import DesignSketch


@dataclass(frozen=True)
class End:
    """One end of a cable. `port` is empty for taps and peers."""

    kind: str  # node, lane, ib, disk, host, switch, tap, peer
    name: str
    port: str

    def __str__(self) -> str:
        return f"{self.name}.{self.port}" if self.port else self.name


@dataclass(frozen=True)
class NodePlan:
    """A node with its design found and its addresses decided."""

    name: str
    spec: model.NodeSpec
    design: DesignSketch
    mac: str
    ip: ipaddress.IPv4Interface | None
    gateway: ipaddress.IPv4Address | None
    regs: dict[str, int]
    peers: dict[int, str] = field(default_factory=dict)
    """MAC addresses of the other nodes whose kernels use the transport, by number."""


@dataclass(frozen=True)
class TapPlan:
    """A TAP with its addresses decided."""

    name: str
    spec: model.TapSpec
    mac: str
    ip: ipaddress.IPv4Interface | None


@dataclass(frozen=True)
class PeerPlan:
    """A socket peer with an absolute path."""

    name: str
    spec: model.PeerSpec
    socket: Path


@dataclass(frozen=True)
class HostPlan:
    """A guest at a found host port."""

    name: str
    end: End
    socket: Path | None
    """Absolute; None: in the folder of the run."""
    guest: model.GuestSpec | None = None
    """Of an entry in `guests`: what boots there."""


@dataclass(frozen=True)
class CablePlan:
    """A cable between two found ends."""

    a: End
    b: End
    spec: model.CableSpec


@dataclass(frozen=True)
class LanePlan:
    """A cable between two lanes or InfiniBand ports, or from one back to itself.

    `spec` may stand for several lanes.
    """

    a: End
    b: End
    skew: int
    spec: model.CableSpec
    skews: tuple[int, ...] = ()
    """Of an InfiniBand cable: of each lane."""


@dataclass(frozen=True)
class DiskPlan:
    """A disk at a found port, with the absolute path of its file."""

    name: str
    end: End
    spec: model.DiskSpec
    file: Path | None


@dataclass(frozen=True)
class EventPlan:
    """An event with what it is about: cables by number, a register, a node, or a disk."""

    at: int
    do: str  # unplug, plug, impair, flip, write, reset, fault
    where: str
    """File, line and key, for errors found later."""
    lanes: tuple[int, ...] = ()
    cables: tuple[int, ...] = ()
    impairments: tuple[model.Impairments | None, model.Impairments | None] = (None, None)
    """From the first end, and from the second; None: as they are."""
    flip: tuple[int, int, int] = (0, 0, 0)
    """Direction (0: from the first end), lane and bit."""
    node: str = ""
    register: str = ""
    value: int = 0
    disk: str = ""
    fault: str = ""
    arguments: tuple[tuple[str, Any], ...] = ()
    when: Condition | None = None
    """In place of a time: happens once, as soon as this holds."""


@dataclass
class Plan:
    """All that is needed to build and boot a cluster."""

    file: Path
    spec: model.ClusterFile
    nodes: dict[str, NodePlan] = field(default_factory=dict)
    taps: dict[str, TapPlan] = field(default_factory=dict)
    peers: dict[str, PeerPlan] = field(default_factory=dict)
    hosts: dict[str, HostPlan] = field(default_factory=dict)
    cables: list[CablePlan] = field(default_factory=list)
    lanes: list[LanePlan] = field(default_factory=list)
    disks: dict[str, DiskPlan] = field(default_factory=dict)
    events: list[EventPlan] = field(default_factory=list)
    """In the order of time."""
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the cluster."""
        return self.spec.name

    @property
    def guests(self) -> dict[str, model.GuestSpec]:
        """Guests of the cluster file by name, which is also that of their host."""
        return {name: host.guest for name, host in self.hosts.items() if host.guest is not None}

    def portable(self) -> str:
        """The cluster file as one text without includes, for a recording (JSON is YAML)."""
        data = {k: v for k, v in self.data.items() if k not in ("include", "defaults")}
        data["nodes"] = {name: dict(node) for name, node in data["nodes"].items()}
        for name, node in self.nodes.items():
            if node.spec.design.endswith((".sv", ".v", ".cl")):
                source = (self.file.parent / node.spec.design).resolve()
                kernels = node.spec.design.endswith(".cl") and source.is_file()
                file = source if kernels else node.design.file.resolve()
                data["nodes"][name]["design"] = str(file)
        if self.disks:
            data["disks"] = {name: dict(disk) for name, disk in data["disks"].items()}
        for name, placed in self.disks.items():
            if placed.file:
                data["disks"][name]["file"] = str(placed.file)
        return json.dumps(data)

    def lanes_at(self, end: str) -> tuple[int, ...]:
        """Numbers of the lane and InfiniBand cables at a lane (`alice.l0_1`), port or link."""
        return tuple(
            number
            for number, lane in enumerate(self.lanes)
            if any(end in (text, text.rpartition("_")[0]) for text in (str(lane.a), str(lane.b)))
        )

    def cables_at(self, end: str) -> tuple[int, ...]:
        """Numbers of the Ethernet cables at a port (`alice.eth0`), or at all ports of a station."""
        return tuple(
            number
            for number, cable in enumerate(self.cables)
            if any(end in (str(side), side.name) for side in (cable.a, cable.b))
        )

    def addresses6(self) -> dict[str, str]:
        """Station names and the IPv6 addresses given to them."""
        every: dict[str, TapPlan | NodePlan] = {**self.taps, **self.nodes}
        return {
            name: s.spec.ip6.split("/")[0]
            for name, s in every.items()
            if s.spec.ip6 not in ("none", "auto")
        }

    def addresses(self) -> dict[str, str]:
        """Station names and their IPv4 addresses."""
        every: dict[str, TapPlan | NodePlan] = {**self.taps, **self.nodes}
        return {name: str(s.ip.ip) for name, s in every.items() if s.ip is not None}
