# SPDX-License-Identifier: Apache-2.0
"""RTP: messages through a network that loses, duplicates, delays and corrupts frames."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing.sizes import data_widths
from rtp_core_bench import UP, Header, Net


class Rough:
    """An adverse network: shares of frames that are lost, duplicated, delayed, corrupted."""

    def __init__(self, lose: float, double: float, delay: float, corrupt: float) -> None:
        self.shares = lose, double, delay, corrupt
        self.counts = [0, 0, 0, 0]

    def __call__(self, net: Net, source: int, frame: bytes) -> list[tuple[int, bytes]]:
        hits = [net.rng.random() < share for share in self.shares]
        for i, hit in enumerate(hits):
            self.counts[i] += hit
        lose, double, delay, corrupt = hits
        if lose:
            return []
        if corrupt:  # what a MAC marks bad, it does not pass on; a runt that it missed
            target = int.from_bytes(frame[:6], "big") & 1
            cut = bytearray(frame[: net.rng.randrange(1, len(frame) + 1)])
            cut[net.rng.randrange(len(cut))] ^= 1 << net.rng.randrange(8)
            net.inject(target, bytes(cut), bad=True)
            return []
        out = [(net.rng.randrange(2000) if delay else 0, frame)]
        if double:
            out.append((net.rng.randrange(3000), frame))
        return out


def talk(net: Net, count: int, sizes: list[int], seed: int) -> list[list[tuple[int, bytes]]]:
    """Messages from every core to all others; the expected messages by receiver and sender."""
    rng = random.Random(seed)
    expect: list[list[tuple[int, bytes]]] = [[] for _ in range(net.cores)]
    for _ in range(count):
        source = rng.randrange(net.cores)
        target = rng.choice([i for i in range(net.cores) if i != source])
        message = rng.randbytes(rng.choice(sizes))
        net.send(source, target, message)
        expect[target].append((source, message))
    return expect


def arrived(net: Net, expect: list[list[tuple[int, bytes]]]) -> None:
    """Wait for them; each pair of cores has its own order."""
    net.until(
        lambda: all(len(b.messages) >= len(e) for b, e in zip(net.inbox, expect, strict=True))
    )
    for box, want in zip(net.inbox, expect, strict=True):
        for source in range(net.cores):
            assert [m for m in box.messages if m[0] == source] == [
                m for m in want if m[0] == source
            ]
        assert len(box.messages) == len(want)
        assert not box.broken and not box.open


SIZES = [1, 2, 3, 31, 32, 33, 34, 35, 64, 65, 500, 1469, 1470, 1471, 4000]


@pytest.mark.long
@pytest.mark.parametrize("width", data_widths(64, 128, 256, 512))
@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.3, 0.4)])
def test_good_network(width: int, stalls: tuple[float, float]) -> None:
    """Without loss nothing is sent twice, at all widths, both ways at once."""
    net = Net(width=width, stalls=stalls, cfg={"rto_init": 2000, "rto_min": 2000}, seed=width)
    net.join()
    arrived(net, talk(net, 60, SIZES, width))
    for core in range(2):
        events = net.events(core)
        assert not {k for k in events if k[:3] in ("rx_", "tx_")} - {
            *("tx_data", "tx_message", "tx_ack", "tx_hello"),
            *("rx_data", "rx_ack", "rx_hello"),
        }
        assert events["tx_hello"] <= 3
    assert all(Header.parse(f) for _, f in net.sent)


@pytest.mark.parametrize(
    ("width", "shares"),
    [
        (64, (0.1, 0.0, 0.0, 0.0)),
        (256, (0.1, 0.1, 0.1, 0.1)),
        (512, (0.0, 0.0, 0.5, 0.0)),
        (128, (0.0, 0.3, 0.3, 0.0)),
        (256, (0.3, 0.1, 0.1, 0.1)),
    ],
)
def test_rough_network(width: int, shares: tuple[float, float, float, float]) -> None:
    """Every byte arrives once and in order."""
    net = Net(width=width, seed=7, cfg={"max_timeouts": 15})
    net.join()
    net.fate = rough = Rough(*shares)
    arrived(net, talk(net, 120, SIZES, 3))
    assert sum(rough.counts) > 20
    assert all(b.status == [(1 - i, UP)] for i, b in enumerate(net.inbox))
