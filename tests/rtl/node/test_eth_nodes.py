# SPDX-License-Identifier: Apache-2.0
"""The nodes whose kernels use Ethernet without IP: frames, registers, counters, both clocks."""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.regs import RegisterMap
from kumihimo.testing import Dut
from scapy.contrib.mac_control import MACControlPause
from scapy.layers.l2 import Ether

sys.path.insert(0, str(Path(__file__).parent.parent / "kernel"))
import messages

OWN, PEER, OTHER = "02:00:00:00:00:05", "02:00:00:00:00:06", "02:00:00:00:00:07"
CLOCKS = {"clk": 3158, "eth_clk": 3200}


def number(mac: str) -> int:
    """An address as the registers hold it."""
    return int(mac.replace(":", ""), 16)


def frame(
    data: bytes, src: str = PEER, dst: str = OWN, index: int = 0, left: int = 0, flags: int = 3
) -> bytes:
    """A frame of the controller, by its description."""
    left = left or len(data)
    head = struct.pack(">BBHHI", 0x10 | flags, index & 255, len(data), 0, left)
    return bytes(Ether(src=src, dst=dst, type=0x88B5) / (head + data)).ljust(60, b"\0")


class Node:
    """A node under test with its registers."""

    def __init__(self, design: str, **params: int) -> None:
        self.dut = Dut(design, params=params, periods_ps=CLOCKS, phases_ps={"eth_clk": 1234})

    def setup(self, mtu: int = 1514) -> None:
        """Addresses; peer 3 is PEER."""
        self.dut.restart()
        self.regs = RegisterMap(self)
        port = self.regs.eth_port
        port.mac_hi.write(number(OWN) >> 32)
        port.mac_lo.write(number(OWN) & 0xFFFFFFFF)
        port.option.set(mtu=mtu)
        if "eth_gen" in self.regs:
            port.peer_hi.write(number(PEER) >> 32)
            port.peer_lo.write(number(PEER) & 0xFFFFFFFF)
            port.peer.write(3)
        self.dut.stall_all(rx=0.0, tx=0.2, seed=5)

    def read(self, addr: int) -> int:
        """A register."""
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        """A register."""
        self.dut.axil_write(addr, data)

    def settle(self) -> None:
        """Until the node is at rest."""
        self.dut.drain(400_000, 40)
        self.dut.run_until(lambda: not self.dut.get("busy"), 400_000, 16, "not busy")

    def counted(self) -> dict[str, int]:
        """Counters of the port that are not zero."""
        port = self.regs.eth_port
        every = {**port.counters(), **port.counters("rx_counters")}
        return {name: value for name, value in every.items() if value}


@pytest.fixture(scope="module", params=[128, 512])
def made(request: pytest.FixtureRequest) -> Node:
    """One build a width."""
    return Node("eth_bench", DATA_W=request.param)


@pytest.fixture
def node(made: Node) -> Iterator[Node]:
    """Fresh from reset."""
    made.setup()
    yield made


def test_identity(node: Node) -> None:
    """Blocks are found by software, each where it should be."""
    blocks = {name: node.regs[name].base for name in ("eth_port", "eth_gen", "eth_check")}
    assert blocks == {"eth_port": 0x1000, "eth_gen": 0x2000, "eth_check": 0x3000}
    assert node.regs.eth_echo.base == 0x4000 and "eth_rtp" not in node.regs


def test_frames_out(node: Node) -> None:
    """The generator's messages leave in frames that can be read by their description."""
    gen = node.regs.eth_gen
    gen.option.set(source=8)
    gen.peers.write(3)
    gen.low.write(16)
    gen.high.write(4000)
    gen.messages.write(12)
    gen.ctrl.write(1)
    node.settle()
    got: list[bytes] = []
    for sent in node.dut.recv("eth0"):
        ether = Ether(sent.data)
        assert (ether.src, ether.dst, ether.type) == (OWN, PEER, 0x88B5) and not sent.bad
        flags, index, size, _, left = struct.unpack(">BBHHI", sent.data[14:24])
        assert index == len(got) - 1 + (flags & 1) and len(sent.data) == 24 + size <= 1514
        if flags & 1:
            got.append(b"")
        assert left == size if flags & 2 else left > size
        got[-1] += sent.data[24:]
    assert [messages.read(data)[:2] for data in got] == [(8, i) for i in range(12)]
    counts = node.counted()
    assert counts["tx_message"] == 12 and set(counts) == {"tx_message", "tx_frame"}


def test_frames_in(node: Node) -> None:
    """What a peer sends is checked; a message of several frames too."""
    size = 3 * 1024 + 55
    data = messages.make(size, 0, 1)
    room = 1472 // 64 * 64
    for at in range(0, size, room):
        flags = (1 if at == 0 else 0) | (2 if at + room >= size else 0)
        node.dut.send("eth0", [frame(data[at : at + room], left=size - at, flags=flags)])
    node.dut.send("eth0", [frame(messages.make(100, 1, 1), index=1)])
    node.settle()
    check = node.regs.eth_check
    assert check.messages.read() == 2 and check.wrong.read() == check.bad_bytes.read() == 0
    check.select.write(3)
    assert check.read64("source_bytes") == size + 100
    assert node.counted() == {"rx_ok": 4}


