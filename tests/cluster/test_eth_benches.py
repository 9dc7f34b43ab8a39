# SPDX-License-Identifier: Apache-2.0
"""The Ethernet benches: the controller and the transport between kernels, small but whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kumihimo import bench
from kumihimo.bench.eth import bandwidth, incast, latency, loss
from kumihimo.bench.eth.rig import CONTROLLER, NS, PAPER, TRANSPORT, US, Rig, library
from kumihimo.build import BuildResult


@pytest.fixture(scope="module")
def transport() -> Iterator[BuildResult]:
    """The bench node on the transport."""
    yield library(TRANSPORT)


def test_names() -> None:
    """All four can be asked for."""
    assert {"eth-latency", "eth-bandwidth", "eth-loss", "eth-incast"} <= set(bench.REGISTRY)


def test_latency(transport: BuildResult) -> None:
    """The paper's bars come out within a per cent, and both cores are within their cycles."""
    _, direct = latency._measure(library(CONTROLLER), False, 2, 4)
    assert all(472 <= ns <= 472 + 3.2 for ns in direct)
    for built, limit in ((library(CONTROLLER), 12), (transport, 20)):
        kernel, mac = latency._measure(built, True, 3, 6)
        assert all(794 <= ns <= 794 * 1.01 for ns in mac)
        row = latency._inside("", 32, kernel, mac)["ours"]
        assert 5 < row["min_cycles"] <= row["mean_cycles"] <= row["max_cycles"] <= limit


@pytest.mark.parametrize("way,share", [("paper framing", 0.9938), ("transport", 0.994)])
def test_share_of_the_line(way: str, share: float) -> None:
    """A long message fills the line, every byte right."""
    params = dict(bandwidth.WAYS)[way]
    with bandwidth._pair(library(params), way) as rig:
        flow = bandwidth.stream(rig, way, 1 << 20, 2)
        limit = bandwidth._limit(way)["peak_share_of_line"]
        assert share <= flow["share_of_line"] <= limit


def test_half_of_the_peak() -> None:
    """As the paper sends, half of the rate is reached earlier than its own figures allow."""
    with bandwidth._pair(library(PAPER), "paper framing") as rig:
        half = bandwidth.half_peak(rig, "paper framing")
    assert half["half_peak_bytes"] < bandwidth.PAPER_HALF_PEAK


@pytest.mark.parametrize(
    "impair,goal", [({"loss": 1e-2}, 0.85), ({"reorder": 0.01, "reorder_gap": 8}, 0.99)]
)
def test_loss(transport: BuildResult, impair: dict[str, float], goal: float) -> None:
    """Every byte arrives in order although frames do not, at nearly the rate of the line."""
    row = loss.transfer(transport, impair, 80, 2)
    assert row["bad_bytes"] == row["faults"] == 0
    assert row["lost_data_frames"] + row["reordered"] > 0
    assert row["goodput_gb_s"] >= goal * 4.96


def test_incast_and_a_stopped_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Senders share a link evenly; a peer that does not read changes nothing. Seven, for speed."""
    for name, value in (("SENDERS", 7), ("RECEIVER", 7), ("STOPPED", 8), ("NODES", 9)):
        monkeypatch.setattr(incast, name, value)
    gather, scatter = incast.gather, incast.scatter

    def short_gather(built: BuildResult, size: int, queue: int, *rest: Any) -> dict[str, Any]:
        return gather(built, size, queue, 90 * US, 100 * US, rest[-1])

    def short_scatter(built: BuildResult, size: int, *rest: Any) -> dict[str, Any]:
        return scatter(built, size, 75 * US, 40 * US, rest[-1])

    monkeypatch.setattr(incast, "gather", short_gather)
    monkeypatch.setattr(incast, "scatter", short_scatter)
    result = bench.run("eth-incast", quick=True)
    assert set(result.summary) == {"dropped_at_receiver", "link_busy", "jain"}
    assert result.missed() == {}
    ratios = [row["ratio"] for row in result.rows if row["stopped_peer"]]
    assert len(ratios) == 2 and min(ratios) >= 0.97


def test_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other benches have the promised names, the paper beside ours, and meet their goals."""
    measure = latency._measure
    monkeypatch.setattr(latency, "_measure", lambda b, s, _n, _c, *size: measure(b, s, 2, 3, *size))
    delay = bench.run("eth-latency", quick=True)
    assert set(delay.summary) == {
        *("direct_ns", "via_switch_ns", "via_switch_controller_ns"),
        *("controller_cycles", "transport_cycles"),
    }
    bars = [row for row in delay.rows if "bar" in row]
    assert [row["paper"]["mean_ns"] for row in bars] == [472, 794, 856, 856]
    monkeypatch.setattr(bandwidth, "_sizes", lambda _quick: [32, 1 << 20])
    width = bench.run("eth-bandwidth", quick=True)
    assert set(width.summary) == {"peak_paper_framing", "peak_transport", "half_peak_bytes"}
    few = tuple((n, i, (30, 0), seed, goal) for n, i, _, seed, goal in loss.CASES)
    monkeypatch.setattr(loss, "CASES", few)
    lossy = bench.run("eth-loss", quick=True)
    assert set(lossy.summary) == {
        *("goodput_1e4", "goodput_1e3", "goodput_1e2", "goodput_reorder", "bad_bytes"),
    }
    for result in (delay, width):
        assert result.missed() == {}
    assert lossy.summary["bad_bytes"] == 0


def test_ping_pong(transport: BuildResult) -> None:
    """Replies come back to the kernel that waits for them, on the controller and the transport."""
    for built in (library(CONTROLLER), transport):
        with Rig(built, 2, latency_ps=200 * NS) as rig:
            rig.until_up()
            rig.regs[1].eth_echo.ctrl.write(1)
            rig.clear(0)
            rig.start(0, 1, 16, 12, high=9000, reply=True)
            gen = rig.regs[0].eth_gen
            rig.wait("the end", lambda gen=gen: not gen.status.read(), 5 * US, 500 * US)
            assert (gen.replies.read(), gen.lost.read()) == (12, 0)
            assert rig.checked(0)["messages"] == 12 and not any(rig.faults(0).values())


def test_all_to_all(transport: BuildResult) -> None:
    """Four nodes send to all others at once, long messages, over cables that lose frames."""
    from kumihimo._engine import Impairments

    with Rig(
        transport, 4, switch={"latency_ps": 322 * NS}, impair=Impairments(loss=5e-3, duplicate=5e-3)
    ) as rig:
        rig.until_up()
        # Peers are taken in turns; the own number is in no table and has no room.
        for node in range(4):
            rig.clear(node)
        for node in range(4):
            rig.start(node, 0, 16, 30, high=20_000, count=4, room=True)

        def arrived() -> int:
            return sum(regs.eth_check.messages.read() for regs in rig.regs)

        rig.wait("the end of all messages", lambda: arrived() >= 120, 20 * US, 5000 * US)
        rig.run(50 * US)
        assert arrived() == 120
        assert not any(sum(rig.faults(node).values()) for node in range(4))
