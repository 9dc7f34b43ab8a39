# SPDX-License-Identifier: Apache-2.0
"""The switch: learning, latency of both modes, queues, flow control."""

from __future__ import annotations

from typing import Any

import pytest
from kumihimo._engine import Engine, EngineError, Impairments
from scapy.contrib.mac_control import MACControlClassBasedFlowControl, MACControlPause
from scapy.layers.l2 import Dot1Q, Ether
from simkit import BROADCAST, MS, US, frame, mac, tag_of


def star(ports: int, rates: list[float] | None = None, **options: Any) -> tuple[Any, list[int]]:
    pause = options.pop("end_pause", False)
    eng = Engine(1)
    sw = eng.add_switch("sw", ports=ports, **options)
    ends = []
    for i in range(ports):
        x = eng.add_script(f"x{i}", pause=pause)
        eng.connect((x, ""), (sw, ""), rate_bps=rates[i] if rates else 10e9)
        ends.append(x)
    eng.start()
    return eng, ends


def control(body: Any) -> bytes:
    head = Ether(src="02:00:00:00:00:01", dst="01:80:c2:00:00:01")
    return bytes(head / body).ljust(60, b"\0")


def pause_frame(quanta: int) -> bytes:
    return control(MACControlPause(pause_time=quanta))


def tags(eng: Any, x: int) -> list[int]:
    return [tag_of(d) for _, d in eng.received(x)]


def ports(eng: Any) -> dict[str, dict[str, int]]:
    return eng.stats()["switches"]["sw"]["ports"]


def test_learning_and_ageing() -> None:
    eng, x = star(4, ageing_ps=1 * MS)
    eng.send(x[0], frame(mac(1), mac(0), tag=1))  # unknown: flooded
    eng.run(10 * US)
    assert [tags(eng, e) for e in x] == [[], [1], [1], [1]]
    eng.send(x[1], frame(mac(0), mac(1), tag=2))  # known
    eng.run(10 * US)
    assert [tags(eng, e) for e in x] == [[2], [], [], []]
    eng.send(x[2], frame(BROADCAST, mac(2), tag=3))
    eng.send(x[0], frame(mac(1), mac(0), tag=4))
    eng.run(10 * US)
    assert [tags(eng, e) for e in x] == [[3], [4, 3], [], [3]]
    eng.send(x[3], frame(mac(1), mac(0), tag=5))  # the address moves to port 3
    eng.run(10 * US)
    assert [tags(eng, e) for e in x] == [[], [5], [], []]
    eng.send(x[1], frame(mac(0), mac(1), tag=6))
    eng.run(10 * US)
    assert [tags(eng, e) for e in x] == [[], [], [], [6]]
    eng.run(2 * MS)  # aged out
    eng.send(x[1], frame(mac(0), mac(1), tag=7))
    eng.run(10 * US)
    assert [tags(eng, e) for e in x] == [[7], [], [7], [7]]
    s = eng.stats()["switches"]["sw"]
    assert s["addresses_moved"] == 1 and s["addresses_aged"] >= 1
    eng.send(x[1], frame(mac(1), mac(9), tag=8))  # its own port: not sent back
    eng.run(10 * US)
    assert ports(eng)["1"]["rx_same_port"] == 1


@pytest.mark.parametrize("size", [60, 64, 65, 200, 1514, 9014])
def test_latency(size: int) -> None:
    line, wire, own = (8 + size) * 800, 500_000, 300_000
    for mode in ("store-and-forward", "cut-through"):
        eng, x = star(2, mode=mode, latency_ps=own)
        eng.send(x[0], frame(mac(1), mac(0), size, 1))
        eng.run(50 * US)
        ((t, data),) = eng.received(x[1])
        assert data == frame(mac(1), mac(0), size, 1)
        head = line if mode == "store-and-forward" or size <= 64 else (8 + 64) * 800
        assert t == head + wire + own + line + wire


