# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `storage`. Generated from regs/storage.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'storage',
    'STOR',
    3,
    'Storage array',
    (
        RegInfo('info', 0x0000, (
            FieldInfo('ports', 0, 8, 'r', None, 'Ports.'),
            FieldInfo('width', 8, 8, 'r', None, 'Maximum stripe width in chunks.'),
            FieldInfo('contexts', 16, 8, 'r', None, 'Stripe contexts.'),
            FieldInfo('chunk', 24, 5, 'r', None, 'Maximum chunk size in bytes, log2.'),
        ), 1, 4, '', 'Build parameters.'),
        RegInfo('limits', 0x0004, (
            FieldInfo('stripes', 0, 6, 'r', None, 'Maximum logical stripes, log2.'),
            FieldInfo('slots', 8, 6, 'r', None, 'Maximum slots per device, log2.'),
        ), 1, 4, '', 'Build limits.'),
        RegInfo('status', 0x000c, (
            FieldInfo('failures', 0, 16, 'r', None, 'Device failures modulo 2^16.'),
            FieldInfo('busy', 16, 1, 'r', None, 'A command is in progress.'),
        ), 1, 4, '', 'State.'),
        RegInfo('occupied', 0x0010, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Stripes that occupy slots.'),
        RegInfo('readable', 0x0020, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 4, 4, '', 'Readable devices.'),
        RegInfo('usable', 0x0030, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 4, 4, '', 'Devices that accept new chunks.'),
        RegInfo('failed', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 4, 4, '', 'Devices that have failed since their state was set.'),
        RegInfo('commands', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Commands completed.'),
        RegInfo('commits', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Commits started.'),
        RegInfo('port_errors', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Port requests that ended with an error.'),
        RegInfo('repairs', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Reads that reconstructed a bad chunk on a working device.'),
        RegInfo('data_lost', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Stripes with fewer than k good chunks.'),
        RegInfo('bad_frames', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Stripes with a chunk received with errors from the host or memory.'),
    ),
    'Build parameters, device states, event counters.',
)
