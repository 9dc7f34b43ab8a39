# SPDX-License-Identifier: Apache-2.0
"""The whole stack as an echo: latency, sustained rate, every length, and mutated frames."""

from __future__ import annotations

import random

import pytest
from ipbench import (
    ADDRESS,
    ICMP,
    IP,
    MAC,
    PEER,
    PEER_MAC,
    UDP,
    WIDTHS,
    Dot1Q,
    Dut,
    Ether,
    Frame,
    accounted,
    arp_reply,
    arp_request,
    checksum,
    ether,
    pad,
    payload,
    ping_frame,
    stack,
    sums_right,
    udp_frame,
)
from kumihimo.testing.sizes import by_size

pytestmark = pytest.mark.long  # all data widths

VARIANTS = [*((width, 0) for width in WIDTHS), (64, 1), (512, 1)]


def check_echo(frame: Frame, sent: bytes) -> None:
    """An answer has what was sent, with both ends exchanged and right checksums."""
    assert not frame.bad
    out, was = Ether(frame.data), Ether(sent)
    assert (out.dst, out.src) == (PEER_MAC, MAC)
    assert (Dot1Q in out) == (Dot1Q in was)
    if Dot1Q in was:
        assert bytes(out[Dot1Q])[:2] == bytes(was[Dot1Q])[:2]
    assert (out[IP].src, out[IP].dst, out[IP].ttl) == (ADDRESS, PEER, 64)
    # Records of other protocols carry the two bits of RFC 3168.
    assert out[IP].tos == (0 if was[IP].proto in (1, 17) else was[IP].tos & 3)
    assert out[IP].len == was[IP].len
    assert len(frame.data) == max(14 + 4 * (Dot1Q in was) + was[IP].len, 60 + 4 * (Dot1Q in was))
    assert sums_right(frame.data)
    data, before = bytes(out[IP].payload), bytes(was[IP].payload)
    data, before = data[: was[IP].len - 20], before[: was[IP].len - 20]
    if UDP in was:
        assert (out[UDP].sport, out[UDP].dport) == (was[UDP].dport, was[UDP].sport)
        assert data[6:] == before[6:]
    elif ICMP in was:
        assert data[0] == 0 and before[0] == 8
        assert data[4:] == before[4:]
    else:
        assert data == before


