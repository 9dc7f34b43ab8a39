# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `ip`. Generated from regs/ip.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'ip',
    'IPV4',
    1,
    'IP stack',
    (
        RegInfo('mac_lo', 0x0000, (
            FieldInfo('value', 0, 32, 'rw', 1, 'Value set by software.'),
        ), 1, 4, '', 'Last four octets of the MAC address, most significant first.'),
        RegInfo('mac_hi', 0x0004, (
            FieldInfo('value', 0, 16, 'rw', 512, 'Most significant first.'),
        ), 1, 4, '', 'First two octets of the MAC address.'),
        RegInfo('ip', 0x0008, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'IPv4 address, most significant octet first; 0 disables the stack.'),
        RegInfo('netmask', 0x000c, (
            FieldInfo('value', 0, 32, 'rw', 4294967040, 'Value set by software.'),
        ), 1, 4, '', 'Netmask of the link.'),
        RegInfo('gateway', 0x0010, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Default gateway; 0: none, every address is on the link.'),
        RegInfo('ctrl', 0x0014, (
            FieldInfo('enable', 0, 1, 'rw', 1, 'When 0, received frames are dropped and nothing is sent.'),
            FieldInfo('ping', 1, 1, 'rw', 1, 'Answer ICMP echo requests.'),
            FieldInfo('promiscuous', 2, 1, 'rw', 0, 'Accept frames for any MAC address.'),
            FieldInfo('multicast', 3, 1, 'rw', 0, 'Accept IPv4 multicast.'),
            FieldInfo('drop_ttl0', 4, 1, 'rw', 0, 'Drop received packets with TTL 0.'),
            FieldInfo('arp_strict', 5, 1, 'rw', 0, 'Learn only from solicited ARP replies.'),
            FieldInfo('dont_fragment', 6, 1, 'rw', 0, 'Packets sent may not be fragmented (DF).'),
            FieldInfo('unreachable', 7, 1, 'rw', 1, 'Answer datagrams to closed UDP ports by ICMP port unreachable.'),
            FieldInfo('ttl', 8, 8, 'rw', 64, 'TTL of packets sent.'),
        ), 1, 4, '', 'Settings.'),
        RegInfo('command', 0x0018, (
            FieldInfo('announce', 0, 1, 'w', 0, 'Send a gratuitous ARP request.'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('tick', 0x001c, (
            FieldInfo('cycles', 0, 24, 'rw', 156250, 'Clock cycles of a tick, at least 2 (156250: 1 ms at 156.25 MHz).'),
        ), 1, 4, '', 'Time base of the ARP settings.'),
        RegInfo('arp', 0x0020, (
            FieldInfo('retry_ticks', 0, 16, 'rw', 10, 'Ticks between requests for one address.'),
            FieldInfo('retries', 16, 4, 'rw', 5, 'Unanswered requests before pending packets are dropped.'),
        ), 1, 4, '', 'ARP requests.'),
        RegInfo('arp_age', 0x0024, (
            FieldInfo('ticks', 0, 16, 'rw', 60000, 'Ticks of an age step; an entry expires after one to two steps.'),
        ), 1, 4, '', 'ARP cache.'),
        RegInfo('icmp', 0x0028, (
            FieldInfo('error_ticks', 0, 16, 'rw', 1000, 'Ticks between two to one address, after a burst of 6; 0: no limit of this kind. All together: one a tick after a burst of 50.'),
        ), 1, 4, '', 'ICMP errors.'),
        RegInfo('rx_frame', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames received.'),
        RegInfo('rx_udp', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'UDP datagrams delivered.'),
        RegInfo('rx_raw', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets of other protocols delivered.'),
        RegInfo('rx_icmp', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ICMP echo requests accepted.'),
        RegInfo('rx_arp', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ARP packets accepted.'),
        RegInfo('drop_bad', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: marked bad by the MAC (tuser), or the stack is disabled.'),
        RegInfo('drop_runt', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: less than 42 bytes without a tag.'),
        RegInfo('drop_mac', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: for another MAC address, or from a group address.'),
        RegInfo('drop_ethertype', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: neither IPv4 nor ARP; a second VLAN tag counts here.'),
        RegInfo('drop_arp', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: malformed ARP packet.'),
        RegInfo('drop_arp_busy', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: ARP queue full.'),
        RegInfo('drop_ip_version', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: version is not 4, or header shorter than 20 bytes.'),
        RegInfo('drop_ip_options', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: header longer than 20 bytes.'),
        RegInfo('drop_ip_length', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: total length below the headers or beyond the frame.'),
        RegInfo('drop_ip_fragment', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: part of a fragmented packet.'),
        RegInfo('drop_ip_ttl', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: TTL 0 and drop_ttl0.'),
        RegInfo('drop_ip_checksum', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: header checksum wrong.'),
        RegInfo('drop_ip_src', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', "Drop: source is no host's address: 0.0.0.0/8, 127.0.0.0/8, a group, a broadcast, our own."),
        RegInfo('drop_ip_dst', 0x0148, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: destination is another address.'),
        RegInfo('drop_ip_proto', 0x014c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: unsupported protocol.'),
        RegInfo('drop_udp_length', 0x0150, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: UDP length is not IP length - 20.'),
        RegInfo('drop_udp_checksum', 0x0154, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: UDP checksum wrong.'),
        RegInfo('drop_udp_port', 0x0158, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: closed port.'),
        RegInfo('drop_icmp_type', 0x015c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: not an echo request, too short, or ping is off.'),
        RegInfo('drop_icmp_checksum', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: ICMP checksum wrong.'),
        RegInfo('drop_icmp_busy', 0x0164, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: no space for the reply.'),
        RegInfo('drop_store', 0x0168, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: receive buffer (RX_STORE) full.'),
        RegInfo('drop_tcp_dst', 0x016c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: TCP segment to a broadcast or group address.'),
        RegInfo('tx_udp', 0x0170, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'UDP datagrams sent without waiting for ARP.'),
        RegInfo('tx_raw', 0x0174, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets of other protocols sent without waiting for ARP.'),
        RegInfo('tx_icmp', 0x0178, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ICMP messages (echo replies, errors) sent.'),
        RegInfo('tx_resolved', 0x017c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets sent after their ARP reply.'),
        RegInfo('tx_bad', 0x0180, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Payload marked bad, or its length differs from its record.'),
        RegInfo('tx_drop_length', 0x0184, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: longer than MTU; with a generated checksum also bad payload or length.'),
        RegInfo('tx_drop_pending_full', 0x0188, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: MAC address unknown and no pending slot free, or the next hop or the own address is 0.0.0.0.'),
        RegInfo('tx_drop_timeout', 0x018c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: no ARP reply after all retries.'),
        RegInfo('tx_frame', 0x0190, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Frames sent, including ARP and bad ones.'),
        RegInfo('tx_pending', 0x0194, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Packets that waited for an ARP reply.'),
        RegInfo('arp_request', 0x0198, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ARP requests sent.'),
        RegInfo('arp_reply', 0x019c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ARP replies sent.'),
        RegInfo('arp_learn', 0x01a0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ARP cache entries written.'),
        RegInfo('arp_ignored', 0x01a4, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ARP packets without effect.'),
        RegInfo('arp_conflict', 0x01a8, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Address conflicts: another station uses our IP address.'),
        RegInfo('arp_expired', 0x01ac, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ARP cache entries expired.'),
        RegInfo('icmp_unreachable', 0x01b0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ICMP port unreachable sent for a datagram to a closed port.'),
        RegInfo('icmp_limited', 0x01b4, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'None sent for such a datagram, because of the rate limit.'),
        RegInfo('rx_overflow', 0x01b8, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: receive buffer full.'),
        RegInfo('rx_buffer_bad', 0x01bc, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: received frame marked bad.'),
        RegInfo('tx_buffer_bad', 0x01c0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: frame to send marked bad or too long.'),
    ),
    "Addresses and settings of the node's IP stack, and its event counters.",
)
