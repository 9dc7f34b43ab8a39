# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `dhcp`. Generated from regs/dhcp.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'dhcp',
    'DHCP',
    1,
    'DHCP client',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 0, '1: get an address by DHCP, those of the block `ip` do not count; back to 0: give it back.'),
        ), 1, 4, '', 'Control.'),
        RegInfo('status', 0x0004, (
            FieldInfo('state', 0, 3, 'r', None, '0 off, 1 waiting to begin, 2 selecting, 3 requesting, 4 bound, 5 renewing, 6 rebinding, 7 releasing.'),
            FieldInfo('addressed', 8, 1, 'r', None, 'The node has an address.'),
        ), 1, 4, '', 'State.'),
        RegInfo('ip', 0x0008, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Address, most significant octet first; 0: none yet.'),
        RegInfo('netmask', 0x000c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Netmask of the link; 0: no address yet.'),
        RegInfo('gateway', 0x0010, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Default gateway; 0: none.'),
        RegInfo('server', 0x0014, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'The server that gave the address; 0: none yet.'),
        RegInfo('lease', 0x0018, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Seconds for which the address was given; all ones: for ever.'),
        RegInfo('age', 0x001c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Seconds of it that have passed.'),
        RegInfo('discover', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'DISCOVER sent.'),
        RegInfo('request', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'REQUEST sent, renewals included.'),
        RegInfo('offer', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'OFFER taken.'),
        RegInfo('ack', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'ACK taken.'),
        RegInfo('nak', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'NAK: the server refused; the client begins again.'),
        RegInfo('declined', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Addresses given back because another station uses them.'),
        RegInfo('expired', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Leases that ended without a renewal.'),
        RegInfo('rx_bad', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Answers ignored: malformed.'),
        RegInfo('rx_other', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Answers ignored: for another client, or not waited for.'),
        RegInfo('drop_full', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Answers dropped: the one before was still being read.'),
        RegInfo('drop_no_address', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Datagrams and packets of kernels dropped: the node has no address.'),
    ),
    "Gets the node's IPv4 address from a DHCP server (RFC 2131), keeps it and gives it back.",
)
