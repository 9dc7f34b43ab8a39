# SPDX-License-Identifier: Apache-2.0
"""Linux's own virtio-net driver, in user-mode Linux, with the NIC in RTL as its card."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.guest import Guest, missing

if missing():
    pytest.fail(f"this test needs the Debian packages {' '.join(missing())}")

ONE = """
name: card
nodes:
  card: {design: nic, clocks: {clk: 250 MHz}, params: {PACKED: PACKED_RINGS}}
  echo: {design: udp_echo, ip: 10.77.0.2/24}
hosts:
  guest: {port: card.host, socket: guest.sock}
cables:
  - between: [card.eth0, echo.eth0]
"""

TWO = """
name: cards
nodes:
  left: {design: nic, clocks: {clk: 250 MHz}, params: {PACKED: 0}}
  right: {design: nic, clocks: {clk: 250 MHz}}
hosts:
  a: {port: left.host, socket: a.sock}
  b: {port: right.host, socket: b.sock}
cables:
  - {between: [left.eth0, right.eth0], rate: 100 Gb/s}
"""

UP = """
set -e
ip link set lo up
ip addr add 10.77.0.{host}/24 dev eth0
ip link set eth0 up
"""


@contextmanager
def served(
    folder: Path, text: str, record: Path | None = None, pcap: Path | None = None
) -> Iterator[Cluster]:
    """A cluster that runs by itself."""
    file = folder / "cluster.yaml"
    file.write_text(text)
    with Cluster(file, record=record, pcap=pcap) as cluster:
        thread = threading.Thread(target=cluster.serve)
        thread.start()
        try:
            yield cluster
        finally:
            cluster.engine.stop()
            thread.join(10)


@pytest.mark.parametrize("packed", [0, 1], ids=["split", "packed"])
def test_a_guest_uses_its_card(tmp_path: Path, packed: int) -> None:
    script = (
        UP.format(host=1)
        + """
features=$(cat /sys/bus/virtio/drivers/virtio_net/virtio*/features)
echo VIRTIO_F_RING_PACKED $(echo $features | cut -c35)
echo VIRTIO_NET_F_HASH_REPORT $(echo $features | cut -c58)
ping -c 3 -i 0.2 -W 20 10.77.0.2
ethtool -l eth0 | grep -c 'Combined:.*4'
ethtool -L eth0 combined 4
ethtool -l eth0 | tail -1
for mtu in 1500 4000 9000; do
  ip link set eth0 mtu $mtu
  ping -c 2 -i 0.2 -W 20 -s $((mtu - 28)) -M do 10.77.0.2
done
ethtool -S eth0 | grep tx_queue_0_packets
for what in rx-checksumming tx-checksumming tcp-segmentation-offload tx-tcp6-segmentation; do
  ethtool -k eth0 | grep "^[[:space:]]*$what: on"
done
ethtool -X eth0 equal 3
ethtool -x eth0 | grep '^ *120: *0 *1 *2'
ethtool -C eth0 rx-usecs 40 rx-frames 16 tx-usecs 40 tx-frames 16
ethtool -c eth0 | grep '^rx-usecs:.*40'
ping -c 2 -i 0.2 -W 20 10.77.0.2
ethtool -C eth0 rx-usecs 0 rx-frames 0 tx-usecs 0 tx-frames 1
modules=/usr/lib/uml/modules/$(uname -r)/kernel
for m in llc/llc 802/stp 802/garp 802/mrp 8021q/8021q; do insmod $modules/net/$m.ko; done
ip link add link eth0 name tagged type vlan id 7
ip addr add 10.77.0.9/32 dev tagged
ip link set tagged up
ip route add 10.77.0.2/32 dev tagged src 10.77.0.9
ping -c 2 -i 0.2 -W 20 10.77.0.2
ip link del tagged
for n in $(seq 40); do ip maddress add 33:33:00:00:01:$(printf %02x $n) dev eth0; done
ping -c 2 -i 0.2 -W 20 10.77.0.2
ip link set eth0 promisc on
ip link set eth0 down
ip link set eth0 address 02:00:00:00:12:34
for i in $(seq 20); do ip link set eth0 up; ip link set eth0 down; done
ip link set eth0 up
ping -c 2 -i 0.2 -W 20 10.77.0.2
rmmod virtio_net
insmod $modules/drivers/net/virtio_net.ko
sleep 0.3
ip addr add 10.77.0.1/24 dev eth0
ip link set eth0 up
ping -c 2 -i 0.2 -W 20 10.77.0.2
"""
    )
    recording = tmp_path / "run.kumirec"
    text = ONE.replace("PACKED_RINGS", str(packed))
    with served(tmp_path, text, recording) as cluster:
        with Guest(tmp_path / "guest.sock", script) as guest:
            said = guest.finish(90)
        stats = cluster.stats()
        digest = cluster.digest()
    lines = said.replace("\r", "").splitlines()
    assert f"VIRTIO_F_RING_PACKED {packed}" in lines
    assert "VIRTIO_NET_F_HASH_REPORT 1" in lines
    assert said.count(" 0% packet loss") == 9, said
    assert stats["hosts"]["guest"]["refused_accesses"] == 0
    assert stats["nodes"]["card"]["ports"]["host"]["protocol_errors"] == 0
    again = Cluster(tmp_path / "cluster.yaml", offline=True).replay(recording)
    assert again["equal"] and again["complete"]
    assert again["digest"] == digest


def test_two_guests_and_one_that_dies(tmp_path: Path) -> None:
    v6 = """
