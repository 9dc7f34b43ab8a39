# SPDX-License-Identifier: Apache-2.0
"""FuseSoC, cocotb and LiteX take the exports; the manifests at the root are current."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from kumihimo.build.toolchain import verilator_root
from kumihimo.common.paths import project_root
from kumihimo.export import export
from kumihimo.export.check import verilate
from kumihimo.export.manifests import manifests

EXAMPLES = project_root() / "examples" / "integration"


def run(words: list[str], folder: Path, **variables: str) -> str:
    """A command with Verilator and this Python's programs on PATH; what it printed."""
    root = verilator_root()
    path = os.pathsep.join(
        [str(Path(sys.executable).parent), str(root / "bin"), os.environ["PATH"]]
    )
    environment = os.environ | {"PATH": path, "VERILATOR_ROOT": str(root)} | variables
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout + done.stderr


def test_manifests_are_current() -> None:
    for name, text in manifests(project_root()).items():
        found = (project_root() / name).read_text()
        assert found == text, f"{name} is old: run `python -m kumihimo.dev manifests`"


def test_fusesoc_lints_an_export(tmp_path: Path) -> None:
    export("kumi_ip_stack", "fusesoc", tmp_path / "core")
    words = ["fusesoc", "--cores-root", "core", "run", "--target", "lint", "kumi_ip_stack"]
    text = run(words, tmp_path)
    assert "kumihimo:rtl:kumi_ip_stack" in text
    assert "V e r i l a t i o n   R e p o r t" in text


def test_fusesoc_lints_the_core_at_the_root(tmp_path: Path) -> None:
    """Every file of hw/ compiles in the order of `kumihimo.core`."""
    place = tmp_path / "kumihimo"
    place.mkdir()
    for name in ("kumihimo.core", "hw"):
        (place / name).symlink_to(project_root() / name)
    words = ["fusesoc", "--cores-root", "kumihimo", "run", "--target", "lint", "kumihimo:rtl:all"]
    assert "V e r i l a t i o n   R e p o r t" in run(words, tmp_path)


def test_cocotb_drives_an_export(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "cocotb", tmp_path / "bench")
    text = run([sys.executable, "run.py"], tmp_path / "bench")
    assert "TESTS=1 PASS=1 FAIL=0" in text


def test_litex_instantiates_an_export(tmp_path: Path) -> None:
    """LiteX writes Verilog with the instance, and that elaborates with the block's sources."""
    shutil.copytree(EXAMPLES / "litex", tmp_path, dirs_exist_ok=True)
    block = export("kumi_axis_async_fifo", "litex", tmp_path / "kumi_fifo")
    text = run([sys.executable, "soc.py"], tmp_path)
    (tmp_path / "kumi_fifo" / "top.v").write_text(text[text.index("//") :])
    assert "kumi_axis_async_fifo_wrapper kumi_axis_async_fifo_wrapper(" in text
    sources = [f"rtl/{p.name}" for p in block.sources] + [f"rtl/{block.top}.sv", "top.v"]
    assert verilate(tmp_path / "kumi_fifo", sources, "crossing") == ""


def test_litex_knows_every_bus(tmp_path: Path) -> None:
    """Memory, registers, streams and records have LiteX's interfaces; Verilog comes out."""
    export("kumi_dma", "litex", tmp_path / "dma")
    export("kumi_ip_stack", "litex", tmp_path / "stack")
    script = """
import sys
sys.path += ["dma", "stack"]
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import axi, stream
from kumi_dma import KumiDma
from kumi_ip_stack import KumiIpStack
from migen import ClockDomain
dma, stack = KumiDma(), KumiIpStack()
dma.cd_sys, stack.cd_sys = ClockDomain("sys"), ClockDomain("sys")
assert isinstance(dma.m_axi, axi.AXIInterface), dma.m_axi
assert isinstance(dma.s_axil_0, axi.AXILiteInterface)
assert isinstance(stack.s_axis, axi.AXIStreamInterface)
assert any(type(x) is stream.Endpoint for x in vars(stack).values())
print(convert(dma, ios={dma.cd_sys.clk}, name="a"))
print(convert(stack, ios={stack.cd_sys.clk}, name="b"))
"""
    text = run([sys.executable, "-c", script], tmp_path)
    assert "kumi_dma_wrapper" in text
    assert "kumi_ip_stack_wrapper" in text
