# SPDX-License-Identifier: Apache-2.0
"""The node and segments that nobody should send: no hang, no leak, and the counters add up."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from kumihimo.bench import tcp_fuzz
from kumihimo.regs import RegisterMap
from tcp_peer import Host
from tcp_targets import NODE_MAC, NodeWire, node

# Sessions whose peer is silent are to end soon.
SOON = {"rto_max": 400, "time_wait": 200, "fin_wait": 400, "linger": 400, "keep_idle": 300}


@pytest.mark.parametrize("seed", [1, 2])
def test_fuzz(seed: int) -> None:
    """Thousands of segments, right, nearly right and wrong; then an honest client."""
    with node() as target:
        wire = target.wire
        assert isinstance(wire, NodeWire)
        tcp = RegisterMap(wire).tcp
        for name, value in SOON.items():
            getattr(tcp, name).write(value)
        tcp.retries.set(data=2)
        handle = SimpleNamespace(dut=wire.dut, regs=RegisterMap(wire), ip=target.ip, mac=NODE_MAC)
        row = tcp_fuzz.fuzz(handle, 2500, seed)
        assert row["opened"] >= 20 and row["answers"] > 300
        Host(target).works()
