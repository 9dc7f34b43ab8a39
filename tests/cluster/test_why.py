# SPDX-License-Identifier: Apache-2.0
"""Where every frame is: frames dropped on purpose are found under the right counter's name."""

from __future__ import annotations

import ipaddress
import json
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kumihimo.cli.up import write_stats
from kumihimo.cli.why import run as why
from kumihimo.cluster import Cluster
from kumihimo.cluster.snapshot import snapshot
from kumihimo.ledger import Ledger, sentences, short
from kumihimo.manager import agent

ALICE, WIRE, LOSSY = "02:00:00:00:00:0a", "02:00:00:00:00:01", "02:00:00:00:00:02"
ALICE_IP = "10.77.0.10"
IPS = {WIRE: "10.77.0.1", LOSSY: "10.77.0.2"}

SWITCHED = f"""\
name: dropping
seed: 5
nodes:
  alice: {{design: udp_echo, ip: {ALICE_IP}/24, mac: "{ALICE}", regs: {{echo.port: 7}}}}
switches:
  sw0: {{ports: 3}}
cables:
  - {{between: [alice, sw0.0]}}
  - {{between: [wire, sw0.1]}}
  - {{between: [lossy, sw0.2], a_to_b: {{loss: 20 %}}}}
peers:
  wire: {{socket: wire.sock}}
  lossy: {{socket: lossy.sock}}
"""

BAD_CABLE = f"""\
name: bad_cable
seed: 3
nodes:
  alice: {{design: udp_echo, ip: {ALICE_IP}/24, mac: "{ALICE}"}}
cables:
  - between: [wire, alice]
    loss: 5 %
    duplicate: 5 %
    reorder: 5 %
    jitter: 1 us
    ber: 3e-5
peers:
  wire: {{socket: wire.sock}}
"""


def octets(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return int(~total & 0xFFFF)


def packet(payload: bytes, source: str, protocol: int, header_error: int = 0) -> bytes:
    """An IPv4 packet to alice."""
    ends = ipaddress.IPv4Address(IPS[source]).packed + ipaddress.IPv4Address(ALICE_IP).packed
    size = 20 + len(payload)
    head = struct.pack(">BBHHHBBH", 0x45, 0, size, 0, 0, 64, protocol, 0) + ends
    total = checksum(head) ^ header_error
    return head[:10] + struct.pack(">H", total) + head[12:] + payload


def ethernet(payload: bytes, source: str, to: str = ALICE, kind: int = 0x0800) -> bytes:
    frame = octets(to) + octets(source) + struct.pack(">H", kind) + payload
    return frame + bytes(max(0, 60 - len(frame)))


def datagram(source: str, port: int = 7, error: int = 0, **more: Any) -> bytes:
    """A frame with a UDP datagram of 40 bytes; `error` is added to its checksum."""
    data = bytes(range(40))
    ends = ipaddress.IPv4Address(IPS[source]).packed + ipaddress.IPv4Address(ALICE_IP).packed
    head = struct.pack(">HHH", 5000, port, 8 + len(data))
    total = checksum(ends + struct.pack(">HH", 17, 8 + len(data)) + head + b"\0\0" + data)
    udp = head + struct.pack(">H", total ^ error) + data
    header_error = more.pop("header_error", 0)
    return ethernet(packet(udp, source, 17, header_error), source, **more)


def ping(source: str) -> bytes:
    echo = struct.pack(">BBHHH", 8, 0, 0, 1, 1) + bytes(32)
    echo = echo[:2] + struct.pack(">H", checksum(echo)) + echo[4:]
    return ethernet(packet(echo, source, 1), source)


def arp(source: str) -> bytes:
    ip, alice = (ipaddress.IPv4Address(text).packed for text in (IPS[source], ALICE_IP))
    body = struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1) + octets(source) + ip + bytes(6) + alice
    return ethernet(body, source, to="ff:ff:ff:ff:ff:ff", kind=0x0806)


