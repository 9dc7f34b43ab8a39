# SPDX-License-Identifier: Apache-2.0
"""A cluster file over ranks: Linux, registers, events, captures and counters in any rank."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import ClusterFileError, plan, plan_text
from kumihimo.common.errors import KumiError
from kumihimo.common.process import find_program
from kumihimo.ranks.partition import partition

FILE = """\
name: ranks
nodes:
  alice: {design: udp_echo, ip: 10.77.0.10/24, rank: 1}
  bob: {design: udp_echo, ip: 10.77.0.11/24, rank: 0}
switches:
  sw0: {ports: 4}
cables:
  - {between: [alice.eth0, sw0], latency: 700 ns}
  - {between: [bob.eth0, sw0]}
  - {between: [host0, sw0]}
taps:
  host0: {ip: 10.77.0.1/24}
events:
  - {at: 3 ms, do: write, reg: alice.echo.port, value: 9}
"""


def many(nodes: int, extra: str = "") -> str:
    lines = [f"  n{i}: {{design: udp_echo}}" for i in range(nodes)]
    cables = [f"  - {{between: [n{i}.eth0, sw{i * 2 // nodes}]}}" for i in range(nodes)]
    cables.append("  - {between: [sw0, sw1], latency: 5 us}")
    switches = "switches:\n  sw0: {ports: 16}\n  sw1: {ports: 16}"
    return "\n".join(["nodes:", *lines, switches, "cables:", *cables, extra, ""])


def test_ping_registers_and_replay(tmp_path: Path) -> None:
    """Linux is at rank 0; the recording replays in one process."""
    file, record, pcap = tmp_path / "c.yaml", tmp_path / "c.kumirec", tmp_path / "c.pcapng"
    file.write_text(FILE)
    ping = find_program("ping")
    assert ping, "ping is missing: apt-get install iputils-ping"
    with Cluster(file, ranks=2, threads=1, record=record, pcap=pcap) as cluster:
        assert cluster.namespace is not None
        with cluster.serving():
            for name in ("alice", "bob"):
                argv = [ping, "-c", "3", "-i", "0.1", "-W", "10", str(cluster[name].ip)]
                done = cluster.namespace.run(argv, 60)
                assert "3 received" in done.stdout, done.stdout + done.stderr
                cluster[name].regs.echo.port.write(8)
                assert cluster[name].regs.echo.port.read() == 8
        cluster.run("4 ms")
        assert cluster["alice"].regs.echo.port.read() == 9
        stats = cluster.stats()
        assert stats["nodes"]["alice"]["ports"]["eth0"]["rx_frames"] >= 3
        assert stats["ranks"]["1"]["neighbours"]["0"]["beats_in"] > 0
        digest = cluster.digest()
    again = Cluster(file, threads=1, offline=True, pcap=tmp_path / "again.pcapng")
    result = again.replay(record)
    again.close()
    assert result["equal"] and result["complete"] and result["digest"] == digest
    assert (tmp_path / "again.pcapng").read_bytes() == pcap.read_bytes()


def test_a_profile_gives_the_costs(tmp_path: Path) -> None:
    """The cut goes through the long cable, and follows measured costs."""
    file = tmp_path / "c.yaml"
    file.write_text(many(8))
    costs = dict.fromkeys([f"n{i}" for i in range(8)], 1.0)
    made = partition(plan(file), 2, costs)
    assert made.cut == 1 and made.borders[0].lookahead_ps == 5_000_000
    assert made.balance == 1.0
    assert {made.owners[f"n{i}"] for i in range(4)} == {made.owners["sw0"]}
    heavy = partition(plan(file), 2, costs | {"n0": 7.0})
    assert heavy.balance <= 1.2 and len(heavy.holds(heavy.owners["n0"])) <= 3
    four = partition(plan(file), 4, costs)
    assert four.balance <= 1.5 and sorted(set(four.owners.values())) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("change", "ranks", "sentence"),
    [
        (("n0: {design: udp_echo}", "n0: {design: udp_echo, rank: 3}"), 3, "there are 3 ranks"),
        (("", ""), 40, "8 nodes and switches, too few for 40 ranks"),
        (("{design: udp_echo}", "{design: udp_echo, rank: 0}"), 3, "leave nothing for rank"),
    ],
)
def test_refused(tmp_path: Path, change: tuple[str, str], ranks: int, sentence: str) -> None:
    file = tmp_path / "c.yaml"
    text = many(6).replace(*change) if change[0] else many(6)
    if "leave" in sentence:
        text = text.replace("{ports: 16}", "{ports: 16, rank: 0}")
    file.write_text(text)
    with pytest.raises(KumiError, match=sentence):
        partition(plan(file), ranks, dict.fromkeys([f"n{i}" for i in range(6)], 1.0))


def test_a_ring_of_lanes_is_cut() -> None:
    """Half of its boards a rank, and two cables between; guests bind their nodes."""
    root = Path(__file__).resolve().parents[2]
    costs = {f"n{i}": 1.0 for i in range(4)}
    made = partition(plan(root / "examples/link_ring.yaml"), 2, costs)
    assert (made.cut, made.cables, made.balance) == (2, 4, 1.0)
    assert made.borders[0].lookahead_ps == 50_000
    guest = plan(root / "examples/guest_ping.yaml")
    assert partition(guest, 2, {"card": 1.0, "echo": 1.0}).owners == {"card": 0, "echo": 1}


def test_what_joins_the_outside_stays_in_rank_0() -> None:
    """A node with a guest goes there by itself, unless it is pinned; a TAP cannot be."""
    root = Path(__file__).resolve().parents[2]
    text = (root / "examples/guest_ping.yaml").read_text()
    costs = {"card": 1.0, "echo": 1.0}
    elsewhere = text.replace("{design: udp_echo,", "{design: udp_echo, rank: 1,")
    assert partition(plan_text(elsewhere, "c.yaml"), 2, costs).owners == {"card": 0, "echo": 1}
    pinned = text.replace("{design: nic,", "{design: nic, rank: 1,")
    assert partition(plan_text(pinned, "c.yaml"), 2, costs).owners == {"card": 1, "echo": 0}
    tap = FILE.replace("host0: {ip: 10.77.0.1/24}", "host0: {ip: 10.77.0.1/24, rank: 1}")
    with pytest.raises(ClusterFileError, match=r"taps\.host0\.rank: there is no field `rank`"):
        plan_text(tap, "c.yaml")


def test_commands(tmp_path: Path) -> None:
    """`kumi up --ranks 2 --plan`, and a run in the background that other commands find."""
    from kumihimo.cli.app import app
    from typer.testing import CliRunner

    file, stats = tmp_path / "c.yaml", tmp_path / "c.json"
    file.write_text(FILE)
    shown = CliRunner().invoke(app, ["up", str(file), "--ranks", "2", "--plan", "--json"])
    made = json.loads(shown.output[shown.output.index("{") :])
    assert [row["holds"] for row in made["ranks"]][1] == ["alice"]
    assert made["borders"] == [{"ranks": [0, 1], "cables": 1, "lookahead_ps": 700_000}]
    argv = [sys.executable, "-m", "kumihimo.cli", "up", str(file), "--ranks", "2"]
    argv += ["--until", "200 us", "--stats", str(stats)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    counters = json.loads(stats.read_text())
    assert counters["engine"]["now_ps"] >= 200_000_000  # counters are read after it
    again = CliRunner().invoke(
        app, ["up", str(file), "--ranks", "2", "--plan", "--json", "--profile", str(stats)]
    )
    assert again.exit_code == 0, again.output
