# SPDX-License-Identifier: Apache-2.0
"""Management agent: M_Key protection, traps, performance management, and what tshark reads."""

from __future__ import annotations

import random
import struct
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from ib_capture import ERF_INFINIBAND, read, write_erf
from ib_mad import (
    BACK,
    BAD_ATTRIBUTE,
    BAD_FIELD,
    BY_LFT,
    CA,
    CLASS_INFO,
    COUNTERS,
    COUNTERS_EXT,
    GET_RESP,
    LFT,
    LID_ROUTED,
    NODE_INFO,
    NOTICE,
    OK,
    PERF,
    PORT_INFO,
    REPRESS,
    SET,
    SL2VL,
    SWITCH,
    SWITCH_INFO,
    TRAP,
    VL_ARB,
    Agent,
    Mad,
    field_of,
)  # fmt: skip

KEY, WRONG = 0x0123456789ABCDEF, 0x0123456789ABCDEE
SECOND = 32 * 20  # cycles, as the bench sets them
TICK = 32
DOWN, INIT = 1, 2

# Bit of CounterSelect, field of the counter, byte and bits in PortCounters.
FIELDS = [
    ("symbol_error", 4, 16), ("link_error_recovery", 6, 8), ("link_downed", 7, 8),
    ("rcv_errors", 8, 16), ("rcv_remote_phys_errors", 10, 16),
    ("rcv_switch_relay_errors", 12, 16), ("xmit_discards", 14, 16),
    ("xmit_constraint_errors", 16, 8), ("rcv_constraint_errors", 17, 8),
    ("link_integrity_errors", 19, 4), ("buffer_overrun_errors", 19, 4), ("vl15_dropped", 22, 16),
    ("xmit_data", 24, 32), ("rcv_data", 28, 32), ("xmit_pkts", 32, 32), ("rcv_pkts", 36, 32),
    ("xmit_wait", 40, 32),
]  # fmt: skip
EXTENDED = ["ext_xmit_data", "ext_rcv_data", "ext_xmit_pkts", "ext_rcv_pkts"]


@pytest.fixture(scope="module")
def agents() -> dict[int, Agent]:
    return {SWITCH: Agent(SWITCH, 4, width=64), CA: Agent(CA, 1, host=True)}


@pytest.fixture(params=[SWITCH, CA])
def agent(request: pytest.FixtureRequest, agents: dict[int, Agent]) -> Agent:
    one = agents[request.param]
    one.restart()
    return one


@pytest.fixture
def switch(agents: dict[int, Agent]) -> Agent:
    agents[SWITCH].restart()
    return agents[SWITCH]


def end_of(agent: Agent) -> int:
    return 0 if agent.kind == SWITCH else 1


def violations(agent: Agent) -> int:
    return field_of(agent.get(PORT_INFO, end_of(agent), m_key=KEY), "key_violations")


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_m_key(agent: Agent, level: int) -> None:
    end = end_of(agent)
    agent.set_port(end, m_key=0, protect=level)
    info = bytearray(agent.get(PORT_INFO, end))
    info[0x20:0x22] = b"\0\2"
    info[:8] = KEY.to_bytes(8, "big")
    agent.set(PORT_INFO, bytes(info), end)  # no key yet: anybody may
    assert agent.get(PORT_INFO, end, m_key=KEY)[:8] == KEY.to_bytes(8, "big")
    # Get: by anybody below level 2; the key itself is shown at level 0 only.
    for key in (WRONG, 0, KEY ^ 1 << 63):
        ask = Mad(PORT_INFO, mod=end, m_key=key)
        if level < 2:
            shown = agent.ask(ask).data[:8]
            assert shown == (KEY.to_bytes(8, "big") if level == 0 else bytes(8))
        else:
            agent.send(ask)
            agent.nothing(300)
    assert violations(agent) == (0 if level < 2 else 3)
    # Set and TrapRepress: never.
    before = violations(agent)
    changed = bytearray(info)
    changed[0x10:0x12] = b"\x01\x02"
    for method, attr in ((SET, PORT_INFO), (SET, SL2VL), (SET, 0x1234), (REPRESS, NOTICE)):
        agent.send(Mad(attr, method, mod=end if attr == PORT_INFO else 0, m_key=WRONG,
                       data=bytes(changed)))  # fmt: skip
    agent.nothing(900)
    assert violations(agent) == before + 4
    assert agent.get(PORT_INFO, end, m_key=KEY)[0x10:0x12] == info[0x10:0x12]
    assert agent.set(PORT_INFO, bytes(changed), end, m_key=KEY)[0x10:0x12] == b"\x01\x02"
    # Performance management has no M_Key.
    assert agent.one(Mad(CLASS_INFO, cls=PERF, slid=9))[0].status == OK


