# SPDX-License-Identifier: Apache-2.0
"""How a cluster over several processes is put together: the same calls in every rank.

Each rank adds the whole cluster in the same order, so numbers of actors, cables and disks are those
of one process; it runs its own part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..common.errors import KumiError
from .calls import Calls
from .crew import Crew, LostRank
from .wire import pack

if TYPE_CHECKING:
    from .._engine import Engine


class Building:
    """The part of `RankedEngine` that is called before its start, and what asks single ranks."""

    ranks: int
    _engine: Engine  # of rank 0, this process
    _crew: Crew  # the others
    _calls: Calls
    _owners: dict[str, int]
    _actors: list[tuple[int, bool]]  # rank; whether it is a node
    _disks: list[int]  # rank
    _hosts: list[int]  # rank
    _record: bool
    _broken: bool  # a rank is lost or has failed

    def _check(self) -> None:
        if self._broken:
            raise LostRank(f"{self._crew.failure or 'A rank has failed'}; the run has ended.")

    def _rank(self, actor: int) -> int:
        if not 0 <= actor < len(self._actors):
            raise KumiError(f"There is no actor number {actor}.")
        return self._actors[actor][0]

    def _ask(self, rank: int, method: str, *arguments: Any) -> Any:
        if rank == 0:
            return getattr(self._engine, method)(*arguments)
        self._check()
        self._crew.send(rank, "ask", method, tuple(map(pack, arguments)), {})
        return self._crew.answer(rank)

    def _disk_rank(self, disk: int) -> int:
        if not 0 <= disk < len(self._disks):
            raise KumiError(f"There is no disk number {disk}.")
        return self._disks[disk]

    def _tell(self, method: str, *arguments: Any, **named: Any) -> None:
        self._crew.send_all(
            "tell", method, tuple(map(pack, arguments)), {k: pack(v) for k, v in named.items()}
        )

    def _everywhere(self, method: str, *arguments: Any, **named: Any) -> Any:
        result = getattr(self._engine, method)(*arguments, **named)
        self._tell(method, *arguments, **named)
        return result

    def _add(self, method: str, name: str, *arguments: Any, **named: Any) -> int:
        number = int(self._everywhere(method, name, *arguments, **named))
        self._actors.append((self._owners.get(name, 0), method == "add_node"))
        return number

    def add_node(self, name: str, *arguments: Any, **named: Any) -> int:
        """As of the engine."""
        return self._add("add_node", name, *arguments, **named)

    def add_switch(self, name: str, *arguments: Any, **named: Any) -> int:
        """As of the engine."""
        return self._add("add_switch", name, *arguments, **named)

    def add_script(self, name: str, pause: bool = False) -> int:
        """As of the engine."""
        return self._add("add_script", name, pause)

    def add_tap(self, name: str, fd: int = -1, pause: bool = False) -> int:
        """As of the engine; in rank 0."""
        number = self._engine.add_tap(name, fd, pause)
        self._tell("add_tap", name, -1, pause)
        self._actors.append((0, False))
        return number

    def add_peer(
        self, name: str, socket_path: str = "", listen: bool = True, pause: bool = False
    ) -> int:
        """As of the engine; in rank 0."""
        number = self._engine.add_peer(name, socket_path, listen, pause)
        self._tell("add_peer", name, "", listen, pause)
        self._actors.append((0, False))
        return number

    def add_channel(self, node: int, port: str, latency_ps: int = 1_000_000) -> int:
        """As of the engine; in the rank of the node."""
        number = int(self._everywhere("add_channel", node, port, latency_ps))
        self._actors.append((self._rank(node), False))
        return number

    def connect(self, *arguments: Any, **named: Any) -> int:
        """As of the engine."""
        return int(self._everywhere("connect", *arguments, **named))

    def connect_lane(self, *arguments: Any, **named: Any) -> int:
        """As of the engine."""
        return int(self._everywhere("connect_lane", *arguments, **named))

    def set_memory(self, *arguments: Any, **named: Any) -> None:
        """As of the engine."""
        self._everywhere("set_memory", *arguments, **named)

    def add_disk(self, name: str, port: tuple[int, str], options: dict[str, Any]) -> int:
        """As of the engine; in the rank of its node, which has its file."""
        rank = self._rank(port[0])
        number = int(self._ask(rank, "add_disk", name, port, options))
        sized = options | {"sectors": self._ask(rank, "disk_sectors", number)}
        for other in range(self.ranks):
            if other != rank:
                self._ask(other, "add_disk", name, port, sized)
        self._disks.append(rank)
        return number

    def add_host(self, name: str, port: tuple[int, str], socket_path: str = "") -> int:
        """As of the engine; the rank of the node has the socket, on this machine."""
        rank = self._rank(port[0])
        if rank and socket_path and rank not in self._crew.pids:
            raise KumiError(
                f"The node of guest '{name}' is in rank {rank}, which may be on another machine.",
                "Take `rank:` out of the node, or start all ranks by `kumi up --ranks`.",
            )
        numbers = [
            int(self._ask(other, "add_host", name, port, socket_path if other == rank else ""))
            for other in range(self.ranks)
        ]
        self._hosts.append(rank)
        return numbers[0]

    def capture(self, path: str, ports: Any = None, comment: str = "") -> None:
        """As of the engine; rank 0 writes the file."""
        with self._calls.held():
            self._engine.capture(path, ports, comment)
            self._tell("capture", "/dev/null", ports, comment)

    def record(self, path: str, metadata_json: str = "{}") -> None:
        """As of the engine; rank 0 writes the file."""
        self._engine.record(path, metadata_json)
        self._tell("collect_entered")
        self._record = True
