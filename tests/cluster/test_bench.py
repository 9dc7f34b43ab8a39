# SPDX-License-Identifier: Apache-2.0
"""Benches print one JSON object whose summary has the promised names; simulated goals are met."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kumihimo import bench
from kumihimo.bench import freshness, headline, synthesis, table
from kumihimo.bench.core import Origin
from kumihimo.bench.setup import Setup
from kumihimo.bench.tcp.back_to_back import is_unit_512
from kumihimo.build.tokens import tokens
from kumihimo.common.paths import project_root
from kumihimo.synth import flow


def test_udp_bench_as_json() -> None:
    """The simulated figures of `kumi bench udp` do not depend on the machine: all goals hold."""
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.cli", "bench", "udp", "--quick", "--json"],
        capture_output=True,
        text=True,
        timeout=900,
    )
    document = json.loads(done.stdout)
    assert document["bench"] == "udp"
    wanted = {"lost_beats", "rx_cycles_512", "tx_cycles_512", "bytes_per_cycle_512_8972"}
    assert wanted <= set(document["summary"])
    # lut_64 is mapped, not simulated, and known only if the cache has it: the page tells of it.
    simulated = {name for name in document["missed"] if name != "lut_64"}
    assert not simulated and done.returncode == int(document["missed"] != {}), document["missed"]
    assert all(len(digest) == 40 for digest in document["rtl"].values())
    # Each row that has a peer is better than it.
    for row in document["rows"]:
        for name, theirs in row.get("peer", {}).items():
            if theirs is None:
                continue
            better = row[name] > theirs if "bytes" in name else row[name] < theirs
            assert better, row


def test_missed_goals_are_named() -> None:
    """A figure below its goal, or missing, is listed and stays in the summary."""
    result = bench.BenchResult("x", summary={"a": 1.0, "b": None, "c": 3})
    result.goals = {"a": (">=", 2), "b": ("<=", 1), "c": ("==", 3)}
    assert set(result.missed()) == {"a", "b"}
    assert result.as_dict()["summary"]["a"] == 1.0


def test_unknown_bench() -> None:
    """A wrong name ends with a sentence that lists the right ones."""
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.cli", "bench", "upd"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "udp" in done.stderr


# Figures that cannot go stale: hashes of what they depend on, configuration, where goals come from.

SMALL = """\
// What it is.
module kumi_small #(parameter int W = 8) (input logic a, output logic [W-1:0] b);
  assign b = {W{a}};  // a copy
endmodule
"""


def test_prose_is_no_token() -> None:
    sv = tokens(SMALL, ".sv")
    assert sv == tokens(
        SMALL.replace("// a copy", "/* copies */").replace("  assign", " assign"), ".sv"
    )
    assert sv != tokens(SMALL.replace("{W{a}}", "{W{~a}}"), ".sv")
    assert tokens('x = "// kept"', ".cpp") != tokens('x = "// other"', ".cpp")
    py = tokens('"""Doc."""\ndef f():\n    """Doc."""\n    return 1  # one\n', ".py")
    assert py == tokens('def f():\n    """Other."""\n    return (1)\n', ".py")
    assert py != tokens("def f():\n    return 2\n", ".py")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with one module and the benches' own Python."""
    (tmp_path / "hw" / "stream").mkdir(parents=True)
    (tmp_path / "hw" / "stream" / "kumi_small.sv").write_text(SMALL)
    shutil.copytree(
        project_root() / "python" / "kumihimo" / "bench", tmp_path / "python" / "kumihimo" / "bench"
    )
    return tmp_path


def test_figures_go_stale_with_what_they_depend_on(tree: Path) -> None:
    module = tree / "hw" / "stream" / "kumi_small.sv"
    document = {
        "bench": "planner",
        "rtl": {"kumi_small W=8": "0"},
        "sources": freshness.sources("planner", ["kumi_small"], tree),
    }
    assert freshness.changed(document, tree) == []
    module.write_text(SMALL.replace("What it is", "Copies a bit"))
    assert freshness.changed(document, tree) == []
    module.write_text(SMALL.replace("{W{a}}", "{W{~a}}"))
    assert freshness.changed(document, tree) == ["kumi_small.sv"]
    module.write_text(SMALL.replace("assign b", "kumi_other other ();\n  assign b"))
    (tree / "hw" / "stream" / "kumi_other.sv").write_text("module kumi_other; endmodule\n")
    assert freshness.changed(document, tree) == ["kumi_other.sv", "kumi_small.sv"]
    module.write_text(SMALL)
    own = tree / "python" / "kumihimo" / "bench" / "link" / "planner.py"
    own.write_text(own.read_text() + "EXTRA = 1\n")
    assert freshness.changed(document, tree) == ["bench/link/planner.py"]
    assert freshness.changed({"bench": "planner", "rtl": {}}, tree)  # kept without hashes


