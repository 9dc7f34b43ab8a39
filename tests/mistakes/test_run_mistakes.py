# SPDX-License-Identifier: Apache-2.0
"""Mistakes that a build or a run meets: loops that never settle or never end, unrolled loops."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kumihimo._engine import Engine, EngineError
from kumihimo.build import BuildError, build, scan, toolchain
from kumihimo.build.compile import verilate
from kumihimo.build.expansion import expansion

HW = Path(__file__).parent / "hw"
SPINS = HW / "kumi_node_spins.sv"


def test_a_loop_is_named_by_the_build(tmp_path: Path) -> None:
    file = tmp_path / SPINS.name
    file.write_text(SPINS.read_text().replace("  // kumi: allow loop", ""))
    with pytest.raises(
        BuildError, match=r"error: combinational loop: ring -> back -> ring \[loop\]"
    ):
        build(file, profile="test")


def test_a_loop_that_does_not_settle_is_named_by_the_run() -> None:
    engine = Engine(threads=1)
    library = str(build(SPINS, profile="test").path)
    node = engine.add_node("alice", library, periods_ps={"clk": 6400})
    engine.start()
    assert engine.run(1_000_000) == "done"
    engine.set_pin(node, "mode", 1)
    sentence = "node 'alice' failed: .*: the signals never settle: .* loop: ring -> back -> ring"
    with pytest.raises(EngineError, match=sentence):
        engine.run(1_000_000)
    engine.finish()
    said = [m for m in engine.messages() if m[0] == "error"]
    assert len(said) == 1 and said[0][2] == "alice"
    engine.close()


ENDLESS = """
import sys
from kumihimo._engine import Engine
from kumihimo.watchdog import Watchdog
from kumihimo.common import ending
ending.prepare()
engine = Engine(threads=1)
node = engine.add_node("alice", sys.argv[1], periods_ps={"clk": 6400})
engine.start()
engine.run(1_000_000)
engine.set_pin(node, "mode", 2)
with Watchdog(lambda: engine.now_ps, 0.4):
    engine.run(1_000_000)
"""


def test_a_step_that_never_ends_is_named_and_can_be_interrupted() -> None:
    library = str(build(SPINS, profile="test").path)
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, library], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert said.startswith("kumi: node alice has been computing one step, at 1 us, for ")
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert time.monotonic() - sent < 3
        assert "ended by force" in process.stderr.read()


def test_an_unrolled_loop_is_named(tmp_path: Path) -> None:
    file = HW / "kumi_node_unrolled.sv"
    info, profile = scan(file), toolchain.profile("fast")
    (tmp_path / "once").mkdir()
    (tmp_path / "again").mkdir()
    verilate(info, profile, tmp_path / "once", {})
    said = expansion(info, profile, {}, tmp_path / "once", tmp_path / "again")
    assert said.startswith(f"{file}:15: warning: this file of 0.5 kB became 0."), said
    assert said.endswith("is a loop unrolled? [expansion]")
    small = scan(SPINS)
    (tmp_path / "small").mkdir()
    verilate(small, profile, tmp_path / "small", {})
    assert expansion(small, profile, {}, tmp_path / "small", tmp_path / "none") == ""
