# SPDX-License-Identifier: Apache-2.0
"""The paper's disks at the storage node in RTL: seven SSDs and a hard disk, and 127 and one.

`kumi_node_storage` with eight Serial ATA ports, disk models at the paper's rates and fixed shares.
All stripes are written, until the disks' caches are empty again, then all are read; every byte is
compared. With single parity the disks' share counts parity too: all that they had to take.

The data path of the node as it ships, 64 bits at 250 MHz, carries 2 GB/s, less than these disks
together; so DATA_W is larger here, and a stripe context more for each disk.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from kumihimo.bench.core import BenchResult, Progress
from kumihimo.bench.setup import Setup
from kumihimo.bench.storage.node import NodeUnderLoad, Part, mb_s
from kumihimo.bench.storage.shares import HDD, PAPER, SSD
from kumihimo.storage import bounds
from kumihimo.storage.node.link import Cmd

CHUNK_LOG2 = 15
CHUNK = 1 << CHUNK_LOG2
CHUNKS = 1600  # as with three disks; filling and draining the array take 0.1 ms of 13.5 ms
DISK_BYTES = 80 << 20  # half full at the end: what is left must not decide where chunks go
QUICK_LIMIT = "not measured with --quick: eight ports take minutes to build and to simulate"
PARAMETERS = {"DATA_W": 256, "CONTEXTS": 16}
RATES = [SSD] * 7 + [HDD]
NODE = Setup("kumi_node_storage", {"PORTS": 8, **PARAMETERS}, note="chunks of 32 KiB, 7 + 1 disks")
GOAL = 0.995
HOST_MB_S = 30_000.0  # of the largest machine that the array was meant for
MANY = Setup("kumi_node_storage", {"PORTS": 16}, note="the most ports that it can have")
MANY_LIMIT = (
    "not measured: the node has pins for 16 Serial ATA ports, kumi_node_storage_units for 62; one "
    "memory port of 512 bits at 250 MHz carries 16,000 MB/s, so the share is 0.533 at most"
)


class Case(NamedTuple):
    """An array on these disks."""

    key: str
    k: int
    p: int
    stripes: int


def _cases() -> list[Case]:
    k = bounds.best_width(RATES, 1, 8) - 1
    return [Case("rtl_share_7_1", 1, 0, CHUNKS), Case("rtl_share_7_1_p1", k, 1, CHUNKS // k)]


def _measure(folder: Path, case: Case, result: BenchResult) -> dict[str, Any]:
    array = NodeUnderLoad(
        folder,
        RATES,
        dynamic=False,
        k=case.k,
        p=case.p,
        chunk_log2=CHUNK_LOG2,
        disk_bytes=DISK_BYTES,
        parameters=PARAMETERS,
    )
    result.rtl["kumi_node_storage PORTS=8 DATA_W=256"] = array.sim.dut.built.design_hash
    whole = [Part(0, i, random.Random(i).randbytes(case.k * CHUNK)) for i in range(case.stripes)]
    chunks = [
        Part(unit, part.stripe, part.data[unit * CHUNK : (unit + 1) * CHUNK])
        for part in whole
        for unit in range(case.k)
    ]
    size = len(chunks) * CHUNK
    write = mb_s(size, array.ends(Cmd.WRITE, whole)[-1] + array.flush())
    read = mb_s(size, array.ends(Cmd.READ, chunks)[-1])
    total = sum(RATES)
    paper = {} if case.p else {"paper_mb_s": PAPER["7+1"][0]}
    return {
        "set": "7+1, node in RTL",
        **paper,
        "policy": "static",
        "parity": case.p,
        "width": case.k + case.p,
        "chunks": len(chunks),
        "sum_mb_s": total,
        "write_mb_s": write,
        "read_mb_s": read,
        "write_share": write * (case.k + case.p) / case.k / total,
        "read_share": read / total,
        "bound_share": write / bounds.write_bound(RATES, case.p),
    }


def measure(result: BenchResult, progress: Progress, quick: bool) -> None:
    """Rows of eight disks; what keeps 128 from being measured."""
    cases = _cases()
    for i, case in enumerate(cases):
        result.setups[case.key] = NODE
        if quick:
            result.summary[case.key] = None
            result.rows.append(
                {"set": "7+1, node in RTL", **NODE.as_row(), "parity": case.p, "limit": QUICK_LIMIT}
            )
            continue
        progress.step(f"the node with 7 + 1 disks, in RTL, parity {case.p}", i, len(cases))
        with tempfile.TemporaryDirectory() as folder:
            row = _measure(Path(folder), case, result)
        result.rows.append(row | NODE.as_row())
        # Reads leave parity alone, so only without it do they keep all disks busy to the end.
        shares = [row["write_share"]] if case.p else [row["write_share"], row["read_share"]]
        result.summary[case.key] = min(shares)
        result.goals[case.key] = (">=", GOAL)
    total = min(127 * SSD + HDD, HOST_MB_S)
    result.rows.append(
        {"set": "127+1, node in RTL", **MANY.as_row(), "sum_mb_s": total, "limit": MANY_LIMIT}
    )
    result.summary["rtl_share_127_1"] = None
    result.setups["rtl_share_127_1"] = MANY
    result.goals["rtl_share_127_1"] = (">=", GOAL)
