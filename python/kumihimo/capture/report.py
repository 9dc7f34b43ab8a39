# SPDX-License-Identifier: Apache-2.0
"""Latency and rate from a capture: requests matched with their replies, port by port.

Times are the capture's simulated time stamps; a request without a reply counts as lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .pairing import Exchange, Pairing
from .pcapng import Capture, Packet


def exchanges(packets: Iterable[Packet]) -> list[Exchange]:
    """Match requests and replies of a capture."""
    pairing = Pairing()
    for packet in packets:
        pairing.add(packet)
    return pairing.result()


def analyse(file: Path) -> list[Exchange]:
    """Match requests and replies of a capture file."""
    return exchanges(Capture(file))


def picture(found: list[Exchange], file: Path) -> None:
    """Plot latency against frame size, and the distribution of latency (SVG or PNG)."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for exchange in found:
        if not exchange.latency_ns:
            continue
        label = f"{exchange.kind} {exchange.client} to {exchange.server}"
        micro = [ns / 1000 for ns in exchange.latency_ns]
        left.plot(exchange.sizes, micro, ".", markersize=2, label=label)
        share = [100 * (i + 1) / len(micro) for i in range(len(micro))]
        right.plot(sorted(micro), share, label=label)
    left.set_xlabel("frame size of the reply (bytes)")
    left.set_ylabel("request to reply, simulated (us)")
    right.set_xlabel("request to reply, simulated (us)")
    right.set_ylabel("share of exchanges (%)")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
    if left.get_legend_handles_labels()[0]:
        left.legend(fontsize=7, markerscale=5)
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    pyplot.close(figure)
