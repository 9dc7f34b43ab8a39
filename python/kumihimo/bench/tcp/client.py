# SPDX-License-Identifier: Apache-2.0
"""Ordinary TCP programs that test a server of echo, discard, HTTP and iperf 2 (stdlib only).

Started inside a namespace; knows nothing of simulation. Prints one JSON object; exit code 0: every
byte was right. All of it waits patiently.

    echo     connections at once; each sends, half-closes, and reads back until the server closes
    serial   connections one after another
    stop     sends without reading until nothing moves, waits, then reads everything
    kill     connections that end by RST: at once, with data under way, half-closed; some at a time
    half     each side closes its half first, and the other one goes on
    reset    RST to a peer in every state that ordinary sockets can bring it to
    refused  a port that nobody listens on
    http     GET, by the standard library's client
    both     as `iperf -c -r`: send to port 5001, then receive from the server's own connection
    hold     connections that transfer until this program is ended (or vanishes)
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import http.client
import json
import random
import selectors
import socket
import struct
import sys
import termios
import threading
import time
from typing import Any

PATIENCE = 240.0
LAP = (1 << 20) - 3  # no power of two: a segment at a wrong place is seen
ECHO, HTTP, IPERF = 7, 80, 5001
IPERF_HEADER = struct.Struct(">IiiiIi")


class Data:
    """A long stream of bytes that never repeats where a segment or a buffer would."""

    def __init__(self, seed: int) -> None:
        block = random.Random(seed).randbytes(LAP)
        self._twice = block + block[: 1 << 17]

    def part(self, at: int, count: int) -> bytes:
        """Bytes from a position on, at most 128 KiB."""
        at %= LAP
        return self._twice[at : at + count]


class Echo:
    """One connection to the echo server."""

    def __init__(self, options: argparse.Namespace, data: Data, size: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.data, self.size = data, size
        self.sent = self.got = 0
        self.closed = False
        self.socket = socket.socket()
        if options.mss:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, options.mss)
        if options.source:
            self.socket.bind((options.source, 0))
        self.socket.setblocking(False)
        code = self.socket.connect_ex((options.ip, options.port))
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, "connect")

    def write(self) -> None:
        """Send a piece; after the last one close the sending side."""
        if self.sent < self.size:
            count = min(self.size - self.sent, self.rng.randint(1, 60_000))
            self.sent += self.socket.send(self.data.part(self.sent, count))
        if self.sent == self.size:
            self.socket.shutdown(socket.SHUT_WR)
            self.closed = True

    def read(self) -> bool:
        """Take and compare what is there; False at the end."""
        piece = self.socket.recv(1 << 16)
        if piece != self.data.part(self.got, len(piece)):
            raise ValueError(f"wrong bytes within {len(piece)} at {self.got}")
        self.got += len(piece)
        if not piece and self.got != self.size:
            raise ValueError(f"closed after {self.got} of {self.size} bytes")
        return bool(piece)

    def events(self) -> int:
        """What to wait for."""
        return selectors.EVENT_READ | (0 if self.closed else selectors.EVENT_WRITE)


def echo(options: argparse.Namespace) -> dict[str, Any]:
    """All connections at once."""
    data = Data(options.seed)
    begin = moved = time.monotonic()
    selector = selectors.DefaultSelector()
    for i in range(options.connections):
        one = Echo(options, data, options.bytes, i)
        selector.register(one.socket, one.events(), one)
    total = 0
    while selector.get_map():
        ready = selector.select(1.0)
        for key, mask in ready:
            one = key.data
            before, events = one.got, one.events()
            if mask & selectors.EVENT_WRITE and not one.closed:
                one.write()
            if mask & selectors.EVENT_READ and not one.read():
                selector.unregister(one.socket)
                one.socket.close()
            elif one.events() != events:
                selector.modify(one.socket, one.events(), one)
            total += one.got - before
        if ready:
            moved = time.monotonic()
        elif time.monotonic() - moved > options.patience:
            raise TimeoutError(f"nothing moves; {len(selector.get_map())} connections are open")
    return {"bytes": total, "connections": options.connections, "seconds": _since(begin)}


def _since(begin: float) -> float:
    return time.monotonic() - begin


def _connect(options: argparse.Namespace, port: int = 0) -> socket.socket:
    source = (options.source, 0) if options.source else None
    address = (options.ip, port or options.port)
    return socket.create_connection(address, options.patience, source)


def _read(way: socket.socket, count: int) -> bytes:
    out = b""
    while len(out) < count:
        piece = way.recv(min(1 << 16, count - len(out)))
        if not piece:
            raise ValueError(f"closed after {len(out)} of {count} bytes")
        out += piece
    return out


def serial(options: argparse.Namespace) -> dict[str, Any]:
    """One after another; every second one closes last and not first."""
    data, begin = Data(options.seed), time.monotonic()
    for i in range(options.count):
        with _connect(options) as way:
            text = data.part(i * options.bytes, options.bytes)
            way.sendall(text)
            if i % 2:
                way.shutdown(socket.SHUT_WR)
            if _read(way, len(text)) != text:
                raise ValueError(f"wrong bytes on connection {i}")
            if i % 2 and way.recv(1):
                raise ValueError(f"more bytes than were sent on connection {i}")
    return {"connections": options.count, "seconds": _since(begin)}


def stop(options: argparse.Namespace) -> dict[str, Any]:
    """Fill both directions until nothing moves, rest, and take it all."""
    data, begin = Data(options.seed), time.monotonic()
    sent = 0
    with socket.socket() as way:
        for buffer in (socket.SO_SNDBUF, socket.SO_RCVBUF):  # else Linux stores megabytes
            way.setsockopt(socket.SOL_SOCKET, buffer, 1 << 16)
        way.settimeout(options.patience)
        way.connect((options.ip, options.port))
        way.settimeout(options.still)
        try:
            while sent < options.bytes:
                sent += way.send(data.part(sent, 1 << 16))
        except TimeoutError:
            pass
        stuck = sent
        time.sleep(options.rest)
        way.settimeout(options.patience)
        got = 0
        selector = selectors.DefaultSelector()
        selector.register(way, selectors.EVENT_READ | selectors.EVENT_WRITE)
        way.setblocking(False)
        while got < max(sent, options.bytes):
            ready = selector.select(options.patience)
            if not ready:
                raise TimeoutError(f"nothing moves after {got} bytes of {sent}")
            if ready[0][1] & selectors.EVENT_READ:
                piece = way.recv(1 << 16)
                if not piece or piece != data.part(got, len(piece)):
                    raise ValueError(f"wrong bytes, or the end, at {got}")
                got += len(piece)
            if sent < options.bytes:
                if ready[0][1] & selectors.EVENT_WRITE:
                    sent += way.send(data.part(sent, min(1 << 16, options.bytes - sent)))
            else:
                selector.modify(way, selectors.EVENT_READ)
    return {"bytes": got, "stuck_at": stuck, "seconds": _since(begin)}


def _kill(way: socket.socket) -> None:
    """Close with RST."""
    way.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    way.close()


def kill(options: argparse.Namespace) -> dict[str, Any]:
    """Close with RST in the middle of things; then one connection must still be served."""
    data, begin = Data(options.seed), time.monotonic()
    numbers = iter(range(options.count))
    problems: list[OSError] = []
    lock = threading.Lock()

    def work() -> None:
        try:
            while not problems:
                with lock:
                    i = next(numbers, None)
                if i is None:
                    return
                way = _connect(options)
                if i % 4:
                    way.sendall(data.part(0, options.bytes))
                if i % 4 == 2:
                    way.recv(1)
                if i % 4 == 3:
                    way.shutdown(socket.SHUT_WR)
                _kill(way)
        except OSError as problem:
            problems.append(problem)

    workers = [threading.Thread(target=work) for _ in range(options.connections)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if problems:
        raise problems[0]
    with _connect(options) as way:
        way.sendall(b"still there?")
        if _read(way, 12) != b"still there?":
            raise ValueError("wrong bytes after the kills")
    return {"connections": options.count, "seconds": _since(begin)}


def _acknowledged(way: socket.socket, patience: float) -> None:
    """Wait until the peer's TCP has acknowledged all that was sent."""
    begin = time.monotonic()
    while fcntl.ioctl(way, termios.TIOCOUTQ, bytes(4)) != bytes(4):
        if time.monotonic() - begin > patience:
            raise TimeoutError("what was sent after the peer's FIN is not acknowledged")
        time.sleep(0.005)
    code = way.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code:
        raise OSError(code, "after the peer's FIN")


