# SPDX-License-Identifier: Apache-2.0
"""Management agent: every attribute, its reset value, what Set changes and does, and errors."""

from __future__ import annotations

import random
import struct

import pytest
from ib_mad import (
    BAD_ATTRIBUTE,
    BAD_FIELD,
    BAD_METHOD,
    BAD_VERSION,
    BY_LFT,
    CA,
    GUID,
    GUID_INFO,
    HOST,
    LFT,
    LID_ROUTED,
    MFT,
    NODE_DESC,
    NODE_INFO,
    NOTICE,
    OK,
    P_KEYS,
    PORT_INFO,
    ROUTER,
    SET,
    SL2VL,
    SM_INFO,
    SWITCH,
    SWITCH_INFO,
    VL_ARB,
    Agent,
    Mad,
    field_of,
)  # fmt: skip

DOWN, INIT, ARMED, ACTIVE = 1, 2, 3, 4
POLLING, DISABLED, LINK_UP = 2, 3, 5
BOUND_GET, BOUND_SET = 150, 250  # cycles, last beat in to last beat out, at 32 bits


@pytest.fixture(scope="module")
def agents() -> dict[int, Agent]:
    return {
        SWITCH: Agent(SWITCH, 4),
        CA: Agent(CA, 2, host=True, width=64),
        ROUTER: Agent(ROUTER, 1),
    }


@pytest.fixture(params=[SWITCH, CA, ROUTER])
def agent(request: pytest.FixtureRequest, agents: dict[int, Agent]) -> Agent:
    one = agents[request.param]
    one.restart()
    return one


@pytest.fixture
def switch(agents: dict[int, Agent]) -> Agent:
    agents[SWITCH].restart()
    return agents[SWITCH]


def test_node(agent: Agent) -> None:
    for port in range(1, agent.ports + 1):
        info = agent.get(NODE_INFO, port=port)
        own = GUID if agent.kind == SWITCH else GUID + port
        assert info[:4] == bytes([1, 1, agent.kind, agent.ports])
        assert struct.unpack_from(">QQQH", info, 4) == (GUID, GUID, own, 32)
        assert info[36] == port and info[37:40] == GUID.to_bytes(8, "big")[:3]
    assert agent.get(NODE_DESC) == b"node under test".ljust(64, b"\0")
    assert agent.get(P_KEYS) == b"\xff\xff".ljust(64, b"\0")
    end = GUID if agent.kind == SWITCH else GUID + 1
    assert agent.get(GUID_INFO) == end.to_bytes(8, "big").ljust(64, b"\0")
    assert agent.get(SL2VL, 0)[:8] == bytes.fromhex("0123012301230123")
    entries = [struct.pack(">BB", vl, 32) if vl < 4 else bytes(2) for vl in range(32)]
    assert agent.get(VL_ARB, 1 << 16 | 1) == b"".join(entries)
    assert agent.get(VL_ARB, 3 << 16 | 1) == bytes(64)


def test_port_info(agent: Agent) -> None:
    switch = agent.kind == SWITCH
    for port in range(0 if switch else 1, agent.ports + 1):
        end = (port == 0) == switch
        info = agent.get(PORT_INFO, port)
        assert info[0x1C] == 1  # where it arrived
        assert struct.unpack_from(">Q", info, 8)[0] == (0xFE80 << 48 if end else 0)
        assert struct.unpack_from(">I", info, 0x14)[0] & ~8 == (0x840 if end else 0)
        assert info[0x1D:0x20] == b"\2\2\2"
        assert field_of(info, "state") == (ACTIVE if port == 0 else INIT)
        assert field_of(info, "phys") == LINK_UP
        assert info[0x23] == 0x11
        assert field_of(info, "mtu") == 4 and info[0x29] == 4
        assert info[0x25] == 0x30 and field_of(info, "vls") == 3
    if not switch:
        assert agent.get(PORT_INFO, 0) == agent.get(PORT_INFO, 1)


