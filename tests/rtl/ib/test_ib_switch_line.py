# SPDX-License-Identifier: Apache-2.0
"""InfiniBand switch, symbol by symbol: cut-through, bad packets, latency, mutated packets."""

from __future__ import annotations

import random

import pytest
from ib_model import EBP, SDP, Found, Header, data_symbols, fc_symbols, icrc, idle, packet, skip_set
from ib_pair import ACTIVE
from ib_switch import Fabric, to
from kumihimo.testing.sizes import by_size


@pytest.fixture(scope="module")
def built() -> Fabric:
    return Fabric()


@pytest.fixture
def fabric(built: Fabric) -> Fabric:
    built.restart()
    return built


def packets(found: list[Found]) -> list[Found]:
    return [f for f in found if f.kind == "packet"]


def first_sdp(fabric: Fabric) -> tuple[int, int]:
    """Cycles of the first SDP and of the last symbol of its packet on the watched line."""
    start = None
    for frame in fabric.dut.recv("m_axis_line"):
        for beat, (cycle, k) in enumerate(zip(frame.beat_cycles, frame.users, strict=True)):
            data = frame.data[beat * fabric.bytes : (beat + 1) * fabric.bytes]
            for i, value in enumerate(data):
                if k >> i & 1 and value == SDP and start is None:
                    start = cycle
                elif k >> i & 1 and start is not None:
                    return start, cycle
    raise AssertionError("no packet on the line")


@pytest.mark.parametrize("size", [8, 2000])
def test_latency(fabric: Fabric, size: int) -> None:
    """Cycles from SDP in to SDP out: the same for any length, so a packet is cut through."""
    fabric.dut.set("watch", 2)
    fabric.dut.run(500)
    fabric.dut.recv("m_axis_line")
    fabric.dut.sent("s_axis_line")
    fabric.feed(1, data_symbols(to(2, bytes(size))))
    fabric.dut.run(700)
    ((first, last),) = fabric.dut.sent("s_axis_line")
    start, end = first_sdp(fabric)
    assert start - first == 23
    assert end - last <= 25
    assert (start < last) == (size == 2000)


def test_bad_packet_ends_with_ebp(fabric: Fabric) -> None:
    """A packet that turns out bad while it leaves is marked; one that still waits is dropped."""
    fabric.dut.set("watch", 2)
    rng = random.Random(1)
    good = to(2, rng.randbytes(100))
    long = to(2, rng.randbytes(1500))
    scripts = [
        data_symbols(long, crc=bytes(2)),
        data_symbols(long, end=EBP),
        data_symbols(long)[:-200] + idle(1) + data_symbols(good),  # no end: both are lost
        data_symbols(long + bytes(40)),  # longer than PktLen
        data_symbols(long[:1000]),  # shorter
    ]
    for script in scripts:
        fabric.feed(1, script + idle(3) + data_symbols(good))
        fabric.dut.run(1000)
        sent = packets(fabric.line())
        assert [f.good for f in sent[-2:]] == [False, True]
        assert sent[-1].data == good
        assert long.startswith(sent[-2].data[:100])
    fabric.dut.set("script", 0)
    assert fabric.recv_data(2) == [good] * len(scripts)
    assert fabric.counters(2, end=True)["rcv_remote_phys_errors"] == len(scripts)
    assert fabric.counters(1)["rcv_errors"] == len(scripts) - 1
    assert fabric.counters(1)["rcv_remote_phys_errors"] == 1


def test_bad_packet_that_waits(fabric: Fabric) -> None:
    """A bad packet that has not begun to leave is dropped whole."""
    fabric.dut.set("watch", 2)
    first, good = to(2, bytes(2000), 3), to(2, bytes(100))
    fabric.send(3, first)
    fabric.dut.run(350)  # its first beats are on the line
    fabric.feed(1, data_symbols(good, crc=bytes(2)) + data_symbols(good))
    fabric.dut.run(1000)
    assert [(f.good, f.data) for f in packets(fabric.line())] == [(True, first), (True, good)]


