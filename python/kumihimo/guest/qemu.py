# SPDX-License-Identifier: Apache-2.0
"""QEMU guests with Linux's soft-RoCE (rdma_rxe): a peer of the RDMA nodes that is not ours.

A guest is Debian's ordinary kernel with an initial RAM file system made of this machine's own
programs: busybox, the RDMA tools, perftest. It needs no disk, no KVM and no privileges. eth0 is at
the socket of a cluster's peer (`peers:`); eth1, if wanted, reaches programs of this machine at
10.0.2.2, past the simulated network: what RDMA's tools talk over TCP before they begin.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..build.cache import cache_root, digest, lock
from . import kernel
from .initramfs import Archive
from .process import DONE, GuestProcess, require

QEMU = "qemu-system-x86_64"
_PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PROVIDERS = Path("/usr/lib/x86_64-linux-gnu/libibverbs")
# Opened by pthread_exit, so in no tool's list of libraries.
_LIBGCC = Path("/lib/x86_64-linux-gnu/libgcc_s.so.1")
_TOOLS = {
    "iproute2": ("ip", "rdma"),
    "ibverbs-utils": ("ibv_devinfo", "ibv_rc_pingpong", "ibv_ud_pingpong"),
    "perftest": (
        *("ib_send_bw", "ib_write_bw", "ib_read_bw", "ib_atomic_bw"),
        *("ib_send_lat", "ib_write_lat", "ib_read_lat", "ib_atomic_lat"),
    ),
    "rdmacm-utils": ("rping",),
}
# In the order of their dependencies.
_MODULES = (
    *("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci"),
    *("failover", "net_failover", "virtio_net", "crc32_generic", "udp_tunnel", "ip6_udp_tunnel"),
    *("configfs", "ib_core", "ib_uverbs", "iw_cm", "ib_cm", "rdma_cm", "rdma_ucm", "rdma_rxe"),
)
_INIT = f"""#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/tools:/bin HOME=/tmp
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
cd /tmp
for m in {" ".join(_MODULES)}; do [ -e /modules/$m.ko ] && insmod /modules/$m.ko; done
ip link set lo up
[ -e /sys/class/net/eth1 ] && ip link set eth1 up && ip addr add 10.0.2.15/24 dev eth1
sh /script
echo {DONE} $?
poweroff -f
"""


def _tool(name: str) -> Path | None:
    found = shutil.which(name, path=_PATH)
    return Path(found) if found else None


def missing() -> list[str]:
    """Debian packages without which no such guest can boot."""
    absent = [
        package for package, tools in _TOOLS.items() if any(_tool(tool) is None for tool in tools)
    ]
    if not list(_PROVIDERS.glob("librxe*")):
        absent.append("ibverbs-providers")
    if _tool("busybox") is None:
        absent.append("busybox-static")
    if _tool(QEMU) is None:
        absent.append("qemu-system-x86")
    if kernel.find() is None and kernel.fetch() is None:
        absent.append(kernel.PACKAGE)
    return absent


def _base_archive(linux: kernel.Kernel) -> Path:
    """The part of the file system that all guests share, from the cache if nothing changed."""
    tools = [path for names in _TOOLS.values() for name in names if (path := _tool(name))]
    provider = next(_PROVIDERS.glob("librxe*"))
    busybox = _tool("busybox")
    assert busybox is not None
    modules = [path for name in _MODULES if (path := linux.module(name))]
    parts = [*tools, provider, busybox, *modules, _LIBGCC]
    key = digest(_INIT, *(str(part) for part in parts), *(part.read_bytes() for part in parts))
    stored = cache_root() / "guest" / "initramfs" / f"{key[:32]}.gz"
    with lock("guest-initramfs"):
        if not stored.is_file():
            archive = Archive()
            for folder in ("proc", "sys", "dev", "tmp", "run"):
                archive.folder(folder)
            archive.file("bin/busybox", busybox.read_bytes())
            archive.file("init", _INIT.encode())
            for tool in tools:
                archive.program(tool)
            archive.file(str(provider), provider.read_bytes())
            archive.libraries(provider)
            archive.file(str(_LIBGCC), _LIBGCC.read_bytes())
            archive.file("etc/libibverbs.d/rxe.driver", b"driver rxe\n", 0o644)
            for path in modules:
                archive.module(path)
            stored.parent.mkdir(parents=True, exist_ok=True)
            partial = stored.with_suffix(".partial")
            partial.write_bytes(archive.packed())
            partial.rename(stored)
    return stored


class RdmaGuest(GuestProcess):
    """A guest with soft-RoCE that runs one script and powers off.

    Arguments:
        socket: of a peer in a cluster (`listen: true`), where the guest's eth0 is.
        script: shell commands that run as root in the guest.
        mac: of its eth0.
        outside: give it eth1, from which 10.0.2.2 is this machine.
        forward: TCP ports of this machine's 127.0.0.1 that lead to ports of the guest.
        memory: of the guest, as QEMU writes sizes.
    """

    def __init__(
        self,
        socket: Path | str,
        script: str,
        mac: str = "02:bb:00:00:00:01",
        outside: bool = False,
        forward: Mapping[int, int] | None = None,
        memory: str = "256M",
    ) -> None:
        require(missing())
        linux = kernel.find()
        assert linux is not None
        own = Archive()
        own.file("script", script.encode())
        self._folder = tempfile.TemporaryDirectory(prefix="kumi-guest-")
        initramfs = Path(self._folder.name) / "initramfs"
        initramfs.write_bytes(_base_archive(linux).read_bytes() + own.packed())
        command = [
            *(QEMU, "-accel", "tcg", "-M", "q35", "-cpu", "max"),
            *("-smp", "1", "-m", memory, "-nodefaults", "-no-user-config", "-nographic"),
            *("-serial", "stdio", "-monitor", "none", "-no-reboot"),
            *("-kernel", str(linux.image), "-initrd", str(initramfs)),
            *("-append", "console=ttyS0 quiet panic=-1"),
            *("-netdev", f"stream,id=n0,addr.type=unix,addr.path={Path(socket).resolve()}"),
            *("-device", f"virtio-net-pci,netdev=n0,romfile=,mac={mac}"),
        ]
        if outside or forward:
            user = "user,id=n1,ipv6=off"
            for here, there in (forward or {}).items():
                user += f",hostfwd=tcp:127.0.0.1:{here}-:{there}"
            command += ["-netdev", user, "-device", "virtio-net-pci,netdev=n1,romfile="]
        super().__init__(command)

    def _release(self) -> None:
        self._folder.cleanup()
