# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `traffic_gen`. Generated from regs/traffic_gen.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'traffic_gen',
    'TGEN',
    1,
    'Traffic generator',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('start', 0, 1, 'w', 0, 'Clear the results and run.'),
            FieldInfo('stop', 1, 1, 'w', 0, 'Stop after the current datagram.'),
        ), 1, 4, '', 'Commands. Set up the other registers first; they must not change during a run.'),
        RegInfo('status', 0x0004, (
            FieldInfo('running', 0, 1, 'r', None, 'A run is in progress, or its last datagram is still being sent.'),
        ), 1, 4, '', 'State.'),
        RegInfo('peer_ip', 0x0008, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'IPv4 address to send to, first octet in the high byte.'),
        RegInfo('ports', 0x000c, (
            FieldInfo('own', 0, 16, 'rw', 4661, 'Source port.'),
            FieldInfo('peer', 16, 16, 'rw', 4662, 'Destination port.'),
        ), 1, 4, '', 'UDP ports.'),
        RegInfo('length', 0x0010, (
            FieldInfo('low', 0, 16, 'rw', 18, 'Smallest.'),
            FieldInfo('high', 16, 16, 'rw', 1472, 'Largest; less than low counts as low.'),
        ), 1, 4, '', 'Payload bytes of a datagram, evenly distributed from low to high; both are clamped to 16..8972.'),
        RegInfo('frames', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 1000, 'Value set by software.'),
        ), 1, 4, '', 'Datagrams to send; 0 sends until stopped.'),
        RegInfo('rate', 0x0018, (
            FieldInfo('value', 0, 24, 'rw', 0, 'Bytes a cycle in units of 2^-16; 0 sends as fast as the stack takes it.'),
        ), 1, 4, '', 'Rate of the token bucket.'),
        RegInfo('bucket', 0x001c, (
            FieldInfo('burst', 0, 16, 'rw', 0, 'Bytes that may be saved up in pauses.'),
            FieldInfo('overhead', 16, 8, 'rw', 66, 'Bytes charged for each datagram besides its payload (66: the line rate of Ethernet).'),
        ), 1, 4, '', 'Token bucket.'),
        RegInfo('option', 0x0020, (
            FieldInfo('flow', 0, 16, 'rw', 0, 'Flow number, carried in each probe.'),
            FieldInfo('checksum', 16, 1, 'rw', 0, '1: UDP checksum generated (payload is held), 0: sent as zero.'),
        ), 1, 4, '', 'Marks of the run.'),
        RegInfo('seed', 0x0024, (
            FieldInfo('value', 0, 32, 'rw', 1, 'Value set by software.'),
        ), 1, 4, '', 'Seed of the random lengths; 0 counts as 1.'),
        RegInfo('sent', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Datagrams sent in this run.'),
        RegInfo('sent_bytes_lo', 0x0044, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Payload bytes sent in this run, bits 31..0. Read after the run.'),
        RegInfo('sent_bytes_hi', 0x0048, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Payload bytes sent in this run, bits 63..32.'),
        RegInfo('cycles', 0x004c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycles from the start to the last payload beat taken, saturating.'),
    ),
    'Sends numbered, time-stamped probe datagrams at a set rate.',
)
