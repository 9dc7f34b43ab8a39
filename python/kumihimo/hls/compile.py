# SPDX-License-Identifier: Apache-2.0
"""A .cl file to SystemVerilog: all passes in their order."""

from __future__ import annotations

from pathlib import Path

from .banks import divide_arrays
from .exit_test import test_equality
from .frontend import Program, load
from .lower import lower
from .ops import Design
from .overlap import overlap
from .print_program import Printed, print_program
from .reduce import balance
from .schedule import schedule
from .sums import interleave
from .tidy import finish, tidy
from .trip import count_ahead

DEFAULT_MHZ = 125.0


def designs(program: Program, mhz: float = DEFAULT_MHZ) -> list[Design]:
    """The scheduled kernels of a program."""
    out = []
    for kernel in program.kernels:
        design = lower(program, kernel)
        tidy(design)
        divide_arrays(design)
        balance(design)
        interleave(design)
        test_equality(design)
        count_ahead(design, mhz)
        finish(design)
        for segment in [s for s in design.segments if s.loop]:
            schedule(segment, mhz)
        overlap(design)
        for segment in [s for s in design.segments if not s.loop]:
            schedule(segment, mhz)
        out.append(design)
    return out


def compile_file(path: Path, mhz: float = DEFAULT_MHZ, prefix: str = "") -> Printed:
    """All modules of a file."""
    program = load(path)
    return print_program(program, designs(program, mhz), prefix)


def write(printed: Printed, folder: Path) -> list[Path]:
    """Write each module to a file of its name; the top is the last."""
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for name, text in printed.modules.items():
        file = folder / f"{name}.sv"
        file.write_text(text, encoding="utf-8")
        out.append(file)
    return out
