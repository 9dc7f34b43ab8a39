# SPDX-License-Identifier: Apache-2.0
"""Rows and tables: what is read, and where it lands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kumihimo.build.derive import library
from kumihimo.common.doc_markers import fill
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root
from kumihimo.synth.flow import prepare
from kumihimo.synth.rows import RESULT, ROWS, is_older, load_rows, ships_so, stale_rows
from kumihimo.synth.sources import source_hashes
from kumihimo.synth.table import PAGE, page, pick, table, write_tables

ROW = {
    "title": "fifo",
    "group": "Streams",
    "module": "kumi_axis_fifo",
    "params": {"DEPTH": "512"},
    "command": "kumi synth kumi_axis_fifo --param DEPTH=512",
    "peers": [{"name": "theirs", "xcup": {"lut": 20, "lut_eq": 21}, "note": "a note."}],
    "xcup": {"lut": 1234, "lut_eq": 1300, "ff": 5, "carry": 0, "bram36": 0, "bram18": 3},
    "ecp5": {"lut4": 7, "ff": 5, "carry": 0, "dp16k": 3, "fmax_mhz": 196.4, "depth": 2},
}
OTHER = ROW | {"title": "mac", "module": "kumi_mac", "peers": []}


def test_published_rows_name_modules_that_exist() -> None:
    root = project_root()
    rows = load_rows(root / ROWS)
    assert {r.module for r in rows} <= set(library(root))
    assert len({r.command for r in rows}) == len({r.title for r in rows}) == len(rows)


def test_published_rows_elaborate() -> None:
    """A port or parameter that got another name is found here, not hours into `make synth`."""
    for row in load_rows(project_root() / ROWS):
        assert prepare(row.module, row.params).module == row.module


def test_a_row_whose_command_changed_keeps_its_figures(tmp_path: Path) -> None:
    (tmp_path / "docs/figures").mkdir(parents=True)
    (tmp_path / ROWS).write_text('[[row]]\nmodule = "kumi_no"\ntitle = "fifo"\nparams = {W = 2}\n')
    (tmp_path / RESULT).write_text(json.dumps({"tools": {}, "rows": [ROW]}))
    assert stale_rows(tmp_path) == ["fifo"]


def test_published_page_is_made_from_the_published_figures() -> None:
    root = project_root()
    document = json.loads((root / RESULT).read_text())
    older = frozenset(r["command"] for r in document["rows"] if is_older(r, root))
    assert (root / PAGE).read_text() == page(document, older), "run `make figures`"


def test_rows_of_an_older_tree_say_so() -> None:
    now = ROW | {"sources": source_hashes("kumi_axis_fifo")}
    assert not is_older(now)
    assert is_older(ROW) and is_older(now | {"sources": {"kumi_axis_fifo.sv": "0"}})
    assert is_older(now | {"module": "kumi_that_is_no_more"})
    text = table([now, OTHER | {"command": "other"}], frozenset({"other"}))
    assert "| mac (older tree) |" in text and "| fifo |" in text


def test_the_ratio_has_a_column() -> None:
    fast = ROW | {"xcup": ROW["xcup"] | {"speed_ratio": 1.2}, "peers": []}
    assert table([fast]).endswith("| 2 | 1.20 |\n")
    assert table([ROW | {"peers": []}]).endswith("| 2 |  |\n")


def test_shipped_means_default_parameters() -> None:
    assert ships_so("kumi_node_udp_echo", {"DATA_W": "64"})
    assert not ships_so("kumi_node_udp_echo", {"DATA_W": "512"})


def test_fill_only_between_marks_at_the_start_of_a_line() -> None:
    def render(names: list[str]) -> str:
        return table(pick([ROW, OTHER], names))

    text = "a\n<!-- synth:begin axis_fifo -->\nold\n<!-- synth:end -->\nb\n"
    filled = fill(text, "synth", render)
    assert "| fifo | 1,234 / 1,300 | 5 |" in filled and "| *theirs* | 20 / 21 |" in filled
    assert "196 |" in filled and "mac" not in filled and "old" not in filled
    assert filled.startswith("a\n") and filled.endswith("-->\nb\n")
    assert fill(filled, "synth", render) == filled
    shown = "    <!-- synth:begin -->\n    <!-- synth:end -->\n"
    assert fill(shown, "synth", render) == shown


def test_write_tables(tmp_path: Path) -> None:
    with pytest.raises(KumiError, match="make synth"):
        write_tables(tmp_path)
    (tmp_path / "docs/figures").mkdir(parents=True)
    document = {"tools": {"yosys": "1"}, "rows": [ROW, OTHER]}
    (tmp_path / RESULT).write_text(json.dumps(document))
    (tmp_path / "README.md").write_text("<!-- synth:begin -->\n<!-- synth:end -->\n")
    assert {p.name for p in write_tables(tmp_path)} == {"README.md", "synth.md"}
    assert "a note." in (tmp_path / PAGE).read_text()
    assert write_tables(tmp_path) == []


def test_a_row_may_keep_hierarchy(tmp_path: Path) -> None:
    path = tmp_path / "rows.toml"
    path.write_text('[[row]]\nmodule = "x"\nkeep_hierarchy = ["y", "z*"]\n')
    (row,) = load_rows(path)
    assert row.keep_hierarchy == ("y", "z*")
    assert row.command == "kumi synth x --keep-hierarchy y --keep-hierarchy z*"


def test_bad_rows_are_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.toml"
    path.write_text('[[row]]\nmodule = "x"\npeers = ["nobody"]\n')
    with pytest.raises(KumiError, match='no peer "nobody"'):
        load_rows(path)
    path.write_text('[[row]]\nmodule = "x"\ncolour = "red"\n')
    with pytest.raises(KumiError, match="colour"):
        load_rows(path)
    path.write_text("[[row\n")
    with pytest.raises(KumiError, match="rows\\.toml"):
        load_rows(path)
