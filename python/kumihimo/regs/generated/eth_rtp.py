# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `eth_rtp`. Generated from regs/eth_rtp.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'eth_rtp',
    'ETHT',
    1,
    'Ethernet transport',
    (
        RegInfo('nonce', 0x0000, (
            FieldInfo('value', 0, 20, 'rw', 1, 'Nonce.'),
        ), 1, 4, '', 'Where the tags of associations begin; write another value after each restart, before the first peer.'),
        RegInfo('ack', 0x0004, (
            FieldInfo('delay', 0, 16, 'rw', 20, 'Ticks that one which is not urgent waits for data to ride on.'),
        ), 1, 4, '', 'Acknowledgements.'),
        RegInfo('rto_init', 0x0008, (
            FieldInfo('value', 0, 20, 'rw', 2000, 'Ticks.'),
        ), 1, 4, '', 'Retransmission time-out before the first measured round trip.'),
        RegInfo('rto_min', 0x000c, (
            FieldInfo('value', 0, 20, 'rw', 200, 'Ticks.'),
        ), 1, 4, '', 'Least retransmission time-out.'),
        RegInfo('rto_max', 0x0010, (
            FieldInfo('value', 0, 20, 'rw', 1000000, 'Ticks.'),
        ), 1, 4, '', 'Greatest retransmission time-out.'),
        RegInfo('hello', 0x0014, (
            FieldInfo('value', 0, 20, 'rw', 2000, 'Ticks.'),
        ), 1, 4, '', 'Time between two tries to reach a peer; doubles up to eight times.'),
        RegInfo('keep', 0x0018, (
            FieldInfo('value', 0, 20, 'rw', 10000, 'Ticks.'),
        ), 1, 4, '', 'Time between two probes of a peer that owes something.'),
        RegInfo('retry', 0x001c, (
            FieldInfo('value', 0, 4, 'rw', 8, 'Time-outs in a row; 0 counts as 1.'),
        ), 1, 4, '', 'When a peer is dead.'),
        RegInfo('status', 0x0040, (
            FieldInfo('code', 0, 4, 'r', None, '1 up, 2 down: no answer, 3 down: the peer restarted, 4 down: it took leave, 5 a message failed.'),
            FieldInfo('peer', 4, 12, 'r', None, 'Number of the peer.'),
            FieldInfo('overflow', 30, 1, 'r', None, 'Records were lost because nobody read them.'),
            FieldInfo('valid', 31, 1, 'r', None, 'There is a record.'),
        ), 1, 4, '', 'Oldest status record; a read takes it.'),
        RegInfo('tx_message', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages sent whole.'),
        RegInfo('tx_failed', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages given up: the peer is not up.'),
        RegInfo('tx_bad', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages marked bad by the kernel.'),
        RegInfo('tx_data', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'DATA frames sent for the first time.'),
        RegInfo('tx_again', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'DATA frames sent again.'),
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
        ), 1, 4, 'counters', 'Frames found to be lost by later ones that arrived.'),
        RegInfo('timeout', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Time-outs that ran off.'),
        RegInfo('spurious_rtx', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames that the other side had twice.'),
        RegInfo('rx_data', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'DATA frames taken into the window.'),
        RegInfo('rx_dup', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'DATA frames that were there already.'),
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
        ), 1, 4, 'counters', 'Drop: version, type or length.'),
        RegInfo('rx_unknown', 0x0148, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: HELLO of an address that is not in the table.'),
        RegInfo('rx_stale_tag', 0x014c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: not of this association.'),
        RegInfo('rx_out_of_window', 0x0150, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: sequence number outside the window.'),
        RegInfo('rx_bad_ack', 0x0154, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: acknowledges what was never sent, or an absurd limit.'),
        RegInfo('rx_busy', 0x0158, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: HELLO while several others wait to be looked up.'),
        RegInfo('up', 0x015c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Associations opened.'),
        RegInfo('down_timeout', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Peers that no longer answered.'),
        RegInfo('down_restart', 0x0164, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Peers that began anew.'),
        RegInfo('down_closed', 0x0168, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Peers that took leave, or were taken out.'),
    ),
    'Settings of kumi_eth_rtp, its status records and its event counters. Times count ticks of 16 cycles.',
)
