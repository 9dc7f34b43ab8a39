# SPDX-License-Identifier: Apache-2.0
"""InfiniBand switch: forwarding, back-pressure, fairness, lifetimes, multicast, management."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
from ib_model import Header, icrc, on_vl, packet
from ib_pair import ACTIVE, DOWN
from ib_switch import MCAST, NO_LIMIT, OWN_LID, Fabric, lid_of, to
from kumihimo.testing.sizes import by_size

TICK = 64  # cycles of 4.096 us in the bench


@pytest.fixture(scope="module")
def built() -> Fabric:
    return Fabric()


@pytest.fixture
def fabric(built: Fabric) -> Fabric:
    built.restart()
    built.dut.watch("relay")
    return built


def vl_of(data: bytes) -> int:
    """VL by the tables of `Fabric`."""
    return (data[1] >> 4) % 4


def errors(fabric: Fabric) -> dict[int, dict[str, int]]:
    """Counters of errors that are not zero, by port."""
    found = {}
    for port in range(1, fabric.ports + 1):
        counters = fabric.counters(port)
        bad = {
            k: v
            for k, v in counters.items()
            if v and any(n in k for n in ("error", "discard", "drop", "downed", "recovery"))
        }
        if bad:
            found[port] = bad
    return found


@pytest.mark.parametrize("config", [(4, 4, 64, 4), (4, 1, 32, 1)], ids=str)
def test_every_port_to_every_port(config: tuple[int, int, int, int]) -> None:
    """All lengths modulo the data path, all VLs, back-pressure: right, in order, nothing lost."""
    ports, lanes, width, vls = config
    fabric = Fabric(ports, lanes, width, vls)
    fabric.dut.stall_all(0.2, 0.3, seed=3)
    rng = random.Random(1)
    sent: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for source in range(1, ports + 1):
        for n in range(60):
            target = rng.choice([p for p in range(1, ports + 1) if p != source])
            size = rng.choice([n, 4 * n, rng.randrange(1200)])
            data = to(target, rng.randbytes(size), source, sl=rng.randrange(16), psn=n)
            sent[source, target].append(data)
            fabric.send(source, data)
    for target in range(1, ports + 1):
        own = {s: sent[s, target] for s in range(1, ports + 1)}
        frames = fabric.recv(target, sum(map(len, own.values())), 400_000)
        for source, packets in own.items():
            for vl in range(vls):
                expected = [on_vl(p, vl) for p in packets if (p[1] >> 4) % vls == vl]
                slid = lid_of(source).to_bytes(2, "big")
                got = [f.data for f in frames if f.dest == vl and f.data[6:8] == slid]
                assert got == expected
        assert all(icrc(f.data[:-4]) == f.data[-4:] for f in frames)
    assert errors(fabric) == {}
    for port in range(1, ports + 1):
        words = [
            sum(len(p) // 4 for k, own in sent.items() if k[i] == port for p in own) for i in (0, 1)
        ]
        counters = fabric.counters(port)
        assert [counters["rcv_data"], counters["xmit_data"]] == words


def test_full_rate(fabric: Fabric) -> None:
    """Every port sends to its neighbour as fast as it can: the lines stay full."""
    count, size = 40, 1024
    for source in range(1, 5):
        fabric.send(source, [to(source % 4 + 1, bytes(size), source)] * count)
    for target in range(1, 5):
        frames = fabric.recv(target, count)
        data = len(frames[0].data)
        cycles = frames[-1].last_cycle - frames[3].last_cycle
        assert (count - 4) * data / (8 * cycles) > 0.96
    assert errors(fabric) == {}


def test_small_packets_at_line_rate(fabric: Fabric) -> None:
    """Packets from the smallest on, back to back on every port, on one lane and on all."""
    # Queues fill until turns are long enough; a turn's end is 2 % of 1,000 cycles.
    count, begin = 1500, 450
    for size, lanes in ((0, 1), (0, 4), (4, 1), (4, 4), (8, 4), (20, 1), (40, 4), (100, 4)):
        for source in range(1, 5):
            packets = [to(source % 4 + 1, bytes(size), source, sl=n % lanes) for n in range(count)]
            fabric.send(source, packets)
        for target in range(1, 5):
            frames = fabric.recv(target, count)
            cycles = frames[-1].last_cycle - frames[begin].last_cycle
            # LRH, BTH, ICRC and payload; delimiters and VCRC; from the first word of a cycle on.
            each = -(-(24 + size + 4) // 8)
            each_took = cycles / (count - 1 - begin)
            print(f"payload {size}, {lanes} VLs, port {target}: {each_took:.2f} cycles")
            # Four lanes share the turns: measured 0.93 of the line with the smallest packets.
            assert each / each_took > (0.95 if lanes == 1 else 0.92), (size, lanes, each_took)
    assert errors(fabric) == {}


def test_small_packets_of_two_inputs(fabric: Fabric) -> None:
    """Two inputs with the smallest packets for one output: a full line, half of it for each."""
    count = 200
    for source in (1, 2):
        fabric.send(source, [to(3, b"", source, psn=n) for n in range(count)])
    frames = fabric.recv(3, 2 * count)
    for source in (1, 2):
        own = [f.data for f in frames if f.data[7] == 16 + source]
        assert own == [to(3, b"", source, psn=n) for n in range(count)]
    middle = frames[40:-120]
    ones = sum(f.data[7] == 17 for f in middle)
    assert abs(ones - len(middle) / 2) <= 16  # turns are of at most 11 of them
    cycles = middle[-1].last_cycle - middle[0].last_cycle
    assert (len(middle) - 1) * 4 / cycles > 0.95
    assert errors(fabric) == {}


def test_all_to_all_rate(fabric: Fabric) -> None:
    """Uniform traffic: outputs are kept busy although inputs serve one of them at a time."""
    rng = random.Random(2)
    count, size = 60, 512
    wanted: dict[int, int] = defaultdict(int)
    start = fabric.dut.cycle
    for source in range(1, 5):
        for _ in range(count):
            target = rng.choice([p for p in range(1, 5) if p != source])
            wanted[target] += 1
            fabric.send(source, to(target, bytes(size), source, sl=rng.randrange(4)))
    busiest = max(wanted.values())
    last = max(fabric.recv(t, n)[-1].last_cycle for t, n in wanted.items())
    share = busiest * (size + 24) / (8 * (last - start))
    assert share > 0.8, share


def test_overload_is_shared(fabric: Fabric) -> None:
    """Three ports send to one: nothing is dropped, each gets a third; another flow is not hurt."""
    count = 40
    packets = {s: [to(4, bytes([s]) * 500, s, psn=n) for n in range(count)] for s in (1, 2, 3)}
    for source, own in packets.items():
        fabric.send(source, own)
    other = [to(1, bytes(1000), 4, psn=n) for n in range(count)]
    fabric.send(4, other)
    frames = fabric.recv(4, 3 * count)
    for source, own in packets.items():
        assert [f.data for f in frames if f.data[7] == source + 16] == own
    first = [f.data[7] - 16 for f in frames[6:66]]
    assert all(abs(first.count(s) - 20) <= 1 for s in (1, 2, 3))
    back = fabric.recv(1, count)
    cycles = back[-1].last_cycle - back[0].last_cycle
    assert (count - 1) * len(other[0]) / (8 * cycles) > 0.95
    assert errors(fabric) == {}


def test_blocked_lane_delays_no_other(fabric: Fabric) -> None:
    """Endpoint 2 does not read VL1: VL2 to it and VL1 to others pass at full rate."""
    fabric.hold([(2, 1)])
    blocked = [to(2, bytes(1000), 1, sl=1, psn=n) for n in range(8)]
    fabric.send(1, blocked)
    fabric.dut.run(6000)
    count = 30
    same_port = [to(2, bytes(1000), 1, sl=2, psn=n) for n in range(count)]
    same_lane = [to(2, bytes(1000), 3, sl=3, psn=n) for n in range(count)]
    fabric.send(1, same_port)
    fabric.send(4, [to(3, bytes(1000), 4, sl=1, psn=n) for n in range(count)])
    frames = fabric.recv(2, count)
    assert [f.data for f in frames] == [on_vl(p, 2) for p in same_port]
    cycles = frames[-1].last_cycle - frames[0].last_cycle
    assert (count - 1) * len(same_port[0]) / (8 * cycles) > 0.95
    frames = fabric.recv(3, count)
    cycles = frames[-1].last_cycle - frames[0].last_cycle
    assert (count - 1) * len(frames[0].data) / (8 * cycles) > 0.95
    fabric.send(3, same_lane)
    assert fabric.recv_data(2, count) == [on_vl(p, 3) for p in same_lane]
    fabric.hold([])
    assert fabric.recv_data(2, len(blocked)) == [on_vl(p, 1) for p in blocked]
    assert errors(fabric) == {}


def test_blocked_output_delays_no_other(fabric: Fabric) -> None:
    """Packets for a port without credit wait aside: those behind them on the same VL pass."""
    fabric.hold([(2, 0)])
    filler = [to(2, bytes(1000), 3, psn=n) for n in range(4)]  # all credit of endpoint 2 is used
    blocked = [to(2, bytes(600), 1, psn=n) for n in range(4)]  # of the switch's memory, 44 blocks
    behind = [to(4, bytes(200), 1, psn=n) for n in range(40)]
    fabric.send(3, filler)
    fabric.dut.run(1500)
    fabric.send(1, blocked + behind)
    assert fabric.recv_data(4, len(behind)) == behind
    assert not fabric.recv(2)
    fabric.hold([])
    frames = fabric.recv(2, len(filler) + len(blocked))
    assert [f.data for f in frames if f.data[7] == 17] == blocked
    assert [f.data for f in frames if f.data[7] == 19] == filler
    assert errors(fabric) == {}


def test_management_lane_passes(fabric: Fabric) -> None:
    """VL15 needs no credit and is not held up by data that waits."""
    fabric.hold([(2, vl) for vl in range(4)])
    for source in (1, 3, 4):
        fabric.send(source, [to(2, bytes(1000), source, sl=n % 4, psn=n) for n in range(6)])
    fabric.dut.run(4000)
    mad = packet(bytes(range(256)), Header(vl=15, dlid=lid_of(2), slid=lid_of(1)))
    start = fabric.dut.cycle
    fabric.send(3, mad)
    (frame,) = fabric.recv(2, 1, 3000)
    assert (frame.data, frame.dest) == (mad, 15)
    assert frame.last_cycle - start < 400


@pytest.mark.parametrize("limit", ["switch", "head"])
def test_lifetime(fabric: Fabric, limit: str) -> None:
    """Packets that wait too long are discarded and counted; not earlier, and others never."""
    life = 5
    if limit == "switch":
        fabric.dut.set("switch_life", life)
    else:
        fabric.dut.set("hoq_life", life << 5 | (NO_LIMIT | NO_LIMIT << 10 | NO_LIMIT << 15))
    fabric.hold([(2, 0)])
    filler = [to(2, bytes(1000), 3, psn=n) for n in range(3)]  # of 64 blocks 13 are left
    blocked = [to(2, bytes(1000), 1, psn=n) for n in range(3)]
    fabric.send(3, filler)
    fabric.dut.run(1500)
    start = fabric.dut.cycle
    fabric.send(1, blocked)
    fabric.dut.run(TICK << life)
    assert not fabric.relay(2)
    passing = [to(4, bytes(200), 1, psn=n) for n in range(20)]
    fabric.send(1, passing)
    assert fabric.recv_data(4, 20) == passing
    name = "life" if limit == "switch" else "hoq_life"
    waited = 1 if limit == "switch" else 3  # at the head: one after the other
    fabric.dut.run_until(lambda: fabric.counters(2)["xmit_discards"] == 3, 20_000, step=64)
    assert waited * (TICK << life) < fabric.dut.cycle - start < (waited + 1) * (TICK << life)
    assert fabric.relay(2) == {"discard": 3, name: 3}
    fabric.hold([])
    fabric.dut.run(3000)
    assert fabric.recv_data(2) == filler
    again = [to(2, bytes(300), 1, psn=n) for n in range(20)]
    fabric.send(1, again)
    assert fabric.recv_data(2, 20) == again


def test_no_way(fabric: Fabric) -> None:
    """Discards with their reasons, on the port that the standard names."""
    fabric.map_vls(1, 2, [0, 1, 2, 3, 15, 4, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    fabric.dut.set("mtu", 2 << 6)  # port 3: 512 bytes
    fabric.route(40, 200)
    fabric.route(41, 1)
    good = to(2, bytes(60))
    wrong = [
        (packet(bytes(8), Header(dlid=50)), 1, "no_route"),  # 255
        (packet(bytes(8), Header(dlid=40)), 1, "no_route"),  # no such port
        (packet(bytes(8), Header(dlid=0)), 1, "no_route"),
        (packet(bytes(8), Header(dlid=5000)), 1, "no_route"),  # above the table
        (packet(bytes(8), Header(dlid=MCAST + 3)), 1, "no_route"),
        (packet(bytes(8), Header(dlid=MCAST + 999)), 1, "no_route"),
        (packet(bytes(8), Header(dlid=0xFFFF)), 1, "no_route"),
        (packet(bytes(8), Header(dlid=41)), 1, "loop"),
        (to(2, bytes(8), sl=4), 1, "no_vl"),
        (to(2, bytes(8), sl=5), 1, "no_vl"),
        (to(3, bytes(1000)), 3, "too_long"),
        (packet(bytes(400), Header(dlid=OWN_LID)), 0, "too_long"),
    ]
    for data, port, reason in wrong:
        before = {p: fabric.relay(p) for p in range(5)}
        fabric.send(1, [data, good])
        assert fabric.recv_data(2, 1) == [good]
        fabric.dut.run(20)
        for p in range(5):
            added = {k: n - before[p].get(k, 0) for k, n in fabric.relay(p).items()}
            expected = {reason: 1} if p == port else {}
            if expected and reason == "too_long":
                expected["discard"] = 1
            assert {k: n for k, n in added.items() if n} == expected, (data[:8].hex(), p)
    assert fabric.counters(1)["rcv_switch_relay_errors"] == 10
    assert fabric.counters(3)["xmit_discards"] == 1
    assert fabric.counters(1)["rcv_errors"] == 0


def test_port_down_and_back(fabric: Fabric) -> None:
    """Packets for a port that is down are discarded and counted, also those that wait for it."""
    fabric.hold([(2, 0)])
    filler = [to(2, bytes(1000), 3, psn=n) for n in range(10)]
    fabric.send(3, filler)
    fabric.dut.run(3000)
    fabric.dut.set("unplug", 2)
    fabric.dut.run_until(lambda: fabric.states()[1] == DOWN, 20_000, step=16)
    fabric.hold([])
    fabric.dut.run(1000)
    arrived = len(fabric.recv(2))
    fabric.send(1, [to(2, bytes(100)), to(4, bytes(100))])
    assert fabric.recv_data(4, 1) == [to(4, bytes(100))]
    fabric.dut.run(200)
    counters = fabric.counters(2)
    assert counters["xmit_discards"] == len(filler) - arrived + 1
    assert counters["link_downed"] == 1
    fabric.dut.set("unplug", 0)
    fabric.bring_up([2])
    again = [to(2, bytes(500), 1, psn=n) for n in range(20)]
    fabric.send(1, again)
    assert fabric.recv_data(2, 20) == again
    assert fabric.states() == [ACTIVE] * 4


def test_multicast(fabric: Fabric) -> None:
    """A copy to each member but the sender; a blocked member does not delay the others."""
    fabric.join(MCAST + 1, [1, 2, 4])
    fabric.join(MCAST + 2, [1, 2, 3, 4])
    rng = random.Random(5)
    first = [
        packet(rng.randbytes(rng.randrange(600)), Header(dlid=MCAST + 1, slid=17, sl=n % 4, psn=n))
        for n in range(30)
    ]
    mixed = []
    for n, data in enumerate(first):
        mixed += [data, to(3, bytes(n), 1, psn=n)]
    fabric.send(1, mixed)
    for port in (2, 4):
        frames = fabric.recv(port, len(first))
        for vl in range(4):
            assert [f.data for f in frames if f.dest == vl] == [
                on_vl(p, vl) for p in first if vl_of(p) == vl
            ]
    assert len(fabric.recv(3, len(first))) == len(first)
    fabric.dut.run(300)
    assert not fabric.recv(1) and not fabric.recv(3)

    second = [packet(bytes(100), Header(dlid=MCAST + 2, slid=19, psn=n)) for n in range(12)]
    fabric.hold([(2, 0)])
    fabric.send(4, [to(2, bytes(1000), 4, psn=n) for n in range(4)])
    fabric.dut.run(1500)
    fabric.send(3, second)
    assert fabric.recv_data(1, 12) == second
    assert fabric.recv_data(4, 12) == second
    fabric.hold([])
    assert [d for d in fabric.recv_data(2, 16) if d[7] == 19] == second
    assert errors(fabric) == {}
    # The memory is free again.
    many = [to(2, bytes(1000), 3, psn=n) for n in range(20)]
    fabric.send(3, many)
    assert fabric.recv_data(2, 20) == many


def test_management_port(fabric: Fabric) -> None:
    """What the agent receives, and what it sends by port or by the tables."""
    fabric.dut.stall("m_mgmt", 0.4)
    fabric.route(8, 0)
    by_route = packet(bytes(range(256)), Header(vl=15, dlid=0xFFFF))
    by_lid = packet(bytes(256), Header(vl=15, dlid=OWN_LID))
    gmp = packet(bytes(256), Header(dlid=OWN_LID, sl=2))
    by_table = packet(bytes(256), Header(vl=15, dlid=8))
    for port in (1, 3):
        for data in (by_route, by_lid, gmp, by_table):
            fabric.send(port, data)
            (frame,) = fabric.dut.recv("m_mgmt", 1)
            assert (frame.data, frame.dest) == (data if data != gmp else on_vl(gmp, 0), port)
    for port in range(1, 5):
        fabric.dut.send("s_mgmt", by_route, dest=port)
        assert [f.data for f in fabric.recv(port, 1)] == [by_route]
    answer = packet(bytes(256), Header(vl=15, dlid=lid_of(3), slid=OWN_LID))
    gmp = packet(bytes(256), Header(dlid=lid_of(2), slid=OWN_LID, sl=3))
    for _ in range(6):
        fabric.dut.send("s_mgmt", [answer, gmp], dest=0xFF)
        assert fabric.recv_data(3, 1) == [answer]
        assert fabric.recv_data(2, 1) == [on_vl(gmp, 3)]
    fabric.dut.watch("mgmt_drops")
    fabric.dut.send("s_mgmt", [bytes([0xF1]) + answer[1:]], dest=0xFF)
    fabric.dut.send("s_mgmt", answer, dest=0xFF)
    assert fabric.recv_data(3, 1) == [answer]
    assert {k: n for k, n in fabric.dut.counts("mgmt_drops").items() if n} == {"1": 1}
    # An agent that does not read delays nobody.
    fabric.dut.stall("m_mgmt", 1.0)
    fabric.send(1, [by_route] * 8 + [to(2, bytes(100))])
    assert fabric.recv_data(2, 1) == [to(2, bytes(100))]
    assert errors(fabric) == {}


@pytest.mark.long
def test_all_to_one() -> None:
    """All ports but one overload it: nothing is dropped, equal shares, others keep their rate.

    Eight ports do so in the long run, otherwise three.
    """
    last = by_size(4, 9)
    fabric = Fabric(last)
    count, sources = 16, range(1, last)
    packets = {s: [to(last, bytes([s]) * 500, s, psn=n) for n in range(count)] for s in sources}
    for source, own in packets.items():
        fabric.send(source, own)
    others = [to(1, bytes(1000), last, sl=1, psn=n) for n in range(40)]
    fabric.send(last, others)
    frames = fabric.recv(last, len(sources) * count)
    for source, own in packets.items():
        assert [f.data for f in frames if f.data[7] == lid_of(source)] == own
    # Not the first ones, which find other ports without a packet, nor the last ones.
    middle = [f.data[7] for f in frames[4 * len(sources) : 12 * len(sources)]]
    assert all(abs(middle.count(lid_of(s)) - 8) <= 1 for s in sources)
    timed = frames[len(sources) :]
    cycles = timed[-1].last_cycle - timed[0].last_cycle
    assert (len(timed) - 1) * len(frames[0].data) / (8 * cycles) > 0.92
    back = fabric.recv(1, len(others))
    cycles = back[-1].last_cycle - back[0].last_cycle
    assert (len(others) - 1) * len(others[0]) / (8 * cycles) > 0.95
    assert errors(fabric) == {}
