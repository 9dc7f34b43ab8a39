# SPDX-License-Identifier: Apache-2.0
"""Ranks that are started one by one, on one machine or many, find each other over TCP.

Rank 0 listens; every other connects to it, says where it listens itself, and learns where the
others do. Then each connects to all of lower number. Every connection is authenticated in both
directions by a key that all ranks are given (HMAC, as of `multiprocessing.connection`).

With MPI it says where rank 0 listens and gives the key; a rank then connects to rank 0 only.
"""

from __future__ import annotations

import itertools
import os
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)

from ..common.errors import KumiError
from .mpi import Started, invitation

KEY = "KUMI_RANK_KEY"
WAIT_S = 600.0
"""How long ranks wait for each other: rank 0 may have designs to build."""
GREETING_S = 3.0
"""How long one that has connected may take to show that it has the key."""
LAUNCHERS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)
"""What mpirun of Open MPI, of MPICH, and srun tell a process: its number, and how many."""


@dataclass(frozen=True)
class Place:
    """Which rank this process is, and where rank 0 listens."""

    rank: int
    ranks: int
    host: str
    port: int
    secret: bytes = b""
    """The key, if it is not in the environment."""
    others: tuple[str, ...] = ()
    """More addresses of rank 0's machine."""
    mpi: Started | None = None
    """What carries the cables between ranks; default: TCP."""

    @property
    def key(self) -> bytes:
        """The key of all ranks."""
        return self.secret or key()


def place_by_mpi(started: Started) -> Place:
    """As MPI says; all ranks call it at the same time."""
    words = started.share(invitation() if started.rank == 0 else None)
    port, secret = int(str(words["port"])), str(words["key"]).encode()
    hosts = [str(host) for host in words["addresses"]]  # type: ignore[attr-defined]
    if words["machine"] == socket.gethostname():
        hosts.insert(0, "127.0.0.1")
    if started.rank == 0:
        hosts = [""]  # every interface
    first, *others = hosts or [str(words["machine"])]
    return Place(started.rank, started.ranks, first, port, secret, tuple(others), started)


def place(
    rank: int | None, ranks: int | None, at: str, environment: Mapping[str, str] = os.environ
) -> Place:
    """From options, or from the launcher's variables."""
    for names in LAUNCHERS:
        if rank is None and ranks is None and all(name in environment for name in names):
            rank, ranks = (int(environment[name]) for name in names)
    if rank is None or ranks is None:
        text = "Which rank is this, of how many?"
        raise KumiError(text, "Say --rank and --ranks, or start it by mpirun or srun.", 2)
    if not 0 <= rank < ranks:
        raise KumiError(f"There is no rank {rank} of {ranks}: they count from 0.", code=2)
    host, _, port = at.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise KumiError(f"--at is HOST:PORT where rank 0 listens, not {at}.", code=2)
    return Place(rank, ranks, host, int(port))


def key(environment: Mapping[str, str] = os.environ) -> bytes:
    """The key of all ranks."""
    if not environment.get(KEY):
        text = f"{KEY} is not set: a secret that all ranks share."
        raise KumiError(text, f"For example {KEY}=$(openssl rand -hex 16), for all of them.", 2)
    return environment[KEY].encode()


def _raw(connection: Connection) -> socket.socket:
    """The socket of a connection, for the engine."""
    fd = os.dup(connection.fileno())
    connection.close()
    return socket.socket(fileno=fd)