def test_lease(agent: Agent) -> None:
    end = end_of(agent)
    agent.set_port(end, lease=5, protect=2)
    info = bytearray(agent.get(PORT_INFO, end))
    info[:8], info[0x20:0x22] = KEY.to_bytes(8, "big"), b"\0\2"
    agent.set(PORT_INFO, bytes(info), end)
    ask = Mad(PORT_INFO, mod=end, m_key=WRONG)
    # Without a violation it does not run.
    agent.dut.run(7 * SECOND)
    agent.send(ask)
    agent.nothing(3 * SECOND)
    # A good key stops it.
    assert field_of(agent.get(PORT_INFO, end, m_key=KEY), "protect") == 2
    agent.nothing(5 * SECOND)
    agent.send(ask)
    agent.nothing(3 * SECOND)
    agent.send(ask)
    agent.nothing(SECOND // 2)
    agent.dut.run(2 * SECOND)  # more than 5 seconds after the first one
    shown = agent.ask(ask).data
    assert field_of(shown, "protect") == 0 and shown[:8] == KEY.to_bytes(8, "big")
    agent.send(Mad(PORT_INFO, SET, mod=end, m_key=WRONG))
    agent.nothing(400)
    # A new manager takes over after having read the key.
    agent.set_port(end, m_key=KEY, lid=3)


def manager(switch: Agent, timeout: int = 3) -> None:
    """LIDs of the switch and of its manager."""
    switch.set_port(0, lid=30, sm_lid=7, sm_sl=2, timeout=timeout)
    info = bytearray(switch.get(SWITCH_INFO))
    switch.set(SWITCH_INFO, bytes(info))  # clears PortStateChange
    assert not switch.get(SWITCH_INFO)[0x0B] & 4


def test_trap(switch: Agent) -> None:
    dut = switch.dut
    dut.set("link_up", 0b0011)
    dut.run(50)
    switch.nothing(10)  # no manager is known
    manager(switch)
    dut.set("link_up", 0b0111)
    frames = dut.recv("m_mgmt", 4, 10_000)
    switch.nothing(3000)  # no more than TRAP_REPEATS
    mads = [Mad.of(f.data) for f in frames]
    assert {f.dest for f in frames} == {BY_LFT}
    for mad in mads:
        assert mad == mads[0]
        assert (mad.method, mad.attr, mad.cls) == (TRAP, NOTICE, LID_ROUTED)
        assert (mad.dlid, mad.slid) == (7, 30)
        assert mad.sl == 2 and mad.m_key == 0
        kind, trap, issuer, count, lid = struct.unpack_from(">IHHHH", mad.data)
        assert (kind, trap, issuer, count, lid) == (0x81000002, 128, 30, 0, 30)
    gaps = [b.cycle - a.cycle for a, b in pairwise(frames)]
    assert all(TICK * 8 - TICK <= gap <= TICK * 8 + TICK + 4 for gap in gaps), gaps
    assert switch.get(SWITCH_INFO)[0x0B] & 4

    # Repressed: the right tid only; a new change is a new trap.
    tids = {mads[0].tid}
    for port in (2, 3):
        dut.set("link_up", 0b0111 & ~(1 << (port - 1)))
        (frame,) = dut.recv("m_mgmt", 1, 2000)
        mad = Mad.of(frame.data)
        assert mad.tid not in tids
        tids.add(mad.tid)
        answer = Mad(NOTICE, REPRESS, cls=LID_ROUTED, dlid=30, slid=7, tid=mad.tid ^ 1)
        switch.send(answer)
        assert Mad.of(dut.recv("m_mgmt", 1, 2000)[0].data).tid == mad.tid
        switch.send(replace(answer, tid=mad.tid))
        switch.nothing(2000)
        assert switch.get(PORT_INFO, port)[0x20] & 15 == DOWN
        assert switch.get(SWITCH_INFO)[0x0B] & 4
        switch.set(SWITCH_INFO, switch.get(SWITCH_INFO))
        assert not switch.get(SWITCH_INFO)[0x0B] & 4


def test_no_trap_of_a_command(switch: Agent) -> None:
    manager(switch)
    info = bytearray(switch.get(PORT_INFO, 4))
    info[0x20], info[0x21] = 0, 0x32  # Disabled
    info[0x20] = DOWN
    switch.set(PORT_INFO, bytes(info), 4)
    switch.nothing(2000)
    assert not switch.get(SWITCH_INFO)[0x0B] & 4
    assert switch.get(PORT_INFO, 4)[0x20] & 15 == DOWN
    for state in (3, 4):
        switch.set_port(3, state=state)
    switch.nothing(2000)
    assert not switch.get(SWITCH_INFO)[0x0B] & 4


def counters(agent: Agent, port: int, method: int = 1, select: int = 0, wait: int = 0) -> bytes:
    data = bytearray(192)
    data[1] = port
    struct.pack_into(">H", data, 2, select)
    data[18] = wait
    got, _ = agent.one(
        Mad(COUNTERS, method, cls=PERF, slid=9, data=bytes(data)), min(port, agent.ports)
    )
    assert got.status == OK and got.method == GET_RESP and got.data[1] == port
    assert not any(got.data[44:])
    return got.data


def value(data: bytes, name: str) -> int:
    at, bits = next((a, b) for n, a, b in FIELDS if n == name)
    if bits == 4:
        return data[at] >> 4 if name == "link_integrity_errors" else data[at] & 15
    return int.from_bytes(data[at : at + bits // 8], "big")


def test_port_counters(agent: Agent) -> None:
    rng = random.Random(9)
    dut = agent.dut
    port = agent.ports
    dut.set("select", port)
    for _ in range(300):
        dut.set("ev_in", {
            "rcv_pkt": rng.randrange(2), "rcv_words": rng.randrange(1024),
            "xmit_pkt": rng.randrange(2), "xmit_words": rng.randrange(1024),
            "xmit_wait": rng.randrange(2), "xmit_discard": rng.randrange(2),
            "symbol_errors": rng.randrange(9), "integrity": rng.random() < 0.02,
            "buffer_overrun": rng.random() < 0.02, "recovery": rng.randrange(2),
            "downed": rng.random() < 0.3, "drops.bad_packet": rng.randrange(2),
            "drops.remote_bad": rng.randrange(2), "drops.vl15_full": rng.randrange(2),
        })  # fmt: skip
        dut.run(1)
    dut.set("ev_in", 0)
    dut.run(4)
    have = dut.get_struct("counters_seen")
    assert all(have[n] for n in ("symbol_error", "xmit_wait", "ext_rcv_data", "link_downed"))
    data = counters(agent, port)
    assert {n: value(data, n) for n, _, _ in FIELDS} == {n: have[n] for n, _, _ in FIELDS}
    more, _ = agent.one(Mad(COUNTERS_EXT, cls=PERF, slid=9, data=bytes([0, port])), port)
    assert list(struct.unpack_from(">4Q", more.data, 8)) == [have[n] for n in EXTENDED]
    assert not any(more.data[40:])

    # Each bit of CounterSelect clears its counter and no other.
    for bit, (name, _, _) in enumerate(FIELDS):
        data = counters(agent, port, SET, 1 << bit & 0xFFFF, bit >> 4)
        have[name] = 0
        assert {n: value(data, n) for n, _, _ in FIELDS} == {n: have[n] for n, _, _ in FIELDS}
    for bit, name in enumerate(EXTENDED):
        data = struct.pack(">BBH", 0, port, 1 << bit)
        more, _ = agent.one(Mad(COUNTERS_EXT, SET, cls=PERF, slid=9, data=data), port)
        have[name] = 0
        assert list(struct.unpack_from(">4Q", more.data, 8)) == [have[n] for n in EXTENDED]


def test_performance_errors(agent: Agent) -> None:
    def status(attr: int, data: bytes = b"\0\1", **more: int) -> int:
        return agent.one(Mad(attr, cls=PERF, slid=9, data=data, **more))[0].status

    info, _ = agent.one(Mad(CLASS_INFO, cls=PERF, slid=9, src_qp=0x123456))
    assert info.data[:8] == bytes([1, 1, 0x14, 0, 0, 0, 0, 18]) and info.src_qp == 0x123456
    assert status(COUNTERS) == OK
    for port in (0, agent.ports + 1, 255):
        assert status(COUNTERS, bytes([0, port])) == BAD_FIELD
    assert status(0x10) == BAD_ATTRIBUTE
    assert status(CLASS_INFO, method=SET) == BAD_ATTRIBUTE
    assert status(COUNTERS, method=3) == 8
    assert status(COUNTERS, class_ver=3) == 4


def test_tshark_reads_the_answers(agents: dict[int, Agent], tmp_path: Path) -> None:
    packets = []
    for agent in agents.values():
        agent.restart()
        for port in range(1, agent.ports + 1):
            for mad in [
                *(Mad(attr) for attr in (NODE_INFO, 0x10, SWITCH_INFO, 0x14, 0x16, 0x1234)),
                Mad(PORT_INFO, mod=port), Mad(PORT_INFO, mod=77), Mad(SL2VL, mod=port),
                Mad(VL_ARB, mod=1 << 16 | port), Mad(LFT), Mad(0x1B),
                Mad(NODE_INFO, cls=LID_ROUTED, slid=9),
                *(Mad(a, cls=PERF, slid=9, data=bytes([0, port])) for a in (1, 0x12, 0x1D)),
            ]:  # fmt: skip
                agent.send(replace(mad, tid=len(packets) + 1), port)
                packets.append(agent.dut.recv("m_mgmt", 1, 2000)[0].data)
    file = tmp_path / "agent.pcap"
    write_erf(file, [(ERF_INFINIBAND, data + bytes(2)) for data in packets])
    rows = read(
        file, "infiniband.mad.transactionid", "infiniband.mad.method", "infiniband.mad.status",
        "infiniband.mad.attributeid", "infiniband.lrh.vl", "_ws.malformed",
    )  # fmt: skip
    assert len(rows) == len(packets)
    for n, (row, data) in enumerate(zip(rows, packets, strict=True)):
        mad = Mad.of(data)
        assert row[-1] == "", f"malformed: {row}"
        assert int(row[0], 0) == n + 1
        assert int(row[1], 0) == GET_RESP and int(row[3], 0) == mad.attr
        assert int(row[2], 0) & ~BACK == mad.status & ~BACK
        assert int(row[4], 0) == (0 if mad.qp1 else 15)
