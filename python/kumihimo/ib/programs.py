# SPDX-License-Identifier: Apache-2.0
"""Debian's opensm and infiniband-diags at the hosts of a bridge, unmodified."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from kumihimo.common import tools
from kumihimo.common.errors import KumiError
from kumihimo.ib.bridge import Bridge, Fabric

PACKAGES = {"opensm": "opensm", "ibnetdiscover": "infiniband-diags", "umad2sim": "ibsim-utils"}
"""Debian packages by what they bring; umad2sim is a library."""


def _find(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def _library() -> Path | None:
    return next(iter(sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))), None)


def missing_packages() -> list[str]:
    """Debian packages without which no program can be started here."""
    there = {"opensm": _find("opensm"), "ibnetdiscover": _find("ibnetdiscover")}
    found = {**there, "umad2sim": _library()}
    return [package for name, package in PACKAGES.items() if found[name] is None]


def _program(name: str) -> tuple[str, Path]:
    """A program, and the library that gives it the bridge instead of the kernel's devices."""
    found, library = _find(name), _library()
    if found is None or library is None:
        packages = ", ".join(PACKAGES.values())
        raise KumiError(f"{name} or libumad2sim.so is missing.", f"Install Debian's {packages}.")
    return found, library


# They wait for answers a second of their own time by default; on a busy machine one takes longer.
_IMPATIENT = {
    "ibnetdiscover", "iblinkinfo", "ibqueryerrors", "ibroute", "perfquery", "saquery", "smpquery",
    "sminfo",
}  # fmt: skip
_PATIENCE_MS = "60000"
_FAREWELL_S = 15.0


class Programs:
    """A bridge, and programs at its hosts; the first host is the usual one.

    Args:
        fabric: what they manage.
        hosts: names of its hosts.
        place: folder of their logs and caches.
        timeout: seconds of `clock` after which the bridge says that a datagram is lost.
        limit: seconds of wall time after which `until` gives up.
    """

    def __init__(
        self,
        fabric: Fabric,
        hosts: Sequence[str],
        place: Path,
        *,
        timeout: float,
        limit: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.place = place.resolve()  # programs run in it
        self._hosts, self._limit = list(hosts), limit
        self._socket = f"kumi{os.getpid()}"
        self.bridge = Bridge(fabric, self._hosts, self._socket, timeout, clock)
        self._running: list[tools.Tool] = []

    def start(self, *argv: str, host: str = "") -> tools.Tool:
        """Start a program; it talks to the fabric during `until`."""
        program, library = _program(argv[0])
        patience = ["-t", _PATIENCE_MS] if argv[0] in _IMPATIENT else []
        folder = f"{self.place}/"
        environment = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "SIM_HOST": host or self._hosts[0],
            "IBSIM_SOCKNAME": self._socket,
            "OSM_TMP_DIR": folder,
            "OSM_CACHE_DIR": folder,
        }
        process = tools.begin(
            [program, *patience, *argv[1:]],
            env=environment,
            cwd=self.place,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._running.append(process)
        return process

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Serve the bridge until a condition holds; KumiError with `what` after the limit."""
        end = time.monotonic() + self._limit
        while not condition():
            if time.monotonic() > end:
                raise KumiError(f"After {self._limit:.0f} s: {what}.")
            self.bridge.serve(0.0 if self.bridge.waiting else 0.002)

    def run(self, *argv: str, host: str = "") -> str:
        """Run a program to its end; its output. Raises KumiError if it fails."""
        process = self.start(*argv, host=host)
        self.until(lambda: process.poll() is not None, f"{' '.join(argv)} did not end")
        text: str = process.communicate()[0]
        if process.returncode:
            raise KumiError(f"{' '.join(argv)} failed ({process.returncode}): {text.strip()}")
        return text

    def log(self, name: str) -> str:
        """What a log in the folder holds, "" if there is none."""
        file = self.place / name
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def last_words(self) -> str:
        """The end of each log in the folder."""
        logs = sorted(self.place.glob("*.log"))
        return "\n".join("\n".join((f.name, *self.log(f.name).splitlines()[-20:])) for f in logs)

    def manager(self, name: str = "osm.log") -> tools.Tool:
        """Start opensm at the first host; returns when its log says that the subnet is up."""
        words = ["-e", "-d", "2", "-f", str(self.place / name), "--console", "off", "-s", "2"]
        process = self.start("opensm", *words)
        self.until(
            lambda: "SUBNET UP" in self.log(name) or process.poll() is not None,
            f"no SUBNET UP in {name}",
        )
        if process.poll() is not None:
            raise KumiError(f"opensm has ended ({process.returncode}):", process.communicate()[0])
        return process

    def end(self, process: tools.Tool, number: int = signal.SIGTERM) -> None:
        """End a program by a signal, and kill it if it is still there after a while.

        At its exit the library joins a thread of its own, which sometimes never ends.
        """
        process.send_signal(number)
        late = time.monotonic() + _FAREWELL_S
        self.until(
            lambda: process.poll() is not None or time.monotonic() > late,
            "the program did not end",
        )
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            self.until(lambda: process.poll() is not None, "the program did not end")

    def close(self) -> None:
        """Kill what still runs, and close the bridge."""
        for process in self._running:
            process.end()
            if process.stdout:
                process.stdout.close()
        self.bridge.close()
