# SPDX-License-Identifier: Apache-2.0
"""Management datagrams are told from other packets by VL15 or queue pair 1."""

from __future__ import annotations

import random

import pytest
from ib_model import Header, packet
from kumihimo.testing import Dut, Frame


@pytest.mark.parametrize(("width", "latency"), [(64, 4), (32, 6)])
def test_management_goes_its_own_way(width: int, latency: int) -> None:
    """Packets of all lengths, the shortest too, with every kind of header; gaps on every side."""
    dut = Dut.of_module(
        "tests/rtl/ib/kumi_tb_ib_mgmt_demux.sv",
        {"DATA_W": width},
        {"*": {"DATA_W": width, "DEST_W": 8}},
    )
    rng = random.Random(width)
    ways: dict[bool, list[Frame]] = {False: [], True: []}
    frames: list[Frame] = []
    for n in range(300):
        qp, vl = rng.choice([0, 1, 2, 0x10001, 0x800001]), rng.choice([0, 3, 15])
        head = Header(vl=vl, dest_qp=qp, grh=n % 5 == 0, dlid=rng.choice([1, 0xFFFF]))
        data = packet(rng.randbytes(rng.choice([0, 1, 8, 20, 264, 600])), head)
        frames.append(Frame(data, dest=vl))
        ways[vl == 15 or (qp == 1 and not head.grh)].append(frames[-1])
    for stalls in ((0.0, 0.0), (0.4, 0.0), (0.0, 0.4), (0.5, 0.5)):
        dut.restart()
        dut.stall_all(*stalls, seed=3)
        dut.send("s_axis", frames)
        for mgmt, name in ((False, "m_axis_data"), (True, "m_axis_mgmt")):
            got = dut.recv(name, len(ways[mgmt]), 200_000)
            assert [(f.data, f.dest) for f in got] == [(f.data, f.dest) for f in ways[mgmt]]
        assert not dut.recv("m_axis_data") and not dut.recv("m_axis_mgmt")
    dut.restart()
    dut.send("s_axis", frames[0])
    (got_one,) = dut.recv("m_axis_data" if frames[0] in ways[False] else "m_axis_mgmt", 1)
    ((first, _),) = dut.sent("s_axis")
    assert got_one.cycle - first == latency