@pytest.mark.parametrize(("width", "store"), VARIANTS)
def test_every_length(width: int, store: int) -> None:
    """Every remainder of a beat, 0 to 200 bytes in the long run, and the longest payloads.

    Tagged or not, with and without random stalls.
    """
    rng = random.Random(width + store)
    dut = stack(width, echo=True, RX_STORE=store)
    for stalls in (False, True):
        dut.restart(width)
        dut.run(700)
        dut.recv("m_axis_eth0")
        dut.watch("ev")
        if stalls:
            dut.stall("s_axis_eth0", 0.3, seed=1)
            dut.stall("m_axis_eth0", 0.3, seed=2)
        sizes = [
            *range(0, by_size(42 + width // 8, 201)),
            510,
            511,
            512,
            513,
            1471,
            1472,
            8971,
            8972,
        ]
        rng.shuffle(sizes)
        frames = []
        for size in sizes:
            tag = rng.choice([None, None, rng.randrange(1 << 16)])
            kind = rng.randrange(6)
            if kind == 0:
                frames.append(ping_frame(payload(rng, size), rng.randrange(65536), 3, tag))
            elif kind == 1 and size >= 8:
                packet = IP(src=PEER, dst=ADDRESS, proto=253, tos=rng.randrange(256))
                frames.append(pad(bytes(ether(tag) / packet / payload(rng, size))))
            else:
                more = {"chksum": 0} if kind == 2 else {}
                frames.append(udp_frame(payload(rng, size), tag=tag, **more))
        dut.send("s_axis_eth0", frames)
        got = dut.recv("m_axis_eth0", len(frames), timeout_cycles=200_000)
        # Each kind keeps its order.
        protos = {1: [], 17: [], 253: []}  # type: dict[int, list[bytes]]
        for frame in frames:
            protos[Ether(frame)[IP].proto].append(frame)
        for out in got:
            check_echo(out, protos[Ether(out.data)[IP].proto].pop(0))
        counts = accounted(dut)
        assert counts["rx_frame"] == len(frames) == counts["tx_frame"]


@pytest.mark.parametrize("width", WIDTHS)
def test_latency(width: int) -> None:
    """First beat in to first beat out, with the echo kernel of wires."""
    dut = stack(width, echo=True)
    worst = 0
    for size in (18, 64, 1000, 8972):
        dut.send("s_axis_eth0", [udp_frame(bytes(size))])
        out = dut.recv("m_axis_eth0", 1)[0]
        worst = max(worst, out.cycle - dut.sent("s_axis_eth0")[-1][0])
        dut.run(50)
    print(f"echo latency at {width} bits: {worst} cycles")
    assert worst <= (16 if width == 128 else 15)
    dut.send("s_axis_eth0", [arp_request()])
    out = dut.recv("m_axis_eth0", 1)[0]
    last = dut.sent("s_axis_eth0")[-1]
    print(f"ARP request to reply: {out.cycle - last[0]} cycles, {out.cycle - last[1]} from its end")
    assert out.cycle - last[1] <= (20 if width == 128 else 19)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", [1, 18, 64, 1472, 8972])
def test_no_dead_cycles(width: int, size: int) -> None:
    """Frames back to back in come out back to back, not a cycle more."""
    dut = stack(width, echo=True)
    count = 300 if size < 1000 else 12
    frame = udp_frame((bytes(range(256)) * 36)[:size])
    beats = -(-len(frame) // (width // 8))
    dut.send("s_axis_eth0", [frame] * count)
    got = dut.recv("m_axis_eth0", count, timeout_cycles=count * beats + 400)
    assert got[-1].last_cycle - got[0].cycle + 1 == count * beats
    sent = dut.sent("s_axis_eth0")[-count:]
    assert sent[-1][1] - sent[0][0] + 1 == count * beats
    for out in got:
        check_echo(out, frame)


def mutate(rng: random.Random, frame: bytes) -> bytes:
    """One or two faults of the kinds a wire or a liar makes."""
    data = bytearray(frame)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        how = rng.randrange(9)
        if how == 0 and len(data) > 1:
            del data[rng.randrange(1, len(data)) :]
        elif how == 1:
            data += rng.randbytes(rng.choice([1, 3, 64, 300]))
        elif how == 2 and len(data) > 45:
            data[rng.randrange(0, 42)] = rng.randrange(256)
        elif how == 3:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif how == 4 and len(data) > 40:
            at = rng.choice([12, 14, 16, 18, 20, 22, 24, 38, 40])
            data[at : at + 2] = rng.randbytes(2)
        elif how == 5:
            data[12:12] = b"\x81\x00" + rng.randbytes(2)
        elif how == 6:
            data[12:12] = b"\x88\xa8" + rng.randbytes(2)
        elif how == 7 and len(data) > 40:
            data[16:18] = rng.choice([0, 19, 20, 21, 27, 28, 65535, len(data)]).to_bytes(2, "big")
        elif how == 8 and len(data) > 40:
            data[38:40] = rng.choice([0, 7, 8, 9, 65535, len(data)]).to_bytes(2, "big")
    if rng.random() < 0.6 and len(data) >= 34:
        data[24:26] = b"\0\0"
        data[24:26] = checksum(bytes(data[14:34])).to_bytes(2, "big")
    return bytes(data) or b"\x00"


@pytest.mark.parametrize(("width", "store"), VARIANTS)
def test_mutations(width: int, store: int) -> None:
    """Thousands of broken frames: each has one outcome, none hurts the next good one."""
    rng = random.Random(1000 + width + store)
    dut = stack(width, echo=True, RX_STORE=store)
    dut.stall("m_axis_eth0", 0.2, seed=3)
    dut.stall("s_axis_eth0", 0.1, seed=4)
    total = 0
    for _ in range(by_size(2, 4)):
        frames: list[Frame | bytes] = []
        for _ in range(400):
            size = rng.choice([0, 1, 5, 18, 19, 40, 100, 300])
            frame = rng.choice(
                [
                    udp_frame(payload(rng, size), tag=rng.choice([None, 5])),
                    ping_frame(payload(rng, size)),
                    arp_request(),
                    arp_reply(),
                    pad(bytes(ether() / IP(src=PEER, dst=ADDRESS, proto=6) / payload(rng, 20))),
                ]
            )
            frames.append(Frame(mutate(rng, frame), bad=rng.random() < 0.05))
        total += len(frames)
        dut.send("s_axis_eth0", frames)
        dut.drain()
        dut.run(3000)
        counts = accounted(dut)
        assert counts["rx_frame"] == total
        dut.recv("m_axis_eth0")
        sent = ping_frame(b"still there?" * 3)
        dut.send("s_axis_eth0", [sent])
        total += 1
        check_echo(dut.recv("m_axis_eth0", 1)[0], sent)
    dut.run(3000)
    counts = accounted(dut)
    sent_off = counts["rx_udp"] + counts["rx_raw"] + counts["rx_icmp"]
    left = counts["tx_udp"] + counts["tx_raw"] + counts["tx_icmp"]
    # Cut-through has begun some frames that turned out bad; they left marked.
    if store:
        assert counts["tx_bad"] == 0
        assert left + counts["tx_drop_length"] == sent_off
    else:
        assert left + counts["tx_drop_length"] == sent_off or counts["tx_bad"] > 0
        assert left <= sent_off
    seen = {name for name, n in counts.items() if n and name.startswith("drop_")}
    assert len(seen) >= 14, (len(seen), seen)


def test_jumbo_bytes_a_cycle() -> None:
    """8,972 bytes of payload at 512 bits: 141 cycles a frame, 63.6 bytes a cycle."""
    dut: Dut = stack(512, echo=True)
    frame = udp_frame(bytes(8972))
    dut.send("s_axis_eth0", [frame] * 10)
    got = dut.recv("m_axis_eth0", 10)
    assert got[-1].last_cycle - got[0].cycle + 1 == 1410
    assert 8972 * 10 / 1410 > 63.6
