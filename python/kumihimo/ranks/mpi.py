# SPDX-License-Identifier: Apache-2.0
"""MPI as the transport between ranks: found, compiled for, started, ended.

There is one binary of Kumihimo and many MPIs with different ABIs, so what ranks need of MPI is a
small C file (mpi_shim.c) that the `mpicc` of the MPI that has started this process compiles, once.
Calls of the cluster, signs of life and the end of a rank stay with TCP: MPI does not say who died.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import psutil

from ..common.errors import KumiError

SHIM = Path(__file__).parent / "mpi_shim.c"
SHARED_BYTES = 4096
START_S = 60.0
END_S = 5.0
TRANSPORTS = ("auto", "mpi", "tcp")
INSTALL = "apt-get install openmpi-bin libopenmpi-dev, or pip install mpich"

_LAUNCHED = (("OMPI_COMM_WORLD_SIZE", "Open MPI"), ("PMI_SIZE", "MPICH"), ("PMIX_RANK", ""))
"""Variables of launchers, and the MPI that belongs to them; "": any."""


@dataclass(frozen=True)
class Mpi:
    """An installed MPI."""

    name: str
    """`Open MPI` or `MPICH`; others are relatives of MPICH."""
    version: str
    compiler: Path

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({self.compiler})"


def launcher(environment: Mapping[str, str] = os.environ) -> str | None:
    """The MPI whose launcher has started this process: its name, "" if any will do; None: none."""
    return next((name for variable, name in _LAUNCHED if variable in environment), None)


def _macros(compiler: Path) -> dict[str, str]:
    argv = [str(compiler), "-E", "-dM", "-include", "mpi.h", "-x", "c", os.devnull]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(re.findall(r"^#define (\w+) (.*)$", done.stdout, re.MULTILINE))


@cache
def found() -> tuple[Mpi, ...]:
    """What is installed: of $MPICC, beside this Python, beside `mpirun`, in PATH."""
    places = [os.environ.get("MPICC", ""), str(Path(sys.prefix) / "bin" / "mpicc")]
    for program in ("mpirun", "mpiexec"):
        if where := shutil.which(program):
            places.append(str(Path(where).resolve().parent / "mpicc"))
            places.append(str(Path(where).parent / "mpicc"))
    places += [f"{folder}/{name}" for folder in _path() for name in ("mpicc", "mpicc.openmpi")]
    known: list[Mpi] = []
    for place in dict.fromkeys(places):
        if not os.access(place, os.X_OK):
            continue
        macros = _macros(Path(place))
        if "OMPI_MAJOR_VERSION" in macros:
            parts = ("MAJOR", "MINOR", "RELEASE")
            number = ".".join(macros[f"OMPI_{part}_VERSION"] for part in parts)
            mpi = Mpi("Open MPI", number, Path(place))
        elif "MPI_VERSION" in macros:
            mpi = Mpi("MPICH", macros.get("MPICH_VERSION", "").strip('"'), Path(place))
        else:
            continue
        if (mpi.name, mpi.version) not in [(other.name, other.version) for other in known]:
            known.append(mpi)
    return tuple(known)


def _path() -> list[str]:
    return [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]


def fitting(environment: Mapping[str, str] = os.environ) -> Mpi | None:
    """The MPI that belongs to the launcher of this process."""
    name = launcher(environment)
    return next((mpi for mpi in found() if name in ("", mpi.name)), None)


def shim(mpi: Mpi) -> Path:
    """The compiled library for it; from the cache if it is there."""
    from ..build.cache import cache_root  # with all that builds, which few ranks need

    source = SHIM.read_bytes()
    mark = hashlib.sha256(source + str(mpi).encode()).hexdigest()[:16]
    library = cache_root() / "mpi" / f"{mark}.so"
    if library.exists():
        return library
    library.parent.mkdir(parents=True, exist_ok=True)
    made = library.with_suffix(f".{os.getpid()}")
    argv = [str(mpi.compiler), "-O2", "-shared", "-fPIC", str(SHIM), "-o", str(made)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    if done.returncode:
        why = done.stderr.strip().splitlines()
        raise KumiError(f"{mpi} cannot be used: {why[-1] if why else 'its compiler failed'}.")
    made.replace(library)
    return library


class Started:
    """MPI in this process: which rank it is, of how many. Made once; the first thread makes it."""

    def __init__(self, mpi: Mpi) -> None:
        """Start it, together with all ranks."""
        self.mpi = mpi
        self.library = shim(mpi)
        self._calls = ctypes.CDLL(str(self.library), ctypes.RTLD_GLOBAL)
        self._calls.kumi_mpi_error.restype = ctypes.c_char_p
        rank, ranks = ctypes.c_int(), ctypes.c_int()
        with _limit(START_S, f"MPI ({mpi}) did not start within {START_S:.0f} s"):
            self._check(self._calls.kumi_mpi_init(ctypes.byref(rank), ctypes.byref(ranks)))
        self.rank, self.ranks = rank.value, ranks.value

    def _check(self, code: int) -> None:
        if code:
            raise KumiError(f"{self.mpi}: {self._calls.kumi_mpi_error().decode()}.")

    def share(self, words: dict[str, object] | None) -> dict[str, object]:
        """What rank 0 says, in every rank."""
        data = ctypes.create_string_buffer(SHARED_BYTES)
        if words is not None:
            data.value = json.dumps(words).encode()
        with _limit(START_S, "Not all ranks have started MPI; is it the same everywhere?"):
            self._check(self._calls.kumi_mpi_share(data, SHARED_BYTES))
        return dict(json.loads(data.value))

    def finish(self) -> None:
        """End it, together with all ranks; the process ends next, not by `os._exit`."""
        with _limit(END_S, "", 0):
            self._calls.kumi_mpi_finish()

    def exit(self) -> NoReturn:
        """End it and the process."""
        self.finish()
        self._calls.kumi_mpi_exit(0)
        raise AssertionError("exit() has returned")


class _limit:
    """Ends the process if MPI, which cannot be interrupted, takes longer."""

    def __init__(self, seconds: float, text: str, code: int = 1) -> None:
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._text, self._code = text, code

    def _end(self) -> None:
        if self._text:
            print(f"kumi: {self._text}", file=sys.stderr, flush=True)
        os._exit(self._code)

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def start(transport: str, environment: Mapping[str, str] = os.environ) -> Started | None:
    """MPI for `--transport auto|mpi|tcp`; None: TCP it is."""
    if transport not in TRANSPORTS:
        raise KumiError(f"--transport is {', '.join(TRANSPORTS)}, not {transport}.", code=2)
    if transport == "tcp" or (transport == "auto" and launcher(environment) is None):
        return None
    if launcher(environment) is None:
        raise KumiError("This process was not started by MPI.", "mpirun -n 4 kumi rank FILE", 2)
    mpi = fitting(environment)
    if mpi is None and transport == "auto":
        return None
    if mpi is None:
        wanted = launcher(environment) or "MPI"
        raise KumiError(f"There is no mpicc of {wanted}, which started this process.", INSTALL, 2)
    return Started(mpi)


def invitation() -> dict[str, object]:
    """Where rank 0 will listen, and the key for it."""
    with socket.create_server(("", 0)) as server:
        port = server.getsockname()[1]
    names = [
        entry.address
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family == socket.AF_INET and not entry.address.startswith("127.")
    ]
    return {
        "machine": socket.gethostname(),
        "addresses": names,
        "port": port,
        "key": secrets.token_hex(16),
    }
