# SPDX-License-Identifier: Apache-2.0
"""The tcp_channels node and Linux: EasyNet's twelve channels and the streams of bytes, real engine.

The application is this program: it knows only the ports of the node.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster, Node
from kumihimo.cluster.channel import Channel
from linux_sockets import PATIENCE_S, Linux

HOST = 0x0A4D0001
OK, RESET, REFUSED, UNREACHABLE, IN_USE = 0, 2, 4, 5, 10
NO_SPACE = 2

TEXT = """\
name: channels
seed: 5
nodes:
  server:
    design: tcp_channels
    ip: 10.77.0.10/24
    params: {{DATA_W: 64, SESSIONS: 16}}
    timers: fast
    regs: {{tcp.retries.syn: 2, tcp.rto_init: 1000, tcp.rto_min: 1000, tcp.rto_max: 4000,
            tcp.time_wait: 1000, tcp.fin_wait: 4000, tcp.linger: 4000}}
cables:
  - {{between: [server.eth0, host0], rate: 10 Gb/s, latency: 500 ns{impairments}}}
taps:
  host0: {{ip: 10.77.0.1/24, mtu: 1500}}
"""
BAD = ", loss: 0.01, duplicate: 0.02, reorder: 0.02, ber: 3.0e-7"


@dataclass
class Place:
    node: Node
    linux: Linux

    @property
    def ip(self) -> str:
        return str(self.node.ip)


@pytest.fixture(scope="module", params=["clean", "bad"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    file: Path = tmp_path_factory.mktemp("channels") / "channels.yaml"
    file.write_text(TEXT.format(impairments=BAD if request.param == "bad" else ""))
    with Cluster(file) as cluster, cluster.serving():
        linux = Linux(cluster.namespace)
        try:
            yield Place(cluster["server"], linux)
        finally:
            linux.close()


def soon(channel: Channel, seconds: float = 1.0) -> bool:
    """Whether something can be read within some time of the wall."""
    end = time.monotonic() + seconds
    while not channel.pending() and time.monotonic() < end:
        time.sleep(0.0005)
    return bool(channel.pending())


def wait(channel: Channel) -> None:
    """Until something can be read: the node's own time stands still while it waits for Linux."""
    assert soon(channel, PATIENCE_S), f"nothing came out of {channel!r}"


# ---- the twelve channels -----------------------------------------------------------------------


