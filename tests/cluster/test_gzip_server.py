# SPDX-License-Identifier: Apache-2.0
"""curl, http.client and nc at the HTTP server of a tcp_server node, over good and bad cables."""

from __future__ import annotations

import base64
import gzip
import json
import random
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from kumihimo.bench.tcp.places import CABLES, CLUSTER, SHORT_TIMES
from kumihimo.cluster import Cluster
from kumihimo.common import tools
from kumihimo.testing.sizes import by_size

# As in the demo, so that one build serves both.
PARAMS = {"SESSIONS": 64, "GZIP": 1}
CLIENTS = Path(__file__).with_name("http_clients.py")
MSS = 8960
TURN_MS = 40  # of the node's time, in which a request may be at the kernel while others wait
PATIENCE_S = by_size(100.0, 7200.0)  # a reply of 100 MB takes an hour


class Server:
    """The node, and clients in the namespace at the other end of its cable."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        assert cluster.namespace is not None
        self.namespace = cluster.namespace
        self.node = cluster["server"]
        self.folder = folder
        self.count = 0

    def file(self, data: bytes) -> Path:
        self.count += 1
        path = self.folder / f"request_{self.count}"
        path.write_bytes(data)
        return path

    def curl(self, sent: bytes, *options: str, path: str = "/gunzip") -> tools.Tool:
        """Start curl; its output is the reply's body."""
        words = ["curl", "-sS", "--fail", "--max-time", str(PATIENCE_S), *options]
        words += ["--data-binary", f"@{self.file(sent)}", f"http://{self.node.ip}{path}"]
        return self.namespace.popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def post(self, sent: bytes, *options: str, path: str = "/gunzip") -> bytes:
        """The body of a reply of 200."""
        with self.curl(sent, *options, path=path) as child:
            return finish(child)

    def client(self, name: str, *words: object) -> tools.Tool:
        """Start one of http_clients.py."""
        argv = [sys.executable, "-I", "-S", str(CLIENTS), name, str(self.node.ip)]
        argv += [str(word) for word in words]
        return self.namespace.popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def check_nothing_left(self) -> None:
        """No session is open, each that was opened has ended, and the kernel takes requests."""
        regs = self.node.regs
        end = time.monotonic() + PATIENCE_S
        while regs.http.status.get("sessions") or regs.tcp.status.get("sessions"):
            assert time.monotonic() < end, "sessions are left"
            time.sleep(0.05)
        counters = regs.http.counters()
        assert counters["opened"] == counters["ended"] > 0
        assert self.post(b"free", path="/echo") == b"free"


def finish(child: tools.Tool) -> bytes:
    """What it wrote; it must end well."""
    out, err = child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 0, err.decode()
    return bytes(out)


@contextmanager
def server(cable: str, folder: Path) -> Iterator[Server]:
    impairments = "".join(f", {key}: {value:g}" for key, value in CABLES[cable].items())
    file = folder / "gzip.yaml"
    regs = {**SHORT_TIMES, "http.turn_limit": TURN_MS, "http.wait_limit": 0}
    file.write_text(
        CLUSTER.format(
            params=json.dumps(PARAMS),
            regs=json.dumps(regs),
            rate="10 Gb/s",
            impairments=impairments,
        )
    )
    with Cluster(file) as cluster, cluster.serving():
        yield Server(cluster, folder)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server("clean", tmp_path_factory.mktemp("clean")) as one:
        yield one


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server("loss 1 %", tmp_path_factory.mktemp("lossy")) as one:
        yield one


