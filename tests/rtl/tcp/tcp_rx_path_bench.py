# SPDX-License-Identifier: Apache-2.0
"""The receive path of the TCP engine; scapy builds the segments and parses them."""

from __future__ import annotations

import logging
import random
from dataclasses import dataclass
from functools import cache
from typing import Any

logging.getLogger("scapy").setLevel(logging.ERROR)

from kumihimo.testing import Dut, Frame  # noqa: E402
from kumihimo.testing.sizes import data_widths  # noqa: E402
from scapy.layers.inet import IP, TCP  # noqa: E402
from scapy.packet import Raw  # noqa: E402

WIDTHS = data_widths(64, 128, 256, 512)
ADDRESS = "10.77.0.10"
PEER = "10.77.0.99"
SECRET = 0x0F0E0D0C0B0A09080706050403020100
FIND, INSERT, DELETE, PORT = range(4)
CE = 3  # of the two bits of RFC 3168
HIGH = 55  # bits of a record beyond the 512 of a port


def number(address: str) -> int:
    """An IP address as the number a record holds."""
    a, b, c, d = (int(x) for x in address.split("."))
    return a << 24 | b << 16 | c << 8 | d


def dotted(address: int) -> str:
    """The other way."""
    return ".".join(str(address >> s & 255) for s in (24, 16, 8, 0))


@cache
def _build(params: tuple[tuple[str, int], ...]) -> Dut:
    width = dict(params)["DATA_W"]
    widths: dict[str, dict[str, int]] = {"*": {"DATA_W": width}}
    for name in ("hit", "miss"):
        widths[name] = {"W": 512}
        widths[f"{name}_high"] = {"W": HIGH}
    widths |= {"s_hdr": {"W": 124}, "s_table": {"W": 82}, "m_table": {"W": 50}}
    return Dut.of_module(
        "tests/rtl/tcp/kumi_t_tcp_rx_path.sv", params=dict(params), interfaces=widths
    )


def summed(segment: bytes, peer: str, address: str = ADDRESS) -> int:
    """The one's complement sum of a segment and its pseudo header: a number modulo 65535."""
    pseudo = number(peer) + number(address) + 6 + len(segment)
    return (pseudo + int.from_bytes(segment + bytes(len(segment) % 2), "big")) % 65535


def seal(segment: bytes, peer: str = PEER) -> bytes:
    """The segment with a correct checksum."""
    body = bytearray(segment)
    if len(body) >= 18:
        body[16:18] = b"\0\0"
        body[16:18] = (65535 - summed(bytes(body), peer)).to_bytes(2, "big")
    return bytes(body)


def segment(peer: str = PEER, payload: bytes = b"", **fields: Any) -> bytes:
    """A segment built by scapy, from the TCP header on."""
    packet = IP(src=peer, dst=ADDRESS) / TCP(**fields)
    if payload:
        packet /= Raw(payload)
    return bytes(packet)[20:]


def read_options(data: bytes) -> tuple[dict[str, int], bool]:
    """Parses options; also whether one was malformed (RFC 9293 3.1, 7323, 2018)."""
    out: dict[str, int] = {}
    at = 0
    while at < len(data) and data[at] != 0:
        kind = data[at]
        if kind == 1:
            at += 1
            continue
        size = data[at + 1] if at + 1 < len(data) else 0
        if size < 2 or at + size > len(data):
            return out, True
        value = data[at + 2 : at + size]
        if kind == 2 and size == 4:
            out |= {"mss_valid": 1, "mss": int.from_bytes(value, "big")}
        elif kind == 3 and size == 3:
            out |= {"ws_valid": 1, "ws": min(value[0], 14)}
        elif kind == 4 and size == 2:
            out["sack_ok"] = 1
        elif kind == 8 and size == 10:
            out |= {
                "ts_valid": 1,
                "ts_val": int.from_bytes(value[:4], "big"),
                "ts_ecr": int.from_bytes(value[4:], "big"),
            }
        elif kind == 5 and size in (10, 18, 26, 34):
            blocks = [int.from_bytes(value[i : i + 8], "big") for i in range(0, size - 2, 8)]
            out["sacks"] = len(blocks)
            kept = out.get("sack", 0) >> 64 * len(blocks) << 64 * len(blocks)
            out["sack"] = kept | sum(block << 64 * i for i, block in enumerate(blocks))
        at += size
    return out, False


@dataclass
class Want:
    """An expected record and its payload."""

    record: int
    payload: bytes


