# SPDX-License-Identifier: Apache-2.0
"""A cluster in the background: up --detach, ps, regs, shell, logs, stop."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.net.session import being_built

FILE = """
name: behind
nodes:
  alice: {design: udp_echo}
cables:
  - {between: [alice, host0]}
taps:
  host0:
"""


def kumi(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command; its exit status must be `code`."""
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.cli", *words],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("behind")
    file = folder / "behind.yaml"
    file.write_text(FILE)
    made = json.loads(kumi("up", str(file), "--detach", "--json").stdout)
    assert made["name"] == "behind" and made["nodes"] == ["alice"] and Path(made["log"]).is_file()
    pid = str(made["pid"])
    yield pid
    kumi("stop", pid)
    listed = json.loads(kumi("ps", "--json").stdout)
    assert pid not in [str(row["pid"]) for row in listed]


def test_it_is_listed_and_logged(cluster: str) -> None:
    rows = {str(row["pid"]): row for row in json.loads(kumi("ps", "--json").stdout)}
    assert rows[cluster]["state"] == "running" and rows[cluster]["now_ps"] >= 0
    assert "Running." in kumi("logs", cluster).stdout


def test_a_shell_finds_it(cluster: str) -> None:
    done = kumi("shell", cluster, "--", "ping", "-c", "1", "-W", "20", "alice")
    assert "1 received" in done.stdout


def test_registers_by_name(cluster: str) -> None:
    listed = json.loads(kumi("regs", "--cluster", cluster, "--json").stdout)
    assert listed["alice"]["design"] == "udp_echo" and "echo" in listed["alice"]["blocks"]
    kumi("regs", "--cluster", cluster, "alice.echo.port=9")
    assert kumi("regs", "--cluster", cluster, "alice.echo.port").stdout.strip() == "9"
    kumi("regs", "--cluster", cluster, "alice.echo.ctrl.enable=0")
    assert kumi("regs", "--cluster", cluster, "alice.echo.ctrl.enable").stdout.strip() == "0"
    table = kumi("regs", "--cluster", cluster, "alice.echo").stdout
    assert "port" in table and "rx_datagrams" in table


@pytest.mark.parametrize(
    "what,says",
    [
        ("alise", "no node alise"),
        ("alice.ecko", "no register block ecko"),
        ("alice.echo.prt=1", "no register prt"),
        ("alice.echo.rx_datagrams=1", "read-only"),
        ("alice.echo.port=65536", "has 16 bits"),
        ("alice.echo.port=x", "x is not a number"),
        ("alice.echo=1", "alice.echo is not a register"),
        ("alice.echo.ctrl.enabel", "no field enabel"),
    ],
)
def test_mistakes_are_named(cluster: str, what: str, says: str) -> None:
    assert says in kumi("regs", "--cluster", cluster, what, code=2).stderr


def test_nobody_by_that_name(cluster: str) -> None:
    assert "No running cluster is called nobody" in kumi("stop", "nobody", code=2).stderr
    assert "There is no log of nobody" in kumi("logs", "nobody", code=2).stderr


def test_a_cluster_that_cannot_start_says_why(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("nodes:\n  alice: {design: no_such_design}\n")
    assert "no_such_design" in kumi("up", str(file), "--detach", code=2).stderr


def test_a_cluster_of_a_shell_is_listed_too(tmp_path: Path) -> None:
    """There is one list: what a shell booted for itself has registers and can be asked."""
    file = tmp_path / "shelled.yaml"
    file.write_text(FILE.replace("behind", "shelled"))
    me = f"{sys.executable} -m kumihimo.cli"
    script = f"{me} ps --json && {me} regs -c shelled alice.echo.port"
    lines = kumi("shell", str(file), "--", "sh", "-c", script).stdout.splitlines()
    (row,) = (row for row in json.loads(lines[0]) if row["name"] == "shelled")
    assert row["state"] == "running" and row["nodes"] == ["alice"]
    assert lines[1] == "0"
    assert "shelled" not in [row["name"] for row in json.loads(kumi("ps", "--json").stdout)]


def test_a_shell_waits_for_a_cluster_that_is_being_built(tmp_path: Path) -> None:
    """`kumi up` in one terminal, `kumi shell` in another at once: no race to lose."""
    file = tmp_path / "slow_start.yaml"
    file.write_text(FILE.replace("behind", "slow_start"))
    up = subprocess.Popen(
        [sys.executable, "-m", "kumihimo.cli", "up", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while not being_built("slow_start") and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "inside" in kumi("shell", "slow_start", "--", "echo", "inside").stdout
    finally:
        up.terminate()
        assert up.wait(timeout=60) == 0
    assert not being_built("slow_start")
