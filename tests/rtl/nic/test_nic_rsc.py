# SPDX-License-Identifier: Apache-2.0
"""Coalescing of received segments (VIRTIO_NET_F_GUEST_TSO4, _TSO6): what comes, cut again.

Every packet that the card has joined is cut to segments of gso_size, with scapy's checksums, and
has to be what was sent.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

import pytest
from kumihimo.testing import Dut, Frame
from kumihimo.testing.virtio import GUEST_CSUM, GUEST_TSO4, GUEST_TSO6, Driver
from nic_bench import CONTROL, MAC, PAIRS, frame
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrFragment
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

SIZE = 128  # of the ring
VERSIONS = pytest.mark.parametrize("v6", [False, True], ids=["v4", "v6"])
Got = tuple[bytes, bytes]  # virtio_net_hdr, packet


class Card:
    """A card with a driver that takes packets of several segments."""

    def __init__(self, dut: Dut, packed: bool = False, coalesce: bool = True) -> None:
        dut.restart()
        dut.set("mac", MAC)
        dut.memory("m_axi_host").configure(latency_cycles=40, reorder=True)
        self.dut = dut
        self.driver = driver = Driver(dut, packed=packed, coalesce=coalesce)
        for number in range(2 * PAIRS + 1):
            driver.queue(number, SIZE if number == 0 else 16)
        driver.start()
        self.queue = driver.queues[0]
        self.where: dict[int, tuple[int, int]] = {}
        self.fill(SIZE, 1600)

    def fill(self, count: int, size: int) -> None:
        """So many buffers more."""
        for _ in range(count):
            addr = self.driver.place(size)
            self.where[self.driver.add(self.queue, [(addr, size, True)])] = (addr, size)
        self.driver.publish(self.queue)
        self.dut.run(600)

    def receive(self, frames: Sequence[bytes | Frame]) -> list[Got]:
        """What the driver gets of frames that come back to back."""
        self.dut.send("s_axis_eth0", list(frames))
        self.dut.run(1000 + sum(len(f) // 50 + 5 for f in map(_data, frames)))
        self.driver.take(self.queue)
        out: list[Got] = []
        count = 0
        while self.queue.done:
            count, data = 1, b""
            while count:
                head, used = self.queue.done.pop(0)
                addr, size = self.where[head]
                if not data:
                    count = struct.unpack("<H", self.driver.memory.read(addr + 10, 2))[0]
                data += self.driver.memory.read(addr, used)
                count -= 1
                assert used == size or not count  # all but the last are full
            out.append((data[:12], data[12:]))
        self.fill(len(self.queue.free), 1600)
        return out


def _data(item: bytes | Frame) -> bytes:
    return item if isinstance(item, bytes) else bytes(item.data)


def again(data: bytes) -> bytes:
    """A packet with scapy's lengths and checksums."""
    packet = Ether(data)
    del packet[TCP].chksum
    if IPv6 in packet:
        del packet[IPv6].plen
    else:
        del packet[IP].chksum, packet[IP].len
    return bytes(packet)


def cut(header: bytes, data: bytes) -> list[bytes]:
    """The segments of a packet."""
    flags, kind, length, size, start, offset, _ = struct.unpack("<BBHHHHH", header)
    if kind == 0:
        assert (length, size, start, offset) == (0, 0, 0, 0) and flags in (0, 2)
        return [data]
    whole = Ether(data)
    right = Ether(again(data))
    if IPv6 in whole:
        assert (flags, kind, start, offset) == (1, 4, 54, 16)
        assert whole[IPv6].plen == len(data) - 54
    else:
        assert (flags, kind, start, offset) == (1, 1, 34, 16)
        assert whole[IP].len == len(data) - 14
        assert whole[IP].chksum == right[IP].chksum
    assert length == start + 4 * whole[TCP].dataofs
    # The checksum as the header wants it.
    rest = data[start:] + bytes(len(data) % 2)
    total = sum(struct.unpack(f"!{len(rest) // 2}H", rest))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    assert total ^ 0xFFFF == right[TCP].chksum
    out = []
    payload = data[length:]
    assert len(payload) > size
    for at in range(0, len(payload), size):
        segment = Ether(data[:length] + payload[at : at + size])
        if IP in segment:
            segment[IP].id += len(out)
        segment[TCP].seq = (segment[TCP].seq + at) & 0xFFFFFFFF
        if at + size < len(payload):
            segment[TCP].flags = str(segment[TCP].flags).replace("P", "")
        out.append(again(bytes(segment)))
    return out


