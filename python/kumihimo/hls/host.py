# SPDX-License-Identifier: Apache-2.0
"""A kernel of a running node, driven through its registers.

    sender = node.kernel("sender")
    cycles = sender.run(send_data256=buffer, count=1000, source_addr=1, dest_addr=2)
    sender.start(...); sender.wait("2 ms")

An argument is a number, or a buffer with a `physical_address`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..common.errors import KumiError, did_you_mean
from ..regs import Block, RegisterMap

_OWN = ("ctrl", "status", "runs", "cycles", "stalls")
STEP_PS = 1_000_000


class KernelTimeout(KumiError):
    """A kernel did not end within the timeout."""


class KernelHandle:
    """One kernel: its arguments, start and end."""

    def __init__(
        self,
        name: str,
        regs: RegisterMap,
        run: Callable[[int], object],
        time_ps: Callable[[str], int],
    ) -> None:
        """Find the kernel's registers.

        Args:
            name: of the kernel in its source.
            regs: registers of the node.
            run: advances the cluster by picoseconds.
            time_ps: reads a time with a unit.
        """
        self.name = name
        self._run = run
        self._time_ps = time_ps
        self._block = self._find(regs)
        self._started = self.runs

    def _find(self, regs: RegisterMap) -> Block:
        known: list[str] = []
        for block in (regs[b] for b in regs):
            names = [r.name.removesuffix("_runs") for r in block.spec.regs if _is_runs(r.name)]
            if self.name in names:
                return block
            known += names
        hint = did_you_mean(self.name, known).strip()
        have = f"It has {', '.join(known)}." if known else "It has none."
        raise KumiError(f"The node has no kernel {self.name}.", hint or have)

    def _reg(self, word: str) -> Any:
        return getattr(self._block, f"{self.name}_{word}")

    @property
    def arguments(self) -> dict[str, int]:
        """Names of the arguments in their order, and their 32-bit words."""
        out: dict[str, int] = {}
        for reg in self._block.spec.regs:
            word = reg.name.removeprefix(f"{self.name}_")
            if word == reg.name or word in _OWN or self._other(reg.name):
                continue
            name = re.sub(r"_w\d+$", "", word)
            out[name] = out.get(name, 0) + 1
        return out

    def _other(self, register: str) -> bool:
        """Whether a register belongs to a kernel whose name begins like this one's."""
        longer = [r.name.removesuffix("_runs") for r in self._block.spec.regs if _is_runs(r.name)]
        return any(register.startswith(f"{n}_") for n in longer if n.startswith(f"{self.name}_"))

    @property
    def busy(self) -> bool:
        """Whether it runs."""
        return bool(self._reg("status").busy)

    @property
    def failed(self) -> bool:
        """Whether a memory access was answered with an error since reset."""
        return bool(self._reg("status").failed)

    @property
    def runs(self) -> int:
        """Runs that have ended since reset, modulo 2^32."""
        return int(self._reg("runs").read())

    @property
    def cycles(self) -> int:
        """Cycles of the last run."""
        return int(self._reg("cycles").read())

    @property
    def stalls(self) -> int:
        """Cycles of the last run in which an operation waited."""
        return int(self._reg("stalls").read())

    def start(self, *values: Any, **named: Any) -> None:
        """Set the arguments and start; raises if it runs already or an argument is missing."""
        wanted = self.arguments
        given = dict(zip(wanted, values, strict=False))
        given.update(named)
        if len(values) > len(wanted) or set(given) != set(wanted):
            text = f"The kernel {self.name} takes {', '.join(wanted) or 'no arguments'}."
            raise KumiError(text, f"Given: {', '.join(given) or 'none'}.")
        if self.busy:
            raise KumiError(f"The kernel {self.name} is running.", "Call wait() first.")
        for name, words in wanted.items():
            value = int(getattr(given[name], "physical_address", given[name]))
            if not -(1 << (32 * words - 1)) <= value < 1 << (32 * words):
                raise KumiError(f"{name} of {self.name} has {32 * words} bits: {value}.")
            for i in range(words):
                suffix = "" if words == 1 else f"_w{i}"
                self._reg(f"{name}{suffix}").write(value >> (32 * i) & 0xFFFFFFFF)
        self._started = self.runs
        self._reg("ctrl").write(1)

    def wait(self, timeout: str | int = "10 ms") -> int:
        """Run the cluster until the kernel ends; returns the cycles that it took."""
        left = timeout if isinstance(timeout, int) else self._time_ps(timeout)
        while self.runs == self._started:
            if left <= 0:
                waited = f"{self.stalls} of {self.cycles} cycles"
                text = f"The kernel {self.name} did not end; an operation waited in {waited}."
                raise KernelTimeout(text, "kumi kernel emulate names a deadlock.")
            self._run(min(left, STEP_PS))
            left -= STEP_PS
        return self.cycles

    def run(self, *values: Any, timeout: str | int = "10 ms", **named: Any) -> int:
        """Start and wait."""
        self.start(*values, **named)
        return self.wait(timeout)

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(self.arguments)})>"


def _is_runs(name: str) -> bool:
    return name.endswith("_runs")
