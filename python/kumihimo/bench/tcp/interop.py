# SPDX-License-Identifier: Apache-2.0
"""`kumi bench tcp-interop`: unmodified Linux programs against a TCP server over bad cables.

    python -m kumihimo.bench.tcp.interop FOLDER [--cable NAME] [--only SCENARIO] [--quick]

runs a part of it, and keeps each row in FOLDER when it is done. With $KUMI_TCP_ROWS=FOLDER the
bench takes rows of the same node from there and runs only what is missing.

The scenarios know a `Place`: a namespace with the clients, and an address. It is a `tcp_server`
node at the other end of a TAP; or, to check the scenarios themselves, a second Linux host at the
end of the same kind of cable (tcp_linux_pair). The tests in `tests/cluster` run the same code with
small sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.bench.setup import Setup
from kumihimo.common.process import find_program
from kumihimo.net import Namespace

CLIENT = Path(__file__).with_name("client.py")
SECOND = "10.77.0.2"  # an address of the client's host that can vanish

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

    def set(self, **settings: int) -> None:
        """Settings of the clients' host, below /proc/sys/net/ipv4."""
        words = [f"{key}={value}" for key, value in settings.items()]
        script = 'for a in "$@"; do echo "${a#*=}" > "/proc/sys/net/ipv4/${a%%=*}" || exit 1; done'
        done = self.namespace.run(["sh", "-c", script, "sh", *words])
        if done.returncode:
            raise BenchError(f"settings of the client's host: {done.stderr.strip()}")


def client(place: Place, sizes: Sizes, program: str, **options: object) -> dict[str, Any]:
    """Run a program of tcp_client.py; raises when a byte was wrong or nothing moved."""
    argv = [sys.executable, "-I", "-S", str(CLIENT), program, place.ip]
    for name, value in {"patience": sizes.patience_s, **options}.items():
        argv += [f"--{name}", str(value)]
    try:
        done = place.namespace.run(argv, sizes.patience_s * 2)
    except subprocess.TimeoutExpired as problem:
        raise BenchError(f"{program}: no end within {problem.timeout:.0f} s") from None
    try:
        result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise BenchError(f"{program}: {(done.stdout + done.stderr).strip()[-500:]}") from None
    if not result.pop("ok"):
        raise BenchError(f"{program}: {result['problem']}")
    return result


def program(place: Place, sizes: Sizes, *argv: str) -> str:
    """Run somebody else's program; what it printed."""
    path = find_program(argv[0])
    if path is None:
        raise BenchError(f"{argv[0]} is missing: `kumi doctor` says how to get it")
    try:
        done = place.namespace.run([path, *argv[1:]], sizes.patience_s)
    except subprocess.TimeoutExpired:
        raise BenchError(f"{argv[0]}: no end within {sizes.patience_s:.0f} s") from None
    if done.returncode:
        raise BenchError(f"{argv[0]}: {(done.stdout + done.stderr).strip()[-500:]}")
    return done.stdout + done.stderr


# ---- scenarios -------------------------------------------------------------------------------


