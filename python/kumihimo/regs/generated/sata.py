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
            FieldInfo('enable', 0, 1, 'rw', 1, '0: the link is held in reset and all requests are answered with GONE.'),
            FieldInfo('queued', 1, 1, 'rw', 1, 'Use queued commands (NCQ) if the device can.'),
            FieldInfo('activate', 2, 1, 'rw', 1, 'Use auto-activate if the device can.'),
            FieldInfo('cache', 4, 2, 'rw', 0, 'Write cache of the device: 1 on, 2 off, else as it is.'),
            FieldInfo('retries', 8, 2, 'rw', 2, 'Repetitions of a request after line errors and time-outs.'),
            FieldInfo('depth', 16, 5, 'rw', 31, 'Requests at once in the device, less one.'),
        ), 1, 4, '', 'Settings. Those of the queue take effect when a device is identified.'),
        RegInfo('limit', 0x0004, (
            FieldInfo('ticks', 0, 16, 'rw', 30000, 'Ticks.'),
        ), 1, 4, '', 'Time limit of a command.'),
        RegInfo('ready', 0x0008, (
            FieldInfo('ticks', 0, 16, 'rw', 30000, 'Ticks.'),
        ), 1, 4, '', 'Time in which a device that has answered COMRESET must be ready.'),
        RegInfo('absent', 0x000c, (
            FieldInfo('ticks', 0, 16, 'rw', 1000, 'Ticks.'),
        ), 1, 4, '', 'Time in which a device must have answered COMRESET at all; then requests get GONE.'),
        RegInfo('command', 0x0010, (
            FieldInfo('restart', 0, 1, 'w', 0, 'Begin anew with COMRESET; requests under way are given again.'),
        ), 1, 4, '', 'Commands.'),
        RegInfo('status', 0x0014, (
            FieldInfo('present', 0, 1, 'r', None, 'A device answered the last COMRESET.'),
            FieldInfo('up', 1, 1, 'r', None, 'The link is up.'),
            FieldInfo('ready', 2, 1, 'r', None, 'Identified; requests are served.'),
            FieldInfo('foreign', 3, 1, 'r', None, 'The device is no ATA disk with 48-bit addresses.'),
            FieldInfo('queued', 4, 1, 'r', None, 'Queued commands are in use.'),
            FieldInfo('trim', 5, 1, 'r', None, 'The device knows TRIM.'),
            FieldInfo('fua', 6, 1, 'r', None, 'The device knows FUA without queue.'),
            FieldInfo('rotating', 7, 1, 'r', None, 'It rotates.'),
            FieldInfo('depth', 8, 6, 'r', None, 'Requests at once in the device.'),
            FieldInfo('epoch', 16, 16, 'r', None, 'Identifications, modulo 65536: another device may be there.'),
        ), 1, 4, '', 'State of port and device.'),
        RegInfo('sectors_lo', 0x0018, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sectors of 512 bytes, bits 31..0.'),
        RegInfo('sectors_hi', 0x001c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Sectors of 512 bytes, bits 47..32.'),
        RegInfo('tick', 0x0020, (
            FieldInfo('cycles', 0, 32, 'r', None, "Cycles of the port's word clock in a tick."),
        ), 1, 4, '', 'Time base.'),
        RegInfo('rsp_ok', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: done.'),
        RegInfo('rsp_err', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: error without a known bit.'),
        RegInfo('rsp_abrt', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: the device refused the command.'),
        RegInfo('rsp_idnf', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: address not found.'),
        RegInfo('rsp_unc', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: the medium could not be read.'),
        RegInfo('rsp_icrc', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: line errors, also after all repetitions.'),
        RegInfo('rsp_df', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: device fault.'),
        RegInfo('rsp_timeout', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: no answer, also after all repetitions.'),
        RegInfo('rsp_gone', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: no device, not ready, or no ATA disk.'),
        RegInfo('rsp_range', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: no sectors, beyond the last one, or an unknown operation.'),
        RegInfo('rsp_source', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', "Responses: the user's data were marked bad or had another length."),
        RegInfo('rsp_short', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses: data were missing, also after all repetitions.'),
        RegInfo('reissue', 0x0130, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Requests given to the device again.'),
        RegInfo('log', 0x0134, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Error logs of a queue read.'),
        RegInfo('recover', 0x0138, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Recoveries: everything begins anew with COMRESET.'),
        RegInfo('late', 0x013c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Time limits of commands that ran out.'),
        RegInfo('protocol', 0x0140, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes that a device may not send there.'),
        RegInfo('stray', 0x0144, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes without a meaning there, ignored.'),
        RegInfo('data_in', 0x0148, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Data FISes received good.'),
        RegInfo('data_out', 0x014c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Data FISes that the device took.'),
        RegInfo('ident', 0x0150, (
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
        ), 1, 4, 'counters', 'FISes received that broke off.'),
        RegInfo('rx_overrun', 0x0160, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words lost because the device ignored HOLD.'),
        RegInfo('bad_word', 0x0164, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Words broken on the line, while the link was up.'),
        RegInfo('link_timeout', 0x0168, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Waits of the link layer that ended by its clock.'),
        RegInfo('dead', 0x016c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'SYNC escapes without an answer: link reset.'),
        RegInfo('fis_retry', 0x0170, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes other than data sent again.'),
        RegInfo('fis_drop', 0x0174, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'FISes other than data received broken and dropped; the device sends them again.'),
        RegInfo('init_retry', 0x0178, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Starts of the link that did not succeed.'),
        RegInfo('lost', 0x017c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Losses of the link.'),
    ),
    'Settings of one host port, what its device is, and what became of requests and frames.',
)