def _page(way: socket.socket) -> bytes:
    """Ask for a page, after which the server closes first; all that comes."""
    way.sendall(b"GET / HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n")
    page = b""
    while piece := way.recv(1 << 16):
        page += piece
    if not page.startswith(b"HTTP/1.1 200"):
        raise ValueError(f"no page: {page[:80]!r}")
    return page


def half(options: argparse.Namespace) -> dict[str, Any]:
    """Our half is closed before anything is read; then the server's before we send the most."""
    data, begin = Data(options.seed), time.monotonic()
    for i in range(options.count):
        text = data.part(i * options.bytes, options.bytes)
        with _connect(options) as way:
            way.sendall(text)
            way.shutdown(socket.SHUT_WR)
            time.sleep(options.rest)
            if _read(way, len(text)) != text or way.recv(1):
                raise ValueError(f"wrong bytes after our FIN, connection {i}")
        with _connect(options, HTTP) as way:
            page = _page(way)
            way.sendall(text)
            _acknowledged(way, options.patience)
        with _connect(options, HTTP) as way:
            if _page(way) != page:
                raise ValueError("the page is another one")
    return {"connections": 3 * options.count, "seconds": _since(begin)}


def reset(options: argparse.Namespace) -> dict[str, Any]:
    """RST to a peer in each state; `count` of each."""
    data, begin = Data(options.seed), time.monotonic()
    with socket.create_server(("", 0)) as nobody:  # a port that is closed from here on
        port = nobody.getsockname()[1]
    for i in range(options.count):
        pause = i % 4 * 0.0005
        # SYN-RECEIVED: the socket is gone when SYN, ACK comes.
        way = socket.socket()
        way.setblocking(False)
        way.connect_ex((options.ip, options.port))
        way.close()
        # ESTABLISHED, idle and with data both ways.
        _kill(_connect(options))
        way = _connect(options)
        way.sendall(data.part(0, options.bytes))
        time.sleep(pause)
        _kill(way)
        # CLOSE-WAIT, and LAST-ACK if its FIN is under way already.
        for size in (10, options.bytes):
            way = _connect(options)
            way.sendall(data.part(0, size))
            way.shutdown(socket.SHUT_WR)
            time.sleep(pause)
            _kill(way)
        # FIN-WAIT-1 and FIN-WAIT-2: the server closes first.
        way = _connect(options, HTTP)
        way.sendall(b"GET / HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n")
        time.sleep(pause)
        _kill(way)
        way = _connect(options, HTTP)
        _page(way)
        _kill(way)
        # SYN-SENT: it opens a connection to a port that is closed.
        with _connect(options, IPERF) as way:
            way.sendall(IPERF_HEADER.pack(0x8000_0000, 1, port, 8192, 0, 1000))
            way.shutdown(socket.SHUT_WR)
            while way.recv(1 << 16):
                pass
    with _connect(options) as way:
        way.sendall(b"still there?")
        if _read(way, 12) != b"still there?":
            raise ValueError("wrong bytes after the resets")
    return {"connections": 8 * options.count, "seconds": _since(begin)}


