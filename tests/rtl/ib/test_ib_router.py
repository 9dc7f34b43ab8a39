# SPDX-License-Identifier: Apache-2.0
"""Router: what it sends (scapy, tshark), exactly once with losses, dead peers, bad packets."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from ib_capture import ERF_INFINIBAND, read, write_erf
from ib_model import icrc, vcrc
from ib_routers import ACK, P_KEY, QP_BASE, SEND_IMM, Bth, Fabric, Router
from kumihimo.testing.sizes import by_size
from scapy.contrib.roce import BTH
from sw2_packets import MAX_DATA, Packet


def numbered(n: int, rng: random.Random, dst: int, src: int = 0) -> bytes:
    """An SW2 packet of any size that begins with its number."""
    return Packet(
        n.to_bytes(4, "little") + rng.randbytes(rng.choice([4, 12, 60, 468])), dst, src
    ).raw()


def number(raw: bytes) -> int:
    return int.from_bytes(Packet.of(raw).data[:4], "little")


def test_packets_by_field() -> None:
    """Header fields of packets and answers; ICRC by the model; scapy reads the same BTH."""
    router = Router(0, [1, 2])
    rng = random.Random(1)
    sizes = [1, 8, 9, 100, MAX_DATA]
    sent = {}
    for n, size in enumerate(sizes):
        raw = Packet(rng.randbytes(size), dst=1 + n % 2, src=0).raw()
        router.send([raw], n % 4)
        sent[n] = raw
    got = [f.data for f in router.dut.recv("m_axis_ib", len(sizes), 5000)]
    by_payload = {Bth.of(data).payload: data for data in got}
    for n, raw in sent.items():
        data = by_payload[raw]
        f = Bth.of(data)
        assert data[-4:] == icrc(data[:-4])
        assert (f.dlid, f.slid, f.sl) == (101 + n % 2, 100, n % 4)
        assert f.pkt_len * 4 == len(data) == 24 + len(raw) + 4
        assert (f.opcode, f.pkey, f.qp) == (SEND_IMM, P_KEY, QP_BASE + n % 4)
        assert f.extra == bytes([0, 0, 0, n % 4])
        bth = BTH(data[8:])
        assert (bth.opcode, bth.dqpn, bth.psn, bth.ackreq) == (f.opcode, f.qp, f.psn, 1)
    # What comes back is acknowledged.
    back = Router(1, [0])
    back.dut.send("s_axis_ib", [by_payload[sent[0]]])
    [frame] = back.dut.recv("m_axis_sw2", 1)
    assert frame.data == sent[0] and frame.dest == 0
    [answer] = back.dut.recv("m_axis_ib", 1)
    f = Bth.of(answer.data)
    assert (f.opcode, f.dlid, f.slid, f.qp, f.psn) == (ACK, 100, 101, QP_BASE + 4, 0)
    assert f.extra == bytes([0x1F, 0, 0, 1]) and f.pkt_len == 7


@pytest.mark.parametrize("loss,seed", [(0.0, 1), (0.02, 2), (0.2, 3)])
def test_exactly_once_in_order(loss: float, seed: int) -> None:
    """Three routers, all to all; packets lost, damaged and doubled: each arrives once, in order."""
    routers = [Router(n, [m for m in range(3) if m != n]) for n in range(3)]
    fabric = Fabric(routers, seed)
    injected = 0

    def change(data: bytes) -> list[bytes]:
        nonlocal injected
        kind = fabric.rng.random()
        if kind >= loss:
            return [data]
        injected += 1
        if kind < loss / 3:
            return []
        if kind < 2 * loss / 3:
            at = fabric.rng.randrange(16, len(data))
            return [data[:at] + bytes([data[at] ^ 1 << fabric.rng.randrange(8)]) + data[at + 1 :]]
        return [data, data]

    fabric.change = change
    rng = random.Random(seed)
    count = by_size(60, 2000)
    sent: Counter[tuple[int, int, int]] = Counter()
    for router in routers:
        for _ in range(count):
            dst = rng.choice([m for m in range(3) if m != router.number])
            vc = rng.randrange(4)
            key = (router.number, dst, vc)
            raw = numbered(sent[key], rng, dst, router.number)
            router.send([raw], vc)
            sent[key] += 1
    got: Counter[tuple[int, int, int]] = Counter()
    for _ in range(50 * count):
        fabric.step()
        for router in routers:
            for frame in router.dut.recv("m_axis_sw2"):
                key = (Packet.of(frame.data).src, router.number, frame.dest)
                assert number(frame.data) == got[key], (key, router.events())
                got[key] += 1
        if got.total() == sent.total():
            break
    assert got == sent, [r.events() for r in routers]
    for router in routers:
        counted = router.events()
        assert "died" not in counted and "bad_header" not in counted
        if not loss:
            assert set(counted) <= {"sent", "received", "ack_sent", "rnr_sent", "rnr_rcvd",
                                    "no_space", "resent", "gap"}  # fmt: skip
    assert bool(injected) == bool(loss) == any("resent" in r.events() for r in routers)
    assert injected >= 20 * (loss > 0.1)


def test_one_nak_for_a_gap() -> None:
    """Packets behind a lost one bring one NAK; it makes the sender repeat from there, at once."""
    a, b = Router(0, [1], timeout=4000), Router(1, [0], timeout=4000)
    fabric = Fabric([a, b])
    lost: list[bytes] = []

    def change(data: bytes) -> list[bytes]:
        if Bth.of(data).opcode == SEND_IMM and not lost:
            lost.append(data)
            return []
        return [data]

    fabric.change = change
    rng = random.Random(4)
    packets = [numbered(n, rng, 1) for n in range(12)]
    a.send(packets)
    got = fabric.collect(b, len(packets))
    assert [f.data for f in got] == packets
    fabric.step(20)
    assert b.events()["nak_sent"] == a.events()["nak_rcvd"] == 1
    assert b.events()["gap"] >= 1 and "timed_out" not in a.events()
    naks = [Bth.of(d) for d in fabric.carried if d[8] == ACK and d[20] == 0x60]
    assert [(f.psn, f.dlid) for f in naks] == [(0, 100)]


def test_a_lost_answer_and_a_lost_last_packet() -> None:
    """The timer repeats the packet; the duplicate is acknowledged and not given on."""
    a, b = Router(0, [1]), Router(1, [0])
    fabric = Fabric([a, b])
    drop = [ACK, SEND_IMM]
    fabric.change = lambda data: [] if drop and data[8] == drop[0] and drop.pop(0) else [data]
    for n in range(2):
        raw = numbered(n, random.Random(n), 1)
        a.send([raw])
        fabric.step(200)
        assert [f.data for f in b.dut.recv("m_axis_sw2")] == [raw]
    assert a.events()["timed_out"] == a.events()["resent"] == 2
    assert b.events()["duplicate"] == 1 and b.events()["received"] == 2
    fabric.step(300)
    assert a.events()["resent"] == 2  # nothing is open any more


def test_a_dead_peer() -> None:
    """It is reported after its retries; others go on, and it holds nothing of theirs."""
    a, b = Router(0, [1, 2], timeout=8, retries=3), Router(1, [0])
    fabric = Fabric([a, b])
    rng = random.Random(5)
    a.send([numbered(n, rng, 2) for n in range(10)], 0)
    after = [numbered(n, rng, 1) for n in range(30)]
    a.send(after, 0)
    other = [numbered(n, rng, 1) for n in range(30)]
    a.send(other, 1)
    fabric.step(12)
    early = [f.data for f in b.dut.recv("m_axis_sw2") if f.dest == 1]
    got = fabric.collect(b, 60 - len(early), 500)
    assert [f.data for f in got if f.dest == 0] == after
    assert early + [f.data for f in got if f.dest == 1] == other
    assert len(early) > 3  # another channel did not wait for it
    assert a.dut.get("dead") == 0b100
    counted = a.events()
    assert counted["died"] == 1 and counted["timed_out"] == 4 and counted["dead_peer"] == 6
    # Back again, from PSN 0 on both sides.
    c = Router(2, [0])
    fabric.routers[c.lid] = c
    a.peer(2)
    assert a.dut.get("dead") == 0
    again = [numbered(n, rng, 2) for n in range(6)]
    a.send(again, 0)
    assert [f.data for f in fabric.collect(c, 6)] == again
    # A disabled peer, and a node that is none.
    a.peer(2, enable=0)
    a.send([numbered(0, rng, 2), numbered(0, rng, 77)])
    fabric.step(5)
    assert a.events()["unknown_peer"] == 2


def test_back_pressure() -> None:
    """A channel that takes nothing stops its senders; others go on; nothing is lost or dead."""
    a, b = Router(0, [1]), Router(1, [0])
    fabric = Fabric([a, b])
    b.dut.set("hold", 0b0001)
    rng = random.Random(6)
    held = [Packet(n.to_bytes(4, "little") + rng.randbytes(400), 1).raw() for n in range(20)]
    a.send(held, 0)
    fabric.step(100)
    other = [numbered(n, rng, 1) for n in range(20)]
    a.send(other, 3)
    assert [f.data for f in fabric.collect(b, 20)] == other
    assert a.dut.waiting("s_axis_0") > 5
    assert b.events()["no_space"] > 3 and b.events()["rnr_sent"] == b.events()["no_space"]
    fabric.step(400)
    assert a.dut.get("dead") == 0 and "timed_out" not in a.events()
    b.dut.set("hold", 0)
    assert [f.data for f in fabric.collect(b, 20)] == held


def build(**how: int) -> bytes:
    """A packet to router 1 of peer 0, right but for what is given."""
    f = {"vl": 0, "lver": 0, "lnh": 2, "dlid": 101, "slid": 100, "opcode": SEND_IMM, "pad": 0,
         "tver": 0, "pkey": P_KEY, "qp": QP_BASE, "psn": 0, "words": 0, "size": 8, "length": 8,
         "cut": 0} | how  # fmt: skip
    payload = bytearray(Packet(bytes(f["size"]), 1).raw())
    payload[5:7] = f["length"].to_bytes(2, "little")
    data = bytes([f["vl"] << 4 | f["lver"], f["lnh"]]) + f["dlid"].to_bytes(2, "big")
    words = f["words"] or (28 + len(payload)) // 4
    data += words.to_bytes(2, "big") + f["slid"].to_bytes(2, "big")
    data += bytes([f["opcode"], 0x40 | f["pad"] << 4 | f["tver"]]) + f["pkey"].to_bytes(2, "big")
    data += b"\0" + f["qp"].to_bytes(3, "big") + b"\x80" + f["psn"].to_bytes(3, "big") + bytes(4)
    data += bytes(payload)
    return data + icrc(data)


BAD = {
    "bad_header": [{"lnh": 0}, {"lnh": 3, "size": 40, "length": 40}, {"lver": 1}, {"opcode": 0x04},
                   {"opcode": 0x64}, {"opcode": 0xE5}, {"tver": 1}, {"pad": 1},
                   {"words": 14}, {"words": 2}],
    "bad_lid": [{"dlid": 100}, {"dlid": 0xFFFF}, {"dlid": 0xC001}, {"slid": 102}, {"slid": 0}],
    "bad_qp": [{"qp": 0}, {"qp": 1}, {"qp": QP_BASE + 4}, {"qp": QP_BASE + 16},
               {"qp": QP_BASE + (1 << 20)}],
    "bad_pkey": [{"pkey": 0xFFFF}, {"pkey": 1}],
    "bad_payload": [{"length": 0}, {"length": 17}, {"length": 473}, {"size": 16, "length": 8}],
}  # fmt: skip


def test_bad_packets() -> None:
    """Each class is dropped with its counter, without an answer; the right one passes after all."""
    b = Router(1, [0])
    for kind, cases in BAD.items():
        for case in cases:
            before = b.events().get(kind, 0)
            b.dut.send("s_axis_ib", [build(**case)])
            b.dut.drain()
            b.dut.run(40)
            assert b.events().get(kind, 0) == before + 1, (case, b.events())
    wrong = bytearray(build())
    wrong[30] ^= 4
    b.dut.send("s_axis_ib", [bytes(wrong)])
    for size in (16, 20, 24, 28):
        data = build()[:size]
        b.dut.send("s_axis_ib", [data + icrc(data)])
    b.dut.send("s_axis_ib", [build()[:8]])
    b.dut.run(200)
    assert b.events()["bad_icrc"] == 2
    assert b.dut.recv("m_axis_ib") == [] and b.dut.recv("m_axis_sw2") == []
    b.dut.send("s_axis_ib", [build()])
    assert b.dut.recv("m_axis_sw2", 1)[0].data == Packet(bytes(8), 1).raw()
    assert Bth.of(b.dut.recv("m_axis_ib", 1)[0].data).psn == 0


def test_mutated_packets() -> None:
    """Random bits changed, ICRC mended or not: no hang; a good packet still passes."""
    b = Router(1, [0])
    rng = random.Random(8)
    for n in range(by_size(300, 20_000)):
        data = bytearray(build(size=rng.choice([1, 8, 100]), length=rng.choice([1, 8, 100]),
                               psn=rng.randrange(4)))  # fmt: skip
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            data[at] ^= 1 << rng.randrange(8)
        bare = bytes(data[:-4])
        b.dut.send("s_axis_ib", [bare + icrc(bare) if n % 2 and bare[1] & 3 == 2 else bytes(data)])
    b.dut.drain(400_000)
    b.peer(0)
    b.dut.run(100)
    b.dut.recv("m_axis_sw2")
    b.dut.send("s_axis_ib", [build()])
    assert b.dut.recv("m_axis_sw2", 1)[0].data == Packet(bytes(8), 1).raw()


def test_tshark_decodes(tmp_path: Path) -> None:
    """Packets, ACKs and NAKs of an exchange: no malformed one, opcodes and PSNs as sent."""
    a, b = Router(0, [1]), Router(1, [0])
    fabric = Fabric([a, b])
    a.send([numbered(n, random.Random(n), 1) for n in range(6)], 2)
    fabric.collect(b, 6)
    fabric.step(10)
    file = tmp_path / "router.pcap"
    write_erf(file, [(ERF_INFINIBAND, data + vcrc(data)) for data in fabric.carried])
    names = ("bth.opcode", "bth.destqp", "bth.psn", "aeth.syndrome", "immdt")
    rows = read(file, *(f"infiniband.{name}" for name in names), "_ws.malformed")
    assert len(rows) == len(fabric.carried) == 12
    for row, data in zip(rows, fabric.carried, strict=True):
        f = Bth.of(data)
        assert [int(v, 0) for v in row[:3]] == [f.opcode, f.qp, f.psn]
        assert row[5] == "" and bool(row[3]) == (f.opcode == ACK) and bool(row[4]) != bool(row[3])
