# SPDX-License-Identifier: Apache-2.0
"""Benches: each reproduces one table of figures and prints it as a single JSON object.

A bench is a module with ``run(progress, quick) -> BenchResult``; `REGISTRY` maps the names that
``kumi bench`` takes to those modules, which are imported only when they are asked for.
"""

from __future__ import annotations

import importlib

from kumihimo.bench.core import BenchError, BenchResult, Progress

REGISTRY: dict[str, tuple[str, str]] = {
    "stdm": (
        "kumihimo.bench.link.stdm",
        "Circuit switches under load: rates, jitter, best effort, swaps",
    ),
    "udp": ("kumihimo.bench.udp.stack", "Latency and rate of the UDP/IP stack at every width"),
    "cluster-configure": (
        "kumihimo.bench.link.cluster_configure",
        "How long it takes to configure 4 and 64 boards",
    ),
    "planner": (
        "kumihimo.bench.link.planner",
        "How long circuits take to plan, and whether plans hold",
    ),
    "eth-latency": (
        "kumihimo.bench.eth.latency",
        "Kernel to kernel over Ethernet: the controller, the transport, the paper's bars",
    ),
    "eth-bandwidth": ("kumihimo.bench.eth.bandwidth", "Share of a 40 Gb/s line by message size"),
    "eth-loss": ("kumihimo.bench.eth.loss", "Goodput of the transport under loss and reordering"),
    "eth-incast": ("kumihimo.bench.eth.incast", "Fifteen senders to one receiver, a stopped peer"),
    "link": (
        "kumihimo.bench.link.serial",
        "The serial link: share, latency, goodput at bit error rates",
    ),
    "ip-over-link": (
        "kumihimo.bench.link.ip_over_link",
        "IP over a serial link by DMA, registers and sockets, beside the paper's table",
    ),
    "storage": (
        "kumihimo.bench.storage.array",
        "Arrays of unequal disks: shares, parity, rebuild, beside the paper, md and nbdkit",
    ),
    "tcp": (
        "kumihimo.bench.tcp.back_to_back",
        "Two TCP engines back to back: rate, latency, connections",
    ),
    "tcp-interop": (
        "kumihimo.bench.tcp.interop",
        "Linux programs and a TCP node over cables that lose, double, reorder and damage frames",
    ),
    "tcp-loss": (
        "kumihimo.bench.tcp.loss",
        "Goodput of one TCP session at 100 Gb/s and 10 us under loss, beside Linux",
    ),
    "tcp-flood": (
        "kumihimo.bench.tcp.flood",
        "A TCP node under SYNs at line rate: its sessions keep their rate, new clients connect",
    ),
    "tcp-wall": (
        "kumihimo.bench.tcp.wall",
        "Wall-time rate of Linux's iperf into a cycle-accurate TCP node",
    ),
    "tcp-fuzz": ("kumihimo.bench.tcp.fuzz", "A million wrong segments; every counter adds up"),
    "sim-speed": ("kumihimo.bench.sim.speed", "How fast the cluster engine runs on this machine"),
}


def run(name: str, progress: Progress | None = None, quick: bool = False) -> BenchResult:
    """Run the bench `name`; raises `BenchError` for an unknown name or a run that failed."""
    if name not in REGISTRY:
        raise BenchError(f"no bench called '{name}'; there are: {', '.join(sorted(REGISTRY))}")
    module = importlib.import_module(REGISTRY[name][0])
    result: BenchResult = module.run(progress or Progress.silent(), quick)
    return result


__all__ = ["REGISTRY", "BenchError", "BenchResult", "Progress", "run"]
