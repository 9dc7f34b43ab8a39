# SPDX-License-Identifier: Apache-2.0
"""RDMA of `roce_endpoint` nodes, in the shape of the verbs."""

from .manager import Connection, ConnectionManager
from .perftest import PerftestClient, PerftestServer
from .pingpong import Exchange, ExchangeError, PingPong, Remote
from .records import Completion, Gid, RdmaError
from .rping import RpingClient, RpingServer
from .verbs import MemoryRegion, QueuePair, Rdma

__all__ = [
    "Completion",
    "Connection",
    "ConnectionManager",
    "Exchange",
    "ExchangeError",
    "Gid",
    "MemoryRegion",
    "PerftestClient",
    "PerftestServer",
    "PingPong",
    "QueuePair",
    "Rdma",
    "RdmaError",
    "Remote",
    "RpingClient",
    "RpingServer",
]
