# SPDX-License-Identifier: Apache-2.0
"""DPDK's own virtio driver (testpmd, virtio_user, no huge pages) with the NIC in RTL as its card.

5 s for each kind of ring. In the long run with eight pairs of queues, and for longer.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.guest import TestpmdProcess
from kumihimo.guest.dpdk import missing
from kumihimo.testing.sizes import by_size
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

if missing():
    pytest.fail(f"this test needs the Debian packages {' '.join(missing())}")

PAIRS = by_size(4, 8)
BURSTS = 4  # what is under way has place in the rings
ROUNDS = by_size(1, 8)
FLOOD = by_size(2_000, 20_000)  # frames
WAIT_S = 60.0
CLUSTER = f"""
name: cards
nodes:
  left: {{design: nic, clocks: {{clk: 250 MHz}}, params: {{PAIRS: {PAIRS}}}}}
  right: {{design: nic, clocks: {{clk: 250 MHz}}, params: {{PAIRS: {PAIRS}}}}}
hosts:
  a: {{port: left.host, socket: a.sock}}
  b: {{port: right.host, socket: b.sock}}
cables:
  - {{between: [left.eth0, right.eth0], rate: 100 Gb/s}}
"""
# Of the Toeplitz hash's specification (RSS, "Verifying the RSS Hash Calculation"): source and
# target of a TCP segment, and its hash with the key that the card begins with.
VECTORS = (
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x51CCC178),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xC626B0EA),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0x5C2B394A),
    ("38.27.205.30", 48228, "209.142.163.6", 2217, 0xAFC7327F),
    ("153.39.163.191", 44251, "202.188.127.2", 1303, 0x10E828A2),
    ("3ffe:2501:200:1fff::7", 2794, "3ffe:2501:200:3::1", 1766, 0x40207D3D),
    ("3ffe:501:8::260:97ff:fe40:efab", 14230, "ff02::1", 4739, 0xDDE51BBF),
    (
        *("3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251),
        *("fe80::200:f8ff:fe21:67cf", 38024, 0x02D1FEEF),
    ),
)
ONE = f"""
name: card
nodes:
  card: {{design: nic, clocks: {{clk: 250 MHz}}, params: {{PAIRS: {PAIRS}}}}}
hosts:
  host: {{port: card.host, socket: host.sock}}
peers:
  wire: {{socket: wire.sock}}
cables:
  - {{between: [card.eth0, wire]}}
