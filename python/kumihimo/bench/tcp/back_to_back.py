# SPDX-License-Identifier: Apache-2.0
"""`kumi bench tcp`: two TCP engines at 512 bits, back to back.

Unconstrained: the cable has no line rate, so what is measured is what the engines take and give:
payload bytes per cycle from the first to the last byte at the receiving kernel. On the line: the
same at 322.265625 MHz with a line of 100 Gb/s, as a share of the line; every frame costs 54 bytes
of headers and 24 of preamble, FCS and gap. Ping-pong: from the kernel's byte to the other kernel's
byte, less the cable; the worst of several phases. Connections: opens asked for as fast as they are
taken; none of their SYNs may get lost. Every byte is compared with what was sent.

Timestamps are off, as in the figures that the goals were taken from; a row shows them on.

The node as it ships (64 bits at 156.25 MHz, rings in memory, timestamps, reset values) is measured
on a line of 10 Gb/s: its share of the line and the same ping-pong.

Each session sends long enough to leave its initial window and the ring behind. Depth and estimate
are of the units' rows in docs/figures/synth.md; the clock of 322 MHz needs an estimate of 0.83.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kumihimo.bench import synthesis
from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.setup import Setup
from kumihimo.bench.tcp.rig import (
    NS,
    ON_CHIP,
    PERIOD_PS,
    US,
    Row,
    TcpRig,
    label,
    library,
    line_share,
    setup,
    share_limit,
)
from kumihimo.build import BuildResult

LINE_BPS = 100e9
LONG = 16_000_000  # bytes a session
SHIPPED_BPS, SHIPPED_PS = 10e9, 6400
CHUNK = {1500: 14_600, 9000: 17_920}  # a whole number of segments, so that none is cut short
# Cold: 10 ms of first time-out and 1 ms of least time-out suit wide networks, not this cable.
COMMON: Mapping[str, int] = {"tcp.rto_init": 200, "tcp.rto_min": 200}


def _registers(timestamps: bool = False) -> dict[str, int]:
    return {**COMMON, "tcp.ctrl.ts": int(timestamps)}


def _rig(built: BuildResult, mtu: int, rate: float, timestamps: bool = False) -> TcpRig:
    return TcpRig(built, mtu=mtu, rate_bps=rate, settings=_registers(timestamps))


def _shipped_rig(built: BuildResult) -> TcpRig:
    """Registers at their reset values, but for addresses."""
    return TcpRig(built, mtu=1500, rate_bps=SHIPPED_BPS, period_ps=SHIPPED_PS)


def _stream(
    built: BuildResult,
    mtu: int,
    each: int,
    *,
    rate: float = 0,
    sessions: int = 1,
    both: bool = False,
    timestamps: bool = False,
) -> Row:
    """Send `each` bytes over each of `sessions` from node 0 to node 1, or both ways."""
    senders = (0, 1) if both else (0,)
    with _rig(built, mtu, rate, timestamps) as rig:
        for node in senders:
            rig.open(node, sessions)
        rig.run(5 * US)
        rig.clear()
        for node in senders:
            rig.write(node, each, CHUNK[mtu])
        rig.wait(
            "all bytes are there",
            lambda: all(rig.arrived(1 - node) >= each * sessions for node in senders),
            step_ps=20 * US,
            limit_ps=(5_000 + each * sessions // 1_000) * US,
        )
        rig.run(2 * US)
        rig.check()
        per_cycle, took = [], []
        for node in senders:
            block = rig.regs[1 - node].tcp_traffic
            cycles = block.rx_last.read() - block.rx_first.read() + 1
            per_cycle.append(rig.arrived(1 - node) / cycles)
            took.append(cycles)
        again = sum(regs.tcp.counters("core")["tx_retransmit"] for regs in rig.regs)
        row: Row = {
            "what": "stream" if not both else "stream both ways",
            "mtu_bytes": mtu,
            "sessions": sessions,
            "line_gb_s": rate / 1e9 or None,
            "timestamps": timestamps,
            "payload_bytes": each * sessions * len(senders),
            "bytes_per_cycle": min(per_cycle),
            "retransmitted": again,
        }
        if rate:
            row["share_of_line"] = line_share(
                each * sessions, max(took), rig.period_ps, rate, mtu, timestamps
            )
            row["share_limit"] = share_limit(mtu, timestamps)
        return row


def _ping(rig: TcpRig, count: int) -> Row:
    """One byte at a time from kernel to kernel, in an unused rig."""
    with rig:
        rig.open(0, 1)
        cycles = []
        for number in range(count):
            rig.run(3 * US + number * 37 * NS)
            rig.clear()
            rig.write(0, 1, 1)
            rig.wait("the byte has arrived", lambda: rig.arrived(1) >= 1, step_ps=US)
            sent = rig.regs[0].tcp_traffic.tx_first.read()
            cycles.append(rig.regs[1].tcp_traffic.rx_first.read() - sent)
        rig.check()
        cable = rig.latency_ps / rig.period_ps
    return {
        "what": "one byte, kernel to kernel, without the cable",
        "count": count,
        "cycles_min": min(cycles) - cable,
        "cycles_max": max(cycles) - cable,
        "cable_cycles": cable,
    }


def _shipped(result: BenchResult, progress: Progress, total: int, pings: int) -> None:
    """Rows of the node with its default parameters and registers."""
    progress.step("the node as it ships: building", 0, 2)
    built = library({})
    result.rtl[label({})] = built.design_hash
    line = setup({}, {}, note="156.25 MHz, line of 10 Gb/s")
    progress.step("the node as it ships: stream and ping-pong", 1, 2)
    with _shipped_rig(built) as rig:
        rig.open(0, 1)
        rig.run(5 * US)
        rig.clear()
        rig.write(0, total, CHUNK[1500])
        rig.wait("all bytes have arrived", lambda: rig.arrived(1) >= total)
        rig.run(2 * US)
        rig.check()
        block = rig.regs[1].tcp_traffic
        cycles = block.rx_last.read() - block.rx_first.read() + 1
    share = line_share(total, cycles, SHIPPED_PS, SHIPPED_BPS, 1500, True)
    stream = {
        "what": "stream",
        "mtu_bytes": 1500,
        "sessions": 1,
        "line_gb_s": SHIPPED_BPS / 1e9,
        "timestamps": True,
        "payload_bytes": total,
        "bytes_per_cycle": total / cycles,
        "share_of_line": share,
        "share_limit": share_limit(1500, True),
    }
    ping = _ping(_shipped_rig(built), pings)
    result.rows += [row | line.as_row() for row in (stream, ping)]
    result.summary["line_share_1500_shipped"] = share
    result.summary["pingpong_cycles_shipped"] = ping["cycles_max"]
    for name in ("line_share_1500_shipped", "pingpong_cycles_shipped"):
        result.setups[name] = line


def _connect(built: BuildResult, sessions: int) -> Row:
    """Open connections as fast as the engine takes the requests."""
    with _rig(built, 1500, 0) as rig:
        rig.open(0, 1)  # ARP is done then
        rig.clear()
        rig.open(0, sessions)
        block = rig.regs[0].tcp_traffic
        cycles = block.open_last.read() - block.open_first.read() + 1
        lost = rig.regs[1].tcp.counters()["drop_miss_full"]
    return {
        "what": "connections opened",
        "count": sessions,
        "cycles": cycles,
        "cycles_per_connection": cycles / sessions,
        "syn_lost": lost,
    }


def _state_bits(built: BuildResult) -> int:
    """Bits of the state that the core keeps of a session (docs/blocks/tcp-core.md)."""
    fields = built.info.structs["kumi_tcp_core_pkg::tcb_t"]
    return max(low + width for _, low, width in fields)


def is_unit_512(row: Row) -> bool:
    """A row of the engine, of one of its units, or of the IP stack below it at 512 bits."""
    ip = row["module"] in ("kumi_ip_stack", "kumi_ip6")
    return (row["group"] == "TCP" or ip) and row["params"].get("DATA_W", "512") == "512"


def _synthesis(result: BenchResult) -> None:
    """What the clock rests on, from the synthesis figures."""
    wide = synthesis.rows(is_unit_512)
    narrow = synthesis.rows(lambda row: row["module"] == "kumi_tcp" and "ecp5" in row)
    result.summary["depth_512"] = synthesis.depth(wide)
    result.summary["estimate_ratio_512"] = synthesis.speed_ratio(wide)
    result.summary["fmax_64_mhz"] = synthesis.fmax_mhz(narrow)
    for name, note in (
        ("depth_512", "docs/figures/synth.md: engine, units and IP stack at 512 bits, the deepest"),
        ("estimate_ratio_512", "docs/figures/synth.md: the same, the slowest"),
        ("fmax_64_mhz", "docs/figures/synth.md: TCP engine, 64 b, ECP5"),
    ):
        result.setups[name] = setup({}, {}, note=note)


def _setup_of(case: Mapping[str, Any]) -> Setup:
    """The configuration of a case of the 512-bit engine."""
    note = "line of 100 Gb/s" if "rate" in case else "no line rate"
    return setup(ON_CHIP, _registers(case.get("timestamps", False)), case["mtu"], note)


def run(progress: Progress, quick: bool) -> BenchResult:
    """All rows; `quick` sends less."""
    many = 16 if quick else 64

    def each(sessions: int) -> int:
        return 400_000 // sessions if quick else LONG

    progress.step("building two engines of 512 bits", 0, 10)
    built = library(ON_CHIP)
    cases: list[tuple[str, Mapping[str, Any]]] = [
        ("bpc_1500", {"mtu": 1500}),
        ("bpc_1500_64", {"mtu": 1500, "sessions": many}),
        ("bpc_9000", {"mtu": 9000}),
        ("bpc_bidir_1500", {"mtu": 1500, "both": True}),
        ("bpc_bidir_9000", {"mtu": 9000, "both": True}),
        ("line_share_1500", {"mtu": 1500, "rate": LINE_BPS}),
        ("line_share_9000", {"mtu": 9000, "rate": LINE_BPS}),
        ("line_share_1500_64", {"mtu": 1500, "rate": LINE_BPS, "sessions": many}),
        ("line_share_9000_64", {"mtu": 9000, "rate": LINE_BPS, "sessions": many}),
        ("", {"mtu": 1500, "rate": LINE_BPS, "timestamps": True}),
    ]
    result = BenchResult("tcp", rtl={label(ON_CHIP): built.design_hash})
    for number, (key, case) in enumerate(cases):
        progress.step(f"stream {case}", number + 1, len(cases) + 2)
        row = _stream(built, each=each(case.get("sessions", 1)), **case)
        used = _setup_of(case)
        result.rows.append(row | used.as_row())
        if key:
            measure = "share_of_line" if "rate" in case else "bytes_per_cycle"
            result.summary[key] = row[measure]
            result.setups[key] = used
    progress.step("ping-pong", len(cases), len(cases) + 2)
    ping = _ping(_rig(built, 1500, 0), 5 if quick else 40)
    progress.step("connections", len(cases) + 1, len(cases) + 2)
    connect = _connect(built, 96)
    if ping["cycles_max"] <= 0:
        raise BenchError(f"the ping-pong makes no sense: {ping}")
    result.setup = _setup_of({"mtu": 1500})
    result.rows += [ping, connect]
    result.summary |= {
        "pingpong_cycles": ping["cycles_max"],
        "cycles_per_connection": connect["cycles_per_connection"],
        "syn_lost": connect["syn_lost"],
        "pingpong_ns": ping["cycles_max"] * PERIOD_PS / 1000,
        "state_bytes_per_session": _state_bits(built) / 8,
    }
    _shipped(result, progress, each(1), 5 if quick else 40)
    _synthesis(result)
    limits = {mtu: 0.99 * share_limit(mtu, False) for mtu in (1500, 9000)}
    result.goals = {
        "bpc_1500": (">=", 56),
        "bpc_1500_64": (">=", 56),
        "bpc_9000": (">=", 62),
        "bpc_bidir_1500": (">=", 56),
        "bpc_bidir_9000": (">=", 62),
        "line_share_1500": (">=", limits[1500]),
        "line_share_9000": (">=", limits[9000]),
        "line_share_1500_64": (">=", limits[1500]),
        "line_share_9000_64": (">=", limits[9000]),
        "pingpong_cycles": ("<=", 85),
        "pingpong_ns": ("<=", 270),
        "depth_512": ("<=", 10),
        "estimate_ratio_512": (">=", 0.83),
        "fmax_64_mhz": (">=", 100),
        "cycles_per_connection": ("<=", 64),
        "syn_lost": ("<=", 0),
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    del result.origins["syn_lost"]
    return result
