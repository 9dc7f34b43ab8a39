# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `dma`. Generated from regs/dma.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'dma',
    'DMA ',
    1,
    'DMA channel',
    (
        RegInfo('shape', 0x0000, (
            FieldInfo('data_w', 0, 16, 'r', None, 'Bits of the data path.'),
            FieldInfo('addr_w', 16, 8, 'r', None, 'Bits of a memory address that are used.'),
            FieldInfo('burst', 24, 8, 'r', None, 'Log2 of the longest burst in bytes.'),
        ), 1, 4, '', 'Shape of the engine.'),
        RegInfo('irq_status', 0x0004, (
            FieldInfo('send_done', 0, 1, 'rw', 0, 'Send ring: descriptors were completed.'),
            FieldInfo('recv_done', 1, 1, 'rw', 0, 'Receive ring: descriptors were completed.'),
            FieldInfo('send_error', 2, 1, 'rw', 0, 'Send ring: error, see its status.'),
            FieldInfo('recv_error', 3, 1, 'rw', 0, 'Receive ring: error, see its status.'),
        ), 1, 4, '', 'Causes of the interrupt; writing a one clears.'),
        RegInfo('irq_enable', 0x0008, (
            FieldInfo('mask', 0, 4, 'rw', 0, 'A one enables the cause.'),
        ), 1, 4, '', 'Causes that raise the interrupt line, bits as in irq_status.'),
        RegInfo('ring_ctrl', 0x0040, (
            FieldInfo('run', 0, 1, 'rw', 0, '1: run; 0: stop. A stopped ring forgets its descriptors: the next run begins at index 0.'),
            FieldInfo('write_head', 1, 1, 'rw', 0, 'Write the head to head_addr when completions are reported.'),
        ), 2, 64, 'ring', 'Control. The other registers of the ring, but for tail, must not change while it runs.'),
        RegInfo('ring_status', 0x0044, (
            FieldInfo('idle', 0, 1, 'r', None, 'Stopped: nothing is in progress, memory is no longer accessed.'),
            FieldInfo('running', 1, 1, 'r', None, 'Running.'),
            FieldInfo('fetch_error', 8, 1, 'r', None, 'Error: a descriptor could not be read. The ring takes no more; stop and start it.'),
            FieldInfo('write_error', 9, 1, 'r', None, 'Error: a completion or the head could not be written. The ring takes no more.'),
            FieldInfo('tail_error', 10, 1, 'r', None, "Error: a tail more than the ring's size before the head was written; it was ignored. The ring goes on."),
        ), 2, 64, 'ring', 'State.'),
        RegInfo('ring_base_lo', 0x0048, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 2, 64, 'ring', 'Address of descriptor 0, bits 31..0; bits 5..0 count as zero.'),
        RegInfo('ring_base_hi', 0x004c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 2, 64, 'ring', 'Address of descriptor 0, bits 63..32.'),
        RegInfo('ring_size', 0x0050, (
            FieldInfo('log2', 0, 4, 'rw', 2, 'Log2 of the number of descriptors, 2..15; other values are clamped.'),
        ), 2, 64, 'ring', 'Size of the ring.'),
        RegInfo('ring_tail', 0x0054, (
            FieldInfo('count', 0, 16, 'rw', 0, 'Descriptors handed to the ring since it was started, modulo 65536.'),
        ), 2, 64, 'ring', 'Doorbell.'),
        RegInfo('ring_head', 0x0058, (
            FieldInfo('count', 0, 16, 'r', None, 'Descriptors completed since the ring was started (their completions are in memory), modulo 65536.'),
        ), 2, 64, 'ring', 'Progress.'),
        RegInfo('ring_head_addr_lo', 0x005c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 2, 64, 'ring', "Address of the head's copy in memory, 8 bytes, bits 31..0; bits 2..0 count as zero."),
        RegInfo('ring_head_addr_hi', 0x0060, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 2, 64, 'ring', "Address of the head's copy in memory, bits 63..32."),
        RegInfo('ring_coalesce', 0x0064, (
            FieldInfo('count', 0, 8, 'rw', 1, 'Completions; 0 counts as 1.'),
            FieldInfo('ticks', 16, 16, 'rw', 0, 'Cycles since the first unreported one, in units of 16; 0: no limit.'),
        ), 2, 64, 'ring', "When completions are reported (irq_status, head's copy): whichever comes first, or at once by a descriptor's IRQ flag."),
        RegInfo('send_descriptors', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Send descriptors completed.'),
        RegInfo('send_packets', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets sent, including bad ones.'),
        RegInfo('send_errors', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Send descriptors completed with an error code.'),
        RegInfo('recv_descriptors', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Receive descriptors completed.'),
        RegInfo('recv_packets', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets received completely, including bad ones.'),
        RegInfo('recv_errors', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Receive descriptors completed with an error code.'),
        RegInfo('recv_bad', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets received that the stream marked bad.'),
        RegInfo('recv_stalls', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Cycles in which the stream waited for a receive descriptor of a running ring.'),
        RegInfo('send_truncated', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets truncated on the stream (marked bad) because the ring was stopped.'),
        RegInfo('recv_truncated', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets whose rest was dropped because the ring was stopped.'),
    ),
    'Moves packets between rings of descriptors in host memory and a pair of streams. Ring 0 sends (memory to stream), ring 1 receives (stream to memory).',
)
