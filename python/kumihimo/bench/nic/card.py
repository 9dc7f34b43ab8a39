# SPDX-License-Identifier: Apache-2.0
"""`kumi bench nic`: a virtio network card at 100 Gb/s, its host's memory a microsecond away.

Eight TCP flows over four pairs of queues, at the clock of `CLOCK_PS`; frames of 64 bytes also as 64
flows over eight pairs, which is what the goal speaks of, over split rings and over packed ones. The
driver is the one of `rings`: a quick one, so that the card is what is measured. Receive: frames
come back to back at 100 Gb/s (those of 64 bytes one a cycle) for the whole run, and what is not
taken is lost; the rate is that of used entries seen by the driver, after a quarter of the run, and
not more than what came and was not lost meanwhile (the card's frame memory may empty itself).
Transmit: every ring is full all the time; the rate is that of frames at the port. A share is TCP
payload (timestamps: 52 bytes of headers) over 100 Gb/s.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from kumihimo.bench import synthesis
from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.nic.rings import Rings
from kumihimo.bench.setup import Setup
from kumihimo.testing import Dut
from kumihimo.testing.virtio import ETH, IRQ, MEMORY

CLOCK_PS = 4000
LATENCY_PS = 1_000_000
PAIRS = 4
FLOWS = 8
WIDE_PAIRS, WIDE_FLOWS = 8, 64  # for the rate of frames of 64 bytes
LINE = 100e9
OVERHEAD = 24  # bytes of a frame on the wire besides its own: preamble, FCS, gap
HEADERS = 66  # Ethernet, IPv4, TCP with timestamps
MAC = 0x020000000042
MTUS = (1500, 4000, 9000)
SMALLEST = 60  # bytes of a frame of 64 with its FCS
STEP = 64  # cycles between two looks of the driver
MEMORY_KEYS = ("read_bursts", "write_bursts", "read_bytes", "write_bytes")

# open-nic in the paper on the TCP offload engine, Gb/s of eight flows at MTU 1500 and at 9000.
PAPER = {("receive", 1500): 4.12, ("transmit", 1500): 21.6}
PAPER |= {("receive", 9000): 9.29, ("transmit", 9000): 30.4}
# Reads of a split ring for a packet in batches of 32, by lines of 64 bytes: its data, a quarter of
# a line of descriptors, and a 32nd each of the index, the available ring and an event.
IDEAL_READS = 1.34


@dataclass
class Card:
    """A card that its driver has started."""

    dut: Dut
    pairs: int
    rings: Rings

    def memory(self) -> dict[str, int]:
        """Counters of the host's memory."""
        stats = self.rings.memory.stats
        return {key: stats[key] for key in MEMORY_KEYS}

    def counter(self, index: int) -> int:
        """A counter of the card."""
        return self.rings.read(0x800 + 4 * index)

    def lost(self) -> int:
        """Frames that were dropped, for whatever reason."""
        return sum(self.counter(i) for i in range(1, 7))


def card(dut: Dut, pairs: int = PAIRS, packed: bool = False) -> Card:
    """A card after a reset, with all its pairs in use."""
    dut.restart()
    dut.set("mac", MAC)
    dut.memory(MEMORY).configure(latency_ps=LATENCY_PS, reorder=True)
    dut.line(ETH, LINE, OVERHEAD)
    return Card(dut, pairs, Rings(dut, pairs, packed))


def tcp(size: int, source: int, sport: int, dport: int) -> bytes:
    """A TCP segment of `size` bytes with its Ethernet header, from an address and a port."""
    ip = b"\x45\x00" + (size - 14).to_bytes(2, "big") + bytes(4) + b"\x40\x06\x00\x00"
    ip += source.to_bytes(4, "big") + bytes([10, 0, 0, 9])
    ports = sport.to_bytes(2, "big") + dport.to_bytes(2, "big")
    data = MAC.to_bytes(6, "big") + b"\x02\0\0\0\0\1\x08\x00" + ip + ports
    return data + bytes(i & 0xFF for i in range(size - len(data)))


def flows(size: int, count: int = FLOWS) -> list[bytes]:
    """A frame of each flow, whose ports are next to one another."""
    return [tcp(size, 0x0A000001, 50000 + i, 5201) for i in range(count)]


def hosts(size: int, count: int = WIDE_FLOWS) -> list[bytes]:
    """A frame of each flow, from different addresses."""
    return [tcp(size, 0x0A000001 + 77 * i, 50000 + i, 5201) for i in range(count)]