class Toe:
    """An application that was written for EasyNet's engine: records as they are there."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def put(self, name: str, value: int, size: int) -> None:
        self.node.channel(name).write(value.to_bytes(size, "little"))

    def get(self, name: str) -> int:
        channel = self.node.channel(name)
        wait(channel)
        return int.from_bytes(channel.read(), "little")

    def listen(self, port: int) -> int:
        self.put("listen_port", port, 2)
        return self.get("listen_port_status")

    def open(self, ip: int, port: int) -> tuple[int, bool]:
        """The session, and whether it is one."""
        self.put("open_connection", port << 32 | ip, 6)
        status = self.get("open_status")
        assert status >> 24 == (port << 32 | ip)
        return status & 0xFFFF, bool(status >> 16 & 1)

    def close(self, session: int) -> None:
        self.put("close_connection", session, 2)

    def note(self) -> tuple[int, int, int, int, bool]:
        """Session, length, address, own port, closed."""
        n = self.get("notifications")
        return n & 0xFFFF, n >> 16 & 0xFFFF, n >> 32 & 0xFFFFFFFF, n >> 64 & 0xFFFF, bool(n >> 80)

    def read(self, session: int, length: int) -> bytes:
        self.put("read_package", length << 16 | session, 4)
        assert self.get("rx_metadata") == session
        channel = self.node.channel("rx_data")
        wait(channel)
        data: bytes = channel.read()
        assert len(data) == length
        return data

    def write(self, session: int, data: bytes) -> int:
        """The error of the answer that was none of lack of space."""
        while True:
            self.put("tx_metadata", len(data) << 16 | session, 4)
            status = self.get("tx_status")
            assert status & 0xFFFFFFFF == (len(data) << 16 | session)
            if status >> 62 != NO_SPACE:
                break
        if status >> 62 == 0:
            self.node.channel("tx_data").write(data)
        return status >> 62

    def gather(self, session: int, count: int) -> bytes:
        """So many bytes of the only session."""
        data = b""
        while len(data) < count:
            who, length, _, _, closed = self.note()
            assert who == session and length and not closed
            data += self.read(session, length)
        return data


def test_toe_echo(place: Place) -> None:
    """Listen, notifications, read, write; the peer's FIN is reported once and answered with FIN."""
    toe, linux, rnd = Toe(place.node), place.linux, random.Random(1)
    assert toe.listen(5001) == 1
    assert toe.listen(5001) == 0  # as it is open already
    sock = linux("connect", place.ip, 5001)
    session, length, ip, port, closed = toe.note()
    assert (length, ip, port, closed) == (0, HOST, 5001, False)
    for size in (1, 1459, 1461, 40_000):
        data = rnd.randbytes(size)
        sending = linux.send(sock, data)
        back = 0
        while back < size:
            who, length, ip, port, closed = toe.note()
            assert (who, ip, port, closed) == (session, HOST, 5001, False)
            if length:
                part = toe.read(session, length)
                assert part == data[back : back + length]
                assert toe.write(session, part) == 0
                back += length
        assert linux.result(sending) == size
        assert linux.recv(sock, size) == data
    linux("half", sock)
    assert toe.note() == (session, 0, HOST, 5001, True)
    assert linux.recv(sock, 1) == b""
    linux("end", sock)
    assert toe.write(session, b"too late") == 1


def test_toe_opens(place: Place) -> None:
    """An open that works, with writes far beyond the MSS; then those that must fail."""
    toe, linux, rnd = Toe(place.node), place.linux, random.Random(2)
    server = linux("listen", 7001)
    accepting = linux.begin("accept", server)
    session, success = toe.open(HOST, 7001)
    assert success
    sock = linux.result(accepting)
    for size in (1, 9000, 16_000, 12_345):
        data = rnd.randbytes(size)
        assert toe.write(session, data) == 0
        assert linux.recv(sock, size) == data
    data = rnd.randbytes(20_000)
    sending = linux.send(sock, data)
    assert toe.gather(session, len(data)) == data
    assert linux.result(sending) == len(data)
    toe.close(session)
    assert linux.recv(sock, 1) == b""
    linux("end", sock)
    assert toe.note()[::4] == (session, True)
    linux("end", server)
    assert not toe.open(HOST, 7001)[1]  # refused
    assert not toe.open(HOST + 100, 7001)[1]  # nobody there


def test_toe_reset_by_peer(place: Place) -> None:
    toe, linux = Toe(place.node), place.linux
    assert toe.listen(5002) == 1
    sock = linux("connect", place.ip, 5002)
    session = toe.note()[0]
    linux("reset", sock)
    while not soon(place.node.channel("notifications")):
        toe.write(session, b"?")  # a reset that got lost is sent again for this
    assert toe.note() == (session, 0, HOST, 5002, True)
    assert toe.write(session, b"nobody") == 1


def test_toe_many(place: Place) -> None:
    """Eight clients at once, echoed as notifications come."""
    toe, linux, rnd = Toe(place.node), place.linux, random.Random(3)
    assert toe.listen(65535) == 1
    socks = [linux("connect", place.ip, 65535) for _ in range(8)]
    data = [rnd.randbytes(6000) for _ in socks]
    sending = [linux.send(s, d) for s, d in zip(socks, data, strict=True)]
    left = sum(map(len, data))
    while left:
        session, length, _, port, closed = toe.note()
        assert port == 65535 and not closed
        if length:
            assert toe.write(session, toe.read(session, length)) == 0
            left -= length
    for call, sock, want in zip(sending, socks, data, strict=True):
        assert linux.result(call) == len(want)
        assert linux.recv(sock, len(want)) == want
        linux("end", sock)
    assert sum(toe.note()[4] for _ in socks) == 8


