# SPDX-License-Identifier: Apache-2.0
"""RFC 2018: SACK as a receiver. RFC 6675: retransmission by what the peer's SACK says."""

from __future__ import annotations

import pytest
from tcp_peer import DISCARD, WORD, Conn, Host, Stream, minus, noise

SIZE = 500


def piece(conn: Conn, i: int) -> None:
    """Segment i of the stream."""
    conn.send("PA", noise(SIZE, i), seq=conn.at(i * SIZE))


def edges(conn: Conn, *spans: tuple[int, int]) -> list[tuple[int, int]]:
    return [(conn.at(a * SIZE), conn.at(b * SIZE)) for a, b in spans]


def fresh(conn: Conn, blocks: list[tuple[int, int]], ack: int) -> list[tuple[int, int]]:
    """Without a D-SACK (RFC 2883), which may stand first: below the ACK or inside the second."""
    if blocks and minus(blocks[0][1], ack) <= 0:
        return blocks[1:]
    if len(blocks) > 1:
        (a, b), (c, d) = blocks[0], blocks[1]
        if minus(a, c) >= 0 and minus(b, d) <= 0:
            return blocks[1:]
    return blocks


@pytest.mark.parametrize("ts", [False, True])
def test_rfc2018_4_each_gap_is_reported(host: Host, ts: bool) -> None:
    """Immediate, latest block first, as many as fit; then filled from below, nothing is lost."""
    with host.open(DISCARD, sack=True, ts=ts) as conn:
        assert "SAckOK" in conn.seen[0].opts
        kept: list[tuple[int, int]] = []
        for i in (1, 3, 5, 7):
            piece(conn, i)
            seg = conn.expect("A", ack=conn.at(0))
            kept = [*edges(conn, (i, i + 1)), *kept]
            assert seg.sacks == kept[: 3 if ts else 4], seg
        for i, upto in ((0, 2), (2, 4), (4, 6), (6, 8)):
            piece(conn, i)
            seg = conn.expect("A", ack=conn.at(upto * SIZE))
            kept = [block for block in kept if minus(block[0], seg.ack) > 0]
            assert set(seg.sacks) <= set(kept) and bool(seg.sacks) == bool(kept), seg
        conn.snd_nxt = conn.at(8 * SIZE)


def test_rfc2018_4_blocks_grow_and_join(host: Host) -> None:
    with host.open(DISCARD, sack=True) as conn:
        for i, block in ((2, (2, 3)), (3, (2, 4)), (6, (6, 7)), (5, (5, 7)), (4, (2, 7))):
            piece(conn, i)
            seg = conn.expect("A", ack=conn.at(0))
            assert seg.sacks[0] == edges(conn, block)[0], seg
        assert len(seg.sacks) == 1
        piece(conn, 1)
        seg = conn.expect("A", ack=conn.at(0))
        assert seg.sacks == edges(conn, (1, 7))
        piece(conn, 0)
        seg = conn.expect("A", ack=conn.at(7 * SIZE))
        assert not seg.sacks
        conn.snd_nxt = conn.at(7 * SIZE)


def test_rfc2018_4_block_of_the_segment_that_came(host: Host) -> None:
    """First is the block with the segment that made this ACK (or what it repeats, RFC 2883)."""
    with host.open(DISCARD, sack=True) as conn:
        for i in (2, 5, 8):
            piece(conn, i)
            conn.expect("A", ack=conn.at(0))
        piece(conn, 2)
        seg = conn.expect("A", ack=conn.at(0))
        assert fresh(conn, seg.sacks, seg.ack)[0] == edges(conn, (2, 3))[0] or (
            seg.sacks[0] == edges(conn, (2, 3))[0]
        ), seg
        piece(conn, 6)
        seg = conn.expect("A", ack=conn.at(0))
        assert seg.sacks[0] == edges(conn, (5, 7))[0], seg


def test_rfc2018_3_not_permitted(host: Host) -> None:
    """No SACK then (each segment is checked), but immediate duplicate ACKs."""
    with host.open(DISCARD) as conn:
        for i in (1, 2, 4):
            piece(conn, i)
            conn.expect("A", ack=conn.at(0))