def test_switch_info(switch: Agent) -> None:
    info = switch.get(SWITCH_INFO)
    assert struct.unpack_from(">HHHH", info) == (128, 0, 64, 0)
    assert info[0x0B] & 4  # the links came up
    new = bytearray(info)
    struct.pack_into(">H", new, 6, 100)
    new[0x08:0x0C] = bytes([9, 8, 7, 13 << 3 | 4])
    struct.pack_into(">H", new, 0x12, 0xC03F)
    struct.pack_into(">H", new, 0, 7)  # read only
    got = switch.set(SWITCH_INFO, bytes(new))
    assert struct.unpack_from(">HHHH", got) == (128, 0, 64, 100)
    assert got[0x08:0x0C] == bytes([9, 8, 7, 13 << 3]) and got[0x12:0x14] == b"\xc0\x3f"
    assert switch.dut.get_struct("sw_cfg") == {
        "lft_top": 100, "life_time": 13, "mcast_primary": 8, "mcast_not_primary": 7,
    }  # fmt: skip
    struct.pack_into(">H", new, 6, 128)
    assert switch.ask(Mad(SWITCH_INFO, SET, data=bytes(new))).status == BAD_FIELD


def test_set_port_info(agent: Agent) -> None:
    port = agent.ports
    end = 0 if agent.kind == SWITCH else port
    info = agent.set_port(
        end, port, lid=0x1234, sm_lid=0x77, sm_sl=5, lmc=2, timeout=9, prefix=0xFEC0 << 48
    )
    for name, value in (
        ("lid", 0x1234), ("sm_lid", 0x77), ("sm_sl", 5), ("lmc", 2), ("timeout", 9),
        ("prefix", 0xFEC0 << 48),
    ):  # fmt: skip
        assert field_of(info, name) == value
    if end in (0, 1):
        assert (agent.dut.get("lid"), agent.dut.get("lmc")) == (0x1234, 2)
    agent.set_port(
        port, port, mtu=2, vls=2, high_limit=33, stall=5, hoq=11, phy_errors=3, overrun=6
    )
    cfg = agent.cfg(port)
    assert (cfg["mtu"], cfg["oper_vls"], cfg["high_limit"]) == (2, 2, 33)
    assert (cfg["phy_errors"], cfg["overrun_errors"]) == (3, 6)
    assert (agent.dut.get("hoq_life_seen"), agent.dut.get("vl_stall_seen")) == (11, 5)
    # 0 is no change of these.
    info = agent.set_port(port, port, mtu=0, vls=0, down_default=0)
    assert (field_of(info, "mtu"), field_of(info, "vls"), info[0x21] & 15) == (2, 2, 2)
    # What is read only stays, and what belongs to ports with a LID in the others.
    before = agent.get(PORT_INFO, port, port)
    new = bytearray(b"\xff" * 64)
    new[:0x1C] = before[:0x1C]
    new[0x20:0x23] = b"\x00\x00\x00"
    new[0x24:0x26], new[0x2B] = before[0x24:0x26], before[0x2B]
    got = agent.set(PORT_INFO, bytes(new), port, port)
    for place in (0x14, 0x15, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x23, 0x25, 0x27, 0x28, 0x29, 0x32):
        assert got[place] == before[place], hex(place)


