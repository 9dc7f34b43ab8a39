# SPDX-License-Identifier: Apache-2.0
"""Placement in RTL: against the C++ array's placer, the page's rule, and what it promises."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.testing import Dut
from storage_bench import EVENT, PICK, REQ, ROOT, STALLS, Bench, bits, pack, unpack

OPS = ("START", "CLEAR", "USABLE", "ROOM", "RATE", "CLAIM", "RELEASE", "QUEUED", "SERVED",
       "OCCUPY", "VACATE")  # fmt: skip
PICKED, QUEUES_FULL, NO_ROOM = range(3)
OUTCOMES = {"picked": PICKED, "queues": QUEUES_FULL, "room": NO_ROOM}
PORTS = (1, 3, 8, 16, 128)
UNIT = 1 << 40
CONFIG = {"cfg_width": 5, "cfg_physical": 32, "cfg_dynamic": 1, "cfg_depth": 8, "cfg_unit": 48}


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("storage_placer")
    for ports in PORTS:
        bench.add(
            f"p{ports}",
            "kumi_placer",
            {"PORTS": ports},
            hdr={"s_event": bits(EVENT), "s_req": bits(REQ), "m_pick": bits(PICK)},
            pins_in=CONFIG,
            pins_out={"occupied": 32, "recent": 64, "recent_count": 4, "busy": 1},
        )
    return bench.build()


class Placer:
    """Drives one instance."""

    def __init__(
        self,
        dut: Dut,
        ports: int,
        width: int,
        physical: int = 1 << 20,
        dynamic: bool = False,
        depth: int = 2,
        unit: int = UNIT,
    ) -> None:
        self.dut, self.name, self.ports, self.width = dut, f"p{ports}", ports, width
        dut.restart()
        for pin, value in (
            ("width", width), ("physical", physical), ("dynamic", dynamic), ("depth", depth),
            ("unit", unit),
        ):  # fmt: skip
            dut.set(f"{self.name}_cfg_{pin}", int(value))
        dut.run_until(lambda: not dut.get(f"{self.name}_busy"), 16 * ports + 40)

    def event(self, op: str, device: int = 0, value: int = 0) -> None:
        record = pack(EVENT, op=OPS.index(op), device=device, value=value)
        self.dut.send(f"s_hdr_{self.name}_event", [record])

    def settled(self) -> None:
        self.dut.drain(settle=1)
        self.dut.run_until(lambda: not self.dut.get(f"{self.name}_busy"), 16 * self.ports + 99)

    def devices(self, rooms: list[int], rates: list[int]) -> None:
        for i, (room, rate) in enumerate(zip(rooms, rates, strict=True)):
            self.event("USABLE", i, 1)
            self.event("ROOM", i, room)
            self.event("RATE", i, rate)
        self.settled()

    def call(self, least: int = 1, one: bool = False, without: int = 0) -> tuple[int, list[int]]:
        """Outcome, and devices in the order of positions."""
        request = pack(REQ, one=one, least=least, without=without)
        self.dut.drain(settle=1)
        self.dut.send(f"s_hdr_{self.name}_req", [request])
        out: list[dict[str, int]] = []
        while not out or not out[-1]["last"]:
            frame = self.dut.recv(f"m_hdr_{self.name}_pick", 1)[0]
            out.append(unpack(PICK, frame.value))
        if out[0]["outcome"] != PICKED:
            assert len(out) == 1
            return out[0]["outcome"], []
        assert {p["count"] for p in out} == {len(out)}
        assert [p["last"] for p in out] == [0] * (len(out) - 1) + [1]
        found = {p["position"]: p["device"] for p in out}
        assert sorted(found) == list(range(len(out)))
        return PICKED, [found[i] for i in range(len(out))]

    @property
    def recent(self) -> list[int]:
        packed = self.dut.get(f"{self.name}_recent")
        count = self.dut.get(f"{self.name}_recent_count")
        return [packed >> 8 * i & 255 for i in range(count)]


class Cpp:
    """The C++ array's placer in a process of its own."""

    def __init__(self, program: Path) -> None:
        self._run = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def say(self, *words: object) -> None:
        assert self._run.stdin
        print(*words, file=self._run.stdin, flush=True)

    def hear(self) -> list[str]:
        assert self._run.stdout
        return self._run.stdout.readline().split()

    def call(self, least: int) -> tuple[int, list[tuple[int, int]]]:
        self.say("pick", least)
        outcome, *rest = self.hear()
        numbers = [int(x) for x in rest]
        return OUTCOMES[outcome], list(zip(numbers[::2], numbers[1::2], strict=True))

    def close(self) -> None:
        assert self._run.stdin
        self._run.stdin.close()
        assert self._run.wait(10) == 0


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("placer") / "placer"
    source = ROOT / "sim" / "storage"
    own = Path(__file__).with_name("placer_commands.cpp")
    command: list[str | Path] = [
        "g++",
        "-std=c++20",
        "-O1",
        f"-I{source}",
        "-o",
        out,
        own,
        source / "placer.cpp",
    ]
    subprocess.run(command, check=True)
    return out


