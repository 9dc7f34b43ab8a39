# SPDX-License-Identifier: Apache-2.0
"""Format of a plan request: boards and links, the switch, and the requested circuits.

The file is YAML and is read like a cluster file: all unknown fields, values out of range and
unknown names are reported together, with file, line and field.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, WithJsonSchema, model_validator

from ...clusterfile import ClusterFileError, Problem
from ...clusterfile.fields import NAME_PATTERN, Frequency, Name, Rate, Time
from ...clusterfile.model import Section
from ...clusterfile.source import Key, Source, dotted, parse, read
from ...common.errors import did_you_mean

SLOTS_MAX = 256
PORTS_MAX = 17
BOARDS_MAX = 4096
_SHARE = re.compile(r"^\s*(\d+)\s*/\s*(\d+)\s*$")


def _share(value: object) -> Fraction:
    text = str(value)
    try:
        if match := _SHARE.match(text):
            share = Fraction(int(match[1]), int(match[2]))
        elif text.strip().endswith("%"):
            share = Fraction(text.strip()[:-1].strip()) / 100
        else:
            share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"expected a share like `1/4`, `25 %` or `0.25`, found `{text}`") from None
    if not 0 < share <= 1:
        raise ValueError(f"a share is above 0 and at most 1, found `{text}`")
    return share


def _schema(what: str, example: str) -> WithJsonSchema:
    text = f"{what}, for example `{example}`"
    return WithJsonSchema({"type": ["string", "number"], "description": text})


Share = Annotated[Fraction, BeforeValidator(_share), _schema("A part of a link", "1/4")]
Count = Annotated[int, Field(ge=1, le=BOARDS_MAX)]
Size = Annotated[list[Count], Field(min_length=1, max_length=6)]
PlanEnd = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,31}(\.[A-Za-z_][A-Za-z0-9_]*)?$",
        description="`board` (the planner chooses the host port) or `board.host0`",
    ),
]


class LinkSpec(Section):
    """A bidirectional cable between two switches."""

    between: Annotated[list[PlanEnd], Field(min_length=2, max_length=2)] = Field(
        description="Two ends: `board` (its next free port) or `board.port`"
    )
    delay: Time | None = Field(None, description="Propagation time; default: that of `topology`")


class TopologySpec(Section):
    """Boards and links: exactly one of the shapes."""

    line: Count | None = Field(None, description="Boards in a row")
    ring: Count | None = Field(None, description="Boards in a ring")
    mesh: Size | None = Field(None, description="Boards along each axis, without wrapping")
    torus: Size | None = Field(None, description="Boards along each axis, each axis a ring")
    full: Count | None = Field(None, description="Boards, each connected to all others")
    hypercube: Annotated[int, Field(ge=1, le=12)] | None = Field(None, description="Dimensions")
    links: list[LinkSpec] | None = Field(None, description="Arbitrary graph, cable by cable")
    cluster: str | None = Field(
        None, description="Cluster file with cables between lanes; relative to this file"
    )
    parallel: Annotated[int, Field(ge=1, le=16)] = Field(
        1, description="Parallel links between neighbours (planned separately)"
    )
    host_ports: Annotated[int, Field(ge=1, le=PORTS_MAX)] = Field(
        1, description="Host or kernel ports of each board's switch"
    )
    delay: Time = Field(50_000, description="Propagation time of a cable")

    @model_validator(mode="after")
    def _one_shape(self) -> TopologySpec:
        given = [shape for shape in SHAPES if getattr(self, shape) is not None]
        if len(given) != 1:
            found = " and ".join(f"`{g}`" for g in given) or "none"
            raise ValueError(f"expected exactly one of {', '.join(SHAPES)}; found {found}")
        return self

    @property
    def shape(self) -> str:
        """Name of the given shape."""
        return next(shape for shape in SHAPES if getattr(self, shape) is not None)


SHAPES = ("line", "ring", "mesh", "torus", "full", "hypercube", "links", "cluster")


class CircuitSpec(Section):
    """A requested circuit: unidirectional, between host ports."""

    name: Name | None = Field(None, description="Default: c0, c1, ...")
    source: PlanEnd = Field(alias="from", description="Source")
    target: PlanEnd = Field(alias="to", description="Destination")
    slots: Annotated[int, Field(ge=1, le=SLOTS_MAX)] | None = Field(
        None, description="Bandwidth in slots of the table"
    )
    share: Share | None = Field(None, description="Bandwidth as a share of a link")
    rate: Rate | None = Field(None, description="Bandwidth in bits per second")
    latency: Time | None = Field(
        None, description="Maximum latency from port to port, without the wait for a slot"
    )
    wait: Time | None = Field(
        None, description="Maximum wait of a word for the circuit's next slot"
    )
    both_ways: bool = Field(False, description="Add an equal circuit in the reverse direction")

    @model_validator(mode="after")
    def _one_bandwidth(self) -> CircuitSpec:
        given = [n for n in ("slots", "share", "rate") if getattr(self, n) is not None]
        if len(given) > 1:
            names = " and ".join(f"`{g}`" for g in given)
            raise ValueError(f"say the bandwidth once: {names} are both given")
        if self.source == self.target:
            raise ValueError(f"the circuit ends where it begins (`{self.source}`)")
        return self


class RequestFile(Section):
    """A plan request."""

    name: Name = "plan"
    description: str = ""
    topology: TopologySpec
    slots: Annotated[int, Field(ge=1, le=SLOTS_MAX)] = Field(
        64, description="Slots of a table; with `minimise: slots` the maximum"
    )
    guard: Annotated[int, Field(ge=6, le=16)] = Field(
        6, description="Cycles after the slots (clock compensation, the marker)"
    )
    margin: Annotated[int, Field(ge=0, le=7)] = Field(
        1, description="Cycles that a switch adds to each hop"
    )
    follow: Name | None = Field(
        None, description="Board to whose TDM frames the others align; default: all are aligned"
    )
    offsets: dict[PlanEnd, int] = Field(
        default={}, description="Measured offsets, by output: `{n0.l0: 37}`"
    )
    channels: Annotated[int, Field(ge=1, le=64)] = Field(
        64, description="Maximum number of circuits from, and to, one host port"
    )
    best_effort: bool = Field(False, description="Free slots of links carry best-effort packets")
    lanes: Annotated[int, Field(ge=1, le=4)] = Field(1, description="Lanes bundled in a link")
    clock: Frequency = Field(156.25e6, description="Word clock of switches and links")
    circuits: list[CircuitSpec] = Field(default=[], description="Requested circuits")
    minimise: Literal["nothing", "slots", "latency"] = Field(
        "nothing", description="`slots`: the shortest table; `latency`: the sum of all latencies"
    )
    time_limit: Annotated[float, Field(gt=0, le=3600)] = Field(
        20.0, description="Time limit of the solver, in seconds, if the fast planner finds no plan"
    )


class Request:
    """A request file whose fields are individually valid, with their positions."""

    def __init__(self, spec: RequestFile, source: Source) -> None:
        self.spec = spec
        self.source = source

    @property
    def file(self) -> Path:
        """Source file."""
        return self.source.file

    def problem(self, key: Key, text: str) -> Problem:
        """A problem at a path through the file."""
        return Problem(self.source.place(key), dotted(key), text)


def load_request(file: str | Path) -> Request:
    """Read a request file. Raises ClusterFileError with every problem found."""
    return _validate(read(Path(file)))


def parse_request(text: str, file: str | Path = "request.yaml") -> Request:
    """Parse from text; `file` is used in messages and for relative paths."""
    return _validate(parse(text, Path(file)))


def _validate(source: Source) -> Request:
    try:
        return Request(RequestFile.model_validate(source.data), source)
    except ValidationError as failure:
        raise ClusterFileError([_problem(source, e) for e in failure.errors()]) from None


def _fields(loc: Key) -> list[str]:
    models: dict[str, type[Section]] = {"topology": TopologySpec, "circuits": CircuitSpec}
    model: type[Section] = RequestFile
    if loc:
        model = models.get(str(loc[0]), RequestFile)
        if "links" in loc:
            model = LinkSpec
    return [field.alias or name for name, field in model.model_fields.items()]


def _problem(source: Source, error: Any) -> Problem:
    loc: Key = tuple(error["loc"])
    kind, found = str(error["type"]), error.get("input")
    if kind == "extra_forbidden":
        hint = did_you_mean(str(loc[-1]), _fields(loc[:-1]))
        text = f"there is no field `{loc[-1]}` here.{hint}"
        return Problem(source.key_place(loc), dotted(loc), text)
    if kind == "missing":
        text = f"the field `{loc[-1]}` is missing"
        return Problem(source.key_place(loc[:-1]), dotted(loc[:-1]), text)
    message = str(error["msg"]).removeprefix("Value error, ")
    if kind != "value_error":
        message = message.replace("Input should be", "expected")
        if kind == "string_pattern_mismatch":
            named = "a name" if error["ctx"]["pattern"] == NAME_PATTERN else "an end"
            example = "" if named == "a name" else " like `n0` or `n0.host0`"
            message = f"expected {named}{example}"
        kinds: dict[type, str] = {dict: "a mapping", list: "a list"}
        shown = kinds.get(type(found), f"`{found}`")
        message += f", found {shown}"
    return Problem(source.place(loc), dotted(loc), message)