def test_port_states(agent: Agent) -> None:
    port = agent.ports
    assert agent.state(port) == INIT
    cases = [(ACTIVE, BAD_FIELD, INIT), (INIT, BAD_FIELD, INIT), (ARMED, OK, ARMED),
             (5, BAD_FIELD, ARMED), (ACTIVE, OK, ACTIVE), (0, OK, ACTIVE), (DOWN, OK, INIT),
             (ARMED, OK, ARMED), (ACTIVE, OK, ACTIVE)]  # fmt: skip
    info = agent.get(PORT_INFO, port, port)
    for command, status, after in cases:
        new = bytearray(info)
        new[0x20], new[0x21] = command, 2
        got = agent.ask(Mad(PORT_INFO, SET, mod=port, data=bytes(new)), port)
        assert got.status == status, command
        agent.dut.run(8)
        assert agent.state(port) == after
    for phys, up in ((DISABLED, False), (POLLING, True)):
        new = bytearray(info)
        new[0x20], new[0x21] = 0, phys << 4
        agent.set(PORT_INFO, bytes(new), port, port)
        agent.dut.run(8)
        assert agent.cfg(port)["enable"] == up and (agent.state(port) == DOWN) != up
        seen = agent.get(PORT_INFO, port, port)
        assert field_of(seen, "phys") == (LINK_UP if up else DISABLED)
    if agent.kind == SWITCH:  # commanded, but it came up again by itself
        assert agent.get(SWITCH_INFO)[0x0B] & 4


def test_bad_fields(agent: Agent) -> None:
    port = agent.ports
    end = 0 if agent.kind == SWITCH else port
    info = bytearray(agent.get(PORT_INFO, port, port))
    info[0x20:0x22] = b"\0\2"
    whole = agent.get(PORT_INFO, end, port)
    for at, value in ((0x24, 0x50), (0x2B, 0x40), (0x21, 0x12), (0x21, 0x03), (0x20, 0x0F)):
        new = bytearray(info)
        new[at] = value
        new[0x35] ^= 0x11
        got = agent.ask(Mad(PORT_INFO, SET, mod=port, data=bytes(new)), port)
        assert got.status == BAD_FIELD, hex(at)
        assert got.data[0x35] == info[0x35]  # nothing was set
    for lid in (0xC000, 0xFFFF):
        new = bytearray(agent.get(PORT_INFO, end, port))
        new[0x10:0x12], new[0x20:0x22] = lid.to_bytes(2, "big"), b"\0\2"
        assert agent.ask(Mad(PORT_INFO, SET, mod=end, data=bytes(new)), port).status == BAD_FIELD
    assert agent.get(PORT_INFO, end, port) == whole


@pytest.mark.parametrize(
    ("attr", "mod"),
    [(PORT_INFO, 9), (PORT_INFO, 1 << 8), (VL_ARB, 2 << 16 | 1), (VL_ARB, 1 << 16 | 9),
     (GUID_INFO, 1), (P_KEYS, 1)],
)  # fmt: skip
def test_bad_modifiers(agent: Agent, attr: int, mod: int) -> None:
    for method in (1, SET):
        assert agent.ask(Mad(attr, method, mod=mod)).status == BAD_FIELD


def test_bad_modifiers_of_a_switch(switch: Agent) -> None:
    for attr, mod in (
        (LFT, 2), (LFT, 1 << 16), (MFT, 2), (MFT, 1 << 28), (MFT, 1 << 9), (P_KEYS, 5 << 16),
        (SL2VL, 5), (SL2VL, 5 << 8),
    ):  # fmt: skip
        assert switch.ask(Mad(attr, mod=mod)).status == BAD_FIELD, hex(attr)


def test_errors(agent: Agent) -> None:
    assert agent.ask(Mad(NODE_INFO, class_ver=2)).status == BAD_VERSION
    for method in (3, 6, 0x15):
        assert agent.ask(Mad(NODE_INFO, method)).status == BAD_METHOD
    for attr in (NOTICE, 0x13, 0x1A, SM_INFO, 0x30, 0x31, 0xFF00):
        assert agent.ask(Mad(attr)).status == BAD_ATTRIBUTE
    for attr in (NODE_INFO, NODE_DESC):
        assert agent.ask(Mad(attr, SET)).status == BAD_ATTRIBUTE
    for attr in (SWITCH_INFO, LFT, MFT):
        want = OK if agent.kind == SWITCH else BAD_ATTRIBUTE
        assert agent.ask(Mad(attr)).status == want


