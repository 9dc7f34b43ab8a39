# SPDX-License-Identifier: Apache-2.0
"""Timing of RTP: latency from kernel to kernel, share of the link, rate."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut
from rtp_core_bench import BASE, CFG, Net

KERNEL_PS = 3158  # 316.67 MHz
MAC_PS = 3200  # 312.5 MHz


def loop(width: int = 256, kernel_ps: int = KERNEL_PS) -> Dut:
    """Two ports joined by a wire, up."""
    kernel = [
        *("set_peer_a", "set_peer_b", "s_msg_a", "m_msg_a", "s_msg_b", "m_msg_b"),
        *("m_status_a", "m_status_b"),
    ]
    dut = Dut.of_module(
        "tests/rtl/eth/kumi_tb_eth_rtp_loop.sv",
        interfaces={
            "*": {"DATA_W": width, "ID_W": 2, "DEST_W": 2},
            **{f"m_msg_{side}": {"USER_W": 3} for side in "ab"},
            **{f"set_peer_{side}": {"W": 60} for side in "ab"},
            **{f"m_status_{side}": {"W": 16} for side in "ab"},
        },
        clocks=dict.fromkeys(kernel, "clk"),
        periods_ps={"clk": kernel_ps, "mac_clk": MAC_PS},
        phases_ps={"clk": 10, "mac_clk": 777},
        pins={"cfg_addr": BASE, "cfg": Net.pack(CFG | {"mtu": 9216, "rto_init": 500})},
    )
    dut.send("set_peer_a", 1 << 48 | BASE + 1)
    dut.send("set_peer_b", 0 << 48 | BASE)
    for side in ("a", "b"):
        assert dut.recv(f"m_status_{side}", 1)[0].value & 15 == 1
    for pin in ("beat", "ev_a", "ev_b", "rx_a", "rx_b"):
        dut.watch(pin)
    return dut


@pytest.mark.parametrize("size", [1, 32])
def test_latency(size: int) -> None:
    """A short message, first word in to first word out, both ports and crossings: 20 cycles."""
    dut = loop()
    out = []
    for i in range(120):
        dut.run(40 + i % 3)
        dut.send("s_msg_a", bytes([i] * size), dest=1)
        frame = dut.recv("m_msg_b", 1)[0]
        start, _ = dut.sent("s_msg_a")[0]
        assert frame.data == bytes([i] * size)
        out.append((frame.cycle - start) * KERNEL_PS / MAC_PS)
    print(f"{size} bytes: {min(out):.1f} {sum(out) / len(out):.1f} {max(out):.1f}")
    assert max(out) <= 20


@pytest.mark.parametrize("width", [64, 256])
def test_share_of_the_link(width: int) -> None:
    """A long message keeps the line busy; 9,184 bytes of payload take 9,238 on the line."""
    word = width // 8
    room = (9216 - 30) // word * word
    size = 40 * room
    dut = loop(width, MAC_PS)  # equal periods, so that events can be counted
    data = random.Random(1).randbytes(size)
    dut.send("s_msg_a", data, dest=1)
    frames = dut.recv("m_msg_b", 40, 300_000)
    assert b"".join(f.data for f in frames) == data
    assert {len(f.data) for f in frames} == {room}
    # The first frame waits until it is complete. Behind it the receiver needs two cycles a frame.
    beats = -(-(room + 30) // word)
    assert dut.counts("ev_a")["tx_data"] == 40 and dut.counts("ev_a")["tx_retransmit"] == 0
    cycles = (frames[-1].last_cycle - frames[0].last_cycle) / 39
    print(f"width={width}: {room / (room + 54):.5f}, {cycles - beats:.2f} idle cycles a frame")
    assert room / (room + 54) >= 0.994
    assert cycles - beats <= 2.1


@pytest.mark.parametrize("both", [False, True])
def test_rate_of_short_messages(both: bool) -> None:
    """Messages of one word: at most 6 cycles each one way, 9 with as many the other way."""
    dut = loop(256)
    count = 600
    for i in range(count):
        dut.send("s_msg_a", i.to_bytes(4, "big") * 8, dest=1)
        if both:
            dut.send("s_msg_b", i.to_bytes(4, "big") * 8, dest=0)
    frames = dut.recv("m_msg_b", count, 60_000)
    assert [f.data for f in frames] == [i.to_bytes(4, "big") * 8 for i in range(count)]
    if both:
        assert len(dut.recv("m_msg_a", count, 60_000)) == count
    cycles = (frames[-1].cycle - frames[100].cycle) / (count - 101)
    print(f"both={both}: {cycles:.2f} cycles a message")
    assert cycles <= (9 if both else 6)
