# SPDX-License-Identifier: Apache-2.0
"""The command line without a cluster: help, start-up time, and failures in one sentence."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

KUMI = [sys.executable, "-m", "kumihimo.cli"]
COMMANDS = [
    "demo",
    "up",
    "shell",
    "build",
    "bench",
    "cluster",
    "plan",
    "replay",
    "synth",
    "report",
    "doctor",
    "new",
    "schema",
]


def kumi(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KUMI, *args], capture_output=True, text=True, timeout=120, check=False)


def processor_s(run: Callable[[], object]) -> float:
    """Least processor time of three child processes."""
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def test_help_is_quick_and_names_every_command() -> None:
    """What the project adds takes less time than the libraries of the command line alone."""
    libraries = [sys.executable, "-c", "import typer.rich_utils, typer.main"]
    theirs = processor_s(lambda: subprocess.run(libraries, check=True))
    text = kumi("--help").stdout
    assert all(f" {command} " in text for command in COMMANDS)
    assert processor_s(lambda: kumi("--help")) < 2.5 * theirs


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(command: str) -> None:
    done = kumi(command, "--help")
    assert done.returncode == 0 and "Usage" in done.stdout
    assert "Examples:" in done.stdout


def test_version() -> None:
    assert kumi("--version").stdout.startswith("kumi 0.")


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["up", "/nonexistent.yaml"], 2, "There is no cluster file"),
        (["bench", "udq"], 2, 'Did you mean "udp"?'),
        (["build", "udp_ecko"], 2, 'Did you mean "udp_echo"?'),
        (["replay", "/nonexistent"], 2, "There is no file"),
        (["replay", "x", "--from", "soon"], 2, "expected a time"),
        (["report", "/nonexistent.pcapng"], 2, "There is no file"),
        (["new", "kernel", "Bad-Name"], 2, "cannot be a kernel's name"),
        (["new", "kernel", "module"], 2, "word of SystemVerilog"),
    ],
)
def test_failures_are_sentences(args: list[str], code: int, words: str) -> None:
    done = kumi(*args)
    assert done.returncode == code, done.stderr
    assert words in done.stderr and "Traceback" not in done.stderr


def test_check_a_cluster_file(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("nodes:\n  a: {desing: udp_echo}\n")
    done = kumi("schema", "--check", str(file))
    assert done.returncode == 2 and f"{file}:2: nodes.a" in done.stderr


def test_doctor() -> None:
    done = kumi("doctor", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["ok"] else 3)
    names = {check["name"] for check in found["checks"]}
    assert {"g++", "make", "git", "/dev/net/tun", "private network"} <= names


def test_an_engine_older_than_its_sources_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """After a `git pull` without `make setup`."""
    from kumihimo.cli import errors
    from kumihimo.common import paths

    source = tmp_path / "sim" / "src" / "engine.cpp"
    source.parent.mkdir(parents=True)
    source.touch()
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    assert paths.engine_is_old()
    problem = AttributeError("'Engine' object has no attribute 'fly'")
    assert errors.report(problem) == 3
    assert "older than its sources. Run: make setup" in capsys.readouterr().err
    os.utime(source, (1, 1))
    assert not paths.engine_is_old()
    assert errors.report(problem) == 70


def test_doctor_names_the_line_to_run() -> None:
    from kumihimo.cli.doctor_checks import Check, apt_line

    checks = [
        Check("ip", "demo", False, "missing", "iproute2"),
        Check("g++", "demo", True, "x", "g++"),
    ]
    assert apt_line(checks).endswith("apt-get install -y --no-install-recommends iproute2")
    assert apt_line(checks[1:]) == ""


def test_new_kernel_keeps_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    done = kumi("new", "kernel", "shout", "--folder", str(tmp_path))
    assert done.returncode == 2 and "not empty" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_new_kernel_says_what_can_be_typed(tmp_path: Path) -> None:
    done = kumi("new", "kernel", "typed", "--folder", str(tmp_path / "typed"))
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  ")]
    for program in (lines[0][0], lines[1][0]):
        assert shutil.which(program) is not None
        assert Path(str(shutil.which(program))).absolute().parent == Path(sys.executable).parent


@pytest.mark.parametrize("where", ["/proc/nope/x.json", "/proc"])
def test_outputs_are_tried_before_the_run(tmp_path: Path, where: str) -> None:
    (tmp_path / "c.yaml").write_text("nodes:\n  a: {design: udp_echo, open_ports: [eth0]}\n")
    done = kumi("up", str(tmp_path / "c.yaml"), "--until", "1us", "--stats", where)
    assert done.returncode == 2 and where.split("/")[1] in done.stderr
    assert "Errno" not in done.stderr and "Running" not in done.stderr