class Front:
    """The unit with its tables and the expected output."""

    def __init__(self, width: int, seed: int = 1, **params: int) -> None:
        """Just out of reset, tables cleared."""
        self.width = width
        params = {"DATA_W": width, "SESSIONS": 64, "PAYLOAD_BUF_BYTES": 32768, **params}
        self.dut = _build(tuple(sorted(params.items())))
        self.dut.restart(seed)
        dut = self.dut
        dut.set("enable", 1)
        dut.set("ip", number(ADDRESS))
        dut.set("secret", SECRET)
        dut.watch("ev")
        dut.run_until(lambda: dut.get("ready"), step=64)
        self.ip_hdr = dut.struct("ip_hdr_t")
        self.lookup_t = dut.struct("tcp_seg_lookup_t")
        self.places = {name: low for name, low, _ in self.lookup_t.rows}
        self.req_t = dut.struct("tcp_table_req_t")
        self.rsp_t = dut.struct("tcp_table_rsp_t")
        self.sessions: dict[tuple[int, int, int], int] = {}
        self.ports: set[int] = set()
        self.hits: list[Want] = []
        self.misses: list[Want] = []
        self.counts: dict[str, int] = {}
        self.ecn = random.Random(1)

    # ---- tables ---------------------------------------------------------------------------

    def ask(self, op: int, tuple_: tuple[int, int, int], sid: int = 0) -> dict[str, int]:
        """One operation of the table port: (peer address, peer port, own port)."""
        fields = {
            "op": op,
            "tuple.peer_ip": tuple_[0],
            "tuple.peer_port": tuple_[1],
            "tuple.local_port": tuple_[2],
            "sid": sid,
        }
        self.dut.send("s_table", self.req_t.pack(fields))
        return self.rsp_t.unpack(self.dut.recv("m_table", 1)[0].value)

    def insert(self, peer: str, peer_port: int, port: int, sid: int) -> None:
        """A session of the table."""
        key = (number(peer), peer_port, port)
        assert self.ask(INSERT, key, sid)["ok"] == 1
        self.sessions[key] = sid

    def listen(self, port: int) -> None:
        """An open port."""
        assert self.ask(PORT, (0, 0, port), 1)["ok"] == int(port in self.ports)
        self.ports.add(port)

    # ---- segments -------------------------------------------------------------------------

    def count(self, name: str) -> None:
        """Expect one more of this event."""
        self.counts[name] = self.counts.get(name, 0) + 1

    def send(
        self,
        data: bytes,
        peer: str = PEER,
        bad: bool = False,
        length: int | None = None,
        proto: int = 6,
    ) -> str:
        """Send a packet to the unit and record its expected outcome."""
        told = len(data) if length is None else length
        ecn = self.ecn.randrange(4)
        fields = {"peer_ip": number(peer), "proto": proto, "length": told, "ecn": ecn}
        self.dut.send("s_hdr", self.ip_hdr.pack(fields))
        if data:
            self.dut.send("s_axis", Frame(data, bad=bad))
        outcome = self.judge(data, peer, bad or told != len(data), proto, int(ecn == CE))
        self.count(outcome)
        return outcome

    def judge(self, data: bytes, peer: str, bad: bool, proto: int, ce: int = 0) -> str:
        """Expected outcome of a packet, regardless of space."""
        if proto != 6:
            return "drop_proto"
        if bad:
            return "drop_bad"
        if len(data) < 20:
            return "drop_short"
        offset = 4 * (data[12] >> 4)
        if not 20 <= offset <= len(data):
            return "drop_offset"
        if summed(data, peer) != 0:
            return "drop_checksum"
        options, malformed = read_options(data[20:offset])
        if malformed:
            self.count("bad_options")
        ports = int.from_bytes(data[:4], "big")
        record = {
            "seg.tuple.peer_ip": number(peer),
            "seg.tuple.peer_port": ports >> 16,
            "seg.tuple.local_port": ports & 0xFFFF,
            "seg.seq": int.from_bytes(data[4:8], "big"),
            "seg.ack": int.from_bytes(data[8:12], "big"),
            "seg.flags": data[13],
            "seg.wnd": int.from_bytes(data[14:16], "big"),
            "seg.len": len(data) - offset,
            "seg.ce": ce,
            "listen": int(ports & 0xFFFF in self.ports),
        }
        for name, value in options.items():
            record[f"seg.opts.{name}"] = value
        key = (number(peer), ports >> 16, ports & 0xFFFF)
        sid = self.sessions.get(key)
        if sid is not None:
            record |= {"hit": 1, "sid": sid}
            self.hits.append(Want(self.pack(record), data[offset:]))
            return "hit"
        record["hash"] = tuple_hash(key)
        self.misses.append(Want(self.pack(record), b""))
        return "miss"

    def pack(self, record: dict[str, int]) -> int:
        """A record as a number."""
        return sum(value << self.places[name] for name, value in record.items())

    # ---- what came out --------------------------------------------------------------------

    def records(self, name: str, count: int | None = None) -> list[int]:
        """Records of hit or miss: those available, or `count` of them."""
        low, high = self.dut.recv(name, count), self.dut.recv(f"{name}_high", count)
        return [a.value | b.value << 512 for a, b in zip(low, high, strict=True)]

    def check(self) -> None:
        """Exactly the expected records were received, and the counters add up."""
        self.dut.drain(2_000_000, 20)
        for name, wanted in (("hit", self.hits), ("miss", self.misses)):
            records = self.records(name, len(wanted))
            for i, (have, want) in enumerate(zip(records, wanted, strict=True)):
                assert have == want.record, f"{name} {i}: {self.explain(have, want.record)}"
        payloads = [w.payload for w in self.hits if w.payload]
        frames = [f.data for f in self.dut.recv("m_axis", len(payloads))]
        for i, (have_data, want_data) in enumerate(zip(frames, payloads, strict=True)):
            assert have_data == want_data, f"payload {i} of {len(want_data)} bytes"
        self.dut.run(30)
        for name in ("hit", "miss", "m_axis"):
            assert not self.dut.recv(name), name
        seen = {k: v for k, v in self.dut.counts("ev").items() if v}
        assert seen == self.counts, different(seen, self.counts)
        self.hits.clear()
        self.misses.clear()

    def explain(self, a: int, b: int) -> dict[str, tuple[Any, Any]]:
        """The fields in which two records differ."""
        return different(self.lookup_t.unpack(a), self.lookup_t.unpack(b))


