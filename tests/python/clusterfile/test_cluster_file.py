# SPDX-License-Identifier: Apache-2.0
"""The cluster file: what it accepts, what it decides by itself, and what its errors say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kumihimo.clusterfile import ClusterFileError, Plan, plan, plan_text
from kumihimo.clusterfile.schema import schema_text
from kumihimo.common.errors import KumiError

ROOT = Path(__file__).resolve().parents[3]

DESIGN = """\
// a comment with s_axis_eth7_tdata must not count
module kumi_node_{name} #(
    parameter int DATA_W = 64,
    parameter logic [15:0] PORT = 7
) (
    input  logic clk,
    input  logic rst,
    {ports}
    input  logic [31:0] s_axil_awaddr
);
endmodule
"""


def eth(index: int) -> str:
    return (
        f"input logic [63:0] s_axis_eth{index}_tdata, output logic [63:0] m_axis_eth{index}_tdata,"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kumi_node_one.sv").write_text(DESIGN.format(name="one", ports=eth(0)))
    (tmp_path / "kumi_node_two.sv").write_text(DESIGN.format(name="two", ports=eth(0) + eth(1)))
    lanes = "".join(lane(f"l{link}_{i}") for link, many in ((0, 2), (1, 2)) for i in range(many))
    (tmp_path / "kumi_node_links.sv").write_text(DESIGN.format(name="links", ports=lanes))
    axi = "output logic [31:0] m_axi_host_awaddr, output logic [31:0] m_axi_host_araddr,"
    (tmp_path / "kumi_node_dma.sv").write_text(DESIGN.format(name="dma", ports=axi + lane("l0_0")))
    return tmp_path


def lane(name: str) -> str:
    return f"input logic [63:0] s_lane_{name}_data, output logic [63:0] m_lane_{name}_data,"


def resolve(folder: Path, text: str) -> Plan:
    (folder / "c.yaml").write_text(text)
    return plan(folder / "c.yaml")


def problems(folder: Path, text: str) -> list[str]:
    """Each problem as `line: where: text`."""
    with pytest.raises(ClusterFileError) as caught:
        resolve(folder, text)
    return [f"{p.place.line}: {p.where}: {p.text}" for p in caught.value.problems]


GOOD = """\
name: pair
nodes:
  alice: {design: one, params: {DATA_W: 512}, clocks: {clk: 322.265625 MHz}, ip: 10.77.0.10/24}
  bob: {design: kumi_node_one.sv, regs: {kernel.rate: 0x10}}
switches:
  sw0: {ports: 4, mode: cut-through, latency: 300 ns, queue: 128 KiB}
cables:
  - {between: [alice.eth0, sw0.0], rate: 40 Gb/s, latency: 0.5 us, loss: 0.1 %, b_to_a: {ber: 1e-9}}
  - between: [bob, sw0]
  - between: [host0, sw0]
taps:
  host0: {mtu: 9000}
