# SPDX-License-Identifier: Apache-2.0
"""`kumi bench link`: the serial link, both ends in one design, joined by the engine's lane cables.

payload share: bytes of frames over the raw rate of the lanes, which counts all 66 bits of a block;
the code alone leaves 64/66 = 0.9697 of it. `share_of_64` is the same over the 64-bit payloads.
Frames of 64 KiB, clock compensation, CRC and retransmission on, both directions busy.
core: first beat of a frame in to first beat out, transmitter and receiver of the framing layer, as
the open core that it stands beside was measured (7 cycles); the cable's delay is taken off.
retry: the same through all layers, a short frame, which waits for its CRC.
hop, board: a word through one circuit switch, and from crossing one switch over a link to the port
of the next, without cable (link_hop).
goodput: payload over raw rate at a bit error rate; lost: frames missing, doubled or changed.
"""

from __future__ import annotations

import random
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.link.hop import hop
from kumihimo.bench.setup import Setup
from kumihimo.common.errors import KumiError
from kumihimo.testing import Dut, Frame

PERIOD_NS = 6.4  # 156.25 MHz: 10.3125 Gb/s a lane
PAPER_BOARD_NS = 550
PEER_CORE_CYCLES = 7
RATES = (0.0, 1e-12, 1e-8, 1e-6, 1e-5)
BIG = 65536
GOALS = {
    "payload_share": (">=", 0.96),
    "core_cycles": ("<=", 10.0),
    "board_ns": ("<=", 150.0),
    "lost": ("==", 0.0),
}


def _setup(lanes: int, retry: bool = True) -> Setup:
    """Without retransmission nothing is held at the receiver either."""
    params = {"LANES": lanes} if retry else {"LANES": lanes, "RX_BEATS": 0}
    return Setup("kumi_node_link_pair", params, note="" if retry else "retransmission off")


