# SPDX-License-Identifier: Apache-2.0
"""Disks of a cluster: their section, content and faults from Python, recordings, threads, ranks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from kumihimo.cluster import Cluster, Node
from kumihimo.cluster.channel import ChannelTimeout
from kumihimo.clusterfile import ClusterFileError, plan
from kumihimo.common.errors import KumiError

DESIGN = Path(__file__).parents[1] / "sim/hw/kumi_node_sata_fis.sv"
SECTOR = 512
REGISTERS, ACTIVATE, DATA = 0x34, 0x39, 0x46
FILE = f"""
seed: 5
defaults:
  node: {{design: {DESIGN}, clocks: {{clk: 150 MHz}}, ip: none}}
nodes:
  a:
  b:
disks:
  fast: {{port: a.s0, size: 8 MiB, read_rate: 560 MB/s, latency: 5 us}}
  slow:
    port: b.s0
    profile: hdd
    file: slow.img
    size: 4 MiB
    rpm: 20000
    seek_min: 10 us
    seek_max: 50 us
    faults:
      - {{at: 3 ms, do: slow, factor: 2}}
      - {{at: 4 ms, do: unplug}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "disks.yaml"
    path.write_text(FILE)
    return path


def some(seed: int, sectors: int) -> bytes:
    return random.Random(seed).randbytes(sectors * SECTOR)


def command(opcode: int, lba: int, count: int) -> bytes:
    fis = [0x8027 | opcode << 16, lba | 0x40 << 24, 0, count, 0]
    return b"".join(w.to_bytes(4, "little") for w in fis)


class Port:
    """One disk after another command, through the channels of a node."""

    def __init__(self, node: Node) -> None:
        self.fis, self.done = node.channel("fis"), node.channel("done")

    def next(self, kind: int) -> bytes:
        got = bytes(self.fis.read(timeout="20 ms"))
        assert got[0] == kind
        return got

    def give(self, fis: bytes) -> None:
        code = 6  # the disk was first: again
        while code == 6:
            self.fis.write(fis)
            code = self.done.read(timeout="1 ms")
        assert code == 0

    def write(self, lba: int, data: bytes) -> None:
        self.give(command(0x35, lba, len(data) // SECTOR))
        for at in range(0, len(data), 8192):
            self.next(ACTIVATE)
            self.give(bytes([DATA, 0, 0, 0]) + data[at : at + 8192])
        assert self.next(REGISTERS)[2] == 0x50

    def read(self, lba: int, count: int) -> bytes:
        self.give(command(0x25, lba, count))
        out = b"".join(self.next(DATA)[4:] for _ in range(0, count, 16))
        assert self.next(REGISTERS)[2] == 0x50
        return out


def work(cluster: Cluster) -> None:
    """The same in every run: commands, content from outside, a fault."""
    a, b = Port(cluster["a"]), Port(cluster["b"])
    for port in (a, b):
        assert port.next(REGISTERS)[3] == 1  # the signature
    cluster.disks["fast"].write(9 * SECTOR, some(9, 1))
    a.write(10, some(1, 40))
    b.write(20, some(2, 20))
    assert a.read(9, 41) == some(9, 1) + some(1, 40)
    assert b.read(20, 20) == some(2, 20)
    cluster.disks["fast"].fault("corrupt", lba=12)
    assert a.read(12, 1) != some(1, 40)[2 * SECTOR : 3 * SECTOR]
    cluster.run("100 us")


def test_content_and_stats(file: Path) -> None:
    with Cluster(file) as cluster:
        work(cluster)
        fast, slow = cluster.disks["fast"], cluster.disks["slow"]
        assert (fast.size, slow.size) == (8 << 20, 4 << 20)
        assert fast.read(10 * SECTOR + 7, 100) == some(1, 40)[7:107]
        assert fast.stats["port"] == "a.s0" and fast.stats["sectors_written"] == 40
        assert slow.stats["linked"] == 1
        cluster.run("5 ms")
        assert cluster.now_ps > 4 * 10**9
        assert slow.stats["linked"] == 0 and fast.stats["linked"] == 1
        with pytest.raises(ChannelTimeout):
            cluster["b"].channel("fis").read(timeout="100 us")
        slow.fault("plug")
        Port(cluster["b"]).next(REGISTERS)
        with pytest.raises(KumiError, match='mean "corrupt"'):
            fast.fault("corupt", lba=1)
    assert (file.parent / "slow.img").read_bytes()[20 * SECTOR : 40 * SECTOR] == some(2, 20)


def test_recording(file: Path, tmp_path: Path) -> None:
    """A replay has the disks' content and faults, and writes to no file."""
    record = tmp_path / "run.kumi"
    digests = []
    for threads, ranks in ((1, 1), (2, 1), (1, 2)):
        (tmp_path / "slow.img").unlink(missing_ok=True)
        with Cluster(file, threads=threads, ranks=ranks, record=record) as cluster:
            work(cluster)
            digests.append(cluster.digest())
    assert len(set(digests)) == 1
    image = tmp_path / "slow.img"
    image.write_bytes(bytes(4 << 20))
    for ranks in (1, 2):
        with Cluster(file, ranks=ranks) as cluster:
            result = cluster.replay(record)
            assert result["equal"] and result["complete"] and result["digest"] == digests[0]
            assert cluster.disks["fast"].read(9 * SECTOR, SECTOR) == some(9, 1)
    assert image.read_bytes() == bytes(4 << 20)


def test_rest(file: Path) -> None:
    """A cluster whose disks rest sleeps; one that is written to does not."""
    with Cluster(file) as cluster:
        work(cluster)
        cluster.run("5 ms")
        cluster.disks["slow"].fault("plug")  # a host without a disk does not rest
        cluster.run("5 ms")
        sleeps = cluster.stats()["engine"]["sleeps"]
        turns = iter(range(5))
        cluster.serve(lambda: next(turns, None) is None)
        assert cluster.stats()["engine"]["sleeps"] > sleeps


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("port: a.s0", "port: a.s1"), "no disk port `s1`; it has s0"),
        (("port: a.s0", "port: c.s0"), "no node called `c`"),
        (("port: a.s0", "port: b.s0"), "already has a disk"),
        (("size: 8 MiB", "size: 1000"), "multiple of 512"),
        (("size: 8 MiB, ", ""), "needs a `size`, a `file`, or both"),
        (("560 MB/s", "560 Mb/s"), "a rate in bytes like"),
        (("do: unplug", "do: unplugg"), 'mean "unplug"'),
        (("do: unplug", "do: unplug, lba: 3"), "no argument lba"),
        (("file: slow.img", "file: none/slow.img"), "there is no folder"),
        (("file: slow.img", "file: slow.img\n    snapshot: true"), "there is no file"),
        (("profile: hdd", "profile: tape"), "found `tape`"),
        (("  fast:", "  b:"), "names must differ"),
        (("seek_min", "seek_mim"), 'mean "seek_min"'),
    ],
)
def test_bad_files(tmp_path: Path, change: tuple[str, str], text: str) -> None:
    assert change[0] in FILE
    path = tmp_path / "bad.yaml"
    path.write_text(FILE.replace(*change, 1))
    with pytest.raises(ClusterFileError) as problem:
        plan(path)
    assert text in str(problem.value)


def test_no_disk_there(tmp_path: Path) -> None:
    """A port without a disk is dark; two disks cannot have one file."""
    path = tmp_path / "few.yaml"
    path.write_text(FILE.split("disks:")[0])
    with Cluster(path) as cluster:
        cluster.run("50 us")
        assert cluster["a"].pin("up") == 0 and cluster.disks == {}
    text: Any = FILE.replace("size: 8 MiB, ", "size: 4 MiB, file: slow.img, ")
    path.write_text(text)
    with pytest.raises(ClusterFileError, match="another disk has this file"):
        plan(path)