@pytest.fixture
def cpp(program: Path) -> Iterator[Cpp]:
    made = Cpp(program)
    yield made
    made.close()


CASES = [
    # ports, width, rooms, rates, stripes promised, picks
    (1, 1, [30], [540_000], 24, 60),
    (3, 1, [40, 9, 40], [540_000, 540_000, 151_000], 70, 160),
    (3, 2, [40, 20, 30], [500, 500, 500], 40, 120),
    (3, 3, [25, 20, 30], [1, 4_000_000_000, 500], 20, 50),
    (8, 7, [60] * 8, [537_700] * 7 + [151_000], 60, 140),
    (8, 3, [5, 90, 33, 70, 12, 41, 90, 20], [90, 350, 200, 540, 540, 540, 7, 350], 100, 260),
    (16, 12, [50] * 8 + [70] * 4 + [20] * 4, [540] * 8 + [350] * 4 + [200] * 4, 50, 110),
    (128, 10, [8 + i % 9 for i in range(128)], [100 + 37 * i % 500 for i in range(128)], 130, 60),
]  # fmt: skip


@pytest.mark.parametrize(("ports", "width", "rooms", "rates", "physical", "picks"), CASES)
def test_static_policy_equals_the_cpp_placer(
    built: Dut, cpp: Cpp, ports: int, width: int, rooms: list[int], rates: list[int],
    physical: int, picks: int,
) -> None:  # fmt: skip
    """Fill and free at random, until room is short and beyond; devices fail and come back."""
    rtl = Placer(built, ports, width, physical)
    cpp.say("new", width, 0, 2, physical)
    for i, (room, rate) in enumerate(zip(rooms, rates, strict=True)):
        cpp.say("device", i, room, rate)
    rtl.devices(rooms, rates)
    r = random.Random(ports * 100 + width)
    built.stall_all(0.1, 0.3, seed=ports)
    stripes: list[list[tuple[int, int]]] = []
    outcomes = set()
    for step in range(picks):
        least = r.choice([1, max(1, width - 1), width])
        want, expected = cpp.call(least)
        assert rtl.call(least) == (want, [device for device, _ in expected]), step
        outcomes.add(want)
        if want == PICKED:
            stripes.append(expected)
        while stripes and r.random() < (0.3 if len(stripes) < physical * 0.9 else 0.6):
            for device, slot in stripes.pop(r.randrange(len(stripes))):
                cpp.say("release", device, slot)
                rtl.event("RELEASE", device)
            cpp.say("vacate")
            rtl.event("VACATE")
        if r.random() < 0.05:
            device, usable = r.randrange(ports), int(r.random() < 0.6)
            cpp.say("usable", device, usable)
            rtl.event("USABLE", device, usable)
        if r.random() < 0.02:
            r.shuffle(rates)
            cpp.say("rates", *rates)
            for i, rate in enumerate(rates):
                rtl.event("RATE", i, rate)
            rtl.event("CLEAR")
    rtl.settled()
    cpp.say("recent")
    assert rtl.recent == [int(x) for x in cpp.hear()]
    assert PICKED in outcomes
    assert built.get(f"{rtl.name}_occupied") == len(stripes)


def test_recent_devices_and_start(built: Dut) -> None:
    rtl = Placer(built, 16, 2)
    assert rtl.recent == []
    rtl.devices([9] * 16, [500 + i for i in range(16)])
    seen: list[int] = []
    for _ in range(12):
        request = pack(REQ, least=2)
        built.send(f"s_hdr_{rtl.name}_req", [request])
        for frame in built.recv(f"m_hdr_{rtl.name}_pick", 2):
            device = unpack(PICK, frame.value)["device"]
            seen = [device, *(x for x in seen if x != device)][:8]
        assert rtl.recent == seen
    rtl.event("START")
    rtl.settled()
    assert rtl.recent == [] and built.get(f"{rtl.name}_occupied") == 0
    assert rtl.call() == (NO_ROOM, [])


