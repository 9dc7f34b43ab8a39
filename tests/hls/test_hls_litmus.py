# SPDX-License-Identifier: Apache-2.0
"""Litmus tests of channels and fences, and deadlocks that are named: emulated, and as RTL."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hlskit import Run, Twin, random_words
from kumihimo.cluster import Cluster
from kumihimo.hls.emulate import Emulation, EmulationStopped
from kumihimo.hls.host import KernelDeadlock, KernelTimeout

HERE = Path(__file__).parent
N = 40
STALLS = (0.0, 0.3, 0.7)
SECONDS = 20.0  # of wall time in which a deadlock is named, whatever the timeout


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(HERE / "litmus.cl", tmp_path_factory.mktemp("litmus"))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(HERE / "deadlock.yaml") as made:
        yield made


@pytest.mark.parametrize("stall", STALLS)
def test_two_kernels_in_a_cycle(twin: Twin, stall: float) -> None:
    """Channels without depth and with one word; what Python computes."""
    for n in (0, 1, N):
        twin.compare(Run({"asks": {"n": n}, "answers": {"n": n}}), stall=stall, seed=n + 1)
    x = 1
    for i in range(N):
        x = (x + i) * 3 % 2**32
        x ^= (x + i) % 2**32
    run = twin.emulation.run({"asks": {"n": N}, "answers": {"n": N}})
    assert run.outputs["CYCLE_OUT"] == [x]


@pytest.mark.parametrize("latency", [0, 30, 120])
def test_memory_is_written_before_a_word_says_so(twin: Twin, latency: int) -> None:
    """Both kernels have the same buffer; the memory is slow and reorders."""
    want = {"SEEN": [i * 17 for i in range(N)]}
    args = {"box": 4096, "n": N}
    run = Run({"writes_memory": args, "reads_memory": args})
    found, _ = twin.rtl(run, {}, want, 0.2, 3, latency, latency // 2, 200_000)
    assert not found, found
    box = bytearray(32)
    both = {"box": box, "n": N}
    out = twin.emulation.run({"writes_memory": both, "reads_memory": both}).outputs
    assert out == {**out, **want}
    assert box == b"".join((17 * i).to_bytes(4, "little") for i in range(N - 8, N))


@pytest.mark.parametrize("stall", STALLS)
def test_a_fence_orders_channels(twin: Twin, stall: float) -> None:
    """Whoever has the second word finds the first one without waiting."""
    run = Run({"in_order": {"n": N}, "looks": {"n": N}})
    found, _ = twin.rtl(run, {}, {"ORDER_OUT": [1] * N}, stall, 5, 0, 0, 100_000)
    assert not found, found


@pytest.mark.parametrize("slow", [0, 3, 50])
def test_what_was_not_refused_arrives(twin: Twin, slow: int) -> None:
    """The sum of the words that were taken is the sum of the words that came."""
    dut = twin.dut
    run = Run({"tries": {"n": 300}, "polls": {"slow": slow}})
    twin.rtl(run, {}, {}, 0.0, slow + 1, 0, 0, 200_000)
    sent, kept = (dut.recv_data(f"m_hdr_{name}", 1)[0] for name in ("sent_out", "kept_out"))
    assert sent == kept != bytes(4)
    out = twin.emulation.run(run.kernels).outputs
    assert out["SENT_OUT"] == out["KEPT_OUT"]


def test_emulation_names_a_deadlock() -> None:
    own = Emulation(HERE / "deadlock.cl")
    own.run({"one": {"n": 4, "answers": 4}, "two": {"n": 4, "answers": 4}})
    with pytest.raises(EmulationStopped) as found:
        own.run({"one": {"n": 4, "answers": 4}, "two": {"n": 4, "answers": 2}})
    assert found.value.reason == "deadlock"
    for words in ("one waits to read TO_ONE", "deadlock.cl:10", "two waits to read TO_TWO", ":15"):
        assert words in found.value.hint


def start(cluster: Cluster, name: str, **args: int) -> None:
    cluster["a"].kernel(name).start(**args)


def test_rtl_names_a_deadlock(cluster: Cluster) -> None:
    """Long before the timeout, with both kernels, channels and lines."""
    began = time.monotonic()
    start(cluster, "one", n=4, answers=4)
    start(cluster, "two", n=4, answers=2)
    with pytest.raises(KernelDeadlock) as found:
        cluster["a"].kernel("one").wait("10 s")
    assert time.monotonic() - began < SECONDS
    assert "one waits to read TO_ONE, which two writes (deadlock.cl:10)" in found.value.hint
    assert "two waits to read TO_TWO, which one writes (deadlock.cl:15)" in found.value.hint
    with pytest.raises(KernelDeadlock):
        cluster["a"].kernel("two").wait("10 s")


def test_rtl_names_what_a_kernel_waits_for(cluster: Cluster) -> None:
    """A kernel whose partner does not run is no deadlock: it may be started; then both end."""
    start(cluster, "takes", n=9)
    takes = cluster["a"].kernel("takes")
    with pytest.raises(KernelTimeout) as found:
        takes.wait("200 us")
    assert not isinstance(found.value, KernelDeadlock)
    assert "takes waits to read LOOP, which feeds writes (deadlock.cl:26)" in found.value.hint
    assert takes.waits == ("waits to read LOOP, which feeds writes (deadlock.cl:26)",)
    cluster["a"].kernel("feeds").run(n=9)
    takes.wait("10 us")
    assert not takes.busy and not takes.waits


def test_kernels_that_answer_each_other_for_long_are_not_deadlocked() -> None:
    with Cluster(HERE / "deadlock.yaml") as own:
        start(own, "two", n=30_000, answers=30_000)
        own["a"].kernel("one").run(n=30_000, answers=30_000, timeout="100 ms")
        own["a"].kernel("two").wait()


def test_kumi_up_names_a_deadlock() -> None:
    """At its end, of kernels that wait for each other; those that wait for a port are at rest."""
    command = [sys.executable, "-m", "kumihimo.cli", "up", str(HERE / "deadlock.yaml")]
    done = subprocess.run(
        [*command, "--until", "20 us"], capture_output=True, text=True, check=True, timeout=120
    )
    said = " ".join(done.stderr.split())
    assert "a: the kernels are deadlocked. left waits to read RIGHT, which right writes" in said
    assert "right waits to read LEFT, which left writes (deadlock.cl:36)" in said
    assert "one" not in said.partition("deadlocked")[2]


@pytest.mark.parametrize("stall", STALLS)
def test_one_of_several_channels(twin: Twin, stall: float) -> None:
    """Read and written, by condition and by switch; what Python computes, in the same order."""
    words = random_words(31, 4 * N, 11)
    twin.compare(Run({"merges": {"n": N}}, {"EVEN_IN": words, "ODD_IN": words[N:]}), stall)
    twin.compare(Run({"routes": {"n": N}}, {"ROUTE_IN": words}), stall)
    sources = {f"SOURCES_{i}": words[i * N : (i + 1) * N] for i in range(3)}
    chosen = Run({"chooses": {"n": N // 2}}, sources)
    twin.compare(chosen, stall)
    merged = twin.emulation.run(
        {"merges": {"n": N}}, {"EVEN_IN": words, "ODD_IN": words[N:]}
    ).outputs["MERGED"]
    half = N // 2
    for i in range(half):
        assert merged[2 * i] == words[i] + 2 * i
        assert merged[2 * i + 1] == words[N + i] + 2 * i + 1
    routed = twin.emulation.run({"routes": {"n": N}}, {"ROUTE_IN": words}).outputs
    assert routed["ROUTES_0"] == [w for w in words[:N] if w & 1]
    assert routed["ROUTES_1"] == [w for w in words[:N] if w & 3 == 2]
    assert routed["ROUTES_2"] == [w for w in words[:N] if w & 3 == 0]


@pytest.mark.parametrize("stall", STALLS)
def test_one_of_several_channels_without_blocking(twin: Twin, stall: float) -> None:
    """Every word once, those of a side in their order."""
    sides = {"SIDE_A": list(range(N)), "SIDE_B": list(range(1000, 1000 + N))}
    run = Run({"alternates": {"n": 2 * N}}, sides)
    twin.rtl(run, {}, {}, stall, 3, 0, 0, 100_000)
    got = [int.from_bytes(w, "little") for w in twin.dut.recv_data("m_hdr_both", 2 * N)]
    assert [w for w in got if w < 1000] == sides["SIDE_A"]
    assert [w for w in got if w >= 1000] == sides["SIDE_B"]
