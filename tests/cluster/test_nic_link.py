# SPDX-License-Identifier: Apache-2.0
"""Two Linux hosts on boards with serial links: each VLAN of their cards is a circuit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.guest import Guest, missing
from kumihimo.link.planner import plan_file
from kumihimo.manager.board import MmioBoard
from kumihimo.manager.configure import configure
from kumihimo.manager.setup import setups
from kumihimo.testing.sizes import by_size

if missing() or not shutil.which("iperf3"):
    absent = " ".join([*missing(), *([] if shutil.which("iperf3") else ["iperf3"])])
    pytest.fail(f"this test needs the Debian packages {absent}")

WAIT_S = 300.0
CLUSTER = """
name: link_cards
defaults:
  node:
    design: link_card
    clocks: {clk: 156.25 MHz}
    ip: none
    open_ports: [l0_1, l0_2, l0_3, l1_0, l1_1, l1_2, l1_3]
  cable: {latency: 100 ns}
nodes: {east: {regs: {echo.port: 7007}}, west: {}}
hosts:
  a: {port: east.host, socket: a.sock}
  b: {port: west.host, socket: b.sock}
cables:
  - {between: [east.l0_0, west.l0_0]}
"""
# `control` is channel 1 in the east and, behind the circuit to a kernel, channel 2 in the west.
PLAN = """
name: link_cards
topology: {cluster: cluster.yaml, host_ports: 2}
slots: 32
guard: 8
follow: east
channels: 4
circuits:
  - {name: data, from: east.host0, to: west.host0, slots: 16, both_ways: true}
  - {name: kernel, from: west.host0, to: east.host1, slots: 2, both_ways: true}
  - {name: control, from: east.host0, to: west.host0, slots: 4, both_ways: true}
"""
UP = """
set -e
modules=/usr/lib/uml/modules/$(uname -r)/kernel/net
for m in llc/llc 802/stp 802/garp 802/mrp 8021q/8021q; do insmod $modules/$m.ko; done
ip link set lo up
ip addr add 10.77.0.{host}/24 dev eth0
ip link set eth0 up
ip link add link eth0 name control type vlan id {host}
ip addr add 10.78.0.{host}/24 dev control
ip link set control up
"""
ASK = f"""
ping -c 2 -i 0.2 -W 60 10.77.0.2
ping -c 2 -i 0.2 -W 60 10.78.0.2
ping -c 1 -s 8000 -W 60 10.77.0.2
iperf3 -c 10.77.0.2 -n {by_size("200K", "2M")}
ip link add link eth0 name nowhere type vlan id 9
ip addr add 10.79.0.1/24 dev nowhere
ip link set nowhere up
! ping -c 1 -W 1 10.79.0.2
"""


@pytest.mark.long(only=True)
def test_two_hosts_over_circuits(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / "plan.yaml").write_text(PLAN)
    plan = plan_file(tmp_path / "plan.yaml")
    with Cluster(tmp_path / "cluster.yaml") as cluster:
        cluster.run("100 us")  # links train
        assert cluster["east"].regs.echo.port.read() == 7007
        boards = [MmioBoard(n.name, n.mmio) for n in cluster.values()]
        reports = configure(boards, setups([b.name for b in boards], plan), 300, parallel=1)
        assert [r.problem for r in reports] == ["", ""]
        listen = UP.format(host=2) + "iperf3 -s -D; echo listening; sleep 10000"
        with cluster.serving(), Guest(tmp_path / "b.sock", listen) as other:
            other.wait_for("listening", WAIT_S)
            with Guest(tmp_path / "a.sock", UP.format(host=1) + ASK) as guest:
                said = guest.finish(WAIT_S)
        assert said.count(" 0% packet loss") == 3, said
        assert "receiver" in said
        east, west = (cluster[name].regs.circuit for name in ("east", "west"))
        for end, other_end in ((east, west), (west, east)):
            assert end.sent.read(0) == other_end.good.read(0) > 20
            for what in ("bad", "truncated", "full"):
                assert [end[what].read(n) for n in range(5)] == [0] * 5, what
        assert east.sent.read(1) == west.good.read(2) >= 4
        assert west.sent.read(2) == east.good.read(1) >= 4
        # What a host sends to a VLAN that is no circuit goes nowhere, and is counted.
        assert east.dropped.read(0) > 0 and west.dropped.read(0) == 0
