# SPDX-License-Identifier: Apache-2.0
"""MAC control: PAUSE and priority flow control, both ways, with scapy as the reference."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut, Frame
from scapy.contrib.mac_control import (
    MACControlClassBasedFlowControl,
    MACControlPause,
)
from scapy.layers.l2 import Ether

MAC = "02:00:00:00:00:0a"
PEER = "02:00:00:00:00:0b"
MULTICAST = "01:80:c2:00:00:01"
QUANTUM = 8
QUANTA = 20

CFG = {
    "mac": int(MAC.replace(":", ""), 16),
    "rx_pause_en": 1,
    "rx_pfc_en": 0xFF,
    "tx_pause_en": 1,
    "tx_pfc_en": 0xFF,
    "quanta": QUANTA,
}


@pytest.fixture(scope="module")
def built() -> Dut:
    """One build for all tests."""
    return Dut.of_module(
        "kumi_mac_ctrl",
        params={"CDC": 0},
        pins={"cfg": CFG, "s_class": 0, "xoff": 0, "pfc_xoff": 0},
        clocks={"s_axis": "tx_clk", "m_mac": "tx_clk", "s_mac": "rx_clk", "m_axis": "rx_clk"},
    )


@pytest.fixture
def dut(built: Dut) -> Dut:
    """A fresh instance."""
    built.restart()
    built.watch("ev")
    return built


def pad(packet: Ether) -> bytes:
    """Wire form without FCS, padded to the minimum."""
    return bytes(packet).ljust(60, b"\0")


def pause(quanta: int, dst: str = MULTICAST) -> bytes:
    """A PAUSE frame from the link partner."""
    return pad(Ether(dst=dst, src=PEER) / MACControlPause(pause_time=quanta))


def pfc(times: dict[int, int]) -> bytes:
    """A PFC frame from the link partner; classes that are not named are not enabled."""
    fields = {f"c{i}_enabled": int(i in times) for i in range(8)}
    fields |= {f"c{i}_pause_time": t for i, t in times.items()}
    return pad(Ether(dst=MULTICAST, src=PEER) / MACControlClassBasedFlowControl(**fields))


def data(length: int, seed: int = 0) -> bytes:
    """An ordinary frame."""
    body = random.Random(length * 7 + seed).randbytes(max(length - 14, 0))
    return (bytes(Ether(dst=MAC, src=PEER, type=0x88B5)) + body)[:length]


def high_cycles(dut: Dut, pin: str, mask: int, limit: int = 4000) -> int:
    """Cycles for which a pin, once high, stays high."""
    dut.run_until(lambda: dut.get(pin) & mask, limit, what=f"{pin} high")
    start = dut.cycle
    dut.run_until(lambda: not dut.get(pin) & mask, limit, what=f"{pin} low")
    return dut.cycle - start


@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_filter(dut: Dut, stall: float) -> None:
    """Data passes untouched at any length; control frames never show, whatever is in them."""
    rng = random.Random(1)
    dut.stall_all(rx=stall, tx=stall, seed=2)
    want: list[tuple[bytes, bool]] = []
    ev = {"rx_pause": 0, "rx_pfc": 0, "rx_other": 0, "rx_bad": 0}
    for i in range(400):
        kind = i % 8
        if kind < 3:
            frame = Frame(data(rng.choice([*range(1, 80), 1514, 300]), i), bad=rng.random() < 0.2)
            dut.send("s_mac", frame)
            want.append((frame.data, frame.bad))
        elif kind == 3:
            dut.send("s_mac", pause(rng.randrange(4), rng.choice([MULTICAST, MAC])))
            ev["rx_pause"] += 1
        elif kind == 4:
            dut.send("s_mac", pfc({rng.randrange(8): 2}))
            ev["rx_pfc"] += 1
        elif kind == 5:
            opcode = rng.choice([0, 2, 3, 0x102, 0x201])
            head = Ether(dst=MULTICAST, src=PEER, type=0x8808)
            dut.send("s_mac", pad(head / opcode.to_bytes(2, "big")))
            ev["rx_other"] += 1
        elif kind == 6:
            dut.send("s_mac", pause(4, "02:00:00:00:00:0c"))
            ev["rx_other"] += 1
        else:
            if rng.random() < 0.5:
                dut.send("s_mac", Frame(pause(100), bad=True))
            else:
                dut.send("s_mac", pause(100)[: rng.randrange(16, 60)])
            ev["rx_bad"] += 1
    dut.drain()
    got = [(f.data, f.bad) for f in dut.recv("m_axis")]
    assert got == want
    counts = dut.counts("ev")
    assert {k: counts[k] for k in ev} == ev


def test_pause_obeyed(dut: Dut) -> None:
    """The client is held for the quanta, to at most one more; XON releases it at once."""
    for quanta in (1, 7, 50):
        dut.send("s_mac", pause(quanta))
        cycles = high_cycles(dut, "pause", 1)
        assert quanta * QUANTUM <= cycles <= (quanta + 1) * QUANTUM
    dut.send("s_mac", pause(0xFFFF))
    dut.run_until(lambda: dut.get("pause"))
    dut.send("s_axis", [data(100), data(200)])
    dut.run(300)
    assert dut.recv("m_mac") == []
    dut.send("s_mac", pause(0))
    assert dut.recv_data("m_mac", 2, 60) == [data(100), data(200)]
    # A frame under way is finished.
    dut.stall("m_mac", 0.5, 3)
    dut.send("s_axis", [data(1000), data(101)])
    dut.run(20)
    dut.send("s_mac", pause(0xFFFF))
    dut.run(600)
    assert dut.recv_data("m_mac") == [data(1000)]
    dut.set("cfg", CFG | {"rx_pause_en": 0})
    dut.send("s_mac", pause(0))
    dut.run(100)
    assert dut.get("pause") == 1  # not enabled: not obeyed


def test_pfc_obeyed(dut: Dut) -> None:
    """Each class has its own timer; a held class waits, another passes."""
    dut.send("s_mac", pfc({2: 0xFFFF, 5: 10, 7: 0}))
    dut.run(60)
    assert dut.get("pfc_pause") == 0b00100100
    dut.run(80)
    assert dut.get("pfc_pause") == 0b00000100
    assert dut.get("pause") == 0
    dut.set("s_class", 2)
    dut.send("s_axis", data(77))
    dut.run(100)
    assert dut.recv("m_mac") == []
    dut.set("s_class", 3)
    assert dut.recv_data("m_mac", 1, 60) == [data(77)]
    dut.set("cfg", CFG | {"rx_pfc_en": 0b11111011})
    dut.send("s_mac", pfc({2: 0, 3: 9}))
    dut.run(40)
    assert dut.get("pfc_pause") == 0b00001100
    dut.set("cfg", CFG)
    dut.send("s_mac", pfc({2: 0}))
    dut.run(100)
    assert dut.get("pfc_pause") == 0


def test_pause_sent(dut: Dut) -> None:
    """XOFF, its refresh at half time, XON; in spite of a pause, between the client's frames."""
    dut.set("xoff", 1)
    first = dut.recv("m_mac", 1)[0]
    assert len(first.data) == 60
    packet = Ether(first.data)
    assert (packet.dst, packet.src, packet.type) == (MULTICAST, MAC, 0x8808)
    assert packet[MACControlPause].pause_time == QUANTA
    assert not any(first.data[18:])
    second = dut.recv("m_mac", 1)[0]
    assert second.data == first.data
    assert QUANTA // 2 * QUANTUM <= second.cycle - first.cycle <= (QUANTA // 2 + 2) * QUANTUM
    dut.set("xoff", 0)
    assert Ether(dut.recv("m_mac", 1)[0].data)[MACControlPause].pause_time == 0
    dut.run(500)
    assert dut.recv("m_mac") == []
    # Under load and held by the partner.
    frames = [data(60 + i) for i in range(40)]
    dut.send("s_axis", frames)
    dut.run(100)
    dut.send("s_mac", pause(0xFFFF))
    dut.set("xoff", 1)
    dut.run(30)
    dut.set("xoff", 0)
    dut.run(30)
    dut.send("s_mac", pause(0))
    dut.drain()
    got = dut.recv_data("m_mac")
    own = [f for f in got if Ether(f).type == 0x8808]
    assert [f for f in got if f not in own] == frames
    assert [Ether(f)[MACControlPause].pause_time for f in own] == [QUANTA, 0]
    assert dut.counts("ev")["tx_pause"] == 5
    dut.set("cfg", CFG | {"tx_pause_en": 0})
    dut.set("xoff", 1)
    dut.run(200)
    assert dut.recv("m_mac") == []


