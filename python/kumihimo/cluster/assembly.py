# SPDX-License-Identifier: Apache-2.0
"""Turns a plan into the engine's nodes, switches, cables, memories and disks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..clusterfile import (
    CablePlan,
    DiskPlan,
    EventPlan,
    LanePlan,
    NodePlan,
    Plan,
    model,
    units,
)
from ..clusterfile.disk_options import fault_arguments
from ..clusterfile.disk_options import settings as disk_settings
from ..clusterfile.routes import Routes, routes
from .backends import ClusterDisk
from .channel import Channel
from .disk import Disk
from .memory import settings
from .node import Node
from .running import RunningCluster
from .setup_regs import DEFAULT_CLOCK, event_writes, writes
from .timeline import Timed, Timeline, Waiting
from .watch import Watch

if TYPE_CHECKING:
    from .._engine import Engine, Impairments
    from ..build import BuildResult
    from .checkpoint import Checkpoint

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


def impairments(given: model.Impairments) -> Impairments:
    """What a cable does, for the engine."""
    from .._engine import Impairments

    return Impairments(
        loss=given.loss,
        ber=given.ber,
        duplicate=given.duplicate,
        reorder=given.reorder,
        reorder_gap=given.reorder_gap,
        jitter_ps=given.jitter,
    )


class Assembly:
    """Adds one plan to one engine; `nodes` and `disks` are the resulting objects.

    `sockets`: where the hosts listen, by name; one without has no guest.
    """

    def __init__(
        self,
        cluster: RunningCluster,
        engine: Engine,
        plan: Plan,
        built: Mapping[str, BuildResult],
        trace: Mapping[str, Path],
        replaying: bool = False,
        sockets: Mapping[str, Path] | None = None,
    ) -> None:
        self._cluster = cluster
        self._engine = engine
        self._plan = plan
        self._built = built
        self._trace = trace
        self._replaying = replaying
        self._sockets = sockets or {}
        self._index: dict[str, int] = {}
        self.nodes: dict[str, Node] = {}
        self.disks: dict[str, Disk] = {}
        self.cables: list[int] = []

    def build(self, tap_fds: Mapping[str, int]) -> None:
        """Add everything; TAPs without a file descriptor carry no traffic."""
        for name, node in self._plan.nodes.items():
            self._index[name] = self._add_node(node)
        routed = routes(self._plan)
        for name, switch in self._plan.spec.switches.items():
            ways = routed.get(name, Routes())
            self._index[name] = self._engine.add_switch(
                name,
                ports=switch.ports,
                mode=switch.mode,
                latency_ps=switch.latency,
                queue_bytes=switch.queue,
                pause=switch.pause,
                pfc=switch.pfc,
                ageing_ps=switch.ageing,
                routes=ways.ports,
                flood=ways.tree,
            )
        for name in self._plan.taps:
            self._index[name] = self._engine.add_tap(name, tap_fds.get(name, -1))
        for name, peer in self._plan.peers.items():
            self._index[name] = self._engine.add_peer(
                name, str(peer.socket), listen=peer.spec.listen
            )
        for cable in self._plan.cables:
            self.cables.append(self._connect(cable))
        for lane in self._plan.lanes:
            self._connect_lane(lane)
        for disk in self._plan.disks.values():
            self._add_disk(disk)
        for host in self._plan.hosts.values():
            end = (self._index[host.end.name], host.end.port)
            self._engine.add_host(host.name, end, str(self._sockets.get(host.name, "")))

    def _axil(self, name: str) -> str | None:
        return self._built[name].info.register_port

    def write_registers(self, name: str, wait: bool = True) -> None:
        """Write a node's set-up registers: addresses, and `regs:` of the cluster file.

        Before, its pins `mac`, `node_guid` and `node_description`, if it has them: its address; an
        EUI-64 that begins with it and ends with 16 zeros, room for the GUIDs of ports; its name.
        """
        axil = self._axil(name)
        index = self.nodes[name].index
        for pin in self._built[name].info.pins:
            if pin.name == "node_guid" and not pin.output:
                mac = self._plan.nodes[name].mac.replace(":", "")
                self._engine.set_pin(index, pin.name, int(mac, 16) << 16)
            if pin.name == "mac" and not pin.output:
                mac = self._plan.nodes[name].mac.replace(":", "")
                self._engine.set_pin(index, pin.name, int(mac, 16))
            if pin.name == "node_description" and not pin.output:
                text = name.encode().ljust(pin.bits // 8, b"\0")
                self._engine.set_pin(index, pin.name, int.from_bytes(text, "big"))
        for addr, data in writes(self._plan.nodes[name], self._built[name].path, axil):
            self._engine.axil_write(index, addr, data, port=axil or "", wait=wait)

    def reset_node(self, name: str) -> None:
        """Start a node over: registers and memories as after power-on, then its set-up."""
        self._engine.reset_node(self.nodes[name].index)
        self.write_registers(name, wait=False)

    def schedule(self, since: Checkpoint | None = None) -> Timeline:
        """Schedule the events of the cluster file; returns those that the cluster does itself.

        The engine executes changes of cables and disks at their times by itself. All are in a
        recording, so a replay must not schedule them again, nor one that goes on from there.
        """
        begun = -1 if since is None else since.time_ps
        done = () if since is None else since.done
        timed: list[Timed] = []
        waiting: list[Waiting] = []
        written = {id(e): write for node in self._plan.nodes for e, write in self._writes(node)}
        for number, event in enumerate(self._plan.events):
            do = self._action(event, written.get(id(event)))
            if event.when is not None:
                watch = Watch(self._cluster, self.nodes, self._built, event.when, event.where)
                if number not in done:
                    waiting.append(Waiting(watch, partial(do, None), number))
            elif event.do in ("write", "reset"):
                if event.at > begun:
                    timed.append(Timed(event.at, partial(do, None)))
            elif since is None:
                do(event.at)
        return Timeline(timed, waiting, done)

    def _writes(self, name: str) -> list[tuple[EventPlan, tuple[int, int]]]:
        node = self._plan.nodes[name]
        return event_writes(node, self._built[name].path, self._axil(name), self._plan.events)

    def _action(
        self, event: EventPlan, write: tuple[int, int] | None
    ) -> Callable[[int | None], None]:
        """What an event does, at a time or now."""

        def do(at: int | None) -> None:
            if write is not None:
                index, axil = self.nodes[event.node].index, self._axil(event.node)
                self._engine.axil_write(index, *write, axil or "", wait=False)
            elif event.do == "reset":
                self.reset_node(event.node)
            for lane in event.lanes:
                if event.do == "flip":
                    self._engine.flip(lane, *event.flip, at)
                else:
                    self._engine.plug(lane, event.do == "plug", at)
            for cable in event.cables:
                if event.do == "impair":
                    ways = [impairments(i) if i else None for i in event.impairments]
                    self._engine.impair(self.cables[cable], ways[0], ways[1], at)
                else:
                    self._engine.plug_cable(self.cables[cable], event.do == "plug", at)
            if event.disk:
                self.disks[event.disk].fault(event.fault, at, **dict(event.arguments))

        return do

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
        interrupts = {
            f"{host.end.port}_irq"
            for host in self._plan.hosts.values()
            if host.end.name == node.name
        }
        for port in built.info.ports:
            if port.name in interrupts:
                continue  # they go to the guest
            if port.kind in ("axis", "hdr") and port.name not in placed.channels:
                script = int(self._engine.add_channel(number, port.name, latency))
                placed.channels[port.name] = Channel(self._cluster, node.name, port, script)
        return number

    def _connect(self, cable: CablePlan) -> int:
        sides = [impairments(cable.spec.direction(forward)) for forward in (True, False)]
        number = self._engine.connect(
            (self._index[cable.a.name], cable.a.port),
            (self._index[cable.b.name], cable.b.port),
            rate_bps=cable.spec.rate,
            latency_ps=cable.spec.latency,
            ab=sides[0],
            ba=sides[1],
        )
        return int(number)

    def _connect_lane(self, lane: LanePlan) -> None:
        spec, skews = lane.spec, list(lane.skews)
        if isinstance(spec.skew, int):  # drawn for four lanes
            skews = skews[: self._built[lane.a.name].info.port(lane.a.port).lanes]
        self._engine.connect_lane(
            (self._index[lane.a.name], lane.a.port),
            (self._index[lane.b.name], lane.b.port),
            latency_ps=spec.latency,
            skew_ps=lane.skew,
            ber_ab=spec.direction(True).ber,
            ber_ba=spec.direction(False).ber,
            noise=spec.dark == "noise",
            unplugged=spec.unplugged,
            lane_skews_ps=skews,
        )

    def captured_ports(self) -> list[tuple[int, str]] | None:
        """Ports selected by `capture:` of the cluster file; None: every cable."""
        if self._plan.spec.capture is None:
            return None
        ports: list[tuple[int, str]] = []
        for text in self._plan.spec.capture:
            name, _, port = text.partition(".")
            cables: list[CablePlan | LanePlan] = [*self._plan.cables]
            cables += [lane for lane in self._plan.lanes if lane.a.kind == "ib"]
            for cable in cables:
                for end in dict.fromkeys((cable.a, cable.b)):
                    if end.name == name and port in ("", end.port):
                        ports.append((self._index[name], end.port))
        return ports
