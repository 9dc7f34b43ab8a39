# SPDX-License-Identifier: Apache-2.0
"""NDRange kernels become loops over work-groups and work-items, in LLVM IR before it is optimised.

The kernel gets an argument for each dimension, its global size. A work-group runs at a time, its
work-items one after the other. A barrier divides the kernel in regions: each is a loop over all
work-items of the group, and the region that follows is the one that the last of them has reached,
as all reach the same. A variable that lives across a barrier becomes an array with an element for
each work-item. Blocks that several regions reach are copied.

The local size is `reqd_work_group_size`; a kernel without barrier and local ids needs none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .debug_info import DebugInfo
from .errors import HlsError
from .ndrange_blocks import Block, Variables, read_blocks, renamed

USES = re.compile(
    r"\b(get_(global|local|group)_id|get_(global|local)_size|get_num_groups|get_work_dim"
    r"|barrier|work_group_barrier)\s*\("
)
"""Words in a source that make its kernels NDRange kernels."""
AXES = "xyz"
SIZE = "global_size_"
_ITEM, _BARRIER = "@__kumi_item(", "@__kumi_barrier("
_GLOBAL_ID, _LOCAL_ID, _GROUP_ID, _GLOBAL_SIZE, _LOCAL_SIZE, _GROUPS, _OFFSET, _DIMS = range(8)

_CALL = re.compile(rf"(%\S+) = .*{re.escape(_ITEM)}i32 noundef (\d+), i32 noundef (\d+)\)")


@dataclass
class _Region:
    """Blocks from a start to the next barriers; `ends`: block to the region that follows."""

    number: int
    blocks: list[Block]
    ends: dict[str, int | None] = field(default_factory=dict)


def loops(text: str) -> str:
    """The module with loops in its NDRange kernels."""
    debug = DebugInfo(text)
    lines = text.splitlines()
    out: list[str] = []
    at = 0
    while at < len(lines):
        if not lines[at].startswith("define "):
            out.append(lines[at])
            at += 1
            continue
        end = lines.index("}", at)
        body = lines[at + 1 : end]
        if any(_ITEM in line or _BARRIER in line for line in body):
            out += _Loops(lines[at], body, debug).run()
        else:
            out += lines[at : end + 1]
        at = end + 1
    return "\n".join(out) + "\n"


class _Loops:
    """One kernel."""

    def __init__(self, head: str, body: list[str], debug: DebugInfo) -> None:
        self.head = head
        self.debug = debug
        self.body = body
        found = re.search(r"!reqd_work_group_size (!\d+)", head)
        sizes = re.findall(r"i32 (\d+)", debug.nodes.get(found.group(1), "")) if found else []
        self.local = [int(s) for s in sizes] or [1, 1, 1]
        self._check(bool(found))
        self.items = self.local[0] * self.local[1] * self.local[2]
        asked = re.compile(rf"{re.escape(_ITEM)}[^,]*, i32 noundef (\d+)")
        calls = [int(axis) for line in body for axis in asked.findall(line)]
        wide = max((axis for axis in range(3) if self.local[axis] > 1), default=0)
        self.dims = min(1 + max([wide, *calls]), 3)
        self.blocks = read_blocks(body, _BARRIER)
        self.regions = self._divide()
        self.variables = Variables(head, self.blocks, [r.blocks for r in self.regions])
        self.own = self.variables.own(self.items)
        located = re.search(r"!dbg !\d+", "\n".join(body))
        self.dbg = f", {located.group(0)}" if located else ""

    # ---- what is refused ------------------------------------------------------------------------

    def _check(self, sized: bool) -> None:
        name = re.search(r"@(\w+)\(", self.head)
        kernel = name.group(1) if name else "it"
        for line in self.body:
            item, barrier = _ITEM in line, _BARRIER in line
            if not item and not barrier:
                continue
            where = re.search(r"!dbg (!\d+)", line)
            place = self.debug.location(where.group(1) if where else "")
            if "spir_kernel" not in self.head:
                text = f"the function {kernel} asks for its work-item or has a barrier."
                raise HlsError(place, text, "Do so in the kernel, and pass the value.")
            what = _CALL.search(line)
            if item and what is None:
                text = "the dimension of a work-item function is not constant."
                raise HlsError(place, text, "Write 0, 1 or 2.")
            local = barrier or (what is not None and int(what.group(2)) == _LOCAL_ID)
            if local and not sized:
                text = f"the size of {kernel}'s work-groups is not known."
                hint = "__attribute__((reqd_work_group_size(64, 1, 1))) before the kernel."
                raise HlsError(place, text, hint)

    # ---- regions --------------------------------------------------------------------------------

    def _divide(self) -> list[_Region]:
        """Regions in the order in which they are found; the first begins at the entry."""
        names = list(self.blocks)
        starts, regions = [names[0]], []
        for number, start in enumerate(starts):  # grows while it is read
            region = _Region(number, [])
            seen, work = {start}, [start]
            while work:
                block = self.blocks[work.pop()]
                region.blocks.append(block)
                if block.barrier:
                    if block.barrier not in starts:
                        starts.append(block.barrier)
                    region.ends[block.name] = starts.index(block.barrier)
                elif block.returns:
                    region.ends[block.name] = None
                for name in block.successors:
                    if name not in seen:
                        seen.add(name)
                        work.append(name)
            region.blocks.sort(key=lambda b: names.index(b.name))
            region.blocks.remove(self.blocks[start])
            region.blocks.insert(0, self.blocks[start])
            regions.append(region)
        return regions

    # ---- text -----------------------------------------------------------------------------------

    def run(self) -> list[str]:
        """The kernel as text."""
        sizes = [f"i32 noundef %{SIZE}{AXES[d]}" for d in range(self.dims)]
        head = re.match(r"(.*)(\)(?: local_unnamed_addr| unnamed_addr)? #\d+.*)", self.head)
        assert head is not None
        joint = "" if head.group(1).endswith("(") else ", "
        out = [f"{head.group(1)}{joint}{', '.join(sizes)}{head.group(2)}", "kumi.entry:"]
        out += self.variables.declared(self.items)
        for d in range(self.dims):
            out.append(f"  %kumi.size{d} = zext i32 %{SIZE}{AXES[d]} to i64")
            out.append(f"  %kumi.groups{d} = udiv i64 %kumi.size{d}, {self.local[d]}")
        out.append(f"  br label %kumi.group{self.dims - 1}")
        before = "kumi.entry"
        for d in range(self.dims - 1, -1, -1):
            inner = f"kumi.group{d - 1}" if d else "kumi.r0"
            outer = f"kumi.next{d + 1}" if d + 1 < self.dims else "kumi.exit"
            out += [
                f"kumi.group{d}:",
                f"  %kumi.g{d} = phi i64 [ 0, %{before} ], [ %kumi.g{d}n, %kumi.next{d} ]",
                f"  %kumi.more{d} = icmp ult i64 %kumi.g{d}, %kumi.groups{d}",
                f"  br i1 %kumi.more{d}, label %{inner}, label %{outer}{self.dbg}",
            ]
            before = f"kumi.group{d}"
        for region in self.regions:
            out += self._region(region)
        for d in range(self.dims):
            out += [
                f"kumi.next{d}:",
                f"  %kumi.g{d}n = add i64 %kumi.g{d}, 1",
                f"  br label %kumi.group{d}{self.dbg}",
            ]
        return [*out, "kumi.exit:", f"  ret void{self.dbg}", "}"]

    def _region(self, region: _Region) -> list[str]:
        r = f"kumi.r{region.number}"
        axes = [d for d in range(2, -1, -1) if self.local[d] > 1]
        out = [f"{r}:"]
        before = r
        for d in axes:
            head = f"{r}.l{d}"
            out += [
                f"  br label %{head}",
                f"{head}:",
                f"  %{r}.i{d} = phi i64 [ 0, %{before} ], [ %{r}.i{d}n, %{r}.latch{d} ]",
            ]
            before = head
        out += self._ids(r)
        linear = f"%{r}.lin" if axes else "0"
        out += self.variables.placed(f".r{region.number}", self.items, linear)
        first = region.blocks[0].name
        out.append(f"  br label %{first}.r{region.number}")
        present = {b.name for b in region.blocks}
        for block in region.blocks:
            out += self._copied(block, region, r, present)
        names = [f"{name}.r{region.number}" for name in region.ends]
        values = [-1 if follows is None else follows for follows in region.ends.values()]
        pairs = ", ".join(f"[ {v}, %{n} ]" for v, n in zip(values, names, strict=True))
        out.append(f"{r}.end:")
        if not names:
            return [*out, "  unreachable"]
        out.append(f"  %{r}.which = phi i32 {pairs}")
        for d in axes[::-1]:
            if d != axes[-1]:
                out.append(f"{r}.latch{d}:")
            else:
                out += [f"  br label %{r}.latch{d}", f"{r}.latch{d}:"]
            after = next((f"{r}.latch{u}" for u in axes[::-1] if u > d), f"{r}.done")
            out += [
                f"  %{r}.i{d}n = add i64 %{r}.i{d}, 1",
                f"  %{r}.c{d} = icmp ult i64 %{r}.i{d}n, {self.local[d]}",
                f"  br i1 %{r}.c{d}, label %{r}.l{d}, label %{after}{self.dbg}",
            ]
        if not axes:
            out.append(f"  br label %{r}.done")
        targets = {v: "kumi.next0" if v < 0 else f"kumi.r{v}" for v in sorted(set(values))}
        out.append(f"{r}.done:")
        default = next(iter(targets.values()))
        cases = " ".join(f"i32 {v}, label %{t}" for v, t in list(targets.items())[1:])
        out.append(f"  switch i32 %{r}.which, label %{default} [ {cases} ]{self.dbg}"
                   if cases else f"  br label %{default}{self.dbg}")  # fmt: skip
        return out

    def _ids(self, r: str) -> list[str]:
        """Local ids, global ids and the place in the work-group."""
        out = []
        for d in range(3):
            lid = f"%{r}.i{d}" if self.local[d] > 1 else "0"
            group = f"%kumi.g{d}" if d < self.dims else "0"
            out.append(f"  %{r}.lid{d} = add i64 {lid}, 0")
            out.append(f"  %{r}.base{d} = mul i64 {group}, {self.local[d]}")
            out.append(f"  %{r}.gid{d} = add i64 %{r}.base{d}, %{r}.lid{d}")
        out += [
            f"  %{r}.z = mul i64 %{r}.lid2, {self.local[1]}",
            f"  %{r}.zy = add i64 %{r}.z, %{r}.lid1",
            f"  %{r}.row = mul i64 %{r}.zy, {self.local[0]}",
            f"  %{r}.lin = add i64 %{r}.row, %{r}.lid0",
        ]
        return out

    def _copied(self, block: Block, region: _Region, r: str, present: set[str]) -> list[str]:
        suffix = f".r{region.number}"
        out = [f"{block.name}{suffix}:"]
        for line in block.lines:
            if "= phi " in line:
                line = _pruned(line, present)
            found = _CALL.search(line)
            if found:
                value = self._value(r, int(found.group(2)), min(int(found.group(3)), 2))
                line = f"  {found.group(1)} = add i64 {value}, 0"
            out.append(renamed(line, self.own, suffix).replace("%\0", "%"))
        if block.name in region.ends:
            out.append(f"  br label %{r}.end{self.dbg}")
        return out

    def _value(self, r: str, what: int, axis: int) -> str:
        inside = axis < self.dims
        return {
            _GLOBAL_ID: f"%\0{r}.gid{axis}",
            _LOCAL_ID: f"%\0{r}.lid{axis}",
            _GROUP_ID: f"%\0kumi.g{axis}" if inside else "0",
            _GLOBAL_SIZE: f"%\0kumi.size{axis}" if inside else "1",
            _LOCAL_SIZE: str(self.local[axis]),
            _GROUPS: f"%\0kumi.groups{axis}" if inside else "1",
            _OFFSET: "0",
            _DIMS: str(self.dims),
        }[what]


def _pruned(line: str, present: set[str]) -> str:
    """A phi without the ways that do not lead through its region."""
    head, _, rest = line.partition("[")
    ways = re.findall(r"\[ ([^\]]*), %([^\s\]]+) \]", "[" + rest)
    tail = re.search(r"\](, !dbg !\d+)?$", line)
    kept = ", ".join(f"[ {v}, %{name} ]" for v, name in ways if name.strip('"') in present)
    return f"{head}{kept}{tail.group(1) or '' if tail else ''}"
