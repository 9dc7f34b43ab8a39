# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of one segment: its operations, its stages, and the FIFOs between its sections.

Each stage has a valid bit. `ok` says that nothing in a stage waits; a stage's token moves when no
stage from it to the end of its section waits (`adv`), so a later token never holds up an earlier
one. `step` is a valid token that moves: it enables every register behind the stage.
"""

from __future__ import annotations

from .expr import Text, expression
from .ops import ZERO, Lit, Op
from .print_effects import EffectPrinter
from .print_nets import edge_name, number_or_part

GAP_DEPTH = 64  # tokens between two sections: what a load may take, in iterations


class SegmentPrinter(EffectPrinter):
    """The lines of one segment."""

    def run(self) -> None:
        """Produce all lines but those of registers that others still ask for."""
        for op in self.s.ops:
            self._op(op)
        self._edges()
        self._phis()

    def finish(self) -> None:
        """Registers: those of the loop's own pipe, and those that other segments read."""
        self._entering()  # asks for what it needs before the registers are printed
        for op in self.s.ops:
            if op in self.kept_ops and not op.holds:
                self.piped[op] = max(self.piped.get(op, 0), op.avail + 1)
        self._gaps()
        for op, until in self.piped.items():
            for stage in range(op.avail + 1, until + 1):
                name = f"{op.name}_s{stage}" if self.s.loop else f"{op.name}_q"
                before = op.name if stage == op.avail + 1 else f"{op.name}_s{stage - 1}"
                self.declare(name, op.bits)
                if stage - 1 in self.s.gaps:
                    self._gap_load(op, name, stage)
                else:
                    self.ff.append(f"    if ({self.step(stage - 1)}) {name} <= {before};")
                if not self.s.loop:
                    break
        self._stages()

    def _op(self, op: Op) -> None:
        handler = getattr(self, f"_{op.kind}", None)
        if handler is not None:
            handler(op)
        elif op.latency == 0:
            args = [self.ref(a, op.at) for a in op.args]
            self.declare(op.name, op.bits)
            self.comb.append(f"  assign {op.name} = {expression(op, args)};")
        else:
            self._piped_mul(op)

    def _piped_mul(self, op: Op) -> None:
        args = [self.ref(a, op.at) for a in op.args]
        before = expression(op, args)
        for i in range(op.latency):
            name = op.name if i == op.latency - 1 else f"{op.name}_p{i + 1}"
            self.declare(name, op.bits)
            self.ff.append(f"    if ({self.adv(op.at + i)}) {name} <= {before};")
            before = name

    def _divide(self, op: Op) -> None:
        width = op.bits // op.lanes
        self.declare(op.name, op.bits)
        a, b = (self.ref(x, op.at) for x in op.args)
        last = op.at + op.latency - 1
        enable = f"{self.n}_adv[{last}:{op.at}]"
        for lane in range(op.lanes):
            low = lane * width
            suffix = f"_{lane}" if op.lanes > 1 else ""
            slot = op.name if op.lanes == 1 else f"{op.name}[{low + width - 1}:{low}]"
            port = "quotient" if op.kind.endswith("div") else "remainder"
            other = "remainder" if port == "quotient" else "quotient"
            x, y = number_or_part(a, low, width), number_or_part(b, low, width)
            self.instances.append(
                f"  kumi_hls_div #(\n      .W({width}),\n      .SIGNED({int(op.kind[0] == 's')})\n"
                f"  ) u_{op.name}{suffix} (\n      .clk,\n      .en({enable}),\n"
                f"      .dividend({x}),\n      .divisor({y}),\n"
                f"      .{port}({slot}),\n      .{other}()\n  );"
            )

    _udiv = _sdiv = _urem = _srem = _divide

    def _unit(self, op: Op, inputs: tuple[str, ...], output: str, given: str = "") -> None:
        """An instance of a pipelined unit whose stages move with the segment's."""
        self.declare(op.name, op.bits)
        enable = f"{self.n}_adv[{op.at + op.latency - 1}:{op.at}]"
        args = [self.ref(a, op.at).text for a in op.args]
        pins = [f".{pin}({text})" for pin, text in zip(inputs, args, strict=True)]
        rows = ",\n      ".join([".clk", f".en({enable})", *pins, f".{output}({op.name})"])
        self.instances.append(f"  kumi_hls_{op.kind}{given} u_{op.name} (\n      {rows}\n  );")

    def _fadd(self, op: Op) -> None:
        self._unit(op, ("a", "b"), "sum")

    def _fmul(self, op: Op) -> None:
        self._unit(op, ("a", "b"), "product")

    def _fdiv(self, op: Op) -> None:
        self._unit(op, ("a", "b"), "quotient")

    def _int_to_float(self, op: Op) -> None:
        signed = f" #(\n      .SIGNED({int(op.word == 's')})\n  )"
        self._unit(op, ("value",), "result", signed)

    def _float_to_int(self, op: Op) -> None:
        self._unit(op, ("value",), "result")

    # ---- stages ---------------------------------------------------------------------------------

    def _edges(self) -> None:
        if self.s.loop and isinstance(self.s.proceed, Lit) and self.s.proceed != ZERO:
            return
        for edge in self.s.edges:
            stage = self.s.leaves(edge)
            terms = [self.step(stage)]
            if self.s.loop and self.s.proceed != ZERO:
                terms.append(f"!{self.ref(self.s.proceed, stage).text}")
            if len(self.s.edges) > 1:
                terms.append(self.last(edge.pred, stage).text)
            self.declare(edge_name(edge), 1)
            self.comb.append(f"  assign {edge_name(edge)} = {' && '.join(terms)};")

    def _phis(self) -> None:
        for op in self.s.phis:
            self.declare(op.name, op.bits)
            if not self.s.loop or op.next is None:
                continue
            ready = op.next.avail if isinstance(op.next, Op) and op.next.segment is self.s else 0
            at = max(ready, op.avail)
            if op.next is not op:
                value = self.ref(op.next, at).text
                self.ff.append(f"    if ({self.step(at)}) {op.name} <= {value};")

    def _stages(self) -> None:
        n, count = self.n, self.s.stages
        for name in ("valid_q", "ok", "adv", "step"):
            self.declare(f"{n}_{name}", count)
        oks = []
        for stage in range(count):
            waits = list(self.waits.get(stage, []))
            if stage in self.s.gaps:
                waits.append(f"({self.valid(stage)} && !{n}_gap{stage}_ready)")
            oks.append("1'b1" if not waits else "!" + (waits[0] if len(waits) == 1 else
                       f"({' || '.join(waits)})"))  # fmt: skip
        for stage, text in enumerate(oks):
            place = f"[{stage}]" if count > 1 else ""
            self.comb.append(f"  assign {n}_ok{place} = {text};")
            end = self.s.section_end(stage)
            later = place if stage == end else f"[{end}:{stage}]"
            self.comb.append(f"  assign {n}_adv{place} = &{n}_ok{later};")
        self.comb.append(f"  assign {n}_step = {n}_valid_q & {n}_adv;")
        enters = self._entering()
        self.reset.append(f"    if ({self.adv(0)}) {self.valid(0)} <= 1'b0;")
        self.reset.append(f"    if ({' || '.join(enters)}) {self.valid(0)} <= 1'b1;")
        for stage in range(1, count):
            source = self.step(stage - 1)
            if stage - 1 in self.s.gaps:
                source = f"{n}_gap{stage - 1}_out_valid && {n}_gap{stage - 1}_pop"
            self.reset.append(f"    if ({self.adv(stage)}) {self.valid(stage)} <= {source};")
        self.cleared.append(f"{n}_valid_q")

    def _entering(self) -> list[str]:
        enters = ["start"] if self.entry else []
        for edge in self.incoming:
            enters.append(edge_name(edge))
        if self.s.loop and self.s.proceed != ZERO:
            at = self.s.ii - 1
            text = self.step(at)
            if not isinstance(self.s.proceed, Lit):
                text = f"({text} && {self.ref(self.s.proceed, at).text})"
            enters.append(text)
        return enters or ["1'b0"]

    # ---- gaps -----------------------------------------------------------------------------------

    def _gaps(self) -> None:
        """Values that pass a gap go through its FIFO."""
        for gap in self.s.gaps:
            crossing = [op for op, until in self.piped.items() if op.avail <= gap < until]
            bits = sum(op.bits for op in crossing)
            name = f"{self.n}_gap{gap}"
            texts = [op.name if op.avail == gap else f"{op.name}_s{gap}" for op in crossing]
            self.declare(f"{name}_in", max(bits, 1))
            self.declare(f"{name}_out", max(bits, 1))
            self.declare(f"{name}_ready", 1)
            self.declare(f"{name}_out_valid", 1)
            self.declare(f"{name}_pop", 1)
            self.comb.append(f"  assign {name}_pop = {self._gap_pop(gap)};")
            self.comb.append(f"  assign {name}_in = {{{', '.join(texts[::-1])}}};"
                             if texts else f"  assign {name}_in = 1'b0;")  # fmt: skip
            self.instances.append(
                f"  kumi_fifo #(\n      .W({max(bits, 1)}),\n      .DEPTH({GAP_DEPTH})\n"
                f"  ) u_{name} (\n      .clk,\n      .rst,\n      .s_data({name}_in),\n"
                f"      .s_valid({self._gap_push(gap)}),\n"
                f"      .s_ready({name}_ready),\n      .m_data({name}_out),\n"
                f"      .m_valid({name}_out_valid),\n      .m_ready({name}_pop),\n"
                f"      .depth()\n  );"
            )
            at = 0
            for op in crossing:
                self._low[gap, op] = at
                at += op.bits

    def _gap_push(self, gap: int) -> str:
        waits = self.waits.get(gap, [])
        return " && ".join([self.valid(gap), *(f"!{w}" for w in waits)])

    def _gap_pop(self, gap: int) -> str:
        """Tokens leave the FIFO as far apart as they were when they entered the segment."""
        first = gap + 1
        end = self.s.section_end(first)
        terms = [self.adv(first)]
        terms += [f"!{self.valid(i)}" for i in range(first, min(gap + self.s.ii, end + 1))]
        last = gap + self.s.ii
        if self.s.ii > 1 and last <= end:
            terms.append(f"(!{self.valid(last)} || {self.adv(last)})")
        return " && ".join(terms)

    def _gap_load(self, op: Op, name: str, stage: int) -> None:
        gap = stage - 1
        total = Text(f"{self.n}_gap{gap}_out", self._bits(gap))
        part = total.part(self._low[gap, op], op.bits)
        enable = f"{self.n}_gap{gap}_out_valid && {self.n}_gap{gap}_pop"
        self.ff.append(f"    if ({enable}) {name} <= {part};")

    def _bits(self, gap: int) -> int:
        return sum(op.bits for op, until in self.piped.items() if op.avail <= gap < until)
