# SPDX-License-Identifier: Apache-2.0
"""`kumi bench ib-bandwidth`: payload beside the link's data rate.

Reliable connections: `reliable`. Routers, by message size: RDMA writes from one router's memory to
another's through a switch, all RTL, back to back out of windows that software fills by registers.
The link is the slower one on the way: SW2 at 2.5 Gb/s and 125 MHz, 64 of 80 bits data. From the
first kick to the last beat in memory.
"""

from __future__ import annotations

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.ib import reliable
from kumihimo.bench.ib.routers import running
from kumihimo.bench.setup import Setup
from kumihimo.cluster import Cluster
from kumihimo.ib.router import Router, settle

SIZES = (64, 472, 1024, 4096, 32768)
TOTAL, FEWEST = 128 << 10, 16
TARGET = 1 << 17
BYTES_PER_CYCLE = 2  # of SW2: 8 bytes in a flit of 4 cycles
GOAL, ROCE_GOAL = 0.95, 0.97


def _measure(cluster: Cluster, one: Router, two: Router, size: int) -> dict[str, object]:
    count = min(256, max(FEWEST, TOTAL // size))
    offset = int(cluster[one.name].stats["cycles"]) - int(cluster[two.name].stats["cycles"])
    start = 0
    for n in range(count):
        one.rdma_write(two.name, TARGET, 0, size)
        if n == 0:
            start = int(one.registers["store_cycle"].read())
    settle(one, two)
    took = int(two.registers["written_cycle"].read()) + offset - start & 0xFFFF_FFFF
    share = count * size / took / BYTES_PER_CYCLE
    return {
        "path": "router",
        "bytes": size,
        "messages": count,
        "gbps": round(share * 2, 3),
        "share": round(share, 4),
        "resent": one.traffic()["resent"],
    }


def _reliable(progress: Progress, result: BenchResult, quick: bool) -> None:
    """Over both wires; quick: one direction only."""
    kinds = ("one way",) if quick else tuple(reliable.KINDS)
    cases = [(v, n, k) for n in reliable.PAIRS for k in kinds for v in reliable.VERBS]
    for wire in (reliable.ROCE, reliable.NATIVE):
        with reliable.running(wire) as (cluster, addresses):
            result.rtl[f"kumi_node_{wire.design}"] = cluster.built["a"].design_hash
            for number, case in enumerate(cases):
                text = "{}: {}, {} queue pairs, {}".format(wire.name, *case)
                progress.step(text, number, len(cases))
                result.rows.append(reliable.measure(cluster, wire, addresses, *case))


def _routers(progress: Progress, result: BenchResult, quick: bool) -> None:
    """All sizes; quick: 4 KiB only."""
    sizes = (4096,) if quick else SIZES
    progress.step("opensm", 0, len(sizes))
    with running(2) as (cluster, (one, two), design):
        result.rtl["kumi_node_ib_router"] = design
        for number, size in enumerate(sizes):
            progress.step(f"{size} bytes", number, len(sizes))
            result.rows.append(_measure(cluster, one, two, size))


def run(progress: Progress, quick: bool) -> BenchResult:
    """Reliable connections, then routers."""
    setup = Setup("ib_router", note="SW2 at 2.5 Gb/s, InfiniBand 4x at 2.5 Gb/s a lane, 125 MHz")
    wide = Setup("kumi_node_roce_endpoint", reliable.PARAMS, note="250 MHz, 100 Gb/s, MTU 4096")
    native = Setup("kumi_node_ib_hca", note="4x at 2.5 Gb/s a lane, 125 MHz, MTU 4096, opensm")
    result = BenchResult("ib-bandwidth", setup=setup)
    _reliable(progress, result, quick)
    result.summary |= reliable.summary(result.rows)
    result.setups = {key: wide if "roce" in key else native for key in result.summary}
    _routers(progress, result, quick)
    by_size = {row["bytes"]: row["share"] for row in result.rows if row["path"] == "router"}
    half = [size for size, share in by_size.items() if share >= max(by_size.values()) / 2]
    result.summary |= {"router_share_4k": by_size[4096], "router_half_bytes": min(half)}
    result.goals = {
        name: (">=", ROCE_GOAL if name.startswith("roce") else GOAL)
        for name in result.summary
        if "share" in name
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    return result
