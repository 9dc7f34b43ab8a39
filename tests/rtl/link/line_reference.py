# SPDX-License-Identifier: Apache-2.0
"""Decoder of Aurora 64B/66B lines, written from the published format for these tests.

It works on whole captures: each lane's bits are one array, and the descrambler is the polynomial
itself, x^58 + x^39 + 1, as three shifted copies of it. CRC-32 is zlib's.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

import numpy as np

IDLE, SEP, SEP7, NFC = 0x78, 0x1E, 0xE1, 0xAA
USER_K = [0xD2, 0x99, 0x55, 0xB4, 0xCC, 0x66, 0x33, 0x4B, 0x87]
CC, CB, NR, SA = 0x80, 0x40, 0x20, 0x10  # flags, second byte of an idle block


def descramble(words: list[int]) -> list[int]:
    """Payloads of a lane's blocks; the first bit of a block is its bit 63."""
    raw = np.frombuffer(b"".join(w.to_bytes(8, "big") for w in words), np.uint8)
    line = np.unpackbits(raw)
    clear = line.copy()
    clear[39:] ^= line[:-39]
    clear[58:] ^= line[:-58]
    data = np.packbits(clear).tobytes()
    return [int.from_bytes(data[i : i + 8], "big") for i in range(0, len(data), 8)]


@dataclass
class Line:
    """Contents of the line."""

    frames: list[bytes] = field(default_factory=list)
    frame_rows: list[tuple[int, int]] = field(default_factory=list)  # first, last row
    idles: dict[int, int] = field(default_factory=dict)  # flags to how many
    user_k: list[tuple[int, bytes]] = field(default_factory=list)  # number, 7 bytes
    nfc: list[tuple[int, int]] = field(default_factory=list)  # row, first two bytes
    cc_rows: list[int] = field(default_factory=list)
    cb_rows: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def decode(lanes: list[list[tuple[int, int]]]) -> Line:
    """Decode (head, scrambled data) of each lane, aligned, from the first block on."""
    out = Line()
    columns = [descramble([data for _, data in lane]) for lane in lanes]
    frame = bytearray()
    first = 0
    for row in range(2, len(lanes[0])):  # the descrambler needs 58 bits
        ended = idle_before = False
        flags = []
        for lane, column in zip(lanes, columns, strict=True):
            head, data = lane[row][0], column[row].to_bytes(8, "big")
            if head == 0b01:
                if idle_before or ended:
                    out.wrong.append(f"row {row}: data behind an idle or separator")
                if not frame:
                    first = row
                frame += data
            elif head != 0b10:
                out.wrong.append(f"row {row}: header {head:02b}")
            elif data[0] == IDLE:
                idle_before = True
                flags.append(data[1])
                out.idles[data[1]] = out.idles.get(data[1], 0) + 1
                if any(data[2:]) or data[1] & 15:
                    out.wrong.append(f"row {row}: idle {data.hex()}")
            elif data[0] in (SEP, SEP7):
                count = 7 if data[0] == SEP7 else data[1]
                if ended or count > 7 or (data[0] == SEP and count == 7):
                    out.wrong.append(f"row {row}: separator {data.hex()}")
                first = first if frame else row
                frame += data[1:] if data[0] == SEP7 else data[2 : 2 + count]
                out.frames.append(bytes(frame))
                out.frame_rows.append((first, row))
                frame.clear()
                ended = True
            elif data[0] in USER_K:
                out.user_k.append((USER_K.index(data[0]), data[1:]))
            elif data[0] == NFC:
                out.nfc.append((row, data[1] << 8 | data[2]))
            else:
                out.wrong.append(f"row {row}: block {data.hex()}")
        for flag, rows in ((CC, out.cc_rows), (CB, out.cb_rows)):
            has = [f & flag != 0 for f in flags]
            if any(has):
                if not (all(has) and len(has) == len(lanes)):
                    out.wrong.append(f"row {row}: flag {flag:02x} not on all lanes")
                rows.append(row)
    return out


@dataclass
class Chunk:
    """A frame of the retransmission layer."""

    kind: int  # 0 the user's frame continues, 1 it ends, 2 it ends bad, 3 aborted
    flight: int
    seq: int
    freed: int
    payload: bytes
    right: bool


def chunk(frame: bytes) -> Chunk:
    """Take a chunk apart and check its CRC."""
    body, info = frame[:-7], frame[-7:-4]
    right = zlib.crc32(frame[:-4]) == int.from_bytes(frame[-4:], "little")
    pad = info[0] >> 3 & 7
    return Chunk(info[0] >> 6, info[0] >> 1 & 3, info[1], info[2], body[: len(body) - pad], right)


def users_frames(chunks: list[Chunk]) -> list[bytes]:
    """Join first transmissions to the user's frames."""
    out, data = [], bytearray()
    for one in chunks:
        data += one.payload
        if one.kind:
            out.append(bytes(data))
            data.clear()
    return out
