# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `iperf_client`. Generated from regs/iperf_client.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'iperf_client',
    'IPFC',
    1,
    'TCP load',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('start', 0, 1, 'w', 0, 'Clear the results and run; ignored during a run.'),
            FieldInfo('stop', 1, 1, 'w', 0, 'End the run: every session is closed.'),
        ), 1, 4, '', 'Commands. Set up the other registers first; they must not change during a run.'),
        RegInfo('status', 0x0004, (
            FieldInfo('running', 0, 1, 'r', None, 'A run is in progress.'),
            FieldInfo('sessions', 16, 16, 'r', None, 'Sessions that are open or have unread data.'),
        ), 1, 4, '', 'State.'),
        RegInfo('peer_ip', 0x0008, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'IPv4 address of the peer, first octet in the high byte.'),
        RegInfo('peer', 0x000c, (
            FieldInfo('port', 0, 16, 'rw', 5001, 'TCP port of the peer.'),
            FieldInfo('count', 16, 16, 'rw', 1, 'Sessions, 1 to those that the engine has; 0 is taken as 1.'),
        ), 1, 4, '', 'Whom to connect to, how often.'),
        RegInfo('bytes', 0x0010, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Bytes to send on each session; 0: send for `time`.'),
        RegInfo('time_us', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 1000000, 'Value set by software.'),
        ), 1, 4, '', 'Microseconds to send, or to receive, below 2^31; 0 goes on until stopped. Not used with `bytes`.'),
        RegInfo('option', 0x0018, (
            FieldInfo('receive', 0, 1, 'rw', 0, '1: send nothing, only count what comes, until the time is over or the peer closes.'),
        ), 1, 4, '', 'What to do.'),
        RegInfo('sent_lo', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes sent in this run, bits 31..0.'),
        RegInfo('sent_hi', 0x0044, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes sent in this run, bits 63..32.'),
        RegInfo('received_lo', 0x0048, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes received in this run, bits 31..0.'),
        RegInfo('received_hi', 0x004c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes received in this run, bits 63..32.'),
        RegInfo('duration_us', 0x0050, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Microseconds from the first session that is open to the end of the last one.'),
        RegInfo('opened', 0x0054, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sessions that came up in this run.'),
        RegInfo('failed', 0x0058, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sessions that did not come up, or ended by reset or time-out.'),
        RegInfo('no_space', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Writes refused for lack of space; retried.'),
        RegInfo('short_reads', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Reads that returned less than was announced: the session had been aborted.'),
    ),
    'Opens TCP sessions to a peer and sends, or receives, for a time or a number of bytes, as `iperf -c` does.',
)