"""


def test_everything_is_found_and_decided(folder: Path) -> None:
    p = resolve(folder, GOOD)
    assert [str(c.b) for c in p.cables] == ["sw0.0", "sw0.1", "sw0.2"]
    first = p.cables[0]
    assert (first.spec.rate, first.spec.latency, first.spec.loss) == (40e9, 500_000, 0.001)
    assert first.spec.direction(True).loss == 0.001
    assert first.spec.direction(False).loss == 0 and first.spec.direction(False).ber == 1e-9
    assert p.spec.switches["sw0"].queue == 131072
    assert p.nodes["alice"].spec.clocks["clk"] == 322265625.0
    assert p.nodes["bob"].spec.regs == {"kernel.rate": 16}
    assert str(p.nodes["bob"].ip) == "10.77.0.11/24" and str(p.taps["host0"].ip) == "10.77.0.1/24"
    macs = [n.mac for n in p.nodes.values()] + [t.mac for t in p.taps.values()]
    assert len(set(macs)) == 3 and all(int(m[:2], 16) & 3 == 2 for m in macs)


def test_plans_are_reproducible(folder: Path) -> None:
    assert resolve(folder, GOOD) == resolve(folder, GOOD)


CASES = {
    "unknown field": (
        "nodes:\n  a:\n    design: one\n    desing: two\n",
        '4: nodes.a.desing: there is no field `desing` here. Did you mean "design"?',
    ),
    "unknown section": ("node:\n  a: {design: one}\n", "1: node: there is no field `node` here."),
    "missing field": ("nodes:\n  a:\n    ip: none\n", "2: nodes.a: the field `design` is missing"),
    "no unit": (
        "nodes: {a: {design: one}}\ncables:\n  - between: [a, b]\n    latency: 500\n",
        "4: cables[0].latency: `500` has no unit: expected a time like `500 ns`",
    ),
    "wrong unit": (
        "nodes: {a: {design: one}}\ncables:\n  - between: [a, b]\n    rate: 10 GHz\n",
        "4: cables[0].rate: unknown unit `GHz` in `10 GHz`: expected a rate like `10 Gb/s`",
    ),
    "bytes for bits": (
        "cables:\n  - between: [a, b]\n    rate: 10 GB/s\n",
        "3: cables[0].rate: `10 GB/s` is in bytes a second",
    ),
    "chance above one": (
        "cables:\n  - between: [a, b]\n    loss: 3\n",
        "3: cables[0].loss: expected a chance between 0 and 1",
    ),
    "clock far off": (
        "nodes:\n  a:\n    design: one\n    clocks: {clk: 156.25 THz}\n",
        "4: nodes.a.clocks.clk: unknown unit `THz`",
    ),
    "unknown design": (
        "nodes:\n  a: {design: tow}\n",
        '2: nodes.a.design: there is no design `tow`. Did you mean "two"?',
    ),
    "missing file": (
        "nodes:\n  a: {design: kumi_node_oen.sv}\n",
        "2: nodes.a.design: there is no file `kumi_node_oen.sv`",
    ),
    "unknown parameter": (
        "nodes:\n  a: {design: one, params: {DATAW: 64}, open_ports: [eth0]}\n",
        '2: nodes.a.params.DATAW: kumi_node_one has no parameter `DATAW`. Did you mean "DATA_W"?',
    ),
    "unknown clock": (
        "nodes:\n  a: {design: one, clocks: {clock: 1 MHz}, open_ports: [eth0]}\n",
        "2: nodes.a.clocks.clock: kumi_node_one has no clock `clock`",
    ),
    "unknown end": (
        "nodes:\n  alice: {design: one}\n  bob: {design: one}\n"
        "cables:\n  - between: [alice.eth0, bbo]\n",
        '5: cables[0].between[1]: there is nothing called `bbo`. Did you mean "bob"?',
    ),
    "unknown port": (
        "nodes:\n  a: {design: one}\n  b: {design: one}\ncables:\n  - between: [a.eth1, b]\n",
        '5: cables[0].between[0]: kumi_node_one has no port `eth1`. Did you mean "eth0"?',
    ),
    "which port": (
        "nodes:\n  a: {design: two}\n  b: {design: one}\ncables:\n  - between: [a, b]\n",
        "5: cables[0].between[0]: say which port of `a`: eth0, eth1",
    ),
    "port twice": (
        "nodes:\n  a: {design: one}\n  b: {design: one}\n  c: {design: one}\n"
        "cables:\n  - between: [a, b]\n  - between: [a, c]\n",
        "7: cables[1].between[0]: `a.eth0` already has a cable",
    ),
    "switch port": (
        "nodes:\n  a: {design: one}\nswitches: {s: {ports: 2}}\ncables:\n  - between: [a, s.2]\n",
        "5: cables[0].between[1]: switch `s` has ports 0 to 1, not `2`",
    ),
    "switch full": (
        "nodes:\n  a: {design: one}\n  b: {design: one}\n  c: {design: one}\n"
        "switches: {s: {ports: 2}}\n"
        "cables:\n  - between: [a, s]\n  - between: [b, s]\n  - between: [c, s]\n",
        "9: cables[2].between[1]: switch `s` has no free port",
    ),
    "missing cable": (
        "nodes:\n  a: {design: one}\n",
        "2: nodes.a: port `eth0` has no cable; add one or write `open_ports: [eth0]`",
    ),
    "tap without cable": (
        "nodes:\n  a: {design: one, open_ports: [eth0]}\ntaps:\n  host0: {}\n",
        "4: taps.host0: this tap has no cable",
    ),
    "duplicate ip": (
        "nodes:\n  a: {design: one, ip: 10.77.0.5/24}\n  b: {design: one, ip: 10.77.0.5/24}\n"
        "cables:\n  - between: [a, b]\n",
        "3: nodes.b.ip: the IP address 10.77.0.5 is also used by `a`",
    ),
    "duplicate mac": (
        "nodes:\n  a: {design: one, mac: 02:00:00:00:00:05}\n"
        "  b: {design: one, mac: 02-00-00-00-00-05}\n"
        "cables:\n  - between: [a, b]\n",
        "3: nodes.b.mac: the MAC address 02:00:00:00:00:05 is also used by `a`",
    ),
    "group mac": (
        "nodes:\n  a: {design: one, mac: 01:00:00:00:00:05}\n",
        "2: nodes.a.mac: `01:00:00:00:00:05` is a group (multicast) address",
    ),
    "no prefix": (
        "nodes:\n  a: {design: one, ip: 10.77.0.5}\n",
        "2: nodes.a.ip: expected an IPv4 address with its prefix length",
    ),
    "broadcast address": (
        "nodes:\n  a: {design: one, ip: 10.77.0.255/24}\n",
        "2: nodes.a.ip: `10.77.0.255/24` is the network's broadcast address",
    ),
    "gateway elsewhere": (
        "nodes:\n  a: {design: one, ip: 10.77.0.5/24, gateway: 10.78.0.1, open_ports: [eth0]}\n",
        "2: nodes.a.gateway: the gateway 10.78.0.1 is not in the node's network 10.77.0.0/24",
    ),
    "other network": (
        "nodes:\n  a: {design: one, ip: 10.77.0.5/24}\ntaps: {t: {ip: 10.78.0.1/24}}\n"
        "cables:\n  - between: [a, t]\n",
        "2: nodes.a.ip: 10.77.0.5/24 shares no network with the stations it is cabled to",
    ),
    "name used twice": (
        "nodes:\n  a: {design: one, open_ports: [eth0]}\nswitches:\n  a: {}\n",
        "4: switches.a: the name `a` is also used at",
    ),
    "key twice": (
        "nodes:\n  a: {design: one}\n  a: {design: two}\n",
        "3: nodes.a: written twice (first on line 2)",
    ),
    "not yaml": ("nodes:\n  a: {design: one\n", "this is not YAML"),
    "not a mapping": ("- a\n- b\n", "1: : expected sections like"),
    "empty": ("", "1: : the file is empty"),
    "list for mapping": (
        "nodes: [a, b]\n",
        "1: nodes: expected fields (`name: value`), found a list of 2",
    ),
    "bad mode": (
        "switches:\n  s: {mode: fast}\n",
        "2: switches.s.mode: expected 'store-and-forward' or 'cut-through', found `fast`",
    ),
    "bad name": ("nodes:\n  a b: {design: one}\n", "2: nodes.a b: the name `a b` is not allowed"),
    "register value": (
        "nodes:\n  a:\n    design: one\n    regs: {ip.ttl: 1.5}\n",
        "4: nodes.a.regs.ip.ttl: expected a whole number",
    ),
    "no latency": (
        "nodes:\n  a: {design: one}\n  b: {design: one}\n"
        "cables:\n  - {between: [a, b], latency: 0}\n",
        "5: cables[0]: a cable needs a latency of at least 1 ns",
    ),
    "capture of nothing": (
        "nodes:\n  a: {design: one, open_ports: [eth0]}\ncapture: [b]\n",
        "3: capture[0]: there is nothing called `b`",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_name_line_field_and_expectation(folder: Path, case: str) -> None:
    text, expected = CASES[case]
    found = problems(folder, text)
    assert any(expected in line for line in found), found


def test_all_problems_come_at_once_and_in_order(folder: Path) -> None:
    text = "nodes:\n  a: {design: one, ip: 10.0.0.0/8}\n  b: {design: one, mac: x}\nseed: -1\n"
    assert [line.split(":")[0] for line in problems(folder, text)] == ["2", "3", "4"]


def test_include_adds_sections_and_keeps_their_places(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "more.yaml").write_text(
        "nodes:\n  b: {design: ../kumi_node_one.sv, ip: 10.77.0.256/24}\n"
    )
    text = "include: [sub/more.yaml]\nnodes:\n  a: {design: one}\ncables:\n  - between: [a, b]\n"
    with pytest.raises(ClusterFileError) as caught:
        resolve(folder, text)
    assert "more.yaml:2: nodes.b.ip" in str(caught.value)
    (folder / "sub" / "more.yaml").write_text("nodes:\n  b: {design: ../kumi_node_one.sv}\n")
    assert set(resolve(folder, text).nodes) == {"a", "b"}
    (folder / "sub" / "more.yaml").write_text("nodes:\n  a: {design: one}\n")
    assert "also used at" in problems(folder, text)[0]
    assert "includes itself" in problems(folder, "include: [c.yaml]\n")[0]
    assert "there is no file" in problems(folder, "include: [d.yaml]\n")[0]


def test_defaults_fill_in_and_are_blamed(folder: Path) -> None:
    text = (
        "defaults:\n  node: {design: one, params: {DATA_W: 128}}\n  cable: {rate: 25 Gb/s}\n"
        "nodes:\n  a:\n  b: {params: {DATA_W: 64}}\ncables:\n  - between: [a, b]\n"
    )
    p = resolve(folder, text)
    assert p.nodes["a"].spec.params == {"DATA_W": 128} and p.nodes["b"].spec.params == {
        "DATA_W": 64
    }
    assert p.cables[0].spec.rate == 25e9
    assert problems(folder, text.replace("25 Gb/s", "25 furlongs"))[0].startswith(
        "3: cables[0].rate"
    )


def test_anchors_and_merge_keys(folder: Path) -> None:
    text = (
        "nodes:\n  a: &base {design: one, params: {DATA_W: 256}}\n"
        "  b:\n    <<: *base\n    ip: 10.77.0.9/24\n"
        "cables:\n  - between: [a, b]\n"
    )
    p = resolve(folder, text)
    assert p.nodes["b"].spec.params == {"DATA_W": 256} and str(p.nodes["b"].ip) == "10.77.0.9/24"


def test_no_file() -> None:
    with pytest.raises(KumiError, match="There is no cluster file"):
        plan("/nonexistent/x.yaml")


def test_published_schema_is_current() -> None:
    published = (ROOT / "docs" / "cluster.schema.json").read_text()
    assert published == schema_text(), "run: kumi schema --write"
    assert json.loads(published)["properties"]["nodes"]


EXAMPLES = sorted(set((ROOT / "examples").glob("*.yaml")) - set(ROOT.glob("examples/*_plan.yaml")))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.name)
def test_examples_are_valid(file: Path) -> None:
    assert plan(file).nodes


# ---- lanes and memories -----------------------------------------------------------------------

LINKED = """\
seed: 5
defaults:
  cable: {latency: 200 ns, loss: 1 %}
