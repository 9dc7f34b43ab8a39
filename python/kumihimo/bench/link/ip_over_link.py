# SPDX-License-Identifier: Apache-2.0
"""`kumi bench ip-over-link`: IP packets between two boards over a serial link, as in the paper.

Two boards, one lane of 10 Gb/s payload between them, a circuit each way. This program is the hosts:
it writes packets into host memory, rings the doorbell, and looks every 100 ns of simulated time for
what has come. Rows marked `simulated` count that time, so they hold what registers, DMA, switch and
link need, and of the hosts' software only what is said in the row: nothing by DMA, a time for each
register access by the register fifo. Rows marked `wall` are ordinary sockets over TUN devices with
the boards simulated on this machine; they say how fast the simulation is, and nothing of boards.

Rates count both directions together, as the paper does: 20 MB in 2.152 s.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.link.ip_over_link_sim import (
    CHANNEL_BPS,
    PACES_NS,
    PAPER_PACE_NS,
    echo,
    ping_host,
    ping_kernel,
    register_fifo,
    stream,
)
from kumihimo.bench.link.ip_over_link_wall import sockets
from kumihimo.bench.setup import Setup
from kumihimo.ip_over_link.boards import LinkedBoards

TOTAL = 10_000_000  # bytes of the paper's echo
PAPER = {
    "ICMP": {"ms": 0.205, "ethernet_1g_ms": 0.159},
    "TCP": {"ms": 4837.0, "ethernet_1g_ms": 1940.0, "mb_per_s": 2 * TOTAL / 4837e3},
    "UDP": {"ms": 2152.0, "ethernet_1g_ms": 789.0, "mb_per_s": 9.29},
}
CLUSTER = """\
name: link_pair
defaults:
  node:
    design: link
    params: {LANES: 1}
    clocks: {clk: 156.25 MHz}
    ip: none
    open_ports: [l0_1, l0_2, l0_3, l1_1, l1_2, l1_3]
    memories: {host: {latency: 300 ns}}
  cable: {latency: 50 ns}
nodes:
  n0: {open_ports: [l0, l1_1, l1_2, l1_3]}
  n1: {open_ports: [l1, l0_1, l0_2, l0_3]}
cables:
  - {between: [n0.l1_0, n1.l0_0]}
"""
# A circuit with all slots of the link; the way back crosses the position where n0 may skip a cycle.
WHOLE = """\
name: whole
topology: {cluster: pair.yaml, host_ports: 2}
slots: 256
guard: 8
follow: n0
channels: 4
circuits:
  - {name: dma, from: n0.host0, to: n1.host0, slots: 256}
  - {name: dma_back, from: n1.host0, to: n0.host0, slots: 255}
"""
# The register fifo is behind the three DMA channels, so three circuits come before it at each host.
SHARED = """\
name: shared
topology: {cluster: pair.yaml, host_ports: 2}
slots: 64
guard: 8
follow: n0
channels: 4
circuits:
  - {name: pair, from: n0.host0, to: n1.host0, slots: 16, both_ways: true}
  - {name: kernel, from: n0.host0, to: n1.host1, slots: 24, both_ways: true}
  - {name: other, from: n1.host0, to: n0.host1, slots: 1, both_ways: true}
  - {name: spare, from: n0.host0, to: n1.host0, slots: 1, both_ways: true}
  - {name: fifo, from: n0.host0, to: n1.host0, slots: 16, both_ways: true}
