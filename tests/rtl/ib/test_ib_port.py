# SPDX-License-Identifier: Apache-2.0
"""Port counters, and the errors that a port counts or retrains for."""

from __future__ import annotations

import pytest
from ib_line import WINDOW, Line
from ib_model import Header, blocks_of, data_symbols, fc_symbols, idle, on_vl, packet
from ib_pair import ACTIVE, LINK_UP
from kumihimo.testing import Dut

RECOVERY = 6
# Event, the counter that it raises, bits of that counter.
EVENTS = [
    ("drops.bad_packet", "rcv_errors", 16),
    ("drops.bad_lver", "rcv_errors", 16),
    ("drops.bad_length", "rcv_errors", 16),
    ("drops.bad_vl", "rcv_errors", 16),
    ("drops.overrun", "rcv_errors", 16),
    ("drops.bad_fc", "rcv_errors", 16),
    ("drops.remote_bad", "rcv_remote_phys_errors", 16),
    ("drops.vl15_full", "vl15_dropped", 16),
    ("xmit_discard", "xmit_discards", 16),
    ("xmit_wait", "xmit_wait", 32),
    ("integrity", "link_integrity_errors", 4),
    ("buffer_overrun", "buffer_overrun_errors", 4),
    ("recovery", "link_error_recovery", 8),
    ("downed", "link_downed", 8),
]
PINS = [
    ("relay_error", "rcv_switch_relay_errors", 16),
    ("relay_discard", "xmit_discards", 16),
    ("xmit_constraint", "xmit_constraint_errors", 8),
    ("rcv_constraint", "rcv_constraint_errors", 8),
]


@pytest.fixture(scope="module")
def counters() -> Dut:
    return Dut.of_module("kumi_ib_port_counters")


def pulse(dut: Dut, event: str, cycles: int) -> None:
    pin = event in {name for name, _, _ in PINS}
    dut.set(event if pin else "ev", 1 if pin else {event: 1})
    dut.run(cycles)
    dut.set(event if pin else "ev", 0)
    dut.run(3)


@pytest.mark.parametrize(("event", "counter", "bits"), EVENTS + PINS)
def test_each_event_has_its_counter(counters: Dut, event: str, counter: str, bits: int) -> None:
    """It counts, nothing else does, it stops at its largest value, and it is cleared alone."""
    counters.restart()
    pulse(counters, event, 5)
    assert {k: v for k, v in counters.get_struct("counters").items() if v} == {counter: 5}
    if bits <= 8:
        pulse(counters, event, 1 << bits)
        assert counters.get_struct("counters")[counter] == (1 << bits) - 1
    counters.set("clear", (1 << 21) - 1)
    counters.run(1)
    counters.set("clear", 0)
    counters.run(2)
    assert not any(counters.get_struct("counters").values())


def test_data_counters(counters: Dut) -> None:
    counters.restart()
    counters.set("ev", {"rcv_pkt": 1, "rcv_words": 7, "xmit_pkt": 1, "xmit_words": 1055,
                        "symbol_errors": 8})  # fmt: skip
    counters.run(3)
    counters.set("ev", 0)
    counters.run(3)
    assert {k: v for k, v in counters.get_struct("counters").items() if v} == {
        "rcv_pkts": 3, "rcv_data": 21, "xmit_pkts": 3, "xmit_data": 3165, "symbol_error": 24,
        "ext_rcv_pkts": 3, "ext_rcv_data": 21, "ext_xmit_pkts": 3, "ext_xmit_data": 3165,
    }  # fmt: skip


def test_management_lane_without_space() -> None:
    """VL15 has no credits: what does not fit is dropped and counted; data lanes do not notice."""
    line = Line()
    line.bring_up()
    line.dut.set("rx_ready", 0x7FFF)
    mads = [packet(bytes([n] * 264), Header(vl=15)) for n in range(16)]
    fits = line.blocks // blocks_of(mads[0])
    for mad in mads:
        line.feed(data_symbols(mad))
    data = packet(bytes(40))
    line.feed(data_symbols(data))
    line.run(100)
    assert line.dut.recv_data("m_axis") == [data]
    assert line.counters()["vl15_dropped"] == len(mads) - fits
    assert line.counters()["rcv_errors"] == 0
    line.dut.set("rx_ready", 0xFFFF)
    assert line.dut.recv_data("m_axis", fits) == mads[:fits]


def test_sender_that_ignores_its_credit() -> None:
    """What does not fit is dropped and counted, also as excessive overrun when it goes on."""
    line = Line()
    line.bring_up()
    line.dut.set("rx_ready", 0)
    packets = [packet(bytes([n] * 960)) for n in range(40)]
    for _ in range(10):
        for data in packets:
            line.feed(data_symbols(data))
            line.feed(fc_symbols(1, 0, WINDOW))
    line.run(100)
    counters = line.counters()
    fits = line.blocks // blocks_of(packets[0])
    assert counters["rcv_pkts"] == fits
    assert counters["rcv_errors"] == 10 * len(packets) - fits
    assert counters["buffer_overrun_errors"] >= 1
    line.dut.set("rx_ready", 0xFFFF)
    assert line.dut.recv_data("m_axis", fits) == packets[:fits]
    assert line.dut.get_struct("status") == {"phys_state": LINK_UP, "port_state": ACTIVE}


def test_local_link_integrity() -> None:
    """More bad packets than the threshold, with too few good ones between, retrain the link."""
    line = Line()
    line.bring_up()
    bad, good = data_symbols(packet(bytes(8)), crc=bytes(2)), data_symbols(packet(bytes(8)))
    for _ in range(30):
        line.feed(bad + idle(1) + good + idle(1))
    line.run(50)
    assert line.counters()["link_integrity_errors"] == 0
    line.feed((bad + idle(1)) * 16)
    line.run(50)
    counters = line.counters()
    assert counters["link_integrity_errors"] == counters["link_error_recovery"] == 1
    assert line.dut.get_struct("status") == {"phys_state": RECOVERY, "port_state": ACTIVE}
    line.train()
    assert line.dut.get_struct("status") == {"phys_state": LINK_UP, "port_state": ACTIVE}
    assert line.counters()["link_downed"] == 0


def test_without_link_packets() -> None:
    """The watchdog retrains a link on which no link packet comes; without success it is down."""
    line = Line()
    line.bring_up()
    line.run(20_100)
    assert line.counters()["link_error_recovery"] == 1
    line.run(8300)
    assert line.counters()["link_downed"] == 1
    assert line.dut.get_struct("status")["port_state"] == 1


def test_what_must_not_be_sent() -> None:
    """SLs without a lane, wrong lengths, marked packets, above the MTU: dropped and counted."""
    line = Line()
    line.cfg["sl2vl"] |= 15 << 4 * 5 | 9 << 4 * 6
    line.dut.set("cfg", line.cfg)
    line.bring_up()
    good = packet(bytes(100), Header(sl=1))
    wrong = [
        packet(bytes(8), Header(sl=5)),
        packet(bytes(8), Header(sl=6)),
        packet(bytes(8), Header(length=12)),
        packet(bytes(2300)),
        packet(bytes(5000)),
    ]
    line.dut.send("s_axis", [p for bad in wrong for p in (bad, good)])
    line.dut.send("s_axis", good, bad=True)
    line.dut.send("s_axis", good)
    line.run(6000)
    assert line.counters()["xmit_discards"] == len(wrong) + 1
    sent = [f.data for f in line.found() if f.kind == "packet"]
    assert sent == [on_vl(good, 1)] * (len(wrong) + 1)
