# SPDX-License-Identifier: Apache-2.0
"""Exports a block for another tool: a folder that needs nothing else of the project."""

from __future__ import annotations

from kumihimo.export.block import Block, load
from kumihimo.export.targets import TARGETS
from kumihimo.export.write import export, write

__all__ = ["TARGETS", "Block", "export", "load", "write"]
