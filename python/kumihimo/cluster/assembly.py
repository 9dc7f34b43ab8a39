# SPDX-License-Identifier: Apache-2.0
"""Turns a plan into the engine's nodes, switches, cables, memories and disks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..clusterfile import CablePlan, DiskPlan, LanePlan, NodePlan, Plan, model, units
from ..clusterfile.disk_options import fault_arguments
from ..clusterfile.disk_options import settings as disk_settings
from .backends import ClusterDisk
from .channel import Channel
from .disk import Disk
from .memory import settings
from .node import Node
from .running import RunningCluster
from .setup_regs import DEFAULT_CLOCK, timed_writes, writes

if TYPE_CHECKING:
    from .._engine import Engine
    from ..build import BuildResult

SATA_CLOCK = 150e6  # words per second at 6 Gb/s
CHANNEL_PS = 1_000_000  # between Python and a node's stream port, each way


def _memory_settings(spec: model.MemorySpec) -> dict[str, Any]:
    return settings(
        size=spec.size,
        latency_ps=spec.latency,
        jitter_ps=spec.jitter,
        bandwidth_bps=spec.bandwidth or 0.0,
        shared=spec.shared,
        reorder=spec.reorder,
        interleave=spec.interleave,
    )


class TimedWrite(NamedTuple):
    """A register write at a simulated time."""

    at: int
    node: int
    port: str
    addr: int
    data: int


class Assembly:
    """Adds one plan to one engine; `nodes` and `disks` are the resulting objects."""

    def __init__(
        self,
        cluster: RunningCluster,
        engine: Engine,
        plan: Plan,
        built: Mapping[str, BuildResult],
        trace: Mapping[str, Path],
        replaying: bool = False,
    ) -> None:
        self._cluster = cluster
        self._engine = engine
        self._plan = plan
        self._built = built
        self._trace = trace
        self._replaying = replaying
        self._index: dict[str, int] = {}
        self.nodes: dict[str, Node] = {}
        self.disks: dict[str, Disk] = {}

    def build(self, tap_fds: Mapping[str, int]) -> None:
        """Add everything; TAPs without a file descriptor carry no traffic."""
        for name, node in self._plan.nodes.items():
            self._index[name] = self._add_node(node)
        for name, switch in self._plan.spec.switches.items():
            self._index[name] = self._engine.add_switch(
                name,
                ports=switch.ports,
                mode=switch.mode,
                latency_ps=switch.latency,
                queue_bytes=switch.queue,
                pause=switch.pause,
                pfc=switch.pfc,
                ageing_ps=switch.ageing,
            )
        for name in self._plan.taps:
            self._index[name] = self._engine.add_tap(name, tap_fds.get(name, -1))
        for name, peer in self._plan.peers.items():
            self._index[name] = self._engine.add_peer(
                name, str(peer.socket), listen=peer.spec.listen
            )
        for cable in self._plan.cables:
            self._connect(cable)
        for lane in self._plan.lanes:
            self._connect_lane(lane)
        for disk in self._plan.disks.values():
            self._add_disk(disk)

    def write_registers(self) -> None:
        """Write every node's set-up registers: addresses, and `regs:` of the cluster file."""
        for node in self._plan.nodes.values():
            built = self._built[node.name]
            axil = next((port.name for port in built.info.ports if port.kind == "axil"), None)
            for addr, data in writes(node, built.path, axil):
                index = self.nodes[node.name].index
                self._engine.axil_write(index, addr, data, port=axil or "")

    def schedule(self) -> list[TimedWrite]:
        """Schedule the events of the cluster file; returns the register writes, in order of time.

        The engine executes the other events at their times by itself. All are in a recording, so
        a replay must not schedule them again.
        """
        made: list[TimedWrite] = []
        for node in self._plan.nodes.values():
            built = self._built[node.name]
            axil = next((port.name for port in built.info.ports if port.kind == "axil"), None)
            index = self.nodes[node.name].index
            for at, addr, data in timed_writes(node, built.path, axil, self._plan.events):
                made.append(TimedWrite(at, index, axil or "", addr, data))
        for event in self._plan.events:
            for lane in event.lanes:
                self._engine.plug(lane, event.do == "plug", event.at)
            if event.disk:
                self.disks[event.disk].fault(event.fault, event.at, **dict(event.arguments))
        return sorted(made, key=lambda write: write.at)

    def _add_disk(self, disk: DiskPlan) -> None:
        options = disk_settings(
            **disk.spec.settings(),
            file=str(disk.file or ""),
            snapshot=disk.spec.snapshot or self._replaying,
        )
        number = self._engine.add_disk(
            disk.name, (self._index[disk.end.name], disk.end.port), options
        )
        sectors = self._engine.disk_sectors(number)
        self.disks[disk.name] = Disk(
            ClusterDisk(self._cluster, disk.name, number), disk.name, sectors
        )
        if self._replaying:
            return  # the recording has the faults
        for fault in disk.spec.faults:
            arguments = fault_arguments(fault.do, **fault.arguments())
            self._engine.disk_fault(number, *arguments, fault.at)

    def _add_node(self, node: NodePlan) -> int:
        built = self._built[node.name]
        periods = {}
        lines = {port.clock for port in built.info.ports if port.kind == "sata"} - {"clk"}
        for clock in built.info.clocks:
            usual = SATA_CLOCK if clock.name in lines else DEFAULT_CLOCK
            hertz = node.spec.clocks.get(clock.name, usual)
            periods[clock.name] = units.period_ps(hertz)
        trace = str(self._trace.get(node.name, ""))
        number = int(
            self._engine.add_node(node.name, str(built.path), periods_ps=periods, trace=trace)
        )
        placed = self.nodes[node.name] = Node(self._cluster, node, number, built)
        for port in built.info.ports:
            if port.kind == "axi":
                memory = node.spec.memories.get(port.name) or model.MemorySpec.model_validate({})
                self._engine.set_memory(number, port.name, **_memory_settings(memory))
        # At most the shortest cable: the smallest latency determines the engine's window.
        joined = [cable.spec for cable in self._plan.cables] + [x.spec for x in self._plan.lanes]
        latency = min([CHANNEL_PS, *(spec.latency for spec in joined)])
        for port in built.info.ports:
            if port.kind in ("axis", "hdr") and port.name not in placed.channels:
                script = int(self._engine.add_channel(number, port.name, latency))
                placed.channels[port.name] = Channel(self._cluster, node.name, port, script)
        return number

    def _connect(self, cable: CablePlan) -> None:
        from .._engine import Impairments

        sides = []
        for forward in (True, False):
            given = cable.spec.direction(forward)
            sides.append(
                Impairments(
                    loss=given.loss,
                    ber=given.ber,
                    duplicate=given.duplicate,
                    reorder=given.reorder,
                    reorder_gap=given.reorder_gap,
                    jitter_ps=given.jitter,
                )
            )
        self._engine.connect(
            (self._index[cable.a.name], cable.a.port),
            (self._index[cable.b.name], cable.b.port),
            rate_bps=cable.spec.rate,
            latency_ps=cable.spec.latency,
            ab=sides[0],
            ba=sides[1],
        )

    def _connect_lane(self, lane: LanePlan) -> None:
        spec = lane.spec
        self._engine.connect_lane(
            (self._index[lane.a.name], lane.a.port),
            (self._index[lane.b.name], lane.b.port),
            latency_ps=spec.latency,
            skew_ps=lane.skew,
            ber_ab=spec.direction(True).ber,
            ber_ba=spec.direction(False).ber,
            noise=spec.dark == "noise",
            unplugged=spec.unplugged,
        )

    def captured_ports(self) -> list[tuple[int, str]] | None:
        """Ports selected by `capture:` of the cluster file; None: every cable."""
        if self._plan.spec.capture is None:
            return None
        ports: list[tuple[int, str]] = []
        for text in self._plan.spec.capture:
            name, _, port = text.partition(".")
            for cable in self._plan.cables:
                for end in (cable.a, cable.b):
                    if end.name == name and port in ("", end.port):
                        ports.append((self._index[name], end.port))
        return ports
