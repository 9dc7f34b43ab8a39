# SPDX-License-Identifier: Apache-2.0
"""The benches: name, module, what it measures, and what its figures depend on besides RTL."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bench:
    """A bench.

    module:  has `run(progress, quick) -> BenchResult`; imported only when it is asked for.
    what:    one line for people.
    cpp:     groups of C++ sources that simulated time depends on (`freshness.CPP`).
    python:  packages below kumihimo, besides the bench's own modules, that the figures depend on.
    minutes: about how long a full run takes on two quiet cores.
    figures: whether the figures are kept in docs/figures.
    """

    module: str
    what: str
    cpp: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    minutes: float = 1
    figures: bool = True


REGISTRY: dict[str, Bench] = {
    "udp": Bench(
        "kumihimo.bench.udp.stack",
        "Latency and rate of the UDP/IP stack at every width",
        cpp=("node",),
        python=("testing",),
        minutes=1.5,
    ),
    "nic": Bench(
        "kumihimo.bench.nic.card",
        "A virtio network card at 100 Gb/s, its host's memory a microsecond away",
        cpp=("node",),
        python=("testing",),
        minutes=1,
    ),
    "eth-latency": Bench(
        "kumihimo.bench.eth.latency",
        "Kernel to kernel over Ethernet: controller, transport, the paper's bars",
        cpp=("engine",),
        minutes=0.5,
    ),
    "eth-bandwidth": Bench(
        "kumihimo.bench.eth.bandwidth",
        "Share of a 40 Gb/s line by message size",
        cpp=("engine",),
        minutes=1,
    ),
    "eth-loss": Bench(
        "kumihimo.bench.eth.loss",
        "Goodput of the transport under loss and reordering",
        cpp=("engine",),
        minutes=2,
    ),
    "eth-incast": Bench(
        "kumihimo.bench.eth.incast",
        "Fifteen senders to one receiver, beside a stopped peer",
        cpp=("engine",),
        minutes=2,
    ),
    "tcp": Bench(
        "kumihimo.bench.tcp.back_to_back",
        "Two TCP engines back to back: rate, latency, connections",
        cpp=("engine",),
        minutes=1.5,
    ),
    "tcp-loss": Bench(
        "kumihimo.bench.tcp.loss",
        "Goodput of one TCP session at 100 Gb/s and 10 us under loss, beside Linux",
        cpp=("engine",),
        minutes=25,
    ),
    "tcp-flood": Bench(
        "kumihimo.bench.tcp.flood",
        "A TCP node under SYNs at line rate: sessions keep their rate, new clients connect",
        cpp=("engine",),
        minutes=20,
    ),
    "tcp-fuzz": Bench(
        "kumihimo.bench.tcp.fuzz",
        "A million malformed segments; every counter adds up",
        cpp=("node",),
        python=("testing",),
        minutes=10,
    ),
    "tcp-interop": Bench(
        "kumihimo.bench.tcp.interop",
        "Linux programs and a TCP node over cables that lose, duplicate, reorder and damage frames",
        cpp=("engine",),
        minutes=165,
    ),
    "tcp-wall": Bench(
        "kumihimo.bench.tcp.wall",
        "Wall-time rate of Linux's iperf into a cycle-accurate TCP node",
        cpp=("engine",),
        minutes=6,
    ),
    "link": Bench(
        "kumihimo.bench.link.serial",
        "The serial link: payload share, latency, goodput at bit error rates",
        cpp=("node",),
        python=("testing", "link.stdm", "link.stdm_model"),
        minutes=1,
    ),
    "stdm": Bench(
        "kumihimo.bench.link.stdm",
        "Circuit switches under load: rates, jitter, best effort, table swaps",
        cpp=("node",),
        python=("testing", "link"),
        minutes=90,
    ),
    "ip-over-link": Bench(
        "kumihimo.bench.link.ip_over_link",
        "IP over a serial link by DMA, registers and sockets, beside the paper's table",
        cpp=("engine",),
        python=("host", "ip_over_link"),
        minutes=8,
    ),
    "planner": Bench(
        "kumihimo.bench.link.planner",
        "Planning time of circuits, and whether the plans hold",
        python=("link",),
        minutes=9,
    ),
    "cluster-configure": Bench(
        "kumihimo.bench.link.cluster_configure",
        "Time to configure 4 and 64 boards",
        cpp=("engine",),
        python=("manager",),
        minutes=2,
    ),
    "storage": Bench(
        "kumihimo.bench.storage.array",
        "Arrays of unequal disks: shares, parity, rebuild, beside the paper, md and nbdkit",
        cpp=("node", "disk", "storage"),
        python=("storage",),
        minutes=30,
    ),
    "gzip": Bench(
        "kumihimo.bench.gzip.deflate",
        "The compressor: ratio and bytes a cycle by lanes, beside gzip",
        cpp=("node", "gzip"),
        python=("testing", "gzip"),
        minutes=4,
    ),
    "gzip-long": Bench(
        "kumihimo.bench.gzip.long",
        "The compressor on long messages: 1 GiB through the model, 100 MiB through the circuit",
        cpp=("node", "gzip"),
        python=("testing", "gzip"),
        minutes=12,
    ),
    "gzip-server": Bench(
        "kumihimo.bench.gzip.server",
        "The gzip server over TCP and HTTP in simulated time, beside the paper's 100 MB",
        cpp=("engine",),
        minutes=8,
    ),
    "gzip-server-long": Bench(
        "kumihimo.bench.gzip.server_long",
        "100 MB through the gzip server, and back over a cable that loses 1 % of the frames",
        cpp=("engine",),
        minutes=25,
    ),
    "ib-fabric": Bench(
        "kumihimo.bench.ib.fabric",
        "InfiniBand fabrics up to 20 switches brought up by opensm",
        cpp=("engine", "ib_model"),
        python=("ib",),
        minutes=6,
    ),
    "ib-latency": Bench(
        "kumihimo.bench.ib.latency",
        "An 8-byte store through SW2, routers and an InfiniBand switch, beside the paper's tables",
        cpp=("node", "engine"),
        python=("testing", "ib"),
        minutes=3,
    ),
    "ib-lossy": Bench(
        "kumihimo.bench.ib.lossy",
        "Routers on InfiniBand cables with bit errors, and beside a peer that dies",
        cpp=("engine",),
        python=("ib",),
        minutes=3,
    ),
    "ib-bandwidth": Bench(
        "kumihimo.bench.ib.bandwidth",
        "Share of the link: RoCEv2 at 100 Gb/s, and SW2 and routers by message size",
        cpp=("engine",),
        python=("ib", "rdma"),
        minutes=6,
    ),
    "opencl": Bench(
        "kumihimo.bench.opencl.kernels",
        "Kernels in OpenCL: figure 8, random and known ones, cost beside hand-written RTL",
        cpp=("engine",),
        python=("hls",),
        minutes=70,
    ),
    "sim-speed": Bench(
        "kumihimo.bench.sim.speed",
        "How fast the cluster engine runs on this machine",
        cpp=("engine",),
        minutes=4,
    ),
    "scale": Bench(
        "kumihimo.bench.sim.scale",
        "Clusters over ranks: equal results, overhead, lost ranks; 1,024 nodes; the coarse model",
        cpp=("engine",),
        python=("ranks", "coarse", "clusterfile", "testing.random_clusters"),
        minutes=9,
    ),
    "coarse-model": Bench(
        "kumihimo.bench.sim.coarse",
        "Collectives on 64 to 65,536 boards: a model fitted to boards in RTL, and its error",
        cpp=("engine",),
        python=("coarse",),
        minutes=8,
    ),
    "craft": Bench(
        "kumihimo.bench.craft.day",
        "A designer's day: mistakes named, signals, edit to ping, 64 nodes, ledger",
        cpp=("engine",),
        python=("build", "cli", "common"),
        minutes=25,
    ),
    "house": Bench(
        "kumihimo.bench.house",
        "Structure of the source tree: dependencies, types, lengths, stale figures",
        figures=False,
    ),
}
