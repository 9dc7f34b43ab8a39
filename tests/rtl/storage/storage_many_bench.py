# SPDX-License-Identifier: Apache-2.0
"""The array's controller with up to 128 ports: one model plays all their disks."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from array_bench import ARRAY_CMD, ARRAY_RSP, GONE, OK, SECTOR, W_CMD, W_FETCH, W_RSP, W_SEGMENT
from kumihimo.storage.node.link import NodeLink
from kumihimo.testing import Dut, Frame

HERE = Path(__file__).parent
WIDTH, CONTEXTS = 8, 4
SEGMENT = 8192


class DirectLink(NodeLink):
    """Raw commands go to the disks' bytes directly: the rest of the test is not about them."""

    def __init__(self, bench: ManyBench) -> None:
        super().__init__(bench, timeout_steps=3000)
        self.bench = bench

    def raw_read(self, port: int, offset: int, size: int) -> bytes | int:
        if port in self.bench.dead:
            return GONE
        return bytes(self.bench.disks[port][offset : offset + size])

    def raw_write(self, port: int, offset: int, data: bytes) -> int:
        if port in self.bench.dead:
            return GONE
        self.bench.disks[port][offset : offset + len(data)] = data
        return 0

    def raw_flush(self, port: int) -> int:
        return GONE if port in self.bench.dead else 0


class ManyBench:
    """kumi_storage, its memory and its disks, which are bytes. Also the `Transport` of a link.

    `movers`: "real", or "small" for test movers that take a tenth of the time to compile.
    """

    def __init__(
        self, ports: int, disks: dict[int, bytearray], *, seed: int, stall: float, movers: str
    ) -> None:
        widths = {p: {"W": w} for p, w in (("s_cmd", ARRAY_CMD), ("m_rsp", ARRAY_RSP))}
        for p, w in (
            ("m_cmd", W_CMD),
            ("s_rsp", W_RSP),
            ("s_fetch", W_FETCH),
            ("s_segment", W_SEGMENT),
        ):
            widths[p] = {"W": w + 8}
        widths |= {p: {"DATA_W": 64} for p in ("s_axis", "m_axis")}
        widths["m_wr"] = {"DATA_W": 64, "ID_W": 8}
        widths["s_rd"] = {"DATA_W": 64, "DEST_W": 8}
        widths["m_axi"] = {"DATA_W": 64, "ADDR_W": 40}
        self.dut = Dut.of_module(
            "tests/rtl/storage/kumi_tb_storage_many.sv",
            {
                "PORTS": ports,
                "WIDTH": WIDTH,
                "CONTEXTS": CONTEXTS,
            },
            widths,
            [HERE / "small/kumi_array_port_dma.sv"] if movers == "small" else [],
            check=False,  # at the end: it costs more than the run
            profile="soak",
        )
        if stall:
            self.dut.stall_all(rx=stall, tx=stall, seed=seed)
        self.memory = self.dut.memory("m_axi")
        self.memory.configure(latency_cycles=6, size=1 << 40)
        self.disks = disks
        self.dead: set[int] = set()
        self.rng = random.Random(seed)
        self.waiting: dict[int, list[list[int]]] = {}
        self.fetching: dict[int, deque[tuple[int, int, int]]] = {}
        self.left: dict[tuple[int, int], int] = {}
        self.given = self.taken = 0
        self.after: deque[tuple[int, int, int, int]] = deque()
        self.link = DirectLink(self)

    def check(self) -> None:
        assert not self.dut.protocol_errors()

    # ---- the disks -----------------------------------------------------------------------------

    def response(self, port: int, tag: int, status: int) -> None:
        self.dut.send("s_rsp", port << W_RSP | tag << 68 | status << 64)

    def requests(self) -> list[tuple[int, int, int, int, int]]:
        """Those that came: port, operation, tag, first sector, sectors."""
        out = []
        for frame in self.dut.recv("m_cmd"):
            v = frame.value
            port = v >> W_CMD
            v &= (1 << W_CMD) - 1
            out.append((port, v >> 82 & 15, v >> 86, v & (1 << 48) - 1, v >> 48 & 0x1FFFF))
        return out

    def ask_data(self, port: int, tag: int, first: int, size: int) -> None:
        """For these bytes of a write."""
        self.dut.send("s_fetch", port << W_FETCH | tag << 39 | first << 14 | size)

    def give_data(self, port: int, tag: int, first: int, data: bytes, *, bad: bool = False) -> None:
        """Bytes of a read, as a frame."""
        self.dut.send("s_segment", port << W_SEGMENT | tag << 25 | first)
        self.dut.send("s_rd", Frame(data, dest=port, bad=bad))
        self.given += 1

    def answer_behind_data(self, port: int, tag: int, status: int) -> None:
        """When all data that was given has been taken."""
        self.after.append((self.given, port, tag, status))

    def answers_behind_data(self) -> None:
        """Those whose time has come."""
        if self.after:
            self.taken += len(self.dut.sent("s_rd"))
            while self.after and self.after[0][0] <= self.taken:
                self.response(*self.after.popleft()[1:])

    def play(self) -> None:
        dut = self.dut
        for port, *what in self.requests():
            self.waiting.setdefault(port, []).append(what)
        for frame in dut.recv("m_wr"):
            port = frame.id
            tag, at, size = self.fetching[port].popleft()
            assert len(frame.data) == size and not frame.bad
            self.disks[port][at : at + size] = frame.data
            self.left[port, tag] -= size
            if not self.left[port, tag]:
                del self.left[port, tag]
                self.response(port, tag, OK)
        self.answers_behind_data()
        ports = list(self.waiting)
        self.rng.shuffle(ports)
        for port in ports:
            queue = self.waiting[port]
            # A flush is for all before it.
            if queue[0][0] == 2 and any(p == port for p, _ in self.left):
                continue
            self.begin(port, *queue.pop(0))
            if not queue:
                del self.waiting[port]

    def begin(self, port: int, op: int, tag: int, lba: int, sectors: int) -> None:
        at, size = lba * SECTOR, sectors * SECTOR
        if port in self.dead:
            return self.response(port, tag, GONE)
        if op == 2:
            return self.response(port, tag, OK)
        disk = self.disks[port]
        assert at + size <= len(disk), "past the end of the disk"
        for first in range(0, size, SEGMENT):
            part = min(SEGMENT, size - first)
            if op == 0:
                self.give_data(port, tag, first, bytes(disk[at + first : at + first + part]))
            else:
                self.fetching.setdefault(port, deque()).append((tag, at + first, part))
                self.ask_data(port, tag, first, part)
        if op == 0:
            self.answer_behind_data(port, tag, OK)
        else:
            self.left[port, tag] = size
        return None

    # ---- Transport ----------------------------------------------------------------------

    def command(self, record: int) -> None:
        self.dut.send("s_cmd", record)

    def data(self, frame: bytes) -> None:
        self.dut.send("s_axis", [frame])

    def step(self) -> None:
        self.dut.run(64)
        self.play()

    def responses(self) -> Sequence[int]:
        return [f.value for f in self.dut.recv("m_rsp")]

    def frames(self) -> list[bytes]:
        return [f.data for f in self.dut.recv("m_axis")]
