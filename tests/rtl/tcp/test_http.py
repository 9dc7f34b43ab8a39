# SPDX-License-Identifier: Apache-2.0
"""kumi_http: its pages and its parser, read by Python's http.client, and curl."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator

import pytest
from http_requests import (
    INDEX,
    PARAMS,
    ROBOTS,
    STATUS,
    TOP,
    answers,
    ask,
    chunked,
    request,
)
from kumihimo.testing.sizes import data_widths
from tcp_app_bench import KernelBench
from tcp_app_model import CLOSED, RESET
from tcp_app_sockets import SocketEngine, program, running

pytestmark = pytest.mark.long  # all data widths


@pytest.fixture(scope="module", params=data_widths(64, 128, 512))
def built(request: pytest.FixtureRequest) -> KernelBench:
    return KernelBench(TOP, "http", request.param, PARAMS)


@pytest.fixture
def bench(built: KernelBench) -> Iterator[KernelBench]:
    built.dut.restart()
    yield built


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
    "asked, want",
    [
        ("bytes=0-0", slice(0, 1)),
        ("bytes=5-9", slice(5, 10)),
        ("Bytes=20-", slice(20, None)),
        (" bytes=-7 ", slice(-7, None)),
        ("bytes=3-99999999999999", slice(3, None)),
        ("bytes=-99999", slice(0, None)),
        ("bytes=99999-", 416),
        ("bytes=-0", 416),
        ("bytes=9-5", None),
        ("bytes=0-1,3-4", None),
        ("bytes=-", None),
        ("bytes=5", None),
        ("bytes=1-2x", None),
        ("lines=0-1", None),
        ('bytes=0-0\r\nIf-Range: "x"', None),
        ("bytes=0-0\r\nRange: bytes=1-1", None),
    ],
)
def test_ranges(bench: KernelBench, asked: str, want: slice | int | None) -> None:
    """One range of a page (RFC 9110, 14); what is not understood is ignored; HEAD has none."""
    engine = bench.listening(step=30)
    for path in (INDEX, ROBOTS):
        s = ask(engine, request(path) + request(path, more=f"Range: {asked}\r\n"))
        ask(engine, request(path, "HEAD", more="Range: bytes=0-0\r\n"), s)
        (full, whole), (part, some), (head, _) = answers(bytes(s.to_peer), ["GET", "GET", "HEAD"])
        assert full.status == head.status == 200 and full.getheader("Accept-Ranges") == "bytes"
        size = len(whole)
        if want is None:
            assert part.status == 200 and some == whole
        elif isinstance(want, int):
            assert part.status == want and part.getheader("Content-Range") == f"bytes */{size}"
        else:
            first, last, _ = want.indices(size)
            assert part.status == 206 and some == whole[want]
            assert part.getheader("Content-Range") == f"bytes {first}-{last - 1}/{size}"
            assert part.getheader("Content-Type") == full.getheader("Content-Type")
        assert not s.closed
    assert bench.regs.counters()["rejected"] == (2 if want == 416 else 0)


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
        (["-sSi", "-r", "0-8", f"{base}/robots.txt"], ["HTTP/1.1 206", "User-agen"]),
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
