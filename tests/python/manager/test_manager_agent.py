# SPDX-License-Identifier: Apache-2.0
"""Boards of a cluster in another process: the agent's socket, and the commands with real nodes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from kumihimo.common.errors import KumiError
from kumihimo.link.planner import plan
from kumihimo.link.planner.request import parse_request
from kumihimo.manager import agent
from kumihimo.manager.board import BoardError
from kumihimo.manager.configure import configure
from kumihimo.manager.model_board import ModelBoard
from kumihimo.manager.setup import setups
from kumihimo.manager.status import status
from kumihimo.net import session

KUMI = [sys.executable, "-m", "kumihimo.cli"]
CLUSTER = """\
name: agents
nodes:
  left: {design: udp_echo, ip: 10.77.0.10/24}
  right: {design: udp_echo, ip: 10.77.0.11/24, regs: {echo.port: 7}}
cables:
  - {between: [left, right]}
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters of other tests are not seen here."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def test_boards_through_the_socket() -> None:
    made = plan(parse_request("topology: {ring: 4}\ncircuits: [{from: n0, to: n2, slots: 5}]\n"))
    models = {n: ModelBoard(n, ports=len(b["ports"])) for n, b in made.boards.items()}
    with agent.serving("ring", "ring.yaml", models):
        found = session.find("ring")
        boards = agent.boards_of(found)
        assert [b.name for b in boards] == list(models)
        reports = configure(boards, setups(list(models), made))
        assert [r.problem for r in reports] == [""] * 4
        assert all(model.running for model in models.values())
        assert [s.problem for s in status(agent.boards_of(found), made)] == [""] * 4
    assert session.running() == []


def test_a_problem_of_the_board_comes_through() -> None:
    with agent.serving("one", "one.yaml", {"a": ModelBoard("a")}) as found:
        board = agent.boards_of(found)[0]
        with pytest.raises(BoardError, match="no register at 0xf00000"):
            board.read(0xF00000)
        assert board.read(0) == int.from_bytes(b"KUMI", "little")


def test_the_end_of_the_cluster_is_noticed() -> None:
    with agent.serving("one", "one.yaml", {"a": ModelBoard("a")}) as found:
        pass
    reports = configure([agent.RemoteBoard("a", found)], setups(["a"], None))
    assert reports[0].problem == "the cluster has ended"


def test_notes_of_clusters_that_died_are_removed(tmp_path: Path) -> None:
    gone = session.Session("gone", 1, "x", str(tmp_path / "none.sock"))
    (tmp_path / "kumihimo").mkdir(mode=0o700)
    file = tmp_path / "kumihimo" / "gone-1.json"
    file.write_text(json.dumps(asdict(gone)))
    with pytest.raises(KumiError, match="No cluster is running"):
        session.find(None)
    assert not file.exists()


def _kumi(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KUMI, *args], capture_output=True, text=True, timeout=300, check=False)


def test_commands_with_simulated_nodes(tmp_path: Path) -> None:
    """Booted for the command; then a cluster that stays, configured from outside."""
    file = tmp_path / "agents.yaml"
    file.write_text(CLUSTER)
    done = _kumi("cluster", "configure", str(file), "--json")
    assert done.returncode == 0, done.stderr
    reports = {r["name"]: r for r in json.loads(done.stdout)["boards"]}
    assert set(reports) == {"left", "right"}
    # Six registers of the IP stack each; the right one also the port of its echo.
    assert [reports[n]["words"] for n in ("left", "right")] == [6, 7]

    stays = subprocess.Popen(
        [*KUMI, "cluster", "configure", str(file), "--stay"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            if session.running() or stays.poll() is not None:
                break
            time.sleep(0.1)
        again = _kumi("cluster", "configure", str(file))
        assert again.returncode == 0 and f"process {stays.pid}" in again.stderr, again.stderr
        seen = _kumi("cluster", "status", "agents", "--json")
        assert seen.returncode == 0, seen.stderr
        assert [b["design"] for b in json.loads(seen.stdout)["boards"]] == ["udp_echo"] * 2
        # A stopped process is a board that does not answer.
        os.kill(stays.pid, signal.SIGSTOP)
        dead = _kumi("cluster", "status", "agents", "--timeout", "1")
        assert dead.returncode != 0 and "no answer" in dead.stdout + dead.stderr
        os.kill(stays.pid, signal.SIGCONT)
    finally:
        stays.send_signal(signal.SIGINT)
        assert stays.wait(30) == 0
    assert session.running() == []


def test_plan_for_boards_without_a_switch(tmp_path: Path) -> None:
    file = tmp_path / "agents.yaml"
    file.write_text(CLUSTER)
    request = tmp_path / "request.yaml"
    request.write_text(
        "topology: {links: [{between: [left, right]}]}\ncircuits: [{from: left, to: right}]\n"
    )
    done = _kumi("cluster", "configure", str(file), "--plan", str(request))
    assert done.returncode == 1
    assert "left: the design udp_echo has no circuit switch" in done.stderr
    assert "0 of 2 boards configured" in done.stderr


def test_mistakes(tmp_path: Path) -> None:
    assert _kumi("cluster", "status").returncode == 2
    bad = tmp_path / "plan.json"
    bad.write_text("{}")
    file = tmp_path / "agents.yaml"
    file.write_text(CLUSTER)
    done = _kumi("cluster", "configure", str(file), "--plan", str(bad))
    assert done.returncode == 2 and "is not a circuit plan" in done.stderr
