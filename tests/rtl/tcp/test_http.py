# SPDX-License-Identifier: Apache-2.0
"""kumi_http, with kumi_http_gzip behind it: read by Python's http.client, and curl."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import random
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.testing.sizes import data_widths
from tcp_app_bench import KernelBench
from tcp_app_model import CLOSED, RESET, Engine, Session
from tcp_app_sockets import SocketEngine, program, running

pytestmark = pytest.mark.long  # all data widths

PARAMS = {"SESSIONS": 16}
TOP = str(Path(__file__).parent / "kumi_t_http.sv")
INDEX, STATUS, ROBOTS = "/", "/status", "/robots.txt"


@pytest.fixture(scope="module", params=data_widths(64, 128, 512))
def built(request: pytest.FixtureRequest) -> KernelBench:
    return KernelBench(TOP, "http", request.param, PARAMS)


@pytest.fixture
def bench(built: KernelBench) -> Iterator[KernelBench]:
    built.dut.restart()
    yield built


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


@pytest.mark.parametrize(
    "path, code, kind",
    [
        (INDEX, 200, "text/html"),
        ("/index.html", 200, "text/html"),
        ("/?a=b", 200, "text/html"),
        (STATUS, 200, "application/json"),
        (ROBOTS, 200, "text/plain"),
        ("/statu", 404, "text/plain"),
        ("/status/", 404, "text/plain"),
        ("/Status", 404, "text/plain"),
        ("/" + "a" * 500, 404, "text/plain"),
        ("http://node/status", 200, "application/json"),
        ("HTTP://node:80/?q", 200, "text/html"),
        ("http://node", 200, "text/html"),
        ("/%73tatu%73", 200, "application/json"),
        ("/%2a%3F?%zz", 404, "text/plain"),
        ("/gunzip", 405, "text/plain"),
        ("ftp://node/", 404, "text/plain"),
        ("*", 404, "text/plain"),
    ],
)
def test_resources(bench: KernelBench, path: str, code: int, kind: str) -> None:
    """GET, then HEAD on the same connection: same head, no body."""
    engine = bench.listening(step=30)
    s = ask(engine, request(path))
    ask(engine, request(path, "HEAD"), s)
    (get, body), (head, nothing) = answers(bytes(s.to_peer), ["GET", "HEAD"])
    for one in (get, head):
        assert one.status == code and one.getheader("Content-Type") == kind
        assert one.getheader("Connection") == "keep-alive"
        assert int(one.getheader("Content-Length") or 0) == len(body) > 0
    assert not nothing and not s.closed
    if get.status == 405:
        assert get.getheader("Allow") == "POST, PUT"
    if path == STATUS:
        told = json.loads(body)
        assert told["connections"] == told["sessions"] == 1 and told["requests"] == 0


@pytest.mark.parametrize(
    "data, code",
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET /\r\n", 400),
        (b"GET  / HTTP/1.1\r\n", 400),
        (b"GET / HTTQ/1.1\r\n", 400),
        (b"GET / HTTP/2.0\r\n", 400),
        (b"GET / HTTP/1.x\r\n", 400),
        (b"GET / HTTP/1.1 \r\n", 400),
        (b"\x16\x03\x01\x02\x00", 400),  # TLS
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 2\r\n\r\n", 400),
        (b"GET / http/1.1\r\nHost: a\r\n\r\n", 400),
        (b"GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        (b"PUT / HTTP/1.0\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 3000, 431),
        (b"GET /" + b"y" * 3000, 431),
    ],
)
def test_bad_requests_end_the_connection(bench: KernelBench, data: bytes, code: int) -> None:
    engine = bench.listening(step=30)
    s = ask(engine, data + b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
    ((one, _),) = answers(bytes(s.to_peer), ["GET"])
    assert one.status == code and one.getheader("Connection") == "close"
    assert s.closed and not s.unread
    engine.fin(s)
    engine.until(lambda: not engine.sessions, 300)
    assert s.reason == CLOSED


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "OPTIONS", "GETS", "HEADER", "G", "get"]
)
def test_other_methods(bench: KernelBench, method: str) -> None:
    """405 with the allowed ones, the body is skipped, and the connection goes on."""
    engine = bench.listening(step=30)
    sizes = (0, 1, 63, 64, 65, 200)
    data = b""
    for n in sizes:
        data += request("/", method, more=f"Content-Length: {n}\r\n") + (b"GET / HTTP" * 30)[:n]
    data += request()
    s = ask(engine, data)
    got = answers(bytes(s.to_peer), [method] * len(sizes) + ["GET"])
    assert [r.status for r, _ in got] == [405] * len(sizes) + [200]
    assert got[0][0].getheader("Allow") == "GET, HEAD" and not s.closed


def chunked(data: bytes, rng: random.Random) -> bytes:
    """A body in chunks, with extensions and a trailer now and then."""
    out = b""
    while data:
        n = rng.randint(1, 300)
        out += f"{len(data[:n]):x}".encode() + rng.choice((b"", b";a=b", b" ")) + b"\r\n"
        out += data[:n] + b"\r\n"
        data = data[n:]
    return out + b"0\r\n" + rng.choice((b"", b"X: y\r\n")) + b"\r\n"


def test_chunked_body_is_skipped(bench: KernelBench) -> None:
    engine = bench.listening(step=30)
    rng = random.Random(2)
    data = b""
    for n in (0, 1, 63, 64, 65, 700):
        data += request("/", "POST", more="Transfer-Encoding: chunked\r\n")
        data += chunked((b"GET / HTTP" * 70)[:n], rng)
    s = ask(engine, data + request())
    got = answers(bytes(s.to_peer), ["POST"] * 6 + ["GET"])
    assert [r.status for r, _ in got] == [405] * 6 + [200]


@pytest.mark.parametrize("body", [b"z\r\n", b"\r\n", b"1\r\nab", b"123456789\r\n", b"1;\0\r\n"])
def test_malformed_chunks(bench: KernelBench, body: bytes) -> None:
    engine = bench.listening(step=30)
    for path in ("/", "/gunzip"):
        s = ask(engine, request(path, "POST", more="Transfer-Encoding: chunked\r\n") + body)
        got = answers(bytes(s.to_peer), ["POST"] * (2 if path == "/" else 1))
        assert got[-1][0].status == 400 and s.closed


def gunzip_request(data: bytes, rng: random.Random, more: str = "") -> bytes:
    """POST /gunzip, of either framing."""
    if rng.random() < 0.5:
        more += f"Content-Length: {len(data)}\r\n"
        return request("/gunzip", "POST", more=more) + data
    more += "Transfer-Encoding: chunked\r\n"
    return request("/gunzip", rng.choice(("POST", "PUT")), more=more) + chunked(data, rng)


def test_gunzip(bench: KernelBench) -> None:
    """Sizes of all kinds, pipelined with pages, at random pace; then a malformed body."""
    bench.dut.stall_all(rx=0.1, tx=0.2, seed=1)
    engine = bench.listening(step=200, ring=4096)
    rng = random.Random(4)
    s = engine.connect(80)
    assert s
    want = []
    for n in (0, 1, 7, 1023, 1024, 1025, 3000, 20000):
        plain = rng.randbytes(n // 2) + b"kumihimo " * (n // 18) + b"x" * (n % 2)
        want.append(plain)
        packed = gzip.compress(plain) if rng.random() < 0.5 else zlib.compress(plain)
        engine.feed(s, gunzip_request(packed, rng) + request())
    engine.until(lambda: s.to_peer.count(b"</html>") == len(want), 60000)
    got = answers(bytes(s.to_peer), ["POST", "GET"] * len(want))
    assert [r.status for r, _ in got] == [200] * (2 * len(want))
    assert [body for _, body in got[::2]] == want
    s.to_peer.clear()
    broken = gzip.compress(b"malformed" * 9)[:-1]
    engine.feed(s, gunzip_request(broken, rng))
    engine.until(lambda: s.closed, 20000)
    ((one, _),) = answers(bytes(s.to_peer), ["POST"])
    assert one.status == 422


def test_gzip(bench: KernelBench) -> None:
    """What /gzip makes, gzip opens; also through /gunzip on the same connection."""
    engine = bench.listening(step=200)
    rng = random.Random(6)
    s = engine.connect(80)
    assert s
    for n in (0, 1, 1000, 20000):
        plain = rng.randbytes(n // 4) + b"kumihimo " * (n // 12)
        for path, data in (("/gzip", plain), ("/gunzip", gzip.compress(plain))):
            more = f"Content-Length: {len(data)}\r\n"
            engine.feed(s, request(path, "POST", more=more) + data)
            engine.until(lambda: s.to_peer.endswith(b"0\r\n\r\n"), 60000)
            ((one, body),) = answers(bytes(s.to_peer), ["POST"])
            assert one.status == 200
            assert (gzip.decompress(body) if path == "/gzip" else body) == plain
            s.to_peer.clear()


def test_gunzip_for_many(bench: KernelBench) -> None:
    """One at a time: those that leave in the middle, or do not read, stop no others for long."""
    engine = bench.listening(step=200, ring=4096, rest=200)
    rng = random.Random(5)
    plain = rng.randbytes(3000)
    whole = gunzip_request(gzip.compress(plain), rng)
    leaving = [engine.connect(80) for _ in range(4)]
    for n, s in enumerate(leaving):
        assert s
        engine.feed(s, whole[: 150 + 500 * n])
    engine.until(lambda: not any(s.unread for s in leaving if s is leaving[0]), 20000)
    patient = [engine.connect(80) for _ in range(6)]
    for s in patient:
        assert s
        engine.feed(s, whole)
    for n, s in enumerate(leaving):
        assert s
        if n % 2:
            engine.fin(s)
        else:
            engine.kill(s, RESET, discard=n == 0)
    for s in patient:
        assert s
        engine.until(lambda s=s: s.to_peer.endswith(b"0\r\n\r\n"), 60000)
        ((one, body),) = answers(bytes(s.to_peer), ["POST"])
        assert one.status == 200 and body == plain
        engine.fin(s)
    engine.until(lambda: not engine.sessions, 20000)


def test_idle_sessions_end(bench: KernelBench) -> None:
    """Silent ones are closed; aborted in the middle of a body, and the kernel is free again."""
    bench.regs.idle_limit.set(ms=20)
    engine = bench.listening(step=200)
    data = gzip.compress(b"complete")
    silent, half, deaf = (engine.connect(80) for _ in range(3))
    assert silent and half and deaf
    engine.feed(half, request("/gunzip", "POST", more="Content-Length: 50\r\n") + data[:9])
    engine.feed(deaf, request("/", "POST", more="Content-Length: 50\r\n"))
    now = 0
    while not (silent.closed and half.ended):
        now += 300
        assert now < 200_000
        bench.dut.set("now_us", now)
        engine.step()
    assert half.aborted and not silent.aborted
    s = ask(engine, request("/gunzip", "POST", more=f"Content-Length: {len(data)}\r\n") + data)
    engine.until(lambda: s.to_peer.endswith(b"0\r\n\r\n"), 20000)
    assert bench.regs.counters()["idle_ends"] >= 2


def test_expect_continue(bench: KernelBench) -> None:
    """100 (Continue) before the body; HTTP/1.0 gets the response up to the close."""
    engine = bench.listening(step=30)
    data = gzip.compress(b"expected")
    more = f"Content-Length: {len(data)}\r\n"
    s = ask(engine, request("/gunzip", "POST", more=more + "Expect: 100-Continue\r\n"))
    assert bytes(s.to_peer).startswith(b"HTTP/1.1 100 Continue\r\n")
    s.to_peer.clear()
    engine.feed(s, data)
    engine.until(lambda: s.to_peer.endswith(b"0\r\n\r\n"), 20000)
    ((one, body),) = answers(bytes(s.to_peer), ["POST"])
    assert one.status == 200 and body == b"expected" and not s.closed
    s = ask(engine, request("/gunzip", "POST", "1.0", more) + data)
    engine.until(lambda: s.closed, 20000)
    ((one, body),) = answers(bytes(s.to_peer), ["POST"])
    assert one.status == 200 and body == b"expected" and s.closed
    assert one.getheader("Transfer-Encoding") is None


@pytest.mark.parametrize(
    "version, more, stays",
    [
        ("1.1", "", True),
        ("1.1", "Connection: close\r\n", False),
        ("1.1", "cOnNeCtIoN:  foo , CLOSE\r\n", False),
        ("1.1", "Connection: closed, keep\r\n", True),
        ("1.0", "", False),
        ("1.0", "Connection: Keep-Alive\r\n", True),
    ],
)
def test_connection(bench: KernelBench, version: str, more: str, stays: bool) -> None:
    engine = bench.listening(step=30)
    s = ask(engine, request("/", version=version, more=more) * 2)
    got = answers(bytes(s.to_peer), ["GET"] * (2 if stays else 1))
    assert all(r.status == 200 for r, _ in got)
    assert got[0][0].getheader("Connection") == ("keep-alive" if stays else "close")
    assert s.closed == (not stays) and not s.unread


def test_pipelined_cut_anywhere(bench: KernelBench) -> None:
    """Many requests in a row, cut at random, bare LF and empty lines between; then FIN."""
    bench.dut.stall_all(rx=0.1, tx=0.2, seed=1)
    engine = bench.listening(step=30, ring=4096)
    rnd = random.Random(1)
    data, methods, codes = b"", [], []
    for _ in range(30):
        path, code = rnd.choice(((INDEX, 200), (STATUS, 200), ("/x", 404), (ROBOTS, 200)))
        method = rnd.choice(("GET", "HEAD"))
        one = request(path, method, more="User-Agent: a b\r\nAccept: */*\r\n" * rnd.randint(0, 2))
        if rnd.random() < 0.3:
            one = one.replace(b"\r\n", b"\n")
        data += one + rnd.choice((b"", b"\r\n"))
        methods.append(method)
        codes.append(code)
    s = engine.connect(80)
    assert s
    s.drain = 1
    while data:
        n = rnd.randint(1, 120)
        engine.feed(s, data[:n])
        data = data[n:]
        for _ in range(rnd.randint(0, 6)):
            engine.step()
    engine.fin(s)
    engine.until(lambda: s.ended, 40000)
    got = answers(bytes(s.to_peer), methods)
    assert [r.status for r, _ in got] == codes and s.reason == CLOSED
    assert bench.regs.counters()["no_space"] == engine.no_space


def test_sessions_do_not_wait_for_each_other(bench: KernelBench) -> None:
    """One that stopped in the middle of a request, one that does not read; the third goes on."""
    engine = bench.listening(step=30, ring=4096)
    half, deaf = engine.connect(80), engine.connect(80)
    assert half and deaf
    deaf.drain = 0
    engine.feed(half, request()[:-1])
    engine.feed(deaf, request() * 30)
    engine.until(lambda: deaf.ring > 3000, 20000)
    for _ in range(5):
        s = ask(engine, request(more="Connection: close\r\n"))
        assert answers(bytes(s.to_peer), ["GET"])[0][0].status == 200
        engine.fin(s)
    assert not half.to_peer
    assert bench.regs.counters()["no_space"] == engine.no_space > 0
    engine.feed(half, b"\n")
    engine.until(lambda: half.to_peer, 8000)
    deaf.drain = 1 << 20
    engine.until(lambda: deaf.to_peer.count(b"HTTP/1.1 200") == 30, 40000)
    engine.kill(half, RESET)
    engine.kill(deaf, RESET, discard=True)
    engine.until(lambda: bench.regs.status.get("sessions") == 0, 1000)


def test_random_bytes(bench: KernelBench) -> None:
    """Anything at all: no hang, each session ends, and the kernel still answers."""
    engine = bench.listening(step=30, rest=200)
    rnd = random.Random(7)
    words = [b"GET ", b"/", b" HTTP/1.1", b"\r\n", b"\n", b"Host: a", b"Content-Length: 5", b":"]
    for _ in range(40):
        s = engine.connect(80)
        if not s:
            engine.until(lambda: engine.free, 20000)
            continue
        data = b"".join(
            rnd.choice(words) if rnd.random() < 0.8 else rnd.randbytes(rnd.randint(1, 30))
            for _ in range(rnd.randint(1, 60))
        )
        engine.feed(s, data)
        if rnd.random() < 0.2:
            engine.kill(s, RESET, discard=rnd.random() < 0.5)
        else:
            engine.fin(s)
    engine.until(lambda: not engine.sessions, 60000)
    engine.until(lambda: engine.free, 1000)
    s = ask(engine, request())
    assert answers(bytes(s.to_peer), ["GET"])[0][0].status == 200


def test_status_counts(bench: KernelBench) -> None:
    engine = bench.listening(step=30)
    bench.dut.set("now_us", 5_400_000)
    s = ask(engine, request("/x") + request("/", "POST") + request() + request(STATUS))
    told = json.loads(answers(bytes(s.to_peer), ["GET", "POST", "GET", "GET"])[-1][1])
    want = {"uptime_seconds": 5, "connections": 1, "sessions": 1, "requests": 3}
    want |= {"responses_ok": 1, "responses_error": 2}
    assert told == want
    counters = bench.regs.counters()
    assert (counters["ok"], counters["not_found"], counters["not_allowed"]) == (2, 1, 1)


def test_curl() -> None:
    """The program itself: two pages over one connection, HEAD, POST, HTTP/1.0."""
    bench = KernelBench(TOP, "http", 64, PARAMS)
    engine = SocketEngine(bench.dut, "127.0.0.1", step=200)
    engine.until(lambda: engine.listeners, 100)
    base = f"http://127.0.0.1:{engine.numbers[80]}"
    for words, want in (
        (["-sS", "-v", f"{base}/", f"{base}/status"], ["<h1>Kumihimo</h1>", "Re-using"]),
        (["-sSI", f"{base}/"], ["HTTP/1.1 200 OK", "Content-Length"]),
        (["-sS0i", f"{base}/robots.txt"], ["Connection: close", "Disallow"]),
        (["-sSi", "-d", "x" * 5000, f"{base}/"], ["HTTP/1.1 405"]),
        (["-sSi", f"{base}/nothing"], ["HTTP/1.1 404"]),
    ):
        with running([program("curl"), "--max-time", "20", *words]) as child:
            end = time.monotonic() + 25
            while child.poll() is None:
                assert time.monotonic() < end, "curl does not come to an end"
                engine.step()
            assert child.stdout
            text = child.stdout.read()
        assert child.returncode == 0 and all(w in text for w in want), text
    engine.until(lambda: not engine.sessions, 2000)
    engine.close()
