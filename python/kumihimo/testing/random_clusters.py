# SPDX-License-Identifier: Apache-2.0
"""Random clusters, and all that a run of one must have in common however it is distributed.

A cluster has pairs that play ping-pong on a tree of switches; and, drawn from its seed, boards in a
ring of serial lanes, a pair on an InfiniBand cable, a disk that is written, read and pulled, a TAP
whose frames come from a recording, impaired cables, cables that are pulled, a node that is reset.

    text = random_cluster(7)
    wanted = outcome(text)
    assert outcome(text, ranks=3, threads=2, partition_seed=1, delay="2000:5") == wanted
"""

from __future__ import annotations

import os
import random
import struct
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..cluster import Cluster
from ..clusterfile import Plan, plan_text
from ..clusterfile.units import time_ps
from ..ranks.partition import Partition

SPAN = "60 us"
DELAY = "KUMI_RANK_DELAY"
KINDS = ("lanes", "ib", "disk", "tap")
FRAME, CHECK, END = 2, 5, 6  # types of records, see docs/recording.md
TAP = "host0"
STEPS = 4
COUNTED = ("nodes", "switches", "taps", "scripts", "cables", "lanes", "disks")


@dataclass(frozen=True)
class Outcome:
    """What must not depend on ranks, threads, partition and delays."""

    digest: str
    pcap: bytes = field(repr=False)
    record: bytes = field(repr=False)
    """Without the digests that are taken by wall time."""
    counters: Mapping[str, Any] = field(repr=False)
    answers: tuple[object, ...] = field(repr=False)
    """Of registers and disks during the run."""

    @property
    def frames(self) -> int:
        """Frames that left a cable."""
        return sum(c[way]["frames_out"] for c in self.counters["cables"].values() for way in WAYS)

    @property
    def blocks(self) -> int:
        """Blocks that crossed a lane or an InfiniBand cable."""
        return sum(c[way]["blocks"] for c in self.counters["lanes"].values() for way in WAYS)


WAYS = ("ab", "ba")


def random_cluster(seed: int, kinds: tuple[str, ...] = KINDS) -> str:
    """The text of a cluster file; what it has of `kinds` is drawn."""
    rng = random.Random(seed)
    has = {kind for kind in kinds if rng.random() < 0.5}
    nodes, cables, more = _ethernet(rng, TAP if "tap" in has else "")
    if "lanes" in has:
        _lanes(rng, nodes, cables)
    if "ib" in has:
        _ib(rng, nodes, cables)
    if "disk" in has:
        nodes.append("  store: {design: sata, clocks: {sata_clk: 150 MHz}, ip: none}")
        more += ["disks:", "  d0: {port: store.p0, size: 1 MiB}"]
    out = rng.randint(5, 25)
    events = ["events:", f"  - {{at: {out} us, do: unplug, cable: a0.eth0}}"]
    events.append(f"  - {{at: {out + rng.randint(1, 9)} us, do: plug, cable: a0.eth0}}")
    events.append(f"  - {{at: {rng.randint(10, 40)} us, do: reset, node: b0}}")
    head = [f"name: random{seed}", f"seed: {seed}", "network: 10.77.0.0/24", "nodes:"]
    return "\n".join([*head, *nodes, "cables:", *cables, *more, *events]) + "\n"


def _ethernet(rng: random.Random, tap: str) -> tuple[list[str], list[str], list[str]]:
    pairs, switches = rng.randint(1, 3), rng.randint(1, 3)
    nodes: list[str] = []
    for i in range(pairs):
        length = rng.choice([60, 300, 1400])
        regs = f"pingpong.peer_ip: b{i}, pingpong.rounds: 0, pingpong.length: {length}"
        nodes.append(f"  a{i}: {{design: pingpong, regs: {{{regs}, pingpong.ctrl.start: 1}}}}")
        nodes.append(f"  b{i}: {{design: pingpong}}")
    more = ["switches:"]
    for i in range(switches):
        mode = rng.choice(["cut-through", "store-and-forward"])
        more.append(f"  sw{i}: {{ports: 16, mode: {mode}}}")
    ends = [f"{side}{i}.eth0, sw{rng.randrange(switches)}" for i in range(pairs) for side in "ab"]
    ends += [f"sw{i}, sw{rng.randrange(i)}" for i in range(1, switches)]
    if tap:
        ends.append(f"{tap}, sw0")
        more += ["taps:", f"  {tap}: {{ip: 10.77.0.1/24}}"]
    cables = []
    for pair in ends:
        bad = ["", ", jitter: 200 ns", ", duplicate: 2 %", ", reorder: 1 %", ", ber: 1e-6"]
        latency = rng.randint(100, 2000)
        cables.append(f"  - {{between: [{pair}], latency: {latency} ns{rng.choice(bad)}}}")
    return nodes, cables, more


