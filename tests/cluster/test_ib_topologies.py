# SPDX-License-Identifier: Apache-2.0
"""Fabrics of several switches under Debian's opensm, RTL and the model of the switch."""

from __future__ import annotations

import contextlib
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.bench.core import Progress
from kumihimo.bench.ib import fabric
from kumihimo.cli.app_new import new_app
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import ClusterFileError, plan
from kumihimo.common import topology
from kumihimo.common.errors import KumiError
from kumihimo.ib import topology as fabrics
from kumihimo.ib.discover import links, plan_links
from kumihimo.ib.site import Site
from kumihimo.ib.topology import Topology, fabric_text
from kumihimo.testing.sizes import by_size
from typer.testing import CliRunner


@contextlib.contextmanager
def site(folder: Path, made: Topology, text: str) -> Iterator[Site]:
    """A running fabric with every link in Init, and programs at its first two endpoints."""
    file = folder / "fabric.yaml"
    file.write_text(text)
    with Cluster(file, offline=True) as cluster:
        cluster.run("100 us")
        running = Site(cluster, folder, made.hosts[:2])
        try:
            assert set(running.states().values()) == {2}
            yield running
        finally:
            running.close()


@pytest.mark.parametrize(
    "shape,size,hosts,switches,endpoints,cables",
    [
        ("fat-tree", [4, 3], None, 20, 16, 48),
        ("fat-tree", [4, 2], 1, 6, 4, 12),
        ("fat-tree", [2], None, 5, 2, 6),
        ("ring", [2], 2, 2, 4, 5),
        ("ring", [5], None, 5, 5, 10),
        ("mesh", [3, 2], 1, 6, 6, 13),
        ("dragonfly", [4, 3], None, 12, 12, 30),
    ],
)
def test_the_generator(
    tmp_path: Path, shape: str, size: list[int], hosts: int | None, switches: int,
    endpoints: int, cables: int,
) -> None:  # fmt: skip
    """Numbers of switches, endpoints and cables; the file is right; every node is reached."""
    made = fabrics.make(shape, size, hosts)
    assert (len(made.switches), len(made.hosts), len(made.cables)) == (switches, endpoints, cables)
    file = tmp_path / "fabric.yaml"
    file.write_text(fabric_text(made, "model"))
    assert plan_links(plan(file)) == made.links
    reached, before = {made.hosts[0]}, 0
    while len(reached) > before:
        before = len(reached)
        for one, two in made.cables:
            if {one[0], two[0]} & reached:
                reached |= {one[0], two[0]}
    assert reached == {*made.switches, *made.hosts}


@pytest.mark.parametrize(
    "shape,size,hosts,text",
    [
        ("cube", [4], None, "There is no shape `cube`"),
        ("ring", [1], None, "switches must be at least 2, not 1"),
        ("ring", [3, 3], None, "The size of a ring is: switches"),
        ("ring", [3], 7, "Switch s0 would need 9 ports; a switch has 8"),
        ("fat-tree", [5], None, "an even number of ports, not 5"),
        ("fat-tree", [4, 4], None, "2 or 3 levels, not 4"),
        ("fat-tree", [4], 3, "0 to 2 endpoints, not 3"),
    ],
)
def test_mistakes_of_the_generator(
    shape: str, size: list[int], hosts: int | None, text: str
) -> None:
    with pytest.raises(KumiError, match=re.escape(text)):
        fabrics.make(shape, size, hosts)


def test_the_command(tmp_path: Path) -> None:
    """`kumi new fabric` writes what the generator makes, and never over a file."""
    file = tmp_path / "fabric.yaml"
    words = ["fabric", "mesh", "3x2", "--hosts", "2", "--model", "--file", str(file)]
    done = CliRunner().invoke(new_app, words)
    assert done.exit_code == 0 and "6 switches, 12 endpoints, 19 cables" in done.output
    assert file.read_text() == fabric_text(topology.mesh(3, 2, 2), "model")
    assert CliRunner().invoke(new_app, words).exit_code != 0
    assert CliRunner().invoke(new_app, ["fabric", "mesh", "3y2"]).exit_code != 0


