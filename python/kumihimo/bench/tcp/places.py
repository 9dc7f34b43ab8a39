# SPDX-License-Identifier: Apache-2.0
"""Where Linux clients meet a TCP server: a `tcp_server` node at a TAP, or a second Linux host.

A place is a namespace with the clients and an address at the other end of a cable with impairments.
The second Linux host shows that the scenarios themselves are right.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError
from kumihimo.net import Namespace

# By name: what a cable does to frames in each direction. `ber` damages them; a damaged frame fails
# its FCS.
CABLES: dict[str, dict[str, float]] = {
    "clean": {},
    "loss 0.1 %": {"loss": 0.001},
    "loss 1 %": {"loss": 0.01},
    "loss 5 %": {"loss": 0.05},
    "duplicates 5 %": {"duplicate": 0.05},
    "reordering 5 %": {"reorder": 0.05, "reorder_gap": 5},
    "bit errors 1e-6": {"ber": 1e-6},
    "all of it": {"loss": 0.01, "duplicate": 0.02, "reorder": 0.02, "ber": 3e-7},
}


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    stream: int  # bytes, each way
    at_once: int  # connections
    each: int  # bytes of each of them
    one_by_one: int  # connections
    kills: int
    kills_at_once: int
    halves: int  # connections that are closed one way first
    resets: int  # of each state
    held: int  # connections whose peer vanishes
    stop: int  # bytes for a reader that stops: more than all buffers hold
    rest_s: float
    iperf: str  # amount for iperf -n
    mss: tuple[int, ...]
    patience_s: float


FULL = Sizes(
    stream=100_000_000,
    at_once=1000,
    each=5_000,
    one_by_one=10_000,
    kills=100_000,
    kills_at_once=32,
    halves=200,
    resets=200,
    held=32,
    stop=30_000_000,
    rest_s=5.0,
    iperf="50M",
    mss=(536, 1000, 1460, 4096, 8960),
    patience_s=1800.0,
)
QUICK = Sizes(
    stream=1_000_000,
    at_once=50,
    each=2_000,
    one_by_one=100,
    kills=100,
    kills_at_once=4,
    halves=10,
    resets=10,
    held=8,
    stop=3_000_000,
    rest_s=2.0,
    iperf="500K",
    mss=(536, 1460, 8960),
    patience_s=300.0,
)
# What a test has time for.
SMALL = Sizes(
    stream=60_000,
    at_once=12,
    each=1_000,
    one_by_one=8,
    kills=12,
    kills_at_once=2,
    halves=2,
    resets=2,
    held=3,
    stop=1_500_000,
    rest_s=0.5,
    iperf="60K",
    mss=(536, 8960),
    patience_s=100.0,
)


@dataclass
class Place:
    """Where the clients are, and whom they talk to."""

    name: str
    cable: str
    namespace: Namespace
    ip: str
    sessions: Callable[[], int] | None  # in use at the server, where that can be asked
    gone_s: float  # until a server drops vanished peers, at most
    rtl: str = ""  # hash of the node
    datagrams: Callable[[], int] | None = None  # that the node's iperf server has sent
    regs: Any = None  # of the node

    def set(self, **settings: int) -> None:
        """Settings of the clients' host, below /proc/sys/net/ipv4."""
        words = [f"{key}={value}" for key, value in settings.items()]
        script = 'for a in "$@"; do echo "${a#*=}" > "/proc/sys/net/ipv4/${a%%=*}" || exit 1; done'
        done = self.namespace.run(["sh", "-c", script, "sh", *words])
        if done.returncode:
            raise BenchError(f"settings of the client's host: {done.stderr.strip()}")


# While a cluster waits for Linux its own time stands nearly still, so the times in which a node
# gives up and forgets are short ones: microseconds of its time, seconds of ours.
SHORT_TIMES = {
    "tcp.segment.mss": 8960,
    "tcp.retries.data": 5,
    "tcp.rto_max": 2_000,
    "tcp.time_wait": 1_000,
    "tcp.fin_wait": 4_000,
    "tcp.linger": 4_000,
    # A RST that a cable loses leaves an idle session: nothing but a probe finds out.
    "tcp.keep_idle_ms": 10,
    "tcp.keep_interval_ms": 1,
}

# The node of the full sizes is slower: about a second of ours in a millisecond of its own (at 64
# bits 150 ms). With these it sends again what was lost within 0.1 to 1 s, as Linux does, and gives
# a peer up after 8 s; Linux delays its acknowledgements by 40 us of the node's time at most. There
# are cookies only when all sessions are in use: here a thousand clients at once are no flood.
WIDE_TIMES = {
    **SHORT_TIMES,
    "tcp.cookies.half_open": 1024,
    "tcp.retries.data": 8,
    "tcp.rto_init": 200,
    "tcp.rto_min": 100,
    "tcp.rto_max": 1_000,
    "tcp.fin_wait": 12_000,
    "tcp.keep_idle_ms": 3,
    "tcp.keep_interval_ms": 1,
}

CLUSTER = """\
name: interop
seed: 3
nodes:
  server:
    design: tcp_server
    ip: 10.77.0.10/24
    params: {params}
    timers: fast
    regs: {regs}
cables:
  - {{between: [server.eth0, host0], rate: {rate}, latency: 500 ns{impairments}}}
taps:
  host0: {{ip: 10.77.0.1/24, mtu: 9000}}
"""


@contextmanager
def node(
    cable: str = "clean",
    params: Mapping[str, int] | None = None,
    regs: Mapping[str, int] | None = None,
    rate: str = "10 Gb/s",
) -> Iterator[Place]:
    """A tcp_server node behind a TAP."""
    from kumihimo.cluster import Cluster

    impairments = "".join(f", {key}: {value:g}" for key, value in CABLES[cable].items())
    text = CLUSTER.format(
        params=json.dumps({"DATA_W": 64, "SESSIONS": 64, **(params or {})}),
        regs=json.dumps({**SHORT_TIMES, **(regs or {})}),
        rate=rate,
        impairments=impairments,
    )
    with tempfile.TemporaryDirectory(prefix="kumi-bench-") as folder:
        file = Path(folder) / "interop.yaml"
        file.write_text(text, encoding="utf-8")
        with Cluster(file) as cluster, cluster.serving():
            assert cluster.namespace is not None
            server = cluster["server"]
            status = server.regs.tcp.status

            def datagrams() -> int:
                counters = server.regs.iperf_server.counters()
                return int(counters["udp_sent"] + counters["udp_reports"])

            yield Place(
                "node",
                cable,
                cluster.namespace,
                str(server.ip),
                lambda: int(status.get("sessions")),
                gone_s=900.0,  # of wall time, in which a wide node may have little of its own
                rtl=cluster.built["server"].design_hash,
                datagrams=datagrams,
                regs=server.regs,
            )


@contextmanager
def linux(cable: str = "clean") -> Iterator[Place]:
    """A second Linux host in the node's place."""
    from kumihimo.bench.tcp.linux_pair import SERVER_IP, LinuxPair

    with LinuxPair(CABLES[cable], mtu=9000) as pair:
        yield Place("linux", cable, pair.client.namespace, SERVER_IP, None, gone_s=0.0)
