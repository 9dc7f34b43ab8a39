# SPDX-License-Identifier: Apache-2.0
"""The storage node in RTL, with its Serial ATA ports and disk models: how near to the disks' sum.

`kumi_node_storage` with 64 bits at 250 MHz, 6 Gb/s; three disks, no redundancy, chunks of 16 KiB,
all commands offered at once. With fixed shares all stripes are written, until the disks' caches are
empty again, then all are read, beside the sum of the disks' rates. With pulling one of three equal
disks gets half as fast when half of the writes are answered, beside what the media can take from
then on, as long as all have work (their caches are full at both moments). What is read is compared.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.bench.setup import Setup
from kumihimo.storage import node
from kumihimo.storage.node.link import Cmd, Status
from kumihimo.storage.node.simulated import CORE_PS, SimulatedNode

CHUNK_LOG2 = 14
CHUNK = 1 << CHUNK_LOG2
DISK_BYTES = 14 << 20
COMMAND_US = 2
LIMIT_CYCLES = 100_000_000
TAIL = 16  # answers at the end, when disks have no more work one after the other
UNEQUAL = (500.0, 500.0, 150.0)
EQUAL = (300.0, 300.0, 300.0)
STATIC, SLOWED = (
    "3 disks, node in RTL",
    "3 disks, node in RTL, one at half speed from the middle on",
)


NODE = Setup("kumi_node_storage", {"PORTS": 4}, note="chunks of 16 KiB, three disks")


class Part(NamedTuple):
    """What a command moves: a stripe that is written, a chunk of it that is read."""

    unit: int
    stripe: int
    data: bytes


class NodeUnderLoad:
    """A node with disks of these rates, in MB/s, and commands to it."""

    def __init__(
        self,
        folder: Path,
        rates: Sequence[float],
        *,
        dynamic: bool,
        k: int = 1,
        p: int = 0,
        chunk_log2: int = CHUNK_LOG2,
        disk_bytes: int = DISK_BYTES,
        parameters: Mapping[str, int] | None = None,
    ) -> None:
        paths = [folder / f"{dynamic}{k}{p}{i}.img" for i in range(len(rates))]
        for path in paths:
            path.write_bytes(bytes(disk_bytes))
        wait_ps = COMMAND_US * 1_000_000
        medium = {"latency_ps": wait_ps, "write_latency_ps": wait_ps, "jitter_ps": 0, "cache": 64}
        each = [{"read_rate": rate * 1e6, "write_rate": rate * 1e6, **medium} for rate in rates]
        self.sim = SimulatedNode(paths, each=each, parameters=parameters)
        node.create(
            self.sim.link,
            self.sim.disks,
            chunk_log2=chunk_log2,
            k=k,
            p=p,
            dynamic=dynamic,
            seed=1,
            read_mbs=list(rates),
            write_mbs=list(rates),
        )
        self.sim.open()

    def ends(self, op: Cmd, parts: Sequence[Part], slow: int | None = None) -> list[int]:
        """When each command was answered, in cycles; after half of them disk `slow` gets slow."""
        link, dut = self.sim.link, self.sim.dut
        start = dut.cycle
        left = {
            link.submit(
                op, part.unit, part.stripe, data=part.data if op == Cmd.WRITE else b""
            ): part
            for part in parts
        }
        ends: list[int] = []
        while left:
            link.poll()
            answered = [tag for tag in left if tag in link.done]
            for tag in answered:
                response, part = link.done.pop(tag), left.pop(tag)
                if response.status != Status.OK or (op == Cmd.READ and response.data != part.data):
                    raise BenchError(f"a chunk was not {op.name.lower()}: {response.status.name}")
                ends.append(dut.cycle - start)
                if slow is not None and len(ends) == len(parts) // 2:
                    self.sim.models[slow].fault("slow", factor=2)
            if not answered:
                self.sim.step()
            if dut.cycle - start > LIMIT_CYCLES:
                raise BenchError(f"{len(left)} commands were not answered")
        return ends

    def flush(self) -> int:
        """Until all disks have emptied their caches; cycles."""
        start = self.sim.dut.cycle
        self.sim.settle()
        return self.sim.dut.cycle - start


def mb_s(size: int, cycles: int) -> float:
    """The rate of that many bytes in so many cycles."""
    return size / 1e6 / (cycles * CORE_PS * 1e-12)


def measure(result: BenchResult, progress: Progress, quick: bool) -> None:
    """Rows of the node."""
    count = 160 if quick else 1600
    parts = [Part(0, i, random.Random(i).randbytes(CHUNK)) for i in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        progress.step("the node with three disks, in RTL", 0, 2)
        array = NodeUnderLoad(Path(folder), UNEQUAL, dynamic=False)
        result.rtl["kumi_node_storage PORTS=4"] = array.sim.dut.built.design_hash
        total = sum(UNEQUAL)
        write = mb_s(count * CHUNK, array.ends(Cmd.WRITE, parts)[-1] + array.flush())
        read = mb_s(count * CHUNK, array.ends(Cmd.READ, parts)[-1])
        result.rows.append(
            {
                "set": STATIC,
                **NODE.as_row(),
                "policy": "static",
                "chunks": count,
                "sum_mb_s": total,
                "write_mb_s": write,
                "read_mb_s": read,
                "write_share": write / total,
                "read_share": read / total,
            }
        )
        progress.step("the node with a disk that gets slow, in RTL", 1, 2)
        array = NodeUnderLoad(Path(folder), EQUAL, dynamic=True)
        count = min(count, 480)
        ends = array.ends(Cmd.WRITE, parts[:count], slow=1)
        middle, last = count // 2 - 1, count - 1 - TAIL
        after = mb_s((last - middle) * CHUNK, ends[last] - ends[middle])
        could = sum(EQUAL) - EQUAL[1] / 2
        result.rows.append(
            {
                "set": SLOWED,
                **NODE.as_row(),
                "policy": "dynamic",
                "chunks": count,
                "sum_mb_s": could,
                "write_mb_s": after,
                "write_share": after / could,
            }
        )
