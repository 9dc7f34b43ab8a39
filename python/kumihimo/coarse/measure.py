# SPDX-License-Identifier: Apache-2.0
"""Runs a program on boards in RTL: nodes of OpenCL kernels (exchange.cl, neighbour.cl)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

from ..cluster import Cluster
from ..clusterfile import plan_text
from ..common.errors import KumiError
from .network import Torus, Tree
from .program import FRAME_WORDS, RATE_GBPS, Program

MOST_STEPS = 256
_STEPS, _DATA, _INBOX = 0x1000, 0x10_0000, 0x800_0000
_FIRST = 16  # address of board 0
_LIMIT_PS = 100 * 10**9
_MIN_QUEUE = "4 MiB"


def _tree_text(tree: Tree) -> str:
    here = Path(__file__).with_name("exchange.cl")
    lines = ["name: coarse", "defaults:", "  node:", f"    design: {here}"]
    lines += ["    clocks: {clk: 316.666667 MHz, eth_clk: 312.5 MHz}", "    ip: none"]
    lines += ["    regs: {eth_port.option.mtu: 9216}", '    memories: {"": {latency: 100 ns}}']
    lines += [f"  switch: {{mode: cut-through, latency: 322 ns, queue: {_MIN_QUEUE}}}", "nodes:"]
    for board in range(tree.boards):
        high, low = divmod(board + _FIRST, 256)
        lines.append(f'  n{board}: {{mac: "02:00:00:00:{high:02x}:{low:02x}"}}')
    switches, cables = ["switches:"], ["cables:"]
    below = [f"n{board}" for board in range(tree.boards)]
    rate = float(RATE_GBPS)
    for level, width in enumerate(tree.radix, 1):
        names = [f"s{level}_{number}" for number in range(len(below) // width)]
        switches += [f"  {name}: {{ports: {width + 1}}}" for name in names]
        for number, name in enumerate(below):
            ends = f"{name}, {names[number // width]}"
            cables.append(f"  - {{between: [{ends}], rate: {rate:g} Gb/s, latency: 472 ns}}")
        rate = RATE_GBPS * tree.uplink(level)
        below = names
    return "\n".join([*lines, *switches, *cables]) + "\n"


def _torus_text(torus: Torus) -> str:
    here = Path(__file__).with_name("neighbour.cl")
    across, down = torus.shape
    lines = ["name: coarse", "defaults:", "  node:", f"    design: {here}"]
    lines += ["    clocks: {clk: 156.25 MHz}", '    memories: {"": {latency: 100 ns}}', "nodes:"]
    lines += [f"  n{board}: {{}}" for board in range(torus.boards)]
    lines.append("cables:")
    for board in range(torus.boards):
        x, y = board % across, board // across
        for out, into, other in (
            (0, 1, y * across + (x + 1) % across),
            (2, 3, (y + 1) % down * across + x),
        ):
            lines.append(f"  - {{between: [n{board}.l{out}, n{other}.l{into}], latency: 100 ns}}")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Table:
    """A program as the kernels read it."""

    steps: np.ndarray  # boards x steps x 8
    received: tuple[int, ...]
    """Frames that each board receives: on a torus along x, along y."""


def _table(program: Program, torus: bool) -> _Table:
    rounds = program.all()
    if len(rounds) > MOST_STEPS:
        raise KumiError(f"{program.name} of {program.boards} boards has too many rounds.", "", 2)
    steps = np.zeros((program.boards, len(rounds), 8), np.int32)
    received = [0, 0]
    place, sent = 0, -1  # in the inbox; the last step in which somebody sent
    brought, came, frames = 0, 0, 0  # where its words are, along which dimension, frames
    for number, each in enumerate(rounds):
        steps[:, number, 4] = sent
        steps[:, number, 5] = brought + each.skip
        steps[:, number, 6] = each.combine
        steps[:, number, 7] = came if torus else frames
        steps[:, number, 0] = -1
        steps[:, number, 1] = each.source
        steps[:, number, 2] = place
        steps[:, number, 3] = each.words
        if each.to is None:
            continue
        steps[:, number, 0] = each.to if torus else np.asarray(each.to) + _FIRST
        sent, brought = number, place
        place += each.words
        frames = -(-each.words // FRAME_WORDS)
        came = int(each.to) if isinstance(each.to, int) else 0
        received[came] += 1 if torus else frames
    return _Table(steps, tuple(received))


class Boards:
    """A cluster of boards that run programs, one after the other."""

    def __init__(self, network: Tree | Torus, threads: int = 0) -> None:
        self.network = network
        self._torus = isinstance(network, Torus)
        text = _torus_text(network) if isinstance(network, Torus) else _tree_text(network)
        self._cluster = Cluster(plan_text(text, "coarse.yaml"), threads=threads)
        self._warm = False

    def __enter__(self) -> Boards:
        """Start."""
        self._cluster.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, what: BaseException | None, at: TracebackType | None
    ) -> None:
        """End."""
        self._cluster.__exit__(kind, what, at)

    def run(self, program: Program) -> float:
        """Nanoseconds from the start, which is the same for all boards, to the end of the last.

        The switches have learned all addresses when time is taken.
        """
        table = _table(program, self._torus)
        if not self._warm:
            self._once(table)
            self._warm = True
        return self._once(table)

    def _once(self, table: _Table) -> float:
        cluster = self._cluster
        nodes = [cluster[f"n{board}"] for board in range(self.network.boards)]
        takes = ("take_x", "take_y") if self._torus else ("take",)
        for board, node in enumerate(nodes):
            node.memory().write(_STEPS, table.steps[board].tobytes())
            for name, frames in zip(takes, table.received, strict=False):
                node.kernel(name).start(inbox=_INBOX, frames=frames)
            own = {} if self._torus else {"own": _FIRST + board}
            count = table.steps.shape[1]
            node.kernel("give").start(steps=_STEPS, data=_DATA, inbox=_INBOX, count=count, **own)
        cluster.run("3 us")
        began = cluster.engine.now_ps
        for node in nodes:
            node.channel("go").write(1)
        ended = began
        for node in nodes:
            done = node.channel("done")
            while not done.pending():
                if cluster.engine.now_ps > began + _LIMIT_PS:
                    raise KumiError(f"{node.name} has not ended within 100 ms.", "", 1)
                cluster.run("2 us")
            ended = max(ended, done.take()[0])
        for node in nodes:
            for name in (*takes, "give"):
                node.kernel(name).wait("1 ms")
        return (ended - began) / 1000
