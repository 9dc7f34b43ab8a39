# SPDX-License-Identifier: Apache-2.0
"""Debian's ordinary Linux kernel for guests, used without installing it on this machine."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from ..build.cache import lock, work_folder
from ..common import tools
from . import debian

PACKAGE = "linux-image-amd64"
_NEEDED = "kernel/drivers/infiniband/sw/rxe"  # a kernel for the cloud lacks it
_DOWNLOAD_S = 900.0


class Kernel:
    """An image and its modules below one root."""

    def __init__(self, root: Path, version: str) -> None:
        self.version = version
        self.image = root / "boot" / f"vmlinuz-{version}"
        self._modules = root / "lib" / "modules" / version / "kernel"

    def module(self, name: str) -> Path | None:
        """A module's file; None when it is built in."""
        return next(iter(sorted(self._modules.rglob(f"{name}.ko*"))), None)

    def usable(self) -> bool:
        """Whether this user can read the image, and soft-RoCE is in it."""
        return os.access(self.image, os.R_OK) and (self._modules.parent / _NEEDED).is_dir()


def _below(root: Path) -> Kernel | None:
    folder = root / "lib" / "modules"
    versions = sorted(folder.iterdir(), reverse=True) if folder.is_dir() else []
    return next((k for k in (Kernel(root, v.name) for v in versions) if k.usable()), None)


def _store() -> Path:
    return debian.stored("kernel")


def find() -> Kernel | None:
    """A kernel that is installed here, or was fetched."""
    return _below(Path("/")) or _below(_store())


def fetch() -> Kernel | None:
    """Download the package (70 MB) as an ordinary user and unpack it in the cache."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return None
    with lock("guest-kernel"), contextlib.suppress(subprocess.TimeoutExpired):
        if found := find():
            return found
        shown = tools.run(["apt-cache", "depends", PACKAGE], timeout=60)
        wanted = re.search(r"Depends: (linux-image-\S+)", shown.stdout)
        if not wanted:
            return None
        with work_folder() as folder:
            got = tools.run(
                ["apt-get", "download", "-q", wanted.group(1)], cwd=folder, timeout=_DOWNLOAD_S
            )
            packages = list(folder.glob("*.deb"))
            if got.returncode != 0 or not packages:
                return None
            unpacked = folder / "root"
            if not debian.unpack(packages, unpacked):
                return None
            _store().parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(_store(), ignore_errors=True)
            unpacked.rename(_store())
    return find()
