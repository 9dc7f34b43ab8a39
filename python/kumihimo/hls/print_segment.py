# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of one segment: its stages, registers, and the handshakes of its effects.

Each stage has a valid bit. `ok` says that nothing in a stage waits; a stage's token moves when no
stage from it to the end of its section waits (`adv`), so a later token never holds up an earlier
one. `step` is a valid token that moves: it enables every register behind the stage.
"""

from __future__ import annotations

from .expr import Text, expression, number
from .ops import ONE, ZERO, Edge, Lit, Op, Operand, Segment

GAP_DEPTH = 64  # tokens between two sections: what a load may take, in iterations


class SegmentPrinter:
    """Lines of one segment. `kept_ops`: operations whose value is read after their token left."""

    def __init__(
        self, segment: Segment, incoming: list[Edge], entry: bool, kept_ops: set[Op]
    ) -> None:
        self.s = segment
        self.kept_ops = kept_ops
        self.n = segment.name
        self.incoming = incoming
        self.entry = entry
        self.nets: list[str] = []  # declarations
        self.comb: list[str] = []
        self.ff: list[str] = []  # without reset
        self.loads: list[str] = []  # of phis, by edges
        self.reset: list[str] = []  # with reset
        self.cleared: list[str] = []  # registers that reset clears
        self.instances: list[str] = []
        self.waits: dict[int, list[str]] = {}
        self.piped: dict[Op, int] = {}  # last stage of each pipe of registers
        self._low: dict[tuple[int, Op], int] = {}  # place of a value in a gap's word
        self.in_stage: dict[int, list[Op]] = {}
        for op in segment.ops:
            if op.kind.startswith(("chan", "load", "store", "fence", "drain")):
                self.in_stage.setdefault(op.at, []).append(op)

    # ---- names ----------------------------------------------------------------------------------

    def adv(self, stage: int) -> str:
        """The token of a stage, if any, moves."""
        return f"{self.n}_adv[{stage}]" if self.s.stages > 1 else f"{self.n}_adv"

    def valid(self, stage: int) -> str:
        """A token is in a stage."""
        return f"{self.n}_valid_q[{stage}]" if self.s.stages > 1 else f"{self.n}_valid_q"

    def step(self, stage: int) -> str:
        """A token is in a stage and moves."""
        return f"{self.n}_step[{stage}]" if self.s.stages > 1 else f"{self.n}_step"

    def free(self, stage: int) -> str:
        """The register behind a stage may be loaded."""
        return "" if stage == self.s.section_end(stage) else self.adv(stage + 1)

    def ref(self, value: Operand, stage: int) -> Text:
        """An operand of an operation that runs in a stage."""
        if isinstance(value, Lit):
            return number(value.value, value.bits)
        return Text(self._name(value, stage), value.bits)

    def _name(self, op: Op, stage: int) -> str:
        if op.segment is not self.s:
            return self._keep(op)
        if stage == op.avail:
            return op.name
        if not self.s.loop:
            return self._keep(op)
        self.piped[op] = max(self.piped.get(op, op.avail), stage)
        return f"{op.name}_s{stage}"

    def last(self, value: Operand) -> Text:
        """An operand as the last token leaves it at the end of the segment."""
        if isinstance(value, Lit):
            return number(value.value, value.bits)
        if value.segment is self.s and value.avail == self.s.stages - 1:
            return Text(value.name, value.bits)
        return Text(self._keep(value), value.bits)

    def _keep(self, op: Op) -> str:
        self.kept_ops.add(op)
        return kept(op)

    def declare(self, name: str, bits: int) -> None:
        """Declare a net."""
        self.nets.append(f"  logic {dimension(bits)}{name};")

    # ---- printing -------------------------------------------------------------------------------

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

    # ---- effects --------------------------------------------------------------------------------

    def _active(self, op: Op, remembers: bool) -> str:
        """Net that is high while an effect has still to happen."""
        terms = [self.valid(op.at)]
        if op.pred != ONE:
            terms.append(self.ref(op.pred, op.at).text)
        if remembers:
            terms.append(f"!{op.name}_done_q")
        self.declare(f"{op.name}_go", 1)
        self.comb.append(f"  assign {op.name}_go = {' && '.join(terms)};")
        return f"{op.name}_go"

    def _alone(self, op: Op) -> bool:
        return len(self.in_stage[op.at]) == 1

    def _done(self, op: Op, fire: str) -> None:
        self.declare(f"{op.name}_done_q", 1)
        name = f"{op.name}_done_q"
        self.reset.append(f"    {name} <= ({name} || {fire}) && !{self.adv(op.at)};")
        self.cleared.append(name)

    def _wait(self, op: Op, condition: str) -> None:
        self.waits.setdefault(op.at, []).append(condition)

    def _writes(self, op: Op, prefix: str) -> None:
        """An effect that offers a word: valid until it is accepted, then not again."""
        ends = op.at == self.s.section_end(op.at) and op.at not in self.s.gaps
        remembers = not (self._alone(op) and ends)
        go = self._active(op, remembers)
        if remembers:
            self._done(op, f"({go} && {prefix}_ready)")
        self._wait(op, f"({go} && !{prefix}_ready)")

    def _reads(self, op: Op, prefix: str, data: str) -> None:
        """An effect that takes a word, into a register that keeps it."""
        remembers = not self._alone(op)
        go = self._active(op, remembers)
        self.declare(f"{op.name}_take", 1)
        free = self.free(op.at)
        self.comb.append(f"  assign {op.name}_take = {go}{' && ' + free if free else ''};")
        fire = f"{op.name}_take && {prefix}_valid"
        if remembers:
            self._done(op, f"({fire})")
        self._wait(op, f"({go} && !{prefix}_valid)")
        self.declare(op.name, op.bits)
        self.ff.append(f"    if ({fire}) {op.name} <= {data};")

    def _chan_write(self, op: Op) -> None:
        assert op.channel is not None
        self._writes(op, op.channel.name)

    def _chan_read(self, op: Op) -> None:
        assert op.channel is not None
        self._reads(op, op.channel.name, f"{op.channel.name}_data")

    def _load_issue(self, op: Op) -> None:
        assert op.unit is not None
        self._writes(op, f"{op.unit.name}_req")

    def _load_result(self, op: Op) -> None:
        assert op.unit is not None
        self._reads(op, f"{op.unit.name}_rsp", f"{op.unit.name}_rsp_data")

    def _store(self, op: Op) -> None:
        assert op.unit is not None
        self._writes(op, f"{op.unit.name}_req")

    def _chan_read_nb(self, op: Op) -> None:
        assert op.channel is not None
        self._try(op)
        self.declare(op.name, op.bits)
        self.ff.append(f"    if ({op.name}_take) {op.name} <= {op.channel.name}_data;")
        self.ff.append(f"    if ({op.name}_take) {op.name}_ok_q <= {op.channel.name}_valid;")

    def _chan_write_nb(self, op: Op) -> None:
        assert op.channel is not None
        self._try(op)
        self.ff.append(f"    if ({op.name}_take) {op.name}_ok_q <= {op.channel.name}_ready;")

    def _try(self, op: Op) -> None:
        remembers = not self._alone(op)
        go = self._active(op, remembers)
        free = self.free(op.at)
        self.declare(f"{op.name}_take", 1)
        self.declare(f"{op.name}_ok_q", 1)
        self.comb.append(f"  assign {op.name}_take = {go}{' && ' + free if free else ''};")
        if remembers:
            self._done(op, f"{op.name}_take")

    def _nb_flag(self, op: Op) -> None:
        access = op.args[0]
        assert isinstance(access, Op)
        self.declare(op.name, 1)
        self.comb.append(f"  assign {op.name} = {access.name}_ok_q;")

    def _fence(self, op: Op) -> None:
        if op.flags & 2:
            self._wait(op, f"({self._active(op, False)} && !stores_idle)")

    def _drain(self, op: Op) -> None:
        assert op.unit is not None
        self._wait(op, f"({self._active(op, False)} && !{op.unit.name}_idle)")

    def _array_load(self, op: Op) -> None:
        assert op.array is not None
        self.declare(op.name, op.bits)
        self.comb.append(f"  assign {op.name} = {op.array.name}_word{op.copy};")

    def _array_store(self, op: Op) -> None:
        """Its write enable and data are part of the array."""

    def _phi(self, op: Op) -> None:
        """Its register is in `_phis`."""

    # ---- stages ---------------------------------------------------------------------------------

    def _edges(self) -> None:
        last = self.s.stages - 1
        leaves = [self.step(last)]
        if self.s.loop and self.s.proceed != ZERO:
            if isinstance(self.s.proceed, Lit):
                return
            leaves.append(f"!{self.ref(self.s.proceed, last).text}")
        for edge in self.s.edges:
            terms = list(leaves)
            if len(self.s.edges) > 1:
                terms.append(self.last(edge.pred).text)
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


def edge_name(edge: Edge) -> str:
    """Net that is high when a token leaves a segment by an edge."""
    assert edge.source is not None
    target = edge.target.name if edge.target else "end"
    same = [e for e in edge.source.edges if e.target is edge.target]
    suffix = f"_{same.index(edge)}" if len(same) > 1 else ""
    return f"{edge.source.name}_to_{target}{suffix}"


def kept(op: Op) -> str:
    """Register that keeps a value after its token has moved on."""
    if op.holds:
        return op.name
    segment = op.segment
    if segment is not None and segment.loop:
        return f"{op.name}_s{op.avail + 1}"
    return f"{op.name}_q"


def number_or_part(text: Text, low: int, bits: int) -> str:
    """Part of an operand for a port."""
    if text.number is not None:
        return number(text.number >> low & ((1 << bits) - 1), bits).text
    return text.part(low, bits)


def dimension(bits: int) -> str:
    """Packed dimension of a net."""
    return f"[{bits - 1}:0] " if bits > 1 else ""
