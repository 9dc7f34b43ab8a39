# SPDX-License-Identifier: Apache-2.0
"""Kumihimo: an FPGA cluster in simulation, on the real Linux network.

    from kumihimo import Cluster

    with Cluster("ring.yaml") as cluster:
        cluster.run("10 us")
        print(cluster["alice"].regs.id.version.read())

Names are imported when they are first used, so that the command line starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cluster import Cluster, Node
    from .common.errors import KumiError

__version__ = "0.1.0"

_LAZY = {"Cluster": ".cluster", "Node": ".cluster", "KumiError": ".common.errors"}

__all__ = ["Cluster", "KumiError", "Node", "__version__"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
