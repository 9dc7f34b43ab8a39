# SPDX-License-Identifier: Apache-2.0
"""A host that has many commands under way at once at the array's controller, and knows each byte.

What a READ must bring is known: commands for one stripe are taken one after the other.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from dataclasses import dataclass, field

from fault_drives import FLUSH, READ, WRITE, Drive, DriveBench
from kumihimo.storage.node import NodeArray
from kumihimo.storage.node.link import Cmd, NodeLink, Response, Status

CHUNK = 4096
LIMIT = 2_000_000  # cycles: no command takes longer, also with the host 95 % of the time away


class FaultLink(NodeLink):
    """A link that knows how long commands take.

    Some RAW commands go to the disks' bytes directly, for superblocks are many bytes; `through`
    is the share of those that do not.
    """

    def __init__(self, bench: DriveBench, rng: random.Random) -> None:
        super().__init__(bench, timeout_steps=1 << 30)
        self.bench, self.rng = bench, rng
        self.through = 0.0
        self.peek = False  # memory is read directly
        self.born: dict[int, tuple[int, Cmd]] = {}
        self.longest: Counter[str] = Counter()  # cycles
        self.count: Counter[str] = Counter()
        self.highest = 0  # number of a version

    def submit(
        self,
        op: Cmd,
        unit: int = 0,
        index: int = 0,
        count: int = 0,
        arg: int = 0,
        data: bytes = b"",
    ) -> int:
        tag = super().submit(op, unit, index, count, arg, data)
        self.born[tag] = (self.bench.dut.cycle, op)
        self.count[op.name] += 1
        return tag

    def poll(self) -> None:
        super().poll()
        for tag in self.done.keys() & self.born.keys():
            born, op = self.born.pop(tag)
            self.longest[op.name] = max(self.longest[op.name], self.bench.dut.cycle - born)
            if op in (Cmd.WRITE, Cmd.UNMAP, Cmd.REPAIR):
                self.highest = max(self.highest, self.done[tag].value)

    def late(self) -> str:
        """A command that has not been answered in time."""
        for tag, (born, op) in self.born.items():
            if self.bench.dut.cycle - born > LIMIT:
                return f"{op.name} (tag {tag}) of cycle {born} is not answered"
        return ""

    def _quiet(self) -> bool:
        """Past the controller: then nothing else is under way."""
        if self.rng.random() < self.through:
            return False
        while any(op not in (Cmd.READ, Cmd.SET) for _, op in self.born.values()):
            self.poll()
            self.transport.step()
        return True

    def raw_read(self, port: int, offset: int, size: int) -> bytes | int:
        if not self._quiet():
            return super().raw_read(port, offset, size)
        drive = self.bench.drives[port]
        return drive.direct(READ) or bytes(drive.data[offset : offset + size])

    def raw_write(self, port: int, offset: int, data: bytes) -> int:
        if not self._quiet():
            return super().raw_write(port, offset, data)
        drive = self.bench.drives[port]
        status = drive.direct(WRITE)
        if not status:
            drive.write(offset, data)
        return status

    def raw_flush(self, port: int) -> int:
        if not self._quiet():
            return super().raw_flush(port)
        return self.bench.drives[port].direct(FLUSH)

    def mem_read(self, address: int, size: int) -> bytes:
        if self.peek:
            return bytes(self.bench.memory.read(address, size))
        return super().mem_read(address, size)


@dataclass
class Issued:
    """A command of the host's own."""

    op: Cmd
    logical: int
    position: int = 0
    data: bytes = field(default=b"", repr=False)


