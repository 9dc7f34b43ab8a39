# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `stdm`. Generated from regs/stdm.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'stdm',
    'STDM',
    1,
    'Circuit switch',
    (
        RegInfo('info', 0x0000, (
            FieldInfo('ports', 0, 8, 'r', None, 'Ports.'),
            FieldInfo('locals', 8, 8, 'r', None, 'Local ports; the others are links.'),
            FieldInfo('channels', 16, 8, 'r', None, 'Channels of a local port.'),
            FieldInfo('lanes', 24, 4, 'r', None, 'Lanes of a link.'),
            FieldInfo('hybrid', 31, 1, 'r', None, 'Best-effort packets are built in.'),
        ), 1, 4, '', 'Configuration of the hardware.'),
        RegInfo('board', 0x0004, (
            FieldInfo('id', 0, 8, 'rw', 0, 'Number of the board for best-effort packets.'),
        ), 1, 4, '', 'This board.'),
        RegInfo('size', 0x0008, (
            FieldInfo('slots', 0, 10, 'rw', 0, 'Slots, 1 to 256.'),
            FieldInfo('guard', 16, 5, 'rw', 6, 'Guard, 6 to 16 cycles.'),
        ), 1, 4, '', 'Length of the table that the next swap activates.'),
        RegInfo('timing', 0x000c, (
            FieldInfo('margin', 0, 3, 'rw', 1, 'Margin: cycles that words arrive early.'),
            FieldInfo('follow', 8, 1, 'rw', 0, 'Align TDM frames to those of a link.'),
            FieldInfo('port', 16, 5, 'rw', 0, 'Port to align to.'),
        ), 1, 4, '', 'Links.'),
        RegInfo('command', 0x0010, (
            FieldInfo('swap', 0, 1, 'w', 0, 'Swap the banks at the next position 0.'),
            FieldInfo('clear', 1, 1, 'w', 0, 'Clear `refused`.'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('status', 0x0014, (
            FieldInfo('run', 0, 1, 'r', None, 'A table is active.'),
            FieldInfo('bank', 1, 1, 'r', None, 'Active bank.'),
            FieldInfo('pending', 2, 1, 'r', None, 'A swap is pending until position 0.'),
            FieldInfo('ready', 3, 1, 'r', None, 'Tables are clear after reset and can be written.'),
        ), 1, 4, '', 'State.'),
        RegInfo('refused', 0x0018, (
            FieldInfo('reason', 0, 4, 'r', None, '0 none, 1 table, 2 entry, 3 kind, 4 input, 5 owner or channel, 6 best effort, 7 swap pending, 8 length, 9 guard, 10 swap after a refused entry, 11 not ready.'),
            FieldInfo('which', 8, 6, 'r', None, 'Table.'),
            FieldInfo('entry', 16, 9, 'r', None, 'Entry.'),
        ), 1, 4, '', 'First refused access since `clear`.'),
        RegInfo('tdm_frames', 0x001c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'TDM frames completed, modulo 2^32.'),
        RegInfo('at', 0x0040, (
            FieldInfo('table', 0, 6, 'rw', 0, 'Output table of that port, or 32 and the port for an input table.'),
            FieldInfo('active', 8, 1, 'rw', 0, 'Read the active bank; writes always go to the inactive one.'),
            FieldInfo('entry', 16, 9, 'rw', 0, 'Position.'),
        ), 1, 4, 'window', 'Address of `data`, which increments it.'),
        RegInfo('data', 0x0044, (
            FieldInfo('kind', 0, 2, 'rw', 0, 'Output: 0 none, 1 circuit, 2 best effort. Input: 0 none, 1 pull (local) or best effort (link).'),
            FieldInfo('src', 8, 5, 'rw', 0, 'Output: input port.'),
            FieldInfo('owner', 16, 6, 'rw', 0, 'Output: owner, or channel at a local port. Input: channel.'),
        ), 1, 4, 'window', 'Table entry.'),
        RegInfo('count_at', 0x0048, (
            FieldInfo('owner', 0, 6, 'rw', 0, 'Owner.'),
            FieldInfo('port', 8, 5, 'rw', 0, 'Port.'),
        ), 1, 4, 'window', 'Address of `words` and `empties`, and of the counters and link registers.'),
        RegInfo('words', 0x004c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, 'window', 'Slots of the owner at output `count_at.port` that had a word.'),
        RegInfo('empties', 0x0050, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, 'window', 'Slots of the owner that passed empty.'),
        RegInfo('route', 0x0054, (
            FieldInfo('port', 0, 5, 'rw', 0, 'Output port; 31: no route, the packet is dropped.'),
        ), 1, 4, 'window', 'Route of best-effort packets that come in at port `count_at.port`; increments the destination.'),
        RegInfo('route_at', 0x0058, (
            FieldInfo('dest', 0, 8, 'rw', 0, 'Board that the packet is for.'),
        ), 1, 4, 'window', 'Address of `route`.'),
        RegInfo('link', 0x005c, (
            FieldInfo('offset', 0, 9, 'rw', 0, 'Offset to use when fixed; reads the current one.'),
            FieldInfo('fixed', 15, 1, 'rw', 0, '1: use this offset; 0: measure it.'),
            FieldInfo('up', 16, 1, 'r', None, 'Lanes are up.'),
            FieldInfo('locked', 17, 1, 'r', None, 'TDM frames are aligned.'),
            FieldInfo('count', 24, 8, 'r', None, 'Number of the last TDM frame.'),
        ), 1, 4, 'window', 'Offset of link port `count_at.port`.'),
        RegInfo('lost', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words lost: the local output FIFO was full, or the lanes of the link were down.'),
        RegInfo('stray', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words from a link at a position that no table expects.'),
        RegInfo('bad_crc', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'TDM frames from a link with a wrong CRC-32.'),
        RegInfo('bad_word', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Corrupt slots from a link, and words lost because TDM frames were not aligned.'),
        RegInfo('slip', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'TDM frames of a link that were lost, out of sequence, early or late.'),
        RegInfo('be_broken', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Best-effort packets truncated or with a wrong CRC-32.'),
        RegInfo('be_route', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Best-effort packets dropped: no route.'),
        RegInfo('be_full', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Best-effort packets dropped: buffer full.'),
    ),
    'Time-division circuit switch: tables, TDM frames, links, best-effort routes.',
)
