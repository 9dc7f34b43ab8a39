# SPDX-License-Identifier: Apache-2.0
"""A host core with a modelled PHY and device: start-up, delay, bit errors, unplug."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import deque
from typing import Any

from kumihimo.testing import Dut, Frame
from sata_device import D10_2, PRIMS, Device, Habits

PARAMS = {
    "DEPTH": 128,
    "SLACK": 64,
    "WAIT_CYCLES": 3000,
    "RETRIES": 3,
    "RETRY_CYCLES": 1500,
    "ALIGN_CYCLES": 400,
    "LOST_CYCLES": 32,
}
CODES = ["OK", "RERR", "ABORT", "TIMEOUT", "DOWN", "BAD", "YIELD"]


def to_bytes(words: list[int]) -> bytes:
    """A FIS as the bytes of a stream."""
    return b"".join(w.to_bytes(4, "little") for w in words)


def to_words(data: bytes) -> list[int]:
    """And back."""
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def data_fis(rng: random.Random, words: int) -> list[int]:
    """A Data FIS with a given number of payload words."""
    return [0x46] + [rng.getrandbits(32) for _ in range(words)]


class Line(ABC):
    """A core with the host's side of a PHY, and a device at the other end of a line."""

    def __init__(
        self,
        habits: Habits | None = None,
        seed: int = 1,
        delay: int = 4,
        gaps: float = 0.0,
        **params: int,
    ) -> None:
        self.dut = self.build(params)
        self.device = Device(seed, habits or Habits())
        self.rng = random.Random(seed + 1000)
        self.gaps = gaps  # chance of a cycle without a received word
        self.ber = 0.0  # chance of a broken word, each way
        self.plugged = True
        self.invert = False
        self.phase = "off"
        self.count = 0
        self.sent_oob: list[str] = []
        self.drop_oob = 0  # COMRESETs that the device does not hear
        self.deaf = False
        self.tx: deque[tuple[int, int]] = deque([(D10_2, 0)] * delay)
        self.rx: deque[tuple[int, int]] = deque([(D10_2, 0)] * delay)
        self.oob_wait = 0
        self.log: list[tuple[int, int]] | None = None
        self.dut.set("phy_ready", 1)

    @abstractmethod
    def build(self, params: dict[str, int]) -> Dut:
        """The core."""

    @abstractmethod
    def user_side(self) -> None:
        """What the user does in a cycle."""

    def events(self) -> dict[str, int]:
        """Counts of what happened."""
        return {}

    def _spoil(self, word: tuple[int, int]) -> tuple[int, int]:
        if self.ber and self.rng.random() < self.ber:
            return word[0] ^ (1 << self.rng.randrange(32)), word[1]
        return word

    def _phy(self, cominit: int, comwake: int) -> tuple[int, int, int, tuple[int, int] | None]:
        """The device's PHY: (rx_cominit, rx_comwake, rx_idle, word)."""
        if not self.plugged:
            self.phase = "off"
            return 0, 0, 1, None
        self.count += 1
        if cominit and self.phase not in ("reset", "cominit"):
            if self.deaf:
                return 0, 0, 1, None
            self.phase, self.count = "reset", 0
        if self.phase == "reset":
            if not cominit and self.count > 10:
                self.phase, self.count = "cominit", 0
            return 0, 0, 1, None
        if self.phase == "cominit":
            if self.count > 12:
                self.phase = "wait"
            return 1, 0, 1, None
        if self.phase == "wait":
            if comwake:
                self.phase, self.count = "woken", 0
            return 0, 0, 1, None
        if self.phase == "woken":
            if self.count > 20:
                self.phase, self.count = "align", 0
            return 0, int(self.count > 10), 1, None
        if self.phase == "align":
            return 0, 0, 0, (0x7BB5B5BC if self.invert else PRIMS["ALIGN"], 1)
        if self.phase == "up":
            return 0, 0, 0, None
        return 0, 0, 1, None

    def cycle(self) -> None:
        """One clock: a word each way."""
        dut = self.dut
        cominit, comwake = dut.get("tx_cominit"), dut.get("tx_comwake")
        self.oob_wait = self.oob_wait + 1 if cominit or comwake else 0
        if self.oob_wait == 1 and cominit:
            self.deaf = self.drop_oob > 0
            self.drop_oob -= int(self.deaf)
        dut.set("tx_oob_done", int(self.oob_wait == 6))
        if self.oob_wait == 6:
            self.sent_oob.append("COMRESET" if cominit else "COMWAKE")
        self.user_side()
        word = (dut.get("tx_data"), dut.get("tx_k"))
        if self.log is not None:
            self.log.append(word)
        self.tx.append(word)
        far = self.tx.popleft()
        was = self.phase
        init, wake, idle, own = self._phy(cominit, comwake)
        if self.phase == "align" and far == (PRIMS["ALIGN"], 1) and not dut.get("tx_idle"):
            self.phase = "up"
            self.device.relink()
        if self.phase == "up" and own is None:
            if was == "up":
                far = self._spoil(far)
            own = self._spoil(self.device.step(*far))
        dut.set("rx_cominit", init)
        dut.set("rx_comwake", wake)
        dut.set("rx_idle", idle)
        self.rx.append(own or (0, 0))
        if self.gaps and len(self.rx) < 40 and self.rng.random() < self.gaps:
            dut.set("rx_valid", 0)
        else:
            data, k = self.rx.popleft()
            # An elastic buffer makes up for gaps by taking ALIGNs out.
            if (data, k) == (PRIMS["ALIGN"], 1) and self.gaps and len(self.rx) > 6:
                data, k = self.rx.popleft()
            dut.set("rx_data", data)
            dut.set("rx_k", k)
            dut.set("rx_valid", 1)
        dut.run(1)

    def run(self, cycles: int) -> None:
        """So many words."""
        for _ in range(cycles):
            self.cycle()

    def until(self, condition, limit: int = 30_000, what: str = "it") -> None:  # type: ignore[no-untyped-def]
        """Run until it is so."""
        for _ in range(limit):
            if condition():
                return
            self.cycle()
        raise AssertionError(f"{what} did not come; device {self.device.state}, {self.events()}")


