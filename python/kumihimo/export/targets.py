# SPDX-License-Identifier: Apache-2.0
"""The files of one tool: what each target adds to the folder that all targets share."""

from __future__ import annotations

from collections.abc import Callable

from kumihimo import __version__
from kumihimo.export import instances
from kumihimo.export.block import Block
from kumihimo.export.litex import litex_module

SPDX = "# SPDX-License-Identifier: Apache-2.0"
Files = dict[str, str]  # path in the folder -> text


def flist(block: Block, sources: list[str]) -> Files:
    """The list alone; every target has it."""
    del block, sources
    return {}


def file_list(block: Block, sources: list[str]) -> str:
    """A `.f` list, paths relative to itself (`verilator -F`, `slang -F`, Questa, VCS)."""
    lines = ["+incdir+rtl/include"] if block.headers else []
    lines += [f"+define+{k}={v}" if v else f"+define+{k}" for k, v in block.defines.items()]
    return "\n".join([*lines, *sources, ""])


def vivado(block: Block, sources: list[str]) -> Files:
    """A script that adds the block to a project or synthesises it alone; one that packages it."""
    name = f"{block.module}_ip"
    words = " ".join(f"$here/{s}" for s in sources)
    defines = " ".join(f"{k}={v}" if v else k for k, v in block.defines.items())
    add = [
        SPDX,
        f"# Adds {block.top} to the open project:  source {block.module}.tcl",
        "# Without a project, given a part, synthesises it alone:",
        f"#   vivado -mode batch -source {block.module}.tcl -tclargs xcku5p-ffvb676-2-e",
        "set here [file dirname [file normalize [info script]]]",
        "set alone [catch current_project]",
        "if {$alone} {",
        '  set part [expr {[llength $argv] ? [lindex $argv 0] : "xcku5p-ffvb676-2-e"}]',
        f"  create_project -in_memory -part $part {block.module}",
        "}",
        f"add_files -norecurse [list {words} $here/rtl/{name}.v]",
    ]
    if block.headers:
        add += [
            "set_property include_dirs [concat [get_property include_dirs [current_fileset]]"
            " $here/rtl/include] [current_fileset]"
        ]
    if defines:
        add += [
            "set_property verilog_define [concat [get_property verilog_define [current_fileset]]"
            f" {defines}] [current_fileset]"
        ]
    add += [
        f"set constraints $here/constraints/{block.module}.xdc",
        "add_files -fileset constrs_1 -norecurse $constraints",
        f"set_property SCOPED_TO_REF {block.top} [get_files $constraints]",
        "set_property PROCESSING_ORDER LATE [get_files $constraints]",
        "if {$alone && [llength $argv]} {",
        f"  read_xdc -mode out_of_context $here/constraints/{block.module}_ooc.xdc",
        f"  synth_design -top {block.top} -mode out_of_context",
        "  report_utilization",
        "  report_timing_summary -max_paths 1",
        "  report_cdc",
        "}",
        "",
    ]
    package = [
        SPDX,
        f"# Packages {name} for the IP catalogue, into ip/ here:",
        "#   vivado -mode batch -source package_ip.tcl",
        "set here [file dirname [file normalize [info script]]]",
        f"source $here/{block.module}.tcl",
        f"set_property top {name} [current_fileset]",
        "ipx::package_project -root_dir $here/ip -vendor kumihimo -library rtl -taxonomy /Kumihimo"
        " -import_files -force",
        f"set_property name {block.module} [ipx::current_core]",
        f"set_property version {_short(__version__)} [ipx::current_core]",
        "ipx::save_core [ipx::current_core]",
        "",
    ]
    return {
        f"rtl/{name}.v": instances.verilog_top(block, name),
        f"{block.module}.tcl": "\n".join(add),
        "package_ip.tcl": "\n".join(package),
    }


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def quartus(block: Block, sources: list[str]) -> Files:
    """A `.qip`, and a script that makes a project of the block alone."""
    here = "[file join $::quartus(qip_path)"
    qip = [SPDX, f"# Add it to a project: set_global_assignment -name QIP_FILE {block.module}.qip"]
    if block.headers:
        qip.append(f'set_global_assignment -name SEARCH_PATH {here} "rtl/include"]')
    for key, value in block.defines.items():
        qip.append(f'set_global_assignment -name VERILOG_MACRO "{key}={value}"')
    qip += [f'set_global_assignment -name SYSTEMVERILOG_FILE {here} "{s}"]' for s in sources]
    qip.append(f'set_global_assignment -name SDC_FILE {here} "constraints/{block.module}.sdc"]')
    project = [
        SPDX,
        "# Makes a project of the block alone and maps it:",
        f"#   quartus_sh -t {block.module}.tcl 10CX220YF780E5G",
        'set part [expr {[llength $argv] ? [lindex $argv 0] : "10CX220YF780E5G"}]',
        f"project_new {block.module} -overwrite",
        "set_global_assignment -name DEVICE $part",
        f"set_global_assignment -name TOP_LEVEL_ENTITY {block.top}",
        f"set_global_assignment -name SDC_FILE constraints/{block.module}_clocks.sdc",
        f"set_global_assignment -name QIP_FILE {block.module}.qip",
        "set_instance_assignment -name VIRTUAL_PIN ON -to *",
        *(f"set_instance_assignment -name VIRTUAL_PIN OFF -to {c.name}" for c in block.clocks),
        "load_package flow",
        "execute_module -tool map",
        "project_close",
        "",
    ]
    clocks = [SPDX, f"# Clocks of {block.top} when it is a project of its own."]
    clocks += [
        f"create_clock -name {c.name} -period {c.period:.3f} [get_ports {c.name}]"
        for c in block.clocks
    ]
    return {
        f"{block.module}.qip": "\n".join([*qip, ""]),
        f"{block.module}.tcl": "\n".join(project),
        f"constraints/{block.module}_clocks.sdc": "\n".join([*clocks, ""]),
    }


