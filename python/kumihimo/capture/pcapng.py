# SPDX-License-Identifier: Apache-2.0
"""Reads the pcapng files that the engine writes (and any other little-endian one)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..common.errors import KumiError

ETHERNET, ERF = 1, 197
"""Link types; InfiniBand packets are in ERF records."""
ERF_HEADER = 16
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6


@dataclass(frozen=True)
class Packet:
    """A captured frame."""

    time_ns: int
    interface: str
    data: bytes
    inbound: bool | None  # from the file's flags; None: not given
    link: int = ETHERNET


@dataclass
class _Interface:
    name: str
    per_second: int = 1_000_000
    link: int = ETHERNET


@dataclass
class Capture:
    """A capture file; iterate over it for its packets."""

    file: Path
    interfaces: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Packet]:
        """Packets in the order of the file; those of an incomplete end are left out."""
        for packet in self.follow():
            if packet is None:
                return
            yield packet

    def follow(self) -> Iterator[Packet | None]:
        """As iteration, without an end: None where the file has nothing more at the moment."""
        known: list[_Interface] = []
        with self.file.open("rb") as stream:
            while True:
                start = stream.tell()
                head = stream.read(8)
                kind, length = struct.unpack("<II", head) if len(head) == 8 else (0, 12)
                if length < 12 or length > 1 << 28:
                    raise KumiError(f"{self.file} is not a pcapng file.", code=2)
                body = stream.read(length - 8)
                if len(head) + len(body) < length:
                    stream.seek(start)
                    yield None
                elif kind == _SECTION:
                    if body[:4] != b"\x4d\x3c\x2b\x1a":
                        raise KumiError(f"{self.file} is not a little-endian pcapng file.", code=2)
                    known = []
                elif kind == _INTERFACE:
                    known.append(self._interface(body))
                elif kind == _PACKET:
                    yield _packet(body, known)

    def _interface(self, body: bytes) -> _Interface:
        made = _Interface(f"if{len(self.interfaces)}", link=int.from_bytes(body[:2], "little"))
        for code, value in _options(body[8:-4]):
            if code == 2:
                made.name = value.decode("utf-8", "replace")
            elif code == 9:
                base = 2 if value[0] & 0x80 else 10
                made.per_second = int(base ** (value[0] & 0x7F))
        if made.name not in self.interfaces:
            self.interfaces.append(made.name)
        return made


def _packet(body: bytes, known: list[_Interface]) -> Packet:
    index, high, low, size, _original = struct.unpack_from("<IIIII", body)
    interface = known[index]
    time_ns = ((high << 32) | low) * 10**9 // interface.per_second
    padded = (size + 3) & ~3
    inbound: bool | None = None
    for code, value in _options(body[20 + padded : -4]):
        if code == 2 and len(value) == 4:
            direction = struct.unpack("<I", value)[0] & 3
            inbound = {1: True, 2: False}.get(direction)
    return Packet(time_ns, interface.name, body[20 : 20 + size], inbound, interface.link)


def _options(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        code, size = struct.unpack_from("<HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4 : at + 4 + size]
        at += 4 + ((size + 3) & ~3)
