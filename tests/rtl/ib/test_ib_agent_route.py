# SPDX-License-Identifier: Apache-2.0
"""Management agent: hop pointer rules against a model of the standard's, and bad input."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import pytest
from ib_mad import (
    BACK,
    BY_LFT,
    CA,
    GET_RESP,
    GUID,
    HOST,
    LID_ROUTED,
    NODE_INFO,
    OK,
    PERF,
    PERMISSIVE,
    PORT_INFO,
    SET,
    SM_INFO,
    SWITCH,
    Agent,
    Mad,
)  # fmt: skip
from ib_model import icrc
from kumihimo.testing import Frame
from kumihimo.testing.sizes import by_size

LID = 40
SMALL, LARGE = 1_000, 1_000_000

# What a datagram becomes: (datagram, tdest), None for dropped.
Outcome = tuple[Mad, int] | None


@pytest.fixture(scope="module", params=[SWITCH, CA])
def agent(request: pytest.FixtureRequest) -> Agent:
    ports, width = (4, 32) if request.param == SWITCH else (1, 64)
    one = Agent(request.param, ports, host=request.param == CA, width=width)
    one.set_port(0 if one.kind == SWITCH else 1, 1, lid=LID)
    return one


def with_byte(data: bytes, at: int, value: int) -> bytes:
    out = bytearray(data.ljust(64, b"\0"))
    out[at] = value
    return bytes(out)


def expected(agent: Agent, mad: Mad, port: int) -> Outcome:
    """Clauses 14.2.2.1 to 14.2.2.4, rule by rule; for an answer only what routing decides."""
    switch = agent.kind == SWITCH
    above, port = bool(port & HOST), port & 0x7F
    to_lid = BY_LFT if switch else port
    path, back = mad.path.ljust(64, b"\0"), mad.back.ljust(64, b"\0")
    ptr, cnt = mad.hop_ptr, mad.hop_cnt
    by_hops = {"dlid": PERMISSIVE, "slid": PERMISSIVE}
    if cnt > 63:
        return None

    def through(out: int, **changes: int | bytes) -> Outcome:
        good = 1 <= out <= agent.ports and (switch or (above and out == port))
        return (replace(mad, **by_hops, **changes), out) if good else None  # type: ignore[arg-type]

    def answer(m: Mad, end: bool) -> Outcome:
        to_sm = m.method & 0x80
        if to_sm:
            return (m, HOST | port) if agent.host else None
        if m.status & BACK:
            return None
        m = replace(m, method=GET_RESP, status=BACK)
        if end:  # it came by LID behind its directed part
            m = replace(m, dlid=mad.slid, slid=LID if mad.dlid == PERMISSIVE else mad.dlid)
            out = port if mad.slid == PERMISSIVE else to_lid
            return m, HOST | port if above else out
        m = replace(m, hop_ptr=cnt)  # first rule of the way back
        if cnt == 0 and mad.dr_slid != PERMISSIVE:
            m = replace(m, dlid=mad.dr_slid, slid=LID)
            return m, HOST | port if above else to_lid
        return replace(m, **by_hops), HOST | port if above else port  # type: ignore[arg-type]

    if not mad.status & BACK:
        if ptr == 0 and cnt:
            if above and mad.dr_slid != PERMISSIVE and mad.dlid not in (LID, PERMISSIVE):
                return replace(mad, slid=LID), to_lid
            if not above and mad.dr_slid == PERMISSIVE:
                return None
            return through(path[1], hop_ptr=1)
        if ptr < cnt:
            if not switch:
                return None
            return through(path[ptr + 1], hop_ptr=ptr + 1, back=with_byte(back, ptr, port))
        if ptr == cnt:
            there = replace(mad, hop_ptr=ptr + 1)
            if cnt:
                there = replace(there, back=with_byte(back, ptr, port))
            if mad.dr_dlid == PERMISSIVE:
                return answer(there, False)
            return (replace(there, dlid=mad.dr_dlid, slid=LID), BY_LFT) if switch else None
        if ptr == cnt + 1 and mad.dlid in (LID, PERMISSIVE):
            return answer(mad, True)
        return None
    if ptr == 0:
        return answer(mad, False)
    if ptr == 1:
        there = replace(mad, hop_ptr=0)
        if mad.dr_slid == PERMISSIVE:
            return answer(there, False)
        return (replace(there, dlid=mad.dr_slid, slid=LID), BY_LFT) if switch else None
    if ptr <= cnt + 1:
        return through(back[ptr - 1], hop_ptr=ptr - 1)
    return None


def test_hop_pointers(agent: Agent) -> None:
    rng = random.Random(agent.kind)
    dut = agent.dut
    dut.stall_all(0.2, 0.2, seed=agent.kind)
    kinds: dict[str, int] = {}
    for n in range(1500):
        cnt = rng.choice([0, 0, 1, 1, 2, 3, 5, 62, 63, 64, 255])
        ptr = rng.choice([0, 1, 2, max(0, cnt - 1), cnt, min(255, cnt + 1), min(255, cnt + 2), 255])
        method = rng.choice([1, 1, 1, GET_RESP])
        status = BACK if method == GET_RESP or rng.random() < 0.1 else 0
        lids = [PERMISSIVE, PERMISSIVE, PERMISSIVE, LID + 1]
        mad = Mad(
            NODE_INFO, method, status=status, hop_ptr=ptr, hop_cnt=cnt, tid=n,
            path=bytes(rng.randrange(agent.ports + 2) for _ in range(64)),
            back=bytes(rng.randrange(agent.ports + 2) for _ in range(64)),
            dr_slid=rng.choice(lids), dr_dlid=rng.choice(lids),
            dlid=rng.choice([LID, PERMISSIVE, PERMISSIVE, LID + 3]),
            slid=rng.choice([PERMISSIVE, 9]),
        )  # fmt: skip
        port = rng.randrange(1, agent.ports + 1)
        if agent.host and rng.random() < 0.5:
            port |= HOST
        want = expected(agent, mad, port)
        agent.send(mad, port)
        if want is None:
            agent.nothing(400)
            kinds["dropped"] = kinds.get("dropped", 0) + 1
            continue
        (frame,) = dut.recv("m_mgmt", 1, 4000)
        got = Mad.of(frame.data)
        wanted, dest = want
        if got.method == GET_RESP and mad.method == 1:
            assert got.data[:4] == bytes([1, 1, agent.kind, agent.ports])
            wanted = replace(wanted, data=got.data)
        assert (got.packet(), frame.dest) == (wanted.packet(), dest), (mad, port)
        name = "answer" if got.method != mad.method else "pass"
        name += f" {dest & HOST} {got.status & BACK}"
        kinds[name] = kinds.get(name, 0) + 1
    assert len(kinds) >= 4 and min(kinds.values()) > 10, kinds
    dut.stall_all()


def test_a_path_of_63_hops(agent: Agent) -> None:
    """Out and back through this agent as every node of the way."""
    if agent.kind != SWITCH:  # no hop: it only begins a path
        got, dest = agent.one(Mad(NODE_INFO, hop_cnt=1, path=b"\0\1"), HOST | 1)
        assert (dest, got.hop_ptr) == (1, 1)
        return
    path = bytes([0, *(1 + n % 4 for n in range(63))])
    mad = Mad(NODE_INFO, hop_cnt=63, hop_ptr=1, path=path, tid=99)
    port = path[1]
    for hop in range(1, 63):
        mad, port = agent.one(mad, port)
        assert (mad.hop_ptr, port) == (hop + 1, path[hop + 1])
    mad, port = agent.one(mad, port)
    assert mad.method == GET_RESP and mad.hop_ptr == 63 and port == path[63]
    assert mad.back == path
    for hop in range(63, 1, -1):
        mad, port = agent.one(mad, port)
        assert (mad.hop_ptr, port) == (hop - 1, path[hop - 1])


def drops(agent: Agent, packets: list[tuple[bytes, bool]]) -> dict[str, int]:
    """Send packets that must all be dropped, then one that is answered; the events."""
    agent.dut.watch("ev")
    before = agent.dut.counts("ev")
    for data, bad in packets:
        agent.dut.send("s_mgmt", Frame(data, bad=bad, dest=1))
    agent.dut.drain()
    assert agent.ask(Mad(NODE_INFO, tid=77)).status == OK
    assert not agent.dut.recv("m_mgmt")
    after = agent.dut.counts("ev")
    return {k: v - before.get(k, 0) for k, v in after.items() if v != before.get(k, 0)}


def sealed(data: bytes) -> bytes:
    """With the right ICRC, if it is long enough to have one."""
    return data[:-4] + icrc(data[:-4]) if len(data) >= 64 else data


def test_bad_packets(agent: Agent) -> None:
    good = Mad(NODE_INFO).packet()

    def changed(at: int, value: int) -> bytes:
        return sealed(good[:at] + bytes([value]) + good[at + 1 :])

    wrong_icrc = good[:-1] + bytes([good[-1] ^ 1])
    assert drops(agent, [(wrong_icrc, False), (good, True)]) == {"bad_icrc": 2, "answered": 1}
    bare = good[:-4]
    short = [sealed(good[:n] + bytes(4)) for n in range(60, 284, 4)]
    long = [sealed(bare + bytes(n) + bytes(4)) for n in (4, 8, 60, 256, 1024, 4096)]
    wrong = [
        changed(0, 0xF1),  # link version
        changed(0, 0x00),  # not VL15
        changed(1, 0x03),  # GRH
        changed(3 + 2, 71),  # PktLen
        changed(8, 0x04),  # opcode
        changed(9, 0x10),  # padding
        changed(15, 2),  # destination queue pair
        changed(15, 1),  # QP1 on VL15
        changed(27, 1),  # source queue pair
        changed(28, 2),  # base version
    ]
    everything = short + long + wrong
    assert drops(agent, [(p, False) for p in everything]) == {
        "bad_packet": len(everything), "answered": 1,
    }  # fmt: skip
    keys = [Mad(0x12, cls=PERF, dlid=LID, slid=1, q_key=k).packet() for k in (0, 0x80010001)]
    assert drops(agent, [(p, False) for p in keys]) == {"bad_packet": 2, "answered": 1}
    classes = [Mad(NODE_INFO, cls=c, dlid=LID, slid=1).packet() for c in (0x02, 0x80, 0x00)]
    of_qp0 = [sealed(b"\xf0" + p[1:15] + b"\0" + p[16:20] + bytes(8) + p[28:]) for p in classes]
    assert drops(agent, [(p, False) for p in of_qp0]) == {"bad_route": 3, "answered": 1}
    if not agent.host:
        orphans = [
            Mad(NODE_INFO, GET_RESP, cls=LID_ROUTED, dlid=LID, slid=1),
            Mad(2, 5, cls=LID_ROUTED, dlid=LID, slid=1),
            Mad(0x35, 1, cls=0x03, dlid=LID, slid=1),
        ]
        assert drops(agent, [(m.packet(), False) for m in orphans]) == {
            "no_manager": 3, "answered": 1,
        }  # fmt: skip


@pytest.mark.long
def test_mutated_packets(agent: Agent) -> None:
    """Each packet has one outcome, nothing hangs, and what comes out is well formed."""
    rng = random.Random(8)
    dut = agent.dut
    agent.restart()
    end = 0 if agent.kind == SWITCH else 1
    agent.set_port(end, 1, lid=LID, m_key=0)
    seeds = [
        Mad(NODE_INFO), Mad(PORT_INFO, mod=1), Mad(PORT_INFO, SET, mod=1), Mad(SM_INFO),
        Mad(NODE_INFO, hop_ptr=1, hop_cnt=2, path=bytes([0, 1, 1])),
        Mad(NODE_INFO, GET_RESP, status=BACK, hop_ptr=2, hop_cnt=2, back=bytes([0, 1, 1])),
        Mad(NODE_INFO, cls=LID_ROUTED, dlid=LID, slid=3), Mad(0x12, cls=PERF, dlid=LID, slid=3),
    ]  # fmt: skip
    count = by_size(SMALL, LARGE)
    dut.watch("ev")
    done = 0
    while done < count:
        batch = []
        for _ in range(min(200, count - done)):
            data = bytearray(rng.choice(seeds).packet())
            if rng.random() < 0.15:
                data = data[: 4 * rng.randrange(2, 72)] if rng.random() < 0.5 else data + bytes(
                    4 * rng.randrange(1, 64)
                )  # fmt: skip
            for _ in range(rng.randrange(1, 4)):
                data[rng.choice([rng.randrange(len(data)), rng.randrange(min(48, len(data)))])] = (
                    rng.randrange(256)
                )
            batch.append(sealed(bytes(data)) if rng.random() < 0.9 else bytes(data))
        for data in batch:
            dut.send("s_mgmt", Frame(data, dest=rng.randrange(1, agent.ports + 1)))
        dut.drain(400 * len(batch) + 20_000, settle=600)
        for frame in dut.recv("m_mgmt"):
            assert len(frame.data) == 288 and icrc(frame.data[:-4]) == frame.data[-4:]
            assert frame.dest in (BY_LFT, *range(1, agent.ports + 1)) or (
                agent.host and frame.dest == HOST | 1
            )
        done += len(batch)
    counts = dut.counts("ev")
    assert sum(v for k, v in counts.items() if k != "trap") == count, counts
    # It still answers, unless a mutation set an M_Key: then it does after a reset.
    agent.restart()
    assert struct.unpack_from(">Q", agent.get(NODE_INFO), 12)[0] == GUID
