# SPDX-License-Identifier: Apache-2.0
"""QEMU guests with the NIC in RTL as their card: two processors, four pairs of queues, MSI-X.

The same script at DPDK's back end is the reference. 15 s each. In the long run also with
split rings, and two guests that talk over TCP.
"""

from __future__ import annotations

import functools
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kumihimo.cluster import Cluster
from kumihimo.guest import CardGuest, TestpmdProcess, dpdk
from kumihimo.guest.card import missing
from wire import assert_tcp_sums, assert_well_formed, tshark

if absent := [*missing(), *dpdk.missing()]:
    pytest.fail(f"this test needs the Debian packages {' '.join(absent)}")

WAIT_S = 180.0
ONE = """
name: card
nodes:
  card: {design: nic, clocks: {clk: 250 MHz}}
  echo: {design: udp_echo, ip: 10.77.0.2/24}
hosts:
  guest: {port: card.host, socket: guest.sock}
cables:
  - between: [card.eth0, echo.eth0]
"""
TWO = """
name: cards
nodes:
  left: {design: nic, clocks: {clk: 250 MHz}}
  right: {design: nic, clocks: {clk: 250 MHz}}
hosts:
  a: {port: left.host, socket: a.sock}
  b: {port: right.host, socket: b.sock}
switches: {sw: {queue: 4 MiB}}
cables:
  - {between: [left.eth0, sw], rate: 100 Gb/s}
  - {between: [right.eth0, sw], rate: 100 Gb/s}
"""
UP = """
set -e
ip addr add 10.77.0.{host}/24 dev eth0
ip link set eth0 mtu 9000 up
"""
SCRIPT = (
    UP.format(host=1)
    + """
# busybox's shell would take its own ping.
echo processors $(nproc)
features=$(cat /sys/bus/virtio/drivers/virtio_net/virtio*/features)
echo features $features
echo VIRTIO_F_RING_PACKED $(echo $features | cut -c35)
ethtool -L eth0 combined 4
/tools/ping -c 3 -i 0.2 -W 60 10.77.0.2
# Each processor sends by queues of its own.
for n in 0 1; do taskset $((n + 1)) /tools/ping -c 2 -i 0.2 -W 60 -s 8000 -M do 10.77.0.2; done
ethtool -L eth0 combined 1
/tools/ping -c 2 -i 0.2 -W 60 10.77.0.2
ip link set eth0 down
ip link set eth0 up
/tools/ping -c 2 -i 0.2 -W 60 10.77.0.2
ethtool -L eth0 combined 4
ethtool -S eth0
for show in k l g c x; do ethtool -$show eth0; done
ip -o link show dev eth0
grep virtio0 /proc/interrupts
"""
)


def statistics(said: str) -> dict[str, int]:
    """What `ethtool -S` shows."""
    return {name: int(n) for name, n in re.findall(r"^\s+(\w+): (\d+)", said, re.MULTILINE)}


@dataclass
class Run:
    """What the script has printed at the card, and the cluster that it was in."""

    folder: Path
    said: str
    stats: dict[str, Any]
    digest: int


@functools.cache
def at_the_card(folder: Path, packed: bool) -> Run:
    """The script with the node as its card; once for all tests."""
    (folder / "cluster.yaml").write_text(ONE)
    record, pcap = folder / "run.kumirec", folder / "wire.pcapng"
    with (
        Cluster(folder / "cluster.yaml", record=record, pcap=pcap) as cluster,
        cluster.serving(),
    ):
        with CardGuest(folder / "guest.sock", SCRIPT, packed=packed) as guest:
            said = guest.finish(WAIT_S).replace("\r", "")
        return Run(folder, said, cluster.stats(), cluster.digest())


