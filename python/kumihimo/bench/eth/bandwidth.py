# SPDX-License-Identifier: Apache-2.0
"""`kumi bench eth-bandwidth`: payload on a 40 Gb/s line (5 GB/s) by size of message.

Two nodes through the paper's switch (322 ns, 472 ns of MACs and PHYs), with three ways to send:
paper framing without stores, the controller's own framing, and the transport. Two figures a size:

- single: one message alone, its bytes over the time from its first word at the sending kernel to
  its last word at the receiving one. Where this passes half of the peak is the half-peak size.
- stream: messages one after the other; bytes from the end of the first to the end of the last over
  the time between them, so that filling the pipe does not count.

The paper's curve is a picture without numbers. Its text gives the peak, 4.97 GB/s, and the latency
of a short message, 856 ns; no curve with these two can reach half of the peak before 856 ns times
4.97 GB/s = 4,254 bytes. That is the figure which ours is held against.
"""

from __future__ import annotations

from typing import Any

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.eth.rig import (
    CONTROLLER,
    LINE_BPS,
    NS,
    OVERHEAD,
    PAPER,
    TRANSPORT,
    US,
    Params,
    Rig,
    label,
    library,
    setup,
)
from kumihimo.build import BuildResult

LINE_BYTES_NS = LINE_BPS / 8e9
PAPER_LATENCY_NS = 856.0
PAPER_PEAK = 4.97
PAPER_HALF_PEAK = PAPER_LATENCY_NS * PAPER_PEAK
SWITCH = {"mode": "cut-through", "latency_ps": 322 * NS, "queue_bytes": 1 << 22}
WAYS: tuple[tuple[str, Params], ...] = (
    ("paper framing", PAPER),
    ("controller", CONTROLLER),
    ("transport", TRANSPORT),
)
KIB = 1024


def _sizes(quick: bool) -> list[int]:
    """32 bytes to 16 MiB in powers of two; `quick` takes a few up to 1 MiB."""
    powers = (5, 9, 13, 17, 20) if quick else range(5, 25)
    return [1 << n for n in powers]


def _pair(built: BuildResult, way: str) -> Rig:
    rig = Rig(built, 2, latency_ps=236 * NS, switch=SWITCH)
    rig.until_up()
    rig.clear(1, by_length=way == "paper framing")
    return rig


def _idle(rig: Rig, messages: int) -> bool:
    return rig.regs[1].eth_check.messages.read() >= messages


def single(rig: Rig, way: str, size: int) -> float:
    """Nanoseconds from the first word sent to the last word received of one message."""
    rig.clear(1, by_length=way == "paper framing")
    rig.run(2 * US)
    rig.start(0, 1, size)
    span = int(size / LINE_BYTES_NS) * NS
    rig.run(span)
    rig.wait(f"a message of {size} bytes", lambda: _idle(rig, 1), US)
    _sound(rig)
    return rig.ns(rig.regs[1].eth_check.last_sum.read())


def stream(rig: Rig, way: str, size: int, messages: int) -> dict[str, float]:
    """Rate of messages one after the other."""
    rig.clear(1, by_length=way == "paper framing")
    rig.run(2 * US)
    rig.start(0, 1, size, messages)
    check = rig.regs[1].eth_check
    step = max(US, int(size / LINE_BYTES_NS) * NS // 4)
    rig.wait("the last message", lambda: _idle(rig, messages), 2 * step)
    _sound(rig)
    span = rig.ns(check.end_cycle.read() - check.first_end.read())
    rate = (messages - 1) * size / span
    return {"gb_s": rate, "share_of_line": rate / LINE_BYTES_NS}


def _sound(rig: Rig) -> None:
    faults = rig.faults(1)
    if any(faults.values()):
        raise AssertionError(f"not every byte arrived as it was sent: {faults}")


def half_peak(rig: Rig, way: str) -> dict[str, float]:
    """Smallest size, in steps of a word, at which one message alone has half of the line's rate."""

    def rate(size: int) -> float:
        return size / single(rig, way, size)

    goal = PAPER_PEAK / 2
    high = 1024
    while rate(high) < goal:
        high *= 2
    low = high // 2
    while high - low > 32:
        middle = (low + high) // 64 * 32
        if rate(middle) < goal:
            low = middle
        else:
            high = middle
    return {"half_peak_bytes": high, "gb_s": rate(high)}


def run(progress: Progress, quick: bool) -> BenchResult:
    """All ways and sizes; `quick` takes fewer and ends at 1 MiB."""
    result = BenchResult(
        "eth-bandwidth", command=f"kumi bench eth-bandwidth{' --quick' * quick} --json"
    )
    peaks: dict[str, float] = {}
    halves: dict[str, float] = {}
    for number, (way, params) in enumerate(WAYS):
        progress.step(f"building for {way}", 10 * number, 30)
        built = library(params)
        result.rtl[label(params)] = built.design_hash
        with _pair(built, way) as rig:
            rows: list[dict[str, Any]] = []
            for size in _sizes(quick):
                progress.step(f"{way}, {size:,} bytes", 10 * number + 5, 30)
                alone = single(rig, way, size)
                enough = 128 * KIB if quick else KIB * KIB
                count = max(2, min(64, enough // size))
                flow = stream(rig, way, size, count)
                rows.append(
                    {
                        "way": way,
                        "message_bytes": size,
                        "single_ns": alone,
                        "single_gb_s": size / alone,
                        "stream_gb_s": flow["gb_s"],
                        "stream_share_of_line": flow["share_of_line"],
                        "messages": count,
                    }
                )
            half = half_peak(rig, way)
        for row in rows:
            row |= setup(params).as_row()
        peaks[way] = max(row["stream_share_of_line"] for row in rows)
        halves[way] = half["half_peak_bytes"]
        result.rows += rows
        result.rows.append(
            {
                "way": way,
                "ours": {
                    "peak_gb_s": peaks[way] * LINE_BYTES_NS,
                    "peak_share_of_line": peaks[way],
                    "half_peak_bytes": halves[way],
                },
                "paper": {
                    "peak_gb_s": PAPER_PEAK,
                    "peak_share_of_line": PAPER_PEAK / LINE_BYTES_NS,
                    "half_peak_bytes_at_least": PAPER_HALF_PEAK,
                },
                "limit": _limit(way),
                **setup(params).as_row(),
            }
        )
    result.summary = {
        "peak_paper_framing": peaks["paper framing"],
        "peak_transport": peaks["transport"],
        "half_peak_bytes": halves["paper framing"],
    }
    result.goals = {
        "peak_paper_framing": (">=", 0.9938),
        "peak_transport": (">=", 0.994),
        "half_peak_bytes": ("<", PAPER_HALF_PEAK),
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT) | {
        "half_peak_bytes": Origin.PAPER
    }
    result.setup = setup(PAPER)
    result.setups["peak_transport"] = setup(TRANSPORT)
    return result


def _limit(way: str) -> dict[str, Any]:
    """What the framing itself allows: whole words of 32 bytes in frames of 9,216 bytes."""
    head = {"paper framing": 32, "controller": 24, "transport": 30}[way]
    payload = (9216 - head) // 32 * 32
    return {"peak_share_of_line": payload / (payload + head + OVERHEAD)}
