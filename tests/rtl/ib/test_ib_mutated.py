# SPDX-License-Identifier: Apache-2.0
"""Mutated packets through link, switch and agent: each raises its counter, the others arrive."""

from __future__ import annotations

import random
import struct
from collections import Counter

import pytest
from ib_mad import NODE_INFO, Mad
from ib_model import EBP, EGP, SDP, Header, Symbol, fc_symbols, icrc, idle, packet, skip_set, vcrc
from ib_pair import ACTIVE
from ib_site import END_LID, Site
from kumihimo.testing.sizes import by_size

# What a byte in the low end of the register adds to the rest of it.
TABLE = [struct.unpack("<H", vcrc(bytes([n ^ 0xFF])))[0] ^ 0xFF00 for n in range(256)]


def fast_vcrc(data: bytes) -> bytes:
    """ib_model.vcrc, a byte at a time."""
    crc = 0xFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return struct.pack("<H", crc ^ 0xFFFF)


CLASSES = {
    "good": 30, "flip": 25, "violation": 10, "lver": 5, "length": 6, "vl": 5, "route": 8, "ebp": 5,
    "icrc": 2, "version": 2, "hops": 2,
}  # fmt: skip


def mutated(rng: random.Random, psn: int) -> tuple[str, list[Symbol], int | None, bytes]:
    """A class, its symbols, the place of a code violation, and the packet."""
    kind = rng.choices(list(CLASSES), list(CLASSES.values()))[0]
    head = Header(dlid=END_LID, slid=1, opcode=4, psn=psn)
    if kind in ("icrc", "version", "hops"):
        mad = Mad(NODE_INFO, base_ver=1 + (kind == "version"), hop_ptr=9 * (kind == "hops"))
        data = mad.packet()
        if kind == "icrc":
            data = data[:-1] + bytes([data[-1] ^ 1 << rng.randrange(8)])
    else:
        if kind == "lver":
            head.lver = rng.randrange(1, 16)
        elif kind == "vl":
            head.vl = rng.randrange(1, 15)
        elif kind == "route":
            head.dlid = rng.choice([0, 6, 40, 0x1234, 0xBFFF, 0xC001, 0xFFFF])
        payload = rng.randbytes(rng.randrange(24))
        data = packet(payload, head)
        if kind == "length":
            words = rng.choice([0, 5, len(data) // 4 - 1, len(data) // 4 + 1, 2047])
            data = data[:4] + struct.pack(">H", words) + data[6:-4]
            data += icrc(data)
    body = data + fast_vcrc(data)
    if kind == "flip":
        at = rng.randrange(len(body))
        body = body[:at] + bytes([body[at] ^ 1 << rng.randrange(8)]) + body[at + 1 :]
    line = [(SDP, True), *((b, False) for b in body), (EBP if kind == "ebp" else EGP, True)]
    place = 1 + rng.randrange(len(body)) if kind == "violation" else None
    return kind, line, place, data


def expected(kinds: Counter[str]) -> dict[str, int]:
    """Counters by the standard: PortRcvErrors, PortRcvSwitchRelayErrors, and those of the agent."""
    return {
        "rcv_errors": sum(kinds[k] for k in ("flip", "violation", "lver", "length", "vl")),
        "rcv_switch_relay_errors": kinds["route"],
        "symbol_error": kinds["violation"],
        "link_downed": 0,
        "mgmt_bad_icrc": kinds["icrc"],
        "mgmt_bad_packet": kinds["version"],
        "mgmt_bad_route": kinds["hops"],
        "mgmt_bad_m_key": 0,
        "mgmt_no_manager": 0,
        "mgmt_refused": 0,
        "mgmt_relay": 0,
        "mgmt_discard": 0,
        "arrived": kinds["good"],
    }


def found(site: Site) -> dict[str, int]:
    names = ("rcv_errors", "rcv_switch_relay_errors", "symbol_error", "link_downed")
    counts = {name: site.switch[name].read_all()[0] for name in names}
    drops = site.drops("switch")
    drops.pop("mgmt_bad")  # flipped ones whose DLID has become the agent's; rcv_errors has them
    return counts | drops | {"arrived": site.end["rcv_pkts"].read()}


def test_fast_vcrc() -> None:
    rng = random.Random(1)
    for size in range(40):
        data = rng.randbytes(size)
        assert fast_vcrc(data) == vcrc(data)


PARTS = 20  # of 50,000 packets each, so that they can be run one by one


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(0, marks=pytest.mark.long),
        *(pytest.param(n, marks=pytest.mark.long(only=True)) for n in range(1, PARTS)),
    ],
)
def test_mutated_packets_are_counted(part: int) -> None:
    """Exact counts, whatever the order; 50,000 packets a part in the long form."""
    site = Site()
    count = by_size(2000, 50_000)
    rng = random.Random(100 + part)
    site.activate()
    site.settled()
    before = found(site)
    site.dut.set("script", 1)
    kinds: Counter[str] = Counter()
    for start in range(0, count, 1000):
        line: list[Symbol] = []
        bad = []
        for n in range(start, start + 1000):
            kind, symbols, place, _ = mutated(rng, n)
            if place is not None:
                bad.append(len(line) + place)
            kinds[kind] += 1
            line += symbols + idle(6 + rng.randrange(3)) + fc_symbols(0, 0, 2048)
            if n % 8 == 0:
                line += skip_set(4)
        site.symbols(line, bad)
        site.dut.run_until(lambda: site.dut.waiting("s_axis_line") == 0, 200_000, step=256)
    site.settled()
    after = found(site)
    assert {k: n - before[k] for k, n in after.items()} == expected(kinds), part
    assert [site.switch["state"].get("port", i) for i in (0, 1)] == [ACTIVE] * 2
    assert sum(kinds.values()) == count
    print(f"part {part}: {count} packets, {dict(kinds)}")