def refused(options: argparse.Namespace) -> dict[str, Any]:
    """RST in answer to SYN."""
    begin = time.monotonic()
    for port in (1, 4444, 32_768, 65_535):
        try:
            _connect(options, port).close()
        except ConnectionRefusedError:
            continue
        raise ValueError(f"port {port} is open")
    return {"seconds": _since(begin)}


def web(options: argparse.Namespace) -> dict[str, Any]:
    """Several requests on one connection, then one that closes."""
    begin = time.monotonic()
    way = http.client.HTTPConnection(options.ip, HTTP, timeout=options.patience)
    sizes = []
    for i in range(4):
        way.request("GET", "/", headers={"Connection": "close"} if i == 3 else {})
        answer = way.getresponse()
        body = answer.read()
        if answer.status != 200 or not body:
            raise ValueError(f"status {answer.status}, {len(body)} bytes")
        sizes.append(len(body))
    way.close()
    return {"sizes": sizes, "seconds": _since(begin)}


def both(options: argparse.Namespace) -> dict[str, Any]:
    """One way, and then the other way on a connection that the server opens."""
    begin = time.monotonic()
    with socket.create_server(("", 0)) as back:
        back.settimeout(options.patience)
        port = back.getsockname()[1]
        header = IPERF_HEADER.pack(0x8000_0000, 1, port, 8192, 0, options.bytes)
        with _connect(options, IPERF) as way:
            way.sendall(header)
            for at in range(0, options.bytes, 8192):
                way.sendall(b"x" * min(8192, options.bytes - at))
            way.shutdown(socket.SHUT_WR)
            while way.recv(1 << 16):
                pass  # a server's report, where it sends one
        way, _ = back.accept()
        with way:
            way.settimeout(options.patience)
            got = 0
            while piece := way.recv(1 << 16):
                got += len(piece)
    if got < options.bytes:
        raise ValueError(f"{got} of {options.bytes} bytes came back")
    return {"bytes": options.bytes + got, "seconds": _since(begin)}


