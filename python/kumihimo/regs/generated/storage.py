# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `storage`. Generated from regs/storage.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'storage',
    'STOR',
    2,
    'Storage array',
    (
        RegInfo('info', 0x0000, (
            FieldInfo('ports', 0, 8, 'r', None, 'Ports.'),
            FieldInfo('width', 8, 8, 'r', None, 'Chunks of a stripe at most.'),
            FieldInfo('contexts', 16, 8, 'r', None, 'Stripes under way at most.'),
            FieldInfo('chunk', 24, 5, 'r', None, 'Bytes of a chunk at most, logarithm.'),
        ), 1, 4, '', 'What was built.'),
        RegInfo('limits', 0x0004, (
            FieldInfo('stripes', 0, 6, 'r', None, 'Logical stripes at most, logarithm.'),
            FieldInfo('slots', 8, 6, 'r', None, 'Slots of a device at most, logarithm.'),
        ), 1, 4, '', 'More of it.'),
        RegInfo('status', 0x000c, (
            FieldInfo('failures', 0, 16, 'r', None, 'How often a device has failed, modulo 2^16.'),
            FieldInfo('busy', 16, 1, 'r', None, 'A command is under way.'),
        ), 1, 4, '', 'State.'),
        RegInfo('occupied', 0x0010, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Stripes that occupy slots.'),
        RegInfo('readable', 0x0020, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 4, 4, '', 'Devices that are read.'),
        RegInfo('usable', 0x0030, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 4, 4, '', 'Devices that get new chunks, too.'),
        RegInfo('failed', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 4, 4, '', 'Devices that failed since their state was set.'),
        RegInfo('commands', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Commands answered.'),
        RegInfo('commits', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Commits begun.'),
        RegInfo('port_errors', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Requests that a port answered with an error.'),
        RegInfo('repairs', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Reads that found a bad chunk on a device that works and made it from the others.'),
        RegInfo('lost', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Stripes with too few good chunks.'),
        RegInfo('broken', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Stripes with a chunk that came broken from the host or memory.'),
    ),
    'What was built, which devices work, counters.',
)
