# SPDX-License-Identifier: Apache-2.0
"""`kumi guest`: boots a guest at a running cluster: one of its cluster file, or at a socket."""

from __future__ import annotations

import stat
import sys
from dataclasses import replace
from pathlib import Path

from ..common.errors import KumiError, did_you_mean
from ..guest import Placed
from ..manager.agent import RemoteBoard
from ..net.session import Session, running, wait_for


def _is_socket(path: Path) -> bool:
    return path.exists() and stat.S_ISSOCK(path.stat().st_mode)


def _of_cluster(what: str) -> Placed:
    """A guest by its name, or CLUSTER:NAME where CLUSTER is a name, process id or file."""
    cluster, _, name = what.rpartition(":")
    session = wait_for(cluster or None) if cluster else _with_guest(name)
    if name not in session.guests:
        known = did_you_mean(name, session.guests) or " It has none."
        raise KumiError(f"{session.name} has no guest called {name}.", known.strip(), 2)
    ports = RemoteBoard("", session, 10.0).ask({"do": "counters"})["hosts"]
    if ports[name]["connected"]:
        text = f"{name} of {session.name} has booted already."
        raise KumiError(text, f"Its console: kumi logs {session.name} --guest {name}", 2)
    return Placed(**session.guests[name])


def _with_guest(name: str) -> Session:
    """The running cluster with a guest of this name, or the only one that runs."""
    found = [session for session in running() if name in session.guests]
    if len(found) > 1:
        names = ", ".join(f"{session.name}:{name}" for session in found)
        raise KumiError(f"Several clusters have a guest called {name}: {names}.", "Name one.", 2)
    return found[0] if found else wait_for(None)


def _find(what: str) -> Placed:
    if _is_socket(Path(what)):
        return Placed(what)
    name = what.rpartition(":")[2]
    if "/" in name or name.endswith(".sock"):
        raise KumiError(
            f"there is no socket {what}: start the cluster whose `hosts:` name it "
            "(`kumi up CLUSTER.yaml`), and give the path as seen from here"
        )
    return _of_cluster(what)


def run(what: str, kind: str | None, script: str | None, memory: str | None, timeout: float) -> int:
    """0 if the commands succeeded; of a shell, the exit code of its guest."""
    found = _find(what)
    placed = replace(found, kind=kind or found.kind, memory=memory or found.memory)
    placed.check()
    with placed.boot(script) as guest:
        if script is None:
            return guest.wait()
        sys.stdout.write(guest.finish(timeout).lstrip("\n"))
    return 0
