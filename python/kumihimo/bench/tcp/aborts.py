# SPDX-License-Identifier: Apache-2.0
"""Connections opened and aborted, a hundred thousand and more, in simulated time.

A peer of bare frames does what no program can: RST in SYN-RECEIVED, with data ahead of a gap, with
answers unacknowledged, behind its own FIN; some peers vanish. Afterwards every session must be free
again, and as many as the node has must open at once. Works with any node under test that has an
echo server, as `kumihimo.bench.tcp.fuzz`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kumihimo.bench.core import BenchError
from kumihimo.bench.tcp.fuzz import ECHO, MAC, Handle, totals
from kumihimo.bench.tcp.segments import ACK, FIN, PSH, RST, SYN, WORD, Maker, number, parse

SOURCE = number("10.77.0.2")
TIMED = b"\x02\x04\x05\xb4\x01\x03\x03\x04\x04\x02\x01\x01"
KINDS = ("syn", "idle", "data", "gap", "fin", "data and fin")
VANISH = 512  # one peer in this many only falls silent
BATCH = 24
PATIENCE = 20  # times that an answer is waited for


@dataclass
class Peer:
    """One end; numbers are those of the next byte each way."""

    port: int
    kind: str
    seq: int
    ack: int = 0


class Killer:
    """Opens and kills connections of one node."""

    def __init__(self, node: Handle) -> None:
        self.node, self.dut = node, node.dut
        self.maker = Maker(MAC, node.mac, node.ip)
        self.count = 0
        self.dut.send("s_axis_eth0", self.maker.announcement(SOURCE))
        self.flush()

    def frame(self, peer: Peer, flags: int, data: bytes = b"", ahead: int = 0) -> bytes:
        """A segment of a peer."""
        options = TIMED if flags & SYN else b""
        return self.maker.segment(
            SOURCE, peer.port, ECHO, peer.seq + ahead, peer.ack, flags, options=options, data=data
        )

    def flush(self, settle: int = 150) -> list[Any]:
        """Let the node take everything; what it says."""
        self.dut.drain(timeout_cycles=1_000_000, settle=settle)
        out = []
        for frame in self.dut.recv("m_axis_eth0"):
            seg = parse(frame.data)
            if seg is None:
                answer = self.maker.arp_answer(frame.data)
                if answer is not None:
                    self.dut.send("s_axis_eth0", answer)
            elif not seg.good or frame.bad:
                raise BenchError(f"the node sent a bad segment: {seg}")
            else:
                out.append(seg)
        return out

    def open(self, peers: list[Peer]) -> list[Peer]:
        """Handshakes, all at once; those that were answered."""
        by_port = {peer.port: peer for peer in peers}
        self.dut.send("s_axis_eth0", [self.frame(peer, SYN) for peer in peers])
        answered: list[Peer] = []
        for _ in range(PATIENCE):
            for seg in self.flush():
                peer = by_port.pop(seg.port, None)
                if peer is None or seg.flags != SYN | ACK:
                    continue  # a peer that vanished is reminded
                if seg.ack != (peer.seq + 1) & WORD:
                    raise BenchError(f"SYN {peer.seq} is answered by {seg}")
                peer.seq, peer.ack = (peer.seq + 1) & WORD, (seg.seq + 1) & WORD
                answered.append(peer)
            if not by_port:
                break
        return answered

    def next_peers(self, count: int) -> list[Peer]:
        """Of all kinds, from ever other ports and numbers."""
        out = []
        for _ in range(count):
            i = self.count
            self.count += 1
            out.append(Peer(1024 + i % 60_000, KINDS[i % len(KINDS)], i * 2_654_435_761 & WORD))
        return out

    def batch(self, count: int) -> None:
        """Open, use and abort a number of connections."""
        peers = self.open(self.next_peers(count))
        frames = []
        for peer in peers:
            if peer.kind != "syn":
                frames.append(self.frame(peer, ACK))
            if "data" in peer.kind:
                frames.append(self.frame(peer, ACK | PSH, bytes(200)))
                peer.seq = (peer.seq + 200) & WORD
            if peer.kind == "gap":
                frames.append(self.frame(peer, ACK | PSH, bytes(100), ahead=500))
            if "fin" in peer.kind:
                frames.append(self.frame(peer, ACK | FIN))
                peer.seq = (peer.seq + 1) & WORD
        self.dut.send("s_axis_eth0", frames)
        self.flush(300)
        killed = [peer for peer in peers if (peer.seq ^ peer.ack) % VANISH]
        self.dut.send("s_axis_eth0", [self.frame(peer, RST) for peer in killed])
        self.flush(200)

    def rest(self, patience_cycles: int = 20_000_000) -> None:
        """Wait until the node has dropped the peers that vanished."""
        end = self.dut.cycle + patience_cycles
        while left := self.node.regs.tcp.status.get("sessions"):
            if self.dut.cycle > end:
                raise BenchError(f"{left} sessions are left long after the last word")
            self.dut.run(20_000)
            self.flush()

    def all_at_once(self, sessions: int) -> None:
        """As many as the node has: each one is there and echoes."""
        peers: list[Peer] = []
        while len(peers) < sessions:
            some = self.open(self.next_peers(min(8, sessions - len(peers))))
            if not some:
                raise BenchError(f"only {len(peers)} of {sessions} sessions open at once")
            self.dut.send("s_axis_eth0", [self.frame(peer, ACK) for peer in some])
            self.flush()
            peers += some
        in_use = self.node.regs.tcp.status.get("sessions")
        if in_use != sessions:
            raise BenchError(f"{sessions} peers, {in_use} sessions")
        text = {peer.port: peer.seq.to_bytes(4, "big") * 5 for peer in peers}
        for peer in peers:
            self.dut.send("s_axis_eth0", self.frame(peer, ACK | PSH, text[peer.port]))
            peer.seq = (peer.seq + 20) & WORD
        got: dict[int, bytes] = {}
        for _ in range(PATIENCE):
            got |= {seg.port: seg.data for seg in self.flush() if seg.data}
            if len(got) == sessions:
                break
        if got != text:
            raise BenchError(f"{len(got)} of {sessions} sessions echo what they should")
        self.dut.send("s_axis_eth0", [self.frame(peer, RST) for peer in peers])
        self.flush()


def kills(node: Handle, count: int, sessions: int, progress: Any = None) -> dict[str, Any]:
    """Open and abort `count` connections; raises when any state of them is left.

    No SYN is answered by a cookie while there is a session for it: half-open ones are aborted, too.
    """
    node.regs.tcp.cookies.set(half_open=sessions)
    killer, begin, before = Killer(node), node.dut.cycle, totals(node)

    def begun() -> int:
        counts = totals(node)
        names = ("tcp.miss_passive", "tcp.miss_cookie_accepted")
        return sum(counts[name] - before[name] for name in names)

    opened = 0
    while opened < count:
        killer.batch(min(BATCH, count - opened))
        opened = begun()
        if node.regs.tcp.status.get("sessions") > sessions - BATCH:
            killer.rest()  # those that vanished have the numbers
        if progress is not None:
            progress(opened, count)
    cycles = node.dut.cycle - begin
    killer.rest()
    after = totals(node)
    freed = after["tcp.session_freed"] - before["tcp.session_freed"]
    opened = begun()
    if freed != opened:
        raise BenchError(f"{opened} sessions begun, {freed} numbers freed")
    killer.all_at_once(sessions)
    killer.rest()
    return {
        "connections": opened,
        "cycles": cycles,
        "reset": after["tcp.hit_reset"] - before["tcp.hit_reset"],
        "timed_out": after["tcp.close_timeout"] - before["tcp.close_timeout"],
        "open_at_once_afterwards": sessions,
    }