class Sender:
    """A TCP sender of one flow."""

    def __init__(self, rng: random.Random, port: int, options: int = 3, v6: bool = False) -> None:
        self.rng = rng
        self.ip = IP(src="10.0.0.1", dst="10.0.0.2", id=rng.getrandbits(16), flags="DF", ttl=64)
        if v6:
            ends = [f"fd00::{rng.getrandbits(16):x}:{n}" for n in (1, 2)]
            self.ip = IPv6(src=ends[0], dst=ends[1], fl=rng.getrandbits(20), tc=1, hlim=64)
        stamps = [("NOP", None), ("NOP", None), ("Timestamp", (rng.getrandbits(32), 77))]
        some = {
            0: [],
            1: [("NOP", None)] * 4,
            2: [("SAckOK", b"")] + [("NOP", None)] * 6,
            3: stamps,
        }
        self.tcp = TCP(
            sport=port, dport=80, seq=rng.getrandbits(32), ack=rng.getrandbits(32), flags="A",
            window=500, options=some[options],
        )  # fmt: skip

    def next(self, length: int, flags: str = "A") -> bytes:
        """The next segment."""
        self.tcp.flags = flags
        packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:42") / self.ip / self.tcp
        out = bytes(packet / Raw(self.rng.randbytes(length)))
        self.tcp.seq = (self.tcp.seq + length) & 0xFFFFFFFF
        if isinstance(self.ip, IP):
            self.ip.id = (self.ip.id + 1) & 0xFFFF
        return out


@VERSIONS
def test_segments_become_one_packet(nic: Dut, v6: bool) -> None:
    """Headers and payloads that end at any place of a beat."""
    card = Card(nic)
    lengths = [
        (n, options) for options in range(4) for n in (1, 9, (42 if v6 else 10) - 4 * options % 10)
    ]
    lengths += [(62, 0), (50, 3), (536, 3), (1448, 3)]
    for length, options in lengths:
        sender = Sender(random.Random(length), 4000, options, v6)
        frames = [sender.next(length) for _ in range(3)] + [sender.next(max(1, length - 3), "PA")]
        got = card.receive(frames)
        assert len(got) == 1, (length, options)
        assert cut(*got[0]) == frames
        assert struct.unpack("<H", got[0][0][4:6])[0] == length
        assert Ether(got[0][1])[TCP].flags == "PA"


@VERSIONS
def test_where_a_packet_ends(nic: Dut, packed: bool, v6: bool) -> None:
    card = Card(nic, packed)
    sender = Sender(random.Random(1), 4000, v6=v6)

    def counts(frames: list[bytes]) -> list[int]:
        got = [cut(*g) for g in card.receive(frames)]
        assert [f for part in got for f in part] == frames
        return [len(part) for part in got]

    # PSH; a smaller segment; a larger one; 8 KiB.
    assert counts([sender.next(500, "PA" if n == 2 else "A") for n in range(5)]) == [3, 2]
    assert counts([sender.next(n) for n in (500, 500, 400, 400, 300)]) == [3, 2]
    assert counts([sender.next(n) for n in (400, 500, 500)]) == [1, 2]
    assert counts([sender.next(1448) for _ in range(12)]) == [6, 6]
    assert counts([sender.next(20) for _ in range(40)]) == [34, 6]
    # Another flow in between.
    other = Sender(random.Random(2), 4001, v6=not v6)
    both = [s.next(500) for s in (sender, sender, other, sender, sender)]
    assert counts(both) == [2, 1, 2]
    # One that comes later finds the packet gone.
    nic.send("s_axis_eth0", [sender.next(500)])
    nic.run(1000)
    assert len(card.receive([sender.next(500), sender.next(500)])) == 2


