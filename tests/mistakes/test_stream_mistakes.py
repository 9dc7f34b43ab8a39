# SPDX-License-Identifier: Apache-2.0
"""Kernels that break the rules of their streams: each is named in one sentence, at its time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kumihimo.testing import Dut

HERE = Path(__file__).parent
NODE = HERE / "hw/kumi_node_wrong.sv"
KERNEL = "wrong_kernel"


@pytest.fixture(scope="module")
def dut() -> Dut:
    """As clusters are built, so with monitors."""
    return Dut(NODE, files=[HERE / "hw/wrong_kernel.sv"], profile="fast", check=False)


def said(
    dut: Dut, mistake: int, sizes: list[int], cycles: int = 400, stall: float = 0.5
) -> list[str]:
    """What is said about datagrams of these sizes."""
    dut.restart()
    dut.set("mistake", mistake)
    record = dut.struct("udp_hdr_t")
    if stall:
        dut.stall("m_axis", stall)
        dut.stall("m_hdr", stall, seed=2)
    for size in sizes:
        dut.send("s_hdr", record.pack(length=size, peer_port=7, local_port=7))
        dut.run(1)  # a record is offered no later than its payload
        if size:
            dut.send("s_axis", bytes(i % 256 for i in range(size)))
        dut.run(20 + 2 * size if stall < 0.5 else 200 + 4 * size)
    dut.run(cycles)
    return [text for _, text in dut.messages]


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (1, r"m_axis: 64 bytes promised, 56 sent at [\d.]+ us"),
        (2, r"m_axis: 48 bytes promised, 56 sent at [\d.]+ us"),
        (3, r"m_axis: payload without a record at wrong_kernel\.m_hdr, at [\d.]+ us"),
        (4, r"m_axis: a beat changes while it waits for tready, at [\d.]+ us"),
        (5, r"m_axis: tkeep 11111110 has a hole, at [\d.]+ us"),
        (6, r"m_axis: tvalid is withdrawn before tready came, at [\d.]+ us"),
        (8, r"m_axis: 56 bytes promised, 64 sent without tlast at [\d.]+ us"),
        (9, r"m_hdr: a record changes while it waits for ready, at [\d.]+ us"),
    ],
)
def test_a_broken_rule_is_named(dut: Dut, mistake: int, sentence: str) -> None:
    texts = said(dut, mistake, [56, 56, 56])
    assert re.fullmatch(rf"{KERNEL}\.{sentence}", texts[0]), texts
    # It is said a few times, not for ever.
    assert len(said(dut, mistake, [56] * 40, cycles=2000)) <= 5


def test_what_never_happens_is_named_after_a_while(dut: Dut) -> None:
    missing = said(dut, 7, [56], cycles=17_000)
    sentence = r"m_hdr: 56 bytes promised, no payload at wrong_kernel\.m_axis since [\d.]+ us"
    assert re.fullmatch(rf"{KERNEL}\.{sentence}", missing[0]), missing
    ended = said(dut, 8, [56], cycles=17_000)
    sentence = r"m_axis: 56 bytes of 56 sent without tlast, then nothing since [\d.]+ us"
    assert re.fullmatch(rf"{KERNEL}\.{sentence}", ended[0]), ended
    stuck = said(dut, 10, [56], cycles=17_000)
    sentence = r"s_axis: tready is never set; a beat waits since [\d.]+ us"
    assert re.fullmatch(rf"{KERNEL}\.{sentence}", stuck[0]), stuck


@pytest.mark.parametrize("stall", [0.0, 0.3, 0.9])
def test_right_traffic_stays_quiet(dut: Dut, stall: float) -> None:
    sizes = [1, 7, 8, 9, 0, 16, 63, 64, 65, 0, 0, 1472]
    assert said(dut, 0, sizes, cycles=17_000, stall=stall) == []
    assert len(dut.recv("m_axis")) == sum(1 for size in sizes if size)