def content(size: int, seed: int = 1) -> bytes:
    """Half text, half noise."""
    rng = random.Random(seed)
    words = b"the reply may be longer than one packet, than the ring, and than the request "
    half = size // 2
    return (words * (half // len(words) + 1))[:half] + rng.randbytes(size - half)


SIZES = by_size([0, MSS + 1, 70_000], [0, 1, 1023, 1024, MSS - 1, MSS, MSS + 1, 65537, 1_000_000])


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_there_and_back(good: Server, size: int) -> None:
    """`curl --data-binary @file http://NODE/gzip | gunzip`, and the way back, in both framings."""
    data = content(size)
    assert gzip.decompress(good.post(data, path="/gzip")) == data
    assert good.post(zlib.compress(data, 1), "-H", "Transfer-Encoding: chunked") == data


@pytest.mark.long
def test_long_reply_to_a_short_request(good: Server) -> None:
    """Longer than a packet, the ring and all buffers: the paper's server hung at one packet."""
    data = bytes(by_size(300_000, 100_000_000))
    assert good.post(gzip.compress(data, 9)) == data
    good.check_nothing_left()


def test_codings(good: Server) -> None:
    """The client decodes what comes in gzip, and the node what goes in gzip."""
    data = content(5000)
    coded = ["-H", "Content-Encoding: gzip"]
    assert good.post(gzip.compress(data), *coded, "--compressed", path="/echo") == data
    packed = good.post(data, "-H", "Accept-Encoding: gzip", path="/echo")
    assert gzip.decompress(packed) == data


def test_expect_and_keep_alive(good: Server) -> None:
    data = content(5000)
    assert good.post(gzip.compress(data), "-H", "Expect: 100-continue") == data
    url = f"http://{good.node.ip}/gunzip"
    words = ["curl", "-sSv", "--data-binary", f"@{good.file(gzip.compress(data))}", url, url]
    done = good.namespace.run([*words, "-o", "/dev/null", "-o", "/dev/null"], PATIENCE_S)
    assert done.returncode == 0 and "Re-using existing connection" in done.stderr


def test_http_client(good: Server) -> None:
    """Pages, a range, an error and codings over one connection."""
    data = content(3000)
    with good.client("session", good.file(data)) as child:
        got = [
            (status, coding, base64.b64decode(text))
            for status, coding, text in json.loads(finish(child))
        ]
    assert [one[0] for one in got] == [200, 206, 404, 200, 200, 200, 200]
    assert b"<h1>Kumihimo</h1>" in got[0][2] and got[1][2] == b"agent" and got[6][2] == b""
    assert got[3][2] == data == got[5][2]
    assert got[4][1] == "gzip" and gzip.decompress(got[4][2]) == data


def test_nc(good: Server) -> None:
    """Pipelined requests from a shell, the last one in upper and absolute form."""
    requests = "GET /robots.txt HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n" * 5
    requests += "GET HTTP://a/%%73tatus HTTP/1.1\\r\\nHOST: a\\r\\nCONNECTION: CLOSE\\r\\n\\r\\n"
    command = f"printf '{requests}' | nc -w 60 {good.node.ip} 80"
    done = good.namespace.run(["sh", "-c", command], PATIENCE_S)
    assert done.stdout.count("HTTP/1.1 200 OK") == 6 == done.stdout.count("Content-Length")
    assert '"uptime_seconds"' in done.stdout


@pytest.mark.parametrize("size", [0, 20_000])
def test_raw_framing(good: Server, size: int) -> None:
    """The length first, then the bytes, on a port of its own; the reply likewise."""
    data = content(size)
    with good.client("raw", good.node.regs.http.raw.get("port"), good.file(data)) as child:
        assert gzip.decompress(finish(child)) == data


def test_malformed(good: Server) -> None:
    with good.curl(gzip.compress(content(20_000))[:-3]) as child:
        child.communicate(timeout=PATIENCE_S)
        assert child.returncode in (18, 22, 56)  # partial, 4xx, aborted
    assert good.post(gzip.compress(b"and then a good one")) == b"and then a good one"


@pytest.mark.parametrize("where", ["good", "lossy"])
def test_a_slow_reader_alone(where: str, request: pytest.FixtureRequest) -> None:
    """1 kB a second for a while: it gets every byte."""
    one: Server = request.getfixturevalue(where)
    data = content(150_000, 3)
    with one.client("slow", one.file(gzip.compress(data)), 1000, 2) as child:
        assert finish(child).partition(b"\r\n\r\n")[2] == data
    one.check_nothing_left()


def test_a_slow_reader_holds_nobody(good: Server) -> None:
    """Others are served while one reads 1 kB a second, and while one leaves in the middle."""
    packed = gzip.compress(content(400_000))
    short = content(2000)
    good.node.regs.http.turn_limit.set(ms=5)
    with good.client("slow", good.file(packed), 1000, 600) as slow, good.curl(packed) as leaving:
        time.sleep(0.5)
        leaving.kill()
        for _ in range(3):
            assert good.post(gzip.compress(short)) == short
        slow.kill()
    good.node.regs.http.turn_limit.set(ms=TURN_MS)
    good.check_nothing_left()


@pytest.mark.long
@pytest.mark.parametrize("where", ["good", "lossy"])
def test_sixteen_at_once(where: str, request: pytest.FixtureRequest) -> None:
    """From no byte on, both ways and framings; beside a slow reader and one that leaves."""
    one: Server = request.getfixturevalue(where)
    each = by_size(700, 20_000)
    all_data = [content(each * k, k) for k in range(16)]
    slow_data = content(30_000, 16)  # fits its ring, so it does not hold the kernel
    with ExitStack() as stack:
        slow_file = one.file(gzip.compress(slow_data))
        slow = stack.enter_context(one.client("slow", slow_file, 1000, 2))
        leaving = stack.enter_context(one.curl(gzip.compress(content(300_000, 17))))
        children = []
        for k, data in enumerate(all_data):
            chunked = ["-H", "Transfer-Encoding: chunked"] if k % 2 else []
            packs = k % 4 < 2
            sent = data if packs else gzip.compress(data)
            child = one.curl(sent, *chunked, path="/gzip" if packs else "/gunzip")
            children.append((stack.enter_context(child), data, packs))
        leaving.kill()
        for child, data, packs in children:
            got = finish(child)
            assert (gzip.decompress(got) if packs else got) == data
        assert finish(slow).partition(b"\r\n\r\n")[2] == slow_data
    one.check_nothing_left()


@pytest.mark.long
def test_replies_over_loss(lossy: Server) -> None:
    for size in by_size((0, 60_000), (0, 1000, 100_000, 3_000_000)):
        data = content(size, 7)
        assert gzip.decompress(lossy.post(data, path="/gzip")) == data
        assert lossy.post(gzip.compress(data), "-H", "Transfer-Encoding: chunked") == data
    lossy.check_nothing_left()
