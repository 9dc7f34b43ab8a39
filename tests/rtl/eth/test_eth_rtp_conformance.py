# SPDX-License-Identifier: Apache-2.0
"""The RTP core against endpoints in Python that know only its page.

The watcher of `rtp_endpoint_bench` checks every frame that it sends: limits and acks never fall, it
never sends beyond a limit, acknowledges only what arrived, and retransmits the same data.
"""

from __future__ import annotations

import random

import pytest
from kumihimo.proto.eth_rtp import Ack, Flag, Frame, Hello, Type
from kumihimo.testing import Frame as Message
from kumihimo.testing.sizes import data_widths
from rtp_endpoint import Config
from rtp_endpoint_bench import (
    TICK,
    TIMES,
    UP,
    WINDOW,
    Bench,
    ack_frame,
    acks,
    data_frame,
    its_number,
    small,
    transport,
)

ROOM = 544  # bytes of a message in a full frame at 256 bits and an MTU of 600


def sends(bench: Bench, start: int = 0) -> list[int]:
    """Numbers of the DATA frames of the core."""
    return [f.seq for f in bench.watcher.frames[start:] if f.type == Type.DATA]


# ---- set-up ------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["transport", "endpoint", "both", "before the table"])
def test_set_up(who: str) -> None:
    bench = Bench(transport())
    dropped = []

    def not_first(frame: bytes) -> list[int]:
        """The core's own HELLO is lost, so that it answers the endpoint's."""
        parsed = Frame.parse(frame)
        if parsed.type == Type.HELLO and parsed.tag == 0:
            dropped.append(parsed)
            return []
        return [64]

    if who == "endpoint":
        bench.to_end = not_first
    if who == "before the table":
        bench.ends[2].open(its_number(2))
        bench.run(1000)
        assert bench.drops() == {"rx_unknown": 1} and not bench.watcher.frames
    bench.set_peers()
    if who in ("endpoint", "both"):
        bench.ends[2].open(its_number(2))
    bench.until(lambda: bench.link(2).up and bench.status)
    bench.run(3000)
    assert bench.status == [(2, UP)] and bench.ends[2].status == [(its_number(2), "up")]
    assert bench.dut.counts("ev")["up"] == 1
    hellos = [f for f in bench.watcher.frames if f.type == Type.HELLO]
    assert bool(dropped) == (who == "endpoint") and len(hellos) <= 3
    body = hellos[-1].body
    assert isinstance(body, Hello) and body.limit == WINDOW
    assert body.own_tag >> 20 == 2 and body.own_tag == bench.link(2).rem
    # It works: a message each way.
    bench.dut.send("s_msg", Message(b"there", dest=2))
    bench.ends[2].send(its_number(2), b"back")
    bench.until(lambda: bench.messages(2) and bench.ends[2].messages(its_number(2)))
    assert bench.messages(2) == [b"back"]
    assert bench.ends[2].messages(its_number(2)) == [b"there"]


@pytest.mark.parametrize("lost", [0, 1, 2])
@pytest.mark.parametrize("way", ["to_end", "to_dut"])
def test_set_up_with_losses(lost: int, way: str) -> None:
    """Whichever of the first HELLOs is lost, one side tries again."""
    bench = Bench(transport())
    count = 0

    def line(frame: bytes) -> list[int]:
        nonlocal count
        if Frame.parse(frame).type == Type.HELLO:
            count += 1
            return [] if count == lost + 1 else [64]
        return [64]

    setattr(bench, way, line)
    bench.set_peers()
    bench.ends[2].open(its_number(2))
    bench.until(lambda: bench.link(2).up and bench.status)
    bench.dut.send("s_msg", Message(b"there", dest=2))
    bench.ends[2].send(its_number(2), b"back")
    bench.until(lambda: bench.messages(2) and bench.ends[2].messages(its_number(2)))
    assert bench.status == [(2, UP)] and bench.ends[2].status == [(its_number(2), "up")]


