# SPDX-License-Identifier: Apache-2.0
"""A kernel of a running node, driven through its registers.

    sender = node.kernel("sender")
    cycles = sender.run(send_data256=buffer, count=1000, source_addr=1, dest_addr=2)
    sender.start(...); sender.wait("2 ms")

An argument is a number, an array or a list for a vector, or a buffer with a `physical_address`. A
buffer of `host.allocate` is flushed at the start and invalidated at the end.
"""

from __future__ import annotations

import copy
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..common.errors import KumiError, did_you_mean
from ..regs import Block, RegisterMap

_OWN = ("ctrl", "status", "runs", "cycles", "stalls", "waits")
STEP_PS = 1_000_000
LOOKS = 3  # steps in which nothing moves before kernels count as deadlocked
SLACK = 8  # cycles between the reads of two counters


_ARGUMENT = re.compile(r"Argument (\w+)(?: \((.+)\))?, bits")


class Argument(NamedTuple):
    """An argument: its OpenCL type, "" if that is not known, and its registers."""

    kind: str
    words: tuple[str, ...]


class KernelTimeout(KumiError):
    """A kernel did not end within the timeout."""


class KernelDeadlock(KernelTimeout):
    """A kernel waits for kernels that wait for it."""


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
        self._buffers: list[Any] = []  # of the run

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

    def _arguments(self) -> dict[str, Argument]:
        """The arguments in their order, by their names in the source."""
        out: dict[str, Argument] = {}
        for reg in self._block.spec.regs:
            word = reg.name.removeprefix(f"{self.name}_")
            if word == reg.name or word in _OWN or self._other(reg.name):
                continue
            found = _ARGUMENT.match(reg.description)
            name = found.group(1) if found else re.sub(r"_w\d+$", "", word)
            kind = (found.group(2) or "") if found else ""
            before = out.get(name, Argument(kind, ()))
            out[name] = Argument(kind, (*before.words, word))
        return out

    @property
    def arguments(self) -> dict[str, int]:
        """Names of the arguments in their order, and their 32-bit words."""
        return {name: len(arg.words) for name, arg in self._arguments().items()}

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
        wanted = self._arguments()
        given = dict(zip(wanted, values, strict=False))
        given.update(named)
        if len(values) > len(wanted) or set(given) != set(wanted):
            text = f"The kernel {self.name} takes {', '.join(wanted) or 'no arguments'}."
            raise KumiError(text, f"Given: {', '.join(given) or 'none'}.")
        if self.busy:
            raise KumiError(f"The kernel {self.name} is running.", "Call wait() first.")
        numbers = {
            name: argument(f"{name} of {self.name}", arg.kind, len(arg.words), given[name])
            for name, arg in wanted.items()
        }
        self._buffers = [v for v in given.values() if hasattr(v, "invalidate")]
        for buffer in self._buffers:
            buffer.flush()
        for name, arg in wanted.items():
            for i, word in enumerate(arg.words):
                reg = self._reg(word)
                bits = max(field.lsb + field.width for field in reg.info.fields)
                reg.write(numbers[name] >> (32 * i) & ((1 << bits) - 1))
        self._started = self.runs
        self._reg("ctrl").write(1)

    @property
    def waits(self) -> tuple[str, ...]:
        """What it waits for now: "waits to read B, which two writes (a.cl:3)", ..."""
        found: list[str] = []
        for reg in self._block.spec.regs:
            word = reg.name.removeprefix(f"{self.name}_")
            if re.fullmatch(r"waits(_w\d+)?", word) and not self._other(reg.name):
                value = int(self._reg(word).read())
                found += [f.description for f in reg.fields if value >> f.lsb & 1]
        return tuple(found)

    def wait(self, timeout: str | int = "10 ms") -> int:
        """Run the cluster until the kernel ends; returns the cycles that it took.

        Raises KernelDeadlock when it is deadlocked with other kernels of its file, KernelTimeout
        when it has not ended within the timeout; both name kernels, channels and lines.
        """
        whole = left = timeout if isinstance(timeout, int) else self._time_ps(timeout)
        look = STEP_PS
        while self.runs == self._started:
            if left <= 0:
                text = f"The kernel {self.name} did not end within {whole / 1e6:g} us."
                raise KernelTimeout(text, self._picture())
            if whole - left >= look:  # at ever longer distances: a look costs more than a step
                look *= 2
                stuck = self.deadlock()
                if stuck:
                    raise KernelDeadlock("The kernels are deadlocked.", stuck)
            self._run(min(left, STEP_PS))
            left -= STEP_PS
        for buffer in self._buffers:
            buffer.invalidate()
        self._buffers = []
        return self.cycles

    def _kernels(self) -> dict[str, KernelHandle]:
        """All kernels of the file, this one among them."""
        names = kernel_names(self._block)
        return {n: self if n == self.name else self._sibling(n) for n in names}

    def _sibling(self, name: str) -> KernelHandle:
        other = copy.copy(self)
        other.name = name
        return other

    def _picture(self) -> str:
        """Where each kernel that has not ended stands."""
        texts = []
        for name, kernel in self._kernels().items():
            if kernel.busy:
                waits = " and ".join(kernel.waits)
                texts.append(f"{name} {waits or 'is running'}")
        return "; ".join(texts) + "." if texts else ""

    def deadlock(self) -> str:
        """Where the kernels stand if this one is deadlocked, else ""; runs the cluster for 3 us.

        It is when it waits for kernels alone that wait for such in turn, and none of them moves.
        """
        before = self._blocked()
        for _ in range(LOOKS):
            if not before:
                return ""
            self._run(STEP_PS)
            after = self._blocked()
            still = after.keys() == before.keys() and all(
                after[k][1] == waits and (after[k][0] - moved) % 2**32 <= SLACK
                for k, (moved, waits) in before.items()
            )
            before = after if still else {}
        texts = [f"{name} {' and '.join(waits)}" for name, (_, waits) in before.items()]
        return "; ".join(texts) + "." if texts else ""

    def _blocked(self) -> dict[str, tuple[int, tuple[str, ...]]]:
        """This kernel and those that it waits for; nothing if one of them can go on.

        Of each its cycles without a wait, which stand still while it is blocked, and its waits.
        """
        found: dict[str, tuple[int, tuple[str, ...]]] = {}
        work, kernels = [self.name], self._kernels()
        while work:
            name = work.pop()
            if name in found:
                continue
            kernel = kernels[name]
            waits = kernel.waits
            partners = [re.search(r", which (\w+) (?:reads|writes)", text) for text in waits]
            if not waits or not kernel.busy or not all(partners):
                return {}
            found[name] = (kernel.cycles - kernel.stalls, waits)
            work += [partner.group(1) for partner in partners if partner]
        return found

    def run(self, *values: Any, timeout: str | int = "10 ms", **named: Any) -> int:
        """Start and wait."""
        self.start(*values, **named)
        return self.wait(timeout)

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(self.arguments)})>"


