# SPDX-License-Identifier: Apache-2.0
"""Segments and datagrams that each cause one drop of the TCP engine or of a kernel behind it."""

from __future__ import annotations

import struct

from ip_drops import data, datagram, learn
from kumihimo.testing.backends import DutMemory
from ledgerkit import Cause, Rig
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

ECHO, DISCARD, IPERF = 7, 9, 5001
RING = 32768
BACK_AT_ONCE = 0xC8000001
"""Flags of an iperf 2 client with -d: header version 1, 64-bit numbers, a rate, run now."""
SESSIONS = 64
CHANNEL_SESSIONS = 16


def ready(rig: Rig) -> None:
    """The tables are clear, and the node knows our address; timers are short."""
    tcp = rig.regs.tcp
    tcp.period.write(6400)
    for name, us in (("rto_init", 400), ("rto_min", 400), ("linger", 300)):
        tcp[name].write(us)
    rig.dut.run_until(lambda: tcp.status.get("ready"), 100_000, 100, "the tables are clear")
    learn(rig)
    rig.dut.run(200)
    rig.dut.recv("m_axis_eth0")


def prepared(cause: Cause) -> Cause:
    """After `ready`."""

    def both(rig: Rig) -> None:
        ready(rig)
        cause(rig)

    return both


class Session:
    """A connection to a service of the node, its segments made by scapy."""

    def __init__(self, rig: Rig, port: int, window: int = 65535) -> None:
        ready(rig)
        self.rig, self.port, self.window = rig, port, window
        self.seq, self.ack = 1000, 0
        rig.send(self.segment("S"))
        answer = self.heard()
        assert answer.flags == "SA"
        self.seq, self.ack = 1001, answer.seq + 1
        self.put("A")

    def segment(self, flags: str, payload: bytes = b"", offset: int = 0) -> Ether:
        head = TCP(
            sport=2000,
            dport=self.port,
            seq=self.seq + offset,
            ack=self.ack,
            flags=flags,
            window=self.window,
        )
        return self.rig.l3() / head / payload

    def put(self, flags: str, payload: bytes = b"", offset: int = 0) -> None:
        """Send a segment, and let the node take it."""
        self.rig.send(self.segment(flags, payload, offset))
        self.rig.dut.drain(400_000, 1000)

    def heard(self) -> TCP:
        """The next segment of the node."""
        (frame,) = self.rig.dut.recv("m_axis_eth0", 1)
        segment = Ether(frame.data)[TCP]
        assert isinstance(segment, TCP)
        return segment


def _many_misses(rig: Rig) -> None:
    rig.held([rig.l3() / TCP(sport=1000 + i, dport=3000, seq=i) for i in range(600)])


def _many_hits(rig: Rig) -> None:
    """Segments with little payload while the memory does not take any."""
    session = Session(rig, DISCARD)
    rig.dut.stall("m_axi_rx", 1.0)
    rig.held([session.segment("A", b"x", at) for at in range(600)])
    rig.dut.stall("m_axi_rx", 0.0)


def _full_buffer(rig: Rig) -> None:
    """More payload than the path holds while the memory does not take any."""
    session = Session(rig, DISCARD)
    rig.dut.stall("m_axi_rx", 1.0)
    for at in (*range(0, 28000, 1400),) * 4:
        rig.send(session.segment("A", bytes(1400), at))
    rig.dut.drain(400_000)
    rig.dut.stall("m_axi_rx", 0.0)


def _failed_read(rig: Rig) -> None:
    """The memory answers the read of what is to be sent with an error."""
    memory = DutMemory(rig.dut, "m_axi_tx")
    session = Session(rig, ECHO, window=0)
    session.put("PA", b"to be echoed")
    memory.fault(0, SESSIONS * RING)
    session.window = 65535
    session.seq += 12
    rig.send(session.segment("A"))
    tcp = rig.regs.tcp
    rig.dut.run_until(lambda: tcp["drop_axi"].read(), 400_000, 500, "a read fails")
    memory.fault(0, SESSIONS * RING, False)
    rig.dut.run_until(lambda: rig.dut.recv("m_axis_eth0"), 400_000, 500, "sent again")
    session.ack += 12
    session.put("A")


def _gaps(rig: Rig) -> None:
    """More gaps than a session remembers."""
    session = Session(rig, DISCARD)
    for at in range(100, 1000, 100):
        session.put("A", bytes(10), at)


def _no_flag(rig: Rig) -> None:
    session = Session(rig, DISCARD)
    session.put("", b"no ACK")


def _broadcast(rig: Rig) -> None:
    frame = rig.l2(dst="ff:ff:ff:ff:ff:ff")
    rig.send(frame / IP(src="10.77.0.99", dst="10.77.0.255") / TCP(dport=ECHO) / data(40))