class _Pair:
    """Both ends, up."""

    def __init__(self, lanes: int, retry: bool, rate: float = 0.0, latency: int = 1,
                 beats: int = 1024, seed: int = 1) -> None:  # fmt: skip
        self.lanes = lanes
        self.dut = Dut("kumi_node_link_pair", {"LANES": lanes, "RX_BEATS": beats}, profile="fast")
        for i in range(lanes):
            self.dut.lane_cable(f"l0_{i}", f"l1_{i}", latency, ber=rate, seed=seed + i)
        for end, nonce in (("a", 1), ("b", 2)):
            self.dut.set(
                f"cfg_{end}",
                {"lanes.lanes": 15, "retry.enable": int(retry), "retry.plain_ok": 1,
                 "retry.nonce": nonce},
            )  # fmt: skip
            self.dut.watch(f"ev_{end}")
        self.dut.run_until(self._ready, 40_000, step=32, what="both ends up")
        self.dut.run(200)

    def _ready(self) -> bool:
        rows = [self.dut.get_struct(f"status_{x}") for x in "ab"]
        return all(r["retry.open"] and r["lanes.count"] == self.lanes for r in rows)

    def latency(self, size: int, count: int) -> list[int]:
        """First beat in to first beat out, for frames apart from each other."""
        out = []
        self.dut.sent("s_axis_a")
        for i in range(count):
            self.dut.send("s_axis_a", bytes(size))
            frame = self.dut.recv("m_axis_b", 1)[0]
            out.append(frame.cycle - self.dut.sent("s_axis_a")[0][0])
            self.dut.run(40 + 7 * i)
        return out

    def load(self, frames: int, size: int, seed: int) -> tuple[float, int]:
        """(payload bits over raw bits of the lanes, frames lost) with both directions busy."""
        rng = random.Random(seed)
        sent = {x: [rng.randbytes(size) for _ in range(frames)] for x in "ab"}
        self.dut.send("s_axis_a", sent["b"])
        self.dut.send("s_axis_b", sent["a"])
        got: dict[str, list[Frame]] = {"a": [], "b": []}
        limit = self.dut.cycle + 20 * frames * (size // (8 * self.lanes) + 100)
        while min(map(len, got.values())) < frames and self.dut.cycle < limit:
            self.dut.run(512)
            for x in "ab":
                got[x] += self.dut.recv(f"m_axis_{x}")
        lost = 0
        shares = []
        for x in "ab":
            lost += max(frames, len(got[x])) - sum(
                g.data == s and not g.bad for g, s in zip(got[x], sent[x], strict=False)
            )
            if len(got[x]) > 1:
                cycles = got[x][-1].last_cycle - got[x][0].last_cycle
                shares.append((len(got[x]) - 1) * size * 8 / (66 * self.lanes * cycles))
        if not shares:
            raise BenchError("the link delivered nothing")
        return sum(shares) / len(shares), lost

    def count(self, event: str) -> int:
        return sum(self.dut.counts(f"ev_{x}").get(event, 0) for x in "ab")


def _latency(lanes: int, retry: bool, size: int, count: int) -> dict[str, Any]:
    """Cycles at two cable delays, so that the cable's own can be taken off exactly."""
    near = _Pair(lanes, retry, latency=2, beats=1024 if retry else 0).latency(size, count)
    far = _Pair(lanes, retry, latency=12, beats=1024 if retry else 0).latency(size, count)
    if min(far) - min(near) != 10:
        raise BenchError("the cable's delay and the measured latency do not agree")
    return {
        "what": "retry" if retry else "core",
        "lanes": lanes,
        "frame_bytes": size,
        "cycles": min(near) - 2,
        "cycles_most": max(near) - 2,
        "ns": (min(near) - 2) * PERIOD_NS,
        "peer": None if retry else PEER_CORE_CYCLES,
        **_setup(lanes, retry).as_row(),
    }


def run(progress: Progress, quick: bool = False) -> BenchResult:
    """Latency with one and four lanes, share and goodput with one (four: share only)."""
    result = BenchResult("link", goals=dict(GOALS))
    count = 6 if quick else 40
    steps = 4 + len(RATES) + 2
    done = 0

    def step(text: str) -> None:
        nonlocal done
        progress.step(text, done, steps)
        done += 1

    try:
        for lanes in (1, 4):
            for retry in (False, True):
                step(f"latency, {lanes} lanes")
                result.rows.append(
                    _latency(lanes, retry, 8 * lanes - 8 if lanes > 1 else 24, count)
                )
        lost = 0
        share: dict[tuple[int, float], float] = {}
        for lanes, rates in ((1, RATES), (4, (0.0, 1e-5))):
            for rate in rates:
                step(f"{lanes} lanes, error rate {rate:g}")
                pair = _Pair(lanes, True, rate, latency=8)
                result.rtl[f"kumi_node_link_pair LANES={lanes}"] = pair.dut.built.design_hash
                part, missing = pair.load(6 * lanes if quick else 40 * lanes, BIG, seed=1)
                lost += missing
                share[lanes, rate] = part
                result.rows.append(
                    {
                        "what": "goodput",
                        "lanes": lanes,
                        "ber": rate,
                        "share_of_raw": part,
                        "share_of_64": part * 66 / 64,
                        "lost": missing,
                        "chunks": pair.count("retry.sent"),
                        "chunks_replayed": pair.count("retry.replayed"),
                        "bad_crc": pair.count("retry.bad_crc"),
                        **_setup(lanes).as_row(),
                    }
                )
        step("circuit switch")
        through = hop()
    except KumiError as problem:
        raise BenchError(str(problem)) from problem
    core = [r for r in result.rows if r["what"] == "core"]
    board = through["board_cycles"]
    board_ns = board * PERIOD_NS
    result.rows.append(
        {"what": "board to board, with a switch hop", "cycles": board, "ours": board_ns,
         "paper": PAPER_BOARD_NS}
    )  # fmt: skip
    result.setup = _setup(1)
    switched = Setup("kumi_t_stdm_pair", {"LANES": 1}, note="test pair of switches, no cable")
    result.setups = {
        "core_cycles": _setup(1, retry=False),
        "retry_cycles": Setup("kumi_node_link_pair", note="1 and 4 lanes, the worse"),
        "hop_cycles": switched,
        "board_ns": switched,
    }
    result.rows[-1] |= switched.as_row()
    result.origins = dict.fromkeys(GOALS, Origin.REQUIREMENT)
    result.summary = {
        "payload_share": share[1, 0.0],
        "core_cycles": max(r["cycles"] for r in core),
        "hop_cycles": through["hop_cycles"],
        "board_ns": board_ns,
        "lost": lost,
        "goodput_1e6": share[1, 1e-6],
        "goodput_1e5": share[1, 1e-5],
        "retry_cycles": max(r["cycles"] for r in result.rows if r["what"] == "retry"),
    }
    return result