def test_what_a_bench_depends_on() -> None:
    root = project_root()
    found = freshness.sources("tcp-flood", ["kumi_node_tcp_traffic"], root)
    for name in ("kumi_node_tcp_traffic.sv", "bench/tcp/flood.py", "bench/eth/rig.py"):
        assert name in found
    assert any(name.endswith("/switch.cpp") for name in found)
    assert not any("capture" in name or "tap.cpp" in name for name in found)
    # Versions of register blocks, all in one package, decide no cycle.
    assert "kumi_tcp_regs.sv" in found and "kumi_regs_pkg.sv" not in found
    assert "bench/tcp/client.py" in freshness.sources("tcp-interop", [], root)
    assert "link/stdm_replay.py" in freshness.sources("planner", [], root)


def test_a_configuration_knows_whether_the_node_ships_so() -> None:
    assert Setup("kumi_node_udp_echo").shipped
    assert Setup("kumi_node_udp_echo", {"DATA_W": 64, "TX_STORE": 1}).shipped
    assert not Setup("kumi_node_udp_echo", {"TX_STORE": 0}).shipped
    assert Setup("kumi_ip_stack", {"RX_STORE": 0}, node="kumi_node_udp_echo").shipped
    assert Setup("kumi_node_tcp_traffic", {}, {"tcp.ctrl.ts": 1}).shipped
    assert not Setup("kumi_node_tcp_traffic", {}, {"tcp.ctrl.ts": 0}).shipped
    assert not Setup("kumi_that_is_no_more").shipped
    assert Setup("").shipped and Setup("").text == "software"
    text = Setup("kumi_node_udp_echo", {"DATA_W": 512}, note="full frames").text
    assert text == "udp_echo DATA_W=512; full frames"


def _document(**more: object) -> dict[str, object]:
    result = bench.BenchResult("udp", summary={"rx_cycles_64": 8, "own": 3})
    result.goals = {"rx_cycles_64": ("<=", 8), "own": ("<=", 4)}
    result.origins = {"rx_cycles_64": Origin.REQUIREMENT}
    result.setup = Setup("kumi_node_udp_echo")
    result.setups["own"] = Setup("kumi_node_udp_echo", {"DATA_W": 512})
    return result.as_dict() | more


def test_tables_mark_own_goals_and_older_trees() -> None:
    text = table.table(_document(), older=False)
    assert "| `rx_cycles_64` | 8 | <= 8 | met | udp_echo with its defaults | yes |" in text
    assert "| `own` | 3 | <= 4 | met, own goal | udp_echo DATA_W=512 | no |" in text
    assert "met; older tree" in table.table(_document(), older=True)


def test_the_headline_shows_shipped_figures_only(tmp_path: Path) -> None:
    folder = tmp_path / freshness.FIGURES
    folder.mkdir(parents=True)
    (tmp_path / "hw").mkdir()
    document = json.loads(json.dumps(_document()))
    (folder / "udp.json").write_text(json.dumps(document))
    assert "| 8 cycles |" in headline.headline(tmp_path)
    document["figures"]["rx_cycles_64"]["shipped"] = False
    (folder / "udp.json").write_text(json.dumps(document))
    assert headline.headline(tmp_path) == headline.HEAD
    assert len(headline.LINES) <= 8


def test_luts_are_computed_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick run takes what the cache has of these very sources, and nothing else."""
    monkeypatch.setattr(flow, "read_json", lambda _path: None)
    assert flow.mapped("kumi_ip_stack", {"DATA_W": "64"}, cached_only=True) is None


def test_tables_in_pages_are_current() -> None:
    """When this fails: `make figures`."""
    assert [str(p.relative_to(project_root())) for p in table.outdated()] == []


def test_synthesis_figures_of_a_bench_are_of_this_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "is_older", lambda row: False)
    wide = synthesis.rows(is_unit_512)
    titles = {row["title"] for row in wide}
    assert {row["module"] for row in wide} >= {"kumi_tcp", "kumi_tcp_rx_path", "kumi_ip_stack"}
    assert "event engine, 512 b, 1,024 sessions" in titles
    assert not any("64 b" in title for title in titles)
    depths = [row["xcup"]["depth"] for row in wide]
    assert synthesis.depth(wide) == max(depths)
    # One row of an older tree is enough: then there is no figure.
    monkeypatch.setattr(synthesis, "is_older", lambda row: row["title"] == min(titles))
    assert synthesis.rows(is_unit_512) == []
    assert synthesis.depth([]) is synthesis.speed_ratio([]) is synthesis.fmax_mhz([]) is None