"""


def _boards(folder: Path, request: str) -> LinkedBoards:
    (folder / "pair.yaml").write_text(CLUSTER, encoding="utf-8")
    (folder / "plan.yaml").write_text(request, encoding="utf-8")
    return LinkedBoards(folder / "pair.yaml", folder / "plan.yaml", slots=256)


def _row(name: str, way: str, ours: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "row": name if name == "ICMP" else f"{name} 10 MB echo",
        "time": "simulated",
        "way": way,
        **more,
        "ours": ours,
        "paper": PAPER[name],
    }


def _echo_row(name: str, mtu: int, boards: LinkedBoards, moved: int) -> dict[str, Any]:
    """The whole echo from a part of it: its time, and the rest at the rate of its steady part."""
    head = {"UDP": 28, "TCP": 52}[name]
    found = echo(boards, "dma", mtu - head, head, moved, acks=name == "TCP")
    seconds = found.seconds + (TOTAL - found.moved) / found.rate
    ours = {
        "ms": seconds * 1e3,
        "mb_per_s": 2 * TOTAL / seconds / 1e6,
        "share_of_link": 2 * TOTAL * 8 / seconds / (2 * CHANNEL_BPS),
    }
    return _row(name, "DMA", ours, mtu=mtu, moved_bytes=found.moved)


def run(progress: Progress, quick: bool) -> BenchResult:
    """All rows; `quick` moves less."""
    result = BenchResult(
        "ip-over-link", command=f"kumi bench ip-over-link{' --quick' * quick} --json"
    )
    streamed = 1_200_000 if quick else 6_000_000
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        progress.step("building and configuring two boards", 0, 6)
        with _boards(folder, WHOLE) as boards:
            built = boards.cluster.built["n0"]
            result.rtl[built.info.top] = built.design_hash
            progress.step("streams of packets by DMA", 1, 6)
            shares = {}
            for size in (9000, 1500):
                rates = stream(boards, "dma", size, streamed)
                shares[size] = sum(rates) / (2 * CHANNEL_BPS)
                result.rows.append(
                    {
                        "row": "IP packets both ways",
                        "time": "simulated",
                        "way": "DMA",
                        "packet_bytes": size,
                        "moved_bytes_each_way": streamed,
                        "gbps": [rate / 1e9 for rate in rates],
                        "share_of_link": shares[size],
                        "share_of_line_with_66b": shares[size] * 64 / 66,
                        "share_of_circuits": sum(rates)
                        / sum(float(c["rate_bps"]) for c in boards.plan.circuits),
                    }
                )
            progress.step("echoes by DMA", 2, 6)
            for name in ("UDP", "TCP"):
                for mtu, most in ((9000, TOTAL), (1500, 2_000_000)):
                    moved = 300_000 if quick else most
                    result.rows.append(_echo_row(name, mtu, boards, moved))
            host_us = ping_host(boards, "dma", 8 if quick else 32)
        progress.step("configuring the boards again", 3, 6)
        with _boards(folder, SHARED) as boards:
            progress.step("ping of the IP kernel", 4, 6)
            kernel_us = ping_kernel(boards, "kernel", 8 if quick else 32)
            result.rows += [
                _row("ICMP", "DMA, answered by the IP kernel", _times(kernel_us)),
                _row("ICMP", "DMA, answered by the other host", _times(host_us)),
            ]
            progress.step("the register fifo", 5, 6)
            fifo_shares = {}
            for pace in PACES_NS:
                found = register_fifo(boards, "fifo", 1500, 1 if quick else 4, pace)
                rate = found.rate  # payload of an echo at one host
                fifo_shares[pace] = rate * 8 / CHANNEL_BPS
                ours = {
                    "ms": TOTAL / rate * 1e3,
                    "mb_per_s": 2 * rate / 1e6,
                    "share_of_link": fifo_shares[pace],
                }
                result.rows.append(
                    _row(
                        "UDP",
                        "register fifo",
                        ours,
                        mtu=1500,
                        moved_bytes=found.moved,
                        access_ns=found.access_ns,
                        access="of the bus alone, in steps of 50 ns" if pace == 0 else "assumed",
                        accesses_per_word=found.accesses_per_word,
                    )
                )
            progress.step("sockets in wall time", 6, 6)
            result.rows += sockets(boards, "pair", 30_000 if quick else 200_000)
    result.summary = {
        "dma_share": shares[9000],
        "dma_share_1500": shares[1500],
        "mmio_share": fifo_shares[PAPER_PACE_NS],
        "mmio_share_bus": fifo_shares[0],
        "icmp_us": sorted(kernel_us)[len(kernel_us) // 2],
    }
    result.goals = {"dma_share": (">=", 0.95)}
    result.origins = {"dma_share": Origin.REQUIREMENT}
    result.setup = Setup("kumi_node_link", {"LANES": 1}, note="two boards, circuits planned")
    return result


def _times(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "ms": ordered[len(ordered) // 2] / 1e3,
        "least_us": ordered[0],
        "median_us": ordered[len(ordered) // 2],
        "most_us": ordered[-1],
    }
