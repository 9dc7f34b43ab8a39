# SPDX-License-Identifier: Apache-2.0
"""Peers on UNIX sockets, framed as QEMU's stream back end: they come, go, and break off."""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kumihimo._engine import Engine, EngineError
from simkit import MS, PERIODS, Client, frame, mac, tag_of


@pytest.fixture
def served(fake_node: str, tmp_path: Path) -> Any:
    """An echoing node behind a listening peer, served by a thread."""
    eng = Engine(2)
    n = eng.add_node("n", fake_node, PERIODS)
    p = eng.add_peer("vm", str(tmp_path / "s"))
    eng.connect((n, "eth0"), (p, ""))
    eng.start()
    reason: list[str] = []
    thread = threading.Thread(target=lambda: reason.append(eng.serve()))
    thread.start()
    yield eng, tmp_path / "s"
    eng.stop()
    thread.join(5)
    assert reason == ["stopped"]
    eng.close()
    assert not (tmp_path / "s").exists()


def vm(eng: Any) -> dict[str, int]:
    return eng.stats()["peers"]["vm"]


def until(check: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not check():
        assert time.monotonic() < end, "did not happen within 10 s"
        time.sleep(0.005)


def echo(c: Client, tag: int, size: int = 60) -> None:
    c.send(frame(mac(1), mac(2), size, tag))
    assert c.receive() == frame(mac(2), mac(1), size, tag)


def test_come_and_go(served: Any) -> None:
    eng, path = served
    for i in range(5):
        c = Client.connect(path)
        for k in range(20):
            echo(c, i * 100 + k, 60 + 200 * k)
        c.sock.close()
        until(lambda: vm(eng)["connected"] == 0)
    s = vm(eng)
    assert s["connects"] == s["disconnects"] == 5 and s["tx_frames"] == 100


def test_short_frames_are_padded(served: Any) -> None:
    eng, path = served
    c = Client.connect(path)
    c.send(frame(mac(1), mac(2), 60)[:20])
    assert c.receive() == (frame(mac(2), mac(1), 60)[:20]).ljust(60, b"\0")
    assert vm(eng)["padded"] == 1


def test_dies_within_a_frame(served: Any) -> None:
    eng, path = served
    c = Client.connect(path)
    echo(c, 1)
    c.sock.sendall(struct.pack(">I", 500) + bytes(100))
    c.sock.close()
    until(lambda: vm(eng)["disconnects"] == 1)
    assert vm(eng)["cut_frames"] == 1
    echo(Client.connect(path), 2)
    assert any("the peer left" in m[3] for m in eng.messages())


def test_nonsense_length(served: Any) -> None:
    eng, path = served
    for length in (0, 0x7FFFFFFF):
        c = Client.connect(path)
        c.sock.sendall(struct.pack(">I", length) + bytes(100))
        with pytest.raises((AssertionError, ConnectionResetError)):
            c.exactly(1)
    until(lambda: vm(eng)["disconnects"] == 2)
    echo(Client.connect(path), 3)


def test_a_second_peer_is_refused(served: Any) -> None:
    eng, path = served
    first = Client.connect(path)
    echo(first, 1)
    second = Client.connect(path)
    with pytest.raises((AssertionError, ConnectionResetError)):
        second.exactly(1)
    echo(first, 2)
    assert vm(eng)["refused"] == 1


def test_random_cuts(served: Any) -> None:
    """Bytes arrive in pieces of any size."""
    _, path = served
    rnd = random.Random(5)
    c = Client.connect(path)
    sent = [frame(mac(1), mac(2), rnd.randrange(60, 9014), i) for i in range(200)]
    stream = b"".join(struct.pack(">I", len(f)) + f for f in sent)

    def push() -> None:
        at = 0
        while at < len(stream):
            n = rnd.choice([1, 3, 50, 1500, 20000])
            c.sock.sendall(stream[at : at + n])
            at += n

    t = threading.Thread(target=push)
    t.start()
    assert [tag_of(c.receive()) for _ in sent] == list(range(200))
    t.join()


def test_a_peer_that_does_not_read(served: Any) -> None:
    """The engine neither blocks nor grows: frames are dropped and counted."""
    eng, path = served
    c = Client.connect(path)
    c.sock.settimeout(20)
    for i in range(1500):
        c.send(frame(mac(1), mac(2), 9000, i))
    until(lambda: vm(eng)["to_peer_full"] > 0)
    before = eng.now_ps
    until(lambda: eng.now_ps > before)
    c.sock.close()
    until(lambda: vm(eng)["connected"] == 0)


def test_connecting_side(fake_node: str, tmp_path: Path) -> None:
    """The engine connects to a server that appears late, and again after it was gone."""
    path = tmp_path / "late"
    eng = Engine(1)
    n = eng.add_node("n", fake_node, PERIODS)
    p = eng.add_peer("vm", str(path), listen=False)
    eng.connect((n, "eth0"), (p, ""))
    eng.start()
    thread = threading.Thread(target=eng.serve)
    thread.start()
    try:
        for i in range(2):
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(path))
                server.listen()
                server.settimeout(10)
                c = Client(server.accept()[0])
                echo(c, i)
                c.sock.close()
            path.unlink()
    finally:
        eng.stop()
        thread.join(5)
    eng.close()


def test_left_over_and_live_sockets(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(path))
    eng = Engine(1)
    eng.add_peer("p", str(path))
    eng.start()  # the left-over is replaced
    other = Engine(1)
    other.add_peer("p", str(path))
    with pytest.raises(EngineError, match=r"cannot listen on .*in use"):
        other.start()
    with pytest.raises(EngineError, match="longer than 107 bytes"):
        Engine(1).add_peer("p", "/" + "x" * 200)
    eng.run(MS)
    eng.close()
