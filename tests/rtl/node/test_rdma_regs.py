# SPDX-License-Identifier: Apache-2.0
"""The registers of RDMA through the verbs: every field of what reaches the engine. 4 s."""

from __future__ import annotations

import random
from typing import Any

import pytest
from kumihimo.rdma import Completion, Rdma, RdmaError
from kumihimo.rdma.verbs import RECEIVE
from kumihimo.regs import BLOCKS
from kumihimo.regs.access import Block
from kumihimo.testing import Dut

QPS, REGIONS, WAITING = 8, 4, 16
SETUP_W, WR_W, COMPLETION_W = 362, 407, 203


class Engine:
    """Takes what the registers give, and answers."""

    def __init__(self) -> None:
        self.dut = Dut.of_module(
            "kumi_node_rdma_regs",
            params={"QPS": QPS, "REGIONS": REGIONS, "COMPLETIONS": WAITING},
            interfaces={
                "m_setup": {"W": SETUP_W},
                "m_wr": {"W": WR_W},
                "s_completion": {"W": COMPLETION_W},
            },
        )

    def restart(self) -> Rdma:
        self.dut.restart()
        self.dut.stall_all()
        block: Any = Block(self, BLOCKS["rdma"], 0)
        return Rdma("node", block, None, lambda: self.dut.run(20))  # type: ignore[arg-type]

    def read(self, addr: int) -> int:
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        self.dut.axil_write(addr, data)

    def taken(self, port: str, struct: str) -> dict[str, int]:
        (frame,) = self.dut.recv(port, 1)
        return self.dut.struct(struct).unpack(frame.data)

    def complete(self, **fields: int) -> None:
        self.dut.send("s_completion", self.dut.struct("rc_completion_t").pack(fields))


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def test_a_queue_pair_is_set_up(engine: Engine) -> None:
    rdma = engine.restart()
    assert (rdma.qps, rdma.regions) == (QPS, REGIONS)
    pair = rdma.create_qp()
    pair.connect(
        "10.1.2.3",
        0xABCDEF,
        0x123456,
        0xFEDCBA,
        mtu=4096,
        timeout=17,
        retry_cnt=5,
        rnr_retry=3,
        min_rnr_timer=9,
        max_rd_atomic=16,
        flow=0xD00D,
        p_key=0x8001,
    )
    got = engine.taken("m_setup", "rc_setup_t")
    wanted = {
        "op": 0,
        "qp": pair.number,
        "attr.ud": 0,
        "attr.dest_qp": 0xABCDEF,
        "attr.path.addr": 0x0A010203,
        "attr.path.flow": 0xD00D,
        "attr.p_key": 0x8001,
        "attr.mtu": 5,
        "attr.rq_psn": 0x123456,
        "attr.sq_psn": 0xFEDCBA,
        "attr.timeout": 17,
        "attr.retry_cnt": 5,
        "attr.rnr_retry": 3,
        "attr.min_rnr_timer": 9,
        "attr.max_rd_atomic": 16,
        "attr.remote_write": 1,
        "attr.remote_read": 1,
        "attr.remote_atomic": 1,
    }
    assert {name: got[name] for name in wanted} == wanted
    rdma.destroy_qp(pair)
    got = engine.taken("m_setup", "rc_setup_t")
    assert (got["op"], got["qp"]) == (1, pair.number)
    pairs = [rdma.create_qp() for _ in range(QPS)]
    assert sorted(p.number for p in pairs) == list(range(QPS))
    with pytest.raises(RdmaError, match="in use"):
        rdma.create_qp()


def test_a_region_is_set_up(engine: Engine) -> None:
    rdma = engine.restart()
    regions = []
    for number in range(REGIONS):
        address, length = 0x1234_5678_9ABC + number, 0x5A_8765_4321
        region = rdma.register(address, length, remote_read=False)
        regions.append(region)
        got = engine.taken("m_setup", "rc_setup_t")
        assert (got["op"], got["region.valid"], got["region.key"]) == (3, 1, region.key)
        assert (got["region.addr"], got["region.length"]) == (address, length)
        rights = ("remote_write", "remote_read", "remote_atomic")
        assert [got[f"region.{right}"] for right in rights] == [1, 0, 1]
    assert [region.key >> 8 for region in regions] == list(range(REGIONS))
    with pytest.raises(RdmaError, match="in use"):
        rdma.register(0, 1)
    rdma.deregister(regions[1])
    got = engine.taken("m_setup", "rc_setup_t")
    assert (got["region.valid"], got["region.key"]) == (0, regions[1].key)


def test_work_requests_and_completions(engine: Engine) -> None:
    rng = random.Random(1)
    rdma = engine.restart()
    engine.dut.stall_all(0.0, 0.7, seed=2)
    pair = rdma.create_qp()
    for op in range(8):
        fields = {name: rng.getrandbits(64) for name in ("remote", "compare", "swap_add")}
        fields |= {"rkey": rng.getrandbits(32), "imm": rng.getrandbits(32), "fence": op & 1}
        address, length, number = rng.getrandbits(64), rng.getrandbits(31), rng.getrandbits(32)
        pair.post(op, address, length, number, **fields)
        got = engine.taken("m_wr", "rc_wr_t")
        assert got == {
            "qp": pair.number,
            "id": number,
            "op": op,
            "signaled": 1,
            "solicited": 0,
            "fence": op & 1,
            "local_addr": address,
            "length": length,
            "remote_addr": fields["remote"],
            "r_key": fields["rkey"],
            "imm": fields["imm"],
            "compare": fields["compare"],
            "swap_add": fields["swap_add"],
        }
    assert engine.dut.get("under_way") == 1
    assert rdma.poll() == []
    for op in range(7):
        engine.complete(qp=pair.number, id=op, op=op, status=op, length=9, imm=7, imm_valid=op & 1)
    found = rdma.wait(7)
    assert found == [
        Completion(pair.number, op, op, op, 9, 7 if op & 1 else None, False, 0) for op in range(7)
    ]
    assert found[0].ok
    assert not found[1].ok
    assert engine.dut.get("under_way") == 0
    for number in range(WAITING + 5):  # more than are kept: the engine waits, none is lost
        engine.complete(op=RECEIVE, id=number, src_qp=number, write=1)
    engine.dut.run(100)
    found = rdma.wait(WAITING + 5)
    assert [(done.id, done.src_qp, done.write) for done in found] == [
        (number, number, True) for number in range(WAITING + 5)
    ]


def test_what_cannot_be_posted_is_lost_and_counted(engine: Engine) -> None:
    rdma = engine.restart()
    engine.dut.stall("m_wr", 1.0)
    for _ in range(3):
        rdma.regs.command.write(1)
    engine.dut.stall("m_wr", 0.0)
    engine.dut.run(100)
    assert rdma.regs.counters()["post_lost"] == 2
    assert len(engine.dut.recv("m_wr")) == 1


def test_the_tick_and_the_error_state(engine: Engine) -> None:
    rdma = engine.restart()
    rdma.regs.tick.write(100)
    engine.dut.run(200)
    engine.dut.watch("tick")
    engine.dut.run(1000)
    assert engine.dut.counts("tick")["0"] == 10
    engine.dut.set("qp_error", 0b1010)
    engine.dut.run(4)
    pairs = sorted((rdma.create_qp() for _ in range(QPS)), key=lambda pair: pair.number)
    assert [pair.failed for pair in pairs] == [False, True, False, True] + [False] * 4