def fusesoc(block: Block, sources: list[str]) -> Files:
    """A CAPI2 core with a target that a design depends on, a lint target and a synthesis target."""
    lines = ["CAPI=2:", SPDX, f"name: kumihimo:rtl:{block.module}:{__version__}"]
    lines += [f"description: {_yaml(block.summary)}", "", "filesets:", "  rtl:", "    files:"]
    lines += [
        f"      - rtl/include/{h.name}: {{is_include_file: true, include_path: rtl/include}}"
        for h in block.headers
    ]
    lines += [f"      - {s}" for s in sources]
    lines += ["    file_type: systemVerilogSource", "  xdc:", "    files:"]
    lines += [f"      - constraints/{block.module}.tcl: {{file_type: tclSource}}"]
    lines += [f"      - constraints/{block.module}.xdc: {{file_type: user, copyto: kumi_cdc.xdc}}"]
    lines += ["  sdc:", "    files:"]
    lines += [f"      - constraints/{block.module}.sdc: {{file_type: SDC}}"]
    if block.defines:
        lines += ["", "parameters:"]
        for key, value in block.defines.items():
            lines += [f"  {key}: {{datatype: str, paramtype: vlogdefine, default: {_yaml(value)}}}"]
    extra = f"\n    parameters: [{', '.join(block.defines)}]" if block.defines else ""
    lines += [
        "",
        "targets:",
        "  default: &default",
        '    filesets: [rtl, "tool_vivado? (xdc)", "tool_quartus? (sdc)"]' + extra,
        "  lint:",
        "    <<: *default",
        "    description: Verilator's warnings",
        "    flow: lint",
        "    flow_options: {tool: verilator, verilator_options: [-Wno-fatal]}",
        f"    toplevel: {block.top}",
        "",
    ]
    scope = [
        SPDX,
        "# The constraints are scoped to the block, wherever it is in the design.",
        "add_files -fileset constrs_1 -norecurse kumi_cdc.xdc",
        f"set_property SCOPED_TO_REF {block.top} [get_files kumi_cdc.xdc]",
        "set_property PROCESSING_ORDER LATE [get_files kumi_cdc.xdc]",
        "",
    ]
    return {
        f"{block.module}.core": "\n".join(lines),
        f"constraints/{block.module}.tcl": "\n".join(scope),
    }


def _yaml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def bender(block: Block, sources: list[str]) -> Files:
    """A Bender package."""
    lines = [SPDX, "package:", f"  name: {block.module}", "", "sources:"]
    if block.headers:
        lines.append("  - include_dirs: [rtl/include]")
        start = "    "
    else:
        start = "  - "
    if block.defines:
        pairs = ", ".join(f"{k}: {v or '~'}" for k, v in block.defines.items())
        lines.append(f"{start}defines: {{{pairs}}}")
        start = "    "
    lines.append(f"{start}files:")
    lines += [f"      - {s}" for s in sources]
    return {"Bender.yml": "\n".join([*lines, ""])}


def litex(block: Block, sources: list[str]) -> Files:
    """A Python module with the block as a LiteX module."""
    return {f"{block.module}.py": litex_module(block, sources)}


TARGETS: dict[str, Callable[[Block, list[str]], Files]] = {
    "vivado": vivado,
    "quartus": quartus,
    "fusesoc": fusesoc,
    "bender": bender,
    "litex": litex,
    "flist": flist,
}

NEXT = {
    "vivado": "In Vivado: `source {module}.tcl`. For the IP catalogue: `package_ip.tcl`.",
    "quartus": "Add `{module}.qip` to the project.",
    "fusesoc": "`fusesoc library add {module} DIR`, then depend on `kumihimo:rtl:{module}`.",
    "bender": "`bender add {module} --path DIR`.",
    "litex": "`from {module} import {cls}`, then `self.submodules += {cls}(platform)`.",
    "flist": "`verilator --lint-only -F {module}.f --top-module {top}`, or any tool with `-F`.",
}
