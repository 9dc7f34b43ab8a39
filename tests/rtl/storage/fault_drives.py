# SPDX-License-Identifier: Apache-2.0
"""Disks that break, for the array's controller: at the streams of its ports, all in one model.

A disk takes its requests in any order, a part of one and a part of another; it can be dead (every
request fails), hang (an answer only when the port's time is up), be slow or silent for a while,
fail single requests, also after some of the data, bring a frame that is bad and then a good one,
fetch data twice. What was written since its last flush can be lost with the power.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from array_bench import GONE, OK, SECTOR, UNC
from storage_many_bench import ManyBench

READ, WRITE, FLUSH = 0, 1, 2
TIMEOUT = 7
FAILURES = (1, 2, 3, 4, 5, 6)  # blk_status_e: of one request, the disk goes on
PATIENCE = 120  # steps after which a port gives an answer itself


@dataclass
class Request:
    """What a port has been asked for."""

    op: int
    tag: int
    at: int
    size: int
    came: int  # step
    wait: int  # steps until it begins
    left: list[tuple[int, int]] = field(default_factory=list)  # parts: first byte, bytes
    moving: int = 0  # parts that were asked for and are not here
    fails: int = OK
    parts: int = 1000  # as many are moved before it fails


@dataclass
class Drive:
    """A disk and its port."""

    data: bytearray
    rng: random.Random
    slow: int = 0  # steps a request at most
    silent: int = 0  # does nothing until that step
    flaky: float = 0.0  # that share of its reads fail
    dead: bool = False
    hung: int | None = None  # since that step
    once: int | None = None  # the next request of that kind fails
    bad: set[int] = field(default_factory=set)  # sectors that cannot be read
    old: dict[int, bytes] = field(default_factory=dict)  # sectors as of the last flush
    queue: list[Request] = field(default_factory=list)
    fetching: list[tuple[Request, int, int]] = field(default_factory=list)
    failed: int = 0  # requests

    def write(self, at: int, data: bytes) -> None:
        """Bytes that came; whole sectors."""
        for s in range(at // SECTOR, (at + len(data)) // SECTOR):
            self.old.setdefault(s, bytes(self.data[s * SECTOR : (s + 1) * SECTOR]))
            self.bad.discard(s)
        self.data[at : at + len(data)] = data

    def after_power_cut(self, rng: random.Random) -> bytes:
        """Each sector written since the last flush is there or not."""
        image = bytearray(self.data)
        keep = rng.random()
        for s, data in self.old.items():
            if rng.random() > keep:
                image[s * SECTOR : (s + 1) * SECTOR] = data
        return bytes(image)

    def judge(self, request: Request) -> None:
        """Does it fail, and after how much data?"""
        rng, first = self.rng, request.at // SECTOR
        sectors = range(first, first + request.size // SECTOR)
        if self.once == request.op:
            self.once = None
            request.fails = rng.choice(FAILURES)
        elif request.op == READ:
            if not self.bad.isdisjoint(sectors):
                request.fails = UNC
            elif self.flaky and rng.random() < self.flaky:
                request.fails = rng.choice(FAILURES)
        if request.fails:
            request.parts = rng.randint(0, len(request.left))

    def direct(self, op: int) -> int:
        """The reason that a request would get which does not pass the controller."""
        request = Request(op, 0, 0, 0, 0, 0)
        if self.dead:
            request.fails = GONE
        elif self.hung is not None:
            request.fails = TIMEOUT
        else:
            self.judge(request)
        self.failed += bool(request.fails)
        if op == FLUSH and not request.fails:
            self.old.clear()
        return request.fails


class DriveBench(ManyBench):
    """`ManyBench` with such disks. `beside` is called in each step."""

    def __init__(
        self, ports: int, drives: dict[int, Drive], *, seed: int, stall: float, movers: str
    ) -> None:
        super().__init__(ports, {}, seed=seed, stall=stall, movers=movers)
        self.drives = drives
        self.rough = movers == "real"  # frames that are bad
        self.now = 0  # steps
        self.beside: Callable[[], None] = lambda: None

    def step(self) -> None:
        self.now += 1
        self.beside()
        super().step()

    def play(self) -> None:
        for port, op, tag, lba, sectors in self.requests():
            drive = self.drives[port]
            at, size = lba * SECTOR, sectors * SECTOR
            assert at + size <= len(drive.data), "past the end of the disk"
            wait = self.rng.randrange(4) + (self.rng.randint(0, drive.slow) if drive.slow else 0)
            request = Request(op, tag, at, size, self.now, wait)
            first = 0
            while first < size:
                part = min(SECTOR * self.rng.choice((1, 3, 8, 16, 16)), size - first)
                request.left.append((first, part))
                first += part
            drive.queue.append(request)
        for frame in self.dut.recv("m_wr"):
            drive = self.drives[frame.id]
            request, at, size = drive.fetching.pop(0)
            assert len(frame.data) == size and not frame.bad
            if not drive.dead:
                drive.write(at, frame.data)
            request.moving -= 1
        self.answers_behind_data()
        for port in self.rng.sample(sorted(self.drives), len(self.drives)):
            if self.drives[port].queue:
                self._work(port, self.drives[port])

    def _end(self, port: int, drive: Drive, request: Request, status: int) -> None:
        drive.queue.remove(request)
        drive.failed += bool(status)
        if request.op == READ:
            self.answer_behind_data(port, request.tag, status)
        else:
            self.response(port, request.tag, status)

    def _work(self, port: int, drive: Drive) -> None:
        """A step of a disk."""
        if drive.dead or drive.hung is not None:
            for request in list(drive.queue):
                if request.moving or self.rng.random() < 0.5:
                    continue
                if drive.dead:
                    self._end(port, drive, request, GONE)
                elif self.now > max(request.came, drive.hung or 0) + PATIENCE:
                    self._end(port, drive, request, TIMEOUT)
            return
        if drive.silent > self.now:
            return
        for request in drive.queue:
            request.wait -= 1
        ready = [r for r in drive.queue if r.wait < 0 and not r.moving]
        for request in self.rng.sample(ready, len(ready))[: self.rng.randint(1, 3)]:
            # A flush is for all before it.
            if request.op == FLUSH and drive.queue[0] is not request:
                continue
            self._advance(port, drive, request)

    def _advance(self, port: int, drive: Drive, request: Request) -> None:
        """A part of a request, or its end."""
        if request.wait > -1000:  # it begins
            request.wait = -1000
            drive.judge(request)
        if request.fails and not request.parts:
            return self._end(port, drive, request, request.fails)
        if not request.left:
            if request.op == FLUSH:
                drive.old.clear()
            return self._end(port, drive, request, OK)
        request.parts -= 1
        first, size = request.left.pop(self.rng.randrange(len(request.left)))
        rough = self.rough and self.rng.random() < 0.02
        if request.op == READ:
            if rough:
                bad = self.rng.randbytes(4 * self.rng.randint(1, size // 4))
                self.give_data(port, request.tag, first, bad, bad=True)
            data = drive.data[request.at + first : request.at + first + size]
            self.give_data(port, request.tag, first, bytes(data))
        else:
            for _ in range(2 if rough else 1):
                request.moving += 1
                drive.fetching.append((request, request.at + first, size))
                self.ask_data(port, request.tag, first, size)
        return None
