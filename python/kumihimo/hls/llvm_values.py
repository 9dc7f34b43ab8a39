# SPDX-License-Identifier: Apache-2.0
"""Tokens, types and constants of LLVM's textual IR."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from .ir import VOID, Const, GlobalRef, Type, Value
from .names import words

_TOKEN = re.compile(
    r'\s*(?:;.*|(c?"(?:[^"\\]|\\.)*"|[%@](?:"[^"]*"|[\w.$-]+)|![\w.]*|#\w+|'
    r"0x[KLMHR]?[0-9A-Fa-f]+|-?\d+\.\d+(?:e[+-]\d+)?|-?\d+|[A-Za-z_][\w.]*|\.\.\.|.))"
)
FLAGS = words(
    "nuw nsw exact disjoint nneg inbounds nusw volatile samesign nnan ninf nsz arcp contract afn "
    "reassoc fast tail musttail notail inrange"
)


_VALUES = words(
    "true false null undef poison zeroinitializer splat getelementptr inttoptr "
    "ptrtoint trunc addrspacecast add sub"
)


class Tokens:
    """A line's tokens with a cursor."""

    def __init__(self, text: str) -> None:
        self.all = [m.group(1) for m in _TOKEN.finditer(text) if m.group(1) and m.group(1).strip()]
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        """A token without taking it, "" at the end."""
        at = self.at + ahead
        return self.all[at] if at < len(self.all) else ""

    def take(self) -> str:
        """The next token."""
        self.at += 1
        return self.all[self.at - 1] if self.at <= len(self.all) else ""

    def accept(self, *words: str) -> bool:
        """Take the next token if it is one of these."""
        if self.peek() in words and self.peek():
            self.at += 1
            return True
        return False

    def need(self, word: str) -> None:
        """Take a token that must be this one."""
        got = self.take()
        if got != word:
            raise ValueError(f"expected {word}, found {got} in {' '.join(self.all)[:200]}")

    def skip_group(self) -> None:
        """Skip a balanced (...) or {...} group that starts here."""
        depth = 0
        while True:
            word = self.take()
            depth += (word in "([{<") - (word in ")]}>") if len(word) == 1 else 0
            if depth == 0 or not word:
                return


def unquote(name: str) -> str:
    """A value's name without sigil and quotes."""
    return name[1:].strip('"')


def string_bytes(token: str) -> bytes:
    """Content of c"..."."""
    text = token[2:-1] if token.startswith("c") else token[1:-1]
    parts = re.split(r"\\([0-9A-Fa-f]{2})", text)
    return b"".join(
        bytes([int(p, 16)]) if i % 2 else p.replace("\\\\", "\\").encode("latin-1")
        for i, p in enumerate(parts)
    )


