# SPDX-License-Identifier: Apache-2.0
"""The cluster file: models, loader, and the plan that a cluster is booted from."""

from .resolve import CablePlan, End, LanePlan, NodePlan, PeerPlan, Plan, TapPlan, plan, plan_text
from .source import ClusterFileError, Place, Problem

__all__ = [
    "CablePlan",
    "ClusterFileError",
    "End",
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
