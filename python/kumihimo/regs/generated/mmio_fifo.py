# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `mmio_fifo`. Generated from regs/mmio_fifo.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'mmio_fifo',
    'MMIO',
    1,
    'MMIO stream port',
    (
        RegInfo('status', 0x0000, (
            FieldInfo('room', 0, 16, 'r', None, 'Words that may be pushed without loss; one more if it is the last of a packet.'),
            FieldInfo('fill', 16, 16, 'r', None, 'Words that may be popped.'),
        ), 1, 4, '', 'Space and fill level.'),
        RegInfo('push', 0x0004, (
            FieldInfo('value', 0, 32, 'w', 0, 'Four bytes.'),
        ), 1, 4, '', 'Push: the first byte of the stream is in the low byte. Without space the word is lost and its packet will be marked bad.'),
        RegInfo('push_last', 0x0008, (
            FieldInfo('value', 0, 32, 'w', 0, 'The bytes that push_bytes says.'),
        ), 1, 4, '', 'Push the last word of a packet.'),
        RegInfo('push_option', 0x000c, (
            FieldInfo('bytes', 0, 3, 'rw', 4, 'Bytes of the last word: 1..4, others count as 4.'),
            FieldInfo('bad', 3, 1, 'rw', 0, 'End the packet with the bad mark.'),
            FieldInfo('dest', 8, 8, 'rw', 0, 'tdest of the packet.'),
        ), 1, 4, '', 'What push_last does.'),
        RegInfo('pop', 0x0010, (
            FieldInfo('value', 0, 32, 'r', None, 'Four bytes, the first in the low byte.'),
        ), 1, 4, '', 'Pop: reading removes the word. Reads zero when there is none.'),
        RegInfo('pop_info', 0x0014, (
            FieldInfo('bytes', 0, 3, 'r', None, 'Bytes in it, 1..4; 0: there is no word.'),
            FieldInfo('last', 3, 1, 'r', None, 'It ends a packet.'),
            FieldInfo('bad', 4, 1, 'r', None, 'The packet is marked bad (with last).'),
            FieldInfo('id', 8, 8, 'r', None, 'tid of the packet.'),
        ), 1, 4, '', 'The word that pop will return; reading does not remove it.'),
        RegInfo('push_words', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words pushed.'),
        RegInfo('push_lost', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words lost for lack of space.'),
        RegInfo('pop_words', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words popped.'),
        RegInfo('pop_empty', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Reads of pop when there was no word.'),
    ),
    'The host pushes and pops the words of a stream through registers: simple and slow.',
)
