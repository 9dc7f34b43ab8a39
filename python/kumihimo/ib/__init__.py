# SPDX-License-Identifier: Apache-2.0
"""InfiniBand: ports of a cluster, and programs of this machine in a simulated fabric."""

from __future__ import annotations

from kumihimo.ib.bridge import Bridge, Fabric

__all__ = ["Bridge", "Fabric"]