# ---- streams of bytes --------------------------------------------------------------------------

KEEP = 8  # bytes of a beat


class Sockets:
    """The streams; what comes is kept by session."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.bytes: dict[int, bytearray] = {}
        self.ends: dict[int, int] = {}

    def get(self, name: str) -> int | dict[str, int]:
        channel = self.node.channel(name)
        wait(channel)
        value: int | dict[str, int] = channel.read()
        return value

    def listen(self, port: int) -> int:
        self.node.channel("sock_listen").write(port=port, off=0)
        answer = self.get("sock_listened")
        assert isinstance(answer, dict) and answer["port"] == port
        return answer["reason"]

    def accept(self, port: int) -> tuple[int, int]:
        """The session and the peer's port."""
        record = self.get("sock_accept")
        assert isinstance(record, int)
        assert record & 0xFFFF == port and record >> 32 & 0xFFFFFFFF == HOST
        return record >> 64, record >> 16 & 0xFFFF

    def open(self, port: int) -> tuple[int, int]:
        """The session, and the reason why not."""
        self.node.channel("sock_open").write(ip=HOST, port=port)
        answer = self.get("sock_opened")
        assert isinstance(answer, dict) and (answer["ip"], answer["port"]) == (HOST, port)
        return answer["sid"], answer["reason"]

    def send(self, session: int, data: bytes, last: bool = False, abort: bool = False) -> None:
        parts = [data[i : i + KEEP] for i in range(0, len(data), KEEP)] or [b""]
        for i, part in enumerate(parts):
            ends = last and i == len(parts) - 1
            beat = int(ends) << 4 | int(ends and abort)
            beat = beat << 16 | session
            beat = beat << KEEP | (1 << len(part)) - 1
            beat = beat << 8 * KEEP | int.from_bytes(part, "little")
            self.node.channel("sock_bytes").write(beat)

    def take(self) -> None:
        """Wait for beats and sort them."""
        channel = self.node.channel("sock_bytes")
        wait(channel)
        for beat in channel.read_all():
            count = (beat >> 8 * KEEP & (1 << KEEP) - 1).bit_count()
            session = beat >> 9 * KEEP & 0xFFFF
            assert session not in self.ends
            data = (beat & (1 << 8 * KEEP) - 1).to_bytes(KEEP, "little")
            self.bytes.setdefault(session, bytearray()).extend(data[:count])
            if beat >> 9 * KEEP + 20:
                assert not count
                self.ends[session] = beat >> 9 * KEEP + 16 & 15

    def recv(self, session: int, count: int) -> bytes:
        while len(self.bytes.get(session, b"")) < count:
            assert session not in self.ends
            self.take()
        data = bytes(self.bytes[session][:count])
        del self.bytes[session][:count]
        return data

    def end(self, session: int) -> int:
        """Nothing more comes; why."""
        while session not in self.ends:
            self.take()
        assert not self.bytes.pop(session, b"")
        return self.ends.pop(session)


def test_sockets_peer_closes_first(place: Place) -> None:
    """Both ways at once; the peer's close is reported, and this side continues sending."""
    sockets, linux, rnd = Sockets(place.node), place.linux, random.Random(4)
    assert sockets.listen(6001) == OK
    sock = linux("connect", place.ip, 6001)
    session, port = sockets.accept(6001)
    assert port == linux("port", sock)
    there, back = rnd.randbytes(30_001), rnd.randbytes(30_002)
    sending = linux.send(sock, there)
    receiving = linux.begin("recv", sock, len(back))
    sockets.send(session, back)
    assert sockets.recv(session, len(there)) == there
    assert linux.result(sending) == len(there)
    assert bytes.fromhex(linux.result(receiving)) == back
    linux("half", sock)
    assert sockets.end(session) == OK
    sockets.send(session, back[:5000], last=True)
    assert linux.recv(sock, 5001) == back[:5000]
    linux("end", sock)


