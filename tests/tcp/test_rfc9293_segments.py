# SPDX-License-Identifier: Apache-2.0
"""RFC 9293, 3.4 and 3.10.7.4: which segments and which bytes of them are taken."""

from __future__ import annotations

import pytest
from scapy.layers.inet import IP, TCP
from scapy.packet import Raw
from tcp_peer import DISCARD, ECHO, WORD, Conn, Host, Stream, minus, noise

# ---- what is outside the window ---------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 100, 1460])
@pytest.mark.parametrize("off", [-3000, -1 - 1460, 70_000, 1 << 20, 1 << 30])
def test_3_10_7_4_outside_the_window(host: Host, off: int, size: int) -> None:
    """Answered by an ACK of what is wanted, and dropped."""
    with host.open() as conn:
        conn.echo(b"x" * 3000)
        conn.send("PA" if size else "A", noise(size), seq=conn.snd_nxt + off)
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt, data=b"")
        conn.quiet()
        conn.echo(b"goes on")


def test_3_10_7_4_same_segment_again(host: Host) -> None:
    with host.open() as conn:
        conn.echo(b"once")
        conn.send("PA", b"once", seq=conn.at(0))
        conn.expect("A", ack=conn.at(4), data=b"")
        conn.quiet()
        conn.echo(b"twice")


@pytest.mark.parametrize("inside", [1, 50, 99])
def test_3_10_7_4_beyond_the_right_edge(host: Host, inside: int) -> None:
    """A segment that begins in the window and ends behind it: no byte is lost or doubled."""
    size = host.target.mss
    with host.open(mss=size) as conn:
        conn.win = 0  # the echo cannot leave, so the edge stays where it is
        conn.send("A")
        edge = conn.at(conn.their_win)
        conn.send("PA", b"y" * 100, seq=edge - inside)
        conn.expect("A", ack=conn.at(0))
        first = (edge - inside - conn.snd_nxt) % WORD
        data = noise(first) + b"y" * 100
        while conn.acked != conn.at(len(data)):
            begin = (conn.acked - conn.at(0)) % WORD
            if begin >= first and conn.win == 0:  # full: now the echo may leave
                conn.win = 65_535
                conn.send("A", seq=conn.acked)
            else:
                conn.send("PA", data[begin:][:size], seq=conn.acked)
            conn.next(host.times.hush)
        conn.snd_nxt = conn.acked
        conn.win = 65_535
        assert collect(conn, len(data)) == data


# ---- overlap ---------------------------------------------------------------------------------


@pytest.mark.parametrize("begin,end", [(0, 20), (5, 20), (9, 20), (9, 10 + 1), (0, 11), (3, 1463)])
def test_3_10_7_4_overlap_with_what_was_delivered(host: Host, begin: int, end: int) -> None:
    """Only new bytes count, whatever the old ones are now."""
    with host.open() as conn:
        conn.echo(b"A" * 10)
        conn.send("PA", b"B" * (end - begin), seq=conn.at(begin))
        conn.snd_nxt = conn.at(end)
        assert conn.read(end - 10) == b"B" * (end - 10)
        conn.wait_acked()
        conn.echo(b"fine")


