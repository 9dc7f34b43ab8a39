# SPDX-License-Identifier: Apache-2.0
"""DPDK's dpdk-testpmd at a vhost-user socket: its virtio_user driver with a node as its card.

It needs no huge pages and no privileges. `net_vhost`, DPDK's own back end, takes the place of a
cluster's host: a reference for guests that is not ours.

testpmd is Debian's, installed here or fetched into the cache (6 MB) with the libraries that it is
linked with.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..build.cache import lock
from . import debian
from .process import GuestProcess, require

PACKAGES = ("dpdk-dev", "librte-net-virtio23", "librte-net-vhost23", "librte-mempool-ring23")
_PROGRAM = "dpdk-testpmd"
_DRIVERS = ("net_virtio", "net_vhost", "mempool_ring")
# What stdbuf preloads: lines come out as they are written, also into a pipe.
_LINES = Path("/usr/libexec/coreutils/libstdbuf.so")
_LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")


class Testpmd:
    """dpdk-testpmd below a root, and what it loads."""

    __test__ = False  # for pytest

    def __init__(self, root: Path) -> None:
        self.program = root / "usr" / "bin" / _PROGRAM
        self.libraries = root / _LIBRARIES.relative_to("/")

    def drivers(self) -> list[Path]:
        """Those that are found, of one version: the program's."""
        names = (f"librte_{name}.so.*" for name in _DRIVERS)
        found = (
            sorted(self.libraries.glob(name), key=lambda path: len(path.name)) for name in names
        )
        return [paths[0] for paths in found if paths]

    def environment(self) -> dict[str, str]:
        """Drivers are preloaded: those named by -d may not lie below a folder like /tmp."""
        preloaded = [_LINES, *self.drivers()]
        return {
            "LD_LIBRARY_PATH": str(self.libraries),
            "LD_PRELOAD": ":".join(str(path) for path in preloaded),
            "_STDBUF_O": "L",
        }

    def usable(self) -> bool:
        """Whether all of it is here."""
        return self.program.is_file() and len(self.drivers()) == len(_DRIVERS)


def find() -> Testpmd | None:
    """Find testpmd as it is installed here, or was fetched."""
    places = (Testpmd(Path("/")), Testpmd(debian.stored("dpdk")))
    return next((place for place in places if place.usable()), None)


def fetch() -> Testpmd | None:
    """Fetch it as an ordinary user into the cache."""
    with lock("guest-dpdk"):
        if found := find():
            return found
        debian.fetch("dpdk", PACKAGES, more=_needed)
    return find()


def _needed(root: Path) -> list[str]:
    """Debian packages of the libraries that are missing: librte_net_i40e.so.23 and the like."""
    here = Testpmd(root)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(here.libraries)}
    missing = set()
    for file in (here.program, *here.drivers()):
        shown = subprocess.run(
            ["ldd", str(file)], capture_output=True, text=True, check=False, env=environment
        )
        missing |= set(re.findall(r"(librte_\w+)\.so\.(\d+) => not found", shown.stdout))
    packages = []
    for library, version in sorted(missing):
        name = library.replace("_", "-")
        packages.append(f"{name}-{version}" if name[-1].isdigit() else f"{name}{version}")
    return packages


def missing() -> list[str]:
    """Debian packages without which testpmd cannot run."""
    return [] if find() or fetch() else list(PACKAGES)


class TestpmdProcess(GuestProcess):
    """testpmd with one port, which takes commands.

    Arguments:
        device: of DPDK, as `net_virtio_user0,path=SOCKET,queues=2` or `net_vhost0,iface=SOCKET`.
        options: of testpmd itself, as `--forward-mode=macswap`.
        queues: pairs that it serves.
        memory: in MiB.
    """

    __test__ = False

    def __init__(
        self, device: str, options: Sequence[str] = (), queues: int = 1, memory: int = 128
    ) -> None:
        require(missing())
        testpmd = find()
        assert testpmd is not None
        self._queues = queues
        self._asked = 0
        self._folder = tempfile.TemporaryDirectory(prefix="kumi-dpdk-")
        # Its own folder for what it leaves, and for its prefix: several at a time.
        here = {"XDG_RUNTIME_DIR": self._folder.name, **testpmd.environment()}
        cores = sorted(os.sched_getaffinity(0))
        # A core that forwards polls, so it is not the one that takes commands.
        used = (cores * 2)[:2]
        lcores = f"0@{used[0]},1@{used[1]}"
        command = [
            *(str(testpmd.program), "--no-huge", "-m", str(memory), "--no-pci", "--no-telemetry"),
            "--no-shconf",
            *("--file-prefix", Path(self._folder.name).name, "--lcores", lcores),
            *("--main-lcore", "0", f"--vdev={device}", "--"),
            *("-i", "--total-num-mbufs=16384", f"--rxq={queues}", f"--txq={queues}", *options),
        ]
        super().__init__(command, environment=here, prompt=True)

    def wait_ready(self, timeout: float = 60) -> None:
        """Wait until it forwards, which takes `-a` among the options."""
        self.wait_for("packet forwarding packets/burst", timeout)

    def counters(self, timeout: float = 20) -> dict[str, int]:
        """Its extended statistics (`show port xstats`): rx_q3_packets and so on."""
        self._asked += 1
        self.say("show port xstats 0")
        self.wait_for(f"tx_q{self._queues - 1}_size_1519_max_packets", timeout, self._asked)
        _, _, text = self.output.rpartition("NIC extended statistics")
        return {
            name: int(value) for name, value in re.findall(r"^(\w+): (\d+)", text, re.MULTILINE)
        }

    def quit(self, timeout: float = 20) -> str:
        """Stop the port and leave; what it has printed."""
        self.say("quit")
        self.wait_for("Bye...", timeout)
        self.stop()
        return self.output

    def _release(self) -> None:
        # Where root's go, whatever XDG_RUNTIME_DIR says.
        shutil.rmtree(Path("/run/dpdk", Path(self._folder.name).name), ignore_errors=True)
        self._folder.cleanup()
