# SPDX-License-Identifier: Apache-2.0
"""A cluster in Python: build it, boot it, run it, look at its nodes.

    with Cluster("ring.yaml") as cluster:
        cluster.run("10 us")
        cluster["alice"].regs.echo.port.write(8)
        print(cluster["alice"].stats)

Nothing is built before it is needed: entering the `with`, or calling `start`, builds the designs,
makes the private network when the cluster has TAPs, and runs the set-up before time zero.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..clusterfile import CablePlan, DiskPlan, LanePlan, NodePlan, Plan, model, plan, units
from ..clusterfile.disk_options import fault_arguments
from ..clusterfile.disk_options import settings as disk_settings
from ..common.errors import KumiError, did_you_mean
from .channel import Channel
from .disk import Disk
from .memory import STAT_NAMES, Memory, settings
from .setup_regs import DEFAULT_CLOCK, writes

if TYPE_CHECKING:
    from .._engine import Engine
    from ..build import BuildResult
    from ..net import Namespace
    from ..regs import RegisterMap

RECORD_FORMAT = 1
SATA_CLOCK = 150e6  # words a second of 6 Gb/s
CHANNEL_PS = 1_000_000  # from Python to a node's stream port, and back
BuildProgress = Callable[[str, str], None]
RunProgress = Callable[[int, int], None]


class Mmio:
    """Registers by byte address (32-bit words), as on a board."""

    def __init__(self, engine: Engine, index: int, port: str) -> None:
        self._engine = engine
        self._index = index
        self._port = port

    def read(self, addr: int, /) -> int:
        """Word at a byte address."""
        return int(self._engine.axil_read(self._index, addr, port=self._port))

    def write(self, addr: int, data: int, /) -> None:
        """Store a word at a byte address."""
        self._engine.axil_write(self._index, addr, data, port=self._port)


class NodeMemory:
    """For Memory: the memory behind one port of a node."""

    def __init__(self, cluster: Cluster, node: Node, port: str) -> None:
        self._cluster = cluster
        self._node = node
        self._port = port

    def mem_read(self, addr: int, size: int) -> bytes:
        """Bytes from an address on."""
        return bytes(self._cluster.engine.mem_read(self._node.index, addr, size, self._port))

    def mem_write(self, addr: int, data: bytes) -> None:
        """Store bytes."""
        self._cluster.engine.mem_write(self._node.index, addr, data, self._port)

    def mem_fault(self, addr: int, size: int, on: bool) -> None:
        """Make bytes faulty, or good again."""
        self._cluster.engine.mem_fault(self._node.index, addr, size, on, self._port)

    def mem_stats(self) -> dict[str, int]:
        """Counters."""
        found = self._node.stats["ports"][self._port]
        return {name: int(found[name]) for name in STAT_NAMES.values()}


class ClusterDisk:
    """For Disk: a disk of the engine."""

    def __init__(self, cluster: Cluster, name: str, index: int) -> None:
        self._cluster = cluster
        self._name = name
        self._index = index

    def disk_read(self, lba: int, count: int, cached: bool) -> bytes:
        """Whole sectors."""
        return bytes(self._cluster.engine.disk_read(self._index, lba, count, cached))

    def disk_write(self, lba: int, data: bytes) -> None:
        """Store whole sectors."""
        self._cluster.engine.disk_write(self._index, lba, data)

    def disk_fault(self, kind: int, a: int, b: int, x: float, at_ps: int | None) -> None:
        """Break it, or mend it."""
        self._cluster.engine.disk_fault(self._index, kind, a, b, x, at_ps)

    def disk_stats(self) -> dict[str, Any]:
        """Counters."""
        return dict(self._cluster.stats()["disks"][self._name])


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


class Node:
    """One FPGA of a running cluster."""

    def __init__(self, cluster: Cluster, placed: NodePlan, index: int, built: BuildResult) -> None:
        self._cluster = cluster
        self._plan = placed
        self.index = index
        self._built = built
        self._regs: RegisterMap | None = None
        self.channels: dict[str, Channel] = {}
        """Stream ports that are no Ethernet, by name."""

    @property
    def name(self) -> str:
        """Name in the cluster file."""
        return self._plan.name

    @property
    def design(self) -> str:
        """Name of the design."""
        return self._plan.spec.design

    @property
    def ip(self) -> str | None:
        """IPv4 address, without the prefix length."""
        return str(self._plan.ip.ip) if self._plan.ip else None

    @property
    def mac(self) -> str:
        """MAC address."""
        return self._plan.mac

    @property
    def clock_hz(self) -> float:
        """Frequency of the core clock."""
        return self._plan.spec.clocks.get("clk", DEFAULT_CLOCK)

    @property
    def mmio(self) -> Mmio:
        """Registers by address, on the design's (first) AXI4-Lite port."""
        for port in self._built.info.ports:
            if port.kind == "axil":
                return Mmio(self._cluster.engine, self.index, port.name)
        raise KumiError(f"The design {self.design} of {self.name} has no AXI4-Lite port.")

    @property
    def regs(self) -> RegisterMap:
        """Registers by name; the blocks are found through the identity block."""
        if self._regs is None:
            from ..regs import RegisterMap

            self._regs = RegisterMap(self.mmio)
        return self._regs

    @property
    def stats(self) -> dict[str, Any]:
        """Cycles, and frames, beats and bytes of each port."""
        return dict(self._cluster.stats()["nodes"][self.name])

    def channel(self, name: str) -> Channel:
        """A stream port that is no Ethernet, to read and write."""
        try:
            return self.channels[name]
        except KeyError:
            hint = did_you_mean(name, self.channels).strip()
            have = f"It has {', '.join(self.channels)}." if self.channels else "It has none."
            text = f"The design {self.design} of {self.name} has no channel {name}."
            raise KumiError(text, hint or have) from None

    def memory(self, name: str = "") -> Memory:
        """The memory behind an AXI4 port; without a name the only one."""
        ports = [port.name for port in self._built.info.ports if port.kind == "axi"]
        if not name and len(ports) == 1:
            name = ports[0]
        if name not in ports:
            hint = did_you_mean(name, ports).strip()
            have = f"It has {', '.join(ports)}." if ports else "It has none."
            text = f"The design {self.design} of {self.name} has no memory port {name}."
            raise KumiError(text, hint or have)
        return Memory(NodeMemory(self._cluster, self, name))

    @property
    def now_ps(self) -> int:
        """Simulated time of its cluster, in picoseconds."""
        return self._cluster.now_ps

    def pin(self, name: str) -> int:
        """Value of an output pin."""
        return int(self._cluster.engine.pin(self.index, name))

    def set_pin(self, name: str, value: int) -> None:
        """Drive an input pin from the next clock edge on."""
        self._cluster.engine.set_pin(self.index, name, value)

    def __repr__(self) -> str:
        return f"<Node {self.name}: {self.design} at {self.ip}>"


