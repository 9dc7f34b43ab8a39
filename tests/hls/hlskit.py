# SPDX-License-Identifier: Apache-2.0
"""Runs a .cl file as RTL and natively, and compares words and memory."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kumihimo.common.process import find_program
from kumihimo.hls import clang
from kumihimo.hls.compile import DEFAULT_MHZ, designs, write
from kumihimo.hls.emulate import Emulation
from kumihimo.hls.frontend import Program, load
from kumihimo.hls.print_program import Printed, print_program
from kumihimo.testing.dut import Dut

QUIET_STEPS = 20  # of 100 cycles without a word, after which none is expected


@dataclass
class Run:
    """Kernels to start with their arguments, and words for the channels that come in."""

    kernels: Mapping[str, Mapping[str, Any]]
    inputs: Mapping[str, Sequence[int]] = field(default_factory=dict)


@contextmanager
def clang_builds() -> Iterator[None]:
    """Builds by clang, which takes less time than g++ where nothing is optimised."""
    own = os.environ.get("CXX")
    compiler = find_program(clang.VERSIONS[0].replace("clang", "clang++"))
    try:
        if compiler:
            os.environ["CXX"] = compiler
        yield
    finally:
        if own is None:
            os.environ.pop("CXX", None)
        else:
            os.environ["CXX"] = own


def compiled(file: Path, mhz: float) -> tuple[Program, Printed]:
    """A file's kernels and their SystemVerilog."""
    program = load(file)
    return program, print_program(program, designs(program, mhz))


class Twin:
    """One program, as RTL and natively."""

    def __init__(
        self,
        file: Path,
        folder: Path,
        mhz: float = DEFAULT_MHZ,
        instead: Sequence[Path] = (),
        made: tuple[Program, Printed] | None = None,
        units: Sequence[Path] = (),
    ) -> None:
        """Build both.

        `instead`: files that take the place of generated modules, `units`: of those that generated
        ones instantiate; `made`: the file, compiled.
        """
        self.source = file
        self.program, self.printed = made or compiled(file, mhz)
        self.emulation = Emulation(self.program)
        self.cycles = 0  # of the last run
        files = write(self.printed, folder)
        for other in instead:
            (folder / other.name).write_text(other.read_text(encoding="utf-8"), encoding="utf-8")
        bits = self.printed.data_bits
        interfaces = {"m_axi": {"DATA_W": bits}} if bits else {}
        with clang_builds():
            self.dut = Dut.of_module(files[-1], interfaces=interfaces, files=units)

    def compare(
        self,
        run: Run,
        stall: float = 0.0,
        seed: int = 1,
        latency: int = 0,
        jitter: int = 0,
        timeout: int = 200_000,
    ) -> int:
        """Run both; fail with what differs. Returns the cycles of the RTL."""
        found = self.differences(run, stall, seed, latency, jitter, timeout)
        assert not found, "\n".join(found)
        return self.cycles

    def differences(
        self, run: Run, stall: float, seed: int, latency: int, jitter: int, timeout: int
    ) -> list[str]:
        """Run both; a sentence for each channel and buffer that differs."""
        buffers = {
            (k, a): value
            for k, args in run.kernels.items()
            for a, value in args.items()
            if isinstance(value, bytearray)
        }
        original = {key: bytes(value) for key, value in buffers.items()}
        expected = self.emulation.run(run.kernels, run.inputs)
        found, memory = self.rtl(
            run, original, expected.outputs, stall, seed, latency, jitter, timeout
        )
        return found + [
            f"memory of {kernel}.{arg} differs"
            for (kernel, arg), value in buffers.items()
            if memory[kernel, arg] != bytes(value)
        ]

    def rtl(
        self,
        run: Run,
        buffers: Mapping[tuple[str, str], bytes],
        outputs: Mapping[str, Sequence[int]],
        stall: float,
        seed: int,
        latency: int,
        jitter: int,
        timeout: int,
    ) -> tuple[list[str], dict[tuple[str, str], bytes]]:
        """Run the RTL, compare its words; what differs, and the buffers afterwards."""
        dut = self.dut
        dut.restart(seed)
        ports = {p.channel.name: p.prefix for p in self.printed.ports}
        dut.stall_all(stall, stall, seed)
        places = self.places(buffers)
        if self.printed.data_bits:
            ram = dut.memory("m_axi")
            ram.configure(latency_cycles=latency, jitter_ps=jitter * 6400, reorder=bool(jitter))
            for key, data in buffers.items():
                ram.write(places[key], data)
        for name, args in run.kernels.items():
            for arg, value in args.items():
                pin = f"{name}_{self.pin(name, arg)}"
                width = next((p.bits for p in dut.info.pins if p.name == pin), 0)
                number = places.get((name, arg), value if isinstance(value, int) else 0)
                if width:
                    dut.set(pin, number & ((1 << width) - 1))
        for channel, words in run.inputs.items():
            if words:
                dut.send(ports[channel], list(words))
        start = dut.cycle
        for name in run.kernels:
            dut.set(f"{name}_start", 1)
        dut.run(1)
        for name in run.kernels:
            dut.set(f"{name}_start", 0)
        dut.run(1)
        busy = list(run.kernels)
        while busy:
            assert dut.cycle - start < timeout, self.hang(busy)
            dut.run(20)
            busy = [name for name in busy if dut.get(f"{name}_busy")]
        self.cycles = dut.cycle - start
        different = []
        for channel, words in outputs.items():
            if channel in ports:
                port = ports[channel]
                got = [int.from_bytes(x, "little") for x in self._received(port, len(words))]
                if got != list(words):
                    different.append(first_difference(channel, got, list(words)))
        memory = {}
        for key, data in buffers.items():
            memory[key] = dut.memory("m_axi").read(places[key], len(data))
        return different, memory

    @staticmethod
    def places(buffers: Mapping[tuple[str, str], bytes]) -> dict[tuple[str, str], int]:
        """Addresses of the buffers: whole pages."""
        out, at = {}, 4096
        for key, data in buffers.items():
            out[key] = at
            at += -(-len(data) // 4096) * 4096
        return out

    def _received(self, port: str, count: int) -> list[bytes]:
        """Words of a port until that many have come, or none for a while; and any behind them."""
        found: list[bytes] = self.dut.recv_data(port)
        quiet = 0
        while len(found) < count and quiet < QUIET_STEPS:
            self.dut.run(100)
            more = self.dut.recv_data(port)
            quiet = 0 if more else quiet + 1
            found += more
        self.dut.run(20)
        return found + list(self.dut.recv_data(port))

    def pin(self, kernel: str, arg: str) -> str:
        """Name of an argument's pin."""
        design = next(d for d in self.printed.designs if d.name == kernel)
        function = next(k for k in self.program.kernels if k.name == kernel).function
        names = [a.name for a in function.args]
        return design.args[names.index(arg)].name

    def hang(self, busy: list[str]) -> str:
        """Where the kernels stand."""
        return f"{', '.join(busy)} did not end by cycle {self.dut.cycle}"


def first_difference(channel: str, got: list[int], want: list[int]) -> str:
    """Says where two lists of words part."""
    for i, (a, b) in enumerate(zip(got, want, strict=False)):
        if a != b:
            return f"{channel}: word {i} is {a:#x}, emulation says {b:#x}"
    return f"{channel}: {len(got)} words, emulation says {len(want)}"


def random_words(bits: int, count: int, seed: int) -> list[int]:
    """Words of that many bits; small ones are frequent."""
    rng = random.Random(seed)
    return [rng.getrandbits(rng.choice([1, 4, bits, bits])) for _ in range(count)]