def _lanes(rng: random.Random, nodes: list[str], cables: list[str]) -> None:
    boards = rng.randint(2, 3)
    unused = ", ".join(f"l{link}_{lane}" for link in (0, 1) for lane in (1, 2, 3))
    for i in range(boards):
        nodes.append(
            f"  l{i}: {{design: link, params: {{LANES: 1}}, clocks: {{clk: 156.25 MHz}}, "
            f"ip: none, open_ports: [{unused}]}}"
        )
        bad = rng.choice(["", ", ber: 1e-6", ", dark: noise", ", skew: 3 ns"])
        other = (i + 1) % boards
        latency = rng.randint(50, 400)
        cables.append(f"  - {{between: [l{i}.l1_0, l{other}.l0_0], latency: {latency} ns{bad}}}")


def _ib(rng: random.Random, nodes: list[str], cables: list[str]) -> None:
    for name, lid in (("i0", 1), ("i1", 2)):
        regs = f"ib_port.ctrl.auto_active: 1, ib_port.lid.lid: {lid}"
        nodes.append(
            f"  {name}: {{design: ib_endpoint, clocks: {{clk: 125 MHz}}, ip: none, "
            f"params: {{AGENT: 1, DATA_VLS: 1}}, regs: {{{regs}}}}}"
        )
    bad = rng.choice(["", ", ber: 1e-6", ", skew: 6 ns"])
    cables.append(f"  - {{between: [i0.p1, i1.p1], latency: {rng.randint(50, 300)} ns{bad}}}")


class _Distributed(Cluster):
    """A cluster whose nodes are distributed at random."""

    def __init__(self, plan: Plan, partition_seed: int | None, **options: Any) -> None:
        super().__init__(plan, offline=True, **options)
        self._partition_seed = partition_seed

    def partition(self) -> Partition:
        """As of a cluster, or drawn; no rank is empty."""
        if self._partition_seed is None:
            return super().partition()
        rng = random.Random(self._partition_seed)
        names = [*self.plan.nodes, *self.plan.spec.switches]
        rng.shuffle(names)
        owners = {
            name: i if i < self.ranks else rng.randrange(self.ranks) for i, name in enumerate(names)
        }
        return Partition(self.ranks, owners, (), (), 0)


def most_ranks(text: str) -> int:
    """Ranks over which a cluster can be distributed."""
    plan = plan_text(text, "random.yaml")
    return len(plan.nodes) + len(plan.spec.switches)


def outcome(
    text: str,
    ranks: int = 1,
    threads: int = 1,
    span: str = SPAN,
    partition_seed: int | None = None,
    delay: str = "",
) -> Outcome:
    """Run a cluster, and replay it if it has a TAP.

    Args:
        text: cluster file.
        ranks: processes.
        threads: of each.
        span: simulated time.
        partition_seed: of a random distribution of the nodes; default: the usual one.
        delay: of messages between ranks, "US:SEED": up to so many microseconds, at random.
    """
    plan = plan_text(text, "random.yaml")
    with tempfile.TemporaryDirectory() as name, _delayed(delay):
        folder = Path(name)

        def cluster(run: str, **more: Any) -> _Distributed:
            pcap = folder / f"{run}.pcapng"
            return _Distributed(
                plan, partition_seed, ranks=ranks, threads=threads, pcap=pcap, **more
            )

        record = folder / "run.kumirec"
        with cluster("run", record=record) as running:
            found = _play(running, span)
        if TAP not in plan.taps:
            pcap = (folder / "run.pcapng").read_bytes()
            return Outcome(pcap=pcap, record=records(record), **found)
        fed = folder / "fed.kumirec"
        _feed(record, fed, list(plan.taps).index(TAP) + most_ranks(text), time_ps(span))
        again = cluster("again")
        result = again.replay(fed)
        counters = _counters(again.engine.stats())
        again.close()
        return Outcome(
            digest=result["digest"],
            pcap=(folder / "again.pcapng").read_bytes(),
            record=records(record),
            counters=counters,
            answers=(found["digest"], found["counters"], *found["answers"]),
        )