def test_every_drop_has_its_counter(node: Node) -> None:
    """One frame each that is not taken, from the clock of the MAC and from that of the kernels."""
    good = messages.make(64, 0)
    node.dut.send("eth0", [frame(good, dst=OTHER)])
    node.dut.send("eth0", [frame(good, src=OTHER)])
    node.dut.send("eth0", [frame(good)], bad=True)
    node.dut.send("eth0", [frame(good)[:40]])
    node.dut.send("eth0", [bytes(Ether(src=PEER, dst=OWN, type=0x0800) / bytes(60))])
    pause = Ether(src=PEER, dst="01:80:c2:00:00:01") / MACControlPause(pause_time=3)
    node.dut.send("eth0", [bytes(pause).ljust(60, b"\0")])
    node.settle()
    assert node.counted() == {
        "rx_ok": 1,
        "rx_not_ours": 1,
        "rx_unknown": 1,
        "rx_bad": 1,
        "rx_malformed": 1,
        "rx_foreign": 1,
        "rx_control": 1,
    }
    assert node.regs.eth_check.messages.read() == 0


def test_no_such_peer(node: Node) -> None:
    """Messages to a peer that is not in the table are dropped; those of others continue."""
    gen = node.regs.eth_gen
    gen.peers.write(2 | 2 << 16)
    gen.messages.write(6)
    gen.low.write(300)
    gen.high.write(300)
    gen.ctrl.write(1)
    node.settle()
    sent = node.dut.recv("eth0")
    assert [messages.read(f.data[24:])[1] for f in sent] == [0, 1, 2]
    assert node.counted()["tx_no_peer"] == 3


def test_echo_and_generator_share_the_port(node: Node) -> None:
    """Messages of both leave whole, whoever else sends."""
    rng = random.Random(1)
    node.regs.eth_echo.ctrl.write(1)
    gen = node.regs.eth_gen
    gen.option.set(source=8)
    gen.peers.write(3)
    gen.low.write(40)
    gen.high.write(1400)
    gen.messages.write(25)
    gen.ctrl.write(1)
    want = [messages.make(rng.randint(16, 1400), i, 99) for i in range(25)]
    node.dut.send("eth0", [frame(data, index=i) for i, data in enumerate(want)])
    node.settle()
    got = [f.data for f in node.dut.recv("eth0")]
    bodies = [data[24 : 24 + struct.unpack(">H", data[16:18])[0]] for data in got]
    owners = [messages.read(body)[0] for body in bodies]
    assert [b for b, o in zip(bodies, owners, strict=True) if o == 99] == want
    assert owners.count(8) == 25
    assert node.regs.eth_echo.counters()["messages"] == 25


def test_time_stamps(node: Node) -> None:
    """Both stamps name the cycle of the MAC's clock of a frame's first beat."""
    node.dut.stall_all()
    node.dut.send("eth0", [frame(messages.make(100, 0))])
    node.settle()
    ((came, _),) = node.dut.sent("eth0")  # exact to a cycle of the other clock
    port = node.regs.eth_port
    stamps, cycles = [], []
    for _ in range(2):
        node.regs.eth_gen.peers.write(3)
        node.regs.eth_gen.ctrl.write(1)
        node.settle()
        cycles.append(node.dut.recv("eth0")[0].cycle)
        stamps.append(port.tx_first.read())
    assert stamps[1] - stamps[0] == cycles[1] - cycles[0]
    assert abs((stamps[0] - port.rx_first.read()) - (cycles[0] - came)) <= 1


@pytest.mark.parametrize("width", [64])
def test_channels(width: int) -> None:
    """The four channels as ports: a message out, a message in, the record beside it."""
    node = Node("eth_channels", DATA_W=width)
    node.setup()
    dest = node.dut.struct("eth_dest_count_t")
    data = random.Random(2).randbytes(3000)
    node.dut.send("s_hdr_set_dest_addr_count", dest.pack(addr=number(PEER), count=3000))
    node.dut.send("s_axis_send_data", data)
    got = b"".join(f.data[24:] for f in node.dut.recv("eth0", 3))
    assert got == data
    node.dut.send("s_hdr_set_source_addr", number(OTHER))
    node.dut.run(40)
    node.dut.send("eth0", [frame(b"old address"), frame(b"new address" * 9, dst=OTHER)])
    (message,) = node.dut.recv("m_axis_receive_data", 1)
    assert message.data == b"new address" * 9
    (record,) = node.dut.recv("m_hdr_receive_info", 1)
    info = node.dut.struct("eth_rx_info_t").unpack(record.value)
    assert (info["addr"], info["left"], info["first"], info["last"]) == (number(PEER), 99, 1, 1)
    assert node.regs.eth_port.counters("rx_counters")["rx_not_ours"] == 1