def _many_requests(rig: Rig) -> None:
    """Clients that all request a stream back at once."""
    for port in range(6000, 6012):
        head = struct.pack(">iIIi", 1, 0, 0, 0)
        asked = struct.pack(">IiiiiI", BACK_AT_ONCE, 1, port, 100, 0, 30_000)
        payload = head + asked + bytes(24) + struct.pack(">II", 8_000_000, 0)
        rig.send(datagram(rig, 0, sport=port, dport=IPERF) / payload)
    rig.dut.drain(400_000)
    rig.dut.run(4000)


def _disabled(rig: Rig) -> None:
    rig.regs.tcp.ctrl.set(enable=0)
    rig.send(rig.l3() / TCP(dport=ECHO))


class Channels(Session):
    """A connection to a node whose application is the test."""

    def __init__(self, rig: Rig) -> None:
        rig.dut.send("s_axis_listen_port", [(5000).to_bytes(2, "little")])
        rig.dut.run_until(lambda: rig.dut.recv("m_axis_listen_port_status"), what="a port")
        super().__init__(rig, 5000)
        (note,) = rig.dut.recv("m_axis_notifications", 1)
        self.session = note.value & 0xFFFF

    def announce(self, size: int) -> None:
        """Announce a write, which the engine takes."""
        self.rig.dut.send("s_axis_tx_metadata", [(size << 16 | self.session).to_bytes(4, "little")])
        (status,) = self.rig.dut.recv("m_axis_tx_status", 1)
        assert status.value >> 62 == 0


def _long_write(rig: Rig) -> None:
    session = Channels(rig)
    session.announce(100)
    rig.dut.send("s_axis_tx_data", bytes(200))


def _late_write(rig: Rig) -> None:
    """When the bytes of an announced write come, another session has the number."""
    session = Channels(rig)
    rig.regs.tcp.cookies.write(CHANNEL_SESSIONS)
    session.announce(100)
    session.put("R")
    rig.dut.recv("m_axis_eth0")
    for port in range(3000, 3000 + CHANNEL_SESSIONS):
        head = TCP(sport=port, dport=5000, seq=1, flags="S")
        rig.send(rig.l3() / head)
        head = TCP(sport=port, dport=5000, seq=2, ack=session.heard().seq + 1, flags="A")
        rig.send(rig.l3() / head)
        rig.dut.drain(400_000, 500)
    rig.dut.send("s_axis_tx_data", bytes(100))


def _not_read(rig: Rig) -> None:
    """The application does not read what came before a reset."""
    session = Channels(rig)
    session.put("PA", b"to be read")
    session.seq += 10
    session.put("R")
    rig.dut.run_until(rig.regs.tcp["linger_timeout"].read, 400_000, 2000, "the end of patience")


# What counts the same frame as well: the IP stack, a damaged one that had begun.
ALSO = {"tcp.drop_bad": ("ip.drop_bad",)}

CAUSES: dict[str, Cause] = {
    "ip.drop_tcp_dst": prepared(_broadcast),
    "tcp.drop_disabled": prepared(_disabled),
    "tcp.drop_proto": prepared(lambda rig: rig.send(rig.l3(proto=132) / data(40))),
    "tcp.drop_bad": prepared(
        lambda rig: rig.send(rig.l3() / TCP(dport=ECHO) / data(200), bad=True)
    ),
    "tcp.drop_short": prepared(lambda rig: rig.send(rig.l3(proto=6) / data(12))),
    "tcp.drop_offset": prepared(lambda rig: rig.send(rig.l3() / TCP(dataofs=3) / data(40))),
    "tcp.drop_checksum": prepared(lambda rig: rig.send(rig.l3() / TCP(chksum=1) / data(40))),
    "tcp.drop_buffer_full": _full_buffer,
    "tcp.drop_hit_full": _many_hits,
    "tcp.drop_miss_full": prepared(_many_misses),
    "tcp.drop_axi": _failed_read,
    "tcp.hit_dropped": _no_flag,
    "tcp.rx_ooo_full": _gaps,
    "iperf_server.udp_bad": prepared(lambda rig: rig.send(datagram(rig, 4, dport=IPERF))),
    "iperf_server.udp_port": prepared(lambda rig: rig.send(datagram(rig, 40, dport=4000))),
    "iperf_server.udp_full": prepared(_many_requests),
}

# On the node whose application is outside.
CHANNELS: dict[str, Cause] = {
    "tcp.wr_long_frame": _long_write,
    "tcp.wr_stale": _late_write,
    "tcp.linger_timeout": _not_read,
}

EXCUSED = {
    "tcp.wr_bad_frame": "no kernel here marks what it writes bad, and the ports of channels cannot",
    "tcp.drop_length": "the engine sends no segment above its MSS, which is below the buffer",
}
