# SPDX-License-Identifier: Apache-2.0
"""Two serial links joined by a cable, with fault injection."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kumihimo.testing import Dut, Frame, Hang

GOOD, DARK, NOISE, HEADLESS = range(4)
# Around the edges of blocks, separators (6 and 7 bytes), beats of 1 to 4 lanes, and chunks.
SIZES = [1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 23, 24, 25, 31, 32, 33, 63, 64, 65, 255, 256, 257,
         1015, 1016, 1017, 1023, 1024, 1025, 2032, 2048, 2049, 5000]  # fmt: skip
ALL = 15


def lanes_word(values: Iterable[int], width: int) -> int:
    return sum(v << (width * i) for i, v in enumerate(values))


class Pair:
    """Ends `a` and `b`."""

    def __init__(self, lanes: int = 1, lanes_b: int = 0, retry: int = 1, seed: int = 1,
                 skew: Iterable[int] = (0, 0, 0, 0), cfg_a: Mapping[str, int] | None = None,
                 cfg_b: Mapping[str, int] | None = None, **params: int) -> None:  # fmt: skip
        self.lanes, self.lanes_b = lanes, lanes_b or lanes
        self.rng = random.Random(seed)
        ends = {"a": self.lanes, "b": self.lanes_b}
        widths = {f"{way}_axis_{x}": {"DATA_W": 64 * n} for way in "sm" for x, n in ends.items()}
        self.dut = Dut.of_module(
            "tests/rtl/link/kumi_t_link_pair.sv",
            {"LANES_A": self.lanes, "LANES_B": self.lanes_b, **params},
            widths,
        )
        self.cfg = {"lanes.lanes": ALL, "retry.enable": int(retry == 1), "retry.plain_ok": 1}
        self.set_cfg("a", **{"retry.nonce": 5, **(cfg_a or {})})
        self.set_cfg("b", **{"retry.nonce": 900, **(cfg_b or {})})
        self.dut.set("seed", seed)
        skew = list(skew)
        self.dut.set("delay_ab", lanes_word(skew, 10))
        self.dut.set("delay_ba", lanes_word(reversed(skew), 10))
        self.plug()
        self.fields = {x: self.dut.shell.fields[f"ev_{x}"] for x in "ab"} if self.dut.shell else {}
        for x in "ab":
            self.dut.watch(f"ev_{x}")

    def set_cfg(self, end: str, **values: int) -> None:
        self.dut.set(f"cfg_{end}", self.cfg | {k.replace("__", "."): v for k, v in values.items()})

    def plug(self, lanes: int = ALL) -> None:
        """New plugs: the block boundary is anywhere."""
        self.dut.set("boundary", self.rng.randrange(66))
        self.dut.set("replug", lanes)
        self.dut.run(2)
        self.dut.set("replug", 0)

    def mode(self, mode: int, lanes: int = ALL, ways: str = "both") -> None:
        word = lanes_word([mode if lanes >> i & 1 else GOOD for i in range(4)], 2)
        if ways in ("both", "ab"):
            self.dut.set("mode_ab", word)
        if ways in ("both", "ba"):
            self.dut.set("mode_ba", word)

    def errors(self, rate: float) -> None:
        """Bit error rate of both directions."""
        self.dut.set("ber", int(rate * 66 * 2**32))

    def status(self, end: str = "a") -> dict[str, int]:
        return self.dut.get_struct(f"status_{end}")

    def count(self, end: str, event: str) -> int:
        """Pulses of an event since the start; those of lanes as a sum."""
        bits = self.dut.node.watched(f"ev_{end}")
        ((low, width),) = [(low, w) for name, low, w in self.fields[end] if name == event]
        return int(sum(bits[low : low + width]))

    def until(self, condition: Callable[[], Any], what: str, limit: int = 40_000) -> int:
        return self.dut.run_until(condition, limit, step=16, what=what)

    def up(self, lanes: int | None = None) -> None:
        """Wait until both ends are up, with that many lanes, and frames pass."""
        want = lanes or min(self.lanes, self.lanes_b)

        def ready() -> bool:
            return all(self.status(x)["lanes.up"] and self.status(x)["retry.open"]
                       and self.status(x)["lanes.count"] == want for x in "ab")  # fmt: skip

        self.until(ready, f"{want} lanes up")

    def frames(self, count: int, sizes: Iterable[int] = ()) -> list[bytes]:
        sizes = list(sizes) or SIZES
        return [self.rng.randbytes(self.rng.choice(sizes)) for _ in range(count)]

    def exchange(self, count: int, sizes: Iterable[int] = (), limit: int = 600_000,
                 events: Iterable[tuple[int, Callable[[], None]]] = ()) -> int:  # fmt: skip
        """Frames both ways; every one must arrive unchanged and in order. Returns the cycles.

        `events`: what happens how many cycles later.
        """
        dut = self.dut
        sent = {"b": self.frames(count, sizes), "a": self.frames(count, sizes)}
        got: dict[str, list[Frame]] = {"a": [], "b": []}
        dut.send("s_axis_a", sent["b"])
        dut.send("s_axis_b", sent["a"])
        start, todo = dut.cycle, sorted(events, key=lambda e: e[0])
        while min(map(len, got.values())) < count:
            if dut.cycle - start > limit:
                numbers = {x: len(g) for x, g in got.items()}
                raise Hang(f"{numbers} of {count} frames after {limit} cycles")
            dut.run(64)
            while todo and dut.cycle - start >= todo[0][0]:
                todo.pop(0)[1]()
            for x in "ab":
                got[x] += dut.recv(f"m_axis_{x}")
        for x in "ab":
            assert len(got[x]) == count
            for i, (frame, data) in enumerate(zip(got[x], sent[x], strict=True)):
                assert frame.data == data and not frame.bad, f"frame {i} to {x}"
        return dut.cycle - start
