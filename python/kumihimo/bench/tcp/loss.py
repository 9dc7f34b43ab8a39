# SPDX-License-Identifier: Apache-2.0
"""`kumi bench tcp-loss`: what lost frames leave of one session's goodput, beside Linux.

Two engines of 512 bits at 322.265625 MHz, one session, a line of 100 Gb/s, 5 us of cable each way,
packets of 1500 bytes with SACK, timestamps and window scale, rings of 512 KiB: four times what the
line holds in a round trip. The cable loses frames of both directions alike, so acknowledgements
too. The kernels write and read all the time and check every byte. Goodput is what arrives in a
time that begins after the start has been forgotten (`WARM_UP_US`), so neither slow start nor the
end counts; a share is goodput over the goodput of the same two engines without loss. Each loss is
run with several seeds, whose bytes and times are added.

Linux gets the same cable 1000 times slower (kumihimo.bench.tcp.loss_linux). What is set here is
what Linux has, in the same proportion to the round trip: CUBIC, a least time-out of 20 round trips
(Linux: 200 ms at 10 ms), ACKs delayed by at most 4 (40 ms). The engine's own defaults, a first
time-out of 10 ms and a least one of 1 ms, are for networks wider than one rack.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kumihimo._engine import Impairments
from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.tcp import loss_linux
from kumihimo.bench.tcp.rig import US, TcpRig, label, library, setup
from kumihimo.build import BuildResult

LINE_BPS = 100e9
ONE_WAY_PS = 5 * US
MTU = 1500
NODE: Mapping[str, int] = {
    "DATA_W": 512,
    "SESSIONS": 4,
    "RING": 512 * 1024,
    "ON_CHIP": 1,
    "TX_STORE": 0,
    "CUBIC": 1,
    "TX_QUEUE": 128,
}
SETTINGS: Mapping[str, int] = {
    "tcp.rto_init": 200,
    "tcp.rto_min": 200,
    "tcp.ack_delay": 40,
    "tcp.ctrl.ts": 1,
    "tcp.ctrl.cubic": 1,
}
CHUNK = 14_480  # bytes of a write: ten segments
WARM_UP_US = 300
# Loss: microseconds measured (8.1 frames each), seeds.
FULL: Mapping[float, tuple[int, int]] = {
    0.0: (1_000, 1),
    1e-3: (4_000, 3),
    1e-4: (30_000, 3),
    1e-5: (40_000, 3),
}
QUICK: Mapping[float, tuple[int, int]] = {
    0.0: (500, 1),
    1e-3: (1_500, 1),
    1e-4: (2_000, 1),
    1e-5: (2_000, 1),
}

Half = tuple[list[dict[str, Any]], dict[str, float]]  # rows, part of the summary


def _counts(rig: TcpRig) -> dict[str, int]:
    """Bytes first, at a known time: reading the others takes some."""
    now, arrived = rig.engine.now_ps, rig.arrived(1)
    sender = rig.regs[0].tcp.counters("core")
    (cable,) = rig.engine.stats()["cables"].values()
    return {
        "picoseconds": now,
        "bytes": arrived,
        "data_segments": sender["tx_data"] + sender["tx_retransmit"],
        "retransmitted": sender["tx_retransmit"],
        "fast_recoveries": sender["fast_recovery"],
        "time_outs": sender["rto"],
        "lost_data_frames": int(cable["ab"]["lost"]),
        "lost_acknowledgements": int(cable["ba"]["lost"]),
    }


def goodput(
    built: BuildResult,
    loss: float,
    us: int,
    seed: int,
    *,
    warm_up_us: int = WARM_UP_US,
    line_bps: float = LINE_BPS,
) -> dict[str, Any]:
    """One session from node 0 to node 1 for `us` microseconds; fails if a byte is wrong."""
    with TcpRig(
        built,
        mtu=MTU,
        rate_bps=line_bps,
        latency_ps=ONE_WAY_PS,
        impair=Impairments(loss=loss),
        settings=SETTINGS,
        seed=seed,
    ) as rig:
        rig.open(0, 1)
        # More than the line can carry: the writer does not end while it is measured.
        rig.write(0, int((us + warm_up_us + 1000) * line_bps / 8e6), CHUNK)
        rig.run(warm_up_us * US)
        before = _counts(rig)
        rig.run(us * US)
        after = _counts(rig)
        rig.check()
    moved = {name: after[name] - before[name] for name in after}
    took = moved.pop("picoseconds")
    return {
        "row": "ours",
        "mtu": MTU,
        "loss": loss,
        "seed": seed,
        "goodput_share_of_line": moved["bytes"] * 8e12 / took / line_bps,
        "microseconds": took / US,
        **moved,
    }


def shares(built: BuildResult, progress: Progress, quick: bool) -> Half:
    """Rows, and for the summary ours_1e5, ours_1e4, ours_1e3."""
    rows: list[dict[str, Any]] = []
    summary: dict[str, float] = {}
    cases = QUICK if quick else FULL
    free = 1.0
    for number, (loss, (us, seeds)) in enumerate(cases.items()):
        some = []
        for seed in range(1, seeds + 1):
            progress.step(f"loss {loss:g}, seed {seed}", number, len(cases))
            some.append(goodput(built, loss, us, seed))
        line = sum(row["goodput_share_of_line"] for row in some) / seeds
        if not loss:
            free = line
        for row in some:
            row["share"] = row["goodput_share_of_line"] / free
        if loss:
            summary[f"ours_{loss:.0e}".replace("e-0", "e")] = line / free
        rows += some
    return rows, summary


def outcome(built: BuildResult, ours: Half, linux: Half, quick: bool) -> BenchResult:
    """Both halves in one result."""
    result = BenchResult("tcp-loss", command=f"kumi bench tcp-loss{' --quick' * quick} --json")
    result.rtl[label(NODE)] = built.design_hash
    result.rows = ours[0] + linux[0]
    result.setup = setup(NODE, SETTINGS, MTU, "100 Gb/s, round trip 10 us")
    for name in ("1e5", "1e4", "1e3"):
        # Three digits: what a figure of wall time is worth. Linux's at 1e-5 may come out above 1.
        of_linux = round(linux[1][f"linux_{name}"], 3)
        result.summary[f"ours_{name}"] = round(ours[1][f"ours_{name}"], 3)
        result.summary[f"linux_{name}"] = of_linux
        result.goals[f"ours_{name}"] = (">=", of_linux)
        result.origins[f"ours_{name}"] = Origin.PEER
    return result


def run(progress: Progress, quick: bool) -> BenchResult:
    """All losses, ours and Linux's; `quick` looks at each for a shorter time."""
    progress.step("building two engines of 512 bits", 0, 10)
    built = library(NODE)
    ours = shares(built, progress, quick)
    return outcome(built, ours, loss_linux.shares(progress, quick), quick)