@pytest.mark.parametrize(
    "first,second",
    [
        ((10, 20), (5, 15)),
        ((10, 20), (15, 25)),
        ((10, 20), (12, 14)),
        ((12, 14), (10, 20)),
        ((10, 20), (10, 20)),
        ((10, 20), (10, 25)),
        ((10, 20), (5, 20)),
        ((10, 1400), (300, 900)),
    ],
)
def test_3_10_7_4_overlap_out_of_order(
    host: Host, first: tuple[int, int], second: tuple[int, int]
) -> None:
    """Each byte is of one of the segments that carried it; the other bytes are right."""
    letters = {}
    with host.open() as conn:
        for letter, (begin, end) in ((b"A", first), (b"B", second)):
            conn.send("PA", letter * (end - begin), seq=conn.at(begin))
            conn.expect("A", ack=conn.at(0))
            letters[letter] = range(begin, end)
        top = max(first[1], second[1])
        low = min(first[0], second[0])
        conn.send("PA", b"C" * low, seq=conn.at(0))
        conn.snd_nxt = conn.at(top)
        if set(range(low, top)) - set(letters[b"A"]) - set(letters[b"B"]):
            raise AssertionError("the case has a hole")
        if conn.drain() and conn.acked != conn.at(top):  # it may have kept only one of them
            conn.rcv_nxt = conn.their(0)
            for letter in (b"A", b"B", b"A"):
                span = letters[letter]
                conn.send("PA", letter * len(span), seq=conn.at(span.start))
                conn.expect("A")
        got = collect(conn, top)
        assert got[:low] == b"C" * low
        for i in range(low, top):
            may = {letter for letter, span in letters.items() if i in span}
            assert got[i : i + 1] in may, (i, got)
        conn.echo(b"fine")


def collect(conn: Conn, count: int) -> bytes:
    """The first bytes of the target's stream, also those that came before."""
    stream = Stream(conn.their(0))
    for seg in conn.seen:
        if "S" not in seg.flags:
            stream.add(seg)
    conn.rcv_nxt = stream.next
    conn.send("A")
    if len(stream.data) < count:
        return bytes(stream.data) + conn.read(count - len(stream.data))
    return bytes(stream.data)


# ---- wrong acknowledgments -------------------------------------------------------------------


@pytest.mark.parametrize("off", [1, 100, 1 << 16, 1 << 30])
@pytest.mark.parametrize("data", [b"", b"trojan"])
def test_3_10_7_4_ack_of_unsent_data(host: Host, off: int, data: bytes) -> None:
    """Answered by an ACK, and dropped with its data."""
    with host.open() as conn:
        conn.echo(b"x")
        conn.send("PA" if data else "A", data, seq=conn.snd_nxt, ack=conn.rcv_nxt + off)
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt, data=b"")
        conn.quiet()
        conn.echo(b"goes on")


def test_3_10_7_4_old_ack_with_new_data(host: Host) -> None:
    """A duplicate ACK number of not long ago does no harm: the data count."""
    with host.open() as conn:
        conn.echo(b"x" * 2000)
        conn.send("PA", b"data", ack=conn.their(500))
        assert conn.read(4) == b"data"


def test_3_10_7_4_no_ack_flag(host: Host) -> None:
    """Dropped silently."""
    with host.open() as conn:
        conn.echo(b"x")
        conn.send("P", b"no ack", seq=conn.snd_nxt)
        conn.send("", b"nothing", seq=conn.snd_nxt)
        conn.send("F", b"", seq=conn.snd_nxt)
        conn.quiet()
        conn.echo(b"goes on")


# ---- the header ------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [0x0001, 0x8000, 0xFFFF])
def test_3_1_checksum_wrong(host: Host, bits: int) -> None:
    """Ignored, and counted."""
    with host.open() as conn:
        conn.echo(b"x")
        before = host.target.bad_checksums()
        good = TCP(bytes(IP(src=conn.source, dst=host.target.ip) / segment(conn, b"bad"))[20:])
        conn.send("PA", b"bad", seq=conn.snd_nxt, chksum=good.chksum ^ bits)
        conn.quiet()
        assert host.target.bad_checksums() == before + 1
        conn.echo(b"good")


def segment(conn: Conn, data: bytes) -> TCP:
    """As the next one will be."""
    return TCP(
        sport=conn.lport,
        dport=conn.rport,
        seq=conn.snd_nxt,
        ack=conn.rcv_nxt,
        flags="PA",
        window=conn.win,
    ) / Raw(data)


