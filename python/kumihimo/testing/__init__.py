# SPDX-License-Identifier: Apache-2.0
"""Tests of RTL from pytest: build a module or a node, send frames, look at what comes out."""

from __future__ import annotations

from kumihimo.testing.dut import Dut, DutFailed, Frame, Hang, ProtocolError
from kumihimo.testing.structs import StructType

__all__ = ["Dut", "DutFailed", "Frame", "Hang", "ProtocolError", "StructType"]
