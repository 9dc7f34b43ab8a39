# SPDX-License-Identifier: Apache-2.0
"""A running cluster: its nodes, and the channels, memories and disks at their ports."""

from __future__ import annotations

from .cluster import Cluster
from .node import Node

__all__ = ["Cluster", "Node"]
