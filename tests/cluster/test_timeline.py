# SPDX-License-Identifier: Apache-2.0
"""The timeline of a cluster file: events come at their times, and a replay has them too."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kumihimo.cluster import Cluster
from kumihimo.common.errors import KumiError
from test_why import ALICE, ALICE_IP, WIRE, Peer, datagram
from wire import ROOT

ECHO = f"""\
nodes:
  alice: {{design: udp_echo, ip: {ALICE_IP}/24, mac: "{ALICE}", regs: {{echo.port: 7}}}}
cables:
  - {{between: [wire, alice]}}
peers:
  wire: {{socket: wire.sock}}
events:
  - {{at: 45 us, do: write, reg: alice.echo.ctrl.enable, value: 0}}
  - {{at: 25 us, do: write, reg: alice.echo.port, value: 9}}
"""

LANES = f"""\
nodes:
  a: {{design: {ROOT}/tests/python/builder/hw/kumi_node_lane_wires.sv}}
cables:
  - {{between: [a.l0_0, a.l0_1], latency: 100 ns}}
events:
  - {{at: 10 us, do: unplug, cable: a.l0_0}}
  - {{at: 30 us, do: plug, cable: a.l0_0}}
"""


DISK = f"""\
nodes:
  a: {{design: {ROOT}/tests/python/builder/hw/kumi_node_sata_wires.sv}}
disks:
  d0: {{port: a.p0, size: 1 MiB}}
events:
  - {{at: 10 us, do: fault, disk: d0, fault: power_cut}}
  - {{at: 30 us, do: fault, disk: d0, fault: power_on}}
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a path short enough for sockets."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


def cluster(folder: Path, text: str, **more: Any) -> Cluster:
    (folder / "c.yaml").write_text(text)
    return Cluster(folder / "c.yaml", **more)


def counters(made: Cluster) -> tuple[int, int, int]:
    """Datagrams answered, for another port, and while disabled."""
    found = made["alice"].regs.echo.counters()
    return found["tx_datagrams"], found["drop_port"], found["drop_disabled"]


def test_registers_are_written_at_their_times(folder: Path) -> None:
    record = folder / "a.kumirec"
    with cluster(folder, ECHO, record=record) as made:
        wire = Peer(folder / "wire.sock")
        # Two datagrams of each port in each third of the timeline; one run crosses both events.
        wire.send(*[datagram(WIRE), datagram(WIRE, port=9)] * 2)
        assert made.run("20 us") == 20_000_000
        assert counters(made) == (2, 2, 0)
        made.run("10 us")
        wire.send(*[datagram(WIRE), datagram(WIRE, port=9)] * 2)
        made.run("10 us")
        assert counters(made) == (4, 4, 0)
        made.run("20 us")
        wire.send(*[datagram(WIRE), datagram(WIRE, port=9)] * 2)
        made.run("10 us")
        assert counters(made) == (4, 4, 4)
        digest, end = made.digest(), made.now_ps
    again = cluster(folder, ECHO, offline=True)
    result = again.replay(record)
    assert result["equal"] and result["complete"]
    assert (result["digest"], result["final_ps"]) == (digest, end)
    again.close()


def test_one_run_or_many(folder: Path) -> None:
    """The outcome does not depend on where runs end, nor on serving."""
    ends = []
    for spans in ([50], [25, 25], [24, 1, 10, 10, 5]):
        with cluster(folder, ECHO) as made:
            for span in spans:
                made.run(f"{span} us")
            ends.append((made.now_ps, made.digest(), made["alice"].regs.echo.ctrl.enable))
    with cluster(folder, ECHO) as made:
        assert made.serve(until="50 us") == "until"
        ends.append((made.now_ps, made.digest(), made["alice"].regs.echo.ctrl.enable))
    assert ends == [ends[0]] * 4 and ends[0][0] == 50_000_000 and ends[0][2] == 0


def test_serving_stops_between_events(folder: Path) -> None:
    with cluster(folder, ECHO.replace("45 us", "9 s")) as made:
        threading.Timer(0.3, made.engine.stop).start()
        assert made.serve() == "stopped"
        assert made["alice"].regs.echo.port.read() == 9


@pytest.mark.parametrize(
    ("reg", "says"),
    [
        ("alice.ecko.port", 'no register block `ecko`. Did you mean "echo"?'),
        ("alice.echo.prt", "there is no register `prt`"),
        ("alice.echo.rx_datagrams", "can only be read"),
        ("alice.echo.ctrl.enabel", "there is no field `enabel`"),
        ("alice.0x2003", "multiple of 4"),
    ],
)
def test_registers_are_checked_before_the_start(folder: Path, reg: str, says: str) -> None:
    made = cluster(folder, ECHO.replace("alice.echo.port", reg))
    with pytest.raises(KumiError) as caught:
        made.start()
    assert f"{folder / 'c.yaml'}:9: events[1]: " in str(caught.value) and says in str(caught.value)


def test_a_cable_is_pulled_and_plugged(folder: Path) -> None:
    record = folder / "l.kumirec"

    def lanes(made: Cluster) -> list[tuple[int, int]]:
        (cable,) = made.stats()["lanes"].values()
        return [(cable[way]["plugged"], cable[way]["plugs"]) for way in ("ab", "ba")]

    with cluster(folder, LANES, record=record) as made:
        seen = []
        for _ in range(4):
            made.run("9 us")
            seen.append(lanes(made))
        assert seen == [[(1, 1)] * 2, [(0, 1)] * 2, [(0, 1)] * 2, [(1, 2)] * 2]
        (cable,) = made.stats()["lanes"].values()
        # 20 us at 156.25 MHz.
        assert 3_120 <= cable["ab"]["lost"] <= 3_130
    again = cluster(folder, LANES)
    result = again.replay(record)
    assert result["equal"] and lanes(again) == [(1, 2)] * 2
    again.close()


