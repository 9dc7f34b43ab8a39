# SPDX-License-Identifier: Apache-2.0
"""Two ports in a node against the engine's disk models: data, rates, faults, isolation."""

from __future__ import annotations

import random

import pytest
from cmd_bench import Request
from node_bench import CORE_PS, Node

SECTOR = 512
SIZE = 32 << 20
FAST = {
    "read_rate": 5e9,
    "write_rate": 5e9,
    "latency_ps": 0,
    "write_latency_ps": 0,
    "jitter_ps": 0,
    "read_ahead": 1 << 14,
    "cache": 1 << 16,
}
BRISK = {**FAST, "latency_ps": 3_000_000, "jitter_ps": 3_000_000, "write_latency_ps": 1_000_000}
FAULTS = [
    "rsp_timeout",
    "rsp_no_device",
    "reissue",
    "recovery",
    "cmd_timeout",
    "protocol_error",
    "unexpected",
    "dead",
]
FAULTS += ["rx_bad", "rx_abort", "rx_overrun", "bad_word", "link_timeout", "fis_retry", "lost"]


def mixed(node: Node, port: int, count: int, sectors: int, seed: int) -> dict[int, bytes]:
    """Writes of places that do not overlap, each read back; returns what must be on the disk."""
    rng = random.Random(seed)
    user = node.users[port]
    want = {}
    for place in rng.sample(range(SIZE // SECTOR // 128), count):
        size = rng.choice([1, sectors, rng.randrange(1, sectors + 1)])
        data = rng.randbytes(size * SECTOR)
        user.give(Request("WRITE", place * 128, size, data, fua=rng.random() < 0.1))
        want[place * 128] = data
    return want


def read_all(node: Node, port: int, want: dict[int, bytes]) -> list[Request]:
    """Give reads of all that was written."""
    user = node.users[port]
    return [user.give(Request("READ", lba, len(d) // SECTOR)) for lba, d in want.items()]


@pytest.mark.parametrize("width,core_ps", [(64, 4_000), (64, 8_000), (512, 3_200)])
def test_data_through_all_layers(width: int, core_ps: int) -> None:
    node = Node(width=width, core_ps=core_ps, seed=width)
    disks = [node.disk(i, size=SIZE, hold=0.002, seed=i + 1, **BRISK) for i in range(2)]
    node.dut.stall_all(rx=0.2, tx=0.2, seed=3)
    node.ready(0, 1)
    want = [mixed(node, i, 14, 40, seed=i) for i in range(2)]
    node.all_done()
    for i, disk in enumerate(disks):
        for lba, data in want[i].items():
            assert disk.read(lba * SECTOR, len(data)) == data
    reads = [read_all(node, i, want[i]) for i in range(2)]
    node.all_done()
    for i in range(2):
        assert all(bytes(r.got) == want[i][r.lba] and r.reason == "OK" for r in reads[i])
        counters = node.counters(i)
        assert [n for n in FAULTS if counters[n]] == []
        assert counters["rsp_ok"] == 28
        assert disks[i].stats["queue_depth_seen"] > 8
        assert disks[i].stats["wire"]["illegal"] == 0


@pytest.mark.parametrize("ncq", [True, False])
def test_rates_of_one_device(ncq: bool) -> None:
    """Shares of 600 MB/s with a medium that is never the limit, 50 ns of line each way."""
    node = Node()
    node.disk(0, size=SIZE, **FAST)
    node.set_reg(0, "ctrl", 0x1F0205 | int(ncq) << 1)
    node.ready(0)
    user = node.users[0]
    for op, least in (("READ", 0.96), ("WRITE", 0.93)):
        size = 256
        data = bytes(size * SECTOR) if op == "WRITE" else b""
        requests = [user.give(Request(op, i * size, size, data)) for i in range(5)]

        def done(count: int, given: list[Request] = requests) -> bool:
            return sum(r.reason == "OK" for r in given) >= count

        node.until(lambda: done(1))
        begin = node.dut.cycle
        node.until(lambda: done(5))
        seconds = (node.dut.cycle - begin) * CORE_PS * 1e-12
        assert 4 * size * SECTOR / seconds / 600e6 >= least, op
    assert (node.reg(0, "status") >> 4 & 1) == int(ncq)


def test_a_stuck_device_stalls_no_other() -> None:
    """One disk takes commands and answers none, for ever; the other goes on at its rate."""
    node = Node()
    disks = [node.disk(i, size=SIZE, **FAST) for i in range(2)]
    node.set_reg(0, "limit", 30)
    node.set_reg(0, "ready", 60)
    node.ready(0, 1)
    rates = []
    for stuck in (False, True):
        if stuck:
            disks[0].fault("hang", forever=True)
            node.users[0].give(Request("READ", 0, 8))
        requests = [node.users[1].give(Request("READ", i * 256, 256)) for i in range(6)]
        begin = node.dut.cycle
        node.until(lambda r=requests: all(x.reason for x in r))
        rates.append(node.dut.cycle - begin)
        assert all(r.reason == "OK" for r in requests)
    assert rates[1] <= rates[0] * 1.02
    node.all_done()
    assert [r.reason for r in node.users[0].done] in (["TIMEOUT"], ["NO_DEVICE"])
    disks[0].fault("resume")
    node.ready(0)
    again = node.users[0].give(Request("READ", 0, 8))
    node.all_done()
    assert again.reason == "OK"
    assert node.counters(1)["recovery"] == 0


def test_hang_until_reset() -> None:
    """COMRESET wakes the disk; every request is done in the end."""
    node = Node()
    disk = node.disk(0, size=SIZE, **BRISK)
    node.set_reg(0, "limit", 100)
    node.ready(0)
    want = mixed(node, 0, 12, 40, seed=5)
    node.until(lambda: len(node.users[0].done) >= 3)
    disk.fault("hang")
    node.all_done()
    assert {r.reason for r in node.users[0].done} == {"OK"}
    reads = read_all(node, 0, want)
    node.all_done()
    assert all(bytes(r.got) == want[r.lba] for r in reads)
    counters = node.counters(0)
    assert counters["recovery"] >= 1 and counters["identified"] >= 2
    assert disk.stats["resets"] >= 2


@pytest.mark.parametrize("kind,share", [("line_errors", 3e-6), ("bad_crc", 0.03), ("refuse", 0.03)])
def test_errors_on_the_line(kind: str, share: float) -> None:
    """No wrong byte, whatever breaks; what says OK is right."""
    node = Node(seed=7)
    disk = node.disk(0, size=SIZE, seed=5, **BRISK)
    node.set_reg(0, "limit", 200)
    node.set_reg(0, "ctrl", 0x1F0307)
    node.ready(0)
    disk.fault(kind, share=share)
    want = mixed(node, 0, 24, 40, seed=2)
    node.all_done(20_000_000)
    done = {r.lba for r in node.users[0].done if r.reason == "OK"}
    assert len(done) >= 20
    reads = [r for r in read_all(node, 0, want) if r.lba in done]
    node.all_done(20_000_000)
    good = [r for r in reads if r.reason == "OK"]
    assert len(good) >= 18
    assert all(bytes(r.got) == want[r.lba] for r in good)
    counters = node.counters(0)
    assert counters["reissue"] + counters["fis_retry"] + counters["rx_bad"] > 0


def test_unplugged_in_the_middle() -> None:
    node = Node()
    disk = node.disk(0, size=SIZE, **BRISK)
    node.ready(0)
    want = mixed(node, 0, 20, 60, seed=9)
    for _ in range(3):
        left = len(node.users[0].open)
        node.until(lambda left=left: len(node.users[0].open) <= left - 3)
        disk.fault("unplug")
        node.until(lambda: not node.reg(0, "status") >> 1 & 1)
        disk.fault("plug")
        node.ready(0)
    node.all_done()
    assert {r.reason for r in node.users[0].done} == {"OK"}
    reads = read_all(node, 0, want)
    node.all_done()
    assert all(bytes(r.got) == want[r.lba] for r in reads)
    assert node.counters(0)["lost"] >= 3
    disk.fault("unplug")
    node.set_reg(0, "absent", 3)
    gone = node.users[0].give(Request("READ", 0, 1))
    node.all_done()
    assert gone.reason == "NO_DEVICE"


def test_bad_sectors_and_other_commands() -> None:
    node = Node()
    disk = node.disk(0, size=SIZE, **BRISK)
    node.ready(0)
    user = node.users[0]
    disk.fault("bad_sectors", lba=777)
    requests = [user.give(Request("READ", 64 * i, 64)) for i in range(20)]
    node.all_done()
    assert [(r.lba, r.reason, r.where) for r in requests if r.reason != "OK"] == [(768, "UNC", 777)]
    ident = user.give(Request("IDENTIFY"))
    write = user.give(Request("WRITE", 777, 1, b"\x5a" * 512))
    flush = user.give(Request("FLUSH"))
    read = user.give(Request("READ", 777, 1))
    node.all_done()
    assert [r.reason for r in (ident, write, flush, read)] == ["OK"] * 4
    assert (
        int.from_bytes(ident.got[200:208], "little") == SIZE // SECTOR == node.reg(0, "sectors_lo")
    )
    assert bytes(read.got) == b"\x5a" * 512
    assert disk.read(777 * 512, 512, cached=False) == b"\x5a" * 512
    user.give(Request("TRIM", 770, 20))
    user.give(Request("RESET"))
    after = user.give(Request("READ", 777, 1))
    beyond = user.give(Request("READ", SIZE // SECTOR - 1, 2))
    node.all_done()
    assert after.reason == "OK" and bytes(after.got) == bytes(512)
    assert beyond.reason == "RANGE"
    counters = node.counters(0)
    assert (counters["ncq_log"], counters["rsp_unc"], counters["identified"]) == (1, 1, 2)
    assert disk.stats["soft_resets"] == 1


@pytest.mark.parametrize("text", ["serial", "model"])
def test_an_exchanged_disk_is_not_the_old_one(text: str) -> None:
    """Neither its data nor its medium stand for those of the disk served before."""
    node = Node()
    names = {"serial": "A" * 20, "model": "M" * 40}
    disk = node.disk(0, size=SIZE, **BRISK, **names)
    node.ready(0)
    want = mixed(node, 0, 6, 60, seed=5)
    node.all_done()
    before = {lba: disk.read(lba * SECTOR, len(data)) for lba, data in want.items()}
    assert before == want
    # Only the last character differs.
    other = names | {text: names[text][:-1] + "B"}
    pending = read_all(node, 0, want)
    pending.append(node.users[0].give(Request("WRITE", 0, 8, b"\x77" * 8 * SECTOR)))
    node.dut.disk_remove("p0")
    content = random.Random(6).randbytes(SIZE)
    new = node.dut.disk("p0", seed=7, size=SIZE, **BRISK, **other)
    new.write(0, content)
    node.all_done(20_000_000)
    status = node.reg(0, "status")
    assert status >> 15 & 1 and not status >> 2 & 1 and not status >> 3 & 1
    for request in pending:
        assert request.reason in ("OK", "NO_DEVICE")
        if request.op == "READ" and request.reason == "OK":
            assert bytes(request.got) == want[request.lba]
    assert "NO_DEVICE" in {r.reason for r in pending}
    late = [node.users[0].give(Request("READ", 0, 8)), node.users[0].give(Request("FLUSH"))]
    node.all_done()
    assert {r.reason for r in late} == {"NO_DEVICE"}
    assert new.read(0, SIZE) == content
    # It is served when that is wanted; from then on it is the one that is known.
    node.set_reg(0, "command", 2)
    node.ready(0)
    read = node.users[0].give(Request("READ", 9, 3))
    node.all_done()
    assert read.reason == "OK" and bytes(read.got) == content[9 * SECTOR : 12 * SECTOR]
    assert not node.reg(0, "status") >> 15 & 1


def test_the_disk_served_before_comes_back() -> None:
    """After another one was in its place: it is served again, the other was not."""
    node = Node()
    like = {"size": SIZE, **BRISK}
    disk = node.disk(0, serial="FIRST", **like)
    content = random.Random(8).randbytes(SIZE)
    disk.write(0, content)
    node.ready(0)
    node.dut.disk_remove("p0")
    node.disk(0, serial="SECOND", **like)
    node.until(lambda: node.reg(0, "status") >> 15 & 1, what="the refusal")
    node.dut.disk_remove("p0")
    back = node.disk(0, serial="FIRST", **like)
    back.write(0, content)
    node.ready(0)
    read = node.users[0].give(Request("READ", 77, 16))
    node.all_done()
    assert read.reason == "OK" and bytes(read.got) == content[77 * SECTOR : 93 * SECTOR]
    assert not node.reg(0, "status") >> 15 & 1
