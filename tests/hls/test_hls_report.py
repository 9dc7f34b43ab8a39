# SPDX-License-Identifier: Apache-2.0
"""What the report says of loops, and what pragmas change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from kumihimo.build import scan
from kumihimo.hls.compile import designs
from kumihimo.hls.errors import HlsError
from kumihimo.hls.frontend import load
from kumihimo.hls.node import build_node
from kumihimo.hls.report import report, to_json
from kumihimo.hls.report_cost import Cost
from kumihimo.hls.report_html import page

HERE = Path(__file__).parent


def loops(folder: Path, text: str, mhz: float = 125.0) -> list[dict[str, Any]]:
    file = folder / "own.cl"
    file.write_text(text, encoding="utf-8")
    return list(to_json(report(designs(load(file), mhz)))[0]["loops"])


SCATTER = """channel int A;
__kernel void k(int n) {
  int t[64];
  for (int i = 0; i < 64; i++) t[i] = 0;
PRAGMA
  for (int i = 0; i < n; i++) t[(i * 7) & 63] = t[(i * 5) & 63] + i;
  for (int i = 0; i < 64; i++) write_channel_intel(A, t[i]);
}
"""


def test_limit_and_pragmas(tmp_path: Path) -> None:
    """The chain that limits the II is named; ivdep removes it, ii asks for more cycles."""
    plain = loops(tmp_path, SCATTER.replace("PRAGMA", ""))
    assert [loop["line"] for loop in plain] == [4, 6, 7]
    assert plain[1]["ii"] == 2 and plain[1]["limit"] == "t is read and written"
    chain = [step["operation"] for step in plain[1]["chain"]]
    assert chain[0] == "array_load" and chain[-1] == "array_store" and "add" in chain
    assert {step["line"] for step in plain[1]["chain"]} == {6}
    assert plain[0]["ii"] == plain[2]["ii"] == 1
    assert loops(tmp_path, SCATTER.replace("PRAGMA", "#pragma ivdep"))[1]["ii"] == 1
    assert loops(tmp_path, SCATTER.replace("PRAGMA", "#pragma ii 4"))[1]["ii"] == 4


@pytest.mark.parametrize("mhz", [60.0, 125.0, 250.0])
def test_counted_loops_have_ii_1(tmp_path: Path, mhz: float) -> None:
    """Whatever the clock, the start, the step and the bound."""
    for head in ("int i = 0; i < n; i++", "int i = n; i > 0; i -= 3", "uint i = 5; i != n; i += 7"):
        text = f"""channel int A; channel int B;
__kernel void k(int n) {{
  for ({head}) write_channel_intel(A, read_channel_intel(B) + 1);
}}
"""
        assert [loop["ii"] for loop in loops(tmp_path, text, mhz)] == [1]


@pytest.mark.parametrize("mhz", [60.0, 250.0])
def test_iterations_of_loops(tmp_path: Path, mhz: float) -> None:
    """Constant counts as Python's ranges have them, whatever the way the loop counts."""
    for head, count in (
        ("int i = 0; i < 64; i++", f"{len(range(64)):,}"),
        ("int i = 100; i > 3; i -= 7", f"{len(range(100, 3, -7)):,}"),
        ("uchar i = 250; i != 9; i += 3", f"{(9 - 250) % 256 * pow(3, -1, 256) % 256:,}"),
        ("long i = -5000; i <= 5000; i += 2", f"{len(range(-5000, 5001, 2)):,}"),
        ("int i = 0; i < n; i++", "n"),
        ("int i = 0; read_channel_intel(B) > i; i++", "depends on data"),
    ):
        text = f"""channel int A; channel int B;
__kernel void k(int n) {{
#pragma nounroll
  for ({head}) write_channel_intel(A, i);
}}
"""
        assert [loop["trips"] for loop in loops(tmp_path, text, mhz)] == [count], head


def test_integer_reduction_has_ii_1(tmp_path: Path) -> None:
    text = """channel int A; channel int B;
__kernel void k(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += read_channel_intel(B);
  write_channel_intel(A, sum);
}
"""
    assert [loop["ii"] for loop in loops(tmp_path, text)] == [1]


def test_unrolled_loop_is_gone(tmp_path: Path) -> None:
    text = """channel int4 A; channel int B;
__kernel void k(void) {
  int4 v = read_channel_intel(A);
  int sum = 0;
  int w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; i++) sum += w[i];
  write_channel_intel(B, sum);
}
"""
    assert loops(tmp_path, text) == []


