# SPDX-License-Identifier: Apache-2.0
"""Messages between rank 0 and the others: calls of the engine, answers, signs of life."""

from __future__ import annotations

import threading
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

BEAT_S = 0.5
"""Interval of signs of life, both ways."""
SILENCE = 6
"""Intervals without one after which a rank is held to hang. Counted by who listens, who may have
been stopped himself (Ctrl-Z)."""
STARTING = 120
"""The same before the first: many ranks on few cores take long to start."""


class _Impaired(NamedTuple):
    """`Impairments` of the engine, which cannot be pickled."""

    fields: dict[str, Any]


_FIELDS = ("loss", "ber", "duplicate", "reorder", "reorder_gap", "jitter_ps", "pass_bad")


def pack(value: Any) -> Any:
    """An argument of a call, for a message."""
    from .._engine import Impairments

    if isinstance(value, Impairments):
        return _Impaired({name: getattr(value, name) for name in _FIELDS})
    return value


def unpack(value: Any) -> Any:
    """The argument again."""
    from .._engine import Impairments

    return Impairments(**value.fields) if isinstance(value, _Impaired) else value


class Line:
    """One end of the connection between two processes; any thread may send."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, *message: Any) -> None:
        """Send a message; raises OSError when the other side is gone."""
        with self._lock:
            self._connection.send(message)

    def receive(self) -> tuple[Any, ...]:
        """Wait for a message; raises EOFError or OSError when the other side is gone."""
        return tuple(self._connection.recv())

    def ready(self, seconds: float) -> bool:
        """Whether there is a message within this time."""
        return self._connection.poll(seconds)

    def close(self) -> None:
        """Close this end."""
        self._connection.close()