def test_pfc_sent(dut: Dut) -> None:
    """A PFC frame reports all enabled classes at each change and at half time."""

    def times(frame: bytes) -> list[int | None]:
        layer = Ether(frame)[MACControlClassBasedFlowControl]
        return [
            getattr(layer, f"c{i}_pause_time") if getattr(layer, f"c{i}_enabled") else None
            for i in range(8)
        ]

    dut.set("cfg", CFG | {"tx_pfc_en": 0b10111111})
    dut.set("pfc_xoff", 0b11000010)
    want: list[int | None] = [0, QUANTA, 0, 0, 0, 0, None, QUANTA]
    a, b = dut.recv("m_mac", 2)
    assert times(a.data) == want and times(b.data) == want
    assert Ether(a.data).dst == MULTICAST and len(a.data) == 60
    dut.set("pfc_xoff", 0b10000000)
    assert times(dut.recv("m_mac", 1)[0].data) == [0, 0, 0, 0, 0, 0, None, QUANTA]
    dut.set("pfc_xoff", 0)
    assert times(dut.recv("m_mac", 1)[0].data) == [0, 0, 0, 0, 0, 0, None, 0]
    dut.run(400)
    assert dut.recv("m_mac") == []
    assert dut.counts("ev")["tx_pfc"] == 4
