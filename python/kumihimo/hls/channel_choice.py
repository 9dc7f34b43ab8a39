# SPDX-License-Identifier: Apache-2.0
"""An access of one of several channels becomes a branch to the accesses of each.

`if (c) x = read(A); else x = read(B);` arrives from LLVM as one volatile access by a pointer that
is a select or a phi. A channel has no address in RTL: the pointer becomes the number of a channel,
and the access a chain of tests of that number. The test of a non-blocking access moves with it.
"""

from __future__ import annotations

from .ir import BIT, VOID, Block, Const, Function, GlobalRef, Instr, Module, Value, integer
from .memory import resolve
from .memory_join import joins, sources

_NUMBER = integer(8)
_TESTS = ("__kumi_can_read", "__kumi_can_write")
Place = tuple[str, int]  # a channel's variable and byte offset


def split_choices(function: Function, module: Module) -> None:
    """Rewrite all such accesses of a function."""
    _Splitting(function, module).run()


class _Splitting:
    def __init__(self, function: Function, module: Module) -> None:
        self._blocks = function.blocks
        self._channels = {name for name, v in module.globals.items() if "kumi.channel" in v.notes}
        self._numbers: dict[Value, Instr] = {}  # phi or select of numbers, by that of pointers
        self._of: dict[Place, int] = {}  # number of each channel
        self._refs: dict[Place, GlobalRef] = {}
        self._count = 0

    def run(self) -> None:
        """Blocks grow while they are visited: what is behind an access is visited later."""
        work = list(self._blocks.values())
        while work:
            block = work.pop()
            for at, ins in enumerate(block.body):
                if ins.op in ("load", "store") and self._choices(ins.args[-1]):
                    work.append(self._split(block, at))
                    break
        self._place_numbers()
        self._remove_pointers()

    def _choices(self, pointer: Value) -> dict[Place, GlobalRef]:
        """The channels that a pointer may be one of; none if it is no choice of such."""
        if not joins(pointer):
            return {}
        found: dict[Place, GlobalRef] = {}
        seen: set[Value] = set()
        work = [pointer]
        while work:
            value = work.pop()
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value, Instr) and joins(value):
                work += sources(value)
                continue
            target = resolve(value)
            if not isinstance(target.base, GlobalRef) or target.terms:
                return {}
            if target.base.name not in self._channels:
                return {}
            place = (target.base.name, target.offset)
            found[place] = GlobalRef(value.type, *place)
        return found

    # ---- numbers --------------------------------------------------------------------------------

    def _number(self, pointer: Value) -> Value:
        """The number of the channel that a pointer is."""
        if not (isinstance(pointer, Instr) and joins(pointer)):
            target = resolve(pointer)
            assert isinstance(target.base, GlobalRef)
            place = (target.base.name, target.offset)
            return Const(_NUMBER, self._of.setdefault(place, len(self._of)))
        if pointer not in self._numbers:
            made = Instr(
                _NUMBER, pointer.op, f"{pointer.name}.channel", [], targets=pointer.targets,
                place=pointer.place,
            )  # fmt: skip
            self._numbers[pointer] = made
            chosen = pointer.args[:1] if pointer.op == "select" else []
            made.args = [*chosen, *(self._number(s) for s in sources(pointer))]
        return self._numbers[pointer]

    def _place_numbers(self) -> None:
        for block in self._blocks.values():
            phis: list[Instr] = []
            rest: list[Instr] = []
            for ins in block.body:
                number = self._numbers.get(ins)
                if number is not None:
                    number.targets = ins.targets  # blocks may have been renamed meanwhile
                    (phis if number.op == "phi" else rest).append(number)
                (phis if ins.op == "phi" else rest).append(ins)
            block.body[:] = phis + rest

    def _remove_pointers(self) -> None:
        """Drop the pointers that nobody uses any more."""
        dead = set(self._numbers)
        for block in self._blocks.values():
            block.body[:] = [ins for ins in block.body if ins not in dead]

    # ---- branches -------------------------------------------------------------------------------

    def _split(self, block: Block, at: int) -> Block:
        """Branches in place of an access and its test; returns the block of what follows."""
        access = block.body[at]
        pointer = access.args[-1]
        test = next(
            (x for x in block.body[:at] if x.op == "call" and x.callee in _TESTS
             and x.args[0] is pointer), None,
        )  # fmt: skip
        first = at if test is None or access.op == "store" else block.body.index(test)
        own = [ins for ins in (test, access) if ins is not None]
        before = [ins for ins in block.body[:first] if ins not in own]
        after = [ins for ins in block.body[first:] if ins not in own]
        tail = self._block(f"{block.name}.then", after)
        for follower in tail.successors:
            for ins in self._blocks[follower].body:
                if ins.op == "phi":
                    ins.targets = tuple(tail.name if t == block.name else t for t in ins.targets)
        choices = list(self._choices(pointer).items())
        number = self._number(pointer)
        made: list[tuple[Block, list[Instr]]] = []
        block.body[:], head = before, block
        for i, (place, ref) in enumerate(choices):
            copies = [self._copy(ins, pointer, ref, place) for ins in own]
            jump = Instr(VOID, "br", "", [], targets=(tail.name,), place=access.place)
            way = self._block(f"{block.name}.channel", [*copies, jump])
            made.append((way, copies))
            if i + 1 == len(choices):
                head.body.append(Instr(VOID, "br", "", [], targets=(way.name,), place=access.place))
                continue
            value = Const(_NUMBER, self._of.setdefault(place, len(self._of)))
            same = Instr(
                BIT, "icmp", f"{way.name}.taken", [number, value], frozenset({"eq"}),
                place=access.place,
            )  # fmt: skip
            following = self._block(f"{block.name}.else", [])
            ends = Instr(VOID, "br", "", [same], targets=(way.name, following.name))
            ends.place = access.place
            head.body += [same, ends]
            head = following
        for which, ins in enumerate(own):
            if ins.op != "store":
                ins.op, ins.callee, ins.flags = "phi", "", frozenset()
                ins.args = [copies[which] for _, copies in made]
                ins.targets = tuple(way.name for way, _ in made)
                tail.body.insert(0, ins)
        return tail

    def _block(self, name: str, body: list[Instr]) -> Block:
        self._count += 1
        block = Block(f"{name}{self._count}", body)
        self._blocks[block.name] = block
        return block

    def _copy(self, ins: Instr, pointer: Value, ref: GlobalRef, place: Place) -> Instr:
        """An access or its test, of one channel."""
        args: list[Value] = [
            GlobalRef(ref.type, *place) if arg is pointer else arg for arg in ins.args
        ]
        return Instr(
            ins.type, ins.op, ins.name, args, ins.flags, ins.aux, callee=ins.callee,
            align=ins.align, place=ins.place,
        )  # fmt: skip