"""


def begin(path: Path, packed: int) -> TestpmdProcess:
    """A testpmd at a card, with a queue of each pair on its one core."""
    device = f"net_virtio_user0,path={path},queues={PAIRS},queue_size=256,packed_vq={packed}"
    options = ["--forward-mode=rxonly", "-a", "--txonly-multi-flow"]
    return TestpmdProcess(device, options, queues=PAIRS)


def settle(cluster: Cluster, name: str) -> None:
    """Wait until the port has done what the driver asked for last: pairs come one by one."""
    end = time.monotonic() + WAIT_S
    seen: list[int] = []
    while len(seen) < 10 or seen[-10] != seen[-1]:
        assert time.monotonic() < end, "messages without an end"
        seen.append(cluster.stats()["hosts"][name]["messages"])
        time.sleep(0.05)


def mode(testpmd: TestpmdProcess, name: str, start: str = "start") -> None:
    """Let it do something else; when this returns, it does."""
    begun = f"{name} packet forwarding packets/burst"
    before = testpmd.output.count(begun)
    testpmd.say("stop")
    testpmd.say(f"set fwd {name}")
    testpmd.say(start)
    testpmd.wait_for(begun, WAIT_S, before + 1)


def until(testpmd: TestpmdProcess, what: Callable[[dict[str, int]], bool]) -> dict[str, int]:
    """Its counters, once they are as they should be."""
    end = time.monotonic() + WAIT_S
    while not what(counters := testpmd.counters(WAIT_S)):
        assert time.monotonic() < end, {name: n for name, n in counters.items() if n}
        time.sleep(0.1)
    return counters


def received(number: int) -> Callable[[dict[str, int]], bool]:
    """Whether as many frames were, or more."""
    return lambda seen: seen["rx_good_packets"] >= number


def per_queue(counters: dict[str, int], direction: str) -> list[int]:
    """Frames of each queue."""
    return [counters[f"{direction}_q{n}_good_packets"] for n in range(PAIRS)]


def frames(wire: Path) -> list[list[str]]:
    """Addresses, ports and checksum status of each frame on the wire."""
    words = ["tshark", "-n", "-r", str(wire), "-o", "ip.check_checksum:TRUE", "-T", "fields"]
    for name in ("eth.src", "eth.dst", "ip.src", "ip.dst", "udp.srcport", "udp.dstport"):
        words += ["-e", name]
    words += ["-e", "ip.checksum.status", "-Y", "udp"]
    shown = subprocess.run(words, check=True, capture_output=True, text=True, timeout=300)
    return [line.split("\t") for line in shown.stdout.splitlines()]


@pytest.mark.long
@pytest.mark.parametrize("packed", [0, 1], ids=["split", "packed"])
def test_testpmd_forwards(tmp_path: Path, packed: int) -> None:
    """Modes io and macswap lose nothing, and with txonly all rings go round."""
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    wire = tmp_path / "wire.pcapng"
    sent = 32 * PAIRS * BURSTS
    with (
        Cluster(tmp_path / "cluster.yaml", pcap=wire) as cluster,
        cluster.serving(),
        begin(tmp_path / "b.sock", packed) as right,
        begin(tmp_path / "a.sock", packed) as left,
    ):
        left.wait_ready(WAIT_S)
        right.wait_ready(WAIT_S)
        settle(cluster, "a")
        settle(cluster, "b")
        back: dict[str, int] = {}
        for number in range(2 * ROUNDS):
            if number % ROUNDS == 0:
                mode(right, ("io", "macswap")[number // ROUNDS])
            mode(left, "rxonly", f"start tx_first {BURSTS}")
            back = until(left, received((number + 1) * sent))
        there = right.counters(WAIT_S)
        assert cluster.stats()["hosts"]["a"]["features"] >> 34 & 1 == packed
        # What a card receives while nobody takes it is dropped, so here only that rings go round.
        mode(right, "rxonly")
        mode(left, "txonly")
        flood = until(right, received(2 * ROUNDS * sent + FLOOD))
        left.say("stop")
        assert min(per_queue(left.counters(WAIT_S), "tx")) > 256, "a ring has not gone round"
        left.quit(WAIT_S)
        right.quit(WAIT_S)
        stats = cluster.stats()
    sent *= ROUNDS
    assert back["rx_good_packets"] == 2 * sent
    assert per_queue(back, "tx") == [64 * BURSTS * ROUNDS] * PAIRS
    assert there["rx_good_packets"] == there["tx_good_packets"] == 2 * sent
    assert min(per_queue(flood, "rx")) > 0
    for name in ("a", "b"):
        assert stats["hosts"][name]["refused_accesses"] == 0
        assert stats["hosts"][name]["connects"] == 1
    for name in ("left", "right"):
        assert stats["nodes"][name]["ports"]["host"]["protocol_errors"] == 0

    seen = frames(wire)[: 4 * sent]
    assert {line[6] for line in seen} == {"1"}  # IP checksums are right
    addresses = Counter((line[0], line[1]) for line in seen)
    (first, thrice), (second, once) = addresses.most_common()
    assert (thrice, once) == (3 * sent, sent)  # sent, back by io, sent; back by macswap
    assert first == second[::-1]
    assert len({line[2] for line in seen}) > 16
    assert sum(per_queue(there, "rx")) == 2 * sent
    assert min(per_queue(there, "rx")) > sent // (2 * PAIRS)


@pytest.mark.long
def test_flows_go_where_their_hash_says(tmp_path: Path) -> None:
    """As many frames of each flow as tell the flows in a queue apart: 1, 2, 4, ..."""
    (tmp_path / "cluster.yaml").write_text(ONE)
    expected = [0] * PAIRS
    sent = []
    for number, (source, source_port, target, target_port, value) in enumerate(VECTORS):
        layer = IPv6 if ":" in source else IP
        # To an address that is not the card's: its driver cannot set a filter, so there is none.
        frame = Ether(dst="02:00:00:00:99:99") / layer(src=source, dst=target)
        frame = bytes(frame / TCP(sport=source_port, dport=target_port))
        sent += [len(frame).to_bytes(4, "big") + frame] * (1 << number)
        expected[(value >> 16) * PAIRS >> 16] += 1 << number
    with (
        Cluster(tmp_path / "cluster.yaml") as cluster,
        cluster.serving(),
        begin(tmp_path / "host.sock", 1) as testpmd,
        socket.socket(socket.AF_UNIX) as wire,
    ):
        testpmd.wait_ready(WAIT_S)
        settle(cluster, "host")
        wire.connect(str(tmp_path / "wire.sock"))
        for frame in sent:
            wire.sendall(frame)
            time.sleep(0.002)  # a cable without a queue loses nothing
        seen = until(testpmd, received(len(sent)))
        testpmd.quit(WAIT_S)
    assert per_queue(seen, "rx") == expected