def _row(
    way: str, size: int, mtu: int | None, packets: int, cycles: int, spent: dict[str, int]
) -> dict[str, Any]:
    seconds = cycles * CLOCK_PS * 1e-12
    payload = max(0, size - HEADERS)
    wire = size + OVERHEAD
    row: dict[str, Any] = {
        "direction": way,
        "mtu": mtu,
        "frame_bytes": size + 4,
        "packets": packets,
        "mpps": packets / seconds / 1e6,
        "mpps_limit": LINE / 8 / wire / 1e6,
        "reads_per_packet": spent["read_bursts"] / packets,
        "writes_per_packet": spent["write_bursts"] / packets,
        "reads_per_packet_ideal": IDEAL_READS if way == "transmit" else None,
        "bytes_read_per_packet": spent["read_bytes"] / packets,
        "bytes_written_per_packet": spent["write_bytes"] / packets,
        "interrupts_per_packet": spent["interrupts"] / packets,
        "notifications_per_packet": spent["notifications"] / packets,
    }
    if mtu is not None:
        row["gbps"] = 8e-9 * payload * packets / seconds
        row["share"] = row["gbps"] * 1e9 / LINE
        row["share_limit"] = payload / wire
        row["paper_gbps"] = PAPER.get((way, mtu))
    return row


def _spent(c: Card, since: dict[str, int]) -> dict[str, int]:
    now = c.memory() | {"notifications": sum(r.told for r in c.rings.rings)}
    spent = {key: value - since.get(key, 0) for key, value in now.items()}
    return spent | {"interrupts": len(c.dut.recv(IRQ))}


def _serve(c: Card) -> int:
    """What the driver does at each look at its receive rings; how many chains were used."""
    count = 0
    for ring in c.rings.rings[::2]:
        count += c.rings.collect(ring)
        c.rings.give(ring, ring.heads)
        ring.heads.clear()
    return count


