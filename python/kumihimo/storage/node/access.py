# SPDX-License-Identifier: Apache-2.0
"""Who may use the array of a node: many that read and write stripes, or one that changes it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class AccessLock:
    """Shared by data operations, exclusive for all else: `with lock:` and `with lock.shared():`.

    The holder of the exclusive lock may take it and the shared one again. One who waits for it goes
    before those who come for the shared one later, so flushes do not starve.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._owner: int | None = None
        self._depth = 0
        self._sharing = 0
        self._waiting = 0

    def __enter__(self) -> AccessLock:
        me = threading.get_ident()
        with self._changed:
            if self._owner != me:
                self._waiting += 1
                try:
                    self._changed.wait_for(lambda: self._owner is None and not self._sharing)
                finally:
                    self._waiting -= 1
                self._owner = me
            self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._depth -= 1
            if not self._depth:
                self._owner = None
                self._changed.notify_all()

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold it together with others. It must not be held already, unless exclusively."""
        if self._owner == threading.get_ident():
            yield
            return
        with self._changed:
            self._changed.wait_for(lambda: self._owner is None and not self._waiting)
            self._sharing += 1
        try:
            yield
        finally:
            with self._changed:
                self._sharing -= 1
                self._changed.notify_all()
