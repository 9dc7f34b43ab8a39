# SPDX-License-Identifier: Apache-2.0
"""The cluster file: models, loader, and the plan that a cluster is booted from."""

from .plans import (
    CablePlan,
    DiskPlan,
    End,
    EventPlan,
    HostPlan,
    LanePlan,
    NodePlan,
    PeerPlan,
    Plan,
    TapPlan,
)
from .resolve import plan, plan_text
from .source import ClusterFileError, Place, Problem

__all__ = [
    "CablePlan",
    "ClusterFileError",
    "DiskPlan",
    "End",
    "EventPlan",
    "HostPlan",
    "LanePlan",
    "NodePlan",
    "PeerPlan",
    "Place",
    "Plan",
    "Problem",
    "TapPlan",
    "plan",
    "plan_text",
]
