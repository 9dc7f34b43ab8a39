# SPDX-License-Identifier: Apache-2.0
"""The processes of ranks 1 and up: started, asked, watched, ended."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from ..common.closing import Closing
from ..common.errors import KumiError
from .meeting import Met
from .wire import BEAT_S, SILENCE, STARTING, Line

END_S = 2.0
Pair = Callable[[], tuple[socket.socket, socket.socket]]
"""Makes two connected stream sockets."""


class _Member:
    """One rank: its process, its line, and what it has answered."""

    def __init__(
        self, rank: int, process: subprocess.Popen[bytes] | None, line: Line, who: str
    ) -> None:
        self.rank = rank
        self.process = process
        self.line = line
        self.who = who
        self.answers: queue.Queue[tuple[Any, ...] | None] = queue.Queue()


class Crew(Closing):
    """Has a line to each rank, and watches them."""

    def __init__(self, ranks: int, names: Mapping[int, str], by: Pair | Met | None = None) -> None:
        """Start a process for each rank, or take those that have been met.

        names: what each rank holds, for messages; by: what connects new processes with each other
        (default: UNIX stream sockets), or the connections there are.
        """
        self.failure = ""
        """What went wrong with a rank; empty while all is well."""
        self.trouble = False
        """Whether a rank is lost or a call in one has failed; who asks for the answer clears it."""
        self.leaving = False
        """Whether a rank was asked to end (SIGTERM)."""
        self._names = names
        self._ended = threading.Event()
        self.joined: list[dict[int, int]] = [{} for _ in range(ranks)]
        """File descriptors to the others, of each rank that this process starts and its own."""
        self._own: list[socket.socket] = []
        self._members: list[_Member] = []
        if isinstance(by, Met):
            self._take(by)
        else:
            self._start_all(ranks, by or socket.socketpair)
        self._threads = [
            threading.Thread(target=self._listen, args=[member], daemon=True)
            for member in self._members
        ]
        self._threads.append(threading.Thread(target=self._beat, daemon=True))
        for thread in self._threads:
            thread.start()

    def _take(self, met: Met) -> None:
        for rank, connection in sorted(met.lines.items()):
            with socket.socket(fileno=os.dup(connection.fileno())) as peer:
                who = f"on {peer.getpeername()[0]}"
            self._members.append(_Member(rank, None, Line(connection), who))
        self._own = list(met.borders.values())
        self.joined[0] = {rank: end.fileno() for rank, end in met.borders.items()}

    def _start_all(self, ranks: int, pair: Pair) -> None:
        sockets: list[list[socket.socket]] = [[] for _ in range(ranks)]
        for a in range(ranks):
            for b in range(a):
                for mine, other, end in zip((a, b), (b, a), pair(), strict=True):
                    self.joined[mine][other] = end.fileno()
                    sockets[mine].append(end)
        self._own = sockets[0]
        self._members = [self._start(rank, sockets[rank]) for rank in range(1, ranks)]
        for held in sockets[1:]:
            for end in held:
                end.close()

    def _start(self, rank: int, ends: list[socket.socket]) -> _Member:
        mine, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", "kumihimo.ranks.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno(), *(end.fileno() for end in ends)],
                stdin=subprocess.DEVNULL,
            )
        line = Line(Connection(mine.detach()))
        return _Member(rank, process, line, f"process {process.pid}")

    @property
    def pids(self) -> dict[int, int]:
        """Process of each rank that this process has started."""
        return {m.rank: m.process.pid for m in self._members if m.process is not None}

    # ---- watching -------------------------------------------------------------------------

    def _listen(self, member: _Member) -> None:
        silent, most = 0, STARTING
        try:
            while silent < most:
                if not member.line.ready(BEAT_S):
                    silent += 1
                    continue
                silent, most = 0, SILENCE
                message = member.line.receive()
                if message[0] == "leaving":
                    self.leaving = True
                elif message[0] != "beat":
                    member.answers.put(message)
                    self.trouble |= message[0] == "error"
            self._lost(member, f"has given no sign of life for {most * BEAT_S:.0f} s")
        except (EOFError, OSError):
            self._lost(member, "")
        member.answers.put(None)

    def _lost(self, member: _Member, what: str) -> None:
        self.trouble = True
        if self._ended.is_set() or self.failure:
            return
        if not what and member.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = member.process.wait(END_S)
                name = signal.Signals(-code).name if code < 0 else f"exit status {code}"
                what = f"has ended ({name})"
        holds = self._names.get(member.rank, "")
        of = f" ({holds})" if holds else ""
        self.failure = f"Rank {member.rank}{of}, {member.who}, {what or 'is gone'}"

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_S):
            for member in self._members:
                with contextlib.suppress(OSError):
                    member.line.send("beat")

    # ---- asking ---------------------------------------------------------------------------

    def send(self, rank: int, *message: Any) -> None:
        """Send one rank a message."""
        with contextlib.suppress(OSError):  # its listener notices
            self._members[rank - 1].line.send(*message)

    def send_all(self, *message: Any) -> None:
        """Send every rank a message."""
        for member in self._members:
            self.send(member.rank, *message)

    def answer(self, rank: int) -> Any:
        """The answer of one rank. Raises KumiError if it has failed or is gone."""
        got = self._members[rank - 1].answers.get()
        if got is None or (got[0] == "error" and " is gone" in got[1]):
            self.raise_failure(got[1] if got else "")
        assert got is not None
        if got[0] == "error":
            raise RankError(rank, str(got[1]))
        return got[1]

    def raise_failure(self, why: str = "", hint: str = "") -> None:
        """Raise KumiError that says which rank is gone, as its listener knows soon."""
        for _ in range(20):
            if self.failure:
                break
            self._ended.wait(0.05)
        raise LostRank(f"{self.failure or why}; the run has ended.", hint)

    # ---- end ------------------------------------------------------------------------------

    def close(self) -> None:
        """End all processes: first by a message, then by force."""
        if self._ended.is_set():
            return
        self._ended.set()
        if not self.failure:
            self.send_all("stop")
            self.send_all("end")
        for member in self._members:
            if member.process is None:
                continue  # it ends when its line does
            try:
                member.process.wait(0 if self.failure else END_S)
            except subprocess.TimeoutExpired:
                member.process.kill()
                member.process.wait()
        for thread in self._threads:
            thread.join(END_S if self.pids else 0)
        for member in self._members:
            member.line.close()
        for end in self._own:
            end.close()


class RankError(KumiError):
    """A call that failed in a rank."""

    def __init__(self, rank: int, text: str) -> None:
        super().__init__(text)
        self.rank = rank


class LostRank(KumiError):
    """A rank has ended or hangs."""
