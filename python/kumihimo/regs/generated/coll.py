# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `coll`. Generated from regs/coll.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'coll',
    'COLL',
    1,
    'Collectives',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('link', 0, 1, 'rw', 0, 'Listen for the node before and connect to the next one; 0 ends both connections.'),
            FieldInfo('start', 1, 1, 'w', 0, 'Begin the operation of `command`; ignored while one is in progress.'),
        ), 1, 4, '', 'Control.'),
        RegInfo('place', 0x0004, (
            FieldInfo('rank', 0, 8, 'rw', 0, 'Own rank, below `nodes`.'),
            FieldInfo('nodes', 8, 8, 'rw', 1, 'Nodes in the ring, 1 to 255.'),
            FieldInfo('port', 16, 16, 'rw', 5100, 'TCP port, of every node.'),
        ), 1, 4, '', 'Place in the ring. Steady while `link` is set.'),
        RegInfo('next_ip', 0x0008, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'IPv4 address of the node of the next rank (after the last one comes rank 0).'),
        RegInfo('command', 0x000c, (
            FieldInfo('op', 0, 4, 'rw', 0, '1 send, 2 receive, 3 scatter, 4 gather, 5 broadcast, 6 reduce, 7 all-reduce, 8 barrier, 9 pass (a message between two others).'),
            FieldInfo('is_float', 4, 1, 'rw', 0, 'Sums: 0 32-bit integers, 1 binary32.'),
            FieldInfo('root', 8, 8, 'rw', 0, 'Root; of send and receive the other node.'),
        ), 1, 4, '', 'Operation that `start` begins.'),
        RegInfo('length', 0x0010, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', "Bytes of each node's part, for sums a multiple of 4; at least 1 but for barriers."),
        RegInfo('timeout_us', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 10000000, 'Value set by software.'),
        ), 1, 4, '', 'Microseconds without progress before an operation fails; 0: never.'),
        RegInfo('status', 0x0018, (
            FieldInfo('prev_up', 0, 1, 'r', None, 'Connected with the node before.'),
            FieldInfo('next_up', 1, 1, 'r', None, 'Connected with the next node.'),
            FieldInfo('running', 2, 1, 'r', None, 'An operation is in progress.'),
            FieldInfo('reason', 4, 4, 'r', None, 'How the last operation ended (tcp_reason_e).'),
        ), 1, 4, '', 'State.'),
        RegInfo('cycles', 0x001c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycles of the last operation.'),
        RegInfo('done', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Operations that ended well.'),
        RegInfo('failed', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Operations that failed.'),
        RegInfo('blocks_in', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Blocks received.'),
        RegInfo('blocks_out', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Blocks sent.'),
        RegInfo('connections_lost', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Connections with a neighbour that ended.'),
        RegInfo('no_space', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Writes refused for lack of space; retried.'),
    ),
    'Send, receive, scatter, gather, broadcast, reduce, all-reduce and barrier over a ring of nodes joined by TCP.',
)
