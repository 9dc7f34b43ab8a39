# SPDX-License-Identifier: Apache-2.0
"""The complete 10GBASE-R port with its lane looped back: beats, latency, flow control, errors."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut

CFG = {
    "mac": 0x02000000000A,
    "rx_pause_en": 1,
    "rx_pfc_en": 0,
    "tx_pause_en": 1,
    "tx_pfc_en": 0,
    "quanta": 30,
}


@pytest.fixture(scope="module")
def built() -> Dut:
    """One build for all tests."""
    return Dut.of_module(
        "tests/rtl/eth/kumi_tb_eth_10g.sv",
        pins={"cfg": CFG, "xoff": 0, "flip": 0},
    )


@pytest.fixture
def dut(built: Dut) -> Dut:
    """A fresh instance with its link up."""
    built.restart()
    for pin in ("tx_ev", "rx_ev", "ctrl_ev", "pcs_ev"):
        built.watch(pin)
    built.run_until(lambda: built.get("block_lock") and not built.get("local_fault"), 1000)
    built.run(200)
    return built


def test_every_length(dut: Dut) -> None:
    """Every length 1..1600 and jumbo frames, back to back: all bytes return, padded to 60."""
    rng = random.Random(1)
    sent = [rng.randbytes(n) for n in [*range(1, 1601), 9000, 9018, 1514]]
    rng.shuffle(sent)
    dut.send("s_axis", sent)
    dut.drain(400_000)
    got = dut.recv("m_axis")
    assert [f.data for f in got] == [d.ljust(60, b"\0") for d in sent]
    assert not any(f.bad for f in got)
    assert dut.counts("tx_ev")["ok"] == dut.counts("rx_ev")["ok"] == len(sent)
    assert dut.counts("pcs_ev") == {"bad_block": 0, "bad_header": 0, "lock_lost": 0}


def test_giant_and_bad(dut: Dut) -> None:
    """Too long by one byte: truncated and marked. Marked bad by the client: received bad."""
    dut.send("s_axis", [bytes(9018), bytes(9019), bytes(100)])
    dut.send("s_axis", bytes(100), bad=True)
    dut.send("s_axis", bytes(64))
    dut.drain()
    good = [len(f.data) for f in dut.recv("m_axis") if not f.bad]
    assert good == [9018, 100, 64]
    rx = dut.counts("rx_ev")
    assert (rx["ok"], rx["giant"], rx["err_char"]) == (3, 1, 1)
    assert dut.counts("tx_ev")["bad"] == 1


def test_latency(dut: Dut) -> None:
    """From the first beat in to the first beat out, lane register included."""
    delays = set()
    for n in (60, 64, 500, 1514):
        dut.send("s_axis", bytes(n))
        out = dut.recv("m_axis", 1)[0]
        delays.add(out.cycle - dut.sent("s_axis")[0][0])
        dut.run(20)
    # 3 data word, 2 PCS, 1 lane, 3 PCS, 2 MAC, 1 MAC control
    assert delays == {12}, delays


def test_pause_loop(dut: Dut) -> None:
    """A looped PAUSE frame pauses the sender itself; nothing is lost or delivered."""
    sent = [bytes([i]) * 200 for i in range(50)]
    dut.send("s_axis", sent)
    dut.run(100)
    dut.set("xoff", 1)
    dut.run_until(lambda: dut.get("pause"), 300, what="pause")
    dut.run(300)
    assert 0 < dut.waiting("s_axis") < 50
    dut.set("xoff", 0)
    dut.drain()
    assert dut.recv_data("m_axis") == sent
    ctrl = dut.counts("ctrl_ev")
    assert ctrl["rx_pause"] == ctrl["tx_pause"] >= 3


def test_bit_errors(dut: Dut) -> None:
    """Single bit errors on the lane: a corrupt frame is never good, every frame is counted."""
    rng = random.Random(7)
    sent = [rng.randbytes(rng.randint(60, 400)) for _ in range(400)]
    dut.send("s_axis", sent)
    while dut.waiting("s_axis"):
        dut.run(rng.randint(10, 120))
        dut.set("flip", 1 << rng.randrange(66))
        dut.run(1)
        dut.set("flip", 0)
    dut.run(100)
    got = dut.recv("m_axis")
    good = [f.data for f in got if not f.bad]
    assert set(good) <= set(sent) and len(good) == dut.counts("rx_ev")["ok"]
    assert 100 < len(good) < 380
    rx = dut.counts("rx_ev")
    assert sum(f.bad for f in got) <= sum(rx.values()) - rx["ok"]
    assert dut.get("block_lock") == 1
    dut.send("s_axis", bytes(99))
    assert dut.recv("m_axis", 1)[0].data == bytes(99)
