# SPDX-License-Identifier: Apache-2.0
"""The transmit path of the TCP engine; scapy parses the segments and their options."""

from __future__ import annotations

import logging
import random
from dataclasses import dataclass
from functools import cache
from typing import Any

logging.getLogger("scapy").setLevel(logging.ERROR)

from kumihimo.testing import Dut  # noqa: E402
from kumihimo.testing.sizes import data_widths  # noqa: E402
from scapy.layers.inet import IP, TCP  # noqa: E402
from scapy.utils import checksum  # noqa: E402

WIDTHS = data_widths(64, 128, 256, 512)
ADDRESS = "10.77.0.10"
SESSIONS = 16
BASE = 0x100000
ECT0 = 2
HIGH = 20  # bits of a record beyond the 512 of a port
FLAGS = ("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr")


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
    return Dut.of_module(
        "tests/rtl/tcp/kumi_t_tcp_tx_path.sv",
        params=dict(params),
        interfaces={
            "*": {"DATA_W": width},
            "s_tx": {"W": 512},
            "s_tx_high": {"W": HIGH},
            "m_hdr": {"W": 124},
        },
    )


@dataclass
class Want:
    """An expected segment."""

    record: dict[str, int]
    payload: bytes


class Out:
    """The unit with full rings of random bytes."""

    def __init__(self, width: int, seed: int = 1, ring: int = 16384, **params: int) -> None:
        """Just out of reset."""
        self.width = width
        self.ring = ring
        self.dut = _build(tuple(sorted({"DATA_W": width, "TX_RING": ring, **params}.items())))
        self.dut.restart(seed)
        self.dut.set("ip", number(ADDRESS))
        self.dut.set("ring_base", BASE)
        self.dut.watch("ev")
        self.tx_t = self.dut.struct("tcp_tx_t")
        self.ip_t = self.dut.struct("ip_hdr_t")
        self.memory = self.dut.memory("m_axi")
        rng = random.Random(seed)
        self.rings = rng.randbytes(SESSIONS * ring)
        self.memory.write(BASE, self.rings)
        self.wanted: list[Want] = []

    def payload(self, sid: int, seq: int, length: int) -> bytes:
        """The bytes of a ring, around its end."""
        at = seq % self.ring
        own = self.rings[sid * self.ring : (sid + 1) * self.ring]
        return (own + own)[at : at + length]

    def send(self, expect: bool = True, **fields: int) -> None:
        """Send a record to the unit; `expect`: it must be sent."""
        value = self.tx_t.pack(fields)
        self.dut.send("s_tx", value & (1 << 512) - 1)
        self.dut.send("s_tx_high", value >> 512)
        if expect:
            data = self.payload(fields.get("sid", 0), fields.get("seq", 0), fields.get("len", 0))
            self.wanted.append(Want(fields, data))

    def check(self, timeout: int = 200_000) -> list[Any]:
        """Every expected segment was sent, in order and as scapy parses it."""
        count = len(self.wanted)
        frames = self.dut.recv("m_axis", count, timeout)
        headers = self.dut.recv("m_hdr", count, timeout)
        for i, want in enumerate(self.wanted):
            fields = self.ip_t.unpack(headers[i].value)
            examine(frames[i].data, fields, want)
            assert not frames[i].bad
        self.wanted.clear()
        self.dut.drain(timeout, 10)
        self.dut.run_until(lambda: not self.dut.get("busy"), timeout, 10, "busy falls")
        self.dut.run(10)
        assert not self.dut.recv("m_axis") and not self.dut.recv("m_hdr")
        return frames

    def counts(self) -> dict[str, int]:
        """Events so far."""
        return {k: v for k, v in self.dut.counts("ev").items() if v}


def linux_options(r: dict[str, int]) -> list[tuple[str, Any]]:
    """The options of a record, as Linux would write them, for scapy."""
    out: list[tuple[str, Any]] = []
    nop = ("NOP", None)
    if r.get("opts.mss_valid"):
        out.append(("MSS", r["opts.mss"]))
    stamp = ("Timestamp", (r.get("opts.ts_val", 0), r.get("opts.ts_ecr", 0)))
    if r.get("opts.ts_valid"):
        out += [("SAckOK", b"")] if r.get("opts.sack_ok") else [nop, nop]
        out.append(stamp)
    elif r.get("opts.sack_ok"):
        out += [nop, nop, ("SAckOK", b"")]
    if r.get("opts.ws_valid"):
        out += [nop, ("WScale", r["opts.ws"])]
    blocks = r.get("opts.sacks", 0)
    if r.get("opts.mss_valid") or r.get("opts.ws_valid"):
        blocks = 0
    if r.get("opts.ts_valid"):
        blocks = min(blocks, 3)
    if blocks:
        sides: list[int] = []
        for i in range(blocks):
            block = r["opts.sack"] >> 64 * i & (1 << 64) - 1
            sides += [block >> 32, block & 0xFFFFFFFF]
        out += [nop, nop, ("SAck", tuple(sides))]
    return out


def examine(data: bytes, fields: dict[str, int], want: Want) -> None:
    """A packet against its record."""
    r = want.record
    peer = dotted(r.get("tuple.peer_ip", 0))
    assert fields["length"] == len(data) and fields["proto"] == 6
    assert fields["ecn"] == (ECT0 if r.get("ect", 0) else 0)
    assert dotted(fields["peer_ip"]) == peer and fields["peer_mac_valid"] == 0
    flags = sum(r.get(f"flags.{name}", 0) << i for i, name in enumerate(FLAGS))
    packet = TCP(
        sport=r.get("tuple.local_port", 0),
        dport=r.get("tuple.peer_port", 0),
        seq=r.get("seq", 0),
        ack=r.get("ack", 0),
        flags=flags,
        window=r.get("wnd", 0),
        urgptr=0,
        options=linux_options(r),
    )
    whole = bytes(IP(src=ADDRESS, dst=peer) / packet / want.payload)[20:]
    # One's complement has two zeros: compare all but the checksum, and check that by its sum.
    assert data[:16] + data[18:] == whole[:16] + whole[18:]
    pseudo = bytes(IP(src=ADDRESS, dst=peer))[12:20] + bytes([0, 6])
    assert checksum(pseudo + len(data).to_bytes(2, "big") + data) == 0


def random_record(rng: random.Random, lengths: list[int], ring: int) -> dict[str, int]:
    """Any record."""
    r = {
        "tuple.peer_ip": rng.getrandbits(32),
        "tuple.peer_port": rng.randrange(65536),
        "tuple.local_port": rng.randrange(65536),
        "seq": rng.choice([rng.getrandbits(32), ring - rng.randrange(64), rng.randrange(64)]),
        "ack": rng.getrandbits(32),
        "wnd": rng.randrange(65536),
        "len": rng.choice(lengths),
        "sid": rng.randrange(SESSIONS),
        "ect": rng.randrange(2),
    }
    for name in FLAGS:
        r[f"flags.{name}"] = rng.randrange(2)
    kind = rng.randrange(5)
    if kind == 1:
        for name in ("mss_valid", "ws_valid", "ts_valid", "sack_ok"):
            r[f"opts.{name}"] = rng.randrange(2)
        r["opts.mss"] = rng.randrange(65536)
        r["opts.ws"] = rng.randrange(15)
    elif kind > 1:
        r["opts.ts_valid"] = rng.randrange(2)
        r["opts.sacks"] = rng.randrange(5) if kind > 2 else 0
        r["opts.sack"] = rng.getrandbits(256)
    r["opts.ts_val"] = rng.getrandbits(32)
    r["opts.ts_ecr"] = rng.getrandbits(32)
    return r