def stream(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Both ways at once, half-closed at the end."""
    return client(place, sizes, "echo", bytes=sizes.stream)


def at_once(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Many connections at once."""
    return client(place, sizes, "echo", bytes=sizes.each, connections=sizes.at_once)


def one_by_one(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Many connections one after another."""
    return client(place, sizes, "serial", bytes=100, count=sizes.one_by_one)


def reader_stops(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Zero windows both ways for some seconds."""
    row = client(place, sizes, "stop", bytes=sizes.stop, rest=sizes.rest_s)
    if row["stuck_at"] >= sizes.stop:
        raise BenchError(f"nothing stood still: {sizes.stop} bytes found room")
    return row


def small_segments(place: Place, sizes: Sizes) -> dict[str, Any]:
    """The client's MSS from small to jumbo."""
    for mss in sizes.mss:
        client(place, sizes, "echo", bytes=min(sizes.stream, 2_000_000), mss=mss)
    return {"mss": list(sizes.mss)}


def without(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Clients without window scale, without timestamps, without SACK, without all of them."""
    names = ("tcp_window_scaling", "tcp_timestamps", "tcp_sack")
    for off in [*((name,) for name in names), names]:
        place.set(**{name: int(name not in off) for name in names})
        try:
            client(place, sizes, "echo", bytes=min(sizes.stream, 2_000_000))
        finally:
            place.set(**dict.fromkeys(names, 1))
    return {"off": [*names, "all"]}


def refused(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Ports that are closed."""
    return client(place, sizes, "refused")


def web(place: Place, sizes: Sizes) -> dict[str, Any]:
    """HTTP; the server closes first in the end."""
    return client(place, sizes, "http")


def both_ways(place: Place, sizes: Sizes) -> dict[str, Any]:
    """The server opens a connection back, as `iperf -c -r` wants it."""
    return client(place, sizes, "both", bytes=min(sizes.stream, 5_000_000))


def kills(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Clients that reset; nothing of them is left."""
    at_once = {"connections": sizes.kills_at_once}
    row = client(place, sizes, "kill", bytes=3000, count=sizes.kills, **at_once)
    return row | {"at_once": sizes.kills_at_once} | no_session(place)


def half_close(place: Place, sizes: Sizes) -> dict[str, Any]:
    """The client closes its half first, then the server; the other half goes on."""
    return client(place, sizes, "half", bytes=20_000, count=sizes.halves, rest=0.02)


def resets(place: Place, sizes: Sizes) -> dict[str, Any]:
    """RST to a server in every state that sockets of a client can bring it to; nothing is left.

    CLOSING and TIME-WAIT are not among them: the suite in tests/tcp sends RST in those.
    """
    return client(place, sizes, "reset", bytes=30_000, count=sizes.resets) | no_session(place)


def peers_vanish(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Clients whose host vanishes during a transfer: the server drops them."""
    interface = "host0"
    place.namespace.run(["ip", "addr", "add", f"{SECOND}/24", "dev", interface])
    argv = [sys.executable, "-I", "-S", str(CLIENT), "hold", place.ip, "--source", SECOND]
    argv += ["--connections", str(sizes.held), "--still", str(sizes.patience_s)]
    with place.namespace.popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as held:
        try:
            assert held.stdout is not None
            line = held.stdout.readline().strip()
            if line != "holding":
                raise BenchError(f"hold: {line or 'ended early'}")
            done = place.namespace.run(["ip", "addr", "del", f"{SECOND}/24", "dev", interface])
            if done.returncode:
                raise BenchError(f"ip: {done.stderr.strip()}")
            row = no_session(place)
        finally:
            held.kill()
    client(place, sizes, "echo", bytes=1000)
    return {"connections": sizes.held} | row


def no_session(place: Place) -> dict[str, Any]:
    """Wait until the server has no session; {} where it cannot be asked."""
    if place.sessions is None:
        return {}
    begin = time.monotonic()
    while left := place.sessions():
        if time.monotonic() - begin > place.gone_s:
            raise BenchError(f"{left} sessions are still there after {place.gone_s:.0f} s")
        time.sleep(0.05)
    return {"gone_s": time.monotonic() - begin}


def iperf(place: Place, sizes: Sizes) -> dict[str, Any]:
    """`iperf -c`."""
    text = program(place, sizes, "iperf", "-c", place.ip, "-n", sizes.iperf)
    rates = re.findall(r"sec\s+[\d.]+ \wBytes\s+([\d.]+ \w?bits/sec)", text)
    if len(rates) != 1:
        raise BenchError(f"iperf: {text[-500:]}")
    return {"rates": rates}


def iperf_both(place: Place, sizes: Sizes) -> dict[str, Any]:
    """`iperf -c -r`: there, and then back."""
    text = program(place, sizes, "iperf", "-c", place.ip, "-r", "-n", sizes.iperf)
    rates = re.findall(r"sec\s+[\d.]+ \wBytes\s+([\d.]+ \w?bits/sec)", text)
    if len(rates) != 2:
        raise BenchError(f"iperf -r: {text[-500:]}")
    return {"rates": rates}


def curl(place: Place, sizes: Sizes) -> dict[str, Any]:
    """`curl`."""
    text = program(place, sizes, "curl", "-sS", "--fail", f"http://{place.ip}/")
    if not text:
        raise BenchError("curl: an empty page")
    return {"page_bytes": len(text)}


def netcat(place: Place, sizes: Sizes) -> dict[str, Any]:
    """`nc`, fed by a shell."""
    path = find_program("nc")
    if path is None:
        raise BenchError("nc is missing: `kumi doctor` says how to get it")
    text = "".join(f"{i} bottles\\n" for i in range(200))
    script = f'printf "{text}" | "$1" -N -w {sizes.patience_s:.0f} "$2" 7'
    done = place.namespace.run(["sh", "-c", script, "sh", path, place.ip], sizes.patience_s)
    if done.stdout != text.replace("\\n", "\n"):
        raise BenchError(f"nc: {(done.stdout + done.stderr)[-300:]}")
    return {"bytes": len(done.stdout)}


Scenario = Callable[[Place, Sizes], dict[str, Any]]
# Over every cable. The first ones are what a test has time for on each.
EVERYWHERE: tuple[Scenario, ...] = (stream, at_once, one_by_one, kills)
REST: tuple[Scenario, ...] = (
    half_close,
    resets,
    reader_stops,
    small_segments,
    without,
    refused,
    web,
    both_ways,
    peers_vanish,
)
PROGRAMS: tuple[Scenario, ...] = (iperf, iperf_both, curl, netcat)


# ---- places ----------------------------------------------------------------------------------

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
    "tcp.keep_idle": 10_000,
    "tcp.keep_interval": 1_000,
}

# The node of the full sizes is slower: about a second of ours in a millisecond of its own (at 64
# bits 150 ms). With these it sends again what was lost within 0.1 to 1 s, as Linux does, and gives
# a peer up after 8 s; Linux delays its acknowledgements by 40 us of the node's time at most. There
# are cookies only when all sessions are in use: a thousand clients at once are no flood.
WIDE_TIMES = {
    **SHORT_TIMES,
    "tcp.cookies.half_open": 1024,
    "tcp.retries.data": 8,
    "tcp.rto_init": 200,
    "tcp.rto_min": 100,
    "tcp.rto_max": 1_000,
    "tcp.fin_wait": 12_000,
    "tcp.keep_idle": 3_000,
    "tcp.keep_interval": 500,
}

CLUSTER = """\
name: interop
seed: 3
nodes:
  server:
    design: tcp_server
    ip: 10.77.0.10/24
    params: {params}
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
            )


@contextmanager
def linux(cable: str = "clean") -> Iterator[Place]:
    """A second Linux host in the node's place."""
    from kumihimo.bench.tcp.linux_pair import SERVER_IP, LinuxPair

    with LinuxPair(CABLES[cable], mtu=9000) as pair:
        yield Place("linux", cable, pair.client.namespace, SERVER_IP, None, gone_s=0.0)


# ---- the bench -------------------------------------------------------------------------------


def attempt(place: Place, sizes: Sizes, scenario: Scenario) -> dict[str, Any]:
    """One row; a failure is a row too."""
    begin = time.monotonic()
    row: dict[str, Any] = {"scenario": scenario.__name__, "peer": place.name, "cable": place.cable}
    try:
        row |= {"ok": True, **scenario(place, sizes)}
    except BenchError as problem:
        row |= {"ok": False, "problem": str(problem)}
    row["wall_s"] = round(time.monotonic() - begin, 3)
    return row


def plan(cable: str) -> tuple[Scenario, ...]:
    """What runs over a cable."""
    return EVERYWHERE + REST + (PROGRAMS if cable == "clean" else ())


def kept(folder: Path, cable: str, scenario: Scenario) -> Path:
    """Where a row is kept."""
    return folder / f"{cable.replace(' %', '')}-{scenario.__name__}.json".replace(" ", "_")


def fill(
    cable: str,
    scenarios: tuple[Scenario, ...],
    quick: bool,
    folder: Path | None,
    say: Callable[[str], None],
) -> tuple[list[dict[str, Any]], str]:
    """Rows of one cable, and the node's hash; those that the folder has of this node are taken."""
    rows = []
    sizes = QUICK if quick else FULL
    params = {"SESSIONS": 64 if quick else 1024, "DATA_W": 64 if quick else 512}
    regs = SHORT_TIMES if quick else WIDE_TIMES
    with node(cable, params, regs, "10 Gb/s" if quick else "100 Gb/s") as place:
        for scenario in scenarios:
            file = kept(folder, cable, scenario) if folder else None
            if file is not None and file.is_file():
                old = json.loads(file.read_text(encoding="utf-8"))
                if old["quick"] == quick and old["rtl"] == place.rtl and old["row"]["ok"]:
                    rows.append(old["row"])
                    continue
            say(f"{cable}: {scenario.__name__}")
            row = attempt(place, sizes, scenario)
            rows.append(row)
            if file is not None:
                kind = {"quick": quick, "rtl": place.rtl, "row": row}
                file.write_text(json.dumps(kind, indent=2) + "\n", encoding="utf-8")
        return rows, place.rtl


def simulated(quick: bool, folder: Path | None) -> dict[str, Any]:
    """Connections killed by bare frames, in simulated time: a row of its own."""
    from kumihimo.bench.tcp.aborts import kills as kill_frames
    from kumihimo.bench.tcp.fuzz import Server

    server, begin = Server(), time.monotonic()
    file = folder / "simulated-kills.json" if folder else None
    if file is not None and file.is_file():
        old: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if old["quick"] == quick and old["rtl"] == server.dut.built.design_hash:
            return dict(old["row"])
    row: dict[str, Any] = {
        "scenario": "kills",
        "peer": "node, 64 bits",
        "cable": "none: simulated frames",
    }
    row |= {"ok": True, **kill_frames(server, QUICK.kills if quick else FULL.kills, 64)}
    row["wall_s"] = round(time.monotonic() - begin, 3)
    if file is not None:
        kind = {"quick": quick, "rtl": server.dut.built.design_hash, "row": row}
        file.write_text(json.dumps(kind, indent=2) + "\n", encoding="utf-8")
    return row


def _step(progress: Progress, done: int, total: int, text: str) -> None:
    progress.step(text, done, total)


def run(progress: Progress, quick: bool = False) -> BenchResult:
    """Every scenario over every cable, with the node."""
    result = BenchResult("tcp-interop")
    done, total = 0, sum(len(plan(cable)) for cable in CABLES) + 1
    named = os.environ.get("KUMI_TCP_ROWS")
    folder = Path(named) if named else None
    walls: dict[str, int] = {}
    for cable in CABLES:
        rows, rtl = fill(
            cable,
            plan(cable),
            quick,
            folder,
            partial(_step, progress, done, total),
        )
        result.rows += rows
        done += len(rows)
        result.rtl["tcp_server"] = rtl
        name = re.sub(r"\W+", "_", cable).strip("_")
        walls[f"wall_s_{name}"] = round(sum(row["wall_s"] for row in rows))
    progress.step("connections killed by bare frames", done, total)
    result.rows.append(simulated(quick, folder))
    result.summary["scenarios"] = total
    result.summary["failed"] = sum(not row["ok"] for row in result.rows)
    result.goals["failed"] = ("==", 0)
    result.setup = Setup(
        "kumi_node_tcp_server", {"DATA_W": 64, "SESSIONS": 64}, SHORT_TIMES, "also 512 bits"
    )
    result.summary.update(walls)
    return result


def say(text: str) -> None:
    """A line about what is done, at once."""
    print(text, flush=True)


def main() -> int:
    """A part of the bench; its rows go to a folder."""
    parser = argparse.ArgumentParser(description="A part of `kumi bench tcp-interop`.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cable", action="append", choices=CABLES, help="all by default")
    parser.add_argument("--simulated", action="store_true", help="only kills by bare frames")
    names = [scenario.__name__ for scenario in EVERYWHERE + REST + PROGRAMS]
    parser.add_argument("--only", action="append", choices=names, help="all by default")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.simulated:
        print(json.dumps(simulated(options.quick, options.folder)))
        return 0
    failed = 0
    for cable in options.cable or CABLES:
        chosen = tuple(s for s in plan(cable) if s.__name__ in (options.only or names))
        rows, _ = fill(cable, chosen, options.quick, options.folder, say)
        for row in rows:
            print(json.dumps(row), flush=True)
        failed += sum(not row["ok"] for row in rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
