# SPDX-License-Identifier: Apache-2.0
"""VLANs of a card as channels: where frames go, what their tags say, under back-pressure."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut, Frame
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

CHANNELS = 3


@pytest.fixture(scope="module", params=[64, 256])
def card(request: pytest.FixtureRequest) -> Dut:
    """Channels of the width of one lane, and as wide as the card."""
    card_w = max(128, request.param)
    return Dut.of_module(
        "kumi_nic_channels",
        {"CHANNELS": CHANNELS},
        interfaces={
            "s_card": {"DATA_W": card_w},
            "m_card": {"DATA_W": card_w},
            "*": {"DATA_W": request.param, "ID_W": 8, "DEST_W": 8},
        },
    )


def frame(rng: random.Random, vlan: int | None, length: int = 0, priority: int = 0) -> bytes:
    kind = 0x88B5 if vlan is None else 0x8100
    packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02", type=kind)
    if vlan is not None:
        packet /= Dot1Q(vlan=vlan, prio=priority, type=0x88B5)
    return bytes(packet / Raw(rng.randbytes(length or rng.randrange(42, 300))))


@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.3, 0.4)])
def test_each_vlan_is_a_channel(card: Dut, stalls: tuple[float, float]) -> None:
    card.restart()
    card.stall_all(*stalls)
    rng = random.Random(1)
    vlans = [None, *range(CHANNELS)]
    sent: list[list[bytes]] = [[] for _ in range(CHANNELS)]
    frames = []
    for n in range(60):
        vlan = rng.choice(vlans)
        data = frame(rng, vlan, length=42 + n, priority=n % 8)
        sent[vlan or 0].append(data)
        frames.append(data)
    card.send("s_card", frames)
    for channel, want in enumerate(sent):
        assert card.recv_data(f"m_packet[{channel}]", len(want)) == want


@pytest.mark.parametrize("vlan", [CHANNELS, 8, 256, 256 + 1, 4095])
def test_a_vlan_without_a_channel(card: Dut, vlan: int) -> None:
    """It comes out of channel 0 marked bad, whatever its length; those around it do not."""
    card.restart()
    rng = random.Random(vlan)
    for length in (42, 200):
        good = frame(rng, None, length)
        card.send("s_card", [good, frame(rng, vlan, length), good])
        got = card.recv("m_packet[0]", 3)
        assert [f.bad for f in got] == [False, True, False]
        assert got[0].data == got[2].data == good


def test_a_tag_gets_the_number_of_its_channel(card: Dut) -> None:
    card.restart()
    card.stall_all(0.2, 0.2)
    rng = random.Random(3)
    want = set()
    for channel in range(CHANNELS):
        for n in range(10):
            vlan = rng.choice([None, 0, 1, 7, 4095])
            data = frame(rng, vlan, priority=n % 8)
            card.send(f"s_packet[{channel}]", [data])
            packet = Ether(data)
            if vlan is not None:
                packet[Dot1Q].vlan = channel
            want.add(bytes(packet))
    assert set(card.recv_data("m_card", 10 * CHANNELS)) == want


def test_bad_frames_stay_bad(card: Dut) -> None:
    card.restart()
    rng = random.Random(4)
    card.send("s_card", [Frame(frame(rng, 1), bad=True)])
    assert card.recv("m_packet[1]", 1)[0].bad
    card.send("s_packet[2]", [Frame(frame(rng, 2), bad=True)])
    assert card.recv("m_card", 1)[0].bad
