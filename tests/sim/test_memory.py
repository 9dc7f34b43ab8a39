# SPDX-License-Identifier: Apache-2.0
"""Memories of a cluster's nodes: content, time, digests, recordings, the cluster file."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from kumihimo import Cluster
from kumihimo._engine import Engine, EngineError
from kumihimo.build import build
from kumihimo.cluster.memory import settings
from kumihimo.common.errors import KumiError
from lanekit import HW, top_name, top_text
from simkit import US

WALK = HW / "kumi_node_axi_walk.sv"
CHANCE = settings(latency_ps=200_000, jitter_ps=100_000, bandwidth_bps=6e9, reorder=True)


@pytest.fixture(scope="module")
def walker() -> str:
    return str(build(WALK).path)


def step(place: int) -> int:
    return place >> 1 ^ 0xB400 if place & 1 else place >> 1


def walked(memory: bytearray, rounds: int) -> bytes:
    """What the node makes of a memory of 64 KiB."""
    place = 0xACE1
    for count in range(rounds):
        source, target = place & 0xFFC0, step(place) & 0xFFC0
        words = [
            int.from_bytes(memory[source + i : source + i + 8], "little") for i in range(0, 64, 8)
        ]
        for i, word in enumerate(words):
            value = (word + count + 1) % (1 << 64)
            memory[target + 8 * i : target + 8 * i + 8] = value.to_bytes(8, "little")
        place = step(place)
    return bytes(memory)


def cluster(path: str, threads: int = 1, nodes: int = 4, **memory: Any) -> Any:
    eng = Engine(threads, seed=7)
    for i in range(nodes):
        n = eng.add_node(f"n{i}", path, {"clk": 6400})
        eng.set_memory(n, **(memory or CHANCE))
        eng.mem_write(n, 0, random.Random(i).randbytes(65536))
        eng.set_pin(n, "go", 1)
    return eng


def test_a_master_and_python_see_the_same_memory(walker: str) -> None:
    eng = cluster(walker)
    assert eng.mem_read(1, 100, 8, port="host") == random.Random(1).randbytes(65536)[100:108]
    eng.start()
    eng.run(300 * US)
    for n in range(4):
        eng.set_pin(n, "go", 0)
    eng.run(5 * US)
    for n in range(4):
        rounds = eng.pin(n, "rounds")
        assert rounds > 200
        image = bytearray(random.Random(n).randbytes(65536))
        assert eng.mem_read(n, 0, 65536) == walked(image, rounds)
        port = eng.stats()["nodes"][f"n{n}"]["ports"]["host"]
        assert port["read_bursts"] == port["write_bursts"] == rounds
        assert port["errors"] == port["protocol_errors"] == 0
    assert eng.mem_read(0, 1 << 20, 4) == bytes(4)


def test_faults_and_the_end_of_the_memory(walker: str) -> None:
    eng = cluster(walker, nodes=1, **settings(size=32768))
    eng.start()
    eng.run(50 * US)
    errors = eng.pin(0, "errors")
    assert errors > 0
    assert eng.mem_read(0, 32768, 32768) == random.Random(0).randbytes(65536)[32768:]
    eng.mem_fault(0, 0, 65536)
    before = eng.mem_read(0, 0, 65536)
    eng.run(US)
    errors = eng.pin(0, "errors")
    rounds = eng.pin(0, "rounds")
    eng.run(20 * US)
    more = eng.pin(0, "rounds") - rounds
    assert eng.mem_read(0, 0, 65536) == before
    assert abs(eng.pin(0, "errors") - errors - 9 * more) <= 9 and more > 10
    eng.mem_fault(0, 0, 65536, on=False)
    eng.run(20 * US)
    assert eng.mem_read(0, 0, 65536) != before


def outcome(path: str, threads: int, steps: list[int]) -> tuple[str, list[int]]:
    eng = cluster(path, threads)
    eng.start()
    for s in steps:
        eng.run(s)
    return eng.digest(), [eng.pin(n, "rounds") for n in range(4)]


def test_threads_and_windows(walker: str) -> None:
    first = outcome(walker, 1, [100 * US])
    for threads, steps in [(2, [100 * US]), (8, [100 * US]), (2, [33_333] * 3000 + [1_000])]:
        assert outcome(walker, threads, steps) == first


def test_the_digest_is_of_the_content(walker: str) -> None:
    """Neither the way there nor pages of zeros count; every byte does."""
    digests = []
    for writes in (
        [(5, b"a")],
        [(5, b"b")],
        [(5, b"x"), (5, b"a"), (1 << 30, bytes(5000))],
        [(6, b"a")],
    ):
        eng = Engine(1)
        n = eng.add_node("n", walker, {"clk": 6400})
        eng.start()
        for addr, data in writes:
            eng.mem_write(n, addr, data)
        digests.append(eng.digest())
        # An earlier page is written again: its part of the digest must not be an old one.
        eng.mem_write(n, 5, b"a")
        eng.mem_write(n, 6, bytes(1))
        digests.append(eng.digest())
    assert digests[0] == digests[4] == digests[1] == digests[3] == digests[5] == digests[7]
    assert len(set(digests)) == 3


def test_a_recording_holds_what_python_wrote(walker: str, tmp_path: Path) -> None:
    path = tmp_path / "r.kumirec"
    eng = cluster(walker, 2)
    eng.record(str(path))
    eng.mem_fault(3, 0x4000, 4096)
    eng.start()
    rng = random.Random(4)
    for i in range(20):
        eng.run(3 * US + 777 * i)
        eng.mem_write(i % 4, rng.randrange(65536), rng.randbytes(rng.randrange(1, 9000)))
        eng.mem_fault(2, 0x1000 * i, 100, i % 3 != 0)
        eng.flush()
    eng.run(20 * US)
    digest = eng.digest()
    content = [eng.mem_read(n, 0, 70_000) for n in range(4)]
    eng.close()

    again = Engine(1, seed=7)
    for i in range(4):
        n = again.add_node(f"n{i}", walker, {"clk": 6400})
        again.set_memory(n, **CHANCE)
    result = again.replay(str(path))
    assert result["equal"] and result["complete"] and result["digest"] == digest
    assert [again.mem_read(n, 0, 70_000) for n in range(4)] == content
    with pytest.raises(EngineError, match="not the one of the recording"):
        cluster(walker, **settings(latency_ps=1)).replay(str(path))


def test_what_is_refused(walker: str, fake_node: str) -> None:
    eng = cluster(walker, nodes=1)
    f = eng.add_node("f", fake_node, {"clk": 6400, "aux_clk": 5000})
    with pytest.raises(EngineError, match="no memory port 'hots'; it has 'host'"):
        eng.mem_read(0, 0, 1, port="hots")
    with pytest.raises(EngineError, match="no memory port ''; it has none"):
        eng.mem_write(f, 0, b"x")
    eng.start()
    with pytest.raises(EngineError, match="must come before start"):
        eng.set_memory(0)


FILE = """\
nodes:
  a: {design: DESIGN, ip: none, memories: {host: {size: 64 KiB, latency: 300 ns, jitter: 50 ns}}}
  x: {design: LANES, ip: none}
  y: {design: LANES, ip: none}
