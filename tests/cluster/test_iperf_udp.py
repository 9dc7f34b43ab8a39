# SPDX-License-Identifier: Apache-2.0
"""`iperf -u` itself and the tcp_server node: datagrams both ways, and the report of either side."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from kumihimo.bench.tcp import places, scenarios
from kumihimo.bench.tcp.places import SMALL, Place
from kumihimo.common.process import find_program

# "0.0000-0.0155 sec   101 KBytes  53.6 Mbits/sec   0.135 ms 0/71 (0%)": jitter, lost, all
REPORT = re.compile(r"sec\s+[\d.]+ \wBytes\s+[\d.]+ \w?bits/sec\s+([\d.]+) ms (\d+)/(\d+) \(")


@pytest.fixture(scope="module")
def server() -> Iterator[Place]:
    with places.node() as place:
        yield place


def iperf(place: Place, *options: str) -> tuple[int, list[tuple[int, int]]]:
    """Datagrams that iperf says it sent; lost and all of each report, the node's first."""
    text = scenarios.program(place, SMALL, "iperf", "-c", place.ip, "-u", *options)
    assert "WARNING" not in text and "ERROR" not in text, text
    sent = re.search(r"Sent (\d+) datagrams", text)
    assert sent, text
    head, _, tail = text.partition("Server Report:")
    reports = REPORT.findall(tail) + REPORT.findall(head)
    return int(sent[1]), [(int(lost), int(total)) for _, lost, total in reports]


@pytest.mark.parametrize("length", [100, 1470])
def test_server_report(server: Place, length: int) -> None:
    """As an iperf server says it: all but the last datagram, none lost."""
    sent, reports = iperf(server, "-n", "60K", "-b", "100M", "-l", str(length))
    assert sent > 60_000 / length and reports == [(0, sent - 1)]


def came(place: Place) -> int:
    """IP packets that have reached Linux; here the node sends nothing but datagrams in them.

    Counters of UDP would not do: Linux counts a datagram when a program reads it, so that one which
    waits in a socket that is closed is in none of them.
    """
    text = place.namespace.run(["cat", "/proc/net/snmp"]).stdout
    names, values = (line.split() for line in text.splitlines() if line.startswith("Ip:"))
    return int(dict(zip(names, values, strict=True))["InReceives"])


@pytest.mark.parametrize("way", ["-r", "-d"])
def test_back(server: Place, way: str) -> None:
    """One way after the other, and both at once: all that the node sends reaches Linux.

    What iperf reports of that may be one less: on a busy machine it may close its socket before it
    has read the last one. What counts is that its kernel had them all.
    """
    assert server.datagrams is not None
    sent, reports = iperf(server, "-n", "60K", "-b", "500M", way)
    node, (lost, total) = reports
    assert node == (0, sent - 1)
    assert total == -(-60 * 1024 // 1470) + 1 and lost <= 1
    end = time.monotonic() + 30
    while (both := (came(server), server.datagrams()))[0] != both[1] and time.monotonic() < end:
        time.sleep(0.05)
    assert both[0] == both[1]


HOST_IP = int.from_bytes(socket.inet_aton("10.77.0.1"), "big")
NOBODY = HOST_IP + 98


@contextmanager
def listening(place: Place, port: int) -> Iterator[list[str]]:
    """`iperf -s -u` on Linux; what it has printed, at the end."""
    program = find_program("iperf")
    assert program, "iperf is missing"
    argv = [program, "-s", "-u", "-p", str(port)]
    tool = place.namespace.popen(argv, stdout=subprocess.PIPE, text=True)
    opened = f":{port:04X} "
    end = time.monotonic() + 30
    while opened not in place.namespace.run(["cat", "/proc/net/udp"]).stdout:
        assert time.monotonic() < end and tool.poll() is None
        time.sleep(0.05)
    said: list[str] = []
    try:
        yield said
    finally:
        tool.terminate()
        assert tool.stdout is not None
        said.append(tool.stdout.read())
        tool.stdout.close()
        tool.wait()


def stream(place: Place, port: int, ip: int = HOST_IP, **regs: int) -> int:
    """The node's client runs, until it is done; datagrams of payload that it sent."""
    iperf = place.regs.iperf_server
    before = iperf.counters()["udp_sent"]
    iperf.udp_client_ip.write(ip)
    iperf.udp_client.set(port=port, length=regs.pop("length", 1000))
    iperf.udp_client_bytes.write(0)
    for name, value in regs.items():
        iperf[f"udp_client_{name}"].write(value)
    iperf.udp_client_ctrl.set(start=1)
    end = time.monotonic() + 90
    while iperf.udp_client_status.get("running"):
        assert time.monotonic() < end, iperf.counters()
        time.sleep(0.05)
    return int(iperf.counters()["udp_sent"] - before)


@pytest.mark.parametrize(
    "amount", [{"bytes": 60_000, "rate": 500_000_000}, {"time_us": 2_000, "rate": 200_000_000}]
)
def test_client(server: Place, amount: dict[str, int]) -> None:
    """The node sends to `iperf -s -u`: the report in its registers is what iperf prints."""
    with listening(server, 5002) as said:
        sent = stream(server, 5002, **amount)
    regs = server.regs.iperf_server
    lost, total = (regs[f"report_{name}"].read() for name in ("lost", "datagrams"))
    assert regs.udp_client_status.get("report") == 1, said
    # The last datagram, sent until it is answered, is none of the stream.
    data = 60 if "bytes" in amount else sent - 1
    assert lost == 0 and data <= total <= data + 1 and sent >= total
    assert abs(regs.read64("report_bytes") - 1000 * total) <= 1000
    (printed,) = {(int(a), int(b)) for _, a, b in REPORT.findall(said[0])}
    assert printed == (lost, total)


def test_client_without_server(server: Place) -> None:
    """Nobody has the address: ARP ends a stream of half an hour, and nothing stays busy."""
    regs = server.regs.iperf_server
    dead = regs.counters()["udp_dead"]
    server.regs.ip.arp.set(retry_ticks=1, retries=2)
    stream(server, 5002, NOBODY, time_us=2_000_000_000, rate=10_000_000)
    assert regs.counters()["udp_dead"] == dead + 1 and regs.udp_client_status.get("report") == 0
