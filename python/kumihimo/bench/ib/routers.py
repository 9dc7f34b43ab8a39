# SPDX-License-Identifier: Apache-2.0
"""Nodes `ib_router` at a switch of 4 ports under Debian's opensm, all RTL, for the benches."""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kumihimo.cluster import Cluster
from kumihimo.ib.router import Router, join
from kumihimo.ib.site import Site

SIZE = 1 << 18  # bytes of each memory that the others may write
LIMIT_S = 300.0
LANES = 4
SYMBOL_BITS = 20  # of a lane and cycle, 2 symbols
SWITCH = "PORTS: 4, DATA_VLS: 1, LFT_CAP: 64, MFT_CAP: 32"
CABLE_NS = 24


def text(count: int, clock: str = "125 MHz", params: str = "") -> str:
    """The cluster file: r0, r1, ... with cables of 24 ns."""
    lines = ["name: ibrouters", "nodes:"]
    for n in range(count):
        given = f", params: {{{params}}}" if params else ""
        lines.append(f"  r{n}: {{design: ib_router, clocks: {{clk: {clock}}}, ip: none{given}}}")
    more = f", {params}" if params else ""
    unused = ", ".join(f"p{n}" for n in range(count + 1, 9))
    lines.append(f"  sw: {{design: ib_switch, clocks: {{clk: {clock}}}, ip: none,")
    lines.append(f"    params: {{{SWITCH}{more}}}, open_ports: [{unused}]}}")
    lines.append("cables:")
    for n in range(count):
        lines.append(f"  - {{between: [r{n}.p1, sw.p{n + 1}], latency: {CABLE_NS} ns}}")
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def running(
    count: int, clock: str = "125 MHz", params: str = ""
) -> Iterator[tuple[Cluster, list[Router], str]]:
    """Up to 4 routers that have each other as peers, and the hash of their design."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "routers.yaml"
        file.write_text(text(count, clock, params))
        with Cluster(file, offline=True) as cluster:
            cluster.run("100 us")
            site = Site(cluster, Path(folder), ["r0"], limit=LIMIT_S)
            try:
                site.manager()
                site.active("under opensm")
                routers = list(join(cluster, size=SIZE).values())
                yield cluster, routers, cluster.built["r0"].design_hash
            finally:
                site.close()


def spoil(cluster: Cluster, rng: random.Random, ends: list[str], rate: float, span_ps: int) -> int:
    """Single-bit errors at a rate a bit on each cable and way for some time from now on.

    Returns:
        How many.
    """
    bits = LANES * SYMBOL_BITS * span_ps / 8000
    count = 0
    for end in ends:
        for way in ("a_to_b", "b_to_a"):
            at = 0.0
            while rate and (at := at + rng.expovariate(rate)) < bits:
                when = cluster.now_ps + 1 + round(at / bits * span_ps)
                lane = rng.randrange(LANES)
                cluster.flip(end, rng.randrange(SYMBOL_BITS), lane, way, when)
                count += 1
    return count


def injected(cluster: Cluster) -> int:
    """Bit errors that have passed the InfiniBand cables."""
    cables = cluster.stats()["lanes"].values()
    return sum(cable[way]["bit_errors"] for cable in cables for way in ("ab", "ba"))