@pytest.mark.parametrize("wanted", [0x0000, 0xFFFF, 0x0001, 0xFFFE])
def test_3_1_checksum_corners(host: Host, wanted: int) -> None:
    """Data for which the checksum is at the ends of its range: 0 is valid in TCP."""
    with host.open() as conn:
        for tail in (b"", b"odd"):
            base = segment(conn, bytes(2) + tail)
            whole = TCP(bytes(IP(src=conn.source, dst=host.target.ip) / base)[20:])
            # One's complement: what the two free bytes must hold so that the sum becomes `wanted`.
            word = (whole.chksum - wanted) % 0xFFFF
            data = word.to_bytes(2, "big") + tail
            made = TCP(bytes(IP(src=conn.source, dst=host.target.ip) / segment(conn, data))[20:])
            assert made.chksum in (wanted, wanted ^ 0xFFFF if wanted in (0, 0xFFFF) else wanted)
            conn.send("PA", data)
            assert conn.read(len(data)) == data


@pytest.mark.parametrize("offset", [0, 1, 4, 15])
def test_3_1_data_offset_wrong(host: Host, offset: int) -> None:
    """Shorter than a header, or beyond the segment: ignored."""
    with host.open() as conn:
        conn.echo(b"x")
        conn.send("PA", b"12345678", seq=conn.snd_nxt, dataofs=offset)
        conn.quiet()
        conn.echo(b"goes on")


@pytest.mark.parametrize("fields", [{"reserved": 7}, {"reserved": 1}, {"reserved": 4}])
def test_3_1_reserved_bits_are_ignored(host: Host, fields: dict[str, int]) -> None:
    with host.open() as conn:
        conn.send("PA", b"reserved", **fields)
        assert conn.read(8) == b"reserved"


@pytest.mark.parametrize("flags", ["PAE", "PAC", "PAEC"])
def test_3_1_ecn_bits_without_ecn(host: Host, flags: str) -> None:
    """A peer that has not agreed on ECN sets them by mistake: the data count."""
    with host.open() as conn:
        conn.send(flags, b"marked")
        assert conn.read(6) == b"marked"


@pytest.mark.parametrize("size", [0, 1, 3, 5])
def test_3_1_padding_of_the_frame_is_no_data(host: Host, size: int) -> None:
    """Short frames are padded to 60 bytes, with anything."""
    with host.open() as conn:
        conn.send("PA" if size else "A", noise(size), trailer=b"\xa5" * (6 - size))
        if size:
            assert conn.read(size) == noise(size)
        conn.quiet()
        conn.echo(b"goes on")


@pytest.mark.parametrize("pointer", [0, 1, 3, 5, 6, 1000, 65_535])
def test_3_8_5_urgent_data_are_in_the_stream(host: Host, pointer: int) -> None:
    """RFC 6093: whatever the pointer says, nothing is taken out and nothing waits for it."""
    with host.open() as conn:
        conn.send("UPA", b"ab!cd", urgptr=pointer)
        assert conn.read(5) == b"ab!cd"
        conn.echo(b"goes on" * 20)


def test_3_8_5_urgent_pointer_without_flag(host: Host) -> None:
    with host.open() as conn:
        conn.send("PA", b"abcde", urgptr=2)
        assert conn.read(5) == b"abcde"


# ---- order -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_3_10_7_4_any_order_with_gaps_and_duplicates(host: Host, seed: int) -> None:
    """Forty segments shuffled; what the target did not keep is sent again in order."""
    data = noise(40 * 300, seed)
    order = [*range(40), *host.rng.sample(range(40), 15)]
    host.rng.shuffle(order)
    with host.open() as conn:
        for i in order:
            conn.send("PA", data[i * 300 : i * 300 + 300], seq=conn.at(i * 300))
        conn.drain()
        conn.snd_nxt = conn.at(len(data))
        while conn.acked != conn.snd_nxt:
            before = conn.acked
            begin = (before - conn.at(0)) % WORD
            conn.send("PA", data[begin : begin + 300], seq=before)
            conn.expect("A", where=lambda seg, before=before: seg.ack != before)
        assert collect(conn, len(data)) == data


