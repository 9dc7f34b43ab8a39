# SPDX-License-Identifier: Apache-2.0
"""The model of the InfiniBand switch beside its RTL: the same session, the same outcome.

What must be equal: every answer of the management agent, the packets of each sender that reach each
endpoint and their order, all counters of the ports. The time that a packet takes through an idle
switch may differ by SLACK cycles.
"""

from __future__ import annotations

import hashlib
import random
import statistics
import struct
from dataclasses import dataclass, field
from pathlib import Path

from ib_packets import packet
from kumihimo.capture.pcapng import ERF_HEADER, Capture
from kumihimo.cluster import Cluster
from kumihimo.ib.packets import MAD_BYTES, Datagram
from kumihimo.ib.site import Site
from kumihimo.testing.sizes import by_size
from test_ib_fabric import FILE

HOSTS = ["a", "b", "c"]
CYCLE_NS = 8
SLACK = 4
GET, SET = 1, 2
# Attributes with modifiers, some of which do not exist.
ASKED = [
    (0x10, 0), (0x11, 0), (0x12, 0), (0x14, 0), (0x14, 1), *((0x15, port) for port in range(6)),
    (0x16, 0), (0x16, 2 << 16), (0x16, 9 << 16), (0x17, 0), (0x17, 1 << 8 | 2), (0x17, 9),
    (0x18, 1 << 16 | 1), (0x18, 3 << 16 | 2), (0x18, 2 << 16), (0x19, 0), (0x19, 1), (0x1B, 0),
    (0x1B, 1 << 28), (0x20, 0), (0x31, 0), (0x02, 0),
]  # fmt: skip


@dataclass
class Seen:
    """What a session has shown."""

    answers: list[bytes] = field(default_factory=list)
    arrived: dict[tuple[str, str], list[bytes]] = field(default_factory=dict)
    counters: dict[str, list[int]] = field(default_factory=dict)
    cycles: list[float] = field(default_factory=list)

    def digest(self) -> str:
        """Of all that must be equal."""
        text = repr((self.answers, sorted(self.arrived.items()), sorted(self.counters.items())))
        return hashlib.sha256(text.encode()).hexdigest()


def directed(method: int, attribute: int, modifier: int, tid: int, data: bytes = b"") -> Datagram:
    """A datagram of the host's manager for the switch at the other end of its cable."""
    head = struct.pack(">BBBBHBBQHHI", 1, 0x81, 1, method, 0, 0, 1, tid, attribute, 0, modifier)
    mad = head + struct.pack(">QHH", 0, 0xFFFF, 0xFFFF)
    mad = mad.ljust(64, b"\0") + data.ljust(64, b"\0") + bytes([0, 1])
    return Datagram(mad.ljust(MAD_BYTES, b"\0"), slid=0xFFFF)


def performance(
    method: int, attribute: int, tid: int, port: int, select: int, lid: int
) -> Datagram:
    """A datagram of performance management, by LID."""
    head = struct.pack(">BBBBHBBQHHI", 1, 4, 1, method, 0, 0, 0, tid, attribute, 0, 0)
    data = struct.pack(">BBH", 0, port, select)
    return Datagram((head.ljust(64, b"\0") + data).ljust(MAD_BYTES, b"\0"), dlid=lid, src_qp=1)


def ask(site: Site, datagram: Datagram) -> bytes:
    """The answer, its time taken away; b"" if there is none."""
    site.fabric.send("a", datagram.packet())
    for _ in range(4):
        for _host, got in site.fabric.receive():
            return got
    return b""


def clear_counters(site: Site) -> None:
    """How often opensm sweeps is a matter of wall time, and its datagrams are counted."""
    lid = site.lid("sw")
    for port in range(1, 5):
        for attribute in (0x12, 0x1D):
            assert ask(site, performance(SET, attribute, port << 8 | attribute, port, 0xFFFF, lid))


def management(site: Site, seen: Seen) -> None:
    """Every attribute, then Sets with good and with bad fields, then performance management."""
    tid = 0x100
    for attribute, modifier in ASKED:
        tid += 1
        seen.answers.append(ask(site, directed(GET, attribute, modifier, tid)))
    draw = random.Random(5)
    for attribute, modifier in ((0x12, 0), (0x14, 0), (0x16, 3 << 16), (0x17, 1 << 8 | 2),
                                (0x18, 1 << 16 | 3), (0x1B, 0), (0x10, 0), (0x15, 3)):  # fmt: skip
        for _ in range(by_size(2, 20)):
            tid += 1
            data = bytearray(draw.randbytes(64))
            if attribute == 0x12:
                data[2:4] = b"\0\x3f"  # LinearFDBTop within the table
                data[11] = 0x90  # LifeTimeValue; PortStateChange stays
            if attribute == 0x15:  # a port without a cable; LocalPhyErrors and such
                data[32:36] = bytes(4)
            seen.answers.append(ask(site, directed(SET, attribute, modifier, tid, bytes(data))))
            seen.answers.append(ask(site, directed(GET, attribute, modifier, tid + 0x1000)))
    # Back to one VL for all, as the packets below need it.
    tid += 1
    seen.answers.append(ask(site, directed(SET, 0x17, 1 << 8 | 2, tid)))
    lid = site.lid("sw")
    for attribute in (0x12, 0x1D, 0x01, 0x15):
        for port in (1, 2, 3, 4, 5):
            tid += 1
            seen.answers.append(ask(site, performance(GET, attribute, tid, port, 0xFFFF, lid)))
    tid += 1
    seen.answers.append(ask(site, performance(SET, 0x12, tid, 2, 0xFFFF, lid)))
    seen.answers.append(ask(site, performance(GET, 0x12, tid + 1, 2, 0xFFFF, lid)))


