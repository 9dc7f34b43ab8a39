# SPDX-License-Identifier: Apache-2.0
"""Channels of a node from Python: the four of the Ethernet controller, and what can go wrong."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster, Node
from kumihimo.cluster.channel import ChannelBroken, ChannelError, ChannelTimeout
from kumihimo.common.errors import KumiError
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgReader
from wire import ROOT

EXAMPLE = ROOT / "examples" / "eth_channels.yaml"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """The example's two nodes."""
    with Cluster(EXAMPLE) as running:
        yield running


def address(node: Node) -> int:
    """Its MAC address as a number."""
    return int(node.mac.replace(":", ""), 16)


def send(node: Node, to: int, data: bytes) -> None:
    """One message through the channels."""
    node.channel("set_dest_addr_count").write({"addr": to, "count": len(data)})
    node.channel("send_data").write(data)


def test_messages_both_ways(cluster: Cluster) -> None:
    """Any length arrives as it was sent, in order, with a record that tells sender and length."""
    alice, bob = cluster["alice"], cluster["bob"]
    rng = random.Random(4)
    for here, there in ((alice, bob), (bob, alice)):
        sizes = [1, 31, 32, 33, 9192, 9193, 70_000, *(rng.randint(1, 3000) for _ in range(10))]
        sent = [rng.randbytes(size) for size in sizes]
        for data in sent:
            send(here, address(there), data)
        for data in sent:
            assert there.channel("receive_data").read(timeout="300 us") == data
        records = there.channel("receive_info").read_all()
        assert [r["left"] for r in records] == sizes
        assert {r["addr"] for r in records} == {address(here)}
    assert alice.regs.eth_port.counters()["tx_message"] == 17


def test_own_address(cluster: Cluster) -> None:
    """The address comes from the cluster file until the channel says otherwise."""
    alice, bob = cluster["alice"], cluster["bob"]
    alice.channel("set_source_addr").write(0x020000001234)
    cluster.run("1 us")
    send(alice, address(bob), b"from elsewhere")
    assert bob.channel("receive_data").read() == b"from elsewhere"
    assert bob.channel("receive_info").read()["addr"] == 0x020000001234
    send(bob, address(alice), b"not for the new address")
    with pytest.raises(ChannelTimeout, match="Nothing came out of the channel receive_data"):
        alice.channel("receive_data").read(timeout="20 us")
    assert alice.regs.eth_port.counters("rx_counters")["rx_not_ours"] == 1


def test_a_broken_message(cluster: Cluster) -> None:
    """A message whose end never came is reported as broken; the next one is whole."""
    alice, bob = cluster["alice"], cluster["bob"]
    data = bytes(30_000)
    alice.channel("set_dest_addr_count").write(addr=address(bob), count=40_000)
    alice.channel("send_data").write(data)  # less than its record said
    send(alice, address(bob), b"the next one")
    cluster.run("100 us")
    with pytest.raises(ChannelBroken, match="was aborted after") as told:
        bob.channel("receive_data").read()
    assert data.startswith(told.value.data[:-1])
    assert bob.channel("receive_data").read() == b"the next one"
    assert alice.regs.eth_port.counters()["tx_short"] == 1
    assert bob.regs.eth_port.counters("rx_counters")["rx_broken"] == 1


def test_mistakes_are_told(cluster: Cluster) -> None:
    """Each ends with a sentence and changes nothing."""
    alice = cluster["alice"]
    with pytest.raises(KumiError, match="no channel send_dat") as told:
        alice.channel("send_dat")
    assert "send_data" in str(told.value.hint)
    dest = alice.channel("set_dest_addr_count")
    for call, text in (
        (lambda: alice.channel("send_data").read(), "can only be written"),
        (lambda: alice.channel("receive_data").write(b"x"), "can only be read"),
        (lambda: alice.channel("send_data").write(b""), "1 to"),
        (lambda: alice.channel("send_data").write(5), "write bytes"),
        (lambda: dest.write(b"abc"), "number or fields"),
        (lambda: dest.write(adr=1), "have no adr.*addr"),
        (lambda: dest.write(count=1 << 32), "count has 32 bits"),
        (lambda: dest.write(1 << 80), "has 80 bits"),
        (lambda: alice.channel("set_source_addr").write(addr=1), "no fields"),
    ):
        with pytest.raises(ChannelError, match=text):
            call()
    cluster.run("5 us")
    assert alice.regs.eth_port.counters()["tx_frame"] == 0
    assert repr(dest) == "<channel set_dest_addr_count of alice: records, write>"


def test_capture_and_replay(tmp_path: Path) -> None:
    """A capture holds the Ethernet frames only; a recording replays what Python wrote."""
    pcap, record = tmp_path / "c.pcapng", tmp_path / "c.kumirec"
    with Cluster(EXAMPLE, pcap=pcap, record=record) as cluster:
        send(cluster["alice"], address(cluster["bob"]), bytes(range(200)))
        cluster.run("10 us")
        digest = cluster.digest()
    with PcapNgReader(str(pcap)) as reader:
        frames = [Ether(bytes(packet)) for packet in reader]
    assert len(frames) == 1 and frames[0].type == 0x88B5
    assert bytes(frames[0].payload)[10:210] == bytes(range(200))
    result = Cluster(EXAMPLE).replay(record)
    assert result["equal"] and result["digest"] == digest


def test_while_serving(cluster: Cluster) -> None:
    """Channels work while another thread runs the cluster."""
    alice, bob = cluster["alice"], cluster["bob"]
    with cluster.serving():
        for number in range(3):
            send(alice, address(bob), bytes([number]) * 100)
            assert bob.channel("receive_data").read(timeout="1 s") == bytes([number]) * 100


def test_the_example() -> None:
    """It runs to its end."""
    argv = [sys.executable, str(EXAMPLE.with_suffix(".py"))]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "100,000 bytes there and back" in done.stdout and "frames: 16" in done.stdout
