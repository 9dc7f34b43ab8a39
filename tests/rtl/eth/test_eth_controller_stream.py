# SPDX-License-Identifier: Apache-2.0
"""Stream form of the Ethernet controller: many peers by number."""

from __future__ import annotations

import random

import pytest
from controller_bench import MAC_PS, OWN, Piece, cut, number, pad
from kumihimo.testing import Dut, Frame

PEERS = 6
LIMIT = 4096


def address(i: int) -> str:
    """Address of a peer."""
    return f"02:00:00:00:01:{i:02x}"


def instance(width: int, store: int) -> Dut:
    """A controller whose table holds all peers but number 4."""
    kernel = ("set_source_addr", "set_peer", "s_axis", "m_axis")
    dut = Dut.of_module(
        "kumi_eth_controller_stream",
        params={"PEERS": PEERS, "MSG_BYTES": LIMIT, "RX_STORE": store},
        interfaces={
            "*": {"DATA_W": width, "DEST_W": 3, "ID_W": 3},
            "m_axis": {"USER_W": 3},
            "set_source_addr": {"W": 48},
            "set_peer": {"W": 56},
        },
        clocks={**dict.fromkeys(kernel, "clk"), "m_mac": "tx_clk", "s_mac": "rx_clk"},
        periods_ps={"clk": MAC_PS, "tx_clk": MAC_PS, "rx_clk": MAC_PS},
        phases_ps={"clk": 100, "tx_clk": 900, "rx_clk": 1500},
        pins={"cfg_addr": number(OWN), "cfg_mtu": 600},
    )
    for pin in ("tx_ev", "rx_ev", "ev_no_peer", "ev_long", "ev_bad", "ev_unknown"):
        dut.watch(pin)
    for i in range(PEERS):
        if i != 4:
            dut.send("set_peer", i << 48 | number(address(i)))
    dut.run(20)
    return dut


@pytest.mark.parametrize("width", [64, 256])
@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.3, 0.4)])
def test_out(width: int, stalls: tuple[float, float]) -> None:
    """Each message reaches its peer complete; what cannot be sent is counted."""
    rng = random.Random(width)
    dut = instance(width, 1)
    dut.stall_all(*stalls, seed=3)
    expect = []
    counts = {"ev_no_peer": 0, "ev_long": 0, "ev_bad": 0}
    num = 0
    for _ in range(80):
        size = rng.choice([1, 7, 60, 576, 577, 1500, 4000, 4096, 5000])
        message, dest, bad = rng.randbytes(size), rng.randrange(8), rng.random() < 0.1
        dut.send("s_axis", Frame(message, dest=dest, bad=bad))
        if size > LIMIT:
            counts["ev_long"] += 1
        elif bad:
            counts["ev_bad"] += 1
        elif dest >= PEERS or dest == 4:
            counts["ev_no_peer"] += 1
        else:
            pieces = cut(message, width, 600, num, address(dest), OWN)
            expect += [p.bytes() for p in pieces]
            num += 1
    assert dut.recv_data("m_mac", len(expect), 300_000) == expect
    dut.drain()
    dut.run(2000)
    assert {k: dut.counts(k)["0"] for k in counts} == counts
    assert not dut.recv("m_mac")


@pytest.mark.parametrize("width", [64, 256])
@pytest.mark.parametrize("store", [1, 0])
def test_in(width: int, store: int) -> None:
    """Frames of several peers, mixed, each with the number of its sender."""
    rng = random.Random(width)
    dut = instance(width, store)
    dut.stall_all(0.1, 0.3, seed=3)
    queues = []
    for i in range(8):
        message = rng.randbytes(rng.randrange(600, 4000))
        queues.append(cut(message, width, 600, i, OWN, address(i)))
    expect: list[tuple[int, Piece]] = []
    unknown = 0
    while any(queues):
        i = rng.choice([k for k, q in enumerate(queues) if q])
        piece = queues[i].pop(0)
        dut.send("s_mac", pad(piece.bytes()))
        dut.drain()
        if i >= PEERS or i == 4:
            unknown += 1
        else:
            expect.append((i, piece))
    out = dut.recv("m_axis", len(expect), 100_000)
    for frame, (i, piece) in zip(out, expect, strict=True):
        assert (frame.data, frame.id, frame.bad) == (piece.data, i, False)
        assert frame.users[-1] >> 1 == piece.last << 1 | piece.first
    dut.run(1000)
    assert dut.counts("ev_unknown")["0"] == unknown and not dut.recv("m_axis")
