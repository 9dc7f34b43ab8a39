# SPDX-License-Identifier: Apache-2.0
"""Two tcp_traffic nodes on one cable: every byte arrives, both ways, also while the cable loses."""

from __future__ import annotations

import pytest
from kumihimo._engine import Impairments
from kumihimo.bench.tcp.rig import US, TcpRig, library

NODE = {"DATA_W": 64, "SESSIONS": 16, "ON_CHIP": 1, "TX_STORE": 0, "CUBIC": 1, "TX_QUEUE": 16}
SOON = {"tcp.rto_init": 200, "tcp.rto_min": 200}


@pytest.mark.parametrize("loss", [0.0, 0.02])
def test_both_ways(loss: float) -> None:
    """Four sessions each way, then closed; the checker of each node sees the other's pattern."""
    impair = Impairments(loss=loss) if loss else None
    with TcpRig(library(NODE), impair=impair, settings=SOON, seed=5) as rig:
        for node in range(2):
            rig.open(node, 4)
        for node in range(2):
            rig.write(node, 30_000, 5_000)
        rig.wait("all bytes are there", lambda: all(rig.arrived(i) == 120_000 for i in range(2)))
        rig.check()
        again = sum(regs.tcp.counters("core")["tx_retransmit"] for regs in rig.regs)
        assert (again > 0) == (loss > 0)
        for regs in rig.regs:
            regs.tcp_traffic.ctrl.set(close=1)
        # Each node ends the four it opened and the four it accepted.
        rig.wait("all are over", lambda: all(r.tcp_traffic.ended.read() == 8 for r in rig.regs))
        rig.run(20 * US)
        rig.check()
