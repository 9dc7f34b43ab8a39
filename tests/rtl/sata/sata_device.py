# SPDX-License-Identifier: Apache-2.0
"""Device side of Serial ATA's link layer, word by word, written from the text of the standard.

It shares no code with the cores: CRC and scrambler are bit-serial, and the states are its own.
A word is (data, k); k is 1 where bits 7:0 are a K character.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

PRIMS = {
    "ALIGN": 0x7B4A4ABC,
    "SYNC": 0xB5B5957C,
    "CONT": 0x9999AA7C,
    "X_RDY": 0x5757B57C,
    "R_RDY": 0x4A4A957C,
    "SOF": 0x3737B57C,
    "EOF": 0xD5D5B57C,
    "R_IP": 0x5555B57C,
    "R_OK": 0x3535B57C,
    "R_ERR": 0x5656B57C,
    "WTRM": 0x5858B57C,
    "HOLD": 0xD5D5AA7C,
    "HOLDA": 0x9595AA7C,
    "DMAT": 0x3636B57C,
    "PMREQ_P": 0x1717B57C,
    "PMREQ_S": 0x7575957C,
    "PMNAK": 0xF5F5957C,
}
NAMES = {word: name for name, word in PRIMS.items()}
D10_2 = 0x4A4A4A4A
REPEATS = {"SYNC", "X_RDY", "R_RDY", "R_IP", "R_OK", "R_ERR", "WTRM", "HOLD", "HOLDA"}


def crc(words: list[int]) -> int:
    """CRC-32 of 32-bit words, high bit first."""
    value = 0x52325032
    for word in words:
        for bit in range(31, -1, -1):
            top = (value >> 31) ^ (word >> bit & 1)
            value = (value << 1 & 0xFFFFFFFF) ^ (0x04C11DB7 if top else 0)
    return value


class Scrambler:
    """The serial register, one bit a step."""

    def __init__(self) -> None:
        self.state = 0xFFFF

    def word(self) -> int:
        """The next 32 bits, the first one in bit 0."""
        out = 0
        for i in range(32):
            top = self.state >> 15
            out |= top << i
            self.state = (self.state << 1 & 0xFFFF) ^ (0xA011 if top else 0)
        return out


_SEQUENCE: list[int] = []


def scramble(words: list[int]) -> list[int]:
    """The words of one frame, XORed with the scrambler's from its start."""
    if len(_SEQUENCE) < len(words):
        lfsr = Scrambler()
        _SEQUENCE[:] = [lfsr.word() for _ in range(len(words) + 2100)]
    return [a ^ b for a, b in zip(words, _SEQUENCE, strict=False)]


@dataclass
class Habits:
    """What the device does by chance (0 to 1 a word)."""

    hold: float = 0.0  # as a receiver: ask the host to stop
    pause: float = 0.0  # as a sender: have no data
    cont: bool = True  # send CONT
    hold_answer: int = 20  # words between HOLD and HOLDA, at most
    refuse: float = 0.0  # answer a good FIS with R_ERR
    sync: float = 0.0  # break off what it receives or sends
    dmat: float = 0.0
    align_gap: int = 254  # words between pairs of ALIGN
    silent: bool = False  # SYNC for ever, whatever comes


