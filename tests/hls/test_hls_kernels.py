# SPDX-License-Identifier: Apache-2.0
"""Kernels as RTL do what the same file does when clang compiles it for this machine."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from hlskit import Run, Twin, random_words

HERE = Path(__file__).parent
N = 150


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(HERE / "kernels.cl", tmp_path_factory.mktemp("kernels"))


def ints(count: int, seed: int, kind: str = "i") -> bytearray:
    rng = random.Random(seed)
    bits = 8 * struct.calcsize(kind)
    return bytearray(
        b"".join(rng.getrandbits(bits).to_bytes(bits // 8, "little") for _ in range(count))
    )


def ring(count: int, seed: int) -> bytearray:
    """A permutation of indices with one cycle."""
    order = list(range(1, count))
    random.Random(seed).shuffle(order)
    following = dict(zip([0, *order], [*order, 0], strict=True))
    return bytearray(struct.pack(f"<{count}i", *(following[i] for i in range(count))))


RUNS = {
    "hist": lambda n: Run({"hist": {"n": n}}, {"HIST_IN": random_words(31, n, 1)}),
    "hist, left early": lambda n: Run({"hist": {"n": n + 9}}, {"HIST_IN": [7] * n + [0xFFFFFFFF]}),
    "rows": lambda n: Run({"rows": {"n": 7, "m": n // 4}}),
    "collatz": lambda n: Run({"collatz": {"n": 9}}, {"COLLATZ_IN": [0, 1, 2, 3, 27, 97, n, 4, 9]}),
    "delay": lambda n: Run({"delay": {"n": n}}, {"DELAY_IN": random_words(16, n, 2)}),
    "table": lambda n: Run({"table": {"n": n}}),
    "records": lambda n: Run({"records": {"n": n}}, {"RECORD_IN": random_words(56, n, 3)}),
    "vectors": lambda n: Run(
        {"vectors": {"n": n, "shift": random.Random(4).getrandbits(128)}},
        {"VECTOR_IN": random_words(256, n, 5)},
    ),
    "wide": lambda n: Run({"wide": {"n": n}}, {"WIDE_IN": random_words(64, n, 6)}),
    "inplace": lambda n: Run({"inplace": {"a": ints(n + 1, 7), "n": n}}),
    "prefix": lambda n: Run({"prefix": {"a": ints(n + 1, 8), "n": n}}),
    "gather": lambda n: Run(
        {
            "gather": {
                "index": ring(n + 1, 9),
                "from": ints(n + 1, 10, "h"),
                "to": ints(n + 1, 11, "h"),
                "n": n,
            }
        }
    ),
    "pairs": lambda n: Run({"pairs": {"a": ints(n + 1, 21), "n": n}}),
    "list": lambda n: Run({"list": {"next": ring(n + 1, 12), "out": ints(n + 1, 13), "n": n}}),
    "bytes": lambda n: Run(
        {"bytes": {"a": ints(n + 1, 14, "b"), "b": ints(n + 1, 15, "b"), "n": n}}
    ),
    "twice": lambda n: Run({"twice": {"a": ints(n + 1, 16), "b": ints(n + 1, 17), "n": n}}),
    "asker and pool": lambda n: Run({"asker": {"n": n}}),
    "spread and join": lambda n: Run(
        {"spread": {"n": n}, "join": {"n": n}}, {"SPREAD_IN": random_words(32, n, 18)}
    ),
    "chain of compute units": lambda n: Run({}, {"CHAIN_0": random_words(31, n, 20)}),
    "same": lambda n: Run({"same": {"n": n}}, {"SAME_IN": random_words(31, 2 * n, 19)}),
    "behind": lambda n: Run({"behind": {"n": n}}, {"BEHIND_IN": random_words(31, 9, 22 + n)}),
    "chosen": lambda n: Run({"chosen": {"n": n}}),
    "offer and poll": lambda n: Run({"offer": {"n": n}, "poll": {"n": n}}),
}


@pytest.mark.parametrize("name", RUNS)
def test_rtl_does_what_emulation_does(twin: Twin, name: str) -> None:
    """Without stalls; with random ones and slow memory; and with counts of 0, 1 and 2."""
    twin.compare(RUNS[name](N))
    twin.compare(RUNS[name](N), stall=0.4, seed=3, latency=30, jitter=10)
    for n in (0, 1, 2):
        twin.compare(RUNS[name](n), stall=0.2, seed=n + 4, latency=7)


def test_fence_orders_memory_and_channel(twin: Twin) -> None:
    """A word that a channel announces is in memory, however slow the memory is."""
    n = 40
    for latency in (0, 25):
        dut = twin.dut
        dut.restart()
        dut.memory("m_axi").configure(latency_cycles=latency)
        for kernel in ("producer", "consumer"):
            dut.set(f"{kernel}_a", 0x1000)
            dut.set(f"{kernel}_n", n)
            dut.set(f"{kernel}_start", 1)
        dut.run(1)
        for kernel in ("producer", "consumer"):
            dut.set(f"{kernel}_start", 0)
        got = [int.from_bytes(x, "little") for x in dut.recv_data("m_hdr_fence_out", n)]
        assert got == [7 * i for i in range(n)]


@pytest.mark.parametrize(
    "name, per_turn", [("table", 1), ("inplace", 1), ("spread and join", 1), ("pairs", 2)]
)
def test_counted_loops_start_an_iteration_every_cycle(twin: Twin, name: str, per_turn: int) -> None:
    """The II also in the measured cycles: a thousand iterations, a thousand cycles at II 1."""
    n = 1000
    cycles = twin.compare(RUNS[name](n))
    assert per_turn * n <= cycles <= per_turn * n + 80


def test_memory_latency_is_hidden(twin: Twin) -> None:
    """Loads in flight: 30 cycles of latency are paid once. An element takes two words of memory."""
    n = 1000
    assert twin.compare(RUNS["gather"](n), latency=30) <= 2 * n + 150


def test_memory_error_is_reported(twin: Twin) -> None:
    """A kernel whose memory answers with an error ends, and says that it failed."""
    dut = twin.dut
    dut.restart()
    dut.memory("m_axi").fault(0x1000, 4)
    dut.set("inplace_a", 0x1000)
    dut.set("inplace_n", 4)
    assert not dut.get("inplace_failed")
    dut.set("inplace_start", 1)
    dut.run(1)
    dut.set("inplace_start", 0)
    dut.run_until(lambda: dut.get("inplace_done"))
    dut.run(2)
    assert dut.get("inplace_failed")
