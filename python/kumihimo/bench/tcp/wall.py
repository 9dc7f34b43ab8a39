# SPDX-License-Identifier: Apache-2.0
"""`kumi bench tcp-wall`: wall-time rate of Linux's `iperf -c` into a cycle-accurate TCP node.

The client is the ordinary program (iperf 2), the peer's TCP that of the Linux kernel; a TAP in a
namespace of the cluster's own joins them to the node. Everything is in wall time and depends on
the machine: run it while nothing else runs.

The headline is the best case and each row says what it was made with: full frames of 9000 bytes, a
cable that carries all that the node can take, a receive window that never empties. The time that
iperf prints ends when the node has closed, so no byte that waits in a buffer of Linux counts; what
the node's kernel received is compared with what the client sent.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.setup import Setup
from kumihimo.cluster import Cluster
from kumihimo.common.process import find_program

DESIGN = "tcp_iperf"
GOAL_MBIT_S = 100
PATIENCE_S = 900.0
SETTLE_S = 5.0  # for what is left in the node when iperf has gone


@dataclass(frozen=True)
class Setting:
    """A node and its cable."""

    params: Mapping[str, int]  # of the node
    clock_mhz: float
    line_gbit_s: float  # as fast as the data path, or faster
    mtu: int = 9000

    @property
    def width(self) -> int:
        """Bits of the node's data path."""
        return self.params["DATA_W"]


# RING is the memory of a connection each way: Linux may have so much under way. At 512 bits the
# 64 KiB of the default are 1,000 cycles' worth and Linux's next frames would come too late; the
# node would run empty cycles.
WIDE = Setting({"DATA_W": 512, "RING": 262144}, clock_mhz=322.265625, line_gbit_s=200)
NARROW = Setting({"DATA_W": 64, "SESSIONS": 64}, clock_mhz=156.25, line_gbit_s=12.5)

CLUSTER = """\
name: wall
seed: 1
nodes:
  server:
    design: {design}
    ip: 10.77.0.10/24
    clocks: {{clk: {clock:g} MHz}}
    params: {params}
    regs: {{tcp.segment.mss: {mss}}}
cables:
  - {{between: [server.eth0, host0], rate: {rate:g} Gb/s, latency: 500 ns}}
taps:
  host0: {{ip: 10.77.0.1/24, mtu: {mtu}}}
"""


@contextmanager
def serving(setting: Setting) -> Iterator[Cluster]:
    """The cluster, alive in wall time."""
    text = CLUSTER.format(
        design=DESIGN,
        clock=setting.clock_mhz,
        params=json.dumps(dict(setting.params)),
        mss=setting.mtu - 40,
        rate=setting.line_gbit_s,
        mtu=setting.mtu,
    )
    with tempfile.TemporaryDirectory(prefix="kumi-bench-") as folder:
        file = Path(folder) / "wall.yaml"
        file.write_text(text, encoding="utf-8")
        # A thread for the TAP beside that of the only node would be in iperf's way.
        with Cluster(file, threads=1) as cluster, cluster.serving():
            yield cluster


@dataclass(frozen=True)
class Point:
    """Counts of a cluster at some time."""

    wall_s: float
    cpu_s: float  # of this process, which is the engine and little else
    cycles: int
    rx_frames: int
    tx_frames: int
    received: int  # bytes that the node's iperf kernel got over TCP
    sent: int

    @staticmethod
    def of(cluster: Cluster) -> Point:
        """Now."""
        server = cluster["server"]
        received = int(server.regs.iperf_server.read64("received"))
        sent = int(server.regs.iperf_server.read64("sent"))
        stats = server.stats
        port = stats["ports"]["eth0"]
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Point(
            time.monotonic(),
            used.ru_utime + used.ru_stime,
            int(stats["cycles"]),
            int(port["rx_frames"]),
            int(port["tx_frames"]),
            received,
            sent,
        )


