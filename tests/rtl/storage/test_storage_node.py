# SPDX-License-Identifier: Apache-2.0
"""The storage node with Serial ATA ports and disk models, beside the C++ array on files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo import _storage
from kumihimo.common.errors import KumiError
from kumihimo.regs import RegisterMap
from kumihimo.storage import node
from kumihimo.storage.node.simulated import BUILT, SimulatedNode

CHUNK = 4096
FAST = {"read_rate": 5e9, "write_rate": 5e9, "latency_ps": 0, "write_latency_ps": 0, "jitter_ps": 0}


def same_bytes(folder: Path, disks: int, k: int, p: int, lost: tuple[int, ...]) -> None:
    """Written here and in C++; disks are unplugged, the array goes on; the rebuild is the same."""
    rng = random.Random(1)
    shape = {"chunk_log2": 12, "k": k, "p": p, "dynamic": False, "seed": 9}
    rates = [(300.0, 400.0, 500.0, 450.0)[i % 4] for i in range(disks)]
    mine = [folder / f"node{i}.img" for i in range(disks)]
    theirs = [folder / f"file{i}.img" for i in range(disks)]
    for path in (*mine, *theirs):
        path.write_bytes(bytes(384 << 10))
    sim = SimulatedNode(mine, **FAST)
    node.create(sim.link, sim.disks, **shape, read_mbs=rates, write_mbs=rates)
    array_in_node = sim.open()
    files = [_storage.FileDevice(str(path)) for path in theirs]
    _storage.Array.create(files, **shape, read_mbs=rates, write_mbs=rates)
    array = _storage.Array.open(files)
    volume = _storage.Volume(array)
    content: dict[int, bytes] = {}

    def write(logical: int) -> None:
        content[logical] = rng.randbytes(k * CHUNK)
        volume.write(logical * k * CHUNK, content[logical])
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
    for i in lost:
        sim.models[i].fault("unplug")
        files[i].die()
    for _ in range(4):
        write(rng.randrange(10))
    commit()
    assert [array_in_node.super.entry(i).state for i in lost] == ["failed"] * len(lost)
    for logical, data in content.items():
        assert b"".join(array_in_node.read_chunk(logical, j) for j in range(k)) == data
    array.repair(0, array_in_node.stripes)
    array_in_node.repair(0, array_in_node.stripes)
    array.finish_rebuild()
    array_in_node.finish_rebuild()
    assert array_in_node.degraded_stripes() == 0
    same()


def test_same_bytes_on_disk_models(tmp_path: Path) -> None:
    """Single parity on four disks."""
    same_bytes(tmp_path, 4, 2, 1, (2,))


class Bus:
    """Registers of the node."""

    def __init__(self, sim: SimulatedNode) -> None:
        self.read, self.write = sim.dut.axil_read, sim.dut.axil_write


def test_registers(tmp_path: Path) -> None:
    """The table of blocks, every port's own registers, and nothing beyond the last one."""
    paths = [tmp_path / f"{i}.img" for i in range(3)]
    for i, path in enumerate(paths):
        path.write_bytes(bytes((256 + 4 * i) << 10))
    sim = SimulatedNode(paths, **FAST)
    regs = RegisterMap(Bus(sim))
    assert regs.design == "storage"
    assert list(regs)[:6] == ["id", "storage", "sata", "sata1", "sata2", "sata3"]
    assert regs["storage"]["info"].get("ports") == sim.ports == 4
    ports = [regs["sata"], regs["sata1"], regs["sata2"], regs["sata3"]]
    assert [p.base for p in ports] == [0x2000, 0x3000, 0x4000, 0x5000]
    assert [p.status.get("ready") for p in ports] == [1, 1, 1, 0]
    assert [p.sectors_lo.read() for p in ports[:3]] == [512, 520, 528]
    for address in (0x6000, 0x10_2000, 0xFFFF_F000):
        assert sim.dut.axil_response(False, address) == 3  # DECERR
        assert sim.dut.axil_response(True, address) == 3
    assert regs.design == "storage"


def test_more_disks_than_ports(tmp_path: Path) -> None:
    paths = [tmp_path / f"{i}.img" for i in range(BUILT[-1] + 1)]
    with pytest.raises(KumiError, match="at most 16 ports, not 17"):
        SimulatedNode(paths)
