# SPDX-License-Identifier: Apache-2.0
"""Operations, segments and edges: a kernel between LLVM IR and SystemVerilog.

A segment is a piece of a kernel that one pipeline executes: a basic block, or an innermost loop
with its conditions turned into predicates. Tokens pass through the stages of a segment: one for a
block, one for each iteration for a loop. Edges say which segment follows and which values it gets.

Values are plain bit vectors; `lanes` divides them for operations on vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .errors import NOWHERE, Place
from .names import Names, words

if TYPE_CHECKING:
    from .frontend import Channel

EFFECTS = words(
    "chan_read chan_write chan_read_nb chan_write_nb load_issue load_result store fence drain "
    "array_store fsum_add fsum_take"
)
"""Kinds that may wait or change something: they have a predicate and are never speculated."""
CHANNEL_KINDS = words("chan_read chan_write chan_read_nb chan_write_nb")


@dataclass(frozen=True)
class Lit:
    """A constant operand."""

    value: int
    bits: int


ONE = Lit(1, 1)
ZERO = Lit(0, 1)


@dataclass(eq=False)
class Array:
    """An array in block RAM, or a constant table."""

    name: str
    bits: int  # of an element
    depth: int
    init: list[int] | None = None
    place: Place = NOWHERE
    copies: int = 1  # read ports, set when the loads are bound
    stored: bool = False


@dataclass(eq=False)
class Banks:
    """An array of the source: one RAM, or several where accesses of several widths share words."""

    banks: list[Array]
    grain: int  # bytes of a bank's element

    @property
    def word(self) -> int:
        """Bytes of an element of all banks together: the widest access."""
        return self.grain * len(self.banks)

    @property
    def name(self) -> str:
        """Name in the source."""
        return self.banks[0].name.removesuffix("_bank0")


@dataclass(eq=False)
class Unit:
    """A load or store unit of a kernel; loads have one each, stores one for a memory class."""

    name: str
    store: bool
    bytes: int  # of an element
    memory: str  # class of addresses that may be equal


@dataclass(eq=False)
class Op:
    """An operation. After scheduling it starts in stage `at`, its value exists in stage `avail`."""

    kind: str
    name: str
    bits: int
    args: list[Operand]
    place: Place = NOWHERE
    lanes: int = 1
    pred: Operand = ONE  # of an effect
    word: str = ""  # predicate of a comparison; unit of a sum of floats
    picks: tuple[tuple[int, int, int], ...] = ()  # of `pick`: (operand, lowest bit, bits)
    channel: Channel | None = None
    array: Array | None = None
    unit: Unit | None = None
    flags: int = 0  # of a fence: OpenCL's bits
    relaxed: bool = False  # of an addition of floats: it may be done in another order
    block: str = ""  # basic block of the source
    segment: Segment | None = None
    next: Operand | None = None  # of a loop's phi: value in the following iteration
    step: int = 0  # of a loop's phi that grows by a constant
    at: int = 0
    avail: int = 0
    latency: int = 0
    copy: int = 0  # of an array_load: read port

    @property
    def holds(self) -> bool:
        """Whether its register keeps the value until the next token."""
        if self.kind == "phi":
            return self.segment is not None and not self.segment.loop
        return self.kind in (
            "arg",
            "chan_read",
            "chan_read_nb",
            "load_result",
            "nb_flag",
            "fsum_take",
        )


Operand = Op | Lit


@dataclass(eq=False)
class Edge:
    """A way out of a segment; `target` None is the kernel's end."""

    pred: Operand
    target: Segment | None
    moves: list[tuple[Op, Operand]] = field(default_factory=list)
    source: Segment | None = None


@dataclass(eq=False)
class Segment:
    """A block or a pipelined loop."""

    name: str
    loop: bool
    line: int
    ops: list[Op] = field(default_factory=list)  # in program order, phis first
    edges: list[Edge] = field(default_factory=list)
    proceed: Operand = ZERO  # of a loop: there is another iteration
    exclusive: set[tuple[str, str]] = field(default_factory=set)  # pairs of blocks never both run
    ivdep: bool = False
    wanted_ii: int = 0
    ii: int = 1
    stages: int = 1
    gaps: list[int] = field(default_factory=list)  # stages whose tokens leave through a FIFO
    limit: str = ""  # what kept the II from being smaller
    chain: list[Op] = field(default_factory=list)  # operations of that, one after the other
    back: set[Segment] = field(default_factory=set)  # where the last token goes early
    exit: int = 0  # stage that it leaves from then

    @property
    def phis(self) -> list[Op]:
        """Registers that edges load."""
        return [op for op in self.ops if op.kind == "phi"]

    def leaves(self, edge: Edge) -> int:
        """The stage from which a token takes an edge."""
        return self.exit if edge.target in self.back else self.stages - 1

    def section(self, stage: int) -> int:
        """Number of the section of stages, between FIFOs, that a stage is in."""
        return sum(1 for g in self.gaps if stage > g)

    def section_end(self, stage: int) -> int:
        """Last stage of the section of a stage."""
        return min((g for g in self.gaps if g >= stage), default=self.stages - 1)


@dataclass(eq=False)
class Design:
    """A kernel as segments."""

    name: str
    args: list[Op]
    segments: list[Segment]
    arrays: list[Array]
    units: list[Unit]
    channels: list[Channel]
    names: Names
    place: Place = NOWHERE

    @property
    def stores(self) -> list[Unit]:
        """The store units."""
        return [u for u in self.units if u.store]
