# SPDX-License-Identifier: Apache-2.0
"""A ring of boards whose inner boards are RTL, then the model: the same session, the same outcome.

Endpoints send to each other through the inner boards at full load both ways, by circuits and by
best-effort packets, over a cable with bit errors and a board with a faster clock; slot tables are
rewritten while they do, and a cable is unplugged and plugged. Equal must be: the digest every
500 ns (what has been delivered to the endpoints' memories, and when), all packets, every counter of
the boards, every block counted.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import ClusterFileError
from kumihimo.clusterfile import plan as plan_cluster
from kumihimo.host.overlay import Overlay
from kumihimo.link.planner import plan_file
from kumihimo.link.planner.plan_doc import Plan
from kumihimo.link.stdm import Stdm
from kumihimo.manager.setup import setups
from kumihimo.testing.sizes import by_size

ENDS, INNER = ("n0", "n2"), ("n1", "n3")
SWITCH = 0x1000
CLUSTER = """\
name: ring
defaults:
  node: {design: link, ip: none, open_ports: [l0_1, l0_2, l0_3, l1_1, l1_2, l1_3]}
  cable: {latency: 60 ns}
nodes:
  n0: {}
  n1: {detail: DETAIL, clocks: {clk: 156.253 MHz}}
  n2: {}
  n3: {detail: DETAIL}
cables:
  - {between: [n0.l1_0, n1.l0_0]}
  - {between: [n1.l1_0, n2.l0_0], ber: 2e-6}
  - {between: [n2.l1_0, n3.l0_0]}
  - {between: [n3.l1_0, n0.l0_0]}
"""
PLAN = """\
name: across
topology: {cluster: ring.yaml, host_ports: 2}
slots: 16
guard: 8
follow: n0
channels: 4
circuits:
  - {name: data, from: n0.host0, to: n2.host0, slots: DATA, both_ways: true}
  - {name: words, from: n0.host0, to: n2.host0, slots: 1, both_ways: true}
best_effort: true
"""


@dataclass
class Seen:
    """What a session has shown."""

    digests: list[str] = field(default_factory=list)
    arrived: dict[tuple[str, str], list[bytes]] = field(default_factory=dict)
    counters: dict[str, list[int]] = field(default_factory=dict)
    lanes: dict[str, dict[str, int]] = field(default_factory=dict)
    cycles: list[int] = field(default_factory=list)

    def digest(self) -> str:
        """Of all that must be equal."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


@dataclass
class Ring:
    """The cluster, configured, with traffic between its ends."""

    cluster: Cluster
    plans: list[Plan]
    seen: Seen = field(default_factory=Seen)
    rng: random.Random = field(default_factory=lambda: random.Random(5))

    def __post_init__(self) -> None:
        self.cluster.run("80 us")  # links train
        self.rewrite(self.plans[0], first=True)
        self.cluster.run("10 us")
        hosts = {name: Overlay.of(self.cluster, name) for name in ENDS}
        self.rings = {(n, dma): hosts[n][dma].packets() for n in ENDS for dma in ("dma", "dma3")}
        self.sent: dict[tuple[str, str], list[bytes]] = {end: [] for end in self.rings}

    def send(self, count: int) -> None:
        """Packets at every end, of circuits and best effort, that follow each other."""
        for (name, dma), ring in self.rings.items():
            other = ENDS[1 - ENDS.index(name)]
            for _ in range(count):
                data = self.rng.randbytes(self.rng.choice([1, 64, 500, 1500]))
                if ring.queue(data, int(other[1])):
                    self.sent[other, dma].append(data)
            ring.kick()

    def run(self, steps: int) -> None:
        """So many times 500 ns; a digest after each."""
        for _ in range(steps):
            self.cluster.run("500 ns")
            self.seen.digests.append(self.cluster.digest())
        self.receive()

    def receive(self) -> None:
        for end, ring in self.rings.items():
            self.seen.arrived.setdefault(end, []).extend(p.data for p in ring.poll())

    def rewrite(self, plan: Plan, first: bool = False) -> None:
        """New tables on all boards, later while packets are under way.

        `configure` asks a board for its blocks, of which a model has fewer: times would differ.
        """
        switches = {name: Stdm(node.mmio, SWITCH) for name, node in self.cluster.items()}
        for name, wanted in setups([*switches], plan).items():
            switch, made = switches[name], wanted.switch
            assert made is not None
            if first:
                switch.timing(made.margin, made.follow)
                switch.board(made.board_id)
                for port, dests in made.routes.items():
                    switch.routes(port, dict(enumerate(dests)))
            switch.load(made.tables)
        for switch in switches.values():
            switch.swap()

    def finish(self) -> Seen:
        """Reads all that counts."""
        self.run(by_size(30, 400))
        for name, node in self.cluster.items():
            switch = Stdm(node.mmio, SWITCH)
            row = [word for port in range(4) for word in switch.counters(port).values()]
            row += [n for port in (2, 3) for owner in range(6) for n in switch.owner(port, owner)]
            row += [word for port in (2, 3) for word in switch.link(port).values()]
            bases = [0x2000, 0x3000]
            row += [node.mmio.read(b + at) for b in bases for at in (8, *range(0x80, 0xE4, 4))]
            self.seen.counters[name] = row
            self.seen.cycles.append(node.mmio.read(0x18))
            ports = node.stats["ports"]
            self.seen.lanes |= {f"{name}.{port}": dict(ports[port]) for port in ("l0_0", "l1_0")}
        return self.seen


def session(folder: Path, detail: str) -> tuple[Seen, Ring]:
    """Full load, new tables, a plug pulled and put back, then packets again."""
    file = folder / "ring.yaml"
    file.write_text(CLUSTER.replace("DETAIL", detail))
    plans = []
    for slots in (5, 3):
        planned = folder / "plan.yaml"
        planned.write_text(PLAN.replace("DATA", str(slots)))
        plans.append(plan_file(planned))
    with Cluster(file, offline=True) as cluster:
        ring = Ring(cluster, plans)
        ring.send(by_size(10, 100))
        ring.run(by_size(30, 600))
        ring.rewrite(plans[1])
        ring.run(by_size(20, 400))
        cluster.plug("n1.l1_0", False)
        ring.run(by_size(10, 200))
        cluster.plug("n1.l1_0", True)
        cluster.run("40 us")
        ring.receive()
        ring.send(4)
        return ring.finish(), ring


def test_equal_in_rtl_and_model(tmp_path: Path) -> None:
    rtl, _ = session(tmp_path, "rtl")
    model, ring = session(tmp_path, "model")
    for name in rtl.__dataclass_fields__:
        assert getattr(rtl, name) == getattr(model, name), name
    assert rtl.digest() == model.digest()
    # It was a session with something in it, and something was lost.
    for end, packets in model.arrived.items():
        assert len(packets) > 4 and all(data in ring.sent[end] for data in packets), end
    assert sum(map(len, model.arrived.values())) < sum(map(len, ring.sent.values()))
    assert len({*model.digests}) > 40


@pytest.mark.parametrize("params", ["{LANES: 2}", "{LANES: 4, CIRCUITS: 2}"])
def test_parameters_that_the_model_lacks(tmp_path: Path, params: str) -> None:
    file = tmp_path / "ring.yaml"
    file.write_text(CLUSTER.replace("DETAIL", f"model, params: {params}"))
    match = r"no `LANES: [24]`: take `LANES: 1`, or `detail: rtl`"
    with pytest.raises(ClusterFileError, match=match):
        plan_cluster(file)
