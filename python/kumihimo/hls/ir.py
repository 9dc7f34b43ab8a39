# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as plain objects: types, values, instructions, blocks, functions.

Only what OpenCL kernels need after clang's optimisation. `llvm_text` reads it from text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import NOWHERE, Place

POINTER_BITS = 32  # of an address in RTL: the width of the memory port's addresses


@dataclass(frozen=True)
class Type:
    """A first-class type.

    kind: void, int, float, ptr, vec, array, struct, opaque (label, metadata).
    """

    kind: str
    bits: int = 0  # of an int or float
    space: int = 0  # address space of a ptr
    count: int = 0  # elements of a vec or array
    elems: tuple[Type, ...] = ()  # element of a vec or array, fields of a struct
    packed: bool = False  # a struct without padding

    @property
    def elem(self) -> Type:
        """Element type of a vector or array; any other type itself."""
        return self.elems[0] if self.kind in ("vec", "array") else self

    @property
    def lanes(self) -> int:
        """Elements of a vector, 1 of a scalar."""
        return self.count if self.kind == "vec" else 1

    @property
    def width(self) -> int:
        """Bits of a value in RTL: no padding."""
        if self.kind in ("vec", "array"):
            return self.count * self.elem.width
        if self.kind == "struct":
            return sum(e.width for e in self.elems)
        return POINTER_BITS if self.kind == "ptr" else self.bits

    @property
    def align(self) -> int:
        """Natural alignment in bytes."""
        if self.kind == "struct":
            return 1 if self.packed else max((e.align for e in self.elems), default=1)
        if self.kind == "array":
            return self.elem.align
        return _power(self.store) if self.kind == "vec" else min(_power(self.store), 8)

    @property
    def store(self) -> int:
        """Bytes that a store changes."""
        return 8 if self.kind == "ptr" else (self.width + 7) // 8

    @property
    def size(self) -> int:
        """Bytes from one element of an array to the next."""
        if self.kind == "array":
            return self.count * self.elem.size
        if self.kind == "struct":
            end = self.offset(len(self.elems))
            return -(-end // self.align) * self.align
        return -(-self.store // self.align) * self.align

    def offset(self, index: int) -> int:
        """Byte offset of a struct's field; of one past the last, the end of the last."""
        at = 0
        for i, elem in enumerate(self.elems):
            if not self.packed:
                at = -(-at // elem.align) * elem.align
            if i == index:
                return at
            at += elem.size
        return at

    def __str__(self) -> str:
        if self.kind == "vec":
            return f"<{self.count} x {self.elem}>"
        return {"int": f"i{self.bits}", "float": f"f{self.bits}"}.get(self.kind, self.kind)


def _power(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


VOID = Type("void")
BIT = Type("int", 1)


def integer(bits: int) -> Type:
    """The integer type of a width."""
    return Type("int", bits)


@dataclass(eq=False)
class Value:
    """Anything an instruction may use."""

    type: Type


@dataclass(eq=False)
class Const(Value):
    """A constant: the bits of its value; `undef` and `poison` are 0."""

    value: int


@dataclass(eq=False)
class GlobalRef(Value):
    """The address of a global variable, plus bytes."""

    name: str
    offset: int = 0


@dataclass(eq=False)
class Arg(Value):
    """An argument of a kernel."""

    name: str
    noalias: bool = False


@dataclass(eq=False)
class Instr(Value):
    """An instruction; `flags` holds words such as volatile and the predicate of a comparison."""

    op: str
    name: str
    args: list[Value]
    flags: frozenset[str] = frozenset()
    aux: Type = VOID  # source element type of a GEP, type of a load, store or alloca
    targets: tuple[str, ...] = ()  # successors of a branch, incoming blocks of a phi
    callee: str = ""
    align: int = 0
    mask: tuple[int, ...] = ()  # of a shuffle; indices of extractvalue and insertvalue
    aligns: tuple[int, ...] = ()  # of a call's arguments, 0: not known
    place: Place = NOWHERE
    loop: int = 0  # line of the loop that a latch's branch closes


@dataclass(eq=False)
class Block:
    """A basic block; the last instruction is its terminator."""

    name: str
    body: list[Instr] = field(default_factory=list)

    @property
    def end(self) -> Instr:
        """The terminator."""
        return self.body[-1]

    @property
    def successors(self) -> tuple[str, ...]:
        """Names of the blocks that may follow, in the order of the branch."""
        return self.end.targets


@dataclass(eq=False)
class Function:
    """A function with a body; the first block is the entry."""

    name: str
    kernel: bool
    args: list[Arg]
    blocks: dict[str, Block]
    place: Place = NOWHERE
    attrs: dict[str, tuple[str, ...]] = field(default_factory=dict)  # OpenCL's words on arguments


@dataclass(eq=False)
class Global:
    """A global variable; `init` are its bytes, None if it has none."""

    name: str
    type: Type
    space: int
    init: bytes | None
    constant: bool = False
    place: Place = NOWHERE
    notes: list[str] = field(default_factory=list)  # texts of its annotations


@dataclass
class Module:
    """A translation unit."""

    functions: dict[str, Function]
    globals: dict[str, Global]
    notes: dict[str, list[str]] = field(default_factory=dict)  # annotations of functions
