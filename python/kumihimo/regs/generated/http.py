# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `http`. Generated from regs/http.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'http',
    'HTTP',
    1,
    'HTTP',
    (
        RegInfo('ctrl', 0x0000, (
            FieldInfo('enable', 0, 1, 'rw', 1, 'Take connections; sessions that are open go on in any case.'),
        ), 1, 4, '', 'Control.'),
        RegInfo('port', 0x0004, (
            FieldInfo('value', 0, 16, 'rw', 80, 'Port.'),
        ), 1, 4, '', 'TCP port to listen on.'),
        RegInfo('limit', 0x0008, (
            FieldInfo('value', 0, 13, 'rw', 2048, 'Bytes of request line and headers; more is answered with 431.'),
        ), 1, 4, '', 'Size of requests.'),
        RegInfo('status', 0x000c, (
            FieldInfo('listening', 0, 1, 'r', None, 'The port is open.'),
            FieldInfo('reason', 4, 4, 'r', None, 'Last answer to listen (tcp_reason_e).'),
            FieldInfo('sessions', 16, 16, 'r', None, 'Sessions that are open or have unread data.'),
        ), 1, 4, '', 'State.'),
        RegInfo('idle_limit', 0x0010, (
            FieldInfo('ms', 0, 23, 'rw', 300000, 'Milliseconds (of 1,024 us) after which a session in which no byte moved is closed, or aborted in the middle of a request or response; 0: never.'),
        ), 1, 4, '', 'Idle sessions.'),
        RegInfo('wait_limit', 0x0014, (
            FieldInfo('ms', 0, 20, 'rw', 30000, 'Milliseconds (of 1,024 us) after which one is answered with 503; 0: never.'),
        ), 1, 4, '', 'Requests that wait for the kernel.'),
        RegInfo('turn_limit', 0x0018, (
            FieldInfo('ms', 0, 20, 'rw', 60000, 'Milliseconds (of 1,024 us) that it may be there while others wait; then it is answered with 503, or aborted in the middle of its response; 0: any time.'),
        ), 1, 4, '', 'The request at the kernel.'),
        RegInfo('raw', 0x001c, (
            FieldInfo('port', 0, 16, 'rw', 5101, 'TCP port; 0: none.'),
            FieldInfo('route', 16, 2, 'rw', 1, 'Target of the kernel that it takes the place of.'),
        ), 1, 4, '', 'Raw framing: 32 bits of length, most significant byte first, then as many bytes; the response in pieces of that form, ended by length 0.'),
        RegInfo('crowd', 0x0020, (
            FieldInfo('sessions', 0, 16, 'rw', 0, 'With more than this, new ones are answered with 503 and closed; 0: seven eighths of all.'),
            FieldInfo('idle_ms', 16, 16, 'rw', 5000, 'Milliseconds (of 1,024 us) that stand for idle_limit then, if that is longer.'),
        ), 1, 4, '', 'Many sessions.'),
        RegInfo('opened', 0x0100, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Sessions opened.'),
        RegInfo('ended', 0x0104, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Sessions that have ended.'),
        RegInfo('ok', 0x0108, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses 200.'),
        RegInfo('bad_request', 0x010c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses 400: malformed.'),
        RegInfo('not_found', 0x0110, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses 404: no such resource.'),
        RegInfo('not_allowed', 0x0114, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses 405: another method.'),
        RegInfo('too_large', 0x0118, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses 431: more than `limit` bytes.'),
        RegInfo('no_space', 0x011c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Writes refused for lack of space; retried.'),
        RegInfo('idle_ends', 0x0120, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Sessions ended because they were idle.'),
        RegInfo('unavailable', 0x0124, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses 503: too many sessions, or too long a wait for the kernel.'),
        RegInfo('rejected', 0x0128, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Responses 415, 416 and 422: content coding, range, malformed data.'),
        RegInfo('turn_ends', 0x012c, (
            FieldInfo('value', 0, 32, 'r', None, 'Events since reset, modulo 2^32.'),
        ), 1, 4, 'counters', 'Requests that had to leave the kernel because others waited.'),
    ),
    'Answers GET and HEAD of a few built-in resources over HTTP/1.1.',
)
