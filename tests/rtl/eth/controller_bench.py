# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Ethernet controller share: instances, frames by scapy and struct."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from kumihimo.testing import Dut, Frame
from scapy.layers.l2 import Ether

OWN = "02:00:00:00:00:0a"
PEER = "02:00:00:00:00:0b"
OTHER = "02:00:00:00:00:0c"
ETHERTYPE = 0x88B5
HEADER = 24
KERNEL_PS = 3158  # 316.67 MHz
MAC_PS = 3200  # 312.5 MHz
CLOCKS = {
    **dict.fromkeys(
        ("set_source_addr", "set_dest_addr_count", "send_data", "receive_data", "receive_info"),
        "clk",
    ),
    "m_mac": "tx_clk",
    "s_mac": "rx_clk",
}


def number(mac: str) -> int:
    """An address as the number that records and pins carry."""
    return int(mac.replace(":", ""), 16)


def controller(
    width: int,
    kernel_ps: int = MAC_PS,
    mac_ps: int = MAC_PS,
    mtu: int = 1500,
    phase_ps: int = 0,
    **params: int,
) -> Dut:
    """A controller with flat ports. Events are counted, exactly only with equal periods."""
    dut = Dut.of_module(
        "kumi_eth_controller",
        params=params,
        interfaces={
            "*": {"DATA_W": width},
            "set_source_addr": {"W": 48},
            "set_dest_addr_count": {"W": 80},
            "receive_info": {"W": 90},
        },
        clocks=CLOCKS,
        periods_ps={"clk": kernel_ps, "tx_clk": mac_ps, "rx_clk": mac_ps},
        phases_ps={"clk": 100 + phase_ps, "tx_clk": 200, "rx_clk": 200},
        pins={"cfg_addr": number(OWN), "cfg_mtu": mtu},
    )
    return fresh(dut)


def fresh(dut: Dut) -> Dut:
    """A new instance with its counters."""
    dut.restart()
    dut.watch("tx_ev")
    dut.watch("rx_ev")
    return dut


def record(peer: str, count: int) -> int:
    """Record of set_dest_addr_count."""
    return number(peer) << 32 | count


@dataclass
class Info:
    """Record of receive_info."""

    addr: int
    left: int
    number: int
    last: int
    first: int

    @staticmethod
    def of(frame: Frame) -> Info:
        """Take it apart."""
        x = int.from_bytes(frame.data, "little")
        return Info(x >> 42, x >> 10 & 0xFFFFFFFF, x >> 2 & 0xFF, x >> 1 & 1, x & 1)


@dataclass
class Piece:
    """A frame in the controller's own format."""

    dst: str
    src: str
    first: bool
    last: bool
    number: int
    left: int
    data: bytes

    def bytes(self) -> bytes:
        """The frame without FCS and padding."""
        flags = 0x10 | self.last << 1 | self.first
        head = struct.pack(">BBHHI", flags, self.number & 0xFF, len(self.data), 0, self.left)
        return bytes(Ether(dst=self.dst, src=self.src, type=ETHERTYPE) / (head + self.data))

    @staticmethod
    def parse(frame: bytes) -> Piece:
        """Take a frame apart; whatever is wrong with its header fails."""
        ether = Ether(frame)
        assert ether.type == ETHERTYPE
        body = bytes(ether.payload)
        flags, num, size, zero, left = struct.unpack(">BBHHI", body[:10])
        assert flags >> 2 == 0x10 >> 2 and zero == 0
        assert len(body) == 10 + size
        piece = Piece(ether.dst, ether.src, bool(flags & 1), bool(flags & 2), num, left, body[10:])
        assert piece.last == (left == size)
        return piece


def cut(
    message: bytes, width: int, mtu: int, num: int, dst: str = OWN, src: str = PEER
) -> list[Piece]:
    """The frames of a message, as the format page says."""
    word = width // 8
    room = max((mtu - HEADER) // word * word, word)
    out = []
    for at in range(0, len(message), room):
        data = message[at : at + room]
        last = at + room >= len(message)
        out.append(Piece(dst, src, at == 0, last, num, len(message) - at, data))
    return out


def pad(frame: bytes) -> bytes:
    """What a MAC adds to a short frame."""
    return frame.ljust(60, b"\0")


def events(dut: Dut, pin: str) -> dict[str, int]:
    """The counters that are not zero."""
    return {k: v for k, v in dut.counts(pin).items() if v}
