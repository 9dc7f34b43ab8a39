# SPDX-License-Identifier: Apache-2.0
"""Measures of the source tree: forbidden dependencies, types, prose; wrapping of pages."""

from __future__ import annotations

from pathlib import Path

from kumihimo.dev import house
from kumihimo.dev.wrap import wrap


def _tree(root: Path, **files: str) -> Path:
    for name, text in files.items():
        room, unit = name.split("__")
        path = root / "hw" / room / "inner" / f"kumi_{unit}.sv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_arrows_go_down_the_layers(tmp_path: Path) -> None:
    root = _tree(
        tmp_path,
        stream__fifo="module kumi_fifo; endmodule",
        tcp__core="module kumi_core; kumi_fifo f (); endmodule",
        kernel__echo="module kumi_echo; kumi_core c (); endmodule",
        node__echo_node="module kumi_echo_node; kumi_echo e (); endmodule",
    )
    assert house.forbidden_arrows(root) == [] and len(house.references(root)) == 3
    _tree(
        root,
        eth__mac="// kumi_core is only named here\nmodule kumi_mac; endmodule",
        ip__stack="module kumi_stack; kumi_mac m (); endmodule",
        stream__reg="module kumi_reg; kumi_core c (); endmodule",
        attic__old="module kumi_old; kumi_fifo f (); endmodule",
    )
    found = house.forbidden_arrows(root)
    assert len(found) == 3
    assert any("ip names kumi_mac of eth" in line for line in found)
    assert any("stream names kumi_core of tcp" in line for line in found)
    assert any("attic names" in line for line in found)
    assert "1!" in house.matrix(root)


def test_an_empty_tree_has_an_empty_matrix(tmp_path: Path) -> None:
    assert house.matrix(tmp_path).strip() == "" and house.forbidden_arrows(tmp_path) == []


def test_types_defined_twice(tmp_path: Path) -> None:
    root = _tree(
        tmp_path,
        tcp__a="package kumi_a; typedef struct packed { logic [1:0] x; } work_t; endpackage",
        tcp__b="module kumi_b; typedef logic [3:0] work_t; typedef enum {A, B} state_e; endmodule",
        tcp__c="module kumi_c; typedef enum {A, B} state_e; /* typedef int work_t; */ endmodule",
    )
    twice = house.types_twice(root)
    assert list(twice) == ["work_t"] and len(twice["work_t"]) == 2
    assert house.typedefs("typedef enum logic [1:0] { A = {1'b0, 1'b1}, B } op_e;") == ["op_e"]


def test_long_prose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    long = "word " * 30
    link = f"See [this]({'x' * 120}) page."
    page.write_text(f"{long}\n\n| {long} |\n\n```\n{long}\n```\n\n    {long}\n{link}\n")
    assert house.long_prose(tmp_path, [page]) == ["page.md:1: 150 columns"]
    code = tmp_path / "a.yaml"
    code.write_text(f"# {long}\nkey: {long}\n")
    assert len(house.long_prose(tmp_path, [code])) == 1


def test_wrap_keeps_what_markdown_means() -> None:
    long = "a word and " * 20
    text = f"# {long}\n\n- item {long}`code span` end\n  more\n- short\n\n| {long} |\n"
    done = wrap(text)
    assert done.split() == text.split() and wrap(done) == done
    lines = done.splitlines()
    assert lines[0] == f"# {long}".rstrip() or lines[0] == f"# {long}"
    assert all(len(x) <= 110 for x in lines if not x.startswith(("#", "|")))
    assert all(x.startswith(("- ", "  ", "#", "|")) for x in lines if x)
    assert wrap("short\nlines stay\n") == "short\nlines stay\n"
    fenced = f"```\n{long}\n```\n"
    assert wrap(fenced) == fenced
