# SPDX-License-Identifier: Apache-2.0
"""The engine of a cluster over several processes, with the interface of `kumihimo._engine.Engine`.

This process is rank 0: it holds the TAPs, peers and guests, writes captures and the recording, and
tells the other ranks what to do. All ranks advance to the same simulated time, in step with their
neighbours only; there calls are made, in every rank that they concern.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Mapping
from typing import Any

from ..clusterfile.units import format_time
from .building import Building
from .calls import Calls
from .crew import Crew, LostRank, Pair, RankError
from .meeting import Met
from .pace import LIVE_S, SEGMENT_S, Pace

IDLE_MS = 10
"""Longest sleep of an idle cluster."""
TICK_S = 0.05
CHECK_S = 1.0

StopTest = Callable[[], bool] | None
Access = Generator[None, None, Any]


class RankedEngine(Building):
    """An engine whose parts are in several processes. Close it: that ends them."""

    def __init__(
        self,
        ranks: int,
        owners: Mapping[str, int],
        *,
        threads: int = 1,
        seed: int = 1,
        step_s: float = 10.0,
        by: Pair | Met | None = None,
    ) -> None:
        """Start the processes.

        Args:
            ranks: number of processes, this one included.
            owners: rank of each node and switch by name; the rest is in rank 0.
            threads: of each rank.
            seed: of the cluster.
            step_s: as of a cluster.
            by: what makes connections between new processes (default: UNIX stream sockets), or
                the connections to processes that have been met.
        """
        from .._engine import Engine

        self._owners = dict(owners)
        self._engine = Engine(threads=threads, seed=seed)
        self._engine.place(0, self._owners)
        self._actors: list[tuple[int, bool]] = []  # rank; whether it is a node
        self._disks: list[int] = []  # rank
        self._hosts: list[int] = []  # rank
        self._messages: list[Any] = []
        self._seen = 0
        self._reading = threading.Lock()
        self._cuts: list[int] = []  # where a window ends: resets, and waveforms' begins and ends
        self._quiet = True
        self._saved = ""
        self._broken = False
        self._closed = False
        self._record = False
        self._checked = 0.0
        self._calls = Calls(self._lone_step)
        self._wall = self._idle = 0.0
        holds: dict[int, str] = {}
        for rank in range(1, ranks):
            names = [name for name, owner in self._owners.items() if owner == rank]
            holds[rank] = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
        self._crew = Crew(ranks, holds, by)
        self.ranks = ranks
        for other, fd in self._crew.joined[0].items():
            self._engine.join(other, fd)
        if isinstance(by, Met) and by.mpi is not None:
            for other in range(1, ranks):
                self._engine.join_by_mpi(other, str(by.mpi.library))
        for rank in range(1, ranks):
            joined = self._crew.joined[rank]
            self._crew.send(rank, "open", rank, threads, seed, self._owners, joined, step_s)
        for rank in range(1, ranks):
            self._crew.answer(rank)

    @property
    def pids(self) -> dict[int, int]:
        """Processes of the other ranks."""
        return self._crew.pids

    # ---- advancing ----------------------------------------------------------------------------

    def start(self) -> None:
        """Run the set-up of all nodes."""
        self._everyone("start")

    def _everyone(self, method: str, *arguments: Any) -> None:
        """Set up all ranks at the same time."""
        self._crew.send_all("ask", method, arguments, {})
        try:
            getattr(self._engine, method)(*arguments)
        finally:
            for rank in range(1, self.ranks):
                self._crew.answer(rank)
        self._checked = time.monotonic()
        self._news()

    def _advance(self, until: int) -> bool:
        """All ranks to `until`; False: stopped. An exception in a callback comes after it."""
        self._check()
        began = time.monotonic()
        self._crew.trouble = False
        self._crew.send_all("advance", until)
        interrupted: BaseException | None = None
        trouble: Exception | None = None
        reason = ""
        while not reason and trouble is None:
            try:
                reason = self._engine.advance(until, lambda: self._crew.trouble)
            except KeyboardInterrupt as problem:
                interrupted = problem
            except RuntimeError as problem:
                trouble = problem
        if reason != "done":
            self._crew.send_all("stop")  # the others wait as this one did
        quiet = self._engine.is_quiet()
        for rank in range(1, self.ranks):
            try:
                news, other = self._crew.answer(rank)
            except LostRank as problem:
                trouble = problem
            except RankError as problem:
                trouble = trouble or problem
            else:
                self._take_news(*news)
                quiet &= other
        if trouble is None and reason != "done":
            trouble = LostRank("A rank has stopped; the run has ended.")
        if trouble is not None:
            self._fail(trouble)
        self._quiet = quiet
        self._write_news()
        self._own_messages()
        self._saved = f"Captures and recordings hold what came until {format_time(self.now_ps)}."
        self._wall += time.monotonic() - began
        if interrupted is not None:
            raise interrupted
        return True

    def _fail(self, problem: Exception) -> None:
        """End a run whose ranks can no longer meet; raises `problem`, or the reason for it."""
        self._broken = True
        self._own_messages()
        if isinstance(problem, LostRank) or " is gone" in str(problem):
            self._crew.raise_failure(str(problem), self._saved)
        self._news()
        raise problem

    def _lone_step(self) -> None:
        """One window of the cluster, cut as in one process: a call takes time until its end."""
        self._cuts = [at for at in self._cuts if at > self.now_ps]
        self._advance(min([self.now_ps + self.window_ps, *self._cuts]))

    def _segment(self, pace: Pace, end: int) -> None:
        span = self.window_ps if self._calls.active else pace.ps
        until = min(end, self.now_ps + span)
        began, ps = time.monotonic(), until - self.now_ps
        self._advance(until)
        if span == pace.ps:
            pace.took(ps, time.monotonic() - began)
        if self._record and time.monotonic() >= self._checked + CHECK_S:
            self.flush()

    def run(self, ps: int, progress: Callable[[int, int], object] | None = None) -> str:
        """As of the engine."""
        end, pace, told = self.now_ps + ps, Pace(SEGMENT_S, self.window_ps), time.monotonic()
        with self._calls.driving():
            while self.now_ps < end:
                self._calls.serve()
                if self._calls.stopping or self._crew.leaving:
                    return "stopped"
                if progress and time.monotonic() >= told + TICK_S:
                    told = time.monotonic()
                    progress(self.now_ps, end)
                self._segment(pace, end)
        return "done"

    def serve(
        self,
        stop: StopTest = None,
        idle: str = "sleep",
        until_ps: int | None = None,
        idle_share: float = 0.05,
    ) -> str:
        """As of the engine."""
        try:
            return self._serve(stop, idle, until_ps, idle_share)
        except (RankError, RuntimeError) as problem:
            return f"failed: {problem}"

    def _serve(self, stop: StopTest, idle: str, until_ps: int | None, idle_share: float) -> str:
        end = 2**63 if until_ps is None else until_ps
        live, rest = Pace(LIVE_S, self.window_ps), Pace(LIVE_S / 10, self.window_ps)
        wall0, virtual0, told = time.monotonic(), self.now_ps, 0.0
        share = min(max(idle_share, 0.001), 0.999)
        busy_s = IDLE_MS / 1e3 * share / (1 - share)

        def allowance() -> int:
            return min(end, virtual0 + int((time.monotonic() - wall0) * 1e12))

        with self._calls.driving():
            while self.now_ps < end:
                if time.monotonic() >= told + TICK_S:
                    told = time.monotonic()
                    if stop and stop():
                        return "stopped"
                self._calls.serve()
                if self._calls.stopping or self._crew.leaving:
                    return "stopped"
                if self._crew.failure:
                    self._fail(LostRank(self._crew.failure))
                if not self._at_rest():
                    self._segment(live, end)
                    continue
                if idle != "sleep":
                    if self.now_ps < allowance():
                        self._segment(live, allowance())
                    continue
                live = Pace(LIVE_S, self.window_ps)
                slept = time.monotonic()
                woken = self._engine.poll_outside(IDLE_MS)
                awake = time.monotonic()
                self._idle += awake - slept
                while (
                    not woken
                    and self._at_rest()
                    and self.now_ps < allowance()
                    and time.monotonic() < awake + busy_s
                    and not self._calls.waiting
                ):
                    self._segment(rest, allowance())
        return "until"

    def _at_rest(self) -> bool:
        return self._quiet and not self._calls.active and self._engine.is_quiet()

    def stop(self) -> None:
        """As of the engine."""
        self._calls.stop()

    # ---- calls ----------------------------------------------------------------------------------

    def _read(self, actor: int, method: str, *arguments: Any) -> Any:
        """Ask the rank of an actor."""
        return self._calls.call(lambda: self._ask(self._rank(actor), method, actor, *arguments))

    def _change(self, actor: int, method: str, *arguments: Any) -> None:
        """Change an actor: in its rank, and in rank 0, which records it."""
        self._change_in(self._rank(actor), method, actor, *arguments)

    def _change_in(self, rank: int, method: str, *arguments: Any) -> None:
        def work() -> None:
            self._quiet = False
            self._ask(0, method, *arguments)
            if rank:
                self._ask(rank, method, *arguments)

        self._calls.call(work)

    def _change_disk(self, disk: int, method: str, *arguments: Any) -> None:
        self._change_in(self._disk_rank(disk), method, *arguments)

    def _change_all(self, method: str, *arguments: Any) -> None:
        """Change a cable or the like, in every rank."""

        def work() -> None:
            self._quiet = False
            for rank in range(self.ranks):
                self._ask(rank, method, *arguments)

        self._calls.call(work)

    def _access(self, node: int, port: str, addr: int, data: int, strb: int, write: bool) -> Access:
        rank = self._rank(node)
        self._quiet = False
        # A number for each access, the same in all ranks.
        tickets = [
            self._ask(other, "post", node, addr, data, port, strb, write)
            for other in sorted({0, rank})
        ]
        while (answer := self._ask(rank, "answered", tickets[-1])) is None:
            yield
        return answer

    def axil_read(self, node: int, addr: int, port: str = "") -> int:
        """As of the engine."""
        return int(self._calls.call(lambda: self._access(node, port, addr, 0, 0, False)))

    def axil_write(
        self, node: int, addr: int, data: int, port: str = "", strb: int = 15, wait: bool = True
    ) -> None:
        """As of the engine."""
        if not self._engine.started:
            self._everywhere("axil_write", node, addr, data, port, strb, wait)
        elif wait:
            self._calls.call(lambda: self._access(node, port, addr, data, strb, True))
        else:
            self._change(node, "axil_write", addr, data, port, strb, False)

    def pin(self, node: int, name: str) -> int:
        """As of the engine."""
        return int(self._read(node, "pin", name))

    def set_pin(self, node: int, name: str, value: int) -> None:
        """As of the engine."""
        self._change(node, "set_pin", name, value)

    def mem_read(self, node: int, addr: int, size: int, port: str = "") -> bytes:
        """As of the engine."""
        return bytes(self._read(node, "mem_read", addr, size, port))

    def mem_write(self, node: int, addr: int, data: bytes, port: str = "") -> None:
        """As of the engine."""
        self._change(node, "mem_write", addr, data, port)

    def mem_fault(self, node: int, addr: int, size: int, on: bool = True, port: str = "") -> None:
        """As of the engine."""
        self._change(node, "mem_fault", addr, size, on, port)

    def disk_sectors(self, disk: int) -> int:
        """As of the engine."""
        return self._engine.disk_sectors(disk)

    def disk_read(self, disk: int, lba: int, count: int, cached: bool = True) -> bytes:
        """As of the engine."""
        rank = self._disk_rank(disk)
        return bytes(
            self._calls.call(lambda: self._ask(rank, "disk_read", disk, lba, count, cached))
        )

    def disk_write(self, disk: int, lba: int, data: bytes) -> None:
        """As of the engine."""
        self._change_disk(disk, "disk_write", disk, lba, data)

    def disk_fault(self, disk: int, *arguments: Any) -> None:
        """As of the engine."""
        self._change_disk(disk, "disk_fault", disk, *arguments)

    def plug_cable(self, cable: int, plugged: bool = True, at_ps: int | None = None) -> None:
        """As of the engine."""
        self._change_all("plug_cable", cable, plugged, at_ps)

    def impair(self, cable: int, ab: Any = None, ba: Any = None, at_ps: int | None = None) -> None:
        """As of the engine."""
        self._change_all("impair", cable, ab, ba, at_ps)

    def plug(self, lane_cable: int, plugged: bool = True, at_ps: int | None = None) -> None:
        """As of the engine."""
        self._change_all("plug", lane_cable, plugged, at_ps)

    def flip(self, lane_cable: int, *which: int | None) -> None:
        """As of the engine."""
        self._change_all("flip", lane_cable, *which)

    def reset_node(self, node: int, at_ps: int | None = None) -> None:
        """As of the engine."""
        self._change_all("reset_node", node, at_ps)  # its lanes may begin in any rank
        self._cuts.append(at_ps or 0)

    def send(self, script: int, frame: bytes, at_ps: int | None = None) -> None:
        """As of the engine."""
        self._change(script, "send", frame, at_ps)

    def received(self, script: int) -> list[tuple[int, bytes]]:
        """As of the engine."""
        return list(self._read(script, "received"))

    def received_messages(self, script: int) -> list[tuple[int, bytes, bool, int, int]]:
        """As of the engine."""
        return list(self._read(script, "received_messages"))

    def trace(self, node: int, on: bool = True) -> None:
        """As of the engine."""
        self._read(node, "trace", on)

    def trace_window(self, node: int, from_ps: int, to_ps: int) -> None:
        """As of the engine."""
        self._read(node, "trace_window", from_ps, to_ps)
        self._cuts += [from_ps, to_ps]

    # ---- results --------------------------------------------------------------------------------

    def _gather(self, method: str) -> list[Any]:
        return [self._ask(rank, method) for rank in range(self.ranks)]

    def stats(self) -> dict[str, Any]:
        """As of the engine; `ranks` has what each rank sent to its neighbours."""
        return dict(self._calls.call(self._stats))

    def _stats(self) -> dict[str, Any]:
        from .merge import merge_stats

        merged = merge_stats(self._gather("stats"), self._wall, self._idle)
        merged["ranks"] = dict(
            zip(map(str, range(self.ranks)), self._gather("rank_stats"), strict=True)
        )
        return merged

    def _pick_digests(self, parts: list[list[int]]) -> list[int]:
        """Of each node, disk and host, from the rank that has it."""
        owners = [rank for rank, is_node in self._actors if is_node] + self._disks + self._hosts
        return [parts[rank][i] for i, rank in enumerate(owners)]

    def _tell_digests(self) -> None:
        self._engine.tell_digests(self._pick_digests(self._gather("digests")))

    def digest(self) -> str:
        """As of the engine."""

        def work() -> str:
            self._tell_digests()
            return self._engine.digest()

        return str(self._calls.call(work))

    def topology(self) -> str:
        """As of the engine."""
        return self._engine.topology()

    def messages(self, since: int = 0) -> list[tuple[str, int, str, str]]:
        """As of the engine; of all ranks."""
        self._own_messages()
        return self._messages[since:]

    def _own_messages(self) -> None:
        with self._reading:
            found = self._engine.messages(self._seen)
            self._seen += len(found)
            self._messages += found

    def _news(self) -> None:
        """What the other ranks have captured and said since they advanced."""
        self._crew.send_all("news")
        for rank in range(1, self.ranks):
            self._take_news(*self._crew.answer(rank))
        self._write_news()

    def _take_news(self, captured: bytes, entered: bytes, messages: list[Any]) -> None:
        self._engine.give_captured(captured)
        self._engine.give_entered(entered)
        self._messages += messages

    def _write_news(self) -> None:
        self._engine.write_captured()
        self._engine.write_entered()

    def flush(self) -> None:
        """As of the engine."""

        def work() -> None:
            self._news()
            self._tell_digests()
            self._engine.flush()
            self._checked = time.monotonic()

        self._calls.call(work)

    def finish(self) -> None:
        """As of the engine."""

        def work() -> None:
            self._gather("finish")
            self._news()

        self._calls.call(work)

    def complete_files(self) -> None:
        """As of the engine. Of a run in which a rank was lost there is what came until then."""
        with self._calls.held():
            if self._engine.started and not (self._broken or self._crew.failure):
                self._news()
                self._tell_digests()
            self._engine.complete_files()

    def close(self) -> None:
        """Complete the files and end all ranks."""
        if self._closed:
            return
        self._closed = True
        try:
            self.complete_files()
        finally:
            self._crew.close()
            self._engine.close()

    # ---- recorded input -------------------------------------------------------------------------

    def begin_replay(self, path: str, other_libraries: bool = False) -> None:
        """As of the engine: in every rank, which meets the events of its own nodes."""
        self._everyone("begin_replay", path, other_libraries)

    def recorded(self) -> dict[str, Any]:
        """As of the engine."""
        return self._engine.recorded()

    def go_live(self) -> None:
        """As of the engine."""
        self._calls.call(lambda: self._gather("go_live"))

    def take_checks(self) -> list[tuple[int, str, str, list[int]]]:
        """As of the engine; of the whole cluster."""
        return list(self._calls.call(self._checks))

    def _checks(self) -> list[tuple[int, str, str, list[int]]]:
        found = []
        for same in zip(*self._gather("take_checks"), strict=True):
            at, expected, _, _ = same[0]
            parts = self._pick_digests([part for _, _, _, part in same])
            self._engine.tell_digests(parts)
            found.append((at, expected, self._engine.digest(), parts))
        return found

    def replay(
        self,
        path: str,
        progress: Callable[[int, int], object] | None = None,
        other_libraries: bool = False,
    ) -> dict[str, Any]:
        """As of the engine."""
        from .._engine import recording_info

        final = int(recording_info(path)["last_ps"])
        self.begin_replay(path, other_libraries)
        self._calls.call(lambda: self._advance(0))
        reason = self.run(final, progress)
        checks = self.take_checks()
        differ = [at for at, expected, found, _ in checks if expected != found]
        state = self.recorded()
        return {
            "equal": not differ,
            "complete": state["complete"] and reason == "done",
            "final_ps": self.now_ps,
            "digest": self.digest(),
            "expected": checks[-1][1] if checks else "",
            "events": state["events"],
            "checks": len(checks),
            "differs_ps": differ[0] if differ else None,
        }

    @property
    def now_ps(self) -> int:
        """As of the engine."""
        return self._engine.now_ps

    @property
    def window_ps(self) -> int:
        """As of the engine."""
        return self._engine.window_ps

    @property
    def started(self) -> bool:
        """As of the engine."""
        return self._engine.started
