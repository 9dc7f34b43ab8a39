# SPDX-License-Identifier: Apache-2.0
"""`kumi bench eth-incast`: fifteen senders to one receiver, and a peer that stops reading.

Seventeen nodes with the transport on a 40 Gb/s switch. In a window of time behind the start:

- incast: nodes 0 to 14 send to node 15 as fast as they can. How busy is the receiver's link, how
  evenly is it shared (Jain's index over the senders' bytes), how many frames does it drop?
- stopped: the same, but every sender also has messages for node 16, in turns with those for node
  15, and node 16 does not read. What does node 15 get now, against before?
- scatter: node 15 sends to nodes 0 to 14 and to node 16, which does not read; against the same
  without node 16.

A message is what one frame holds: 9,184 bytes, `--quick` 2,048. The window begins when the stopped
peer has had all that it has room for. Every byte is checked. The clocks are 200 MHz: enough for the
line, and faster to simulate.
"""

from __future__ import annotations

from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.eth.rig import LINE_BPS, NS, OVERHEAD, TRANSPORT, US, Rig, label, library, setup
from kumihimo.build import BuildResult

CLOCKS = (5000, 5000)
SENDERS = 15
RECEIVER = 15
STOPPED = 16
NODES = 17
SWITCH = {"mode": "store-and-forward", "latency_ps": 322 * NS}


