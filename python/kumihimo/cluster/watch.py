# SPDX-License-Identifier: Apache-2.0
"""Conditions of a started cluster: which values they compare, and since when they hold.

Values are registers (`alice.echo.drop_port`, a field `alice.echo.ctrl.enable`) and the simulator's
counters (`alice.eth0.rx_overflow`, `sw0.3.tx_queue_full`, `host0.rx_frames`,
`cables.alice.eth0--host0.ab.lost`). Reading a register is an access like any other: it takes
simulated time and is part of a recording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..clusterfile.conditions import EXAMPLE, Condition, parse
from ..common.errors import KumiError, did_you_mean
from ..regs import FieldInfo
from .setup_regs import register_map

if TYPE_CHECKING:
    from ..build import BuildResult
    from .node import Node
    from .running import RunningCluster

Read = Callable[[], int]
MOST = 64
"""Registers that one condition may read."""


def _word(node: Node, addr: int) -> int:
    return node.mmio.read(addr)


def _field(node: Node, addr: int, field: FieldInfo) -> int:
    return field.extract(node.mmio.read(addr))


def _registers(
    nodes: Mapping[str, Node], built: Mapping[str, BuildResult], kernel: bool
) -> Iterator[tuple[str, Read]]:
    for name, node in nodes.items():
        regs = register_map(built[name].path, built[name].info.register_port)
        for block in regs or ():
            assert regs is not None
            if block == "kernel" and not kernel:  # a second name of another block
                continue
            for reg in regs[block]:
                if "r" not in reg.info.access or len(reg) != 1:
                    continue
                path = f"{name}.{block}.{reg.info.name}"
                yield path, partial(_word, node, reg.addr)
                for field in reg.info.fields if len(reg.info.fields) > 1 else ():
                    yield f"{path}.{field.name}", partial(_field, node, reg.addr, field)


def counters(stats: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """The simulator's counters by name."""
    for section in ("nodes", "switches"):
        for name, owner in stats.get(section, {}).items():
            for port, counts in owner.get("ports", {}).items():
                for key, value in counts.items():
                    yield f"{name}.{port}.{key}", value
    for section in ("taps", "peers"):
        for name, counts in stats.get(section, {}).items():
            for key, value in counts.items():
                yield f"{name}.{key}", value
    for name, cable in stats.get("cables", {}).items():
        for way in ("ab", "ba"):
            for key, value in cable[way].items():
                yield f"cables.{name}.{way}.{key}", value


class Watch:
    """A condition of a cluster, asked from time to time.

    clear_ps: simulated time at which it last did not hold; since_ps: at which it was first seen to
    hold, None until then; found: name and value that made it hold.
    """

    def __init__(
        self,
        cluster: RunningCluster,
        nodes: Mapping[str, Node],
        built: Mapping[str, BuildResult],
        condition: Condition | str,
        where: str = "",
    ) -> None:
        """Find what the condition names. Raises KumiError if that is nothing."""
        if isinstance(condition, str):
            try:
                condition = parse(condition)
            except ValueError as problem:
                raise KumiError(f"{where or 'The condition'}: {problem}.", code=2) from None
        self.condition = condition
        self.clear_ps = 0
        self.since_ps: int | None = None
        self.found = ("", 0)
        self._cluster = cluster
        reads = dict(_registers(nodes, built, "kernel" in condition.pattern))
        self._reads = {name: read for name, read in reads.items() if condition.names(name)}
        known = dict(counters(cluster.stats()))
        self._counted = [name for name in known if condition.names(name)]
        said = f"{where}: " if where else ""
        if len(self._reads) > MOST:
            text = f"{said}{condition.pattern} names {len(self._reads)} registers"
            raise KumiError(f"{text}; at most {MOST}.", "Name the node too.", 2)
        if not self._reads and not self._counted:
            names = [*reads, *known]
            short = [name.partition(".")[2] for name in names]
            hint = did_you_mean(condition.pattern, [*names, *short]).strip()
            text = f"{said}no register or counter is called {condition.pattern}."
            near = hint if hint.startswith("Did") else f"Write one as in {EXAMPLE}."
            raise KumiError(text, near, 2)

    @property
    def registers(self) -> list[str]:
        """Names of the registers that a poll may read."""
        return list(self._reads)

    def poll(self) -> bool:
        """Whether the condition holds now, or has held before."""
        if self.since_ps is not None:
            return True
        now = self._cluster.now_ps
        for name, value in self._values():
            if self.condition.holds(value):
                self.since_ps = self._cluster.now_ps
                self.found = (name, value)
                return True
        self.clear_ps = now
        return False

    def _values(self) -> Iterator[tuple[str, int]]:
        if self._counted:
            known = dict(counters(self._cluster.stats()))
            for name in self._counted:
                yield name, known[name]
        for name, read in self._reads.items():
            yield name, read()