class Cluster(Mapping[str, Node]):
    """A cluster file, built and booted on demand. A mapping of node names to nodes."""

    def __init__(
        self,
        file: str | Path | Plan,
        *,
        threads: int = 0,
        pcap: str | Path | None = None,
        record: str | Path | None = None,
        offline: bool = False,
        trace: Mapping[str, str | Path] | None = None,
        comment: str = "",
    ) -> None:
        """Load and check a cluster file; nothing is built yet.

        Args:
            file: a cluster file, or a plan that was made from one.
            threads: simulation threads; 0 takes every core. The result does not depend on it.
            pcap: write a pcapng capture of every port here.
            record: write everything that enters from outside here, for `kumi replay`.
            offline: make no network; TAPs and peers stay silent.
            trace: node name to the FST file of its waveforms.
            comment: text that goes into the capture.
        """
        self.plan = file if isinstance(file, Plan) else plan(file)
        self.threads = threads
        self.built: dict[str, BuildResult] = {}
        self.namespace: Namespace | None = None
        self._pcap = Path(pcap) if pcap else None
        self._record = Path(record) if record else None
        self._offline = offline
        self._trace = {name: Path(path) for name, path in (trace or {}).items()}
        self._comment = comment
        self._engine: Engine | None = None
        self._replaying = False
        self._nodes: dict[str, Node] = {}
        self.disks: dict[str, Disk] = {}
        """The disks, by name."""
        self._server: tuple[threading.Event, threading.Thread] | None = None
        for name in self._trace:
            if name not in self.plan.nodes:
                hint = did_you_mean(name, self.plan.nodes).strip()
                raise KumiError(f"There is no node called {name} to trace.", hint, 2)

    # ---- life -----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the cluster."""
        return self.plan.name

    @property
    def engine(self) -> Engine:
        """The engine underneath."""
        if self._engine is None:
            raise KumiError("The cluster has not been started.", "Call start(), or use `with`.")
        return self._engine

    def build(self, progress: BuildProgress | None = None) -> dict[str, BuildResult]:
        """Build every design, or find it in the cache; progress(design, step) is told."""
        from ..build import build

        same: dict[str, BuildResult] = {}
        for name, node in self.plan.nodes.items():
            profile = "trace" if node.spec.trace or name in self._trace else "fast"
            request = json.dumps([str(node.design.file), profile, node.spec.params], sort_keys=True)
            if request not in same:
                label = node.spec.design
                say = (lambda step, label=label: progress(label, step)) if progress else None
                same[request] = build(
                    node.design.file, params=node.spec.params, profile=profile, progress=say
                )
            self.built[name] = same[request]
        return self.built

    def check_network(self) -> None:
        """Raise when this machine cannot give the cluster its network: before a long build."""
        if self.plan.taps and not self._offline:
            from ..net.namespace import probe

            problem = probe()
            if problem is not None:
                raise problem

    def start(self, progress: BuildProgress | None = None) -> Cluster:
        """Build what is missing, make the network, and run the set-up. Time is then zero."""
        if self._engine is not None:
            return self
        try:
            if self.plan.taps and not self._offline:
                self._make_network()
            engine = self._prepare(progress)
            for node in self.plan.nodes.values():
                self._set_up(engine, node)
            engine.start()
        except BaseException:
            self.close()
            raise
        return self

    def replay(
        self,
        recording: str | Path,
        progress: RunProgress | None = None,
        window: tuple[int, int] | None = None,
        changed: bool = False,
    ) -> dict[str, Any]:
        """Run a recording instead of the world, from set-up to its end, on a fresh cluster.

        Args:
            recording: file of an earlier run of the same cluster.
            progress: called now and then with the time and the next time known.
            window: waveforms only from one time to another (ps).
            changed: designs may be others than the recorded ones.

        Returns:
            What the engine says: equal, complete, final_ps, digest, expected, events, checks.
        """
        self._replaying = True
        engine = self._prepare(None)
        for name in self._trace if window else ():
            engine.trace_window(self._nodes[name].index, *window)  # type: ignore[misc]
        return dict(engine.replay(str(recording), progress, changed))

    def _prepare(self, progress: BuildProgress | None) -> Engine:
        from .._engine import Engine

        if len(self.built) < len(self.plan.nodes):
            self.build(progress)
        self._engine = Engine(threads=self.threads, seed=self.plan.spec.seed)
        try:
            self._assemble(self._engine)
        except RuntimeError as problem:
            raise KumiError(f"The cluster cannot be set up: {problem}.") from problem
        return self._engine

    def close(self) -> None:
        """End the run: captures and recordings are finished, the network goes away."""
        self._stop_serving()
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()
        if self.namespace is not None:
            self.namespace.close()
            self.namespace = None

    def __enter__(self) -> Cluster:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---- running --------------------------------------------------------------------------

    def run(self, time: str | int, progress: RunProgress | None = None) -> int:
        """Advance by a simulated time (`"10 us"`, or picoseconds). Returns the time now, in ps."""
        span = time if isinstance(time, int) else units.time_ps(time)
        if self.engine.run(span, progress) != "done":
            self._raise_failure()
        return int(self.engine.now_ps)

    def serve(self, stop: Callable[[], bool] | None = None, until: str | int | None = None) -> str:
        """Run together with the outside world until `stop()` says so. Returns why it ended."""
        until_ps = None if until is None else until
        if isinstance(until_ps, str):
            until_ps = units.time_ps(until_ps)
        reason = str(self.engine.serve(stop, until_ps=until_ps))
        if reason.startswith("failed"):
            self._raise_failure()
        return reason

    @contextmanager
    def serving(self) -> Iterator[Cluster]:
        """Serve the outside world on a thread of its own while the block runs."""
        failure: list[BaseException] = []
        ended = threading.Event()

        def work() -> None:
            try:
                self.serve(ended.is_set)
            except BaseException as problem:
                failure.append(problem)

        thread = threading.Thread(target=work, name="kumi-serve", daemon=True)
        self._server = (ended, thread)
        thread.start()
        try:
            yield self
        finally:
            self._stop_serving()
        if failure:
            raise failure[0]

    @property
    def is_serving(self) -> bool:
        """Another thread runs the cluster (inside `serving`)."""
        return self._server is not None

    def _stop_serving(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server[0].set()
            server[1].join()

    def _raise_failure(self) -> None:
        texts = [f"{m[2]}: {m[3]}" for m in self.engine.messages() if m[0] == "error"]
        raise KumiError(f"The run ended early. {texts[-1] if texts else ''}".strip())

    @property
    def now_ps(self) -> int:
        """Simulated time since start, in picoseconds."""
        return int(self.engine.now_ps)

    def stats(self) -> dict[str, Any]:
        """Every counter of the engine, as nested dictionaries."""
        return dict(self.engine.stats())

    def digest(self) -> str:
        """Hash of everything that left any node; the same for every number of threads."""
        return str(self.engine.digest())

    def plug(self, end: str, plugged: bool = True, at: str | int | None = None) -> None:
        """Put the plug of lane cables in, or pull it, now or at a simulated time.

        `end` is one end of them: a lane (`alice.l0_1`), or all lanes of a link (`alice.l0`).
        """
        at_ps = units.time_ps(at) if isinstance(at, str) else at
        found = False
        for number, lane in enumerate(self.plan.lanes):
            ends = (str(lane.a), str(lane.b))
            if any(end in (text, text.rpartition("_")[0]) for text in ends):
                self.engine.plug(number, plugged, at_ps)
                found = True
        if not found:
            names = [str(e) for lane in self.plan.lanes for e in (lane.a, lane.b)]
            hint = did_you_mean(end, names).strip()
            raise KumiError(f"There is no lane cable at {end}.", hint)

    # ---- nodes ----------------------------------------------------------------------------

    @property
    def nodes(self) -> dict[str, Node]:
        """Nodes by name."""
        return dict(self._nodes)

    def __getitem__(self, name: str) -> Node:
        try:
            return self._nodes[name]
        except KeyError:
            if self._engine is None:
                raise KumiError("The cluster has not been started.", "Call start().") from None
            hint = did_you_mean(name, self._nodes).strip()
            raise KumiError(f"There is no node called {name}.", hint) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    # ---- assembly -------------------------------------------------------------------------

    def _make_network(self) -> None:
        from ..net import Namespace, TapConfig

        taps = [
            TapConfig(tap.name, tap.mac, str(tap.ip) if tap.ip else "", tap.spec.mtu)
            for tap in self.plan.taps.values()
        ]
        self.namespace = Namespace(taps, self.plan.addresses())

    def _assemble(self, engine: Engine) -> None:
        index: dict[str, int] = {}
        for name, node in self.plan.nodes.items():
            index[name] = self._add_node(engine, node)
        for name, switch in self.plan.spec.switches.items():
            index[name] = engine.add_switch(
                name,
                ports=switch.ports,
                mode=switch.mode,
                latency_ps=switch.latency,
                queue_bytes=switch.queue,
                pause=switch.pause,
                pfc=switch.pfc,
                ageing_ps=switch.ageing,
            )
        fds = self.namespace.tap_fds if self.namespace else {}
        for name in self.plan.taps:
            index[name] = engine.add_tap(name, fds.get(name, -1))
        for name, peer in self.plan.peers.items():
            index[name] = engine.add_peer(name, str(peer.socket), listen=peer.spec.listen)
        for cable in self.plan.cables:
            self._connect(engine, cable, index)
        for lane in self.plan.lanes:
            self._connect_lane(engine, lane, index)
        for disk in self.plan.disks.values():
            self._add_disk(engine, disk, index)
        if self._pcap:
            engine.capture(str(self._pcap), self._captured(index), comment=self._comment)
        if self._record:
            engine.record(str(self._record), json.dumps(self.metadata()))

    def _add_disk(self, engine: Engine, disk: DiskPlan, index: Mapping[str, int]) -> None:
        options = disk_settings(
            **disk.spec.settings(),
            file=str(disk.file or ""),
            snapshot=disk.spec.snapshot or self._replaying,
        )
        number = engine.add_disk(disk.name, (index[disk.end.name], disk.end.port), options)
        sectors = engine.disk_sectors(number)
        self.disks[disk.name] = Disk(ClusterDisk(self, disk.name, number), disk.name, sectors)
        if self._replaying:
            return  # the recording has the faults
        for fault in disk.spec.faults:
            arguments = fault_arguments(fault.do, **fault.arguments())
            engine.disk_fault(number, *arguments, fault.at)

    def _add_node(self, engine: Engine, node: NodePlan) -> int:
        built = self.built[node.name]
        periods = {}
        lines = {port.clock for port in built.info.ports if port.kind == "sata"} - {"clk"}
        for clock in built.info.clocks:
            usual = SATA_CLOCK if clock.name in lines else DEFAULT_CLOCK
            hertz = node.spec.clocks.get(clock.name, usual)
            periods[clock.name] = units.period_ps(hertz)
        trace = str(self._trace.get(node.name, ""))
        number = int(engine.add_node(node.name, str(built.path), periods_ps=periods, trace=trace))
        placed = self._nodes[node.name] = Node(self, node, number, built)
        for port in built.info.ports:
            if port.kind == "axi":
                memory = node.spec.memories.get(port.name) or model.MemorySpec.model_validate({})
                engine.set_memory(number, port.name, **_memory_settings(memory))
        # No longer than any cable, for the shortest latency sets the pace of the engine.
        joined = [cable.spec for cable in self.plan.cables] + [x.spec for x in self.plan.lanes]
        latency = min([CHANNEL_PS, *(spec.latency for spec in joined)])
        for port in built.info.ports:
            if port.kind in ("axis", "hdr") and port.name not in placed.channels:
                script = int(engine.add_channel(number, port.name, latency))
                placed.channels[port.name] = Channel(self, node.name, port, script)
        return number

    def _set_up(self, engine: Engine, node: NodePlan) -> None:
        built = self.built[node.name]
        axil = next((port.name for port in built.info.ports if port.kind == "axil"), None)
        for addr, data in writes(node, built.path, axil):
            engine.axil_write(self._nodes[node.name].index, addr, data, port=axil or "")

    def _connect(self, engine: Engine, cable: CablePlan, index: Mapping[str, int]) -> None:
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
        engine.connect(
            (index[cable.a.name], cable.a.port),
            (index[cable.b.name], cable.b.port),
            rate_bps=cable.spec.rate,
            latency_ps=cable.spec.latency,
            ab=sides[0],
            ba=sides[1],
        )

    def _connect_lane(self, engine: Engine, lane: LanePlan, index: Mapping[str, int]) -> None:
        spec = lane.spec
        engine.connect_lane(
            (index[lane.a.name], lane.a.port),
            (index[lane.b.name], lane.b.port),
            latency_ps=spec.latency,
            skew_ps=lane.skew,
            ber_ab=spec.direction(True).ber,
            ber_ba=spec.direction(False).ber,
            noise=spec.dark == "noise",
            unplugged=spec.unplugged,
        )

    def _captured(self, index: Mapping[str, int]) -> list[tuple[int, str]] | None:
        """Ports of the stations that the cluster file wants captured; None: every cable."""
        if self.plan.spec.capture is None:
            return None
        ports: list[tuple[int, str]] = []
        for text in self.plan.spec.capture:
            name, _, port = text.partition(".")
            for cable in self.plan.cables:
                for end in (cable.a, cable.b):
                    if end.name == name and port in ("", end.port):
                        ports.append((index[name], end.port))
        return ports

    def metadata(self) -> dict[str, Any]:
        """What a recording keeps for its replay: the cluster and its designs' hashes."""
        return {
            "format": RECORD_FORMAT,
            "file": str(self.plan.file),
            "cluster": self.plan.portable(),
            "comment": self._comment,
            "designs": {
                name: {"design": self.plan.nodes[name].spec.design, "hash": built.design_hash}
                for name, built in self.built.items()
            },
        }
