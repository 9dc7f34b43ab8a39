# SPDX-License-Identifier: Apache-2.0
"""An RTP endpoint in plain Python, written from docs/blocks/eth-rtp.md alone.

It shares nothing with the hardware but the frame format. Its sender is as simple as the rules
allow: one timer a frame, no estimates. Time is a number that the caller brings along.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from kumihimo.proto.eth_rtp import (
    HEADER_BYTES,
    SACK_BITS,
    WRAP,
    Ack,
    BadFrame,
    Flag,
    Frame,
    Hello,
    Type,
    make_tag,
)


def before(a: int, b: int) -> bool:
    """Whether a lies before b on the circle of sequence numbers."""
    return a != b and (b - a) % WRAP < WRAP // 2


@dataclass
class Config:
    """Times are cycles."""

    window: int = 16  # frames that a peer may have sent beyond what the kernel took
    tx_window: int = 64
    mtu: int = 1500
    ack_delay: int = 200
    rto: int = 4000
    hello_interval: int = 4000
    probe_interval: int = 8000
    max_timeouts: int = 8


@dataclass
class Segment:
    """A frame of a message as the kernel gets it."""

    data: bytes
    first: bool
    last: bool
    bad: bool = False


@dataclass
class Sent:
    """A DATA frame that was not acknowledged yet."""

    segment: Segment
    at: int
    tries: int = 0
    sacked: bool = False


@dataclass
class Link:
    """What an endpoint knows of a peer."""

    number: int
    mac: str
    active: bool = False  # opens the association by itself
    pend: int | None = None  # tag offered, not confirmed
    pend_rem: int | None = None  # the other side's tag that it was offered to
    pend_limit: int = 0
    echoed: int | None = None  # tag of the other side that was echoed last
    hello_at: int | None = None
    own: int | None = None
    rem: int | None = None
    queue: deque[Segment] = field(default_factory=deque)
    store: dict[int, Sent] = field(default_factory=dict)
    una: int = 0
    next: int = 0
    limit: int = 0
    expected: int = 0
    buffer: dict[int, Segment] = field(default_factory=dict)
    ready: deque[Segment] = field(default_factory=deque)
    taken: int = 0
    told: int = 0  # limit in the last ACK
    open: bool = False  # a message is half received
    hold: bool = False  # the kernel does not take
    ack_at: int | None = None
    twice: bool = False
    heard: int = 0
    probes: int = 0

    @property
    def up(self) -> bool:
        """Whether there is an association."""
        return self.own is not None


class Endpoint:
    """One side: a table of peers, messages in, segments and frames out."""

    def __init__(self, mac: str, peers: dict[int, str], config: Config, nonce: int = 1) -> None:
        self.mac = mac
        self.config = config
        self.nonce = nonce
        self.links = {n: Link(n, peer) for n, peer in peers.items()}
        self.out: list[bytes] = []
        self.delivered: list[tuple[int, Segment]] = []
        self.status: list[tuple[int, str]] = []
        self.counts: Counter[str] = Counter()
        self.now = 0

    # ---- the kernel's side ----------------------------------------------------------------------

    def open(self, number: int) -> None:
        """Begin to set an association up, and again whenever it is down."""
        link = self.links[number]
        link.active = True
        if not link.up and link.hello_at is None:
            self._offer(link)

    def send(self, number: int, message: bytes) -> None:
        """Queue a message."""
        room = self.config.mtu - HEADER_BYTES
        link = self.links[number]
        for at in range(0, len(message), room):
            end = at + room
            link.queue.append(Segment(message[at:end], at == 0, end >= len(message)))

    def bye(self, number: int) -> None:
        """Take leave of a peer, and stay away."""
        link = self.links[number]
        link.active = False
        if link.up:
            self._put(link, Type.RESET)
            self._down(link, "bye")

    def messages(self, number: int) -> list[bytes]:
        """Complete messages of a peer, in order; a truncated one fails."""
        out, part = [], b""
        for who, segment in self.delivered:
            if who != number:
                continue
            assert not segment.bad and segment.first == (part == b"")
            part += segment.data
            if segment.last:
                out.append(part)
                part = b""
        return out

    # ---- time -----------------------------------------------------------------------------------

    def poll(self, now: int) -> list[bytes]:
        """Whatever is due; the frames to send."""
        self.now = now
        for link in self.links.values():
            if link.hello_at is not None and now >= link.hello_at:
                self._offer(link)
            if link.up:
                self._kernel(link)
                self._pump(link)
                self._timers(link)
        out, self.out = self.out, []
        return out

    def _timers(self, link: Link) -> None:
        c = self.config
        for seq, sent in sorted(link.store.items()):
            if not sent.sacked and self.now - sent.at >= c.rto:
                sent.at, sent.tries = self.now, sent.tries + 1
                if sent.tries > c.max_timeouts:
                    self._down(link, "dead")
                    return
                self.counts["again"] += 1
                self._data(link, seq, sent.segment, Flag.ACK_REQ)
        owed = bool(link.store or link.open or link.queue)
        if owed and self.now - link.heard >= c.probe_interval * (link.probes + 1):
            link.probes += 1
            if link.probes > c.max_timeouts:
                self._down(link, "dead")
                return
            self._ack(link, Flag.ACK_REQ)
        if link.ack_at is not None and self.now >= link.ack_at:
            self._ack(link)

    def _kernel(self, link: Link) -> None:
        while link.ready and not link.hold:
            segment = link.ready.popleft()
            link.taken += 1
            link.open = not (segment.last or segment.bad)
            self.delivered.append((link.number, segment))
        if self._limit(link) != link.told:
            half = (self._limit(link) - link.told) % WRAP >= self.config.window // 2
            self._ack_within(link, 0 if half else self.config.ack_delay)

    def _limit(self, link: Link) -> int:
        return (link.taken + self.config.window) % WRAP

    def _ack_within(self, link: Link, delay: int) -> None:
        at = self.now + delay
        link.ack_at = at if link.ack_at is None else min(at, link.ack_at)

    # ---- sending --------------------------------------------------------------------------------

    def _put(self, link: Link, kind: Type, **more: object) -> None:
        tag = more.pop("tag", link.rem)
        frame = Frame(link.mac, self.mac, kind, tag, **more)  # type: ignore[arg-type]
        self.out.append(frame.to_bytes())

    def _data(self, link: Link, seq: int, segment: Segment, flags: Flag = Flag(0)) -> None:
        if segment.first:
            flags |= Flag.FIRST
        if segment.last:
            flags |= Flag.LAST
        self._put(
            link, Type.DATA, seq=seq, ack=link.expected, flags=flags, body=segment.data
        )  # fmt: skip

    def _pump(self, link: Link) -> None:
        room = self.config.tx_window
        while link.queue and before(link.next, link.limit) and len(link.store) < room:
            segment = link.queue.popleft()
            stop = not link.queue or len(link.store) + 1 == room
            stop = stop or (link.next + 1) % WRAP == link.limit
            self._data(link, link.next, segment, Flag.ACK_REQ if stop else Flag(0))
            link.store[link.next] = Sent(segment, self.now)
            link.next = (link.next + 1) % WRAP

    def _ack(self, link: Link, flags: Flag = Flag(0)) -> None:
        sack = sum(1 << ((seq - link.expected - 1) % WRAP) for seq in link.buffer)
        if link.twice:
            flags |= Flag.DUPLICATE
        link.told = self._limit(link)
        self._put(
            link, Type.ACK, ack=link.expected, flags=flags, body=Ack(link.told, sack)
        )  # fmt: skip
        link.ack_at, link.twice = None, False

    def _hello(self, link: Link, own: int, tag: int | None) -> None:
        if tag is not None:
            link.echoed = tag
        limit = self._limit(link) if own == link.own else self.config.window
        self._put(link, Type.HELLO, tag=tag or 0, body=Hello(own, limit))

    # ---- associations ---------------------------------------------------------------------------

    def _fresh(self, link: Link) -> int:
        self.nonce = (self.nonce + 1) % (1 << 20)
        return make_tag(link.number, self.nonce)

    def _offer(self, link: Link) -> None:
        if link.pend is None:
            link.pend = self._fresh(link)
        self._hello(link, link.pend, link.pend_rem)
        link.hello_at = self.now + self.config.hello_interval if link.active else None

    def _take(self, link: Link, rem: int, limit: int) -> None:
        if link.up:
            self._down(link, "restart")
        link.own, link.rem, link.limit = link.pend, rem, limit
        link.pend = link.pend_rem = link.hello_at = None
        link.una = link.next = link.expected = link.taken = 0
        link.told = self.config.window
        link.heard, link.probes = self.now, 0
        self.status.append((link.number, "up"))
        if link.echoed != rem:
            assert link.own is not None
            self._hello(link, link.own, rem)

    def _down(self, link: Link, why: str) -> None:
        link.own = link.rem = link.ack_at = None
        link.twice = False
        link.queue.clear()
        link.store.clear()
        link.buffer.clear()
        # What was received in order was acknowledged: the kernel gets it, and then the end.
        for segment in link.ready:
            self.delivered.append((link.number, segment))
            link.open = not segment.last
        link.ready.clear()
        if link.open:
            self.delivered.append((link.number, Segment(b"\0", False, True, True)))
        link.open = False
        self.status.append((link.number, why))
        if link.active and link.pend is None:
            self._offer(link)

    # ---- receiving ------------------------------------------------------------------------------

    def receive(self, now: int, data: bytes) -> str:
        """Process a frame; returns the result, which is also counted."""
        self.now = now
        try:
            what = self._receive(Frame.parse(data))
        except BadFrame as bad:
            what = bad.reason
        self.counts[what] += 1
        return what

    def _receive(self, frame: Frame) -> str:
        if frame.dst != self.mac:
            return "not_ours"
        if isinstance(frame.body, Hello):
            for link in self.links.values():
                if link.mac == frame.src:
                    self._on_hello(link, frame.tag, frame.body)
                    return "hello"
            return "unknown"
        found = self.links.get(frame.tag >> 20)
        if found is not None and frame.tag == found.pend and found.pend_rem is not None:
            self._take(found, found.pend_rem, found.pend_limit)
            return "confirmed"
        if found is None or not found.up or frame.tag != found.own:
            return "old_tag"
        if frame.type == Type.RESET:
            self._down(found, "bye")
            return "reset"
        return self._on_frame(found, frame)

    def _on_hello(self, link: Link, tag: int, body: Hello) -> None:
        rem = body.own_tag
        if link.up and rem == link.rem and tag == link.own:
            self._ack(link)
        elif link.up and rem == link.rem and tag == 0:
            assert link.own is not None
            self._hello(link, link.own, rem)
        elif link.pend is not None and tag == link.pend:
            self._take(link, rem, body.limit)
        elif link.up and tag not in (0, link.own):
            assert link.own is not None
            self._hello(link, link.own, link.rem)
        else:
            if link.pend is None or link.pend_rem not in (None, rem):
                link.pend = self._fresh(link)
            link.pend_rem, link.pend_limit = rem, body.limit
            self._hello(link, link.pend, rem)

    def _on_frame(self, link: Link, frame: Frame) -> str:
        sacked = frame.body.received(frame.ack) if isinstance(frame.body, Ack) else []
        if before(link.next, frame.ack) or any(not before(s, link.next) for s in sacked):
            return "forged"
        if isinstance(frame.body, Ack) and (frame.body.limit - frame.ack) % WRAP > SACK_BITS:
            return "forged"
        link.heard, link.probes = self.now, 0
        self._acknowledged(link, frame.ack, sacked)
        if isinstance(frame.body, Ack):
            if before(link.limit, frame.body.limit):
                link.limit = frame.body.limit
            if frame.flags & Flag.ACK_REQ:
                self._ack_within(link, 0)
            return "ack"
        assert isinstance(frame.body, bytes)
        return self._on_data(link, frame, frame.body)

    def _acknowledged(self, link: Link, ack: int, sacked: list[int]) -> None:
        while before(link.una, ack):
            del link.store[link.una]
            link.una = (link.una + 1) % WRAP
        for seq in sacked:
            if seq in link.store:
                link.store[seq].sacked = True

    def _on_data(self, link: Link, frame: Frame, data: bytes) -> str:
        seq, flags = frame.seq, frame.flags
        limit = self._limit(link)
        if before(seq, link.expected) and before((link.expected - seq) % WRAP, WRAP // 4):
            link.twice = True
            self._ack_within(link, 0)
            return "dup"
        if seq in link.buffer:
            link.twice = True
            self._ack_within(link, 0)
            return "dup"
        if not before(seq, limit) or before(seq, link.expected):
            return "outside"
        bad = not data
        segment = Segment(data, bool(flags & Flag.FIRST), bool(flags & Flag.LAST), bad)
        link.buffer[seq] = segment
        now = seq != link.expected or flags & Flag.ACK_REQ
        while link.expected in link.buffer:
            link.ready.append(link.buffer.pop(link.expected))
            link.expected = (link.expected + 1) % WRAP
        self._ack_within(link, 0 if now else self.config.ack_delay)
        return "data"
