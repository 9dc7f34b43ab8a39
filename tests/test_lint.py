# SPDX-License-Identifier: Apache-2.0
"""Style and lint of all languages, one test a linter. Clean results are cached by content.

Modules are read at their first and last parameter sets, by Verilator at the last; in the long run
and by `make lint` at all.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.common.paths import project_root
from kumihimo.dev import hw, lint
from kumihimo.testing.sizes import long_run

BY_SETS = ("slang", "verilator")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.long] if n in BY_SETS else []) for n in lint.LINTERS],
)
def test_lint(name: str) -> None:
    report = lint.run(name, project_root(), every=long_run())
    assert report.clean, f"{len(report.findings)} findings\n" + "\n".join(report.findings[:60])


def _project(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


HEAD = "// SPDX-License-Identifier: Apache-2.0\n//\n// A test.\n"


def test_linters_find_what_they_look_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A linter that finds nothing anywhere would pass too: give each something to find."""
    monkeypatch.setenv("KUMI_CACHE", str(tmp_path / "cache"))
    root = _project(
        tmp_path / "p",
        {
            "hw/stream/kumi_a.sv": HEAD + "module kumi_b (\n    input logic clk\n);\nendmodule\n",
            "hw/stream/kumi_c.sv": HEAD
            + "module kumi_c (\n    input  logic [7:0] a,\n    output logic [3:0] y\n);\n"
            + "  assign y = a;\nendmodule\n",
            "hw/stream/kumi_d.sv": HEAD + "module kumi_d;\n  kumi_nothing u_x ();\nendmodule\n",
            "hw/stream/kumi_e.sv": "module kumi_e(input logic x);endmodule\n",
            "hw/stream/kumi_c.f": "kumi_lost.sv\n",
            "sim/x.cpp": HEAD + "int  main( ){return 0;}\n",
            "x.py": "import os\n",
            "y.md": "see " + "/home/" + "someone/file\n",
        },
    )
    found = {name: lint.run(name, root).findings for name in lint.LINTERS if name != "mypy"}
    text = {name: "\n".join(lines) for name, lines in found.items()}
    assert "kumi_a.sv: holds kumi_b" in text["headers"]
    assert "kumi_e.sv:1: no SPDX" in text["headers"]
    assert "x.py:1: no SPDX" in text["headers"]
    assert "y.md:1" in text["paths"]
    assert "kumi_c.f: a file list" in text["filelists"]
    assert "kumi_e.sv" in text["verible"]
    assert "kumi_nothing" in text["slang"] and "kumi_d.sv:5" in text["slang"]
    assert "F401" in text["ruff"]
    assert "x.cpp" in text["clang-format"]


def test_verilator_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUMI_CACHE", str(tmp_path / "cache"))
    body = "module kumi_w (\n    input  logic [7:0] a,\n    output logic [3:0] y\n);\n"
    path = tmp_path / "kumi_w.sv"
    path.write_text(HEAD + body + "  assign y = a;\nendmodule\n")
    target = hw.Target("kumi_w", path, project_root())
    good = next(t for t in hw.targets(project_root()) if t.name == "kumi_fifo")
    assert hw.verilator_clean([good]) and not hw.verilator_clean([good, target])
    findings = hw.verilator_findings(target)
    assert any("WIDTHTRUNC" in f for f in findings)
    assert any("default, DATA_W" not in f for f in findings)


def test_sets_of_the_short_form() -> None:
    """The first and the last; of most modules the defaults and 512 bits."""
    short = {t.name: t for t in hw.targets(project_root(), every=False)}
    full = {t.name: t for t in hw.targets(project_root())}
    assert short.keys() == full.keys()
    assert hw.parameter_sets(short["kumi_fifo"]) == [{}, {"DATA_W": "512"}]
    assert len(hw.parameter_sets(full["kumi_fifo"])) == 3
    for name, target in short.items():
        sets = hw.parameter_sets(full[name])
        assert hw.parameter_sets(target) == ([sets[0], sets[-1]] if len(sets) > 2 else sets)
    assert hw.target_digest(short["kumi_fifo"]) != hw.target_digest(full["kumi_fifo"])
