# SPDX-License-Identifier: Apache-2.0
"""RFC 4987: a flood of SYNs, among them an honest client and one that was there before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from scapy.layers.inet import TCP
from tcp_peer import DISCARD, ECHO, Host, noise

FLOOD = 600


def flood(host: Host, flags: str, i: int) -> None:
    """SYN number i, or the RST that withdraws it."""
    seq = 12_345 * i + (flags == "R")
    tcp = TCP(sport=1024 + i * 7, dport=ECHO, seq=seq, flags=flags, window=1000)
    host.transmit(tcp, source=f"10.77.0.{100 + i % 100}")
    if i % 50 == 0:
        host.pause(0)


def served(host: Host, data: bytes, **options: Any) -> None:
    """A legitimate client, which retransmits its SYN if it must.

    Its data wait a little: with a cookie the target only knows the connection when it has the ACK.
    """
    with host.open(tries=6, **options) as honest:
        host.pause(host.times.hush)
        honest.echo(data)
        honest.close()


@pytest.fixture
def flooded(host: Host) -> Iterator[Host]:
    """Afterwards the whole flood is withdrawn, for the tests that follow."""
    yield host
    for i in range(FLOOD):
        flood(host, "R", i)
    host.pause(host.times.hush)
    host.works()


def test_2_syn_flood(flooded: Host) -> None:
    """SYNs of many addresses that never answer: more than any table holds."""
    host = flooded
    with host.open() as old:
        old.echo(b"before")
        for i in range(FLOOD):
            flood(host, "S", i)
            if i % 50 == 0:
                old.echo(noise(100, i))
            if i % 150 == 75:
                served(host, b"in the middle of it")
        served(host, b"after it")
        old.echo(b"still here")
        old.close()


def test_3_6_connections_while_the_table_is_full(flooded: Host) -> None:
    """Cookies yield real connections: data, MSS, close. A random ACK yields none."""
    host = flooded
    for i in range(FLOOD):
        flood(host, "S", i)
    for mss in (536, 1460):
        served(host, noise(3000), mss=mss, sack=True, ts=True, ws=3)
    liar = host.conn(DISCARD)
    liar.checked = False
    liar.rcv_nxt = 0x01234567
    liar.send("A")
    liar.expect("R", seq=0x01234567)
