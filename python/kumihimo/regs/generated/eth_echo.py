# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `eth_echo`. Generated from regs/eth_echo.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'eth_echo',
    'MECH',
    1,
    'Message echo',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 0, 'Received messages go to the echo instead of the checker.'),
        ), 1, 4, '', 'Control; change it only while idle.'),
        RegInfo('messages', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages sent back.'),
        RegInfo('drop_busy', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames dropped: a longer message of another peer was being sent back.'),
        RegInfo('drop_orphan', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames dropped: no message is open and they do not start one.'),
        RegInfo('drop_format', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames dropped: too short for the header with the message length.'),
        RegInfo('broken', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Truncated messages; the echo is marked bad.'),
    ),
    'Sends every message back to where it came from.',
)
