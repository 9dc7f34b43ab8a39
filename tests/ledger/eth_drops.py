# SPDX-License-Identifier: Apache-2.0
"""Frames that each cause one drop of the Ethernet controller, or of the echo of messages."""

from __future__ import annotations

import struct

from ledgerkit import HOST_MAC, NODE_MAC, Cause, Rig, number
from scapy.contrib.mac_control import MACControlPause
from scapy.layers.l2 import Ether

OTHER = "02:00:00:00:00:77"
SECOND = "02:00:00:00:00:98"
FIRST, LAST = 1, 2


def frame(
    data: bytes = bytes(64), src: str = HOST_MAC, dst: str = NODE_MAC, left: int = 0, flags: int = 3
) -> Ether:
    """A frame of the controller, by its description."""
    head = struct.pack(">BBHHI", 0x10 | flags, 0, len(data), 0, left or len(data))
    return Ether(src=src, dst=dst, type=0x88B5) / (head + data)


def message(length: int) -> bytes:
    """The first 64 bytes of a message of this length."""
    return struct.pack(">HHIII", 0x4B4D, 0, 0, length, 0) + bytes(48)


def peers(rig: Rig) -> None:
    """Peers 3 and 4."""
    port = rig.regs.eth_port
    for place, mac in ((3, HOST_MAC), (4, SECOND)):
        port.peer_hi.write(number(mac) >> 32)
        port.peer_lo.write(number(mac) & 0xFFFFFFFF)
        port.peer.write(place)
    rig.dut.run(60)


def echo(*frames: Ether) -> Cause:
    """Frames toward the echo of messages."""

    def cause(rig: Rig) -> None:
        peers(rig)
        rig.regs.eth_echo.ctrl.write(1)
        for one in frames:
            rig.send(one)
            rig.dut.drain(400_000)

    return cause


def _no_peer(rig: Rig) -> None:
    gen = rig.regs.eth_gen
    gen.peers.write(2)
    gen.messages.write(1)
    gen.ctrl.write(1)
    rig.dut.run(400)


def _no_room(rig: Rig) -> None:
    peers(rig)
    rig.regs.eth_check.ctrl.set(hold=1)
    rig.send(*[frame(bytes(1400))] * 60)
    rig.dut.drain(400_000)
    rig.regs.eth_check.ctrl.set(hold=0)


def _too_long(rig: Rig) -> None:
    """A message of 200 bytes where 100 were announced."""
    dest = rig.dut.struct("eth_dest_count_t")
    rig.dut.send("s_hdr_set_dest_addr_count", dest.pack(addr=number(HOST_MAC), count=100))
    rig.dut.send("s_axis_send_data", bytes(200))


# On the node of message kernels over the bare controller.
CAUSES: dict[str, Cause] = {
    "eth_port.rx_bad": lambda rig: rig.send(frame(), bad=True),
    "eth_port.rx_control": lambda rig: rig.send(
        Ether(src=HOST_MAC, dst="01:80:c2:00:00:01") / MACControlPause(pause_time=3)
    ),
    "eth_port.rx_not_ours": lambda rig: rig.send(frame(dst=OTHER)),
    "eth_port.rx_foreign": lambda rig: rig.send(Ether(src=HOST_MAC, dst=NODE_MAC, type=0x0800)),
    "eth_port.rx_malformed": lambda rig: rig.send(bytes(frame())[:40], pad=False),
    "eth_port.rx_unknown": lambda rig: rig.send(frame()),
    "eth_port.rx_no_room": _no_room,
    "eth_port.tx_no_peer": _no_peer,
    "eth_echo.drop_format": echo(frame(bytes(8))),
    "eth_echo.drop_orphan": echo(frame(flags=LAST)),
    "eth_echo.drop_busy": echo(
        frame(message(128), left=128, flags=FIRST),
        frame(message(64), src=SECOND),
        frame(bytes(64), flags=LAST),
    ),
}

# On the node whose channels are the controller's.
CHANNELS: dict[str, Cause] = {
    "eth_port.rx_orphan": lambda rig: rig.send(frame(flags=LAST)),
    "eth_port.tx_long": _too_long,
}