class TypeReader:
    """Types, with the module's named structs."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}  # a struct may be described behind its first use
        self.named: dict[str, Type] = {}

    def read(self, t: Tokens) -> Type:
        """A type at the cursor."""
        word = t.take()
        if re.fullmatch(r"i\d+", word):
            return Type("int", int(word[1:]))
        if word in ("half", "float", "double"):
            return Type("float", {"half": 16, "float": 32, "double": 64}[word])
        if word == "ptr":
            space = 0
            if t.accept("addrspace"):
                t.need("(")
                space = int(t.take())
                t.need(")")
            return Type("ptr", space=space)
        if word == "void":
            return VOID
        if word == "[" or (word == "<" and t.peek() != "{"):
            count = int(t.take())
            t.need("x")
            elem = self.read(t)
            t.need("]" if word == "[" else ">")
            return Type("array" if word == "[" else "vec", count=count, elems=(elem,))
        if word == "{" or word == "<":
            packed = word == "<"
            if packed:
                t.need("{")
            elems = []
            while t.peek() != "}":
                elems.append(self.read(t))
                t.accept(",")
            t.need("}")
            if packed:
                t.need(">")
            return Type("struct", elems=tuple(elems), packed=packed)
        if word.startswith("%"):
            name = unquote(word)
            if name not in self.named:
                if name not in self.texts:
                    raise ValueError(f"unknown type {word}")
                self.named[name] = self.read(Tokens(self.texts[name]))
            return self.named[name]
        if word in ("label", "metadata", "token"):
            return Type("opaque")
        raise ValueError(f"unknown type {word} in {' '.join(t.all)[:200]}")


def float_bits(token: str, bits: int) -> int:
    """Bits of a float constant: decimal, or the hexadecimal of a double."""
    if token.startswith("0xH"):
        return int(token[3:], 16)
    value = (
        struct.unpack(">d", bytes.fromhex(token[2:].zfill(16)))[0]
        if token.startswith("0x")
        else float(token)
    )
    code = {16: "e", 32: "f", 64: "d"}[bits]
    return int.from_bytes(struct.pack(f"<{code}", value), "little")


class ValueReader:
    """Constants and names. `local` finds a local value by name."""

    def __init__(self, types: TypeReader, local: Callable[[str, Type], Value]) -> None:
        self.types = types
        self.local = local
        self.align = 0  # that the last typed value has, if it is a pointer with one

    def typed(self, t: Tokens) -> Value:
        """A type and a value of it, with parameter attributes between."""
        kind = self.types.read(t)
        self.align = 0
        while re.fullmatch(r"[a-z_]+", t.peek()) and t.peek() not in _VALUES:
            word = t.take()
            if t.peek() == "(" and word != "c":
                t.skip_group()
            elif word == "align":
                self.align = int(t.take())
        return self.value(t, kind)

    def value(self, t: Tokens, kind: Type) -> Value:
        """A value of a known type."""
        word = t.take()
        if word.startswith("%"):
            return self.local(unquote(word), kind)
        if word.startswith("@"):
            return GlobalRef(kind, unquote(word))
        if word in ("undef", "poison", "null", "zeroinitializer", "none"):
            return Const(kind, 0)
        if word in ("true", "false"):
            return Const(kind, int(word == "true"))
        if word == "splat":
            t.need("(")
            one = self.typed(t)
            t.need(")")
            return Const(kind, _pack([const_value(one)] * kind.count, kind.elem.width))
        if word == "getelementptr":
            return self._constant_gep(t, kind)
        if word == "addrspacecast":
            t.need("(")
            value = self.typed(t)
            t.need("to")
            self.types.read(t)
            t.need(")")
            return value
        if word.startswith('c"'):
            return Const(kind, int.from_bytes(string_bytes(word), "little"))
        if word in ("<", "[", "{"):
            values = []
            packed = word == "<" and t.accept("{")
            while t.peek() not in (">", "]", "}"):
                values.append(self.typed(t))
                t.accept(",")
            t.take()
            if packed:
                t.need(">")
            total, at = 0, 0
            for one in values:
                total |= const_value(one) << at
                at += one.type.width
            return Const(kind, total)
        if kind.kind == "float":
            return Const(kind, float_bits(word, kind.bits))
        if re.fullmatch(r"-?\d+", word):
            return Const(kind, int(word) & ((1 << kind.bits) - 1))
        raise ValueError(f"unknown constant {word} in {' '.join(t.all)[:200]}")

    def _constant_gep(self, t: Tokens, kind: Type) -> Value:
        while t.accept(*FLAGS):
            if t.peek() == "(" and t.all[t.at - 1] == "inrange":
                t.skip_group()
        t.need("(")
        source = self.types.read(t)
        t.need(",")
        base = self.typed(t)
        if not isinstance(base, GlobalRef):
            raise ValueError("a constant address that is not of a global")
        offset = base.offset
        first = True
        while t.accept(","):
            index = const_value(self.typed(t))
            index -= (index >> 63 & 1) << 64
            if first:
                offset += index * source.size
                first = False
            elif source.kind == "struct":
                offset += source.offset(index)
                source = source.elems[index]
            else:
                source = source.elem
                offset += index * source.size
        t.need(")")
        return GlobalRef(kind, base.name, offset)


def const_value(value: Value) -> int:
    """Bits of a value that must be a constant."""
    if not isinstance(value, Const):
        raise ValueError("a constant of addresses")
    return value.value


def _pack(values: list[int], width: int) -> int:
    return sum(v << (i * width) for i, v in enumerate(values))


def memory_bytes(kind: Type, value: int) -> bytes:
    """How a constant of a type lies in memory, with padding."""
    if kind.kind in ("array", "vec"):
        width = kind.elem.width
        mask = (1 << width) - 1
        parts = [memory_bytes(kind.elem, value >> (i * width) & mask) for i in range(kind.count)]
        return b"".join(parts).ljust(kind.size, b"\0")
    if kind.kind == "struct":
        out, at = bytearray(kind.size), 0
        for i, elem in enumerate(kind.elems):
            data = memory_bytes(elem, value >> at & ((1 << elem.width) - 1))
            out[kind.offset(i) : kind.offset(i) + len(data)] = data
            at += elem.width
        return bytes(out)
    return value.to_bytes(max(kind.size, 1), "little")
