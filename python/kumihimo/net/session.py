# SPDX-License-Identifier: Apache-2.0
"""Registry of running clusters: one small file per cluster in the user's runtime folder."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from ..common.errors import KumiError, did_you_mean
from .namespace import Inside


@dataclass(frozen=True)
class Session:
    """A running cluster, as other processes see it."""

    name: str
    pid: int
    file: str
    inside: Inside
    stations: dict[str, str]

    def alive(self) -> bool:
        """Whether the cluster is still running."""
        return self.inside.alive()


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


def announce(session: Session) -> Path:
    """Register a cluster; remove the returned file when the cluster ends."""
    file = folder() / f"{session.name}-{session.pid}.json"
    draft = file.with_suffix(".tmp")
    draft.write_text(json.dumps(asdict(session)), encoding="utf-8")
    draft.replace(file)
    return file


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
        matching = [s for s in running() if name is None or name in (s.name, str(s.pid))]
        if matching:
            break
        time.sleep(0.1)
        if not being_built(name):
            time.sleep(0.2)  # between the end of the build and the announcement
            break
    return find(name)


def running() -> list[Session]:
    """Running clusters, oldest first. Files of ended clusters are removed."""
    out: list[tuple[float, Session]] = []
    for file in folder().glob("*.json"):
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            session = Session(**{**data, "inside": Inside(**data["inside"])})
            stamp = file.stat().st_mtime
        except (OSError, ValueError, TypeError, KeyError):
            continue
        if session.alive():
            out.append((stamp, session))
        else:
            file.unlink(missing_ok=True)
    return [session for _stamp, session in sorted(out, key=lambda pair: pair[0])]


def find(name: str | None = None) -> Session:
    """The running cluster with this name, or the only one."""
    found = running()
    if not found:
        raise KumiError(
            "No cluster is running.", "Start one with `kumi up FILE`, or give a file.", 2
        )
    if name is None:
        if len(found) > 1:
            names = ", ".join(s.name for s in found)
            raise KumiError(f"Several clusters are running: {names}.", "Name one.", 2)
        return found[0]
    matching = [s for s in found if name in (s.name, str(s.pid))]
    if not matching:
        hint = did_you_mean(name, [s.name for s in found]).strip()
        raise KumiError(f"No running cluster is called {name}.", hint, 2)
    return matching[-1]