@contextmanager
def _delayed(delay: str) -> Iterator[None]:
    before = os.environ.get(DELAY)
    os.environ[DELAY] = delay
    try:
        yield
    finally:
        os.environ.pop(DELAY)
        if before is not None:
            os.environ[DELAY] = before


def _play(cluster: Cluster, span: str) -> dict[str, Any]:
    """Run, with calls of several kinds on the way."""
    answers: list[object] = []
    disk = cluster.disks.get("d0")
    for step in range(STEPS):
        cluster.run(_part(span, step))
        # With a TAP a window ends where a frame reaches it, and an access takes whole windows.
        players = [] if cluster.plan.taps else [n for name, n in cluster.items() if name[0] in "ab"]
        answers += [node.regs.pingpong.received.read() for node in players]
        if disk is not None:
            disk.write(512 * step, bytes([step + 1]) * 512)
            answers.append(disk.read(0, 512 * STEPS))
            if step == 1:
                disk.fault("unplug")
            if step == 2:
                disk.fault("plug", at=cluster.now_ps + 2_000_000)
    return {
        "digest": cluster.digest(),
        "counters": _counters(cluster.stats()),
        "answers": tuple(answers),
    }


def _part(span: str, step: int) -> int:
    whole = time_ps(span)
    return whole * (step + 1) // STEPS - whole * step // STEPS


def _counters(stats: Mapping[str, Any]) -> dict[str, Any]:
    def timeless(group: Any) -> Any:
        if not isinstance(group, Mapping):
            return group
        return {key: timeless(value) for key, value in group.items() if key != "khz"}

    return {kind: timeless(stats.get(kind, {})) for kind in COUNTED}


# ---- recordings ---------------------------------------------------------------------------------


def _split(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 16
    while at < len(data):
        size, kind = struct.unpack_from("<II", data, at)
        yield kind, data[at + 8 : at + 8 + size]
        at += 12 + size


def records(file: Path) -> bytes:
    """All of a recording but the digests, which are taken by wall time."""
    return b"".join(
        bytes([kind]) + payload for kind, payload in _split(file.read_bytes()) if kind != CHECK
    )


def _record(kind: int, payload: bytes) -> bytes:
    head = struct.pack("<II", len(payload), kind)
    return head + payload + struct.pack("<I", zlib.crc32(head + payload))


def _feed(source: Path, to: Path, actor: int, span: int) -> None:
    """The recording of a run with frames that a TAP was given; its digests no longer hold."""
    rng = random.Random(actor)
    data = source.read_bytes()
    records = [(kind, payload) for kind, payload in _split(data) if kind not in (CHECK, END)]
    header, rest = records[0], records[1:]
    timed = [(struct.unpack_from("<Q", payload)[0], kind, payload) for kind, payload in rest]
    for _ in range(12):
        at = rng.randrange(1, span)
        frame = b"\xff" * 6 + bytes([2, 0, 0, 0, 0, 9]) + rng.randbytes(rng.randint(48, 400))
        timed.append((at, FRAME, struct.pack("<QQI", at, at, actor) + frame))
    timed.sort(key=lambda event: event[0])
    body = [_record(*header), *(_record(kind, payload) for _, kind, payload in timed)]
    last = struct.pack("<QQ", max(span, timed[-1][0]), 0)
    to.write_bytes(data[:16] + b"".join(body) + _record(CHECK, last))