cables:
  - {between: [x.l0, y.l0], latency: 300 ns, ber: 1e-12, skew: 20 ns}
"""


def test_the_cluster_file_and_the_python_cluster(tmp_path: Path) -> None:
    """Memories and lanes end to end, as a user writes them."""
    name = top_name(2, True, False)
    lanes = tmp_path / f"{name}.sv"
    lanes.write_text(top_text(2))
    lanes.with_suffix(".f").write_text(f"{HW / 'kumi_tb_lane.sv'}\n")
    file = tmp_path / "c.yaml"
    file.write_text(FILE.replace("DESIGN", str(WALK)).replace("LANES", str(lanes)))
    with Cluster(file) as c:
        memory = c["a"].memory()
        memory.write(0, bytes(range(256)) * 256)
        c["a"].set_pin("go", 1)
        c.run("100 us")
        c["a"].set_pin("go", 0)
        c.run("2 us")
        rounds = c["a"].pin("rounds")
        assert memory.read(0, 65536) == walked(bytearray(bytes(range(256)) * 256), rounds)
        assert memory.stats["write_bursts"] == rounds > 50
        assert 600_000 < 102_000_000 / rounds < 1_000_000
        memory.fault(0, 16)
        assert c["x"].pin("locked") == c["y"].pin("locked") == 3
        c.plug("x.l0_1", False)
        c.plug("y.l0", False, at="130 us")
        c.run("20 us")
        assert c["y"].pin("locked") == 1
        c.run("20 us")
        assert c["y"].pin("locked") == 0
        c.plug("y.l0")
        c.run("50 us")
        assert c["y"].pin("locked") == 3
        with pytest.raises(KumiError, match=r"no cable at x\.l1"):
            c.plug("x.l1")
        with pytest.raises(KumiError, match="has no memory port hots"):
            c["a"].memory("hots")
        with pytest.raises(KumiError, match="has no memory port"):
            c["x"].memory()
