# SPDX-License-Identifier: Apache-2.0
"""`kumi new cluster`: shapes of boards on Ethernet or serial links, and their routes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from kumihimo.cli.app_new import new_app
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import Plan, plan_text
from kumihimo.clusterfile.routes import Routes, routes
from kumihimo.common import topology
from kumihimo.common.errors import KumiError
from kumihimo.scaffold.cluster import Wiring, cluster_text
from typer.testing import CliRunner

PLAYER = "pingpong.rounds: 0, pingpong.ctrl.start: 1"


def planned(shape: str, numbers: Sequence[int], wiring: Wiring, hosts: int | None = None) -> Plan:
    made = topology.make(shape, list(numbers), 0 if wiring.links else hosts)
    return plan_text(cluster_text(made, wiring, Path()), f"{shape}.yaml")


def way(plan: Plan, found: dict[str, Routes], source: str, target: str) -> list[str]:
    """Switches that a frame passes, by the routes alone."""
    mac = int(plan.nodes[target].mac.replace(":", ""), 16)
    next_to: dict[tuple[str, str], str] = {}
    at = ""
    for cable in plan.cables:
        for end, other in ((cable.a, cable.b), (cable.b, cable.a)):
            if end.kind == "switch":
                next_to[end.name, end.port] = other.name
            elif end.name == source:
                at = other.name
    passed = []
    while at != target:
        passed.append(at)
        assert len(passed) < 20, passed
        at = next_to[at, str(dict(found[at].ports)[mac])]
    return passed


@pytest.mark.parametrize(
    ("shape", "numbers", "boards", "hops"),
    [
        ("fat-tree", (4,), 16, (1, 3, 5)),
        ("fat-tree", (4, 2), 8, (1, 3)),
        ("ring", (6,), 6, (2, 3, 4)),
        ("torus", (3, 3, 3), 27, (2, 3, 4)),
        ("mesh", (3, 2), 6, (2, 3, 4)),
        ("dragonfly", (5, 4), 20, (2, 3, 4)),
    ],
)
def test_shortest_ways(
    shape: str, numbers: tuple[int, ...], boards: int, hops: tuple[int, ...]
) -> None:
    """From one board to each other, as many switches as that shape has between them."""
    plan = planned(shape, numbers, Wiring())
    assert len(plan.nodes) == boards
    first, *others = plan.nodes
    found = routes(plan)
    assert {len(way(plan, found, first, other)) for other in others} == set(hops)


def test_ways_are_spread() -> None:
    """In a fat tree frames to different boards of another pod take different core switches."""
    plan = planned("fat-tree", (8,), Wiring())
    found = routes(plan)
    cores = {way(plan, found, "h0", f"h{n}")[2] for n in range(112, 128)}
    assert len(cores) > 4 and all(name.startswith("core") for name in cores)


def test_without_a_loop_switches_learn() -> None:
    assert routes(planned("ring", (2,), Wiring())) == {}
    assert routes(planned("mesh", (4, 1), Wiring())) == {}


@pytest.mark.parametrize("by", ["links", "lanes"])
def test_boards_with_serial_links(by: str) -> None:
    plan = planned("ring", (4,), Wiring("link", by=by))
    assert len(plan.nodes) == 4 and not plan.spec.switches
    assert len(plan.lanes) == (4 if by == "lanes" else 16)


def test_frames_in_a_torus(tmp_path: Path) -> None:
    """ARP ends though the cables form loops, and every pair plays; the same over two threads."""
    text = cluster_text(topology.torus(3, 3), Wiring("pingpong"), tmp_path)
    for n in range(0, 8, 2):
        text = text.replace(
            f"  h{n}: {{}}\n", f"  h{n}: {{regs: {{pingpong.peer_ip: h{n + 1}, {PLAYER}}}}}\n"
        )
    digests = []
    for threads in (1, 2):
        with Cluster(plan_text(text, "torus.yaml"), threads=threads, offline=True) as cluster:
            cluster.run("40 us")
            received = [cluster[f"h{n}"].regs.pingpong.received.read() for n in range(0, 8, 2)]
            assert min(received) > 2, received
            switches = cluster.stats()["switches"].values()
            # An announcement of each board and a request of each pair pass every switch once.
            assert sum(s["flooded"] for s in switches) == (9 + 4) * 9
            digests.append(cluster.digest())
    assert digests[0] == digests[1]


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    words = ["cluster", "dragonfly", "3x2", "--hosts", "2", "--tap", "--file", str(file)]
    done = CliRunner().invoke(new_app, words)
    assert done.exit_code == 0 and "12 boards, 6 switches, 18 cables" in done.output, done.output
    plan = plan_text(file.read_text(), str(file))
    assert list(plan.taps) == ["host0"] and plan.spec.cables[-1].latency == 500_000
    assert CliRunner().invoke(new_app, words).exit_code != 0  # it is there
    assert "host0" in file.read_text() and re.search(r"s0_0: \{ports: 5\}", file.read_text())


@pytest.mark.parametrize(
    ("wiring", "hosts", "sentence"),
    [
        (Wiring("udp_ecko"), None, 'There is no design `udp_ecko`. Did you mean "udp_echo"'),
        (Wiring(by="links"), None, "`udp_echo` has no serial links"),
        (Wiring("link", by="links", tap=True), None, "Linux has no serial link"),
        (Wiring("sata"), None, "`sata` has no Ethernet port"),
        (Wiring(), 0, "every switch has 0 hosts"),
    ],
)
def test_refused(wiring: Wiring, hosts: int | None, sentence: str) -> None:
    with pytest.raises(KumiError, match=sentence):
        planned("ring", (3,), wiring, hosts)


def test_more_cables_than_links() -> None:
    with pytest.raises(KumiError, match="would need more than the 2 links of `link`"):
        planned("torus", (3, 3), Wiring("link", by="links"))
