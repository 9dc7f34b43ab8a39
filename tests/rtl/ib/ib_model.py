# SPDX-License-Identifier: Apache-2.0
"""InfiniBand packets, CRCs, and the symbols of a line, written from the standard for the tests.

Independent of the RTL: CRCs bit by bit or by zlib, symbols one at a time.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# The sample of IBTA volume 1, clause 7.8.3: a packet without its CRCs, and the ICRC.
SAMPLE = bytes.fromhex(
    "7012375C000E17D20A2024870087B1B3000DEC2A01710A1C015D400238F27A050000000E"
    "BB884D85FD5CFBA4728BC0690ED40000"
)
SAMPLE_ICRC = bytes.fromhex("9625B75A")

COM, SKP, SDP, SLP, EGP, EBP = 0xBC, 0x1C, 0xFB, 0x5C, 0xFD, 0xFE
TS = {1: 0x4A, 2: 0x45}
BLOCK = 64
FC_INIT, FC_NORMAL = 1, 0
LNH_LOCAL, LNH_GRH = 2, 3

Symbol = tuple[int, bool]


def vcrc(data: bytes) -> bytes:
    """CRC-16 of clause 7.8.2, low bit of a byte first, low byte first."""
    crc = 0xFFFF
    for byte in data:
        for i in range(8):
            crc = crc >> 1 ^ (0xD008 if (crc ^ byte >> i) & 1 else 0)
    return struct.pack("<H", crc ^ 0xFFFF)


def icrc(data: bytes) -> bytes:
    """CRC-32 of clause 7.8.1 of a packet without its CRCs."""
    masked = bytearray(data)
    if data[1] & 3 == LNH_GRH:
        masked[:8] = b"\xff" * 8
        masked[8] |= 0x0F
        masked[9:12] = b"\xff" * 3
        masked[15] = 0xFF
        masked[52] = 0xFF
    else:
        masked[0] |= 0xF0
        masked[12] = 0xFF
    return struct.pack("<I", zlib.crc32(bytes(masked)))


@dataclass
class Header:
    """Fields of the LRH and BTH that tests vary; `length` None: as it is."""

    vl: int = 0
    sl: int = 0
    dlid: int = 2
    slid: int = 1
    lver: int = 0
    length: int | None = None
    opcode: int = 0x64
    dest_qp: int = 5
    psn: int = 0
    grh: bool = False


def packet(payload: bytes, head: Header | None = None, with_icrc: bool = True) -> bytes:
    """LRH [GRH] BTH payload padding [ICRC]; the ICRC counts in PktLen in any case."""
    h = head or Header()
    pad = -len(payload) % 4
    bth = struct.pack(">BBHII", h.opcode, 0x40 | pad << 4, 0xFFFF, h.dest_qp, h.psn & 0xFFFFFF)
    body = bth + payload + bytes(pad)
    if h.grh:
        grh = struct.pack(">IHBB", 0x6ABCDEF0, len(body) + 4, 0x1B, 64)
        body = grh + bytes(range(32)) + body
    length = (8 + len(body) + 4) // 4 if h.length is None else h.length
    lrh = struct.pack(
        ">BBHHH",
        h.vl << 4 | h.lver,
        h.sl << 4 | (LNH_GRH if h.grh else LNH_LOCAL),
        h.dlid,
        length,
        h.slid,
    )
    out = lrh + body
    return out + icrc(out) if with_icrc else out


def blocks_of(data: bytes) -> int:
    """Credit blocks of a packet (LRH to ICRC): its VCRC counts too."""
    return -(-(len(data) + 2) // BLOCK)


def on_vl(data: bytes, vl: int) -> bytes:
    """The packet as it travels on a virtual lane."""
    return bytes([data[0] & 0x0F | vl << 4]) + data[1:]


# ---- Symbols ------------------------------------------------------------------------------------


def data_symbols(data: bytes, end: int = EGP, crc: bytes | None = None) -> list[Symbol]:
    body = data + (vcrc(data) if crc is None else crc)
    return [(SDP, True), *((b, False) for b in body), (end, True)]


def fc_symbols(
    vl: int, fctbs: int, fccl: int, op: int = FC_NORMAL, crc: bytes | None = None, end: int = EGP
) -> list[Symbol]:
    body = struct.pack(">HH", op << 12 | fctbs % 4096, vl << 12 | fccl % 4096)
    body += vcrc(body) if crc is None else crc
    return [(SLP, True), *((b, False) for b in body), (end, True)]


def idle(words: int) -> list[Symbol]:
    return [(0, False)] * (4 * words)


def training_set(kind: int, lanes: int) -> list[Symbol]:
    """One ordered set on all lanes, in the order of a packet's bytes."""
    columns: list[list[Symbol]] = [[(COM, True)] * lanes, [(lane, False) for lane in range(lanes)]]
    columns += [[(TS[kind], False)] * lanes] * 14
    return [symbol for column in columns for symbol in column]


def skip_set(lanes: int, skips: int = 3) -> list[Symbol]:
    return [(COM, True)] * lanes + [(SKP, True)] * (lanes * skips)


@dataclass
class Found:
    """What `read_line` found: a packet, a link packet or an ordered set."""

    kind: str  # packet, fc, ts1, ts2, skip
    data: bytes = b""
    good: bool = True
    fctbs: int = 0
    fccl: int = 0
    vl: int = 0
    op: int = 0


def read_line(symbols: Iterable[Symbol], lanes: int) -> Iterator[Found]:
    """What a line carries, one symbol at a time; raises if it breaks the rules of a sender."""
    stream = list(symbols)
    at = 0
    while at < len(stream):
        value, k = stream[at]
        if not k:
            assert value == 0, f"symbol {at}: data {value:#x} outside a packet"
            at += 1
            continue
        if value in (SDP, SLP):
            assert lanes == 1 or at % 4 == 0, f"symbol {at}: a packet begins on lane {at % 4}"
            end = at + 1
            while end < len(stream) and not stream[end][1]:
                end += 1
            if end == len(stream):
                return
            assert stream[end][0] in (EGP, EBP), f"symbol {end}: {stream[end][0]:#x} in a packet"
            body = bytes(b for b, _ in stream[at + 1 : end])
            good = stream[end][0] == EGP
            assert (vcrc(body[:-2]) == body[-2:]) == good, f"symbol {at}: VCRC"
            if value == SDP:
                assert (end + 1 - at) % 4 == 0
                yield Found("packet", body[:-2], good)
            else:
                assert len(body) == 6
                first, second = struct.unpack(">HH", body[:4])
                yield Found(
                    "fc", body, good, first & 0xFFF, second & 0xFFF, second >> 12, first >> 12
                )
            at = end + 1
            continue
        assert value == COM, f"symbol {at}: stray {value:#x}"
        rest = stream[at : at + 16 * lanes]
        for kind in (1, 2):
            if rest == training_set(kind, lanes):
                yield Found(f"ts{kind}")
                at += 16 * lanes
                break
        else:
            if len(rest) < 16 * lanes:
                return
            assert rest[: 4 * lanes] == skip_set(lanes), f"symbol {at}: no ordered set: {rest}"
            yield Found("skip")
            at += 4 * lanes
