# SPDX-License-Identifier: Apache-2.0
"""A cluster in Python: build, boot, run and inspect it.

    with Cluster("ring.yaml") as cluster:
        cluster.run("10 us")
        cluster["alice"].regs.echo.port.write(8)
        print(cluster["alice"].stats)

Entering the `with` block, or calling `start`, builds the designs, creates the private network if
the cluster has TAPs, and runs the register set-up before time zero.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..clusterfile import Plan, conditions, plan, units
from ..common.errors import KumiError, did_you_mean
from ..watchdog import STEP_S, Watchdog
from . import audit, checkpoint
from .assembly import Assembly
from .cables import Cables
from .disk import Disk
from .node import Node
from .running import RunProgress
from .timeline import Timeline
from .wall_timers import IDLE_SHARE as WALL_IDLE_SHARE
from .wall_timers import WallTimers
from .watch import Watch

if TYPE_CHECKING:
    from .._engine import Engine
    from ..build import BuildResult
    from ..guest import GuestProcess, Placed
    from ..ledger import Ledger
    from ..net import Namespace
    from ..ranks.meeting import Place
    from ..ranks.partition import Partition
    from .checkpoint import Checkpoints

RECORD_FORMAT = 1
IDLE_SHARE = 0.05
BuildProgress = Callable[[str, str], None]


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
        step_s: float = STEP_S,
        ranks: int = 1,
        profile: str | Path | None = None,
        place: Place | None = None,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        """Load and check a cluster file; nothing is built yet.

        Args:
            file: a cluster file, or a plan resolved from one.
            threads: simulation threads; 0: one per core. Results do not depend on it.
            pcap: file for a pcapng capture of every port.
            record: file for a recording of all external input, for `kumi replay`.
            offline: create no network; TAPs and peers carry no traffic.
            trace: FST file of the waveforms, by node name.
            comment: text stored in the capture.
            step_s: wall time of one step of a node after which it is named on standard error.
            ranks: number of processes; results do not depend on it.
            profile: counters of an earlier run (`kumi up --stats`), by whose measured costs the
                nodes are distributed over the ranks.
            place: where the other ranks, which were started by themselves, find this one; default:
                this process starts them.
            checkpoints: where the run writes its checkpoints; the recording is there, too.
        """
        self.plan = file if isinstance(file, Plan) else plan(file)
        if not isinstance(threads, int) or threads < 0:
            raise KumiError("threads is 0 (one per core) or a number of threads.", code=2)
        if not isinstance(ranks, int) or ranks < 1:
            raise KumiError("ranks is a number of processes, 1 or more.", code=2)
        self.threads = threads
        self.ranks = ranks
        self._place = place
        self._profile = Path(profile) if profile else None
        self.built: dict[str, BuildResult] = {}
        self.namespace: Namespace | None = None
        self.pcap = Path(pcap) if pcap else None
        """The capture that the run writes."""
        self._record = Path(record) if record else None
        self._checkpoints = checkpoints
        if checkpoints is not None:
            checkpoint.check(self.plan)
            self._record = checkpoints.record
        self._offline = offline
        self._trace = {name: Path(path) for name, path in (trace or {}).items()}
        self._comment = comment
        self._step_s = step_s
        self._watchdog: Watchdog | None = None
        self._engine: Engine | None = None
        self._replaying = False
        self._audited = False
        self._finished = False
        self._made: Assembly | None = None
        self._timeline = Timeline()
        self._nodes: dict[str, Node] = {}
        self.disks: dict[str, Disk] = {}
        """The disks, by name."""
        self.folder: Path | None = None
        """Of a started run: sockets and logs of its guests; None without any."""
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
        """Build every design, or find it in the cache; `progress` gets (design, step).

        Maps of registers (`*_regs.json`) beside the designs become known.
        """
        from .designs import build_designs

        self.built.update(build_designs(self.plan, self._trace, progress))
        return self.built

    def check_network(self) -> None:
        """Raise if this machine cannot create the private network; call before a long build."""
        if self.plan.taps and not self._offline:
            from ..net.namespace import probe

            problem = probe()
            if problem is not None:
                raise problem

    def start(self, progress: BuildProgress | None = None) -> Cluster:
        """Build what is missing, create the network, and run the set-up. Time is then zero."""
        return self if self._engine is not None else self._boot(progress, None)

    def resume(
        self,
        folder: str | Path,
        progress: BuildProgress | None = None,
        again: RunProgress | None = None,
    ) -> Cluster:
        """In place of `start`: go on from the newest checkpoint in a folder.

        What led there is executed again; `again` is called on the way, as `progress` of `run`.
        """
        if self._engine is not None:
            raise KumiError("The cluster has been started.", "Resume a new one.")
        with checkpoint.newest(Path(folder)) as found:
            return self._boot(progress, found, again)

    def _boot(
        self,
        progress: BuildProgress | None,
        since: checkpoint.Found | None,
        again: RunProgress | None = None,
    ) -> Cluster:
        try:
            if self.plan.taps and not self._offline:
                self._make_network()
            self._replaying = since is not None
            engine, made = self._prepare(progress)
            self._replaying = False
            if since is not None:
                since.execute(engine, again)
                self._timeline = made.schedule(since.checkpoint)
                engine.go_live()
            else:
                for name in self.plan.nodes:
                    made.write_registers(name)
                self._timeline = made.schedule()
                engine.start()
            if self._checkpoints is not None:
                self._checkpoints.begin(self)
        except BaseException:
            self._audited = True
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
        """Replay a recording in place of external input, from set-up to its end, on a new cluster.

        Args:
            recording: file of an earlier run of the same cluster.
            progress: called periodically with the current and the next known time.
            window: start and end of the waveforms (ps).
            changed: accept designs that differ from the recorded ones.

        Returns:
            The engine's result: equal, complete, final_ps, digest, expected, events, checks.
        """
        self._replaying = True
        engine, _ = self._prepare(None)
        for name in self._trace if window else ():
            engine.trace_window(self._nodes[name].index, *window)  # type: ignore[misc]
        return dict(engine.replay(str(recording), progress, changed))

    def _prepare(self, progress: BuildProgress | None) -> tuple[Engine, Assembly]:
        from .._engine import Engine

        if len(self.built) < len(self.plan.nodes):
            self.build(progress)
        if self._engine is not None:
            self._engine.close()
        self._release()
        self._audited = self._finished = False
        self._engine = engine = (
            Engine(threads=self.threads, seed=self.plan.spec.seed)
            if self.ranks == 1
            else self._ranked_engine()
        )
        self._watchdog = Watchdog(lambda: int(engine.now_ps), self._step_s)
        try:
            return self._engine, self._assemble(self._engine)
        except RuntimeError as problem:
            raise KumiError(f"The cluster cannot be set up: {problem}.") from problem

    def partition(self) -> Partition:
        """Which rank holds what; builds the designs, whose sizes stand for costs unmeasured."""
        from ..ranks.partition import estimated, measured, partition

        if len(self.built) < len(self.plan.nodes):
            self.build()
        costs = estimated(self.plan, self.built)
        if self._profile is not None:
            costs |= measured(self._profile)
        return partition(self.plan, self.ranks, costs)

    def _ranked_engine(self) -> Engine:
        from ..ranks.start import start

        owners, place = self.partition().owners, self._place
        seed = self.plan.spec.seed
        return start(self.ranks, owners, self.threads, seed, self._step_s, place)

    def close(self) -> None:
        """End the run: complete captures and recordings, remove the network.

        With KUMI_LEDGER=strict frames that no counter accounts for raise an error, after that.
        """
        self._stop_serving()
        try:
            running = self._engine is not None and self._engine.started
            if running and not self._audited and audit.strict():
                audit.audit(self, registers=not self._finished)
        finally:
            self._end()

    def balanced(self, ledger: Ledger) -> None:
        """Take the ledger of the run's end, in place of one that `close` would make."""
        self._audited = True
        if audit.strict():
            audit.check(ledger, self.name)

    def _end(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()
        self._release()
        if self.folder is not None:
            from ..net.session import leave

            leave(self.folder)
            self.folder = None
        if self.namespace is not None:
            self.namespace.close()
            self.namespace = None

    def _release(self) -> None:
        """Let go of the engine: with it end the nodes, their waveforms, and the disks' files."""
        self._engine, self._made, self._timeline = None, None, Timeline()
        for node in self._nodes.values():
            node.release()
        if self._watchdog is not None:
            self._watchdog.close()
            self._watchdog = None

    def __enter__(self) -> Cluster:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._audited |= kind is not None  # an error within the block is the one to be seen
        self.close()

    def finish(self) -> None:
        """Run the `final` blocks of the designs; their messages can be read until `close`.

        The cluster cannot run afterwards.
        """
        self.engine.finish()
        self._finished = True

    # ---- running --------------------------------------------------------------------------

    def run(self, time: str | int, progress: RunProgress | None = None) -> int:
        """Advance by a simulated time (`"10 us"`, or picoseconds). Returns the time now, in ps."""
        span = time if isinstance(time, int) else units.time_ps(time)
        if span < 0:
            raise KumiError("Time only goes on: run a positive time.", code=2)
        end = self.now_ps + span
        self._timeline.do_due(self.now_ps)
        while True:
            due = self._timeline.stop(self.now_ps)
            stop = end if due is None else min(end, due)
            if self.engine.run(max(0, stop - self.now_ps), progress) != "done":
                self._raise_failure()
            self._timeline.do_due(self.now_ps)
            self._timeline.look()
            if stop == end:
                return self.now_ps

    def serve(
        self,
        stop: Callable[[], bool] | None = None,
        until: str | int | Watch | None = None,
        idle_share: float | None = None,
    ) -> str:
        """Run in real time with the outside world until `stop()` is true. Returns why it ended.

        Args:
            stop: asked about twenty times per second.
            until: a simulated time, or a condition (`"alice.echo.rx_datagrams>=100"`).
            idle_share: share of the wall time that is simulated while nothing moves.
        """
        known = until is None or isinstance(until, (str, int, Watch))
        if not known:
            text = f"until is a simulated time or a condition, not {type(until).__name__}."
            raise KumiError(text, "A function that says when to end is `stop`.", 2)
        timers = None
        if self.plan.spec.wall_timers:
            timers = WallTimers(self, self._nodes, self.plan.nodes, self.built)
        if idle_share is None:
            idle_share = WALL_IDLE_SHARE if timers else IDLE_SHARE
        watch = until if isinstance(until, Watch) else None
        if isinstance(until, str) and conditions.is_condition(until):
            watch = self.watch(until)
        until_ps = units.time_ps(until) if isinstance(until, str) and not watch else None
        until_ps = until if isinstance(until, int) else until_ps

        def ended() -> bool:
            self._timeline.look_sometimes(watch)
            if timers is not None:
                timers.update()
            return (watch is not None and watch.since_ps is not None) or bool(stop and stop())

        while True:
            self._timeline.do_due(self.now_ps)
            times = [t for t in (self._timeline.next_ps(), until_ps) if t is not None]
            first = min(times, default=None)
            reason = str(self.engine.serve(ended, until_ps=first, idle_share=idle_share))
            if reason.startswith("failed"):
                self._raise_failure()
            if watch is not None and watch.since_ps is not None:
                return "until"
            if reason != "until" or (until_ps is not None and self.now_ps >= until_ps):
                self._timeline.do_due(self.now_ps)
                return reason

    @property
    def timeline(self) -> Timeline:
        """What the cluster does by itself."""
        return self._timeline

    def watch(self, condition: str) -> Watch:
        """A condition on registers and counters: `alice.echo.drop_*>0`. See `serve`."""
        return Watch(self, self._nodes, self.built, condition)

    @contextmanager
    def serving(self) -> Iterator[Cluster]:
        """Serve the outside world in a background thread during the block."""
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
        """Whether another thread runs the cluster (inside `serving`)."""
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
        """Plug cables in or out, now or at a simulated time.

        `end` is either end: a port (`alice.eth0`, `alice.p1`), a station, a lane (`alice.l0_1`),
        or all lanes of a link (`alice.l0`).
        """
        self._cables().plug(end, plugged, at)

    def flip(
        self,
        end: str,
        bit: int,
        lane: int = 0,
        direction: str = "a_to_b",
        at: str | int | None = None,
    ) -> None:
        """Spoil one bit on an InfiniBand cable, now or at a simulated time.

        Args:
            end: either end (`alice.p1`).
            bit: of what the lane carries in that clock cycle, 10 bits a symbol, 0 first.
            lane: from 0.
            direction: `a_to_b` or `b_to_a`, in the order of the cluster file.
            at: simulated time; default: now.
        """
        self._cables().flip(end, bit, lane, direction, at)

    def impair(
        self,
        end: str,
        direction: str | None = None,
        at: str | int | None = None,
        **changes: float | str,
    ) -> None:
        """Change what an Ethernet cable does: `impair("alice.eth0", loss="1 %")`.

        Args:
            end: either end.
            direction: `a_to_b` or `b_to_a`, in the order of the cluster file; default: both.
            at: simulated time; default: now.
            changes: `loss`, `ber`, `duplicate`, `reorder`, `reorder_gap`, `jitter`; the others are
                as the cluster file has them.
        """
        self._cables().impair(end, direction, at, changes)

    def reset(self, name: str) -> None:
        """Start a node over: registers and memories as after power-on, then its set-up again."""
        self._assembly.reset_node(self[name].name)

    def _cables(self) -> Cables:
        return Cables(self.plan, self._assembly, self.engine)

    @property
    def _assembly(self) -> Assembly:
        if self._made is None:
            raise KumiError("The cluster has not been started.", "Call start(), or use `with`.")
        return self._made

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
            hint = did_you_mean(str(name), self._nodes).strip()
            raise KumiError(f"There is no node called {name}.", hint) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def guests(self) -> dict[str, Placed]:
        """Guests of the cluster file, by name: how they boot in this run."""
        from ..guest.placed import placed

        if self.folder is None:
            return {}
        return {name: placed(self.plan, name, self.folder) for name in self.plan.guests}

    def guest(self, name: str, script: str | None = None) -> GuestProcess:
        """Boot a guest of the cluster file; it has a card while the cluster is served.

        Args:
            name: of its entry in `guests`.
            script: shell commands in place of the entry's; a shell at this terminal without any.
        """
        if name not in self.plan.guests:
            hint = did_you_mean(name, self.plan.guests).strip()
            raise KumiError(f"There is no guest called {name}.", hint, 2)
        if self._engine is None:
            raise KumiError("The cluster has not been started.", "Call start(), or use `with`.")
        chosen = self.guests[name]
        return chosen.boot(chosen.script if script is None else script)

    # ---- assembly -------------------------------------------------------------------------

    def _make_network(self) -> None:
        from ..net import Namespace, TapConfig

        taps = [
            TapConfig(tap.name, tap.mac, str(tap.ip) if tap.ip else "", tap.spec.mtu, tap.spec.ip6)
            for tap in self.plan.taps.values()
        ]
        self.namespace = Namespace(taps, self.plan.addresses(), self.plan.addresses6())

    def _sockets(self) -> dict[str, Path]:
        """Where hosts and guests find their cards; makes the folder of the run for guests."""
        from ..guest.placed import socket
        from ..net.session import run_folder

        if self.folder is None and self.plan.guests:
            self.folder = run_folder(self.name)
        own = self.folder or Path()
        return {n: host.socket or socket(own, n) for n, host in self.plan.hosts.items()}

    def _assemble(self, engine: Engine) -> Assembly:
        sockets = None if self._replaying else self._sockets()
        made = Assembly(self, engine, self.plan, self.built, self._trace, self._replaying, sockets)
        self._made, self._nodes, self.disks = made, made.nodes, made.disks
        made.build(self.namespace.tap_fds if self.namespace else {})
        if self.pcap:
            engine.capture(str(self.pcap), made.captured_ports(), comment=self._comment)
        if self._record:
            engine.record(str(self._record), json.dumps(self.metadata()))
        return made

    def metadata(self) -> dict[str, Any]:
        """Metadata of a recording, for its replay: the cluster and the hashes of its designs."""
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