CABLE = ECHO.replace("at: 45 us, do: write, reg: alice.echo.ctrl.enable, value: 0", "{0}").replace(
    "at: 25 us, do: write, reg: alice.echo.port, value: 9", "{1}"
)


def replayed(folder: Path, text: str, record: Path, made: Cluster) -> Cluster:
    """A replay of the recording, which must come out as the run of `made` did."""
    digest, end = made.digest(), made.now_ps
    made.close()
    again = cluster(folder, text, offline=True)
    result = again.replay(record)
    assert result["equal"] and (result["digest"], result["final_ps"]) == (digest, end)
    return again


def test_an_ethernet_cable_changes(folder: Path) -> None:
    record = folder / "e.kumirec"
    first, second = "at: 20 us, do: unplug, cable: alice", "at: 40 us, do: plug, cable: alice.eth0"
    text = CABLE.replace("{0}", first).replace("{1}", second)
    made = cluster(folder, text, record=record).start()
    wire = Peer(folder / "wire.sock")
    for span, answered in (("20 us", 3), ("20 us", 3), ("20 us", 6)):
        wire.send(*[datagram(WIRE)] * 3)
        made.run(span)
        assert counters(made)[0] == answered
    made.impair("alice", direction="a_to_b", loss="100 %")
    wire.send(*[datagram(WIRE)] * 3)
    made.run("20 us")
    (cable,) = made.stats()["cables"].values()
    assert (cable["ab"]["unplugged"], cable["ab"]["lost"], counters(made)[0]) == (3, 3, 6)
    with pytest.raises(KumiError, match="There is no cable at alise"):
        made.plug("alise")
    with pytest.raises(KumiError, match="no impairment `los`"):
        made.impair("alice", los=1)
    replayed(folder, text, record, made).close()


def test_a_node_starts_over(folder: Path) -> None:
    """Registers as after power-on, then its set-up; its clocks go on, and so does a replay."""
    record = folder / "r.kumirec"
    first, second = (
        "at: 20 us, do: reset, node: alice",
        "when: alice.echo.drop_port>=2, do: reset, node: alice",
    )
    text = CABLE.replace("{0}", first).replace("{1}", second)
    made = cluster(folder, text, record=record).start()
    wire = Peer(folder / "wire.sock")
    wire.send(*[datagram(WIRE)] * 3)
    made.run("15 us")
    assert counters(made) == (3, 0, 0)
    made.run("15 us")
    assert counters(made) == (0, 0, 0) and made.stats()["nodes"]["alice"]["resets"] == 1
    assert made["alice"].regs.echo.port.read() == 7
    wire.send(*[datagram(WIRE)] * 2, *[datagram(WIRE, port=9)] * 2)
    made.run("5 us")
    made.run("35 us")  # the condition is seen within 10 us
    assert counters(made) == (0, 0, 0) and made.stats()["nodes"]["alice"]["resets"] == 2
    wire.send(datagram(WIRE))
    made.run("15 us")
    assert counters(made) == (1, 0, 0)
    again = replayed(folder, text, record, made)
    assert again.stats()["nodes"]["alice"]["resets"] == 2
    again.close()


def test_serving_until_a_condition(folder: Path) -> None:
    text = CABLE.replace("{0}", "when: wire.tx_frames>=4, do: unplug, cable: alice").replace(
        "{1}", "at: 1 us, do: write, reg: alice.echo.port, value: 7"
    )
    with cluster(folder, text) as made:
        wire = Peer(folder / "wire.sock")
        wire.send(*[datagram(WIRE)] * 4)
        assert made.serve(until="echo.tx_datagrams>=4") == "until"
        wire.send(*[datagram(WIRE)] * 4)
        assert made.serve(until="cables.*.unplugged>=4") == "until"
        assert counters(made)[0] == 4
        for wrong, says in (
            ("alice.ecko.port>1", "no register or counter is called alice.ecko.port"),
            ("*.*>1", "at most 64"),
            ("alice>1", "not a register or a counter"),
        ):
            with pytest.raises(KumiError, match=says.replace("*", ".")):
                made.serve(until=wrong)


def test_the_power_of_a_disk(folder: Path) -> None:
    record = folder / "d.kumirec"
    with cluster(folder, DISK, record=record) as made:
        seen = []
        for _ in range(4):
            made.run("9 us")
            seen.append((made.disks["d0"].stats["powered"], made.disks["d0"].stats["power_cuts"]))
        assert seen == [(1, 0), (0, 1), (0, 1), (1, 1)]
    again = cluster(folder, DISK)
    result = again.replay(record)
    assert result["equal"] and again.disks["d0"].stats["power_cuts"] == 1
    again.close()


@pytest.mark.parametrize("text", [LANES, DISK])
def test_nodes_with_lanes_and_disks_start_over(folder: Path, text: str) -> None:
    """Lanes are dark for a microsecond and find a new boundary; the disk goes on."""
    text = text[: text.index("events:")] + "events:\n  - {at: 10 us, do: reset, node: a}\n"
    record = folder / "r.kumirec"
    made = cluster(folder, text, record=record).start()
    for _ in range(3):
        made.run("7 us")
    stats = made.stats()
    assert stats["nodes"]["a"]["resets"] == 1
    for cable in stats["lanes"].values():
        assert (cable["ab"]["plugs"], cable["ab"]["plugged"]) == (2, 1)
        assert 150 <= cable["ab"]["lost"] <= 160  # a microsecond at 156.25 MHz
    for disk in made.disks.values():
        assert (disk.stats["powered"], disk.stats["power_cuts"]) == (1, 0)
    replayed(folder, text, record, made).close()
