# SPDX-License-Identifier: Apache-2.0
"""The simulated storage node, with files as its disks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...build import BuildResult, build
from ...cluster.disk import Disk as Model
from ...common.errors import KumiError
from ...testing import Dut
from ...testing.frames import Hang
from .array import NodeArray
from .link import SECTOR, NodeLink
from .membership import Disk
from .memory_map import MEMORY

DESIGN, PROFILE = "storage", "fast"
CORE_PS, WORD_PS = 4_000, 6_667
CONTEXTS, WIDTH = 8, 8
BUILT = (4, 8, 16)  # numbers of ports that a simulated node is built with
STEP = 256  # cycles
PATIENCE = 20_000_000  # cycles that a disk has to come or to go
SIZES = 0x1004  # what the controller was built for
SATA = 0x2000  # registers of port 0; 0x1000 a port
CTRL, LIMIT, ABSENT, COMMAND, STATUS, SECTORS_LO, SECTORS_HI = 0, 4, 0x0C, 0x10, 0x14, 0x18, 0x1C
ONCE = 1 << 3  # of CTRL: serve one identification only
FORGET = 1 << 1  # of COMMAND: another disk may be served
LIMIT_TICKS = 5_000  # time-out of a command: 50 ms with the ticks below
# Times of a line that answers at once: errors are found in simulated microseconds.
QUICK = {
    "TICK_CYCLES": 1_500,
    "RESET_CYCLES": 64,
    "WAIT_CYCLES": 20_000,
    "RETRY_CYCLES": 20_000,
    "ALIGN_CYCLES": 5_000,
}


def _ports(wanted: int) -> int:
    ports = next((n for n in BUILT if wanted <= n), 0)
    if not ports:
        raise KumiError(f"The storage node has at most {BUILT[-1]} ports, not {wanted}.")
    return ports


def _parameters(ports: int) -> dict[str, int]:
    return {"PORTS": ports, "WIDTH": WIDTH, "CONTEXTS": CONTEXTS, **QUICK}


def build_node(wanted: int, progress: Callable[[str], None]) -> BuildResult:
    """Build a node with at least this many ports; takes minutes unless cached.

    Args:
        wanted: ports.
        progress: called with a short text at each step.
    """
    return build(DESIGN, _parameters(_ports(wanted)), PROFILE, progress=progress)


class SimulatedNode:
    """kumi_node_storage with a disk model on each file; also the `Transport` of its link.

    Disks can be pulled out and plugged in while it runs. Only one thread at a time may use it.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        ports: int = 0,
        snapshot: bool = False,
        each: Sequence[Mapping[str, Any]] = (),
        limit_ticks: int = LIMIT_TICKS,
        parameters: Mapping[str, int] | None = None,
        **like: Any,
    ) -> None:
        """Build the node, plug the disks in, and wait for them.

        Args:
            paths: a file a port, in the order of the ports.
            ports: so many at least; there are some more than disks if the next size has more.
            snapshot: the files are only read.
            each: what is different about each of the disk models.
            limit_ticks: time-out of a command, of 1,500 cycles of the line each; a disk that
                answers none in this time is failed.
            parameters: of the node, beside those that it is built with.
            like: what they all are like, see `kumihimo.clusterfile.disk_options.settings`.
        """
        self.ports = _ports(max(ports, len(paths)))
        built = _parameters(self.ports) | dict(parameters or {})
        self.contexts, self.width = built["CONTEXTS"], built["WIDTH"]
        self.dut = Dut(
            DESIGN,
            built,
            periods_ps={"clk": CORE_PS, "sata_clk": WORD_PS},
            profile=PROFILE,
            check=False,
        )
        self.dut.memory("m_axi_mem").configure(latency_cycles=30, size=MEMORY)
        self._like = {**like, "snapshot": snapshot}
        self._plugged = 0  # disks so far: each has a seed of its own
        self._at: dict[int, Path] = {}
        self.models: dict[int, Model] = {}
        natures = each or [{}] * len(paths)
        for port, (path, nature) in enumerate(zip(paths, natures, strict=True)):
            self._join(port, path, nature)
        for port in range(self.ports):
            self.dut.axil_write(SATA + 0x1000 * port + ABSENT, 30)
            self.dut.axil_write(SATA + 0x1000 * port + LIMIT, limit_ticks)
        self.disks = [self._found(port) for port in self._at]
        self.link = NodeLink(self)

    def open(self, **options: Any) -> NodeArray:
        """The array on these disks."""
        return NodeArray(
            self.link,
            self.disks,
            ports=self.ports,
            contexts=self.contexts,
            width=self.width,
            clock_hz=10**12 // CORE_PS,
            slots=1 << (self.dut.axil_read(SIZES) >> 8 & 63),
            most_stripes=1 << (self.dut.axil_read(SIZES) & 63),
            **options,
        )

    def settle(self) -> None:
        """Flush the caches of all disks to their files."""
        for port in self._at:
            self.link.raw_flush(port)

    # ---- disks come and go -------------------------------------------------------------------

    @property
    def at(self) -> Mapping[int, Path]:
        """Plugged-in disks, by port."""
        return self._at

    def check(self, path: Path) -> None:
        """Raise if a path cannot be a disk here."""
        if not path.is_file() or path.stat().st_size % SECTOR:
            raise KumiError(f"{path} is no file of whole sectors, as a simulated disk is.")

    def plug(self, port: int, path: Path) -> Disk:
        """Plug a disk into an empty port and wait until the node has identified it."""
        if port in self._at:
            raise KumiError(f"A disk is at port {port} already.")
        self._serve_once(port, False)
        self.dut.axil_write(SATA + 0x1000 * port + COMMAND, FORGET)
        try:
            self._join(port, path, {})
            return self._found(port)
        except (RuntimeError, Hang) as problem:
            self.pull(port)
            raise KumiError(f"{path} does not work at port {port}: {problem}") from None

    def pull(self, port: int) -> None:
        """Remove a disk and wait until the node has noticed."""
        self.dut.disk_remove(f"p{port}")
        self._at.pop(port, None)
        self.models.pop(port, None)
        self._until(port, False)

    def _join(self, port: int, path: Path, nature: Mapping[str, Any]) -> None:
        self._plugged += 1
        # A file is a disk: it has the same serial number wherever it is plugged in.
        serial = hashlib.blake2s(bytes(path.resolve()), digest_size=10).hexdigest()
        self.models[port] = self.dut.disk(
            f"p{port}",
            seed=self._plugged,
            file=str(path),
            **{"serial": serial, **self._like, **nature},
        )
        self._at[port] = path

    def _serve_once(self, port: int, once: bool) -> None:
        """Whether the port stops serving when it identifies its disk again.

        It may be another one then, or have lost what was in its write cache.
        """
        setting = self._register(port, CTRL)
        self.dut.axil_write(
            SATA + 0x1000 * port + CTRL, setting | ONCE if once else setting & ~ONCE
        )

    def _found(self, port: int) -> Disk:
        """The disk at a port, once it is ready; from now on the array's, if it has it."""
        self._until(port, True)
        self._serve_once(port, True)
        low, high = (self._register(port, at) for at in (SECTORS_LO, SECTORS_HI))
        return Disk(port, (low | high << 32) * SECTOR)

    def _until(self, port: int, ready: bool) -> None:
        self.dut.run_until(
            lambda: bool(self._register(port, STATUS) >> 2 & 1) == ready, PATIENCE, STEP
        )

    def _register(self, port: int, at: int) -> int:
        return int(self.dut.axil_read(SATA + 0x1000 * port + at))

    # ---- Transport ---------------------------------------------------------------------------

    def command(self, record: int) -> None:
        """Send a command."""
        self.dut.send("s_hdr_cmd", record)

    def data(self, frame: bytes) -> None:
        """Send a frame of data."""
        self.dut.send("s_axis_wr", [frame])

    def step(self) -> None:
        """Let some time pass."""
        self.dut.run(STEP)

    def responses(self) -> list[int]:
        """Responses received since the last call."""
        return [frame.value for frame in self.dut.recv("m_hdr_rsp")]

    def frames(self) -> list[bytes]:
        """Frames received since the last call."""
        return [frame.data for frame in self.dut.recv("m_axis_rd")]
