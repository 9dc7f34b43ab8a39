# SPDX-License-Identifier: Apache-2.0
"""Linux hosts with the NIC in RTL on a switch: the TCP engine as their server, and one another.

15 s. In the long run every offload on and off, a thousand times up and down, drivers that come and
go, and guests that are killed while they send.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.guest import Guest, missing
from kumihimo.testing.sizes import by_size
from wire import assert_tcp_sums, assert_well_formed, tshark

ABSENT = [name for name in ("curl", "iperf", "iperf3", "ethtool") if not shutil.which(name)]
if missing() or ABSENT:
    pytest.fail(f"this test needs the Debian packages {' '.join([*missing(), *ABSENT])}")

WAIT_S = 240.0
# The server is that of examples/demo.yaml.
CLUSTER = """
name: hosts
nodes:
  left: {design: nic, clocks: {clk: 250 MHz}}
  right: {design: nic, clocks: {clk: 250 MHz}}
  web:
    design: tcp_server
    ip: 10.77.0.30/24
    params: {SESSIONS: 64, GZIP: 1}
    timers: fast
    regs: {tcp.segment.mss: 8960}
hosts:
  a: {port: left.host, socket: a.sock}
  b: {port: right.host, socket: b.sock}
switches: {sw: {queue: 4 MiB}}
cables:
  - {between: [left.eth0, sw], rate: 10 Gb/s}
  - {between: [right.eth0, sw], rate: 10 Gb/s}
  - {between: [web.eth0, sw], rate: 10 Gb/s}
capture: [left]
"""
UP = """
set -e
ip link set lo up
ip addr add 10.77.0.{host}/24 dev eth0
ip link set eth0 up
"""
# What a host asks the TCP engine: a page, a file that is compressed there, a stream each way.
ASK = f"""
curl -sS --fail --max-time 120 -o page http://10.77.0.30/ && grep -q html page
seq 2000 > numbers
curl -sS --fail --max-time 120 --data-binary @numbers -o packed http://10.77.0.30/gzip
gunzip -c < packed | cmp - numbers
iperf -c 10.77.0.30 -n {by_size("100K", "1M")} -r -f m
"""
LISTEN = UP.format(host=2) + "iperf -s > /dev/null & iperf3 -s -D; echo listening; sleep 10000"
# A server that still ends the test before sends the next client away.
TALK = """
talk() { for try in $(seq 20); do iperf3 -c 10.77.0.2 "$@" && return; sleep 0.5; done; return 1; }
"""


@pytest.mark.long
def test_the_tcp_engine_and_another_host(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    wire = tmp_path / "wire.pcapng"
    amount = by_size("100K", "5M")
    script = UP.format(host=1) + ASK + TALK + f"talk -n {amount} -P 2; talk -n {amount} -P 2 -R"
    with (
        Cluster(tmp_path / "cluster.yaml", pcap=wire) as cluster,
        cluster.serving(),
        Guest(tmp_path / "b.sock", LISTEN) as other,
    ):
        other.wait_for("listening", WAIT_S)
        with Guest(tmp_path / "a.sock", script) as guest:
            said = guest.finish(WAIT_S)
        stats = cluster.stats()
        # A card's registers are its guest's.
        assert [cluster[name].has_registers for name in cluster] == [False, False, True]
    assert said.count("Mbits/sec") >= 2, said
    assert said.count("receiver") >= 4, said
    for name in ("left", "right"):
        assert stats["nodes"][name]["ports"]["host"]["protocol_errors"] == 0
    for name in ("a", "b"):
        assert stats["hosts"][name]["refused_accesses"] == 0
    assert_well_formed(wire)
    assert_tcp_sums(wire)
    assert len(tshark(wire, "tcp && ip.addr == 10.77.0.30 && tcp.len > 0")) > 20
    # The cards have cut what Linux gave them: no segment is longer than the engine wants them.
    longest = tshark(wire, "ip.dst == 10.77.0.30 && tcp", "tcp.len")
    assert 1000 < max(int(size) for size in longest) <= 8960


@pytest.mark.long(only=True)
def test_every_offload_on_and_off(tmp_path: Path) -> None:
    """With each set of offloads a file goes through the TCP engine, and to another host."""
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    wire = tmp_path / "wire.pcapng"
    names = ("tx", "tso", "gso", "rx")
    script = UP.format(host=1) + TALK
    for values in itertools.product(("on", "off"), repeat=len(names)):
        words = " ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))
        script += f"echo set {words}; ethtool -K eth0 {words}\n"
        script += ASK.replace("1M", "100K") + "talk -n 300K\n"
    with (
        Cluster(tmp_path / "cluster.yaml", pcap=wire) as cluster,
        cluster.serving(),
        Guest(tmp_path / "b.sock", LISTEN) as other,
    ):
        other.wait_for("listening", WAIT_S)
        with Guest(tmp_path / "a.sock", script) as guest:
            said = guest.finish(4 * WAIT_S)
    assert said.count("receiver") >= 2 ** len(names), said
    assert_well_formed(wire)
    assert_tcp_sums(wire)


@pytest.mark.long(only=True)
def test_a_thousand_times_up_and_down(tmp_path: Path) -> None:
    """And the driver unloaded and loaded a hundred times; then it works as before."""
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    script = (
        UP.format(host=1)
        + """
ping -c 2 -i 0.2 -W 20 10.77.0.30
for i in $(seq 1000); do ip link set eth0 down; ip link set eth0 up; done
ping -c 2 -i 0.2 -W 20 10.77.0.30
modules=/usr/lib/uml/modules/$(uname -r)/kernel
for i in $(seq 100); do rmmod virtio_net; insmod $modules/drivers/net/virtio_net.ko; done
for i in $(seq 50); do [ -e /sys/class/net/eth0 ] && break; sleep 0.1; done
ip addr add 10.77.0.1/24 dev eth0
ip link set eth0 up
ping -c 2 -i 0.2 -W 20 10.77.0.30
"""
        + ASK
    )
    with Cluster(tmp_path / "cluster.yaml") as cluster, cluster.serving():
        with Guest(tmp_path / "a.sock", script) as guest:
            said = guest.finish(4 * WAIT_S)
        stats = cluster.stats()
    assert said.count(" 0% packet loss") == 3, said
    assert stats["hosts"]["a"]["refused_accesses"] == 0
    assert stats["nodes"]["left"]["ports"]["host"]["protocol_errors"] == 0


@pytest.mark.long(only=True)
def test_guests_that_are_killed_while_they_send(tmp_path: Path) -> None:
    """The other host and the TCP engine go on; each next guest finds a card that works."""
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    both = "iperf -c 10.77.0.30 -t 1000 & iperf -c 10.77.0.2 -t 1000"
    send = UP.format(host=1) + both
    with (
        Cluster(tmp_path / "cluster.yaml") as cluster,
        cluster.serving(),
        Guest(tmp_path / "b.sock", LISTEN) as other,
    ):
        other.wait_for("listening", WAIT_S)
        for _ in range(10):
            dying = Guest(tmp_path / "a.sock", send)
            try:
                for server in ("10.77.0.30", "10.77.0.2"):
                    dying.wait_for(f"connected with {server}", WAIT_S)
                dying.kill()
            finally:
                dying.stop()
        with Guest(tmp_path / "a.sock", UP.format(host=1) + ASK + "ping -c 2 10.77.0.2") as guest:
            assert " 0% packet loss" in guest.finish(WAIT_S)
        assert cluster.stats()["hosts"]["a"]["connects"] == 11
        assert other.running
