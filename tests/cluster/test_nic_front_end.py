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
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster

TEXT = """
name: card
nodes:
  card: {design: nic, clocks: {clk: 250 MHz}, open_ports: [eth0]}
hosts:
  guest: {port: card.host, socket: guest.sock}
"""
GET_FEATURES, SET_FEATURES, SET_OWNER, SET_MEM_TABLE = 1, 2, 3, 5
SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_KICK = 8, 9, 12
GET_PROTOCOL, SET_PROTOCOL, SET_ENABLE, GET_CONFIG, SET_STATUS = 15, 16, 18, 24, 39
VERSION_1, MRG_RXBUF = 1 << 32, 1 << 15


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

    def drive(self, kick: int, memory: int, size: int) -> None:
        """A queue that transmits, in shared memory."""
        self.send(SET_OWNER)
        self.send(SET_PROTOCOL, struct.pack("<Q", self.word(GET_PROTOCOL)))
        self.send(SET_FEATURES, struct.pack("<Q", VERSION_1 | MRG_RXBUF))
        table = struct.pack("<IIQQQQ", 1, 0, 0, size, 0x7000_0000, 0)
        self.send(SET_MEM_TABLE, table, (memory,))
        self.send(SET_VRING_NUM, struct.pack("<II", 1, 16))
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
