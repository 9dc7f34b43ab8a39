# SPDX-License-Identifier: Apache-2.0
"""Test tops with several units of hw/storage side by side, so that one build serves all."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from kumihimo.testing import Dut

ROOT = Path(__file__).resolve().parents[3]
STALLS = [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.4, 0.4)]  # share of cycles: inputs, outputs

# Records of kumi_storage_pkg: fields from the lowest bit on.
STRIPE = (("k", 5), ("p", 2), ("lost0", 5), ("lost1", 5), ("two", 1), ("want", 2))
COEF = (("a", 8), ("b", 8), ("position", 5), ("want", 2), ("last", 1), ("bad", 1))
EVENT = (("value", 32), ("device", 8), ("op", 4))
REQ = (("without", 128), ("least", 5), ("one", 1))
PICK = (("device", 8), ("position", 5), ("count", 5), ("last", 1), ("outcome", 2))
SLOT_REQ = (("slot", 25), ("device", 8), ("op", 3))
SLOT_RSP = (("slot", 24), ("ok", 1), ("bad", 1))
LOG_CMD = (
    ("seq", 64), ("count", 32), ("index", 32), ("generation", 32), ("owner", 32), ("w", 5),
    ("head", 1),
)  # fmt: skip

# Signals of an AXI4 master: those that it drives, then those that it reads.
AXI_OUT = {
    "awid": 1, "awaddr": 0, "awlen": 8, "awsize": 3, "awburst": 2, "awvalid": 1, "wdata": -1,
    "wstrb": -8, "wlast": 1, "wvalid": 1, "bready": 1, "arid": 1, "araddr": 0, "arlen": 8,
    "arsize": 3, "arburst": 2, "arvalid": 1, "rready": 1,
}  # fmt: skip
AXI_IN = {
    "awready": 1, "wready": 1, "bid": 1, "bresp": 2, "bvalid": 1, "arready": 1, "rid": 1,
    "rdata": -1, "rresp": 2, "rlast": 1, "rvalid": 1,
}  # fmt: skip

Fields = tuple[tuple[str, int], ...]


def bits(fields: Fields) -> int:
    """Width of a record."""
    return sum(width for _, width in fields)


def pack(fields: Fields, **values: int) -> int:
    """A record; fields that are not named are zero."""
    out = at = 0
    left = dict(values)
    for name, width in fields:
        value = left.pop(name, 0)
        assert 0 <= value < 1 << width, (name, value)
        out |= value << at
        at += width
    assert not left, left
    return out


def unpack(fields: Fields, value: int) -> dict[str, int]:
    """A record's fields."""
    out = {}
    for name, width in fields:
        out[name] = value & ((1 << width) - 1)
        value >>= width
    assert value == 0
    return out


