# SPDX-License-Identifier: Apache-2.0
"""`kumi bench scale`: clusters over ranks, and large ones.

Digests of random clusters over 1 to 4 ranks; two ranks beside two threads; how soon a run ends when
a rank is killed; 1,024 UDP echo nodes in a fat tree. The last is one process: its figures are those
of a rank.
"""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import plan_text

FAT_TREE = 16
GOALS = {
    "digests_equal": ("==", 1.0),
    "ranks_over_threads": ("<=", 1.15),
    "kill_stop_s": ("<=", 5.0),
    "node_cycles_1024_over_2": (">=", 0.7),
}


def random_cluster(seed: int) -> str:
    """Pairs that play ping-pong and echoes on a tree of switches; impaired cables."""
    rng = random.Random(seed)
    pairs, switches = rng.randint(2, 4), rng.randint(1, 3)
    lines = [f"name: random{seed}", f"seed: {seed}", "nodes:"]
    for i in range(pairs):
        length = rng.choice([60, 300, 1400])
        regs = f"pingpong.peer_ip: b{i}, pingpong.rounds: 0, pingpong.length: {length}"
        lines.append(f"  a{i}: {{design: pingpong, regs: {{{regs}, pingpong.ctrl.start: 1}}}}")
        lines.append(f"  b{i}: {{design: pingpong}}")
    lines.append("switches:")
    for i in range(switches):
        mode = rng.choice(["cut-through", "store-and-forward"])
        lines.append(f"  sw{i}: {{ports: 16, mode: {mode}}}")
    lines.append("cables:")
    ends = [f"{side}{i}.eth0, sw{rng.randrange(switches)}" for i in range(pairs) for side in "ab"]
    ends += [f"sw{i}, sw{rng.randrange(i)}" for i in range(1, switches)]
    for pair in ends:
        bad = rng.choice(["", ", jitter: 200 ns", ", duplicate: 2 %", ", reorder: 1 %"])
        latency = rng.randint(100, 2000)
        lines.append(f"  - {{between: [{pair}], latency: {latency} ns{bad}}}")
    return "\n".join(lines) + "\n"


def fat_tree(k: int) -> str:
    """A fat tree of switches with k ports: k^3 / 4 UDP echo nodes."""
    half = k // 2
    lines = ["name: fat", "network: 10.64.0.0/10", "nodes:"]
    cables = ["cables:"]
    switches = ["switches:"]
    switches += [f"  core{i}: {{ports: {k}}}" for i in range(half * half)]
    for pod in range(k):
        for i in range(half):
            switches += [f"  edge{pod}_{i}: {{ports: {k}}}", f"  agg{pod}_{i}: {{ports: {k}}}"]
            for j in range(half):
                name = f"n{pod}_{i}_{j}"
                lines.append(f"  {name}: {{design: udp_echo}}")
                cables.append(f"  - {{between: [{name}.eth0, edge{pod}_{i}]}}")
                cables.append(f"  - {{between: [edge{pod}_{i}, agg{pod}_{j}]}}")
                cables.append(f"  - {{between: [agg{pod}_{i}, core{i * half + j}]}}")
    return "\n".join([*lines, *switches, *cables]) + "\n"


def _outcome(text: str, ranks: int, threads: int, span: str) -> tuple[str, bytes, int]:
    with tempfile.TemporaryDirectory() as folder:
        pcap = Path(folder) / "run.pcapng"
        cluster = Cluster(plan_text(text, "scale.yaml"), ranks=ranks, threads=threads, pcap=pcap)
        with cluster:
            cluster.run(span)
            digest = cluster.digest()
            cables = cluster.stats()["cables"].values()
            frames = sum(c[way]["frames_out"] for c in cables for way in ("ab", "ba"))
        return digest, pcap.read_bytes(), frames


def _digests(result: BenchResult, progress: Progress, count: int) -> None:
    equal = 0
    for seed in range(1, count + 1):
        progress.step("random clusters", seed - 1, count)
        text = random_cluster(seed)
        wanted = _outcome(text, 1, 1, "150 us")
        if wanted[2] == 0:
            raise BenchError(f"random cluster {seed} moved no frame")
        shapes = [(2, 2), (3, 1), (4, 1)]
        equal += all(_outcome(text, *shape, "150 us") == wanted for shape in shapes)
        row = {"figure": "digest", "seed": seed, "digest": wanted[0], "frames": wanted[2]}
        result.rows.append(row)
    result.summary["digests_equal"] = int(equal == count)
    result.summary["clusters"] = count


