# SPDX-License-Identifier: Apache-2.0
"""A client of the NBD protocol, written from doc/proto.md; as strict as the document."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass, field

OPT_EXPORT_NAME, OPT_ABORT, OPT_LIST, OPT_STARTTLS, OPT_INFO, OPT_GO = 1, 2, 3, 5, 6, 7
OPT_STRUCTURED, OPT_LIST_META, OPT_SET_META = 8, 9, 10
READ, WRITE, DISC, FLUSH, TRIM, CACHE, ZEROES, STATUS = range(8)
FUA, NO_HOLE, DF, REQ_ONE = 1, 2, 4, 8
ACK, SERVER, INFO, META = 1, 2, 3, 4
ERR = 1 << 31


@dataclass
class Reply:
    """What came back for one request."""

    error: int = 0
    data: bytes = b""
    extents: list[tuple[int, int]] = field(default_factory=list)


class Nbd:
    """One connection."""

    def __init__(self, path: str) -> None:
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.s.settimeout(60)
        self.s.connect(path)
        self.structured = False
        self.size = self.flags = 0
        self.cookie = 0
        self.waiting: dict[int, tuple[int, int, int]] = {}

    def close(self) -> None:
        self.s.close()

    def take(self, n: int) -> bytes:
        out = b""
        while len(out) < n:
            part = self.s.recv(n - len(out))
            if not part:
                raise EOFError
            out += part
        return out

    def hello(self, flags: int = 3) -> None:
        magic, opt, have = struct.unpack(">8s8sH", self.take(18))
        assert (magic, opt, have) == (b"NBDMAGIC", b"IHAVEOPT", 3)
        self.s.sendall(struct.pack(">I", flags))

    def option(self, number: int, data: bytes = b"") -> list[tuple[int, bytes]]:
        """Sends an option; all its replies up to the last one."""
        self.s.sendall(b"IHAVEOPT" + struct.pack(">II", number, len(data)) + data)
        out = []
        while True:
            magic, echoed, kind, n = struct.unpack(">QIII", self.take(20))
            assert magic == 0x3E889045565A9 and echoed == number
            out.append((kind, self.take(n)))
            if kind == ACK or kind & ERR:
                return out

    def go(self, structured: bool = True, name: bytes = b"") -> Nbd:
        self.hello()
        if structured:
            assert self.option(OPT_STRUCTURED) == [(ACK, b"")]
            self.structured = True
            context = b"base:allocation"
            query = struct.pack(">I", len(name)) + name + struct.pack(">II", 1, len(context))
            assert self.option(OPT_SET_META, query + context) == [
                (META, struct.pack(">I", 1) + context),
                (ACK, b""),
            ]
        call = struct.pack(">I", len(name)) + name + struct.pack(">HH", 1, 3)
        replies = self.option(OPT_GO, call)
        assert replies[-1] == (ACK, b"")
        infos = {struct.unpack_from(">H", d)[0]: d for kind, d in replies if kind == INFO}
        _, self.size, self.flags = struct.unpack(">HQH", infos[0])
        assert struct.unpack(">HIII", infos[3])[1] == 1
        return self

    def send(self, kind: int, offset: int, length: int, data: bytes = b"", flags: int = 0) -> int:
        self.cookie += 1
        self.waiting[self.cookie] = (kind, offset, length)
        head = struct.pack(">IHHQQI", 0x25609513, flags, kind, self.cookie, offset, length)
        self.s.sendall(head + data)
        return self.cookie

    def receive(self) -> tuple[int, Reply]:
        (magic,) = struct.unpack(">I", self.take(4))
        reply = Reply()
        if magic == 0x67446698:
            reply.error, cookie = struct.unpack(">IQ", self.take(12))
            kind, _, length = self.waiting.pop(cookie)
            assert not (self.structured and kind == READ)
            if kind == READ and not reply.error:
                reply.data = self.take(length)
            return cookie, reply
        assert magic == 0x668E33EF and self.structured
        flags, what, cookie, n = struct.unpack(">HHQI", self.take(16))
        body = self.take(n)
        kind, offset, length = self.waiting.pop(cookie)
        assert flags == 1
        if what == 1:
            assert kind == READ and struct.unpack_from(">Q", body)[0] == offset
            reply.data = body[8:]
            assert len(reply.data) == length
        elif what == 5:
            assert kind == STATUS and struct.unpack_from(">I", body)[0] == 1
            reply.extents = list(struct.iter_unpack(">II", body[4:]))
        elif what == 32769:
            reply.error, text = struct.unpack_from(">IH", body)
            assert len(body) == 6 + text
        else:
            assert what == 0 and not body
        return cookie, reply

    def call(self, kind: int, offset: int, length: int, data: bytes = b"", flags: int = 0) -> Reply:
        cookie = self.send(kind, offset, length, data, flags)
        got, reply = self.receive()
        assert got == cookie
        return reply
