# SPDX-License-Identifier: Apache-2.0
"""The commands on whole clusters: up, shell, replay, new kernel, and what goes wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from wire import ROOT

KUMI = [sys.executable, "-m", "kumihimo.cli"]
PAIR = """\
name: pair
nodes:
  alice: {design: udp_echo}
cables:
  - {between: [alice, host0]}
taps:
  host0:
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """State files of running clusters go to a folder of this test."""
    run = tmp_path / "run"
    run.mkdir()
    return {**os.environ, "XDG_RUNTIME_DIR": str(run), "COLUMNS": "160"}


def kumi(
    environment: dict[str, str], *args: str, timeout: float = 240, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*KUMI, *args],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
        cwd=cwd,
        check=False,
    )


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    (tmp_path / "pair.yaml").write_text(PAIR)
    return tmp_path / "pair.yaml"


@pytest.fixture
def running(pair: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """`kumi up`, ready."""
    folder = pair.parent
    argv = [*KUMI, "up", str(pair), "--pcap", str(folder / "a.pcapng")]
    argv += ["--record", str(folder / "a.kumirec"), "--stats", str(folder / "a.json")]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Running" in line:
                break
        try:
            yield process
        finally:
            process.kill()


def end(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    text = process.stderr.read()
    assert process.wait(30) == 0, text
    return text


def test_up_shell_and_replay(
    running: subprocess.Popen[str], pair: Path, environment: dict[str, str]
) -> None:
    done = kumi(environment, "shell", "pair", "--", "ping", "-c2", "-i0.1", "-W30", "alice")
    assert "2 received" in done.stdout, done.stdout + done.stderr
    done = kumi(environment, "shell", "--", "sh", "-c", "exit 7")
    assert done.returncode == 7
    assert "Did you mean" in kumi(environment, "shell", "piar").stderr
    text = end(running)
    assert "ended" in text and "simulated" in text
    folder = pair.parent
    assert json.loads((folder / "a.json").read_text())["nodes"]["alice"]["cycles"] > 0
    assert not list((folder / "run" / "kumihimo").glob("*.json"))
    again = folder / "b.pcapng"
    done = kumi(environment, "replay", str(folder / "a.kumirec"), "--pcap", str(again))
    assert done.returncode == 0 and "Identical" in done.stderr, done.stderr
    assert again.read_bytes() == (folder / "a.pcapng").read_bytes()
    done = kumi(environment, "report", str(again), "--picture", str(folder / "r.svg"))
    assert "ICMP echo" in done.stdout and (folder / "r.svg").stat().st_size > 1000


def test_a_tap_that_disappears(running: subprocess.Popen[str], environment: dict[str, str]) -> None:
    assert kumi(environment, "shell", "--", "ip", "link", "del", "host0").returncode == 0
    time.sleep(0.5)
    assert running.poll() is None, "the run goes on"
    assert "host0" in end(running)


def test_shell_boots_a_file_and_ends_it(pair: Path, environment: dict[str, str]) -> None:
    record = pair.parent / "s.kumirec"
    done = kumi(
        environment,
        "shell",
        str(pair),
        "--record",
        str(record),
        "--",
        "ping",
        "-c1",
        "-W30",
        "alice",
    )
    assert done.returncode == 0 and "1 received" in done.stdout, done.stdout + done.stderr
    assert record.stat().st_size > 0
    assert "No cluster is running" in kumi(environment, "shell").stderr


def test_replay_of_something_else(pair: Path, environment: dict[str, str]) -> None:
    (pair.parent / "x.kumirec").write_bytes(b"this is no recording")
    done = kumi(environment, "replay", str(pair.parent / "x.kumirec"))
    assert done.returncode != 0 and "Traceback" not in done.stderr


def wire_node() -> str:
    """A node that sends back what it gets."""
    ports = "".join(
        f"{'input' if side == 's' else 'output'} logic {width} {side}_axis_eth0_{name},\n"
        for side in "sm"
        for name, width in (("tdata", "[63:0]"), ("tkeep", "[7:0]"), ("tvalid", ""), ("tlast", ""))
    )
    wires = "".join(
        f"assign m_axis_eth0_{name} = s_axis_eth0_{name};\n"
        for name in ("tdata", "tkeep", "tvalid", "tlast")
    )
    return (
        "module kumi_node_wire (input logic clk, input logic rst,\n"
        f"{ports}output logic s_axis_eth0_tready, input logic m_axis_eth0_tready);\n{wires}"
        "assign s_axis_eth0_tready = m_axis_eth0_tready;\n"
        "logic unused; assign unused = clk ^ rst;\nendmodule\n"
    )


def test_replay_says_when_the_design_has_changed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    node = tmp_path / "kumi_node_wire.sv"
    text = wire_node()
    node.write_text(text)
    (tmp_path / "wire.yaml").write_text(
        PAIR.replace("alice: {design: udp_echo}", "alice: {design: wire}")
    )
    record = tmp_path / "w.kumirec"
    argv = ["shell", str(tmp_path / "wire.yaml"), "--record", str(record), "--"]
    assert kumi(environment, *argv, "ping", "-c1", "-W1", "10.77.0.99").returncode in (0, 1)
    assert kumi(environment, "replay", str(record)).returncode == 0
    node.write_text(text.replace("clk ^ rst", "clk | rst"))
    done = kumi(environment, "replay", str(record))
    assert done.returncode == 1 and "changed since the recording" in done.stderr, done.stderr
    # The new design does the same with the old traffic; one that does not is shown to differ.
    done = kumi(environment, "replay", "--force", str(record))
    assert done.returncode == 0 and "Identical" in done.stderr, done.stderr
    node.write_text(text.replace("m_axis_eth0_tdata = s", "m_axis_eth0_tdata = ~s"))
    again = ["replay", "--force", "--out", str(tmp_path), str(record)]
    done = kumi(environment, *again)
    assert done.returncode == 1 and "differs from the recording" in done.stderr, done.stderr


def test_new_kernel_works_as_written(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "shout"
    done = kumi(environment, "new", "kernel", "shout", "--folder", str(folder))
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _shapes(text: str) -> list[str]:
    """Lines that report a step, without their numbers."""
    lines = (line.strip() for line in text.splitlines())
    return [re.sub(r"\d[\d.,]*", "N", line) for line in lines if line.startswith("ok ")]


def test_demo_quick(tmp_path: Path, environment: dict[str, str]) -> None:
    # As `make demo`: what is written goes to a folder below the one that one is in.
    out = tmp_path / "kumi-out"
    done = kumi(environment, "demo", "--quick", timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "UDP echo" in done.stdout and "ping-pong" in done.stdout
    shown = (ROOT / "README.md").read_text().split("<!-- demo:begin -->")[1]
    expected = _shapes(shown.split("<!-- demo:end -->")[0])
    printed = iter(_shapes(done.stderr))
    assert len(expected) > 5 and all(line in printed for line in expected), done.stderr
    # Every frame of all that is accounted for.
    done = kumi(environment, "why", str(out / "demo.json"), "--json")
    ledger = json.loads(done.stdout)
    assert ledger["balanced"] and all(a["counted"] for a in ledger["accounts"]), done.stdout
    assert (out / "demo.pcapng").exists() and (out / "demo.kumirec").exists()
    assert ROOT.exists()


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("id.magic: 7", "can only be read"),
        ("0x2003: 7", "multiple of 4"),
        ("ip.ctrl.tttl: 7", 'Did you mean "ttl"?'),
        ("ip.ctrl.ttl: 800", "does not fit"),
    ],
)
def test_wrong_registers_are_named(
    tmp_path: Path, environment: dict[str, str], entry: str, words: str
) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(
        f"nodes:\n  alice: {{design: udp_echo, open_ports: [eth0], regs: {{{entry}}}}}\n"
    )
    done = kumi(environment, "up", "--until", "1us", str(file))
    assert done.returncode == 2 and words in done.stderr, done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_killed_shell_finishes_its_files(
    pair: Path, environment: dict[str, str], number: signal.Signals
) -> None:
    record = pair.parent / "k.kumirec"
    argv = ["shell", str(pair), "--record", str(record), "--", "sh", "-c", "echo up; sleep 60"]
    with subprocess.Popen([*KUMI, *argv], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) == 128 + number
        process.stdout.close()
    done = kumi(environment, "replay", str(record))
    assert done.returncode == 0 and "Identical" in done.stderr, done.stderr
    assert "No cluster is running" in kumi(environment, "shell").stderr


def test_a_node_that_is_stuck_is_named(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "kumi_node_wire.sv").write_text(wire_node().replace("= m_axis_eth0_tready", "= 0"))
    file = tmp_path / "wire.yaml"
    file.write_text(PAIR.replace("alice: {design: udp_echo}", "alice: {design: wire}"))
    done = kumi(environment, "shell", str(file), "--", "ping", "-c1", "-W1", "10.77.0.99")
    assert "alice.eth0 stalled its input" in done.stderr, done.stderr
