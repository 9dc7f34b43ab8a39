# SPDX-License-Identifier: Apache-2.0
"""The timeline of a cluster file: what an event may be, and what its errors say."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.clusterfile import ClusterFileError, Plan, plan, plan_text
from kumihimo.clusterfile.conditions import is_condition, parse

HEAD = """\
nodes:
  a: {design: links}
  b: {design: links}
  c: {design: one}
  d: {design: one, ip: 10.77.0.9/24}
cables:
  - {between: [a.l0, b.l0]}
  - {between: [c, d]}
disks:
  d0: {port: a.p0, size: 1 MiB}
events:
"""
FIRST = HEAD.count("\n") + 1


def design(name: str, ports: str) -> str:
    head = f"module kumi_node_{name} (input logic clk, input logic rst, {ports}"
    return head + " input logic [31:0] s_axil_awaddr);\nendmodule\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    both = "input logic [63:0] s_{0}, output logic [63:0] m_{0},"
    lanes = "".join(both.format(f"lane_l0_{i}_data") for i in (0, 1)) + both.format("sata_p0_data")
    (tmp_path / "kumi_node_links.sv").write_text(design("links", lanes))
    (tmp_path / "kumi_node_one.sv").write_text(design("one", both.format("axis_eth0_tdata")))
    return tmp_path


def resolve(folder: Path, events: str) -> Plan:
    (folder / "c.yaml").write_text(HEAD + events)
    return plan(folder / "c.yaml")


def test_events_in_the_order_of_time(folder: Path) -> None:
    made = resolve(
        folder,
        "  - {at: 3 us, do: fault, disk: d0, fault: bad_sectors, lba: 7, count: 2}\n"
        "  - {at: 2 us, do: plug, cable: b.l0_1}\n"
        "  - {at: 1 us, do: unplug, cable: a.l0}\n"
        "  - {at: 2 us, do: write, reg: c.echo.port, value: d}\n",
    )
    assert [event.at for event in made.events] == [1_000_000, 2_000_000, 2_000_000, 3_000_000]
    pulled, plugged, written, fault = made.events
    assert (pulled.lanes, plugged.lanes) == ((0, 1), (1,))
    assert (written.node, written.register, written.value) == ("c", "echo.port", 0x0A4D0009)
    assert written.where == f"{folder / 'c.yaml'}:{FIRST + 3}: events[3]"
    assert (fault.disk, fault.fault) == ("d0", "bad_sectors")
    assert dict(fault.arguments) == {"lba": 7, "count": 2}
    # A recording holds the file, events included.
    assert [e.at for e in plan_text(made.portable(), folder / "c.yaml").events] == [
        event.at for event in made.events
    ]


def test_ethernet_cables_and_nodes(folder: Path) -> None:
    made = resolve(
        folder,
        "  - {at: 1 us, do: unplug, cable: c.eth0}\n"
        "  - {at: 2 us, do: impair, cable: d, loss: 1 %, direction: b_to_a}\n"
        "  - {when: 'c.echo.drop_*>=0x10', do: reset, node: c}\n",
    )
    reset, pulled, impaired = made.events
    assert (pulled.cables, pulled.lanes) == ((0,), ())
    assert impaired.cables == (0,) and impaired.impairments[0] is None
    assert impaired.impairments[1] is not None and impaired.impairments[1].loss == 0.01
    assert (reset.node, str(reset.when)) == ("c", "c.echo.drop_*>=16")


def test_conditions() -> None:
    found = parse(" alice.echo.drop_*  > 0 ")
    assert found.names("alice.echo.drop_port") and not found.names("alice.echo.drop_port.count")
    assert not found.names("bob.echo.drop_port") and parse("echo.x==1").names("bob.echo.x")
    assert parse("cables.*.lost!=0").names("cables.alice.eth0--sw0.1.ab.lost")
    assert found.holds(1) and not found.holds(0)
    assert is_condition("a.b>1") and not is_condition("10 ms")


def test_events_of_an_included_file(folder: Path) -> None:
    (folder / "more.yaml").write_text("events:\n  - {at: 1 us, do: unplug, cable: a.l0}\n")
    made = resolve(folder, "  - {at: 2 us, do: plug, cable: a.l0}\ninclude: [more.yaml]\n")
    assert [event.do for event in made.events] == ["unplug", "plug"]


@pytest.mark.parametrize(
    ("event", "says"),
    [
        ("{do: plug, cable: a.l0}", "has either a time (`at`) or a condition (`when`)"),
        ("{at: 1 us, when: a.x>0, do: plug, cable: a.l0}", "either a time (`at`) or a condition"),
        ("{when: a.x, do: plug, cable: a.l0}", "events[0].when: expected a condition like"),
        ("{when: x>0, do: plug, cable: a.l0}", "`x` is not a register or a counter"),
        ("{when: c.x.y>z, do: plug, cable: a.l0}", "`z` is not a number"),
        ("{at: 5, do: plug, cable: a.l0}", "events[0].at: `5` has no unit"),
        ("{at: 1 us, do: pull, cable: a.l0}", "events[0].do: expected 'unplug', 'plug', 'impair'"),
        ("{at: 1 us, do: unplug}", "events[0]: `do: unplug` needs the field `cable`"),
        ("{at: 1 us, do: plug, cable: a.l0, disk: d0}", "events[0].disk: `do: plug` has no field"),
        ("{at: 1 us, do: plug, kable: a.l0}", 'no field `kable` here. Did you mean "cable"?'),
        ("{at: 1 us, do: unplug, cable: a.l1}", "events[0].cable: there is no cable at `a.l1`"),
        ("{at: 1 us, do: impair, cable: a.l0, loss: 1 %}", "can only be pulled and plugged"),
        ("{at: 1 us, do: impair, cable: c}", "`do: impair` needs one of loss, ber"),
        ("{at: 1 us, do: impair, cable: c, loss: 2}", "events[0].loss: expected a"),
        ("{at: 1 us, do: unplug, cable: c, loss: 1 %}", "`do: unplug` has no field `loss`"),
        ("{at: 1 us, do: reset}", "`do: reset` needs the field `node`"),
        ("{at: 1 us, do: reset, node: e}", "events[0].node: there is no node called `e`"),
        ("{at: 1 us, do: write, reg: c.x.y}", "`do: write` needs the field `value`"),
        ("{at: 1 us, do: write, reg: c, value: 1}", "events[0].reg: expected `node.block.reg"),
        ("{at: 1 us, do: write, reg: e.x.y, value: 1}", "events[0].reg: there is no node called"),
        ("{at: 1 us, do: write, reg: c.x.y, value: who}", "events[0].value: expected a number"),
        ("{at: 1 us, do: fault, disk: d1, fault: hang}", "disk called `d1`. Known: d0"),
        ("{at: 1 us, do: fault, disk: d0, fault: hung}", "events[0].fault: There is no fault"),
        ("{at: 1 us, do: fault, disk: d0, fault: slow}", "The fault slow needs factor"),
        ("{at: 1 us, do: fault, disk: d0, fault: hang, lba: 3}", "fault hang has no argument lba"),
    ],
)
def test_mistakes_are_named_with_their_line(folder: Path, event: str, says: str) -> None:
    with pytest.raises(ClusterFileError) as caught:
        resolve(folder, f"  - {event}\n")
    (problem,) = caught.value.problems
    assert problem.place.line == FIRST and says in f"{problem.where}: {problem.text}"
