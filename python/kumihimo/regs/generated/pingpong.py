# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `pingpong`. Generated from regs/pingpong.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'pingpong',
    'PING',
    1,
    'Ping-pong',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('start', 0, 1, 'w', 0, 'Clear the results and run.'),
            FieldInfo('stop', 1, 1, 'w', 0, 'Stop after the current round.'),
        ), 1, 4, '', 'Commands. Set up the other registers first; they must not change during a run.'),
        RegInfo('status', 0x0004, (
            FieldInfo('running', 0, 1, 'r', None, 'A run is in progress.'),
        ), 1, 4, '', 'State.'),
        RegInfo('peer_ip', 0x0008, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'IPv4 address of the peer, first octet in the high byte.'),
        RegInfo('ports', 0x000c, (
            FieldInfo('own', 0, 16, 'rw', 4660, 'Own port; replies come here.'),
            FieldInfo('peer', 16, 16, 'rw', 7, 'Port of the peer.'),
        ), 1, 4, '', 'UDP ports.'),
        RegInfo('length', 0x0010, (
            FieldInfo('size', 0, 16, 'rw', 18, 'Payload bytes, 16..8972 (clamped).'),
        ), 1, 4, '', 'Datagram size.'),
        RegInfo('rounds', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 1000, 'Value set by software.'),
        ), 1, 4, '', 'Round trips to make; 0 runs until stopped.'),
        RegInfo('timeout', 0x0018, (
            FieldInfo('value', 0, 32, 'rw', 1000000, 'Value set by software.'),
        ), 1, 4, '', 'Cycles to wait for a reply before the round counts as lost; 0: no limit.'),
        RegInfo('gap', 0x001c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Cycles between the end of a round and the next one.'),
        RegInfo('option', 0x0020, (
            FieldInfo('checksum', 0, 1, 'rw', 0, '1: UDP checksum generated (payload is held), 0: sent as zero.'),
        ), 1, 4, '', 'Sending options.'),
        RegInfo('rtt_last', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycles of the last round trip: first payload beat offered to last payload beat back.'),
        RegInfo('rtt_min', 0x0044, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Shortest round trip; 0xFFFFFFFF before the first.'),
        RegInfo('rtt_max', 0x0048, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Longest round trip.'),
        RegInfo('rtt_sum_lo', 0x004c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sum of all round trips, bits 31..0. Read after the run.'),
        RegInfo('rtt_sum_hi', 0x0050, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sum of all round trips, bits 63..32.'),
        RegInfo('sent', 0x0054, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Requests sent in this run.'),
        RegInfo('received', 0x0058, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Good replies in this run.'),
        RegInfo('lost', 0x005c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Rounds of this run that timed out.'),
        RegInfo('late', 0x0080, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Good probes that answered no round in progress (after the time-out, or duplicated).'),
        RegInfo('corrupt', 0x0084, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Replies with wrong content.'),
        RegInfo('bad_payload', 0x0088, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Replies that ended with the bad mark.'),
        RegInfo('drop_port', 0x008c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams dropped: another port.'),
        RegInfo('bin', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 32, 4, 'rtt_hist', 'Event counter, wraps.'),
    ),
    'Measures round trips to a peer that echoes: one probe datagram in flight at a time.',
)
