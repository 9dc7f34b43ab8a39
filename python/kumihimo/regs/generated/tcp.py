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
            FieldInfo('enable', 0, 1, 'rw', 1, 'When 0, segments are dropped and operations are refused.'),
            FieldInfo('ws', 1, 1, 'rw', 1, 'Offer window scale (RFC 7323).'),
            FieldInfo('ts', 2, 1, 'rw', 1, 'Offer timestamps (RFC 7323).'),
            FieldInfo('sack', 3, 1, 'rw', 1, 'Offer selective acknowledgement (RFC 2018).'),
            FieldInfo('cubic', 4, 1, 'rw', 0, 'CUBIC (RFC 9438) where it is built in, else NewReno.'),
        ), 1, 4, '', 'What is on.'),
        RegInfo('period', 0x0004, (
            FieldInfo('ps', 0, 16, 'rw', 6400, 'Picoseconds of a cycle (6400: 156.25 MHz).'),
        ), 1, 4, '', "The engine's clock."),
        RegInfo('segment', 0x0008, (
            FieldInfo('mss', 0, 16, 'rw', 1460, 'Longest payload sent and announced, without options: MTU less 40.'),
            FieldInfo('init_segs', 16, 8, 'rw', 10, 'Initial congestion window, segments (RFC 6928).'),
        ), 1, 4, '', 'Segments.'),
        RegInfo('retries', 0x000c, (
            FieldInfo('syn', 0, 4, 'rw', 6, 'SYN or SYN-ACK sent again.'),
            FieldInfo('data', 4, 4, 'rw', 8, 'Segments or probes sent again.'),
            FieldInfo('keep', 8, 4, 'rw', 5, 'Keep-alive probes without answer.'),
        ), 1, 4, '', 'Before giving up.'),
        RegInfo('cookies', 0x0010, (
            FieldInfo('half_open', 0, 16, 'rw', 256, 'Sessions in SYN-RECEIVED from which on cookies are sent.'),
        ), 1, 4, '', 'SYN cookies (RFC 4987).'),
        RegInfo('rto_init', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 10000, 'Value set by software.'),
        ), 1, 4, '', 'Retransmission time-out before the first measured round trip.'),
        RegInfo('rto_min', 0x0018, (
            FieldInfo('value', 0, 32, 'rw', 1000, 'Value set by software.'),
        ), 1, 4, '', 'Least retransmission time-out.'),
        RegInfo('rto_max', 0x001c, (
            FieldInfo('value', 0, 32, 'rw', 1000000, 'Value set by software.'),
        ), 1, 4, '', 'Greatest retransmission time-out.'),
        RegInfo('ack_delay', 0x0020, (
            FieldInfo('value', 0, 32, 'rw', 100, 'Value set by software.'),
        ), 1, 4, '', 'Longest delay of an acknowledgement.'),
        RegInfo('time_wait', 0x0024, (
            FieldInfo('value', 0, 32, 'rw', 1000000, 'Value set by software.'),
        ), 1, 4, '', 'Time in TIME-WAIT.'),
        RegInfo('fin_wait', 0x0028, (
            FieldInfo('value', 0, 32, 'rw', 1000000, 'Value set by software.'),
        ), 1, 4, '', "Longest wait for the peer's FIN after the application closed."),
        RegInfo('linger', 0x002c, (
            FieldInfo('value', 0, 32, 'rw', 1000000, 'Value set by software.'),
        ), 1, 4, '', 'Longest wait for the application to read what is left.'),
        RegInfo('keep_idle', 0x0030, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Silence before keep-alive probes; 0: none.'),
        RegInfo('keep_interval', 0x0034, (
            FieldInfo('value', 0, 32, 'rw', 1000000, 'Value set by software.'),
        ), 1, 4, '', 'Time between keep-alive probes.'),
        RegInfo('status', 0x0038, (
            FieldInfo('sessions', 0, 16, 'r', None, 'Sessions in use.'),
            FieldInfo('ready', 31, 1, 'r', None, 'The tables are clear; before that no segment is taken.'),
        ), 1, 4, '', 'State.'),
        RegInfo('now_us', 0x003c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Microseconds since reset, wraps.'),
        RegInfo('secret0', 0x0040, (
            FieldInfo('value', 0, 32, 'rw', 1802857833, 'Value set by software.'),
        ), 1, 4, '', 'Key of the hash behind sequence numbers and cookies (RFC 6528); set all four at start.'),
        RegInfo('secret1', 0x0044, (
            FieldInfo('value', 0, 32, 'rw', 1751739759, 'Value set by software.'),
        ), 1, 4, '', 'Second word of the key.'),
        RegInfo('secret2', 0x0048, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Third word of the key.'),
        RegInfo('secret3', 0x004c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Fourth word of the key.'),
        RegInfo('found', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packet of a session, handed to the core.'),
        RegInfo('missed', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packet of no session, handed to the core without its payload.'),
        RegInfo('drop_off', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'The engine is not enabled, or clears its tables after reset.'),
        RegInfo('drop_proto', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: not TCP.'),
        RegInfo('drop_bad', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Marked bad, or of another length than its record says.'),
        RegInfo('drop_short', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Less than 20 bytes.'),
        RegInfo('drop_offset', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Data offset below 5 words or beyond the segment.'),
        RegInfo('drop_checksum', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: wrong checksum.'),
        RegInfo('drop_store', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'No room for its payload.'),
        RegInfo('drop_hit_full', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Hit, but the core is behind and the queue of hits is full.'),
        RegInfo('drop_miss_full', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Miss, and the queue of misses is full.'),
        RegInfo('bad_options', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'An option of a good segment was malformed; those before it count.'),
        RegInfo('sent', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Its last beat was handed to the IP stack.'),
        RegInfo('drop_axi', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A read of its payload was answered with an error.'),
        RegInfo('drop_length', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Longer than what can be held.'),
        RegInfo('rx_short_frame', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A frame of payload was shorter than its command said.'),
        RegInfo('rx_write_error', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A burst was answered with an error.'),
        RegInfo('rx_read_error', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'The data of a read came with an error.'),
        RegInfo('rx_no_session', 0x0148, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A read named a session that is not there.'),
        RegInfo('wr_written', 0x014c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A frame of data is in its ring.'),
        RegInfo('wr_refused', 0x0150, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A write was answered with another reason than TCP_OK.'),
        RegInfo('wr_short_frame', 0x0154, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A frame was shorter than announced: what came counts.'),
        RegInfo('wr_long_frame', 0x0158, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A frame was longer than announced: the rest is thrown away.'),
        RegInfo('wr_bad_frame', 0x015c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A frame was marked bad: thrown away.'),
        RegInfo('wr_stale', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A frame of a session that ended meanwhile: thrown away.'),
        RegInfo('wr_write_error', 0x0164, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'A burst was answered with an error.'),
        RegInfo('hit_accepted', 0x0200, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment of a session taken.'),
        RegInfo('hit_stale', 0x0204, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Its session is over.'),
        RegInfo('hit_dropped', 0x0208, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'No ACK flag, RST out of the window, RST in TIME_WAIT, no timestamp.'),
        RegInfo('hit_paws', 0x020c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment with an old timestamp (RFC 7323).'),
        RegInfo('hit_unacceptable', 0x0210, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Not acceptable: old, or beyond the window.'),
        RegInfo('hit_challenged', 0x0214, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment answered by a challenge ACK (RFC 5961).'),
        RegInfo('hit_rate_limited', 0x0218, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Would have been challenged.'),
        RegInfo('hit_reset', 0x021c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'RST that ended its session.'),
        RegInfo('hit_bad_ack', 0x0220, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'In a handshake.'),
        RegInfo('hit_syn_retransmit', 0x0224, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'SYN of the peer once more.'),
        RegInfo('hit_time_wait_reuse', 0x0228, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Of TIME_WAIT.'),
        RegInfo('miss_passive', 0x022c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'SYN for an open port: a session began.'),
        RegInfo('miss_cookie_sent', 0x0230, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'SYN answered by a cookie.'),
        RegInfo('miss_cookie_accepted', 0x0234, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'ACK that brought a cookie back: a session began.'),
        RegInfo('miss_reset_sent', 0x0238, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segment of no session answered by RST.'),
        RegInfo('miss_no_reply', 0x023c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'No room for a stateless answer.'),
        RegInfo('miss_ignored', 0x0240, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'RST, or the engine is off.'),
        RegInfo('miss_relookup_hit', 0x0244, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'The tables had changed: it was a hit.'),
        RegInfo('miss_refused', 0x0248, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'No session free, or no room in the table.'),
        RegInfo('open_passive', 0x024c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions opened by a peer.'),
        RegInfo('open_active', 0x0250, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions opened by the application.'),
        RegInfo('open_failed', 0x0254, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Opens by the application that failed.'),
        RegInfo('close_ok', 0x0258, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions closed in order.'),
        RegInfo('close_reset', 0x025c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions reset by the peer.'),
        RegInfo('close_timeout', 0x0260, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions whose peer no longer answered.'),
        RegInfo('close_abort', 0x0264, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions aborted by the application.'),
        RegInfo('close_handshake', 0x0268, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'A handshake that did not complete.'),
        RegInfo('session_freed', 0x026c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Session numbers free again.'),
        RegInfo('in_time_wait', 0x0270, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions that came into TIME-WAIT.'),
        RegInfo('recycled', 0x0274, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Sessions in TIME-WAIT ended for a new one.'),
        RegInfo('forgotten', 0x0278, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Linger time-out.'),
        RegInfo('rx_out_of_order', 0x027c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Payload ahead of a gap.'),
        RegInfo('rx_ooo_full', 0x0280, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'All ranges in use: dropped.'),
        RegInfo('rx_duplicate', 0x0284, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Payload that is already there.'),
        RegInfo('rx_beyond_window', 0x0288, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Payload beyond the window.'),
        RegInfo('rx_dup_ack', 0x028c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Duplicate ACKs received.'),
        RegInfo('tx_data', 0x0290, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segments with data sent for the first time.'),
        RegInfo('tx_again', 0x0294, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Segments sent again.'),
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
        ), 1, 4, 'core', 'Retransmission time-outs.'),
        RegInfo('fast_recovery', 0x02a8, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Fast recoveries begun.'),
        RegInfo('keepalive', 0x02ac, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', 'Keep-alive probes due.'),
        RegInfo('data_ignored', 0x02b0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'core', "The writer's record does not fit the session."),
    ),
    "Settings of kumi_tcp and its event counters. Times are microseconds of the engine's own clock.",
)
