# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `eth_rtp`. Generated from regs/eth_rtp.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'eth_rtp',
    'ETHT',
    1,
    'Reliable Ethernet transport',
    (
        RegInfo('nonce', 0x0000, (
            FieldInfo('value', 0, 20, 'rw', 1, 'Nonce.'),
        ), 1, 4, '', 'First nonce of the association tags; write a new value after each restart, before the first peer.'),
        RegInfo('ack', 0x0004, (
            FieldInfo('delay', 0, 16, 'rw', 20, 'Ticks that a delayed ACK waits for data to piggyback on.'),
        ), 1, 4, '', 'Acknowledgements.'),
        RegInfo('rto_init', 0x0008, (
            FieldInfo('value', 0, 20, 'rw', 2000, 'Ticks.'),
        ), 1, 4, '', 'Retransmission time-out before the first measured round trip.'),
        RegInfo('rto_min', 0x000c, (
            FieldInfo('value', 0, 20, 'rw', 200, 'Ticks.'),
        ), 1, 4, '', 'Minimum retransmission time-out.'),
        RegInfo('rto_max', 0x0010, (
            FieldInfo('value', 0, 20, 'rw', 1000000, 'Ticks.'),
        ), 1, 4, '', 'Maximum retransmission time-out.'),
        RegInfo('hello_interval', 0x0014, (
            FieldInfo('value', 0, 20, 'rw', 2000, 'Ticks.'),
        ), 1, 4, '', 'Time between two HELLO frames to a peer that does not answer; backs off exponentially to eight times.'),
        RegInfo('probe_interval', 0x0018, (
            FieldInfo('value', 0, 20, 'rw', 10000, 'Ticks.'),
        ), 1, 4, '', 'Time between two probes of a peer that owes credit or the rest of a message.'),
        RegInfo('max_timeouts', 0x001c, (
            FieldInfo('value', 0, 4, 'rw', 8, 'Consecutive time-outs after which a peer is dead; 0 counts as 1.'),
        ), 1, 4, '', 'Dead peer detection.'),
        RegInfo('status', 0x0040, (
            FieldInfo('code', 0, 4, 'r', None, '1 up, 2 down: time-out, 3 down: the peer restarted, 4 down: closed, 5 message failed.'),
            FieldInfo('peer', 4, 12, 'r', None, 'Number of the peer.'),
            FieldInfo('overflow', 30, 1, 'r', None, 'Records were lost because they were not read in time.'),
            FieldInfo('valid', 31, 1, 'r', None, 'There is a record.'),
        ), 1, 4, '', 'Oldest status record; a read removes it.'),
        RegInfo('tx_message', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages sent completely.'),
        RegInfo('tx_failed', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages discarded: the peer is not up.'),
        RegInfo('tx_bad', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages marked bad by the kernel.'),
        RegInfo('tx_data', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'DATA frames sent for the first time.'),
        RegInfo('tx_retransmit', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'DATA frames retransmitted.'),
        RegInfo('tx_ack', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ACK frames sent.'),
        RegInfo('tx_hello', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'HELLO frames sent.'),
        RegInfo('tx_reset', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'RESET frames sent.'),
        RegInfo('lost', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames declared lost because later ones were acknowledged.'),
        RegInfo('timeout', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Retransmission time-outs.'),
        RegInfo('spurious_rtx', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Spurious retransmissions: the peer reported a duplicate.'),
        RegInfo('rx_data', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'DATA frames accepted into the window.'),
        RegInfo('rx_dup', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Duplicate DATA frames.'),
        RegInfo('rx_ack', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ACK frames received.'),
        RegInfo('rx_hello', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'HELLO frames received.'),
        RegInfo('rx_reset', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'RESET frames received.'),
        RegInfo('rx_bad', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: marked bad.'),
        RegInfo('rx_malformed', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: bad version, type or length.'),
        RegInfo('rx_unknown', 0x0148, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: HELLO from an address that is not in the table.'),
        RegInfo('rx_stale_tag', 0x014c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: tag of another association.'),
        RegInfo('rx_out_of_window', 0x0150, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: sequence number outside the window.'),
        RegInfo('rx_bad_ack', 0x0154, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: acknowledges a frame that was never sent, or carries an invalid limit.'),
        RegInfo('rx_hello_overflow', 0x0158, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: the queue of HELLO frames was full.'),
        RegInfo('up', 0x015c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Associations opened.'),
        RegInfo('down_timeout', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Peers that stopped answering.'),
        RegInfo('down_restart', 0x0164, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Peers that restarted.'),
        RegInfo('down_closed', 0x0168, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Associations closed by the peer, or peers removed from the table.'),
    ),
    'Settings of kumi_eth_rtp, its status records and its event counters. Times are in ticks of 16 cycles.',
)