def receive(
    dut: Dut,
    size: int,
    mtu: int | None,
    microseconds: int,
    pairs: int = PAIRS,
    packed: bool = False,
) -> dict[str, Any]:
    """Frames at line rate into buffers of 1,536 bytes, of 4,096 for long ones."""
    c = card(dut, pairs, packed)
    buffer = 1536 if size <= 1514 else 4096
    for ring in c.rings.rings[::2]:
        c.rings.post_buffers(ring, buffer)
        c.rings.give(ring, range(256))
    dut.run(4000)
    some = flows(size) if pairs == PAIRS else hosts(size)
    # The port gives frames of one beat faster than the line's rate: one a cycle.
    per_cycle = 1 if size <= SMALLEST else CLOCK_PS * 1e-12 * LINE / 8 / (size + OVERHEAD)
    count = int(microseconds * 1_000_000 / CLOCK_PS * per_cycle)
    dut.send(ETH, [some[i % len(some)] for i in range(count)])
    start, total = dut.cycle, microseconds * 1_000_000 // CLOCK_PS
    since: dict[str, int] = {}
    begun = mark = lost = 0
    chains = -(-(size + 12) // buffer)
    while dut.cycle < start + total:
        _serve(c)
        if not since and dut.cycle >= start + total // 4:
            dut.recv(IRQ)
            since = c.memory() | {"notifications": sum(r.told for r in c.rings.rings)}
            lost = c.lost()
            begun, mark = sum(len(r.lengths) for r in c.rings.rings), dut.cycle
        dut.run(STEP)
    _serve(c)
    used = sum(len(r.lengths) for r in c.rings.rings) - begun
    came = int((dut.cycle - mark) * per_cycle)
    packets = min(used // chains, came - (c.lost() - lost))
    row = _row("receive", size, mtu, packets, dut.cycle - mark, _spent(c, since))
    row["packed"] = packed
    lengths = {n for r in c.rings.rings for n in r.lengths}
    if max(lengths) != min(buffer, size + 12):
        raise BenchError(f"a buffer holds {max(lengths)} bytes")
    return row | {"lost": c.lost()}


def transmit(
    dut: Dut,
    size: int,
    mtu: int | None,
    microseconds: int,
    pairs: int = PAIRS,
    packed: bool = False,
) -> dict[str, Any]:
    """Full rings: one descriptor for a short frame, an indirect table of two for a long one."""
    c = card(dut, pairs, packed)
    some = flows(size) if pairs == PAIRS else hosts(size)
    for i, ring in enumerate(c.rings.rings[1::2]):
        mine = some[i::pairs]
        c.rings.post_frames(ring, mine, indirect=mtu is not None)
        c.rings.give(ring, range(256))
    start, total = dut.cycle, microseconds * 1_000_000 // CLOCK_PS
    since: dict[str, int] = {}
    frames = mark = last = 0
    while dut.cycle < start + total:
        for ring in c.rings.rings[1::2]:
            c.rings.collect(ring)
            c.rings.give(ring, ring.heads)
            ring.heads.clear()
        got = dut.recv(ETH)
        if any(f.data not in some for f in got[:4]):
            raise BenchError("a frame was changed")
        frames += len(got)
        last = got[-1].cycle if got else last
        if not since and dut.cycle >= start + total // 4 and frames:
            dut.recv(IRQ)
            since = c.memory() | {"notifications": sum(r.told for r in c.rings.rings)}
            frames, mark = 0, last
        dut.run(STEP)
    row = _row("transmit", size, mtu, frames, last - mark, _spent(c, since))
    return row | {"packed": packed}


def spread(dut: Dut, count: int) -> dict[str, Any]:
    """Frames of random flows, slowly enough that none is lost: how even the queues are."""
    c = card(dut)
    for ring in c.rings.rings[::2]:
        c.rings.post_buffers(ring, 1536)
        c.rings.give(ring, range(256))
    dut.run(4000)
    rng = random.Random(1)
    sent = 0
    got = 0
    while got < count:
        while sent < count and sent - got < 200:
            source, ports = rng.getrandbits(32), rng.getrandbits(32)
            dut.send(ETH, tcp(SMALLEST, source, ports >> 16, ports & 0xFFFF))
            sent += 1
        dut.run(STEP)
        got += _serve(c)
        if c.counter(2) or c.counter(5):
            raise BenchError("a frame was lost while the spread of queues was measured")
    queues = [len(r.lengths) for r in c.rings.rings[::2]]
    even = count / PAIRS
    return {
        "figure": "spread",
        "flows": count,
        "queues": queues,
        "queue_spread": max(abs(n - even) for n in queues) / even,
    }


def run(progress: Progress, quick: bool) -> BenchResult:
    """Both directions at three MTUs, 1,000 us each, and with the smallest frames, 200 us.

    `quick`: 300 and 60 us.
    """
    time = 60 if quick else 200
    dut = Dut("nic", {"PAIRS": PAIRS}, pins={"mac": MAC}, periods_ps={"clk": CLOCK_PS})
    result = BenchResult("nic")
    wide = Dut("nic", {"PAIRS": WIDE_PAIRS}, pins={"mac": MAC}, periods_ps={"clk": CLOCK_PS})
    result.rtl["kumi_node_nic"] = dut.built.design_hash
    mhz = 1_000_000 / CLOCK_PS
    result.setup = Setup(
        "kumi_node_nic", {}, note=f"{mhz:g} MHz, memory 1 us away, 8 flows, split rings of 256"
    )
    many = Setup(
        "kumi_node_nic",
        {"PAIRS": WIDE_PAIRS},
        note=f"{mhz:g} MHz, memory 1 us away, {WIDE_FLOWS} flows, split rings of 256",
    )
    over_packed = Setup(
        "kumi_node_nic",
        {"PAIRS": WIDE_PAIRS},
        note=f"{mhz:g} MHz, memory 1 us away, {WIDE_FLOWS} flows, packed rings of 256",
    )
    sizes = [(mtu + 14, mtu) for mtu in MTUS] + [(SMALLEST, None)]
    for step, (size, mtu) in enumerate(sizes):
        name = mtu or 64
        for way, measure in (("rx", receive), ("tx", transmit)):
            progress.step(f"{way}, {f'MTU {mtu}' if mtu else '64 bytes'}", step, len(sizes) + 1)
            # Used entries come in batches: the longer the time, the less one at its end weighs.
            row = measure(dut, size, mtu, time if mtu is None else 5 * time)
            result.rows.append(row)
            if mtu is None:
                row = measure(wide, size, mtu, time, WIDE_PAIRS)
                result.rows.append(row | many.as_row())
                result.setups[f"mpps_64_{way}"] = many
                result.summary[f"mpps_64_{way}"] = row["mpps"]
                result.goals[f"mpps_64_{way}"] = (">=", 60)
                if way == "tx":
                    result.setups["reads_per_packet_64"] = many
                    result.summary["reads_per_packet_64"] = row["reads_per_packet"]
                row = measure(wide, size, mtu, time, WIDE_PAIRS, packed=True)
                result.rows.append(row | over_packed.as_row())
                result.setups[f"mpps_64_{way}_packed"] = over_packed
                result.summary[f"mpps_64_{way}_packed"] = row["mpps"]
                result.goals[f"mpps_64_{way}_packed"] = (">=", 60)
            else:
                result.summary[f"{way}_share_{name}"] = row["share"]
                result.goals[f"{way}_share_{name}"] = (">=", round(0.99 * row["share_limit"], 4))
            if way == "rx" and mtu == 1500:
                result.summary["interrupts_per_packet"] = row["interrupts_per_packet"]
    progress.step("random flows", len(sizes), len(sizes) + 1)
    row = spread(dut, 2_000 if quick else 10_000)
    result.rows.append(row)
    result.summary["queue_spread"] = row["queue_spread"]
    if not quick:
        result.goals["queue_spread"] = ("<=", 0.05)
    result.summary["depth_512"] = synthesis.depth(
        synthesis.rows(lambda row: row["module"] == "kumi_nic")
    )
    result.goals["depth_512"] = ("<=", 10)
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    return result
