# SPDX-License-Identifier: Apache-2.0
"""RFC 9293, 3.5 and 3.10.7.1 to .4: how connections begin. Numbers in names are sections."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tcp_peer import CLOSED, DISCARD, ECHO, WORD, Conn, Host, noise


def test_3_5_handshake_data_and_close(host: Host) -> None:
    conn = host.conn()
    answer = conn.handshake()
    assert answer.data == b"" and 536 <= answer.opts["MSS"] <= host.target.mss
    conn.send("PA", b"hello")
    seg = conn.expect(data=b"hello", seq=conn.their(0), ack=conn.at(5))
    conn.rcv_nxt = seg.end
    conn.send("FA")
    seg = conn.expect("FA", seq=conn.their(5), ack=conn.at(6))
    conn.rcv_nxt = seg.end
    conn.send("A")
    conn.quiet()
    conn.gone()


def test_3_5_initial_sequence_numbers_differ(host: Host) -> None:
    """RFC 6528: neither constant nor a small step between connections."""
    numbers = []
    for _ in range(8):
        with host.open() as conn:
            numbers.append(conn.irs)
    steps = {(b - a) % WORD for a, b in pairwise(numbers)}
    assert len(set(numbers)) == 8
    assert sum(1 << 20 < step < WORD - (1 << 20) for step in steps) >= 5, numbers


def test_3_5_syn_again_is_answered_again(host: Host) -> None:
    conn = host.conn()
    conn.send("S")
    first = conn.expect("SA", ack=conn.at(0))
    conn.send("S", seq=conn.isn)
    again = conn.expect(ack=conn.at(0), where=lambda seg: "R" not in seg.flags)
    assert again.seq == (first.seq if "S" in again.flags else conn.their(0))
    conn.rcv_nxt = conn.their(0)
    conn.send("A")
    conn.echo(b"once")


def test_3_8_1_syn_ack_is_sent_again(host: Host) -> None:
    conn = host.conn()
    conn.send("S")
    first = conn.expect("SA", ack=conn.at(0))
    again = conn.expect("SA", ack=conn.at(0), seq=first.seq)
    assert again.time - first.time >= host.times.rto
    conn.send("A")
    conn.echo(b"late")


@pytest.mark.parametrize("off", [-1, 1, 1 << 30, 70_000])
def test_3_10_7_4_handshake_with_wrong_ack_is_reset(host: Host, off: int) -> None:
    """SYN-RECEIVED: RST with the number of the wrong ACK, and the correct one is still accepted."""
    conn = host.conn()
    conn.send("S")
    conn.expect("SA", ack=conn.at(0))
    conn.send("A", ack=conn.their(off))
    rst = conn.expect("R", seq=conn.their(off))
    assert rst.data == b""
    conn.send("A")
    conn.echo(b"right")


@pytest.mark.parametrize("size", [1, 4, 100, 1460])
def test_3_4_data_on_the_syn(host: Host, size: int) -> None:
    """They may be accepted or not; retransmitted, each byte arrives once."""
    data = noise(size)
    conn = host.conn()
    conn.send("S", data)
    answer = conn.expect("SA", where=lambda seg: seg.ack in (conn.at(0), conn.at(size)))
    conn.send("A", seq=answer.ack)
    if answer.ack == conn.at(0):
        conn.send("PA", data, seq=conn.at(0))
    assert conn.read(size) == data
    conn.echo(b"and more")


def test_3_4_data_on_the_third_segment(host: Host) -> None:
    conn = host.conn()
    conn.handshake(b"early")
    assert conn.read(5) == b"early"


def test_3_4_handshake_ack_is_lost(host: Host) -> None:
    """The first data complete the handshake."""
    conn = host.conn()
    conn.send("S")
    conn.expect("SA", ack=conn.at(0))
    conn.send("PA", b"first")
    conn.send("PA", b"second")
    assert conn.read(11) == b"firstsecond"


def test_3_4_fin_on_the_third_segment(host: Host) -> None:
    conn = host.conn()
    conn.send("S")
    conn.expect("SA", ack=conn.at(0))
    conn.send("FPA", b"brief")
    assert conn.read(5) == b"brief"
    conn.expect("FA", seq=conn.their(5), ack=conn.at(6))
    conn.rcv_nxt = conn.their(6)
    conn.send("A")
    conn.gone()


def test_3_10_7_4_rst_in_syn_received(host: Host) -> None:
    """Back to LISTEN: the connection is deleted, and a new one with the same ports is possible."""
    conn = host.conn()
    conn.send("S")
    conn.expect("SA", ack=conn.at(0))
    conn.send("R", ack=0)
    conn.gone()
    again = host.conn(lport=conn.lport)
    again.handshake()
    again.echo(b"again")


@pytest.mark.parametrize("off", [-1, -70_000, 1 << 30])
def test_3_10_7_4_wrong_rst_in_syn_received(host: Host, off: int) -> None:
    conn = host.conn()
    conn.send("S")
    conn.expect("SA", ack=conn.at(0))
    conn.send("R", seq=conn.at(off), ack=0)
    conn.send("A")
    conn.echo(b"still here")


# ---- ports and connections that are not there ------------------------------------------------


def alone(host: Host, port: int) -> Conn:
    """A connection that does not exist."""
    conn = host.conn(port)
    conn.checked = False
    conn.rcv_nxt = 0x12345678
    return conn


@pytest.mark.parametrize("data", [b"", b"x" * 17])
def test_3_10_7_1_syn_to_a_closed_port(host: Host, data: bytes) -> None:
    conn = alone(host, CLOSED)
    conn.send("S", data)
    rst = conn.expect("RA", seq=0, ack=conn.snd_nxt)
    assert rst.data == b"" and rst.option_bytes == b""
    conn.quiet()


@pytest.mark.parametrize("port", [CLOSED, ECHO])
@pytest.mark.parametrize("flags", ["A", "PA", "FA", "SA"])
def test_3_10_7_1_ack_without_connection(host: Host, port: int, flags: str) -> None:
    """CLOSED and LISTEN: RST takes its number from the ACK."""
    conn = alone(host, port)
    conn.send(flags, b"data" if "P" in flags else b"", opts=[])
    rst = conn.expect("R", seq=conn.rcv_nxt)
    assert rst.data == b""
    conn.quiet()


@pytest.mark.parametrize("flags", ["F", "P", ""])
def test_3_10_7_1_no_flag_that_counts_to_a_closed_port(host: Host, flags: str) -> None:
    """RST and ACK of its sequence space; a system may also ignore it."""
    conn = alone(host, CLOSED)
    conn.send(flags, b"four", opts=[])
    for seg in conn.drain():
        assert (seg.flags, seg.seq, seg.ack) == ("RA", 0, conn.snd_nxt), seg


@pytest.mark.parametrize("port", [CLOSED, ECHO])
@pytest.mark.parametrize("flags", ["R", "RA", "RS", "RSA", "RF", "SFRPAU"])
def test_3_10_7_1_rst_is_never_answered(host: Host, port: int, flags: str) -> None:
    conn = alone(host, port)
    conn.send(flags, opts=[])
    conn.quiet()


@pytest.mark.parametrize("flags", ["", "F", "P", "U", "FPU"])
def test_3_10_7_2_no_flag_that_counts_to_an_open_port(host: Host, flags: str) -> None:
    """LISTEN: neither SYN nor ACK nor RST: dropped."""
    conn = alone(host, ECHO)
    conn.send(flags, b"data", opts=[])
    conn.quiet()


@pytest.mark.parametrize("flags", ["SF", "SFPU", "SPU", "SEC", "SU"])
def test_3_10_7_2_syn_with_other_flags(host: Host, flags: str) -> None:
    """Accepted as a SYN, or dropped; never anything else."""
    conn = host.conn()
    conn.send(flags)
    for seg in conn.drain():
        assert set(seg.flags) - {"E"} == set("SA"), seg
        assert seg.ack in (conn.at(0), conn.at(1)), seg
    host.works()


def test_3_5_1_peer_that_crashed_comes_back(host: Host) -> None:
    """Half-open: its new SYN draws the old ACK, it resets, and its next SYN is accepted."""
    with host.open() as old:
        old.echo(b"before")
        new = host.conn(lport=old.lport)
        new.checked = False
        new.send("S")
        ack = new.expect("A", seq=old.rcv_nxt, ack=old.snd_nxt)
        new.send("R", seq=ack.ack, ack=0)
        new.snd_nxt = new.isn
        new.handshake(tries=3)
        new.checked = True
        new.echo(b"after")
        new.reset()
        old.over = True


def test_3_5_1_data_of_a_connection_that_is_no_more(host: Host) -> None:
    conn = host.conn()
    conn.handshake()
    conn.reset()
    host.pause(host.times.hush)
    conn.send("PA", b"ghost")
    conn.expect("R", seq=conn.rcv_nxt)


def test_3_3_2_many_connections_do_not_mix(host: Host) -> None:
    conns = [host.conn(ECHO if i % 3 else DISCARD) for i in range(24)]
    for conn in conns:
        conn.handshake()
    for i, conn in enumerate(conns):
        conn.send("PA", noise(50 + i, i))
    for i, conn in reversed(list(enumerate(conns))):
        if conn.rport == ECHO:
            assert conn.read(50 + i) == noise(50 + i, i)
        conn.wait_acked()
    for conn in conns:
        conn.close()


@pytest.mark.parametrize("source", ["10.77.0.3", "10.77.0.77", "10.77.0.250"])
def test_3_3_2_same_port_other_address(host: Host, source: str) -> None:
    """The peer's address is part of the 4-tuple."""
    with host.open(source=source) as conn:
        conn.echo(source.encode())
        stranger = Conn(host, conn.rport, lport=conn.lport)
        stranger.checked = False
        stranger.snd_nxt, stranger.rcv_nxt = conn.snd_nxt, conn.rcv_nxt
        stranger.send("PA", b"not mine")
        stranger.expect("R", seq=conn.rcv_nxt)
        mine = Conn(host, conn.rport, lport=conn.lport, source=source)
        mine.snd_nxt, mine.rcv_nxt, mine.isn, mine.irs = (
            conn.snd_nxt,
            conn.rcv_nxt,
            conn.isn,
            conn.irs,
        )
        mine.send("PA", b"mine")
        assert mine.read(4) == b"mine"
        mine.reset()
        conn.over = True