def test_cut_through_in_front_of_a_busy_port_keeps_order() -> None:
    eng, x = star(3, mode="cut-through", queue_bytes=1 << 20)
    for e in x:  # addresses
        eng.send(e, frame(BROADCAST, mac(x.index(e)), 60, 99))
    eng.run(20 * US)
    for e in x:
        eng.received(e)
    for i in range(300):
        eng.send(x[0], frame(mac(2), mac(0), 60 + 37 * (i % 31), 1000 + i))
        eng.send(x[1], frame(mac(2), mac(1), 60 + 91 * (i % 13), 2000 + i))
    eng.run(1 * MS)
    got = tags(eng, x[2])
    assert [t for t in got if t < 2000] == [1000 + i for i in range(300)]
    assert [t for t in got if t >= 2000] == [2000 + i for i in range(300)]


def test_slow_to_fast_and_back() -> None:
    """Cut-through falls back where the egress is faster; queues absorb the other way."""
    eng, x = star(2, rates=[1e9, 10e9], mode="cut-through", queue_bytes=1 << 20)
    for i in range(100):
        eng.send(x[0], frame(mac(1), mac(0), 1000, i))
        eng.send(x[1], frame(mac(0), mac(1), 1000, i))
    eng.run(2 * MS)
    assert tags(eng, x[1]) == list(range(100)) == tags(eng, x[0])
    assert ports(eng)["1"]["tx_cut_through"] == 0


def test_queue_overflow() -> None:
    """Two lines into one: every frame arrives or is counted."""
    eng, x = star(3, queue_bytes=20_000)
    eng.send(x[2], frame(BROADCAST, mac(2), 60, 0))
    eng.run(10 * US)
    for i in range(1000):
        for s in (0, 1):
            eng.send(x[s], frame(mac(2), mac(s), 1000, i))
    eng.run(5 * MS)
    full = ports(eng)["2"]["tx_queue_full"]
    got = len(eng.received(x[2]))
    assert 800 < full < 1100
    assert got + full == 2000
    assert 19_000 <= ports(eng)["2"]["tx_queue_peak"] <= 20_000


def test_bad_frames() -> None:
    for mode in ("store-and-forward", "cut-through"):
        eng = Engine(1)
        sw = eng.add_switch("sw", 2, mode)
        a, b = eng.add_script("a"), eng.add_script("b")
        eng.connect((a, ""), (sw, "0"), ab=Impairments(ber=3e-5))
        eng.connect((b, ""), (sw, "1"))
        eng.start()
        for i in range(300):
            eng.send(a, frame(mac(1), mac(0), 1400, i))
        eng.send(a, b"\xff" * 13)  # a runt
        eng.run(1 * MS)
        s = eng.stats()
        bad = s["cables"]["a--sw.0"]["ab"]["corrupted"]
        got = len(eng.received(b))
        assert bad > 40
        assert ports(eng)["0"]["rx_fcs_errors"] == bad
        assert ports(eng)["0"]["rx_runts"] == 1
        assert got == 301 - 1 - bad
        forwarded = ports(eng)["0"]["rx_fcs_forwarded"]
        assert forwarded == s["scripts"]["b"]["rx_fcs_errors"]
        assert (forwarded > 0) == (mode == "cut-through")


def test_reserved_addresses_stay() -> None:
    eng, x = star(2)
    eng.send(x[0], frame(bytes.fromhex("0180c200000e"), mac(0), kind=0x88CC))
    eng.send(x[0], pause_frame(100))
    eng.run(10 * US)
    assert eng.received(x[1]) == []
    assert ports(eng)["0"]["rx_reserved"] == 2


def test_pause_is_obeyed() -> None:
    eng, x = star(2, pause=True)
    eng.send(x[1], pause_frame(1000))
    eng.run(10 * US)
    eng.send(x[0], frame(mac(1), mac(0), tag=1))
    # 1000 quanta of 512 bit times at 10 Gb/s: 51.2 us from the end of the PAUSE frame.
    eng.run(100 * US)
    ((t, _),) = eng.received(x[1])
    end = 500_000 + 68 * 800 + 1000 * 51_200
    assert t == end + 68 * 800 + 500_000
    # A second one with time zero ends a pause early.
    for quanta in (60000, 0):
        eng.send(x[1], pause_frame(quanta))
        eng.run(5 * US)
    eng.send(x[0], frame(mac(1), mac(0), tag=2))
    eng.run(10 * US)
    assert tags(eng, x[1]) == [2]
    assert ports(eng)["1"]["rx_pause"] == 3


