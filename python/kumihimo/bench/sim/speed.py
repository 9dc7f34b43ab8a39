# SPDX-License-Identifier: Apache-2.0
"""`kumi bench sim-speed`: how fast clusters run on this machine, in wall time.

A cluster here is a number of UDP echo nodes, each with a 10 Gb/s cable of its own to an end that
sends 1,514-byte frames at line rate, so every node receives, answers and sends all the time.
kHz is clock cycles of one node in a second of wall time, while all nodes advance together.
"""

from __future__ import annotations

import os
import statistics
import time
from typing import Any

from kumihimo._engine import Engine, Node
from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.frames import mac_bytes, udp_frame
from kumihimo.bench.setup import Setup
from kumihimo.bench.sim import cocotb_peer, wall
from kumihimo.build import BuildResult, build

MICROSECOND = 1_000_000  # ps
RATE_BPS = 10e9
PAYLOAD = 1472
FRAME_PS = int((PAYLOAD + 42 + 24) * 8 / RATE_BPS * 1e12)
PERIOD_PS = {64: 6400, 512: 3103}
NODES = (1, 2, 4, 8, 16)


def _mac(index: int) -> str:
    return f"02:00:00:00:01:{index:02x}"


def _set_up(engine: Engine, node: int, index: int) -> None:
    """Addresses of a node, by the registers of its `ip` block at 0x1000."""
    from kumihimo.regs.generated import ip

    where = {reg.name: 0x1000 + reg.offset for reg in ip.BLOCK.regs}
    mac = int.from_bytes(mac_bytes(_mac(index)), "big")
    engine.axil_write(node, where["mac_hi"], mac >> 32)
    engine.axil_write(node, where["mac_lo"], mac & 0xFFFFFFFF)
    engine.axil_write(node, where["ip"], 0x0A4D0001 + index)
    engine.axil_write(node, where["netmask"], 0xFFFFFF00)


