# SPDX-License-Identifier: Apache-2.0
"""A disk at the level of FISes, written from the text of the standards.

It shares no code with the cores. It takes FISes of a host (lists of words) and gives its own, with
a queue served in random order, data phases split at will, and faults on demand.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field

SECTOR = 512
Fis = list[int]
DATA = None  # yielded: a Data FIS of the host is to come


@dataclass
class Nature:
    """What the disk can do, and how it does it."""

    sectors: int = 1 << 20
    ncq: bool = True
    depth: int = 32
    auto_activate: bool = True
    fua: bool = True
    trim: bool = True
    rotating: bool = False
    lba48: bool = True
    shuffle: bool = True  # serve the queue in random order
    split: float = 0.0  # chance that a queued command's data take two DMA Setups
    small: float = 0.0  # chance of a Data FIS shorter than need be
    pile: int = 1  # completions that one Set Device Bits FIS may bundle
    pio_split: bool = False  # IDENTIFY in two blocks
    lazy: int = 8  # steps without anything between commands


@dataclass
class Faults:
    """What goes wrong; `once` lists are used up."""

    bad: dict[int, tuple[int, int]] = field(default_factory=dict)  # lba: (status, error)
    line: int = 0  # number of commands that end with a line error
    silent: int = 0  # number of reads or writes that are never answered
    short: int = 0  # number of reads that end "well" without their last data
    spoil: int = 0  # number of Data FISes that arrive broken (the bench does it)
    ident_error: int = 0
    refuse_features: bool = False
    chatty: bool = False  # an error of the queue is followed by FISes that mean nothing
    dead: bool = False  # nothing at all is answered


class Disk:
    """One disk. `out` holds FISes for the host, `take` gets the host's, `work` goes on."""

    def __init__(self, seed: int = 1, nature: Nature | None = None, faults: Faults | None = None):
        self.rng = random.Random(seed)
        self.nature = nature or Nature()
        self.faults = faults or Faults()
        self.media: dict[int, bytes] = {}
        self.out: deque[Fis] = deque()
        self.log: list[str] = []
        self.errors: list[str] = []  # breaches by the host
        self.features: list[tuple[int, int]] = []
        self.trimmed: list[tuple[int, int]] = []
        self.most_queued = 0
        self.served: list[int] = []  # LBAs in order of service
        self.soft_reset = False
        self.reset()

    def reset(self, signature: bool = True) -> None:
        """After COMRESET or a software reset."""
        self.queue: dict[int, tuple[int, int, int, bool]] = {}  # tag: op, lba, sectors, fua
        self.out.clear()
        self.job: Generator[Fis | None, Fis, None] | None = None
        self.wants_data = False
        self.finished: list[int] = []
        self.log_page: bytes | None = None
        self.activated = False
        self.idle = 0
        if signature and not self.faults.dead:
            self.out.append([0x01500034, 0x00000001, 0, 1, 0])

    # ---- FISes of the disk ---------------------------------------------------------------------
    @staticmethod
    def register(status: int = 0x50, error: int = 0, lba: int = 0, interrupt: bool = True) -> Fis:
        """Register FIS, device to host."""
        word = error << 24 | status << 16 | int(interrupt) << 14 | 0x34
        return [word, 0x40 << 24 | lba & 0xFFFFFF, lba >> 24, 0, 0]

    @staticmethod
    def bits(tags: list[int], status: int = 0x40, error: int = 0) -> Fis:
        """Set Device Bits FIS."""
        return [error << 24 | (status & 0x77) << 16 | 1 << 14 | 0xA1, sum(1 << t for t in tags)]

    def setup(self, tag: int, to_host: bool, offset: int, count: int, auto: bool) -> Fis:
        """DMA Setup FIS."""
        return [int(auto) << 15 | int(to_host) << 13 | 0x41, tag, 0, 0, offset, count, 0]

    def sector(self, lba: int) -> bytes:
        """Content of a sector; what was never written is a pattern of its address."""
        return self.media.get(lba) or (lba.to_bytes(8, "little") * 64)

    def segments(self, size: int) -> list[int]:
        """Data FISes of a transfer, in bytes."""
        out = []
        while size:
            most = min(size, 8192)
            if self.nature.small and self.rng.random() < self.nature.small:
                most = min(most, 4 * self.rng.randrange(1, 2049))
            out.append(most)
            size -= most
        return out

    # ---- from the host -------------------------------------------------------------------------
    def take(self, fis: Fis) -> None:
        """A good FIS of the host."""
        kind = fis[0] & 0xFF
        if kind == 0x46:
            if not self.wants_data or self.job is None:
                self.errors.append("data that nobody asked for")
                return
            self.wants_data = False
            self._advance(fis)
        elif kind == 0x27 and len(fis) == 5:
            if fis[0] >> 15 & 1:
                self._command(fis)
            else:
                now = bool(fis[3] >> 24 & 4)
                if self.soft_reset and not now:
                    self.log.append("SRST")
                    self.reset()
                self.soft_reset = now
        else:
            self.errors.append(f"FIS {kind:02x} with {len(fis)} words")

    def _command(self, fis: Fis) -> None:
        if self.faults.dead:
            return
        op = fis[0] >> 16 & 0xFF
        feature = fis[0] >> 24 | (fis[2] >> 24) << 8
        lba = fis[1] & 0xFFFFFF | (fis[2] & 0xFFFFFF) << 24
        count = fis[3] & 0xFFFF
        device = fis[1] >> 24
        if self.job is not None or (self.wants_data):
            self.errors.append(f"command {op:02x} in the middle of a data phase")
        if op in (0x60, 0x61):
            tag = count >> 3 & 31
            self.log.append(f"{op:02x}#{tag}")
            if tag in self.queue:
                self.errors.append(f"tag {tag} twice")
            if device & 0x40 == 0 or not self.nature.ncq or tag >= self.nature.depth:
                self.errors.append("bad queued command")
            if self.log_page is not None:
                self.out.append(self.register(0x51, 0x04))
                return
            self.queue[tag] = (op, lba, feature or 65536, bool(device & 0x80))
            self.most_queued = max(self.most_queued, len(self.queue))
            self.idle = self.nature.lazy
            self.out.append(self.register(0x40, interrupt=False))
            return
        self.log.append(f"{op:02x}")
        if self.queue and self.log_page is None:
            self.errors.append(f"command {op:02x} while the queue is not empty")
        self.job = self._alone(op, feature, lba, count)
        self._advance(None)

    def first(self) -> bool:
        """A FIS is on its way to the host, or a queued command's data phase is open."""
        return bool(self.out) or (self.job is not None and bool(self.queue))

    # ---- at work -------------------------------------------------------------------------------
    def _advance(self, data: Fis | None) -> None:
        """Until a FIS goes out, data are wanted, or the command is over."""
        assert self.job is not None
        try:
            got = next(self.job) if data is None else self.job.send(data)
        except StopIteration:
            self.job = None
            self.idle = self.nature.lazy
            return
        if got is DATA:
            self.wants_data = True
        else:
            self.out.append(got)

    def work(self) -> None:
        """Go on, if nothing waits to be sent."""
        if self.out or self.wants_data or self.faults.dead:
            return
        if self.job is not None:
            self._advance(None)
        elif self.idle:
            self.idle -= 1
        elif self.queue and self.log_page is None:
            tags = [t for t in self.queue if t not in self.finished]
            if tags and (len(self.finished) < self.nature.pile):
                tag = self.rng.choice(tags) if self.nature.shuffle else tags[0]
                self.job = self._queued(tag)
                self._advance(None)
            else:
                self._report()
        elif self.finished:
            self._report()

    def _report(self) -> None:
        for tag in self.finished:
            del self.queue[tag]
        self.out.append(self.bits(self.finished))
        self.finished = []

    def _trouble(self, lba: int, sectors: int) -> tuple[int, int, int] | None:
        for at, (status, error) in self.faults.bad.items():
            if lba <= at < lba + sectors:
                return status, error, at
        if self.faults.line:
            self.faults.line -= 1
            return 0x51, 0x84, lba
        return None

    def _silent(self) -> bool:
        if self.faults.silent:
            self.faults.silent -= 1
            return True
        return False

    def _read_out(self, lba: int, sectors: int) -> bytes:
        return b"".join(self.sector(lba + i) for i in range(sectors))

    def _store(self, lba: int, data: bytes) -> None:
        for i in range(0, len(data), SECTOR):
            self.media[lba + i // SECTOR] = data[i : i + SECTOR]

    @staticmethod
    def _data(data: bytes) -> Fis:
        return [0x46, *(int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4))]

    def _queued(self, tag: int) -> Generator[Fis | None, Fis, None]:
        op, lba, sectors, _ = self.queue[tag]
        size = sectors * SECTOR
        if self._silent():
            while True:
                yield DATA
        self.served.append(lba)
        trouble = self._trouble(lba, sectors)
        if trouble:
            status, error, at = trouble
            page = bytearray(512)
            page[0], page[2], page[3] = tag, status, error
            page[4:7], page[7] = at.to_bytes(6, "little")[:3], 0x40
            page[8:11] = at.to_bytes(6, "little")[3:]
            page[511] = -sum(page) & 255
            self.log_page = bytes(page)
            self.finished = []
            yield self.bits([], 0x41, error)
            if self.faults.chatty:
                self.out.extend([self.register(), self.bits([])])
            return
        cut = self.rng.randrange(4, size, 4) if self.rng.random() < self.nature.split else size
        parts = [(0, cut), (cut, size - cut)] if cut < size else [(0, size)]
        if self.rng.random() < 0.5:
            parts.reverse()
        if op == 0x60:
            whole = self._read_out(lba, sectors)
            for at, length in parts:
                yield self.setup(tag, True, at, length, False)
                sizes = self.segments(length)
                if self.faults.short and at == parts[-1][0]:
                    self.faults.short -= 1
                    sizes = sizes[:-1]
                for segment in sizes:
                    yield self._data(whole[at : at + segment])
                    at += segment
        else:
            whole = bytearray(size)
            for at, length in parts:
                auto = self.activated and self.rng.random() < 0.8
                yield self.setup(tag, False, at, length, auto)
                left = length
                while left:
                    if not (auto and left == length):
                        yield [0x39]
                    words = (yield DATA)[1:]
                    if len(words) != min(left, 8192) // 4:
                        self.errors.append(f"{len(words)} words of data, {left} bytes to come")
                    for word in words:
                        whole[at : at + 4] = word.to_bytes(4, "little")
                        at += 4
                    left -= 4 * len(words)
            self._store(lba, bytes(whole))
        self.finished.append(tag)
        if len(self.finished) >= self.nature.pile:
            for done in self.finished:
                del self.queue[done]
            tags, self.finished = self.finished, []
            yield self.bits(tags)

    def _alone(
        self, op: int, feature: int, lba: int, count: int
    ) -> Generator[Fis | None, Fis, None]:
        if op in (0x25, 0x35, 0x3D) and self._silent():
            while True:
                yield DATA
        sectors = count or 65536
        if op in (0x25, 0x35, 0x3D):
            self.served.append(lba)
            trouble = self._trouble(lba, sectors)
            if op == 0x25 and not trouble:
                sizes = self.segments(sectors * SECTOR)
                if self.faults.short:
                    self.faults.short -= 1
                    sizes = sizes[:-1]
                at, whole = 0, self._read_out(lba, sectors)
                for segment in sizes:
                    yield self._data(whole[at : at + segment])
                    at += segment
            elif not trouble:
                whole = b""
                while len(whole) < sectors * SECTOR:
                    yield [0x39]
                    words = (yield DATA)[1:]
                    whole += b"".join(w.to_bytes(4, "little") for w in words)
                self._store(lba, whole)
            status, error, at = trouble or (0x50, 0, 0)
            yield self.register(status, error, at)
        elif op == 0xEC:
            yield from self._identify()
        elif op == 0x2F and lba & 0xFF == 0x10 and self.log_page is not None:
            page = self.log_page
            self.log_page = None
            self.queue.clear()
            yield [0x5F | 0x50 << 16 | 1 << 13, 0x40 << 24, 0, 0x50 << 24, 512]
            yield self._data(page)
        elif op == 0x2F and lba & 0xFF == 0x00:
            for page in range(count):
                last = page == count - 1
                yield [
                    0x5F | 0x58 << 16 | 1 << 13,
                    0x40 << 24,
                    0,
                    (0x50 if last else 0xD0) << 24,
                    512,
                ]
                yield self._data(bytes([page]) * 512)
        elif op == 0xEF:
            self.features.append((feature & 0xFF, count))
            if feature & 0xFF == 0x10:
                self.activated = True
            refused = self.faults.refuse_features or feature & 0xFF == 0xAA
            yield self.register(0x51, 0x04) if refused else self.register()
        elif op == 0xEA:
            yield self.register()
        elif op == 0x06:
            yield [0x39]
            words = (yield DATA)[1:]
            if len(words) != 128 * count or not feature & 1:
                self.errors.append("bad TRIM")
            for i in range(0, len(words), 2):
                entry = words[i] | words[i + 1] << 32
                if entry >> 48:
                    self.trimmed.append((entry & (1 << 48) - 1, entry >> 48))
            yield self.register()
        else:
            yield self.register(0x51, 0x04)

    def _identify(self) -> Generator[Fis | None, Fis, None]:
        if self.faults.ident_error:
            self.faults.ident_error -= 1
            yield self.register(0x51, 0x04)
            return
        nature = self.nature
        words = [0] * 256
        words[49] = 0x0300
        words[75] = nature.depth - 1
        words[76] = 0x000E | int(nature.ncq) << 8
        words[78] = int(nature.auto_activate) << 2
        words[83] = 0x4000 | int(nature.lba48) << 10 | 1 << 13
        words[84] = 0x4000 | int(nature.fua) << 6
        for i in range(4):
            words[100 + i] = nature.sectors >> 16 * i & 0xFFFF
        words[169] = int(nature.trim)
        words[217] = 7200 if nature.rotating else 1
        data = b"".join(w.to_bytes(2, "little") for w in words[:255]) + b"\xa5"
        data += bytes([-sum(data) & 255])
        cut = 256 if nature.pio_split else 512
        for at in range(0, 512, cut):
            status = 0x50 if at + cut == 512 else 0xD0
            yield [0x5F | 0x58 << 16 | 1 << 13, 0x40 << 24, 0, status << 24, cut]
            yield self._data(data[at : at + cut])
