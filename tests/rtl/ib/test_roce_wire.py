# SPDX-License-Identifier: Apache-2.0
"""RoCEv2 between UDP and the transport engine's records; scapy computes every ICRC.

10 s.
"""

from __future__ import annotations

import random
import subprocess
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import data_widths
from rc_records import FIELDS, OPCODES, cases, extension, pack, random_record, unpack
from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw
from scapy.utils import wrpcap

WIDTHS = data_widths(64, 128, 256, 512)
PORT = 4791
MAC, ADDRESS = "02:00:00:00:00:0a", "10.77.0.10"
PEER_MAC, PEER = "02:aa:bb:cc:dd:ee", "10.77.0.99"


def ip_number(text: str) -> int:
    a, b, c, d = (int(x) for x in text.split("."))
    return a << 24 | b << 16 | c << 8 | d


def roce(
    values: dict[str, int],
    payload: bytes,
    tag: int | None = None,
    sent: bool = False,
    ip: dict[str, Any] | None = None,
    **bth: Any,
) -> Packet:
    """A packet to the wire, or the one that it sends."""
    pad = -len(payload) % 4
    fields = {
        "opcode": values["opcode"],
        "solicited": values["se"],
        "migreq": 1,
        "padcount": pad,
        "pkey": values["p_key"],
        "dqpn": values["dest_qp"],
        "ackreq": values["ack_req"],
        "psn": values["psn"],
        **bth,
    }
    packet: Packet = Ether(src=PEER_MAC, dst=MAC)
    network = {"src": PEER, "dst": ADDRESS, "id": 0x1234, "ttl": 17, "tos": 3, **(ip or {})}
    sport, dport = values["flow"], PORT
    if sent:
        packet = Ether(src=MAC, dst=PEER_MAC)
        network = {"src": ADDRESS, "dst": PEER, "id": 0, "flags": "DF", "ttl": 64}
    if tag is not None:
        packet = packet / Dot1Q(vlan=tag)
    body = Raw(extension(values) + payload + bytes(pad))
    return packet / IP(**network) / UDP(sport=sport, dport=dport, chksum=0) / BTH(**fields) / body


def framed(packet: Packet) -> bytes:
    data = bytes(packet)
    return data + bytes(max(0, 60 - len(data)))


def udp(frame: bytes, port: int = PORT) -> tuple[int, bytes]:
    """The udp_hdr_t and the payload that the IP stack makes of a frame without a tag."""
    packet = Ether(frame)
    body = frame[42 : 14 + packet[IP].len]
    addr, sport = ip_number(packet[IP].src), packet[UDP].sport
    record = 0
    for value, bits in ((0, 66), (addr, 32), (sport, 16), (port, 16), (len(body), 16), (0, 18)):
        record = record << bits | value
    return record, body


def receive(dut: Dut, frames: list[tuple[int, bytes]]) -> None:
    """Datagrams to the wire; one without payload has no beat."""
    dut.send("s_hdr_udp", [record for record, _ in frames])
    dut.send("s_axis_udp", [body for _, body in frames if body])


@cache
def _built(width: int) -> Dut:
    pins = {"own_ip": ip_number(ADDRESS)}
    return Dut("tests/rtl/ib/kumi_t_roce_wire.sv", params={"DATA_W": width}, pins=pins)


def wire(width: int) -> Dut:
    dut = _built(width)
    dut.restart()
    dut.stall_all()
    dut.watch("ev")
    dut.watch("ev_bad")
    return dut


def records_of(dut: Dut, count: int | None = None) -> list[dict[str, int]]:
    """Records that came out."""
    found = dut.recv("m_hdr_pkt", count, 400_000)
    return [unpack(int.from_bytes(f.data, "little")) for f in found]


def icrc_right(frame: bytes) -> bool | None:
    """By zlib and the annex; None if the frame is no RoCEv2 packet over plain IPv4."""
    start = 18 if frame[12:14] == b"\x81\x00" else 14
    packet = frame[start:]
    if frame[start - 2 : start] != b"\x08\x00" or packet[0] != 0x45 or packet[9] != 17:
        return None
    size = int.from_bytes(packet[2:4])
    if packet[22:24] != PORT.to_bytes(2) or not 44 <= size <= len(packet):
        return None
    masked = bytearray(packet[: size - 4])
    for at in (1, 8, 10, 11, 26, 27, 32):
        masked[at] = 0xFF
    return zlib.crc32(b"\xff" * 8 + bytes(masked)).to_bytes(4, "little") == packet[size - 4 : size]


