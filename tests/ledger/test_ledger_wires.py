# SPDX-License-Identifier: Apache-2.0
"""Each drop of cables, ports, switches and of a cluster's ends is named by `kumi why`."""

from __future__ import annotations

import fnmatch
import socket
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from kumihimo.cluster import Cluster
from kumihimo.cluster.snapshot import snapshot
from kumihimo.ledger import wires
from ledgerkit import named, told

ALICE, WIRE, THIRD, SINK = (f"02:00:00:00:00:0{n}" for n in "a123")

DIRECT = f"""\
name: direct
seed: 5
nodes:
  alice: {{design: udp_echo, ip: 10.77.0.10/24, mac: "{ALICE}", clocks: {{clk: CLOCK}}}}
cables:
  - {{between: [wire, alice]}}
  - {{between: [third, sink]}}
peers: {{wire: {{socket: wire.sock}}, third: {{socket: third.sock}}, sink: {{socket: sink.sock}}}}
"""
FAST, SLOW = "156.25 MHz", "2 MHz"

SWITCHED = f"""\
name: switched
seed: 5
nodes:
  alice: {{design: udp_echo, ip: 10.77.0.10/24, mac: "{ALICE}"}}
switches:
  sw0: {{ports: 4}}
cables:
  - {{between: [alice, sw0.0]}}
  - {{between: [wire, sw0.1]}}
  - {{between: [third, sw0.2]}}
  - {{between: [sink, sw0.3]}}
peers: {{wire: {{socket: wire.sock}}, third: {{socket: third.sock}}, sink: {{socket: sink.sock}}}}
"""

TAPPED = f"""\
name: tapped
nodes:
  alice: {{design: udp_echo, ip: 10.77.0.10/24, mac: "{ALICE}"}}
switches:
  sw0: {{ports: 3}}
cables:
  - {{between: [alice, sw0]}}
  - {{between: [wire, sw0]}}
  - {{between: [host0, sw0]}}
peers: {{wire: {{socket: wire.sock}}}}
taps: {{host0: {{ip: 10.77.0.1/24}}}}
"""


def frame(size: int = 60, to: str = "02:00:00:00:00:77", source: str = WIRE) -> bytes:
    """A frame of an experimental EtherType."""
    head = bytes.fromhex((to + source).replace(":", "")) + b"\x88\xb5"
    return head + bytes(size - len(head))


class Stage:
    """A cluster and the programs behind its peers' sockets."""

    def __init__(self, text: str, folder: Path, exits: ExitStack) -> None:
        self.folder, self.exits = folder, exits
        (folder / "c.yaml").write_text(text)
        self.cluster = exits.enter_context(Cluster(folder / "c.yaml"))
        self.peers: dict[str, socket.socket] = {}

    def send(self, name: str, *frames: bytes) -> None:
        """Frames of a peer; it connects with the first, and does not wait for room."""
        peer = self.connect(name)
        data = b"".join(struct.pack(">I", len(f)) + f for f in frames)
        peer.setblocking(False)
        while data:
            try:
                data = data[peer.send(data) :]
            except BlockingIOError:
                self.cluster.run("50 us")

    def connect(self, name: str) -> socket.socket:
        if name not in self.peers:
            self.peers[name] = self.exits.enter_context(socket.socket(socket.AF_UNIX))
            self.peers[name].connect(str(self.folder / f"{name}.sock"))
        return self.peers[name]

    def settle(self) -> None:
        """Run until nothing moves any more."""
        last, now = None, ""
        while last != now:
            last = now
            self.cluster.run("200 us")
            stats = self.cluster.stats()
            now = str([stats["cables"], stats["peers"], stats["nodes"]["alice"]["ports"]])


def impaired(end: str, way: str, **how: Any) -> Callable[[Stage], None]:
    """The same frames over a cable that does something."""

    def cause(stage: Stage) -> None:
        stage.cluster.impair(end, way, **how)
        stage.send("wire", *[frame(200, to=ALICE)] * 60)

    return cause


