# SPDX-License-Identifier: Apache-2.0
"""Front ends of a host port that break the rules of vhost-user: the cluster goes on."""

from __future__ import annotations

import array
import mmap
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.cluster.steering import Flow
from kumihimo.common.errors import KumiError

TEXT = """
name: card
nodes:
  card: {design: nic, clocks: {clk: 250 MHz}, open_ports: [eth0]}
hosts:
  guest: {port: card.host, socket: guest.sock}
"""
GET_FEATURES, SET_FEATURES, SET_OWNER, SET_MEM_TABLE = 1, 2, 3, 5
SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_BASE, GET_VRING_BASE, SET_VRING_KICK = 8, 9, 10, 11, 12
GET_PROTOCOL, SET_PROTOCOL, SET_ENABLE, GET_CONFIG, SET_STATUS = 15, 16, 18, 24, 39
VERSION_1, MRG_RXBUF, RING_PACKED = 1 << 32, 1 << 15, 1 << 34
MULTIQUEUE = 1 << 22
SIZE = 16  # of the queue that `drive` sets up


class FrontEnd:
    """A connection that sends what it likes."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(path))

    def send(self, request: int, payload: bytes = b"", fds: tuple[int, ...] = ()) -> None:
        """A message with its descriptors."""
        data = struct.pack("<III", request, 1, len(payload)) + payload
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        self.socket.sendmsg([data], rights)

    def ask(self, request: int, payload: bytes = b"") -> bytes:
        """A message and its answer."""
        self.send(request, payload)
        head = self.socket.recv(12, socket.MSG_WAITALL)
        number, _flags, size = struct.unpack("<III", head)
        assert number == request
        return self.socket.recv(size, socket.MSG_WAITALL)

    def word(self, request: int) -> int:
        """An answer of 64 bits."""
        return int(struct.unpack("<Q", self.ask(request))[0])

    def gone(self) -> bool:
        """Whether the other end has hung up."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True

    def drive(
        self, kick: int, memory: int, size: int, features: int = 0, base: int | None = None
    ) -> None:
        """A queue that transmits, in shared memory."""
        self.send(SET_OWNER)
        self.send(SET_PROTOCOL, struct.pack("<Q", self.word(GET_PROTOCOL)))
        self.send(SET_FEATURES, struct.pack("<Q", VERSION_1 | MRG_RXBUF | features))
        table = struct.pack("<IIQQQQ", 1, 0, 0, size, 0x7000_0000, 0)
        self.send(SET_MEM_TABLE, table, (memory,))
        self.send(SET_VRING_NUM, struct.pack("<II", 1, SIZE))
        if base is not None:
            self.send(SET_VRING_BASE, struct.pack("<II", 1, base))
        at = 0x7000_0000
        self.send(SET_VRING_ADDR, struct.pack("<IIQQQQ", 1, 0, at, at + 8192, at + 4096, 0))
        self.send(SET_VRING_KICK, struct.pack("<Q", 1), (kick,))
        self.send(SET_ENABLE, struct.pack("<II", 1, 1))
        assert self.word(GET_FEATURES)


def _welcome(path: Path) -> FrontEnd:
    """A connection that is answered, once what the one before has sent is read."""
    end = time.monotonic() + 30
    while True:
        front = FrontEnd(path)
        try:
            assert front.word(GET_FEATURES) & VERSION_1
            return front
        except (ConnectionError, struct.error):
            assert time.monotonic() < end, "no answer"
            time.sleep(0.1)


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """The socket of a served cluster that must still work afterwards."""
    file = tmp_path / "cluster.yaml"
    file.write_text(TEXT)
    with Cluster(file) as cluster:
        thread = threading.Thread(target=cluster.serve)
        thread.start()
        try:
            yield tmp_path / "guest.sock"
            good = _welcome(tmp_path / "guest.sock")
            # Idle: it sleeps, as no descriptor of the one before is left.
            good.socket.close()
            time.sleep(0.3)
            before = cluster.stats()["engine"]["sleeps"]
            time.sleep(0.5)
            assert cluster.stats()["engine"]["sleeps"] - before < 200
        finally:
            cluster.engine.stop()
            thread.join(10)
            assert not thread.is_alive()


def test_messages_that_are_wrong(path: Path) -> None:
    for request, payload in (
        (SET_FEATURES, b"\xff" * 8),  # not offered
        (SET_FEATURES, b"\x00"),
        (SET_VRING_NUM, struct.pack("<II", 999, 16)),
        (SET_MEM_TABLE, struct.pack("<II", 8, 0)),
        (SET_MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, 1 << 63, 1 << 63, 1 << 63, 1 << 63)),
        (GET_CONFIG, struct.pack("<III", 250, 100, 0)),
        (SET_OWNER, b"\x00" * 5000),
    ):
        bad = _welcome(path)
        bad.send(request, payload)
        assert bad.gone(), request


