# SPDX-License-Identifier: Apache-2.0
"""QEMU guests: Debian's ordinary kernel with an initial RAM file system of this machine's programs.

They need no disk, no KVM and no privileges. What a guest has is an `Outfit`; `rdma` and `card` are
those that there are.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..build.cache import cache_root, digest, lock
from ..common import tools
from . import debian, kernel
from .initramfs import Archive
from .process import BOOTED, DONE, GuestProcess, require

QEMU = "qemu-system-x86_64"
# Debian 12's 7.2 crashes with vhost-user and MSI-X where there is no KVM.
MODERN = 10
MODERN_PACKAGES = ("qemu-system-x86", "qemu-system-common", "qemu-system-data", "seabios")
_PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Opened by pthread_exit, so in no tool's list of libraries.
_LIBGCC = Path("/lib/x86_64-linux-gnu/libgcc_s.so.1")
VIRTIO_NET = (
    *("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci"),
    *("failover", "net_failover", "virtio_net"),
)


def tool(name: str) -> Path | None:
    """A program of this machine, also one that only root has in its path."""
    found = shutil.which(name, path=_PATH)
    return Path(found) if found else None


@dataclass(frozen=True)
class Emulator:
    """A QEMU, and where its firmware lies if that is not its own place."""

    program: Path
    firmware: tuple[Path, ...] = ()

    def command(self) -> list[str]:
        """How it is called."""
        return [str(self.program), *(w for path in self.firmware for w in ("-L", str(path)))]

    def version(self) -> int:
        """The first number of its version; 0 if it does not run."""
        with contextlib.suppress(OSError):
            shown = tools.run([self.program, "--version"], timeout=60).stdout
            if found := re.search(r"version (\d+)", shown):
                return int(found[1])
        return 0


def _fetched() -> Emulator:
    root = debian.stored("qemu") / "usr"
    firmware = (root / "share" / "qemu", root / "share" / "seabios")
    return Emulator(root / "bin" / QEMU, firmware)


def find() -> Emulator | None:
    """A QEMU that speaks vhost-user well: this machine's, or one that was fetched."""
    own = tool(QEMU)
    places = [Emulator(own), _fetched()] if own else [_fetched()]
    return next((place for place in places if place.version() >= MODERN), None)


def fetch() -> Emulator | None:
    """Fetch one from Debian's backports as an ordinary user into the cache."""
    with lock("guest-qemu"):
        if found := find():
            return found
        debian.fetch("qemu", MODERN_PACKAGES, backports=True)
    return find()


@dataclass(frozen=True)
class Outfit:
    """What a kind of guest has.

    tools: programs by Debian package. modules: of the kernel, in the order of their dependencies.
    start: what runs as root before the script. files: more of this machine's, with the libraries
    that they are linked with. texts: files with this content.
    """

    tools: Mapping[str, Sequence[str]]
    modules: Sequence[str]
    start: str = ""
    files: Sequence[Path] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    def missing(self) -> list[str]:
        """Debian packages that it lacks, but for QEMU."""
        absent = [
            package
            for package, names in self.tools.items()
            if any(tool(name) is None for name in names)
        ]
        if tool("busybox") is None:
            absent.append("busybox-static")
        if kernel.find() is None and kernel.fetch() is None:
            absent.append(kernel.PACKAGE)
        return absent

    def init(self) -> str:
        """The first process's script."""
        return f"""#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/tools:/bin HOME=/tmp
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
cd /tmp
for m in {" ".join(self.modules)}; do [ -e /modules/$m.ko ] && insmod /modules/$m.ko; done
ip link set lo up
{self.start}
if [ -e /script ]; then echo {BOOTED}; sh /script; echo {DONE} $?
else setsid sh -i <> /dev/console >&0 2>&1; fi
poweroff -f
"""

    def base(self, linux: kernel.Kernel) -> Path:
        """The file system that all its guests share, from the cache if nothing has changed."""
        programs = [p for names in self.tools.values() for name in names if (p := tool(name))]
        busybox = tool("busybox")
        assert busybox is not None
        modules = [path for name in self.modules if (path := linux.module(name))]
        parts = [*programs, *self.files, busybox, *modules, _LIBGCC]
        texts = [word for pair in self.texts.items() for word in pair]
        key = digest(self.init(), *texts, *map(str, parts), *(part.read_bytes() for part in parts))
        stored = cache_root() / "guest" / "initramfs" / f"{key[:32]}.gz"
        with lock("guest-initramfs"):
            if not stored.is_file():
                archive = Archive()
                for folder in ("proc", "sys", "dev", "tmp", "run"):
                    archive.folder(folder)
                archive.file("bin/busybox", busybox.read_bytes())
                archive.file("init", self.init().encode())
                for program in programs:
                    archive.program(program)
                for file in (*self.files, _LIBGCC):
                    archive.file(str(file), file.read_bytes())
                    archive.libraries(file)
                for name, text in self.texts.items():
                    archive.file(name, text.encode(), 0o644)
                for path in modules:
                    archive.module(path)
                stored.parent.mkdir(parents=True, exist_ok=True)
                partial = stored.with_suffix(".partial")
                partial.write_bytes(archive.packed())
                partial.rename(stored)
        return stored


class QemuGuest(GuestProcess):
    """A guest that runs one script, or a shell, and powers off.

    Arguments:
        outfit: what it has.
        emulator: which QEMU runs it.
        script: shell commands that run as root in the guest; None: an interactive shell.
        cpus: how many it has.
        memory: as QEMU writes sizes.
        devices: arguments of QEMU.
    """

    def __init__(
        self,
        outfit: Outfit,
        emulator: Emulator,
        script: str | None,
        cpus: int,
        memory: str,
        devices: Sequence[str],
    ) -> None:
        require(outfit.missing())
        linux = kernel.find()
        assert linux is not None
        own = Archive()
        if script is not None:
            own.file("script", script.encode())
        self._folder = tempfile.TemporaryDirectory(prefix="kumi-guest-")
        initramfs = Path(self._folder.name) / "initramfs"
        initramfs.write_bytes(outfit.base(linux).read_bytes() + own.packed())
        super().__init__(
            [
                *(*emulator.command(), "-accel", "tcg", "-M", "q35", "-cpu", "max"),
                *("-smp", str(cpus), "-m", memory, "-nodefaults", "-no-user-config", "-nographic"),
                *("-serial", "stdio", "-monitor", "none", "-no-reboot"),
                *("-kernel", str(linux.image), "-initrd", str(initramfs)),
                *("-append", "console=ttyS0 quiet panic=-1"),
                *devices,
            ],
            shell=script is None,
        )

    def _release(self) -> None:
        self._folder.cleanup()
