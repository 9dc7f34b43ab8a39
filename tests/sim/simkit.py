# SPDX-License-Identifier: Apache-2.0
"""Small clusters and frames for the engine's tests."""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from typing import Any

from kumihimo import _engine

US = 1_000_000  # picoseconds
MS = 1000 * US
BROADCAST = b"\xff" * 6
PERIODS = {"clk": 6400, "aux_clk": 10000}


class Client:
    """The other side of a peer: sends and receives length-prefixed frames."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.sock.settimeout(10)

    @classmethod
    def connect(cls, path: Path) -> Client:
        s = socket.socket(socket.AF_UNIX)
        s.connect(str(path))
        return cls(s)

    def send(self, data: bytes) -> None:
        self.sock.sendall(struct.pack(">I", len(data)) + data)

    def receive(self) -> bytes:
        return self.exactly(struct.unpack(">I", self.exactly(4))[0])

    def exactly(self, n: int) -> bytes:
        out = b""
        while len(out) < n:
            part = self.sock.recv(n - len(out))
            assert part, "the engine closed the connection"
            out += part
        return out


def mac(n: int) -> bytes:
    return bytes([2, 0, 0, 0, n >> 8, n & 255])


def frame(dst: bytes, src: bytes, size: int = 60, tag: int = 0, kind: int = 0x88B5) -> bytes:
    body = dst + src + kind.to_bytes(2, "big") + tag.to_bytes(4, "big")
    return body + bytes((tag + i) & 255 for i in range(size - len(body)))


def tag_of(data: bytes) -> int:
    return int.from_bytes(data[14:18], "big")


def generator(eng: Any, node: int, dst: bytes, src: bytes, count: int, size: int, gap: int) -> None:
    """Let a fake node send frames by itself."""
    eng.axil_write(node, 0x14, size)
    eng.axil_write(node, 0x18, gap)
    eng.axil_write(node, 0x1C, int.from_bytes(dst, "big") & 0xFFFFFFFF)
    eng.axil_write(node, 0x20, int.from_bytes(dst, "big") >> 32)
    eng.axil_write(node, 0x24, int.from_bytes(src, "big") & 0xFFFFFFFF)
    eng.axil_write(node, 0x28, int.from_bytes(src, "big") >> 32)
    eng.axil_write(node, 0x10, count)


def ring(path: str, threads: int, nodes: int = 8, **impair: float) -> Any:
    """Nodes on a switch, each sends to the next; a few impaired cables."""
    eng = _engine.Engine(threads, seed=11)
    sw = eng.add_switch("sw", ports=nodes, mode="cut-through")
    bad = _engine.Impairments(**impair) if impair else _engine.Impairments()
    for i in range(nodes):
        n = eng.add_node(f"n{i}", path, PERIODS)
        eng.connect((n, "eth0"), (sw, str(i)), ab=bad, ba=bad, latency_ps=400_000 + 10_000 * i)
        generator(eng, n, mac((i + 1) % nodes), mac(i), 100000, 64 + 37 * i, 150 + i)
    return eng


def script_pair(threads: int = 1, **cable: Any) -> tuple[Any, int, int]:
    """Two scripts on one cable."""
    eng = _engine.Engine(threads)
    a = eng.add_script("a")
    b = eng.add_script("b")
    eng.connect((a, ""), (b, ""), **cable)
    return eng, a, b
