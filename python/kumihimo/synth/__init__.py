# SPDX-License-Identifier: Apache-2.0
"""Cost and speed of a module: UltraScale+ mapped, ECP5 placed and routed."""

from kumihimo.synth.flow import TARGETS, Options, measure

__all__ = ["TARGETS", "Options", "measure"]
