# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `eth_gen`. Generated from regs/eth_gen.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'eth_gen',
    'MGEN',
    1,
    'Message generator',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('start', 0, 1, 'w', 0, 'Clear the results and run.'),
            FieldInfo('stop', 1, 1, 'w', 0, 'Stop after the current message.'),
        ), 1, 4, '', 'Commands. Set up the other registers first; they must not change during a run.'),
        RegInfo('status', 0x0004, (
            FieldInfo('running', 0, 1, 'r', None, 'A run is active, or its last message is still being sent.'),
        ), 1, 4, '', 'State.'),
        RegInfo('option', 0x0008, (
            FieldInfo('source', 0, 16, 'rw', 0, 'Own number, carried in each message.'),
            FieldInfo('reply', 16, 1, 'rw', 0, 'Wait for the reply to each message (ping-pong).'),
            FieldInfo('skip_no_credit', 17, 1, 'rw', 0, 'Skip peers that have no credit.'),
        ), 1, 4, '', 'Options.'),
        RegInfo('peers', 0x000c, (
            FieldInfo('first', 0, 16, 'rw', 0, 'Number of the first.'),
            FieldInfo('count', 16, 16, 'rw', 1, 'Number of peers; 0 counts as 1.'),
        ), 1, 4, '', 'Peers, served round-robin.'),
        RegInfo('low', 0x0010, (
            FieldInfo('value', 0, 32, 'rw', 32, 'Value set by software.'),
        ), 1, 4, '', 'Bytes of the shortest message, at least 16.'),
        RegInfo('high', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 32, 'Value set by software.'),
        ), 1, 4, '', 'Bytes of the longest message; less than low counts as low.'),
        RegInfo('messages', 0x0018, (
            FieldInfo('value', 0, 32, 'rw', 1, 'Value set by software.'),
        ), 1, 4, '', 'Messages to send; 0 sends until stopped.'),
        RegInfo('gap', 0x001c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Minimum cycles from the end of a message (or its reply) to the start of the next.'),
        RegInfo('timeout', 0x0020, (
            FieldInfo('value', 0, 32, 'rw', 100000, 'Value set by software.'),
        ), 1, 4, '', 'Cycles to wait for a reply before it counts as lost; 0 waits forever.'),
        RegInfo('seed', 0x0024, (
            FieldInfo('value', 0, 32, 'rw', 1, 'Value set by software.'),
        ), 1, 4, '', 'Seed of the random lengths; 0 counts as 1.'),
        RegInfo('sent', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Messages sent in this run.'),
        RegInfo('sent_bytes_lo', 0x0044, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes sent in this run, bits 31..0. Read after the run.'),
        RegInfo('sent_bytes_hi', 0x0048, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes sent in this run, bits 63..32.'),
        RegInfo('cycles', 0x004c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycles from the start to the last beat taken, modulo 2^32.'),
        RegInfo('replies', 0x0050, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Replies in time.'),
        RegInfo('lost', 0x0054, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Replies that were late or missing.'),
        RegInfo('skipped', 0x0058, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Turns skipped because the peer had no credit.'),
    ),
    'Sends numbered, time-stamped messages to one peer, to many in round-robin order, or waits for the reply to each.',
)
