# SPDX-License-Identifier: Apache-2.0
"""`kumi bench gzip-server-long`: 100 MB through the gzip server, as the talk's server had them.

The cluster of `gzip-server`, twice, side by side: a request of 100 MB to /gzip over a clean cable,
and a reply of 100 MB from /gunzip over a cable that loses 1 % of the frames each way.

seconds:       simulated, from before the request's first byte to the end of the reply.
paper_seconds: of the compression kernel alone for 100 MB, in the talk that docs/gzip.md names; its
               server was never measured.
lost_frames:   on the cable, both ways.
mismatches:    replies that differ from zlib's, and sessions that are left.
"""

from __future__ import annotations

import gzip
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.gzip.server import (
    PAPER_SECONDS,
    PARAMS,
    REGS,
    Client,
    body_of,
    content,
    pair,
    post,
)
from kumihimo.bench.setup import Setup
from kumihimo.cluster import Cluster

BYTES = 100_000_000
QUICK = 500  # times fewer bytes
STEP_PS = 10_000_000
REPORT = 1_000_000  # bytes between two words about the progress
LEAVE_PS = 20_000_000_000  # until the server's sessions have ended: loss may hit the last FIN

CASES: list[tuple[str, str, dict[str, float]]] = [
    ("gzip", "/gzip", {}),
    ("gunzip, 1 % loss", "/gunzip", {"loss": 0.01}),
]


def _one(
    cluster: Cluster, path: str, plain: bytes, what: str, progress: Progress
) -> dict[str, Any]:
    """A request with its reply; what the row says of it."""
    sent = plain if path == "/gzip" else gzip.compress(plain, 6)
    told = 0

    def moved(count: int) -> None:
        nonlocal told
        if count >= told + REPORT:
            told = count
            progress.step(f"{what}, {count // 1_000_000} MB moved", 0, 1)

    reply, seconds = Client(cluster).ask(post(path, sent), STEP_PS, moved)
    got = body_of(reply)
    if path == "/gzip":
        got = zlib.decompress(got, 31)
    regs = cluster["server"].regs
    end = cluster.now_ps + LEAVE_PS
    while regs.http.status.get("sessions") and cluster.now_ps < end:
        cluster.run(STEP_PS)
    cables = cluster.engine.stats()["cables"].values()
    lost = [cable[way]["lost"] for cable in cables for way in ("ab", "ba")]
    return {
        "what": what,
        "bytes": len(plain),
        "reply_bytes": len(reply),
        "seconds": seconds,
        "mb_s": len(plain) / seconds / 1e6,
        "lost_frames": sum(lost),
        "sessions_left": regs.http.status.get("sessions"),
        "wrong": int(got != plain),
    }


def run(progress: Progress, quick: bool) -> BenchResult:
    """Both cases at the same time: a core each."""
    result = BenchResult("gzip-server-long")
    size = BYTES // (QUICK if quick else 1)
    plain = content(size)
    progress.step("building", 0, 1)
    with ExitStack() as stack:
        clusters = [stack.enter_context(pair(worse, threads=1)) for _, _, worse in CASES]
        for name, built in clusters[0].built.items():
            result.rtl[clusters[0].plan.nodes[name].design.top] = built.design_hash
        pool = stack.enter_context(ThreadPoolExecutor(len(CASES)))
        under_way = [
            pool.submit(_one, cluster, path, plain, what, progress)
            for cluster, (what, path, _) in zip(clusters, CASES, strict=True)
        ]
        result.rows = [one.result() for one in under_way]
    clean, lossy = result.rows
    clean["paper_seconds"] = PAPER_SECONDS
    result.summary = {
        "bytes": size,
        "gzip_seconds": clean["seconds"],
        "gzip_mb_s": clean["mb_s"],
        "lossy_reply_seconds": lossy["seconds"],
        "lossy_reply_mb_s": lossy["mb_s"],
        "lost_frames": lossy["lost_frames"],
        "mismatches": sum(row["wrong"] + row["sessions_left"] for row in result.rows),
    }
    result.goals = {
        "bytes": (">=", BYTES),
        "gzip_seconds": ("<", PAPER_SECONDS),
        "lost_frames": (">", 0),
        "mismatches": ("==", 0.0),
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    result.origins["gzip_seconds"] = Origin.PAPER
    note = "156.25 MHz, line of 10 Gb/s, frames of 9000 bytes"
    result.setup = Setup("kumi_node_tcp_server", PARAMS, REGS, note)
    return result
