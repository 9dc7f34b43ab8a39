# SPDX-License-Identifier: Apache-2.0
"""QEMU guests with Linux's soft-RoCE (rdma_rxe): a peer of the RDMA nodes that is not ours.

eth0 is at the socket of a cluster's peer (`peers:`); eth1, if wanted, reaches programs of this
machine at 10.0.2.2, past the simulated network: what RDMA's tools talk over TCP before they begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .process import require
from .qemu import QEMU, VIRTIO_NET, Emulator, Outfit, QemuGuest, tool

_PROVIDERS = Path("/usr/lib/x86_64-linux-gnu/libibverbs")
_TOOLS = {
    "iproute2": ("ip", "rdma"),
    "ibverbs-utils": ("ibv_devinfo", "ibv_rc_pingpong", "ibv_ud_pingpong"),
    "perftest": (
        *("ib_send_bw", "ib_write_bw", "ib_read_bw", "ib_atomic_bw"),
        *("ib_send_lat", "ib_write_lat", "ib_read_lat", "ib_atomic_lat"),
    ),
    "rdmacm-utils": ("rping",),
}
_MODULES = (
    *(*VIRTIO_NET, "crc32_generic", "udp_tunnel", "ip6_udp_tunnel"),
    *("configfs", "ib_core", "ib_uverbs", "iw_cm", "ib_cm", "rdma_cm", "rdma_ucm", "rdma_rxe"),
)
_START = "[ -e /sys/class/net/eth1 ] && ip link set eth1 up && ip addr add 10.0.2.15/24 dev eth1"


def _outfit() -> Outfit:
    return Outfit(
        _TOOLS,
        _MODULES,
        _START,
        files=sorted(_PROVIDERS.glob("librxe*"))[:1],
        texts={"etc/libibverbs.d/rxe.driver": "driver rxe\n"},
    )


def missing() -> list[str]:
    """Debian packages without which no such guest can boot."""
    outfit = _outfit()
    absent = outfit.missing()
    if not outfit.files:
        absent.append("ibverbs-providers")
    if tool(QEMU) is None:
        absent.append("qemu-system-x86")
    return absent


class RdmaGuest(QemuGuest):
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
        program = tool(QEMU)
        assert program is not None
        devices = [
            *("-netdev", f"stream,id=n0,addr.type=unix,addr.path={Path(socket).resolve()}"),
            *("-device", f"virtio-net-pci,netdev=n0,romfile=,mac={mac}"),
        ]
        if outside or forward:
            user = "user,id=n1,ipv6=off"
            for here, there in (forward or {}).items():
                user += f",hostfwd=tcp:127.0.0.1:{here}-:{there}"
            devices += ["-netdev", user, "-device", "virtio-net-pci,netdev=n1,romfile="]
        super().__init__(_outfit(), Emulator(program), script, 1, memory, devices)