CHANGES = (
    "seq",
    "ack",
    "window",
    "ttl",
    "tos",
    "stamp",
    "urgent",
    "flag",
    "fin",
    "syn",
    "ece",
    "to",
    "options",
    "fragment",
    "dup",
    "empty",
    "tag",
    "csum",
    "fcs",
    "foreign",
    "padding",
    "udp",
)


def _changed(card: Card, change: str, sender: Sender) -> None:
    """Five frames of which the third is another one."""
    ip, v6 = sender.ip, isinstance(sender.ip, IPv6)
    frames: list[bytes | Frame] = [sender.next(600), sender.next(600)]
    flags, length = "A", 600
    match change:
        case "seq":
            sender.tcp.seq += 1
        case "ack":
            sender.tcp.ack ^= 1
        case "window":
            sender.tcp.window += 1
        case "ttl":
            setattr(ip, "hlim" if v6 else "ttl", 63)
        case "tos":
            setattr(ip, "tc" if v6 else "tos", 3)
        case "stamp":
            sender.tcp.options = [*sender.tcp.options[:2], ("Timestamp", (5, 78))]
        case "urgent":
            sender.tcp.urgptr = 1
        case "flag" if v6:
            ip.fl ^= 1
        case "flag":
            ip.flags = 0
        case "fin" | "syn" | "ece":
            flags = {"fin": "FA", "syn": "SA", "ece": "EA"}[change]
        case "to":
            ip.src = "fd00::3" if v6 else "10.0.0.3"
        case "options":
            sender.tcp.options = []
        case "fragment" if not v6:
            ip.flags = "MF"
        case "empty":
            length = 0
        case _:
            pass
    odd = sender.next(length, flags)
    if change == "fragment" and not v6:
        ip.flags = "DF"
    match change:
        case "fragment" if v6:
            packet = Ether(odd)
            inner = packet[TCP].copy()
            packet[IPv6].remove_payload()
            del packet[IPv6].plen, packet[IPv6].nh
            odd = bytes(packet / IPv6ExtHdrFragment(id=1) / inner)
        case "dup":
            odd = frames[-1]
        case "tag":
            odd = bytes(Ether(odd[:14])[Ether] / Dot1Q(vlan=0) / Raw(odd[14:]))
            assert card.driver.command(card.driver.queues[CONTROL], b"\x02\x00\x00\x00") == 0
        case "csum":
            odd = odd[:-1] + bytes([odd[-1] ^ 1])
        case "foreign":
            odd = b"\x02\xaa" + odd[2:]
        case "padding":
            odd += b"\x00"
        case "udp":
            odd = frame(600)
    arrives = change not in ("fcs", "foreign")
    frames.append(Frame(odd, bad=True) if change == "fcs" else odd)
    frames += [sender.next(600), sender.next(600)]
    got = card.receive(frames)
    want = [_data(f) for n, f in enumerate(frames) if arrives or n != 2]
    assert [f for g in got for f in cut(*g)] == want
    sizes = [len(cut(*g)) for g in got]
    assert sizes[0] == 2
    # What was sent otherwise can begin the next packet, but not belong to the first.
    assert sizes in ([2, 1, 2], [2, 2], [2, 3])


@VERSIONS
def test_what_is_not_joined(nic: Dut, v6: bool) -> None:
    card = Card(nic)
    for number, change in enumerate(CHANGES):
        _changed(card, change, Sender(random.Random(number), 4000 + number, v6=v6))