# ---- data --------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("width", data_widths(64, 128, 256, 512))
@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.3, 0.4)])
def test_both_ways(width: int, stalls: tuple[float, float]) -> None:
    """Messages of all sizes at the edges of words and frames, three peers, both ways."""
    rng = random.Random(width)
    word = width // 8
    full = 570 // word * word
    sizes = [1, word - 1, word, word + 1, full - 1, full, full + 1, 2 * full, 3 * full + 7, 9000]
    # Time-outs longer than all that can wait before the slow receiver of 64 bits.
    patient = Config(
        window=WINDOW, mtu=600, ack_delay=96, rto=32_000, hello_interval=1500, probe_interval=60_000
    )
    dut = transport(width, rto_init=2000, rto_min=2000)
    bench = Bench(dut, width, numbers=(0, 2, 3), config=patient)
    bench.open()
    bench.dut.stall_all(*stalls, seed=5)
    there: dict[int, list[bytes]] = {n: [] for n in bench.ends}
    back: dict[int, list[bytes]] = {n: [] for n in bench.ends}
    for n in bench.ends:
        for size in rng.sample(sizes, len(sizes)):
            there[n].append(rng.randbytes(size))
            back[n].append(rng.randbytes(size))
            bench.ends[n].send(its_number(n), back[n][-1])
    for i in range(len(sizes)):
        for n in bench.ends:
            bench.dut.send("s_msg", Message(there[n][i], dest=n))
    peers = list(bench.ends)
    bench.until(
        lambda: all(
            len(bench.ends[n].messages(its_number(n))) == len(bench.messages(n)) == len(sizes)
            for n in peers
        ),
        200_000,
    )
    for n in peers:
        assert bench.ends[n].messages(its_number(n)) == there[n]
        assert bench.messages(n) == back[n]
    events = bench.events()
    frames = sum(-(-len(m) // full) for n in peers for m in there[n])
    assert (events["tx_message"], events["tx_data"]) == (3 * len(sizes), frames)
    assert not {"timeout", "rx_malformed", "rx_out_of_window", "rx_bad_ack", "rx_bad"} & set(events)
    assert bench.status == [(n, UP) for n, _ in bench.status] and len(bench.status) == 3
    bench.run(2000)
    assert not bench.dut.get("busy")


# ---- acknowledgements --------------------------------------------------------------------------

WIDE = (1, 63, 34, 33, 0, 62)  # in a window of 64: every end of the bitmap
GAPS = (
    (1,),
    (15,),
    (1, 2, 3),
    (2, 4, 6, 8, 10, 12, 14),
    (14, 3, 9, 1),
    (0, 2, 5),
    (3, 0, 1, 7),
    tuple(range(1, 16)),
    WIDE,
)


@pytest.mark.parametrize("numbers", GAPS)
def test_sack_is_exact(numbers: tuple[int, ...]) -> None:
    """After every out-of-order frame an ACK with an exact bitmap."""
    window = 64 if numbers == WIDE else WINDOW
    bench = Bench(transport(window=window), window=window)
    bench.open()
    bench.silent.add(2)
    start = len(bench.watcher.frames)
    have: set[int] = set()
    for seq in numbers:
        before = len(acks(bench, start))
        bench.hand(2, data_frame(2, bench.link(2).rem, seq, bytes([seq]) * 40))
        have.add(seq)
        bench.run(TIMES["ack_delay"] * TICK + 200)
        assert len(acks(bench, start)) > before
        last = acks(bench, start)[-1]
        expected = next(i for i in range(window) if i not in have)
        assert isinstance(last.body, Ack) and last.ack == expected
        assert last.body.received(last.ack) == sorted(s for s in have if s > expected)
        assert last.body.limit == expected + window
        assert not last.flags
    # The gaps are filled in reverse: everything is delivered in order.
    for seq in reversed(range(window)):
        if seq not in have:
            bench.hand(2, data_frame(2, bench.link(2).rem, seq, bytes([seq]) * 40))
    bench.run(3000)
    assert bench.messages(2) == [bytes([i]) * 40 for i in range(window)]
    last = acks(bench, start)[-1]
    assert isinstance(last.body, Ack)
    assert (last.ack, last.body.sack, last.body.limit) == (window, 0, 2 * window)
    assert not bench.drops()


def test_duplicates_are_reported() -> None:
    """A duplicate, in order or not, is delivered once and flagged in the ACK."""
    bench = small()
    bench.silent.add(2)
    tag = bench.link(2).rem
    for seq, dup in ((0, 0), (1, 0), (0, 1), (4, 0), (4, 1), (1, 1), (2, 0), (3, 0), (3, 1)):
        start = len(bench.watcher.frames)
        bench.hand(2, data_frame(2, tag, seq, bytes([seq + 1]), flags=7))
        bench.run(400)
        flags = [bool(f.flags & Flag.DUPLICATE) for f in acks(bench, start)]
        assert any(flags) == bool(dup), (seq, dup)
    assert bench.messages(2) == [bytes([i + 1]) for i in range(5)]
    assert bench.events()["rx_dup"] == 4 and bench.events()["rx_data"] == 5


def test_requested_and_delayed_acks() -> None:
    """Requested: at once. Otherwise after the delay, or when the window has advanced by half."""
    bench = small()
    bench.step = 4
    bench.silent.add(2)
    tag = bench.link(2).rem
    seq = 0

    def waited(flags: int, frames: int = 1) -> int:
        nonlocal seq
        count = len(acks(bench))
        for _ in range(frames):
            bench.hand(2, data_frame(2, tag, seq, b"x", flags=flags))
            seq += 1
        return bench.until(lambda: len(acks(bench)) > count)

    assert waited(7) < 60
    assert TIMES["ack_delay"] * TICK - 20 <= waited(3) <= TIMES["ack_delay"] * TICK + 80
    bench.run(200)
    assert waited(3, WINDOW // 2) < 80
    bench.run(400)
    count = len(acks(bench))
    bench.hand(2, ack_frame(2, tag, 0, 16, flags=4))  # a probe
    assert bench.until(lambda: len(acks(bench)) > count) < 60
    assert acks(bench)[-1].ack == seq


# ---- credit ------------------------------------------------------------------------------------


def test_receive_window() -> None:
    """A stalled kernel: the limit stops the peer; frames beyond it are counted."""
    bench = small()
    bench.dut.stall("m_msg", 1.0)
    text = random.Random(1).randbytes(60 * 570)
    bench.ends[2].send(its_number(2), text)
    bench.until(lambda: len(bench.seen(2).arrived) >= WINDOW)
    bench.run(6000)
    limit = bench.seen(2).limit
    # What is in the output register counts as taken by the kernel.
    assert WINDOW <= limit <= WINDOW + 4 and bench.seen(2).arrived == set(range(limit))
    for seq in (limit, limit + 1, limit + 40, 2**31, 2**32 - 1):
        bench.throw(data_frame(2, bench.link(2).rem, seq, b"beyond"))
    bench.run(500)
    events = bench.events()
    assert (
        events["rx_out_of_window"] + events.get("rx_dup", 0) == 5
        and events["rx_out_of_window"] >= 4
    )
    assert bench.seen(2).limit == limit and not bench.segments
    bench.dut.stall("m_msg", 0.2)
    bench.until(lambda: bench.messages(2), 100_000)
    assert bench.messages(2) == [text]
    assert bench.status == [(2, UP)]


def test_peer_without_credit() -> None:
    """A stalled peer: the core stops at its limit, others are unaffected."""
    bench = Bench(transport(), numbers=(1, 2, 3))
    bench.open()
    bench.link(2).hold = True

    def room(peer: int) -> int:
        bench.dut.set("credit_peer", peer)
        bench.run(32)
        return bench.dut.get("credit")

    sent = []
    while room(2):
        sent.append(bytes([len(sent)]) * 100)
        bench.dut.send("s_msg", Message(sent[-1], dest=2))
        bench.run(300)
        assert len(sent) <= WINDOW + 1
    assert len(sent) == WINDOW and bench.seen(2).next == WINDOW
    others = [random.Random(i).randbytes(5000) for i in range(6)]
    for i, text in enumerate(others):
        n = (1, 3)[i & 1]
        bench.until(lambda n=n: room(n))
        bench.dut.send("s_msg", Message(text, dest=n))
    bench.until(lambda: len(bench.ends[3].messages(its_number(3))) == 3)
    bench.until(lambda: len(bench.ends[1].messages(its_number(1))) == 3)
    assert bench.ends[1].messages(its_number(1)) == others[0::2]
    assert bench.ends[3].messages(its_number(3)) == others[1::2]
    bench.run(30_000)  # longer than a dead peer would last: the answers to probes keep it up
    assert not room(2) and not bench.ends[2].delivered
    bench.link(2).hold = False
    bench.until(lambda: len(bench.ends[2].messages(its_number(2))) == len(sent))
    assert bench.ends[2].messages(its_number(2)) == sent
    bench.until(lambda: room(2))
    assert {code for _, code in bench.status} == {UP}


# ---- losses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [(0,), (5,), (11,), (3, 4), (2, 9), (0, 5, 10)])
def test_only_missing_frames_are_retransmitted(missing: tuple[int, ...]) -> None:
    """Each frame that is lost is sent twice, and all others once."""
    bench = small()
    lost: set[int] = set()

    def line(data: bytes) -> list[int]:
        frame = Frame.parse(data)
        if frame.type == Type.DATA and frame.seq in missing and frame.seq not in lost:
            lost.add(frame.seq)
            return []
        return [64]

    bench.to_end = line
    text = random.Random(3).randbytes(12 * ROOM)
    bench.dut.send("s_msg", Message(text, dest=2))
    bench.until(lambda: bench.ends[2].messages(its_number(2)))
    bench.run(5000)
    assert bench.ends[2].messages(its_number(2)) == [text]
    again = {seq: n for seq, n in bench.seen(2).times_sent.items() if n > 1}
    assert again == dict.fromkeys(missing, 2)
    assert bench.events()["tx_retransmit"] == len(missing)
    assert not bench.dut.get("busy")


def test_lost_acks() -> None:
    """No ACK for a while: a time-out, and the stream continues."""
    bench = small()
    text = random.Random(3).randbytes(12 * ROOM)
    bench.to_dut = lambda _: []
    bench.dut.send("s_msg", Message(text, dest=2))
    bench.run(TIMES["rto_init"] * TICK + 600)
    assert bench.events()["timeout"] >= 1 and bench.ends[2].messages(its_number(2)) == [text]
    bench.to_dut = lambda _: [64]
    bench.dut.send("s_msg", Message(b"more", dest=2))
    bench.until(lambda: len(bench.ends[2].messages(its_number(2))) == 2)
    bench.run(4000)
    assert not bench.dut.get("busy") and bench.status == [(2, UP)]


@pytest.mark.parametrize("seed", range(4))
def test_bad_line(seed: int) -> None:
    """Lost, duplicated, corrupted and reordered frames, both directions, two peers."""
    rng = random.Random(seed)
    bench = Bench(transport(), numbers=(1, 2))
    bench.open()
    bench.dut.stall_all(0.1, 0.1, seed=seed + 1)

    def line(_: bytes) -> list[int]:
        if rng.random() < 0.06:
            return []
        delay = 64 + (rng.randrange(600) if rng.random() < 0.1 else 0)
        return [delay, rng.randrange(64, 3000)] if rng.random() < 0.06 else [delay]

    bench.to_end = bench.to_dut = line
    there: dict[int, list[bytes]] = {1: [], 2: []}
    back: dict[int, list[bytes]] = {1: [], 2: []}
    for _ in range(25):
        for n in (1, 2):
            there[n].append(rng.randbytes(rng.choice([1, 60, 544, 545, 3000])))
            back[n].append(rng.randbytes(rng.choice([1, 60, 570, 571, 3000])))
            bench.dut.send("s_msg", Message(there[n][-1], dest=n))
            bench.ends[n].send(its_number(n), back[n][-1])

    def done() -> bool:
        return all(
            len(bench.ends[n].messages(its_number(n))) == len(bench.messages(n)) == 25
            for n in (1, 2)
        )

    bench.until(done, 600_000)
    for n in (1, 2):
        assert bench.ends[n].messages(its_number(n)) == there[n]
        assert bench.messages(n) == back[n]
    events = bench.events()
    assert events["rx_dup"] and events["tx_retransmit"] and not bench.drops()
    assert bench.status.count((1, UP)) == 1 and len(bench.status) == 2
