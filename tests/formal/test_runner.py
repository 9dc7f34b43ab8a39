# SPDX-License-Identifier: Apache-2.0
"""The proof runner itself: what passes, what must not, and what it remembers."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.dev.formal import Proof, discover, run_proof, tasks_of

SBY = """\
# SPDX-License-Identifier: Apache-2.0
[tasks]
prove
cover

[options]
prove: mode prove
cover: mode cover
depth 6

[engines]
smtbmc yices

[script]
read_slang --threads 1 -D FORMAL --top count count.sv
prep -top count

[files]
count.sv
"""
COUNT = """\
module count (input logic clk, input logic rst, output logic [3:0] q);
  logic started = 0;
  always_ff @(posedge clk) begin
    started <= 1;
    if (rst) q <= 0;
    else if (q != 5) q <= q + 1;
  end
  always_comb if (!started) assume (rst);
  BODY
endmodule
"""
GOOD = "always_ff @(posedge clk) begin if (started) assert (q <= 5); cover (q == 2); end"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KUMI_CACHE", str(tmp_path / "cache"))
    made = tmp_path / "formal" / "x"
    made.mkdir(parents=True)
    (made / "count.sby").write_text(SBY)
    (made / "count.sv").write_text(COUNT.replace("BODY", GOOD))
    return tmp_path


def test_discovers_tasks_and_names(folder: Path) -> None:
    assert [p.name for p in discover(folder)] == ["x/count:prove", "x/count:cover"]
    assert [p.task for p in discover(folder, ["cover"])] == ["cover"]
    assert tasks_of(folder / "formal/x/count.sby") == ["prove", "cover"]


def test_pass_is_remembered_until_a_source_changes(folder: Path) -> None:
    proof = Proof(folder / "formal/x/count.sby", "prove")
    first = run_proof(proof)
    assert (first.status, first.mode, first.asserts, first.cached) == ("PASS", "prove", 1, False)
    assert run_proof(proof).cached
    assert not run_proof(proof, fresh=True).cached
    source = folder / "formal/x/count.sv"
    source.write_text(source.read_text().replace("q <= 5", "q <= 2"))
    wrong = run_proof(proof)
    assert wrong.status == "FAIL" and not wrong.cached and "work folder" in wrong.detail
    assert not run_proof(proof).cached


def test_cover_reports_its_depth(folder: Path) -> None:
    outcome = run_proof(Proof(folder / "formal/x/count.sby", "cover"))
    assert outcome.passed and outcome.covers == 1 and outcome.depth >= 1


@pytest.mark.parametrize("task", ["prove", "cover"])
def test_nothing_to_prove_is_no_pass(folder: Path, task: str) -> None:
    source = folder / "formal/x/count.sv"
    source.write_text(COUNT.replace("BODY", ""))
    assert run_proof(Proof(folder / "formal/x/count.sby", task)).status == "EMPTY"


def test_broken_source_shows_its_line(folder: Path) -> None:
    source = folder / "formal/x/count.sv"
    source.write_text(COUNT.replace("BODY", "always_comb assert (nowhere);"))
    outcome = run_proof(Proof(folder / "formal/x/count.sby", "prove"))
    assert outcome.status == "ERROR" and "count.sv:9" in outcome.detail


def test_time_out(folder: Path) -> None:
    outcome = run_proof(Proof(folder / "formal/x/count.sby", "prove"), timeout=0.05)
    assert outcome.status == "TIMEOUT"