def _echoed(stage: Stage) -> None:
    """Pings whose answers suffer on their way."""
    ends = bytes((10, 77, 0, 1)) + bytes((10, 77, 0, 10))
    own = struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1) + bytes.fromhex(WIRE.replace(":", ""))
    head = frame(14, to="ff:ff:ff:ff:ff:ff")[:12] + b"\x08\x06"
    arp = head + own + ends[:4] + bytes(6) + ends[4:]
    stage.cluster.impair("wire", "b_to_a", ber=5e-3)
    stage.send("wire", *[arp.ljust(60, b"\0")] * 8)


def _unplugged(stage: Stage) -> None:
    stage.cluster.plug("alice.eth0", False)
    stage.send("wire", *[frame()] * 5)


def _backlog(stage: Stage) -> None:
    stage.connect("sink").close()
    stage.cluster.impair("third", duplicate="100 %")
    stage.send("third", *[frame(9000)] * 150)


def _reset(stage: Stage) -> None:
    stage.send("wire", *[frame(1500)] * 20)
    stage.cluster.run("100 us")
    stage.cluster.reset("alice")


def _crowded(stage: Stage) -> None:
    """Two at full rate toward a third."""
    stage.send("sink", frame(source=SINK))
    stage.settle()
    both = [frame(1500, to=SINK)] * 200
    for name in ("wire", "third"):
        stage.connect(name)
    stage.cluster.run("5 us")
    for name in ("wire", "third"):
        stage.send(name, *both)


def _not_reading(stage: Stage) -> None:
    stage.connect("sink")
    stage.cluster.run("5 us")
    stage.send("third", *[frame(9000, to=SINK)] * 250)


def _leaving(stage: Stage) -> None:
    stage.connect("sink")
    stage.cluster.run("5 us")
    stage.send("third", *[frame(9000, to=SINK)] * 60)
    stage.settle()
    stage.peers["sink"].close()


def _linux(*words: str) -> Callable[[Stage], None]:
    """Frames to a TAP after something was done to it."""

    def cause(stage: Stage) -> None:
        stage.settle()
        assert stage.cluster.namespace is not None
        assert stage.cluster.namespace.run(["ip", "link", *words]).returncode == 0
        stage.send("wire", *[frame()] * 5)

    return cause


# Counter in the ledger, cluster, and what makes it count.
CASES: dict[str, tuple[str, str, Callable[[Stage], None]]] = {
    "lost": ("cables.wire--alice.eth0.ab.lost", FAST, impaired("wire", "a_to_b", loss="20 %")),
    "fcs_dropped": (
        "cables.wire--alice.eth0.ab.fcs_dropped",
        FAST,
        impaired("wire", "a_to_b", ber=2e-4),
    ),
    "backlog_dropped": ("cables.third--sink.ab.backlog_dropped", FAST, _backlog),
    "unplugged": ("cables.wire--alice.eth0.ab.unplugged", FAST, _unplugged),
    "rx_overflow": (
        "alice.eth0.rx_overflow",
        SLOW,
        lambda stage: stage.send("wire", *[frame(1500)] * 250),
    ),
    "rx_reset": ("alice.eth0.rx_reset", SLOW, _reset),
    "end.rx_fcs_errors": ("wire.rx_fcs_errors", FAST, _echoed),
    "rx_fcs_errors": ("sw0.1.rx_fcs_errors", "", impaired("wire", "a_to_b", ber=2e-4)),
    "rx_oversize": ("sw0.1.rx_oversize", "", lambda stage: stage.send("wire", frame(20000))),
    "rx_reserved": (
        "sw0.1.rx_reserved",
        "",
        lambda stage: stage.send("wire", frame(to="01:80:c2:00:00:0e")),
    ),
    "rx_same_port": ("sw0.1.rx_same_port", "", lambda s: s.send("wire", frame(to=WIRE))),
    "tx_queue_full": ("sw0.3.tx_queue_full", "", _crowded),
    "to_peer_absent": ("sink.to_peer_absent", FAST, lambda s: s.send("third", frame())),
    "to_peer_full": ("sink.to_peer_full", FAST, _not_reading),
    "to_peer_left": ("sink.to_peer_left", FAST, _leaving),
    "to_linux_down": ("host0.to_linux_down", "tap", _linux("set", "host0", "down")),
    "to_linux_gone": ("host0.to_linux_gone", "tap", _linux("delete", "host0")),
}

