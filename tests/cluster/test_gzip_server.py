# SPDX-License-Identifier: Apache-2.0
"""curl sends files to /gzip and /gunzip of a tcp_server node, over good and bad cables."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from kumihimo.bench.tcp.places import CABLES, CLUSTER, SHORT_TIMES
from kumihimo.cluster import Cluster
from kumihimo.common import tools

# As in the demo, so that one build serves both.
PARAMS = {"SESSIONS": 64, "GZIP": 1}
MSS = 8960
PATIENCE_S = 100.0


class Server:
    """The node, and curl in the namespace at the other end of its cable."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        assert cluster.namespace is not None
        self.namespace = cluster.namespace
        self.node = cluster["server"]
        self.folder = folder
        self.count = 0

    def curl(self, sent: bytes, *options: str, path: str = "/gunzip") -> tools.Tool:
        """Start curl; its output is the reply's body."""
        self.count += 1
        file = self.folder / f"request_{self.count}"
        file.write_bytes(sent)
        words = ["curl", "-sS", "--fail", "--max-time", str(PATIENCE_S), *options]
        words += ["--data-binary", f"@{file}", f"http://{self.node.ip}{path}"]
        return self.namespace.popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def gzip(self, plain: bytes) -> bytes:
        """What /gzip makes of it."""
        return self.gunzip(plain, path="/gzip")

    def gunzip(self, sent: bytes, *options: str, path: str = "/gunzip") -> bytes:
        """The body of a reply of 200."""
        with self.curl(sent, *options, path=path) as child:
            out, err = child.communicate(timeout=PATIENCE_S)
            assert child.returncode == 0, err.decode()
        return out

    def idle(self) -> None:
        """Wait until no session is left but those in TIME-WAIT."""
        end = time.monotonic() + PATIENCE_S
        while self.node.regs.http.status.get("sessions"):
            assert time.monotonic() < end, "sessions are left"
            time.sleep(0.05)


@contextmanager
def server(cable: str, folder: Path) -> Iterator[Server]:
    impairments = "".join(f", {key}: {value:g}" for key, value in CABLES[cable].items())
    file = folder / "gzip.yaml"
    file.write_text(
        CLUSTER.format(
            params=json.dumps(PARAMS),
            regs=json.dumps(SHORT_TIMES),
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


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, MSS - 1, MSS, MSS + 1, 65537, 300_000])
def test_replies(good: Server, size: int) -> None:
    data = content(size)
    assert good.gunzip(gzip.compress(data)) == data
    assert good.gunzip(zlib.compress(data, 1), "-H", "Transfer-Encoding: chunked") == data


@pytest.mark.parametrize("size", [0, 1, MSS, 100_000])
def test_there_and_back(good: Server, size: int) -> None:
    """What `curl --data-binary @file http://NODE/gzip | gunzip` does."""
    data = content(size)
    assert gzip.decompress(good.gzip(data)) == data


def test_long_reply_to_a_short_request(good: Server) -> None:
    data = bytes(1_000_000)
    assert good.gunzip(gzip.compress(data, 9)) == data


def test_expect_and_keep_alive(good: Server) -> None:
    data = content(5000)
    assert good.gunzip(gzip.compress(data), "-H", "Expect: 100-continue") == data
    file = good.folder / "twice"
    file.write_bytes(gzip.compress(data))
    url = f"http://{good.node.ip}/gunzip"
    words = ["curl", "-sSv", "--data-binary", f"@{file}", url, url, "-o", "/dev/null"]
    done = good.namespace.run([*words, "-o", "/dev/null"], PATIENCE_S)
    assert done.returncode == 0 and "Re-using existing connection" in done.stderr


def test_malformed(good: Server) -> None:
    with good.curl(gzip.compress(content(20_000))[:-3]) as child:
        child.communicate(timeout=PATIENCE_S)
        assert child.returncode in (18, 22, 56)  # partial, 4xx, aborted
    assert good.gunzip(gzip.compress(b"and then a good one")) == b"and then a good one"


def test_slow_reader_and_one_that_leaves(good: Server) -> None:
    data = content(200_000)
    packed = gzip.compress(data)
    with good.curl(packed, "--limit-rate", "1k") as leaving:
        time.sleep(1.0)
        leaving.kill()
    assert good.gunzip(packed, "--limit-rate", "200k") == data
    good.idle()


@pytest.mark.parametrize("where", ["good", "lossy"])
def test_sixteen_at_once(where: str, request: pytest.FixtureRequest) -> None:
    one: Server = request.getfixturevalue(where)
    all_data = [content(3000 * k, k) for k in range(16)]
    with ExitStack() as stack:
        children = [stack.enter_context(one.curl(gzip.compress(data))) for data in all_data]
        for child, data in zip(children, all_data, strict=True):
            out, err = child.communicate(timeout=PATIENCE_S)
            assert child.returncode == 0 and out == data, err.decode()
    one.idle()


def test_replies_over_loss(lossy: Server) -> None:
    for size in (0, 1000, 100_000):
        data = content(size, 7)
        assert lossy.gunzip(gzip.compress(data)) == data
        assert gzip.decompress(lossy.gzip(data)) == data
