# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `ib_switch`. Generated from regs/ib_switch.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'ib_switch',
    'IBSW',
    1,
    'InfiniBand switch',
    (
        RegInfo('shape', 0x0000, (
            FieldInfo('ports', 0, 8, 'r', None, 'Ports.'),
            FieldInfo('lanes', 8, 4, 'r', None, 'Lanes of a port.'),
            FieldInfo('data_vls', 12, 4, 'r', None, 'Data VLs.'),
            FieldInfo('symbols', 16, 4, 'r', None, 'Symbols per clock cycle and port, all lanes together.'),
            FieldInfo('ready', 31, 1, 'r', None, 'The tables are cleared, the agent answers.'),
        ), 1, 4, '', 'What is built.'),
        RegInfo('lid', 0x0004, (
            FieldInfo('lid', 0, 16, 'r', None, 'LID; 0: not assigned.'),
        ), 1, 4, '', 'Local identifier of port 0.'),
        RegInfo('state', 0x0020, (
            FieldInfo('phys', 0, 4, 'r', None, '2 Polling, 3 Disabled, 4 Training, 5 LinkUp, 6 Recovery.'),
            FieldInfo('port', 4, 3, 'r', None, '1 Down, 2 Init, 3 Armed, 4 Active.'),
            FieldInfo('present', 8, 4, 'r', None, 'Lanes with a signal.'),
        ), 8, 4, '', 'State of each port, with the numbers of PortInfo.'),
        RegInfo('symbol_error', 0x0040, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 8, 4, '', 'Code violations while the link is up.'),
        RegInfo('link_downed', 0x0060, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 8, 4, '', 'Retraining failed, or the signal was lost.'),
        RegInfo('rcv_errors', 0x0080, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 8, 4, '', 'Packets received with an error.'),
        RegInfo('rcv_switch_relay_errors', 0x00a0, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 8, 4, '', 'Packets received that could not be forwarded.'),
        RegInfo('xmit_discards', 0x00c0, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 8, 4, '', 'Packets that were to leave by this port and were discarded.'),
        RegInfo('xmit_pkts', 0x00e0, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 8, 4, '', 'Packets sent.'),
        RegInfo('rcv_pkts', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 8, 4, '', 'Packets received.'),
        RegInfo('mgmt_bad', 0x0180, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet for the agent that ended bad; its port counts it too.'),
        RegInfo('mgmt_refused', 0x0184, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet of the agent with a wrong LVer, PktLen or VL.'),
        RegInfo('mgmt_relay', 0x0188, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet of the agent without a route, for port 0 itself, or on a VL out of operation.'),
        RegInfo('mgmt_discard', 0x018c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet for the agent discarded: above the MTU of port 0, or over a lifetime.'),
        RegInfo('mgmt_bad_icrc', 0x0190, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Management packet for the agent with a wrong ICRC.'),
        RegInfo('mgmt_bad_packet', 0x0194, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Management packet for the agent whose length, headers, Q_Key or base version is wrong.'),
        RegInfo('mgmt_bad_route', 0x0198, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Management datagram with a wrong hop pointer, path or LID.'),
        RegInfo('mgmt_bad_m_key', 0x019c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Datagram of subnet management with a wrong M_Key.'),
        RegInfo('mgmt_no_manager', 0x01a0, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Management datagram for a local manager that is not there.'),
    ),
    'State and main counters of the ports of a switch; a subnet manager sets it.',
)
