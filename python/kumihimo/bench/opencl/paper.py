# SPDX-License-Identifier: Apache-2.0
"""The evaluation of the paper on FPGA-to-FPGA Ethernet, with kernels in OpenCL.

- figure 8 through two controllers on a 40 Gb/s line: every byte, and the share of the time that its
  frames take on the line; the same over the reliable transport on a cable that loses frames;
- a word there and back for the latency of one way: over a cable of 472 ns, and through a switch of
  322 ns (the paper's bars);
- messages of growing size through the switch: bytes over the time from the first word at the
  sending kernel to the last at the receiving one, which is that of a message there and a word back
  less one way of a word.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from kumihimo.cluster import Cluster

CLOCK_HZ = 316.666667e6
LINE_BPS = 40e9
FRAME_BYTES = 9216 + 24  # on the line
FRAME_WORDS = 287
FRAMES = (14, 70)  # of two messages: the difference leaves out how a message begins and ends
WORD = 32  # bytes
FROM, TO = 0x1_0000, 0x1000_0000
SIZES = (0, 1, 2, 287, 1000, 4000)
TIMEOUT = "1 s"
PAPER_NS = {"direct": 472.0, "via_switch_controller": 856.0}
PAPER_PEAK_GB_S = 4.97


def _send(cluster: Cluster, words: int) -> tuple[int, int]:
    """Send words from alice to bob; bytes that differ, and the receiver's cycles."""
    alice, bob = cluster["alice"], cluster["bob"]
    data = random.Random(words).randbytes(WORD * words)
    alice.memory().write(FROM, data)
    receiver = bob.kernel("receiver")
    receiver.start(TO, words)
    alice.kernel("sender").run(FROM, words, 0xA, 0xB, timeout=TIMEOUT)
    cycles = receiver.wait(TIMEOUT)
    found = bob.memory().read(TO, WORD * words)
    bob.memory().write(TO, bytes(WORD * words))
    return sum(a != b for a, b in zip(data, found, strict=True)), cycles


def figure_8(folder: Path, longest: int) -> dict[str, float]:
    """Bytes that differ and shares of the line; a message of `longest` words, if not 0, as well."""
    sizes = (*SIZES, longest) if longest else SIZES
    with Cluster(folder / "figure8.yaml") as cluster:
        wrong = sum(_send(cluster, words)[0] for words in sizes)
        spans = []
        for frames in FRAMES:
            bad, cycles = _send(cluster, FRAME_WORDS * frames)
            wrong += bad
            spans.append(cycles)
        ports = [p for n in cluster.stats()["nodes"].values() for p in n["ports"].values()]
    seconds = (spans[1] - spans[0]) / CLOCK_HZ
    bits = 8 * (FRAMES[1] - FRAMES[0])
    return {
        "words": sum(sizes),
        "bytes_wrong": wrong,
        "protocol_errors": sum(port["protocol_errors"] for port in ports),
        "line_share": bits * FRAME_BYTES / LINE_BPS / seconds,
        "peak_share": bits * FRAME_WORDS * WORD / LINE_BPS / seconds,
    }


def with_loss(folder: Path, longest: int) -> dict[str, float]:
    """The same sizes over the transport; frames are lost, doubled and overtaken."""
    sizes = (*SIZES, longest or 20_000)
    with Cluster(folder / "figure8_transport.yaml") as cluster:
        wrong = sum(_send(cluster, words)[0] for words in sizes)
        again = int(cluster["alice"].regs.eth_rtp.tx_retransmit.read())
    return {"words": sum(sizes), "bytes_wrong": wrong, "frames_sent_again": again}


def direct_ns(folder: Path, turns: int = 50) -> float:
    """Nanoseconds of one way, kernel to kernel, over a cable."""
    with Cluster(folder / "latency.yaml") as cluster:
        ping = cluster["alice"].kernel("ping")
        cluster["bob"].kernel("ping").start(own=0xB, peer=0xA, n=turns, first=0)
        cycles = ping.run(own=0xA, peer=0xB, n=turns, first=1, timeout=TIMEOUT)
    return float(cycles / CLOCK_HZ * 1e9 / (2 * turns))


def _exchange(cluster: Cluster, words: int, turns: int) -> float:
    """Nanoseconds of a message there and a word back."""
    there, back = cluster["alice"].kernel("exchange"), cluster["bob"].kernel("exchange")
    back.start(own=0xB, peer=0xA, turns=turns, words=words, first=0)
    cycles = there.run(own=0xA, peer=0xB, turns=turns, words=words, first=1, timeout=TIMEOUT)
    back.wait(TIMEOUT)
    return cycles / CLOCK_HZ * 1e9 / turns


def through_switch(folder: Path, most_bytes: int) -> tuple[float, list[dict[str, Any]], int]:
    """One way of a word in ns, a row for each size, the size with half of the paper's peak."""
    with Cluster(folder / "exchange.yaml") as cluster:
        one_way = _exchange(cluster, 1, 20) / 2

        def rate(words: int, turns: int) -> float:
            return WORD * words / (_exchange(cluster, words, turns) - one_way)

        rows = []
        size = WORD
        while size <= most_bytes:
            turns = max(1, min(20, (1 << 17) // size))
            rows.append({"message_bytes": size, "gb_s": rate(size // WORD, turns)})
            size *= 4
        low, high = 1, 1 << 15
        while high - low > 1:
            middle = (low + high) // 2
            fast = rate(middle, 2) >= PAPER_PEAK_GB_S / 2
            low, high = (low, middle) if fast else (middle, high)
    return one_way, rows, WORD * high
