# SPDX-License-Identifier: Apache-2.0
"""Control flow of a function: order, dominators, loops, and what is executed together."""

from __future__ import annotations

from dataclasses import dataclass, field

import networkx as nx

from .errors import HlsError
from .ir import Block, Function

END = "\0end"


@dataclass(eq=False)
class Loop:
    """A natural loop with one latch."""

    header: str
    latch: str
    blocks: set[str]
    line: int = 0
    inner: list[Loop] = field(default_factory=list)


class Flow:
    """The control flow graph of a function, unreachable blocks removed."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.blocks = function.blocks
        self.entry = next(iter(function.blocks))
        self.graph = nx.DiGraph()
        self.graph.add_node(self.entry)
        for block in function.blocks.values():
            for target in block.successors:
                self.graph.add_edge(block.name, target)
        live = {self.entry, *nx.descendants(self.graph, self.entry)}
        self.graph.remove_nodes_from([n for n in list(self.graph) if n not in live])
        self.idom = nx.immediate_dominators(self.graph, self.entry)
        self.order = self._order()
        self._place = {name: i for i, name in enumerate(self.order)}
        self.loops = self._loops()

    def _order(self) -> list[str]:
        """Reverse post-order."""
        return list(reversed(list(nx.dfs_postorder_nodes(self.graph, self.entry))))

    def order_key(self, name: str) -> int:
        """Position in the order; the virtual end is last."""
        return self._place.get(name, len(self._place))

    def dominates(self, a: str, b: str) -> bool:
        """Whether every way to b leads through a."""
        while b != a:
            up = self.idom.get(b)
            if up is None or up == b:
                return False
            b = up
        return True

    def _loops(self) -> list[Loop]:
        found: dict[str, Loop] = {}
        for tail, head in self.graph.edges:
            if not self.dominates(head, tail):
                continue
            if head in found:
                place = self.blocks[tail].end.place
                raise HlsError(
                    place, "a loop continues from two places.", "Write it as for or while."
                )
            body = {head, tail}
            stack = [tail] if tail != head else []
            while stack:
                for up in self.graph.predecessors(stack.pop()):
                    if up not in body:
                        body.add(up)
                        stack.append(up)
            line = self.blocks[tail].end.loop or self.blocks[head].end.place.line
            found[head] = Loop(head, tail, body, line)
        loops = list(found.values())
        for loop in loops:
            loop.inner = [x for x in loops if x is not loop and x.blocks < loop.blocks]
        self._reducible(found)
        return loops

    def _reducible(self, loops: dict[str, Loop]) -> None:
        forward = self.graph.copy()
        forward.remove_edges_from([(loop.latch, loop.header) for loop in loops.values()])
        if not nx.is_directed_acyclic_graph(forward):
            place = self.function.place
            text = f"{self.function.name} jumps into a loop."
            raise HlsError(place, text, "Write the loop without goto.")

    def innermost(self) -> list[Loop]:
        """Loops that contain no other."""
        return [loop for loop in self.loops if not loop.inner]


@dataclass
class Body:
    """The blocks of an innermost loop in an order that follows its edges, without the back edge."""

    loop: Loop
    order: list[Block]
    graph: nx.DiGraph
    exclusive: set[tuple[str, str]]
    same: dict[str, str]
    """Block to an earlier block that runs in exactly the same iterations."""


def body(flow: Flow, loop: Loop) -> Body:
    """Order of a loop's blocks, and which of them run together or never together."""
    graph = nx.DiGraph()
    names = [name for name in flow.order if name in loop.blocks]  # a set has no order of its own
    graph.add_nodes_from(names)
    for name in names:
        for target in flow.graph.successors(name):
            back = (name, target) == (loop.latch, loop.header)
            inside = target in loop.blocks and not back
            graph.add_edge(name, target if inside else END)
    order = [n for n in nx.lexicographical_topological_sort(graph, key=flow.order_key) if n != END]
    reach = {name: nx.descendants(graph, name) for name in order}
    exclusive = {
        (a, b) for a in order for b in order if a != b and b not in reach[a] and a not in reach[b]
    }
    post = nx.immediate_dominators(graph.reverse(copy=True), END)
    same: dict[str, str] = {}
    for name in order:
        for earlier in order:
            if earlier == name:
                break
            if flow.dominates(earlier, name) and _post_dominates(post, name, earlier):
                same[name] = same.get(earlier, earlier)
                break
    return Body(loop, [flow.blocks[n] for n in order], graph, exclusive, same)


def _post_dominates(post: dict[str, str], a: str, b: str) -> bool:
    while b != a:
        up = post.get(b)
        if up is None or up == b:
            return False
        b = up
    return True
