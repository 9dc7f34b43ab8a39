# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `sata`. Generated from regs/sata.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'sata',
    'SATA',
    1,
    'Serial ATA port',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 1, '0: the link is held in reset and every request is answered with NO_DEVICE.'),
            FieldInfo('queued', 1, 1, 'rw', 1, 'Use queued commands (NCQ) if the device supports them.'),
            FieldInfo('activate', 2, 1, 'rw', 1, 'Use DMA Setup auto-activate if the device supports it.'),
            FieldInfo('once', 3, 1, 'rw', 0, 'Serve one identification only. After another one the device may be a different one or have lost its write cache: every request is answered with NO_DEVICE, until this is 0 and COMRESET is sent.'),
            FieldInfo('cache', 4, 2, 'rw', 0, 'Write cache of the device: 1 enable, 2 disable, otherwise unchanged.'),
            FieldInfo('retries', 8, 2, 'rw', 2, 'Retries of a request after interface errors and time-outs.'),
            FieldInfo('depth', 16, 5, 'rw', 31, 'Maximum queue depth minus one.'),
        ), 1, 4, '', 'Settings. Queue settings take effect when a device is identified.'),
        RegInfo('limit', 0x0004, (
            FieldInfo('ticks', 0, 16, 'rw', 30000, 'Ticks.'),
        ), 1, 4, '', 'Command time-out.'),
        RegInfo('ready', 0x0008, (
            FieldInfo('ticks', 0, 16, 'rw', 30000, 'Ticks.'),
        ), 1, 4, '', 'Time-out for a device that answered COMRESET to become ready.'),
        RegInfo('absent', 0x000c, (
            FieldInfo('ticks', 0, 16, 'rw', 1000, 'Ticks.'),
        ), 1, 4, '', 'Time-out for an answer to COMRESET; then requests end with NO_DEVICE.'),
        RegInfo('command', 0x0010, (
            FieldInfo('comreset', 0, 1, 'w', 0, 'Send COMRESET; outstanding requests are issued again.'),
            FieldInfo('forget', 1, 1, 'w', 0, 'Send COMRESET and serve whatever disk answers: the one served before is forgotten.'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('status', 0x0014, (
            FieldInfo('present', 0, 1, 'r', None, 'A device answered the last COMRESET.'),
            FieldInfo('up', 1, 1, 'r', None, 'The link is up.'),
            FieldInfo('ready', 2, 1, 'r', None, 'Identified; requests are served.'),
            FieldInfo('unsupported', 3, 1, 'r', None, 'Not an ATA disk with 48-bit addressing.'),
            FieldInfo('queued', 4, 1, 'r', None, 'NCQ is in use.'),
            FieldInfo('trim', 5, 1, 'r', None, 'The device supports TRIM.'),
            FieldInfo('fua', 6, 1, 'r', None, 'The device supports FUA without NCQ.'),
            FieldInfo('rotating', 7, 1, 'r', None, 'Rotating medium.'),
            FieldInfo('depth', 8, 6, 'r', None, 'Queue depth in use.'),
            FieldInfo('stale', 14, 1, 'r', None, 'Identified again while `once` was set: not served.'),
            FieldInfo('exchanged', 15, 1, 'r', None, 'Serial or model number differ from those of the disk served before: not served, until that one is back or `forget` is written.'),
            FieldInfo('epoch', 16, 16, 'r', None, 'Identifications modulo 65536; after a change the device may be another one.'),
        ), 1, 4, '', 'Port and device state.'),
        RegInfo('sectors_lo', 0x0018, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sectors of 512 bytes, bits 31..0.'),
        RegInfo('sectors_hi', 0x001c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sectors of 512 bytes, bits 47..32.'),
        RegInfo('tick', 0x0020, (
            FieldInfo('cycles', 0, 32, 'r', None, 'Word-clock cycles per tick.'),
        ), 1, 4, '', 'Time base.'),
        RegInfo('rsp_ok', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: success.'),
        RegInfo('rsp_err', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: ERR without a known error bit.'),
        RegInfo('rsp_abrt', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: command aborted by the device.'),
        RegInfo('rsp_idnf', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: address not found.'),
        RegInfo('rsp_unc', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: uncorrectable medium error.'),
        RegInfo('rsp_icrc', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: interface errors, retries exhausted.'),
        RegInfo('rsp_df', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: device fault.'),
        RegInfo('rsp_timeout', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: time-out, retries exhausted.'),
        RegInfo('rsp_no_device', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: no device, not ready, or not an ATA disk.'),
        RegInfo('rsp_range', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: zero sectors, past the end, or an unknown operation.'),
        RegInfo('rsp_bad_data', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: write data marked bad or of the wrong length.'),
        RegInfo('rsp_short', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: data missing, retries exhausted.'),
        RegInfo('reissue', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Requests issued to the device again.'),
        RegInfo('ncq_log', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'NCQ error log pages read.'),
        RegInfo('recovery', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Error recoveries with COMRESET.'),
        RegInfo('cmd_timeout', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Commands that timed out.'),
        RegInfo('protocol_error', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes that are illegal in the current state.'),
        RegInfo('unexpected', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes without effect in the current state, ignored.'),
        RegInfo('data_in', 0x0148, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Data FISes received without error.'),
        RegInfo('data_out', 0x014c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Data FISes accepted by the device.'),
        RegInfo('identified', 0x0150, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Identifications.'),
        RegInfo('rx_good', 0x0154, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes received, R_OK.'),
        RegInfo('rx_bad', 0x0158, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes received, R_ERR.'),
        RegInfo('rx_abort', 0x015c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes received that were aborted.'),
        RegInfo('rx_overrun', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words lost because the device ignored HOLD.'),
        RegInfo('bad_word', 0x0164, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words with a decoding error while the link was up.'),
        RegInfo('link_timeout', 0x0168, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Link-layer time-outs.'),
        RegInfo('dead', 0x016c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'SYNC escapes without an answer; the link is reset.'),
        RegInfo('fis_retry', 0x0170, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Non-data FISes retransmitted.'),
        RegInfo('fis_drop', 0x0174, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Non-data FISes received with errors and dropped; the device retransmits them.'),
        RegInfo('init_retry', 0x0178, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Failed link initialisations.'),
        RegInfo('lost', 0x017c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Link losses.'),
    ),
    'Settings of one host port, identity of its device, event counters.',
)
