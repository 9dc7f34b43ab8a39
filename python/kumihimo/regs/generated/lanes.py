# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `lanes`. Generated from regs/lanes.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'lanes',
    'LANE',
    1,
    'Serial link',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('lanes', 0, 4, 'rw', 15, 'Mask of lanes that may be used.'),
            FieldInfo('all_lanes', 4, 1, 'rw', 1, '1: all lanes or none; 0: continue with the healthy ones.'),
        ), 1, 4, '', 'Settings.'),
        RegInfo('command', 0x0004, (
            FieldInfo('retrain', 0, 1, 'w', 0, 'Take the link down and retrain it.'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('status', 0x0008, (
            FieldInfo('up', 0, 1, 'r', None, 'The link is up.'),
            FieldInfo('state', 1, 2, 'r', None, '0 aligning, 1 settling, 2 up.'),
            FieldInfo('count', 4, 3, 'r', None, 'Lanes in use.'),
            FieldInfo('used', 8, 4, 'r', None, 'Mask of the lanes in use.'),
            FieldInfo('locked', 12, 4, 'r', None, 'Lanes with block lock.'),
            FieldInfo('built', 16, 3, 'r', None, 'Number of lanes built.'),
            FieldInfo('rx_up', 20, 1, 'r', None, 'Words are received, even if sending has not started.'),
        ), 1, 4, '', 'State.'),
        RegInfo('bond_fail', 0x0080, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Lanes could not be aligned, or fell out of alignment.'),
        RegInfo('link_down', 0x0084, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'The link went down.'),
        RegInfo('link_up', 0x0088, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'The link came up.'),
        RegInfo('cc_seen', 0x008c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Clock compensation sequences received.'),
        RegInfo('cc_sent', 0x0090, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Clock compensation sequences sent.'),
        RegInfo('lane_up', 0x0094, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 4, 4, 'counters', 'The lane came into use.'),
        RegInfo('lane_down', 0x00a4, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 4, 4, 'counters', 'The lane was taken out of use.'),
        RegInfo('slip', 0x00b4, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 4, 4, 'counters', 'The block boundary was moved by a bit.'),
        RegInfo('lock_lost', 0x00c4, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 4, 4, 'counters', 'Block lock was lost.'),
        RegInfo('bad_sync_header', 0x00d4, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 4, 4, 'counters', 'Sync headers 00 or 11 while locked.'),
    ),
    'Settings, state and events of the lanes of one link.',
)