def test_random_streams(nic: Dut) -> None:
    """Several flows; nothing is lost, and nothing changes its order."""
    rng = random.Random(8)
    nic_card = Card(nic)
    nic.stall_all(rx=0.2, tx=0.1)
    joined = 0
    for turn in range(3):
        senders = [
            Sender(rng, 4000 + n, rng.choice([0, 1, 2, 3]), v6=n + turn > 2) for n in range(4)
        ]
        frames: list[bytes] = []
        while len(frames) < 40:
            sender = rng.choice(senders)
            length = rng.choice([rng.randrange(10, 200), 536, 1000])
            for _ in range(rng.randrange(1, 6)):
                frames.append(sender.next(length, rng.choice(["A", "A", "A", "PA"])))
            if rng.random() < 0.3:
                frames.append(frame(rng.randrange(60, 900), turn))
            if rng.random() < 0.2:
                sender.next(5)
        got = nic_card.receive(frames)
        assert [f for g in got for f in cut(*g)] == frames
        joined += len(frames) - len(got)
    assert joined > 30


def test_a_driver_without_the_feature(nic: Dut) -> None:
    card = Card(nic, coalesce=False)
    sender = Sender(random.Random(1), 4000)
    frames: list[bytes | Frame] = [sender.next(600) for _ in range(4)]
    assert [data for _, data in card.receive(frames)] == frames


def test_the_driver_switches_it(nic: Dut, packed: bool) -> None:
    """VIRTIO_NET_F_CTRL_GUEST_OFFLOADS (virtio 1.2, 5.1.6.5.6)."""
    card = Card(nic, packed)
    control = card.driver.queues[CONTROL]
    senders = [Sender(random.Random(n), 4000, v6=n == 1) for n in range(2)]

    def set_to(offloads: int, rest: bytes = b"") -> int:
        command = b"\x05\x00" + struct.pack("<Q", offloads) + rest
        return card.driver.command(control, command)

    def packets() -> tuple[int, int, set[int]]:
        """Of four segments of each version; and the flags in the headers of single ones."""
        counts, flags = [], set()
        for sender in senders:
            frames = [sender.next(700) for _ in range(4)]
            got = card.receive(frames)
            assert [f for g in got for f in cut(*g)] == frames
            counts.append(len(got))
            flags |= {header[0] for header, _ in got if header[1] == 0}
        return counts[0], counts[1], flags

    assert packets() == (1, 1, set())
    assert set_to(GUEST_CSUM | GUEST_TSO4) == 0
    assert packets() == (1, 4, {2})
    assert set_to(GUEST_CSUM | GUEST_TSO6) == 0
    assert packets() == (4, 1, {2})
    # Nothing else is there to be switched, and a wrong command changes nothing.
    for wrong in (1 << 0, 1 << 9, 1 << 10, 1 << 63):
        assert set_to(GUEST_CSUM | GUEST_TSO4 | wrong) == 1
    assert set_to(0, b"\x00") == 1
    assert card.driver.command(control, b"\x05\x00" + bytes(7)) == 1
    assert card.driver.command(control, b"\x05\x01" + bytes(8)) == 1
    assert packets() == (4, 1, {2})
    # Neither is possible without checksums.
    assert set_to(GUEST_TSO4 | GUEST_TSO6) == 0
    assert packets() == (4, 4, {0})
    assert set_to(GUEST_CSUM | GUEST_TSO4 | GUEST_TSO6) == 0
    assert packets() == (1, 1, set())


def test_what_was_not_accepted_cannot_be_switched_on(nic: Dut) -> None:
    card = Card(nic, coalesce=False)
    control = card.driver.queues[CONTROL]
    for offloads, answer in ((GUEST_TSO4, 1), (GUEST_TSO6, 1), (GUEST_CSUM, 0), (0, 0)):
        command = b"\x05\x00" + struct.pack("<Q", offloads)
        assert card.driver.command(control, command) == answer
