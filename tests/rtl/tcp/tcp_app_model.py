# SPDX-License-Identifier: Apache-2.0
"""The application side of a TCP engine in Python: what a kernel sees, with random answers.

`Engine` serves the twelve streams of a kernel in a `Dut`: it listens, opens sessions, brings data,
takes writes while the ring has room, and checks the rules: frames of the length that was accepted,
in order, no reading of what is not there, no use of sessions that were never opened.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from kumihimo.testing import Dut, Frame

(
    OK,
    CLOSED,
    RESET,
    TIMEOUT,
    REFUSED,
    UNREACHABLE,
    ABORTED,
    NO_SESSION,
    NO_SPACE,
    NO_ROOM,
    IN_USE,
    HALF_CLOSED,
    DISABLED,
) = range(13)

# fields of the records, most significant first
LISTEN = (("port", 16), ("off", 1))
LISTENED = (("port", 16), ("reason", 4))
OPEN = (("ip", 32), ("port", 16))
OPENED = (("sid", 16), ("ip", 32), ("port", 16), ("reason", 4))
CLOSE = (("sid", 16), ("abort", 1))
NOTE = (
    ("sid", 16),
    ("length", 16),
    ("opened", 1),
    ("fin", 1),
    ("ended", 1),
    ("reason", 4),
    ("peer_ip", 32),
    ("peer_port", 16),
    ("local_port", 16),
)
READ = (("sid", 16), ("length", 16))
READ_RSP = (("sid", 16), ("length", 16), ("reason", 4))
WRITE = (("sid", 16), ("length", 16))
WRITE_RSP = (("sid", 16), ("length", 16), ("space", 30), ("reason", 4))


STREAMS = (
    "m_listen",
    "s_listen_rsp",
    "m_open",
    "s_open_rsp",
    "m_close",
    "s_notify",
    "m_read",
    "s_read",
    "s_axis",
    "m_write",
    "s_write",
    "m_axis",
)


def pack(rows: tuple[tuple[str, int], ...], **values: int) -> int:
    out = 0
    for name, width in rows:
        value = values.pop(name, 0)
        assert 0 <= value < 1 << width, (name, value)
        out = out << width | value
    assert not values, values
    return out


def unpack(rows: tuple[tuple[str, int], ...], value: int) -> dict[str, int]:
    out = {}
    for name, width in reversed(rows):
        out[name] = value & ((1 << width) - 1)
        value >>= width
    return out


@dataclass
class Session:
    """One connection as the engine knows it, and the peer at its other end."""

    sid: int
    peer_ip: int = 0
    peer_port: int = 0
    local_port: int = 0
    unread: bytearray = field(default_factory=bytearray)  # noted, not read
    to_peer: bytearray = field(default_factory=bytearray)  # the peer has it
    ring: int = 0  # bytes written that the peer has not taken yet
    owed: int = 0  # bytes of accepted writes whose frame has not come
    peer_fin: bool = False
    closed: bool = False  # the application closed
    aborted: bool = False
    ended: bool = False
    reason: int = 0
    drain: int = 1 << 30  # bytes that the peer takes a step
    given_up: bool = False


class Engine:
    """Serves the native streams of a kernel (or of one port of kumi_tcp_app_mux)."""

    def __init__(
        self,
        dut: Dut,
        seed: int = 1,
        sessions: int = 16,
        ring: int = 8192,
        step: int = 6,
        suffix: str = "",
        mirror: bool = False,
        names: dict[str, str] | None = None,
        rest: int = 60,
    ) -> None:
        self.dut = dut
        self.rnd = random.Random(seed)
        self.ring = ring
        self.step_max = step
        self.rest = rest  # steps until a number is used again
        self.sessions: dict[int, Session] = {}
        self.free = deque(range(sessions))
        self.resting: list[tuple[int, int]] = []  # numbers that are free from a step on
        self.ports: set[int] = set()
        self.refuse_listen = 0  # number of requests to answer with TCP_DISABLED
        self.accept_open: Callable[[int, int], int] = lambda ip, port: OK
        self.opens: list[tuple[int, int, int]] = []  # (due step, ip, port)
        self.accepted: deque[tuple[Session, int]] = deque()  # writes whose frame is to come
        self.reads = 0
        self.no_space = 0
        self.steps = 0
        self.over: list[Session] = []
        self.note_queue: list[int] = []
        self.on_open: Callable[[Session], None] = lambda s: None
        self.p = {name: f"{name}{suffix}" for name in STREAMS}
        if mirror:  # the engine side of kumi_tcp_app_mux
            self.p = {
                name: ("m_eng_axis" if name == "m_axis" else name[:2] + "eng_" + name[2:])
                for name in self.p
            }

        if names:
            self.p = names

    # ---- the world does something ----------------------------------------------------------------

    def connect(self, port: int, ip: int = 0x0A000001, peer_port: int = 0) -> Session | None:
        """A peer connects; None when the port is closed or all sessions are in use."""
        if port not in self.ports or not self.free:
            return None
        s = Session(self.free.popleft(), ip, peer_port or self.rnd.randrange(1, 65536), port)
        self.sessions[s.sid] = s
        self._note(s, opened=1)
        return s

    def feed(self, s: Session, data: bytes) -> None:
        """The peer's bytes arrive, in order."""
        assert not s.peer_fin and not s.ended
        at = 0
        while at < len(data):
            n = min(len(data) - at, self.rnd.choice((1, 64, 536, 1460, 1460, 8960)))
            s.unread += data[at : at + n]
            self._note(s, length=n)
            at += n

    def fin(self, s: Session) -> None:
        if s.peer_fin or s.ended:
            return
        s.peer_fin = True
        self._note(s, fin=1)
        self._maybe_over(s)

    def kill(self, s: Session, reason: int = RESET, discard: bool = False) -> None:
        """The session ends: by the peer's RST, by time-out ..."""
        if s.ended:
            return
        s.ended, s.reason = True, reason
        if discard:
            s.unread.clear()
            s.given_up = True
        self._note(s, ended=1, reason=reason)
        self._release(s)

    def _maybe_over(self, s: Session) -> None:
        if s.closed and s.peer_fin and not s.ended and not s.owed:
            self.kill(s, CLOSED)

    def _release(self, s: Session) -> None:
        if s.ended and not s.unread and s.sid in self.sessions and self.sessions[s.sid] is s:
            del self.sessions[s.sid]
            self.over.append(s)
            # A kernel may be in the middle of serving what it has not been told is over.
            self.resting.append((self.steps + self.rest, s.sid))

    def _note(self, s: Session, **more: int) -> None:
        self.note_queue.append(
            pack(
                NOTE,
                sid=s.sid,
                peer_ip=s.peer_ip,
                peer_port=s.peer_port,
                local_port=s.local_port,
                **more,
            )
        )

    # ---- one step --------------------------------------------------------------------------------

    def step(self) -> None:
        """Some cycles, then everything that came out is answered."""
        dut, p, rnd = self.dut, self.p, self.rnd
        self.steps += 1
        if dut.waiting(p["s_notify"]):
            self.resting = [(due + 1, sid) for due, sid in self.resting]
        for pair in [r for r in self.resting if r[0] <= self.steps]:
            self.resting.remove(pair)
            self.free.append(pair[1])
        # Notes are given to the port at once; opened answers before any note of theirs.
        if self.note_queue:
            dut.send(p["s_notify"], self.note_queue)
            self.note_queue = []
        dut.run(rnd.randint(1, self.step_max))
        for f in dut.recv(p["m_listen"]):
            q = unpack(LISTEN, f.value)
            reason = OK
            if self.refuse_listen:
                self.refuse_listen -= 1
                reason = DISABLED
            elif q["off"]:
                self.ports.discard(q["port"])
            elif q["port"] in self.ports:
                reason = IN_USE
            else:
                self.ports.add(q["port"])
            dut.send(p["s_listen_rsp"], [pack(LISTENED, port=q["port"], reason=reason)])
        for f in dut.recv(p["m_open"]):
            q = unpack(OPEN, f.value)
            self.opens.append((self.steps + rnd.randint(1, 20), q["ip"], q["port"]))
        for due, ip, port in list(self.opens):
            if due <= self.steps:
                self.opens.remove((due, ip, port))
                reason = self.accept_open(ip, port)
                sid = 0
                if reason == OK and not self.free:
                    reason = NO_ROOM
                if reason == OK:
                    s = Session(self.free.popleft(), ip, port)
                    self.sessions[s.sid] = s
                    sid = s.sid
                dut.send(p["s_open_rsp"], [pack(OPENED, sid=sid, ip=ip, port=port, reason=reason)])
                if reason == OK:
                    self.on_open(s)
        for f in dut.recv(p["m_read"]):
            q = unpack(READ, f.value)
            self._read(q["sid"], q["length"])
        for f in dut.recv(p["m_write"]):
            q = unpack(WRITE, f.value)
            self._write(q["sid"], q["length"])
        for f in dut.recv(p["m_axis"]):
            assert self.accepted, "a frame for which no write was accepted"
            s, length = self.accepted.popleft()
            assert len(f) == length, (len(f), length)
            s.owed -= length
            if not s.ended:
                s.to_peer += f.data
            self._maybe_over(s)
        for f in dut.recv(p["m_close"]):
            q = unpack(CLOSE, f.value)
            s = self.sessions.get(q["sid"])
            if s is None:
                continue
            if q["abort"]:
                s.aborted = True
                s.unread.clear()
                s.given_up = True
                self.kill(s, ABORTED)
            else:
                assert not s.closed, "closed twice"
                s.closed = True
                self._maybe_over(s)
        for s in self.sessions.values():
            s.ring -= min(s.ring, s.drain)

    def _read(self, sid: int, length: int) -> None:
        self.reads += 1
        assert length > 0
        s = self.sessions.get(sid)
        n = 0 if s is None else min(length, len(s.unread))
        reason = OK if s is not None else NO_SESSION
        if s is not None and n < length:
            assert s.given_up, "read of more than was noted"
        self.dut.send(self.p["s_read"], [pack(READ_RSP, sid=sid, length=n, reason=reason)])
        if s is not None and n:
            self.dut.send(self.p["s_axis"], [Frame(bytes(s.unread[:n]), id=sid)])
            del s.unread[:n]
            self._release(s)

    def _write(self, sid: int, length: int) -> None:
        assert length > 0
        s = self.sessions.get(sid)
        space, reason = 0, OK
        if s is None or s.ended:
            reason = NO_SESSION
        elif s.closed:
            reason = HALF_CLOSED
        else:
            space = self.ring - s.ring
            if space < length:
                reason = NO_SPACE
                self.no_space += 1
            else:
                s.ring += length
                s.owed += length
                space -= length
                self.accepted.append((s, length))
        rsp = pack(WRITE_RSP, sid=sid, length=length, space=space, reason=reason)
        self.dut.send(self.p["s_write"], [rsp])

    def until(self, condition: Callable[[], object], steps: int = 20000, what: str = "") -> None:
        for _ in range(steps):
            if condition():
                return
            self.step()
        raise AssertionError(f"{what or 'the condition'} did not come true in {steps} steps")