nodes:
  a: {design: links, open_ports: [l1_1]}
  b: {design: links, open_ports: [l1]}
  c: {design: dma, memories: {host: {size: 1 GiB, latency: 600 ns, bandwidth: 100 Gb/s}}}
cables:
  - {between: [a.l0, b.l0], ber: 1e-12, skew: 20 ns, b_to_a: {ber: 1e-9}}
  - {between: [a.l1_0, a.l1_0], unplugged: [10 us - 20 us, [30 us, 1 ms]], dark: noise}
  - {between: [c.l0, c.l0], latency: 1 us, skew: [3 ns]}
"""


def test_lanes(folder: Path) -> None:
    p = resolve(folder, LINKED)
    assert [(str(x.a), str(x.b)) for x in p.lanes] == [
        ("a.l0_0", "b.l0_0"),
        ("a.l0_1", "b.l0_1"),
        ("a.l1_0", "a.l1_0"),
        ("c.l0_0", "c.l0_0"),
    ]
    first, second, loop, far = p.lanes
    assert not p.cables and first.spec.latency == 200_000 and far.spec.latency == 1_000_000
    assert (first.spec.direction(True).ber, first.spec.direction(False).ber) == (1e-12, 1e-9)
    assert 0 <= first.skew <= 20_000 and first.skew != second.skew and far.skew == 3_000
    assert [x.skew for x in resolve(folder, LINKED).lanes] == [x.skew for x in p.lanes]
    assert loop.spec.unplugged == [(10_000_000, 20_000_000), (30_000_000, 1_000_000_000)]
    assert loop.spec.dark == "noise"
    memory = p.nodes["c"].spec.memories["host"]
    assert (memory.size, memory.latency, memory.bandwidth) == (2**30, 600_000, 100e9)


@pytest.mark.parametrize(
    "old,new,want",
    [
        ("b.l0]", "b.l1_0]", "9: cables[0].between[1]: `a.l0` has 2 lanes and `b.l1_0` 1"),
        (
            "[a.l0, b.l0]",
            "[a.l0, b.l2]",
            "9: cables[0].between[1]: kumi_node_links has no port `l2`",
        ),
        ("[a.l0, b.l0]", "[a.l0, sw]", "`sw` is not a lane, but the other end is"),
        ("skew: 20 ns", "skew: [1 ns]", "9: cables[0].skew: 1 times for 2 lanes"),
        ("skew: 20 ns", "rate: 10 Gb/s", "9: cables[0].rate: a lane's cable has no `rate`"),
        ("{ber: 1e-9}", "{loss: 1e-9}", "9: cables[0].b_to_a.loss: of a lane only `ber`"),
        (
            "10 us - 20 us",
            "20 us - 10 us",
            "10: cables[1].unplugged[0]: `20 us - 10 us` ends before",
        ),
        ("10 us - 20 us", "10 us", "expected two times like `10 us - 20 us`"),
        ("dark: noise", "dark: ones", "expected 'zeros' or 'noise', found `ones`"),
        ("[a.l1_0, a.l1_0]", "[a.l0_1, a.l1_0]", "`a.l0_1` already has a cable"),
        ("open_ports: [l1]", "open_ports: []", "6: nodes.b: port `l1` has no cable"),
        ("open_ports: [l1_1]", "open_ports: []", "5: nodes.a: port `l1_1` has no cable"),
        ("{host: {", "{hots: {", "has no memory port `hots`. Did you mean"),
        ("size: 1 GiB", "size: 0", "a memory has at least one byte"),
    ],
)
def test_lane_and_memory_mistakes(folder: Path, old: str, new: str, want: str) -> None:
    assert old in LINKED
    text = LINKED.replace(old, new, 1) + "switches: {sw: {}}\n"
    found = problems(folder, text)
    assert any(want in p for p in found), found


def test_ethernet_has_no_skew(folder: Path) -> None:
    text = GOOD.replace("[host0, sw0]", "[host0, sw0]\n    skew: 3 ns")
    assert problems(folder, text) == [
        "11: cables[2].skew: `skew` is for lanes and InfiniBand; an end of this cable is neither"
    ]


# ---- guests -----------------------------------------------------------------------------------

HOSTED = """\
nodes:
  card: {design: host}
  plain: {design: one}
