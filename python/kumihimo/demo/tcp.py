# SPDX-License-Identifier: Apache-2.0
"""Steps of the demo at its TCP server node, with unmodified clients."""

from __future__ import annotations

import json
import re
import sys
import time

from ..common.errors import KumiError
from ..common.paths import project_root
from ..common.process import find_program
from .steps import Demo, Row


def tcp_rows(demo: Demo, name: str, quick: bool) -> list[Row]:
    """A socket program, and curl, nc and iperf if installed."""
    rows = [echo(demo, name, connections=4 if quick else 16, size=20_000 if quick else 100_000)]
    for program, steps in (("curl", [curl]), ("nc", [netcat]), ("iperf", [iperf, iperf_udp])):
        if find_program(program):
            demo.say(f"{program} {name}")
            rows += [step(demo, name) for step in steps]
        else:
            rows.append(Row(f"{program} {name}", "not installed: `kumi doctor` says how", 0.0))
    return rows


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
        f"{connections} connections at once, {connections * size / 1e6:.1f} MB there and back, "
        f"all bytes equal, {rate:.1f} Mbit/s wall",
        result["wall_s"],
    )


def curl(demo: Demo, name: str) -> Row:
    """Fetch a page from the node's HTTP server."""
    start = time.monotonic()
    url = f"http://{demo.ip(name)}/"
    text = demo.run(["curl", "-sS", "--fail", "--max-time", "120", url], 150)
    lines = [re.sub(r"<[^>]*>", " ", line).strip() for line in text.splitlines()]
    shown = next((line for line in lines if line), "")
    return Row(f"curl {url}", f"{len(text)} bytes: {shown[:50]}", time.monotonic() - start)


def netcat(demo: Demo, name: str) -> Row:
    """Send a line to the echo service and compare the reply."""
    start = time.monotonic()
    said = "kumihimo: a braided cord"
    command = f"echo '{said}' | nc -w 60 {demo.ip(name)} 7 | head -n 1"
    text = demo.run(["sh", "-c", command], 120)
    if text.strip() != said:
        raise KumiError(f"nc to {name} got {text!r}.")
    return Row(f"nc {name} 7", f"echoed: {said}", time.monotonic() - start)


def iperf(demo: Demo, name: str) -> Row:
    """Run iperf 2 over TCP, one direction after the other."""
    start = time.monotonic()
    text = demo.run(["iperf", "-c", demo.ip(name), "-n", "2M", "-r", "-f", "m"], 300)
    rates = re.findall(r"([\d.]+) Mbits/sec", text)
    if not rates:
        raise KumiError(f"iperf to {name} printed no rate: {text}")
    shown = " and ".join(rates)
    return Row(f"iperf -c {name} -r", f"{shown} Mbit/s wall", time.monotonic() - start)


def iperf_udp(demo: Demo, name: str) -> Row:
    """Run iperf 2 over UDP in both directions; each receiver reports its losses."""
    start = time.monotonic()
    text = demo.run(["iperf", "-u", "-c", demo.ip(name), "-n", "100K", "-b", "500M", "-r"], 120)
    reports = re.findall(r"(\d+)/(\d+) \(", text)
    if len(reports) != 2:
        raise KumiError(f"iperf -u to {name} printed no two reports: {text}")
    shown = " and ".join(f"{lost}/{total}" for lost, total in reports) + " datagrams lost"
    return Row(f"iperf -u -c {name} -r", shown, time.monotonic() - start)
