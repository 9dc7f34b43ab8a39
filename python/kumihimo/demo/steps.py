# SPDX-License-Identifier: Apache-2.0
"""Steps of the demo: ordinary programs in the cluster's private network, and their results.

Each step runs an unmodified program (ping, arping, a socket program) and returns a row of the final
table; it raises if anything fails.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cluster import Cluster
from ..clusterfile.units import format_time
from ..common.errors import KumiError
from ..common.paths import project_root
from ..common.process import find_program
from ..common.tools import Tool

Say = Callable[[str], None]
PING_SIZES = (56, 1472, 4000, 8972)


@dataclass(frozen=True)
class Row:
    """A line of the demo's table."""

    what: str
    result: str
    wall_s: float


class Demo:
    """Runs the steps on a serving cluster."""

    def __init__(self, cluster: Cluster, say: Say) -> None:
        assert cluster.namespace is not None
        self.cluster = cluster
        self.inside = cluster.namespace
        self.say = say

    def run(self, argv: list[str], timeout: float) -> str:
        """Run a program in the cluster's network; returns its output."""
        program = find_program(argv[0])
        if program is None:
            raise KumiError(
                f"The program {argv[0]} is missing.", "`kumi doctor` says how to get it."
            )
        started = time.monotonic()
        with ThreadPoolExecutor(max_workers=1) as waiting:
            future = waiting.submit(self.inside.run, [program, *argv[1:]], timeout)
            while True:
                try:
                    done = future.result(0.3)
                    break
                except TimeoutError:
                    self.tick(Path(argv[0]).name, started)
        if done.returncode != 0:
            raise KumiError(f"`{' '.join(argv)}` failed: {done.stdout}{done.stderr}".strip())
        return done.stdout

    def tick(self, what: str, started: float) -> None:
        """Show that a step goes on: seconds, and how far simulated time has come."""
        spent = time.monotonic() - started
        self.say(f"{what}: {spent:.0f} s, simulated {format_time(self.cluster.now_ps)}")

    def ping(self, name: str, count: int) -> Row:
        """`ping` to a node; every request must be answered."""
        start = time.monotonic()
        text = self.run(["ping", "-c", str(count), "-i", "0.2", "-W", "20", self.ip(name)], 120)
        return Row(f"ping {name}", _ping_result(text), time.monotonic() - start)

    def ping_sizes(self, name: str) -> Row:
        """`ping -s` from small to jumbo frames, with fragmentation prohibited."""
        start = time.monotonic()
        for size in PING_SIZES:
            argv = ["ping", "-c", "2", "-i", "0.2", "-W", "30", "-M", "do", "-s", str(size)]
            self.run([*argv, self.ip(name)], 120)
        sizes = ", ".join(map(str, PING_SIZES))
        return Row(f"ping -s to {name}", f"{sizes} bytes answered", time.monotonic() - start)

    def arp(self, names: list[str]) -> Row:
        """Linux's neighbour table, and `arping` if installed."""
        start = time.monotonic()
        table = json.loads(self.run(["ip", "-j", "neigh"], 20))
        learned = {entry["dst"]: entry.get("lladdr") for entry in table}
        for name in names:
            node = self.cluster[name]
            if learned.get(node.ip) != node.mac:
                raise KumiError(f"Linux holds {learned.get(node.ip)} for {name}, not {node.mac}.")
        text = f"ip neigh holds {len(names)} nodes"
        if find_program("arping"):
            self.run(["arping", "-c", "2", "-w", "30", "-I", self._tap(), self.ip(names[0])], 60)
            text += f"; arping {names[0]} answered"
        return Row("ARP", text, time.monotonic() - start)

    def udp(self, names: list[str], count: int, seconds: float) -> list[Row]:
        """UDP echo by a socket program, with all nodes at once; every byte is compared.

        `count` datagrams in all, or as many as this machine sends in `seconds`.
        """
        client = project_root() / "examples" / "udp_echo_client.py"
        start = time.monotonic()
        running: dict[str, Tool] = {}
        share = -(-count // len(names))
        for index, name in enumerate(names):
            options = ["--count", str(share), "--seconds", str(seconds), "--seed", str(index + 1)]
            argv = [sys.executable, str(client), self.ip(name), *options, "--json"]
            running[name] = self.inside.popen(argv, stdout=subprocess.PIPE, text=True)
        rows = []
        try:
            while any(p.poll() is None for p in running.values()):
                spent = time.monotonic() - start
                self.say(f"UDP echo: {self._echoed(names)} of {share * len(names)}, {spent:.0f} s")
                if spent > 900:
                    raise KumiError("The UDP echo does not end.")
                time.sleep(0.2)
            for name, process in running.items():
                text = process.stdout.read() if process.stdout else ""
                if not text:
                    raise KumiError(f"The UDP client of {name} ended early.")
                result = json.loads(text)
                if not result["ok"] or not result["good"]:
                    raise KumiError(f"UDP echo at {name} went wrong: {result}")
                rows.append(Row(f"UDP echo at {name}", _udp_result(result), result["wall_s"]))
        finally:
            for process in running.values():
                process.end()
        return rows

    def pingpong(self, name: str, peer: str, rounds: int) -> Row:
        """Ping-pong between two nodes, controlled through registers."""
        start = time.monotonic()
        node = self.cluster[name]
        block = node.regs.pingpong
        block.rounds.write(rounds)
        block.ctrl.set(start=1)
        while block.status.get("running"):
            if time.monotonic() - start > 300:
                raise KumiError("The ping-pong does not end.")
            time.sleep(0.05)
        good, lost = block.received.read(), block.lost.read()
        if good != rounds or lost:
            raise KumiError(f"Ping-pong: {good} of {rounds} came back, {lost} were lost.")
        nano = 1e9 / node.clock_hz
        mean = block.read64("rtt_sum") / rounds * nano
        low, high = block.rtt_min.read() * nano, block.rtt_max.read() * nano
        text = f"{rounds} rounds, simulated {low:.0f} / {mean:.0f} / {high:.0f} ns (min/mean/max)"
        return Row(f"{name} and {peer} ping-pong", text, time.monotonic() - start)

    def ip(self, name: str) -> str:
        """Address of a node."""
        return str(self.cluster[name].ip)

    def _tap(self) -> str:
        return next(iter(self.cluster.plan.taps))

    def _echoed(self, names: list[str]) -> int:
        return sum(int(self.cluster[n].regs.echo.tx_datagrams.read()) for n in names)


def _ping_result(text: str) -> str:
    lost = re.search(r"(\d+) packets transmitted, (\d+) received", text)
    rtt = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)", text)
    if not lost or lost.group(1) != lost.group(2):
        raise KumiError(f"Pings were lost: {text}")
    shown = f", wall {rtt.group(1)} / {rtt.group(2)} / {rtt.group(3)} ms" if rtt else ""
    return f"{lost.group(2)} of {lost.group(1)} answered{shown}"


def _udp_result(result: dict[str, Any]) -> str:
    rate = result["payload_bytes"] * 8 / max(result["wall_s"], 1e-9) / 1e6
    again = f", {result['resent']} resent" if result["resent"] else ""
    size = result["payload_bytes"] / 1e6
    return (
        f"{result['good']} datagrams, {size:.1f} MB, all bytes equal{again}, {rate:.1f} Mbit/s wall"
    )


def cluster_file() -> Path:
    """The demo's cluster."""
    file = project_root() / "examples" / "demo.yaml"
    if not file.is_file():
        raise KumiError(f"{file} is missing.", "Run kumi from a clone of the project.")
    return file
