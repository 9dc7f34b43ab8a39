# SPDX-License-Identifier: Apache-2.0
"""Steps of the demo at its TCP server node, with unmodified clients."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from pathlib import Path

from ..common.errors import KumiError
from ..common.paths import project_root
from ..common.process import find_program
from .steps import Demo, Row

STEP_S = 12.0  # what a step may take on any machine


def tcp_rows(demo: Demo, name: str, quick: bool) -> list[Row]:
    """A socket program, then curl, nc and iperf, or a stand-in where one is not installed."""
    size = _affordable(
        demo, name, connections=4 if quick else 16, most=20_000 if quick else 100_000
    )
    rows = [echo(demo, name, connections=4 if quick else 16, size=size)]
    amount = max(64 << 10, min(2 << 20, 4 * size))
    steps = (curl, netcat, gzip) if find_program("curl") else (curl, netcat)
    for step in steps:
        rows.append(step(demo, name))
    rows.append(iperf(demo, name, amount))
    rows.append(iperf_udp(demo, name))
    return rows


def _affordable(demo: Demo, name: str, connections: int, most: int) -> int:
    """Bytes of a connection that this machine echoes within STEP_S."""
    trial = 20_000
    spent = echo(demo, name, connections=1, size=trial).wall_s
    return max(4000, min(most, int(trial * STEP_S / max(spent, 1e-3) / connections)))


def _client(*words: str) -> list[str]:
    return [sys.executable, "-m", "kumihimo.demo.clients", *words]


def echo(demo: Demo, name: str, connections: int, size: int) -> Row:
    """TCP echo over many simultaneous connections; every byte is compared."""
    demo.say(f"TCP echo at {name}")
    client = project_root() / "examples" / "tcp_echo_client.py"
    options = ["--connections", str(connections), "--bytes", str(size), "--json"]
    text = demo.run([sys.executable, str(client), demo.ip(name), *options], 900)
    result = json.loads(text)
    if not result["ok"] or result["payload_bytes"] != connections * size:
        raise KumiError(f"TCP echo at {name} went wrong: {result}")
    rate = result["payload_bytes"] * 8 / result["wall_s"] / 1e6
    return Row(
        f"TCP echo at {name}",
        f"{connections} connections, {connections * size / 1e6:.1f} MB there and back, "
        f"all bytes equal, {rate:.1f} Mbit/s wall",
        result["wall_s"],
    )


def curl(demo: Demo, name: str) -> Row:
    """The page of the node's HTTP responder."""
    start = time.monotonic()
    url = f"http://{demo.ip(name)}/"
    if find_program("curl"):
        text = demo.run(["curl", "-sS", "--fail", "--max-time", "120", url], 150)
    else:
        text = demo.run(_client("get", url), 150)
    lines = [re.sub(r"<[^>]*>", " ", line).strip() for line in text.splitlines()]
    shown = next((line for line in lines if line), "")
    what = "curl" if find_program("curl") else "HTTP client:"
    return Row(f"{what} {url}", f"{len(text)} bytes: {shown[:50]}", time.monotonic() - start)


def netcat(demo: Demo, name: str) -> Row:
    """A line to the echo service and back."""
    start = time.monotonic()
    said = "kumihimo: a braided cord"
    if find_program("nc"):
        command = f"echo '{said}' | nc -w 60 {demo.ip(name)} 7 | head -n 1"
        text = demo.run(["sh", "-c", command], 120)
    else:
        text = demo.run(_client("line", demo.ip(name), "7", said), 120)
    if text.strip() != said:
        raise KumiError(f"A line to {name} came back as {text!r}.")
    what = "nc" if find_program("nc") else "line client:"
    return Row(f"{what} {name} 7", f"echoed: {said}", time.monotonic() - start)


def gzip(demo: Demo, name: str) -> Row:
    """A file that the node compresses and gunzip opens."""
    start = time.monotonic()
    file = Path(__file__)
    url = f"http://{demo.ip(name)}/gzip"
    with tempfile.NamedTemporaryFile(suffix=".gz") as packed:
        words = f"curl -sS --fail --max-time 120 --data-binary @{file} {url} > {packed.name}"
        demo.run(["sh", "-c", f"{words} && gunzip -c {packed.name} | cmp - {file}"], 150)
        size = Path(packed.name).stat().st_size
    what = f"curl --data-binary @{file.name} {url} | gunzip"
    result = f"{file.stat().st_size} bytes in {size}, all equal"
    return Row(what, result, time.monotonic() - start)


def iperf(demo: Demo, name: str, amount: int) -> Row:
    """The client of iperf 2, there and then back; the stand-in only sends."""
    start = time.monotonic()
    if find_program("iperf"):
        words = ["iperf", "-c", demo.ip(name), "-n", str(amount), "-r", "-f", "m"]
        text, what = demo.run(words, 300), f"iperf -c {name} -r"
    else:
        text, what = demo.run(_client("tcp", demo.ip(name), str(amount)), 300), f"TCP to {name}"
    rates = re.findall(r"([\d.]+) Mbits/sec", text)
    if not rates:
        raise KumiError(f"iperf to {name} printed no rate: {text}")
    return Row(what, f"{' and '.join(rates)} Mbit/s wall", time.monotonic() - start)


def iperf_udp(demo: Demo, name: str) -> Row:
    """Datagrams there, then back: each receiver reports its count; the stand-in only sends."""
    start = time.monotonic()
    if find_program("iperf"):
        words = ["iperf", "-u", "-c", demo.ip(name), "-n", "100K", "-b", "500M", "-r"]
        text, what, wanted = demo.run(words, 120), f"iperf -u -c {name} -r", 2
    else:
        text, what = demo.run(_client("udp", demo.ip(name), "100000"), 150), f"UDP to {name}"
        wanted = 1
    reports = re.findall(r"(\d+)/\s*(\d+) \(", text)
    if len(reports) != wanted:
        raise KumiError(f"iperf -u to {name} printed {len(reports)} reports: {text}")
    shown = " and ".join(f"{lost}/{total}" for lost, total in reports) + " datagrams lost"
    return Row(what, shown, time.monotonic() - start)
