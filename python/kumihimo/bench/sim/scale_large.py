# SPDX-License-Identifier: Apache-2.0
"""A fat tree of small nodes for `kumi bench scale`: time to start, memory, speed beside two nodes.

Every second node is a UDP echo; the others play ping-pong with one in another pod each, so frames
cross all levels of the tree all the time. One process with one thread: the figures of a rank.
"""

from __future__ import annotations

import re
import statistics
import time
from pathlib import Path

import psutil

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import plan_text
from kumihimo.common.topology import fat_tree
from kumihimo.scaffold.cluster import Wiring, cluster_text

TRIES = 3


def _player(peer: str) -> str:
    regs = f"pingpong.peer_ip: {peer}, pingpong.rounds: 0, pingpong.length: 200"
    regs += ", pingpong.ctrl.start: 1"
    return f"{{design: pingpong, regs: {{{regs}}}}}"


def tree_text(ports: int) -> str:
    """The cluster file of a fat tree of switches with so many ports: ports^3 / 4 nodes."""
    made = fat_tree(ports)
    text = cluster_text(made, Wiring("udp_echo"), Path())
    count = len(made.hosts)
    for number in range(1, count, 2):
        peer = f"h{(number - 1 + count // 2) % count}"
        text = re.sub(rf"(?m)^  h{number}: {{}}$", f"  h{number}: {_player(peer)}", text)
    return text


def _pair_text() -> str:
    lines = ["name: two", "nodes:", "  a: {design: udp_echo}", f"  b: {_player('a')}"]
    return "\n".join([*lines, "cables: [{between: [a.eth0, b.eth0], latency: 500 ns}]"]) + "\n"


def _cycles(cluster: Cluster) -> int:
    return sum(int(node["cycles"]) for node in cluster.stats()["nodes"].values())


def _rate(cluster: Cluster, span: str) -> float:
    """Cycles of all nodes per second of wall time."""
    before, began = _cycles(cluster), time.perf_counter()
    cluster.run(span)
    spent = time.perf_counter() - began
    return (_cycles(cluster) - before) / spent


def measure(result: BenchResult, progress: Progress, ports: int) -> None:
    """`nodes_1024_start_s`, `mb_per_node`, `node_cycles_1024_over_2`."""
    progress.step("two nodes beside a fat tree", 0, 1)
    text, nodes = tree_text(ports), ports**3 // 4
    pair = Cluster(plan_text(_pair_text(), "two.yaml"), threads=1, offline=True)
    with pair:
        pair.run("20 us")
        process = psutil.Process()
        before, began = process.memory_info().rss, time.perf_counter()
        with Cluster(plan_text(text, "tree.yaml"), threads=1, offline=True) as tree:
            started = time.perf_counter() - began
            tree.run("10 us")  # ARP, and frames on every level
            held = (process.memory_info().rss - before) / 2**20 / nodes
            rates = [(_rate(tree, "2 us"), _rate(pair, "400 us")) for _ in range(TRIES)]
            stats = tree.stats()
    echoes = [stats["nodes"][f"h{n}"]["ports"]["eth0"] for n in range(0, nodes, 2)]
    answered = sum(1 for port in echoes if port["tx_frames"])
    if answered < len(echoes):
        raise BenchError(f"{answered} of {len(echoes)} echoes in the tree have answered")
    ratio = statistics.median(many / two for many, two in rates)
    row = {"figure": "fat_tree", "nodes": nodes, "switches": len(stats["switches"])}
    row |= {"start_s": started, "mb_per_node": held, "node_cycles_over_2": ratio}
    result.rows.append(row)
    result.summary["nodes_1024_start_s"] = started
    result.summary["mb_per_node"] = held
    result.summary["node_cycles_1024_over_2"] = ratio
