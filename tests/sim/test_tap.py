# SPDX-License-Identifier: Apache-2.0
"""The TAP, in a network namespace of its own; the work is done in tap_session.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def in_namespace(case: str, fake_node: str, tmp_path: Path) -> dict:
    """Run one case of tap_session.py inside a fresh network namespace."""
    if not os.path.exists("/dev/net/tun"):
        pytest.fail("/dev/net/tun is missing on this machine")
    unshare = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-Urn"]
    done = subprocess.run(
        [*unshare, sys.executable, str(HERE / "tap_session.py"), case, fake_node, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_echo_and_replay(fake_node: str, tmp_path: Path) -> None:
    r = in_namespace("echo", fake_node, tmp_path)
    assert r["echoed"] == r["sent"] == 200
    assert r["replay"]["equal"] and r["replay"]["complete"]
    assert r["captures_equal"]


def test_idle_round_trip(fake_node: str, tmp_path: Path) -> None:
    """An idle cluster answers quickly, costs little, and stays behind wall time."""
    r = in_namespace("idle", fake_node, tmp_path)
    print(r)
    idle = os.getloadavg()[0] < (os.cpu_count() or 1)
    assert r["median_ms"] < (2 if idle else 20)
    assert r["ahead_ps"] <= 0
    assert r["virtual_ps"] > 0
    assert r["idle_cpu"] < 0.5


def test_interface_goes_down_and_away(fake_node: str, tmp_path: Path) -> None:
    r = in_namespace("gone", fake_node, tmp_path)
    assert r["down_counted"] > 0 and r["came_back"]
    assert r["alive"] == 0 and r["gone_counted"] > 0
    assert r["advanced"] and r["reason"] == "stopped"
    assert any("the interface is down" in m for m in r["messages"])
    assert any("the TAP is gone" in m for m in r["messages"])
