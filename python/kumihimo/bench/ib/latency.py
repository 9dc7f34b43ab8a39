# SPDX-License-Identifier: Apache-2.0
"""`kumi bench ib-latency`: an 8-byte store from node to node, part by part, in the paper's tables.

Interface, SW2 link, router, InfiniBand link, switch with two cables of 24 ns each, and back to
memory, all in RTL with retransmission on; stores come at every phase of the SW2 words. Slow: the
paper's clocks, 125 MHz with 4 lanes of 2.5 Gb/s and SW2 at 2.5 Gb/s. Fast: 250 MHz with a lane of
10 Gb/s and SW2 at 5 Gb/s. The total is that of two nodes `ib_router` brought up by opensm, from the
interface's store to memory, the worst of all phases; the parts are means of the same units side by
side in a test top, without the node's management beside the router.
"""

from __future__ import annotations

from statistics import mean

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.ib.path import CABLE, EVENTS, Path
from kumihimo.bench.ib.routers import running
from kumihimo.bench.setup import Setup
from kumihimo.ib.router import settle

GOAL_NS = 1500
PHASES = 8  # twice the words of a flit
# Tables 5 to 9 of the source paper, in ns.
PAPER = {
    "SW2 transmit and receive": 180 + 180,
    "InfiniBand transmit": 108,
    "InfiniBand receive": 196,
    "switch": 385,
    "encapsulation": 640,
    "total": 3208,
    "total of the units": 3208,
}
ADAPTER_NS = 5660  # an InfiniBand adapter of the time, same table


def parts(at: dict[str, float]) -> dict[str, float]:
    """Cycles of each row of the paper's tables, from the times of the events."""
    return {
        "SW2 transmit and receive": at["sw2_up"] - at["interface"],
        "InfiniBand transmit": at["switch_in"] - CABLE - at["encapsulated"],
        "InfiniBand receive": at["link"] - at["switch_out"] - CABLE,
        "switch": at["switch_out"] - at["switch_in"],
        "encapsulation": at["encapsulated"] - at["sw2_up"] + at["sw2_side"] - at["link"],
        "total of the units": at["memory"],
    }


def node_cycles(clock: str, period_ps: int, params: str) -> tuple[list[int], str]:
    """Cycles of a store from node to node at each phase, and the hash of the design."""
    times = []
    with running(2, clock, params) as (cluster, (one, two), design):
        cycles = [int(cluster[router.name].stats["cycles"]) for router in (one, two)]
        for phase in range(PHASES):
            cluster.run(2_000_000 + phase * period_ps)
            one.store(two.name, 0, b"8 bytes!")
            settle(one, two)
            start, end = (
                int(router.registers[name].read()) - at
                for router, name, at in zip(
                    (one, two), ("store_cycle", "written_cycle"), cycles, strict=True
                )
            )
            times.append(end - start)
    return times, design


def run(progress: Progress, quick: bool) -> BenchResult:
    """Both clocks; `quick` is the same."""
    result = BenchResult("ib-latency")
    result.setup = Setup("kumi_ib_router", note="units in a test top, retransmission on")
    shapes = {"slow": "", "fast": "LANES: 1, DATA_W: 32"}
    speeds = (("slow", 4, 64, 8.0, 2.5), ("fast", 1, 32, 4.0, 10.0))
    for done, (speed, lanes, width, period, rate) in enumerate(speeds):
        progress.step(f"{lanes} x {rate} Gb/s", done, len(speeds))
        path = Path(lanes, width)
        times = []
        for wait in range(PHASES):
            path.dut.run(40 + wait)
            times.append(path.latency())
        at = {name: mean(t[name] for t in times) for name in EVENTS}
        clock = f"{1000 / period:g} MHz"
        taken, design = node_cycles(clock, round(period * 1000), shapes[speed])
        worst = max(taken) * period
        given = {"LANES": 1, "DATA_W": 32} if speed == "fast" else {}
        node = Setup("ib_router", given, note=f"two and a switch, {lanes} x {rate} Gb/s, opensm")
        result.rtl[f"kumi_node_ib_router {lanes}x"] = design
        for part, cycles in parts(at).items():
            row: dict[str, object] = {
                "part": part,
                "clock_mhz": 1000 / period,
                "lanes": lanes,
                "lane_gbps": rate,
                "ours_cycles": round(cycles, 2),
                "ours_ns": round(cycles * period, 1),
            }
            if speed == "slow":
                row["paper_ns"] = PAPER[part]
            result.rows.append(row)
        total: dict[str, object] = {
            "part": "total",
            "clock_mhz": 1000 / period,
            "lanes": lanes,
            "lane_gbps": rate,
            "ours_cycles": round(mean(taken), 2),
            "ours_ns": round(mean(taken) * period, 1),
        }
        result.rows.append(total | node.as_row())
        if speed == "slow":
            result.rows[-1]["paper_ns"] = PAPER["total"]
            found = parts(at)
            result.rtl[f"kumi_ib_router {lanes}x"] = path.dut.built.design_hash
            result.summary |= {
                "total_8b_ns": worst,
                "switch_ns": round(found["switch"] * period, 1),
                "encapsulation_ns": round(found["encapsulation"] * period, 1),
                "share_of_paper": round(worst / PAPER["total"], 3),
                "share_of_adapter": round(worst / ADAPTER_NS, 3),
            }
            shares = ("total_8b_ns", "share_of_paper", "share_of_adapter")
            result.setups |= dict.fromkeys(shares, node)
        else:
            result.summary["total_8b_fast_ns"] = worst
            result.setups["total_8b_fast_ns"] = node
    result.goals = {
        "total_8b_ns": ("<=", GOAL_NS),
        "switch_ns": ("<=", PAPER["switch"]),
        "encapsulation_ns": ("<=", PAPER["encapsulation"]),
    }
    result.origins = {
        "total_8b_ns": Origin.REQUIREMENT,
        "switch_ns": Origin.PAPER,
        "encapsulation_ns": Origin.PAPER,
    }
    return result
