# SPDX-License-Identifier: Apache-2.0
"""QEMU guests whose network card is a node: several processors, MSI-X, packed rings.

The card is at the other end of a vhost-user socket: a cluster's host (`hosts:`), or another back
end. QEMU keeps the control queue and the configuration for itself; what reaches the card is the
rings of its pairs, and which of them are in use.
"""

from __future__ import annotations

from pathlib import Path

from . import debian
from .process import require
from .qemu import MODERN_PACKAGES, VIRTIO_NET, Outfit, QemuGuest, fetch, find

_OUTFIT = Outfit(
    {
        "iproute2": ("ip",),
        "iputils-ping": ("ping",),
        "ethtool": ("ethtool",),
        "iperf3": ("iperf3",),
    },
    VIRTIO_NET,
)


def missing() -> list[str]:
    """Debian packages without which no such guest can boot."""
    absent = _OUTFIT.missing()
    if find() is None and fetch() is None:
        # As apt-get takes it; later releases have a QEMU that will do.
        old = debian.release() == "bookworm"
        absent.append(MODERN_PACKAGES[0] + ("/bookworm-backports" if old else ""))
    return absent


class CardGuest(QemuGuest):
    """A guest that runs one script, or a shell, and powers off.

    Arguments:
        socket: the vhost-user socket.
        script: shell commands that run as root in the guest; None: an interactive shell.
        memory: of the guest, as QEMU writes sizes.
        cpus: how many it has.
        pairs: of queues, not more than the card has.
        packed: whether rings may be packed ones.
        mtu: the largest that it may set.
        mac: of its eth0.
    """

    def __init__(
        self,
        socket: Path | str,
        script: str | None = None,
        memory: str = "256M",
        *,
        cpus: int = 2,
        pairs: int = 4,
        packed: bool = True,
        mtu: int = 9000,
        mac: str = "02:bb:00:00:00:01",
    ) -> None:
        require(missing())
        emulator = find()
        assert emulator is not None
        card = f"virtio-net-pci,netdev=n0,romfile=,mac={mac},host_mtu={mtu}"
        if pairs > 1:
            # A vector for each queue, the configuration and the control queue.
            card += f",mq=on,vectors={2 * pairs + 2}"
        devices = [
            *("-object", f"memory-backend-memfd,id=m0,size={memory},share=on"),
            *("-numa", "node,memdev=m0"),
            *("-chardev", f"socket,id=c0,path={Path(socket).resolve()}"),
            *("-netdev", f"vhost-user,id=n0,chardev=c0,queues={pairs}"),
            *("-device", f"{card},packed={'on' if packed else 'off'}"),
        ]
        super().__init__(_OUTFIT, emulator, script, cpus, memory, devices)
