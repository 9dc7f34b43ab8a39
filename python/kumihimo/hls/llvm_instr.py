# SPDX-License-Identifier: Apache-2.0
"""Instructions of LLVM's textual IR."""

from __future__ import annotations

import re
from collections.abc import Callable

from .errors import HlsError, Place
from .ir import BIT, VOID, Arg, Block, Instr, Type, Value
from .llvm_values import FLAGS, Tokens, TypeReader, ValueReader, const_value, unquote
from .names import words

_BINARY = words("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem")
_CASTS = words(
    "trunc zext sext bitcast fptoui fptosi uitofp sitofp fptrunc fpext ptrtoint inttoptr "
    "addrspacecast"
)


_NO_CODE = ("llvm.dbg", "llvm.lifetime", "llvm.assume", "llvm.experimental.noalias")


class InstrReader:
    """Instructions of one function."""

    def __init__(self, types: TypeReader, args: list[Arg], place: Callable[[str], Place]) -> None:
        self.types = types
        self.place = place
        self.known: dict[str, Value] = {a.name: a for a in args}
        self.later: list[tuple[Instr, int, str]] = []
        self.values = ValueReader(types, self._local)

    def _local(self, name: str, kind: Type) -> Value:
        found = self.known.get(name)
        return found if found is not None else Arg(kind, "\0" + name)

    def resolve(self, blocks: dict[str, Block]) -> None:
        """Put the instructions that were named before they appeared into their users."""
        for block in blocks.values():
            for ins in block.body:
                for i, arg in enumerate(ins.args):
                    if isinstance(arg, Arg) and arg.name.startswith("\0"):
                        ins.args[i] = self.known[arg.name[1:]]

    def read(self, line: str, loop_lines: dict[str, int]) -> Instr | None:
        """The instruction of a line; None for one without meaning here."""
        where = re.search(r"!dbg (!\d+)", line)
        place = self.place(where.group(1)) if where else Place()
        closes = re.search(r"!llvm\.loop (!\d+)", line)
        text = re.split(r", ![a-z]", line, maxsplit=1)[0]
        t = Tokens(text)
        name = ""
        if t.peek().startswith("%") and t.peek(1) == "=":
            name = unquote(t.take())
            t.take()
        flags: set[str] = set()
        while t.accept("tail", "musttail", "notail"):
            pass
        op = t.take()
        try:
            ins = self._body(op, name, t, flags)
        except ValueError as problem:
            raise HlsError(place, f"not understood: {line.strip()} ({problem}).") from None
        if ins is None:
            return None
        ins.place = place
        ins.loop = loop_lines.get(closes.group(1), 0) if closes else 0
        if name:
            self.known[name] = ins
        return ins

    def _body(self, op: str, name: str, t: Tokens, flags: set[str]) -> Instr | None:
        while t.peek() in FLAGS:
            flags.add(t.take())
        types, values = self.types, self.values

        def made(kind: Type, args: list[Value], **more: object) -> Instr:
            return Instr(kind, op, name, args, frozenset(flags), **more)  # type: ignore[arg-type]

        if op in _BINARY:
            kind = types.read(t)
            a = values.value(t, kind)
            t.need(",")
            return made(kind, [a, values.value(t, kind)])
        if op in ("fneg", "freeze"):
            a = values.typed(t)
            return made(a.type, [a])
        if op in _CASTS:
            a = values.typed(t)
            t.need("to")
            return made(types.read(t), [a])
        if op in ("icmp", "fcmp"):
            flags.add(t.take())
            while t.peek() in FLAGS:
                flags.add(t.take())
            kind = types.read(t)
            a = values.value(t, kind)
            t.need(",")
            b = values.value(t, kind)
            result = Type("vec", count=kind.count, elems=(BIT,)) if kind.kind == "vec" else BIT
            return made(result, [a, b])
        if op == "select":
            three = [values.typed(t)]
            for _ in range(2):
                t.need(",")
                three.append(values.typed(t))
            return made(three[1].type, three)
        if op == "phi":
            kind = types.read(t)
            incoming, blocks = [], []
            while t.accept("["):
                incoming.append(values.value(t, kind))
                t.need(",")
                blocks.append(unquote(t.take()))
                t.need("]")
                t.accept(",")
            return made(kind, incoming, targets=tuple(blocks))
        if op == "br":
            if t.peek() == "label":
                t.take()
                return made(VOID, [], targets=(unquote(t.take()),))
            cond = values.typed(t)
            found = []
            while t.accept(","):
                t.need("label")
                found.append(unquote(t.take()))
            return made(VOID, [cond], targets=tuple(found))
        if op == "ret":
            kind = types.read(t)
            return made(VOID, [] if kind.kind == "void" else [values.value(t, kind)])
        if op == "unreachable":
            return made(VOID, [])
        return self._memory(op, t, made)

    def _memory(self, op: str, t: Tokens, made: Callable[..., Instr]) -> Instr | None:
        types, values = self.types, self.values
        if op == "load":
            kind = types.read(t)
            t.need(",")
            a = values.typed(t)
            return made(kind, [a], aux=kind, align=_align(t))
        if op == "store":
            data = values.typed(t)
            t.need(",")
            a = values.typed(t)
            return made(VOID, [data, a], aux=data.type, align=_align(t))
        if op == "alloca":
            kind = types.read(t)
            count = 1
            if t.accept(",") and re.fullmatch(r"i\d+", t.peek()):
                count = const_value(values.typed(t))
            if count != 1:
                kind = Type("array", count=count, elems=(kind,))
            return made(Type("ptr"), [], aux=kind)
        if op == "getelementptr":
            source = types.read(t)
            t.need(",")
            args = [values.typed(t)]
            while t.accept(","):
                args.append(values.typed(t))
            return made(args[0].type, args, aux=source)
        if op in ("extractelement", "insertelement", "shufflevector"):
            args = [values.typed(t)]
            while t.accept(","):
                args.append(values.typed(t))
            if op == "extractelement":
                return made(args[0].type.elem, args)
            if op == "insertelement":
                return made(args[0].type, args)
            mask = args.pop()
            picks = tuple(
                const_value(mask) >> (32 * i) & 0xFFFFFFFF for i in range(mask.type.count)
            )
            kind = Type("vec", count=mask.type.count, elems=(args[0].type.elem,))
            return made(kind, args, mask=picks)
        if op in ("extractvalue", "insertvalue"):
            args = [values.typed(t)]
            indices = []
            while t.accept(","):
                if re.fullmatch(r"\d+", t.peek()):
                    indices.append(int(t.take()))
                else:
                    args.append(values.typed(t))
            kind = args[0].type
            if op == "extractvalue":
                for i in indices:
                    kind = kind.elems[0 if kind.kind == "array" else i]
            return made(kind, args, mask=tuple(indices))
        if op == "call":
            return self._call(t, made)
        raise ValueError(f"the instruction {op}")

    def _call(self, t: Tokens, made: Callable[..., Instr]) -> Instr | None:
        while t.peek() in ("spir_func", "spir_kernel", "fastcc", "noundef", "zeroext", "signext",
                           "range", "noalias", "nonnull", *FLAGS):  # fmt: skip
            word = t.take()
            if word == "range":
                t.skip_group()
        kind = self.types.read(t)
        if t.peek() == "(":
            t.skip_group()
        callee = unquote(t.take())
        t.need("(")
        if callee.startswith(
            ("llvm.dbg", "llvm.lifetime", "llvm.assume", "llvm.experimental.noal")
        ):
            return None
        args: list[Value] = []
        aligns: list[int] = []
        while t.peek() != ")":
            args.append(self.values.typed(t))
            aligns.append(self.values.align)
            t.accept(",")
        return made(kind, args, callee=callee, aligns=tuple(aligns))


def _align(t: Tokens) -> int:
    while t.peek():
        if t.take() == "align":
            return int(t.take())
    return 0