def test_a_flood_of_messages(path: Path) -> None:
    flood = FrontEnd(path)
    stop = time.monotonic() + 2
    while time.monotonic() < stop:
        flood.socket.sendall(struct.pack("<III", SET_OWNER, 1, 0) * 5000)
    flood.socket.close()


def test_kicks_after_the_guest_was_sent_away(path: Path) -> None:
    kick, memory = os.eventfd(0), os.memfd_create("guest")
    os.ftruncate(memory, 1 << 16)
    front = FrontEnd(path)
    front.drive(kick, memory, 1 << 16)
    front.send(SET_VRING_NUM, struct.pack("<II", 999, 16))
    assert front.gone()
    os.eventfd_write(kick, 1)


def test_a_control_queue_that_was_not_negotiated(path: Path) -> None:
    """The port commands the card itself then, so that queue is not the front end's."""
    kick, memory = os.eventfd(0), os.memfd_create("guest")
    os.ftruncate(memory, 1 << 16)
    front = FrontEnd(path)
    front.drive(kick, memory, 1 << 16, MULTIQUEUE)
    control = 8  # behind four pairs
    at = 0x7000_4000
    front.send(SET_VRING_NUM, struct.pack("<II", control, SIZE))
    front.send(SET_VRING_ADDR, struct.pack("<IIQQQQ", control, 0, at, at + 8192, at + 4096, 0))
    front.send(SET_VRING_KICK, struct.pack("<Q", control), (kick,))
    front.send(SET_ENABLE, struct.pack("<II", control, 1))
    assert front.gone()


def test_a_memory_that_is_cut_short(path: Path) -> None:
    kick, memory = os.eventfd(0), os.memfd_create("guest")
    os.ftruncate(memory, 1 << 16)
    with mmap.mmap(memory, 1 << 16) as ram:
        ram[4098:4100] = b"\x01\x00"
        front = FrontEnd(path)
        front.drive(kick, memory, 1 << 16)
    os.ftruncate(memory, 0)
    os.eventfd_write(kick, 1)
    assert front.word(GET_FEATURES)
    time.sleep(0.2)
    front.socket.close()


@pytest.mark.parametrize("base", [None, 0, 0x80008000, 0x00050005, 0x800E800E, 14])
def test_a_packed_queue_is_taken_over(path: Path, base: int | None) -> None:
    """It goes on at a place with a wrap counter, over the ring's end, and says where it has ended.

    No place, or 0, is the first one (user-mode Linux says 0); a place without the upper half is
    that of both (vhost-user, SET_VRING_BASE).
    """
    kick, memory = os.eventfd(0), os.memfd_create("guest")
    os.ftruncate(memory, 1 << 16)
    first = 0x8000 if not base else base & 0xFFFF
    count, lap = first & 0x7FFF, first >> 15
    chains = 4
    with mmap.mmap(memory, 1 << 16) as ram:
        ram[: 16 * SIZE] = struct.pack("<QIHH", 0, 0, 0, 0 if lap else 0x8080) * SIZE
        for n in range(count, count + chains):
            wrap = lap ^ n // SIZE
            at = 16 * (n % SIZE)
            ram[at : at + 16] = struct.pack("<QIHH", 0x3000, 72, 7 * n, 0x80 if wrap else 0x8000)
        front = FrontEnd(path)
        front.drive(kick, memory, 1 << 16, RING_PACKED, base)
        os.eventfd_write(kick, 1)
        end = time.monotonic() + 20
        last = 16 * ((count + chains - 1) % SIZE)
        used = 0x8080 if lap ^ (count + chains - 1) // SIZE else 0
        while ram[last + 14 : last + 16] != used.to_bytes(2, "little"):
            assert time.monotonic() < end, "the last chain is not used"
            time.sleep(0.01)
        for n in range(count, count + chains):
            at = 16 * (n % SIZE) + 12
            assert int.from_bytes(ram[at : at + 2], "little") == 7 * n
        behind = (count + chains) % SIZE | (lap ^ (count + chains) // SIZE) << 15
        answer = front.ask(GET_VRING_BASE, struct.pack("<II", 1, 0))
        assert struct.unpack("<II", answer) == (1, behind * 0x10001)
        front.socket.close()


def test_flows_are_steered_by_the_node(tmp_path: Path) -> None:
    """The table of flows is the card's: no guest needs to be there."""
    file = tmp_path / "cluster.yaml"
    file.write_text(TEXT)
    web = Flow("tcp", "10.77.0.1", 40000, "10.77.0.2", 80)
    with Cluster(file) as cluster:
        steering = cluster["card"].steering()
        steering.insert(web, 3)
        assert list(steering) == [(web, 3)]
        with pytest.raises(KumiError, match="no queue 4"):
            steering.insert(replace(web, source_port=1), 4)
        with pytest.raises(KumiError, match="no host port"):
            cluster["card"].steering("eth0")
