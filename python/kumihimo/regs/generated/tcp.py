# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `tcp`. Generated from regs/tcp.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'tcp',
    'TCPE',
    1,
    'TCP engine',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 1, 'When 0, segments are dropped and requests are refused.'),
            FieldInfo('ws', 1, 1, 'rw', 1, 'Offer window scaling (RFC 7323).'),
            FieldInfo('ts', 2, 1, 'rw', 1, 'Offer timestamps (RFC 7323).'),
            FieldInfo('sack', 3, 1, 'rw', 1, 'Offer SACK (RFC 2018).'),
            FieldInfo('cubic', 4, 1, 'rw', 0, 'CUBIC (RFC 9438) where it is built in, else NewReno.'),
            FieldInfo('tlp', 5, 1, 'rw', 1, 'Tail loss probes (RFC 8985), in sessions with SACK.'),
            FieldInfo('ecn', 6, 2, 'rw', 2, "ECN (RFC 3168), as Linux's tcp_ecn. 0: never; 1: requested, and accepted from peers that request it; 2: accepted."),
        ), 1, 4, '', 'Enable bits.'),
        RegInfo('period', 0x0004, (
            FieldInfo('ps', 0, 16, 'rw', 6400, 'Clock period in picoseconds (6400: 156.25 MHz).'),
        ), 1, 4, '', "The engine's clock."),
        RegInfo('segment', 0x0008, (
            FieldInfo('mss', 0, 16, 'rw', 1460, 'Maximum segment size sent and announced: MTU - 40.'),
            FieldInfo('init_segs', 16, 8, 'rw', 10, 'Initial congestion window, segments (RFC 6928).'),
        ), 1, 4, '', 'Segments.'),
        RegInfo('retries', 0x000c, (
            FieldInfo('syn', 0, 4, 'rw', 7, 'Retransmissions of a SYN or SYN-ACK.'),
            FieldInfo('data', 4, 4, 'rw', 15, 'Retransmissions of a segment or probe.'),
            FieldInfo('keep', 8, 4, 'rw', 9, 'Unanswered keep-alive probes.'),
        ), 1, 4, '', 'Retransmission limits.'),
        RegInfo('cookies', 0x0010, (
            FieldInfo('half_open', 0, 16, 'rw', 0, 'Sessions in SYN-RECEIVED from which on cookies are sent; 0: a quarter of those that neither a connection nor TIME-WAIT holds. Without a free session they are always sent.'),
        ), 1, 4, '', 'SYN cookies (RFC 4987).'),
        RegInfo('rto_init', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 1000000, 'Value set by software.'),
        ), 1, 4, '', 'Retransmission timeout before the first RTT sample.'),
        RegInfo('rto_min', 0x0018, (
            FieldInfo('value', 0, 32, 'rw', 200000, 'Value set by software.'),
        ), 1, 4, '', 'Minimum retransmission timeout.'),
        RegInfo('rto_max', 0x001c, (
            FieldInfo('value', 0, 32, 'rw', 120000000, 'Value set by software.'),
        ), 1, 4, '', 'Maximum retransmission timeout.'),
        RegInfo('ack_delay', 0x0020, (
            FieldInfo('value', 0, 32, 'rw', 100, 'Value set by software.'),
        ), 1, 4, '', 'Delayed ACK timeout.'),
        RegInfo('time_wait', 0x0024, (
            FieldInfo('value', 0, 32, 'rw', 60000000, 'Value set by software.'),
        ), 1, 4, '', 'Duration of TIME-WAIT.'),
        RegInfo('fin_wait', 0x0028, (
            FieldInfo('value', 0, 32, 'rw', 60000000, 'Value set by software.'),
        ), 1, 4, '', 'Timeout of FIN-WAIT-2, from the last byte received or read by the application.'),
        RegInfo('linger', 0x002c, (
            FieldInfo('value', 0, 32, 'rw', 60000000, 'Value set by software.'),
        ), 1, 4, '', 'Time for the application to read what is left of an ended session, from its last read.'),
        RegInfo('keep_idle_ms', 0x0030, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Idle time before keep-alive probes in milliseconds, at most 6.3 days; 0: none.'),
        RegInfo('keep_interval_ms', 0x0034, (
            FieldInfo('value', 0, 32, 'rw', 75000, 'Value set by software.'),
        ), 1, 4, '', 'Time between keep-alive probes in milliseconds.'),
        RegInfo('status', 0x0038, (
            FieldInfo('sessions', 0, 16, 'r', None, 'Sessions in use, with those in TIME-WAIT.'),
            FieldInfo('time_wait', 16, 15, 'r', None, 'Of these, in TIME-WAIT; they make way for new ones.'),
            FieldInfo('ready', 31, 1, 'r', None, 'The tables are clear; until then segments are dropped.'),
        ), 1, 4, '', 'State.'),
        RegInfo('now_us', 0x003c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Microseconds since reset, modulo 2^32.'),
        RegInfo('secret0', 0x0040, (
            FieldInfo('value', 0, 32, 'rw', 1802857833, 'Value set by software.'),
        ), 1, 4, '', 'Key of the hash for initial sequence numbers (RFC 6528); set all four words at start.'),
        RegInfo('secret1', 0x0044, (
            FieldInfo('value', 0, 32, 'rw', 1751739759, 'Value set by software.'),
        ), 1, 4, '', 'Second word of the key.'),
        RegInfo('secret2', 0x0048, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Third word of the key.'),
        RegInfo('secret3', 0x004c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Fourth word of the key.'),
        RegInfo('cookie_key0', 0x0050, (
            FieldInfo('value', 0, 32, 'rw', 1668247403, 'Value set by software.'),
        ), 1, 4, '', 'Key of SYN cookies; set both words at start.'),
        RegInfo('cookie_key1', 0x0054, (
            FieldInfo('value', 0, 32, 'rw', 1768235297, 'Value set by software.'),
        ), 1, 4, '', 'Second word of that key.'),
        RegInfo('tlp_delay', 0x0058, (
            FieldInfo('value', 0, 32, 'rw', 50000, 'Value set by software.'),
        ), 1, 4, '', "Added to two round trips for the probe timeout while one segment is in flight: a peer's longest delay of an ACK."),
        RegInfo('tlp_guard', 0x005c, (
            FieldInfo('value', 0, 32, 'rw', 2000, 'Value set by software.'),
        ), 1, 4, '', 'Added to two round trips for the probe timeout while more is in flight.'),
        RegInfo('hit', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Segment of a session, delivered to the core.'),
        RegInfo('miss', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Segment of no session, delivered to the core without its payload.'),
        RegInfo('drop_disabled', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: the engine is disabled, or clears its tables after reset.'),
        RegInfo('drop_proto', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: not TCP.'),
        RegInfo('drop_bad', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', "Drop: marked bad, or its length differs from its record's."),
        RegInfo('drop_short', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: less than 20 bytes.'),
        RegInfo('drop_offset', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: data offset below 5 words or beyond the segment.'),
        RegInfo('drop_checksum', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: wrong checksum.'),
        RegInfo('drop_buffer_full', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: no space for its payload.'),
        RegInfo('drop_hit_full', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: hit, but the queue of hits is full.'),
        RegInfo('drop_miss_full', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: miss, and the queue of misses is full.'),
        RegInfo('bad_options', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Malformed option in a good segment; those before it count.'),
        RegInfo('sent', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Segment accepted by the IP stack.'),
        RegInfo('drop_axi', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: a read of the payload was answered with an error.'),
        RegInfo('drop_length', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: segment longer than the payload buffer.'),
        RegInfo('rx_short_frame', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Payload frame shorter than its command said.'),
        RegInfo('rx_write_error', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Write burst answered with an error.'),
        RegInfo('rx_read_error', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Read data came with an error.'),
        RegInfo('rx_no_session', 0x0148, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Read for a session that does not exist.'),
        RegInfo('wr_written', 0x014c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frame of data written to its ring.'),
        RegInfo('wr_refused', 0x0150, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Write not answered TCP_OK.'),
        RegInfo('wr_short_frame', 0x0154, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frame shorter than announced: the bytes received count.'),
        RegInfo('wr_long_frame', 0x0158, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frame longer than announced: the rest is discarded.'),
        RegInfo('wr_bad_frame', 0x015c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frame marked bad: discarded.'),
        RegInfo('wr_stale', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frame of a session that has ended: discarded.'),
        RegInfo('wr_write_error', 0x0164, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Write burst answered with an error.'),
        RegInfo('hit_accepted', 0x0200, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment accepted by its session.'),
        RegInfo('hit_stale', 0x0204, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment whose session has ended.'),
        RegInfo('hit_dropped', 0x0208, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'No ACK flag, RST outside the window, RST in TIME-WAIT, or no timestamp.'),
        RegInfo('hit_paws', 0x020c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment with an old timestamp (RFC 7323).'),
        RegInfo('hit_unacceptable', 0x0210, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment not acceptable: old, or beyond the window.'),
        RegInfo('hit_challenged', 0x0214, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment answered by a challenge ACK (RFC 5961).'),
        RegInfo('hit_rate_limited', 0x0218, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Challenge ACK suppressed by its rate limit.'),
        RegInfo('hit_reset', 0x021c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'RST that ended its session.'),
        RegInfo('hit_bad_ack', 0x0220, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'ACK of what was never sent, in a handshake.'),
        RegInfo('hit_syn_retransmit', 0x0224, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'SYN retransmitted by the peer.'),
        RegInfo('hit_time_wait_reuse', 0x0228, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'SYN that replaces a session in TIME-WAIT.'),
        RegInfo('miss_passive', 0x022c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'SYN for an open port: a session began.'),
        RegInfo('miss_cookie_sent', 0x0230, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'SYN answered by a cookie.'),
        RegInfo('miss_cookie_accepted', 0x0234, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'ACK with a valid cookie: a session began.'),
        RegInfo('miss_reset_sent', 0x0238, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment of no session answered by RST.'),
        RegInfo('miss_no_reply', 0x023c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'No space for a stateless answer.'),
        RegInfo('miss_ignored', 0x0240, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'RST, or the engine is disabled.'),
        RegInfo('miss_relookup_hit', 0x0244, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Miss that was a hit when looked up again.'),
        RegInfo('miss_refused', 0x0248, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'No session number or table entry free.'),
        RegInfo('open_passive', 0x024c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions opened by a peer.'),
        RegInfo('open_active', 0x0250, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions opened by the application.'),
        RegInfo('open_failed', 0x0254, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Active opens that failed.'),
        RegInfo('close_ok', 0x0258, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions closed by both sides.'),
        RegInfo('close_reset', 0x025c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions reset by the peer.'),
        RegInfo('close_timeout', 0x0260, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions ended because the peer did not answer.'),
        RegInfo('close_abort', 0x0264, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions aborted by the application.'),
        RegInfo('close_handshake', 0x0268, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Passive opens whose handshake did not complete.'),
        RegInfo('session_freed', 0x026c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Session numbers freed.'),
        RegInfo('in_time_wait', 0x0270, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions that entered TIME-WAIT.'),
        RegInfo('time_wait_recycled', 0x0274, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions in TIME-WAIT ended for a new one.'),
        RegInfo('linger_timeout', 0x0278, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Ended sessions whose unread data were discarded.'),
        RegInfo('rx_out_of_order', 0x027c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segments received out of order.'),
        RegInfo('rx_ooo_full', 0x0280, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Out-of-order segment dropped: all ranges in use.'),
        RegInfo('rx_duplicate', 0x0284, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segments with duplicate payload only.'),
        RegInfo('rx_beyond_window', 0x0288, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segments with payload beyond the window.'),
        RegInfo('rx_dup_ack', 0x028c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Duplicate ACKs received.'),
        RegInfo('tx_data', 0x0290, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segments with new data sent.'),
        RegInfo('tx_retransmit', 0x0294, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segments retransmitted.'),
        RegInfo('tx_ack', 0x0298, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segments without data sent.'),
        RegInfo('tx_rst', 0x029c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'RST sent.'),
        RegInfo('tx_probe', 0x02a0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Window and keep-alive probes sent.'),
        RegInfo('rto', 0x02a4, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Retransmission timeouts.'),
        RegInfo('fast_recovery', 0x02a8, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Fast recoveries entered.'),
        RegInfo('keepalive', 0x02ac, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Keep-alive probes due.'),
        RegInfo('data_ignored', 0x02b0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Record of the transmit side that does not fit its session.'),
        RegInfo('tx_tlp', 0x02b4, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Tail loss probe sent, beside tx_data or tx_retransmit.'),
        RegInfo('tlp_loss', 0x02b8, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Loss that a tail loss probe repaired: the congestion window is reduced.'),
        RegInfo('ecn_ce', 0x02bc, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment with payload and congestion experienced (RFC 3168), in a session with ECN.'),
        RegInfo('ecn_reduced', 0x02c0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'ECE that reduces the congestion window.'),
    ),
    "Settings of kumi_tcp and its event counters. Times are those of the engine's own clock, microseconds unless a name says ms. docs/tcp.md compares the reset values with Linux's.",
)
