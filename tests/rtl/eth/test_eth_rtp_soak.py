# SPDX-License-Identifier: Apache-2.0
"""Everything that can happen to associations, at random, while messages flow both ways.

Endpoints restart, fall silent, take nothing for a while, leave; peers are taken out of the table
and entered again; frames are lost, doubled, late, and come again long after. Whatever is delivered
whole must be right, in order and delivered once, and at the end all must work again.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable

import pytest
from kumihimo.testing import Frame as Message
from rtp_endpoint_bench import Bench, address, its_number, pad, transport, value

NUMBERS = (0, 1, 3)
NOBODY = (1 << 48) - 1


def message(rng: random.Random, count: int) -> bytes:
    """A message whose contents follow from its number."""
    size = rng.choice([8, 60, 544, 545, 3000, 9000])
    return struct.pack(">Q", count) + random.Random(count).randbytes(size)


def check(segments: Iterable[tuple[bool, bool, bool, bytes]]) -> int:
    """Whole messages among segments (bad, first, last, data); how many."""
    part: bytes | None = None
    last, whole = 0, 0
    for bad, first, ends, data in segments:
        if bad:
            part = None
            continue
        assert first == (part is None), "a message within another, or without its beginning"
        part = data if part is None else part + data
        if ends:
            number = struct.unpack(">Q", part[:8])[0]
            assert number > last, "twice, or out of order"
            assert part[8:] == random.Random(number).randbytes(len(part) - 8)
            last, part, whole = number, None, whole + 1
    return whole


@pytest.mark.parametrize(("seed", "width", "chance"), [(14, 64, 0.1), (25, 256, 0.02), (7, 256, 0)])
def test_soak(seed: int, width: int, chance: float) -> None:
    rng = random.Random(seed)
    times = {"rto_init": 300, "rto_min": 100, "rto_max": 1000, "probe_interval": 300}
    bench = Bench(transport(width, **times), width, numbers=NUMBERS)
    bench.open()
    bench.dut.stall_all(rng.choice([0, 0.2]), 0.2, seed=seed)

    def line(_: bytes) -> list[int]:
        if rng.random() < chance:
            return []
        delay = 64 + (rng.randrange(800) if rng.random() < 0.1 else 0)
        return [delay, rng.randrange(64, 5000)] if rng.random() < chance else [delay]

    bench.to_end = bench.to_dut = line
    count = 0
    earlier: dict[int, list] = {n: [] for n in NUMBERS}  # what endpoints before a restart got
    listed = set(NUMBERS)

    def disturb(n: int) -> None:
        chance = rng.random()
        if chance < 0.02:
            earlier[n].append(bench.ends[n].delivered)
            bench.ends[n] = bench.endpoint(n, 0x20000 + count)
            if rng.random() < 0.5:
                bench.ends[n].open(its_number(n))
        elif chance < 0.04:
            bench.link(n).hold = not bench.link(n).hold
        elif chance < 0.05:
            bench.ends[n].bye(its_number(n))
        elif chance < 0.07:
            bench.silent ^= {n}
        elif chance < 0.09:
            listed.symmetric_difference_update({n})
            bench.dut.send("set_peer", n << 48 | (value(address(n)) if n in listed else NOBODY))
        elif chance < 0.12:
            for frame in rng.sample(bench.into, min(10, len(bench.into))):
                bench.throw(pad(frame), rng.randrange(3000))

    while bench.now < 120_000:
        bench.run(rng.randrange(32, 1500))
        for n in NUMBERS:
            count += 2
            if bench.link(n).up and len(bench.link(n).queue) < 30:
                bench.ends[n].send(its_number(n), message(rng, count))
            if bench.dut.waiting("s_msg") < 5:
                bad = rng.random() < 0.05
                bench.dut.send("s_msg", Message(message(rng, count + 1), dest=n, bad=bad))
        disturb(rng.choice(NUMBERS))

    bench.silent.clear()
    for n in NUMBERS:
        bench.link(n).hold = False
        if n not in listed:
            bench.set_peers(n)
    bench.dut.stall_all(0, 0)
    bench.to_end = bench.to_dut = lambda _: [64]
    bench.run(60_000)
    bench.until(lambda: not bench.dut.get("busy"), 200_000)
    for n in NUMBERS:
        got = [(u & 1, u >> 1 & 1, u >> 2 & 1, d) for p, u, d in bench.segments if p == n]
        assert check((bool(a), bool(b), bool(c), d) for a, b, c, d in got) > 5
        for delivered in [*earlier[n], bench.ends[n].delivered]:
            check((s.bad, s.first, s.last, s.data) for _, s in delivered)
        bench.dut.send("s_msg", Message(b"there%d" % n, dest=n))
        bench.ends[n].send(its_number(n), b"back%d" % n)
    bench.run(6000)
    for n in NUMBERS:
        assert bench.ends[n].delivered[-1][1].data == b"there%d" % n
        assert [d for p, _, d in bench.segments if p == n][-1] == b"back%d" % n
    assert len(bench.status) > 6