def test_tables_by_port(agent: Agent) -> None:
    rng = random.Random(3)
    switch = agent.kind == SWITCH
    sent: dict[tuple[int, int, int], bytes] = {}
    for port in range(1, agent.ports + 1):
        for attr, mod in (
            (P_KEYS, port << 16 if switch else 0),
            (VL_ARB, 1 << 16 | port),
            (VL_ARB, 3 << 16 | port),
        ):
            data = rng.randbytes(64)
            if attr == VL_ARB:
                data = bytes(b & 15 if i % 2 == 0 else b for i, b in enumerate(data[:16]))
            assert agent.set(attr, data, mod, port) == data.ljust(64, b"\0")
            sent[attr, mod, port] = data
    for (attr, mod, port), data in sent.items():
        assert agent.get(attr, mod, port) == data.ljust(64, b"\0")
    for port in range(1, agent.ports + 1):
        cfg = agent.cfg(port)
        for block, name in ((1, "arb_low"), (3, "arb_high")):
            data = sent[VL_ARB, block << 16 | port, port]
            want = sum((data[2 * i] << 8 | data[2 * i + 1]) << 12 * i for i in range(8))
            found = cfg[name] if name in cfg else sum(
                (cfg[f"{name}[{i}].vl"] << 8 | cfg[f"{name}[{i}].weight"]) << 12 * i
                for i in range(8)
            )  # fmt: skip
            assert found == want
    own = agent.get(GUID_INFO)[:8]
    data = rng.randbytes(64)
    assert agent.set(GUID_INFO, data) == own + data[8:]


def test_sl_to_vl(agent: Agent) -> None:
    rng = random.Random(4)
    switch = agent.kind == SWITCH
    sent = {}
    for i in range(agent.ports + 1) if switch else [0]:
        for o in range(1, agent.ports + 1):
            data = rng.randbytes(8)
            assert agent.set(SL2VL, data, i << 8 | o if switch else 0, o)[:8] == data
            sent[i, o] = data
    for (i, o), data in sent.items():
        assert agent.get(SL2VL, i << 8 | o if switch else 0, o) == data.ljust(64, b"\0")
        want = sum(int(n, 16) << 4 * sl for sl, n in enumerate(data.hex()))
        assert agent.table("s2v", i << 8 | o) == int.from_bytes(data, "big")
        if i == 0:
            assert agent.cfg(o)["sl2vl"] == want


def test_forwarding_tables(switch: Agent) -> None:
    rng = random.Random(5)
    assert switch.get(LFT, 1) == b"\xff" * 64 and switch.get(MFT, 1) == bytes(64)
    assert all(switch.table("lft", lid) == 0xFF for lid in range(128))
    assert all(switch.table("mft", lid) == 0 for lid in range(64))
    blocks = [rng.randbytes(64) for _ in range(2)]
    masks = [rng.randbytes(64) for _ in range(2)]
    for n in (1, 0):
        assert switch.set(LFT, blocks[n], n) == blocks[n]
        assert switch.set(MFT, masks[n], n) == masks[n]
    assert [switch.table("lft", lid) for lid in range(128)] == list(blocks[0] + blocks[1])
    found = [switch.table("mft", lid) for lid in range(64)]
    assert struct.pack(">64H", *found) == masks[0] + masks[1]
    for n in (0, 1):
        assert switch.get(LFT, n) == blocks[n] and switch.get(MFT, n) == masks[n]


