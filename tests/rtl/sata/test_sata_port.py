# SPDX-License-Identifier: Apache-2.0
"""A whole port, word by word, against a device and a disk written from the standards."""

from __future__ import annotations

import random

import pytest
from cmd_bench import Request
from port_bench import REGS, Port
from sata_device import Habits
from sata_disk import SECTOR, Nature

TROUBLE = [
    "reissue",
    "recovery",
    "cmd_timeout",
    "protocol_error",
    "unexpected",
    "rx_bad",
    "rx_abort",
    "bad_word",
]


def load(port: Port, count: int, sectors: int, seed: int) -> dict[int, bytes]:
    """Writes, and reads of other places; what the disk must hold."""
    rng = random.Random(seed)
    want = {}
    for i in range(count):
        size = rng.randrange(1, sectors + 1)
        data = rng.randbytes(size * SECTOR)
        want[100 * i] = data
        port.user.give(Request("WRITE", 100 * i, size, data))
        port.user.give(Request("READ", 100 * i + 50, size))
    return want


def holds(port: Port, lba: int, data: bytes) -> bool:
    """Is this on the disk?"""
    size = len(data) // SECTOR
    return b"".join(port.disk.sector(lba + i) for i in range(size)) == data


@pytest.mark.parametrize(
    "habits,nature",
    [
        (Habits(), Nature(lazy=60)),
        (Habits(hold=0.01, pause=0.02, dmat=0.01), Nature(lazy=60, split=0.5, small=0.5)),
        (Habits(cont=False, align_gap=100), Nature(ncq=False)),
    ],
)
def test_all_layers(habits: Habits, nature: Nature) -> None:
    port = Port(nature, habits=habits, seed=2)
    port.dut.stall_all(rx=0.1, tx=0.1, seed=5)
    port.ready()
    want = load(port, 5, 20, seed=1)
    port.all_done()
    assert {r.reason for r in port.user.done} == {"OK"}
    assert all(holds(port, lba, data) for lba, data in want.items())
    assert all(holds(port, r.lba, bytes(r.got)) for r in port.user.done if r.op == "READ")
    assert port.device.errors == [] and port.disk.errors == []
    counters = port.counters()
    assert [n for n in TROUBLE if counters[n]] == []
    assert (counters["rsp_ok"], counters["identified"]) == (10, 1)


@pytest.mark.parametrize("ber,refuse", [(0.0002, 0.0), (0.0, 0.1)])
def test_broken_words_and_refusals(ber: float, refuse: float) -> None:
    """Retries, SYNC escape, COMRESET and repetition together: what says OK is right."""
    port = Port(Nature(lazy=60), habits=Habits(refuse=refuse), seed=6, WAIT_CYCLES=1000)
    port.dut.axil_write(REGS["limit"], 200)
    port.dut.axil_write(REGS["ctrl"], 0x1F0307)
    port.ready()
    port.ber = ber
    want = load(port, 5, 6, seed=3)
    port.all_done(200_000)
    port.ber = port.device.habits.refuse = 0.0
    good = [r for r in port.user.done if r.reason == "OK"]
    assert len(good) >= 8
    for request in good:
        if request.op == "WRITE":
            assert holds(port, request.lba, want[request.lba])
        else:
            assert holds(port, request.lba, bytes(request.got))
    port.ready()
    last = port.user.give(Request("READ", 7, 3))
    port.all_done()
    assert last.reason == "OK"
    port.run(50)
    counters = port.counters()
    assert counters["recovery"] + counters["rx_bad"] > 0 if ber else counters["fis_retry"] > 0


def test_registers() -> None:
    port = Port(Nature(lazy=60, sectors=(5 << 32) + 77, depth=16, rotating=True), seed=3)
    port.ready()
    read = port.dut.axil_read
    status = read(REGS["status"])
    assert status & 0xFF == 0b11110111 and status >> 8 & 63 == 16 and status >> 16 == 1
    assert (read(0x18), read(0x1C), read(0x20)) == (77, 5, 32)
    assert (read(REGS["limit"]), read(REGS["absent"])) == (30000, 1000)
    for _ in range(2):
        port.dut.axil_write(REGS["command"], 1)
        port.until(lambda: not port.dut.get_struct("status")["ready"], 2000, "the restart")
        port.ready()
    assert read(REGS["status"]) >> 16 == 3
    port.dut.axil_write(REGS["ctrl"], 0x1F0206)  # off
    port.until(lambda: not port.dut.get_struct("status")["up"], 2000, "the end")
    request = port.user.give(Request("READ", 0, 1))
    port.all_done(5000)
    assert request.reason == "NO_DEVICE"
    port.dut.axil_write(REGS["ctrl"], 0x030205)  # on, without queue
    port.ready()
    assert read(REGS["status"]) >> 4 & 1 == 0