def test_sockets_this_side_closes_first(place: Place) -> None:
    sockets, linux, rnd = Sockets(place.node), place.linux, random.Random(5)
    server = linux("listen", 7002)
    accepting = linux.begin("accept", server)
    session, reason = sockets.open(7002)
    assert reason == OK
    sock = linux.result(accepting)
    data = rnd.randbytes(9000)
    sockets.send(session, data, last=True)
    assert linux.recv(sock, 9001) == data
    sending = linux.send(sock, data)
    assert sockets.recv(session, len(data)) == data
    assert linux.result(sending) == len(data)
    linux("end", sock)
    assert sockets.end(session) == OK
    linux("end", server)
    assert sockets.open(7002)[1] == REFUSED


def test_sockets_resets(place: Place) -> None:
    """From either side; and a port that the other face has."""
    sockets, linux = Sockets(place.node), place.linux
    assert sockets.listen(6002) == OK
    assert Toe(place.node).listen(6002) == 0
    sock = linux("connect", place.ip, 6002)
    session, _ = sockets.accept(6002)
    linux("reset", sock)
    while not soon(place.node.channel("sock_bytes")):
        sockets.send(session, b"?")  # a reset that got lost is sent again for this
    assert sockets.end(session) == RESET
    sock = linux("connect", place.ip, 6002)
    session, _ = sockets.accept(6002)
    sockets.send(session, b"", last=True, abort=True)
    with pytest.raises(OSError, match="ConnectionResetError"):
        linux("until_reset", sock)
    assert sockets.end(session) != OK
    linux("end", sock)


def test_both_faces_at_once(place: Place) -> None:
    """Four sessions of each, all echoed; the engine is one."""
    toe, sockets, linux = Toe(place.node), Sockets(place.node), place.linux
    rnd = random.Random(6)
    assert toe.listen(5003) == 1 and sockets.listen(6003) == OK
    socks = [linux("connect", place.ip, (5003, 6003)[i % 2]) for i in range(8)]
    data = [rnd.randbytes(4000) for _ in socks]
    sending = [linux.send(s, d) for s, d in zip(socks, data, strict=True)]
    sessions = [sockets.accept(6003)[0] for _ in range(4)]
    left = {session: 4000 for session in sessions}
    toe_left = 4 * 4000
    notes, beats = place.node.channel("notifications"), place.node.channel("sock_bytes")
    end = time.monotonic() + PATIENCE_S
    while toe_left or any(left.values()):
        assert time.monotonic() < end
        if notes.pending():
            session, length, _, _, closed = toe.note()
            assert not closed
            if length:
                assert toe.write(session, toe.read(session, length)) == 0
                toe_left -= length
        elif beats.pending():
            sockets.take()
            for session, got in sockets.bytes.items():
                left[session] -= len(got)
                sockets.send(session, bytes(got))
            sockets.bytes.clear()
        else:
            time.sleep(0.0005)
    for call, sock, want in zip(sending, socks, data, strict=True):
        assert linux.result(call) == len(want)
        assert linux.recv(sock, len(want)) == want
        linux("end", sock)
    assert sum(toe.note()[4] for _ in range(4)) == 4
    for session in sessions:
        assert sockets.end(session) == OK
        sockets.send(session, b"", last=True)


def test_timers(place: Place) -> None:
    """`timers: fast` of the cluster file, and `regs:` after it."""
    tcp = place.node.regs.tcp
    assert (tcp.retries.get("syn"), tcp.retries.get("data")) == (2, 8)
    assert (tcp.rto_max.read(), tcp.keep_interval_ms.read()) == (4000, 1000)


def test_nothing_is_left(place: Place) -> None:
    """Every session of the tests before is over in the end, and nothing was left unread."""
    end = time.monotonic() + PATIENCE_S
    while place.node.regs.tcp.status.get("sessions"):
        assert time.monotonic() < end
        time.sleep(0.05)
    for name in ("notifications", "rx_metadata", "rx_data", "tx_status", "sock_bytes"):
        assert not place.node.channel(name).pending(), name