EXCUSED = {
    "rx_runts": "every station pads its frames to 60 bytes; only a test's own script can send less",
    "to_linux_full": "a TAP of Linux takes frames until its memory is at an end",
    "to_linux_refused": "Linux refuses only what is shorter than an Ethernet header",
}
# What is dropped beside it, by the way: announcements to nobody, frames for nobody at a node.
BESIDE = (
    *("ip.drop_mac", "ip.drop_ethertype", "ip.drop_bad", "*.to_peer_absent", "*.rx_same_port"),
    *("sw0.*.tx_queue_full", "cables.wire--sw0.1.ab.fcs_dropped"),
    "cables.wire--alice.eth0.ba.unplugged",
)


@pytest.fixture
def exits() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("name", CASES)
def test_drop_is_named(name: str, tmp_path: Path, exits: ExitStack) -> None:
    counter, place, cause = CASES[name]
    text = {"": SWITCHED, "tap": TAPPED}.get(place, DIRECT.replace("CLOCK", place))
    folder = Path(exits.enter_context(tempfile.TemporaryDirectory()))  # short enough for sockets
    stage = Stage(text, folder, exits)
    cause(stage)
    stage.settle()
    document, said = told(snapshot(stage.cluster), tmp_path)
    found = named(document)
    assert found.get(counter, (0, ""))[0] > 0, said
    why = found[counter][1]
    assert why in {t for table in tables() for t in table.values()} and f"({why})" in said
    for other in set(found) - {counter}:
        assert any(fnmatch.fnmatch(other, pattern) for pattern in BESIDE), (other, said)
    assert document["balanced"], said
    assert all(a["inside"] == 0 or a["kind"] == "peer" for a in document["accounts"]), said


def tables() -> tuple[dict[str, str], ...]:
    """The reasons of the simulator's own drops."""
    return wires.CABLE, wires.PORT, wires.END, wires.SWITCH, wires.OUTSIDE


# ---- the list is complete ----------------------------------------------------------------------

# Counters of ports, cables and ends that are no drops of frames.
OTHERS = {
    *("alive", "bit_errors", "bytes_in", "bytes_out", "connected", "connects", "corrupted"),
    *("cut_frames", "disconnects", "duplicated", "frames_in", "frames_out", "padded"),
    *("protocol_errors", "refused", "reordered", "rx_beats", "rx_bytes", "rx_fcs_forwarded"),
    *("rx_frames", "rx_pause", "rx_wait", "to_peer_waiting", "tx_bad", "tx_beats", "tx_bytes"),
    *("tx_cut_through", "tx_frames", "tx_gap", "tx_pause", "tx_queue_bytes", "tx_queue_peak"),
    *("tx_unconnected", "tx_waiting"),
}


def test_every_reason_is_caused_or_excused(tmp_path: Path, exits: ExitStack) -> None:
    caused = {counter.rpartition(".")[2] for counter, _, _ in CASES.values()}
    known = {name for table in tables() for name in table}
    assert caused | set(EXCUSED) == known and not caused & set(EXCUSED)
    folder = Path(exits.enter_context(tempfile.TemporaryDirectory()))
    stats = Stage(TAPPED, folder, exits).cluster.stats()
    seen = set()
    for cable in stats["cables"].values():
        seen |= set(cable["ab"])
    for section in ("nodes", "switches"):
        for station in stats[section].values():
            for port in station["ports"].values():
                seen |= set(port)
    for section in ("taps", "peers"):
        for station in stats[section].values():
            seen |= set(station)
    assert seen - known == OTHERS, "a new counter is a drop that is caused here, or none"
