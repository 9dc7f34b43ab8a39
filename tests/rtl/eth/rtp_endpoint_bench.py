# SPDX-License-Identifier: Apache-2.0
"""An RTP core under test among endpoints in Python, with a line and a monitor between them."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kumihimo.proto.eth_rtp import Ack, Flag, Frame, Hello, Type
from kumihimo.testing import Dut
from rtp_endpoint import Config, Endpoint

OWN = "02:00:00:00:00:0a"
PERIOD_PS = 3200
TICK = 16  # cycles
WINDOW = 16
# In ticks. Short, so that tests are; the round trip of the bench is some 200 cycles.
TIMES = {
    "ack_delay": 6,
    "rto_init": 80,
    "rto_min": 40,
    "rto_max": 640,
    "hello_interval": 60,
    "probe_interval": 150,
    "max_timeouts": 4,
}
UP, DEAD, RESTART, BYE, FAILED = 1, 2, 3, 4, 5
# Events of which each received frame raises one.
RX_EVENTS = (
    "rx_data",
    "rx_dup",
    "rx_ack",
    "rx_hello",
    "rx_reset",
    "rx_bad",
    "rx_malformed",
    "rx_unknown",
    "rx_stale_tag",
    "rx_out_of_window",
    "rx_bad_ack",
    "rx_hello_overflow",
)
DROPS = RX_EVENTS[5:]


def address(number: int) -> str:
    """Address of the endpoint with that number in the table of the transport under test."""
    return f"02:00:00:00:01:{number:02x}"


def its_number(number: int) -> int:
    """Number that the endpoint has for the core under test: deliberately different."""
    return 0x700 + number


def value(mac: str) -> int:
    """An address as records and pins carry it."""
    return int(mac.replace(":", ""), 16)


def pad(frame: bytes) -> bytes:
    """What a MAC adds to a short frame and does not take away."""
    return frame.ljust(60, b"\0")


def transport(
    width: int = 256,
    peers: int = 4,
    mtu: int = 600,
    nonce: int = 100,
    window: int = WINDOW,
    tx_window: int = 16,
    slots: int = 32,
    **times: int,
) -> Dut:
    """An instance with flat ports; its table is empty."""
    bits = max((peers - 1).bit_length(), 1)
    dut = Dut.of_module(
        "kumi_eth_rtp",
        params={
            "PEERS": peers,
            "WINDOW": window,
            "TX_WINDOW": tx_window,
            "TX_SLOTS": slots,
            "MTU": max(mtu, 600),
        },
        interfaces={
            "*": {"DATA_W": width, "DEST_W": bits, "ID_W": bits},
            "m_msg": {"USER_W": 3},
            "set_source_addr": {"W": 48},
            "set_peer": {"W": 60},
            "m_status": {"W": 16},
        },
        periods_ps={"clk": PERIOD_PS},
        pins={"cfg_addr": value(OWN), "cfg": {"mtu": mtu, "nonce": nonce, **TIMES, **times}},
    )
    dut.watch("ev")
    dut.run(20)
    return dut


def restart_core(dut: Dut, mtu: int = 600, nonce: int = 100, **times: int) -> None:
    """A reset, with settings applied from its start."""
    dut._start_pins["cfg"] = {"mtu": mtu, "nonce": nonce, **TIMES, **times}
    dut.restart()
    dut.watch("ev")
    dut.run(20)


@dataclass
class Seen:
    """What the watcher knows of one association, one peer."""

    granted: int = 0  # highest limit that reached the core
    acked: int = 0  # highest ack that was brought to it
    arrived: set[int] = field(default_factory=set)  # DATA that was brought to it
    in_order: int = 0  # all below it has been brought to it
    next: int = 0
    sent: dict[int, bytes] = field(default_factory=dict)
    times_sent: Counter[int] = field(default_factory=Counter)
    ack: int = 0  # the highest
    told: int = 0  # the last ack and limit in an ACK
    limit: int = 0


class Watcher:
    """Checks every frame that the core sends against the rules. Numbers must not wrap."""

    def __init__(self, mtu: int, word: int, window: int, tx_window: int) -> None:
        self.mtu, self.word = mtu, word
        self.window, self.tx_window = window, tx_window
        self.seen: defaultdict[int, Seen] = defaultdict(Seen)  # by the endpoint's tag
        self.frames: list[Frame] = []
        self.tags: set[int] = set()  # issued by the core

    def to_transport(self, own: int, frame: Frame) -> None:
        """Records a frame to the core, of the association with that tag of the endpoint."""
        seen = self.seen[own]
        if isinstance(frame.body, Hello):
            seen.granted = max(seen.granted, frame.body.limit)
            return
        seen.acked = max(seen.acked, frame.ack)
        if isinstance(frame.body, Ack):
            seen.granted = max(seen.granted, frame.body.limit)
        elif frame.type == Type.DATA:
            seen.arrived.add(frame.seq)
            while seen.in_order in seen.arrived:
                seen.in_order += 1

    def from_transport(self, data: bytes) -> Frame:
        """A frame came out."""
        frame = Frame.parse(data)
        assert frame.to_bytes() == data, "reserved bits, or bytes behind the payload"
        assert frame.src == OWN and len(data) <= self.mtu
        self.frames.append(frame)
        if frame.type in (Type.HELLO, Type.RESET):
            assert not frame.flags and not frame.seq and not frame.ack
            if isinstance(frame.body, Hello):
                self.tags.add(frame.body.own_tag)
            return frame
        seen = self.seen[frame.tag]
        seen.ack = max(seen.ack, frame.ack)
        assert frame.ack <= seen.in_order, "acknowledges what did not arrive"
        if isinstance(frame.body, Ack):
            self._ack(seen, frame, frame.body)
        else:
            assert isinstance(frame.body, bytes)
            self._data(seen, frame, frame.body)
        return frame

    def _ack(self, seen: Seen, frame: Frame, body: Ack) -> None:
        assert not frame.flags & (Flag.FIRST | Flag.LAST) and not frame.seq
        # DATA may carry an older ack than an ACK that overtook it.
        assert frame.ack >= seen.told, "the ack fell"
        assert body.limit >= seen.limit, "the limit fell"
        seen.told, seen.limit = frame.ack, body.limit
        assert 0 <= body.limit - frame.ack <= self.window
        received = set(body.received(frame.ack))
        assert received <= seen.arrived and all(s < body.limit for s in received)

    def _data(self, seen: Seen, frame: Frame, body: bytes) -> None:
        assert not frame.flags & Flag.DUPLICATE
        assert frame.seq < seen.granted, "sent beyond the limit"
        assert frame.seq - seen.acked < self.tx_window, "sent beyond the window"
        assert frame.seq <= seen.next, "a number was left out"
        content = bytes([frame.flags & 3]) + body
        if frame.seq == seen.next:
            seen.next += 1
            seen.sent[frame.seq] = content
        # A frame that is acknowledged while it is queued for retransmission has undefined contents.
        known = seen.sent[frame.seq] == content or frame.seq < seen.acked
        assert known, f"another content under the same number: {frame.seq}, acked {seen.acked}"
        seen.times_sent[frame.seq] += 1
        if not frame.flags & Flag.LAST:
            assert len(body) == (self.mtu - 30) // self.word * self.word


Line = Callable[[bytes], list[int]]
"""Delays in cycles after which copies of a frame arrive: [] is lost, two are a duplicate."""


class Bench:
    """A core and endpoints, by their number in its table."""

    def __init__(
        self,
        dut: Dut,
        width: int = 256,
        numbers: tuple[int, ...] = (2,),
        mtu: int = 600,
        window: int = WINDOW,
        tx_window: int = 16,
        config: Config | None = None,
        step: int = 32,
    ) -> None:
        self.dut, self.step = dut, step
        self.config = config or Config(
            window=window,
            mtu=mtu,
            ack_delay=96,
            rto=1600,
            hello_interval=1500,
            probe_interval=3000,
            max_timeouts=6,
        )
        self.ends = {n: self.endpoint(n, 0x1000 * (n + 1)) for n in numbers}
        self.watcher = Watcher(mtu, width // 8, window, tx_window)
        self.to_end: Line = lambda _: [64]
        self.to_dut: Line = lambda _: [64]
        self._flying: list[tuple[int, int, str, Any]] = []
        self._count = 0
        self.into: list[bytes] = []  # everything that endpoints sent to the core
        self.log: list[tuple[int, bytes]] = []  # all frames, when they were sent
        self.segments: list[tuple[int, int, bytes]] = []  # peer, tuser, data
        self.status: list[tuple[int, int]] = []
        self.silent: set[int] = set()
        self.base = 0  # cycles before a restart of the core

    def endpoint(self, number: int, nonce: int) -> Endpoint:
        """A new endpoint for that place in the table."""
        return Endpoint(address(number), {its_number(number): OWN}, self.config, nonce)

    def link(self, number: int) -> Any:
        """The endpoint's state of the association with the core."""
        return self.ends[number].links[its_number(number)]

    def set_peers(self, *numbers: int) -> None:
        """Enter endpoints into the table."""
        for n in numbers or self.ends:
            self.dut.send("set_peer", n << 48 | value(address(n)))

    def open(self) -> None:
        """Enter all and wait until all associations are up."""
        self.set_peers()
        self.until(lambda: all(self.link(n).up for n in self.ends))
        self.until(lambda: sum(code == UP for _, code in self.status) >= len(self.ends))

    @property
    def now(self) -> int:
        """Cycles."""
        return self.base + self.dut.cycle

    def throw(
        self, frame: bytes, delay: int = 0, bad: bool = False, own: int | None = None
    ) -> None:
        """A frame to the core; `own`: valid, of the association with that tag."""
        self._fly(delay, "dut", (frame, bad, own))

    def hand(self, number: int, frame: bytes) -> None:
        """A valid frame of a silent endpoint, made by the test."""
        self.throw(pad(frame), own=self.link(number).own)

    def _fly(self, delay: int, where: str, what: Any) -> None:
        self._count += 1
        heapq.heappush(self._flying, (self.now + delay, self._count, where, what))

    def run(self, cycles: int) -> None:
        """Let time pass."""
        end = self.now + cycles
        while self.now < end:
            self.advance()

    def until(self, condition: Callable[[], Any], cycles: int = 60_000) -> int:
        """Let time pass until something holds; how long that took."""
        start = self.now
        while not condition():
            assert self.now - start < cycles, f"did not happen within {cycles} cycles"
            self.advance()
        return self.now - start

    def advance(self) -> None:
        """One step: the core, then the line, then the endpoints."""
        self.dut.run(self.step)
        for out in self.dut.recv("m_frame"):
            assert not out.bad
            frame = self.watcher.from_transport(out.data)
            self.log.append((self.now, pad(out.data)))
            for delay in self.to_end(out.data):
                self._fly(delay, frame.dst, out.data)
        for seg in self.dut.recv("m_msg"):
            self.segments.append((seg.id, seg.users[-1], seg.data))
        for record in self.dut.recv("m_status"):
            self.status.append((record.value >> 4, record.value & 15))
        while self._flying and self._flying[0][0] <= self.now:
            _, _, where, what = heapq.heappop(self._flying)
            if where == "dut":
                frame_in, bad, own = what
                if own is not None:
                    self.watcher.to_transport(own, Frame.parse(frame_in))
                self.dut.send("s_frame", frame_in, bad=bad)
                continue
            for n, endpoint in self.ends.items():
                if endpoint.mac == where and n not in self.silent:
                    endpoint.receive(self.now, what)
        for n, endpoint in self.ends.items():
            if n in self.silent:
                continue
            for data in endpoint.poll(self.now):
                self.log.append((self.now, pad(data)))
                frame = Frame.parse(data)
                link = self.link(n)
                own = None
                if isinstance(frame.body, Hello):
                    own = frame.body.own_tag
                elif link.up and frame.tag == link.rem:
                    own = link.own
                for delay in self.to_dut(data):
                    self.into.append(data)
                    self.throw(pad(data), delay, own=own)

    # ---- results --------------------------------------------------------------------------------

    def messages(self, number: int) -> list[bytes]:
        """Complete messages that the core's kernel received from a peer; truncated ones fail."""
        out, part = [], b""
        for peer, user, data in self.segments:
            if peer != number:
                continue
            assert not user & 1 and bool(user & 2) == (part == b"")
            part += data
            if user & 4:
                out.append(part)
                part = b""
        return out

    def events(self) -> dict[str, int]:
        """Counters that are not zero."""
        return {k: v for k, v in self.dut.counts("ev").items() if v}

    def drops(self) -> dict[str, int]:
        """Counters of dropped frames that are not zero."""
        return {k: v for k, v in self.events().items() if k in DROPS}

    def seen(self, number: int) -> Seen:
        """What the watcher knows of the association that is up."""
        return self.watcher.seen[self.link(number).own]


def data_frame(
    number: int, tag: int, seq: int, payload: bytes, ack: int = 0, flags: Flag | int = 3
) -> bytes:
    """A DATA frame of an endpoint by hand."""
    return Frame(OWN, address(number), Type.DATA, tag, seq, ack, flags, payload).to_bytes()


def ack_frame(number: int, tag: int, ack: int, limit: int, sack: int = 0, flags: int = 0) -> bytes:
    """An ACK of an endpoint by hand."""
    return Frame(
        OWN, address(number), Type.ACK, tag, 0, ack, flags, Ack(limit, sack)
    ).to_bytes()  # fmt: skip


def small() -> Bench:
    """One peer, number 2, up; at 256 bits."""
    bench = Bench(transport())
    bench.open()
    return bench


def acks(bench: Bench, start: int = 0) -> list[Frame]:
    """ACK frames of the transport."""
    return [f for f in bench.watcher.frames[start:] if f.type == Type.ACK]
