# SPDX-License-Identifier: Apache-2.0
"""kumi_http with kumi_http_gzip behind it: bodies, content codings, raw framing."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from collections.abc import Iterator

import pytest
from http_requests import (
    CHUNKED_END,
    PARAMS,
    TOP,
    answers,
    ask,
    gunzip_request,
    request,
)
from kumihimo.testing.sizes import data_widths
from tcp_app_bench import KernelBench

pytestmark = pytest.mark.long  # all data widths
RAW_PORT = 5101


@pytest.fixture(scope="module", params=data_widths(64, 128, 512))
def built(request: pytest.FixtureRequest) -> KernelBench:
    return KernelBench(TOP, "http", request.param, PARAMS)


@pytest.fixture
def bench(built: KernelBench) -> Iterator[KernelBench]:
    built.dut.restart()
    yield built


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
            engine.until(lambda: s.to_peer.endswith(CHUNKED_END), 60000)
            ((one, body),) = answers(bytes(s.to_peer), ["POST"])
            assert one.status == 200
            assert (gzip.decompress(body) if path == "/gzip" else body) == plain
            s.to_peer.clear()


def test_expect_continue(bench: KernelBench) -> None:
    """100 (Continue) before the body; HTTP/1.0 gets the response up to the close."""
    engine = bench.listening(step=30)
    data = gzip.compress(b"expected")
    more = f"Content-Length: {len(data)}\r\n"
    s = ask(engine, request("/gunzip", "POST", more=more + "Expect: 100-Continue\r\n"))
    assert bytes(s.to_peer).startswith(b"HTTP/1.1 100 Continue\r\n")
    s.to_peer.clear()
    engine.feed(s, data)
    engine.until(lambda: s.to_peer.endswith(CHUNKED_END), 20000)
    ((one, body),) = answers(bytes(s.to_peer), ["POST"])
    assert one.status == 200 and body == b"expected" and not s.closed
    s = ask(engine, request("/gunzip", "POST", "1.0", more) + data)
    engine.until(lambda: s.closed, 20000)
    ((one, body),) = answers(bytes(s.to_peer), ["POST"])
    assert one.status == 200 and body == b"expected" and s.closed
    assert one.getheader("Transfer-Encoding") is None


PLAIN = b"the same bytes, coded or not, " * 40
CODINGS = {
    None: bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "X-Gzip": gzip.compress,
    "deflate": zlib.compress,
}


@pytest.mark.parametrize(
    "accept, coded",
    [
        (None, False),
        ("gzip", True),
        ("deflate, GZIP", True),
        ("br;q=0, x-gzip ; q=0.5", True),
        ("gzip;q=1.0", True),
        ("gzip;q=0", False),
        ("identity, gzip ; Q=0.000 ,br", False),
        ("gzipped, bgzip", False),
        ("gzip;q=0, deflate", False),
    ],
)
@pytest.mark.parametrize("path", ["/echo", "/gunzip", "/gzip"])
def test_content_codings(bench: KernelBench, path: str, accept: str | None, coded: bool) -> None:
    """A body with a coding is decoded once; the response is gzip for those who accept it."""
    engine = bench.listening(step=200)
    s = engine.connect(80)
    assert s
    for coding, encode in CODINGS.items():
        data = encode(PLAIN)
        if path == "/gunzip" and encode is bytes:
            data = gzip.compress(PLAIN)
        more = f"Content-Length: {len(data)}\r\n"
        more += f"Content-Encoding: {coding}\r\n" if coding else ""
        more += f"Accept-Encoding: {accept}\r\n" if accept else ""
        engine.feed(s, request(path, "POST", more=more) + data)
        engine.until(lambda: s.to_peer.endswith(CHUNKED_END), 20000)
        ((one, body),) = answers(bytes(s.to_peer), ["POST"])
        assert one.status == 200
        assert one.getheader("Content-Encoding") == ("gzip" if coded and path != "/gzip" else None)
        assert (gzip.decompress(body) if coded or path == "/gzip" else body) == PLAIN
        s.to_peer.clear()


@pytest.mark.parametrize("coding", ["br", "gzip, gzip", "gzip;x", "compress"])
def test_unknown_codings(bench: KernelBench, coding: str) -> None:
    """415 says what is known; the body is skipped and the connection goes on."""
    engine = bench.listening(step=30)
    more = f"Content-Encoding: {coding}\r\nContent-Length: 100\r\n"
    s = ask(engine, request("/echo", "POST", more=more) + bytes(100) + request())
    (bad, _), (good, _) = answers(bytes(s.to_peer), ["POST", "GET"])
    assert bad.status == 415 and bad.getheader("Accept-Encoding") == "gzip, deflate"
    assert good.status == 200 and bench.regs.counters()["rejected"] == 1


def raw_pieces(data: bytes) -> tuple[list[bytes], int]:
    """The responses that are there as a whole, and how many bytes they are."""
    out, piece, at, taken = [], b"", 0, 0
    while at + 4 <= len(data):
        (n,) = struct.unpack_from(">I", data, at)
        if at + 4 + n > len(data):
            break
        piece += data[at + 4 : at + 4 + n]
        at += 4 + n
        if n == 0:
            out.append(piece)
            piece, taken = b"", at
    return out, taken


def test_raw_framing(bench: KernelBench) -> None:
    """Length first, then the bytes; several messages of one client; the response likewise."""
    engine = bench.listening(step=200, ring=8192)
    engine.until(lambda: RAW_PORT in engine.ports, 2000)
    rng = random.Random(8)
    s = engine.connect(RAW_PORT)
    assert s
    want = []
    for n in (0, 1, 3, 2047, 2048, 2049, 10_000):
        want.append(rng.randbytes(n // 2) + b"k" * (n - n // 2))
        engine.feed(s, struct.pack(">I", n) + want[-1])
    engine.fin(s)
    engine.until(lambda: not engine.sessions, 60000)
    out, taken = raw_pieces(bytes(s.to_peer))
    assert [gzip.decompress(one) for one in out] == want and taken == len(s.to_peer)


def test_raw_decompression(bench: KernelBench) -> None:
    """The route is a setting; malformed data abort the session, and the next one goes on."""
    bench.regs.raw.set(route=0)
    engine = bench.listening(step=200)
    engine.until(lambda: RAW_PORT in engine.ports, 2000)
    plain = b"once more " * 500
    packed = gzip.compress(plain)
    bad = engine.connect(RAW_PORT)
    assert bad
    engine.feed(bad, struct.pack(">I", len(packed) - 1) + packed[:-1])
    engine.until(lambda: bad.aborted, 20000)
    s = engine.connect(RAW_PORT)
    assert s
    for byte in struct.pack(">I", len(packed)) + packed:
        engine.feed(s, bytes((byte,)))
    engine.until(lambda: raw_pieces(bytes(s.to_peer))[0], 20000)
    assert raw_pieces(bytes(s.to_peer)) == ([plain], len(s.to_peer))
