# SPDX-License-Identifier: Apache-2.0
"""One connection of the peer: sends any segment, expects segments, checks what is always true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scapy.layers.inet import TCP
from scapy.packet import Raw
from tcp_segment import ECHO, MY_IP, WORD, Seg, Stream, minus

if TYPE_CHECKING:
    from tcp_peer import Host


@dataclass
class Conn:
    """A connection driven by the test. Sequence numbers are those on the wire."""

    host: Host
    rport: int = ECHO
    lport: int = 0
    isn: int = -1
    win: int = 65_535  # as in the header of all segments from now on
    mss: int | None = 1460  # None: no such option
    ws: int | None = None
    sack: bool = False
    ts: bool = False
    source: str = MY_IP
    extra: Sequence[Any] = ()  # more options of the SYN
    irs: int = -1
    snd_nxt: int = 0
    rcv_nxt: int = 0
    acked: int = 0  # the latest acknowledgment that came
    their_win: int = 0
    their_ws: int = 0
    ts_val: int = 1000
    ts_ecr: int = 0
    checked: bool = True  # what is always true is checked
    over: bool = False
    seen: list[Seg] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lport = self.lport or self.host.port()
        if self.isn < 0:
            self.isn = self.host.rng.randrange(WORD)
        self.snd_nxt = self.acked = self._sent_to = self.isn
        self._edge: int | None = None  # right edge of the window offered to the target
        self._their_edge: int | None = None
        self._their_top = 0  # the end of what the target has sent
        self._options_agreed = False
        self._box = self.host.box(self.lport, self.rport)
        self._box.clear()

    # ---- sending ------------------------------------------------------------------------------

    def at(self, n: int) -> int:
        """Sequence number of byte n of this side."""
        return (self.isn + 1 + n) % WORD

    def their(self, n: int) -> int:
        """Sequence number of byte n of the target's side."""
        return (self.irs + 1 + n) % WORD

    def syn_options(self) -> list[Any]:
        out: list[Any] = [*self.extra]
        if self.mss is not None:
            out.append(("MSS", self.mss))
        if self.sack:
            out.append(("SAckOK", b""))
        if self.ts:
            out.append(("Timestamp", (self.ts_val, self.ts_ecr)))
        if self.ws is not None:
            out.append(("WScale", self.ws))
        return out

    def send(
        self,
        flags: str = "A",
        data: bytes = b"",
        *,
        seq: int | None = None,
        ack: int | None = None,
        win: int | None = None,
        opts: Sequence[Any] | bytes | None = None,
        sacks: Sequence[tuple[int, int]] = (),
        trailer: bytes = b"",
        ecn: int = 0,
        **fields: Any,
    ) -> None:
        """Send a segment. Without `seq` it is the next one; with it, snd_nxt stays as it is."""
        space = len(data) + ("S" in flags) + ("F" in flags)
        number = self.snd_nxt if seq is None else seq % WORD
        if seq is None:
            self.snd_nxt = (self.snd_nxt + space) % WORD
        acknowledge = self.rcv_nxt if ack is None else ack % WORD
        window = self.win if win is None else win
        if opts is None:
            opts = self._options(flags, sacks)
        if "R" not in flags and minus((number + space) % WORD, self._sent_to) > 0:
            self._sent_to = (number + space) % WORD
        if "A" in flags and "R" not in flags and minus(acknowledge, self._their_top) <= 0:
            edge = (acknowledge + (window << self._my_shift(flags))) % WORD
            if self._edge is None or minus(edge, self._edge) > 0:
                self._edge = edge
        tcp = TCP(
            sport=self.lport,
            dport=self.rport,
            seq=number,
            ack=acknowledge if "A" in flags or "ack" in fields else 0,
            flags=flags,
            window=window,
            **fields,
        )
        if isinstance(opts, bytes):  # on the wire they are just in front of the data
            assert len(opts) % 4 == 0 and len(opts) <= 40
            tcp.dataofs = fields.get("dataofs", 5 + len(opts) // 4)
            data = opts + data
        else:
            tcp.options = list(opts)
        self.host.transmit(tcp / Raw(data) if data else tcp, self.source, trailer, ecn)

    def _options(self, flags: str, sacks: Sequence[tuple[int, int]]) -> list[Any]:
        if "S" in flags:
            return self.syn_options()
        out: list[Any] = []
        if self.ts and "R" not in flags:
            self.ts_val = (self.ts_val + 1) % WORD
            out += [("NOP", None), ("NOP", None), ("Timestamp", (self.ts_val, self.ts_ecr))]
        if sacks:
            edges = tuple(edge % WORD for pair in sacks for edge in pair)
            out += [("NOP", None), ("NOP", None), ("SAck", edges)]
        return out

    def _my_shift(self, flags: str = "A") -> int:
        if "S" in flags or self.ws is None or not self._options_agreed:
            return 0
        return min(self.ws, 14)

    # ---- receiving ----------------------------------------------------------------------------

    def next(self, seconds: float | None = None) -> Seg | None:
        """The next segment, checked; None after the timeout."""
        end = self.host.wire.now() + (self.host.times.patience if seconds is None else seconds)
        while not self._box:
            if not self.host.poll(end - self.host.wire.now()) and self.host.wire.now() >= end:
                return None
        seg = self._box.popleft()
        self._note(seg)
        return seg

    def _note(self, seg: Seg) -> None:
        """Process a segment: update the state, and check the invariants."""
        self.seen.append(seg)
        passive = "S" in seg.flags and self.irs < 0
        if "S" in seg.flags:
            self.learn(seg)
        elif "R" in seg.flags:
            self.over = True
            return
        if "A" in seg.flags:
            shift = 0 if "S" in seg.flags else self.their_ws
            self.acked, self.their_win = seg.ack, seg.win << shift
            self._check_edge(seg, shift)
        if minus(seg.end, self._their_top) > 0:
            self._their_top = seg.end
        if "Timestamp" in seg.opts and self.ts:
            self.ts_ecr = seg.opts["Timestamp"][0]
        if self.checked:
            self._check(seg, passive)

    def learn(self, seg: Seg) -> None:
        """Process the target's SYN or SYN-ACK."""
        self.irs = seg.seq
        self._their_edge = None
        self._their_top = seg.end
        self.rcv_nxt = (seg.seq + 1) % WORD
        opts = seg.opts
        self._options_agreed = "WScale" in opts and self.ws is not None
        self.their_ws = min(opts["WScale"], 14) if self._options_agreed else 0
        self.ts = self.ts and "Timestamp" in opts
        self.sack = self.sack and "SAckOK" in opts

    def _check(self, seg: Seg, passive: bool) -> None:
        def always(fine: bool, rule: str) -> None:
            assert fine, f"{rule}: {seg}\n{self.host.history()}"

        if "A" in seg.flags:
            always(minus(seg.ack, self._sent_to) <= 0, "acknowledges what was not sent")
        if "S" in seg.flags:
            for name, mine in (("WScale", self.ws is not None), ("SAckOK", self.sack)):
                always(mine or name not in seg.opts or not passive, f"{name} unasked for")
            return
        if self.ts:
            always("Timestamp" in seg.opts, "no timestamp (RFC 7323, 3.2)")
        if not self.sack:
            always("SAck" not in seg.opts, "SACK was not permitted")
        most = 536 if self.mss is None or self.mss < 64 else self.mss
        always(len(seg.data) + len(seg.option_bytes) <= most, "longer than the MSS")
        if self._edge is not None and seg.data:
            beyond = minus(seg.seq + len(seg.data), self._edge)
            always(beyond <= 0 or (beyond == 1 == len(seg.data)), "beyond the window")

    def _check_edge(self, seg: Seg, shift: int) -> None:
        """The target does not shrink its window (RFC 9293, 3.8.6)."""
        edge = (seg.ack + (seg.win << shift)) % WORD
        if self._their_edge is not None and self.checked:
            back = minus(self._their_edge, edge)
            assert back < 1 << self.their_ws, f"window shrunk by {back}\n{self.host.history()}"
        if self._their_edge is None or minus(edge, self._their_edge) > 0:
            self._their_edge = edge

    def expect(
        self,
        flags: str | None = None,
        *,
        seq: int | None = None,
        ack: int | None = None,
        data: bytes | None = None,
        within: float | None = None,
        where: Callable[[Seg], bool] = lambda seg: True,
    ) -> Seg:
        """The next segment that matches; PSH, ECE and CWR are ignored in flags."""
        end = self.host.wire.now() + (self.host.times.patience if within is None else within)
        while (seg := self.next(end - self.host.wire.now())) is not None:
            if flags is not None and set(flags) != set(seg.flags) - set("PEC"):
                continue
            if (seq is not None and seg.seq != seq % WORD) or (
                ack is not None and ("A" not in seg.flags or seg.ack != ack % WORD)
            ):
                continue
            if (data is None or seg.data == data) and where(seg):
                return seg
        wanted = [
            f"{k}={v}" for k, v in (("seq", seq), ("ack", ack), ("data", data)) if v is not None
        ]
        text = f"no segment {flags or ''} {' '.join(wanted)} came"
        raise AssertionError(f"{text}\n{self.host.history()}")

    def quiet(self, seconds: float | None = None) -> None:
        """Nothing is received in that time."""
        seg = self.next(self.host.times.hush if seconds is None else seconds)
        assert seg is None, f"there should be silence: {seg}\n{self.host.history()}"

    def drain(self, seconds: float | None = None) -> list[Seg]:
        """All segments until the line has been quiet for that time."""
        out = []
        while (seg := self.next(self.host.times.hush if seconds is None else seconds)) is not None:
            out.append(seg)
        return out

    # ---- whole conversations ------------------------------------------------------------------

    def handshake(self, data: bytes = b"", tries: int = 1) -> Seg:
        """SYN (retransmitted if needed), SYN-ACK, ACK (with data, if given)."""
        self.send("S")
        while True:
            tries -= 1
            try:
                wait = None if tries == 0 else self.host.times.syn
                answer = self.expect("SA", ack=self.snd_nxt, within=wait)
                break
            except AssertionError:
                if tries == 0:
                    raise
                self.send("S", seq=self.isn)
        self.send("PA" if data else "A", data)
        return answer

    def wait_acked(self, number: int | None = None) -> None:
        """Wait until the target has acknowledged up to a number (all that was sent)."""
        goal = self.snd_nxt if number is None else number
        end = self.host.wire.now() + self.host.times.patience
        while self.acked != goal:
            if self.next(end - self.host.wire.now()) is None:
                raise AssertionError(f"{goal} is not acknowledged\n{self.host.history()}")

    def read(self, count: int, *, answer: bool = True) -> bytes:
        """Bytes of the target's stream, in order, each segment acknowledged."""
        stream = Stream(self.rcv_nxt)
        end = self.host.wire.now() + self.host.times.patience
        while len(stream.data) < count:
            seg = self.next(end - self.host.wire.now())
            if seg is None:
                got = len(stream.data)
                raise AssertionError(f"{got} of {count} bytes came\n{self.host.history()}")
            stream.add(seg)
            if answer and seg.data:
                self.rcv_nxt = stream.next
                self.send("A")
        self.rcv_nxt = stream.next
        return bytes(stream.data)

    def echo(self, data: bytes) -> None:
        """Send data (less than a window) and read it back."""
        size = min(self.mss or 536, self.host.target.mss) - 12
        for i in range(0, len(data), size):
            self.send("PA", data[i : i + size])
        got = self.read(len(data))
        assert got == data, f"the echo is wrong\n{self.host.history()}"
        self.wait_acked()

    def close(self) -> None:
        """Close in order, this side first; the target's TIME_WAIT is avoided."""
        self.send("FA")
        self.expect(None, ack=self.snd_nxt, where=lambda seg: "F" in seg.flags)
        self.rcv_nxt = (self.rcv_nxt + 1) % WORD
        self.send("A")
        self.over = True

    def reset(self) -> None:
        """A valid RST."""
        self.send("R", seq=self.snd_nxt, ack=0)
        self.over = True

    def gone(self) -> None:
        """The target has no such connection: it answers a segment by RST (RFC 9293, 3.10.7.1)."""
        self.checked = False
        for left in (2, 1, 0):  # one that is close behind the end may be dropped with it
            self.send("A", seq=self.snd_nxt, ack=self.rcv_nxt)
            try:
                self.expect("R", seq=self.rcv_nxt, within=self.host.times.hush)
                break
            except AssertionError:
                if left == 0:
                    raise
        self.over = True

    def abandon(self) -> None:
        """Leave nothing behind at the target."""
        if not self.over:
            for number in {self.snd_nxt, self.acked}:
                self.send("R", seq=number, ack=0)
        self.over = True
        self.host.unbox(self.lport, self.rport)
