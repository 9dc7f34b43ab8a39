# SPDX-License-Identifier: Apache-2.0
"""Linux guests whose cards are in different ranks: traffic, registers, resets, replay."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.common.errors import KumiError
from kumihimo.guest import missing
from kumihimo.ranks.building import Building

if missing():
    pytest.fail(f"this test needs the Debian packages {' '.join(missing())}")

FILE = """
name: ranked
nodes:
  near: {design: nic, rank: 0}
  far: {design: nic, rank: 1}
cables:
  - {between: [near.eth0, far.eth0], latency: 500 ns}
guests:
  alice: {port: near.host, memory: 128M}
  bob: {port: far.host, memory: 128M}
"""
HERE = "ip addr add 10.77.0.{}/24 dev eth0; ip link set eth0 up; "
PING = "ping -c 3 -i 0.2 -W 20 10.77.0.{}"
SECONDS = 120
STATUS, NEEDS_RESET = 0x14, 64  # of the virtio device


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Short, since the path of a socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="kumi-") as made:
        monkeypatch.setenv("XDG_RUNTIME_DIR", made)
        file = Path(made) / "ranked.yaml"
        file.write_text(FILE)
        yield Path(made)


def same_again(file: Path, record: Path, digest: str, ranks: int) -> None:
    again = Cluster(file, threads=1, ranks=ranks, offline=True)
    result = again.replay(record)
    again.close()
    assert result["equal"] and result["complete"] and result["digest"] == digest
    assert result["events"] > 100


def test_a_guest_in_each_rank(folder: Path) -> None:
    """They reach each other; registers are read meanwhile; the recording has both."""
    file, record = folder / "ranked.yaml", folder / "c.kumirec"
    with Cluster(file, ranks=2, threads=1, record=record) as cluster:
        with (
            cluster.serving(),
            cluster.guest("alice", HERE.format(1) + "sleep 1000") as alice,
            cluster.guest("bob", HERE.format(2) + PING.format(1)) as bob,
        ):
            assert alice.running
            while bob.running:
                for name in ("near", "far"):
                    status = cluster.engine.axil_read(cluster[name].index, STATUS, port="host")
                    assert not status & NEEDS_RESET
            assert " 0% packet loss" in bob.finish(SECONDS)
        hosts = cluster.stats()["hosts"]
        assert all(hosts[name]["connects"] == 1 for name in ("alice", "bob"))
        digest = cluster.digest()
    for ranks in (1, 2):
        same_again(file, record, digest, ranks)


def test_a_guest_that_dies_and_a_card_that_starts_over(folder: Path) -> None:
    """In the rank that does not speak for the cluster; the next guest finds a fresh card."""
    file, record = folder / "ranked.yaml", folder / "c.kumirec"
    with Cluster(file, ranks=2, threads=1, record=record) as cluster:
        with cluster.serving():
            with cluster.guest("bob", HERE.format(2) + "echo sent before; sleep 1000") as bob:
                bob.wait_for("sent before")
                bob.kill()
            cluster.reset("far")
            with (
                cluster.guest("alice", HERE.format(1) + "sleep 1000"),
                cluster.guest("bob", HERE.format(2) + PING.format(1)) as bob,
            ):
                assert " 0% packet loss" in bob.finish(SECONDS)
        assert cluster.stats()["hosts"]["bob"]["connects"] == 2
        digest = cluster.digest()
    same_again(file, record, digest, 1)


def test_a_rank_on_another_machine_cannot_have_a_guest() -> None:
    class Apart(Building):
        def __init__(self) -> None:
            self._actors = [(1, True)]
            self._crew = type("Met", (), {"pids": {}})()

    with pytest.raises(KumiError, match="'bob' is in rank 1, which may be on another machine"):
        Apart().add_host("bob", (0, "host"), "bob.sock")
