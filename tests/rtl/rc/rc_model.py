# SPDX-License-Identifier: Apache-2.0
"""A responder written from the rules (IBTA volume 1, clauses 9.7.3 to 9.7.5), on bytes of packets.

Packets are scapy's: BTH, and behind it RETH, AtomicETH, ImmDt as bytes. What the engine answers is
made into bytes as well and read with scapy's BTH and AETH.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from rc_bench import Packet
from scapy.contrib.roce import AETH, BTH, opcode
from scapy.packet import Raw


def code(name: str, transport: str = "RC") -> int:
    """Number of an opcode, by scapy."""
    return int(opcode(transport, name)[0])


PARTS = ["FIRST", "MIDDLE", "LAST", "LAST_WITH_IMMEDIATE", "ONLY", "ONLY_WITH_IMMEDIATE"]
SENDS = {code(f"SEND_{p}"): p for p in PARTS}
WRITES = {code(f"RDMA_WRITE_{p}"): p for p in PARTS}
READ_REQUEST = code("RDMA_READ_REQUEST")
ATOMICS = {code("COMPARE_SWAP"), code("FETCH_ADD")}


@dataclass
class Request:
    """A request as its sender sees it."""

    opcode: int
    psn: int
    payload: bytes = b""
    va: int = 0
    key: int = 0
    length: int = 0  # of the RETH
    compare: int = 0
    swap: int = 0
    imm: int = 0
    ack: int = 1
    qp: int = 2
    p_key: int = 0xFFFF

    def bytes(self) -> bytes:
        """From the BTH on, without padding and ICRC."""
        bth = BTH(
            opcode=self.opcode, pkey=self.p_key, dqpn=self.qp, ackreq=self.ack, psn=self.psn, icrc=0
        )
        part = SENDS.get(self.opcode, WRITES.get(self.opcode, ""))
        more = b""
        if self.opcode == READ_REQUEST or (
            self.opcode in WRITES and ("FIRST" in part or "ONLY" in part)
        ):
            more += struct.pack("!QII", self.va, self.key, self.length)
        if self.opcode in ATOMICS:
            more += struct.pack("!QIQQ", self.va, self.key, self.swap, self.compare)
        if "IMM" in part:
            more += struct.pack("!I", self.imm)
        return bytes(bth / Raw(more + self.payload))[:-4]


def record(data: bytes, addr: int) -> Packet:
    """What a wire makes of a packet's bytes."""
    op, _flags, p_key, qp, psn = struct.unpack("!BBHII", data[:12])
    hdr = {
        "path.addr": addr,
        "hdr.opcode": op,
        "hdr.p_key": p_key,
        "hdr.dest_qp": qp & 0xFFFFFF,
        "hdr.ack_req": psn >> 31,
        "hdr.psn": psn & 0xFFFFFF,
    }
    rest = data[12:]
    part = SENDS.get(op, WRITES.get(op, ""))
    if op == READ_REQUEST or (op in WRITES and ("FIRST" in part or "ONLY" in part)):
        hdr["hdr.va"], hdr["hdr.r_key"], hdr["hdr.dma_len"] = struct.unpack("!QII", rest[:16])
        rest = rest[16:]
    if op in ATOMICS:
        fields = ("hdr.va", "hdr.r_key", "hdr.swap_add", "hdr.compare")
        hdr.update(zip(fields, struct.unpack("!QIQQ", rest[:28]), strict=True))
        rest = rest[28:]
    if "IMM" in part:
        hdr["hdr.imm"] = struct.unpack("!I", rest[:4])[0]
        rest = rest[4:]
    return Packet(hdr, rest)


def answer(packet: Packet) -> tuple[int, int, int, bytes]:
    """Opcode, PSN, syndrome and content of an answer, by scapy."""
    hdr = packet.hdr
    data = bytes(BTH(opcode=hdr["hdr.opcode"], psn=hdr["hdr.psn"], icrc=0))[:-4]
    data += bytes(AETH(syndrome=hdr["hdr.syndrome"], msn=hdr["hdr.msn"]))
    bth = BTH(data + b"\0\0\0\0")
    syndrome = AETH(data[12:16]).syndrome
    content = packet.payload
    if bth.opcode == code("ATOMIC_ACKNOWLEDGE"):
        content = hdr["hdr.swap_add"].to_bytes(8, "little")
    if bth.opcode == code("RDMA_READ_RESPONSE_MIDDLE"):
        syndrome = 0
    return bth.opcode, bth.psn, syndrome, content