def _limit(sock: socket.socket, seconds: float) -> None:
    """How long one read may wait, 0: for ever; sockets that are accepted inherit it."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", int(seconds), 0))


def _trusted(connection: Connection) -> Connection:
    """A connection to a rank, without a limit: from now on its signs of life are watched."""
    with socket.socket(fileno=os.dup(connection.fileno())) as sock:
        _limit(sock, 0)
    return connection


def _accept(
    listener: Listener, sock: socket.socket, deadline: float
) -> tuple[Connection, tuple[str, int, int]]:
    """A rank, and the first that it says; strangers, silent ones too, are sent away."""
    while True:
        sock.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            accepted = listener.accept()
            assert isinstance(accepted, Connection)
            return _trusted(accepted), accepted.recv()
        except TimeoutError:
            raise KumiError(f"Not all ranks came within {WAIT_S:.0f} s.") from None
        except (AuthenticationError, EOFError, OSError):
            continue


def _listen(host: str, port: int, secret: bytes) -> tuple[Listener, socket.socket]:
    try:
        listener = Listener((host, port), backlog=256, authkey=secret)
    except OSError as problem:
        text = f"Cannot listen at {host}:{port}: {problem.strerror or problem}."
        raise KumiError(text, code=2) from None
    # The one way to time limits of accept() and of what it reads.
    sock: socket.socket = listener._listener._socket  # type: ignore[attr-defined]
    _limit(sock, GREETING_S)
    return listener, sock


def _greeted(host: str, port: int, secret: bytes) -> Connection:
    """What `multiprocessing.connection.Client` does, with time limits."""
    with socket.create_connection((host, port), GREETING_S) as sock:
        sock.setblocking(True)
        _limit(sock, GREETING_S)
        connection = Connection(sock.detach())
    answer_challenge(connection, secret)
    deliver_challenge(connection, secret)
    return _trusted(connection)


def _connect(hosts: Sequence[str], port: int, secret: bytes, deadline: float) -> Connection:
    for host in itertools.cycle(hosts):
        try:
            return _greeted(host, port, secret)
        except AuthenticationError:
            raise KumiError(f"The rank at {host}:{port} has another {KEY}.", code=2) from None
        except (EOFError, BlockingIOError):
            why = "what is there does not answer as one"
        except OSError as problem:
            why = problem.strerror or str(problem)
        if time.monotonic() > deadline:
            raise KumiError(f"There is no rank at {host}:{port} ({why}).")
        time.sleep(0.1)
    raise AssertionError("it has no address")


@dataclass
class Met:
    """Connections of one rank: lines to rank 0 or from it, and sockets for the engine."""

    lines: dict[int, Connection]
    borders: dict[int, socket.socket]
    mpi: Started | None = None
    """In place of borders."""


def gather(where: Place) -> Met:
    """Rank 0: wait for all others."""
    deadline, secret = time.monotonic() + WAIT_S, where.key
    listener, sock = _listen(where.host, where.port, secret)
    lines: dict[int, Connection] = {}
    borders: dict[int, socket.socket] = {}
    addresses: dict[int, tuple[str, int]] = {}
    told = False
    with listener:
        while len(lines if where.mpi else borders) < where.ranks - 1:
            connection, (what, rank, port) = _accept(listener, sock, deadline)
            if what == "border":
                borders[rank] = _raw(connection)
                continue
            if rank in lines or not 0 < rank < where.ranks:
                raise KumiError(f"Two processes say that they are rank {rank}.", code=2)
            lines[rank] = connection
            peer = socket.socket(fileno=os.dup(connection.fileno()))
            addresses[rank] = (peer.getpeername()[0], port)
            peer.close()
            if len(lines) == where.ranks - 1 and not told and not where.mpi:
                told = True
                for line in lines.values():
                    line.send(addresses)
    return Met(lines, borders, where.mpi)


def attend(where: Place) -> Met:
    """Another rank: find rank 0 and all others."""
    deadline, secret = time.monotonic() + WAIT_S, where.key
    line = _connect((where.host, *where.others), where.port, secret, deadline)
    if where.mpi:
        line.send(("line", where.rank, 0))
        return Met({0: line}, {}, where.mpi)
    mine = socket.socket(fileno=os.dup(line.fileno()))
    own = mine.getsockname()[0]
    mine.close()
    listener, sock = _listen(own, 0, secret)
    with listener:
        line.send(("line", where.rank, sock.getsockname()[1]))
        if not line.poll(WAIT_S):
            raise KumiError(f"Not all ranks came within {WAIT_S:.0f} s.")
        addresses = line.recv() | {0: (where.host, where.port)}
        borders: dict[int, socket.socket] = {}
        for other in range(where.rank):
            host, port = addresses[other]
            made = _connect([host], port, secret, deadline)
            made.send(("border", where.rank, 0))
            borders[other] = _raw(made)
        while len(borders) < where.ranks - 1:
            came, (_, other, _) = _accept(listener, sock, deadline)
            borders[other] = _raw(came)
    return Met({0: line}, borders)
