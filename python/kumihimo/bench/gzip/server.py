# SPDX-License-Identifier: Apache-2.0
"""`kumi bench gzip-server`: the gzip server over TCP and HTTP, in simulated time.

A `tcp_server` node with GZIP at its default parameters and 156.25 MHz, a cable of 10 Gb/s, frames
of 9000 bytes; at the other end the byte streams of a `tcp_channels` node. Each request has a
connection of its own, which the server closes.

seconds:         simulated, from before the request's first byte to the end of the reply.
bytes_per_cycle: the bytes that are not compressed over cycles of the node in that time.
paper_seconds:   of the compression kernel alone for 100 MB, in the talk that docs/gzip.md names
                 (its server was never measured); the bench sends `bytes`, and nothing is scaled.

Replies are compared with zlib's.
"""

from __future__ import annotations

import gzip
import http.client
import io
import json
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.corpus import own_files
from kumihimo.bench.setup import Setup
from kumihimo.cluster import Cluster
from kumihimo.cluster.channel import Channel

PARAMS = {"GZIP": 1}
CLIENT = {"DATA_W": 64, "SESSIONS": 4, "RING": 65536, "MTU": 9000}
REGS = {"tcp.segment.mss": 8960}
PERIOD_PS = 6400
STEP_PS = 1_000_000
PATIENCE_STEPS = 20_000  # of these without a byte either way
AHEAD = 1 << 20  # bytes of a request that wait at the node
BEAT = 8
CHUNK = 16_384  # of a chunked request, as curl makes them
PAPER_BYTES, PAPER_SECONDS = 100_000_000, 0.765
LONG_REPLY = 3_000_000
LONG_REQUEST = 10_000_000  # minutes
TEXT_BYTES = 1_000_000
QUICK = 20  # times fewer bytes

TEXT = """\
name: gzip-server
seed: 1
nodes:
  server: {{design: tcp_server, ip: 10.77.0.10/24, params: {params}, timers: fast, regs: {regs}}}
  client: {{design: tcp_channels, ip: 10.77.0.11/24, params: {client}, timers: fast, regs: {regs}}}
cables:
  - {{between: [server.eth0, client.eth0], rate: 10 Gb/s, latency: 500 ns{impairments}}}
"""


