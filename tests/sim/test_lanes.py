# SPDX-License-Identifier: Apache-2.0
"""Lane cables: latency, skew, block boundary, plugs, bit errors, clocks; runs that repeat."""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from kumihimo._engine import Engine, EngineError, recording_info
from lanekit import PERIOD, lane_node, pair, sequence, start_word
from simkit import MS, US


@pytest.fixture(scope="module")
def two() -> str:
    """A node with two lanes."""
    return str(lane_node(2).path)


def counts(eng: Any, node: int, lane: int = 0) -> tuple[int, int]:
    return eng.pin(node, f"good_{lane}"), eng.pin(node, f"errors_{lane}")


def delay(eng: Any, node: int) -> int:
    """Cycles from the output of the other node's lane 0 to this one's input."""
    words = sequence(start_word(0), 200_000)
    return words[eng.pin(1 - node, "tx_0")] - words[eng.pin(node, "rx_0")]


def test_lanes_lock_and_carry_every_block(two: str) -> None:
    eng, nodes, _ = pair(two, 2, latency_ps=300_000)
    eng.start()
    assert eng.window_ps == 300_000
    eng.run(100 * US)
    stats = eng.stats()
    for n, name in zip(nodes, "ab", strict=True):
        assert eng.pin(n, "locked") == 3
        for lane in range(2):
            good, errors = counts(eng, n, lane)
            assert errors == 0 and good > 10_000
            port = stats["nodes"][name]["ports"][f"l0_{lane}"]
            assert port["tx_blocks"] == 100 * US // PERIOD
            assert port["dark"] == 300_000 // PERIOD + 1  # before the first block
            assert port["rx_blocks"] + port["dark"] == port["tx_blocks"]
            assert port["repeats"] == port["skips"] == 0
    assert {c["ab"]["blocks"] for c in stats["lanes"].values()} == {100 * US // PERIOD}
    eng.close()


@pytest.mark.parametrize("latency", [PERIOD, 5 * PERIOD + 1, 64 * PERIOD, 3_000_000])
def test_latency_is_exact(two: str, latency: int) -> None:
    """A block is seen at the first edge at or after its arrival."""
    eng, nodes, _ = pair(two, 2, latency_ps=latency, skews=[70_000, 0])
    eng.start()
    eng.run(100 * US)
    want = -(-(latency + 70_000) // PERIOD)
    assert [delay(eng, n) for n in nodes] == [want, want]


def test_the_boundary_is_unknown_after_each_plug(two: str) -> None:
    """The pulses that it takes differ from plug to plug, lane to lane, and with the seed."""
    seen = set()
    for seed in (1, 2):
        eng, _, cables = pair(two, 2, seed=seed)
        eng.start()
        slips: dict[str, int] = {}
        for _ in range(4):
            eng.run(60 * US)
            for name in "ab":
                for lane in ("l0_0", "l0_1"):
                    now = eng.stats()["nodes"][name]["ports"][lane]["slips"]
                    seen.add((now - slips.get(name + lane, 0)) % 66)
                    slips[name + lane] = now
            for c in cables:
                eng.plug(c, False)
            eng.run(20 * US)
            for name in "ab":
                for lane in ("l0_0", "l0_1"):
                    slips[name + lane] = eng.stats()["nodes"][name]["ports"][lane]["slips"]
            for c in cables:
                eng.plug(c, True)
    assert len(seen) > 15


@pytest.mark.parametrize("noise", [False, True])
def test_plugs_at_given_times(two: str, noise: bool) -> None:
    eng, nodes, _ = pair(
        two, 2, latency_ps=1_000_000, unplugged=[(100 * US, 120 * US)], noise=noise
    )
    eng.start()
    eng.run(101 * US)
    assert eng.pin(nodes[0], "locked") == 3  # what was sent before still arrives
    before = eng.stats()["nodes"]["a"]["ports"]["l0_0"]["dark"]
    eng.run(10 * US)
    assert eng.pin(nodes[0], "locked") == 0
    assert (eng.pin(nodes[0], "rx_0") != 0) == noise
    eng.run(100 * US)
    assert eng.pin(nodes[0], "locked") == eng.pin(nodes[1], "locked") == 3
    stats = eng.stats()
    dark = stats["nodes"]["a"]["ports"]["l0_0"]["dark"] - before
    assert dark == 20 * US // PERIOD
    for c in stats["lanes"].values():
        for way in ("ab", "ba"):
            assert c[way]["lost"] == 20 * US // PERIOD
            assert (c[way]["plugs"], c[way]["plugged"]) == (2, 1)


def test_plug_and_unplug_from_python(two: str) -> None:
    eng, nodes, cables = pair(two, 2, latency_ps=200_000)
    eng.plug(cables[1], False)  # before time zero: starts dark
    eng.start()
    eng.run(60 * US)
    assert eng.pin(nodes[0], "locked") == 1
    eng.plug(cables[1], True)
    eng.plug(cables[0], False, at_ps=100 * US)
    eng.run(60 * US)
    assert eng.pin(nodes[0], "locked") == 2
    with pytest.raises(EngineError, match="no lane cable number 7"):
        eng.plug(7, True)


@pytest.mark.parametrize("ber", [1e-2, 1e-4, 1e-6])
def test_bit_errors_have_the_rate_that_was_asked_for(two: str, ber: float) -> None:
    eng, _, _ = pair(two, 2, ber_ab=ber, ber_ba=ber)
    eng.start()
    eng.run(4 * MS)
    for c in eng.stats()["lanes"].values():
        for way in ("ab", "ba"):
            bits = c[way]["blocks"] * 66
            assert abs(c[way]["bit_errors"] - bits * ber) < 5 * math.sqrt(bits * ber) + 1


def test_a_bit_error_is_one_bit(two: str) -> None:
    """Each error breaks one word, so two steps of the sequence, or only a head: one."""
    eng, nodes, _ = pair(two, 2, ber_ab=1e-5)
    eng.start()
    eng.run(4 * MS)
    hits = sum(c["ab"]["bit_errors"] for c in eng.stats()["lanes"].values())
    errors = sum(counts(eng, nodes[1], lane)[1] for lane in range(2))
    assert hits > 200 and 1.8 * hits < errors <= 2 * hits
    assert counts(eng, nodes[0])[1] == 0


def test_a_lane_back_to_itself(two: str) -> None:
    eng = Engine(1)
    n = eng.add_node("n", two, {"clk": PERIOD})
    eng.connect_lane((n, "l0_0"), (n, "l0_0"), latency_ps=10 * PERIOD)
    eng.start()
    eng.run(60 * US)
    words = sequence(start_word(0), 20_000)
    assert words[eng.pin(n, "tx_0")] - words[eng.pin(n, "rx_0")] == 10
    assert eng.pin(n, "locked") == 1 and counts(eng, n)[1] == 0
    assert list(eng.stats()["lanes"]["n.l0_0--n.l0_0"]) == ["latency_ps", "skew_ps", "ab"]


def test_different_clocks_slip_blocks(two: str) -> None:
    """The slower receiver never sees a block in 200, the faster one sees one twice."""
    eng = Engine(1)
    a = eng.add_node("a", two, {"clk": 6400})
    b = eng.add_node("b", two, {"clk": 6432})
    eng.connect_lane((a, "l0_0"), (b, "l0_0"))
    eng.start()
    eng.run(2 * MS)
    ports = {n: eng.stats()["nodes"][n]["ports"]["l0_0"] for n in "ab"}
    cycles = 2 * MS / 6400
    assert ports["b"]["skips"] == pytest.approx(cycles / 200, rel=0.02)
    assert ports["a"]["repeats"] == pytest.approx(cycles / 200, rel=0.02)
    assert ports["a"]["skips"] == ports["b"]["repeats"] == 0


def test_a_recovered_clock_takes_every_block() -> None:
    """What comes in is on the sender's clock: no block is lost between clocks that differ."""
    path = str(lane_node(1, rx_clock=True).path)
    eng = Engine(1)
    a = eng.add_node("a", path, {"clk": 6400, "rx_clk": 6401})
    b = eng.add_node("b", path, {"clk": 6401, "rx_clk": 6400})
    eng.connect_lane((a, "l0_0"), (b, "l0_0"))
    eng.start()
    eng.run(3 * MS)
    for name, n in (("a", a), ("b", b)):
        port = eng.stats()["nodes"][name]["ports"]["l0_0"]
        assert port["skips"] == port["repeats"] == 0
        assert counts(eng, n)[0] > 400_000 and counts(eng, n)[1] == 0


# ---- runs that repeat -------------------------------------------------------------------------


def ring(path: str, threads: int) -> tuple[Any, list[int]]:
    eng = Engine(threads, seed=9)
    nodes = [eng.add_node(f"n{i}", path, {"clk": PERIOD}) for i in range(6)]
    cables = []
    for i in range(6):
        cables.append(
            eng.connect_lane(
                (nodes[i], "l0_1"),
                (nodes[(i + 1) % 6], "l0_0"),
                latency_ps=90_000 + 7_001 * i,
                skew_ps=3_000 * i,
                ber_ab=1e-5,
                ber_ba=1e-4,
                noise=i % 2 == 1,
                unplugged=[(40 * US, (60 + i) * US)] if i % 3 == 0 else [],
            )
        )
    return eng, cables


def outcome(path: str, threads: int, steps: list[int]) -> tuple[str, dict, list[int]]:
    eng, _ = ring(path, threads)
    eng.start()
    for s in steps:
        eng.run(s)
    result = (eng.digest(), eng.stats()["lanes"], [eng.pin(n, "errors_0") for n in range(6)])
    eng.close()
    return result


def test_threads_and_windows(two: str) -> None:
    first = outcome(two, 1, [300 * US])
    for threads, steps in [(2, [300 * US]), (8, [300 * US]), (2, [33_333] * 300 + [290_000_100])]:
        assert outcome(two, threads, steps) == first, (threads, steps[:1])
    assert any(c["ab"]["plugs"] == 2 for c in first[1].values()) and any(first[2])


def test_a_recording_holds_the_plugs(two: str, tmp_path: Path) -> None:
    path = tmp_path / "r.kumirec"
    eng, cables = ring(two, 2)
    eng.record(str(path))
    eng.plug(cables[5], False)
    eng.start()
    for i in range(10):
        eng.run(7 * US + i * 1234)
        eng.plug(cables[i % 6], i % 3 == 0)
        eng.plug(cables[(i + 1) % 6], True, at_ps=eng.now_ps + 5 * US)
        eng.flush()
    eng.run(50 * US)
    digest, stats = eng.digest(), eng.stats()["lanes"]
    eng.close()
    assert recording_info(str(path))["events"] == 21
    for threads in (1, 2):
        again, _ = ring(two, threads)
        result = again.replay(str(path))
        assert result["equal"] and result["complete"] and result["digest"] == digest
        assert again.stats()["lanes"] == stats
    third, _, _ = pair(two, 2)
    with pytest.raises(EngineError, match="not the one of the recording"):
        third.replay(str(path))


# ---- living with the wall clock ---------------------------------------------------------------


def served(eng: Any, seconds: float) -> tuple[float, dict]:
    """CPU share of this process while the engine serves, and the engine's figures."""
    thread = threading.Thread(target=eng.serve)
    thread.start()
    time.sleep(0.1)
    cpu, wall = time.process_time(), time.monotonic()
    before = eng.stats()["engine"]
    time.sleep(seconds)
    share = (time.process_time() - cpu) / (time.monotonic() - wall)
    after = eng.stats()["engine"]
    eng.stop()
    thread.join()
    return share, {k: after[k] - before[k] for k in ("sleeps", "now_ps")}


def test_idle_lanes_do_not_burn_a_core(two: str) -> None:
    """With `busy` low the cluster sleeps although its lanes never rest; with it high it runs."""
    eng, nodes, cables = pair(two, 2)
    eng.start()
    eng.run(50 * US)
    share, more = served(eng, 0.4)
    assert more["sleeps"] > 10 and share < 0.5
    eng.set_pin(nodes[0], "work", 1)
    _, busy = served(eng, 0.2)
    assert busy["sleeps"] == 0 and busy["now_ps"] > more["now_ps"]
    eng.set_pin(nodes[0], "work", 0)
    start = eng.now_ps
    eng.plug(cables[0], False)
    assert eng.serve(until_ps=start + 15 * US) == "until"  # a pulled plug is news: at full speed
    assert eng.pin(nodes[1], "locked") == 2


def test_a_node_without_a_busy_pin_stays_awake() -> None:
    eng, _, _ = pair(str(lane_node(1, busy=False).path), 1)
    eng.start()
    assert served(eng, 0.1)[1]["sleeps"] == 0


# ---- what is refused --------------------------------------------------------------------------


def test_bad_cables_are_refused(two: str, fake_node: str) -> None:
    eng = Engine(1)
    a = eng.add_node("a", two, {"clk": PERIOD})
    b = eng.add_node("b", fake_node, {"clk": 6400, "aux_clk": 5000})
    x = eng.add_script("x")
    with pytest.raises(EngineError, match="has no lane 'l1_0'; it has 'l0_0', 'l0_1'"):
        eng.connect_lane((a, "l1_0"), (a, "l0_0"))
    with pytest.raises(EngineError, match="has no lane 'eth0'; it has none"):
        eng.connect_lane((a, "l0_0"), (b, "eth0"))
    with pytest.raises(EngineError, match="is a script, not a node"):
        eng.connect_lane((a, "l0_0"), (x, ""))
    with pytest.raises(EngineError, match="is a lane and takes a lane's cable"):
        eng.connect((a, "l0_0"), (x, ""))
    with pytest.raises(EngineError, match="at least 1 ns"):
        eng.connect_lane((a, "l0_0"), (a, "l0_1"), latency_ps=10)
    with pytest.raises(EngineError, match="share between 0 and 1"):
        eng.connect_lane((a, "l0_0"), (a, "l0_1"), ber_ba=2.0)
    with pytest.raises(EngineError, match="end after they begin"):
        eng.connect_lane((a, "l0_0"), (a, "l0_1"), unplugged=[(5, 9), (7, 12)])
    eng.connect_lane((a, "l0_0"), (a, "l0_1"))
    with pytest.raises(EngineError, match="has a cable already"):
        eng.connect_lane((a, "l0_1"), (a, "l0_1"))
