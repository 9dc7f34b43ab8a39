# SPDX-License-Identifier: Apache-2.0
"""Gives other processes access to a running cluster's registers, over a UNIX socket.

A line of JSON per request and per answer: {"do": "boards"}, {"do": "status"}, {"do": "counters"}
(the simulator's), {"do": "stats"} (the registers' too), or for reads and writes in order
{"board": "n0", "do": [[addr], [addr, value], ...]}. Each connection has its own thread, so a
hanging board does not block the others.
"""

from __future__ import annotations

import json
import os
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cluster.snapshot import snapshot
from ..net.session import Session, announced, folder
from ..regs import Mmio
from .board import AccessError, Board, BoardError

if TYPE_CHECKING:
    from ..cluster import Cluster


Status = Callable[[], dict[str, Any]]
STATS_S = 60.0


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        server = self.server
        assert isinstance(server, _Server)
        for line in self.rfile:
            try:
                answer: dict[str, Any] = {"ok": _answer(server, json.loads(line))}
            except Exception as problem:
                answer = {"problem": str(problem) or type(problem).__name__}
            try:
                self.wfile.write(json.dumps(answer).encode() + b"\n")
            except OSError:
                return


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(
        self, path: str, boards: Mapping[str, Mmio], status: Status, stats: Status, counters: Status
    ) -> None:
        super().__init__(path, _Handler)
        self.boards = boards
        self.status = status
        self.stats = stats
        self.counters = counters


def _answer(server: _Server, asked: Any) -> Any:
    if asked["do"] == "boards":
        return list(server.boards)
    if asked["do"] == "status":
        return server.status()
    if asked["do"] == "stats":
        return server.stats()
    if asked["do"] == "counters":
        return server.counters()
    mmio = server.boards[asked["board"]]
    out = []
    for access in asked["do"]:
        if len(access) == 2:
            mmio.write(int(access[0]), int(access[1]))
        else:
            out.append(mmio.read(int(access[0])))
    return out


@contextmanager
def serving(
    name: str,
    file: str | Path,
    boards: Mapping[str, Mmio],
    status: Status = dict,
    stats: Status = dict,
    counters: Status = dict,
    **network: Any,
) -> Iterator[Session]:
    """List a cluster, and give other processes access to registers, status and counters.

    `network`: the remaining fields of `Session`.
    """
    path = folder() / f"{name}-{os.getpid()}.sock"
    path.unlink(missing_ok=True)
    server = _Server(str(path), boards, status, stats, counters)
    path.chmod(0o600)
    session = Session(name, os.getpid(), str(Path(file).resolve()), str(path), **network)
    thread = threading.Thread(target=server.serve_forever, name="kumi-agent", daemon=True)
    thread.start()
    try:
        with announced(session):
            yield session
    finally:
        server.shutdown()
        server.server_close()
        path.unlink(missing_ok=True)


def registers_of(cluster: Cluster) -> dict[str, Mmio]:
    """Registers of a started cluster's nodes, by name; those of a card are its guest's."""
    return {node.name: node.mmio for node in cluster.values() if node.has_registers}


def serving_cluster(cluster: Cluster) -> AbstractContextManager[Session]:
    """`serving` for a started cluster of this process."""
    begin = time.monotonic()

    def status() -> dict[str, Any]:
        return {
            "nodes": list(cluster.plan.nodes),
            "stations": cluster.plan.addresses(),
            "now_ps": cluster.now_ps,
            "wall_s": round(time.monotonic() - begin, 3),
        }

    def stats() -> dict[str, Any]:
        return snapshot(cluster, STATS_S)

    return serving(
        cluster.name,
        cluster.plan.file,
        registers_of(cluster),
        status,
        stats,
        cluster.stats,
        inside=cluster.namespace.inside if cluster.namespace else None,
        stations=cluster.plan.addresses(),
        pcap=str(cluster.pcap.resolve()) if cluster.pcap else "",
        guests={name: asdict(guest) for name, guest in cluster.guests.items()},
    )


class RemoteBoard(Board):
    """A board of a cluster in another process. Writes are sent with the next read."""

    BATCH = 256

    def __init__(self, name: str, session: Session, timeout: float = 10.0) -> None:
        """The board of that name, of a running cluster."""
        super().__init__(name)
        self._session, self._timeout = session, timeout
        self._stream: Any = None
        self._waiting: list[list[int]] = []

    def start(self) -> None:
        """Connect; the design is already running."""
        if self._stream is None:
            try:
                self._stream = self._session.connect(self._timeout).makefile("rwb")
            except (ConnectionError, FileNotFoundError):
                raise BoardError("the cluster has ended") from None

    def read(self, addr: int, /) -> int:
        """Read the word at a byte address."""
        self._waiting.append([addr])
        return int(self._flush()[0])

    def write(self, addr: int, data: int, /) -> None:
        """Write the word at a byte address; sent with the next read."""
        self._waiting.append([addr, data])
        if len(self._waiting) >= self.BATCH:
            self._flush()

    def _flush(self) -> list[int]:
        accesses, self._waiting = self._waiting, []
        return list(self.ask({"board": self.name, "do": accesses}))

    def ask(self, request: dict[str, Any]) -> Any:
        """Send a request and return the answer."""
        self.start()
        try:
            self._stream.write(json.dumps(request).encode() + b"\n")
            self._stream.flush()
            line = self._stream.readline()
        except TimeoutError:
            raise BoardError(f"no answer within {self._timeout:g} s") from None
        except OSError as problem:
            raise BoardError(f"the connection broke: {problem.strerror}") from None
        if not line:
            raise BoardError("the cluster has ended")
        answer = json.loads(line)
        if "problem" in answer:
            raise AccessError(str(answer["problem"]))
        return answer["ok"]


def stats_of(found: Session) -> dict[str, Any]:
    """Every counter of a running cluster, registers included."""
    return dict(RemoteBoard("", found, STATS_S + 10).ask({"do": "stats"}))


def boards_of(found: Session, timeout: float = 10.0) -> list[RemoteBoard]:
    """The boards of a running cluster."""
    names = RemoteBoard("", found, timeout).ask({"do": "boards"})
    return [RemoteBoard(name, found, timeout) for name in names]
