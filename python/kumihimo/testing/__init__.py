# SPDX-License-Identifier: Apache-2.0
"""RTL tests with pytest: build a module or node, send frames, check its output."""

from __future__ import annotations

from kumihimo.testing.dut import Dut
from kumihimo.testing.frames import DutFailed, Frame, Hang, ProtocolError
from kumihimo.testing.structs import StructType

__all__ = ["Dut", "DutFailed", "Frame", "Hang", "ProtocolError", "StructType"]