class Bench:
    """Collects instances and writes the flat top."""

    def __init__(self, name: str) -> None:
        """A top module called `name`."""
        self.name = name
        self._ports = ["input logic clk", "input logic rst"]
        self._body: list[str] = []

    def _join(self, wire: str, prefix: str, into: bool, widths: Mapping[str, int]) -> None:
        for signal, width in widths.items():
            driven = into != signal.endswith("ready")
            size = f"[{width - 1}:0] " if width > 1 or signal in ("data", "tdata", "tkeep") else ""
            self._ports.append(f"{'input' if driven else 'output'} logic {size}{prefix}_{signal}")
            pair = (f"{wire}.{signal}", f"{prefix}_{signal}")
            left, right = pair if driven else pair[::-1]
            self._body.append(f"  assign {left} = {right};")

    def add(
        self,
        name: str,
        module: str,
        params: Mapping[str, int] | None = None,
        axis: Mapping[str, int] | None = None,
        hdr: Mapping[str, int] | None = None,
        pins_in: Mapping[str, int] | None = None,
        pins_out: Mapping[str, int] | None = None,
        axi: tuple[int, int] | None = None,
    ) -> None:
        """One instance. axis: bits of data of each port, hdr: bits of each record port.

        axi: bits of data and address of m_axi. Its port s_x becomes s_axis_NAME_x or s_hdr_NAME_x,
        its pin x NAME_x, m_axi m_axi_NAME.
        """
        links = [".clk", ".rst"]
        for port, width in (axis or {}).items():
            wire, into = f"{name}_{port}", port.startswith("s_")
            self._body.append(f"  kumi_axis_if #(.DATA_W({width})) {wire} ();")
            signals = {
                "tdata": width, "tkeep": width // 8, "tvalid": 1, "tready": 1, "tlast": 1,
                "tuser": 1, "tdest": 1,
            }  # fmt: skip
            self._join(wire, f"{port[0]}_axis_{name}_{port[2:]}", into, signals)
            if into:
                self._body.append(f"  assign {wire}.tid = '0;")
            links.append(f".{port}({wire})")
        for port, width in (hdr or {}).items():
            wire, into = f"{name}_{port}", port.startswith("s_")
            self._body.append(f"  kumi_rec_if #(.W({width})) {wire} ();")
            signals = {"data": width, "valid": 1, "ready": 1}
            self._join(wire, f"{port[0]}_hdr_{name}_{port[2:]}", into, signals)
            links.append(f".{port}({wire})")
        if axi is not None:
            data, address = axi
            wire = f"{name}_axi"
            self._body.append(f"  kumi_axi_if #(.DATA_W({data}), .ADDR_W({address})) {wire} ();")
            for table, way in ((AXI_OUT, "output"), (AXI_IN, "input")):
                for signal, size in table.items():
                    width = size if size > 0 else address if size == 0 else -data // size
                    bus = f"[{width - 1}:0] " if size != 1 or signal.endswith("id") else ""
                    self._ports.append(f"{way} logic {bus}m_axi_{name}_{signal}")
                    pair = (f"m_axi_{name}_{signal}", f"{wire}.{signal}")
                    left, right = pair if way == "output" else pair[::-1]
                    self._body.append(f"  assign {left} = {right};")
            links.append(f".m_axi({wire})")
        for way, pins in (("input", pins_in), ("output", pins_out)):
            for pin, width in (pins or {}).items():
                self._ports.append(f"{way} logic [{width - 1}:0] {name}_{pin}")
                links.append(f".{pin}({name}_{pin})")
        settings = ", ".join(f".{k}({v})" for k, v in (params or {}).items())
        self._body.append(f"  {module} #({settings}) u_{name} ({', '.join(links)});")

    def add_crc(self, name: str, width: int) -> None:
        """A kumi_crc32c on an always ready stream; its value is a record."""
        wire = f"{name}_in"
        self._body.append(f"  kumi_axis_if #(.DATA_W({width})) {wire} ();")
        signals = {"tdata": width, "tkeep": width // 8, "tvalid": 1, "tready": 1, "tlast": 1}
        self._join(wire, f"s_axis_{name}", True, signals)
        self._ports += [
            f"output logic [31:0] m_hdr_{name}_data",
            f"output logic m_hdr_{name}_valid",
            f"input logic m_hdr_{name}_ready",
        ]
        self._body += [
            f"  assign {wire}.tready = 1'b1;",
            f"  assign {{{wire}.tuser, {wire}.tid, {wire}.tdest}} = '0;",
            f"  kumi_crc32c #(.DATA_W({width})) u_{name} (.clk, .rst, .in_valid({wire}.tvalid),"
            f" .in_last({wire}.tlast), .in_data({wire}.tdata), .in_keep({wire}.tkeep),"
            f" .out_valid(m_hdr_{name}_valid), .out_crc(m_hdr_{name}_data));",
            f"  logic unused_{name}; assign unused_{name} = m_hdr_{name}_ready;",
        ]

    def build(self) -> Dut:
        """Build it (or find it in the cache) and reset it."""
        ports = ",\n    ".join(self._ports)
        body = "\n".join(self._body)
        with tempfile.TemporaryDirectory(prefix="kumi_storage_") as folder:
            path = Path(folder) / f"{self.name}.sv"
            path.write_text(f"module {self.name} (\n    {ports}\n);\n{body}\nendmodule\n")
            return Dut(path, profile="soak")  # many tests share it
