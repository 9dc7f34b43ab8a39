# SPDX-License-Identifier: Apache-2.0
"""Cables that lose, double, delay and corrupt; real clients get everything through all the same."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kumihimo.capture.report import analyse
from kumihimo.cluster import Cluster
from wire import ROOT, assert_well_formed

CLIENT = ROOT / "examples" / "udp_echo_client.py"

BAD = """\
name: bad
seed: 7
nodes:
  alice: {design: udp_echo, ip: 10.77.0.10/24}
switches:
  sw0: {mode: store-and-forward}
cables:
  - between: [alice, sw0]
    latency: 2 us
    loss: 3 %
    duplicate: 5 %
    reorder: 5 %
    jitter: 3 us
    ber: 1e-6
  - {between: [host0, sw0]}
taps:
  host0: {ip: 10.77.0.1/24}
capture: [host0]
"""

LONG = """\
name: long
nodes:
  alice: {design: udp_echo, ip: 10.77.0.10/24}
cables:
  - {between: [alice, host0], rate: 10 Gb/s, latency: 100 us}
taps:
  host0: {ip: 10.77.0.1/24}
"""


def test_a_bad_cable(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(BAD)
    pcap = tmp_path / "bad.pcapng"
    with Cluster(tmp_path / "bad.yaml", pcap=pcap) as cluster, cluster.serving():
        assert cluster.namespace is not None
        argv = [
            sys.executable,
            str(CLIENT),
            "10.77.0.10",
            "--json",
            "--count",
            "300",
            "--max",
            "4000",
        ]
        argv += ["--timeout", "0.5", "--retries", "20", "--deadline", "120"]
        done = cluster.namespace.run(argv, 150)
        result = json.loads(done.stdout)
        assert result["ok"] and result["good"] == 300, done.stdout + done.stderr
        assert result["wrong"] == 0 and result["resent"] > 0 and result["late"] > 0
        (cable,) = (c for n, c in cluster.stats()["cables"].items() if "alice" in n)
        for way in ("ab", "ba"):
            assert cable[way]["lost"] > 0 and cable[way]["duplicated"] > 0
            assert cable[way]["corrupted"] > 0 and cable[way]["reordered"] > 0
        counts = cluster["alice"].regs.ip.counters()
        assert counts["drop_udp_checksum"] == counts["drop_ip_checksum"] == 0
    assert_well_formed(pcap)


def test_latency_is_what_the_cable_says(tmp_path: Path) -> None:
    (tmp_path / "long.yaml").write_text(LONG)
    pcap = tmp_path / "long.pcapng"
    with Cluster(tmp_path / "long.yaml", pcap=pcap) as cluster, cluster.serving():
        assert cluster.namespace is not None
        done = cluster.namespace.run(["ping", "-c", "3", "-i", "0.1", "-W", "30", "10.77.0.10"])
        assert "3 received" in done.stdout
    (echo,) = (e for e in analyse(pcap) if e.kind == "ICMP echo")
    # The capture is at the node's port: its own time only, without the cable's 100 us.
    assert echo.interface == "alice.eth0"
    assert len(echo.latency_ns) == 3 and all(50 < ns < 2_000 for ns in echo.latency_ns)
    # The same at the Linux end: twice the cable more.
    (tmp_path / "long.yaml").write_text(LONG + "capture: [host0]\n")
    with Cluster(tmp_path / "long.yaml", pcap=pcap) as cluster, cluster.serving():
        assert cluster.namespace is not None
        cluster.namespace.run(["ping", "-c", "3", "-i", "0.1", "-W", "30", "10.77.0.10"])
    (far,) = (e for e in analyse(pcap) if e.kind == "ICMP echo")
    assert all(200_000 < ns < 202_500 for ns in far.latency_ns)