def test_3_10_7_4_every_length(host: Host) -> None:
    """Each payload length from 1 byte to a full segment, and what is around powers of two."""
    most = min(host.target.mss, 8960)
    sizes = [*range(1, 600), *range(600, 1461, 7), 1459, 1460]
    if most > 1460:
        sizes += [1461, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, most - 1, most]
    with host.open(mss=most) as conn:
        for size in sizes:
            data = noise(size, size)
            conn.send("PA", data)
            assert conn.read(size) == data, size
        conn.close()


# ---- numbers that wrap -----------------------------------------------------------------------


@pytest.mark.parametrize("before", [0, 1, 2, 3, 100, 536, 1459, 1460, 1461, 5000])
def test_3_4_own_numbers_wrap(host: Host, before: int) -> None:
    """The peer's sequence numbers pass 2^32 within the SYN or the data."""
    with host.open(isn=(WORD - 1 - before) % WORD) as conn:
        for size in (1, 1, 1, 700, 1460, 1460, 1460):
            conn.echo(noise(size))
        conn.close()


def test_3_4_own_numbers_wrap_out_of_order(host: Host) -> None:
    with host.open(isn=WORD - 500) as conn:
        data = noise(1000)
        conn.send("PA", data[600:], seq=conn.at(600))
        conn.expect("A", ack=conn.at(0))
        conn.send("PA", data[300:600], seq=conn.at(300))
        conn.expect("A", ack=conn.at(0))
        conn.send("PA", data[:300], seq=conn.at(0))
        conn.snd_nxt = conn.at(1000)
        assert conn.read(1000) == data


def first_number(host: Host, port: int) -> int:
    """Where the target's numbers would begin, now, for that port of ours."""
    conn = host.conn(lport=port)
    conn.send("S")
    seq = conn.expect("SA").seq
    conn.send("R", ack=0)
    conn.over = True
    return seq


NEAR = 1_500_000


def close_below_the_top(host: Host) -> Conn:
    """An established connection whose first number is not much below 2^32.

    RFC 6528: the first number is that of the connection's name and grows with time. So names are
    tried until one is close; or soon will be, where that clock is fast enough to wait for it.
    """
    port = host.port()
    begin = host.wire.now()
    first = first_number(host, port)
    host.pause(host.times.hush)
    rate = minus(first_number(host, port), first) / (host.wire.now() - begin)
    for _ in range(40_000):
        port = host.port()
        left = WORD - first_number(host, port)
        wait = (left - NEAR / 2) / max(rate, 1)
        if 0 < wait < host.times.patience / 10:
            host.pause(wait)
        elif left >= NEAR:
            continue
        conn = host.conn(lport=port, mss=host.target.mss)
        conn.handshake(tries=3)
        if WORD - conn.irs < 4 * NEAR:  # a busy machine may have come too late
            return conn
        conn.reset()
    raise AssertionError("no connection began close below the top")


def test_3_4_the_targets_numbers_wrap(host: Host) -> None:
    """A connection that begins close below 2^32 is used until the target's numbers have wrapped."""
    conn = close_below_the_top(host)
    for i in range((WORD - conn.irs) // 8000 + 4):
        conn.echo(noise(8000, i))
    assert conn.rcv_nxt < 1 << 31
    conn.close()


def test_3_8_6_discard_keeps_its_window_open(host: Host) -> None:
    """200 kB to a reader that is always there: the window never closes for good."""
    with host.open(DISCARD) as conn:
        for i in range(0, 200_000, 1460):
            conn.send("A", noise(1460, i))
            if i % 14_600 == 0:
                conn.wait_acked()
        conn.wait_acked()
        assert conn.their_win > 0
    with host.open(ECHO) as conn:
        conn.echo(b"and others work")
