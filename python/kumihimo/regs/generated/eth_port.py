# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `eth_port`. Generated from regs/eth_port.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'eth_port',
    'ETHP',
    1,
    'Ethernet port of kernels',
    (
        RegInfo('mac_hi', 0x0000, (
            FieldInfo('value', 0, 16, 'rw', 512, 'The first octet is in the high byte.'),
        ), 1, 4, '', 'First two octets of the MAC address; write it before mac_lo.'),
        RegInfo('mac_lo', 0x0004, (
            FieldInfo('value', 0, 32, 'rw', 1, 'The first of them is in the high byte.'),
        ), 1, 4, '', "Last four octets of the MAC address; a write makes the address (with mac_hi) the port's own."),
        RegInfo('option', 0x0008, (
            FieldInfo('mtu', 0, 14, 'rw', 1514, 'Bytes of the longest frame without FCS, 64..9216.'),
            FieldInfo('broadcast', 16, 1, 'rw', 0, 'Accept broadcast frames.'),
        ), 1, 4, '', 'Frame size; must not change while frames are in flight.'),
        RegInfo('peer_hi', 0x000c, (
            FieldInfo('value', 0, 16, 'rw', 0, 'The first octet is in the high byte.'),
        ), 1, 4, '', "First two octets of a peer's MAC address."),
        RegInfo('peer_lo', 0x0010, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', "Last four octets of a peer's MAC address."),
        RegInfo('peer', 0x0014, (
            FieldInfo('value', 0, 16, 'rw', 0, 'Peer number as used by kernels.'),
        ), 1, 4, '', 'A write enters the address in peer_hi and peer_lo into the table of peers.'),
        RegInfo('tx_first', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Cycle of the MAC's clock of the first beat of the last frame sent. Read while idle."),
        RegInfo('rx_first', 0x0044, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Cycle of the MAC's clock of the first beat of the last frame received. Read while idle."),
        RegInfo('tx_frame', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames sent.'),
        RegInfo('tx_message', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages sent completely.'),
        RegInfo('tx_short', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages that ended early or were marked bad; the rest was not sent.'),
        RegInfo('tx_long', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages longer than their count; the excess was discarded.'),
        RegInfo('tx_empty', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Records with a count of zero, ignored.'),
        RegInfo('tx_no_peer', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages to a peer that is not in the table, discarded.'),
        RegInfo('rx_unknown', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames from a sender that is not in the table, dropped.'),
        RegInfo('rx_ok', 0x0200, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Frames delivered.'),
        RegInfo('rx_bad', 0x0204, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Drop: marked bad by the MAC.'),
        RegInfo('rx_control', 0x0208, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Drop: MAC control frame.'),
        RegInfo('rx_not_ours', 0x020c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Drop: for another address.'),
        RegInfo('rx_foreign', 0x0210, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Drop: other EtherType or version.'),
        RegInfo('rx_malformed', 0x0214, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Drop: shorter than its header says, or an inconsistent header.'),
        RegInfo('rx_no_room', 0x0218, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Drop: the receive buffer was full.'),
        RegInfo('rx_orphan', 0x021c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Drop: neither starts a message nor continues the open one.'),
        RegInfo('rx_broken', 0x0220, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'rx_counters', 'Messages aborted because another one started.'),
    ),
    'Addresses and peers of the Ethernet controller, its event counters, and time stamps at the MAC.',
)
