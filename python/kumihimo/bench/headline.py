# SPDX-License-Identifier: Apache-2.0
"""The headline figures of README: eight at most, all of nodes as they ship."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kumihimo.bench import freshness


@dataclass(frozen=True)
class Line:
    """A headline: a summary figure of a bench, how to show it, and what stands beside it."""

    bench: str
    figure: str
    title: str
    form: str = "{:,.4g}"
    beside: str = ""


LINES = (
    Line(
        "udp",
        "rx_cycles_64",
        "UDP/IP receive, frame to payload, 64 bits",
        "{:.0f} cycles",
        "verilog-ethernet: 12",
    ),
    Line(
        "udp",
        "echo_cycles_64_shipped",
        "UDP echo node, frame in to frame out",
        "{:.0f} cycles",
    ),
    Line(
        "eth-latency",
        "controller_cycles",
        "Ethernet from kernel to kernel, both controllers, worst",
        "{:.1f} cycles",
        "paper: 19.4",
    ),
    Line(
        "tcp",
        "line_share_1500_shipped",
        "TCP payload on a 10 Gb/s line, MTU 1500, timestamps",
        "{:.2%}",
        "limit: 94.15 %",
    ),
    Line(
        "link",
        "payload_share",
        "Serial link, payload with CRC and retransmission",
        "{:.1%}",
        "the code alone: 97.0 %",
    ),
    Line(
        "ip-over-link",
        "dma_share",
        "IP packets over a circuit by DMA, both ways",
        "{:.1%} of the link",
    ),
    Line(
        "storage",
        "share_7_1",
        "Array of 7 SSDs and a hard disk, share of the disks' sum",
        "{:.1%}",
        "paper: 98.6 %",
    ),
    Line(
        "sim-speed",
        "khz_64_x1",
        "Simulation of a UDP node under load, wall time",
        "{:,.0f} kHz",
        "cocotb: 33",
    ),
)
HEAD = "| figure | | beside | measured by | |\n|---|--:|---|---|---|\n"


def headline(root: Path) -> str:
    """The table; a figure that is missing or of a node that does not ship so is left out."""
    text = HEAD
    for line in LINES:
        document = freshness.kept(line.bench, root)
        if document is None:
            continue
        value = document["summary"].get(line.figure)
        if value is None or not document.get("figures", {}).get(line.figure, {}).get("shipped"):
            continue
        older = "older tree" if freshness.changed(document, root) else ""
        shown = line.form.format(value).replace("%", " %")
        text += (
            f"| {line.title} | {shown} | {line.beside} | `kumi bench {line.bench}` | {older} |\n"
        )
    return text
