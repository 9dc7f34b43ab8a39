# SPDX-License-Identifier: Apache-2.0
"""What the Ethernet controller costs in time: latency kernel to kernel, and share of the link."""

from __future__ import annotations

import random

import pytest
from controller_bench import HEADER, KERNEL_PS, MAC_PS, OWN, Piece, controller, number, record
from kumihimo.testing import Dut


def loop(paper: int, store: int, kernel_ps: int = KERNEL_PS, width: int = 256) -> Dut:
    """Two controllers joined by a wire."""
    kernel = ("set_dest_addr_count", "send_data", "receive_data", "receive_info")
    return Dut.of_module(
        "tests/rtl/eth/kumi_tb_eth_controller_loop.sv",
        params={"PAPER_FRAMING": paper, "STORE": store},
        interfaces={
            "*": {"DATA_W": width},
            "set_dest_addr_count": {"W": 80},
            "receive_info": {"W": 90},
        },
        clocks=dict.fromkeys(kernel, "clk"),
        periods_ps={"clk": kernel_ps, "mac_clk": MAC_PS},
        phases_ps={"clk": 10, "mac_clk": 777},
        pins={"cfg_addr": number(OWN), "cfg_mtu": 9216},
    )


def latency(dut: Dut, paper: int, size: int, count: int = 120) -> list[float]:
    """First word in to first word out in cycles of the MAC, for many phases of the clocks."""
    out = []
    for i in range(count):
        dut.send("set_dest_addr_count", record(OWN, size // 32 if paper else size))
        dut.run(5 + i % 3)
        dut.send("send_data", bytes(size))
        frame = dut.recv("receive_data", 1)[0]
        start, _ = dut.sent("send_data")[0]
        assert len(frame.data) == size
        out.append((frame.cycle - start) * KERNEL_PS / MAC_PS)
        dut.run(3)
    return out


@pytest.mark.parametrize("paper", [0, 1])
@pytest.mark.parametrize("store", [1, 0])
def test_latency(paper: int, store: int) -> None:
    """One word: both controllers with both crossings take at most 12 cycles at 312.5 MHz."""
    dut = loop(paper, store)
    cycles = latency(dut, paper, 32)
    print(f"paper={paper} store={store} 32 bytes: {min(cycles)} {sum(cycles) / 120} {max(cycles)}")
    assert max(cycles) <= 12
    long = latency(dut, paper, 8192, 30)
    print(f"paper={paper} store={store} 8 KiB: {min(long)} {sum(long) / 30} {max(long)}")
    if not store:
        assert max(long) <= 12


@pytest.mark.parametrize("paper", [0, 1])
@pytest.mark.parametrize("width", [64, 256])
def test_share_of_the_link(paper: int, width: int) -> None:
    """A long message at MTU 9216 keeps the MAC busy, at the maximum share of payload."""
    size = 32 * 9184
    dut = controller(width, KERNEL_PS, MAC_PS, 9216, PAPER_FRAMING=paper)
    dut.send("set_dest_addr_count", record(OWN, size // (width // 8) if paper else size))
    data = random.Random(1).randbytes(size)
    dut.send("send_data", data)
    room = (9216 - (max(width // 8, 16) if paper else HEADER)) // (width // 8) * (width // 8)
    frames = dut.recv("m_mac", -(-size // room), 200_000)
    whole = [f.data for f in frames]
    head = max(width // 8, 16)
    bodies = [f[head:] for f in whole] if paper else [Piece.parse(f).data for f in whole]
    assert b"".join(bodies) == data and max(map(len, whole)) <= 9216
    # After the first frame the MAC side never idles for longer than the gap on the line.
    beats = sum(f.beats for f in frames)
    assert frames[-1].last_cycle - frames[0].cycle + 1 - beats <= 2 * len(frames)
    # Preamble 8, FCS 4, gap 12 bytes on the line.
    share = size / sum(len(f) + 24 for f in whole)
    print(f"paper={paper} width={width}: {share:.5f}")
    assert share >= 0.9938
