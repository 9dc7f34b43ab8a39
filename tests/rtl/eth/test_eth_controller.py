# SPDX-License-Identifier: Apache-2.0
"""Ethernet controller: messages to frames and back; scapy and struct know the frames."""

from __future__ import annotations

import random

import pytest
from controller_bench import (
    HEADER,
    OTHER,
    OWN,
    PEER,
    Info,
    Piece,
    controller,
    cut,
    events,
    fresh,
    number,
    pad,
    record,
)
from kumihimo.testing import Dut, Frame
from kumihimo.testing.sizes import data_widths
from scapy.contrib.mac_control import MACControlPause
from scapy.layers.l2 import ARP, Ether

pytestmark = pytest.mark.long  # all data widths

WIDTHS = data_widths(64, 128, 256, 512)
STALLS = [(0.0, 0.0), (0.3, 0.4)]
RATIOS = [(3158, 3200), (3200, 3158), (5000, 3200), (3200, 9000)]


def lengths(width: int, mtu: int) -> list[int]:
    """Message sizes at every edge."""
    word = width // 8
    room = max((mtu - HEADER) // word * word, word)
    near = [0, word - HEADER % word, word, 2 * word, room, 2 * room, 3 * room]
    return sorted({n + d for n in near for d in (-1, 0, 1, 2) if n + d > 0})


def send(dut: Dut, message: bytes, peer: str = PEER) -> None:
    """One message from the kernel."""
    dut.send("set_dest_addr_count", record(peer, len(message)))
    dut.send("send_data", message)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("store", [1, 0])
def test_send(width: int, store: int) -> None:
    """Every frame has the correct header, is no longer than the MTU, and no byte is lost."""
    rng = random.Random(width)
    dut = controller(width, TX_STORE=store, RX_STORE=store)
    for mtu in (100, 300) if width == 512 else (64, 300):
        for rx, tx in STALLS:
            fresh(dut)
            dut.set("cfg_mtu", mtu)
            dut.stall_all(rx, tx, seed=mtu)
            messages = [rng.randbytes(n) for n in lengths(width, mtu)]
            expect = []
            for i, message in enumerate(messages):
                send(dut, message)
                expect += [p.bytes() for p in cut(message, width, mtu, i, PEER, OWN)]
            assert max(map(len, expect)) <= mtu
            out = dut.recv("m_mac", len(expect), 200_000)
            for frame, want in zip(out, expect, strict=True):
                Piece.parse(frame.data)
                assert frame.data == want and not frame.bad
                if store and not tx:
                    assert frame.last_cycle - frame.cycle == frame.beats - 1
            dut.drain()
            assert events(dut, "tx_ev") == {"frame": len(expect), "message": len(messages)}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("store", [1, 0])
def test_receive(width: int, store: int) -> None:
    """Messages of every size from scapy's frames, padded as a MAC does, back to back."""
    rng = random.Random(width)
    dut = controller(width, TX_STORE=store, RX_STORE=store)
    for mtu in (100, 300) if width == 512 else (64, 300):
        for rx, tx in STALLS:
            fresh(dut)
            dut.stall_all(rx, tx, seed=mtu)
            dut.stall("s_mac", rx / 3)
            messages = [rng.randbytes(n) for n in lengths(width, mtu)]
            done = 0
            for i, message in enumerate(messages):
                for piece in cut(message, width, mtu, i):
                    dut.send("s_mac", pad(piece.bytes()))
                if i % 8 == 7:
                    done += 8
                    check(dut, messages[done - 8 : done], done - 8)
            check(dut, messages[done:], done)
            total = sum(len(cut(m, width, mtu, 0)) for m in messages)
            dut.drain()
            assert events(dut, "rx_ev") == {"ok": total}


def check(dut: Dut, messages: list[bytes], start: int) -> None:
    """These messages are delivered with their records."""
    out = dut.recv("receive_data", len(messages), 200_000)
    infos = dut.recv("receive_info", len(messages), 1000)
    for i, (frame, message, info) in enumerate(zip(out, messages, infos, strict=True)):
        assert frame.data == message and not frame.bad
        have = Info.of(info)
        assert (have.addr, have.left, have.first) == (number(PEER), len(message), 1)
        assert have.number == (start + i) & 0xFF


@pytest.mark.parametrize(("kernel_ps", "mac_ps"), RATIOS)
@pytest.mark.parametrize("width", [64, 256])
def test_clocks(width: int, kernel_ps: int, mac_ps: int) -> None:
    """Loopback at several clock ratios; a stored frame has no gap."""
    rng = random.Random(kernel_ps)
    for store in (1, 0):
        dut = controller(width, kernel_ps, mac_ps, TX_STORE=store, RX_STORE=store)
        messages = [rng.randbytes(rng.choice([1, 8, 60, 1476, 3000, 9000])) for _ in range(40)]
        for i, message in enumerate(messages):
            send(dut, message, OWN)
            for frame in dut.recv("m_mac", len(cut(message, width, 1500, i)), 200_000):
                if store:
                    assert frame.last_cycle - frame.cycle == frame.beats - 1
                dut.send("s_mac", pad(frame.data))
            assert dut.recv_data("receive_data", 1, 200_000) == [message]


def test_source_address() -> None:
    """set_source_addr sets the source address and the receive filter."""
    dut = controller(256)
    for mac in (OTHER, PEER, "ae:01:02:03:04:05"):
        dut.send("set_source_addr", number(mac))
        dut.run(30)
        send(dut, b"x" * 100, OWN)
        assert Piece.parse(dut.recv_data("m_mac", 1)[0]).src == mac
        for dst in (OWN, mac):
            dut.send("s_mac", pad(Piece(dst, PEER, True, True, 0, 3, b"abc").bytes()))
        assert dut.recv_data("receive_data", 1) == [b"abc"]
    dut.drain()
    dut.run(1000)
    assert events(dut, "rx_ev") == {"ok": 3, "not_ours": 3}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stalls", STALLS)
def test_bad_messages(width: int, stalls: tuple[float, float]) -> None:
    """Data too short or too long for its count, or bad: the other messages are complete."""
    rng = random.Random(width)
    for store in (1, 0):
        dut = controller(width, TX_STORE=store, RX_STORE=store)
        dut.set("cfg_mtu", 300)
        dut.stall_all(*stalls, seed=width)
        expect = []
        counts = {"short_": 0, "long_": 0, "message": 0, "empty": 0}
        for _ in range(150):
            size = rng.randrange(1, 900)
            data = rng.randbytes(size)
            kind = rng.choice(["good", "short", "long", "bad", "empty"])
            if kind == "empty":
                dut.send("set_dest_addr_count", record(PEER, 0))
                counts["empty"] += 1
                data = b""
            elif kind == "bad":
                dut.send("set_dest_addr_count", record(PEER, size))
                dut.send("send_data", Frame(data, bad=True))
                counts["short_"] += 1
            else:
                claim = size
                if kind == "short":
                    claim += rng.choice([1, 2, 40, 700])
                    counts["short_"] += 1
                elif kind == "long" and size > 1:
                    claim = max(1, size - rng.choice([1, 2, 40, 600]))
                    counts["long_"] += 1
                dut.send("set_dest_addr_count", record(PEER, claim))
                dut.send("send_data", data)
                if claim <= size:
                    expect.append(data[:claim])
                    counts["message"] += 1
        dut.drain()
        dut.run(3000)
        have, part = [], b""
        for frame in dut.recv("m_mac"):
            if frame.bad:
                assert not store
                continue
            piece = Piece.parse(frame.data)
            assert len(frame.data) <= 300
            part = piece.data if piece.first else part + piece.data
            if piece.last:
                have.append(part)
        assert have == expect
        got = events(dut, "tx_ev")
        assert {k: got.get(k, 0) for k in counts} == counts


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("store", [1, 0])
@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.1, 0.4)])
def test_bad_frames(width: int, store: int, stalls: tuple[float, float]) -> None:
    """Foreign, bad, truncated and misplaced frames between good messages; each is counted."""
    rng = random.Random(width + store)
    dut = controller(width, TX_STORE=store, RX_STORE=store)
    dut.stall_all(*stalls, seed=width)
    want = dict.fromkeys(("ok", "bad", "control", "not_ours", "foreign", "malformed"), 0)
    expect = []
    for i in range(200):
        piece = Piece(OWN, PEER, True, True, i, 0, rng.randbytes(rng.choice([1, 5, 36, 90, 300])))
        piece.left = len(piece.data)
        raw = piece.bytes()
        kind = rng.choice(["ok", "ok", *want])
        frame = Frame(pad(raw))
        if kind == "bad":
            frame.bad = True
        elif kind == "control":
            dst = rng.choice(["01:80:c2:00:00:01", OWN])
            frame = Frame(pad(bytes(Ether(dst=dst, src=PEER) / MACControlPause(pause_time=9))))
        elif kind == "not_ours":
            other = rng.choice([OTHER, "ff:ff:ff:ff:ff:ff", "02:00:00:00:01:0a"])
            frame = Frame(pad(bytes.fromhex(other.replace(":", "")) + raw[6:]))
        elif kind == "foreign":
            arp = bytes(Ether(dst=OWN, src=PEER) / ARP())
            frame = Frame(pad(rng.choice([arp, raw[:14] + b"\x23" + raw[15:]])))
        elif kind == "malformed":
            size = len(piece.data)
            bad_size = raw[:16] + bytes([0xFF, 0xFF]) + raw[18:]
            zero = raw[:16] + bytes(2) + raw[18:]
            left = raw[:20] + (size + 1).to_bytes(4, "big") + raw[24:]
            runt = raw[: rng.randrange(1, 24)]
            short = raw[: rng.randrange(24, 24 + size)]
            data = rng.choice([bad_size, zero, left, runt, short])
            if len(data) < 6 or data[:6] != raw[:6]:
                data = runt
            frame = Frame(data)
        want[kind] += 1
        dut.send("s_mac", frame)
        if kind == "ok":
            expect.append(piece.data)
        if i % 10 == 9:
            dut.drain()
    dut.drain()
    dut.run(1000)
    out = dut.recv("receive_data")
    assert [f.data for f in out if not f.bad] == expect
    assert not store or not any(f.bad for f in out)
    assert events(dut, "rx_ev") == {k: v for k, v in want.items() if v}
    assert dut.stats("s_mac")["rx_wait"] == 0
