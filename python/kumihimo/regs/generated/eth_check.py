# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `eth_check`. Generated from regs/eth_check.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'eth_check',
    'MCHK',
    1,
    'Message checker',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('clear', 0, 1, 'w', 0, 'Clear the results; the next message of every source must be its number 0.'),
            FieldInfo('hold', 1, 1, 'rw', 0, 'Stop reading: tready is low while 1.'),
            FieldInfo('by_length', 2, 1, 'rw', 0, 'Messages are delimited by their lengths, not by the first and last flags (paper framing).'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('from_cycle', 0x0004, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Bytes of a source count from this cycle on (cycles since reset, modulo 2^32).'),
        RegInfo('to_cycle', 0x0008, (
            FieldInfo('value', 0, 32, 'rw', 4294967295, 'Value set by software.'),
        ), 1, 4, '', '... and before this cycle.'),
        RegInfo('select', 0x000c, (
            FieldInfo('value', 0, 16, 'rw', 0, 'Number of the peer.'),
        ), 1, 4, '', 'Source whose results are read.'),
        RegInfo('source_bytes_lo', 0x0020, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes from the selected source between the two cycles, bits 31..0.'),
        RegInfo('source_bytes_hi', 0x0024, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes from the selected source between the two cycles, bits 63..32.'),
        RegInfo('source_next', 0x0028, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Number of the next message expected from the selected source.'),
        RegInfo('messages', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Correct messages.'),
        RegInfo('bytes_lo', 0x0044, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes received, correct or not, bits 31..0.'),
        RegInfo('bytes_hi', 0x0048, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes received, bits 63..32.'),
        RegInfo('bad_bytes', 0x004c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes that differ from the expected ones.'),
        RegInfo('wrong', 0x0050, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Messages with a wrong byte, header or length.'),
        RegInfo('broken', 0x0054, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Messages that ended marked bad.'),
        RegInfo('order', 0x0058, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Messages whose number was not the expected one (lost, duplicated or reordered).'),
        RegInfo('orphan', 0x005c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Frames that continue a message whose start was not received.'),
        RegInfo('first_min', 0x0060, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Cycles from a message's time stamp to its first beat here: minimum."),
        RegInfo('first_max', 0x0064, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Maximum.'),
        RegInfo('first_sum', 0x0068, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sum over all messages, modulo 2^32.'),
        RegInfo('last_min', 0x006c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Cycles from a message's time stamp to its last beat here: minimum."),
        RegInfo('last_max', 0x0070, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Maximum.'),
        RegInfo('last_sum', 0x0074, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sum over all messages, modulo 2^32.'),
        RegInfo('begin_cycle', 0x0078, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the first beat since the results were cleared.'),
        RegInfo('end_cycle', 0x007c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the last beat of the last correct message.'),
        RegInfo('first_end', 0x0080, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle of the last beat of the first correct message.'),
    ),
    'Compares every byte of received messages, and their order, by source.',
)
