# SPDX-License-Identifier: Apache-2.0
"""A node with IPv6 and the programs of Linux: ping, curl, iperf, sockets, and a router."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import plan_text
from kumihimo.common.errors import KumiError
from kumihimo.common.process import find_program
from scapy.layers.inet6 import ICMPv6ND_RA, ICMPv6NDOptPrefixInfo, IPv6
from scapy.layers.l2 import Ether
from wire import assert_well_formed

FILE = """
name: six
nodes:
  server: {design: tcp_server, ip6: "fd00::8/64", timers: fast, params: {DHCP: 1}}
taps:
  host: {ip6: "fd00::1/64", mtu: 1500}
cables:
  - {between: [host, server]}
"""
LINK = "fe80::ff:fe00:1"  # of the MAC address 02:00:00:00:00:01
ROUTED = "2001:db8:7:0:0:ff:fe00:1"
ECHO = """
import socket, sys, threading
data = bytes(range(256)) * int(sys.argv[2])
with socket.create_connection((sys.argv[1], 7), timeout=60) as sock:
    def send():
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
    threading.Thread(target=send).start()
    got = b"".join(iter(lambda: sock.recv(65536), b""))
print(got == data, len(got))
"""
REFUSED = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], 81), timeout=60)
except ConnectionRefusedError:
    print("refused")
"""
UNHEARD = """
import socket, sys
where = socket.getaddrinfo(sys.argv[1], 9999, type=socket.SOCK_DGRAM)[0][4]
with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
    sock.settimeout(60)
    sock.connect(where)
    sock.send(b"hello")
    try:
        sock.recv(100)
    except ConnectionRefusedError:
        print("refused")
"""
RAW = """
import socket, sys
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
    sock.bind(("host", 0))
    sock.send(bytes.fromhex(sys.argv[1]))
"""


@dataclass
class Booted:
    cluster: Cluster
    pcap: Path

    def run(self, *argv: str, timeout: float = 120) -> str:
        assert self.cluster.namespace is not None
        program = sys.executable if argv[0] == "python" else find_program(argv[0])
        assert program, f"{argv[0]} is missing"
        done: subprocess.CompletedProcess[str] = self.cluster.namespace.run(
            [program, *argv[1:]], timeout
        )
        return done.stdout + done.stderr

    def events(self) -> dict[str, int]:
        return self.cluster["server"].regs.ip6.counters()


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booted]:
    folder = tmp_path_factory.mktemp("six")
    plan = plan_text(FILE, str(folder / "six.yaml"))
    cluster = Cluster(plan, pcap=folder / "six.pcapng")
    with cluster, cluster.serving():
        yield Booted(cluster, folder / "six.pcapng")


@pytest.mark.parametrize("size", [0, 1, 56, 1452])
@pytest.mark.parametrize("address", ["fd00::8", f"{LINK}%host"])
def test_ping(six: Booted, address: str, size: int) -> None:
    said = six.run("ping", "-6", "-c", "1", "-W", "60", "-s", str(size), address)
    assert "1 received" in said, said


def test_linux_learns_the_mac_address(six: Booted) -> None:
    six.run("ip", "-6", "neigh", "flush", "dev", "host")
    six.run("ping", "-6", "-c", "1", "-W", "60", "server")
    assert "lladdr 02:00:00:00:00:01" in six.run("ip", "-6", "neigh", "show", "fd00::8")


@pytest.mark.parametrize("family", ["-6", "-4"])
def test_curl(six: Booted, family: str) -> None:
    said = six.run("curl", family, "-sS", "--fail", "--max-time", "100", "http://server/status")
    assert '"connections"' in said, said


@pytest.mark.parametrize("address", ["fd00::8", f"{LINK}%host", "10.77.0.10"])
def test_every_byte_comes_back(six: Booted, address: str) -> None:
    assert six.run("python", "-c", ECHO, address, "400") == "True 102400\n"


def test_a_closed_port_refuses(six: Booted) -> None:
    assert six.run("python", "-c", REFUSED, "fd00::8") == "refused\n"


@pytest.mark.parametrize("address", ["fd00::8", f"{LINK}%host"])
def test_a_closed_udp_port_refuses(six: Booted, address: str) -> None:
    assert six.run("python", "-c", UNHEARD, address) == "refused\n"


@pytest.mark.parametrize("how", [(), ("-u", "-b", "50M")])
def test_iperf(six: Booted, how: tuple[str, ...]) -> None:
    said = six.run("iperf", "-V", "-c", "fd00::8", "-n", "60K", "-l", "1400", *how)
    assert re.search(r"[\d.]+ [KM]bits/sec", said) and "WARNING" not in said, said


def test_over_a_bad_cable(six: Booted) -> None:
    six.cluster.impair("host", loss=0.02)
    try:
        assert six.run("python", "-c", ECHO, "fd00::8", "400") == "True 102400\n"
    finally:
        six.cluster.impair("host", loss=0)


def test_a_router_gives_an_address(six: Booted) -> None:
    mac, link = "02:00:00:00:ff:00", "fe80::ff:fe00:ff00"
    packet = Ether(src=mac, dst="33:33:00:00:00:01") / IPv6(src=link, dst="ff02::1", hlim=255)
    packet /= ICMPv6ND_RA() / ICMPv6NDOptPrefixInfo(prefix="2001:db8:7::", prefixlen=64)
    six.run("python", "-c", RAW, bytes(packet).hex())
    six.run("ip", "-6", "route", "add", "2001:db8:7::/64", "dev", "host")
    said = six.run("ping", "-6", "-c", "1", "-W", "60", ROUTED)
    assert "1 received" in said, said


def test_what_was_counted_and_captured(six: Booted) -> None:
    """After all the others: nothing was lost inside, and tshark finds nothing wrong."""
    found = six.events()
    assert found["rx_packet"] > 100 and found["tx_packet"] > 100 and found["rx_icmp"] > 10
    assert {name: n for name, n in found.items() if name.startswith("tx_drop") and n} == {}
    six.cluster.close()
    assert_well_formed(six.pcap)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("tcp_server", "pingpong"), "no IPv6"),
        (("fd00::8/64", "fd00::8"), "prefix length"),
        (("fd00::8/64", "ff02::8/64"), "cannot be given"),
        (("DHCP: 1", "IPV6: 0"), "leaves out"),
        (("timers: fast", "timers: fast, ip: none"), "IPv4 stack"),
    ],
)
def test_refused(change: tuple[str, str], sentence: str) -> None:
    with pytest.raises(KumiError, match=sentence):
        plan_text(FILE.replace(*change), "six.yaml")
