# SPDX-License-Identifier: Apache-2.0
"""RTP: bad input is counted and ignored while a stream continues; a thousand peers."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import pytest
from rtp_core_bench import ACK, BASE, DATA, HELLO, RESET, UP, Header, Inbox, Net
from test_eth_rtp import SIZES, arrived, talk


def tags(net: Net) -> tuple[int, int]:
    """The tag that core 0 expects, and that core 1 expects."""
    own = {s: Header.parse(f).tag for s, f in net.sent if Header.parse(f).kind == HELLO}
    return own[1], own[0]


def hello(source: int, tag: int, own: int, limit: int = 16) -> bytes:
    """A HELLO for core 0."""
    return Header(BASE, source, HELLO, 0, tag, 0, 0, 12, struct.pack(">III", own, limit, 0)).bytes()


@pytest.mark.parametrize("width", [64, 256])
def test_each_reason(width: int) -> None:
    """Each kind of bad frame raises its own counter, once, and changes nothing."""
    net = Net(width=width)
    net.join()
    arrived(net, talk(net, 10, SIZES, 1))
    net.run(1000)
    tag = tags(net)[0]
    last = max(Header.parse(f).seq for s, f in net.sent if s == 1 and Header.parse(f).kind == DATA)
    first = min(Header.parse(f).ack for s, f in net.sent[-1:])
    assert first > 0
    good = Header(BASE, BASE + 1, DATA, 3, tag, last + 1, 0, 100, bytes(100))
    ack = Header(BASE, BASE + 1, ACK, 0, tag, 0, 0, 12, struct.pack(">IQ", 16, 0))
    sent = max(
        (Header.parse(f).seq for s, f in net.sent if s == 0 and Header.parse(f).kind == DATA)
    )
    cases: list[tuple[str, bytes, bool]] = [
        ("rx_bad", good.bytes(), True),
        ("rx_malformed", good.bytes()[:-1], False),  # truncated
        ("rx_malformed", good.bytes()[:29], False),
        ("rx_malformed", good.bytes()[:14], False),
        ("rx_malformed", good.bytes()[:1], False),
        ("rx_malformed", replace(good, kind=4).bytes(), False),
        ("rx_malformed", good.bytes()[:14] + b"\x20" + good.bytes()[15:], False),  # version 2
        ("rx_malformed", good.bytes()[:13] + b"\xb5" + good.bytes()[14:], False),  # EtherType
        ("rx_malformed", replace(good, size=1507, payload=bytes(1507)).bytes(), False),
        ("rx_malformed", replace(good, size=0xFFFF).bytes(), False),
        ("rx_malformed", replace(good, size=0, payload=b"").bytes(), False),  # empty, first
        ("rx_malformed", replace(ack, size=11).bytes(), False),
        ("rx_malformed", replace(ack, payload=b"", size=12).bytes(), False),
        ("rx_stale_tag", replace(good, tag=tag ^ 1).bytes(), False),
        ("rx_stale_tag", replace(good, tag=tag ^ 1 << 20).bytes(), False),  # another peer's number
        ("rx_stale_tag", replace(good, tag=tag | 0xFFF << 20).bytes(), False),
        ("rx_stale_tag", replace(good, tag=0).bytes(), False),
        ("rx_stale_tag", replace(ack, tag=tag ^ 256).bytes(), False),
        (
            "rx_stale_tag",
            replace(good, kind=RESET, tag=tag ^ 2, size=0, payload=b"").bytes(),
            False,
        ),
        ("rx_out_of_window", replace(good, seq=last + 17).bytes(), False),
        ("rx_out_of_window", replace(good, seq=last + 0x7FFFFFFF).bytes(), False),
        ("rx_dup", replace(good, seq=last).bytes(), False),
        ("rx_dup", replace(good, seq=last - 0x1000 & 0xFFFFFFFF).bytes(), False),
        (
            "rx_bad_ack",
            replace(ack, ack=sent + 2, payload=struct.pack(">IQ", 30, 0)).bytes(),
            False,
        ),
        (
            "rx_bad_ack",
            replace(ack, ack=sent + 0x1000, payload=struct.pack(">IQ", sent + 0x1010, 0)).bytes(),
            False,
        ),
        ("rx_bad_ack", replace(ack, payload=struct.pack(">IQ", 0x80000000, 0)).bytes(), False),
        ("rx_bad_ack", replace(ack, payload=struct.pack(">IQ", 65, 0)).bytes(), False),
        ("rx_bad_ack", hello(BASE + 1, 0, 77, 0), False),
        ("rx_bad_ack", hello(BASE + 1, 0, 77, 65), False),
        ("rx_unknown", hello(0x020000009999, 0, 77), False),
    ]
    for name, frame, bad in cases:
        before = net.events(0)
        net.inject(0, frame, bad)
        net.run(256)
        after = net.events(0)
        changed = {k: n - before.get(k, 0) for k, n in after.items() if n != before.get(k, 0)}
        changed = {k: n for k, n in changed.items() if k.startswith("rx_")}
        allowed = {name: 1}
        if name in (
            "rx_bad_ack",
            "rx_unknown",
        ):  # detected after counting
            changed.pop("rx_ack", None)
            changed.pop("rx_hello", None)
        assert changed == allowed, (name, frame.hex())
    for box in net.inbox:
        box.messages.clear()
    arrived(net, talk(net, 20, SIZES, 2))
    assert [s for b in net.inbox for s in b.status] == [(1, UP), (0, UP)]


@pytest.mark.parametrize("width", [64, 256, 512])
def test_flood(width: int) -> None:
    """Random, mutated and old frames between those of a stream; the stream is unharmed."""
    net = Net(width=width, cfg={"max_timeouts": 15}, seed=width)
    net.join()
    rng = random.Random(width)
    expect = talk(net, 100, SIZES, 9)
    injected = 0
    while any(len(b.messages) < len(e) for b, e in zip(net.inbox, expect, strict=True)):
        net.once()
        assert net.dut.cycle < 200_000, net.picture()
        for _ in range(2):
            kind = rng.randrange(4)
            frame = bytearray(rng.choice(net.sent)[1])
            if kind == 0:  # random after the EtherType
                frame = bytearray(frame[:14] + rng.randbytes(rng.randrange(200)))
            elif kind == 1:  # the tag, a foreign one, with anything
                frame[16:20] = rng.randbytes(4)
            elif kind == 2:
                frame = frame[: rng.randrange(1, 30)]
            elif Header.parse(bytes(frame)).kind == HELLO and rng.random() < 0.5:
                frame[30:34] = rng.randbytes(4)  # somebody pretends to have restarted
            net.inject(rng.randrange(2), bytes(frame), bad=rng.random() < 0.1)
            injected += 1
    arrived(net, expect)
    net.run(3000)
    assert injected > 50
    assert [s for b in net.inbox for s in b.status] == [(1, UP), (0, UP)]
    events = net.events(0)
    assert events["rx_malformed"] and events["rx_stale_tag"] and events["rx_dup"]


class Crowd:
    """Peers of core 0 in Python: they open, accept everything, and send."""

    def __init__(self, net: Net, count: int) -> None:
        self.net = net
        self.count = count
        self.tag = [0] * count  # expected by core 0 from each
        self.next = [0] * count
        self.got: list[list[bytes]] = [[] for _ in range(count)]
        self.ups = 0

    def mac(self, i: int) -> int:
        """Address of a peer."""
        return BASE + 0x10000 + i

    def inject(self, header: Header) -> None:
        """A frame to core 0."""
        self.net.inject(0, header.bytes())

    def fate(self, net: Net, source: int, frame: bytes) -> list[tuple[int, bytes]]:
        """Answer the frames of core 0."""
        h = Header.parse(frame)
        i = h.dst - self.mac(0)
        if not 0 <= i < self.count:
            return [(0, frame)]
        own = i << 8 | 0x5A
        if h.kind == HELLO:
            theirs = int.from_bytes(h.payload[:4], "big")
            self.tag[i] = theirs
            pay = struct.pack(">III", own, 4, 0)
            self.inject(Header(h.src, h.dst, HELLO, 0, theirs, 0, 0, 12, pay))
        elif h.kind == DATA:
            assert h.tag == own
            if h.seq == self.next[i]:
                self.next[i] += 1
                self.got[i].append(h.payload)
            pay = struct.pack(">IQ", self.next[i] + 4, 0)
            self.inject(Header(h.src, h.dst, ACK, 0, self.tag[i], 0, self.next[i], 12, pay))
        return []


@pytest.mark.parametrize("peers", [64, 1024])
def test_many_peers(peers: int) -> None:
    """All entries of the table up, messages to and from each; then all die but one in sixteen."""
    params = {} if peers == 64 else {"PEERS": peers, "WINDOW": 4, "TX_WINDOW": 4, "MTU": 256}
    net = Net(
        cores=3 if peers == 64 else 1,
        cfg={
            "mtu": 200,
            "hello_interval": 3000,
            "rto_init": 2000,
            "rto_min": 1000,
            "rto_max": 2000,
        },
        step=64,
        **params,
    )
    crowd = Crowd(net, peers)
    net.fate = lambda net, source, frame: crowd.fate(net, source, frame)
    for i in range(peers):
        net.peer(0, i, crowd.mac(i))
    box: Inbox = net.inbox[0]
    net.until(lambda: len(box.status) == peers, 400_000)
    assert sorted(box.status) == [(i, UP) for i in range(peers)]
    rng = random.Random(peers)
    order = rng.sample(range(peers), peers)
    want: dict[int, bytes] = {}
    for k, i in enumerate(order):
        want[i] = rng.randbytes(rng.choice([1, 20, 160, 400]))
        net.send(0, i, want[i])
        if k % 4 == 0:
            crowd.inject(
                Header(BASE, crowd.mac(i), DATA, 3, crowd.tag[i], 0, 0, 4, struct.pack(">I", i))
            )
        if k % 64 == 63:
            net.run(64)
    net.until(lambda: all(b"".join(crowd.got[i]) == want[i] for i in range(peers)), 400_000)
    net.until(lambda: len(box.messages) == peers // 4, 50_000)
    assert sorted(box.messages) == sorted((i, struct.pack(">I", i)) for i in order[::4])
    # Most fall silent. Messages to them fail, messages to the others arrive.
    net.run(3000)
    for i in range(peers):
        crowd.got[i].clear()
    alive = [i for i in range(peers) if i % 16 == 3]
    net.fate = lambda net, source, frame: (
        crowd.fate(net, source, frame)
        if (int.from_bytes(frame[:6], "big") - crowd.mac(0)) in alive
        else []
    )
    sample = rng.sample([i for i in range(peers) if i not in alive], 12)
    for i in sample + alive:
        net.send(0, i, b"again")
    net.until(lambda: all(crowd.got[i] == [b"again"] for i in alive), 400_000)
    net.until(lambda: len([1 for _, c in box.status if c == 2]) == len(sample), 800_000)
    assert sorted(p for p, c in box.status if c == 2) == sorted(sample)
