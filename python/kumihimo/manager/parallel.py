# SPDX-License-Identifier: Apache-2.0
"""Runs the same work on many boards in parallel; boards that do not answer are reported."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .board import Abandoned, Board, Guarded

Result = TypeVar("Result")
Progress = Callable[[str, bool], None]
"""Told when a board is done: its name, and whether all went well."""


@dataclass
class Outcome(Generic[Result]):
    """Outcome of one board: a result, or the problem in a sentence."""

    name: str
    result: Result | None
    problem: str
    seconds: float
    accesses: int


def on_all(
    boards: Sequence[Board],
    work: Callable[[Guarded], Result],
    timeout: float,
    parallel: int = 64,
    progress: Progress | None = None,
) -> list[Outcome[Result]]:
    """Run `work` on every board, at most `parallel` at a time. Outcomes are in the boards' order.

    Args:
        boards: boards with distinct names.
        work: takes a guarded board; an exception becomes the board's problem.
        timeout: seconds per board, from its start. Its thread is then abandoned, because it
            cannot be killed, and the next board starts.
        parallel: maximum number of boards at a time.
        progress: called when a board is done.
    """
    done: queue.Queue[tuple[int, Result | None, str]] = queue.Queue()
    waiting = list(range(len(boards)))[::-1]
    running: dict[int, tuple[Guarded, float]] = {}
    outcomes: dict[int, Outcome[Result]] = {}

    def run(index: int, guarded: Guarded) -> None:
        try:
            done.put((index, work(guarded), ""))
        except Abandoned:
            return
        except Exception as problem:
            done.put((index, None, _sentence(problem)))

    def finish(index: int, result: Result | None, problem: str) -> None:
        guarded, start = running.pop(index)
        spent = time.monotonic() - start
        name = boards[index].name
        outcomes[index] = Outcome(name, result, problem, spent, guarded.accesses)
        if progress:
            progress(name, not problem)

    while waiting or running:
        while waiting and len(running) < max(1, parallel):
            index = waiting.pop()
            guarded = Guarded(boards[index])
            running[index] = (guarded, time.monotonic())
            name = f"board-{boards[index].name}"
            threading.Thread(target=run, args=(index, guarded), name=name, daemon=True).start()
        first = min(start for _guarded, start in running.values()) + timeout
        try:
            index, result, problem = done.get(timeout=max(0.0, first - time.monotonic()))
        except queue.Empty:
            now = time.monotonic()
            for index, (guarded, start) in list(running.items()):
                if now - start >= timeout:
                    guarded.abandon()
                    text = f"no answer within {timeout:g} s, while {guarded.step}"
                    finish(index, None, text)
            continue
        if index in running:
            finish(index, result, problem)
    return [outcomes[index] for index in range(len(boards))]


def _sentence(problem: Exception) -> str:
    text = str(problem) or type(problem).__name__
    return text.rstrip(".")
