# SPDX-License-Identifier: Apache-2.0
"""`iperf -u` itself and the tcp_server node: datagrams both ways, and the report of either side."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from kumihimo.bench.tcp import places, scenarios
from kumihimo.bench.tcp.places import SMALL, Place

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
