# SPDX-License-Identifier: Apache-2.0
"""Emulation: results that numpy or Python computes, deadlocks, time limits, mistakes."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from kumihimo.common.errors import KumiError
from kumihimo.hls.emulate import Emulation, EmulationStopped

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def kernels() -> Emulation:
    return Emulation(HERE / "kernels.cl")


@pytest.fixture(scope="module")
def figure8() -> Emulation:
    return Emulation(HERE / "figure8.cl")


def made(folder: Path, text: str) -> Emulation:
    file = folder / "own.cl"
    file.write_text(text, encoding="utf-8")
    return Emulation(file)


def test_figure_8_sends_and_receives(figure8: Emulation) -> None:
    """100,000 words of 256 bits leave and arrive as they are."""
    data = random.Random(1).randbytes(32 * 100_000)
    sent = figure8.run(
        {
            "sender": {
                "send_data256": bytearray(data),
                "count": 100_000,
                "source_addr": 5,
                "dest_addr": 6,
            }
        }
    )
    words = sent.outputs["SEND_DATA"]
    assert b"".join(w.to_bytes(32, "little") for w in words) == data
    assert sent.outputs["SET_SOURCE_ADDR"] == [5]
    assert sent.outputs["SET_DEST_ADDR_COUNT"] == [6 << 32 | 100_000]
    buffer = bytearray(len(data))
    figure8.run(
        {"receiver": {"receive_data256": buffer, "count": 100_000}}, {"RECEIVE_DATA": words}
    )
    assert buffer == data


def test_example_sends_what_it_is_given() -> None:
    """The kernels of examples/opencl, which run on the same node as figure 8."""
    example = Emulation(HERE.parents[1] / "examples/opencl/ethernet.cl")
    data = random.Random(2).randbytes(32 * 20)
    args = {"data": bytearray(data), "count": 20, "own": 10, "addr": 11}
    out = example.run({"sender": args}).outputs
    assert b"".join(w.to_bytes(32, "little") for w in out["SEND"]) == data
    buffer = bytearray(len(data))
    example.run({"receiver": {"data": buffer, "count": 20}}, {"RECEIVE": out["SEND"]})
    assert buffer == data


def test_memory_is_numpys(kernels: Emulation) -> None:
    values = np.random.default_rng(2).integers(0, 2**32, 500, dtype=np.uint32)
    buffer = bytearray(values.tobytes())
    kernels.run({"prefix": {"a": buffer, "n": 500}})
    assert (np.frombuffer(buffer, np.uint32) == np.cumsum(values, dtype=np.uint32)).all()


def test_histogram_is_numpys(kernels: Emulation) -> None:
    values = np.random.default_rng(3).integers(0, 2**20, 500)
    out = kernels.run({"hist": {"n": 500}}, {"HIST_IN": [int(v) for v in values]})
    expected = np.bincount(values & 63, weights=values, minlength=64)
    assert out.outputs["HIST_OUT"] == [int(v) for v in expected]


def test_kernels_talk(kernels: Emulation) -> None:
    """An autorun kernel that never ends does not keep the run from ending."""
    out = kernels.run({"asker": {"n": 5}})
    x, expected = 1, []
    for i in range(5):
        x = x * 5 + i
        expected.append(x)
    assert out.outputs["ANSWER_OUT"] == expected


def test_unread_words_are_told(kernels: Emulation) -> None:
    out = kernels.run({"hist": {"n": 2}}, {"HIST_IN": [1, 2, 3, 4]})
    assert out.unread == {"HIST_IN": 2}


def test_deadlock_names_kernel_channel_and_line(tmp_path: Path) -> None:
    own = made(
        tmp_path,
        """channel int A; channel int B;
__kernel void one(void) {
  int x = read_channel_intel(B);
  write_channel_intel(A, x);
}
__kernel void two(void) {
  write_channel_intel(B, read_channel_intel(A));
}
""",
    )
    with pytest.raises(EmulationStopped) as found:
        own.run({"one": {}, "two": {}})
    assert found.value.reason == "deadlock"
    hint = found.value.hint
    assert "one waits to read B" in hint and "own.cl:3)" in hint
    assert "two waits to read A" in hint and "own.cl:7)" in hint


def test_full_channel_deadlocks_where_its_depth_says(tmp_path: Path) -> None:
    text = """channel int A __attribute__((depth(DEPTH))); channel int GO;
__kernel void one(int n) {
  for (int i = 0; i < n; i++) write_channel_intel(A, i);
  write_channel_intel(GO, n);
}
__kernel void two(void) {
  int n = read_channel_intel(GO);
  for (int i = 0; i < n; i++) read_channel_intel(A);
}
"""
    own = made(tmp_path, text.replace("DEPTH", "4"))
    own.run({"one": {"n": 4}, "two": {}})
    with pytest.raises(EmulationStopped) as found:
        own.run({"one": {"n": 5}, "two": {}})
    assert "one waits to write A" in found.value.hint


def test_endless_kernel_runs_into_the_time_limit(tmp_path: Path) -> None:
    own = made(tmp_path, "__kernel void spin(__global volatile int *a) { while (a[0] == 0); }\n")
    with pytest.raises(EmulationStopped) as found:
        own.run({"spin": {"a": bytearray(4)}}, timeout=0.2)
    assert found.value.reason == "time"
    own.run({"spin": {"a": bytearray(b"\1\0\0\0")}})


def test_division_by_zero_is_named(tmp_path: Path) -> None:
    text = "channel int A;\n__kernel void over(int n) { write_channel_intel(A, 7 / n); }\n"
    own = made(tmp_path, text)
    with pytest.raises(EmulationStopped) as found:
        own.run({"over": {"n": 0}})
    assert found.value.reason == "divide" and "over" in found.value.text
    assert own.run({"over": {"n": 2}}).outputs["A"] == [3]


def test_wrong_arguments_are_one_sentence(kernels: Emulation) -> None:
    with pytest.raises(KumiError, match="hist takes the arguments n"):
        kernels.run({"hist": {"m": 2}})
    with pytest.raises(KumiError, match="no channel NOWHERE"):
        kernels.run({"hist": {"n": 2}}, {"NOWHERE": [1]})
