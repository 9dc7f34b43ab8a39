# SPDX-License-Identifier: Apache-2.0
"""Long runs of the array's controller on disks that break, with a host that knows every byte.

A run is of rounds; each has as many faults at once as the redundancy bears, at any moment: disks
are lost (dead, silent, one failed write or flush, given up by hand), reads of one fail often,
chunks go bad (cannot be read, or other bytes), disks are slow or pause. At its end lost chunks are
made anew, the C++ array opens the disks' bytes and must find everything right, and fresh disks
take the places of lost ones. In between power is cut, on copies.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from fault_drives import FLUSH, PATIENCE, WRITE, Drive, DriveBench
from fault_host import FaultLink, Host, spoil
from kumihimo import _storage
from kumihimo.storage import node
from kumihimo.storage.node.config import SlotOp
from kumihimo.storage.node.link import Cmd, Param
from kumihimo.storage.node.rebuild import Rebuild
from storage_many_bench import CONTEXTS, WIDTH

SHAPES = {"mirror": (1, 1), "mirror3": (1, 2), "single": (3, 1), "double": (4, 2), "wide": (6, 2)}
NEVER = 1 << 30


@dataclass(frozen=True)
class Kind:
    """What a run is like."""

    seed: int
    shape: str
    ports: int = 17
    disks: int = 16
    movers: str = "real"
    rounds: int = 2
    commands: int = 60  # of a round, beside its reads
    stripes: int = 24


@dataclass
class Plan:
    """Faults of a round."""

    losses: int
    flaky: int
    bad: bool
    due: list[int] = field(default_factory=list)  # steps in which a disk is lost


class Run:
    """An array, its disks, its host, and what breaks."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        rng = self.rng = random.Random(f"{kind}")
        self.k, self.p = SHAPES[kind.shape]
        at = rng.sample(range(kind.ports), kind.disks)
        drives = {port: Drive(bytearray(self._size()), random.Random(rng.random())) for port in at}
        rates = [rng.choice((540.0, 350.0, 150.0)) for _ in at]
        devices = self._devices([drives[port].data for port in at])
        _storage.Array.create(
            devices,
            chunk_log2=12,
            k=self.k,
            p=self.p,
            spares=self.p,
            dynamic=rng.random() < 0.5,
            stripes=kind.stripes,
            read_mbs=rates,
            write_mbs=rates,
            seed=kind.seed,
        )
        for port, device in zip(at, devices, strict=True):
            drives[port].data[:] = device.image
        self.drives = drives
        self.bench = DriveBench(kind.ports, drives, seed=kind.seed, stall=0.05, movers=kind.movers)
        self.link = FaultLink(self.bench, random.Random(rng.random()))
        self.few_errors = rng.random() < 0.3
        self.node = node.NodeArray(
            self.link,
            [node.Disk(port, len(drives[port].data)) for port in at],
            ports=kind.ports,
            contexts=CONTEXTS,
            width=WIDTH,
            read_errors=12 if self.few_errors else NEVER,
        )
        self.host = Host(self.node, self.link, random.Random(rng.random()))
        self.lost: dict[int, str] = {}  # ports
        self.armed: dict[int, int] = {}  # ports at which a request is going to fail
        self.flaky: list[int] = []
        self.plan = Plan(0, 0, False)
        self.cuts = False  # power is cut now and then
        self.within = False
        self.failed = 0  # requests of disks that are not there any more
        self.count: Counter[str] = Counter()
        self.bench.beside = self._beside

    def _size(self) -> int:
        return (232 + 8 * self.rng.randrange(6)) << 10

    def _devices(self, images: list[bytes]) -> list[_storage.MemDevice]:
        power = _storage.PowerDomain()
        out = []
        for i, image in enumerate(images):
            out.append(_storage.MemDevice(f"disk {i}", len(image), power))
            out[-1].image = bytes(image)
        return out

    # ---- which device is where -----------------------------------------------------------------

    def _device_at(self, port: int) -> int | None:
        """Of the array's devices that it has not forgotten."""
        return next((d for d in self.node.logs if self.node.port_of[d] == port), None)

    def _well(self) -> list[int]:
        """Ports of devices that nothing has been done to."""
        ports = sorted(self.node.port_of[d] for d in self.node.logs)
        return [p for p in ports if p not in self.lost and p not in self.flaky]

    def _state(self, device: int) -> str:
        return str(self.node.super.entry(device).state)

    # ---- what breaks ---------------------------------------------------------------------------

    def _beside(self) -> None:
        """In each step: reads, faults, power cuts; whatever else the driver is at."""
        if self.within:
            return
        problem = self.link.late()
        assert not problem, problem
        rng, now = self.rng, self.bench.now
        host = self.host
        if not host.ending and len(host.open) < host.depth and rng.random() < 0.02:
            host.read()
        while self.plan.due and now >= self.plan.due[0]:
            self.plan.due.pop(0)
            self._lose()
        if rng.random() < 0.004:
            drive = self.drives[rng.choice(self._well())]
            if rng.random() < 0.5:
                drive.slow = rng.choice((0, 0, 10, 60))
                self.count["slowed"] += 1
            else:
                drive.silent = now + rng.randint(10, PATIENCE)
                self.count["pauses"] += 1
        if self.plan.bad and rng.random() < 0.03:
            self.within = True
            self.count["bad chunks"] += spoil(self.host, self.drives, sectors=not self.few_errors)
            self.within = False
        if self.cuts and rng.random() < 0.004:
            self.within = True
            self._cut()
            self.within = False

    def _lose(self) -> None:
        """A disk, in one of the ways."""
        port = self.rng.choice(self._well())
        drive, how = self.drives[port], self.rng.randrange(5)
        if how <= 1:
            drive.dead = True
            self.lost[port] = "dead"
        elif how == 2:
            drive.hung = self.bench.now
            self.lost[port] = "hung"
        else:
            drive.once = self.rng.choice((WRITE, FLUSH))
            self.lost[port] = "write fails" if drive.once == WRITE else "flush fails"
        self.host.recent.append(f"{self.bench.dut.cycle} port {port}: {self.lost[port]}")
        self.count[self.lost[port]] += 1

    def _cut(self) -> None:
        """Power is cut, on copies: every stripe is what was safe, or newer; parity is right."""
        ports = [self.node.port_of[d] for d in self.node.logs]
        ports = [p for p in ports if p not in self.lost]
        rng = random.Random(self.rng.random())
        images = [self.drives[p].after_power_cut(rng) for p in ports]
        array = _storage.Array.open(self._devices(images), degraded=True)
        volume = _storage.Volume(array)
        for logical in range(self.node.stripes):
            got = volume.read(logical * self.host.stripe, self.host.stripe)
            assert got in self.host.allowed(logical), f"stripe {logical} after a power cut"
        self.count["power cuts"] += 1
        self.host.bytes += self.node.stripes * self.host.stripe

    # ---- rounds --------------------------------------------------------------------------------

    def go(self) -> None:
        """All rounds; what goes wrong says where it was."""
        try:
            for _ in range(self.kind.rounds):
                self._round()
            self.bench.check()
        except Exception as problem:
            raise AssertionError(f"{problem!r}\n{self._story()}") from problem

    def _story(self) -> str:
        """Where a run is, and how it came there."""
        host = self.host
        return (
            f"cycle {self.bench.dut.cycle} of {self.kind}; lost {self.lost}, flaky {self.flaky}, "
            f"stripes with a bad chunk {sorted(host.spoilt)}, under way {host.open}, "
            f"driver's {self.link.born}; what came before:\n" + "\n".join(host.recent)
        )

    def _round(self) -> None:
        rng, kind = self.rng, self.kind
        stall = rng.choice((0.0, 0.05, 0.3, 0.6))
        self.bench.dut.stall_all(rx=stall, tx=stall, seed=rng.randrange(1 << 20))
        if rng.random() < 0.3:
            self.bench.dut.stall(rng.choice(("m_rsp", "m_axis", "s_axis")), 0.95, seed=kind.seed)
        latency = rng.choice((1, 6, 40))
        self.bench.memory.configure(
            latency_cycles=latency, jitter_ps=latency * rng.choice((0, 6400))
        )
        self.link.through = rng.choice((0.0, 0.1))
        self.host.depth = rng.choice((2, 6, 12, 20))
        self.host.commits = rng.choice((0.01, 0.002, 0.0))
        self.cuts = rng.random() < 0.7
        losses = rng.randint(0, self.p)
        rest = self.p - losses
        flaky = rng.randint(0, rest)
        self.plan = Plan(losses, flaky, rest > flaky)
        now = self.bench.now
        self.plan.due = sorted(now + rng.randrange(kind.commands * 60) for _ in range(losses))
        for port in rng.sample(self._well(), flaky):
            self.flaky.append(port)
            self.drives[port].flaky = rng.choice((0.05, 0.3))
            self.count["flaky"] += 1
        spare = len(self._well()) - losses - flaky - self.k - self.p
        leaving = self._device_at(rng.choice(self._well()))
        if spare > 0 and leaving is not None and rng.random() < 0.2:
            self.node.drain(leaving)
            self.count["leave"] += 1
        else:
            leaving = None
        self.host.work(kind.commands)
        self._whole()
        self._compare()
        self._replace()

    def _whole(self) -> None:
        """Nothing breaks any more, but what was about to may; all stripes are made whole."""
        now = self.bench.now
        self.plan.due = sorted(now + self.rng.randrange(2000) for _ in self.plan.due)
        self.host.commit()
        end = Rebuild(self.node).run()
        assert not end.problem, end.problem
        self.plan.due.clear()
        self.plan.bad = False
        for port in self.flaky:
            self.drives[port].flaky = 0.0
        for drive in self.drives.values():
            drive.slow = drive.silent = 0
        self._losses_are_known()
        for verify in (False, bool(self.host.spoilt), False):
            end = Rebuild(self.node, verify=verify).run()
            assert not end.problem, end.problem
        self.host.commit()
        self.host.work(0)
        self.host.spoilt.clear()
        self.flaky.clear()
        assert self.node.degraded_stripes() == 0
        for d in range(self.node.super.entries):
            assert self._state(d) in ("active", "empty"), f"device {d} is not forgotten"

    def _losses_are_known(self) -> None:
        """Disks that were lost without anybody having noticed are given up by hand."""
        self.host.commit()
        for d in list(self.node.logs):
            port, state = self.node.port_of[d], self._state(d)
            drive = self.drives[port]
            if state == "failed" and port in self.flaky:
                self.lost[port] = "read errors"
                self.count["read errors"] += 1
            elif state == "failed":
                assert port in self.lost, f"device {d} was given up, but works"
            elif port in self.lost and not (drive.dead or drive.hung) and drive.once is not None:
                drive.once = None  # it had nothing to do
                del self.lost[port]
                self.count["unharmed"] += 1
            elif port in self.lost:
                self.node.fail(d)
                self.count["by hand"] += 1

    def _compare(self) -> None:
        """The C++ array opens the disks: the same map and bytes, nothing to mend; no slot leaks."""
        host, n = self.host, self.node
        ports = [n.port_of[d] for d in n.logs]
        array = _storage.Array.open(self._devices([self.drives[p].data for p in ports]))
        taken: dict[int, set[int]] = {d: set() for d in n.logs}
        for here in n.versions():
            seq, mapped, places, _ = _storage.stripe_version_of(array, here.logical)
            assert (seq, mapped) == (here.seq, here.mapped), here
            assert not mapped or places == here.places, here
            for place in here.places:
                taken[place >> 56].add(place >> 32 & 0xFFFFFF)
        volume = _storage.Volume(array)
        for logical in range(n.stripes):
            got = volume.read(logical * host.stripe, host.stripe)
            assert got == host.now.get(logical, host.zeros()), f"stripe {logical} on the disks"
        host.bytes += n.stripes * host.stripe
        assert array.degraded_stripes() == 0
        array.repair(0, n.stripes, True)
        assert array.info()["repaired"] == 0
        for d, slots in taken.items():
            tags = [
                self.link.submit(
                    Cmd.SET, int(Param.SLOT_OP), 0, 0, int(SlotOp.TEST) << 33 | d << 25 | slot
                )
                for slot in range(n.super.entry(d).slots)
            ]
            found = {s for s, tag in enumerate(tags) if self.link.wait(tag).value >> 24 & 1}
            assert found == slots, f"slots of device {d}: {found ^ slots}"
        self.within = True
        host.work(0)
        self.bench.step()
        assert not self.bench.dut.get("busy")
        self.within = False
        self.count["opened by C++"] += 1

    def _replace(self) -> None:
        """Fresh disks for lost ones, at their ports or others; a lost one may come back as new."""
        live = {self.node.port_of[d] for d in self.node.logs}
        while len(live) < self.kind.disks:
            port = self.rng.choice([p for p in range(self.kind.ports) if p not in live])
            old = self.drives.get(port)
            again = old is not None and self.rng.random() < 0.3
            data = old.data if old is not None and again else bytearray(self._size())
            if old is not None:
                self.failed += old.failed
            self.drives[port] = Drive(data, random.Random(self.rng.random()))
            if self.rng.random() < 0.1:  # it fails while it joins
                self.drives[port].once = self.rng.choice((WRITE, FLUSH))
                self.lost[port] = "joining"
            self.lost.setdefault(port, "joining")
            rate = self.rng.choice((540_000, 350_000, 150_000))
            try:
                d = self.node.add(node.Disk(port, len(data)), rate, rate, force=True)
            except _storage.StorageError:
                assert self.drives[port].once is None and self.drives[port].failed
                self.count["failed to join"] += 1
                continue
            self.drives[port].once = None
            if self._state(d) == "active":
                del self.lost[port]
                self.count["joined"] += 1
                live.add(port)
            else:
                assert self.drives[port].failed
                self.count["failed to join"] += 1
                self.node.finish_rebuild()
        self.lost = {p: how for p, how in self.lost.items() if self._device_at(p) is not None}

    def report(self) -> str:
        """What happened, in numbers."""
        rows = {
            "rounds": self.kind.rounds,
            "cycles": self.bench.dut.cycle,
            "bytes compared": self.host.bytes,
            "commands": self.link.count.total(),
            "failed requests": self.failed + sum(d.failed for d in self.drives.values()),
            **dict(sorted(self.count.items())),
            **dict(sorted(self.host.count.items())),
            **{f"{op} given": n for op, n in sorted(self.link.count.items())},
            **{f"{op} longest": n for op, n in sorted(self.link.longest.items())},
        }
        return f"{self.kind}: " + ", ".join(f"{n} {what}" for what, n in rows.items())
