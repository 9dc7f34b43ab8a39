# SPDX-License-Identifier: Apache-2.0
"""The process of a rank other than 0: does what rank 0 says, and ends when rank 0 does."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

from ..common import ending
from .meeting import Place, attend
from .mpi import Started
from .wire import BEAT_S, SILENCE, Line, unpack

LEAVE_S = 5.0
GONE = 3
"""Exit status when rank 0 is gone."""

News = tuple[bytes, bytes, list[Any]]
"""Frames captured, events that entered, and messages, since the last."""


class Worker:
    """Executes the calls that come over a line, on an engine of its own."""

    def __init__(
        self, line: Line, joined: dict[int, int] | None = None, mpi: Started | None = None
    ) -> None:
        """line: to rank 0; joined, mpi: to the other ranks, if it does not say them."""
        self._line = line
        self._joined = joined
        self._mpi = mpi
        self._calls: queue.Queue[tuple[Any, ...]] = queue.Queue()
        self._stop = threading.Event()
        self._leaving = False
        self._problem = ""
        self._engine: Any = None
        self._seen = 0
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # rank 0 ends the run
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._term)
        for work in (self._listen, self._beat):
            threading.Thread(target=work, daemon=True).start()

    def _term(self, _number: int, _frame: object) -> None:
        self._leaving = True  # a message could be half sent just now; the next beat says it

    def _listen(self) -> None:
        silent = 0
        try:
            while silent < SILENCE:
                if not self._line.ready(BEAT_S):
                    silent += 1
                    continue
                silent = 0
                message = self._line.receive()
                if message[0] == "stop":
                    self._stop.set()
                elif message[0] != "beat":
                    self._calls.put(message)
                if message[0] == "end":
                    return  # rank 0 closes the line
        except (EOFError, OSError):
            pass
        os._exit(GONE)  # whatever the main thread does: a design may be in a long step

    def _beat(self) -> None:
        pause = threading.Event()
        while not pause.wait(BEAT_S):
            try:
                self._line.send("leaving" if self._leaving else "beat")
            except OSError:
                return  # the listener knows whether that is the end of the run

    def run(self) -> None:
        """Work until rank 0 says `end`."""
        while True:
            verb, *rest = self._calls.get()
            if verb == "end":
                return
            try:
                answer = getattr(self, f"_do_{verb}")(*rest)
                problem, self._problem = self._problem, ""
            except Exception as failure:
                answer, problem = None, str(failure)
            if verb == "tell":
                self._problem = self._problem or problem
            elif problem:
                self._line.send("error", problem)
            else:
                self._line.send("answer", answer)

    def _do_open(
        self,
        rank: int,
        threads: int,
        seed: int,
        owners: dict[str, int],
        joined: dict[int, int],
        step_s: float,
    ) -> None:
        from .._engine import Engine
        from ..watchdog import Watchdog

        self._engine = engine = Engine(threads=threads, seed=seed)
        engine.place(rank, owners)
        for other, fd in (self._joined or joined).items():
            engine.join(other, fd)
            os.close(fd)
        if self._mpi is not None:
            for other in set(range(self._mpi.ranks)) - {rank}:
                engine.join_by_mpi(other, str(self._mpi.library))
        self._watchdog = Watchdog(lambda: int(engine.now_ps), step_s)

    def _do_tell(self, method: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._do_ask(method, arguments, named)

    def _do_ask(self, method: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        called = getattr(self._engine, method)
        return called(*map(unpack, arguments), **{k: unpack(v) for k, v in named.items()})

    def _do_advance(self, until_ps: int) -> tuple[News, bool]:
        self._stop.clear()
        self._engine.advance(until_ps, self._stop.is_set)
        return self._do_news(), self._engine.is_quiet()

    def _do_news(self) -> News:
        return self._engine.take_captured(), self._engine.take_entered(), self._messages()

    def _messages(self) -> list[Any]:
        found = list(self._engine.messages(self._seen))
        self._seen += len(found)
        return found


def attend_run(where: Place) -> None:
    """Be a rank of a run whose ranks were started one by one; ends the process."""
    ending.allow(LEAVE_S)  # rank 0, which SIGTERM lets know, ends the run
    met = attend(where)
    joined = {rank: end.detach() for rank, end in met.borders.items()}
    Worker(Line(met.lines[0]), joined, met.mpi).run()
    if met.mpi is not None:
        met.mpi.exit()
    os._exit(0)  # engine and threads end with the process


def main() -> None:
    """`python -m kumihimo.ranks.worker FD`: the line to rank 0 is that file descriptor."""
    Worker(Line(Connection(int(sys.argv[1])))).run()
    os._exit(0)  # engine and threads end with the process


if __name__ == "__main__":
    main()
