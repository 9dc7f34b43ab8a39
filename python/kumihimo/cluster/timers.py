# SPDX-License-Identifier: Apache-2.0
"""Named sets of TCP timers: `timers:` of a node in the cluster file.

The engine's reset values are a product's (docs/tcp.md): a lost peer is noticed after minutes. In a
simulation that is hours of wall time, so a cluster may choose `fast`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..regs import RegisterMap

# Register or register.field of the `tcp` block, to value. Microseconds where no unit is named.
TIMERS: Mapping[str, Mapping[str, int]] = {
    "fast": {
        "retries.syn": 6,
        "retries.data": 8,
        "retries.keep": 5,
        "rto_init": 10_000,
        "rto_min": 1_000,
        "rto_max": 1_000_000,
        "tlp_delay": 500,
        "tlp_guard": 200,
        "time_wait": 1_000_000,
        "fin_wait": 1_000_000,
        "linger": 1_000_000,
        "keep_interval_ms": 1_000,
    }
}


def set_timers(regs: RegisterMap, name: str) -> None:
    """Write a named set to the TCP engine of a node."""
    for path, value in TIMERS[name].items():
        register, _, field = path.partition(".")
        if field:
            regs.tcp[register].set(**{field: value})
        else:
            regs.tcp[register].write(value)
