# SPDX-License-Identifier: Apache-2.0
"""The demo's nodes, used by programs that no one here wrote; then the capture and the replay."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kumihimo.capture.report import analyse
from kumihimo.cli import replay
from kumihimo.cluster import Cluster
from kumihimo.common.process import find_program
from kumihimo.demo import tcp
from kumihimo.demo.steps import Demo
from wire import ROOT, assert_well_formed, tshark

CLIENT = ROOT / "examples" / "udp_echo_client.py"


@dataclass
class Booted:
    cluster: Cluster
    pcap: Path
    record: Path

    def run(self, *argv: str, timeout: float = 90) -> subprocess.CompletedProcess[str]:
        assert self.cluster.namespace is not None
        program = find_program(argv[0])
        assert program, f"{argv[0]} is missing"
        return self.cluster.namespace.run([program, *argv[1:]], timeout)

    def ip(self, name: str) -> str:
        return str(self.cluster[name].ip)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booted]:
    folder = tmp_path_factory.mktemp("demo")
    pcap, record = folder / "demo.pcapng", folder / "demo.kumirec"
    cluster = Cluster(ROOT / "examples" / "demo.yaml", pcap=pcap, record=record)
    with cluster, cluster.serving():
        yield Booted(cluster, pcap, record)


@pytest.mark.parametrize("name", ["alice", "bob", "ping", "pong"])
def test_ping(demo: Booted, name: str) -> None:
    done = demo.run("ping", "-c", "3", "-i", "0.1", "-W", "30", name)
    assert "3 received" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("size", [0, 1, 2, 17, 18, 19, 55, 1471, 1472, 1473, 4095, 8971, 8972])
def test_ping_sizes(demo: Booted, size: int) -> None:
    argv = ["ping", "-c", "1", "-W", "30", "-M", "do", "-s", str(size), demo.ip("alice")]
    done = demo.run(*argv)
    assert "1 received" in done.stdout, done.stdout + done.stderr


def test_ping_flood_with_preload(demo: Booted) -> None:
    done = demo.run("ping", "-c", "200", "-l", "20", "-f", "-W", "30", demo.ip("bob"))
    assert "200 received" in done.stdout, done.stdout + done.stderr


def test_linux_learns_the_mac_addresses(demo: Booted) -> None:
    demo.run("ip", "neigh", "flush", "all")
    for name, node in demo.cluster.items():
        assert demo.run("ping", "-c", "1", "-W", "30", name).returncode == 0
        shown = json.loads(demo.run("ip", "-j", "neigh", "show", str(node.ip)).stdout)
        assert shown[0]["lladdr"] == node.mac


def test_arping(demo: Booted) -> None:
    if not find_program("arping"):
        pytest.fail("arping is missing: make setup-test installs it")
    done = demo.run("arping", "-c", "3", "-w", "60", "-I", "host0", demo.ip("alice"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert demo.cluster["alice"].mac in done.stdout.lower()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("alice", ["--count", "96", "--max", "96"]),
        ("bob", ["--count", "300", "--max", "8972"]),
        ("pong", ["--count", "100", "--max", "1472"]),
    ],
)
def test_udp_echo(demo: Booted, name: str, options: list[str]) -> None:
    argv = [sys.executable, str(CLIENT), demo.ip(name), "--json", "--deadline", "120", *options]
    assert demo.cluster.namespace is not None
    done = demo.cluster.namespace.run(argv, 150)
    result = json.loads(done.stdout)
    assert result["ok"] and result["good"] == int(options[1]), done.stdout + done.stderr
    assert result["resent"] == result["wrong"] == 0


def test_empty_datagram(demo: Booted) -> None:
    code = (
        "import socket as s; x = s.socket(s.AF_INET, s.SOCK_DGRAM); x.settimeout(60)\n"
        f"x.connect(('{demo.ip('alice')}', 7)); x.send(b''); print(len(x.recv(99)))"
    )
    assert demo.run("python3", "-c", code).stdout.strip() == "0"


def test_closed_port(demo: Booted) -> None:
    """A connected socket hears that nobody listens, as from Linux; one on an open port does not.

    A socket reports an ICMP error that matches what it sent, so the quoted headers are right.
    """
    code = (
        "import socket as s; x = s.socket(s.AF_INET, s.SOCK_DGRAM); x.settimeout(60)\n"
        f"x.connect(('{demo.ip('web')}', %d)); x.send(b'anybody?')\n"
        "try: print(x.recv(99))\n"
        "except OSError as e: print(type(e).__name__)"
    )
    ip = demo.cluster["web"].regs.ip
    before = ip.counters()
    assert demo.run("python3", "-c", code % 12345).stdout.strip() == "ConnectionRefusedError"
    after = ip.counters()
    assert after["icmp_unreachable"] == before["icmp_unreachable"] + 1
    assert after["rx_udp"] == before["rx_udp"] + 1  # the kernel has counted it, too
    again = demo.run("python3", "-c", code.replace("settimeout(60)", "settimeout(2)") % 5001)
    assert again.stdout.strip() == "TimeoutError"
    assert ip.counters()["icmp_unreachable"] == after["icmp_unreachable"]


def test_clients_of_our_own(demo: Booted, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the demo uses where curl, nc and iperf are not installed."""
    monkeypatch.setattr(tcp, "find_program", lambda _name: None)
    rows = tcp.tcp_rows(Demo(demo.cluster, lambda _text: None), "web", quick=True)
    said = {row.what.split()[0]: row.result for row in rows[1:]}
    assert [row.what for row in rows] == [
        "TCP echo at web",
        f"HTTP client: http://{demo.ip('web')}/",
        "line client: web 7",
        "TCP to web",
        "UDP to web",
    ]
    assert "Kumihimo" in said["HTTP"] and said["line"] == "echoed: kumihimo: a braided cord"
    assert "Mbit/s" in said["TCP"] and said["UDP"] == "0/69 datagrams lost"


