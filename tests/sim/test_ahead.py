# SPDX-License-Identifier: Apache-2.0
"""Nodes of an idle cluster run ahead of it; no frame, register, pin or digest tells the difference.

The reference is the replay, in which no node is ever ahead.
"""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

from kumihimo._engine import Engine
from simkit import PERIODS, US, frame, mac

LATENCIES = (100_000, 400_000, 900_000)


def cluster(path: str) -> tuple[Engine, list[int], list[int]]:
    """Three nodes on two switches, a script on each switch and one at a node itself."""
    eng = Engine(2, seed=5)
    nodes = [eng.add_node(f"n{i}", path, PERIODS) for i in range(3)]
    near = eng.add_switch("near", ports=4)
    far = eng.add_switch("far", ports=4, mode="store-and-forward")
    eng.connect((near, ""), (far, ""), latency_ps=700_000)
    for node, switch, latency in zip(nodes, (near, near, far), LATENCIES, strict=True):
        eng.connect((node, "eth0"), (switch, ""), latency_ps=latency)
    scripts = [eng.add_script(name) for name in ("x", "y", "z")]
    eng.connect((scripts[0], ""), (near, ""), latency_ps=100_000)
    eng.connect((scripts[1], ""), (far, ""), latency_ps=300_000)
    eng.connect((scripts[2], ""), (nodes[0], "eth1"), latency_ps=2_500_000)
    return eng, nodes, scripts


def live(path: str, record: Path, seed: int) -> tuple[str, int, int]:
    """A served run with actions at random moments; its digest, runs ahead, and frames that came."""
    rng = random.Random(seed)
    eng, nodes, scripts = cluster(path)
    eng.record(str(record))
    eng.start()
    server = threading.Thread(target=eng.serve)
    server.start()
    got = 0
    for number in range(150):
        time.sleep(rng.choice((0, 0, 0.001, 0.004, 0.013)))
        node, script = rng.choice(nodes), rng.choice(scripts)
        match rng.randrange(7):
            case 0 | 1 | 2:
                eng.send(script, frame(mac(50 + node), mac(script), rng.randrange(60, 700), number))
            case 3:
                eng.axil_write(node, 4, number)
            case 4:
                assert eng.axil_read(node, 0) == 0x6B756D69
            case 5:
                eng.set_pin(node, "work", rng.randrange(3))
                eng.pin(node, "leds")
            case 6:
                eng.digest()
                got += len(eng.received(script))
    time.sleep(0.02)
    got += sum(len(eng.received(script)) for script in scripts)
    eng.stop()
    server.join(10)
    cycles = {name: node["cycles"] for name, node in eng.stats()["nodes"].items()}
    assert all(abs(n * PERIODS["clk"] - eng.now_ps) < PERIODS["clk"] for n in cycles.values())
    ahead = eng.stats()["engine"]["runs_ahead"]
    digest = eng.digest()
    eng.close()
    return digest, ahead, got


def test_a_replay_without_it_is_equal(fake_node: str, tmp_path: Path) -> None:
    for seed in range(3):
        record = tmp_path / f"{seed}.kumirec"
        digest, ahead, got = live(fake_node, record, seed)
        assert ahead > 20 and got > 20
        eng, _, _ = cluster(fake_node)
        found = eng.replay(str(record))
        assert found["equal"] and found["complete"] and found["digest"] == digest
        assert found["events"] > 60
        eng.close()


def test_a_run_of_exact_time_is_never_ahead(fake_node: str, tmp_path: Path) -> None:
    """Neither within `run`, nor beyond the end of a serve."""
    eng, nodes, scripts = cluster(fake_node)
    eng.start()
    eng.run(30 * US)
    assert eng.stats()["engine"]["runs_ahead"] == 0
    assert eng.serve(until_ps=eng.now_ps + 7_777_777) == "until"
    assert eng.stats()["engine"]["runs_ahead"] > 0
    assert eng.now_ps == 30 * US + 7_777_777
    for name, node in eng.stats()["nodes"].items():
        assert node["cycles"] == -(-eng.now_ps // PERIODS["clk"]), name
    eng.send(scripts[0], frame(mac(50 + nodes[1]), mac(scripts[0])))
    eng.run(30 * US)
    assert len(eng.received(scripts[0])) >= 1
    eng.close()