def test_impossible_ii_says_why(tmp_path: Path) -> None:
    with pytest.raises(HlsError, match="t is read and written"):
        loops(tmp_path, SCATTER.replace("PRAGMA", "#pragma ii 1"))


def test_file_to_systemverilog_within_two_seconds() -> None:
    """Figure 8, in this process, once more after the first (caches of the compiler are warm)."""
    for _ in range(2):
        start = time.process_time()
        designs(load(HERE / "figure8.cl"))
        spent = time.process_time() - start
    assert spent < 2


def test_command_line(tmp_path: Path) -> None:
    """`kumi kernel`: report, emulate and build."""
    file = tmp_path / "scatter.cl"
    file.write_text(SCATTER.replace("PRAGMA", ""), encoding="utf-8")

    def kumi(*words: str) -> str:
        command = [sys.executable, "-m", "kumihimo.cli", "kernel", *words]
        wide = {**os.environ, "COLUMNS": "160"}  # so that no sentence is broken
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, check=False, env=wide
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    told = json.loads(kumi("report", "scatter.cl", "--json"))
    assert told[0]["kernel"] == "k" and len(told[0]["loops"]) == 3
    assert "t is read and written" in " ".join(kumi("report", "scatter.cl").split())
    kumi("report", "scatter.cl", "--html", "scatter.html", "--measured", "k=300,75")
    page = HTMLParser()
    seen: list[tuple[str, str]] = []
    page.handle_starttag = lambda tag, attrs: seen.append((tag, dict(attrs).get("href", "")))  # type: ignore[method-assign]
    page.feed((tmp_path / "scatter.html").read_text(encoding="utf-8"))
    assert {("a", f"#l{line}") for line in (4, 6, 7)} <= set(seen)
    assert "in 75 of them (25 %)" in (tmp_path / "scatter.html").read_text(encoding="utf-8")
    out = json.loads(kumi("emulate", "scatter.cl", "--run", "k:n=9", "--json"))
    assert len(out["outputs"]["A"]) == 64
    kumi("build", "scatter.cl", "--out", "rtl")
    names = {p.name for p in (tmp_path / "rtl").iterdir()}
    assert {"kumi_node_scatter.sv", "scatter_k.sv", "scatter.rdl", "scatter_regs.json"} <= names


def test_page_shows_cost_and_clock(tmp_path: Path) -> None:
    """What `--synth` measures stands below the kernel's loops."""
    file = tmp_path / "own.cl"
    file.write_text(SCATTER.replace("PRAGMA", ""), encoding="utf-8")
    program = load(file)
    kernels = report(designs(program))
    cost = Cost(1234, 567, 3, 0, 141.25)
    text = page(file, program.source.text, kernels, 125.0, {}, {"k": cost})
    assert "1,234 LUT, 567 FF, 1.5 block RAMs, 0 DSP" in text and "141.2 MHz" in text
    assert "1,234" not in page(file, program.source.text, kernels, 125.0, {})


def test_node_has_the_memory_width_of_its_kernels(tmp_path: Path) -> None:
    """The node's flat ports, its interface and the kernels agree, also at 32 bits."""
    file = tmp_path / "own.cl"
    for kind, bits in (("int", 32), ("char", 32), ("long", 64), ("int16", 512)):
        text = f"__kernel void k(__global {kind} *a, int n) {{ a[n] = a[0] + ({kind})(1); }}\n"
        file.write_text(text, encoding="utf-8")
        top = build_node(file, tmp_path / kind)
        info = scan(top, {})
        memory = next(p for p in info.ports if p.kind == "axi")
        assert memory.tx is not None and memory.tx.bits == bits
        assert f"kumi_axi_if #(.DATA_W({bits})) m_axi" in top.read_text(encoding="utf-8")


def test_the_same_file_gives_the_same_text() -> None:
    """Whatever the order of Python's sets: a build is found again by its content."""
    code = (
        "import sys; from pathlib import Path; from kumihimo.hls.compile import compile_file; "
        "print(*compile_file(Path(sys.argv[1])).modules.values())"
    )
    texts = set()
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-c", code, str(HERE / "suite.cl")]
        own = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=60, env=own
        )
        texts.add(done.stdout)
    assert len(texts) == 1