def hold(options: argparse.Namespace) -> dict[str, Any]:
    """Connections that send and receive for ever, every second one only sends; until input ends.

    Says when all have begun.
    """
    data, begin = Data(options.seed), time.monotonic()
    selector = selectors.DefaultSelector()
    selector.register(sys.stdin, selectors.EVENT_READ, None)
    waiting = set()
    for i in range(options.connections):
        way = _connect(options)
        way.setblocking(False)
        events = selectors.EVENT_WRITE | (0 if i % 2 else selectors.EVENT_READ)
        selector.register(way, events, [0, 0])
        waiting.add(way)
    while True:
        for key, mask in selector.select():
            if key.data is None:
                return {"connections": options.connections, "seconds": _since(begin)}
            assert isinstance(key.fileobj, socket.socket)
            way, moved = key.fileobj, key.data
            if mask & selectors.EVENT_WRITE:
                moved[0] += way.send(data.part(moved[0], 20_000))
            if mask & selectors.EVENT_READ:
                piece = way.recv(1 << 16)
                if not piece or piece != data.part(moved[1], len(piece)):
                    raise ValueError(f"wrong bytes, or the end, at {moved[1]}")
                moved[1] += len(piece)
            if way in waiting and (moved[1] if key.events & selectors.EVENT_READ else moved[0]):
                waiting.remove(way)
                if not waiting:
                    print("holding", flush=True)


def main() -> int:
    """Run one of the programs above."""
    parser = argparse.ArgumentParser()
    programs = {
        "echo": echo,
        "serial": serial,
        "stop": stop,
        "kill": kill,
        "half": half,
        "reset": reset,
        "refused": refused,
        "http": web,
        "both": both,
        "hold": hold,
    }
    parser.add_argument("program", choices=programs)
    parser.add_argument("ip")
    parser.add_argument("--port", type=int, default=ECHO)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--mss", type=int, default=0)
    parser.add_argument("--source", default="")
    parser.add_argument("--still", type=float, default=1.0)
    parser.add_argument("--rest", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=PATIENCE)
    options = parser.parse_args()
    try:
        result = programs[options.program](options)
    except (OSError, ValueError) as problem:
        print(json.dumps({"ok": False, "problem": f"{type(problem).__name__}: {problem}"}))
        return 1
    print(json.dumps({"ok": True, **result}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
