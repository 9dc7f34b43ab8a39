# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `ib_port`. Generated from regs/ib_port.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'ib_port',
    'IBPT',
    1,
    'InfiniBand port',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 1, '0: physical state Disabled, the transmitters are off.'),
            FieldInfo('auto_active', 1, 1, 'rw', 0, '1: the port goes from Init to Armed and Active by itself, for a fabric without a subnet manager.'),
            FieldInfo('mtu', 4, 3, 'rw', 0, 'NeighborMTU: 1 to 5 are 256 to 4096 bytes; others: the largest that is built.'),
            FieldInfo('oper_vls', 8, 3, 'rw', 1, 'OperationalVLs: 1 to 5 are VL0, 0-1, 0-3, 0-7, 0-14.'),
            FieldInfo('phy_errors', 12, 4, 'rw', 8, 'LocalPhyErrors threshold.'),
            FieldInfo('overrun_errors', 16, 4, 'rw', 8, 'OverrunErrors threshold.'),
            FieldInfo('high_limit', 24, 8, 'rw', 0, 'Limit of high priority, 4096 bytes; 255: none.'),
        ), 1, 4, '', 'Settings; the names and codes are those of PortInfo.'),
        RegInfo('command', 0x0004, (
            FieldInfo('down', 0, 1, 'w', 0, 'Port state Down; the link trains again.'),
            FieldInfo('arm', 1, 1, 'w', 0, 'Port state Armed.'),
            FieldInfo('activate', 2, 1, 'w', 0, 'Port state Active.'),
            FieldInfo('clear', 3, 1, 'w', 0, 'Zero PortCounters and their extension.'),
        ), 1, 4, '', 'Commands. A command that the port state does not know is ignored.'),
        RegInfo('lid', 0x0008, (
            FieldInfo('lid', 0, 16, 'rw', 0, 'LID; 0: not assigned.'),
            FieldInfo('lmc', 16, 3, 'rw', 0, 'LID mask count.'),
            FieldInfo('is_sm', 30, 1, 'rw', 0, 'With an agent: a subnet manager runs here (CapabilityMask.IsSM).'),
            FieldInfo('only', 31, 1, 'rw', 0, '1: packets for other unicast LIDs are dropped and counted; with an agent for others than its LID.'),
        ), 1, 4, '', 'Local identifier of the port.'),
        RegInfo('state', 0x000c, (
            FieldInfo('phys', 0, 4, 'r', None, '2 Polling, 3 Disabled, 4 Training, 5 LinkUp, 6 Recovery.'),
            FieldInfo('port', 4, 3, 'r', None, '1 Down, 2 Init, 3 Armed, 4 Active.'),
            FieldInfo('present', 8, 4, 'r', None, 'Lanes with a signal.'),
        ), 1, 4, '', 'State, with the numbers of PortInfo.'),
        RegInfo('shape', 0x0010, (
            FieldInfo('lanes', 0, 4, 'r', None, 'Lanes.'),
            FieldInfo('data_vls', 4, 4, 'r', None, 'Data VLs.'),
            FieldInfo('mtu_cap', 8, 3, 'r', None, 'Largest MTU, code 1 to 5.'),
            FieldInfo('symbols', 16, 4, 'r', None, 'Symbols per clock cycle, all lanes together.'),
        ), 1, 4, '', 'What is built.'),
        RegInfo('agent', 0x0014, (
            FieldInfo('lid', 0, 16, 'r', None, 'LID that a subnet manager has set.'),
            FieldInfo('lmc', 16, 3, 'r', None, 'LID mask count that it has set.'),
            FieldInfo('present', 31, 1, 'r', None, '1: there is an agent; it and not ctrl, command, lid, sl2vl and arb_* sets the port.'),
        ), 1, 4, '', 'Management agent of the port.'),
        RegInfo('sl2vl_lo', 0x0018, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'VL of SL 0 to 7, 4 bits each, SL 0 lowest; 15: drop.'),
        RegInfo('sl2vl_hi', 0x001c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'VL of SL 8 to 15.'),
        RegInfo('arb_high', 0x0020, (
            FieldInfo('weight', 0, 8, 'rw', 0, 'Blocks of 64 bytes; 0: entry not used.'),
            FieldInfo('vl', 8, 4, 'rw', 0, 'VL.'),
        ), 8, 4, '', 'VL arbitration, high-priority table.'),
        RegInfo('arb_low', 0x0040, (
            FieldInfo('weight', 0, 8, 'rw', 32, 'Blocks of 64 bytes; 0: entry not used.'),
            FieldInfo('vl', 8, 4, 'rw', 0, 'VL.'),
        ), 8, 4, '', 'VL arbitration, low-priority table.'),
        RegInfo('symbol_error', 0x0080, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Code violations while the link is up.'),
        RegInfo('link_error_recovery', 0x0084, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'The link retrained.'),
        RegInfo('link_downed', 0x0088, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Retraining failed, or the signal was lost.'),
        RegInfo('rcv_errors', 0x008c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Packets received with an error.'),
        RegInfo('rcv_remote_phys_errors', 0x0090, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Packets that ended with EBP.'),
        RegInfo('rcv_switch_relay_errors', 0x0094, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Zero in an endpoint.'),
        RegInfo('xmit_discards', 0x0098, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Packets that must not be sent: port inactive, or no VL.'),
        RegInfo('xmit_constraint_errors', 0x009c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Zero: there is no P_Key filter.'),
        RegInfo('rcv_constraint_errors', 0x00a0, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Zero: there is no P_Key filter.'),
        RegInfo('link_integrity_errors', 0x00a4, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'The LocalPhyErrors threshold was exceeded.'),
        RegInfo('buffer_overrun_errors', 0x00a8, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'The OverrunErrors threshold was exceeded.'),
        RegInfo('vl15_dropped', 0x00ac, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Packets of VL15 dropped for space.'),
        RegInfo('xmit_data', 0x00b0, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Words of 4 bytes sent in data packets, without VCRC.'),
        RegInfo('rcv_data', 0x00b4, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Words of 4 bytes received.'),
        RegInfo('xmit_pkts', 0x00b8, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Packets sent.'),
        RegInfo('rcv_pkts', 0x00bc, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Packets received.'),
        RegInfo('xmit_wait', 0x00c0, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycles in which a packet waited for credit and nothing was sent.'),
        RegInfo('bad_packet', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'VCRC, code violation, stray symbol, or no end.'),
        RegInfo('remote_bad', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Ended with EBP.'),
        RegInfo('bad_lver', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Link version is not 0.'),
        RegInfo('bad_length', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'PktLen is not the length, or out of range.'),
        RegInfo('bad_vl', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Data VL that is not in operation.'),
        RegInfo('wrong_state', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Data packet while the port was neither Armed nor Active.'),
        RegInfo('overrun', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'No space although there was credit.'),
        RegInfo('vl15_full', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'No space on VL15.'),
        RegInfo('bad_fc', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Link packet with a wrong CRC, length, operand or VL.'),
        RegInfo('bad_icrc', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Wrong ICRC.'),
        RegInfo('foreign', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Unicast LID of somebody else.'),
        RegInfo('mail_full', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'No space in the receive buffer of the mailbox.'),
        RegInfo('mail_bad', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet for which there was no space while software wrote it, not sent.'),
        RegInfo('mgmt_full', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'No space in front of the management agent.'),
        RegInfo('mgmt_bad_icrc', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Management packet for the agent with a wrong ICRC.'),
        RegInfo('mgmt_bad_packet', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Management packet for the agent whose length, headers, Q_Key or base version is wrong.'),
        RegInfo('mgmt_bad_route', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Management datagram with a wrong hop pointer, path or LID.'),
        RegInfo('mgmt_bad_m_key', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Datagram of subnet management with a wrong M_Key.'),
    ),
    'Settings and state of one port, PortCounters, and why packets were dropped.',
)
