# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of one kernel: ports, segments, arrays, load and store units."""

from __future__ import annotations

from .expr import literal
from .ops import ONE, Array, Design, Edge, Lit, Op, Segment, Unit
from .print_nets import dimension, edge_name
from .print_segment import SegmentPrinter
from .waits import Wait, wait_of

LINT_OFF = ("UNUSEDSIGNAL", "PINCONNECTEMPTY")
LOAD_DEPTH = 64  # elements that a load unit has in flight


class KernelPrinter:
    """The module of a kernel."""

    def __init__(self, design: Design, module: str, data_bits: int, waits: bool = False) -> None:
        """Prepare the segments; `waits`: an output says where the kernel waits."""
        self.d = design
        self._with_waits = waits
        self.waits: tuple[Wait, ...] = ()  # bits of that output, known when the text is made
        self.module = module
        self.data_bits = data_bits
        kept: set[Op] = set()
        incoming: dict[Segment, list[Edge]] = {s: [] for s in design.segments}
        for segment in design.segments:
            for edge in segment.edges:
                if edge.target is not None:
                    incoming[edge.target].append(edge)
        self.printers = {
            s: SegmentPrinter(s, incoming[s], i == 0, kept) for i, s in enumerate(design.segments)
        }
        self.shared: list[str] = []  # what several segments drive together
        self.nets: list[str] = []
        self.instances: list[str] = []

    def text(self) -> str:
        """The whole module."""
        self._bind_arrays()
        for printer in self.printers.values():
            printer.run()
        self._moves()
        self._channels()
        self._arrays()
        for unit in self.d.units:
            self._unit(unit)
        self._idle()
        for printer in self.printers.values():
            printer.finish()
        if self._with_waits:
            self._waits()
        return self._assemble()

    def _waits(self) -> None:
        """A bit for each place of the source where the kernel may wait."""
        found: dict[Wait, list[str]] = {}
        for printer in self.printers.values():
            for op, condition in printer.waiting:
                found.setdefault(wait_of(op), []).append(condition)
        self.waits = tuple(found)
        for number, conditions in enumerate(found.values()):
            place = f"[{number}]" if len(found) > 1 else ""
            self.shared.append(f"  assign waits{place} = {' || '.join(conditions)};")

    # ---- sites ----------------------------------------------------------------------------------

    def _sites(self, kinds: str) -> list[tuple[SegmentPrinter, Op]]:
        names = kinds.split()
        return [(self.printers[s], op) for s in self.d.segments for op in s.ops if op.kind in names]

    def _choose(self, sites: list[tuple[str, str]]) -> str:
        """The data of whichever site is active; the last one where none is."""
        text = sites[-1][1]
        for active, data in sites[-2::-1]:
            text = f"{active} ? {data} : {text}"
        return text

    def _channels(self) -> None:
        for channel in self.d.channels:
            name = channel.name
            writes = [
                (p, op)
                for p, op in self._sites("chan_write chan_write_nb")
                if op.channel is channel
            ]
            reads = [
                (p, op) for p, op in self._sites("chan_read chan_read_nb") if op.channel is channel
            ]
            if writes:
                valids = [
                    f"{op.name}_go"
                    if op.kind == "chan_write"
                    else f"({op.name}_take && {name}_ready)"
                    for _, op in writes
                ]
                data = [(f"{op.name}_go", p.ref(op.args[0], op.at).text) for p, op in writes]
                self.shared.append(f"  assign {name}_valid = {' || '.join(valids)};")
                self.shared.append(f"  assign {name}_data = {self._choose(data)};")
            if reads:
                takes = " || ".join(f"{op.name}_take" for _, op in reads)
                self.shared.append(f"  assign {name}_ready = {takes};")

    # ---- arrays ---------------------------------------------------------------------------------

    def _bind_arrays(self) -> None:
        """Give every load of a segment a read port of its own; segments share them."""
        for segment in self.d.segments:
            count: dict[Array, int] = {}
            for op in segment.ops:
                if op.kind == "array_load" and op.array is not None:
                    op.copy = count.get(op.array, 0)
                    count[op.array] = op.copy + 1
                    op.array.copies = max(op.array.copies, count[op.array])

    def _arrays(self) -> None:
        for array in self.d.arrays:
            loads = [(p, op) for p, op in self._sites("array_load") if op.array is array]
            stores = [(p, op) for p, op in self._sites("array_store") if op.array is array]
            if not loads:
                continue
            index = max((array.depth - 1).bit_length(), 1)
            ports = [(f"{array.name}_wr", 1), (f"{array.name}_wr_addr", index)]
            ports.append((f"{array.name}_wr_data", array.bits))
            if stores:
                self._array_writes(array, stores, ports)
            for copy in range(array.copies):
                mine = [(p, op) for p, op in loads if op.copy == copy]
                self._array_port(array, copy, mine, index, bool(stores))

    def _array_writes(
        self,
        array: Array,
        stores: list[tuple[SegmentPrinter, Op]],
        ports: list[tuple[str, int]],
    ) -> None:
        for name, bits in ports:
            self.nets.append(f"  logic {dimension(bits)}{name};")
        enables = []
        for p, op in stores:
            pred = "" if op.pred == ONE else f" && {p.ref(op.pred, op.at).text}"
            enables.append(f"({p.step(op.at)}{pred})" if pred else p.step(op.at))
        name = array.name
        self.shared.append(f"  assign {name}_wr = {' || '.join(enables)};")
        for i, port in enumerate(("addr", "data")):
            sites = [
                (e, p.ref(op.args[i], op.at).text)
                for e, (p, op) in zip(enables, stores, strict=True)
            ]
            self.shared.append(f"  assign {name}_wr_{port} = {self._choose(sites)};")

    def _array_port(
        self,
        array: Array,
        copy: int,
        sites: list[tuple[SegmentPrinter, Op]],
        index: int,
        written: bool,
    ) -> None:
        name = f"{array.name}_word{copy}"
        self.nets.append(f"  logic {dimension(array.bits)}{name};")
        for suffix, bits in (("rd", 1), ("addr", index)):
            self.nets.append(f"  logic {dimension(bits)}{name}_{suffix};")
        enables = [p.step(op.at) for p, op in sites]
        self.shared.append(f"  assign {name}_rd = {' || '.join(enables)};")
        picks = [
            (e, p.ref(op.args[0], op.at).text) for e, (p, op) in zip(enables, sites, strict=True)
        ]
        self.shared.append(f"  assign {name}_addr = {self._choose(picks)};")
        depth = max(array.depth, 2)
        if written:
            self.instances.append(
                f"  kumi_ram_sdp #(\n      .W({array.bits}),\n      .DEPTH({depth})\n"
                f"  ) u_{name} (\n      .clk,\n      .wr_en({array.name}_wr),\n"
                f"      .wr_addr({array.name}_wr_addr),\n      .wr_data({array.name}_wr_data),\n"
                f"      .rd_en({name}_rd),\n      .rd_addr({name}_addr),\n      .rd_data({name})\n"
                "  );"
            )
            return
        words = (array.init or []) + [0] * depth
        lines = [f"      {index}'d{i}: {name} <= {literal(words[i], array.bits)};"
                 for i in range(array.depth) if words[i]]  # fmt: skip
        self.instances.append(
            f"  always_ff @(posedge clk) begin\n    if ({name}_rd) begin\n"
            f"      case ({name}_addr)\n  "
            + "\n  ".join([*lines, f"      default: {name} <= '0;"])
            + "\n      endcase\n    end\n  end"
        )

    # ---- memory ---------------------------------------------------------------------------------

    def _unit(self, unit: Unit) -> None:
        n, width = unit.name, 8 * unit.bytes
        number = self.d.units.index(unit)
        for suffix, bits in (("req_valid", 1), ("req_ready", 1), ("req_addr", 32)):
            self.nets.append(f"  logic {dimension(bits)}{n}_{suffix};")
        kind = "store" if unit.store else "load_issue"
        sites = [(p, op) for p, op in self._sites(kind) if op.unit is unit]
        go = [f"{op.name}_go" for _, op in sites]
        operands = [[p.ref(arg, op.at).text for arg in op.args] for p, op in sites]
        self.shared.append(f"  assign {n}_req_valid = {' || '.join(go)};")
        addresses = list(zip(go, (o[0] for o in operands), strict=True))
        self.shared.append(f"  assign {n}_req_addr = {self._choose(addresses)};")
        if unit.store:
            self.nets.append(f"  logic [{width - 1}:0] {n}_req_data;")
            self.nets.append(f"  logic [{unit.bytes - 1}:0] {n}_req_strb;")
            self.nets.append(f"  logic {n}_idle, {n}_flush;")
            sizes = [op.args[1].bits for _, op in sites]
            data = [_repeated(o[1], bits, width) for o, bits in zip(operands, sizes, strict=True)]
            ones = [f"{unit.bytes}'h{(1 << bits // 8) - 1:x}" for bits in sizes]
            for signal, texts in (("data", data), ("strb", ones)):
                chosen = self._choose(list(zip(go, texts, strict=True)))
                self.shared.append(f"  assign {n}_req_{signal} = {chosen};")
            drains = [f"{op.name}_go" for _, op in self._sites("drain") if op.unit is unit]
            drains += [f"{op.name}_go" for _, op in self._sites("fence") if op.flags & 2]
            self.shared.append(f"  assign {n}_flush = {' || '.join(drains) or self._zero};")
            own = (
                f"      .req_data({n}_req_data),\n"
                f"      .req_strb({n}_req_strb),\n      .flush({n}_flush),\n      .idle({n}_idle),"
            )
        else:
            self.nets.append(f"  logic {n}_rsp_valid, {n}_rsp_ready;")
            self.nets.append(f"  logic [{width - 1}:0] {n}_rsp_data;")
            takes = [f"{op.name}_take" for _, op in self._sites("load_result") if op.unit is unit]
            self.shared.append(f"  assign {n}_rsp_ready = {' || '.join(takes)};")
            own = (
                f"      .rsp_data({n}_rsp_data),\n      .rsp_valid({n}_rsp_valid),\n"
                f"      .rsp_ready({n}_rsp_ready),"
            )
        what = "store" if unit.store else "load"
        depth = "" if unit.store else f",\n      .DEPTH({LOAD_DEPTH})"
        self.instances.append(
            f"  kumi_hls_{what} #(\n      .BYTES({unit.bytes}){depth}\n"
            f"  ) u_{n} (\n      .clk,\n      .rst,\n      .req_addr({n}_req_addr),\n"
            f"      .req_valid({n}_req_valid),\n      .req_ready({n}_req_ready),\n{own}\n"
            f"      .failed(unit_failed[{number}]),\n      .m_axi(unit_axi[{number}])\n  );"
        )

    _zero = "1'b0"

    def _idle(self) -> None:
        count = len(self.d.units)
        idle = " && ".join(f"{u.name}_idle" for u in self.d.stores) or "1'b1"
        self.nets.append("  logic stores_idle;")
        self.shared.append(f"  assign stores_idle = {idle};")
        if not count:
            self.shared.append("  assign failed = 1'b0;")
            return
        self.nets.append(f"  logic [{count - 1}:0] unit_failed;")
        self.nets.append(
            f"  kumi_axi_if #(\n      .DATA_W({self.data_bits})\n  ) unit_axi[{count}] ();"
        )
        self.shared.append("  assign failed = |unit_failed;")
        self.instances.append(
            f"  kumi_axi_mux #(\n      .N({count}),\n      .BURST_BYTES({self.data_bits})\n"
            "  ) u_mux (\n      .clk,\n      .rst,\n      .s_axi(unit_axi),\n      .m_axi\n  );"
        )

    # ---- assembly -------------------------------------------------------------------------------

    def _moves(self) -> None:
        """Edges load the phis of their targets, after what the target's own tokens write."""
        for segment in self.d.segments:
            printer = self.printers[segment]
            for edge in segment.edges:
                for phi, value in edge.moves:
                    text = printer.last(value, segment.leaves(edge)).text
                    assert edge.target is not None
                    line = f"    if ({edge_name(edge)}) {phi.name} <= {text};"
                    self.printers[edge.target].loads.append(line)

    def ports(self) -> list[str]:
        """Port declarations."""
        out = ["input logic clk", "input logic rst", "input logic start", "output logic busy",
               "output logic done", "output logic stall", "output logic failed"]  # fmt: skip
        if self.waits:
            out.append(f"output logic {dimension(len(self.waits))}waits")
        for arg in self.d.args:
            out.append(f"input logic {dimension(arg.bits)}{arg.name}")
        for channel in self.d.channels:
            reads = any(op.channel is channel for _, op in self._sites("chan_read chan_read_nb"))
            way, back = ("input", "output") if reads else ("output", "input")
            out.append(f"{way} logic {dimension(channel.bits)}{channel.name}_data")
            out.append(f"{way} logic {channel.name}_valid")
            out.append(f"{back} logic {channel.name}_ready")
        if self.d.units:
            out.append("kumi_axi_if.mst m_axi")
        return out

    def _assemble(self) -> str:
        printers = list(self.printers.values())
        ends = [edge_name(e) for s in self.d.segments for e in s.edges
                if e.target is None and not _endless(s)]  # fmt: skip
        stalls = [f"(|({p.n}_valid_q & ~{p.n}_ok))" for p in printers]
        lines = [f"module {self.module} (", ",\n".join(f"    {p}" for p in self.ports()), ");"]
        for printer in printers:
            lines += [f"  // {printer.n}", *printer.nets]
        lines += ["  // channels, arrays, memory", *self.nets]
        for printer in printers:
            kind = "loop" if printer.s.loop else "block"
            lines.append(
                f"\n  // ---- {printer.n}: {kind} at line {printer.s.line}{_figures(printer.s)}"
            )
            lines += printer.comb
            lines += printer.instances
            lines += _always(printer.ff + printer.loads, [])
            lines += _always(printer.reset, [f"      {r} <= '0;" for r in printer.cleared])
        lines.append("\n  // ---- channels, arrays, memory")
        lines += self.shared + self.instances
        lines += [
            "",
            f"  assign done = {' || '.join(ends) or self._zero};",
            f"  assign stall = {' || '.join(stalls)};",
            *_always(["    if (start) busy <= 1'b1;", "    if (done) busy <= 1'b0;"],
                     ["      busy <= 1'b0;"]),
            "endmodule",
        ]  # fmt: skip
        return "\n".join(lines) + "\n"


def _endless(segment: Segment) -> bool:
    return segment.loop and isinstance(segment.proceed, Lit) and segment.proceed.value == 1


def _figures(segment: Segment) -> str:
    text = f"{segment.stages} stage{'s' if segment.stages > 1 else ''}"
    again = f", begins again from stage {segment.exit}" if segment.back else ""
    return f"{text}, II {segment.ii}{again}" if segment.loop else text


def _repeated(text: str, bits: int, width: int) -> str:
    """A word as often as it fits into a width: its place is chosen by the strobes."""
    return text if bits == width else f"{{{width // bits}{{{text}}}}}"


def _always(body: list[str], cleared: list[str]) -> list[str]:
    if not body:
        return []
    tail = ["    if (rst) begin", *cleared, "    end"] if cleared else []
    return ["  always_ff @(posedge clk) begin", *body, *tail, "  end"]
