# SPDX-License-Identifier: Apache-2.0
"""A block as a LiteX module: its buses are LiteX's own interfaces, its other ports signals."""

from __future__ import annotations

from kumihimo.export.block import Block, Bus

# Flat signal -> member of LiteX's interface.
_AXIS = {
    "tdata": "data",
    "tkeep": "keep",
    "tvalid": "valid",
    "tready": "ready",
    "tlast": "last",
    "tuser": "user",
    "tid": "id",
    "tdest": "dest",
}


def class_name(module: str) -> str:
    """kumi_axis_fifo -> KumiAxisFifo."""
    return "".join(word.capitalize() for word in module.split("_"))


def _member(bus: Bus, signal: str) -> str:
    if bus.kind == "axis":
        return _AXIS[signal]
    if bus.kind == "rec":
        return signal
    for channel in ("aw", "ar", "w", "b", "r"):
        if signal.startswith(channel):
            return f"{channel}.{signal.removeprefix(channel)}"
    raise AssertionError(signal)


def _make(bus: Bus) -> str:
    """The expression that makes LiteX's interface of a bus."""
    width = {name: port.width for name, port in bus.signals.items()}
    if bus.kind == "axis":
        sizes = [f"data_width={width['tdata']}", f"keep_width={width.get('tkeep', 0)}"]
        sizes += [f"{n}_width={width[f't{n}']}" for n in ("id", "dest", "user") if f"t{n}" in width]
        return f"axi.AXIStreamInterface({', '.join(sizes)})"
    if bus.kind == "rec":
        return f'stream.Endpoint([("data", {width["data"]})])'
    sizes = [f"data_width={width['wdata']}", f"address_width={width['awaddr']}"]
    if bus.kind == "axi":
        sizes += [f"id_width={width['awid']}"] if "awid" in width else []
        return f"axi.AXIInterface({', '.join(sizes)})"
    return f"axi.AXILiteInterface({', '.join(sizes)})"


def litex_module(block: Block, sources: list[str]) -> str:
    """The Python text."""
    name = class_name(block.module)
    buses = [b for b in block.buses if b.kind != "other"]
    member = {
        p.name: f"self.{b.prefix}.{_member(b, s)}" for b in buses for s, p in b.signals.items()
    }
    clock_args = [f'{c.name}="sys"' for c in block.clocks]
    for clock in block.clocks:
        member[clock.name] = f"ClockSignal({clock.name})"
        if clock.reset:
            member[clock.reset] = f"ResetSignal({clock.name})"
    own = [p for p in block.ports if p.name not in member]
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f'"""{block.module} for LiteX. Generated; its parameters were fixed by the export."""',
        "",
        "from pathlib import Path",
        "",
        "from litex.gen import LiteXModule",
        "from litex.soc.interconnect import axi, stream",
        "from migen import ClockSignal, Instance, ResetSignal, Signal",
        "",
        "HERE = Path(__file__).resolve().parent",
        "SOURCES = [",
        *(f'    "{s}",' for s in sources),
        "]",
        "",
        "",
        f"class {name}(LiteXModule):",
        f'    """{block.top}. Arguments: the platform, and the clock domain of each clock."""',
        "",
        f"    def __init__(self, platform=None, {', '.join(clock_args)}):",
    ]
    lines += [f"        self.{b.prefix} = {_make(b)}  # in {b.clock}" for b in buses]
    lines += [f"        self.{p.name} = Signal({p.width})" for p in own]
    lines += ["        # # #", "        self.specials += Instance(", f'            "{block.top}",']
    for port in block.ports:
        way = "o" if port.output else "i"
        lines.append(f"            {way}_{port.name}={member.get(port.name, f'self.{port.name}')},")
    lines += [
        "        )",
        "        if platform is not None:",
        "            self.add_sources(platform)",
        "",
        "    @staticmethod",
        "    def add_sources(platform):",
        '        """Give the platform the sources in compile order."""',
    ]
    if block.headers:
        lines.append('        platform.add_verilog_include_path(str(HERE / "rtl" / "include"))')
    lines += [
        "        for source in SOURCES:",
        '            platform.add_source(str(HERE / source), "systemverilog")',
        "",
    ]
    return "\n".join(lines)