def _cluster(built: BuildResult, width: int, count: int, threads: int, span_ps: int) -> Engine:
    """`count` busy echo nodes, frames already on their way."""
    engine = Engine(threads=threads, seed=1)
    waiting: list[tuple[int, bytes]] = []
    for index in range(count):
        node = engine.add_node(f"node{index}", str(built.path), {"clk": PERIOD_PS[width]})
        script = engine.add_script(f"end{index}")
        engine.connect((node, "eth0"), (script, ""), rate_bps=RATE_BPS, latency_ps=500_000)
        _set_up(engine, node, index)
        frame = udp_frame(
            bytes(i & 0xFF for i in range(PAYLOAD)),
            "02:00:00:00:02:01",
            _mac(index),
            "10.77.0.250",
            f"10.77.0.{1 + index}",
            40000,
            7,
        )
        waiting.append((script, frame))
    engine.start()
    for script, frame in waiting:
        for k in range(span_ps // FRAME_PS):
            engine.send(script, frame, k * FRAME_PS)
    return engine


def _time(engine: Engine, span_ps: int) -> float:
    start = time.perf_counter()
    engine.run(span_ps)
    return time.perf_counter() - start


def _khz(built: BuildResult, width: int, count: int, threads: int, seconds: float) -> float:
    """Cycles a millisecond of one node, measured over about `seconds` of wall time."""
    probe_ps = 20 * MICROSECOND
    engine = _cluster(built, width, count, threads, probe_ps)
    spent = _time(engine, probe_ps)
    engine.close()
    span_ps = max(probe_ps, int(probe_ps * seconds / max(spent, 1e-6)))
    engine = _cluster(built, width, count, threads, span_ps)
    spent = _time(engine, span_ps)
    answered = engine.stats()["nodes"]["node0"]["ports"]["eth0"]["tx_frames"]
    engine.close()
    if answered < span_ps // FRAME_PS // 2:
        raise RuntimeError(f"the node answered {answered} of {span_ps // FRAME_PS} frames")
    return span_ps / PERIOD_PS[width] / spent / 1e3


def _toggled_khz(built: BuildResult, width: int, seconds: float) -> float:
    """The same Verilated model, its clock only toggled."""
    node = Node(str(built.path), {"clk": PERIOD_PS[width]})
    node.reset(16, 4)
    cycles = 2000
    start = time.perf_counter()
    node.toggle(cycles)
    cycles = max(cycles, int(cycles * seconds / max(time.perf_counter() - start, 1e-6)))
    start = time.perf_counter()
    node.toggle(cycles)
    return cycles / (time.perf_counter() - start) / 1e3


def _speeds(result: BenchResult, built: dict[int, BuildResult], seconds: float) -> None:
    for width, library in built.items():
        for count in NODES:
            khz = _khz(library, width, count, 0, seconds)
            result.rows.append({"figure": "khz", "width": width, "nodes": count, "khz": khz})
            if count == 1:
                result.summary[f"khz_{width}_x1"] = khz


def _overhead(library: BuildResult, width: int, seconds: float, tries: int) -> dict[str, Any]:
    """A busy node inside the engine against the toggled model, in pairs that share slow spells."""
    ratios, toggled, engine = [], [], []
    for _ in range(tries):
        toggled.append(_toggled_khz(library, width, seconds))
        engine.append(_khz(library, width, 1, 1, seconds))
        ratios.append(toggled[-1] / engine[-1])
    return {
        "figure": "engine_overhead",
        "width": width,
        "toggled_khz": statistics.median(toggled),
        "engine_khz": statistics.median(engine),
        "ratio": statistics.median(ratios),
    }


def run(progress: Progress, quick: bool) -> BenchResult:
    """Measure; `quick` takes shorter spells. Run it on an otherwise idle machine."""
    result = BenchResult("sim-speed")
    cores = os.cpu_count() or 1
    seconds, tries = (0.4, 1) if quick else (2.0, 3)
    built: dict[int, BuildResult] = {}
    for width in (64, 512):
        progress.step(f"building the {width}-bit node", 0, 7)
        built[width] = build("udp_echo", params={"DATA_W": width}, profile="fast")
        result.rtl[f"kumi_node_udp_echo DATA_W={width}"] = built[width].design_hash
    progress.step("clusters of 1 to 16 nodes", 1, 7)
    _speeds(result, built, seconds)

    progress.step("engine overhead", 2, 7)
    for width, library in built.items():
        result.rows.append(_overhead(library, width, seconds, tries))
    result.summary["engine_overhead"] = max(
        r["ratio"] for r in result.rows if r["figure"] == "engine_overhead"
    )

    progress.step("parallel efficiency", 3, 7)
    one, many = [], []
    for _ in range(tries):
        one.append(_khz(built[64], 64, 8, 1, seconds))
        many.append(_khz(built[64], 64, 8, cores, seconds))
    efficiency = statistics.median(many) / statistics.median(one) / cores
    result.rows.append(
        {
            "figure": "parallel_efficiency",
            "nodes": 8,
            "cores": cores,
            "khz_1_thread": statistics.median(one),
            "khz_all_cores": statistics.median(many),
            "ratio": efficiency,
        }
    )
    result.summary["parallel_efficiency"] = efficiency

    progress.step("the same design under cocotb", 4, 7)
    cocotb_khz = cocotb_peer.measure(1000 if quick else 5000)
    ours = float(result.summary["khz_64_x1"] or 0.0)
    result.rows.append({"figure": "cocotb", "width": 64, "khz": cocotb_khz, "ours_khz": ours})
    result.summary["cocotb_speedup"] = ours / cocotb_khz

    progress.step("Linux through the TAP", 5, 7)
    wall.tap(result, quick)
    progress.step("from an edited kernel to the first ping", 6, 7)
    wall.edit_to_ping(result)
    result.goals = {
        "engine_overhead": ("<=", 1.3),
        "parallel_efficiency": (">=", 0.8),
        "cocotb_speedup": (">=", 20),
        "idle_ping_ms": ("<", 2),
        "edit_to_ping_s": ("<", 30),
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    result.setup = Setup("kumi_node_udp_echo", {"DATA_W": 64})
    result.setups = {
        "khz_512_x1": Setup("kumi_node_udp_echo", {"DATA_W": 512}),
        "engine_overhead": Setup("kumi_node_udp_echo", {"DATA_W": 512}, note="64 bits too"),
        "idle_ping_ms": Setup("kumi_node_udp_echo", note="the demo's nodes"),
        "edit_to_ping_s": Setup("kumi_node_udp_echo", note="rebuild, boot, first ping"),
    }
    return result
