# SPDX-License-Identifier: Apache-2.0
"""The array's controller with ports of a model: disks that are bytes, in any order, with faults."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from kumihimo.storage.node.link import NodeLink
from kumihimo.testing import Dut

SECTOR = 512
OK, UNC, GONE = 0, 4, 8
W_CMD, W_RSP, W_FETCH, W_SEGMENT = 102, 84, 55, 41
ARRAY_CMD, ARRAY_RSP = 160, 144
PORTS, WIDTH, CONTEXTS = 6, 8, 4
CHUNK_BYTES, PARITY_BYTES = 65536, 4096


@dataclass
class Port:
    """A Serial ATA port and its disk, at the streams of kumi_sata_port."""

    dut: Dut
    number: int
    disk: bytearray
    rng: random.Random
    slow: int = 0  # more steps a request
    slow_read: int = 0  # and more a read
    slow_flush: int = 0  # and a flush
    dead: bool = False  # every request gets GONE
    mute: bool = False  # no request is answered
    endless: bool = False  # any sector is there: addresses are modulo the disk's size
    bad: set[int] = field(default_factory=set)  # sectors that cannot be read
    log: list[tuple[str, int, int]] = field(default_factory=list)
    queue: list[list[int]] = field(default_factory=list)
    fetching: deque[tuple[int, int, int]] = field(default_factory=deque)
    left: dict[int, int] = field(default_factory=dict)
    given: int = 0  # frames of data
    after: deque[tuple[int, int]] = field(default_factory=deque)
    taken: int = 0
    before: Callable[[], None] | None = None  # called before each request is begun

    def name(self, port: str) -> str:
        return f"{port}[{self.number}]"

    def step(self) -> None:
        dut, n = self.dut, self.name
        for frame in dut.recv(n("cmd")):
            v = frame.value
            lba, sectors = v & (1 << 48) - 1, v >> 48 & 0x1FFFF
            op, tag = v >> 82 & 15, v >> 86
            wait = self.slow + (self.slow_read, 0, self.slow_flush)[op] + self.rng.randrange(4)
            self.queue.append([wait, op, tag, lba, sectors])
            self.log.append((("read", "write", "flush")[op], lba, sectors))
        for frame in dut.recv(n("wr")):
            tag, at, size = self.fetching.popleft()
            assert len(frame.data) == size and not frame.bad
            self.disk[at : at + size] = frame.data
            self.left[tag] -= size
            if not self.left[tag]:
                self.response(tag, OK)
        self.taken += len(dut.sent(n("rd")))
        while self.after and self.after[0][0] <= self.taken:
            self.response(self.after.popleft()[1], OK)
        if self.mute:
            return
        ready = []
        for item in self.queue:
            item[0] -= 1
            if item[0] < 0:
                ready.append(item)
        self.rng.shuffle(ready)
        for item in ready:
            # A flush is for all before it.
            if item[1] == 2 and (self.queue[0] is not item or self.left_any()):
                continue
            self.queue.remove(item)
            self.begin(*item[1:])

    def left_any(self) -> bool:
        return any(self.left.values())

    def response(self, tag: int, status: int) -> None:
        self.dut.send(self.name("rsp"), tag << 68 | status << 64)

    def begin(self, op: int, tag: int, lba: int, sectors: int) -> None:
        at, size = lba * SECTOR, sectors * SECTOR
        if self.endless:
            at %= len(self.disk)
        if self.before is not None:
            self.before()
        if self.dead:
            return self.response(tag, GONE)
        if op == 2:
            return self.response(tag, OK)
        assert at + size <= len(self.disk), "past the end of the disk"
        if op == 0 and any(s in self.bad for s in range(lba, lba + sectors)):
            return self.response(tag, UNC)
        for first in range(0, size, 8192):
            part = min(8192, size - first)
            if op == 0:
                self.dut.send(self.name("segment"), tag << 25 | first)
                self.dut.send(self.name("rd"), [bytes(self.disk[at + first : at + first + part])])
                self.given += 1
            else:
                self.fetching.append((tag, at + first, part))
                self.dut.send(self.name("fetch"), tag << 39 | first << 14 | part)
        if op == 0:
            self.after.append((self.given, tag))  # answered when the data has been taken
        else:
            self.left[tag] = size
        return None


class Bench:
    """kumi_storage, its memory, and ports of a model. Also the `Transport` of a link."""

    def __init__(
        self, disks: list[bytearray], seed: int = 1, stall: float = 0.0, width: int = 64
    ) -> None:
        widths = {f"{p}": {"W": w} for p, w in (("s_cmd", ARRAY_CMD), ("m_rsp", ARRAY_RSP))}
        for p, w in (("cmd", W_CMD), ("rsp", W_RSP), ("fetch", W_FETCH), ("segment", W_SEGMENT)):
            widths[p] = {"W": w}
        for p in ("s_axis", "m_axis", "wr", "rd"):
            widths[p] = {"DATA_W": width}
        widths["m_axi"] = {"DATA_W": width, "ADDR_W": 40}
        self.dut = Dut.of_module(
            "kumi_storage",
            {
                "PORTS": PORTS,
                "WIDTH": WIDTH,
                "CONTEXTS": CONTEXTS,
                "CHUNK_BYTES": CHUNK_BYTES,
                "PARITY_BYTES": PARITY_BYTES,
            },
            widths,
            check=False,  # at the end: it costs more than the run
            profile="soak",
        )
        if stall:
            self.dut.stall_all(rx=stall, tx=stall, seed=seed)
        self.memory = self.dut.memory("m_axi")
        self.memory.configure(latency_cycles=6, size=1 << 40)
        rng = random.Random(seed)
        self.ports = [
            Port(self.dut, i, disk, random.Random(rng.random())) for i, disk in enumerate(disks)
        ]
        self.link = NodeLink(self, timeout_steps=3000)

    def check(self) -> None:
        assert not self.dut.protocol_errors()

    def command(self, record: int) -> None:
        self.dut.send("s_cmd", record)

    def data(self, frame: bytes) -> None:
        self.dut.send("s_axis", [frame])

    def step(self) -> None:
        self.dut.run(64)
        for port in self.ports:
            port.step()

    def responses(self) -> list[int]:
        return [f.value for f in self.dut.recv("m_rsp")]

    def frames(self) -> list[bytes]:
        return [f.data for f in self.dut.recv("m_axis")]