def test_what_a_node_does_not_speak_is_counted(demo: Booted) -> None:
    counters = demo.cluster["bob"].regs.ip
    before = counters.drop_ip_proto.read(), counters.drop_ip_fragment.read()
    code = (
        "import socket as s; x = s.socket(); x.settimeout(1)\n"
        f"print(x.connect_ex(('{demo.ip('bob')}', 80)))"
    )
    assert demo.run("python3", "-c", code).stdout.strip() != "0"
    assert counters.drop_ip_proto.read() > before[0]
    done = demo.run("ping", "-c", "1", "-W", "1", "-s", "20000", demo.ip("bob"))
    assert "0 received" in done.stdout
    assert counters.drop_ip_fragment.read() >= before[1] + 3


def test_every_frame_is_accounted_for(demo: Booted) -> None:
    for node in demo.cluster.nodes.values():
        counts = node.regs.ip.counters()
        outcomes = sum(v for k, v in counts.items() if k.startswith("drop_"))
        outcomes += sum(counts[k] for k in ("rx_udp", "rx_raw", "rx_icmp", "rx_arp"))
        assert counts["rx_frame"] == outcomes > 0, counts


def test_two_nodes_play_ping_pong(demo: Booted) -> None:
    row = Demo(demo.cluster, lambda _text: None).pingpong("ping", "pong", 50)
    assert row.result.startswith("50 rounds")


def test_registers_in_python(demo: Booted) -> None:
    alice = demo.cluster["alice"]
    assert alice.regs.design == "udp_echo"
    assert alice.regs.ip.ip.read() == int.from_bytes(socket.inet_aton(str(alice.ip)), "big")
    alice.regs.id.scratch.write(0x1234_5678)
    assert alice.mmio.read(alice.regs.id.scratch.addr) == 0x1234_5678
    assert alice.stats["cycles"] > 0


def test_capture_and_replay(demo: Booted, tmp_path: Path) -> None:
    """Runs last: ends the cluster, then looks at what it wrote."""
    demo.cluster.close()
    assert_well_formed(demo.pcap)
    names = set(tshark(demo.pcap, "frame", "frame.interface_name"))
    assert names >= {"host0", "ping.eth0"}
    found = [e for e in analyse(demo.pcap) if e.interface == "host0" and e.kind == "UDP echo"]
    assert {e.server for e in found} >= {"10.77.0.10", "10.77.0.11", "10.77.0.21"}
    assert all(e.lost == 0 for e in found)
    again = tmp_path / "again.pcapng"
    code = replay.run(demo.record, again, [], "0", None, tmp_path, None, False, 1)
    assert code == 0
    assert again.read_bytes() == demo.pcap.read_bytes()