def different(a: dict[str, int], b: dict[str, int]) -> dict[str, tuple[Any, Any]]:
    """The fields in which two records differ: (have, want)."""
    return {k: (a.get(k), b.get(k)) for k in sorted({*a, *b}) if a.get(k) != b.get(k)}


@cache
def siphash(key: bytes, message: bytes) -> int:
    """SipHash-2-4, straight from the paper."""
    mask = (1 << 64) - 1

    def rotl(v: int, n: int) -> int:
        return (v << n | v >> (64 - n)) & mask

    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]

    def rounds(n: int) -> None:
        for _ in range(n):
            v[0] = v[0] + v[1] & mask
            v[2] = v[2] + v[3] & mask
            v[1] = rotl(v[1], 13) ^ v[0]
            v[3] = rotl(v[3], 16) ^ v[2]
            v[0] = rotl(v[0], 32)
            v[2] = v[2] + v[1] & mask
            v[0] = v[0] + v[3] & mask
            v[1] = rotl(v[1], 17) ^ v[2]
            v[3] = rotl(v[3], 21) ^ v[0]
            v[2] = rotl(v[2], 32)

    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) & 255])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def tuple_hash(key: tuple[int, int, int]) -> int:
    """The keyed hash of a tuple."""
    message = number(ADDRESS).to_bytes(4, "big") + key[0].to_bytes(4, "big")
    message += key[1].to_bytes(2, "big") + key[2].to_bytes(2, "big")
    return siphash(SECRET.to_bytes(16, "little"), message) & 0xFFFFFFFF


def some_options(rng: random.Random) -> list[tuple[str, Any]]:
    """Options as stacks send them, for scapy."""
    linux_syn = [
        ("MSS", rng.randrange(65536)),
        ("SAckOK", b""),
        ("Timestamp", (rng.getrandbits(32), rng.getrandbits(32))),
        ("NOP", None),
        ("WScale", rng.randrange(15)),
    ]
    stamp = [
        ("NOP", None),
        ("NOP", None),
        ("Timestamp", (rng.getrandbits(32), rng.getrandbits(32))),
    ]
    blocks = tuple(rng.getrandbits(32) for _ in range(2 * rng.randint(1, 3)))
    sack = [("NOP", None), ("NOP", None), ("SAck", blocks)]
    windows = [
        ("MSS", 1460),
        ("NOP", None),
        ("WScale", 8),
        ("NOP", None),
        ("NOP", None),
        ("SAckOK", b""),
    ]
    return rng.choice([[], linux_syn, stamp, stamp + sack, sack, windows, [("MSS", 536)]])
