# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `iperf_server`. Generated from regs/iperf_server.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'iperf_server',
    'IPFS',
    1,
    'iperf2 server',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('tcp', 0, 1, 'rw', 1, 'Take TCP connections; sessions that are open go on in any case.'),
            FieldInfo('udp', 1, 1, 'rw', 1, 'Take UDP datagrams; otherwise they are dropped.'),
            FieldInfo('back', 2, 1, 'rw', 1, 'Connect, or send datagrams, back to clients that request it (-r, -d).'),
        ), 1, 4, '', 'Control.'),
        RegInfo('ports', 0x0004, (
            FieldInfo('tcp', 0, 16, 'rw', 5001, 'TCP port.'),
            FieldInfo('udp', 16, 16, 'rw', 5001, 'UDP port; 0 takes every port.'),
        ), 1, 4, '', 'Ports to listen on.'),
        RegInfo('status', 0x0008, (
            FieldInfo('listening', 0, 1, 'r', None, 'The TCP port is open.'),
            FieldInfo('reason', 4, 4, 'r', None, 'Last answer to listen (tcp_reason_e).'),
            FieldInfo('sessions', 16, 16, 'r', None, 'Sessions that are open or have unread data.'),
        ), 1, 4, '', 'State.'),
        RegInfo('udp_quiet', 0x000c, (
            FieldInfo('seconds', 0, 16, 'rw', 60, 'Seconds that one goes on while nothing is heard from its client; 0: as long as was requested.'),
        ), 1, 4, '', 'Streams of datagrams back.'),
        RegInfo('received_lo', 0x0010, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes received over TCP, bits 31..0.'),
        RegInfo('received_hi', 0x0014, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes received over TCP, bits 63..32.'),
        RegInfo('sent_lo', 0x0018, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes sent over TCP, bits 31..0.'),
        RegInfo('sent_hi', 0x001c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes sent over TCP, bits 63..32.'),
        RegInfo('udp_lo', 0x0020, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Payload bytes of datagrams received, bits 31..0.'),
        RegInfo('udp_hi', 0x0024, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Payload bytes of datagrams received, bits 63..32.'),
        RegInfo('udp_client_ctrl', 0x0028, (
            FieldInfo('start', 0, 1, 'w', 0, 'Begin; ignored while one is running. It waits behind streams back.'),
            FieldInfo('stop', 1, 1, 'w', 0, 'Send the last datagram now.'),
        ), 1, 4, '', 'UDP client: sends to an `iperf -s -u`. Set up its other registers first.'),
        RegInfo('udp_client_status', 0x002c, (
            FieldInfo('running', 0, 1, 'r', None, "A stream is being sent, or waits for the server's report."),
            FieldInfo('report', 1, 1, 'r', None, 'The server has reported.'),
        ), 1, 4, '', 'State of the UDP client.'),
        RegInfo('udp_client_ip', 0x0030, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'IPv4 address of the server, first octet in the high byte.'),
        RegInfo('udp_client', 0x0034, (
            FieldInfo('port', 0, 16, 'rw', 5001, 'UDP port of the server.'),
            FieldInfo('length', 16, 16, 'rw', 1470, 'Bytes of a datagram, 64 to 1470.'),
        ), 1, 4, '', 'Datagrams of the UDP client.'),
        RegInfo('udp_client_rate', 0x0038, (
            FieldInfo('value', 0, 32, 'rw', 1048576, 'Value set by software.'),
        ), 1, 4, '', 'Bits of payload a second; at most one datagram a microsecond.'),
        RegInfo('udp_client_bytes', 0x003c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Bytes to send; 0: for udp_client_time_us.'),
        RegInfo('udp_client_time_us', 0x0040, (
            FieldInfo('value', 0, 32, 'rw', 10000000, 'Value set by software.'),
        ), 1, 4, '', 'Microseconds to send, if udp_client_bytes is 0.'),
        RegInfo('report_bytes_lo', 0x0044, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Server report: bytes received, bits 31..0.'),
        RegInfo('report_bytes_hi', 0x0048, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Server report: bytes received, bits 63..32.'),
        RegInfo('report_s', 0x004c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Server report: duration, seconds.'),
        RegInfo('report_us', 0x0050, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Server report: duration, microseconds more.'),
        RegInfo('report_lost', 0x0054, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Server report: datagrams lost.'),
        RegInfo('report_out_of_order', 0x0058, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Server report: datagrams out of order.'),
        RegInfo('report_datagrams', 0x005c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Server report: number of the last datagram.'),
        RegInfo('report_jitter_us', 0x0060, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Server report: jitter, microseconds (below a second).'),
        RegInfo('opened', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'TCP sessions opened, by either side.'),
        RegInfo('ended', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'TCP sessions that have ended.'),
        RegInfo('asked_back', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Connections back that clients requested.'),
        RegInfo('back_failed', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Connections back that failed.'),
        RegInfo('no_space', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Writes refused for lack of space; retried.'),
        RegInfo('short_reads', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Reads that returned less than was announced: the session had been aborted.'),
        RegInfo('udp_datagrams', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams received on the port.'),
        RegInfo('udp_reports', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Server reports sent.'),
        RegInfo('udp_bad', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams dropped: marked bad, or shorter than 12 bytes.'),
        RegInfo('udp_port', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams dropped: another port, or UDP is off.'),
        RegInfo('udp_back', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Streams of datagrams back that clients requested.'),
        RegInfo('udp_full', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Such requests dropped: too many are waiting.'),
        RegInfo('udp_sent', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams sent in such streams.'),
        RegInfo('udp_dead', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Such streams that ended early: no answer to the last datagram, none to ARP requests, or nothing heard.'),
    ),
    'Receives what iperf 2 clients send, over TCP and UDP, and connects back when asked to.',
)
