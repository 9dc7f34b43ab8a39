# SPDX-License-Identifier: Apache-2.0
"""Instructions with effects: channels, fences, arrays and global memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .dependence import may_see
from .errors import HlsError, Place
from .frontend import CAN_READ, CAN_WRITE, FENCE, Channel
from .ir import POINTER_BITS, VOID, Const, GlobalRef, Instr, Value
from .memory import Pointer, resolve
from .ops import ONE, Banks, Lit, Op, Operand, Segment, Unit

if TYPE_CHECKING:
    from .lower import Lowering

GLOBAL_FENCE = 2  # CLK_GLOBAL_MEM_FENCE


class Access:
    """Lowers the accesses of one kernel."""

    def __init__(self, owner: Lowering) -> None:
        self._owner = owner
        self.units: list[Unit] = []
        self.channels: list[Channel] = []
        self._stores: dict[str, Unit] = {}
        self._paired: dict[Instr, Op] = {}  # access to the channel that a test was made for

    def lower(self, ins: Instr, rest: list[Instr], segment: Segment, pred: Operand) -> None:
        """Lower a load, a store or a call of the header's functions; `rest` follows it."""
        if ins.op == "call":
            self._call(ins, rest, segment, pred)
            return
        pointer = resolve(ins.args[-1])
        if isinstance(pointer.base, GlobalRef) and self._is_channel(pointer.base.name):
            self._channel(ins, pointer, segment, pred)
            return
        array = self._owner.arrays.find(pointer.base, ins.place)
        if array is not None:
            self._array(ins, pointer, array, segment, pred)
        else:
            self._global(ins, pointer, segment, pred)

    def _is_channel(self, name: str) -> bool:
        variable = self._owner.program.module.globals.get(name)
        return variable is not None and "kumi.channel" in variable.notes

    def _effect(
        self, segment: Segment, kind: str, bits: int, args: list[Operand], ins: Instr,
        pred: Operand, name: str,
    ) -> Op:  # fmt: skip
        op = Op(kind, self._owner.names.new(name), bits, args, ins.place, pred=pred)
        op.block = self._owner.block
        return self._owner.emit(segment, op)

    # ---- calls ----------------------------------------------------------------------------------

    def _call(self, ins: Instr, rest: list[Instr], segment: Segment, pred: Operand) -> None:
        if ins.callee == FENCE:
            flags = ins.args[0]
            op = self._effect(segment, "fence", 0, [], ins, pred, "fence")
            op.flags = flags.value if isinstance(flags, Const) else GLOBAL_FENCE
        else:
            self._try(ins, rest, segment, pred)

    def _try(self, ins: Instr, rest: list[Instr], segment: Segment, pred: Operand) -> None:
        """A test and the access after it are one non-blocking operation."""
        wanted = "load" if ins.callee == CAN_READ else "store"
        place = _channel_place(ins.args[0])
        for other in rest:
            if other.op == wanted and place and _channel_place(other.args[-1]) == place:
                break
        else:
            text = "a non-blocking access of a channel was taken apart."
            raise HlsError(ins.place, text, "Use a constant index for the channel.")
        assert ins.callee in (CAN_READ, CAN_WRITE)
        flag = Op("nb_flag", self._owner.names.new(ins.name or "ok"), 1, [], ins.place)
        flag.block = self._owner.block
        self._owner.known[ins] = flag
        self._paired[other] = flag

    # ---- channels -------------------------------------------------------------------------------

    def _channel(self, ins: Instr, pointer: Pointer, segment: Segment, pred: Operand) -> None:
        assert isinstance(pointer.base, GlobalRef)
        channel = None
        if not pointer.terms:
            ref = GlobalRef(pointer.base.type, pointer.base.name, pointer.offset)
            channel = self._owner.program.channel(ref)
        if channel is None:
            text = f"the index of the channel {pointer.base.name} is not constant."
            hint = "Unroll the loop over the channels (#pragma unroll), or use a switch."
            raise HlsError(ins.place, text, hint)
        if channel not in self.channels:
            self.channels.append(channel)
        flag = self._paired.get(ins)
        suffix = "" if flag is None else "_nb"
        if ins.op == "load":
            kind = f"chan_read{suffix}"
            op = self._effect(segment, kind, channel.bits, [], ins, pred, ins.name or channel.name)
            value = self._owner.values.resized(segment, op, ins.type.width, ins)
            self._owner.known[ins] = value
        else:
            data = self._owner.operand(ins.args[0], ins.place)
            data = self._owner.values.resized(segment, data, channel.bits, ins)
            kind = f"chan_write{suffix}"
            name = f"{channel.name}_write"
            op = self._effect(segment, kind, 0, [data], ins, pred, name)
        op.channel = channel
        if flag is not None:
            flag.args = [op]
            self._owner.emit(segment, flag)

    # ---- arrays ---------------------------------------------------------------------------------

    def _array(
        self, ins: Instr, pointer: Pointer, banks: Banks, segment: Segment, pred: Operand
    ) -> None:
        values = self._owner.values
        depth = banks.banks[0].depth
        bits = max((depth - 1).bit_length(), 1)
        word = banks.word
        if pointer.offset % word == 0 and all(scale % word == 0 for _, scale in pointer.terms):
            index = values.address(pointer.terms, pointer.offset, None, segment, ins, word, bits)
            first: Operand = Lit(0, 1)
        else:
            low = word.bit_length() - 1
            at = values.address(pointer.terms, pointer.offset, None, segment, ins, 1, bits + low)
            index, first = self._split(segment, at, low, bits, banks.grain, ins)
        if ins.op == "load":
            self._array_load(ins, banks, index, first, segment)
        else:
            self._array_store(ins, banks, index, first, segment, pred)

    def _split(
        self, segment: Segment, at: Operand, low: int, bits: int, grain: int, ins: Instr
    ) -> tuple[Operand, Operand]:
        """Word and first bank of a byte address within an array."""
        shift = grain.bit_length() - 1
        if isinstance(at, Lit):
            return Lit(at.value >> low, bits), Lit((at.value & ((1 << low) - 1)) >> shift, 8)
        add = self._owner.add
        index = add(segment, "pick", bits, [at], ins, "word_at", picks=((0, low, bits),))
        bank = add(
            segment, "pick", low - shift, [at], ins, "bank", picks=((0, shift, low - shift),)
        )
        return index, bank

    def _array_load(
        self, ins: Instr, banks: Banks, index: Operand, first: Operand, segment: Segment
    ) -> None:
        add, values = self._owner.add, self._owner.values
        words: list[Operand] = []
        for bank in banks.banks:
            name = (ins.name or "word") if len(banks.banks) == 1 else f"{bank.name}_word"
            op = self._effect(segment, "array_load", bank.bits, [index], ins, ONE, name)
            op.array = bank
            words.append(op)
        size, grain = ins.aux.size, banks.grain
        lanes = len(words)
        whole: Operand = words[0]
        if lanes > 1:
            picks = tuple((i, 0, 8 * grain) for i in range(lanes))
            whole = add(segment, "pick", 8 * banks.word, words, ins, "whole", picks=picks)
            if size < banks.word:
                groups = banks.word // size
                if isinstance(first, Lit):
                    picks = ((0, 8 * grain * first.value, 8 * size),)
                    whole = add(segment, "pick", 8 * size, [whole], ins, picks=picks)
                else:
                    step = size // grain
                    lane = self._lane(segment, first, step, ins)
                    args = [whole, lane]
                    whole = add(segment, "lane_get", 8 * size, args, ins, lanes=groups)
        self._owner.known[ins] = values.resized(segment, whole, ins.type.width, ins)

    def _lane(self, segment: Segment, first: Operand, step: int, ins: Instr) -> Operand:
        shift = step.bit_length() - 1
        if shift == 0:
            return first
        picks = ((0, shift, first.bits - shift),)
        return self._owner.add(
            segment, "pick", first.bits - shift, [first], ins, "lane", picks=picks
        )

    def _array_store(
        self,
        ins: Instr,
        banks: Banks,
        index: Operand,
        first: Operand,
        segment: Segment,
        pred: Operand,
    ) -> None:
        owner, grain, size = self._owner, banks.grain, ins.aux.size
        data = owner.operand(ins.args[0], ins.place)
        data = owner.values.resized(segment, data, 8 * size, ins)
        step = size // grain
        for number, bank in enumerate(banks.banks):
            if bank.init is not None:
                raise HlsError(ins.place, f"the constant {banks.name} is written.", "")
            chosen: Operand = pred
            if isinstance(first, Lit):
                if size < banks.word and number // step != first.value // step:
                    continue
            elif size < banks.word:
                here = Lit(number // step * step, first.bits)
                hit = owner.add(segment, "icmp", 1, [first, here], ins, "hit", word="eq")
                chosen = owner.both(segment, pred, hit, ins)
            part: Operand = data
            if step > 1:
                picks = ((0, 8 * grain * (number % step), 8 * grain),)
                part = owner.add(segment, "pick", 8 * grain, [data], ins, picks=picks)
            name = f"{bank.name}_store"
            op = self._effect(segment, "array_store", 0, [index, part], ins, chosen, name)
            op.array = bank
            bank.stored = True

    # ---- global memory --------------------------------------------------------------------------

    def _global(self, ins: Instr, pointer: Pointer, segment: Segment, pred: Operand) -> None:
        owner = self._owner
        size = ins.aux.store
        if size & (size - 1) or size > 128:
            text = f"a word of {size} bytes in global memory is accessed."
            raise HlsError(ins.place, text, "Use words of 1, 2, 4, ... 128 bytes.")
        if 0 < ins.align < size:
            text = f"{size} bytes are accessed at an address that is a multiple of {ins.align}."
            raise HlsError(ins.place, text, "Read the fields of a packed struct one by one.")
        base = owner.operand(pointer.base, ins.place)
        base = owner.values.resized(segment, base, POINTER_BITS, ins)
        address = owner.values.address(pointer.terms, pointer.offset, base, segment, ins)
        memory = owner.classes.of(pointer.base)
        if ins.op == "load":
            name = ins.name or "word"
            unit = Unit(owner.names.new(f"{name}_load"), False, size, memory)
            self.units.append(unit)
            args = [address]
            issue = self._effect(segment, "load_issue", 0, args, ins, pred, f"{name}_issue")
            op = self._effect(segment, "load_result", 8 * size, [issue], ins, pred, name)
            issue.unit = op.unit = unit
            owner.known[ins] = owner.values.resized(segment, op, ins.type.width, ins)
            return
        if memory not in self._stores:
            stem = memory or "memory"
            self._stores[memory] = Unit(owner.names.new(f"{stem}_store"), True, size, memory)
            self.units.append(self._stores[memory])
        unit = self._stores[memory]
        unit.bytes = max(unit.bytes, size)
        data = owner.operand(ins.args[0], ins.place)
        data = owner.values.resized(segment, data, 8 * size, ins)
        op = self._effect(segment, "store", 0, [address, data], ins, pred, f"{unit.name}_word")
        op.unit = unit

    def drain(self) -> None:
        """Wait for writes where later reads may see them, and before the kernel ends."""
        loaded = {u.memory for u in self.units if not u.store}
        for segment in self._owner.segments:
            segment.ops = self._before_loads(segment)
            written = dict.fromkeys(op.unit for op in segment.ops if op.kind == "store")
            ends = any(edge.target is None for edge in segment.edges)
            for unit in self._stores.values():
                if ends or (unit in written and unit.memory in loaded):
                    self._at_end(segment, unit)

    def _at_end(self, segment: Segment, unit: Unit) -> None:
        pred: Operand = ONE
        if segment.loop:
            line = Instr(VOID, "br", "", [], place=Place())
            self._owner.block = ""
            pred = self._owner.inverse(segment, segment.proceed, line)
        segment.ops.append(self._drain(segment, Place(), "", unit, pred))

    def _before_loads(self, segment: Segment) -> list[Op]:
        ops: list[Op] = []
        for op in segment.ops:
            if op.kind == "load_issue" and op.unit is not None:
                unit = self._stores.get(op.unit.memory)
                if unit is not None and may_see(segment, op):
                    ops.append(self._drain(segment, op.place, op.block, unit, op.pred))
            ops.append(op)
        return ops

    def _drain(self, segment: Segment, place: Place, block: str, unit: Unit, pred: Operand) -> Op:
        name = self._owner.names.new("drain")
        op = Op("drain", name, 0, [], place, unit=unit, block=block, pred=pred)
        op.segment = segment
        return op


def _channel_place(value: Value) -> tuple[str, int] | None:
    """Variable and offset of a constant address."""
    pointer = resolve(value)
    if isinstance(pointer.base, GlobalRef) and not pointer.terms:
        return pointer.base.name, pointer.offset
    return None
