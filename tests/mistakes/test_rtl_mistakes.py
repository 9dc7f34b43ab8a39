# SPDX-License-Identifier: Apache-2.0
"""Wrong RTL of a user, each with the sentence that must be said; and right RTL that stays quiet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from kumihimo.build import BuildError, build
from kumihimo.build.filelist import for_module
from kumihimo.build.lint import ERROR, Finding, lint
from kumihimo.common.paths import project_root
from ruamel.yaml import YAML

PORTS = "input logic clk, rst, input logic [7:0] a, b, input logic [1:0] sel, output logic [7:0] y"

CASES = YAML(typ="safe").load(Path(__file__).with_name("rtl.yaml").read_text())
SUB = "module kumi_fifo_top (input logic clk, input logic [3:0] d, output logic [3:0] q);\n"
SUB += "  always_ff @(posedge clk) q <= d;\nendmodule\n"


def run(folder: Path, name: str, body: str) -> list[Finding]:
    file = folder / f"{name}.sv"
    file.write_text(f"module {name} ({PORTS});\n{body}\nendmodule\n" + SUB)
    return lint(name, for_module(file, project_root()))


@pytest.mark.parametrize("name", list(CASES["wrong"]))
def test_mistake(name: str, tmp_path: Path) -> None:
    case = CASES["wrong"][name]
    found = run(tmp_path, name, case["body"])
    wanted = [f for f in found if f.rule == case["rule"] and case["says"] in f.text]
    assert wanted, found
    assert wanted[0].severity == case["severity"]
    assert wanted[0].line == case["line"] + 1
    shown = wanted[0].show().split("\n")
    assert shown[0].startswith(f"{tmp_path}/{name}.sv:") and shown[2].strip() == "^"


@pytest.mark.parametrize("name", list(CASES["right"]))
def test_right_code_stays_quiet(name: str, tmp_path: Path) -> None:
    found = [f for f in run(tmp_path, name, CASES["right"][name]) if "'rst'" not in f.text]
    assert not [f for f in found if f.rule != "unused" or f.severity == ERROR], found


def test_the_library_is_not_reported() -> None:
    node = project_root() / "hw/node/generated/kumi_node_udp_echo.sv"
    assert lint(node.stem, for_module(node, project_root())) == []


def test_the_template_is_clean(tmp_path: Path) -> None:
    from kumihimo.scaffold import new_kernel

    new_kernel("shout", tmp_path / "shout")
    node = tmp_path / "shout/kumi_node_shout.sv"
    assert lint(node.stem, for_module(node, project_root())) == []


def test_a_build_refuses_errors_and_keeps_warnings(tmp_path: Path) -> None:
    """The node of the template with a mistake in its kernel: named before anything is compiled."""
    from kumihimo.scaffold import new_kernel

    new_kernel("shout", tmp_path / "shout")
    kernel = tmp_path / "shout/shout.sv"
    good = kernel.read_text()
    wrong = "  logic own;\n  assign own = clk;\n  assign own = rst;\nendmodule"
    kernel.write_text(good.replace("endmodule", wrong))
    with pytest.raises(BuildError, match=r"shout\.sv:\d+:10: error: .*'own'"):
        build(tmp_path / "shout/kumi_node_shout.sv")


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "m.sv"
    file.write_text(f"module m ({PORTS});\nassign y = a;\nassign y = b;\nendmodule\n")
    words = [sys.executable, "-m", "kumihimo.cli", "lint", str(file)]
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found[0]["rule"] == "multiple-drivers" and found[0]["line"] == 3
    shown = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    assert "m.sv:3:8: error:" in shown and "assign y = b;\n       ^" in shown
