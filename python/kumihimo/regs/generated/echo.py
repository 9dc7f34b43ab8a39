# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `echo`. Generated from regs/echo.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'echo',
    'ECHO',
    1,
    'UDP echo',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 1, 'Answer datagrams; when 0 they are dropped and counted.'),
        ), 1, 4, '', 'Control.'),
        RegInfo('port', 0x0004, (
            FieldInfo('value', 0, 16, 'rw', 0, 'Port; 0 answers on every port.'),
        ), 1, 4, '', 'UDP port to answer on.'),
        RegInfo('rx_datagrams', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams received, whatever became of them.'),
        RegInfo('tx_datagrams', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams sent back.'),
        RegInfo('drop_port', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams dropped: another port.'),
        RegInfo('drop_disabled', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams dropped: echo is disabled.'),
        RegInfo('bad_payload', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Payloads that ended with the bad mark; the reply carries the mark on.'),
    ),
    'Sends every datagram back to where it came from.',
)
