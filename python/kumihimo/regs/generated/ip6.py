# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `ip6`. Generated from regs/ip6.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'ip6',
    'IPV6',
    1,
    'IPv6',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 1, '0: no IPv6, received packets are dropped.'),
            FieldInfo('autoconf', 1, 1, 'rw', 1, 'Take an address from the prefix of a router (RFC 4862).'),
            FieldInfo('ping', 2, 1, 'rw', 1, 'Answer echo requests.'),
            FieldInfo('probes', 8, 3, 'rw', 1, 'Solicitations, a second apart, for another owner of an address before it is used; 0: none.'),
            FieldInfo('second_ticks', 16, 16, 'rw', 1000, 'Ticks (of the block `ip`) of a second.'),
        ), 1, 4, '', 'Settings.'),
        RegInfo('mtu', 0x0004, (
            FieldInfo('bytes', 0, 16, 'rw', 1500, 'Bytes with the IPv6 header; longer ones are dropped. No path MTU is discovered: 1280 passes everywhere.'),
        ), 1, 4, '', 'Longest packet sent.'),
        RegInfo('status', 0x0008, (
            FieldInfo('valid', 0, 3, 'r', None, 'They may be used.'),
            FieldInfo('duplicate', 8, 3, 'r', None, 'Another station has them.'),
        ), 1, 4, '', "Own addresses: 0 of the link, 1 from a router's prefix, 2 given."),
        RegInfo('address_0', 0x0010, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Address given, first four octets, most significant first; all four words 0: none.'),
        RegInfo('address_1', 0x0014, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Address given, next four octets.'),
        RegInfo('address_2', 0x0018, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Address given, next four octets.'),
        RegInfo('address_3', 0x001c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Address given, last four octets.'),
        RegInfo('link_0', 0x0020, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Address of the link, first four octets, most significant first.'),
        RegInfo('link_1', 0x0024, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Address of the link, next four octets.'),
        RegInfo('link_2', 0x0028, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Address of the link, next four octets.'),
        RegInfo('link_3', 0x002c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Address of the link, last four octets.'),
        RegInfo('auto_0', 0x0030, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Address from a router's prefix, first four octets, most significant first; 0: none."),
        RegInfo('auto_1', 0x0034, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Address from a router's prefix, next four octets."),
        RegInfo('auto_2', 0x0038, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Address from a router's prefix, next four octets."),
        RegInfo('auto_3', 0x003c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Address from a router's prefix, last four octets."),
        RegInfo('rx_packet', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'TCP and UDP packets given to the IPv4 stack, which counts them too.'),
        RegInfo('rx_icmp', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages taken: echo requests, neighbour and router discovery.'),
        RegInfo('drop_short', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: nothing behind the header.'),
        RegInfo('drop_mac', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: for another station, or IPv6 is off.'),
        RegInfo('drop_source', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', "Drop: from no host's address, or version is not 6."),
        RegInfo('drop_address', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: for another address.'),
        RegInfo('drop_next', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: neither TCP, UDP nor ICMPv6; extension headers count here.'),
        RegInfo('drop_peers', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: no room for another peer.'),
        RegInfo('drop_icmp', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: ICMPv6 without meaning here, malformed, or with a wrong checksum.'),
        RegInfo('drop_icmp_full', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: no room for the message.'),
        RegInfo('tx_packet', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'TCP and UDP packets sent to peers of IPv6.'),
        RegInfo('tx_unreachable', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Port unreachable of the IPv4 stack for a peer of IPv6; one of `tx_icmp`.'),
        RegInfo('tx_drop_peer', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: the peer was forgotten meanwhile.'),
        RegInfo('tx_drop_proto', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: neither TCP, UDP nor port unreachable.'),
        RegInfo('tx_drop_length', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Drop: longer than `mtu`.'),
        RegInfo('tx_icmp', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Messages sent: echo replies, neighbour and router discovery, port unreachable.'),
        RegInfo('forged', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'IPv4 frames from addresses that stand for peers of IPv6: marked bad.'),
        RegInfo('conflict', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Another station answered for an address that is ours.'),
    ),
    "IPv6 beside the node's IPv4: addresses, settings, event counters.",
)