def test_what_has_no_model(tmp_path: Path) -> None:
    file = tmp_path / "fabric.yaml"
    text = fabric_text(topology.ring(2))
    file.write_text(text.replace("design: ib_endpoint", "design: ib_endpoint, detail: model", 1))
    with pytest.raises(ClusterFileError, match="no model of `ib_endpoint`, only of `ib_switch`"):
        plan(file)
    file.write_text(text.replace("detail: rtl", "detail: model, trace: true", 1))
    with pytest.raises(ClusterFileError, match="a model has no waveforms"):
        plan(file)


@pytest.mark.long(only=True)
def test_opensm_brings_three_switches_up(tmp_path: Path) -> None:
    """Switches in RTL and models in a circle; every tool's answer against the registers.

    In the long run only one switch is a model, and every node and port is asked.
    """
    made = topology.ring(3)
    text = fabric_text(made, "model")
    for name in by_size(["s1"], ["s0", "s1"]):
        text = re.sub(rf"( {name}:\n +{{design: ib_switch, detail): model", r"\1: rtl", text)
    assert text.count("detail: model") == by_size(2, 1)
    with site(tmp_path, made, text) as s:
        manager = s.manager("first.log")
        s.active("at first")
        assert links(s.run("ibnetdiscover")) == made.links
        lids = s.lids()
        assert len({*lids.values()} - {0}) == len(lids)
        tables = s.routes()
        for start in s.endpoints:
            for to in (*s.endpoints, *s.switches):
                if to != start:
                    assert len(s.path(tables, start, to)) <= 4
        shown = s.run("iblinkinfo")
        assert len(re.findall(r"4X\s+2\.5 Gbps Active/  LinkUp", shown)) == 2 * len(made.cables)
        for name in by_size(("s1", "s2", "h2"), (*s.switches, *s.endpoints)):
            said = s.run("smpquery", "nodedesc", str(lids[name]))
            assert re.search(rf"Node Description:\.+{name}\s", said)
            record = s.run("saquery", str(lids[name]))
            assert re.search(rf"NodeDescription\.+{name}\s", record)
        for name in by_size(("s1", "s2"), s.switches):
            for port in range(1, by_size(1, made.ports[name]) + 1):
                counted = s.cluster[name].regs["ib_switch"]["rcv_pkts"].read(port - 1)
                read = s.run("perfquery", str(lids[name]), str(port))
                assert int(re.findall(r"PortRcvPkts:\.+(\d+)", read)[0]) >= counted > 5
        assert f"sm lid {lids['h0']} " in s.run("sminfo")
        s.end(manager, signal.SIGKILL)
        s.manager("second.log")
        s.active("with a second opensm")
        assert s.bridge.timeouts == 0 and "ERR " not in s.log("first.log")

        # The switch in RTL leaves and comes back while opensm runs.
        ends = [f"s1.p{n}" for n in range(1, made.ports["s1"] + 1)]
        for end in ends:
            s.cluster.plug(end, False)
        left = {link for link in made.links if not any(name == "s1" for name, _ in link)}
        s.until(lambda: s.discovered() == left, "s1 is still there")
        for end in ends:
            s.cluster.plug(end, True)
        s.active("again")
        s.until(s.discover_equal, "s1 is not found again")


@pytest.mark.long(only=True)
def test_a_fat_tree_of_twenty_switches() -> None:
    """The bench: opensm restarted, SMPs lost, a switch plugged in while it runs."""
    result = fabric.run(Progress.silent(), quick=True)
    assert not result.missed()
    row = result.rows[0]
    assert (row["switches"], row["endpoints"], row["lids"]) == (20, 8, 28)
