# SPDX-License-Identifier: Apache-2.0
"""The storage node, simulated, with files as its disks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..testing import Dut
from . import node
from .node_link import Link

CORE_PS, WORD_PS = 4_000, 6_667
CONTEXTS, WIDTH = 8, 8
STEP = 256  # cycles
SATA = 0x2000  # registers of port 0; 0x1000 a port
CTRL, ABSENT, STATUS = 0x00, 0x0C, 0x14
# Times of a line that answers at once: errors are found in simulated microseconds.
QUICK = {
    "TICK_CYCLES": 1_500,
    "RESET_CYCLES": 64,
    "WAIT_CYCLES": 20_000,
    "RETRY_CYCLES": 20_000,
    "ALIGN_CYCLES": 5_000,
}


class SimulatedNode:
    """kumi_node_storage with a disk model on each file; also the `Wires` of its link."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        snapshot: bool = False,
        **like: Any,
    ) -> None:
        """Build the node, plug the disks in, and wait for them.

        Args:
            paths: a file a port, in the order of the ports.
            snapshot: the files are only read.
            like: what the disk models are like, see `kumihimo.disk.settings`.
        """
        ports = 4 if len(paths) <= 4 else 8
        self.ports = ports
        self.dut = Dut(
            "storage",
            {
                "PORTS": ports,
                "WIDTH": WIDTH,
                "CONTEXTS": CONTEXTS,
                **QUICK,
            },
            periods_ps={"clk": CORE_PS, "sata_clk": WORD_PS},
            profile="fast",
            check=False,
        )
        self.dut.memory("m_axi_mem").configure(latency_cycles=30)
        self.models = [
            self.dut.disk(f"p{i}", seed=i + 1, file=str(path), snapshot=snapshot, **like)
            for i, path in enumerate(paths)
        ]
        self.disks = [node.Disk(i, path.stat().st_size) for i, path in enumerate(paths)]
        for port in range(ports):
            at = SATA + 0x1000 * port
            self.dut.axil_write(at + ABSENT, 30)
            if port >= len(paths):
                self.dut.axil_write(at + CTRL, 0)
        for port in range(len(paths)):
            self.dut.run_until(
                lambda port=port: self.dut.axil_read(SATA + 0x1000 * port + STATUS) >> 2 & 1,  # type: ignore[misc]
                20_000_000,
                STEP,
            )
        self.link = Link(self)

    def open(self, **options: Any) -> node.NodeArray:
        """The array on these disks."""
        return node.NodeArray(
            self.link,
            self.disks,
            ports=self.ports,
            contexts=CONTEXTS,
            width=WIDTH,
            clock_hz=10**12 // CORE_PS,
            **options,
        )

    def settle(self) -> None:
        """Everything that the disks have in their caches goes to the files."""
        for port in range(len(self.disks)):
            self.link.raw_flush(port)

    # ---- Wires -----------------------------------------------------------------------------

    def command(self, record: int) -> None:
        """Send a command."""
        self.dut.send("s_hdr_cmd", record)

    def data(self, frame: bytes) -> None:
        """Send a frame of data."""
        self.dut.send("s_axis_wr", [frame])

    def step(self) -> None:
        """Let some time go by."""
        self.dut.run(STEP)

    def answers(self) -> list[int]:
        """Records that came."""
        return [frame.value for frame in self.dut.recv("m_hdr_rsp")]

    def frames(self) -> list[bytes]:
        """Frames that came."""
        return [frame.data for frame in self.dut.recv("m_axis_rd")]