RINGS = pytest.mark.parametrize(
    "packed",
    [pytest.param(False, marks=pytest.mark.long(only=True)), True],
    ids=["split", "packed"],
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """Of the runs with split and with packed rings."""
    return {packed: tmp_path_factory.mktemp("card") for packed in (False, True)}


@pytest.mark.long
@RINGS
def test_two_processors_and_four_pairs(folders: dict[bool, Path], packed: bool) -> None:
    run = at_the_card(folders[packed], packed)
    assert "processors 2" in run.said
    assert f"VIRTIO_F_RING_PACKED {int(packed)}" in run.said
    assert run.said.count(" 0% packet loss") == 5, run.said
    # Echo requests to one address are one flow, so their answers come by one queue, and by the
    # first while there is only that one.
    seen = statistics(run.said)
    used = [n for n in range(4) if seen[f"rx_queue_{n}_packets"] > 2]
    assert len(used) == 2, seen
    assert 0 in used
    vectors = re.findall(r"PCI-MSI.*virtio0-(input|output)\.(\d)", run.said)
    assert len(set(vectors)) == 8, run.said
    assert run.stats["hosts"]["guest"]["refused_accesses"] == 0
    assert run.stats["nodes"]["card"]["ports"]["host"]["protocol_errors"] == 0
    wire = run.folder / "wire.pcapng"
    assert_well_formed(wire)
    assert max(int(size) for size in tshark(wire, "icmp", "ip.len")) == 8028
    cluster = Cluster(run.folder / "cluster.yaml", offline=True)
    again = cluster.replay(run.folder / "run.kumirec")
    assert again["equal"] and again["complete"]
    assert again["digest"] == run.digest


# Bits of features in which DPDK's back end and the card differ.
GUEST_ECN, GUEST_UFO, HOST_UFO, GUEST_ANNOUNCE, RING_RESET = 9, 10, 14, 21, 40
KNOWN = {
    # The card joins no received segments with ECE or CWR; nothing knows UDP fragmentation but DPDK.
    *(GUEST_ECN, GUEST_UFO, HOST_UFO),
    *(GUEST_ANNOUNCE, RING_RESET),
}
OTHERWISE = (
    "rtt ",
    "features ",
)


def features(said: str) -> set[int]:
    """Bits that the guest's driver has accepted."""
    (word,) = re.findall(r"^features ([01]+)$", said, re.MULTILINE)
    return {n for n, bit in enumerate(word) if bit == "1"}


def comparable(said: str) -> list[str]:
    """What must not depend on who the card is: all but times, counts, and which queue it was."""
    _, _, text = said.partition("processors")
    lines = []
    for line in text.splitlines():
        line = re.sub(r", time \d+ms|time=[\d.]+ ms", "", line)
        line = re.sub(r"^ *\d+: +\d+ +\d+ +", "", line)  # interrupts
        if not line.startswith(OTHERWISE) and not re.match(r"\s+[rt]x_queue_\d", line):
            lines.append(line)
    return lines


@pytest.mark.long(only=True)
@RINGS
def test_the_reference_is_no_different(
    folders: dict[bool, Path], tmp_path: Path, packed: bool
) -> None:
    """The same script at a back end that is not ours: DPDK's, whose testpmd answers pings."""
    path = tmp_path / "reference.sock"
    device = f"net_vhost0,iface={path},queues=4,tso=1"
    with TestpmdProcess(device, ["--forward-mode=icmpecho", "-a"], queues=4) as reference:
        reference.wait_ready()
        with CardGuest(path, SCRIPT, packed=packed) as guest:
            theirs = guest.finish(WAIT_S).replace("\r", "")
        reference.quit()
    ours = at_the_card(folders[packed], packed).said
    assert comparable(theirs) == comparable(ours)
    assert len(comparable(ours)) > 100
    assert features(theirs) ^ features(ours) <= KNOWN


@pytest.mark.long(only=True)
def test_a_guest_ends_when_told(tmp_path: Path) -> None:
    """And the card is there for the next one."""
    (tmp_path / "cluster.yaml").write_text(ONE)
    with Cluster(tmp_path / "cluster.yaml") as cluster, cluster.serving():
        with CardGuest(tmp_path / "guest.sock", "echo here; sleep 1000", pairs=1) as guest:
            guest.wait_for("here", WAIT_S)
            start = time.monotonic()
            guest.stop()
            assert time.monotonic() - start < 2
            assert not guest.running
        end = time.monotonic() + 10
        while cluster.stats()["hosts"]["guest"]["connected"]:
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.mark.long(only=True)
@pytest.mark.parametrize("packed", [False, True], ids=["split", "packed"])
def test_two_guests_through_the_switch(tmp_path: Path, packed: bool) -> None:
    (tmp_path / "cluster.yaml").write_text(TWO)
    wire = tmp_path / "wire.pcapng"
    serve = UP.format(host=2) + "iperf3 -s -1; iperf3 -s -1; echo served"
    ask = UP.format(host=1) + (
        "ethtool -L eth0 combined 4\n"
        "until ping -c 1 -W 5 10.77.0.2; do :; done\n"
        "until iperf3 -c 10.77.0.2 -n 2M -P 4; do sleep 1; done\nsleep 1\n"
        "iperf3 -c 10.77.0.2 -n 2M -P 4 -R\n"
    )
    with (
        Cluster(tmp_path / "cluster.yaml", pcap=wire) as cluster,
        cluster.serving(),
        CardGuest(tmp_path / "b.sock", serve, packed=packed, mac="02:bb:00:00:00:02") as server,
        CardGuest(tmp_path / "a.sock", ask, packed=packed) as client,
    ):
        said = client.finish(2 * WAIT_S)
        server.finish(WAIT_S)
    assert said.count("receiver") >= 2, said
    assert_well_formed(wire)
    assert_tcp_sums(wire)