def test_room_claims_and_occupied_stripes_count(built: Dut) -> None:
    """What the log says at the start: no stripe beyond the promise, no device beyond its room."""
    rtl = Placer(built, 3, 1, physical=100)
    rtl.devices([5, 5, 5], [100, 100, 100])
    for _ in range(4):
        rtl.event("CLAIM", 1)
        rtl.event("OCCUPY")
    rtl.event("CLAIM", 77)  # not there
    rtl.event("RELEASE", 200)
    picked = [rtl.call()[1] for _ in range(12)]
    assert built.get(f"{rtl.name}_occupied") == 4 + 11
    flat = [device for devices in picked for device in devices]
    assert [flat.count(i) for i in range(3)] == [5, 1, 5]
    assert rtl.call() == (NO_ROOM, [])
    rtl.event("RELEASE", 2)
    assert rtl.call() == (PICKED, [2])


@pytest.mark.parametrize(("rx", "tx"), STALLS)
def test_a_slowed_device_gets_less_with_the_dynamic_policy(
    built: Dut, rx: float, tx: float
) -> None:
    """Devices that serve in 300, 300, 600 cycles; later the first takes 1200."""
    unit = 300 * 1000 * 16
    rtl = Placer(built, 3, 1, dynamic=True, depth=2, unit=unit)
    rtl.devices([1 << 20] * 3, [1000] * 3)
    built.stall_all(rx, tx, seed=3)
    counts = []
    for times in ([300, 300, 600], [1200, 300, 600]):
        clock = [0] * 3  # when a device is through with its queue
        queues: list[list[int]] = [[], [], []]
        given = [0] * 3
        now = 0
        for _ in range(160):
            for i, queue in enumerate(queues):
                while queue and queue[0] <= now:
                    queue.pop(0)
                    rtl.event("SERVED", i, times[i])
            outcome, devices = rtl.call()
            if outcome == QUEUES_FULL:
                now = min(q[0] for q in queues)
                continue
            (i,) = devices
            given[i] += 1
            assert len(queues[i]) < 2
            clock[i] = max(clock[i], now) + times[i]
            queues[i].append(clock[i])
        for i, queue in enumerate(queues):
            for _ in queue:
                rtl.event("SERVED", i, times[i])
        counts.append(given)
    first, second = counts
    assert abs(first[0] - first[1]) <= 3 and 0.4 < first[2] / first[0] < 0.65
    assert 0.17 < second[0] / second[1] < 0.4 and 0.4 < second[2] / second[1] < 0.65


def test_dynamic_policy_takes_turns_by_measured_time(built: Dut) -> None:
    """Queues that never fill: the shares alone follow the times; who was away does not catch up."""
    rtl = Placer(built, 8, 3, dynamic=True, depth=255, unit=1000 * 1000 * 16)
    rtl.devices([1 << 20] * 8, [1000] * 8)
    times = [1000, 1000, 500, 2000, 1000, 250, 1000, 1000]
    given = [0] * 8

    def round_of(count: int) -> None:
        for _ in range(count):
            outcome, devices = rtl.call(3)
            assert outcome == PICKED and len(set(devices)) == 3
            for i in devices:
                given[i] += 1
                rtl.event("SERVED", i, times[i])

    round_of(40)
    rtl.event("USABLE", 3, 0)
    given[:] = [0] * 8
    round_of(60)
    assert given[3] == 0
    rtl.event("USABLE", 3, 1)
    given[:] = [0] * 8
    round_of(240)
    # Speeds 1 1 2 .5 1 4 1 1 of 11.5; the fastest would have 4 / 11.5 of 720, more than its 240.
    assert given[5] >= 200
    assert 0.3 < given[3] / given[0] < 0.75  # half as fast; at most four chunks are made up for
    assert 1.6 < given[2] / given[0] < 2.5


