# SPDX-License-Identifier: Apache-2.0
"""Frames as text: by tshark where it is installed, otherwise addresses, ports and lengths."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from difflib import ndiff
from pathlib import Path

from ..common import tools
from .pcapng import ERF, ERF_HEADER, ETHERNET

TSHARK_S = 30.0
_TCP_FLAGS = ("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR")


def dotted(raw: bytes) -> str:
    """An IPv4 address."""
    return ".".join(map(str, raw))


def mac(raw: bytes) -> str:
    """A MAC address."""
    return raw.hex(":")


def _short_ib(packet: bytes) -> str:
    """One line on an InfiniBand packet, LRH to VCRC."""
    if len(packet) < 20:
        return f"{len(packet)} bytes, too short for the headers of InfiniBand"
    at = 48 if packet[1] & 3 == 3 else 8
    dlid, slid = int.from_bytes(packet[2:4], "big"), int.from_bytes(packet[6:8], "big")
    return (
        f"InfiniBand LID {slid} > {dlid}, VL {packet[0] >> 4}, opcode {packet[at]:#04x}, "
        f"{len(packet)} bytes"
    )


def short(frame: bytes, link: int = ETHERNET) -> str:
    """One line on a frame: who to whom, what, how long."""
    if link == ERF:
        return _short_ib(frame[ERF_HEADER:])
    if len(frame) < 14:
        return f"{len(frame)} bytes, too short for an Ethernet header"
    at = 12
    while frame[at : at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    kind, body = int.from_bytes(frame[at : at + 2], "big"), frame[at + 2 :]
    ends = f"{mac(frame[6:12])} > {mac(frame[:6])}"
    if kind == 0x0806 and len(body) >= 28:
        what = {1: "request", 2: "reply"}.get(body[7], "?")
        return f"ARP {what}: {dotted(body[14:18])} > {dotted(body[24:28])}"
    if kind != 0x0800 or len(body) < 20:
        return f"Ethernet {ends}, type {kind:#06x}, {len(frame)} bytes"
    head, total = (body[0] & 15) * 4, int.from_bytes(body[2:4], "big")
    source, target, inner = dotted(body[12:16]), dotted(body[16:20]), body[head:total]
    if body[9] == 1 and len(inner) >= 8:
        name = {0: "echo reply", 8: "echo request"}.get(inner[0], f"type {inner[0]}")
        number = int.from_bytes(inner[6:8], "big")
        return f"ICMP {name} {number}: {source} > {target}, {total} bytes"
    if body[9] == 17 and len(inner) >= 8:
        ports = struct.unpack_from(">HH", inner)
        return f"UDP {source}:{ports[0]} > {target}:{ports[1]}, {len(inner) - 8} bytes of payload"
    if body[9] == 6 and len(inner) >= 20:
        source_port, target_port, seq, ack, offset, flags = struct.unpack_from(">HHIIBB", inner)
        names = " ".join(n for i, n in enumerate(_TCP_FLAGS) if flags >> i & 1)
        size = len(inner) - (offset >> 4) * 4
        return (
            f"TCP {source}:{source_port} > {target}:{target_port} {names}, seq {seq}, ack {ack}, "
            f"{size} bytes of payload"
        )
    return f"IPv4 {source} > {target}, protocol {body[9]}, {total} bytes"


def _pcap(frames: Sequence[bytes], link: int) -> bytes:
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, link)
    for frame in frames:
        out += struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame
    return out


def _tshark(frames: Sequence[bytes], link: int) -> list[list[str]] | None:
    """Each frame's lines of `tshark -V`; None where that is not installed or fails."""
    program = shutil.which("tshark")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "frames.pcap"
        file.write_bytes(_pcap(frames, link))
        try:
            done = tools.run([program, "-n", "-V", "-r", file], timeout=TSHARK_S)
        except (OSError, subprocess.SubprocessError):
            return None
    if done.returncode != 0:
        return None
    shown: list[list[str]] = []
    for line in done.stdout.splitlines():
        if line.startswith("Frame "):
            shown.append([])
        elif shown and line.strip():
            shown[-1].append(line.rstrip())
    # What is indented below "Frame" is about the file, not about the frame.
    cut = [
        lines[next((i for i, line in enumerate(lines) if line[0] != " "), 0) :] for lines in shown
    ]
    return cut if len(cut) == len(frames) else None


def bytes_that_differ(one: bytes, two: bytes, most: int = 8) -> list[str]:
    """Rows of 16 bytes in which two frames differ, of both."""
    rows: list[str] = []
    for at in range(0, max(len(one), len(two)), 16):
        a, b = one[at : at + 16], two[at : at + 16]
        if a == b:
            continue
        if len(rows) == 2 * most:
            return [*rows, "  ..."]
        rows += [f"- {at:04x}  {a.hex(' ')}", f"+ {at:04x}  {b.hex(' ')}"]
    return rows


def fields_that_differ(one: bytes, two: bytes, link: int = ETHERNET) -> list[str]:
    """Fields in which two frames differ: `- ` as it was, `+ ` as it is."""
    decoded = _tshark([one, two], link)
    if decoded is None:
        return []
    lines = [line for line in ndiff(decoded[0], decoded[1]) if line[:2] in ("- ", "+ ")]
    return [line for line in lines if not line[2:].lstrip().startswith("[")]


def fields(frame: bytes, link: int = ETHERNET) -> list[str]:
    """Every field of a frame; without tshark none."""
    decoded = _tshark([frame], link)
    return decoded[0] if decoded else []
