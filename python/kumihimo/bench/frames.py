# SPDX-License-Identifier: Apache-2.0
"""Ethernet frames for benches, made with the standard library only.

(Tests take scapy as their reference; a bench must run where only the demo's packages are.)
"""

from __future__ import annotations

import ipaddress
import struct


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071) of `data`."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def mac_bytes(mac: str) -> bytes:
    """`02:00:00:00:00:01` as six bytes."""
    return bytes.fromhex(mac.replace(":", ""))


def udp_frame(
    payload: bytes,
    src_mac: str,
    dst_mac: str,
    src_ip: str,
    dst_ip: str,
    src_port: int,
    dst_port: int,
) -> bytes:
    """An Ethernet II frame without FCS that carries one UDP datagram, padded to 60 bytes."""
    src, dst = ipaddress.IPv4Address(src_ip).packed, ipaddress.IPv4Address(dst_ip).packed
    length = 8 + len(payload)
    udp = struct.pack(">HHHH", src_port, dst_port, length, 0)
    pseudo = src + dst + struct.pack(">BBH", 0, 17, length)
    cks = checksum(pseudo + udp + payload) or 0xFFFF
    udp = struct.pack(">HHHH", src_port, dst_port, length, cks)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + length, 0, 0x4000, 64, 17, 0, src, dst)
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    frame = mac_bytes(dst_mac) + mac_bytes(src_mac) + b"\x08\x00" + ip + udp + payload
    return frame.ljust(60, b"\0")