def test_pause_is_sent_and_nothing_lost() -> None:
    """Senders that obey PAUSE lose nothing where others overflow."""
    lost = {}
    for pause in (False, True):
        eng, x = star(3, pause=pause, end_pause=pause, queue_bytes=131072)
        eng.send(x[2], frame(BROADCAST, mac(2), 60, 0))
        eng.run(10 * US)
        for i in range(2000):
            for s in (0, 1):
                eng.send(x[s], frame(mac(2), mac(s), 1000, i))
        eng.run(10 * MS)
        p = ports(eng)
        lost[pause] = p["2"]["tx_queue_full"]
        assert len(eng.received(x[2])) + lost[pause] == 4000
        assert (p["0"]["tx_pause"] > 0) == pause
    assert lost[True] == 0 and lost[False] > 500


def test_pause_frames_on_the_wire() -> None:
    """What the switch sends is a PAUSE frame to somebody else's parser."""
    eng, x = star(3, pause=True)
    eng.send(x[2], frame(BROADCAST, mac(2), 60, 0))
    for i in range(300):
        for s in (0, 1):
            eng.send(x[s], frame(mac(2), mac(s), 1000, i), at_ps=10 * US)
    eng.run(2 * MS)
    sent = [Ether(d) for _, d in eng.received(x[0]) if d[12:14] == b"\x88\x08"]
    times = [p[MACControlPause].pause_time for p in sent]
    assert times[0] == 0xFFFF and times[-1] == 0 and set(times) == {0, 0xFFFF}
    assert all(p.dst == "01:80:c2:00:00:01" and len(p) == 60 for p in sent)


def test_pfc_holds_one_class_only() -> None:
    eng, x = star(2, pfc=True)
    pause = MACControlClassBasedFlowControl(c3_enabled=1, c3_pause_time=1000)
    eng.send(x[1], control(pause))
    eng.run(10 * US)

    def tagged(priority: int) -> bytes:
        head = Ether(src="02:00:00:00:00:00", dst="02:00:00:00:00:01")
        return bytes(head / Dot1Q(prio=priority, vlan=5) / (b"payload " * 8))

    eng.send(x[0], tagged(3))
    eng.send(x[0], tagged(5))
    eng.run(20 * US)
    assert [Ether(d)[Dot1Q].prio for _, d in eng.received(x[1])] == [5]
    eng.run(60 * US)
    assert [Ether(d)[Dot1Q].prio for _, d in eng.received(x[1])] == [3]


def test_pfc_is_sent_for_the_class_that_fills() -> None:
    eng, x = star(3, pfc=True)
    eng.send(x[2], frame(BROADCAST, mac(2), 60, 0))
    eng.run(10 * US)
    for s in (0, 1):
        head = Ether(src=mac(s).hex(":"), dst=mac(2).hex(":")) / Dot1Q(prio=4, vlan=1)
        for _ in range(200):
            eng.send(x[s], bytes(head / bytes(1000)))
    eng.run(1 * MS)
    sent = [Ether(d) for _, d in eng.received(x[0]) if d[12:14] == b"\x88\x08"]
    assert sent
    first = sent[0][MACControlClassBasedFlowControl]
    assert first.c4_enabled == 1 and first.c4_pause_time == 0xFFFF
    assert not any(getattr(first, f"c{c}_enabled") for c in range(8) if c != 4)


def test_wrong_options() -> None:
    eng = Engine(1)
    with pytest.raises(ValueError, match="mode is 'store-and-forward' or 'cut-through'"):
        eng.add_switch("s", 2, "fast")
    with pytest.raises(EngineError, match="port rates"):
        eng.add_switch("s", 2, rate_bps=[1e9])
    s = eng.add_switch("s", 1)
    a, b = eng.add_script("a"), eng.add_script("b")
    eng.connect((a, ""), (s, ""))
    with pytest.raises(EngineError, match="no free port"):
        eng.connect((b, ""), (s, ""))
