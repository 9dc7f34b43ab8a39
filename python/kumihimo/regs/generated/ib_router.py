# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `ib_router`. Generated from regs/ib_router.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'ib_router',
    'IBRT',
    1,
    'SW2 to InfiniBand router',
    (
        RegInfo('node', 0x0000, (
            FieldInfo('value', 0, 16, 'rw', 0, 'SW2 node number.'),
        ), 1, 4, '', 'Number of this node. Peers have the same numbers in the tables of all routers.'),
        RegInfo('timers', 0x0004, (
            FieldInfo('timeout', 0, 12, 'rw', 128, 'Time without an answer before the first retransmission; 2, 4, then 8 times as long before the next ones.'),
            FieldInfo('rnr_wait', 12, 12, 'rw', 20, 'Wait after an RNR NAK.'),
            FieldInfo('retries', 28, 3, 'rw', 7, 'Retransmissions in a row without an answer, then the peer is dead.'),
        ), 1, 4, '', 'Retransmission; in steps of 64 cycles.'),
        RegInfo('service', 0x0008, (
            FieldInfo('sl0', 0, 4, 'rw', 0, 'Channel 0.'),
            FieldInfo('sl1', 4, 4, 'rw', 0, 'Channel 1.'),
            FieldInfo('sl2', 8, 4, 'rw', 0, 'Channel 2.'),
            FieldInfo('sl3', 12, 4, 'rw', 0, 'Channel 3.'),
        ), 1, 4, '', 'Service level of each SW2 channel.'),
        RegInfo('shape', 0x000c, (
            FieldInfo('peers', 0, 8, 'r', None, "Peers, this node's own number included."),
            FieldInfo('kicks', 8, 8, 'r', None, 'Kick pages.'),
            FieldInfo('windows', 16, 8, 'r', None, 'Windows.'),
            FieldInfo('regions', 24, 8, 'r', None, 'Regions.'),
        ), 1, 4, '', 'What is built.'),
        RegInfo('peer_address', 0x0010, (
            FieldInfo('lid', 0, 16, 'rw', 0, 'LID.'),
            FieldInfo('p_key', 16, 16, 'rw', 65535, 'P_Key.'),
        ), 1, 4, '', 'Address of the peer that `peer` writes.'),
        RegInfo('peer_qp', 0x0014, (
            FieldInfo('qpn', 0, 24, 'rw', 4096, "The peer's queue pair for this node and channel 0: 0x1000 + 4 * number of this node."),
        ), 1, 4, '', 'Queue pair of the peer that `peer` writes.'),
        RegInfo('peer', 0x0018, (
            FieldInfo('index', 0, 8, 'rw', 0, 'Number of the peer.'),
            FieldInfo('enable', 8, 1, 'rw', 0, '0: packets from and for it are dropped.'),
            FieldInfo('write', 31, 1, 'w', 0, 'Write it.'),
        ), 1, 4, '', 'Write an entry of the table of peers; its connections begin again. Not while status.peer_busy.'),
        RegInfo('status', 0x001c, (
            FieldInfo('peer_busy', 0, 1, 'r', None, 'An entry of the table of peers is being written.'),
            FieldInfo('store_busy', 1, 1, 'r', None, 'A store is waiting or on its way into the interface.'),
            FieldInfo('store_refused', 2, 1, 'r', None, 'The last store was refused.'),
            FieldInfo('sending', 3, 1, 'r', None, 'Packets are on their way, or wait for an answer.'),
            FieldInfo('arriving', 4, 1, 'r', None, 'Packets of peers are on their way to memory.'),
        ), 1, 4, '', 'What is in progress.'),
        RegInfo('dead', 0x0020, (
            FieldInfo('value', 0, 32, 'r', None, 'A bit a peer, the lowest number lowest.'),
        ), 2, 4, '', 'Peers that have not answered.'),
        RegInfo('entry_lo', 0x0028, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Entry that `entry` writes, bits 31..0.'),
        RegInfo('entry_mid', 0x002c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Bits 63..32.'),
        RegInfo('entry_hi', 0x0030, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Bits 95..64.'),
        RegInfo('entry', 0x0034, (
            FieldInfo('index', 0, 7, 'rw', 0, 'Kick page, window or region.'),
            FieldInfo('sel', 8, 2, 'rw', 0, '0 kick pages, 1 windows, 2 regions.'),
            FieldInfo('write', 31, 1, 'w', 0, 'Write it.'),
        ), 1, 4, '', 'Write an entry of a table of the network interface.'),
        RegInfo('store', 0x0040, (
            FieldInfo('addr', 0, 20, 'rw', 0, 'Address of the word of 8 bytes: bit 19 clear: kick page [18:12], set: window [18:12].'),
            FieldInfo('strobes', 24, 8, 'rw', 255, 'Bytes of the word that are stored.'),
        ), 1, 4, '', 'Place of a store in the address map of the interface.'),
        RegInfo('store_lo', 0x0044, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Value set by software.'),
        ), 1, 4, '', 'Data of the store, bytes 3..0.'),
        RegInfo('store_hi', 0x0048, (
            FieldInfo('value', 0, 32, 'w', 0, 'Data.'),
        ), 1, 4, '', 'Bytes 7..4; writing it begins the store. While status.store_busy it is lost and counted.'),
        RegInfo('window', 0x004c, (
            FieldInfo('busy', 0, 32, 'r', None, 'A bit a window, window 0 lowest.'),
        ), 1, 4, '', 'Windows whose command has not been sent whole.'),
        RegInfo('store_cycle', 0x0050, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', "Cycle since reset (id.cycles, low word) in which the interface took the last store's data."),
        RegInfo('written_cycle', 0x0054, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Cycle since reset in which memory took the last beat written by a peer.'),
        RegInfo('sent', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'SW2 packets sent into the fabric, the first time.'),
        RegInfo('resent', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'Retransmitted.'),
        RegInfo('received', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'SW2 packets received from the fabric and given on.'),
        RegInfo('acks_sent', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'ACKs, those for duplicates too.'),
        RegInfo('naks_sent', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'NAKs for a gap.'),
        RegInfo('rnrs_sent', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'RNR NAKs for a channel without space.'),
        RegInfo('naks_received', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'NAKs received.'),
        RegInfo('rnrs_received', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'RNR NAKs received.'),
        RegInfo('timed_out', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'Retransmissions for want of an answer.'),
        RegInfo('written', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', "Packets written into this node's regions."),
        RegInfo('corrected_up', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'Flits with a wrong bit corrected on the way to the router.'),
        RegInfo('corrected_down', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'traffic', 'Flits with a wrong bit corrected on the way from the router.'),
        RegInfo('store_refused', 0x0200, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Store to a page that is not enabled, beyond its limit, or with strobes that are not a run.'),
        RegInfo('window_refused', 0x0204, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Store to a window that is busy or not enabled, or of less than a word.'),
        RegInfo('kick_refused', 0x0208, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Command with a wrong operation, length, offset or local place.'),
        RegInfo('read_error', 0x020c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet of an RDMA write that memory answered with an error.'),
        RegInfo('store_lost', 0x0210, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Store written while another one was in progress.'),
        RegInfo('wrong_node', 0x0214, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'SW2 packet for another node.'),
        RegInfo('bad_operation', 0x0218, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'SW2 packet with an unknown operation, or whose length is not that of its head.'),
        RegInfo('bad_region', 0x021c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'SW2 packet for a region that is not enabled, or of another process group.'),
        RegInfo('out_of_bounds', 0x0220, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', "SW2 packet that would pass its region's limit."),
        RegInfo('write_error', 0x0224, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Beat that memory answered with an error.'),
        RegInfo('died', 0x0228, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Connections whose retransmissions are used up, or that a NAK has ended; their packets are gone.'),
        RegInfo('stale_ack', 0x022c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Answers to nothing that is open.'),
        RegInfo('duplicate', 0x0230, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet received a second time, acknowledged again.'),
        RegInfo('gap', 0x0234, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet received before one that is missing.'),
        RegInfo('no_space', 0x0238, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Packet for a channel without space; its sender repeats it.'),
        RegInfo('bad_icrc', 0x023c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Wrong ICRC.'),
        RegInfo('bad_header', 0x0240, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'LNH, link or transport version, opcode, padding or PktLen.'),
        RegInfo('bad_lid', 0x0244, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', "DLID is not this port's, or SLID not the peer's."),
        RegInfo('bad_qp', 0x0248, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Queue pair that belongs to no enabled peer.'),
        RegInfo('bad_pkey', 0x024c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', "P_Key is not the peer's."),
        RegInfo('bad_payload', 0x0250, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'No SW2 packet, or not of the length in its head.'),
        RegInfo('answer_lost', 0x0254, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'ACK or NAK for which there was no space; costs a time-out.'),
        RegInfo('unknown_peer', 0x0258, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'SW2 packet for a node that is not in the table.'),
        RegInfo('dead_peer', 0x025c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'SW2 packet for a dead peer.'),
        RegInfo('up_uncorrectable', 0x0260, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Flit with two wrong bits on the way to the router.'),
        RegInfo('up_framing', 0x0264, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Flit out of place or lost on the way to the router.'),
        RegInfo('up_bad_packet', 0x0268, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'SW2 packet with missing flits, or of an illegal length, on the way to the router.'),
        RegInfo('up_stray', 0x026c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Flit outside a packet on the way to the router.'),
        RegInfo('up_overrun', 0x0270, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'No space although the sender was stopped, on the way to the router.'),
        RegInfo('down_uncorrectable', 0x0274, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Flit with two wrong bits on the way from the router.'),
        RegInfo('down_framing', 0x0278, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Flit out of place or lost on the way from the router.'),
        RegInfo('down_bad_packet', 0x027c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'SW2 packet with missing flits, or of an illegal length, on the way from the router.'),
        RegInfo('down_stray', 0x0280, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'Flit outside a packet on the way from the router.'),
        RegInfo('down_overrun', 0x0284, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'drops', 'No space although the sender was stopped, on the way from the router.'),
    ),
    'Peers, tables of the SW2 network interface, stores, and why packets were dropped.',
)
