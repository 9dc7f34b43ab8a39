# SPDX-License-Identifier: Apache-2.0
"""RFC 4987: a flood of SYNs, among them an honest client and one that was there before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from scapy.layers.inet import TCP
from tcp_peer import DISCARD, ECHO, Host, Stream, minus, noise

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
    liar.rcv_nxt = 0x81234567
    liar.send("A")
    liar.expect("R", seq=0x81234567)


@pytest.mark.parametrize("options", [{}, {"ts": True, "sack": True, "ws": 3}])
def test_3_6_data_behind_a_lost_ack(flooded: Host, options: dict[str, Any]) -> None:
    """The ACK that returns a cookie is lost, the first data with the same ACK are not.

    They establish the session; if they are not kept, the first retransmission is.
    """
    host = flooded
    for i in range(FLOOD):
        flood(host, "S", i)
    conn = host.conn(ECHO, **options)
    conn.send("S")
    conn.expect("SA", ack=conn.snd_nxt)
    first, second = noise(700, 1), noise(500, 2)
    conn.send("PA", first)
    conn.send("PA", second)
    conn.drain()
    assert not conn.over, host.history()
    if conn.acked != conn.snd_nxt:  # a timeout
        conn.send("PA", first, seq=conn.at(0))
        conn.expect(None, where=lambda seg: minus(seg.ack, conn.at(700)) >= 0)
    if conn.acked != conn.snd_nxt:
        conn.send("PA", second, seq=conn.at(700))
    conn.wait_acked()
    conn.drain()
    assert not conn.over, host.history()
    stream = Stream(conn.their(0))
    for seg in conn.seen:
        stream.add(seg)
    assert stream.data == first + second
    conn.rcv_nxt = stream.next
    conn.send("A")
    conn.echo(b"once")
    conn.close()