hosts:
  h: {port: card.b, socket: h.sock}
cables:
  - {between: [card.eth0, plain.eth0]}
guests:
"""


@pytest.fixture
def hosted(folder: Path) -> Path:
    ports = "".join(f"output logic [15:0] m_hdr_{port}_irq_data," for port in "ab")
    (folder / "kumi_node_host.sv").write_text(DESIGN.format(name="host", ports=eth(0) + ports))
    return folder


def test_a_guest_is_a_host_in_the_folder_of_the_run(hosted: Path) -> None:
    made = resolve(hosted, HOSTED + "  g: {port: card.a, kind: qemu, memory: 1G, script: ip a}\n")
    assert str(made.hosts["g"].end) == "card.a" and made.hosts["g"].socket is None
    assert list(made.guests) == ["g"] and made.guests["g"].memory == 1 << 30
    again = plan_text(made.portable(), made.file)
    assert again.guests == made.guests


@pytest.mark.parametrize(
    "entry, says",
    [
        ("g: {port: card.b}", "9: guests.g.port: `card.b` already has a guest ("),
        (
            "g: {port: plain.a}",
            "9: guests.g.port: kumi_node_one has no host port `a`; it has none",
        ),
        ("g: {port: card.eth0}", "kumi_node_host has no host port `eth0`; it has a, b."),
        ("g: {port: cart.a}", 'there is no node called `cart`. Did you mean "card"?'),
        (
            "g: {port: card.a, kind: xen}",
            "9: guests.g.kind: expected 'uml' or 'qemu', found `xen`",
        ),
        ("g: {port: card.a, memory: 7}", "expected 32 MiB to 64 GiB in whole MiB, like `256M`"),
        ("g: {port: card.a, skript: ls}", 'no field `skript` here. Did you mean "script"?'),
        ("g: {}", "9: guests.g: the field `port` is missing"),
        ("h: {port: card.a}", "9: guests.h: the name `h` is also used at "),
    ],
)
def test_wrong_guests(hosted: Path, entry: str, says: str) -> None:
    (found,) = problems(hosted, HOSTED + f"  {entry}\n")
    assert says in found