def test_one_more_chunk_for_a_stripe(built: Dut) -> None:
    """Never on the devices named, and never on room that whole stripes need."""
    rtl = Placer(built, 8, 3, physical=40)
    rtl.devices([20, 20, 20, 20, 20, 20, 6, 0], [100] * 7 + [9000])
    r = random.Random(7)
    for _ in range(6):  # 126 places, and 40 stripes of 3 need 120
        without = r.getrandbits(6) & ~(1 << r.randrange(6))
        outcome, devices = rtl.call(one=True, without=without)
        assert outcome == PICKED and len(devices) == 1
        assert not without >> devices[0] & 1 and devices[0] != 7
    assert built.get(f"{rtl.name}_occupied") == 0
    assert rtl.call(one=True) == (NO_ROOM, [])
    rtl = Placer(built, 8, 3, physical=4)
    rtl.devices([20] * 8, [100] * 8)
    assert rtl.call(one=True, without=0xFF) == (NO_ROOM, [])
    assert rtl.call(one=True, without=0xF7) == (PICKED, [3])


def test_queue_depth_and_zeros(built: Dut) -> None:
    rtl = Placer(built, 3, 2, dynamic=True, depth=2, unit=160_000)
    rtl.devices([50] * 3, [0, 10, 4_000_000_000])  # rate 0 counts as 1; a cost of 0 as 1
    picks = []
    while True:
        outcome, devices = rtl.call(2)
        if outcome == QUEUES_FULL:
            break
        picks += devices
    assert max(picks.count(i) for i in range(3)) == 2 and len(picks) in (4, 6)
    rtl.event("SERVED", 0, 0)
    rtl.event("SERVED", 1, 0)
    rtl.event("SERVED", 2, 0)
    assert rtl.call(2)[0] == PICKED
    for _ in range(3):
        rtl.event("QUEUED", 0)
    for i in range(3):
        for _ in range(9):  # more than there are: the queue is empty then
            rtl.event("SERVED", i, 7)
    assert rtl.call(2)[0] == PICKED


def test_no_request_is_placed_with_a_width_of_zero_or_too_few(built: Dut) -> None:
    rtl = Placer(built, 3, 0)
    rtl.devices([5, 5, 5], [1, 1, 1])
    assert rtl.call() == (NO_ROOM, [])
    rtl = Placer(built, 3, 3)
    rtl.devices([5, 0, 5], [1, 1, 1])
    assert rtl.call(3) == (NO_ROOM, [])
    assert rtl.call(2)[0] == PICKED


@pytest.mark.parametrize(("ports", "width"), [(1, 1), (8, 8), (128, 8)])
def test_cycles_of_a_request(built: Dut, ports: int, width: int) -> None:
    rtl = Placer(built, ports, width)
    rtl.devices([1 << 20] * ports, [500] * ports)
    for _ in range(5):
        built.run(2)
        built.send(f"s_hdr_{rtl.name}_req", [pack(REQ, least=1)])
        out = built.recv(f"m_hdr_{rtl.name}_pick", width)
        start = built.sent(f"s_hdr_{rtl.name}_req")[-1][0]
        cycles = out[-1].cycle - start
        assert cycles <= max(50 + ports + 8, width * (ports + 8)) + 17 * width + 6


def test_cycles_of_events(built: Dut) -> None:
    rtl = Placer(built, 8, 1, dynamic=True, unit=160_000)
    rtl.devices([9] * 8, [5] * 8)
    for op, value, cycles in (
        ("USABLE", 1, 6),
        ("RELEASE", 0, 6),
        ("QUEUED", 0, 6),
        ("SERVED", 0, 6),
        ("SERVED", 44, 8),
        ("RATE", 7, 55),
        ("OCCUPY", 0, 0),
        ("CLEAR", 0, 2 + 8 * 14),
        ("START", 0, 2 + 8 * 14),
    ):
        built.watch("p8_busy")
        before = built.counts("p8_busy")["0"]
        rtl.event(op, 3, value)
        rtl.settled()
        assert built.counts("p8_busy")["0"] - before == cycles, op


@pytest.mark.parametrize("ports", [0, 129])
def test_illegal_ports(ports: int) -> None:
    shapes = {"s_event": {"W": bits(EVENT)}, "s_req": {"W": bits(REQ)}, "m_pick": {"W": bits(PICK)}}
    with pytest.raises(Exception, match="PORTS"):
        Dut.of_module("kumi_placer", {"PORTS": ports}, shapes)
