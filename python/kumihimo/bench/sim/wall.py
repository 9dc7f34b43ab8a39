# SPDX-License-Identifier: Apache-2.0
"""The part of `kumi bench sim-speed` that needs Linux: figures through a TAP, in wall time."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult
from kumihimo.build.filelist import unit_file
from kumihimo.cluster import Cluster
from kumihimo.common import tools
from kumihimo.common.paths import project_root

CLUSTER = """\
name: speed
nodes:
  echo: {design: udp_echo, params: {DATA_W: 64}, ip: 10.77.0.10/24}
cables:
  - {between: [echo.eth0, host0], rate: 10 Gb/s, latency: 500 ns}
taps:
  host0: {ip: 10.77.0.1/24, mtu: 9000}
"""

# Runs in a process of its own, as a user's command would: from nothing to the first answer.
BOOT_AND_PING = """\
import subprocess, sys
from kumihimo.cluster import Cluster
cluster = Cluster(sys.argv[1])
with cluster, cluster.serving():
    address = next(n.ip for n in cluster.values() if n.design == "udp_echo")
    for _ in range(20):
        done = cluster.namespace.run(["ping", "-c", "1", "-W", "5", address], 60)
        if done.returncode == 0:
            sys.exit(0)
sys.exit("no answer to ping")
"""


def _round_trips(text: str) -> list[float]:
    return [float(t) for t in re.findall(r"time=([\d.]+) ms", text)]


def idle_ping(cluster: Cluster, ip: str, quick: bool) -> dict[str, Any]:
    """`ping` five times a second: between two of them the cluster is idle and asleep."""
    assert cluster.namespace is not None
    count = "10" if quick else "50"
    done = cluster.namespace.run(["ping", "-c", count, "-i", "0.2", "-W", "10", ip], 120)
    trips = _round_trips(done.stdout)[1:]  # the first one waits for ARP
    if not trips:
        raise BenchError(f"ping got no answer: {done.stdout}{done.stderr}")
    return {
        "figure": "idle_ping",
        "cluster": cluster.name,
        "nodes": len(cluster),
        "pings": len(trips),
        "median_ms": statistics.median(trips),
        "mean_ms": statistics.mean(trips),
        "max_ms": max(trips),
    }


def _udp_echo(cluster: Cluster, ip: str, quick: bool) -> dict[str, Any]:
    """Datagrams of 1 to 8,972 bytes there and back, by the ordinary program of examples/."""
    assert cluster.namespace is not None
    client = project_root() / "examples" / "udp_echo_client.py"
    number = "300" if quick else "3000"
    argv = [sys.executable, str(client), ip, "--count", number, "--json"]
    done = cluster.namespace.run(argv, 300)
    if done.returncode != 0:
        raise BenchError(f"the UDP echo failed: {done.stdout}{done.stderr}")
    echo = json.loads(done.stdout)
    return {
        "figure": "tap_udp",
        "cluster": cluster.name,
        "mbit_s": echo["payload_bytes"] * 8 / echo["wall_s"] / 1e6,
        **echo,
    }


def tap(result: BenchResult, quick: bool) -> None:
    """Idle ping through the demo's cluster and one node alone; UDP echo with one node."""
    with tempfile.TemporaryDirectory(prefix="kumi-bench-") as folder:
        file = Path(folder) / "speed.yaml"
        file.write_text(CLUSTER, encoding="utf-8")
        with Cluster(file) as cluster, cluster.serving():
            ip = str(cluster["echo"].ip)
            result.rows.append(idle_ping(cluster, ip, quick))
            echo = _udp_echo(cluster, ip, quick)
            result.rows.append(echo)
        with Cluster(project_root() / "examples" / "demo.yaml") as cluster, cluster.serving():
            whole = idle_ping(cluster, str(cluster["alice"].ip), quick)
            result.rows.append(whole)
    result.summary["tap_udp_mbit_s"] = echo["mbit_s"]
    result.summary["idle_ping_ms"] = whole["mean_ms"]


def edit_to_ping(result: BenchResult) -> None:
    """Change the echo kernel of the demo in a copy of the sources; rebuild, boot, first ping."""
    root = project_root()
    with tempfile.TemporaryDirectory(prefix="kumi-bench-") as folder:
        copy = Path(folder)
        for part in ("hw", "sim", "examples"):
            shutil.copytree(root / part, copy / part)
        kernel = unit_file("kumi_udp_echo", copy)
        text = kernel.read_text(encoding="utf-8")
        # A change of behaviour, another one each time, so that no cache can know the result.
        old = "assign answer = enable && match;"
        port = 20000 + int(time.time() * 10) % 40000
        if old not in text:
            raise BenchError(f"{kernel.name} has changed: there is no line '{old}'")
        new = f"assign answer = enable && match && hdr.peer_port != 16'd{port};"
        kernel.write_text(text.replace(old, new), encoding="utf-8")
        start = time.monotonic()
        done = tools.run(
            [sys.executable, "-c", BOOT_AND_PING, str(copy / "examples" / "demo.yaml")],
            env={**os.environ, "KUMI_HOME": str(copy)},
            timeout=600,
        )
        spent = time.monotonic() - start
    if done.returncode != 0:
        raise BenchError(f"the edited demo did not answer: {done.stdout}{done.stderr}")
    result.rows.append({"figure": "edit_to_ping", "seconds": spent})
    result.summary["edit_to_ping_s"] = spent
