# SPDX-License-Identifier: Apache-2.0
"""A host's command layer in Python, over the FISes of a link of RTL, against a disk model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kumihimo.cluster.disk import Disk
from kumihimo.testing import Dut

HERE = Path(__file__).parent
PERIOD = 6667
SECTOR = 512
CODES = ("OK", "RERR", "ABORT", "TIMEOUT", "DOWN", "BAD", "YIELD")
REGISTERS, ACTIVATE, SETUP, DATA, PIO, BITS = 0x34, 0x39, 0x41, 0x46, 0x5F, 0xA1


class Failed(Exception):
    """A command that ended with an error."""

    def __init__(self, status: int, error: int, lba: int) -> None:
        super().__init__(f"status {status:02x} error {error:02x} lba {lba}")
        self.status, self.error, self.lba = status, error, lba


def words(data: bytes) -> list[int]:
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def frame(fis: Iterable[int]) -> bytes:
    return b"".join(w.to_bytes(4, "little") for w in fis)


def command(
    opcode: int, lba: int = 0, count: int = 0, features: int = 0, device: int = 0x40
) -> list[int]:
    """Register FIS, host to device."""
    return [
        0x27 | 1 << 15 | opcode << 16 | (features & 255) << 24,
        lba & 0xFFFFFF | device << 24,
        lba >> 24 | features >> 8 << 24,
        count,
        0,
    ]


def lba_of(fis: list[int]) -> int:
    return fis[1] & 0xFFFFFF | (fis[2] & 0xFFFFFF) << 24


@dataclass
class Job:
    """A queued command: with data a write, else a read of a number of sectors."""

    lba: int
    data: bytes = b""
    sectors: int = 0
    fua: bool = False
    sent: int = 0
    got: bytearray = field(default_factory=bytearray)

    @property
    def count(self) -> int:
        return len(self.data) // SECTOR if self.data else self.sectors

    @property
    def complete(self) -> bool:
        return max(self.sent, len(self.got)) == self.count * SECTOR


class Host:
    """A `Dut` with one port, its disk, and commands that run to their end."""

    def __init__(self, params: dict[str, int] | None = None, seed: int = 1, **like: Any) -> None:
        self.dut = Dut(
            HERE / "hw/kumi_node_sata_fis.sv",
            params,
            periods_ps={"clk": PERIOD},
            profile="fast",
            seed=seed,
        )
        self.disk: Disk = self.dut.disk("s0", seed=seed, **like)
        self.fis: list[list[int]] = []
        self.activated = 0  # DMA Setup FISes that were an activation as well

    def start(self) -> list[int]:
        """Until the signature has come."""
        return self.next(REGISTERS)

    def next(self, *kinds: int, timeout: int = 4_000_000) -> list[int]:
        """The next FIS from the disk, which is to be one of these."""
        if not self.fis:
            self.fis += [
                words(f.data) for f in self.dut.recv("m_axis_fis", 1, timeout) if not f.bad
            ]
        while not self.fis:  # a broken one comes again
            self.fis += [
                words(f.data) for f in self.dut.recv("m_axis_fis", 1, timeout) if not f.bad
            ]
        got = self.fis.pop(0)
        assert not kinds or got[0] & 255 in kinds, [hex(w) for w in got[:5]]
        return got

    def offer(self, fis: Iterable[int]) -> str:
        """One FIS, and how it ended; YIELD if the disk was first with one of its own."""
        self.dut.send("s_axis_fis", frame(fis))
        return CODES[self.dut.recv("m_hdr_done", 1, 100_000)[0].value]

    def send(self, fis: Iterable[int]) -> str:
        """The same, again until the disk listens."""
        fis = list(fis)
        while (code := self.offer(fis)) == "YIELD":
            self.dut.run(64)
        return code

    def give(self, fis: Iterable[int]) -> None:
        assert self.send(fis) == "OK"

    def end(self, got: list[int] | None = None) -> list[int]:
        """The Register FIS that ends a command; raises if it says so."""
        got = got or self.next(REGISTERS)
        status, error = got[0] >> 16 & 255, got[0] >> 24
        if status & 0x21:
            raise Failed(status, error, lba_of(got))
        return got

    def block(self, opcode: int, lba: int = 0, count: int = 0) -> bytes:
        """A command that answers with one block."""
        self.give(command(opcode, lba, count))
        got = self.next(PIO, REGISTERS)
        if got[0] & 255 == REGISTERS:
            self.end(got)
        assert got[4] == SECTOR and got[3] >> 24 == 0x50
        data = self.next(DATA)
        return frame(data[1:])

    def identify(self) -> list[int]:
        raw = self.block(0xEC)
        assert sum(raw) % 256 == 0
        return [int.from_bytes(raw[i : i + 2], "little") for i in range(0, 512, 2)]

    def log(self) -> bytes:
        raw = self.block(0x2F, 0x10, 1)
        assert sum(raw) % 256 == 0
        return raw

    def read(self, lba: int, count: int) -> bytes:
        self.give(command(0x25, lba, count & 0xFFFF))
        out = b""
        while True:
            got = self.next(DATA, REGISTERS)
            if got[0] & 255 == REGISTERS:
                self.end(got)
                assert len(out) == count * SECTOR
                return out
            out += frame(got[1:])

    def write(self, lba: int, data: bytes, fua: bool = False) -> None:
        self.give(command(0x3D if fua else 0x35, lba, len(data) // SECTOR))
        self.pour(data)

    def pour(self, data: bytes) -> None:
        """Data FISes as they are asked for, then the end."""
        sent = 0
        while True:
            got = self.next(ACTIVATE, REGISTERS)
            if got[0] & 255 == REGISTERS:
                self.end(got)
                assert sent == len(data)
                return
            piece = data[sent : sent + 8192]
            self.give([DATA, *words(piece)])
            sent += len(piece)

    def flush(self) -> None:
        self.give(command(0xEA))
        self.end(self.next(REGISTERS, timeout=20_000_000))

    def features(self, feature: int, count: int = 0) -> None:
        self.give(command(0xEF, 0, count, feature))
        self.end()

    # ---- queued -------------------------------------------------------------------------------

    @staticmethod
    def _queued(opcode: int, tag: int, lba: int, count: int, fua: bool = False) -> list[int]:
        device = 0x40 | (0x80 if fua else 0)
        return command(opcode, lba, tag << 3, count & 0xFFFF, device)

    def queue(self, opcode: int, tag: int, lba: int, count: int, fua: bool = False) -> None:
        """A queued command, up to the FIS that lets the next one go."""
        self.give(self._queued(opcode, tag, lba, count, fua))

    def run_queue(self, jobs: dict[int, Job]) -> list[int]:
        """By tag, all of them at once; the order of their ends. Data read is in the jobs."""
        waiting = list(jobs)
        ends: list[int] = []
        busy = False  # a command waits for the FIS that lets the next one go
        now: Job | None = None  # whose data is on the wire
        while len(ends) < len(jobs):
            if waiting and not busy and now is None and not self.fis:
                tag = waiting.pop(0)
                job = jobs[tag]
                code = self.offer(
                    self._queued(0x61 if job.data else 0x60, tag, job.lba, job.count, job.fua)
                )
                assert code in ("OK", "YIELD")
                busy = code == "OK"
                if not busy:  # the disk was first; what it sends may forbid a command
                    waiting.insert(0, tag)
                    self.dut.run(64)
                    self.fis += [words(f.data) for f in self.dut.recv("m_axis_fis") if not f.bad]
                continue
            fis = self.next(timeout=20_000_000)
            kind = fis[0] & 255
            if kind == REGISTERS:
                self.end(fis)
                busy = False
            elif kind == SETUP:
                now = jobs[fis[1]]
                assert fis[5] == now.count * SECTOR
                assert (fis[0] >> 13 & 1) == (not now.data)
                if fis[0] >> 15 & 1:
                    self.activated += 1
                    self._pour_on(now)
            elif kind == ACTIVATE:
                assert now is not None
                self._pour_on(now)
            elif kind == DATA:
                assert now is not None
                now.got += frame(fis[1:])
            elif kind == BITS:
                if fis[0] >> 16 & 1:
                    raise Failed(fis[0] >> 16 & 255, fis[0] >> 24, 0)
                ends += [i for i in range(32) if fis[1] >> i & 1]
            if now and now.complete:
                now = None
        return ends

    def _pour_on(self, job: Job) -> None:
        piece = job.data[job.sent : job.sent + 8192]
        self.give([DATA, *words(piece)])
        job.sent += len(piece)
