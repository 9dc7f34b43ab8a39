# SPDX-License-Identifier: Apache-2.0
"""RFC 5961: an attacker who does not see the connection. Challenge ACKs are allowed to be few."""

from __future__ import annotations

import pytest
from tcp_peer import HTTP, Conn, Host


def challenged(conn: Conn) -> None:
    """An ACK with the target's current numbers."""
    conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt, data=b"")


def test_3_rst_with_the_exact_number(host: Host) -> None:
    with host.open() as conn:
        conn.echo(b"x")
        conn.send("R", ack=0)
        conn.quiet()
        conn.gone()


def test_3_rst_and_ack_with_the_exact_number(host: Host) -> None:
    with host.open() as conn:
        conn.echo(b"x")
        conn.send("RA")
        conn.gone()


@pytest.mark.parametrize("off", [1, 2, 1000, 20_000])
def test_3_rst_elsewhere_in_the_window(host: Host, off: int) -> None:
    """Challenged, and the connection survives; a genuine peer then resets exactly."""
    with host.open() as conn:
        conn.echo(b"x")
        assert conn.their_win > off
        conn.send("R", seq=conn.snd_nxt + off, ack=0)
        challenged(conn)
        conn.echo(b"alive")
        conn.send("R", seq=conn.snd_nxt + off, ack=0)
        challenged(conn)
        conn.send("R", ack=0)
        conn.gone()


@pytest.mark.parametrize("off", [-1, -1000, 70_000, 1 << 20, 1 << 30])
def test_3_rst_outside_the_window(host: Host, off: int) -> None:
    """Dropped silently."""
    with host.open() as conn:
        conn.echo(b"x")
        conn.send("R", seq=conn.snd_nxt + off, ack=0)
        conn.send("RA", seq=conn.snd_nxt + off)
        conn.quiet()
        conn.echo(b"alive")


def test_3_rst_at_both_edges(host: Host) -> None:
    """The last number of the window is inside, the one after it outside."""
    with host.open() as conn:
        conn.echo(b"x")
        width = conn.their_win
        conn.send("R", seq=conn.snd_nxt + width - 1, ack=0)
        challenged(conn)
        conn.send("R", seq=conn.snd_nxt + width + 1, ack=0)
        conn.quiet()
        conn.echo(b"alive")


@pytest.mark.parametrize("off", [0, 1, 1000, -1, -1000, 70_000, 1 << 30])
@pytest.mark.parametrize("flags", ["S", "SA", "SPA"])
def test_4_syn_on_a_connection(host: Host, flags: str, off: int) -> None:
    """Whatever its number: challenged, and ignored."""
    with host.open() as conn:
        conn.echo(b"x")
        conn.send(flags, b"z" if "P" in flags else b"", seq=conn.snd_nxt + off, opts=[])
        challenged(conn)
        conn.echo(b"alive")


def test_4_syn_on_a_half_closed_connection(host: Host) -> None:
    """LAST-ACK: the same."""
    with host.open() as conn:
        conn.send("FA")
        conn.expect("FA", ack=conn.snd_nxt)
        conn.send("S", seq=conn.snd_nxt + 10, opts=[])
        conn.expect(ack=conn.snd_nxt, where=lambda seg: "R" not in seg.flags)


@pytest.mark.parametrize("off", [70_000, 1 << 20, 1 << 30, (1 << 31) - 5])
def test_5_data_with_an_old_ack(host: Host, off: int) -> None:
    """Blind injection: the ACK is older than any advertised window: challenged, dropped."""
    with host.open() as conn:
        conn.echo(b"x")
        conn.send("PA", b"injected", seq=conn.snd_nxt, ack=conn.rcv_nxt - off)
        challenged(conn)
        conn.quiet()
        conn.echo(b"alive")


def test_5_data_with_a_young_enough_ack(host: Host) -> None:
    """The oldest that may still be a delayed one, and the newest."""
    with host.open(win=4000) as conn:
        conn.echo(b"x" * 3000)
        conn.send("PA", b"late", ack=conn.their(0))
        assert conn.read(4) == b"late"
        conn.send("PA", b"now", ack=conn.rcv_nxt)
        assert conn.read(3) == b"now"


def test_7_rst_to_another_connection(host: Host) -> None:
    """An attack on one connection does not affect others."""
    with host.open() as one, host.open(HTTP) as two, host.open() as three:
        one.echo(b"1")
        three.echo(b"3")
        one.reset()
        one.gone()
        three.echo(b"33")
        two.send("PA", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert two.read(12).startswith(b"HTTP/1.1 200")
