# SPDX-License-Identifier: Apache-2.0
"""UDP demultiplexer and multiplexer: a record and its payload stay together."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from kumihimo.testing import Dut

PORTS = [7, 5001, 9999]


@cache
def _build(width: int) -> Dut:
    widths: dict[str, dict[str, Any]] = {"*": {"DATA_W": width}}
    for name in ("in_hdr", "out_hdr", "from_hdr", "sum_hdr"):
        widths[name] = {"W": 164}
    return Dut.of_module("tests/rtl/ip/kumi_t_udp_ports.sv", interfaces=widths)


def ports_top(width: int) -> Dut:
    """Both blocks, just out of reset, the three ports open."""
    dut = _build(width)
    dut.restart(1)
    dut.set("ports", PORTS[0] | PORTS[1] << 16 | PORTS[2] << 32)
    dut.set("port_valid", 7)
    dut.watch("ev_closed")
    return dut


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("stalls", [False, True])
def test_demux(width: int, stalls: bool) -> None:
    """Each datagram comes to the kernel of its port, in order; closed ones are counted."""
    rng = random.Random(width)
    dut = ports_top(width)
    if stalls:
        dut.stall_all(rx=0.3, tx=0.3, seed=2)
    kind = dut.struct("udp_hdr_t")
    wanted: dict[int, list[tuple[int, bytes]]] = {p: [] for p in PORTS}
    closed = 0
    for _ in range(300):
        port = rng.choice([*PORTS, 1])
        data = rng.randbytes(rng.choice([0, 1, 8, 9, 64, 65, 200]))
        value = int(kind.pack(local_port=port, length=len(data), peer_port=rng.randrange(65536)))
        dut.send("in_hdr", [value])
        if data:
            dut.send("in", [data])
        if port in wanted:
            wanted[port].append((value, data))
        else:
            closed += 1
    dut.drain()
    dut.run(3000)
    for i, port in enumerate(PORTS):
        records = [f.value for f in dut.recv(f"out_hdr[{i}]")]
        bodies = [f.data for f in dut.recv(f"out[{i}]")]
        assert records == [v for v, _ in wanted[port]]
        assert bodies == [d for _, d in wanted[port] if d]
    assert sum(dut.counts("ev_closed").values()) == closed


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("stalls", [False, True])
def test_mux(width: int, stalls: bool) -> None:
    """The n-th payload out belongs to the n-th record out; all kernels get their turn."""
    rng = random.Random(width)
    dut = ports_top(width)
    if stalls:
        dut.stall_all(rx=0.3, tx=0.3, seed=2)
    kind = dut.struct("udp_hdr_t")
    wanted: list[list[tuple[int, bytes]]] = [[], [], []]
    for i in range(3):
        for n in range(100):
            data = rng.randbytes(rng.choice([0, 1, 8, 9, 64, 65, 200]))
            value = int(kind.pack(local_port=i, peer_port=n, length=len(data)))
            wanted[i].append((value, data))
            dut.send(f"from_hdr[{i}]", [value])
            if data:
                dut.send(f"from[{i}]", [data])
    dut.drain()
    dut.run(3000)
    records = [f.value for f in dut.recv("sum_hdr")]
    bodies = [f.data for f in dut.recv("sum")]
    assert len(records) == 300
    turns = []
    for value in records:
        i = kind.unpack(value)["local_port"]
        expected, data = wanted[i].pop(0)
        assert value == expected
        if data:
            assert bodies.pop(0) == data
        turns.append(i)
    assert not bodies
    if not stalls:
        assert sorted(turns[:3]) == [0, 1, 2] == sorted(turns[30:33])