class Peer:
    """The program behind a peer's socket: length, then the frame (QEMU's stream format)."""

    def __init__(self, path: Path) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(path))

    def send(self, *frames: bytes) -> None:
        self.sock.sendall(b"".join(struct.pack(">I", len(f)) + f for f in frames))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a path short enough for sockets."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


def settle(cluster: Cluster) -> None:
    """Run until nothing moves any more."""
    last, now = None, ""
    while last != now:
        last = now
        cluster.run("30 us")
        now = str([cluster.stats()[k] for k in ("cables", "peers")])


def start(folder: Path, text: str) -> Cluster:
    (folder / "c.yaml").write_text(text)
    return Cluster(folder / "c.yaml").start()


@pytest.fixture
def dropped(folder: Path) -> Iterator[Cluster]:
    """The switched cluster after traffic of which much was dropped."""
    with start(folder, SWITCHED) as cluster:
        wire, lossy = Peer(folder / "wire.sock"), Peer(folder / "lossy.sock")
        wire.send(arp(WIRE), ping(WIRE), *[datagram(WIRE)] * 5)
        wire.send(*[datagram(WIRE, port=9)] * 4)
        wire.send(*[datagram(WIRE, error=0x10)] * 3, datagram(WIRE, port=9, error=0x10))
        wire.send(*[datagram(WIRE, to="02:00:00:00:00:99")] * 2)
        wire.send(datagram(WIRE, header_error=1), ethernet(bytes(46), WIRE, kind=0x88B5))
        wire.send(datagram(WIRE, to=WIRE), datagram(WIRE, to="01:80:c2:00:00:0e"))
        settle(cluster)
        lossy.send(*[datagram(LOSSY)] * 60)
        settle(cluster)
        yield cluster


def test_the_right_counter_is_named(dropped: Cluster) -> None:
    stats = snapshot(dropped)
    ledger = Ledger.of(stats)
    lost = int(stats["cables"]["lossy--sw0.2"]["ab"]["lost"])
    assert 0 < lost < 60
    named = {(where, item.name): (item.count, item.text) for where, item in ledger.drops}
    assert named == {
        ("alice", "ip.drop_udp_checksum"): (4, "UDP checksum wrong"),
        ("alice", "ip.drop_mac"): (2, "for another MAC address, or from a group address"),
        ("alice", "ip.drop_ip_checksum"): (1, "header checksum wrong"),
        ("alice", "ip.drop_ethertype"): (
            1,
            "neither IPv4 nor ARP; a second VLAN tag counts here",
        ),
        ("alice", "echo.drop_port"): (5, "another port"),
        ("alice", "ip.tx_buffer_bad"): (3, "frame to send marked bad or too long"),
        ("sw0", "sw0.1.rx_same_port"): (
            1,
            "its destination is behind the port that it came from",
        ),
        ("sw0", "sw0.1.rx_reserved"): (
            1,
            "for a reserved group address, which switches do not forward",
        ),
        ("lossy -> sw0.2", "cables.lossy--sw0.2.ab.lost"): (lost, "the cable's chance of loss"),
    }
    alice = ledger.accounts[0]
    # One datagram has a wrong checksum and a wrong port: both blocks count it.
    assert (alice.where, alice.drops, [i.count for i in alice.added]) == ("alice", 13, [1])
    went = {item.text: item.count for item in alice.went}
    answered = 5 + 60 - lost
    assert went == {"ARP packets taken": 1, "pings answered": 1, "datagrams answered": answered}
    assert alice.came_in == sum(went.values()) + 13 - 1


def test_the_ledger_balances(dropped: Cluster) -> None:
    ledger = Ledger.of(snapshot(dropped))
    assert ledger.unexplained == 0
    for account in ledger.accounts:
        assert account.counted and (account.inside, account.remainder) == (0, 0), account
    text = "\n".join(sentences(ledger))
    assert "5 echo.drop_port (another port)" in text and "Every frame is accounted for" in text
    # A frame that vanishes is not explained away.
    stats = snapshot(dropped)
    stats["registers"]["alice"]["blocks"]["ip"]["drop_mac"] -= 2
    stats["switches"]["sw0"]["ports"]["1"]["rx_same_port"] -= 1
    ledger = Ledger.of(stats)
    assert ledger.accounts[0].unexplained == 2 and ledger.unexplained == 2
    assert "2 that no counter accounts for" in "\n".join(short(ledger))


