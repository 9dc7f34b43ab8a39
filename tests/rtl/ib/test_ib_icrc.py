# SPDX-License-Identifier: Apache-2.0
"""ICRC: the standard's sample, scapy's computation, zlib, and packets of every length."""

from __future__ import annotations

import random
import struct
import zlib

import pytest
from ib_model import SAMPLE, SAMPLE_ICRC, Header, icrc, packet
from kumihimo.testing import Dut, Frame
from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Raw

WIDTHS = (32, 64)
SIZES = [*range(0, 40), 252, 255, 256, 1024]


@pytest.fixture(scope="module", params=WIDTHS)
def dut(request: pytest.FixtureRequest) -> Dut:
    return Dut.of_module(
        "tests/rtl/ib/kumi_t_ib_icrc.sv", interfaces={"*": {"DATA_W": request.param}}
    )


def scapy_icrc(data: bytes) -> bytes:
    """Of a packet with GRH, from scapy's idea of the headers: an IPv6 header is a GRH."""
    ip = IPv6(data[8:48])
    ip.remove_payload()
    ip.tc, ip.fl, ip.hlim = 0xFF, 0xFFFFF, 0xFF
    bth = BTH(data[48:60] + bytes(4))
    bth.fecn, bth.becn, bth.resv6, bth.icrc = 1, 1, 0x3F, 0
    masked = b"\xff" * 8 + bytes(ip) + bytes(bth)[:12] + data[60:]
    return struct.pack("<I", zlib.crc32(masked))


def test_the_model_gives_the_sample() -> None:
    assert icrc(SAMPLE) == SAMPLE_ICRC


def test_the_model_agrees_with_scapy() -> None:
    rng = random.Random(1)
    for size in (0, 4, 64, 1000):
        data = packet(rng.randbytes(size), Header(grh=True), with_icrc=False)
        assert icrc(data) == scapy_icrc(data)
    # Scapy's own computation, of RoCEv2: the same CRC, bit order and byte order.
    roce = IP(src="1.2.3.4", dst="5.6.7.8") / UDP(sport=9, dport=4791, chksum=0) / BTH(dqpn=7)
    wire = bytes(roce / Raw(b"payload!"))
    masked = bytearray(b"\xff" * 8 + wire[:-4])
    masked[9] = masked[16] = masked[18] = masked[19] = masked[34] = masked[35] = 0xFF
    masked[40] = 0xFF
    assert struct.pack("<I", zlib.crc32(bytes(masked))) == wire[-4:]


@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.3, 0.4)])
def test_insert_and_check(dut: Dut, stalls: tuple[float, float]) -> None:
    dut.restart()
    dut.stall_all(*stalls, seed=3)
    rng = random.Random(2)
    bare = [SAMPLE]
    for size in SIZES:
        head = Header(vl=rng.randrange(16), sl=rng.randrange(16), grh=bool(rng.randrange(2)))
        bare.append(packet(rng.randbytes(size), head, with_icrc=False))
    dut.send("s_axis_ins", bare)
    whole = [b + icrc(b) for b in bare]
    assert dut.recv_data("m_axis_ins", len(bare)) == whole
    assert whole[0].endswith(SAMPLE_ICRC)

    # Each bit that a switch may change makes no difference, any other one does.
    cases: list[tuple[bytes, bool]] = [(w, False) for w in whole]
    for grh in (False, True):
        one = packet(rng.randbytes(24), Header(grh=grh))
        for at in range(len(one) * 8):
            if at in (8, 9):
                continue  # LNH: another kind of packet
            changed = bytearray(one)
            changed[at // 8] ^= 1 << at % 8
            right = icrc(bytes(changed[:-4])) == bytes(changed[-4:])
            cases.append((bytes(changed), not right))
    dut.watch("ev_bad")
    dut.send("s_axis_chk", [c for c, _ in cases])
    out: list[Frame] = dut.recv("m_axis_chk", len(cases), 200_000)
    assert [(f.data, f.bad) for f in out] == cases
    assert dut.counts("ev_bad")["0"] == sum(bad for _, bad in cases)