def test_rfc2018_8_more_gaps_than_anyone_keeps(host: Host) -> None:
    """Thirty gaps: reported data are kept, others retransmitted; the stream is correct."""
    count = 60
    with host.open(DISCARD, sack=True) as conn:
        told: set[int] = set()
        for i in range(1, count, 2):
            piece(conn, i)
        for seg in conn.drain():
            for left, right in seg.sacks:
                first = minus(left, conn.at(0)) // SIZE
                told |= set(range(first, first + minus(right, left) // SIZE))
        assert len(told) >= 4 and all(i % 2 for i in told)
        for i in range(count):
            if i not in told:
                piece(conn, i)
                conn.drain(0)
        conn.snd_nxt = conn.at(count * SIZE)
        conn.wait_acked()


def test_rfc2018_wrap(host: Host) -> None:
    """Blocks on both sides of 2^32."""
    with host.open(DISCARD, sack=True, isn=WORD - 1 - 2 * SIZE) as conn:
        piece(conn, 1)
        conn.expect("A", where=lambda seg: seg.sacks == edges(conn, (1, 2)))
        piece(conn, 2)
        conn.expect("A", where=lambda seg: seg.sacks == edges(conn, (1, 3)))
        piece(conn, 4)
        conn.expect("A", where=lambda seg: seg.sacks == edges(conn, (4, 5), (1, 3)))
        piece(conn, 0)
        conn.expect("A", ack=conn.at(3 * SIZE))
        piece(conn, 3)
        conn.snd_nxt = conn.at(5 * SIZE)
        conn.wait_acked()


# ---- the target sends ------------------------------------------------------------------------


def ten(conn: Conn) -> Stream:
    """The target has ten full segments in flight, none acknowledged."""
    for i in range(10):
        conn.send("PA", noise(1000, i), ack=conn.rcv_nxt)
        conn.wait_acked()
    stream = Stream(conn.their(0))
    for seg in conn.seen:
        if seg.data:
            stream.add(seg)
    while len(stream.data) < 10_000:
        seg = conn.expect(where=lambda seg: bool(seg.data))
        stream.add(seg)
    conn.drain(0)
    return stream


def again(conn: Conn, seconds: float) -> list[tuple[int, int]]:
    """Retransmissions in that time, as spans of 1000 bytes."""
    out = []
    end = conn.host.wire.now() + seconds
    while (seg := conn.next(end - conn.host.wire.now())) is not None:
        if seg.data:
            begin = minus(seg.seq, conn.their(0))
            out.append((begin, begin + len(seg.data)))
    return out


def test_rfc6675_5_the_hole_alone(host: Host) -> None:
    """Three ACKs that SACK all but the first segment: it alone is retransmitted, before the RTO."""
    with host.open(sack=True, mss=1000) as conn:
        stream = ten(conn)
        begin = host.wire.now()
        for upto in (2, 3, 4, 10):
            conn.send("A", sacks=[(conn.their(1000), conn.their(1000 * upto))])
        seg = conn.expect(seq=conn.their(0), where=lambda seg: bool(seg.data))
        late = seg.time - begin > host.times.rto
        assert seg.data == bytes(stream.data[: len(seg.data)])
        assert not late, "the RTO sent it, not the SACKs"
        rest = again(conn, host.times.hush)
        assert all(end <= 1000 for _, end in rest), rest
        conn.rcv_nxt = stream.next
        conn.send("A")
        conn.echo(b"done")


@pytest.mark.parametrize("holes", [[0, 3], [0, 2, 4], [1, 5], [0, 1, 6]])
def test_rfc6675_5_several_holes(host: Host, holes: list[int]) -> None:
    """Each hole is retransmitted, SACKed data are not."""
    with host.open(sack=True, mss=1000) as conn:
        stream = ten(conn)
        have = [i for i in range(10) if i not in holes]
        conn.rcv_nxt = conn.their(1000 * holes[0])
        spans: list[tuple[int, int]] = []
        for i in have[holes[0] :]:
            if spans and spans[-1][1] == 1000 * i:
                spans[-1] = (spans[-1][0], 1000 * i + 1000)
            else:
                spans.append((1000 * i, 1000 * i + 1000))
            recent = [spans[-1], *reversed(spans[:-1])][:4]
            conn.send("A", sacks=[(conn.their(a), conn.their(b)) for a, b in recent])
        wanted = set(holes)
        while wanted:
            seg = conn.expect(where=lambda seg: bool(seg.data))
            begin = minus(seg.seq, conn.their(0))
            hit = {i for i in holes if begin <= 1000 * i < begin + len(seg.data)}
            assert hit, f"sent again, though it was reported: {seg}\n{host.history()}"
            wanted -= hit
            # Told of one hole at a time, as a receiver would.
            low = min(wanted, default=10)
            conn.rcv_nxt = conn.their(1000 * low)
            left = [(a, b) for a, b in spans if b > 1000 * low][-3:]
            conn.send("A", sacks=[(conn.their(a), conn.their(b)) for a, b in left])
        conn.rcv_nxt = stream.next
        conn.send("A")
        conn.echo(b"done")


def test_rfc2018_8_peer_that_reneges(host: Host) -> None:
    """Data SACKed but not acknowledged after a timeout are retransmitted eventually."""
    with host.open(sack=True, mss=1000) as conn:
        stream = ten(conn)
        for upto in (2, 3, 4, 10):
            conn.send("A", sacks=[(conn.their(1000), conn.their(1000 * upto))])
        whole = Stream(conn.their(0))
        while len(whole.data) < 10_000:
            seg = conn.expect(where=lambda seg: bool(seg.data))
            if minus(seg.seq, whole.next) == 0:  # the rest was thrown away
                whole.add(seg)
                conn.rcv_nxt = whole.next
            conn.send("A")
        assert whole.data == stream.data
        conn.echo(b"done")


@pytest.mark.parametrize("kind", ["beyond", "old", "empty", "turned", "huge"])
def test_rfc2018_blocks_that_make_no_sense(host: Host, kind: str) -> None:
    """Ignored; the stream is not affected."""
    with host.open(sack=True, mss=1000) as conn:
        conn.echo(b"x" * 3000)
        blocks = {
            "beyond": (conn.rcv_nxt + 5000, conn.rcv_nxt + 9000),
            "old": (conn.rcv_nxt - 2000, conn.rcv_nxt - 1000),
            "empty": (conn.rcv_nxt + 500, conn.rcv_nxt + 500),
            "turned": (conn.rcv_nxt + 2000, conn.rcv_nxt + 1000),
            "huge": (conn.rcv_nxt + 1, conn.rcv_nxt + (1 << 31) - 1),
        }
        for i in range(4):
            conn.send("PA", noise(1000, i), sacks=[blocks[kind]])
        conn.wait_acked()
        for _ in range(4):
            conn.send("A", sacks=[blocks[kind]])
        assert conn.read(4000) == b"".join(noise(1000, i) for i in range(4))
        conn.echo(b"done")
