# SPDX-License-Identifier: Apache-2.0
"""`kumi bench eth-loss`: what loss and reordering leave of the transport's goodput.

Two nodes on a 40 Gb/s cable, 1 us each way, frames of 9 kB, a one-way stream of 64 KiB messages.
Both directions of the cable lose frames alike, acknowledgements too. Goodput is taken from the end
of the first message to the end of the last, and divided by that of the same stream without loss.
Every byte is checked. The clocks are 200 MHz: enough for the line, and faster to simulate; times
in the transport then last longer than at 312.5 MHz, which is the harder case.
"""

from __future__ import annotations

from typing import Any

from kumihimo._engine import Impairments
from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.eth.rig import LINE_BPS, TRANSPORT, US, Rig, label, library, setup
from kumihimo.build import BuildResult

CLOCKS = (5000, 5000)
MESSAGE = 64 * 1024
# name, impairment, messages (quick, full), seed, goal. A message is eight frames. With the first
# seed two of the 3,200 frames of the short run are lost; with most others none would be.
CASES: tuple[tuple[str, dict[str, float], tuple[int, int], int, float], ...] = (
    ("1e4", {"loss": 1e-4}, (400, 5000), 18, 0.99),
    ("1e3", {"loss": 1e-3}, (300, 2000), 2, 0.97),
    ("1e2", {"loss": 1e-2}, (150, 1000), 2, 0.85),
    ("reorder", {"reorder": 0.01, "reorder_gap": 8}, (150, 1000), 2, 0.99),
)


def transfer(
    built: BuildResult, impair: dict[str, Any], messages: int, seed: int
) -> dict[str, Any]:
    """One stream; its goodput and what happened to it."""
    with Rig(
        built,
        2,
        latency_ps=US,
        impair=Impairments(**impair),
        periods=CLOCKS,
        seed=seed,
    ) as rig:
        rig.until_up()
        rig.clear(1)
        rig.start(0, 1, MESSAGE, messages)
        check = rig.regs[1].eth_check
        line_ps = int(messages * MESSAGE * 8e12 / LINE_BPS)
        rig.wait(
            f"the last of {messages} messages",
            lambda: check.messages.read() + check.wrong.read() >= messages,
            max(20 * US, line_ps // 200),
            20 * line_ps + 100_000 * US,
        )
        span = rig.ns(check.end_cycle.read() - check.first_end.read())
        faults = rig.faults(1)
        received = rig.checked(1)["bytes"]
        sender = rig.regs[0].eth_rtp.counters()
        receiver = rig.regs[1].eth_rtp.counters()
        (cable,) = rig.engine.stats()["cables"].values()
    return {
        "messages": messages,
        "bytes": received,
        "goodput_gb_s": (messages - 1) * MESSAGE / span,
        "bad_bytes": faults["bad_bytes"] + abs(received - messages * MESSAGE),
        "faults": sum(faults.values()),
        "data_frames": sender["tx_data"],
        "retransmitted": sender["tx_retransmit"],
        "spurious_rtx": sender["spurious_rtx"],
        "timeouts": sender["timeout"],
        "lost_data_frames": cable["ab"]["lost"],
        "lost_acknowledgements": cable["ba"]["lost"],
        "reordered": cable["ab"]["reordered"] + cable["ba"]["reordered"],
        "received_twice": receiver["rx_dup"],
    }


def run(progress: Progress, quick: bool) -> BenchResult:
    """All cases; `quick` sends fewer messages."""
    result = BenchResult("eth-loss", command=f"kumi bench eth-loss{' --quick' * quick} --json")
    progress.step("building", 0, 6)
    built = library(TRANSPORT)
    result.rtl[label(TRANSPORT)] = built.design_hash
    progress.step("without loss", 1, 6)
    clean = transfer(built, {}, 100 if quick else 300, 1)
    common = {"round_trip_us": 2.0, "line_gb_s": LINE_BPS / 8e9, "frame_bytes": 9214}
    result.rows.append({"case": "clean", **common, **clean})
    bad = clean["bad_bytes"] + clean["faults"]
    for number, (name, impair, counts, seed, goal) in enumerate(CASES):
        progress.step(name, 2 + number, 6)
        row = transfer(built, impair, counts[0 if quick else 1], seed)
        ratio = row["goodput_gb_s"] / clean["goodput_gb_s"]
        result.rows.append({"case": name, **impair, **common, **row, "ratio": ratio})
        result.summary[f"goodput_{name}"] = ratio
        result.goals[f"goodput_{name}"] = (">=", goal)
        bad += row["bad_bytes"] + row["faults"]
    result.summary["bad_bytes"] = bad
    result.goals["bad_bytes"] = ("==", 0)
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    result.setup = setup(TRANSPORT, note="40 Gb/s, round trip 2 us")
    return result
