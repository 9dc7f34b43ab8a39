# SPDX-License-Identifier: Apache-2.0
"""Cables: latency, rate, and impairments with the shares that were asked for."""

from __future__ import annotations

import math

import pytest
from kumihimo._engine import Engine, EngineError, Impairments
from simkit import MS, US, frame, mac, script_pair, tag_of

A, B = mac(1), mac(2)


def pass_frames(count: int, size: int = 300, **impair: float) -> tuple[list, dict, list[bytes]]:
    eng, a, b = script_pair(ab=Impairments(**impair))
    eng.start()
    sent = [frame(B, A, size, i) for i in range(count)]
    for f in sent:
        eng.send(a, f)
    eng.run(count * (size + 24) * 800 + 2 * MS)
    stats = eng.stats()
    got = eng.received(b)
    times = [t for t, _ in got]
    assert times == sorted(times)
    (cable,) = stats["cables"].values()
    assert cable["ab"]["frames_in"] == count
    cable["ab"]["rx_fcs"] = stats["scripts"]["b"]["rx_fcs_errors"]
    eng.close()
    return got, cable["ab"], sent


def near(value: float, count: int, share: float) -> bool:
    """Within five standard deviations of a binomial."""
    return abs(value - count * share) <= 5 * math.sqrt(count * share * (1 - share)) + 1


def test_latency_and_rate() -> None:
    eng, a, b = script_pair(latency_ps=700_000, rate_bps=10e9)
    eng.start()
    for i in range(3):
        eng.send(a, frame(B, A, 100, i), at_ps=1000)
    eng.run(3 * US)
    # 8 bytes of preamble and 100 of frame, then 16 more before the next preamble, at 0.8 ns a byte.
    first = 1000 + 108 * 800 + 700_000
    assert [t for t, _ in eng.received(b)] == [first + i * 124 * 800 for i in range(3)]


def test_clean() -> None:
    got, s, sent = pass_frames(2000)
    assert [d for _, d in got] == sent
    assert s["frames_out"] == 2000


def test_loss() -> None:
    got, s, _ = pass_frames(20000, 60, loss=0.05)
    assert near(s["lost"], 20000, 0.05)
    assert len(got) == 20000 - s["lost"]


def test_duplicate() -> None:
    got, s, sent = pass_frames(5000, 200, duplicate=0.1)
    assert s["backlog_dropped"] == 0
    assert near(s["duplicated"], 5000, 0.1)
    assert len(got) == 5000 + s["duplicated"]
    assert sorted({d for _, d in got}) == sorted(sent)


def test_reorder() -> None:
    got, s, sent = pass_frames(20000, 60, reorder=0.1, reorder_gap=3)
    assert near(s["reordered"], 20000, 0.1)
    assert sorted(d for _, d in got) == sorted(sent)
    order = [tag_of(d) for _, d in got]
    late = [i for i, t in enumerate(order) if any(x > t for x in order[max(0, i - 40) : i])]
    # Neighbours that are both held keep their order, so a few held frames do not show.
    assert 0.7 * s["reordered"] <= len(late) <= s["reordered"]
    assert all(sum(x > order[i] for x in order[max(0, i - 40) : i]) <= 3 for i in late)


def test_a_held_frame_without_followers_arrives() -> None:
    got, s, sent = pass_frames(1, 60, reorder=1.0)
    assert [d for _, d in got] == sent
    assert s["reordered"] == 1


def test_bit_errors() -> None:
    ber, size, count = 1e-5, 1000, 5000
    got, s, _ = pass_frames(count, size, ber=ber)
    share = 1 - (1 - ber) ** ((size + 4) * 8)
    assert near(s["corrupted"], count, share)
    assert s["bit_errors"] >= s["corrupted"]
    assert s["rx_fcs"] == s["corrupted"]
    assert len(got) == count - s["corrupted"]


def test_jitter() -> None:
    eng, a, b = script_pair(ab=Impairments(jitter_ps=400_000))
    eng.start()
    for i in range(3000):
        eng.send(a, frame(B, A, 60, i), at_ps=i * US)
    eng.run(3001 * US)
    delay = [t - i * US - 68 * 800 - 500_000 for i, (t, _) in enumerate(eng.received(b))]
    assert len(delay) == 3000 and min(delay) >= 0 and max(delay) <= 400_000
    assert abs(sum(delay) / 3000 - 200_000) < 15_000


def test_everything_at_once_is_accounted_for() -> None:
    count = 20000
    got, s, sent = pass_frames(
        count, 100, loss=0.02, ber=1e-5, duplicate=0.02, reorder=0.05, jitter_ps=100_000
    )
    assert s["frames_in"] - s["lost"] - s["backlog_dropped"] + s["duplicated"] == s["frames_out"]
    assert len(got) == s["frames_out"] - s["rx_fcs"]
    assert {d for _, d in got} <= set(sent)