@pytest.mark.parametrize("stalls", [0.0, 0.4])
@pytest.mark.parametrize("width", WIDTHS)
def test_receive(width: int, stalls: float) -> None:
    rng = random.Random(width)
    dut = wire(width)
    dut.stall_all(stalls / 4, stalls, seed=width)
    sent = cases(rng, ip_number(PEER))
    receive(dut, [udp(framed(roce(r, p))) for r, p in sent])
    for (wanted, _), got in zip(sent, records_of(dut, len(sent)), strict=True):
        assert got == {name: wanted.get(name, 0) for name, _ in FIELDS}
    bodies = [p for _, p in sent if p]
    assert dut.recv_data("m_axis_pay", len(bodies), 400_000) == bodies
    ev = dut.counts("ev")
    assert ev["rx_packet"] == sum(ev.values()) == len(sent)


@pytest.mark.parametrize("stalls", [0.0, 0.4])
@pytest.mark.parametrize("width", WIDTHS)
def test_send(width: int, stalls: float, tmp_path: Path) -> None:
    rng = random.Random(width)
    dut = wire(width)
    dut.stall_all(stalls, stalls / 4, seed=width)
    wanted = cases(rng, ip_number(PEER))
    noise = dict(FIELDS)
    for record, _ in wanted:  # what an opcode has no field for must not matter
        for name in noise:
            record.setdefault(name, rng.getrandbits(noise[name]))
    dut.send("s_hdr_pkt", [pack(r) for r, _ in wanted])
    dut.send("s_axis_pay", [p for _, p in wanted if p])
    bodies = dut.recv_data("m_axis_udp", len(wanted), 400_000)
    headers = [int.from_bytes(f.data, "little") for f in dut.recv("m_hdr_udp", len(wanted))]
    frames = [bytes(roce(record, body, sent=True)) for record, body in wanted]
    assert bodies == [frame[42:] for frame in frames]
    for header, body, (record, _) in zip(headers, bodies, wanted, strict=True):
        assert header & 3 == 0  # UDP checksum 0
        assert header >> 18 & 0xFFFF == len(body)
        assert header >> 34 & 0xFFFF == record["flow"]
        assert header >> 50 & 0xFFFF == PORT
        assert header >> 66 & 0xFFFFFFFF == record["addr"]
    if stalls == 0.0 and width == WIDTHS[-1]:
        capture = tmp_path / "sent.pcap"
        wrpcap(str(capture), [Ether(f[:42] + b) for f, b in zip(frames, bodies, strict=True)])
        show = ("-T", "fields", "-e", "infiniband.bth.opcode", "-e", "infiniband.bth.psn")
        expert = ("-e", "_ws.malformed", "-E", "separator=,")
        shown = subprocess.run(
            ["tshark", "-r", str(capture), "--disable-protocol", "rpcordma", *show, *expert],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        assert shown == [f"{r['opcode']},{r['psn']}," for r, _ in wanted]


@pytest.mark.parametrize("stalls", [0.0, 0.3])
@pytest.mark.parametrize("width", WIDTHS)
def test_icrc_check(width: int, stalls: float) -> None:
    """Frames whole, padded, with one bit changed, of other protocols: only wrong ICRCs marked."""
    rng = random.Random(width)
    dut = wire(width)
    dut.stall_all(stalls / 4, stalls, seed=width)
    frames: list[bytes] = []
    for record, body in cases(rng, ip_number(PEER)):
        good = framed(roce(record, body, rng.choice([None, 5])))
        changed = bytearray(good)
        changed[rng.randrange(12, len(good))] ^= 1 << rng.randrange(8)
        frames += [good, good + bytes(rng.randrange(1, 70)), bytes(changed), good[:-8]]
        frames.append(rng.randbytes(rng.randrange(14, 300)))
    one = framed(roce(random_record(rng, 0x0A, 21, ip_number(PEER)), rng.randbytes(21)))
    for at in range(12 * 8, len(one) * 8):  # every bit of a packet
        changed = bytearray(one)
        changed[at // 8] ^= 1 << at % 8
        frames.append(bytes(changed))
    verdicts = [icrc_right(frame) for frame in frames]
    assert verdicts.count(True) > 300
    assert verdicts.count(False) > 300
    dut.send("s_axis_eth", frames)
    out = dut.recv("m_axis_eth", len(frames), 400_000)
    assert [f.data for f in out] == frames
    assert [f.bad for f in out] == [verdict is False for verdict in verdicts]
    assert dut.counts("ev_bad")["0"] == verdicts.count(False)


@pytest.mark.parametrize("width", WIDTHS)
def test_bad_packets_are_dropped_and_counted(width: int) -> None:
    rng = random.Random(4)
    dut = wire(width)
    dut.stall_all(0.1, 0.3, seed=4)
    send = random_record(rng, 0x04, 64, ip_number(PEER))
    ack = random_record(rng, 0x11, 0, ip_number(PEER))
    body = rng.randbytes(64)
    good = udp(framed(roce(send, body)))
    frames: list[tuple[int, bytes]] = []
    expected = dict.fromkeys(dut.counts("ev"), 0)

    def add(frame: tuple[int, bytes], event: str) -> None:
        frames.extend((frame, good))  # the next one is not harmed
        expected[event] += 1
        expected["rx_packet"] += 1

    def bare(size: int, port: int = PORT) -> tuple[int, bytes]:
        packet = Ether() / IP(src=PEER, dst=ADDRESS) / UDP(sport=1, dport=port)
        return udp(bytes(packet / Raw(rng.randbytes(size))), port)

    for opcode in set(range(256)) - set(OPCODES):
        add(udp(framed(roce(send, body, opcode=opcode))), "drop_opcode")
    for version in range(1, 16):
        add(udp(framed(roce(send, body, version=version))), "drop_version")
    for size in (0, 1, 11, 12, 16, 40, 400):
        add(bare(size, 4790), "drop_port")
    for size in (0, 1, 4, 11, 12, 15):
        add(bare(size), "drop_length")
    for opcode, (fields, _) in OPCODES.items():  # headers cut short by a word
        if fields:
            record, whole = udp(framed(roce(random_record(rng, opcode, 0, ip_number(PEER)), b"")))
            add((record - (4 << 18), whole[:-4]), "drop_length")
    add(udp(framed(roce(send, rng.randbytes(4100)))), "drop_length")
    add(udp(framed(roce(send, rng.randbytes(9000)))), "drop_length")
    add(udp(framed(roce(ack, rng.randbytes(4)))), "drop_length")
    add(udp(framed(roce(ack, b"", padcount=1))), "drop_length")
    add(udp(framed(roce(send, b"", padcount=3))), "drop_length")
    record, whole = good
    add((record + (1 << 18), whole + b"x"), "drop_length")  # no whole words
    receive(dut, frames)
    count = expected["rx_packet"]
    wanted = {name: send.get(name, 0) for name, _ in FIELDS}
    assert records_of(dut, count) == [wanted] * count
    dut.drain()
    assert dut.recv_data("m_axis_pay", count) == [body] * count
    assert dut.counts("ev") == expected


@pytest.mark.parametrize("width", WIDTHS)
def test_a_bad_payload_leaves_marked(width: int) -> None:
    rng = random.Random(5)
    dut = wire(width)
    for size in (5, 64, 200):
        record = random_record(rng, 0x04, size, ip_number(PEER))
        dut.send("s_hdr_pkt", [pack(record)])
        body = rng.randbytes(size)
        dut.send("s_axis_pay", [body], bad=True)
        (frame,) = dut.recv("m_axis_udp", 1)
        right = bytes(roce(record, body, sent=True))[42:]
        assert frame.bad
        assert frame.data[:-4] == right[:-4]
        assert frame.data[-4:] == bytes(255 - byte for byte in right[-4:])


@pytest.mark.parametrize("width", WIDTHS)
def test_throughput(width: int) -> None:
    """Packets with 4096 bytes follow each other without a gap, each way and through the check."""
    rng = random.Random(6)
    dut = wire(width)
    count = 12
    record = random_record(rng, 0x07, 4096, ip_number(PEER))
    body = rng.randbytes(4096)
    frame = framed(roce(record, body))
    beat = width // 8
    prefix = {64: 4, 128: 2, 256: 1, 512: 1}[width]
    receive(dut, [udp(frame)] * count)
    dut.send("s_axis_eth", [frame] * count)
    dut.send("s_hdr_pkt", [pack(record)] * count)
    dut.send("s_axis_pay", [body] * count)
    dut.run(count * 5000 // beat + 300)
    for port, beats in (
        ("m_axis_pay", (4112 + beat - 1) // beat),
        ("m_axis_eth", (len(frame) + beat - 1) // beat),
        ("m_axis_udp", (4112 + beat - 1) // beat + prefix + 1),
    ):
        ends = [f.last_cycle for f in dut.recv(port, count)]
        assert ends[-1] - ends[0] <= (count - 1) * beats, port
