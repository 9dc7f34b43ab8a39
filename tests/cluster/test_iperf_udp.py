# SPDX-License-Identifier: Apache-2.0
"""`iperf -u` itself and the tcp_server node: datagrams both ways, and the report of either side."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from kumihimo.bench import tcp_interop
from kumihimo.bench.tcp_interop import SMALL, Place

# "0.0000-0.0155 sec   101 KBytes  53.6 Mbits/sec   0.135 ms 0/71 (0%)": jitter, lost, all
REPORT = re.compile(r"sec\s+[\d.]+ \wBytes\s+[\d.]+ \w?bits/sec\s+([\d.]+) ms (\d+)/(\d+) \(")


@pytest.fixture(scope="module")
def server() -> Iterator[Place]:
    with tcp_interop.node() as place:
        yield place


def iperf(place: Place, *options: str) -> tuple[int, list[tuple[int, int]]]:
    """Datagrams that iperf says it sent, and each report's lost and all."""
    text = tcp_interop.program(place, SMALL, "iperf", "-c", place.ip, "-u", *options)
    assert "WARNING" not in text and "ERROR" not in text, text
    sent = re.search(r"Sent (\d+) datagrams", text)
    assert sent, text
    return int(sent[1]), [(int(lost), int(total)) for _, lost, total in REPORT.findall(text)]


@pytest.mark.parametrize("length", [100, 1470])
def test_server_report(server: Place, length: int) -> None:
    """As an iperf server says it: all but the last datagram, none lost."""
    sent, reports = iperf(server, "-n", "60K", "-b", "100M", "-l", str(length))
    assert sent > 60_000 / length and reports == [(0, sent - 1)]


@pytest.mark.parametrize("way", ["-r", "-d"])
def test_back(server: Place, way: str) -> None:
    """One way after the other, and both at once: Linux reports what the node sent."""
    sent, reports = iperf(server, "-n", "60K", "-b", "500M", way)
    back = -(-60 * 1024 // 1470)
    assert sorted(reports) == sorted([(0, sent - 1), (0, back + 1)])
