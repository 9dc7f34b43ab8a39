# SPDX-License-Identifier: Apache-2.0
"""Kernels in C++ with hls::stream: RTL equals emulation, and both what Python computes."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from hlskit import Run, Twin, random_words
from kumihimo.hls.errors import HlsError
from kumihimo.hls.frontend import load

HERE = Path(__file__).parent
N = 60


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(HERE / "streams.cpp", tmp_path_factory.mktemp("streams"))


def check(twin: Twin, run: Run) -> dict[str, list[int]]:
    """Compare with and without stalls; the words that emulation gives."""
    twin.compare(run, stall=0.3, seed=2, latency=20, jitter=8)
    twin.compare(run)
    return twin.emulation.run(run.kernels, run.inputs).outputs


def test_mix(twin: Twin) -> None:
    words = random_words(32, N, 1)
    out = check(twin, Run({"mix": {"gain": -3, "n": N}}, {"mix_in": words}))["mix_out"]
    line, expected = [0] * 4, []
    for word in words:
        left, right = struct.unpack("<hh", word.to_bytes(4, "little"))
        line = [left - right, *line[:3]]
        expected.append(-3 * sum((k + 1) * x for k, x in enumerate(line)) & 0xFFFFFFFF)
    assert out == expected


def test_stream_between_kernels(twin: Twin) -> None:
    data = [random.Random(2).randrange(2**30) for _ in range(N)]
    b = bytearray(4 * N)
    a = bytearray(struct.pack(f"<{N}i", *data))
    check(twin, Run({"load": {"a": a, "n": N}, "store": {"b": b, "n": N}}))
    assert list(struct.unpack(f"<{N}i", b)) == [x + i for i, x in enumerate(data)][::-1]


def test_poll(twin: Twin) -> None:
    words = random_words(8, N, 3)
    out = check(twin, Run({"poll": {"n": N}}, {"poll_in": words}))["poll_out"]
    total = 0
    for word in words:
        total = (total * 31 + word) & 0xFFFFFFFF
    assert out == [total]


def test_refused(tmp_path: Path) -> None:
    cases = (
        ("void f(int *a) { a[0] = 1; }\n", 0, 'extern "C"'),
        ('extern "C" void f(int &a) { a = 1; }\n', 1, "hls::stream<T> &s"),
        ('int t[4];\nextern "C" void f(int i) {\n  t[i] = i;\n}\n', 3, "pointer"),
    )
    for text, line, hint in cases:
        file = tmp_path / "own.cpp"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(HlsError) as found:
            from kumihimo.hls.compile import designs

            designs(load(file))
        assert hint in found.value.hint
        assert found.value.place.line == line