def traffic(site: Site, seen: Seen) -> None:
    """Packets of all to all at random times and sizes; some lead nowhere or back."""
    draw = random.Random(6)
    lids = site.lids()
    for n in range(by_size(60, 2000)):
        start, to = draw.sample(HOSTS, 2)
        dlid = draw.choice([lids[to]] * 12 + [lids[start], 50, 0xBFFF, 0xC005])
        payload = draw.randbytes(draw.choice([0, 4, 60, 64, 124, 500, 1024]))
        site.fabric.mailboxes[start].send(packet(payload, dlid, lids[start], psn=n))
        if n % 10 == 9:
            site.fabric.receive()
    for _ in range(6):
        site.fabric.receive()
    for host, got in site.fabric.other.items():
        for one in got:
            source = int.from_bytes(one.data[6:8], "big")
            name = next(n for n, lid in lids.items() if lid == source)
            seen.arrived.setdefault((name, host), []).append(one.data)


def latencies(pcap: Path, psns: set[int], seen: Seen) -> None:
    """Time from the sender's port to the receiver's, of the packets sent alone."""
    left: dict[int, int] = {}
    head = ERF_HEADER + 8  # LRH
    for record in Capture(pcap):
        bth = record.data[head:]
        psn = int.from_bytes(bth[9:12], "big")
        if bth[0] != 4 or psn not in psns:
            continue
        if record.inbound:
            seen.cycles.append((record.time_ns - left[psn]) / CYCLE_NS)
        else:
            left[psn] = record.time_ns


def session(folder: Path, detail: str) -> Seen:
    """The whole session with the switch as RTL or as the model."""
    folder.mkdir()
    file, pcap = folder / "fabric.yaml", folder / "fabric.pcapng"
    file.write_text(FILE.replace("design: ib_switch", f"design: ib_switch\n    detail: {detail}"))
    seen = Seen()
    with Cluster(file, offline=True, pcap=pcap) as cluster:
        cluster.run("100 us")
        site = Site(cluster, folder)
        try:
            manager = site.manager()
            site.active("at first")
            site.end(manager)
            cluster.run("50 us")
            while site.fabric.receive():
                pass
            clear_counters(site)
            management(site, seen)
            switch = cluster["sw"].regs["ib_switch"]
            names = [reg.info.name for reg in switch if reg.info.name not in ("state", "shape")]
            before = {name: switch[name].read_all() for name in names}
            traffic(site, seen)
            for name in names:
                changed = zip(switch[name].read_all(), before[name], strict=True)
                seen.counters[name] = [now - then for now, then in changed]
            lids = site.lids()
            alone = range(0x10000, 0x10000 + 40)
            for psn in alone:
                size = 28 * (psn % 40)
                one = packet(bytes(size), lids["b"], lids["a"], psn=psn)
                site.fabric.mailboxes["a"].send(one)
                site.fabric.receive()
        finally:
            site.close()
    latencies(pcap, set(alone), seen)
    return seen


def test_the_model_does_what_the_rtl_does(tmp_path: Path) -> None:
    rtl, model = session(tmp_path / "rtl", "rtl"), session(tmp_path / "model", "model")
    assert len(rtl.answers) > 60 and sum(map(bool, rtl.answers)) > 50
    for n, (one, two) in enumerate(zip(rtl.answers, model.answers, strict=True)):
        assert one == two, f"answer {n}: {one.hex()} and {two.hex()}"
    assert rtl.arrived == model.arrived
    assert rtl.counters == model.counters
    assert rtl.counters["rcv_switch_relay_errors"] != [0] * 8
    assert rtl.digest() == model.digest()
    assert len(rtl.cycles) == len(model.cycles) == 40
    apart = [abs(one - two) for one, two in zip(rtl.cycles, model.cycles, strict=True)]
    assert max(apart) <= SLACK, (statistics.fmean(rtl.cycles), statistics.fmean(model.cycles))