def test_positions_of_a_large_switch() -> None:
    agent = Agent(SWITCH, 18)
    rng = random.Random(6)
    masks = {(p, b): rng.randbytes(64) for p in range(2) for b in range(2)}
    for (p, b), data in masks.items():
        agent.set(MFT, data, p << 28 | b, 17)
    for (p, b), data in masks.items():
        assert agent.get(MFT, p << 28 | b, 18) == data
        found = [agent.table("mft", 32 * b + i, p) for i in range(32)]
        assert struct.pack(">32H", *found) == data
    assert agent.ask(Mad(MFT, mod=2 << 28)).status == BAD_FIELD
    agent.set_port(18, 3, mtu=3)
    assert agent.cfg(18)["mtu"] == 3 and agent.cfg(17)["mtu"] == 4


def test_lid_routed(agent: Agent) -> None:
    end = 0 if agent.kind == SWITCH else 1
    ask = Mad(NODE_INFO, cls=LID_ROUTED, dlid=20, slid=7, sl=3)
    agent.send(ask)
    agent.nothing()  # not its LID
    agent.set_port(end, 1, lid=20, lmc=0)
    got, dest = agent.one(ask)
    assert (got.status, got.dlid, got.slid, got.sl) == (OK, 7, 20, 3)
    assert dest == (BY_LFT if agent.kind == SWITCH else 1)
    agent.set_port(end, 1, lid=20, lmc=2)
    assert agent.one(Mad(NODE_INFO, cls=LID_ROUTED, dlid=23, slid=7))[0].slid == 23
    for lid in (19, 24, 0):
        agent.send(Mad(NODE_INFO, cls=LID_ROUTED, dlid=lid, slid=7))
    agent.nothing()


def test_of_a_manager(agents: dict[int, Agent]) -> None:
    agent = agents[CA]
    agent.restart()
    dut = agent.dut
    # A directed route of no hops, from above; IsSM of CapabilityMask.
    for is_sm in (0, 1):
        dut.set("is_sm", is_sm)
        info = agent.get(PORT_INFO, 1, HOST | 1)
        assert info[0x17] >> 1 & 1 == is_sm
    agent.set_port(1, 1, lid=5)
    # Own LID: by this agent; another one: out, with the SLID put in.
    got, dest = agent.one(Mad(NODE_INFO, cls=LID_ROUTED, dlid=5, slid=0), HOST | 1)
    assert got.status == OK and dest == HOST | 1
    got, dest = agent.one(Mad(NODE_INFO, cls=LID_ROUTED, dlid=6, slid=0), HOST | 1)
    assert (got.method, got.dlid, got.slid, dest) == (1, 6, 5, 1)
    # Up: responses, traps, SMInfo, other classes on QP1.
    for up in (
        Mad(NODE_INFO, 0x81, cls=LID_ROUTED, dlid=5, slid=6),
        Mad(NOTICE, 5, cls=LID_ROUTED, dlid=5, slid=6),
        Mad(SM_INFO, 1, cls=LID_ROUTED, dlid=5, slid=6),
        Mad(0x35, 1, cls=0x03, dlid=5, slid=6),
    ):
        got, dest = agent.one(up)
        assert dest == HOST | 1
        assert got.packet() == up.packet()
    dut.set("is_sm", 0)
    got, _ = agent.one(Mad(SM_INFO, 1, cls=LID_ROUTED, dlid=5, slid=6))
    assert got.status == BAD_ATTRIBUTE


def test_time_of_an_answer(switch: Agent) -> None:
    dut = switch.dut
    for mad, bound in (
        (Mad(NODE_INFO), BOUND_GET),
        (Mad(NODE_INFO, hop_ptr=1, hop_cnt=3, path=bytes([0, 1, 2, 3])), BOUND_GET),
        (Mad(PORT_INFO, SET, mod=1), BOUND_SET),
        (Mad(LFT, SET, mod=1), BOUND_SET),
        (Mad(MFT, SET, mod=1), BOUND_SET),
    ):
        dut.sent("s_mgmt")
        switch.send(mad)
        (frame,) = dut.recv("m_mgmt", 1, 2000)
        ((_, last),) = dut.sent("s_mgmt")
        assert frame.last_cycle - last <= bound, (mad, frame.last_cycle - last)
