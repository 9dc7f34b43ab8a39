# SPDX-License-Identifier: Apache-2.0
"""Native InfiniBand packets between the link and the transport engine's records.

scapy makes the BTH, zlib the ICRC. About 5 s.
"""

from __future__ import annotations

import random
import struct
import zlib
from functools import cache
from typing import Any

import pytest
from kumihimo.testing import Dut
from rc_records import FIELDS, OPCODES, cases, extension, pack, random_record, unpack
from scapy.contrib.roce import BTH
from scapy.packet import Raw

LID, PEER = 0x1234, 0x0017
LOCAL, GLOBAL = 2, 3
VARIANT_GRH = (0, 1, 2, 3, 7)  # bytes of a GRH that may change on the way, all or a part of them


def lrh(words: int, dlid: int, slid: int, sl: int, vl: int = 0, lnh: int = LOCAL) -> bytes:
    return struct.pack(">BBHHH", vl << 4, sl << 4 | lnh, dlid, words, slid)


def icrc(packet: bytes) -> bytes:
    """CRC-32 of all but the ICRC, what may change on the way as ones (clause 7.8.1)."""
    masked = bytearray(packet)
    masked[0] |= 0xF0
    bth = 8
    if masked[1] & 3 == GLOBAL:
        masked[:8] = b"\xff" * 8
        masked[8] |= 0x0F
        for at in VARIANT_GRH[1:]:
            masked[8 + at] = 0xFF
        bth += 40
    masked[bth + 4] = 0xFF
    return struct.pack("<I", zlib.crc32(bytes(masked)))


