# SPDX-License-Identifier: Apache-2.0
"""Calls of any thread on an engine that one thread drives: made while all ranks stand still."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

Work = Callable[[], Any]
"""What to do; a generator that it returns wants simulated time whenever it yields."""


class _Call:
    def __init__(self, work: Work) -> None:
        self.work: Work | None = work
        self.steps: Generator[None, None, Any] | None = None
        self.result: Any = None
        self.problem: BaseException | None = None
        self.over = False  # or its caller must go on with it
        self.done = False

    def go_on(self) -> bool:
        """True when it is finished."""
        try:
            if self.work is not None:
                work, self.work = self.work, None
                self.result = work()
                if not isinstance(self.result, Generator):
                    self.done = True
                    return True
                self.steps = self.result
            assert self.steps is not None
            next(self.steps)
            return False
        except StopIteration as end:
            self.result = end.value
        except BaseException as problem:
            self.problem = problem
        self.done = True
        return True


class Calls:
    """Lets one thread drive, and makes the calls of the others when it says so."""

    def __init__(self, step: Callable[[], None]) -> None:
        """step: lets time pass while nobody drives."""
        self._step = step
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._driver: int | None = None
        self._new: list[_Call] = []
        self._begun: list[_Call] = []
        self.stopping = False

    @property
    def waiting(self) -> bool:
        """Whether a call waits to be made."""
        return bool(self._new)

    @property
    def active(self) -> bool:
        """Whether a call needs simulated time."""
        return bool(self._begun)

    def stop(self) -> None:
        """End the drive."""
        if self._driver is not None:
            self.stopping = True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other threads out while nobody drives."""
        with self._lock:
            yield

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Drive, in this thread."""
        with self._lock:
            if self._driver is not None:
                raise RuntimeError("the engine is being run by another thread")
            self._driver = threading.get_ident()
            self.stopping = False
        try:
            yield
        finally:
            with self._lock:
                self._driver = None
                for call in self._new + self._begun:
                    call.over = True
                self._new, self._begun = [], []
                self._changed.notify_all()

    def serve(self) -> None:
        """Make the calls that wait; the driver calls it between two advances."""
        if not (self._new or self._begun):
            return
        with self._lock:
            self._begun += self._new
            self._new = []
        left = [call for call in self._begun if not call.go_on()]
        with self._lock:
            self._begun = left
            self._changed.notify_all()

    def call(self, work: Work) -> Any:
        """Do it, now or between two advances; the result."""
        call = _Call(work)
        with self._lock:
            if self._driver not in (None, threading.get_ident()):
                self._new.append(call)
                self._changed.wait_for(lambda: call.done or call.over)
            while not call.done and not call.go_on():
                self._step()
        if call.problem is not None:
            raise call.problem
        return call.result