class Client:
    """Requests over the byte streams of the client's node, one after another."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.ip = int.from_bytes(bytes(map(int, str(cluster["server"].ip).split("."))), "big")
        self.bytes: Channel = cluster["client"].channel("sock_bytes")

    def _open(self) -> int:
        """A session's number."""
        self.cluster["client"].channel("sock_open").write(ip=self.ip, port=80)
        answer = self.cluster["client"].channel("sock_opened").read("10 ms")
        if answer["reason"]:
            raise BenchError(f"the server did not take a connection: reason {answer['reason']}")
        return int(answer["sid"])

    def _write(self, session: int, data: memoryview) -> None:
        for at in range(0, len(data), BEAT):
            part = data[at : at + BEAT]
            beat = session << BEAT | (1 << len(part)) - 1
            self.bytes.write(beat << 8 * BEAT | int.from_bytes(part, "little"))

    def _read(self) -> tuple[bytes, bool]:
        """What has come since, and whether that was all."""
        out = bytearray()
        over = False
        for beat in self.bytes.read_all():
            count = (beat >> 8 * BEAT & (1 << BEAT) - 1).bit_count()
            out += (beat & (1 << 8 * BEAT) - 1).to_bytes(BEAT, "little")[:count]
            over |= bool(beat >> 9 * BEAT + 20 & 1)
        return bytes(out), over

    def ask(
        self,
        request: bytes,
        step_ps: int = STEP_PS,
        moved: Callable[[int], None] = lambda _: None,
    ) -> tuple[bytes, float]:
        """The reply, up to the server's FIN, and the simulated seconds that it took.

        Args:
            request: all of it.
            step_ps: how long the cluster runs between two looks at it.
            moved:   is told at each of them how many bytes have gone and come.
        """
        session = self._open()
        left = memoryview(request)
        reply = bytearray()
        start = self.cluster.now_ps
        budget = AHEAD
        quiet = 0
        while True:
            part = left[: budget - budget % BEAT] if len(left) > budget else left
            self._write(session, part)
            left = left[len(part) :]
            # What the line carries in a step may be written behind it.
            budget = min(AHEAD, step_ps // PERIOD_PS * BEAT)
            self.cluster.run(step_ps)
            came, over = self._read()
            reply += came
            moved(len(request) - len(left) + len(reply))
            quiet = 0 if came or part else quiet + 1
            if over:
                break
            if quiet > PATIENCE_STEPS:
                raise BenchError(f"nothing moves after {len(reply)} bytes of the reply")
        taken = (self.cluster.now_ps - start) / 1e12
        # This side's FIN.
        self.bytes.write((1 << 20 | session) << 9 * BEAT)
        return bytes(reply), taken


class _Wire:
    """What http.client wants of a socket."""

    def __init__(self, data: bytes) -> None:
        self.stream = io.BytesIO(data)

    def makefile(self, *_: object) -> io.BytesIO:
        return self.stream


def body_of(reply: bytes) -> bytes:
    """The body of a reply of 200."""
    wire: Any = _Wire(reply)
    response = http.client.HTTPResponse(wire, method="POST")
    response.begin()
    if response.status != 200:
        raise BenchError(f"the server answers {response.status} {response.reason}")
    return response.read()


def post(path: str, data: bytes, chunked: bool = False) -> bytes:
    """A request."""
    head = f"POST {path} HTTP/1.1\r\nHost: node\r\nConnection: close\r\n"
    if not chunked:
        return f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data
    out = bytearray(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
    for at in range(0, len(data), CHUNK):
        part = data[at : at + CHUNK]
        out += f"{len(part):x}\r\n".encode() + part + b"\r\n"
    return bytes(out + b"0\r\n\r\n")


def content(size: int) -> bytes:
    """This project's sources and pages, again and again."""
    once = b"".join(own_files().values())
    return (once * (size // len(once) + 1))[:size]


@contextmanager
def pair(impairments: dict[str, float] | None = None, threads: int = 0) -> Iterator[Cluster]:
    """Server and client; the cable between them with what makes it worse."""
    worse = "".join(f", {key}: {value:g}" for key, value in (impairments or {}).items())
    with tempfile.TemporaryDirectory(prefix="kumi-bench-") as folder:
        file = Path(folder) / "server.yaml"
        words = {"params": PARAMS, "client": CLIENT, "regs": REGS}
        filled = {name: json.dumps(value) for name, value in words.items()}
        file.write_text(TEXT.format(impairments=worse, **filled))
        with Cluster(file, threads=threads) as cluster:
            yield cluster


def run(progress: Progress, quick: bool) -> BenchResult:
    """Each way and framing, one long request, one long reply."""
    result = BenchResult("gzip-server")
    share = QUICK if quick else 1
    text = content(TEXT_BYTES // share)
    packed = gzip.compress(text, 6)
    long = LONG_REQUEST // share
    zeros = bytes(LONG_REPLY // share)
    cases: list[tuple[str, str, bytes, bytes, bool]] = [
        ("gzip", "/gzip", text, text, False),
        ("gzip, chunked request", "/gzip", text, text, True),
        ("gunzip", "/gunzip", packed, text, False),
        ("gunzip, chunked request", "/gunzip", packed, text, True),
        ("gunzip, long reply", "/gunzip", gzip.compress(zeros, 9), zeros, False),
        ("gzip, long request", "/gzip", content(long), b"", False),
    ]
    rates: dict[str, float] = {}
    seconds = 0.0
    wrong = 0
    progress.step("building", 0, len(cases) + 1)
    with pair() as cluster:
        for name, built in cluster.built.items():
            result.rtl[cluster.plan.nodes[name].design.top] = built.design_hash
        client = Client(cluster)
        for step, (what, path, sent, plain, chunked) in enumerate(cases, 1):
            progress.step(what, step, len(cases) + 1)
            reply, seconds = client.ask(post(path, sent, chunked))
            got = body_of(reply)
            wrong += (zlib.decompress(got, 31) != sent) if path == "/gzip" else got != plain
            size = len(sent) if path == "/gzip" else len(plain)
            rates[what] = size * PERIOD_PS / (seconds * 1e12)
            row: dict[str, Any] = {
                "what": what,
                "bytes": size,
                "reply_bytes": len(reply),
                "seconds": seconds,
                "mb_s": size / seconds / 1e6,
                "bytes_per_cycle": rates[what],
            }
            if what == "gzip, long request":
                row |= {"paper_bytes": PAPER_BYTES, "paper_seconds": PAPER_SECONDS}
                row["paper_mb_s"] = PAPER_BYTES / PAPER_SECONDS / 1e6
            result.rows.append(row)
    result.summary = {
        "gzip_bytes_per_cycle": rates["gzip"],
        "gzip_chunked_bytes_per_cycle": rates["gzip, chunked request"],
        "gunzip_bytes_per_cycle": rates["gunzip"],
        "gunzip_chunked_bytes_per_cycle": rates["gunzip, chunked request"],
        "long_request_bytes": long,
        "long_request_seconds": seconds,
        "long_request_mb_s": long / seconds / 1e6,
        "mismatches": wrong,
    }
    result.goals = {
        "long_request_mb_s": (">", PAPER_BYTES / PAPER_SECONDS / 1e6),
        "mismatches": ("==", 0.0),
    }
    result.origins = {"long_request_mb_s": Origin.PAPER, "mismatches": Origin.REQUIREMENT}
    note = "156.25 MHz, line of 10 Gb/s, frames of 9000 bytes"
    result.setup = Setup("kumi_node_tcp_server", PARAMS, REGS, note)
    return result
