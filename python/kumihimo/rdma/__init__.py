# SPDX-License-Identifier: Apache-2.0
"""RDMA of `roce_endpoint` nodes, in the shape of the verbs."""

from .perftest import PerftestClient, PerftestServer
from .pingpong import Exchange, ExchangeError, PingPong, Remote
from .verbs import Completion, Gid, MemoryRegion, QueuePair, Rdma, RdmaError

__all__ = [
    "Completion",
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
]
