# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `tcp_traffic`. Generated from regs/tcp_traffic.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'tcp_traffic',
    'TTRF',
    1,
    'TCP traffic',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('open', 0, 1, 'w', 0, 'Open `sessions` sessions.'),
            FieldInfo('write', 1, 1, 'w', 0, 'Write `bytes` to each of them.'),
            FieldInfo('close', 2, 1, 'w', 0, 'Close all of them.'),
            FieldInfo('clear', 3, 1, 'w', 0, 'Clear the results.'),
            FieldInfo('listen', 8, 1, 'rw', 1, 'Accept connections at port `listen`.'),
            FieldInfo('follow', 9, 1, 'rw', 1, 'Close a session when its peer has closed.'),
            FieldInfo('hold', 10, 1, 'rw', 0, '1: stop reading.'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('peer_ip', 0x0004, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Peer of the sessions opened; most significant octet first.'),
        RegInfo('port', 0x0008, (
            FieldInfo('peer', 0, 16, 'rw', 4000, 'Port of the peer.'),
            FieldInfo('listen', 16, 16, 'rw', 4000, 'Own port.'),
        ), 1, 4, '', 'TCP ports.'),
        RegInfo('size', 0x000c, (
            FieldInfo('sessions', 0, 16, 'rw', 1, "Sessions to open, at most half of the engine's."),
            FieldInfo('chunk', 16, 16, 'rw', 16384, 'Bytes per write.'),
        ), 1, 4, '', 'Sizes.'),
        RegInfo('bytes', 0x0010, (
            FieldInfo('value', 0, 32, 'rw', 1, 'Value set by software.'),
        ), 1, 4, '', 'Bytes to write to each session.'),
        RegInfo('status', 0x0020, (
            FieldInfo('busy', 0, 1, 'r', None, 'Work in progress.'),
            FieldInfo('listening', 1, 1, 'r', None, 'Own port is open.'),
            FieldInfo('opened', 16, 16, 'r', None, 'Open sessions.'),
        ), 1, 4, '', 'Sender.'),
        RegInfo('failed', 0x0024, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Opens that failed.'),
        RegInfo('refused', 0x0028, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Writes refused for a reason other than space.'),
        RegInfo('sent_lo', 0x002c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes written, bits 31..0.'),
        RegInfo('sent_hi', 0x0030, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bits 63..32.'),
        RegInfo('tx_first', 0x0034, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the first beat written since the results were cleared.'),
        RegInfo('tx_last', 0x0038, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the last beat.'),
        RegInfo('open_first', 0x003c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the first open request.'),
        RegInfo('open_last', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the last open response.'),
        RegInfo('got_lo', 0x0060, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes received, bits 31..0.'),
        RegInfo('got_hi', 0x0064, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bits 63..32.'),
        RegInfo('bad_bytes', 0x0068, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Wrong bytes.'),
        RegInfo('rx_first', 0x006c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the first beat received since the results were cleared.'),
        RegInfo('rx_last', 0x0070, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the last beat.'),
        RegInfo('accepted', 0x0074, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sessions opened by peers.'),
        RegInfo('finished', 0x0078, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sessions whose peer closed.'),
        RegInfo('ended', 0x007c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sessions that have ended, of both kinds.'),
        RegInfo('broken', 0x0080, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sessions that ended other than by a close of both sides.'),
    ),
    'Opens sessions, writes a pattern at the rate of the engine, and checks every byte received.',
)