def packet(
    values: dict[str, int],
    payload: bytes,
    dlid: int = LID,
    slid: int = PEER,
    grh: bytes = b"",
    lnh: int = LOCAL,
    **bth: Any,
) -> bytes:
    """LRH to ICRC."""
    fields = {
        "opcode": values["opcode"],
        "solicited": values["se"],
        "migreq": 1,
        "padcount": -len(payload) % 4,
        "pkey": values["p_key"],
        "dqpn": values["dest_qp"],
        "ackreq": values["ack_req"],
        "psn": values["psn"],
        **bth,
    }
    body = extension(values) + payload + bytes(-len(payload) % 4)
    inner = grh + bytes(BTH(**fields) / Raw(body))[:-4]  # scapy's room for the ICRC
    sl = values["flow"] & 15
    whole = lrh((8 + len(inner) + 4) // 4, dlid, slid, sl, lnh=GLOBAL if grh else lnh) + inner
    return whole + icrc(whole)


@cache
def _built() -> Dut:
    return Dut("tests/rtl/ib/kumi_t_ib_wire.sv", pins={"lid": LID})


@pytest.fixture
def dut() -> Dut:
    one = _built()
    one.restart()
    one.stall_all()
    one.set("lmc", 0)
    one.watch("ev")
    return one


def records_of(dut: Dut, count: int) -> list[dict[str, int]]:
    found = dut.recv("m_hdr_pkt", count, 400_000)
    return [unpack(int.from_bytes(f.data, "little")) for f in found]


def wanted_of(record: dict[str, int]) -> dict[str, int]:
    """As it arrives: the path is LID and service level."""
    return {name: record.get(name, 0) for name, _ in FIELDS} | {"flow": record["flow"] & 15}


@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_receive(dut: Dut, stalls: float) -> None:
    rng = random.Random(1)
    dut.stall_all(stalls / 4, stalls, seed=1)
    sent = cases(rng, PEER)
    grhs = [rng.choice([b"", b"", b"\x60" + rng.randbytes(39)]) for _ in sent]
    dut.send("s_axis_ib", [packet(r, p, grh=g) for (r, p), g in zip(sent, grhs, strict=True)])
    for (record, _), got in zip(sent, records_of(dut, len(sent)), strict=True):
        assert got == wanted_of(record)
    bodies = [p for _, p in sent if p]
    assert dut.recv_data("m_axis_pay", len(bodies), 400_000) == bodies
    ev = dut.counts("ev")
    assert ev["rx_packet"] == sum(ev.values()) == len(sent)


@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_send(dut: Dut, stalls: float) -> None:
    rng = random.Random(2)
    dut.stall_all(stalls, stalls / 4, seed=2)
    wanted = cases(rng, PEER)
    noise = dict(FIELDS)
    for record, _ in wanted:  # what an opcode has no field for must not matter
        for name in noise:
            record.setdefault(name, rng.getrandbits(noise[name]))
    dut.send("s_hdr_pkt", [pack(r) for r, _ in wanted])
    dut.send("s_axis_pay", [p for _, p in wanted if p])
    got = dut.recv_data("m_axis_ib", len(wanted), 400_000)
    assert got == [packet(r, p, dlid=PEER, slid=LID) for r, p in wanted]


def test_bad_packets_are_dropped_and_counted(dut: Dut) -> None:
    rng = random.Random(3)
    dut.stall_all(0.1, 0.3, seed=3)
    send = random_record(rng, 0x04, 64, PEER)
    ack = random_record(rng, 0x11, 0, PEER)
    body = rng.randbytes(64)
    good = packet(send, body)
    packets: list[bytes] = []
    expected = dict.fromkeys(dut.counts("ev"), 0)

    def add(one: bytes, event: str) -> None:
        packets.extend((one, good))  # the next one is not harmed
        expected[event] += 1
        expected["rx_packet"] += 1

    for opcode in set(range(256)) - set(OPCODES):
        add(packet(send, body, opcode=opcode), "drop_opcode")
    for version in range(1, 16):
        add(packet(send, body, version=version), "drop_version")
    for lid in (0, 1, LID ^ 1, LID ^ 0x8000, 0xFFFF, 0xC001):
        add(packet(send, body, dlid=lid), "drop_port")
    for lnh in (0, 1):
        add(packet(send, body, lnh=lnh), "drop_port")
    add(packet(send, rng.randbytes(4100)), "drop_length")
    add(packet(ack, rng.randbytes(4)), "drop_length")
    add(packet(ack, b"", padcount=1), "drop_length")
    add(packet(send, b"", padcount=3), "drop_length")
    for size in (12, 16):  # shorter than BTH and ICRC, just these
        short = lrh((8 + size) // 4, LID, PEER, 0) + bytes(size - 4)
        add(short + icrc(short), "drop_length" if size < 16 else "rx_packet")
    for at in range(len(good) * 8):  # every bit of a packet
        changed = bytearray(good)
        changed[at // 8] ^= 1 << at % 8
        if icrc(bytes(changed[:-4])) != bytes(changed[-4:]):
            packets.append(bytes(changed))
            expected["bad_icrc"] += 1
    packets.append(good)
    expected["rx_packet"] += 1
    dut.send("s_axis_ib", packets)
    count = expected["rx_packet"]
    found = records_of(dut, count)
    assert [r for r in found if r["opcode"] == 4 and r["psn"]] == [wanted_of(send)] * (count - 1)
    dut.drain()
    assert dut.counts("ev") == expected
    assert dut.recv_data("m_axis_pay", count - 1) == [body] * (count - 1)


@pytest.mark.parametrize("lmc", [1, 3, 7])
def test_every_lid_of_the_port(dut: Dut, lmc: int) -> None:
    dut.set("lmc", lmc)
    rng = random.Random(4)
    base = LID >> lmc << lmc
    send, body = random_record(rng, 0x04, 9, PEER), rng.randbytes(9)
    lids = [base, base + (1 << lmc) - 1, base - 1, base + (1 << lmc)]
    dut.send("s_axis_ib", [packet(send, body, dlid=lid) for lid in lids])
    assert records_of(dut, 2) == [wanted_of(send)] * 2
    dut.drain()
    ev = dut.counts("ev")
    assert (ev["rx_packet"], ev["drop_port"]) == (2, 2)


def test_a_bad_payload_leaves_marked(dut: Dut) -> None:
    rng = random.Random(5)
    for size in (5, 8, 64, 200):
        record = random_record(rng, 0x04, size, PEER)
        dut.send("s_hdr_pkt", [pack(record)])
        dut.send("s_axis_pay", [rng.randbytes(size)], bad=True)
        (frame,) = dut.recv("m_axis_ib", 1)
        assert frame.bad


def test_throughput(dut: Dut) -> None:
    """Packets of 4096 bytes follow each other without a gap, each way."""
    rng = random.Random(6)
    count = 12
    record, body = random_record(rng, 0x07, 4096, PEER), rng.randbytes(4096)
    dut.send("s_axis_ib", [packet(record, body)] * count)
    dut.send("s_hdr_pkt", [pack(record)] * count)
    dut.send("s_axis_pay", [body] * count)
    dut.run(count * 560 + 1200)
    beats = len(packet(record, body)) // 8 + 1
    for port in ("m_axis_pay", "m_axis_ib"):
        ends = [f.last_cycle for f in dut.recv(port, count)]
        assert ends[-1] - ends[0] <= (count - 1) * (beats + 1), port