class _Incast:
    """The cluster, associations open."""

    def __init__(self, built: BuildResult, queue: int, message: int) -> None:
        self.rig = Rig(
            built,
            NODES,
            mtu=message + 30 + 2,
            latency_ps=236 * NS,
            switch={**SWITCH, "queue_bytes": queue},
            periods=CLOCKS,
        )
        self.rig.until_up()
        self.rig.clear(STOPPED, hold=True)

    def window(self, node: int, warm_ps: int, span_ps: int) -> int:
        """Let bytes at `node` count for `span_ps` when `warm_ps` have passed; returns the start."""
        begin = self.rig.engine.now_ps + warm_ps
        check = self.rig.regs[node].eth_check
        check.from_cycle.write(begin // CLOCKS[0])
        check.to_cycle.write((begin + span_ps) // CLOCKS[0])
        return begin

    def run_to(self, time_ps: int) -> None:
        """Advance to a time."""
        self.rig.run(max(0, time_ps - self.rig.engine.now_ps))

    def link(self) -> dict[str, int]:
        """What passed from the switch to the receiver so far."""
        return dict(self.rig.engine.stats()["cables"][f"c{RECEIVER}"]["ba"])


def _jain(values: list[int]) -> float:
    return sum(values) ** 2 / (len(values) * sum(v * v for v in values))


def _dropped(cluster: _Incast) -> int:
    """Frames that reached the receiver and found no room there."""
    regs = cluster.rig.regs[RECEIVER]
    port = cluster.rig.engine.stats()["nodes"][f"n{RECEIVER}"]["ports"]["eth0"]
    mac = regs.eth_port.counters("rx_counters")
    tp = regs.eth_rtp.counters()
    return int(port["rx_overflow"] + mac["rx_no_room"] + tp["rx_out_of_window"])


def gather(
    built: BuildResult, message: int, queue: int, warm_ps: int, span_ps: int, stopped: bool
) -> dict[str, Any]:
    """Everybody sends to the receiver, and to the stopped peer if there is one."""
    cluster = _Incast(built, queue, message)
    rig = cluster.rig
    with rig:
        rig.clear(RECEIVER)
        begin = cluster.window(RECEIVER, warm_ps, span_ps)
        for sender in range(SENDERS):
            rig.start(sender, RECEIVER, message, 0, count=2 if stopped else 1, room=stopped)
        cluster.run_to(begin)
        before = cluster.link()
        cluster.run_to(begin + span_ps)
        after = cluster.link()
        rig.run(20 * US)
        share = [rig.source_bytes(RECEIVER, sender) for sender in range(SENDERS)]
        faults = rig.faults(RECEIVER)
        frames = after["frames_in"] - before["frames_in"]
        used = after["bytes_in"] - before["bytes_in"] + frames * OVERHEAD
        totals: dict[str, int] = {}
        for sender in range(SENDERS):
            for name, value in rig.regs[sender].eth_rtp.counters().items():
                totals[name] = totals.get(name, 0) + value
        switch = rig.engine.stats()["switches"]["sw"]["ports"][str(RECEIVER)]
        return {
            "senders": SENDERS,
            "message_bytes": message,
            "stopped_peer": stopped,
            "switch_queue_bytes": queue,
            "window_us": span_ps / US,
            "goodput_gb_s": sum(share) / (span_ps / NS),
            "link_busy": used / (LINE_BPS / 8e12 * span_ps),
            "jain": _jain(share),
            "least_bytes": min(share),
            "most_bytes": max(share),
            "dropped_at_receiver": _dropped(cluster),
            "dropped_at_switch": switch["tx_queue_full"],
            "retransmitted": totals["tx_retransmit"],
            "timeouts": totals["timeout"],
            "faults": sum(faults.values()),
        }


def scatter(
    built: BuildResult, message: int, warm_ps: int, span_ps: int, stopped: bool
) -> dict[str, Any]:
    """The receiver of before sends to all, and to the stopped peer if there is one."""
    cluster = _Incast(built, 1 << 22, message)
    rig = cluster.rig
    with rig:
        for node in range(SENDERS):
            rig.clear(node)
            begin = cluster.window(node, warm_ps, span_ps)
        # Peer 15 is the node itself, which is in no table and never has room.
        count = NODES if stopped else SENDERS
        rig.start(RECEIVER, 0, message, 0, count=count, room=True)
        cluster.run_to(begin + span_ps + 20 * US)
        share = [rig.source_bytes(node, RECEIVER) for node in range(SENDERS)]
        faults = sum(sum(rig.faults(node).values()) for node in range(SENDERS))
        return {
            "receivers": SENDERS,
            "message_bytes": message,
            "stopped_peer": stopped,
            "window_us": span_ps / US,
            "goodput_gb_s": sum(share) / (span_ps / NS),
            "jain": _jain(share),
            "skipped": rig.regs[RECEIVER].eth_gen.skipped.read(),
            "faults": faults,
        }


def _beside(with_peer: dict[str, Any], without: dict[str, Any]) -> dict[str, Any]:
    """What the others get beside a stopped peer, over what they get without it."""
    return {"ratio": with_peer["goodput_gb_s"] / without["goodput_gb_s"], "ratio_goal": ">= 0.99"}


def run(progress: Progress, quick: bool) -> BenchResult:
    """All parts; `quick` has a shorter window."""
    result = BenchResult("eth-incast", command=f"kumi bench eth-incast{' --quick' * quick} --json")
    progress.step("building", 0, 6)
    built = library(TRANSPORT)
    result.rtl[label(TRANSPORT)] = built.design_hash
    size = 2048 if quick else 9184
    warm, span = (250 * US, 200 * US) if quick else (1200 * US, 1000 * US)
    big = 1 << 22
    progress.step("incast", 1, 6)
    plain = gather(built, size, big, warm, span, False)
    progress.step("incast with a stopped peer", 2, 6)
    beside = gather(built, size, big, warm, span, True)
    progress.step("scatter", 3, 6)
    free = scatter(built, size, warm // 2, span // 2, False)
    progress.step("scatter with a stopped peer", 4, 6)
    blocked = scatter(built, size, warm // 2, span // 2, True)
    result.rows = [
        {"part": "incast", **plain},
        {"part": "stopped", **beside, **_beside(beside, plain)},
        {"part": "scatter", **free},
        {"part": "scatter", **blocked, **_beside(blocked, free)},
    ]
    if not quick:
        progress.step("a switch with small queues", 5, 6)
        result.rows.append({"part": "incast", **gather(built, size, 1 << 17, warm, span, False)})
    faults = sum(row["faults"] for row in result.rows)
    if faults:
        raise BenchError(f"{faults} messages did not arrive as they were sent: {result.rows}")
    result.summary = {
        "dropped_at_receiver": plain["dropped_at_receiver"] + beside["dropped_at_receiver"],
        "link_busy": min(plain["link_busy"], beside["link_busy"]),
        "jain": min(plain["jain"], beside["jain"]),
    }
    result.goals = {
        "dropped_at_receiver": ("==", 0),
        "link_busy": (">=", 0.99),
        "jain": (">=", 0.99),
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    result.setup = setup(TRANSPORT, size + 32, "40 Gb/s, 17 nodes")
    return result
