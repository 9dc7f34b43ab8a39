# SPDX-License-Identifier: Apache-2.0
"""RoCEv2 packets that each cause one drop of the wire, or of the transport engine behind it."""

from __future__ import annotations

from typing import Any

from ip_drops import learn
from ledgerkit import HOST_IP, Cause, Rig, number
from scapy.contrib.roce import BTH
from scapy.layers.inet import UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

PORT = 4791
QP, PSN = 1, 100
SEND_MIDDLE, SEND_ONLY, WRITE_ONLY, ACKNOWLEDGE = 0x01, 0x04, 0x0A, 0x11


def connect(rig: Rig) -> None:
    """Queue pair QP to ready to send."""
    learn(rig)
    regs = rig.regs.rdma
    regs.peer_addr.write(number(HOST_IP))
    regs.dest_qp.write(7)
    regs.rq_psn.write(PSN)
    regs.setup.write(QP | 7 << 20)
    regs.command.write(2)
    rig.dut.run(500)


def packet(rig: Rig, opcode: int, body: bytes = b"", **fields: int) -> Ether:
    """A packet to queue pair QP."""
    head: dict[str, Any] = {"dqpn": QP, "psn": PSN, "ackreq": 1, **fields}
    frame = rig.l3() / UDP(sport=0xC000, dport=PORT, chksum=0) / BTH(opcode=opcode, **head)
    found = Ether(bytes(frame / Raw(body)))
    assert isinstance(found, Ether)
    return found


def connected(opcode: int, body: bytes = b"", **fields: int) -> Cause:
    """A packet to a queue pair that is ready."""

    def cause(rig: Rig) -> None:
        connect(rig)
        rig.send(packet(rig, opcode, body, **fields))

    return cause


def bare(opcode: int, body: bytes = b"", **fields: int) -> Cause:
    """A packet to a node without queue pairs."""
    return lambda rig: rig.send(packet(rig, opcode, body, **fields))


def wrong_icrc(rig: Rig) -> None:
    """The last byte is another one."""
    whole = bytearray(bytes(packet(rig, SEND_ONLY, bytes(16))))
    whole[-1] ^= 0xFF
    rig.send(bytes(whole))


def other_port(rig: Rig) -> None:
    """A datagram that is not RoCEv2."""
    rig.send(rig.l3() / UDP(sport=1, dport=PORT - 1) / Raw(bytes(40)))


def twice(rig: Rig) -> None:
    """A message that was executed before; its answer was lost."""
    connect(rig)
    regs = rig.regs.rdma
    regs.wr_ctrl.write(QP | 7 << 16)
    regs.wr_length.write(64)
    regs.command.write(1)
    rig.dut.run(500)
    again = packet(rig, SEND_ONLY, bytes(16))
    rig.send(again, again)


RETH_OUTSIDE = (0x1000).to_bytes(8) + (0x500).to_bytes(4) + (16).to_bytes(4)

CAUSES: dict[str, Any] = {
    "rdma.bad_icrc": wrong_icrc,
    "rdma.drop_port": other_port,
    "rdma.drop_opcode": bare(0xE0, bytes(16)),
    "rdma.drop_version": bare(SEND_ONLY, bytes(16), version=1),
    "rdma.drop_length": bare(WRITE_ONLY, bytes(4)),
    "rdma.bad_qp": bare(SEND_ONLY, bytes(16)),
    "rdma.bad_key": connected(SEND_ONLY, bytes(16), pkey=0x1234),
    "rdma.gap": connected(SEND_ONLY, bytes(16), psn=PSN + 1),
    "rdma.duplicate": twice,
    "rdma.no_receive": connected(SEND_ONLY, bytes(16)),
    "rdma.invalid": connected(SEND_MIDDLE, bytes(1024)),
    "rdma.access_error": connected(WRITE_ONLY, RETH_OUTSIDE + bytes(16)),
    "rdma.stale": connected(ACKNOWLEDGE, bytes(4)),
}
ALSO = {"rdma.bad_icrc": ("ip.rx_buffer_bad",)}
EXCUSED = {
    "rdma.busy": "a peer would have to break the limit that it was told; tests/rtl/ib",
}