@dataclass
class Device:
    """One device. `step` takes the host's word and returns its own."""

    seed: int = 1
    habits: Habits = field(default_factory=Habits)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.got: list[list[int]] = []  # good FISes received
        self.rejected = 0  # FISes received with a bad CRC or something broken
        self.refused = 0
        self.outbox: deque[list[int]] = deque()
        self.answers: list[str] = []  # of what was sent: R_OK, R_ERR, SYNC
        self.broken = False  # send the next frame with a wrong CRC
        self.errors: list[str] = []  # breaches of the protocol by the host
        self.after_hold = 0  # most words the host sent after HOLD, as counted here
        self.names: dict[str, int] = {}  # words received, by name
        self.relink()

    def relink(self) -> None:
        """The link restarts; what is queued stays."""
        self.state = "idle"
        self.rx_last = "SYNC"
        self.rx_cont = False
        self.rx_count = 0
        self.rx_same = 0
        self.since_align = 0
        self.frame: list[int] = []
        self.body: deque[int] = deque()
        self.tx_last = ""
        self.tx_same = 0
        self.tx_slot = 0
        self.filler = Scrambler()
        self.burst = 0
        self.held = 0
        self.stop_in = -1
        self.calm = 0  # SYNCs sent in a row
        self.escaping = False
        self.good = True

    # From the line: ALIGN is taken out and CONT expanded.
    def _receive(self, data: int, k: int) -> tuple[str, int] | None:
        name = NAMES.get(data, "?") if k == 1 else ("" if k == 0 else "?")
        self.names[name] = self.names.get(name, 0) + 1
        if name == "ALIGN":
            self.since_align = 0
            return None
        self.since_align += 1
        if self.since_align > 254:
            self.errors.append("more than 254 words without ALIGN")
        if name == "CONT":
            self.rx_cont = True
            return self.rx_last, 0
        if name == "":
            return (self.rx_last, 0) if self.rx_cont else ("", data)
        if name != "?":
            self.rx_cont = False
            self.rx_last = name
        return name, 0

    # To the line: ALIGN and CONT. `again` is the word that did not go out.
    def _send(self, name: str, data: int = 0) -> tuple[int, int, bool]:
        self.tx_slot += 1
        if self.tx_slot > self.habits.align_gap:
            if self.tx_slot == self.habits.align_gap + 2:
                self.tx_slot = 0
            return PRIMS["ALIGN"], 1, False
        if not name:
            if self.tx_same >= 3:
                last, self.tx_last, self.tx_same = self.tx_last, "", 0
                return PRIMS[last], 1, False
            self.tx_last, self.tx_same = "", 0
            return data, 0, True
        if name != self.tx_last or name not in REPEATS:
            self.tx_last, self.tx_same = name, 1
        elif self.tx_same == 1 or not self.habits.cont:
            self.tx_same = 2
        elif self.tx_same == 2:
            self.tx_same = 3
            return PRIMS["CONT"], 1, True
        else:
            return self.filler.word(), 0, True
        return PRIMS[name], 1, True

    def _chance(self, p: float) -> bool:
        return p > 0 and self.rng.random() < p

    def step(self, data: int, k: int) -> tuple[int, int]:
        """One word each way."""
        got = self._receive(data, k)
        if got is not None and not self.habits.silent:
            self._react(*got)
        name, word = self._offer()
        out, out_k, went = self._send(name, word)
        if went:
            self._went()
        return out, out_k

    def _react(self, name: str, data: int) -> None:
        s = self.state
        if s == "idle":
            if name == "X_RDY":
                self.state = "r_rdy"
            elif name == "SYNC":
                self.escaping = False
            if self.outbox and self.calm >= 2 and not self.escaping and self.state == "idle":
                self.state = "x_rdy"
        elif s == "x_rdy":
            if name == "R_RDY":
                words = self.outbox[0]
                value = crc(words) ^ (1 if self.broken else 0)
                self.body = deque(scramble([*words, value]))
                self.state = "sof"
            # The device does not yield to X_RDY.
        elif s in ("send", "pause", "holda", "eof", "wtrm"):
            if name == "SYNC":
                self._answered("SYNC")
            elif s == "wtrm" and name in ("R_OK", "R_ERR"):
                self._answered(name)
            elif name == "HOLD" and s in ("send", "pause"):
                if self.stop_in < 0:
                    self.stop_in = self.rng.randint(0, self.habits.hold_answer - 2)
            elif s == "holda" and name not in ("HOLD", "", "?"):
                self.state = "send"
        elif s == "r_rdy":
            if name == "SOF":
                self.state, self.frame, self.good = "receive", [], True
                self.burst = self.held = 0
            elif name not in ("X_RDY", "?", ""):
                self.state = "idle"
        elif s == "receive":
            self._take(name, data)
        elif s in ("r_ok", "r_err") and name == "SYNC":
            self.state = "idle"

    def _take(self, name: str, data: int) -> None:
        if name == "":
            self.frame.append(data)
            if self.burst:
                self.held += 1
                self.after_hold = max(self.after_hold, self.held)
        elif name == "EOF":
            words = scramble(self.frame)
            good = self.good and len(words) >= 2 and crc(words[:-1]) == words[-1]
            if not good:
                self.rejected += 1
            elif self._chance(self.habits.refuse):
                good = False
                self.refused += 1
            else:
                self.got.append(words[:-1])
            self.state = "r_ok" if good else "r_err"
        elif name == "WTRM":
            self.rejected += 1
            self.state = "r_err"
        elif name == "SYNC":
            self.state = "idle"
        elif name == "?":
            self.good = False
        if self.state == "receive" and self._chance(self.habits.sync):
            self.state = "idle"

    def _answered(self, answer: str) -> None:
        self.answers.append(answer)
        self.outbox.popleft()
        self.broken = False
        self.state, self.stop_in = "idle", -1

    def _offer(self) -> tuple[str, int]:
        s = self.state
        if s in ("idle", "x_rdy", "sof", "eof", "wtrm", "r_rdy", "r_ok", "r_err", "holda"):
            if s == "idle":
                return "SYNC", 0
            return {"holda": "HOLDA"}.get(s, s.upper()), 0
        if s == "receive":
            if self.burst:
                self.burst -= 1
                if self.burst == 0:
                    self.held = 0
                return "HOLD", 0
            if self._chance(self.habits.hold):
                self.burst = self.rng.randint(40, 90)
                self.held = 0
                return "HOLD", 0
            if self._chance(self.habits.dmat):
                return "DMAT", 0
            return "R_IP", 0
        # send
        if self.stop_in == 0:
            self.stop_in = -1
            self.state = "holda"
            return "HOLDA", 0
        if self.stop_in > 0:
            self.stop_in -= 1
        if self._chance(self.habits.sync):
            self._answered("own SYNC")
            self.escaping = True  # until the host has answered with SYNC
            return "SYNC", 0
        if self.burst:
            self.burst -= 1
            return "HOLD", 0
        if self._chance(self.habits.pause):
            self.burst = self.rng.randint(1, 40)
            return "HOLD", 0
        return "", self.body[0]

    def _went(self) -> None:
        self.calm = self.calm + 1 if self.state == "idle" else 0
        if self.state == "sof":
            self.state, self.burst, self.stop_in = "send", 0, -1
        elif self.state == "send" and self.tx_last == "":
            self.body.popleft()
            if not self.body:
                self.state = "eof"
        elif self.state == "eof":
            self.state = "wtrm"