def iperf(cluster: Cluster, *options: str) -> list[tuple[int, float]]:
    """Run iperf in the cluster's namespace: bytes and bits a second of each report."""
    path = find_program("iperf")
    if path is None:
        raise BenchError("iperf is missing: `kumi doctor` says how to get it")
    assert cluster.namespace is not None
    argv = [path, "-c", str(cluster["server"].ip), *options, "-y", "C"]
    try:
        done = cluster.namespace.run(argv, PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise BenchError(f"iperf: no end within {PATIENCE_S:.0f} s") from None
    reports = [line.split(",") for line in done.stdout.splitlines() if line.count(",") >= 8]
    if done.returncode or not reports:
        raise BenchError(f"iperf: {(done.stdout + done.stderr).strip()[-500:]}")
    return [(int(fields[7]), float(fields[8])) for fields in reports]


def settled(cluster: Cluster, counter: str, value: int) -> Point:
    """Counts when `counter` has reached `value`; iperf may be gone before the last bytes count."""
    end = time.monotonic() + SETTLE_S
    while getattr(point := Point.of(cluster), counter) < value and time.monotonic() < end:
        time.sleep(0.05)
    return point


def there(cluster: Cluster, setting: Setting, amount: int) -> dict[str, Any]:
    """`iperf -c -n amount`: into the node."""
    before = Point.of(cluster)
    ((sent, rate),) = iperf(cluster, "-n", str(amount))
    after = settled(cluster, "received", before.received + sent)
    received = after.received - before.received
    # A client counts whole buffers; the node must have got every byte of them.
    if received != sent or received < amount:
        raise BenchError(f"iperf sent {sent} bytes, the node got {received}")
    cycles = after.cycles - before.cycles
    segments = after.rx_frames - before.rx_frames
    wall = after.wall_s - before.wall_s
    return {
        **_about(setting),
        "way": "to the node",
        "mbit_s": rate / 1e6,
        "payload_bytes": received,
        "wall_s": wall,
        "cycles": cycles,
        "khz": cycles / wall / 1e3,
        "cpu_us_per_cycle": (after.cpu_s - before.cpu_s) / cycles * 1e6,
        "bytes_per_cycle": received / cycles,
        "segments": segments,
        "cycles_per_segment": cycles / segments,
    }


def back(cluster: Cluster, setting: Setting, amount: int) -> dict[str, Any]:
    """The second half of `iperf -c -r -n amount`: out of the node."""
    before = Point.of(cluster)
    reports = iperf(cluster, "-r", "-n", str(amount))
    if len(reports) != 2:
        raise BenchError(f"iperf -r printed {len(reports)} rates")
    (_, rate_there), (got, rate) = reports
    after = settled(cluster, "sent", before.sent + got)
    sent = after.sent - before.sent
    if got != sent or got < amount:
        raise BenchError(f"the node sent {sent} bytes, iperf got {got}")
    return {
        **_about(setting),
        "way": "from the node",
        "mbit_s": rate / 1e6,
        "mbit_s_there": rate_there / 1e6,
        "payload_bytes": got,
        "wall_s": after.wall_s - before.wall_s,
        "cycles_both_ways": after.cycles - before.cycles,
    }


def _setup(setting: Setting) -> Setup:
    note = f"{setting.clock_mhz:g} MHz, line of {setting.line_gbit_s:g} Gb/s"
    registers = {"tcp.segment.mss": setting.mtu - 40}
    return Setup(f"kumi_node_{DESIGN}", setting.params, registers, note)


def _about(setting: Setting) -> dict[str, Any]:
    return {
        "width": setting.width,
        "node": label(setting),
        "mtu": setting.mtu,
        "clock_mhz": setting.clock_mhz,
        "line_gbit_s": setting.line_gbit_s,
        **_setup(setting).as_row(),
    }


def run(progress: Progress, quick: bool = False) -> BenchResult:
    """Both widths, both MTUs, both ways; the headline is a run of its own."""
    result = BenchResult("tcp-wall")
    result.rows.append({"row": "machine", "cores": len(os.sched_getaffinity(0)), **_load()})
    settings = [(base, mtu) for base in (WIDE, NARROW) for mtu in (9000, 1500)]
    for number, (base, mtu) in enumerate(settings):
        setting = replace(base, mtu=mtu)
        progress.step(f"{setting.width} bits, MTU {mtu}", number, len(settings))
        amount = (100 if setting.width == 512 else 40) * 1_000_000
        if quick:
            amount //= 10
        with serving(setting) as cluster:
            result.rtl[label(setting)] = cluster.built["server"].design_hash
            there(cluster, setting, 1_000_000)  # ARP, and caches of every kind
            row = there(cluster, setting, amount)
            result.rows.append(row)
            result.rows.append(back(cluster, setting, amount // 4))
        if mtu == 9000:
            result.summary[f"iperf_mbit_s_{setting.width}"] = row["mbit_s"]
            result.setups[f"iperf_mbit_s_{setting.width}"] = _setup(setting)
    result.goals["iperf_mbit_s_512"] = (">=", GOAL_MBIT_S)
    result.origins["iperf_mbit_s_512"] = Origin.REQUIREMENT
    return result


def label(setting: Setting) -> str:
    """How the bench names a library in its `rtl` figures."""
    return " ".join([f"kumi_node_{DESIGN}", *(f"{k}={v}" for k, v in setting.params.items())])


def _load() -> dict[str, Any]:
    """Who else runs: figures made on a busy machine are not figures."""
    match = re.match(r"[\d.]+", Path("/proc/loadavg").read_text(encoding="ascii"))
    return {"load_before": float(match[0]) if match else None}