_VECTOR = re.compile(r"(u?char|u?short|u?int|u?long|float)(2|3|4|8|16)")
_FORMATS = {"char": "b", "short": "h", "int": "i", "long": "q", "float": "f"}


def argument(where: str, kind: str, words: int, given: Any) -> int:
    """An argument as the number in its registers.

    Args:
        where: names it in errors.
        kind: its OpenCL type, "" if it is not known.
        words: its 32-bit registers.
        given: a number, a buffer, or elements of a vector.
    """
    value = getattr(given, "physical_address", given)
    vector = _VECTOR.fullmatch(kind)
    if vector or (isinstance(value, Sequence) and not isinstance(value, str)):
        return _elements(where, kind, vector, value)
    if kind == "float":
        return int.from_bytes(struct.pack("<f", float(value)), "little")
    number = int(value)
    if number != value:
        raise KumiError(f"{where} is {kind or 'an integer'}: {value}.", "Round it yourself.")
    bits = 32 * words
    if kind.endswith("char"):
        bits = 8
    elif kind.endswith("short"):
        bits = 16
    if not -(1 << (bits - 1)) <= number < 1 << bits:
        raise KumiError(f"{where} has {bits} bits: {number}.")
    return number


def _elements(where: str, kind: str, vector: re.Match[str] | None, value: Any) -> int:
    """A vector from its elements, or from one number for all bits."""
    if vector is None:
        raise KumiError(f"{where} is {kind or 'one number'}: {value}.", "Give one number.")
    if isinstance(value, int):
        return value
    elements = list(value)
    count = int(vector.group(2))
    if len(elements) != count:
        raise KumiError(f"{where} is {kind}: {len(elements)} elements.", f"Give {count}.")
    letter = _FORMATS[vector.group(1).removeprefix("u")]
    if vector.group(1).startswith("u"):
        letter = letter.upper()
    number = float if letter == "f" else int
    try:
        packed = struct.pack(f"<{count}{letter}", *(number(e) for e in elements))
    except struct.error as problem:
        raise KumiError(f"{where} is {kind}: {problem}.") from None
    return int.from_bytes(packed, "little")


def kernel_names(block: Block) -> list[str]:
    """The kernels whose registers a block has."""
    names = {r.name for r in block.spec.regs}
    runs = [r.name.removesuffix("_runs") for r in block.spec.regs if _is_runs(r.name)]
    return [n for n in runs if {f"{n}_ctrl", f"{n}_status", f"{n}_stalls"} <= names]


def _is_runs(name: str) -> bool:
    return name.endswith("_runs")
