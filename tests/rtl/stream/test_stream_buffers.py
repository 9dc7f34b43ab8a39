# SPDX-License-Identifier: Apache-2.0
"""Register slices, fifos and their header-stream twins: all widths, all memory styles."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut
from stream_bench import STALLS, Bench, gapless, random_frames, same

WIDTHS = (8, 32, 64, 128, 256, 512)
# name: (width, latency of an empty block in cycles, beats it holds)
CASES: dict[str, tuple[int, int, int]] = {}


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("stream_buffers")
    for mode, holds in ((1, 1), (2, 2), (3, 1)):
        for width in (8, 64, 512):
            name = f"reg{mode}w{width}"
            bench.add(name, "kumi_axis_reg", {"MODE": mode}, DATA_W=width)
            CASES[name] = (width, 1, holds)
    for width in WIDTHS:
        name = f"lut{width}"
        bench.add(name, "kumi_axis_fifo", {"DEPTH": 16}, pins_out={"depth": 5}, DATA_W=width)
        CASES[name] = (width, 2, 17)
    for style, latency, more in ((1, 3, 2), (2, 2, 1)):
        for width in (64, 512):
            name = f"ram{style}w{width}"
            bench.add(
                name,
                "kumi_axis_fifo",
                {"DEPTH": 128, "STYLE": style},
                pins_out={"depth": 8},
                DATA_W=width,
            )
            CASES[name] = (width, latency, 128 + more)
    bench.add("hreg", "kumi_rec_reg", axis={}, hdr={"s_hdr": 72, "m_hdr": 72})
    bench.add(
        "hfifo",
        "kumi_rec_fifo",
        {"DEPTH": 8},
        axis={},
        hdr={"s_hdr": 72, "m_hdr": 72},
        pins_out={"depth": 4},
    )
    return bench.build()


@pytest.mark.parametrize("stalls", STALLS)
def test_everything_passes_in_order(built: Dut, stalls: tuple[float, float]) -> None:
    built.restart()
    built.stall_all(*stalls, seed=7)
    rng = random.Random(1)
    sent = {}
    for name, (width, _, _) in CASES.items():
        sent[name] = random_frames(rng, width, 120, bad=0.1)
        built.send(f"s_axis_{name}", sent[name])
    for name, frames in sent.items():
        same(built.recv(f"m_axis_{name}", len(frames), 200_000), frames)


@pytest.mark.parametrize("stalls", STALLS)
def test_records_pass_in_order(built: Dut, stalls: tuple[float, float]) -> None:
    built.restart()
    built.stall_all(*stalls, seed=3)
    rng = random.Random(2)
    for name in ("hreg", "hfifo"):
        records = [rng.getrandbits(72) for _ in range(300)]
        built.send(f"s_hdr_{name}", records)
        assert [f.value for f in built.recv(f"m_hdr_{name}", len(records))] == records


def test_rate_and_latency(built: Dut) -> None:
    built.restart()
    rng = random.Random(3)
    for name, (width, latency, _) in CASES.items():
        frames = random_frames(rng, width, 60)
        built.sent(f"s_axis_{name}")
        built.send(f"s_axis_{name}", frames)
        out = built.recv(f"m_axis_{name}", len(frames), 200_000)
        same(out, frames)
        assert out[0].cycle - built.sent(f"s_axis_{name}")[0][0] == latency, name
        if not name.startswith("reg1"):
            gapless(out)


def test_capacity_and_depth(built: Dut) -> None:
    """A blocked block takes exactly what it says, and gives all of it back."""
    built.restart()
    rng = random.Random(4)
    for name, (width, _, holds) in CASES.items():
        built.stall(f"m_axis_{name}", 1.0)
        beats = holds + 3
        frames = [rng.randbytes(width // 8) for _ in range(beats)]
        built.send(f"s_axis_{name}", frames)
        built.run(beats + 20)
        assert len(built.sent(f"s_axis_{name}")) == holds, name
        if name.startswith(("lut", "ram")):
            depth = 16 if name.startswith("lut") else 128
            assert built.get(f"{name}_depth") == depth
        built.stall(f"m_axis_{name}", 0.0)
        assert built.recv_data(f"m_axis_{name}", beats) == frames
        if name.startswith(("lut", "ram")):
            assert built.get(f"{name}_depth") == 0
