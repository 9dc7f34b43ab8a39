# SPDX-License-Identifier: Apache-2.0
"""Two ends of an InfiniBand link: training, packets, credits, arbitration, errors, counters."""

from __future__ import annotations

import random

import pytest
from ib_model import Header, blocks_of, icrc, on_vl, packet
from ib_pair import ACTIVE, ARMED, CONFIGS, DOWN, INIT, LINK_UP, Pair


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_packets_both_ways(config: tuple[int, int, int]) -> None:
    """Every length modulo the data path, on every lane, with skew and back-pressure."""
    pair = Pair(*config, skew=(3, 0, 2, 1))
    pair.bring_up()
    pair.dut.stall_all(0.1, 0.3, seed=2)
    rng = random.Random(5)
    sent: dict[str, list[bytes]] = {}
    for end in "ab":
        sizes = [*range(0, 70, 4), 256, 1000, 2048, *(rng.randrange(1, 400) for _ in range(20))]
        sent[end] = [
            packet(rng.randbytes(n), Header(sl=rng.randrange(16), grh=n % 8 == 4 and n < 200))
            for n in sizes
        ]
        sent[end].insert(7, packet(rng.randbytes(264), Header(vl=15)))
    got = pair.exchange(sent)
    for end, frames in got.items():
        expected = sent[pair.other(end)]
        for vl in {f.dest for f in frames}:
            mine = [p for p in expected if pair.vl_of(p) == vl]
            assert [f.data for f in frames if f.dest == vl] == [on_vl(p, vl) for p in mine]
        assert all(icrc(f.data[:-4]) == f.data[-4:] for f in frames)
        words = sum(len(p) // 4 for p in expected)
        counters = pair.counters(end)
        assert counters["rcv_pkts"] == counters["ext_rcv_pkts"] == len(expected)
        assert counters["rcv_data"] == counters["ext_rcv_data"] == words
        assert pair.counters(pair.other(end))["xmit_data"] == words
        assert not {
            k: v for k, v in counters.items() if (v and "error" in k) or ("drop" in k and v)
        }


def test_port_states() -> None:
    """Down, Init, Armed, Active; what each sends and receives."""
    pair = Pair()
    pair.wait_state(INIT)
    data, mgmt = packet(bytes(32)), packet(bytes(256), Header(vl=15))
    pair.dut.send("s_axis_a", [data, mgmt])
    assert [f.data for f in pair.dut.recv("m_axis_b", 1)] == [mgmt]
    pair.dut.run(200)
    assert pair.counters("a")["xmit_discards"] == 1
    pair.command("a", ACTIVE)  # not from Init
    assert pair.state("a") == INIT
    pair.command("a", ARMED)
    pair.dut.send("s_axis_a", [data, mgmt])
    assert [f.data for f in pair.dut.recv("m_axis_b", 1)] == [mgmt]
    pair.command("a", ACTIVE)
    assert (pair.state("a"), pair.state("b")) == (ACTIVE, INIT)
    pair.dut.run(3000)
    assert pair.state("a") == INIT  # the other end still sends initialisation packets
    for state in (ARMED, ACTIVE):
        pair.command("b", state)
        pair.command("a", ARMED)
    pair.dut.send("s_axis_b", [data])
    assert [f.data for f in pair.dut.recv("m_axis_a", 1)] == [data]
    assert pair.state("a") == ACTIVE  # by the data packet
    pair.command("a", DOWN)
    pair.dut.run_until(lambda: pair.state("b") in (DOWN, INIT), 40_000, step=16)
    pair.wait_state(INIT)
    assert pair.counters("a")["link_downed"] == 1


def test_overload_drops_nothing() -> None:
    """A receiver that does not read stops the sender; nothing is lost, and VL15 still passes."""
    pair = Pair(blocks=64, mtu=4)
    pair.bring_up()
    rng = random.Random(1)
    packets = [packet(rng.randbytes(rng.randrange(1, 1500))) for _ in range(60)]
    assert sum(map(blocks_of, packets)) > 3 * 64
    pair.dut.set("rx_ready_b", 0x8000)
    pair.dut.send("s_axis_a", packets)
    pair.dut.run(6000)
    assert not pair.dut.recv("m_axis_b")
    assert pair.counters("a")["xmit_wait"] > 3000
    pair.dut.set("rx_ready_b", 0xFFFF)
    got = pair.dut.recv_data("m_axis_b", len(packets), 60_000)
    assert got == packets
    assert pair.errors("b") == {}


def test_a_blocked_lane_delays_no_other() -> None:
    pair = Pair(vls=4)
    pair.bring_up()
    rng = random.Random(2)
    blocked = [packet(rng.randbytes(1000), Header(sl=1)) for _ in range(5)]
    free = [packet(rng.randbytes(1000), Header(sl=2)) for _ in range(40)]
    pair.dut.set("rx_ready_b", 0xFFFD)
    pair.dut.send("s_axis_a", blocked)  # fill the receiver, and most of the sender's buffer
    pair.dut.run(3000)
    start = pair.dut.cycle
    pair.dut.send("s_axis_a", free)
    assert pair.dut.recv_data("m_axis_b", len(free)) == [on_vl(p, 2) for p in free]
    cycles = pair.dut.cycle - start
    words = sum(len(p) // 4 + 1 for p in free)
    assert cycles < 1.06 * words / 2 + 400
    pair.dut.set("rx_ready_b", 0xFFFF)
    assert pair.dut.recv_data("m_axis_b", len(blocked)) == [on_vl(p, 1) for p in blocked]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_bit_errors(config: tuple[int, int, int]) -> None:
    """What arrives is right and in order; what is lost is counted; credits come back."""
    pair = Pair(*config, skew=(0, 1, 0, 2))
    pair.bring_up()
    rng = random.Random(7)
    packets = [packet(rng.randbytes(rng.randrange(4, 600)), Header(psn=n)) for n in range(400)]
    pair.dut.set("errors", int(3e-4 * 2**32))
    pair.dut.send("s_axis_a", packets)
    pair.dut.drain(600_000)
    pair.dut.set("errors", 0)
    pair.dut.run(20_000)
    got = pair.dut.recv_data("m_axis_b")
    assert len(packets) > len(got) > 150
    places = [packets.index(p) for p in got]
    assert places == sorted(places)
    lost = len(packets) - len(got)
    counters = pair.counters("b")
    assert counters["rcv_errors"] + counters["rcv_remote_phys_errors"] > 0
    assert counters["symbol_error"] >= 20
    assert lost <= counters["symbol_error"] + pair.counters("a")["xmit_discards"]
    # Without errors nothing is lost, and the whole buffer may be used again.
    again = [packet(rng.randbytes(1500)) for _ in range(30)]
    pair.bring_up()
    pair.dut.set("rx_ready_b", 0x8000)
    pair.dut.send("s_axis_a", again)
    pair.dut.run(4000 * config[1] // 32)
    taken = pair.counters("b")["rcv_pkts"] - counters["rcv_pkts"]
    assert taken == pair.blocks // blocks_of(again[0])
    pair.dut.set("rx_ready_b", 0xFFFF)
    assert pair.dut.recv_data("m_axis_b", 30, 60_000) == again


def test_unplugged_and_back() -> None:
    pair = Pair()
    pair.bring_up()
    data = packet(bytes(range(64)))
    pair.dut.set("unplug", 3)
    pair.dut.run_until(lambda: pair.state("a") == pair.state("b") == DOWN, 40_000, step=16)
    pair.dut.send("s_axis_a", [data])
    pair.dut.run(100)
    pair.dut.set("unplug", 0)
    pair.bring_up()
    assert [pair.counters(x)["link_downed"] for x in "ab"] == [1, 1]
    assert pair.counters("a")["xmit_discards"] == 1
    pair.dut.send("s_axis_a", [data])
    assert pair.dut.recv_data("m_axis_b", 1) == [data]
    assert pair.status("a")["phys_state"] == LINK_UP


def test_unplugged_inside_a_packet() -> None:
    """What was on its way when the cable was pulled does not count when the link is up again."""
    pair = Pair(1, 32, 1, blocks=128, mtu=5)
    for _ in range(3):
        pair.bring_up()
        pair.dut.send("s_axis_a", packet(bytes(4096)))
        pair.dut.run_until(lambda: pair.dut.waiting("s_axis_a") == 0)
        pair.dut.run(60)
        pair.dut.set("unplug", 3)
        pair.dut.run(60)
        pair.dut.set("unplug", 0)
    pair.bring_up()
    packets = [packet(bytes([n] * 900)) for n in range(16)]
    pair.dut.set("rx_ready_b", 0x8000)
    pair.dut.send("s_axis_a", packets)
    pair.dut.run(8000)
    before = pair.errors("b")
    assert "rcv_errors" not in before
    pair.dut.set("rx_ready_b", 0xFFFF)
    assert pair.dut.recv_data("m_axis_b", len(packets)) == packets
    assert pair.errors("b") == before


def test_throughput_and_latency() -> None:
    """Packets of the largest MTU fill the line but for delimiters, VCRC, skips and link packets."""
    pair = Pair(mtu=5, blocks=256)
    pair.bring_up()
    packets = [packet(bytes(4096)) for _ in range(20)]
    pair.dut.send("s_axis_a", packets)
    frames = pair.dut.recv("m_axis_b", len(packets))
    cycles = frames[-1].last_cycle - frames[0].last_cycle
    share = sum(len(p) for p in packets[1:]) / (8 * cycles)
    assert share > 0.985
    pair.dut.run(2000)
    pair.dut.sent("s_axis_a")
    one = packet(bytes(8))
    pair.dut.send("s_axis_a", [one])
    (frame,) = pair.dut.recv("m_axis_b", 1)
    ((first, _),) = pair.dut.sent("s_axis_a")
    latency = frame.cycle - first - 12  # the cable
    assert latency == 27, latency
