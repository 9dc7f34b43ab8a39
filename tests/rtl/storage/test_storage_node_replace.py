# SPDX-License-Identifier: Apache-2.0
"""Disks of a served node are replaced while programs that were not written here use it."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from array_pair import Pair
from kumihimo import _storage
from kumihimo.common.errors import KumiError
from kumihimo.storage import control, node
from kumihimo.storage.node.config import SlotOp
from kumihimo.storage.node.replace import replace
from kumihimo.storage.node.simulated import SimulatedNode

SIZE = 1 << 20
FAST = {"read_rate": 5e9, "write_rate": 5e9, "latency_ps": 0, "write_latency_ps": 0, "jitter_ps": 0}
KUMI = [sys.executable, "-m", "kumihimo.cli", "storage"]


@pytest.fixture(autouse=True)
def tools() -> None:
    missing = [tool for tool in ("nbdcopy", "qemu-img") if not shutil.which(tool)]
    if missing:
        pytest.fail(f"{', '.join(missing)} is missing: make setup-test")


def empty(path: Path, size: int = SIZE) -> Path:
    path.write_bytes(bytes(size))
    return path


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def opened(paths: Sequence[Path], **options: Any) -> _storage.Array:
    return _storage.Array.open([_storage.FileDevice(str(path)) for path in paths], **options)


def create(paths: Sequence[Path], k: int, p: int) -> None:
    files = [_storage.FileDevice(str(empty(path))) for path in paths]
    # No seed: a served array is found by its UUID, and this test may run twice at a time.
    _storage.Array.create(files, chunk_log2=12, k=k, p=p, dynamic=False)


class Served:
    """A server of its own process, and its orders."""

    def __init__(self, disks: Sequence[Path], uri: str) -> None:
        self.uri = uri
        client = control.find(disks)
        assert client is not None
        self.client: control.Client = client

    def call(self, what: str, **request: Any) -> dict[str, Any]:
        return self.client.call(op=what, **request)

    def replace(self, device: int, path: Path, **request: Any) -> None:
        state = self.call("replace", device=device, path=str(path), **request)
        assert not state["rebuild"]["verify"]
        assert state["rebuild"]["total"] == state["array"]["stripes"]

    def rebuilt(self) -> dict[str, Any]:
        """The state when the rebuild has ended."""
        while (state := self.call("status"))["rebuild"]["running"]:
            time.sleep(0.2)  # to look is work for the node
        assert not state["rebuild"]["problem"]
        assert state["rebuild"]["done"] == state["rebuild"]["total"]
        assert not state["degraded_stripes"]
        assert all(d["chunks"] for d in state["devices"])
        return state

    def write(self, folder: Path, data: bytes) -> subprocess.Popen[bytes]:
        (folder / "image").write_bytes(data)
        return subprocess.Popen(["nbdcopy", "--flush", str(folder / "image"), self.uri])

    def read(self, folder: Path) -> bytes:
        convert = ["qemu-img", "convert", "-f", "raw", "-O", "raw", self.uri, str(folder / "back")]
        subprocess.run(convert, check=True, timeout=240)
        return (folder / "back").read_bytes()


@contextlib.contextmanager
def served(folder: Path, disks: Sequence[Path], *options: str) -> Iterator[Served]:
    words = [*KUMI, "serve", *map(str, disks), "--node", "--socket", str(folder / "n.sock")]
    server = subprocess.Popen([*words, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield Served(disks, server.stdout.readline().strip())
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(120) == 0


def places(state: dict[str, Any]) -> dict[int, tuple[str, str]]:
    return {d["index"]: (d["state"], d["name"]) for d in state["devices"]}


def right(paths: Sequence[Path], data: bytes) -> None:
    """The C++ array finds the image on these disks, and nothing to mend."""
    array = opened(paths)
    assert not array.degraded_stripes()
    assert _storage.Volume(array).read(0, len(data)) == data
    array.repair(0, array.info()["stripes"], True)
    assert array.info()["repaired"] == 0


def test_free_port(tmp_path: Path) -> None:
    """Through the command line: a disk that works, then one that failed; and what is refused."""
    disks = [tmp_path / f"{i}.img" for i in range(3)]
    create(disks, 2, 1)
    foreign = [tmp_path / f"foreign{i}.img" for i in range(2)]
    create(foreign, 1, 1)
    wrong = {
        (0, foreign[0]): "belongs to array",
        (0, disks[1]): "belongs to array",
        (0, empty(tmp_path / "small.img", SIZE // 2)): "too small",
        (0, tmp_path / "none.img"): "not there",
        (0, tmp_path): "neither a file",
        (9, empty(tmp_path / "good.img")): "no device 9",
    }
    with served(tmp_path, disks, "--ports", "4") as server:
        size = opened_size(server.uri)
        data = random.Random(1).randbytes(160 << 10).ljust(size, b"\0")
        assert server.write(tmp_path, data).wait(240) == 0
        before = server.call("status")
        for (device, path), why in wrong.items():
            with pytest.raises(KumiError, match=why):
                server.replace(device, path)
        with pytest.raises(KumiError, match="in use"):
            server.replace(0, disks[1], force=True)
        # A node that was built for fewer slots.
        large = sparse(tmp_path / "large.img", 1 << 30)
        with pytest.raises(KumiError, match="too large: 256 MiB at most"):
            control.check_replacement(before, 0, large, force=False, most_slots=1 << 16)
        after = server.call("status")
        assert (after["array"], after["devices"]) == (before["array"], before["devices"])

        new = tmp_path / "new.img"
        words = ["replace", str(disks[1]), "--device", "0", "--with", str(new), "--size", "1M"]
        told = subprocess.check_output([*KUMI, *words, "--json"], text=True, timeout=240)
        state = json.loads(told)
        assert not state["rebuild"]["problem"] and not state["degraded_stripes"]
        active = {1: ("active", "port 1"), 2: ("active", "port 2"), 3: ("active", "port 3")}
        assert places(state) == active
        rates = [(d["read_mbs"], d["write_mbs"]) for d in state["devices"] if d["index"] == 3]
        assert min(rates[0]) > 100 and max(rates[0]) < 600  # the model's; the line carries 600

        # It has been forgotten, so it is taken out, and may come back as a new one.
        server.call("fail", device=2)
        with pytest.raises(KumiError, match="belongs to array"):
            server.replace(2, disks[0])
        server.replace(2, disks[0], force=True, limit=1.0)
        assert places(server.rebuilt()) == {
            0: ("active", "port 0"),
            1: ("active", "port 1"),
            3: ("active", "port 3"),
        }
        assert server.read(tmp_path) == data
    right([disks[0], disks[1], new], data)
    with pytest.raises(_storage.StorageError, match="removed"):
        opened([disks[1], disks[2], new])


def opened_size(uri: str) -> int:
    told = subprocess.check_output(["qemu-img", "info", "--output", "json", uri], timeout=120)
    return int(json.loads(told)["virtual-size"])


def test_no_free_port(tmp_path: Path) -> None:
    """Stripes as wide as the node has ports: the old disk is pulled out of its bay."""
    disks = [tmp_path / f"{i}.img" for i in range(4)]
    create(disks, 3, 1)
    with served(tmp_path, disks) as server:
        size = opened_size(server.uri)
        rng = random.Random(2)
        data = rng.randbytes(240 << 10).ljust(size, b"\0")
        assert server.write(tmp_path, data).wait(240) == 0
        server.call("fail", device=2)
        with pytest.raises(KumiError, match="Replace what has failed first"):
            server.replace(1, empty(tmp_path / "more.img"))
        assert places(server.call("status"))[1] == ("active", "port 1")
        assert server.call("status")["degraded_stripes"] == 20
        server.replace(2, empty(tmp_path / "first.img"))
        all_there = {i: ("active", f"port {i}") for i in range(4)}
        assert places(server.rebuilt()) == all_there
        # One that works, while the image is overwritten.
        data = rng.randbytes(200 << 10) + data[200 << 10 :]
        writer = server.write(tmp_path, data)
        server.replace(1, empty(tmp_path / "second.img"))
        assert writer.wait(240) == 0
        assert places(server.rebuilt()) == all_there
        assert server.read(tmp_path) == data
    right([disks[0], disks[3], tmp_path / "first.img", tmp_path / "second.img"], data)
    with pytest.raises(_storage.StorageError, match="removed"):
        opened([disks[0], disks[3], disks[1]])


def test_free_port_but_no_number(tmp_path: Path) -> None:
    """A disk is missing from the start; the node has a port for the new one, and no number."""
    disks = [tmp_path / f"{i}.img" for i in range(4)]
    create(disks, 2, 1)
    volume = _storage.Volume(opened(disks))
    data = random.Random(3).randbytes(96 << 10)
    volume.write(0, data)
    volume.flush()
    del volume
    sim = SimulatedNode([disks[0], disks[1], disks[3]], **FAST)
    array = sim.open(degraded=True)
    assert sim.ports == 4 and not array.has_free_number()
    with pytest.raises(KumiError, match="whole sectors"):
        replace(array, sim, 2, empty(tmp_path / "odd.img", SIZE + 100))
    with pytest.raises(KumiError, match="does not work at port 3"):
        replace(array, sim, 2, disks[1])  # it is in use
    assert array.state(2) == "failed" and list(sim.at) == [0, 1, 2]
    new = empty(tmp_path / "new.img")
    replace(array, sim, 2, new)
    assert sim.at[3] == new and array.state(2) == "active"
    # Another one, which has what is not on the new one yet, and all ports are taken.
    with pytest.raises(KumiError, match="no free port, and without device 0"):
        replace(array, sim, 0, empty(tmp_path / "more.img"))
    assert array.state(0) == "active" and sim.at[0] == disks[0]
    array.repair_range(0, array.stripes)
    array.finish_rebuild()
    sim.settle()
    for port in list(sim.at):
        sim.pull(port)
    right([disks[0], disks[1], disks[3], new], data)


def test_power_is_cut_while_a_number_changes_hands(tmp_path: Path) -> None:
    """The disks as they were before each request: the others have everything, with the new or not.

    As wide as there are disks, so that nothing can be rebuilt before the new one is there.
    """
    pair = Pair(tmp_path, (4, 3, 1), seed=83, spare=512 << 10)
    pair.write(*range(9))
    pair.unmap(4)
    pair.commit()
    pair.node.fail(1)
    with pytest.raises(_storage.StorageError, match="not failed"):
        pair.node.evict(0)
    assert pair.node.unreadable_without(1) == 0 and pair.node.unreadable_without(0) >= 8
    pair.node.disk_removed(1)
    with pytest.raises(_storage.StorageError, match="no room for the slots"):  # 2^24 were built
        pair.node._config.wait_all([pair.node._config.slot_op(SlotOp.SIZE, 1, (1 << 24) + 1)])
    assert pair.node.super.entries == 4 and 4 not in pair.node.port_of
    moments: list[list[bytes]] = []
    left = [0, 2, 3, 4]
    every = [*pair.disks, *pair.spare]
    for port in pair.bench.ports:
        port.before = lambda: moments.append([bytes(every[i]) for i in left])
    pair.node.evict(1)
    without = len(moments)
    assert pair.node.add(node.Disk(4, 512 << 10), 200_000, 200_000) == 1
    moments.append([bytes(every[i]) for i in left])
    assert without == 3 * (6 + 4)  # a log that moves, and two superblocks, with their flushes
    assert len(moments) - without > 20
    for port in pair.bench.ports:
        port.before = None
    started = 0
    for i, contents in enumerate(moments):
        paths = [tmp_path / f"cut{i}_{d}.img" for d in range(4)]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        try:
            array = opened(paths)  # as soon as one disk knows that the new one is in
            started += 1
            array.repair(0, pair.node.stripes)
            made = array.info()["repaired"]
            array.repair(0, pair.node.stripes, True)
            assert array.info()["repaired"] == made and not array.degraded_stripes(), i
        except _storage.StorageError as refused:
            assert started == 0 and "is not a disk of a storage array" in str(refused), i
            array = opened(paths[:3], degraded=True)
        volume = _storage.Volume(array)
        for logical in range(10):
            want = pair.content.get(logical, bytes(pair.stripe))
            assert volume.read(logical * pair.stripe, pair.stripe) == want, (i, logical)
    assert started > 2
    pair.node.repair(0, pair.node.stripes)
    pair.node.finish_rebuild()
    assert pair.node.degraded_stripes() == 0
    pair.check()


def test_what_has_failed_is_first(tmp_path: Path) -> None:
    """The same without a node: what cannot leave is refused before the new one has joined."""
    disks = [tmp_path / f"{i}.img" for i in range(3)]
    create(disks, 2, 1)
    array = opened(disks)
    array.fail(1)
    before = control.describe(array, None)
    with pytest.raises(KumiError, match="Replace what has failed first"):
        control.replace(array, 0, empty(tmp_path / "new.img"), force=False)
    assert control.describe(array, None) == before
    control.replace(array, 1, tmp_path / "new.img", force=False)
    array.repair(0, array.info()["stripes"])
    array.finish_rebuild()
    control.replace(array, 0, empty(tmp_path / "more.img"), force=False)


def test_ports(tmp_path: Path) -> None:
    with pytest.raises(KumiError, match="at most 16 ports, not 17"):
        SimulatedNode([empty(tmp_path / "0.img")], ports=17)
    plain = subprocess.run(
        [*KUMI, "serve", str(tmp_path / "0.img"), "--ports", "4"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert plain.returncode == 2 and "--node" in plain.stderr
