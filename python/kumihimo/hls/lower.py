# SPDX-License-Identifier: Apache-2.0
"""From LLVM IR to segments of operations: one kernel at a time.

Innermost loops become one segment: their branches turn into predicates, merges into selections.
Every other basic block is a segment of its own.
"""

from __future__ import annotations

from .errors import HlsError, Place
from .frontend import Kernel, Program
from .ir import Arg, Block, Const, Instr, Value
from .loops import Body, Flow, Loop, body
from .lower_access import Access
from .lower_float import Floats
from .lower_value import Values
from .memory import Arrays, MemoryClasses, in_array
from .memory_copy import expand_copies
from .memory_index import index_pointers
from .memory_join import join_arrays
from .memory_split import split_accesses
from .names import Names
from .ops import ONE, ZERO, Design, Edge, Lit, Op, Operand, Segment


class Lowering:
    """The state while a kernel is lowered."""

    def __init__(self, program: Program, kernel: Kernel) -> None:
        self.program = program
        self.kernel = kernel
        join_arrays(kernel)
        index_pointers(kernel)
        expand_copies(kernel)
        split_accesses(kernel)
        self.flow = Flow(kernel.function)
        self.names = Names()
        self.known: dict[Value, Operand] = {}
        self.args = [self._arg(a) for a in kernel.function.args]
        self.arrays = Arrays(kernel, self.names)
        self.classes = MemoryClasses(kernel)
        self.values = Values(self)
        self.floats = Floats(self)
        self.access = Access(self)
        self.segments: list[Segment] = []
        self.block = ""  # that is being lowered
        self.starts: dict[str, Segment] = {}  # first block of each segment

    def _arg(self, arg: Arg) -> Op:
        op = Op("arg", self.names.exact(arg.name), arg.type.width, [], self.kernel.function.place)
        self.known[arg] = op
        return op

    # ---- values ---------------------------------------------------------------------------------

    def operand(self, value: Value, place: Place) -> Operand:
        """The operand for a value of LLVM's."""
        if isinstance(value, Const):
            return Lit(value.value, value.type.width)
        if value in self.known:
            return self.known[value]
        if in_array(value):
            text = "the address of an array is used as a value."
            where = place if place.line else self.kernel.function.place
            raise HlsError(where, text, "Use the array by its name and an index.")
        raise HlsError(place, "a value is used before it is computed.", "")

    def emit(self, segment: Segment, op: Op) -> Op:
        """Append an operation."""
        op.segment = segment
        segment.ops.append(op)
        return op

    def add(
        self,
        segment: Segment,
        kind: str,
        bits: int,
        args: list[Operand],
        ins: Instr,
        name: str = "",
        lanes: int = 1,
        word: str = "",
        picks: tuple[tuple[int, int, int], ...] = (),
    ) -> Op:
        """Append a pure operation that an instruction gives rise to."""
        label = self.names.new(name or ins.name or kind)
        op = Op(kind, label, bits, args, ins.place, lanes, word=word, picks=picks)
        op.block = self.block
        return self.emit(segment, op)

    # ---- segments -------------------------------------------------------------------------------

    def run(self) -> Design:
        """Lower the whole kernel."""
        flow = self.flow
        loops = {loop.header: loop for loop in flow.innermost()}
        inside = {name for loop in loops.values() for name in loop.blocks}
        for name in flow.order:
            if name in loops:
                self._start(name, loops[name])
            elif name not in inside:
                self._start(name, None)
        for name in flow.order:
            if name in loops:
                self._loop(loops[name], self.starts[name])
            elif name not in inside:
                segment = self.starts[name]
                self.block = name
                self._instructions(flow.blocks[name], segment, ONE)
        for name in flow.order:
            if name in self.starts and name not in loops:
                self._block_edges(flow.blocks[name], self.starts[name])
        self.access.drain()
        design = Design(
            self.kernel.name,
            self.args,
            self.segments,
            self.arrays.all(),
            self.access.units,
            self.access.channels,
            self.names,
            self.kernel.function.place,
        )
        return design

    def _start(self, name: str, loop: Loop | None) -> None:
        block = self.flow.blocks[name]
        line = loop.line if loop else block.end.place.line
        segment = Segment(self.names.new(name), loop is not None, line)
        self.segments.append(segment)
        self.starts[name] = segment
        for ins in block.body:
            if ins.op == "phi":
                op = Op("phi", self.names.new(ins.name), ins.type.width, [], ins.place)
                op.block = name
                self.known[ins] = self.emit(segment, op)

    def _instructions(self, block: Block, segment: Segment, pred: Operand) -> None:
        for at, ins in enumerate(block.body[:-1]):
            if ins.op in ("phi", "alloca"):
                continue
            if ins.op in ("load", "store") or (
                ins.op == "call" and ins.callee.startswith("__kumi")
            ):
                self.access.lower(ins, block.body[at + 1 :], segment, pred)
            else:
                self.values.lower(ins, segment)

    def _moves(self, source: str, target: str) -> list[tuple[Op, Operand]]:
        out = []
        for ins in self.flow.blocks[target].body:
            if ins.op == "phi":
                value = ins.args[ins.targets.index(source)]
                phi = self.known[ins]
                assert isinstance(phi, Op)
                out.append((phi, self.operand(value, ins.place)))
        return out

    def _block_edges(self, block: Block, segment: Segment) -> None:
        end = block.end
        self.block = block.name
        targets = tuple(dict.fromkeys(end.targets))
        if not targets:
            segment.edges.append(Edge(ONE, None, source=segment))
        elif len(targets) == 1:
            moves = self._moves(block.name, targets[0])
            segment.edges.append(Edge(ONE, self.starts[targets[0]], moves, segment))
        else:
            cond = self.operand(end.args[0], end.place)
            for target, pred in zip(targets, (cond, self.inverse(segment, cond, end)), strict=True):
                moves = self._moves(block.name, target)
                segment.edges.append(Edge(pred, self.starts[target], moves, segment))

    def inverse(self, segment: Segment, cond: Operand, ins: Instr) -> Operand:
        """The opposite of a condition."""
        if isinstance(cond, Lit):
            return Lit(1 - cond.value, 1)
        return self.add(segment, "not", 1, [cond], ins, f"not_{cond.name}")

    # ---- loops ----------------------------------------------------------------------------------

    def _loop(self, loop: Loop, segment: Segment) -> None:
        source = self.program.source
        segment.ivdep = loop.line in source.ivdep
        segment.wanted_ii = source.ii.get(loop.line, 0)
        made = body(self.flow, loop)
        segment.exclusive = made.exclusive
        preds: dict[str, Operand] = {}
        edges: dict[tuple[str, str], Operand] = {}
        for block in made.order:
            self.block = block.name
            preds[block.name] = self._predicate(block, made, preds, edges, segment)
            if block.name != loop.header:
                self._merge(block, edges, segment)
            self._instructions(block, segment, preds[block.name])
            self._out_edges(block, preds[block.name], edges, segment)
        segment.proceed = edges[loop.latch, loop.header]
        for ins in self.flow.blocks[loop.header].body:
            if ins.op == "phi":
                phi = self.known[ins]
                assert isinstance(phi, Op)
                phi.next = self.operand(ins.args[ins.targets.index(loop.latch)], ins.place)
                phi.step = _step(phi)
        for (name, target), pred in edges.items():
            if target not in loop.blocks:
                moves = self._moves(name, target)
                segment.edges.append(Edge(pred, self.starts[target], moves, segment))
        for block in made.order:
            if not block.successors:
                segment.edges.append(Edge(preds[block.name], None, [], segment))

    def _predicate(
        self,
        block: Block,
        made: Body,
        preds: dict[str, Operand],
        edges: dict[tuple[str, str], Operand],
        segment: Segment,
    ) -> Operand:
        if block.name == made.loop.header:
            return ONE
        if block.name in made.same:
            return preds[made.same[block.name]]
        incoming = [edges[up, block.name] for up in made.graph.predecessors(block.name)]
        pred = incoming[0]
        for other in incoming[1:]:
            pred = self._either(segment, pred, other, block.body[0])
        return pred

    def _either(self, segment: Segment, a: Operand, b: Operand, ins: Instr) -> Operand:
        if a is b or ONE in (a, b):
            return a if a is b else ONE
        if ZERO in (a, b):
            return b if a == ZERO else a
        return self.add(segment, "or", 1, [a, b], ins, f"run_{self.block}")

    def both(self, segment: Segment, a: Operand, b: Operand, ins: Instr) -> Operand:
        """Both conditions."""
        if a is b or a == ONE or b == ZERO:
            return b
        if b == ONE or a == ZERO:
            return a
        return self.add(segment, "and", 1, [a, b], ins, f"run_{self.block}")

    def _out_edges(
        self,
        block: Block,
        pred: Operand,
        edges: dict[tuple[str, str], Operand],
        segment: Segment,
    ) -> None:
        end = block.end
        targets = tuple(dict.fromkeys(end.targets))
        if len(targets) == 1:
            edges[block.name, targets[0]] = pred
        elif targets:
            cond = self.operand(end.args[0], end.place)
            other = self.inverse(segment, cond, end)
            for target, way in zip(targets, (cond, other), strict=True):
                edges[block.name, target] = self.both(segment, pred, way, end)

    def _merge(self, block: Block, edges: dict[tuple[str, str], Operand], segment: Segment) -> None:
        for ins in block.body:
            if ins.op != "phi":
                continue
            values = [self.operand(a, ins.place) for a in ins.args]
            value = values[-1]
            for other, up in list(zip(values, ins.targets, strict=True))[-2::-1]:
                if other is value or (isinstance(other, Lit) and other == value):
                    continue
                taken = edges[up, block.name]
                bits = ins.type.width
                value = self.add(segment, "select", bits, [taken, other, value], ins)
            self.known[ins] = value


def _step(phi: Op) -> int:
    """What a loop's variable grows by in each iteration, 0 if that is not a constant."""
    following = phi.next
    if isinstance(following, Op) and following.kind in ("add", "sub") and following.lanes == 1:
        a, b = following.args
        if a is phi and isinstance(b, Lit):
            step = b.value - (b.value >> (b.bits - 1) << b.bits)
            return step if following.kind == "add" else -step
        if b is phi and isinstance(a, Lit) and following.kind == "add":
            return a.value - (a.value >> (a.bits - 1) << a.bits)
    return 0


def lower(program: Program, kernel: Kernel) -> Design:
    """Segments of a kernel."""
    return Lowering(program, kernel).run()
