# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `rdma`. Generated from regs/rdma.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'rdma',
    'RDMA',
    1,
    'RDMA',
    (
        RegInfo('status', 0x0000, (
            FieldInfo('post_ready', 0, 1, 'r', None, 'A work request may be posted.'),
            FieldInfo('setup_ready', 1, 1, 'r', None, 'A set-up may be started; the one before has applied.'),
            FieldInfo('completion', 2, 1, 'r', None, 'The completion registers hold one.'),
            FieldInfo('completions', 16, 16, 'r', None, 'Completions that wait, the one in the registers included.'),
        ), 1, 4, '', 'What may be written and read now.'),
        RegInfo('shape', 0x0004, (
            FieldInfo('qps', 0, 16, 'r', None, 'Queue pairs.'),
            FieldInfo('regions', 16, 16, 'r', None, 'Memory regions.'),
        ), 1, 4, '', 'What is built.'),
        RegInfo('queues', 0x0008, (
            FieldInfo('sq', 0, 8, 'r', None, 'Send requests.'),
            FieldInfo('rq', 8, 8, 'r', None, 'Receive requests.'),
            FieldInfo('window', 16, 16, 'r', None, 'Packets under way.'),
        ), 1, 4, '', 'Depth of the queues of a queue pair.'),
        RegInfo('tick', 0x000c, (
            FieldInfo('cycles', 0, 16, 'rw', 160, 'Clock cycles of 1.024 us, at least 1 (160 at 156.25 MHz).'),
        ), 1, 4, '', 'Time base of time-outs and RNR timers.'),
        RegInfo('wr_ctrl', 0x0010, (
            FieldInfo('qp', 0, 16, 'rw', 0, 'Queue pair.'),
            FieldInfo('op', 16, 4, 'rw', 0, '0 SEND, 1 SEND with immediate, 2 WRITE, 3 WRITE with immediate, 4 READ, 5 compare and swap, 6 fetch and add, 7 receive.'),
            FieldInfo('signaled', 24, 1, 'rw', 0, 'Completion also on success.'),
            FieldInfo('solicited', 25, 1, 'rw', 0, 'Solicited event.'),
            FieldInfo('fence', 26, 1, 'rw', 0, 'Waits for the READs and atomics before it.'),
        ), 1, 4, '', 'Work request: what.'),
        RegInfo('wr_id', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Work request: returned with its completion.'),
        RegInfo('wr_local_lo', 0x0018, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Work request: address in local memory, low half.'),
        RegInfo('wr_local_hi', 0x001c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'High half.'),
        RegInfo('wr_length', 0x0020, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Work request: bytes.'),
        RegInfo('wr_remote_lo', 0x0024, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Work request: address at the peer, low half; datagram: destination queue pair.'),
        RegInfo('wr_remote_hi', 0x0028, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'High half.'),
        RegInfo('wr_rkey', 0x002c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', "Work request: key of the peer's region; datagram: queue key."),
        RegInfo('wr_imm', 0x0030, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Work request: immediate data.'),
        RegInfo('wr_compare_lo', 0x0034, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Work request: value to compare with, low half; datagram: traffic class, UDP source port, low byte of the address.'),
        RegInfo('wr_compare_hi', 0x0038, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'High half; datagram: the other bytes of the address.'),
        RegInfo('wr_swap_add_lo', 0x003c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Work request: new value, or what is added, low half.'),
        RegInfo('wr_swap_add_hi', 0x0040, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'High half.'),
        RegInfo('command', 0x0044, (
            FieldInfo('post', 0, 1, 'w', 0, 'Post the work request; lost and counted unless status.post_ready.'),
            FieldInfo('setup', 1, 1, 'w', 0, 'Start the set-up; ignored unless status.setup_ready.'),
            FieldInfo('pop', 2, 1, 'w', 0, 'The completion is read; the registers show the next one.'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('wc', 0x0050, (
            FieldInfo('qp', 0, 16, 'r', None, 'Queue pair.'),
            FieldInfo('op', 16, 4, 'r', None, 'Operation, as in wr_ctrl.'),
            FieldInfo('status', 20, 4, 'r', None, 'Number of enum ibv_wc_status; 0: success.'),
            FieldInfo('imm', 24, 1, 'r', None, 'There is immediate data.'),
            FieldInfo('write', 25, 1, 'r', None, 'Receive consumed by a WRITE with immediate.'),
            FieldInfo('solicited', 26, 1, 'r', None, 'Solicited event.'),
        ), 1, 4, '', 'Completion.'),
        RegInfo('wc_id', 0x0054, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Completion: id of the work request.'),
        RegInfo('wc_length', 0x0058, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Completion of a receive: bytes.'),
        RegInfo('wc_imm', 0x005c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Completion of a receive: immediate data.'),
        RegInfo('wc_src_qp', 0x0060, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Completion of a receive: queue pair of the sender.'),
        RegInfo('wc_src_addr', 0x0064, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Completion of a receive: IPv4 address of the sender.'),
        RegInfo('wc_src_flow', 0x0068, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Completion of a receive: UDP source port of the sender in [23:8], type of service in [7:0].'),
        RegInfo('setup', 0x0080, (
            FieldInfo('qp', 0, 16, 'rw', 0, 'Queue pair.'),
            FieldInfo('op', 16, 2, 'rw', 0, '0: queue pair to ready to send, 1: to reset, 2: to the error state, 3: region.'),
            FieldInfo('ud', 18, 1, 'rw', 0, 'Datagrams.'),
            FieldInfo('remote_write', 20, 1, 'rw', 0, 'Peers may write (queue pair or region).'),
            FieldInfo('remote_read', 21, 1, 'rw', 0, 'Peers may read.'),
            FieldInfo('remote_atomic', 22, 1, 'rw', 0, 'Peers may use atomics.'),
            FieldInfo('valid', 23, 1, 'rw', 0, 'The region exists.'),
        ), 1, 4, '', 'Set-up: what.'),
        RegInfo('peer_addr', 0x0084, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Queue pair: IPv4 address of the peer.'),
        RegInfo('path', 0x0088, (
            FieldInfo('traffic', 0, 8, 'rw', 0, 'Type of service; RoCEv2 sends 0.'),
            FieldInfo('flow', 8, 16, 'rw', 49152, 'UDP source port.'),
        ), 1, 4, '', 'Queue pair: path.'),
        RegInfo('dest_qp', 0x008c, (
            FieldInfo('value', 0, 24, 'rw', 0, 'Queue pair number.'),
        ), 1, 4, '', 'Queue pair: of the peer.'),
        RegInfo('attr', 0x0090, (
            FieldInfo('p_key', 0, 16, 'rw', 65535, 'Partition key.'),
            FieldInfo('mtu', 16, 3, 'rw', 3, 'Path MTU: 1 to 5 are 256 to 4096 bytes.'),
            FieldInfo('max_rd_atomic', 24, 5, 'rw', 1, 'READs and atomics under way as the requester, 0 to 16.'),
        ), 1, 4, '', 'Queue pair.'),
        RegInfo('q_key', 0x0094, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Queue pair: queue key of datagrams.'),
        RegInfo('sq_psn', 0x0098, (
            FieldInfo('value', 0, 24, 'rw', 0, 'PSN.'),
        ), 1, 4, '', 'Queue pair: first PSN sent.'),
        RegInfo('rq_psn', 0x009c, (
            FieldInfo('value', 0, 24, 'rw', 0, 'PSN.'),
        ), 1, 4, '', 'Queue pair: first PSN expected.'),
        RegInfo('retry', 0x00a0, (
            FieldInfo('timeout', 0, 5, 'rw', 14, '4.096 us * 2^timeout; 0: none.'),
            FieldInfo('retry_cnt', 8, 3, 'rw', 7, 'Retries after time-outs and PSN errors.'),
            FieldInfo('rnr_retry', 12, 3, 'rw', 7, 'Retries after RNR NAKs; 7: without end.'),
            FieldInfo('min_rnr_timer', 16, 5, 'rw', 12, 'Code in the RNR NAKs that are sent.'),
        ), 1, 4, '', 'Queue pair: time-outs.'),
        RegInfo('region_lo', 0x00a4, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Region: address, low half.'),
        RegInfo('region_hi', 0x00a8, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'High half.'),
        RegInfo('region_length_lo', 0x00ac, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Region: bytes, low 32 bits.'),
        RegInfo('region_length_hi', 0x00b0, (
            FieldInfo('value', 0, 8, 'rw', 0, 'Upper 8 bits.'),
        ), 1, 4, '', 'Region: bytes, upper bits.'),
        RegInfo('region_key', 0x00b4, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', "Region: key; [31:8] is the region's number."),
        RegInfo('error_select', 0x00c0, (
            FieldInfo('value', 0, 11, 'rw', 0, 'Which 32 queue pairs error_state shows.'),
        ), 1, 4, '', 'Queue pairs in the error state.'),
        RegInfo('error_state', 0x00c4, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bit i: queue pair 32 * error_select + i is in the error state.'),
        RegInfo('bad_icrc', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: RoCEv2 packet with a wrong ICRC; it counts in ip.rx_buffer_bad too.'),
        RegInfo('rx_packet', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'RoCEv2 packets given to the engine.'),
        RegInfo('drop_port', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: datagram to another port than 4791.'),
        RegInfo('drop_opcode', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: opcode of no reliable connection and no datagram.'),
        RegInfo('drop_version', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: transport version is not 0.'),
        RegInfo('drop_length', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: shorter than its headers, a payload that may not be, or over 4096 bytes.'),
        RegInfo('tx_datagram', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets given to the stack.'),
        RegInfo('post_lost', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Work requests posted while none could be.'),
        RegInfo('rx_request', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Requests executed.'),
        RegInfo('rx_response', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses that something waited for.'),
        RegInfo('tx_packet', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets sent.'),
        RegInfo('tx_nak', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'NAKs sent.'),
        RegInfo('tx_rnr_nak', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'RNR NAKs sent.'),
        RegInfo('rx_nak', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'NAKs received.'),
        RegInfo('rx_rnr_nak', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'RNR NAKs received.'),
        RegInfo('timed_out', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Time-outs.'),
        RegInfo('go_back', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Transmission went back to the oldest unacknowledged packet.'),
        RegInfo('qp_error', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Queue pairs that went to the error state.'),
        RegInfo('mem_error', 0x0148, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Memory answered with an error.'),
        RegInfo('duplicate', 0x014c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: executed before; answered again.'),
        RegInfo('gap', 0x0150, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: a packet before it is missing.'),
        RegInfo('no_receive', 0x0154, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: no receive posted: RNR NAK, or a lost datagram.'),
        RegInfo('invalid', 0x0158, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: NAK invalid request.'),
        RegInfo('access_error', 0x015c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: NAK remote access error.'),
        RegInfo('stale', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: response that nothing waits for.'),
        RegInfo('bad_qp', 0x0164, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', "Drop: no such queue pair, not ready, or another peer's."),
        RegInfo('bad_key', 0x0168, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: partition key or queue key.'),
        RegInfo('busy', 0x016c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: more READs and atomics than the queue pair can hold.'),
    ),
    'Queue pairs, memory regions, work requests and completions of the reliable-connection engine.',
)
