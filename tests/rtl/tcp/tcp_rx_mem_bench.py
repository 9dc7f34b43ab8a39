# SPDX-License-Identifier: Apache-2.0
"""Plays the core and the application against kumi_tcp_rx_mem, with a model of every session.

The model never looks at the memory: it knows what bytes the peer sent, hands them over as
segments in any order, and compares every byte that a read brings, every note, and every report of
free room.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from kumihimo.testing import Dut, Frame

WORD = 1 << 32
PORTS = ("s_cmd", "s_axis", "s_read")
REASON_OK, REASON_CLOSED, REASON_NO_SESSION = 0, 1, 7


def make(
    width: int,
    sessions: int = 4,
    ring: int = 4096,
    chip: bool = False,
    base: int = 0,
    **more: int,
) -> Dut:
    """The unit with rings in the simulated memory, or with rings on chip."""
    params: dict[str, Any] = {"DATA_W": width, "SESSIONS": sessions, "RX_RING": ring, **more}
    dut = Dut.of_module(
        "tests/rtl/tcp/kumi_t_tcp_rx_chip.sv" if chip else "kumi_tcp_rx_mem",
        params,
        {
            "s_axis": {"DATA_W": width},
            "m_axis": {"DATA_W": width, "ID_W": 16},
            **({} if chip else {"m_axi": {"DATA_W": width}}),
            "s_cmd": {"W": 186},
            "m_done": {"W": 49},
            "m_notify": {"W": 103},
            "s_read": {"W": 32},
            "m_read": {"W": 36},
            "m_fault": {"W": 17},
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
    tuple: int
    data: bytearray = field(default_factory=bytearray)  # all that the peer ever sent
    have: list[bool] = field(default_factory=list)
    upto: int = 0  # in order, as the core has said
    told: int = 0  # of notes
    asked: int = 0  # of reads that were sent
    read: int = 0  # of data that came
    freed: int = 0  # of reports
    opened: bool = False
    fin_sent: bool = False
    gone_sent: bool = False
    forgot: bool = False
    fin_seen: bool = False
    gone_seen: bool = False
    released: bool = False


class RxBench:
    """Sends commands, reads like an application, and checks all responses."""

    def __init__(self, dut: Dut, ring: int, rng: random.Random) -> None:
        self.dut, self.ring, self.rng = dut, ring, rng
        self.sessions: dict[int, Session] = {}
        self.reads: list[tuple[int, int]] = []  # sid, length asked for, not answered yet
        self.coming: list[tuple[int, Session, int, int]] = []  # frames to come: first byte, length
        self.cmd = dut.struct("tcp_rx_cmd_t")
        self.note = dut.struct("tcp_notify_t")
        self.done = dut.struct("tcp_rx_done_t")
        self.rsp = dut.struct("tcp_read_rsp_t")
        self.bytes_read = 0
        self.released = 0

    # ---- the core ---------------------------------------------------------------------------

    def command(self, sid: int, frame: bytes | None = None, **fields: int) -> None:
        """One command with its frame of payload."""
        self.dut.send("s_cmd", self.cmd.pack(sid=sid, frame=frame is not None, **fields))
        if frame is not None:
            self.dut.send("s_axis", frame)

    def open(self, sid: int, iss: int | None = None, note: bool = True) -> Session:
        """A new session."""
        iss = self.rng.getrandbits(32) if iss is None else iss
        session = Session(iss, self.rng.getrandbits(64))
        self.sessions[sid] = session
        session.opened = not note
        ip, ports = session.tuple >> 32, session.tuple & 0xFFFFFFFF
        self.command(
            sid,
            opened=1,
            notify=note,
            in_order_end=iss,
            **{
                "tuple.peer_ip": ip,
                "tuple.peer_port": ports >> 16,
                "tuple.local_port": ports & 0xFFFF,
            },
        )
        return session

    def room(self, sid: int) -> int:
        """Bytes that the peer may send beyond what it has sent in order."""
        session = self.sessions[sid]
        return session.freed + self.ring - session.upto

    def segment(self, sid: int, start: int, length: int, **fields: int) -> None:
        """Payload from `start` on (of the session's bytes), with any skip and trailing rest."""
        session = self.sessions[sid]
        while len(session.data) < start + length:
            session.data.append(self.rng.getrandbits(8))
            session.have.append(False)
        skip = self.rng.choice([0, 0, 0, self.rng.randrange(1, 200)])
        rest = self.rng.choice([0, 0, 0, self.rng.randrange(1, 200)])
        if length + skip + rest == 0:
            rest = 1
        frame = (
            self.rng.randbytes(skip)
            + bytes(session.data[start : start + length])
            + self.rng.randbytes(rest)
        )
        session.have[start : start + length] = [True] * length
        upto = session.upto
        while upto < len(session.have) and session.have[upto]:
            upto += 1
        note = upto != session.upto or self.rng.random() < 0.2
        session.upto = upto
        self.command(
            sid,
            frame,
            skip=skip,
            len=length,
            seq=(session.iss + start) % WORD,
            notify=note,
            in_order_end=(session.iss + upto) % WORD if note else self.rng.getrandbits(32),
            **fields,
        )

    def end(self, sid: int, forget: bool = False) -> None:
        """The session ends; `forget`: unread bytes are discarded immediately."""
        session = self.sessions[sid]
        session.gone_sent = True
        session.forgot |= forget
        self.command(
            sid,
            notify=1,
            ended=1,
            discard=forget,
            in_order_end=(session.iss + session.upto) % WORD,
            reason=REASON_CLOSED,
        )

    def forget(self, sid: int) -> None:
        """After `ended`: the application took too long."""
        session = self.sessions[sid]
        session.forgot = True
        self.command(sid, notify=1, discard=1, in_order_end=(session.iss + session.upto) % WORD)

    # ---- the application ----------------------------------------------------------------------

    def read(self, sid: int, length: int) -> None:
        """Request bytes."""
        self.dut.send("s_read", length << 0 | sid << 16)
        self.reads.append((sid, length))

    # ---- what comes back ------------------------------------------------------------------------

    def collect(self) -> None:
        """Check everything received."""
        for frame in self.dut.recv("m_notify"):
            self._note(self.note.unpack(frame.value))
        for frame in self.dut.recv("m_read"):
            self._answer(self.rsp.unpack(frame.value))
        for frame in self.dut.recv("m_axis"):
            self._data(frame)
        for frame in self.dut.recv("m_done"):
            self._report(self.done.unpack(frame.value))
        assert not self.dut.recv("m_fault")

    def _note(self, note: dict[str, int]) -> None:
        session = self.sessions[note["sid"]]
        assert not session.gone_seen, "gone is the last note"
        if note["opened"]:
            assert not session.opened
            session.opened = True
            ports = note["tuple.peer_port"] << 16 | note["tuple.local_port"]
            assert note["tuple.peer_ip"] << 32 | ports == session.tuple
        assert session.opened
        assert note["length"] or note["opened"] or note["fin"] or note["ended"]
        session.told += note["length"]
        assert session.told <= session.upto
        if note["fin"]:
            assert session.fin_sent and not session.fin_seen and session.told == session.upto
            session.fin_seen = True
        if note["ended"]:
            assert session.gone_sent and session.told == session.upto
            assert note["reason"] == REASON_CLOSED
            session.gone_seen = True

    def _answer(self, rsp: dict[str, int]) -> None:
        sid, length = self.reads.pop(0)
        session = self.sessions.get(sid)
        assert rsp["sid"] == sid and rsp["length"] <= length
        if rsp["reason"] == REASON_NO_SESSION:
            assert rsp["length"] == 0
            # Over, or the read was faster than the opening command.
            assert session is None or session.gone_sent or session.asked == 0
            return
        assert rsp["reason"] == REASON_OK and session is not None
        if rsp["length"]:
            self.coming.append((sid, session, session.asked, rsp["length"]))
            session.asked += rsp["length"]
            assert session.asked <= session.upto
        else:
            assert length == 0 or session.asked <= session.upto

    def _data(self, frame: Frame) -> None:
        sid, session, start, length = self.coming.pop(0)
        assert frame.id == sid and not frame.bad and len(frame.data) == length
        assert frame.data == bytes(session.data[start : start + length]), f"{sid} at {start}"
        session.read = start + length
        self.bytes_read += length

    def _report(self, done: dict[str, int]) -> None:
        session = self.sessions[done["sid"]]
        assert not session.released, "released once"
        if done["released"]:
            assert session.gone_sent
            session.released = True
            self.released += 1
            return
        freed = (done["seq"] - session.iss) % WORD
        assert session.freed <= freed <= session.asked
        session.freed = freed

    def settle(self, cycles: int = 60_000) -> None:
        """Run until nothing is in progress."""
        for _ in range(cycles // 50):
            self.dut.run(50)
            self.collect()
            waits = any(self.dut.waiting(p) for p in PORTS)
            if not waits and not self.dut.get("busy") and not self.reads and not self.coming:
                return
        raise AssertionError(f"busy: {self.reads[:3]} {self.coming[:3]}\n{self.dut._picture()}")
