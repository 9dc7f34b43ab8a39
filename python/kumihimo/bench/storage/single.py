# SPDX-License-Identifier: Apache-2.0
"""One device: the Serial ATA host in RTL against the disk model, in clock cycles.

`kumi_node_sata` at 6 Gb/s with a medium that is never the limit, so the figure is what the host and
the line cost. All requests are offered at once; the rate is that of the requests that end in the
middle, without the first and last quarter (at most 8 and a queue). Every byte is compared. Beside
it stands what the protocol itself allows at this delay of the line (`sata_bound`).
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.setup import Setup
from kumihimo.bench.storage import sata_bound
from kumihimo.regs import RegisterMap
from kumihimo.testing import Dut

LINE_MB_S = 600.0
CORE_PS, WORD_PS = 4_000, 6_667
SECTOR = 512
OP_READ, OP_WRITE = 0, 1
MEDIUM = {
    "read_rate": 5e9,
    "write_rate": 5e9,
    "latency_ps": 0,
    "write_latency_ps": 0,
    "jitter_ps": 0,
    "read_ahead": 1 << 14,
    "cache": 1 << 16,
}
GOALS = {"read": 0.96, "write": 0.93}  # at every length of line
BOUND_GOAL = 0.98  # of what the protocol allows


class Case(NamedTuple):
    """What is measured."""

    op: str
    kib: int  # a request
    depth: int  # 1: without NCQ
    line_ns: int = 50  # each direction, transceivers included
    latency_us: int = 0  # of the medium before data, a read; a third of it a write


# The line of a real transceiver beside a short one.
KEYS = {
    Case(op, 128, 32, line_ns): f"single_{op}_share" + suffix
    for line_ns, suffix in ((50, ""), (150, "_150ns"))
    for op in ("read", "write")
}
MAIN = tuple(KEYS)
MORE = tuple(
    case
    for op in ("read", "write")
    for case in (
        Case(op, 1024, 32),
        Case(op, 8, 32),
        Case(op, 128, 1),
        Case(op, 128, 32, latency_us=60),
        Case(op, 128, 1, latency_us=60),
    )
)


class _Words:
    """Registers of a design under test."""

    def __init__(self, dut: Dut) -> None:
        self.read, self.write = dut.axil_read, dut.axil_write


class _Host:
    """The user of port 0: gives requests, sends what is fetched, keeps what is read."""

    def __init__(self, dut: Dut) -> None:
        self.dut = dut
        self.records = {
            name: dut.struct(f"blk_{name}_t") for name in ("cmd", "rsp", "fetch", "segment")
        }
        self.data: dict[int, bytearray] = {}  # by tag: what is written, or what was read
        self.ends: list[int] = []  # cycles of the responses
        self.places: list[tuple[int, int]] = []

    def give(self, tag: int, case: Case, data: bytes) -> None:
        sectors = case.kib * 1024 // SECTOR
        self.data[tag] = bytearray(data)
        op = OP_READ if case.op == "read" else OP_WRITE
        record = self.records["cmd"].pack(
            tag=tag, op=op, fua=0, feature=0, sectors=sectors, lba=tag * sectors
        )
        self.dut.send("s_hdr_cmd0", record)

    def step(self) -> None:
        dut = self.dut
        dut.run(64)
        for frame in dut.recv("m_hdr_fetch0"):
            want = self.records["fetch"].unpack(frame.value)
            at = want["offset"]
            dut.send("s_axis_wr0", bytes(self.data[want["tag"]][at : at + want["bytes"]]))
        for frame in dut.recv("m_hdr_segment0"):
            place = self.records["segment"].unpack(frame.value)
            self.places.append((place["tag"], place["offset"]))
        for frame in dut.recv("m_axis_rd0"):
            tag, at = self.places.pop(0)
            if frame.bad:
                raise BenchError("a segment of read data is marked bad on a line without errors")
            self.data[tag][at : at + len(frame.data)] = frame.data
        for frame in dut.recv("m_hdr_rsp0"):
            status = self.records["rsp"].unpack(frame.value)["status"]
            if status:
                raise BenchError(f"a request ended with status {status} on a line without errors")
            self.ends.append(frame.cycle)


def _measure(dut: Dut, case: Case, count: int) -> dict[str, Any]:
    dut.restart()
    size = case.kib * 1024
    total = count * size
    wait_ps = case.latency_us * 1_000_000
    medium: dict[str, Any] = {**MEDIUM, "latency_ps": wait_ps, "write_latency_ps": wait_ps // 3}
    disk = dut.disk("p0", size=total, line_ps=case.line_ns * 1000, **medium)
    content = random.Random(case.kib).randbytes(total)
    if case.op == "read":
        disk.write(0, content)
    port = RegisterMap(_Words(dut))["sata"]
    port.ctrl.set(queued=int(case.depth > 1), depth=case.depth - 1)
    for _ in range(4000):
        if port.status.get("ready"):
            break
        dut.run(256)
    else:
        raise BenchError("the disk model did not become ready")
    host = _Host(dut)
    for tag in range(count):
        data = content[tag * size : (tag + 1) * size] if case.op == "write" else bytes(size)
        host.give(tag, case, data)
    limit = dut.cycle + 4 * int(total / (LINE_MB_S * 1e6) / (CORE_PS * 1e-12)) + 1_000_000
    while len(host.ends) < count:
        if dut.cycle > limit:
            raise BenchError(f"{len(host.ends)} of {count} requests ended")
        host.step()
    got = b"".join(host.data[tag] for tag in range(count)) if case.op == "read" else b""
    if (got or disk.read(0, total)) != content:
        raise BenchError("what was moved is not what was given")
    # The first ones fill the queue, the last ones empty it.
    first, last = min(8, count // 4), count - 1 - min(case.depth, count // 4)
    seconds = (host.ends[last] - host.ends[first]) * CORE_PS * 1e-12
    rate = (last - first) * size / 1e6 / seconds
    bound = sata_bound.share(
        case.op, size, queued=case.depth > 1, line_words=case.line_ns * 1000 // WORD_PS
    )
    return {
        "set": "one device, SATA 6 Gb/s, RTL",
        "op": case.op,
        "request_kib": case.kib,
        "queue_depth": case.depth,
        "queue_seen": disk.stats["queue_depth_seen"],
        "line_delay_ns": case.line_ns,
        "medium_latency_us": case.latency_us,
        "requests": count,
        "mb_s": rate,
        "share": rate / LINE_MB_S,
        "bound": bound,
        "bound_share": rate / LINE_MB_S / bound,
    }


def measure(result: BenchResult, progress: Progress, quick: bool) -> None:
    """Rows of one device."""
    progress.step("one device: building the node", 0, len(MAIN) + len(MORE))
    dut = Dut("sata", profile="fast", periods_ps={"clk": CORE_PS, "sata_clk": WORD_PS})
    result.rtl["kumi_node_sata DATA_W=64"] = dut.built.design_hash
    cases = MAIN if quick else MAIN + MORE
    for i, case in enumerate(cases):
        text = f"one device, {case.op} of {case.kib} KiB, queue of {case.depth}"
        progress.step(text, i, len(cases))
        mib = 3 if quick else 6
        registers = {"sata.ctrl.queued": int(case.depth > 1), "sata.ctrl.depth": case.depth - 1}
        row = _measure(dut, case, min(512, max(12, mib * 1024 // case.kib)))
        result.rows.append(row | Setup("kumi_node_sata", {}, registers).as_row())
        key = KEYS.get(case)
        if key:
            note = f"line of {case.line_ns} ns, over which Serial ATA allows {row['bound']:.4f}"
            of_bound = key.replace("_share", "_bound_share")
            for name, value, goal in (
                (key, row["share"], GOALS[case.op]),
                (of_bound, row["bound_share"], BOUND_GOAL),
            ):
                result.summary[name] = value
                result.setups[name] = Setup("kumi_node_sata", {}, registers, note)
                result.goals[name] = (">=", goal)
            result.origins[of_bound] = Origin.AUTHOR
