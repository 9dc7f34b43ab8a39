# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `tcp_echo`. Generated from regs/tcp_echo.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'tcp_echo',
    'TECH',
    1,
    'TCP echo',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 1, 'Take connections; sessions that are open go on in any case.'),
        ), 1, 4, '', 'Control.'),
        RegInfo('port', 0x0004, (
            FieldInfo('value', 0, 16, 'rw', 0, 'Port; 0: the one the kernel was built with.'),
        ), 1, 4, '', 'TCP port to listen on.'),
        RegInfo('mode', 0x0008, (
            FieldInfo('value', 0, 2, 'rw', 3, '0 echo (RFC 862), 1 discard (RFC 863), 2 character generator (RFC 864), 3 what the kernel was built for.'),
        ), 1, 4, '', 'What to do with sessions.'),
        RegInfo('status', 0x000c, (
            FieldInfo('listening', 0, 1, 'r', None, 'The port is open.'),
            FieldInfo('reason', 4, 4, 'r', None, 'Last answer to listen (tcp_reason_e).'),
            FieldInfo('sessions', 16, 16, 'r', None, 'Sessions that are open or have unread data.'),
        ), 1, 4, '', 'State.'),
        RegInfo('bytes_lo', 0x0010, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes written to sessions, bits 31..0.'),
        RegInfo('bytes_hi', 0x0014, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes written to sessions, bits 63..32.'),
        RegInfo('discarded_lo', 0x0018, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes discarded, bits 31..0.'),
        RegInfo('discarded_hi', 0x001c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Bytes discarded, bits 63..32.'),
        RegInfo('current', 0x0020, (
            FieldInfo('port', 0, 16, 'r', None, 'Port.'),
            FieldInfo('mode', 16, 2, 'r', None, 'Mode.'),
        ), 1, 4, '', 'In use now.'),
        RegInfo('idle_limit', 0x0024, (
            FieldInfo('ms', 0, 23, 'rw', 300000, 'Milliseconds (of 1,024 us) after which a session in which no byte moved is aborted; 0: never.'),
        ), 1, 4, '', 'Idle sessions.'),
        RegInfo('opened', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Sessions opened.'),
        RegInfo('ended', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Sessions that have ended.'),
        RegInfo('writes', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Writes that were taken.'),
        RegInfo('no_space', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Writes refused for lack of space; retried.'),
        RegInfo('dead', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Writes refused because the session cannot be written any more.'),
        RegInfo('closes', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Sessions closed from this side.'),
        RegInfo('short_reads', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Reads that returned less than was announced: the session had been aborted.'),
        RegInfo('stray', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Notes about sessions that were never opened; ignored.'),
        RegInfo('idle_aborts', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Sessions aborted because no byte moved.'),
    ),
    'Sends every byte of every session back; or throws them away; or sends a pattern.',
)
