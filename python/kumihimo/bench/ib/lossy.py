# SPDX-License-Identifier: Apache-2.0
"""`kumi bench ib-lossy`: routers on cables with bit errors, and beside a peer that dies.

Two routers write 4 times 64 KiB into each other's memory at once, twice the same place, while
single bits of the InfiniBand cables are wrong at a rate. Lost, duplicated: by the counters of both
sides, packet for packet; reordered: words in memory that an earlier write has left. Goodput is that
of the slower direction beside the SW2 link's 2 Gb/s of data.

Neighbours: r0 sends to r1, r1 to r2, r2 to r3; the same again while r3's cable is out. What r2
sends to others behind packets for r3 waits until r3 is declared dead: `stall_us`.
"""

from __future__ import annotations

import random
from typing import Any

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.ib.routers import injected, running, spoil
from kumihimo.bench.setup import Setup
from kumihimo.cluster import Cluster
from kumihimo.ib.router import Router, settle

RATES = (0.0, 1e-6, 1e-5, 2e-5)
PART = 1 << 16
REPEATS = 4
TARGET = 2 * PART
STEP_PS = 100_000_000
CYCLE_PS = 8000
SW2_BYTES_PER_CYCLE = 2
LIMIT_PS = 60_000_000_000


def _cycles(cluster: Cluster, router: Router) -> int:
    return int(cluster[router.name].stats["cycles"])


def _share(count: int, cycles: int) -> float:
    return round(count / cycles / SW2_BYTES_PER_CYCLE, 4)


def _lossy(cluster: Cluster, pair: list[Router], rate: float, seed: int) -> dict[str, Any]:
    """One rate of bit errors; the memories' first quarter is written first and last, in turn."""
    rng = random.Random(seed)
    old, new = rng.randbytes(PART), rng.randbytes(PART)
    before = [router.traffic() for router in pair]
    start = [_cycles(cluster, router) for router in pair]
    errors = injected(cluster)
    for router in pair:
        router.memory.write(0, old + new)
    ends = [f"{router.name}.p1" for router in pair]
    spoil(cluster, rng, ends, rate, STEP_PS)
    for n in range(REPEATS):
        for router, other in zip(pair, pair[::-1], strict=True):
            router.rdma_write(other.name, TARGET, n % 2 * PART, PART)
    end = cluster.now_ps + LIMIT_PS
    while any(r.registers["status"].get("sending") for r in pair) and cluster.now_ps < end:
        spoil(cluster, rng, ends, rate, STEP_PS)
        cluster.run(STEP_PS)
    settle(*pair)
    row: dict[str, Any] = {"ber": rate, "injected": injected(cluster) - errors}
    lost = duplicated = reordered = resent = 0
    shares = []
    for router, other, was, its, begun in zip(
        pair, pair[::-1], before, before[::-1], start[::-1], strict=True
    ):
        sent = router.traffic()["sent"] - was["sent"]
        written = other.traffic()["written"] - its["written"]
        resent += router.traffic()["resent"] - was["resent"]
        lost += max(0, sent - written)
        duplicated += max(0, written - sent)
        got = other.memory.read(TARGET, PART)
        wrong = [n for n in range(0, PART, 8) if got[n : n + 8] != new[n : n + 8]]
        reordered += sum(got[n : n + 8] == old[n : n + 8] for n in wrong)
        lost += sum(got[n : n + 8] != old[n : n + 8] for n in wrong)
        took = int(other.registers["written_cycle"].read()) - begun & 0xFFFF_FFFF
        shares.append(_share(REPEATS * PART, took))
    row |= {"lost": lost, "duplicated": duplicated, "reordered": reordered, "resent": resent}
    return row | {"goodput_share": min(shares), "dead": sum(len(r.dead) for r in pair)}


def _streams(cluster: Cluster, pairs: list[tuple[Router, Router]]) -> list[float]:
    """Goodput of each (sender, receiver) with all of them at once."""
    start = [_cycles(cluster, to) for _, to in pairs]
    for router, to in pairs:
        router.rdma_write(to.name, TARGET, 0, PART)
    settle(*(router for router, _ in pairs), *(to for _, to in pairs))
    times = [int(to.registers["written_cycle"].read()) for _, to in pairs]
    return [
        _share(PART, end - begun & 0xFFFF_FFFF) for end, begun in zip(times, start, strict=True)
    ]


def _neighbours(cluster: Cluster, routers: list[Router]) -> dict[str, Any]:
    """A peer dies while the others talk."""
    one, two, three, last = routers
    alive = _streams(cluster, [(one, two), (two, three), (three, last)])[:2]
    cluster.plug(f"{last.name}.p1", False)
    cluster.run("2 us")
    began = cluster.now_ps
    for n in range(8):  # more than the window: what is behind has to wait
        three.store(last.name, 8 * n, b"to no one")
    three.store(one.name, 0, b"8 bytes!")
    dying = _streams(cluster, [(one, two), (two, three)])
    share = max(0.0, *(1 - now / was for now, was in zip(dying, alive, strict=True)))
    while one.memory.read(0, 8) != b"8 bytes!" and cluster.now_ps - began < LIMIT_PS:
        cluster.run("20 us")
    return {
        "case": "a peer dies",
        "routers": len(routers),
        "neighbours_share": round(share, 4),
        "stall_us": round((cluster.now_ps - began) / 1e6),
        "reported": int(three.dead == [routers.index(last)]),
        "lost_to_others": int(one.memory.read(0, 8) != b"8 bytes!"),
    }


def run(progress: Progress, quick: bool) -> BenchResult:
    """All rates, then the peer that dies; quick: without the highest rate."""
    result = BenchResult("ib-lossy", setup=Setup("ib_router", note="4 at a switch, opensm"))
    rates = RATES[:-1] if quick else RATES
    progress.step("opensm", 0, len(rates) + 1)
    with running(4) as (cluster, routers, design):
        result.rtl["kumi_node_ib_router"] = design
        for number, rate in enumerate(rates):
            progress.step(f"bit errors {rate:g}", number, len(rates) + 1)
            result.rows.append(_lossy(cluster, routers[:2], rate, number + 1))
        progress.step("a peer dies", len(rates), len(rates) + 1)
        neighbours = _neighbours(cluster, routers)
    rows, clean = result.rows, result.rows[0]
    result.summary = {
        "lost": sum(row["lost"] for row in rows),
        "duplicated": sum(row["duplicated"] for row in rows),
        "reordered": sum(row["reordered"] for row in rows),
        "goodput_1e6": round(rows[1]["goodput_share"] / clean["goodput_share"], 4),
        "injected_min": min(row["injected"] for row in rows[1:]),
        "neighbours_share": neighbours["neighbours_share"],
        "stall_us": neighbours["stall_us"],
        "reported": neighbours["reported"],
    }
    rows.append(neighbours)
    result.goals = {
        "lost": ("==", 0),
        "duplicated": ("==", 0),
        "reordered": ("==", 0),
        "goodput_1e6": (">=", 0.95),
        "injected_min": (">=", 20),
        "neighbours_share": ("<=", 0.01),
        "reported": ("==", 1),
    }
    result.origins = dict.fromkeys(
        ("lost", "duplicated", "reordered", "injected_min", "neighbours_share"), Origin.REQUIREMENT
    )
    return result