def test_a_block_of_the_user(dropped: Cluster) -> None:
    """Its descriptions come with the counters; its drops are told, though not part of the sum."""
    stats = snapshot(dropped)
    registers = stats["registers"]["alice"]
    assert registers["about"] == {}
    registers["blocks"]["kvs"] = {"drop_key": 4, "gets": 9}
    registers["about"]["kvs"] = {"drop_key": "Drop: no such key.", "gets": "Values read."}
    ledger = Ledger.of(stats)
    assert ledger.unexplained == 0 and "datagrams delivered" in sentences(ledger)[0]
    later = "later 9 dropped: 5 echo.drop_port (another port), 4 kvs.drop_key (no such key)"
    assert later in sentences(ledger)[0]
    # A snapshot that had no time says so.
    assert short(Ledger.of(snapshot(dropped, 0.0)))[-1] == "registers not all read: 1 node (alice)"
    # Without registers only what the simulator counts is known.
    del stats["registers"]
    text = sentences(Ledger.of(stats))
    assert "its registers do not count frames" in text[0] and "except inside alice" in text[-1]


def test_a_cable_with_every_fault(folder: Path) -> None:
    with start(folder, BAD_CABLE) as cluster:
        Peer(folder / "wire.sock").send(*[datagram(WIRE)] * 300)
        settle(cluster)
        stats = snapshot(cluster)
        ledger = Ledger.of(stats)
        link = stats["cables"]["wire--alice.eth0"]
        assert all(link["ab"][name] > 0 for name in ("lost", "fcs_dropped", "duplicated"))
        assert link["ba"]["lost"] > 0 and stats["peers"]["wire"]["rx_fcs_errors"] > 0
        assert all(a.remainder == 0 and a.inside == 0 for a in ledger.accounts), sentences(ledger)
        names = {item.name for _, item in ledger.drops}
        assert {f"cables.wire--alice.eth0.{w}.lost" for w in ("ab", "ba")} <= names
        assert {"cables.wire--alice.eth0.ab.fcs_dropped", "wire.rx_fcs_errors"} <= names


def test_why_of_a_running_cluster_and_of_a_file(
    dropped: Cluster, folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    with dropped.serving(), agent.serving_cluster(dropped):
        assert why("dropping", True) == 0
        running = json.loads(capsys.readouterr().out)
    assert running["balanced"] and running["cluster"] == "dropping"
    file = folder / "stats.json"
    write_stats(snapshot(dropped), file)
    assert why(str(file), True) == 0
    kept = json.loads(capsys.readouterr().out)
    assert kept["drops"] == running["drops"] and kept["unexplained"] == 0
    assert why(str(file), False) == 0
    assert "ip.drop_udp_checksum (UDP checksum wrong)" in capsys.readouterr().out


def test_up_writes_registers_and_why_reads_them(folder: Path) -> None:
    (folder / "c.yaml").write_text(SWITCHED)
    kumi = [sys.executable, "-m", "kumihimo.cli"]
    up = [*kumi, "up", str(folder / "c.yaml"), "--until", "5us", "--stats", str(folder / "s.json")]
    done = subprocess.run(up, capture_output=True, text=True, timeout=300, check=False)
    # The end of the run tells of drops: alice announced her address to peers that were not there.
    assert done.returncode == 0 and "1 dropped: wire.to_peer_absent (nobody was" in done.stderr
    blocks = json.loads((folder / "s.json").read_text())["registers"]["alice"]["blocks"]
    assert blocks["echo"]["rx_datagrams"] == 0 and blocks["ip"]["rx_frame"] == 0
    for argument, code, text in (
        ("s.json", 0, "Every frame is accounted for"),
        ("none.json", 2, "no file"),
    ):
        argv = [*kumi, "why", str(folder / argument)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code and text in done.stdout + done.stderr
