# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `circuit`. Generated from regs/circuit.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'circuit',
    'CIRC',
    1,
    'Circuits',
    (
        RegInfo('info', 0x0000, (
            FieldInfo('circuits', 0, 4, 'r', None, 'Circuits, each way.'),
        ), 1, 4, '', 'Configuration of the hardware.'),
        RegInfo('sent', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 8, 4, 'counters', 'Packets sent.'),
        RegInfo('dropped', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 8, 4, 'counters', 'Packets not sent: marked bad by their source, or too long.'),
        RegInfo('good', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 8, 4, 'counters', 'Packets received completely, including those that `full` counts.'),
        RegInfo('bad', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 8, 4, 'counters', 'Packets received with a wrong CRC-32; dropped.'),
        RegInfo('truncated', 0x0180, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 8, 4, 'counters', 'Packets that stopped in the middle; dropped.'),
        RegInfo('hunt', 0x01a0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 8, 4, 'counters', 'Words skipped in search of a packet header.'),
        RegInfo('full', 0x01c0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 8, 4, 'counters', 'Packets received completely and dropped: the receive buffer was full.'),
    ),
    "Counters of the packets that a board's circuits carry.",
)
