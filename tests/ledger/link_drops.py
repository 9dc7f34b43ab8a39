# SPDX-License-Identifier: Apache-2.0
"""Drops of boards with serial links and of disk ports: what causes them, or why nothing can."""

from __future__ import annotations

import random
from collections.abc import Callable

from kumihimo.cluster import Cluster
from kumihimo.host.overlay import Overlay
from ledgerkit import Rig

Cause = Callable[[Cluster], None]


def _late_receiver(cluster: Cluster) -> None:
    """Nobody reads: a circuit's buffer has room for 64 KiB."""
    ring = Overlay.of(cluster, "east")["dma"].packets(slots=16)
    for _ in range(15):
        assert ring.queue(bytes(8000))
    ring.kick()
    cluster.run("400 us")


def _too_long(cluster: Cluster) -> None:
    """A packet longer than the store of a circuit."""
    ring = Overlay.of(cluster, "east")["dma"].packets(slots=4, mtu=32768)
    assert ring.queue(random.Random(1).randbytes(20000))
    ring.kick()
    cluster.run("100 us")


def _bad_crc(rig: Rig) -> None:
    """A disk whose frames often have a wrong CRC."""
    disk = rig.dut.disk("p0", size=1 << 20)
    disk.fault("bad_crc", share=0.7)
    regs = rig.regs["sata"]
    rig.dut.run_until(lambda: regs["fis_drop"].read(), 4_000_000, 20_000, "a FIS is dropped")


CAUSES: dict[str, tuple[str, Cause]] = {
    "circuit.full": ("west.circuit.full[0]", _late_receiver),
    "circuit.dropped": ("east.circuit.dropped[0]", _too_long),
}

DISK: dict[str, Callable[[Rig], None]] = {"sata.fis_drop": _bad_crc}

EXCUSED = {
    "ib_port.vl15_dropped": "packets of InfiniBand, which its management counts and clears",
    "ib_switch.xmit_discards": "packets of InfiniBand, which its management counts and clears",
    "ib_switch.mgmt_discard": "packets of InfiniBand; caused by tests/rtl/ib/test_ib_drops.py",
    "circuit.bad": "a bit error on a lane is retransmitted or lost with its word; tests/rtl/link",
    "circuit.truncated": "as bad: which of the two a packet becomes is up to the line's fault",
    "dma.recv_truncated": "software has to stop the ring in the very cycles of a packet; tests/rtl",
    "stdm.be_route": "read through a window, of the port that its software has chosen; tests/rtl",
    "stdm.be_full": "read through a window, of the port that its software has chosen; tests/rtl",
}