@dataclass
class Responder:
    """State of one queue pair, a region, and a memory that only the region's bytes matter of."""

    epsn: int
    mtu: int
    base: int
    memory: bytearray
    key: int
    buffers: list[int]  # lengths of the receives
    msg: str = ""
    va: int = 0
    left: int = 0
    count: int = 0
    told: bool = False  # a NAK for this gap is out
    dead: bool = False
    results: dict[int, bytes] = field(default_factory=dict)
    inbox: list[tuple[int, int, int]] = field(default_factory=list)  # status, length, imm
    text: bytearray = field(default_factory=bytearray)  # of the message under way
    texts: list[bytes] = field(default_factory=list)

    def inside(self, r: Request, va: int, length: int) -> bool:
        """Whether an access is."""
        return r.key == self.key and self.base <= va and va + length <= self.base + len(self.memory)

    def fail(self, psn: int, syndrome: int, status: int = 5) -> list[tuple[int, int, int, bytes]]:
        """A NAK that ends the connection."""
        self.dead = True
        self.inbox += [(status, 0, 0)] * bool(self.buffers)
        self.inbox += [(5, 0, 0)] * (len(self.buffers) - 1)
        self.buffers.clear()
        return [(code("ACKNOWLEDGE"), psn, syndrome, b"")]

    def read(self, r: Request) -> list[tuple[int, int, int, bytes]]:
        """The responses to a READ."""
        start = r.va - self.base
        data = bytes(self.memory[start : start + r.length]) if r.length else b""
        parts = [data[i : i + self.mtu] for i in range(0, r.length, self.mtu)] or [b""]
        names = ["MIDDLE"] * len(parts)
        names[-1], names[0] = "LAST", "FIRST"
        if len(parts) == 1:
            names = ["ONLY"]
        return [
            (
                code(f"RDMA_READ_RESPONSE_{name}"),
                r.psn + i & 0xFFFFFF,
                0 if name == "MIDDLE" else 0x1F,
                part,
            )
            for i, (name, part) in enumerate(zip(names, parts, strict=True))
        ]

    def take(self, r: Request) -> list[tuple[int, int, int, bytes]]:
        """The answers to a request."""
        ack = code("ACKNOWLEDGE")
        if self.dead or r.qp != 2 or r.p_key & 0x7FFF != 0x7FFF:
            return []
        behind = r.psn - self.epsn & 0xFFFFFF
        atomic = r.opcode in ATOMICS
        if behind >= 1 << 23:
            if (r.opcode == READ_REQUEST or atomic) and r.payload:
                return []
            if r.opcode == READ_REQUEST:
                return self.read(r) if not r.length or self.inside(r, r.va, r.length) else []
            if atomic:
                found = self.results.get(r.psn)
                good = found is not None and self.inside(r, r.va, 8)
                return [(code("ATOMIC_ACKNOWLEDGE"), r.psn, 0x1F, found or b"")] if good else []
            return [(ack, self.epsn - 1 & 0xFFFFFF, 0x1F, b"")]
        if behind:
            first, self.told = not self.told, True
            return [(ack, self.epsn, 0x60, b"")] if first else []
        return self.expected(r, atomic)

    def expected(self, r: Request, atomic: bool) -> list[tuple[int, int, int, bytes]]:
        """The answers to the request that is next."""
        ack = code("ACKNOWLEDGE")
        kind = "send" if r.opcode in SENDS else "write" if r.opcode in WRITES else ""
        part = SENDS.get(r.opcode, WRITES.get(r.opcode, "ONLY"))
        first, last = part.startswith(("FIRST", "ONLY")), part.startswith(("LAST", "ONLY"))
        size = len(r.payload)
        wrong = self.msg != ("" if first else kind)
        wrong |= size != self.mtu if not last else size > self.mtu or (not first and size == 0)
        wrong |= not kind and size > 0
        total = r.length if first else self.left
        if kind == "write":
            wrong |= size != total if last else size >= total
        wrong |= atomic and r.va % 8 != 0
        wrong |= r.opcode == READ_REQUEST and r.length > 1 << 31
        if wrong:
            return self.fail(r.psn, 0x61)
        if kind == "write":
            va, length = (r.va, r.length) if first else (self.va, size)
            seen = r if first else Request(0, 0, key=self.key)
            if length and not self.inside(seen, va, length):
                return self.fail(r.psn, 0x62)
        elif (atomic or (r.opcode == READ_REQUEST and r.length)) and not self.inside(
            r, r.va, 8 if atomic else r.length
        ):
            return self.fail(r.psn, 0x62)
        if ((kind == "send" and first) or (kind == "write" and "IMM" in part)) and not self.buffers:
            self.told = True
            return [(ack, r.psn, 0x21, b"")]
        if kind == "send" and size > (self.buffers[0] if first else self.left):
            return self.fail(r.psn, 0x61, 1)
        # It is executed.
        self.told = False
        packets = max(1, -(-r.length // self.mtu)) if r.opcode == READ_REQUEST else 1
        self.epsn = self.epsn + packets & 0xFFFFFF
        if r.opcode == READ_REQUEST:
            return self.read(r)
        if atomic:
            at = r.va - self.base
            old = int.from_bytes(self.memory[at : at + 8], "little")
            new = (old + r.swap) % (1 << 64)
            if r.opcode == code("COMPARE_SWAP"):
                new = r.swap if old == r.compare else old
            self.memory[at : at + 8] = new.to_bytes(8, "little")
            self.results[r.psn] = old.to_bytes(8, "little")
            return [(code("ATOMIC_ACKNOWLEDGE"), r.psn, 0x1F, self.results[r.psn])]
        if first:
            self.count, self.text = 0, bytearray()
        if kind == "write":
            at = (r.va if first else self.va) - self.base
            if size:
                self.memory[at : at + size] = r.payload
            self.va = self.base + at + size
            self.left = total - size
        else:
            self.left = (self.buffers[0] if first else self.left) - size
            self.text += r.payload
        self.count += size
        self.msg = "" if last else kind
        if last and (kind == "send" or "IMM" in part):
            self.buffers.pop(0)
            self.inbox.append((0, self.count, r.imm if "IMM" in part else 0))
            self.texts.append(bytes(self.text) if kind == "send" else b"")
        return [(ack, r.psn, 0x1F, b"")] if r.ack else []
