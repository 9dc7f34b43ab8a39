# SPDX-License-Identifier: Apache-2.0
"""Frames leave to the outside before their time; no digest, capture or order tells the difference.

The reference is the replay, in which nothing is early.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kumihimo._engine import Engine, Impairments
from simkit import PERIODS, Client, frame, mac, tag_of

NODES = 3


def cluster(path: str, sockets: tuple[Path, ...] = ()) -> tuple[Engine, list[int], list[int]]:
    """Two switches, one of which sends PAUSE; nodes at both; a peer at each and one at a node."""
    eng = Engine(2, seed=7)
    near = eng.add_switch("near", ports=6, mode="cut-through")
    far = eng.add_switch("far", ports=6, mode="store-and-forward", pause=True, queue_bytes=16384)
    eng.connect((near, ""), (far, ""), latency_ps=700_000)
    nodes = [eng.add_node(f"n{i}", path, PERIODS) for i in range(NODES)]
    places = zip(nodes, (near, far, far), (500_000, 200_000, 900_000), strict=True)
    for node, switch, latency in places:
        eng.connect((node, "eth0"), (switch, ""), latency_ps=latency)
    names = [str(s) for s in sockets] or [""] * 3
    vms = [eng.add_peer(f"vm{i}", name, pause=i == 1) for i, name in enumerate(names)]
    bad = Impairments(loss=0.02, duplicate=0.02, reorder=0.1, jitter_ps=400_000)
    eng.connect((vms[0], ""), (near, ""), latency_ps=500_000)
    eng.connect((vms[1], ""), (far, ""), latency_ps=300_000, ab=bad, ba=bad)
    eng.connect((vms[2], ""), (nodes[0], "eth1"), latency_ps=600_000)
    return eng, nodes, vms


@contextmanager
def served(eng: Engine, sockets: tuple[Path, ...]) -> Iterator[list[Client]]:
    eng.start()
    server = threading.Thread(target=eng.serve)
    server.start()
    try:
        yield [Client.connect(s) for s in sockets]
    finally:
        eng.stop()
        server.join(10)


def test_an_answer_enters_after_what_it_answers(
    fake_node: str, tmp_path: Path, tshark_fields: Callable[..., list[list[str]]]
) -> None:
    """A client that sends the next frame at once: in the capture they alternate all the same."""
    sockets = tuple(tmp_path / f"s{i}" for i in range(3))
    eng, nodes, vms = cluster(fake_node, sockets)
    for node in nodes[1:]:
        eng.set_pin(node, "mode", 1)  # only the first one echoes
    eng.capture(str(tmp_path / "live.pcapng"), [(vms[0], "")])
    eng.record(str(tmp_path / "rec"))
    with served(eng, sockets) as clients:
        for tag in range(100):
            clients[0].send(frame(mac(1), mac(2), 60 + 7 * tag, tag))
            assert tag_of(clients[0].receive()) == tag
        assert eng.stats()["engine"]["frames_early"] > 90
    eng.close()
    rows = tshark_fields(tmp_path / "live.pcapng", "frame.time_relative", "eth.src", "data.data")
    assert [int(data[:8], 16) for _, _, data in rows] == [i // 2 for i in range(200)]
    assert [source == rows[0][1] for _, source, _ in rows] == [True, False] * 100
    again, _, vms = cluster(fake_node)
    again.capture(str(tmp_path / "again.pcapng"), [(vms[0], "")])
    found = again.replay(str(tmp_path / "rec"))
    again.close()
    assert found["equal"] and found["complete"]
    assert (tmp_path / "live.pcapng").read_bytes() == (tmp_path / "again.pcapng").read_bytes()


def test_a_replay_without_it_is_equal(fake_node: str, tmp_path: Path) -> None:
    """Random frames from peers, with cables that change and nodes that start over meanwhile."""
    for seed in range(2):
        rng = random.Random(seed)
        sockets = tuple(tmp_path / f"{seed}s{i}" for i in range(3))
        files = [tmp_path / f"{seed}{name}" for name in ("live.pcapng", "again.pcapng", "rec")]
        eng, nodes, _ = cluster(fake_node, sockets)
        eng.capture(str(files[0]))
        eng.record(str(files[2]))
        with served(eng, sockets) as clients:
            for number in range(120):
                time.sleep(rng.choice((0, 0, 0.001, 0.012)))
                cable = rng.randrange(7)
                match rng.randrange(9):
                    case 0:
                        eng.plug_cable(cable, False)
                        eng.plug_cable(cable, True, at_ps=eng.now_ps + 3_000_000)
                    case 1:
                        eng.impair(cable, ab=Impairments(loss=0.1, jitter_ps=200_000))
                    case 2:
                        eng.reset_node(rng.choice(nodes))
                    case 3:
                        eng.axil_write(rng.choice(nodes), 4, number)
                    case _:
                        for size in rng.choices((60, 60, 300, 4000), k=rng.randrange(1, 5)):
                            to = mac(50 + rng.choice(nodes))
                            rng.choice(clients).send(frame(to, mac(2), size, number))
            time.sleep(0.02)
            counted = eng.stats()
        digest = eng.digest()
        eng.close()
        assert counted["engine"]["frames_early"] > 20
        again, _, _ = cluster(fake_node)
        again.capture(str(files[1]))
        found = again.replay(str(files[2]))
        again.close()
        assert found["equal"] and found["complete"] and found["digest"] == digest
        assert files[0].read_bytes() == files[1].read_bytes()
