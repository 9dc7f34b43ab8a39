# SPDX-License-Identifier: Apache-2.0
"""Registry of running clusters: one small file per cluster in the user's runtime folder.

NAME-PID.json says where the cluster's socket is (`manager.agent`) and how to enter its network;
NAME-PID.building is there while its designs are built.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket as sockets
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psutil

from ..common.errors import KumiError, did_you_mean
from .namespace import Inside

CONNECT_S = 5.0


@dataclass(frozen=True)
class Session:
    """A running cluster, as other processes see it."""

    name: str
    pid: int
    file: str
    """Its cluster file, absolute."""
    socket: str
    """Path of the socket that gives access to its registers and counters."""
    inside: Inside | None = None
    """Its private network, if it has TAPs."""
    stations: dict[str, str] = field(default_factory=dict)
    pcap: str = ""
    """The capture that it writes, absolute."""
    guests: dict[str, dict[str, Any]] = field(default_factory=dict)
    """How to boot those of its cluster file: the arguments of `kumihimo.guest.boot`."""

    def connect(self, timeout: float = CONNECT_S) -> sockets.socket:
        """A connection to the cluster. Raises OSError."""
        made = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        made.settimeout(timeout)
        try:
            made.connect(self.socket)
        except OSError:
            made.close()
            raise
        return made

    def network(self) -> Inside:
        """How to enter its network. Raises if it has none."""
        if self.inside is None:
            raise KumiError(f"{self.name} has no TAP, so there is no network to enter.", code=2)
        return self.inside


def folder() -> Path:
    """Folder of this user's registry."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.access(runtime, os.W_OK):
        place = Path(runtime) / "kumihimo"
    else:
        place = Path(tempfile.gettempdir()) / f"kumihimo-{os.getuid()}"
    place.mkdir(mode=0o700, exist_ok=True)
    if place.stat().st_uid != os.getuid():
        raise KumiError(f"{place} belongs to somebody else.", "Set XDG_RUNTIME_DIR.")
    return place


def run_folder(name: str) -> Path:
    """Make the folder of a run, for its guests' sockets and logs: NAME-PID.

    Another run of this process by that name has NAME-PID.1 and so on. Those of ended processes
    that hold no log are removed.
    """
    for old in folder().glob("*-*/"):
        pid = old.name.rpartition("-")[2].partition(".")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            leave(old)
    stem = f"{name}-{os.getpid()}"
    names = (stem if number == 0 else f"{stem}.{number}" for number in count())
    place = next(folder() / name for name in names if not (folder() / name).exists())
    place.mkdir(mode=0o700)
    return place


def leave(place: Path) -> None:
    """Remove a run's folder, but for its logs."""
    for file in place.glob("*.sock"):
        file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        place.rmdir()


@contextlib.contextmanager
def announced(session: Session) -> Iterator[Session]:
    """List a cluster during the block."""
    file = folder() / f"{session.name}-{session.pid}.json"
    draft = file.with_suffix(".tmp")
    draft.write_text(json.dumps(asdict(session)), encoding="utf-8")
    draft.replace(file)
    try:
        yield session
    finally:
        file.unlink(missing_ok=True)


@contextlib.contextmanager
def starting(name: str) -> Iterator[None]:
    """Say that a cluster of this process is being built, so that `kumi shell` waits for it."""
    file = folder() / f"{name}-{os.getpid()}.building"
    file.touch()
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def being_built(name: str | None) -> list[str]:
    """Names of the clusters that are being built now, all or those of one name."""
    found = []
    for file in folder().glob("*.building"):
        own, _, pid = file.stem.rpartition("-")
        if not psutil.pid_exists(int(pid)):
            file.unlink(missing_ok=True)
        elif name is None or name in (own, pid):
            found.append(own)
    return found


def wait_for(name: str | None, seconds: float = 900.0) -> Session:
    """As `find`; if the cluster is still being built, waits until it runs."""
    deadline = time.monotonic() + seconds
    built = being_built(name)
    while built and time.monotonic() < deadline:
        if running() if name is None else matching(name):
            break
        time.sleep(0.1)
        if not being_built(name):
            time.sleep(0.2)  # between the end of the build and the announcement
            break
    return find(name)


def _read(file: Path) -> Session:
    data = json.loads(file.read_text(encoding="utf-8"))
    inside = data["inside"]
    return Session(**{**data, "inside": Inside(**inside) if inside else None})


def running() -> list[Session]:
    """Running clusters, oldest first. Files of ended clusters are removed."""
    out: list[tuple[float, Session]] = []
    for file in folder().glob("*.json"):
        try:
            session = _read(file)
            stamp = file.stat().st_mtime
            with session.connect():
                out.append((stamp, session))
        except (ConnectionError, FileNotFoundError):
            file.unlink(missing_ok=True)
            file.with_suffix(".sock").unlink(missing_ok=True)
        except (OSError, ValueError, TypeError, KeyError):
            continue
    return [session for _stamp, session in sorted(out, key=lambda pair: pair[0])]


def matching(what: str) -> list[Session]:
    """Running clusters with this name, process id or file, oldest first."""
    path = str(Path(what).resolve())
    return [s for s in running() if what in (s.name, str(s.pid)) or s.file == path]


def find(what: str | None = None) -> Session:
    """The running cluster with this name, process id or file, or the only one."""
    found = running()
    if not found:
        raise KumiError("No cluster is running.", "Start one with `kumi up FILE`.", 2)
    if what is None:
        if len(found) > 1:
            names = ", ".join(s.name for s in found)
            raise KumiError(f"Several clusters are running: {names}.", "Name one.", 2)
        return found[0]
    same = matching(what)
    if not same:
        hint = did_you_mean(what, [s.name for s in found]).strip()
        raise KumiError(f"No running cluster is called {what}.", hint, 2)
    return same[-1]
