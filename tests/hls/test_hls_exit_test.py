# SPDX-License-Identifier: Apache-2.0
"""Loop exit tests become != where the first iteration is known to begin below the bound."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.hls.compile import designs
from kumihimo.hls.frontend import load
from kumihimo.hls.ops import Op, Operand

EQUAL = {
    "guarded": "for (int i = 0; i < n; i++) W(i);",
    "both_arguments": "for (int i = m; i < n; i++) W(i);",
    "unsigned_": "for (uint i = m; i < (uint)n; i++) W(i);",
    "outer": "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) W(i + j);",
    "inner": "for (int i = 0; i < n; i++) for (int j = i; j < m; j++) W(j);",
    "rounded_up": "ushort b = ((ushort)n + 7) / 8; for (ushort i = 0; i < b; i++) W(i);",
    "with_break": "for (int i = 0; i < n; i++) { int x = R(); if (x == 9) break; W(x + i); }",
}
ORDERED = {
    "do_while": "int i = 0; do { W(i); i++; } while (i < n);",
    "do_from": "int i = m; do { W(i); i++; } while (i < n);",
    "weak_guard": "int i = 0; if (n > -3) do { W(i); i++; } while (i < n);",
    "other_guard": "int i = 3; if (n > 2) do { W(i); i++; } while (i < n);",
    "other_sign": "int i = 0; if ((uint)n > 5u) do { W(i); i++; } while (i < n);",
    "bound_moves": "for (int i = 0; i < n; i++) { W(i); if (R() == 1) n -= 5; }",
    "steps_of_two": "for (int i = 0; i < n; i += 2) W(i);",
    "extra_step": "for (int i = 0; i < n; i++) { W(i); if (R() & 1) i++; }",
}
HEAD = """channel int IN_{0}; channel int OUT_{0};
#define W(x) write_channel_intel(OUT_{0}, x)
#define R() read_channel_intel(IN_{0})
"""


def source(bodies: dict[str, str]) -> str:
    """A kernel for each body; the macros are those of its own channels."""
    text = ""
    for name, body in bodies.items():
        undo = "#undef W\n#undef R\n" if text else ""
        kernel = f"__kernel void {name}(int n, int m) {{ {body} }}\n"
        text += undo + HEAD.format(name) + kernel
    return text


def counts(value: Operand) -> bool:
    """Whether a value is a counter's next one."""
    return isinstance(value, Op) and (value.kind == "add" or value.name.endswith("_ahead"))


@pytest.mark.parametrize("mhz", [60.0, 125.0])
def test_exit_tests(tmp_path: Path, mhz: float) -> None:
    """What is proved is rewritten, also in loops that count ahead; nothing else is."""
    file = tmp_path / "own.cl"
    file.write_text(source(EQUAL | ORDERED), encoding="utf-8")
    for design in designs(load(file), mhz):
        ops = [op for segment in design.segments for op in segment.ops if op.kind == "icmp"]
        words = {op.word for op in ops if any(map(counts, op.args))}
        assert words == ({"ne"} if design.name in EQUAL else {"slt"}), design.name
