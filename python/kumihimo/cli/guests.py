# SPDX-License-Identifier: Apache-2.0
"""The guests of a cluster file beside its running cluster.

Boots those that have a script, writes their consoles to logs, and says when each has booted and how
it ended.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Self

from ..cluster import Cluster
from ..common.errors import KumiError
from ..guest import GuestProcess, Placed
from ..guest.process import DONE
from . import console

BOOT_S = 180.0  # of wall time; QEMU takes 10 s on a quiet machine
HALT_S = 10.0  # from the end of a script to that of the kernel
READ_S = 0.5  # from the end of a kernel to its last line
_SHOWN = 6  # lines of the console of one that failed


def scripted(cluster: Cluster) -> list[str]:
    """Names of the guests that boot by themselves."""
    return [name for name, guest in cluster.plan.guests.items() if guest.script is not None]


def check(cluster: Cluster) -> None:
    """Raise if a guest cannot boot on this machine; call before a long build."""
    for kind in {cluster.plan.guests[name].kind for name in scripted(cluster)}:
        Placed("", kind).check()


class _Booted:
    """One guest, its log, and what was said about it."""

    def __init__(self, name: str, guest: GuestProcess, log: Path) -> None:
        self.name = name
        self.log = log
        self.failed = False
        self.stuck = False  # it never came to its script
        self.done = False
        self._guest = guest
        self._began = time.monotonic()
        self._since = 0.0  # when its script ended, or could no longer end
        self._gone = 0.0  # when its kernel ended
        self._written = 0
        self._told = False

    def update(self) -> None:
        """Log what is new on its console, and say what has changed."""
        if self.done:
            return
        now = time.monotonic()
        if not self._gone and not self._guest.running:
            self._gone = now
        alive = not self._gone or now - self._gone < READ_S
        self._write()
        seconds = now - self._began
        if self._guest.booted and not self._told:
            self._told = True
            self._say(f"booted after {seconds:.1f} s")
        status = self._guest.status
        if status is not None and not self._since:
            self._since = now
            self.failed = status != 0
            self._say(f"its script ended with {status} after {seconds:.1f} s", self.failed)
        elif not self._since and not (alive and (self._told or seconds < BOOT_S)):
            self._since = now
            self.failed = True
            self.stuck = not self._told
            why = "did not boot" if self.stuck else "ended before its script did"
            self._say(f"{why}, {seconds:.1f} s after its start", True)
        if self._since and (self._gone or now - self._since > HALT_S):
            self.end()

    @property
    def ended(self) -> bool:
        """Whether its script has ended, or never will."""
        return self._since > 0

    def end(self) -> None:
        """End it at once, whatever it does: its files are read-only, so nothing is lost."""
        if not self.done:
            self.done = True
            self._guest.kill()
            self._guest.stop()
            self._write()

    def _write(self) -> None:
        new = self._guest.lines(self._written)
        if new:
            self._written += len(new)
            with self.log.open("a", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in new if DONE not in line)

    def _say(self, what: str, failed: bool = False) -> None:
        style = "bold red" if failed else None
        console.err.print(f"guest {self.name}: {what}", style=style, markup=False, soft_wrap=True)
        if failed:
            last = [line for line in self._guest.lines() if line and DONE not in line]
            for line in last[-_SHOWN:]:
                console.err.print(f"  {line}", markup=False, soft_wrap=True)


class Guests:
    """Those of a started cluster with a script; they have cards once it is served."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._guests: list[_Booted] = []

    def __enter__(self) -> Self:
        try:
            for name in scripted(self._cluster):
                self._boot(name)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _boot(self, name: str) -> None:
        assert self._cluster.folder is not None
        log = self._cluster.folder / f"{name}.log"
        guest = self._cluster.guests[name]
        try:
            log.touch(mode=0o600)
            started = guest.boot(guest.script)
        except OSError as problem:
            raise KumiError(f"The guest {name} cannot start: {problem.strerror}.") from None
        self._guests.append(_Booted(name, started, log))
        console.err.print(
            f"guest {name}: boots ({guest.title}), its console: {log}",
            markup=False,
            soft_wrap=True,
        )

    def update(self) -> None:
        """Call a few times per second."""
        for guest in self._guests:
            guest.update()

    def end(self) -> None:
        """End all of them, and say which ones still ran."""
        for guest in self._guests:
            guest.update()
        left = [guest for guest in self._guests if not guest.done]
        for guest in left:
            guest.end()
        if names := ", ".join(guest.name for guest in left if not guest.ended):
            console.err.print(f"guests that still ran were ended: {names}", markup=False)

    @property
    def ended(self) -> bool:
        """Whether every script has ended."""
        return all(guest.ended for guest in self._guests)

    @property
    def stuck(self) -> bool:
        """Whether one did not boot."""
        return any(guest.stuck for guest in self._guests)

    @property
    def failed(self) -> bool:
        """Whether one did not boot, or its script failed."""
        return any(guest.failed for guest in self._guests)
