# SPDX-License-Identifier: Apache-2.0
"""What generated kernels cost beside the blocks of hw/kernel that they are written after.

tests/hls/shipped.cl has five of these blocks again as kernels, with the same streams, words and
records, one word per cycle in both. Where a block has registers behind AXI4-Lite, the kernel is
measured with its own: control, arguments, cycles, stalls.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low
from typing import Any

from kumihimo.bench.core import Progress
from kumihimo.hls.compile import designs
from kumihimo.hls.frontend import load
from kumihimo.hls.print_node import write_node
from kumihimo.hls.print_program import print_program
from kumihimo.synth.flow import Options, kept, measure

SEEDS = (1, 2, 3, 4, 5)  # of placements; the clock is their median


@dataclass(frozen=True)
class Block:
    """A shipped block. `only`: the kernel's number in the file if the block has registers."""

    module: str
    params: dict[str, str]
    differs: str
    only: int = 0


BLOCKS = {
    "udp_echo": Block(
        "kumi_udp_echo",
        {"DATA_W": "64"},
        "kernel: the next datagram some cycles later. Block: five counters, an enable",
        1,
    ),
    "lane_add": Block(
        "kumi_int_fp32_add", {}, "kernel: handshakes, a count of words; the same adder inside"
    ),
    "msg_build": Block(
        "kumi_msg_build",
        {"DATA_W": "128", "m_rec.W": "48"},
        "kernel: the next message some cycles later, the time stamp comes with the request",
    ),
    "msg_check": Block(
        "kumi_msg_check",
        {"DATA_W": "128", "USER_W": "3", "SOURCES": "2"},
        "block: two senders that interleave, order of numbers, latencies, aborted messages",
        4,
    ),
    "coll": Block(
        "kumi_coll_datapath",
        {"DATA_W": "256", "m_local.ID_W": "8"},
        "none in the data path",
    ),
}


def _generate(file: Path, folder: Path, only: int) -> None:
    program = load(file, (f"ONLY={only}",) if only else ())
    folder.mkdir()
    write_node(program, print_program(program, designs(program), waits=True), folder)


def _clocks(module: str, most: int, kept_only: bool) -> list[float]:
    """A clock in MHz of each placement on ECP5; `kept_only`: of those measured before."""
    options = [Options(seeds=(seed,)) for seed in SEEDS[:most]]
    found = [kept(module, {}, "ecp5", each) for each in options]
    if not kept_only:
        found = [measure(module, {}, ("ecp5",), each)["ecp5"] for each in options]
    return [float(each["fmax_mhz"]) for each in found if each]


def rows(
    file: Path,
    progress: Progress,
    step: tuple[int, int],
    clocks: int,
    names: Collection[str] = tuple(BLOCKS),
    kept_only: bool = False,
) -> list[dict[str, Any]]:
    """Look-up tables of each kernel and its block, and the kernel's clock on ECP5.

    clocks:    placements, at most; 0: no clock.
    kept_only: of the placements only those that are kept.
    """
    out = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for only in sorted({block.only for block in BLOCKS.values()}):
            _generate(file, folder / str(only), only)
        for name in names:
            block = BLOCKS[name]
            progress.step(f"cost of {name}", *step)
            module = str(folder / "0" / f"{file.stem}_{name}.sv")
            whole = str(folder / str(block.only) / f"{file.stem}_kernels.sv")
            compared = whole if block.only else module
            made = measure(compared, {}, ("xcup",), Options())["xcup"]
            hand = measure(block.module, block.params, ("xcup",), Options())["xcup"]
            placed = _clocks(module, clocks, kept_only) if clocks else []
            out.append(
                {
                    "kernel": name,
                    "block": block.module,
                    "lut": made["lut"],
                    "ff": made["ff"],
                    "block_lut": hand["lut"],
                    "block_ff": hand["ff"],
                    "with_registers": bool(block.only),
                    "lut_over_hand": made["lut"] / hand["lut"],
                    "fmax_mhz": median_low(placed) if placed else None,
                    "fmax_seeds_mhz": placed,
                    "differs": block.differs,
                }
            )
    return out
