# SPDX-License-Identifier: Apache-2.0
"""`kumi bench eth-latency`: from kernel to kernel over Ethernet, beside the paper's three bars.

What the paper measured of its MAC, PHY and switch is what the cables and the switch of this bench
are given: 472 ns in all from MAC to MAC, 322 ns in the switch. The rest is measured: the time from
the first word of a message at the sending kernel to the first word at the receiving one, and, of
the same message, the time from MAC to MAC. Their difference is the controller (or controller and
transport): both directions and both clock crossings. One message at a time, with many phases of
the four clocks. The cables have no line rate here, for the paper's 472 ns hold its line.
"""

from __future__ import annotations

from statistics import fmean
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.eth.rig import (
    CONTROLLER,
    KERNEL_PS,
    MAC_PS,
    NS,
    TRANSPORT,
    US,
    Params,
    Rig,
    label,
    library,
    setup,
)
from kumihimo.build import BuildResult

PAPER_NS = {"direct": 472.0, "via_switch": 794.0, "via_switch_controller": 856.0}
PAPER_CYCLES = 62.0 / 3.2
SWITCH = {"mode": "cut-through", "latency_ps": 322 * NS}
SIZE = 32  # bytes: a word of the paper's channels
MTU, LONG_MTU = 1514, 9216  # of the bars, as nodes ship; of longer messages


def _phases(number: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """First edges of the clocks of A and B, another set for each number."""
    b = (number * 947 % KERNEL_PS, (number * 1237 + 411) % MAC_PS)
    return (number * 613 % KERNEL_PS, number * 271 % MAC_PS), b


class _Pair:
    """Two nodes; A sends one message after the other to B."""

    def __init__(self, built: BuildResult, switched: bool, number: int, mtu: int) -> None:
        self.phases = _phases(number)
        self.rig = Rig(
            built,
            2,
            mtu=mtu,
            rate_bps=0,
            latency_ps=(236 if switched else 472) * NS,
            switch=SWITCH if switched else None,
            phases=self.phases,
            seed=number + 1,
        )
        self.rig.until_up()

    def message(self, size: int, wait_ps: int) -> tuple[float, float]:
        """Kernel to kernel and MAC to MAC of one message, first word to first word, in ns."""
        rig = self.rig
        a, b = rig.regs
        rig.clear(1)
        rig.run(wait_ps)
        rig.start(0, 1, size)
        rig.run(5 * US)
        if b.eth_check.messages.read() != 1 or any(rig.faults(1).values()):
            raise BenchError(f"the message did not arrive as it was sent\n{rig.show()}")
        (a_kernel, a_mac), (b_kernel, b_mac) = self.phases
        kernel = b.eth_check.first_sum.read() * KERNEL_PS + b_kernel - a_kernel
        cycles = b.eth_port.rx_first.read() - a.eth_port.tx_first.read()
        return kernel / 1000, (cycles * MAC_PS + b_mac - a_mac) / 1000


def _measure(
    built: BuildResult, switched: bool, sets: int, count: int, size: int = SIZE
) -> tuple[list[float], list[float]]:
    """Kernel to kernel and MAC to MAC for `sets` sets of phases and `count` messages of each."""
    kernel, mac = [], []
    for number in range(sets):
        pair = _Pair(built, switched, number, MTU if size == SIZE else LONG_MTU)
        with pair.rig:
            for index in range(count):
                one = pair.message(size, 10 * NS + index * 1733)
                kernel.append(one[0])
                mac.append(one[1])
    return kernel, mac


def _bar(name: str, values: list[float]) -> dict[str, Any]:
    return {
        "bar": name,
        "message_bytes": SIZE,
        "messages": len(values),
        "ours": {"mean_ns": fmean(values), "min_ns": min(values), "max_ns": max(values)},
        "paper": {"mean_ns": PAPER_NS[name]},
    }


def _inside(name: str, size: int, kernel: list[float], mac: list[float]) -> dict[str, Any]:
    """What kernel to kernel takes beyond MAC to MAC, in cycles of 312.5 MHz."""
    cycles = [(k - m) * 1000 / MAC_PS for k, m in zip(kernel, mac, strict=True)]
    return {
        "inside": name,
        "message_bytes": size,
        "messages": len(cycles),
        "ours": {
            "mean_cycles": fmean(cycles),
            "min_cycles": min(cycles),
            "max_cycles": max(cycles),
            "mean_ns": fmean(cycles) * MAC_PS / 1000,
        },
        "paper": {"mean_cycles": PAPER_CYCLES, "mean_ns": 62.0},
    }


def run(progress: Progress, quick: bool) -> BenchResult:
    """All bars; `quick` sends fewer messages."""
    result = BenchResult(
        "eth-latency", command=f"kumi bench eth-latency{' --quick' * quick} --json"
    )
    sets, count = (6, 10) if quick else (24, 40)
    made: dict[str, BuildResult] = {}
    parts: tuple[tuple[str, Params], ...] = (("controller", CONTROLLER), ("transport", TRANSPORT))
    for step, (name, params) in enumerate(parts):
        progress.step(f"building the node with the {name}", step, 6)
        made[name] = library(params)
        result.rtl[label(params)] = made[name].design_hash
    progress.step("direct", 2, 6)
    _, direct = _measure(made["controller"], False, sets, count)
    progress.step("via switch and controller", 3, 6)
    kernel, mac = _measure(made["controller"], True, sets, count)
    progress.step("transport", 4, 6)
    tp_kernel, tp_mac = _measure(made["transport"], True, sets, count)
    result.rows = [
        _bar("direct", direct),
        _bar("via_switch", mac),
        _bar("via_switch_controller", kernel),
        {**_bar("via_switch_controller", tp_kernel), "bar": "via_switch_controller_transport"},
        _inside("controller", SIZE, kernel, mac),
        _inside("controller and transport", SIZE, tp_kernel, tp_mac),
    ]
    result.setup = setup(CONTROLLER, MTU, f"messages of {SIZE} bytes")
    transport = setup(TRANSPORT, MTU, result.setup.note)
    result.setups["transport_cycles"] = transport
    for row in result.rows:
        if "transport" in str(row.get("bar", row.get("inside"))):
            row |= transport.as_row()
    progress.step("longer messages", 5, 6)
    for name in ("controller", "transport"):
        for size in (256, 1024, 8192):
            pair = _measure(made[name], True, 2, 4, size)
            row = {**_inside(name, size, *pair), "paper": None}
            row |= setup(dict(parts)[name], LONG_MTU).as_row()
            result.rows.append(row)
    result.summary = {
        "direct_ns": fmean(direct),
        "via_switch_ns": fmean(mac),
        "via_switch_controller_ns": fmean(kernel),
        "controller_cycles": result.rows[4]["ours"]["max_cycles"],
        "transport_cycles": result.rows[5]["ours"]["max_cycles"],
    }
    result.goals = {"controller_cycles": ("<=", 12), "transport_cycles": ("<=", 20)}
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    return result
