# SPDX-License-Identifier: Apache-2.0
"""Nodes that get their addresses from busybox's udhcpd, and are used under them."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from kumihimo.cluster import Cluster
from kumihimo.common.process import find_program

CLUSTER = """
name: dhcp
network: 10.77.0.0/24
wall_timers: true  # a DISCOVER from before the server runs is repeated after 4 s on the wall
nodes:
  board:
    design: udp_echo
    ip: dhcp
  web:
    design: tcp_server
    ip: dhcp
    ip6: auto
taps:
  host0: {ip: 10.77.0.1/24}
switches:
  sw: {}
cables:
  - between: [board.eth0, sw]
  - between: [web.eth0, sw]
  - between: [host0, sw]
"""
SERVER = """
interface host0
start 10.77.0.100
end 10.77.0.109
lease_file {folder}/leases
pidfile {folder}/pid
auto_time 1
option subnet 255.255.255.0
option router 10.77.0.1
option lease 864000
"""


def test_addresses_of_a_linux_server(tmp_path: Path) -> None:
    file, config = tmp_path / "dhcp.yaml", tmp_path / "udhcpd.conf"
    file.write_text(CLUSTER)
    config.write_text(SERVER.format(folder=tmp_path))
    (tmp_path / "leases").touch()
    busybox = find_program("busybox")
    assert busybox, "busybox is missing (package busybox-static)"
    cluster = Cluster(file)
    with cluster, cluster.serving():
        assert cluster["board"].ip is None
        assert cluster.namespace is not None
        server = cluster.namespace.popen([busybox, "udhcpd", "-f", "-I", "10.77.0.1", str(config)])
        try:
            addresses = _addresses(cluster)
            assert len(set(addresses.values())) == 2
            for address in addresses.values():
                assert address.startswith("10.77.0.10")
                done = _run(cluster, "ping", "-c", "2", "-i", "0.2", "-W", "30", address)
                assert "2 received" in done.stdout, done.stdout + done.stderr
            page = _run(cluster, "curl", "-s", "-m", "60", f"http://{addresses['web']}/")
            assert "Kumihimo" in page.stdout
            shown = [busybox, "dumpleases", "-f", str(tmp_path / "leases")]
            known = [*addresses.values(), *(cluster[name].mac for name in addresses)]
            _until(lambda: all(text in _run(cluster, *shown).stdout for text in known))
            # Given back, the address is gone on both sides.
            cluster["board"].regs.dhcp.ctrl.set(enable=0)
            _until(lambda: cluster["board"].regs.dhcp.status.get("state") == 0)
            assert cluster["board"].ip is None
            lost = _run(cluster, "ping", "-c", "1", "-W", "1", addresses["board"])
            assert "0 received" in lost.stdout
        finally:
            server.terminate()
            server.wait(10)


def _run(cluster: Cluster, program: str, *argv: str) -> subprocess.CompletedProcess[str]:
    found = find_program(program)
    assert found, f"{program} is missing"
    assert cluster.namespace is not None
    return cluster.namespace.run([found, *argv], 90)


def _until(done: object) -> None:
    assert callable(done)
    end = time.monotonic() + 90
    while not done():
        assert time.monotonic() < end, "nothing happened for 90 s"
        time.sleep(0.1)


def _addresses(cluster: Cluster) -> dict[str, str]:
    _until(lambda: all(cluster[name].ip for name in ("board", "web")))
    return {name: str(cluster[name].ip) for name in ("board", "web")}
