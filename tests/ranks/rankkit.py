# SPDX-License-Identifier: Apache-2.0
"""Random clusters of nodes without RTL, played on one engine or on many, and late messages."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from kumihimo import _engine
from simkit import PERIODS, US, frame, generator, mac

Result = dict[str, Any]


class Cable(NamedTuple):
    a: tuple[str, str]
    b: tuple[str, str]
    latency_ps: int
    ab: dict[str, Any]
    ba: dict[str, Any]


def _impaired(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.4:
        return {}
    return {
        "loss": rng.choice([0, 0.02]),
        "ber": rng.choice([0, 0, 2e-6]),
        "duplicate": rng.choice([0, 0.03]),
        "reorder": rng.choice([0, 0.05]),
        "jitter_ps": rng.choice([0, 150_000]),
        "pass_bad": rng.random() < 0.3,
    }


class Lane(NamedTuple):
    """From a node's second lane to the first of the next one in the ring."""

    a: str
    b: str
    options: dict[str, Any]


class Libraries(NamedTuple):
    """Of nodes without RTL: frames, lanes."""

    frames: str
    lanes: str


def _lane_options(rng: random.Random) -> dict[str, Any]:
    away = rng.randint(1, 40) * US
    return {
        "latency_ps": rng.randint(30, 700) * 1000,
        "skew_ps": rng.choice([0, 3200, 90_000]),
        "ber_ab": rng.choice([0, 1e-4]),
        "ber_ba": rng.choice([0, 1e-3]),
        "noise": rng.random() < 0.5,
        "unplugged": rng.choice([[], [(away, away + 3 * US)]]),
    }


