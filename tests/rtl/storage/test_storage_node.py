# SPDX-License-Identifier: Apache-2.0
"""The storage node with Serial ATA ports and disk models, beside the C++ array on files."""

from __future__ import annotations

import random
from pathlib import Path

from kumihimo import _storage
from kumihimo.storage import node
from kumihimo.storage.node_sim import SimulatedNode

CHUNK = 4096
FAST = {"read_rate": 5e9, "write_rate": 5e9, "latency_ps": 0, "write_latency_ps": 0, "jitter_ps": 0}


def test_same_bytes_on_disk_models(tmp_path: Path) -> None:
    """Single parity on four disks; one is unplugged, the array goes on; the rebuild is the same."""
    rng = random.Random(1)
    shape = {"chunk_log2": 12, "k": 2, "p": 1, "dynamic": False, "seed": 9}
    rates = {"read_mbs": [300.0, 400.0, 500.0, 450.0], "write_mbs": [300.0, 400.0, 500.0, 450.0]}
    mine = [tmp_path / f"node{i}.img" for i in range(4)]
    theirs = [tmp_path / f"file{i}.img" for i in range(4)]
    for path in (*mine, *theirs):
        path.write_bytes(bytes(384 << 10))
    sim = SimulatedNode(mine, **FAST)
    node.create(sim.link, sim.disks, **shape, **rates)
    array_in_node = sim.open()
    files = [_storage.FileDevice(str(path)) for path in theirs]
    _storage.Array.create(files, **shape, **rates)
    array = _storage.Array.open(files)
    volume = _storage.Volume(array)
    content: dict[int, bytes] = {}

    def write(logical: int) -> None:
        content[logical] = rng.randbytes(2 * CHUNK)
        volume.write(logical * 2 * CHUNK, content[logical])
        array_in_node.write_stripe(logical, content[logical])

    def commit() -> None:
        array.commit()
        array_in_node.commit()

    def same() -> None:
        for i, path in enumerate(theirs):
            assert sim.models[i].read(0, 384 << 10, cached=False) == path.read_bytes(), f"disk {i}"

    for _ in range(8):
        write(rng.randrange(10))
    commit()
    same()
    sim.models[2].fault("unplug")
    files[2].die()
    for _ in range(4):
        write(rng.randrange(10))
    commit()
    assert array_in_node.super.entry(2).state == "failed"
    for logical, data in content.items():
        assert b"".join(array_in_node.read_chunk(logical, j) for j in range(2)) == data
    array.heal(0, array_in_node.stripes)
    array_in_node.heal(0, array_in_node.stripes)
    array.finish_rebuild()
    array_in_node.finish_rebuild()
    assert array_in_node.degraded_stripes() == 0
    same()
