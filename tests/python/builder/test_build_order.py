# SPDX-License-Identifier: Apache-2.0
"""The order of unpacked structs: left out of what is compiled, unless the design needs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kumihimo.build import build, scan, toolchain
from kumihimo.build.compile import verilate

TOP = """
module kumi_node_pairs (
    input logic clk, input logic rst,
    input logic [7:0] a, output logic [7:0] b
);
  typedef struct {
    logic [7:0] key;
    logic [7:0] value;
  } pair_t;
  pair_t pairs[3];
  always_ff @(posedge clk) begin
    pairs[0] <= '{a, 8'd1};
    pairs[1] <= '{8'd3, 8'd1};
    pairs[2] <= '{8'd9, 8'd3};
  end
  function automatic logic [7:0] different(input pair_t given[3]);
    BODY
  endfunction
  assign b = rst ? '0 : different(pairs);
endmodule
"""


def verilated(folder: Path, body: str) -> tuple[Path, str]:
    """The top's file, and what Verilator's headers hold once they are trimmed."""
    top = folder / "kumi_node_pairs.sv"
    top.write_text(TOP.replace("BODY", body))
    out = folder / "out"
    out.mkdir()
    verilate(scan(top), toolchain.profile("test"), out, {})
    return top, "".join(p.read_text() for p in sorted(out.glob("*.h")))


def test_structs_are_compared_for_equality_only(tmp_path: Path) -> None:
    _, headers = verilated(tmp_path, "return given[0].value;")
    assert "operator==" in headers and "operator<(" not in headers and "std::tie" not in headers
    flags = [*toolchain.cxx_flags(toolchain.profile("test")), "-fsyntax-only"]
    command = [toolchain.compiler(), *flags, "-x", "c++", str(tmp_path / "out/Vtop___024root.h")]
    subprocess.run(command, check=True)


def test_keys_of_an_associative_array_keep_their_order(tmp_path: Path) -> None:
    from kumihimo._engine import Node

    body = "int seen[pair_t]; foreach (given[i]) seen[given[i]] = i; return 8'(seen.num());"
    top, headers = verilated(tmp_path, body)
    assert "operator<(" in headers
    node = Node(str(build(top, profile="test").path))
    node.reset(4, 1)
    for a, different in ((7, 3), (3, 2)):
        node.set_pin("a", a)
        node.run(2)
        assert int(node.get_pin("b")) == different