class Scene:
    """A cluster drawn from a seed.

    Nodes on a tree of switches, cables among nodes, a script, and a ring of nodes that lanes join.
    """

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.seed = seed
        self.nodes = [f"n{i}" for i in range(rng.randint(3, 7))]
        self.switches = [f"sw{i}" for i in range(rng.randint(1, 3))]
        self.modes = [rng.choice(["cut-through", "store-and-forward"]) for _ in self.switches]
        self.cables: list[Cable] = []
        ends = [((name, "eth0"), (rng.choice(self.switches), "")) for name in self.nodes]
        ends += [
            ((name, ""), (rng.choice(self.switches[:i]), ""))
            for i, name in enumerate(self.switches)
            if i
        ]
        ends.append((("script", ""), (rng.choice(self.switches), "")))
        beside = rng.sample(self.nodes, len(self.nodes) // 2 * 2)
        ends += [((a, "eth1"), (b, "eth1")) for a, b in zip(beside[::2], beside[1::2], strict=True)]
        for a, b in ends:
            latency = rng.randint(60, 1500) * 1000
            self.cables.append(Cable(a, b, latency, _impaired(rng), _impaired(rng)))
        self.gaps = [rng.randint(40, 300) for _ in self.nodes]
        self.sizes = [rng.choice([60, 64, 65, 128, 777, 1518]) for _ in self.nodes]
        self.boards = [f"l{i}" for i in range(rng.randint(1, 4))]
        ring = zip(self.boards, [*self.boards[1:], self.boards[0]], strict=True)
        self.lanes = [Lane(a, b, _lane_options(rng)) for a, b in ring]

    def owners(self, ranks: int, seed: int) -> dict[str, int]:
        """A random distribution; the first nodes make sure that no rank is empty."""
        rng = random.Random(self.seed * 1000 + seed)
        names = [*self.nodes, *self.switches, *self.boards, "script"]
        rng.shuffle(names)
        return {
            name: rank if rank < ranks else rng.randrange(ranks) for rank, name in enumerate(names)
        }

    def build(self, eng: Any, libraries: Libraries) -> dict[str, int]:
        index = {}
        for name, mode in zip(self.switches, self.modes, strict=True):
            index[name] = eng.add_switch(name, ports=16, mode=mode)
        for name in self.nodes:
            index[name] = eng.add_node(name, libraries.frames, PERIODS)
        for name in self.boards:
            index[name] = eng.add_node(name, libraries.lanes, {"clk": 6400})
        index["script"] = eng.add_script("script")
        for c in self.cables:
            eng.connect(
                (index[c.a[0]], c.a[1]),
                (index[c.b[0]], c.b[1]),
                latency_ps=c.latency_ps,
                ab=_engine.Impairments(**c.ab),
                ba=_engine.Impairments(**c.ba),
            )
        for lane in self.lanes:
            eng.connect_lane((index[lane.a], "l0_1"), (index[lane.b], "l0_0"), **lane.options)
        for i, name in enumerate(self.nodes):
            to = mac((i + 1) % len(self.nodes))
            generator(eng, index[name], to, mac(i), 100_000, self.sizes[i], self.gaps[i])
        return index

    def play(
        self, eng: Any, libraries: Libraries, pcap: Path, record: Path | None = None
    ) -> Result:
        """A run with calls of every kind; all that must not depend on ranks."""
        rng = random.Random(self.seed + 77)
        index = self.build(eng, libraries)
        eng.capture(str(pcap), comment="ranks")
        if record is not None:
            eng.record(str(record))
        eng.plug_cable(0, False, at_ps=9 * US)
        eng.start()
        seen: list[Any] = []
        for turn in range(6):
            eng.run(rng.randint(1, 15 * US))
            node = index[rng.choice(self.nodes)]
            seen.append(eng.axil_read(node, 0x0C))
            eng.axil_write(node, 0x04, turn + 1)
            seen.append(eng.axil_read(node, 0x04))
            cable = rng.randrange(len(self.cables))
            at = eng.now_ps + rng.randint(0, 5 * US)
            eng.plug_cable(cable, turn % 2 == 1, at_ps=at)
            eng.impair(cable, ab=_engine.Impairments(loss=0.05, jitter_ps=50_000))
            eng.send(index["script"], frame(mac(turn % len(self.nodes)), mac(99), 90, turn))
            if turn == 3:
                eng.reset_node(node, at_ps=at)
                eng.plug(0, False, at_ps=at)
                eng.plug(0, True, at_ps=at + US)
            if turn == 4:
                eng.reset_node(index[rng.choice(self.boards)], at_ps=at)
            if turn == 4:
                eng.set_pin(node, "mode", 1)
            seen.append(eng.pin(node, "leds"))
            seen.append(eng.received(index["script"]))
        eng.flush()
        stats = eng.stats()
        kinds = ("nodes", "switches", "scripts", "cables", "lanes")
        found: Result = {
            "now": eng.now_ps,
            "digest": eng.digest(),
            "seen": seen,
            "stats": {kind: timeless(stats[kind]) for kind in kinds},
            "messages": sorted(eng.messages()),
        }
        eng.close()
        return found | {"pcap": pcap.read_bytes()}


def timeless(group: Any) -> Any:
    """Without figures of wall time."""
    if not isinstance(group, dict):
        return group
    return {k: timeless(v) for k, v in group.items() if k != "khz"}


class Late:
    """Makes connections whose bytes come late, in pieces of any size."""

    def __init__(self, seed: int, most_s: float) -> None:
        self._rng = random.Random(seed)
        self._most_s = most_s

    def __call__(self) -> tuple[socket.socket, socket.socket]:
        a, a_inner = socket.socketpair()
        b, b_inner = socket.socketpair()
        for source, sink in ((a_inner, b_inner), (b_inner, a_inner)):
            rng = random.Random(self._rng.random())
            threading.Thread(target=self._carry, args=(source, sink, rng), daemon=True).start()
        return a, b

    def _carry(self, source: socket.socket, sink: socket.socket, rng: random.Random) -> None:
        try:
            while data := source.recv(rng.choice([1, 7, 100, 5000, 65536])):
                if rng.random() < 0.3:
                    time.sleep(rng.random() * self._most_s)
                sink.sendall(data)
        except OSError:
            pass
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