def test_node_drops_or_passes_bad_frames(fake_node: str) -> None:
    for passes in (False, True):
        eng = Engine(1)
        n = eng.add_node("n", fake_node, {"clk": 6400, "aux_clk": 5000})
        x = eng.add_script("x")
        eng.connect((x, ""), (n, "eth0"), ab=Impairments(ber=1e-4, pass_bad=passes))
        eng.start()
        for i in range(200):
            eng.send(x, frame(mac(9), A, 500, i))
        eng.run(1 * MS)
        s = eng.stats()
        (c,) = s["cables"].values()
        port = s["nodes"]["n"]["ports"]["eth0"]
        assert c["ab"]["corrupted"] > 20
        # The fake node echoes good frames only.
        assert len(eng.received(x)) == 200 - c["ab"]["corrupted"]
        assert port["rx_frames"] == (200 if passes else 200 - c["ab"]["corrupted"])
        assert port["rx_fcs_errors"] == (0 if passes else c["ab"]["corrupted"])


def test_bad_cables_are_refused(fake_node: str) -> None:
    eng = Engine(1)
    a, b = eng.add_script("a"), eng.add_script("b")
    n = eng.add_node("n", fake_node, {"clk": 6400, "aux_clk": 5000})
    with pytest.raises(EngineError, match="at least 1 ns"):
        eng.connect((a, ""), (b, ""), latency_ps=10)
    with pytest.raises(EngineError, match="share between 0 and 1"):
        eng.connect((a, ""), (b, ""), ab=Impairments(loss=1.5))
    with pytest.raises(EngineError, match="no port 'eth7'; it has 'eth0', 'eth1'"):
        eng.connect((a, ""), (n, "eth7"))
    eng.connect((a, ""), (n, "eth0"))
    with pytest.raises(EngineError, match="has a cable already"):
        eng.connect((b, ""), (n, "eth0"))
    with pytest.raises(EngineError, match="used twice"):
        eng.add_script("a")
    with pytest.raises(EngineError, match="no period for clock 'aux_clk'"):
        eng.add_node("m", fake_node, {"clk": 6400})
    with pytest.raises(EngineError, match="needs start"):
        eng.run(1)


def test_a_cable_is_pulled_and_plugged() -> None:
    """Frames that begin while it is out are lost and counted; those on the way arrive."""
    eng, a, b = script_pair()
    eng.start()
    sent = [frame(B, A, 100, i) for i in range(40)]
    for i, data in enumerate(sent):
        eng.send(a, data, at_ps=i * US)
    eng.plug_cable(0, False, at_ps=10 * US)
    eng.run(20 * US)
    (cable,) = eng.stats()["cables"].values()
    assert cable["plugged"] == 0
    eng.plug_cable(0, True, at_ps=30 * US)
    eng.run(30 * US)
    assert [tag_of(d) for _, d in eng.received(b)] == [*range(10), *range(30, 40)]
    (cable,) = eng.stats()["cables"].values()
    assert (cable["plugged"], cable["ab"]["unplugged"], cable["ab"]["lost"]) == (1, 20, 0)
    assert cable["ab"]["frames_out"] + 20 == cable["ab"]["frames_in"]


def test_impairments_change() -> None:
    """Other impairments hold for frames that begin after them, in the direction that is meant."""
    eng, a, b = script_pair()
    eng.start()
    for i in range(3000):
        eng.send(a, frame(B, A, 60, i), at_ps=i * US)
        eng.send(b, frame(A, B, 60, i), at_ps=i * US)
    eng.impair(0, ab=Impairments(loss=0.5), at_ps=1000 * US)
    eng.impair(0, ab=Impairments(jitter_ps=400_000), at_ps=2000 * US)
    eng.run(3010 * US)
    (cable,) = eng.stats()["cables"].values()
    tags = [tag_of(d) for _, d in eng.received(b)]
    assert near(cable["ab"]["lost"], 1000, 0.5) and cable["ba"]["lost"] == 0
    assert tags[:1000] == [*range(1000)] and tags[-1000:] == [*range(2000, 3000)]
    assert len(tags) == 3000 - cable["ab"]["lost"] and len(eng.received(a)) == 3000
    with pytest.raises(EngineError, match="share between 0 and 1"):
        eng.impair(0, ba=Impairments(loss=2.0))
    with pytest.raises(EngineError, match="no Ethernet cable number 1"):
        eng.plug_cable(1)
