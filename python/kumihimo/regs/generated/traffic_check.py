# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `traffic_check`. Generated from regs/traffic_check.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'traffic_check',
    'TCHK',
    1,
    'Traffic checker',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('clear', 0, 1, 'w', 0, 'Forget everything: sequence, window, results, histogram.'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('match', 0x0004, (
            FieldInfo('port', 0, 16, 'rw', 4662, 'UDP port; 0 takes every port.'),
            FieldInfo('flow', 16, 16, 'rw', 0, 'Flow number that probes must carry.'),
        ), 1, 4, '', 'What to take.'),
        RegInfo('received', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Good probes, each sequence number once.'),
        RegInfo('bytes_lo', 0x0044, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Payload bytes of the good probes, bits 31..0.'),
        RegInfo('bytes_hi', 0x0048, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Payload bytes of the good probes, bits 63..32.'),
        RegInfo('lost', 0x004c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sequence numbers below the highest seen that have not come (so far).'),
        RegInfo('duplicated', 0x0050, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Probes whose sequence number had come before.'),
        RegInfo('reordered', 0x0054, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Good probes that came after one with a higher sequence number.'),
        RegInfo('stale', 0x0058, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Probes too far behind the highest to distinguish late from duplicated; not in received, remain in lost.'),
        RegInfo('corrupt', 0x005c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Probes with wrong content (mark, flow or PRBS), or too short to be one.'),
        RegInfo('bad_payload', 0x0060, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Payloads that ended with the bad mark.'),
        RegInfo('other_port', 0x0064, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Datagrams dropped: another port.'),
        RegInfo('next_seq', 0x0068, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Highest sequence number seen, plus one.'),
        RegInfo('lat_min', 0x006c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Shortest latency in cycles, first payload beat offered to last payload beat here; 0xFFFFFFFF before the first.'),
        RegInfo('lat_max', 0x0070, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Longest latency.'),
        RegInfo('lat_sum_lo', 0x0074, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sum of the latencies, bits 31..0.'),
        RegInfo('lat_sum_hi', 0x0078, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sum of the latencies, bits 63..32.'),
        RegInfo('bin', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 32, 4, 'lat_hist', 'Event counter, wraps.'),
    ),
    'Receives probe datagrams of one flow and accounts for every one of them.',
)