class Host:
    """Reads, writes, unmaps and heals, and what each stripe holds."""

    def __init__(self, node: NodeArray, link: FaultLink, rng: random.Random) -> None:
        self.node, self.link, self.rng = node, link, rng
        self.stripe = node.super.k * CHUNK
        self.now: dict[int, bytes] = {}
        self.safe: dict[int, bytes] = {}
        self.maybe: dict[int, list[bytes]] = {}  # written since what is safe
        self.spoilt: set[int] = set()  # stripes with a bad chunk
        self.open: dict[int, Issued] = {}
        self.again: deque[Issued] = deque()
        self.refused = 0  # for want of room, one after the other
        self.depth = 8
        self.commits = 0.0  # a step
        self.ending = False  # nothing new: it waits for answers
        self.bytes = 0  # compared
        self.count: Counter[str] = Counter()
        self.recent: deque[str] = deque(maxlen=60)

    def zeros(self) -> bytes:
        """A stripe that nobody has written."""
        return bytes(self.stripe)

    # ---- commands ------------------------------------------------------------------------------

    def read(self) -> None:
        """Some chunk."""
        j = self.rng.randrange(self.node.super.k)
        self.submit(Issued(Cmd.READ, self.rng.randrange(self.node.stripes), j))

    def any(self) -> None:
        """Some command."""
        if self.again:
            return self.submit(self.again.popleft())
        logical, kind = self.rng.randrange(self.node.stripes), self.rng.random()
        if kind < 0.40:
            return self.read()
        if kind < 0.80:
            return self.submit(Issued(Cmd.WRITE, logical, 0, self.rng.randbytes(self.stripe)))
        if kind < 0.88:
            return self.submit(Issued(Cmd.UNMAP, logical))
        return self.submit(Issued(Cmd.REPAIR, logical, int(self.rng.random() < 0.5)))

    def submit(self, what: Issued) -> None:
        """To the node."""
        if what.op in (Cmd.WRITE, Cmd.UNMAP):
            self.maybe.setdefault(what.logical, []).append(what.data or self.zeros())
        unit, arg = (what.position, 0) if what.op == Cmd.READ else (0, what.position)
        tag = self.link.submit(what.op, unit, what.logical, 0, arg, what.data)
        self.open[tag] = what
        self.recent.append(f"{self.link.bench.dut.cycle} {what.op.name} {what.logical} tag {tag}")

    def collect(self) -> None:
        """Answers that came, in their order."""
        for tag in [tag for tag in self.link.done if tag in self.open]:
            self._check(self.open.pop(tag), self.link.done.pop(tag))
        self.node.seq = max(self.node.seq, self.link.highest)

    def _check(self, what: Issued, response: Response) -> None:
        at = what.logical
        self.recent.append(
            f"{self.link.bench.dut.cycle} tag {response.tag}: {response.status.name}"
        )
        self.count[f"{what.op.name} {response.status.name}"] += 1
        if what.op == Cmd.READ:
            if at not in self.now:
                assert response.status == Status.UNMAPPED, (
                    f"stripe {at}: {response.status.name}, not zeros"
                )
                return
            assert response.status == Status.OK, f"stripe {at} is read: {response.status.name}"
            j = what.position
            want = self.now[at][j * CHUNK : (j + 1) * CHUNK]
            assert response.data == want, f"stripe {at}, chunk {j} has other bytes than written"
            self.bytes += CHUNK
            if response.detail & 1:
                self.count["reads degraded"] += 1
            return
        if response.status == Status.NO_SPACE:
            self.refused += 1
            assert self.refused < 100, "there is no room any more"
            if what.op != Cmd.REPAIR:
                self.again.append(what)
            return
        assert response.status == Status.OK, f"stripe {at}, {what.op.name}: {response.status.name}"
        if what.op == Cmd.WRITE:
            self.refused = 0
            self.now[at] = what.data
        elif what.op == Cmd.UNMAP:
            self.now.pop(at, None)
        if what.op != Cmd.REPAIR:
            self.spoilt.discard(at)

    def commit(self) -> None:
        """All that was given before is safe."""
        self.recent.append(f"{self.link.bench.dut.cycle} commit")
        self.node.commit()
        self.collect()
        assert all(g.op == Cmd.READ for g in self.open.values())
        self.safe, self.maybe = dict(self.now), {}
        self.count["commits"] += 1

    def work(self, commands: int) -> None:
        """So many, several at a time, and commits between them."""
        left = commands
        while left or self.open or self.again:
            self.ending = not left and not self.again
            if (left or self.again) and len(self.open) < self.depth:
                left -= not self.again
                self.any()
            self.link.poll()
            self.collect()
            if (self.again and self.refused) or self.rng.random() < self.commits:
                self.commit()
            self.link.transport.step()
        self.ending = False

    def allowed(self, logical: int) -> list[bytes]:
        """What a stripe may hold if power fails now."""
        return [self.safe.get(logical, self.zeros()), *self.maybe.get(logical, ())]


def spoil(host: Host, drives: dict[int, Drive], *, sectors: bool) -> bool:
    """A chunk of a stripe that is not under way goes bad: cannot be read, or has other bytes."""
    rng, node = host.rng, host.node
    busy = {g.logical for g in host.open.values()}
    logical = rng.randrange(node.stripes)
    if logical in busy or logical in host.spoilt or logical not in host.now:
        return False
    host.link.peek = True
    place = rng.choice(node.versions()[logical].places)
    host.link.peek = False
    device, slot = place >> 56, place >> 32 & 0xFFFFFF
    if device not in node.logs:
        return False
    drive = drives[node.port_of[device]]
    at = node.logs[device].data_offset + slot * CHUNK
    if sectors and rng.random() < 0.5:
        drive.bad.add(at // 512 + rng.randrange(CHUNK // 512))
    else:
        drive.data[at + rng.randrange(CHUNK)] ^= 1 << rng.randrange(8)
    host.spoilt.add(logical)
    return True