def test_cut_off(fabric: Fabric) -> None:
    """The line goes down inside a packet that is being cut through: it ends with EBP."""
    fabric.dut.set("watch", 2)
    fabric.send(1, to(2, bytes(2000)))
    fabric.dut.run(400)  # the endpoint has begun to send
    fabric.dut.set("unplug", 1)
    fabric.dut.run(500)
    sent = packets(fabric.line())
    assert len(sent) == 1 and not sent[0].good
    other = [to(2, bytes(500), 3, psn=n) for n in range(5)]
    fabric.send(3, other)
    assert fabric.recv_data(2, 5) == other
    fabric.dut.set("unplug", 0)
    fabric.bring_up([1])
    fabric.send(1, to(2, bytes(2000)))
    assert fabric.recv_data(2, 1) == [to(2, bytes(2000))]


def test_headers_that_are_dropped(fabric: Fabric) -> None:
    """Wrong LVer, PktLen, VL: nothing of the packet leaves."""
    fabric.dut.set("watch", 2)
    good = to(2, bytes(100))
    for bad in (
        bytes([good[0] | 1]) + good[1:],
        bytes([good[0] | 0xA0]) + good[1:],
        good[:4] + b"\0\5" + good[6:],
        good[:4] + b"\7\377" + good[6:],
    ):
        before = fabric.counters(1)["rcv_errors"]
        fabric.feed(1, data_symbols(bad) + idle(2) + data_symbols(good))
        fabric.dut.run(200)
        assert fabric.counters(1)["rcv_errors"] == before + 1
        assert fabric.recv_data(2) == [good]
    assert all(f.good for f in packets(fabric.line()))


def test_mutated_packets(fabric: Fabric) -> None:
    """Whatever comes in: what leaves with EGP was sent, or has a wrong ICRC (rare)."""
    rng = random.Random(9)
    rounds, missed = by_size(2, 2000), 0
    for _ in range(rounds):
        intact: dict[int, list[bytes]] = {2: [], 3: [], 4: []}
        script, bad_places = [], []
        for n in range(500):
            target = rng.choice([2, 3, 4])
            data = to(target, rng.randbytes(rng.randrange(120)), 1, sl=rng.randrange(16), psn=n)
            symbols = data_symbols(data)
            if rng.random() < 0.5:
                for _ in range(rng.randrange(1, 4)):
                    at = rng.randrange(len(symbols))
                    value, k = symbols[at]
                    if rng.random() < 0.3:
                        bad_places.append(len(script) + at)
                    elif rng.random() < 0.2:
                        symbols[at] = (rng.choice([SDP, EBP, 0xF7]), True)
                    else:
                        symbols[at] = (value ^ 1 << rng.randrange(8), k)
            if symbols == data_symbols(data) and not (bad_places and bad_places[-1] >= len(script)):
                intact[target].append(data)
            script += symbols + idle(16 + rng.randrange(3)) + fc_symbols(n % 4, 0, 2048)
            if n % 4 == 0:
                script += skip_set(4)
        fabric.feed(1, script, bad_places)
        fabric.dut.run_until(lambda: fabric.dut.waiting("s_axis_line") == 0, 200_000, step=64)
        fabric.dut.run(2000)
        for target, own in intact.items():
            got = fabric.recv_data(target)
            plain = [bytes([d[0] & 15]) + d[1:] for d in got]
            assert len(plain) > 0.6 * len(own)
            changed = set(plain) - set(own)
            assert all(icrc(d[:-4]) != d[-4:] for d in changed)
            missed += len(changed)
        assert fabric.states() == [ACTIVE] * 4
        assert not fabric.dut.recv("m_mgmt")
    assert missed <= rounds // 20
    fabric.dut.set("script", 0)
    fabric.dut.run(20_000)
    fabric.bring_up()
    data = packet(bytes(1000), Header(dlid=18, slid=17))
    fabric.send(1, [data] * 20)
    assert fabric.recv_data(2, 20) == [data] * 20