def _busy(ranks: int, threads: int, span: str) -> tuple[float, dict[str, Any]]:
    """Wall time of two pairs that play ping-pong without pause, over cables of 500 ns."""
    regs = "pingpong.rounds: 0, pingpong.length: 1400, pingpong.ctrl.start: 1"
    lines = ["name: busy", "nodes:"]
    for i, rank in ((0, 0), (1, min(1, ranks - 1))):
        lines.append(
            f"  a{i}: {{design: pingpong, rank: {rank}, regs: {{pingpong.peer_ip: b{i}, {regs}}}}}"
        )
        lines.append(f"  b{i}: {{design: pingpong, rank: {min(1, ranks - 1) - rank}}}")
    lines += ["cables:", *(f"  - {{between: [a{i}, b{i}], latency: 500 ns}}" for i in (0, 1))]
    plan = plan_text("\n".join(lines) + "\n", "busy.yaml")
    with Cluster(plan, ranks=ranks, threads=threads) as cluster:
        cluster.run("20 us")
        began = time.perf_counter()
        cluster.run(span)
        spent = time.perf_counter() - began
        return spent, dict(cluster.stats().get("ranks", {}))


def _overhead(result: BenchResult, quick: bool) -> None:
    span = "300 us" if quick else "2 ms"
    ranks, threads = [], []
    seen: dict[str, Any] = {}
    for _ in range(3 if quick else 7):
        spent, seen = _busy(2, 1, span)
        ranks.append(spent)
        threads.append(_busy(1, 2, span)[0])
    result.summary["ranks_over_threads"] = min(ranks) / min(threads)
    between = seen["0"]["neighbours"]["1"]
    windows = seen["0"]["windows"]
    result.rows.append(
        {
            "figure": "ranks_over_threads",
            "ranks_s": min(ranks),
            "threads_s": min(threads),
            "messages_a_window": between["messages_out"] / windows,
            "bytes_a_window": between["bytes_out"] / windows,
        }
    )


def _alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _kill(result: BenchResult) -> None:
    """`kill -9` of each rank of three in turn, of `kumi up`: until all others have ended."""
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "c.yaml"
        file.write_text(random_cluster(2), encoding="utf-8")
        for victim in range(3):
            argv = [sys.executable, "-m", "kumihimo.cli", "up", str(file), "--ranks", "3"]
            with subprocess.Popen(
                [*argv, "--until", "1 s"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            ) as front:
                assert front.stderr is not None
                for line in front.stderr:  # the table of stations: the set-up is over
                    if "b0" in line:
                        break
                every = [psutil.Process(front.pid), *psutil.Process(front.pid).children()]
                every.sort(key=lambda process: process.pid)
                began = time.perf_counter()
                every[victim].send_signal(signal.SIGKILL)
                while any(_alive(process) for process in every):
                    if time.perf_counter() - began > 20:
                        front.kill()
                        raise BenchError(f"ranks stayed when rank {victim} was killed")
                    time.sleep(0.01)
                spent = time.perf_counter() - began
            result.rows.append({"figure": "kill_stop_s", "rank": victim, "seconds": spent})
            worst = max(worst, spent)
    result.summary["kill_stop_s"] = worst


def _cycles(cluster: Cluster, span: str) -> float:
    """Node cycles per second of wall time."""
    before, began = _all_cycles(cluster), time.perf_counter()
    cluster.run(span)
    return (_all_cycles(cluster) - before) / (time.perf_counter() - began)


def _all_cycles(cluster: Cluster) -> int:
    return sum(int(node["cycles"]) for node in cluster.stats()["nodes"].values())


def _large(result: BenchResult, k: int) -> None:
    small = "name: two\nnodes: {a: {design: udp_echo}, b: {design: udp_echo}}\n"
    small += "cables: [{between: [a.eth0, b.eth0]}]\n"
    with Cluster(plan_text(small, "two.yaml"), threads=1) as cluster:
        cluster.run("10 us")
        two = max(_cycles(cluster, "2 ms") for _ in range(3))
    nodes = k**3 // 4
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    with Cluster(plan_text(fat_tree(k), "fat.yaml"), threads=1) as cluster:
        started = time.perf_counter() - began
        cluster.run("1 us")
        rate = max(_cycles(cluster, "4 us") for _ in range(3))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    row = {"nodes": nodes, "start_s": started, "node_cycles_per_s": rate, "of_two": two}
    result.rows.append({"figure": "fat_tree", **row, "mb_per_node": grown / 1024 / nodes})
    if nodes == 1024:
        result.summary["nodes_1024_start_s"] = started
        result.summary["mb_per_node"] = grown / 1024 / nodes
        result.summary["node_cycles_1024_over_2"] = rate / two


def run(progress: Progress, quick: bool) -> BenchResult:
    """Measure."""
    result = BenchResult("scale", goals=dict(GOALS))
    result.origins = dict.fromkeys(GOALS, Origin.REQUIREMENT)
    progress.step("a fat tree", 0, 4)
    _large(result, 4 if quick else FAT_TREE)
    _digests(result, progress, 4 if quick else 24)
    progress.step("two ranks beside two threads", 2, 4)
    _overhead(result, quick)
    progress.step("killed ranks", 3, 4)
    _kill(result)
    for name in [name for name in result.goals if name not in result.summary]:
        del result.goals[name]  # of the full run
    return result
