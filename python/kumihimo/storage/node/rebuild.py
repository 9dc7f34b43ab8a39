# SPDX-License-Identifier: Apache-2.0
"""Rebuild and scrub of an array in a storage node, some stripes at a time.

Between two steps the node is free for reads and writes, and waits so that no more than the limit is
read and written for the rebuild.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ... import _storage
from .array import NodeArray

STEP = 16  # stripes between two looks at the limit


@dataclass
class Status:
    """Progress of a rebuild, with the fields of the C++ array's."""

    running: bool = False
    verify: bool = False
    done: int = 0
    total: int = 0
    problem: str = ""


class Rebuild:
    """One pass over all stripes.

    Args:
        node: the array.
        verify: read and check everything (a scrub), else only what is lost.
        limit_mbs: MB/s at most of reconstructed chunks (`verify`: of all data too); 0: unlimited.
        clock: seconds; of the node, if it is simulated.
        pause: let so many seconds of that clock go by.
    """

    def __init__(
        self,
        node: NodeArray,
        *,
        verify: bool = False,
        limit_mbs: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._node, self._verify, self._limit = node, verify, limit_mbs
        self._clock, self._pause = clock, pause
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._status = Status(False, verify, 0, node.stripes)

    def status(self) -> Status:
        """Progress."""
        return self._status

    def run(self) -> Status:
        """Run to the end or until stopped; then forget devices that hold nothing any more.

        Raises what the node itself fails with; stripes that are lost are in the status.
        """
        state = self._status = Status(True, self._verify, 0, self._node.stripes)
        try:
            self._go(state)
        except Exception as problem:
            state.problem = str(problem)
            raise
        finally:
            state.running = False
        return state

    def _go(self, state: Status) -> None:
        node, total = self._node, state.total
        began, size = self._clock(), 0
        while state.done < total and not self._stop.is_set():
            last = min(state.done + STEP, total)
            try:
                size += node.missing_chunks(state.done, last) * node.chunk
                node.repair_range(state.done, last, verify=self._verify)
            except _storage.StorageError as problem:
                state.problem = state.problem or str(problem)
            if self._verify:
                size += (last - state.done) * node.super.k * node.chunk
            state.done = last
            if self._limit > 0:
                self._wait(began + size / (self._limit * 1e6))
        try:
            node.finish_rebuild()
        except _storage.StorageError as problem:
            state.problem = state.problem or str(problem)

    def _wait(self, until: float) -> None:
        while not self._stop.is_set() and (left := until - self._clock()) > 0:
            self._pause(min(left, 0.05))

    def start(self) -> None:
        """Run in a thread."""
        self._status = Status(True, self._verify, 0, self._node.stripes)
        self._thread = threading.Thread(target=self._run_quietly, daemon=True)
        self._thread.start()

    def _run_quietly(self) -> None:
        with contextlib.suppress(Exception):  # the status says it
            self.run()

    def stop(self) -> None:
        """Stop after the current step."""
        self._stop.set()
        self.wait()

    def wait(self) -> None:
        """Wait for the end."""
        if self._thread is not None:
            self._thread.join()
