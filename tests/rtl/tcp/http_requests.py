# SPDX-License-Identifier: Apache-2.0
"""Requests to kumi_http, and its responses as Python's http.client reads them."""

from __future__ import annotations

import http.client
import io
import random
from pathlib import Path

from tcp_app_model import Engine, Session

PARAMS = {"SESSIONS": 16}
TOP = str(Path(__file__).parent / "kumi_t_http.sv")
INDEX, STATUS, ROBOTS = "/", "/status", "/robots.txt"
CHUNKED_END = b"0\r\n\r\n"


class Wire:
    """What http.client wants of a socket."""

    def __init__(self, stream: io.BytesIO) -> None:
        self.stream = stream

    def makefile(self, *_: object) -> io.BytesIO:
        return self.stream


def answers(data: bytes, methods: list[str]) -> list[tuple[http.client.HTTPResponse, bytes]]:
    """All responses in a stream; nothing may be left over."""
    stream = io.BytesIO(data)
    stream.close = lambda: None  # type: ignore[method-assign]
    out = []
    for method in methods:
        response = http.client.HTTPResponse(Wire(stream), method=method)  # type: ignore[arg-type]
        response.begin()
        out.append((response, response.read()))
    assert not stream.read(), "more than was asked for"
    return out


def request(path: str = "/", method: str = "GET", version: str = "1.1", more: str = "") -> bytes:
    host = "Host: node\r\n" if version == "1.1" else ""
    return f"{method} {path} HTTP/{version}\r\n{host}{more}\r\n".encode()


def ask(engine: Engine, data: bytes, s: Session | None = None) -> Session:
    """Send and wait until all is quiet."""
    s = s or engine.connect(80)
    assert s
    engine.feed(s, data)
    quiet = [0, 0]

    def still() -> bool:
        quiet[0] = quiet[0] + 1 if quiet[1] == len(s.to_peer) and not s.unread else 0
        quiet[1] = len(s.to_peer)
        return quiet[0] > 120

    engine.until(still, 20000)
    return s


def chunked(data: bytes, rng: random.Random) -> bytes:
    """A body in chunks, short and long, with extensions and a trailer now and then."""
    out = b""
    while data:
        n = rng.randint(1, 300) if rng.random() < 0.8 else rng.randint(2000, 4200)
        out += f"{len(data[:n]):x}".encode() + rng.choice((b"", b";a=b", b" ")) + b"\r\n"
        out += data[:n] + b"\r\n"
        data = data[n:]
    return out + b"0\r\n" + rng.choice((b"", b"X: y\r\n")) + b"\r\n"


def gunzip_request(data: bytes, rng: random.Random, more: str = "") -> bytes:
    """POST /gunzip, of either framing."""
    if rng.random() < 0.5:
        more += f"Content-Length: {len(data)}\r\n"
        return request("/gunzip", "POST", more=more) + data
    more += "Transfer-Encoding: chunked\r\n"
    return request("/gunzip", rng.choice(("POST", "PUT")), more=more) + chunked(data, rng)