class Host(Line):
    """kumi_sata_host and what hangs on it."""

    def __init__(self, *how: Any, **more: Any) -> None:
        super().__init__(*how, **more)
        self.codes: list[str] = []
        self.waiting: deque[Frame] = deque()
        self.under_way = False
        self.yields = 0
        for pin in ("ev", "ev_retry", "ev_drop", "ev_init_retry", "ev_lost"):
            self.dut.watch(pin)

    def build(self, params: dict[str, int]) -> Dut:
        return Dut.of_module("kumi_sata_host", {**PARAMS, **params}, {"*": {"DATA_W": 32}})

    def events(self) -> dict[str, int]:
        found = dict(self.dut.counts("ev"))
        for pin in ("ev_retry", "ev_drop", "ev_init_retry", "ev_lost"):
            found[pin] = sum(self.dut.counts(pin).values())
        return found

    def user_side(self) -> None:
        dut = self.dut
        if dut.get("done"):
            code = CODES[dut.get("code")]
            self.under_way = False
            if code == "YIELD":
                self.yields += 1
            else:
                self.codes.append(code)
                self.waiting.popleft()
        # One at a time, and again if the device was first.
        if self.waiting and not self.under_way and not (self.yields and dut.get("receiving")):
            self.under_way = True
            dut.send("s_axis", [self.waiting[0]])

    def start(self) -> None:
        """Bring the link up."""
        self.until(lambda: self.dut.get("up"), 10_000, "the link")

    def send(self, words: list[int], bad: bool = False) -> None:
        """Hand a FIS over, without waiting."""
        self.waiting.append(Frame(to_bytes(words), bad=bad))

    def received(self) -> list[tuple[list[int], bool]]:
        """FISes that came out since the last call."""
        return [(to_words(f.data), f.bad) for f in self.dut.recv("m_axis")]
