# SPDX-License-Identifier: Apache-2.0
"""Programs that no one here wrote, an array in front of them, and mounts that nobody else sees."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kumihimo._storage import NbdServer, Volume
from kumihimo.common.process import find_program

SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def need(*names: str) -> list[str]:
    """Where programs are; a test that needs them fails without."""
    found = [find_program(name) for name in names]
    if None in found:
        pytest.fail(f"{', '.join(names)}: not all are here; make setup-test installs them")
    return [str(f) for f in found]


def run(*argv: str | Path, good: tuple[int, ...] = (0,)) -> str:
    """Output of a program that must end well."""
    words = [str(a) for a in argv]
    env = {**os.environ, "PATH": SYSTEM_PATH}
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode in good, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


@contextmanager
def served(volume: Volume, folder: Path, name: str = "nbd") -> Iterator[str]:
    """The URI of a volume behind a socket."""
    path = folder / f"{name}.sock"
    server = NbdServer(volume, str(path))
    try:
        yield f"nbd+unix:///?socket={path}"
    finally:
        server.stop()


@contextmanager
def program(*argv: str | Path, shows: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program in the background, which is ready when a file is there."""
    env = {**os.environ, "PATH": SYSTEM_PATH}
    child = subprocess.Popen([str(a) for a in argv], env=env)
    try:
        end = time.monotonic() + 30
        while not shows.exists():
            assert child.poll() is None and time.monotonic() < end, f"{argv[0]} did not start"
            time.sleep(0.02)
        yield child
    finally:
        child.terminate()
        child.wait(30)


@contextmanager
def as_file(uri: str, folder: Path) -> Iterator[Path]:
    """An NBD export as a file, by nbdfuse."""
    nbdfuse, fusermount = need("nbdfuse", "fusermount3")
    point = folder / "fuse"
    point.mkdir()
    with program(nbdfuse, point / "disk", uri, shows=point / "disk") as child:
        try:
            yield point / "disk"
        finally:
            run(fusermount, "-u", point)
            child.wait(30)


@contextmanager
def as_device(file: Path) -> Iterator[str]:
    """A file as a block device."""
    (losetup,) = need("losetup")
    device = run(losetup, "--find", "--show", file).strip()
    try:
        yield device
    finally:
        run(losetup, "--detach", device)


def mounted(script: str, device: str | Path, point: Path, options: str = "rw") -> list[str]:
    """Words of a shell whose mounts nobody else sees; its device is mounted while it runs."""
    point.mkdir(exist_ok=True)
    body = f"mount -o {options} '{device}' '{point}' || exit 9\ncd '{point}' || exit 9\n{script}"
    return ["unshare", "-m", "sh", "-c", body]
