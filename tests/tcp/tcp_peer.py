# SPDX-License-Identifier: Apache-2.0
"""A TCP peer in user space that does what a test orders, right or wrong: segments built with scapy.

    Wire    frames to and from the target, and the target's time
    Target  a wire, and what a test may know of the TCP at its end
    Host    a station on the wire: answers ARP, sorts segments into connections, keeps a log
    Conn    one connection (tcp_conn): sends any segment, expects some, checks all

Whatever a test is about, each segment that comes in is checked: checksums, header, options; it
stays within the offered window and the offered MSS, and acknowledges nothing that was not sent.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from scapy.layers.inet import IP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet
from tcp_conn import Conn
from tcp_segment import (
    CLOSED,
    DISCARD,
    ECHO,
    HTTP,
    IPERF,
    MY_IP,
    MY_MAC,
    WORD,
    Seg,
    Stream,
    minus,
    noise,
    parse,
)

__all__ = [
    "CLOSED",
    "DISCARD",
    "ECHO",
    "HTTP",
    "IPERF",
    "WORD",
    "Conn",
    "Host",
    "Seg",
    "Stream",
    "Target",
    "Times",
    "Wire",
    "minus",
    "noise",
]


class Wire(Protocol):
    """The connection to a target."""

    def send(self, frame: bytes) -> None: ...

    def receive(self, seconds: float) -> bytes | None:
        """The next frame within that much of the target's time."""

    def now(self) -> float: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Times:
    """Seconds of the target's clock."""

    patience: float  # what must come has come by then, even on a busy machine
    hush: float  # longer than a delayed ACK, shorter than a retransmission
    rto: float  # no retransmission before
    syn: float  # between a SYN and its first retransmission
    ack: float  # longest delay of an ACK, with some reserve
    keep_idle: float  # of the echo port
    keep_all: float  # from the last sign of the peer to the time-out


@dataclass
class Target:
    name: str
    wire: Wire
    ip: str
    times: Times
    mss: int  # what it offers at most
    bad_checksums: Callable[[], int]  # segments dropped for their checksum so far


class Host:
    """A station on the target's line; it owns every address of the network but the target's."""

    def __init__(self, target: Target, seed: int = 1) -> None:
        self.target = target
        self.wire = target.wire
        self.times = target.times
        self.log: deque[str] = deque(maxlen=60)
        self.rng = random.Random(seed)
        self._conns: list[Conn] = []
        self._boxes: dict[tuple[int, int], deque[Seg]] = {}
        self._listening: dict[int, deque[Seg]] = {}
        self._ports = itertools.cycle(range(20_000, 60_000))
        self.strays: deque[Seg] = deque(maxlen=100)
        self._mac = ""
        self._resolve()

    # ---- frames -----------------------------------------------------------------------------

    def _resolve(self) -> None:
        ask = Ether(src=MY_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(
            op="who-has", hwsrc=MY_MAC, psrc=MY_IP, pdst=self.target.ip
        )
        self.wire.send(bytes(ask))
        end = self.wire.now() + self.times.patience
        while not self._mac:
            assert self.wire.now() < end, f"{self.target.name} does not answer ARP"
            self.poll(self.times.patience)

    @property
    def mac(self) -> str:
        """Time of the target."""
        return self._mac

    def poll(self, seconds: float) -> bool:
        """Receive one frame; False if none arrived in that time."""
        frame = self.wire.receive(max(seconds, 0.0))
        if frame is None:
            return False
        kind = frame[12:14]
        if kind == b"\x08\x06":
            self._arp(Ether(frame)[ARP])
        elif kind == b"\x08\x00" and frame[23] == 6:
            seg = parse(frame, self.wire.now())
            self.log.append(f"{seg.time:.6f} <- {seg}")
            box = self._boxes.get((seg.dport, seg.sport))
            if box is None and seg.flags == "S":
                box = self._listening.get(seg.dport)
            (self.strays if box is None else box).append(seg)
        return True

    def _arp(self, arp: Packet) -> None:
        if arp.psrc == self.target.ip:
            self._mac = arp.hwsrc
        if arp.op == 1 and arp.pdst != self.target.ip and arp.psrc != arp.pdst:
            answer = ARP(op="is-at", hwsrc=MY_MAC, psrc=arp.pdst, hwdst=arp.hwsrc, pdst=arp.psrc)
            self.wire.send(bytes(Ether(src=MY_MAC, dst=arp.hwsrc) / answer))

    def transmit(
        self, tcp: Packet, source: str = MY_IP, trailer: bytes = b"", ecn: int = 0
    ) -> None:
        """Send a segment, optionally with bytes after the IP packet; ecn: of the IP header."""
        packet = IP(src=source, dst=self.target.ip, flags="DF", id=self.rng.randrange(1 << 16))
        packet.tos = ecn
        frame = bytes(Ether(src=MY_MAC, dst=self._mac) / packet / tcp)
        text = tcp.sprintf("%TCP.sport%>%TCP.dport% %TCP.flags% seq=%TCP.seq% ack=%TCP.ack%")
        size = len(frame) - 54
        self.log.append(f"{self.wire.now():.6f} -> {text} win={tcp.window} +{size} {tcp.options}")
        self.wire.send(frame + trailer)

    def pause(self, seconds: float) -> None:
        """Let time pass; segments received are dispatched."""
        end = self.wire.now() + seconds
        while (left := end - self.wire.now()) > 0:
            self.poll(left)

    def history(self) -> str:
        return "\n".join(["the last segments:", *self.log])

    # ---- connections -------------------------------------------------------------------------

    def port(self) -> int:
        """A port that was not used recently."""
        return next(self._ports)

    def conn(self, rport: int = ECHO, **options: Any) -> Conn:
        """A connection before its first segment."""
        conn = Conn(self, rport, **options)
        self._conns.append(conn)
        return conn

    def clean(self) -> None:
        """After a test: no connection is left at the target."""
        for conn in self._conns:
            conn.abandon()
        self._conns.clear()
        self.strays.clear()

    @contextmanager
    def open(self, rport: int = ECHO, tries: int = 1, **options: Any) -> Iterator[Conn]:
        """An established connection; reset at the end if it still exists."""
        conn = self.conn(rport, **options)
        conn.handshake(tries=tries)
        yield conn
        conn.abandon()

    def box(self, mine: int, theirs: int) -> deque[Seg]:
        return self._boxes.setdefault((mine, theirs), deque())

    def unbox(self, mine: int, theirs: int) -> None:
        self._boxes.pop((mine, theirs), None)

    @contextmanager
    def listening(self) -> Iterator[tuple[int, deque[Seg]]]:
        """A port of this host; SYNs to it are collected."""
        port = self.port()
        self._listening[port] = deque()
        try:
            yield port, self._listening[port]
        finally:
            del self._listening[port]

    def wait_for(self, what: str, found: Callable[[], Any], seconds: float | None = None) -> Any:
        """Poll until `found()` is true."""
        end = self.wire.now() + (self.times.patience if seconds is None else seconds)
        while not (result := found()):
            left = end - self.wire.now()
            if left <= 0:
                raise AssertionError(f"{what} did not come\n{self.history()}")
            self.poll(left)
        return result

    def works(self) -> None:
        """A new connection is served."""
        with self.open() as conn:
            conn.echo(b"is anybody there?")
            conn.close()
