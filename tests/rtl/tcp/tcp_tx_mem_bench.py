# SPDX-License-Identifier: Apache-2.0
"""Plays the core and the application against kumi_tcp_tx_mem, with a model of every session."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from kumihimo.testing import Dut, Frame

WORD = 1 << 32
PORTS = ("s_tx_space", "s_write", "s_close", "s_axis")
OK, NO_SESSION, NO_SPACE, HALF_CLOSED, BAD_LENGTH = 0, 7, 8, 11, 13


def make(
    width: int, sessions: int = 4, ring: int = 4096, chip: bool = False, base: int = 0, **more: int
) -> Dut:
    """The unit with rings in the simulated memory, or with rings on chip."""
    params: dict[str, Any] = {"DATA_W": width, "SESSIONS": sessions, "TX_RING": ring, **more}
    memory: dict[str, Any] = {"m_axi": {"DATA_W": width}}
    if chip:
        memory = {"s_get": {"W": 64}, "m_get": {"DATA_W": width}}
    dut = Dut.of_module(
        "tests/rtl/tcp/kumi_t_tcp_tx_chip.sv" if chip else "kumi_tcp_tx_mem",
        params,
        {
            "s_tx_space": {"W": 50},
            "m_data": {"W": 51},
            "s_write": {"W": 32},
            "m_write": {"W": 66},
            "s_axis": {"DATA_W": width},
            "s_close": {"W": 17},
            "s_fault": {"W": 17},
            **memory,
        },
    )
    dut.watch("ev")
    if not chip:
        dut.set("base", base)
    dut.run(sessions + 8)
    return dut


@dataclass
class Session:
    """Data of one session and the progress of each side. Positions count from its start."""

    iss: int
    data: bytearray = field(default_factory=bytearray)  # all that was written, and counts
    reserved: int = 0  # by writes that were accepted, less what was given back
    told: int = 0  # reported as in the ring
    acked: int = 0
    closed: bool = False
    aborted: bool = False
    fin_seen: bool = False
    abort_seen: bool = False
    open: bool = True


class TxBench:
    """Writes like an application, acknowledges like the core, and checks the ring."""

    def __init__(
        self, dut: Dut, ring: int, rng: random.Random, base: int = 0, chip: bool = False
    ) -> None:
        self.dut, self.ring, self.rng, self.base, self.chip = dut, ring, rng, base, chip
        self.gets: list[tuple[Session, int, int]] = []  # reads of the ring to come
        self.sessions: dict[int, Session] = {}
        self.asked: list[tuple[int, int]] = []  # writes without an answer
        self.granted: list[tuple[int, Session, int]] = []  # accepted, data not sent yet
        self.sent: list[tuple[Session, int]] = []
        self.room_t = dut.struct("tcp_tx_space_t")
        self.data_t = dut.struct("tcp_tx_data_t")
        self.rsp_t = dut.struct("tcp_write_rsp_t")
        self.ghosts: dict[int, tuple[Session, int]] = {}
        self.reasons: dict[int, int] = {}
        self.reports = 0
        self.faults = False  # memory refuses something
        self.wrong = 0.0  # share of frames that are too long, too short or bad
        self.stale = 0  # frames for sessions that had ended
        self.expect = {"short_frame": 0, "long_frame": 0, "bad_frame": 0}

    # ---- the core -----------------------------------------------------------------------------

    def open(self, sid: int, iss: int | None = None) -> Session:
        """A new session."""
        iss = self.rng.getrandbits(32) if iss is None else iss
        self.dut.send("s_tx_space", self.room_t.pack(sid=sid, open=1, first=1, snd_una=iss))
        # The application hears of a session after that.
        self.dut.run_until(lambda: not self.dut.waiting("s_tx_space"))
        self.dut.run(2)
        self.collect()
        # Reports of the number's last session that are on offer now may still come.
        if sid in self.sessions:
            self.ghosts[sid] = (self.sessions[sid], 2)
        self.sessions[sid] = Session(iss)
        return self.sessions[sid]

    def acknowledge(self, sid: int, upto: int) -> None:
        """The peer has bytes before `upto`."""
        session = self.sessions[sid]
        assert session.acked <= upto <= session.told
        session.acked = upto
        self.dut.send(
            "s_tx_space",
            self.room_t.pack(sid=sid, open=session.open, snd_una=(session.iss + upto) % WORD),
        )

    def shut(self, sid: int) -> None:
        """The session accepts no more writes."""
        session = self.sessions[sid]
        session.open = False
        una = (session.iss + session.acked) % WORD
        self.dut.send("s_tx_space", self.room_t.pack(sid=sid, open=0, snd_una=una))

    # ---- the application ----------------------------------------------------------------------

    def write(self, sid: int, length: int) -> None:
        """Request a write."""
        self.dut.send("s_write", length | sid << 16)
        self.asked.append((sid, length))

    def close(self, sid: int, abort: bool = False) -> None:
        """End the session; only when no write is outstanding."""
        session = self.sessions[sid]
        self.dut.send("s_close", int(abort) | sid << 1)
        if abort:
            session.aborted = True
        else:
            session.closed = True

    def give(self) -> None:
        """Send the data of the oldest accepted write."""
        sid, session, length = self.granted.pop(0)
        data = self.rng.randbytes(length)
        if session is not self.sessions[sid]:
            self.stale += 1
            self.dut.send("s_axis", data)
            return
        kind = self.rng.choice(["short", "long", "bad"]) if self.rng.random() < self.wrong else ""
        counts = data
        if kind == "short" and length > 1:
            counts = data = data[: self.rng.randrange(1, length)]
            self.expect["short_frame"] += 1
        elif kind == "long":
            data = data + self.rng.randbytes(self.rng.randrange(1, 300))
            self.expect["long_frame"] += 1
        elif kind == "bad":
            data = data[: self.rng.randrange(1, length + 1)]
            counts = b""
            self.expect["bad_frame"] += 1
        session.data += counts
        session.reserved -= length - len(counts)
        self.sent.append((session, length))
        self.dut.send("s_axis", Frame(data, bad=kind == "bad"))

    # ---- what comes back ------------------------------------------------------------------------

    def collect(self) -> None:
        """Check everything received."""
        for frame in self.dut.recv("m_write"):
            self._answer(self.rsp_t.unpack(frame.value))
        for frame in self.dut.recv("m_data"):
            self._report(self.data_t.unpack(frame.value))
        for frame in self.dut.recv("m_get") if self.chip else []:
            old, start, upto = self.gets.pop(0)
            assert frame.data == bytes(old.data[start:upto])

    def _answer(self, rsp: dict[str, int]) -> None:
        sid, length = self.asked.pop(0)
        session = self.sessions.get(sid)
        assert rsp["sid"] == sid and rsp["length"] == length
        reason = rsp["reason"]
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        if reason == OK:
            assert session is not None and length
            session.reserved += length
            self.granted.append((sid, session, length))
            # What was given back or acknowledged meanwhile may not count yet.
            assert session.reserved - session.acked <= self.ring
            assert rsp["space"] <= self.ring
        elif reason == BAD_LENGTH:
            assert length == 0
        elif reason == NO_SPACE:
            assert session is not None
            assert rsp["space"] < length
        elif reason == HALF_CLOSED:
            assert session is not None and session.closed
        else:
            assert reason == NO_SESSION
            assert session is None or session.aborted or not session.open or not session.data

    def _report(self, data: dict[str, int]) -> None:
        self.reports += 1
        session = self.sessions[data["sid"]]
        upto = (data["seq"] - session.iss) % WORD
        if not data["abort"] and not session.told <= upto <= len(session.data):
            old, left = self.ghosts[data["sid"]]
            upto = (data["seq"] - old.iss) % WORD
            assert left and old.told <= upto <= len(old.data)
            self.ghosts[data["sid"]] = (old, left - 1)
            return
        if session.abort_seen and self.faults:
            return  # the core has ended it: what was written behind the hole means nothing
        if data["abort"]:
            assert session.aborted and not session.abort_seen
            session.abort_seen = True
            return
        if data["fin"]:
            assert session.closed and not session.fin_seen and upto == len(session.data)
            session.fin_seen = True
        else:
            assert data["push"] and upto > session.told and not session.fin_seen
        start, session.told = session.told, upto
        self.check(data["sid"], session, start, upto)

    def check(self, sid: int, session: Session, start: int, upto: int) -> None:
        """The bytes are in the ring now: read from the simulated memory, or through the chip's."""
        if start == upto:
            return
        if self.chip:
            self.dut.send("s_get", sid << 48 | (session.iss + start) % WORD << 16 | upto - start)
            self.gets.append((session, start, upto))
            return
        memory = self.dut.memory("m_axi")
        at = (session.iss + start) % self.ring
        ring = self.base + sid * self.ring
        length = upto - start
        first = min(length, self.ring - at)
        got = memory.read(ring + at, first) + memory.read(ring, length - first)
        # Later data of the same session may be in flight, but never over these.
        assert got == bytes(session.data[start:upto]), f"session {sid} from {start} to {upto}"

    def settle(self, cycles: int = 60_000) -> None:
        """Send all data, and run until nothing is in progress."""
        for _ in range(cycles // 50):
            while self.granted:
                self.give()
            self.dut.run(50)
            self.collect()
            waits = any(self.dut.waiting(p) for p in PORTS) or self.gets
            if not waits and not self.dut.get("busy") and not self.asked and not self.granted:
                return
        raise AssertionError(f"busy\n{self.dut._picture()}")