for m in lib/crc-ccitt net/ipv6/ipv6; do insmod /usr/lib/uml/modules/$(uname -r)/kernel/$m.ko; done
ip addr add fd00::{host}/64 dev eth0 nodad
"""
    serve = (
        UP.format(host=2)
        + v6.format(host=2)
        + "iperf3 -s -p 5201 & iperf3 -s -p 5202 & iperf3 -s -p 5203 & "
        + "iperf3 -s -p 5204 & iperf3 -s -p 5205 & iperf3 -s -p 5206 & "
        + "echo listening; sleep 300"
    )
    ask = (
        UP.format(host=1)
        + v6.format(host=1)
        + """
ping -c 2 -i 0.2 -W 20 10.77.0.2
iperf3 -c 10.77.0.2 -n 300K -f k
iperf3 -c 10.77.0.2 -p 5203 -n 300K -R -f k
ethtool -k eth0 | grep 'rx-gro-hw: on'
ip link set eth0 mtu 1500
packets=/sys/class/net/eth0/statistics/rx_packets
fetch() {
  before=$(cat $packets)
  iperf3 -c $1 -p $2 -n 300K -R -f k
  echo received $(($(cat $packets) - before)) packets
}
fetch 10.77.0.2 5204
fetch fd00::2 5205
ethtool -K eth0 rx-gro-hw off
fetch 10.77.0.2 5206
"""
    )
    wire = tmp_path / "wire.pcapng"
    with served(tmp_path, TWO, pcap=wire) as cluster:
        with Guest(tmp_path / "b.sock", serve) as server:
            server.wait_for("listening")
            with Guest(tmp_path / "a.sock", ask) as client:
                said = client.finish(120)
            assert said.count("receiver") == 5, said
            # 212 segments of 1448 bytes, most of them joined by the card, until it must not.
            *joined, single = map(int, re.findall(r"received (\d+) packets", said))
            assert len(joined) == 2 and single >= 212, said
            assert all(30 < packets < 190 for packets in joined), said
            # The plug of a guest is pulled while it sends; the next one finds a working card.
            dying = Guest(
                tmp_path / "a.sock",
                UP.format(host=1) + "echo begun; iperf3 -c 10.77.0.2 -p 5202 -t 100",
            )
            dying.wait_for("begun")
            dying.kill()
            dying.stop()
            with Guest(
                tmp_path / "a.sock", UP.format(host=1) + "ping -c 2 -W 20 10.77.0.2"
            ) as next_one:
                assert " 0% packet loss" in next_one.finish(60)
        assert cluster.stats()["hosts"]["a"]["connects"] == 3
    sums_on_the_wire(wire)


def sums_on_the_wire(wire: Path) -> None:
    """The guests left checksums and segmentation to their cards: tshark finds them all right."""
    words = ["tshark", "-n", "-r", str(wire), "-o", "tcp.check_checksum:TRUE"]
    words += ["-o", "ip.check_checksum:TRUE", "-T", "fields", "-e", "tcp.checksum.status"]
    words += ["-e", "ip.checksum.status", "-e", "ip.len", "-e", "ipv6.plen", "-Y", "tcp"]
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    seen = [line.split("\t") for line in lines]
    assert len(seen) > 100
    assert {tuple(fields[:2]) for fields in seen} == {("1", "1"), ("1", "")}  # IPv4, IPv6
    assert max(int(fields[2] or 0) for fields in seen) == 9000  # the MTU that the card offers
    assert max(int(fields[3] or 0) for fields in seen) == 1460
