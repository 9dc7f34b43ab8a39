# SPDX-License-Identifier: Apache-2.0
"""`guests:` of a cluster file: booted by `kumi up`, by `kumi guest` and from Python, and ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from kumihimo.cluster import Cluster
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root
from kumihimo.guest import missing

if missing():
    pytest.fail(f"this test needs the Debian packages {' '.join(missing())}")

UP = "ip addr add 10.77.0.1/24 dev eth0; ip link set eth0 up"
PING = "ping -c 2 -i 0.2 -W 20 10.77.0.2"
FILE = """
name: guests
nodes:
  card: {design: nic, clocks: {clk: 250 MHz}}
  echo: {design: udp_echo, ip: 10.77.0.2/24}
cables:
  - {between: [card.eth0, echo.eth0]}
guests:
  alice: {port: card.host, memory: 128M}
"""


def scripted(folder: Path, script: str) -> Path:
    """The cluster, whose guest runs these commands."""
    file = folder / "guests.yaml"
    entry = json.dumps({"port": "card.host", "memory": "128M", "script": script})
    file.write_text(FILE.replace("{port: card.host, memory: 128M}", entry))
    return file


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime folder and one for temporary files, in which nothing may be left.

    The path of a UNIX socket has at most 107 bytes, of which pytest's own folders need too many.
    """
    with tempfile.TemporaryDirectory(prefix="kumi-") as made:
        place = Path(made)
        for name, variable in (("run", "XDG_RUNTIME_DIR"), ("tmp", "TMPDIR")):
            (place / name).mkdir()
            monkeypatch.setenv(variable, str(place / name))
        yield place


def kumi(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kumihimo.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


@contextmanager
def up(file: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`kumi up` of a file, which may end by itself."""
    command = [sys.executable, "-m", "kumihimo.cli", "up", str(file)]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.kill()
        process.wait(20)


def wait_for(text: str, file: Path, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while text not in (shown := file.read_text() if file.exists() else ""):
        assert time.monotonic() < end, shown
        time.sleep(0.05)


def left(room: Path, files: bool = True, seconds: float = 5.0) -> list[str]:
    """Guests of this test that still run, and files that should have gone."""
    end = time.monotonic() + seconds
    while True:
        commands = [p.info["cmdline"] or [] for p in psutil.process_iter(["cmdline"])]
        mine = [" ".join(words) for words in commands if any(str(room) in word for word in words)]
        found = [line for line in mine if "uml" in line.partition(" ")[0]]
        if files:
            found += [str(f) for f in room.rglob("*") if f.suffix == ".sock" or "guest-" in f.name]
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.05)


def test_the_example_pings_and_replays_without_its_guest(room: Path) -> None:
    recording = room / "run.kumirec"
    example = project_root() / "examples" / "guest_ping.yaml"
    done = kumi("up", example, "--until", "guests", "--record", recording)
    assert done.returncode == 0, done.stderr
    for text in ("guest alice: boots", "guest alice: booted", "script ended with 0", "(guests)"):
        assert text in done.stderr
    assert " 0% packet loss" in kumi("logs", "guest_ping", "--guest", "alice").stdout
    assert not left(room)
    again = kumi("replay", recording, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["equal"] and "guest alice" not in again.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_a_run_that_is_stopped(room: Path, number: signal.Signals) -> None:
    file = scripted(room, f"{UP}; {PING}; echo in its script; sleep 1000")
    log = room / "up.log"
    with up(file, log) as process:
        wait_for("guest alice: booted", log)
        (console,) = room.glob("run/kumihimo/guests-*/alice.log")
        wait_for("in its script", console)
        if number == signal.SIGTERM:
            second = kumi("guest", "alice", "--run", "true")
            assert second.returncode == 2 and "has booted already" in second.stderr
        process.send_signal(number)
        code = process.wait(10)
    if number == signal.SIGTERM:
        assert code == 0 and "guests that still ran were ended: alice" in log.read_text()
    # What a killed run leaves in the file system goes with the next one.
    assert not left(room, files=number != signal.SIGKILL)


def test_a_failed_script_is_told_and_the_exit_code(room: Path) -> None:
    done = kumi("up", scripted(room, "echo no such luck; exit 3"), "--until", "guests")
    assert done.returncode == 1
    assert "guest alice: its script ended with 3" in done.stderr
    assert "  no such luck" in done.stderr
    assert not left(room)


def test_a_guest_that_cannot_boot_ends_the_run(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = room / "bin" / "linux.uml"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho no memory for a kernel\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent), prepend=os.pathsep)
    done = kumi("up", scripted(room, PING))
    assert done.returncode == 1
    assert "guest alice: did not boot" in done.stderr
    assert "  no memory for a kernel" in done.stderr
    assert not left(room)


def test_one_without_a_script_waits_for_kumi_guest(room: Path) -> None:
    file = room / "guests.yaml"
    file.write_text(FILE)
    log = room / "up.log"
    assert "has no guest with a script" in kumi("up", file, "--until", "guests").stderr
    with up(file, log) as process:
        wait_for("cluster guests", log)
        done = kumi("guest", "alice", "--run", f"{UP}; {PING}")
        assert done.returncode == 0 and " 0% packet loss" in done.stdout, done.stderr
        wrong = kumi("guest", f"{file}:alise", "--run", "true")
        assert wrong.returncode == 2 and 'Did you mean "alice"?' in wrong.stderr
        process.terminate()
        assert process.wait(10) == 0
    assert "guest alice: " not in log.read_text()
    assert not left(room)


def test_from_python(room: Path) -> None:
    cluster = Cluster(scripted(room, f"{UP}; {PING}"))
    with pytest.raises(KumiError, match="not been started"):
        cluster.guest("alice")
    with cluster, cluster.serving():
        with cluster.guest("alice") as guest:
            assert " 0% packet loss" in guest.finish(60)
        with cluster.guest("alice", "exit 5") as guest, pytest.raises(KumiError, match="failed"):
            guest.finish(60)
        with pytest.raises(KumiError, match='Did you mean "alice"'):
            cluster.guest("alise")
    assert not left(room)
