# SPDX-License-Identifier: Apache-2.0
"""A switch and three endpoints, brought up by Debian's opensm; then packets between them."""

from __future__ import annotations

import contextlib
import io
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

from ib_packets import icrc, packet
from kumihimo.cli import ib as ib_command
from kumihimo.cluster import Cluster
from kumihimo.ib.port import Port
from kumihimo.ib.site import Site
from kumihimo.manager.agent import serving_cluster

HOSTS = ["a", "b", "c"]
LIMIT_S = 240.0
DOWN, INIT, ACTIVE = 1, 2, 4
NODE = "clocks: {clk: 125 MHz}, ip: none"
FILE = f"""\
name: ibfabric
nodes:
  a: {{design: ib_endpoint, {NODE}, params: {{AGENT: 1, DATA_VLS: 1}}}}
  b: {{design: ib_endpoint, {NODE}, params: {{AGENT: 1, DATA_VLS: 1}}}}
  c: {{design: ib_endpoint, {NODE}, params: {{AGENT: 1, DATA_VLS: 1}}}}
  sw:
    design: ib_switch
    clocks: {{clk: 125 MHz}}
    ip: none
    params: {{PORTS: 4, DATA_VLS: 1, MTU_CAP: 5, BLOCKS: 128, LFT_CAP: 64, MFT_CAP: 32}}
    open_ports: [p3, p5, p6, p7, p8]
cables:
  - {{between: [a, sw.p1], latency: 10 m, skew: 4 ns}}
  - {{between: [b, sw.p2], latency: 5 m}}
  - {{between: [c, sw.p4], latency: 20 m, skew: 8 ns}}
"""


def switch_states(site: Site) -> list[int]:
    """Port states of the switch, with the port that has no cable."""
    return [site.state(("sw", port)) for port in range(1, 5)]


@contextlib.contextmanager
def started(place: Path, timeout: float = 1e-3) -> Iterator[Site]:
    """The cluster with every link in Init, and the bridge with its simulated time-out."""
    file = place / "ibfabric.yaml"
    file.write_text(FILE)
    with Cluster(file, offline=True) as cluster:
        cluster.run("100 us")
        assert cluster["sw"].regs["ib_switch"]["shape"].get("ready") == 1
        site = Site(cluster, place, HOSTS, timeout=timeout, limit=LIMIT_S)
        try:
            assert len(site.states()) == 6 and set(site.states().values()) == {INIT}
            assert switch_states(site) == [INIT, INIT, DOWN, INIT]
            yield site
        finally:
            site.close()


def test_opensm_brings_a_switch_and_three_endpoints_up(tmp_path: Path) -> None:
    # opensm answers what b asks in its own time, however much of the cluster's passes meanwhile.
    with started(tmp_path, timeout=1.0) as site:
        cluster, switch = site.cluster, site.cluster["sw"].regs["ib_switch"]
        manager = site.manager("first.log")
        site.active("at first")
        found = site.run("ibnetdiscover")
        lids = {name: site.lid(name) for name in HOSTS}
        for name in HOSTS:  # PortCounters, by the agents
            counted = Port(cluster[name].regs["ib_port"]).counters()["rcv_pkts"]
            read = site.run("perfquery", str(lids[name]), "1", host="b")
            assert int(re.findall(r"PortRcvPkts:\.+(\d+)", read)[0]) >= counted > 5
            site.run("perfquery", "-R", str(lids[name]), "1", host="b")
            read = site.run("perfquery", str(lids[name]), "1", host="b")
            assert int(re.findall(r"PortRcvPkts:\.+(\d+)", read)[0]) < 5
        for name in HOSTS:
            record = site.run("saquery", str(lids[name]), host="b")
            assert re.search(rf"NodeDescription\.+{name}\s", record), record
        site.end(manager, signal.SIGKILL)
        manager = site.manager("second.log")
        site.active("with a second opensm")
        site.end(manager)
        for log in ("first.log", "second.log"):
            # At its exit opensm reports what it still waited for.
            assert "ERR " not in site.log(log).split("Exiting SM")[0]
        assert site.bridge.timeouts == 0
        links = re.findall(r'^\[(\d)\]\s+"H-[0-9a-f]{16}"\[1\].*# "(\w+)"', found, re.M)
        assert links == [("1", "a"), ("2", "b"), ("4", "c")], found
        assert lids == {name: site.lid(name) for name in HOSTS}
        assert len({*lids.values(), switch["lid"].read()} - {0}) == 4

        cluster.run("50 us")  # the first link packets
        sent = {
            (one, two): packet(f"{one} to {two}".encode() * 20, lids[two], lids[one], psn=n)
            for n, (one, two) in enumerate((x, y) for x in HOSTS for y in HOSTS if x != y)
        }
        for (one, _), data in sent.items():
            site.fabric.mailboxes[one].send(data)
        for _ in range(10):
            site.fabric.receive()
        for name in HOSTS:
            wanted = sorted(data + icrc(data) for (_, two), data in sent.items() if two == name)
            assert sorted(got.data for got in site.fabric.other[name]) == wanted
        with serving_cluster(cluster) as session, cluster.serving():
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown):
                code = ib_command.run(str(session.pid), False, True)
        rows = {row["name"]: row for row in json.loads(shown.getvalue())["ports"]}
        assert code == 0 and len(rows) == len(HOSTS) + 4
        for port, name in ((1, "a"), (2, "b"), (4, "c")):
            row = rows[f"sw.p{port}"]
            assert [row["neighbour"], row["port"]] == [f"{name}.p1", "Active"]
            assert (row["lid"], row["width"], row["lane_rate_bps"]) == (
                switch["lid"].read(), 4, 2.5e9,
            )  # fmt: skip
            assert rows[f"{name}.p1"]["lid"] == lids[name]
        assert (rows["sw.p3"]["neighbour"], rows["sw.p3"]["port"]) == ("", "Down")
        for counter in ("symbol_error", "rcv_errors", "rcv_switch_relay_errors", "xmit_discards"):
            assert switch[counter].read_all() == [0] * 8, counter


def test_a_cable_is_pulled_and_an_endpoint_reset(tmp_path: Path) -> None:
    """The switch's agent reports it by trap 128; opensm takes the port out and in again."""
    with started(tmp_path) as site:
        site.manager("first.log")
        site.active("at first")
        before = site.run("ibnetdiscover", "-H")
        assert '"c"' in before
        site.cluster.plug("c.p1", False)
        site.until(lambda: "num:128" in site.log("first.log"), "no trap 128")
        site.until(lambda: '"c"' not in site.run("ibnetdiscover", "-H"), "c is still there")
        assert switch_states(site) == [ACTIVE, ACTIVE, DOWN, DOWN]
        site.cluster.plug("c.p1", True)
        site.active("again")
        assert site.run("ibnetdiscover", "-H") == before
        site.cluster.reset("c")
        assert site.state(("c", 1)) != ACTIVE
        site.active("after the reset")
        assert site.run("ibnetdiscover", "-H") == before
