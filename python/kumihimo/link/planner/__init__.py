# SPDX-License-Identifier: Apache-2.0
"""Circuit planner: routes and switch tables for a request, or the reason why there is no plan."""

from __future__ import annotations

from .solve import plan, plan_file

__all__ = ["plan", "plan_file"]
