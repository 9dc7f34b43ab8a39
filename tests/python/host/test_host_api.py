# SPDX-License-Identifier: Apache-2.0
"""The PYNQ-shaped side: buffers, register windows, blocks by name, channels, rings of packets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from kumihimo.cluster import Cluster
from kumihimo.common.errors import KumiError
from kumihimo.host import (
    DMA,
    MMIO,
    DmaError,
    DutPlatform,
    Flag,
    HostTimeout,
    MmioFifo,
    Overlay,
    Pool,
)
from kumihimo.testing import Dut

NODE = Path(__file__).resolve().parents[2] / "rtl/dma/kumi_t_dma.sv"


class Ram:
    """A memory of this process."""

    def __init__(self) -> None:
        self.data = bytearray(1 << 16)

    def read(self, addr: int, size: int) -> bytes:
        return bytes(self.data[addr : addr + size])

    def write(self, addr: int, data: bytes) -> None:
        self.data[addr : addr + len(data)] = data


class Registers(dict[int, int]):
    """Registers of this process."""

    def read(self, addr: int) -> int:
        return self.get(addr, 0)

    def write(self, addr: int, data: int) -> None:
        self[addr] = data


def test_buffers_have_a_place() -> None:
    """What is flushed is in memory at the address, also for a slice; what is freed is gone."""
    ram = Ram()
    pool = Pool(ram, 0x1000, 0x4000)
    room = pool.room
    with pool.allocate((4, 8), "<u2") as buffer:
        assert buffer.physical_address % 64 == 0 and not buffer.any()
        buffer[:] = np.arange(32).reshape(4, 8)
        assert ram.read(buffer.physical_address, 64) == bytes(64)
        buffer.flush()
        assert ram.read(buffer.physical_address, 64) == np.arange(32, dtype="<u2").tobytes()
        part = buffer[2]
        assert part.device_address == buffer.physical_address + 32
        ram.write(part.physical_address, b"\xff" * 16)
        assert buffer[2, 0] == 16
        part.invalidate()
        assert (buffer[2] == 0xFFFF).all() and buffer[1, 7] == 15 and buffer[3, 0] == 24
        with pytest.raises(KumiError, match="contiguous"):
            buffer[:, 0].flush()
        with pytest.raises(KumiError, match="no place"):
            _ = (buffer + 1).physical_address
        kept = buffer
    assert pool.room == room and kept[3, 0] == 24
    with pytest.raises(KumiError, match="no place"):
        _ = kept.physical_address


def test_pool_joins_what_comes_back() -> None:
    """No piece is handed out twice, and all of it can be handed out again."""
    pool = Pool(Ram(), 0x1000, 0x1000)
    pieces = [(pool.take(n), n) for n in (1, 64, 65, 1000, 500)]
    spans = sorted((at, at + n) for at, n in pieces)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    with pytest.raises(KumiError, match="no 4096 bytes"):
        pool.take(4096)
    for at, n in pieces[::2] + pieces[1::2]:
        pool.give(at, n)
    assert pool.take(4096) == 0x1000


def test_mmio_window() -> None:
    """Words, pairs, bytes; nothing outside the window."""
    registers = Registers()
    mmio = MMIO(registers, 0x2000, 0x100)
    mmio.write(0x10, 7)
    mmio.write(0x14, -1)
    assert registers[0x2010] == 7 and mmio.read(0x14) == 0xFFFFFFFF
    assert mmio.read(0x10, 8) == 0xFFFFFFFF_00000007
    mmio.write(0x20, b"abcdefgh")
    assert mmio.read(0x24) == int.from_bytes(b"efgh", "little")
    for offset in (-4, 2, 0x100):
        with pytest.raises(ValueError):
            mmio.read(offset)
    with pytest.raises(ValueError):
        mmio.write(0, 1 << 32)


@pytest.fixture(scope="module")
def overlay() -> Iterator[Overlay]:
    """The test node: two channels joined crosswise."""
    dut = Dut(NODE, {"DATA_W": 64})
    dut.memory("host").configure(latency_ps=300_000, size=1 << 30)
    yield Overlay(DutPlatform(dut))


def test_blocks_by_name(overlay: Overlay) -> None:
    """Blocks of the block table, with the right drivers."""
    assert overlay.design == "host" and set(overlay.ip_dict) == {"id", "dma", "dma1", "mmio_fifo"}
    assert isinstance(overlay.dma1, DMA) and isinstance(overlay.mmio_fifo, MmioFifo)
    assert overlay.ip_dict["dma1"]["phys_addr"] == 0x2000
    overlay["id"].write(overlay.ip_dict["id"]["registers"]["scratch"], 77)
    assert overlay.id.register_map.scratch.read() == 77
    with pytest.raises(KumiError, match=r'no block dmo.*"dma'):
        _ = overlay.dmo


def test_channels(overlay: Overlay) -> None:
    """Transfer and wait, as on a PYNQ board."""
    out = overlay.allocate((3000,), "u1")
    back = overlay.allocate((4000,), "u1")
    out[:] = np.random.default_rng(1).integers(0, 256, 3000)
    send, recv = overlay.dma.sendchannel, overlay.dma1.recvchannel
    recv.transfer(back)
    assert not recv.idle
    with pytest.raises(DmaError, match="busy"):
        recv.transfer(back)
    with pytest.raises(HostTimeout):
        recv.wait(5e-6)
    send.transfer(out)
    assert send.wait() == 3000 and recv.wait() == 3000
    assert recv.transferred == 3000 and send.idle and (back[:3000] == out).all()
    # A part of a buffer, and asyncio.
    recv.transfer(back, 100, 500)
    send.transfer(out, 1, 300)
    assert asyncio.run(recv.wait_async()) == 300
    assert (back[100:400] == out[1:301]).all() and send.wait() == 300
    # A packet that is longer than the buffer goes on in the next one.
    recv.transfer(back, 0, 200)
    send.transfer(out, 0, 300)
    with pytest.raises(DmaError, match="longer"):
        recv.wait()
    recv.transfer(back)
    assert recv.wait() == 100 and (back[:100] == out[200:300]).all()
    for array, nbytes in ((out, 3001), (out, -1)):
        with pytest.raises(ValueError):
            send.transfer(array, 0, nbytes)
    send.stop()
    recv.stop()


def test_channel_errors(overlay: Overlay) -> None:
    """A memory error is reported with its reason, and the channel continues."""
    memory = overlay.platform.memory
    out = overlay.allocate((256,), "u1")
    send, recv = overlay.dma.sendchannel, overlay.dma1.recvchannel
    back = overlay.allocate((256,), "u1")
    recv.transfer(back)
    memory.fault(out.physical_address + 10, 1)  # type: ignore[attr-defined]
    send.transfer(out)
    with pytest.raises(DmaError, match="answered with an error"):
        send.wait()
    assert send.error
    with pytest.raises(DmaError, match="marked bad"):
        recv.wait()
    memory.fault(out.physical_address + 10, 1, False)  # type: ignore[attr-defined]
    recv.transfer(back)
    send.transfer(out)
    assert send.wait() == recv.wait() == 256 and not send.error
    send.stop()
    recv.stop()


def test_packet_rings(overlay: Overlay) -> None:
    """Many packets both ways through small rings, ids, and what does not fit."""
    rng = np.random.default_rng(2)
    room = overlay.pool.room
    with overlay.dma.packets(16, 1500) as one, overlay.dma1.packets(8, 1000) as two:
        sent, got = [], []
        todo = [rng.bytes(int(rng.integers(1, 1000))) for _ in range(100)]
        while len(got) < 100:
            while len(sent) < 100 and one.queue(todo[len(sent)], len(sent) % 256):
                sent.append(todo[len(sent)])
            one.kick()
            overlay.platform.pause()
            got += two.poll(5)
        assert [p.data for p in got] == todo and [p.id for p in got] == list(range(100))
        assert two.send(b"answer", 9)
        one.send(bytes(1400))  # longer than the other side's slots
        one.send(b"next")
        for _ in range(30):
            overlay.platform.pause()
        assert [p.data for p in two.poll()] == [b"next"] and two.counts.too_long == 1
        assert one.poll()[0].id == 9 and one.sending == 0
        with pytest.raises(ValueError):
            one.send(bytes(1501))
        while one.send(b"x"):  # fills: the other side's ring is full as well
            pass
        assert one.counts.send_full >= 1
        one.check()
        two.check()
    assert overlay.pool.room == room
    # What was under way on the stream when the rings stopped is dropped or waits; a new start is
    # clean once it is taken.
    with overlay.dma1.packets(64, 64) as two:
        for _ in range(20):
            overlay.platform.pause()
            two.poll()


def test_ring_misuse(overlay: Overlay) -> None:
    """Bad arguments are refused before the hardware sees them; a lost ring is reported."""
    from kumihimo.host import Ring

    block = overlay.dma.register_map
    ring = Ring(overlay.platform, block, 0, overlay.pool, 2)
    ring.start()
    for length in (0, 1 << 24):
        with pytest.raises(ValueError):
            ring.post(0x1000, length)
    for _ in range(4):
        ring.post(0x1000, 4, Flag.EOP)
    with pytest.raises(DmaError, match="full"):
        ring.post(0x1000, 4)
    block.ring_tail.write(9, 0)
    with pytest.raises(DmaError, match="doorbell"):
        ring.check()
    ring.close()


def test_register_fifo(overlay: Overlay) -> None:
    """Packets of all small lengths through registers; every word costs accesses."""
    fifo = overlay.mmio_fifo
    for length in (1, 2, 3, 4, 5, 8, 63, 200):
        data = bytes(range(length))
        fifo.send(data, length)
        got = []
        for _ in range(10):
            got += fifo.poll()
        assert [(p.data, p.id) for p in got] == [(data, length)]
    with pytest.raises(HostTimeout):
        fifo.send(bytes(2000), seconds=2e-5)
    # The rest of that packet is in the way until it is ended.
    fifo.register_map.push_last.write(0)
    assert len(fifo.poll()) == 1
    counts = fifo.register_map.counters()
    assert counts["push_lost"] == 0 and counts["pop_words"] == counts["push_words"]
    assert counts["pop_empty"] == 0
    # Without looking for room: words are lost, and the packet is marked bad.
    for i in range(300):
        fifo.register_map.push.write(i)
    fifo.register_map.push_last.write(0)
    assert fifo.poll() == [] and fifo.bad == 1
    assert fifo.register_map.counters()["push_lost"] > 100


def test_a_node_of_a_cluster(tmp_path: Path) -> None:
    """The same over a cluster: memory of the node by name, time runs by itself."""
    file = tmp_path / "one.yaml"
    file.write_text(
        f"name: one\nnodes:\n  alice:\n    design: {NODE}\n"
        "    memories: {host: {latency: 500 ns}}\n"
    )
    with Cluster(file) as cluster:
        overlay = Overlay.of(cluster, "alice")
        out = overlay.allocate(1000, "u1")
        back = overlay.allocate(1000, "u1")
        out[:] = 5
        overlay.dma1.recvchannel.transfer(back)
        overlay.dma.sendchannel.transfer(out)
        assert overlay.dma1.recvchannel.wait() == 1000 and (back == 5).all()
        with cluster.serving():
            back[:] = 0
            overlay.dma1.recvchannel.transfer(back)
            overlay.dma.sendchannel.transfer(out)
            assert overlay.dma1.recvchannel.wait(5) == 1000 and (back == 5).all()
