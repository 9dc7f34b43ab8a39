# SPDX-License-Identifier: Apache-2.0
"""How long an operation takes: nanoseconds of logic and routing, or whole cycles.

The figures are of ECP5, speed grade 6, after routing, as `kumi synth` reports them for operations
between registers: a carry chain costs a start and a little for each bit, a multiplexer a LUT.
"""

from __future__ import annotations

from .names import words
from .ops import Lit, Op

CLOCK_NS = 1.6  # clock to output, setup, and the enable of a stage
EDGE_NS = 1.2  # from the condition of a block's end to the enable of all that the next one loads
_FREE = words("trunc zext sext pick arg phi bswap bitreverse nb_flag")
_LUT = 1.1
# Stages of the floating-point units, and the logic in front of their first registers.
_UNITS = {
    "fadd": (5, 6.0),
    "fmul": (5, 5.5),
    "fdiv": (30, 5.5),
    "int_to_float": (3, 4.5),
    "float_to_int": (2, 4.0),
}
DIVIDE_BITS = 1  # quotient bits of a divider's stage


def _carry(bits: int) -> float:
    return 1.5 + 0.045 * bits


def latency(op: Op) -> int:
    """Stages from the start to the stage in which the value exists; 0: the same."""
    if op.kind in ("chan_read", "chan_read_nb", "chan_write_nb", "array_load", "load_result",
                   "fsum_take"):  # fmt: skip
        return 1
    if op.kind in _UNITS:
        return _UNITS[op.kind][0]
    if op.kind == "mul":
        width = op.bits // op.lanes
        if _few_ones(op):
            return 0
        return 1 if width <= 18 else 3
    if op.kind in ("udiv", "sdiv", "urem", "srem"):
        return op.bits // op.lanes // DIVIDE_BITS + 2
    return 0


def _few_ones(op: Op) -> bool:
    """Whether a multiplication is by a constant of at most three additions."""
    return any(isinstance(a, Lit) and a.value.bit_count() <= 4 for a in op.args) and op.lanes == 1


def delay(op: Op) -> float:
    """Nanoseconds through a combinational operation; of others, before their first register."""
    width = max((a.bits for a in op.args), default=op.bits) // op.lanes
    constant = any(isinstance(a, Lit) for a in op.args)
    if op.kind in _FREE:
        return 0.0
    if op.kind in _UNITS:
        return _UNITS[op.kind][1]
    if op.kind == "fcmp":
        return _carry(31) + 3 * _LUT
    if op.kind in ("add", "sub", "abs"):
        return _carry(op.bits // op.lanes)
    if op.kind == "mul":
        return 2 * _carry(width) if _few_ones(op) else 0.0
    if op.kind == "icmp":
        return _carry(width) if op.word not in ("eq", "ne") else _LUT * (1 + width.bit_length() / 3)
    if op.kind in ("shl", "lshr", "ashr", "fshl", "fshr"):
        return 0.0 if isinstance(op.args[-1], Lit) else 0.75 * max(width - 1, 1).bit_length()
    if op.kind in ("smin", "smax", "umin", "umax"):
        return _carry(width) + _LUT
    if op.kind.endswith("_sat"):
        return _carry(width) + 2 * _LUT
    if op.kind in ("lane_get", "lane_set"):
        return 0.75 * op.lanes.bit_length()
    if op.kind in ("ctpop", "ctlz", "cttz"):
        return 1.0 * width.bit_length()
    if op.kind == "not" or (op.kind in ("and", "or", "xor") and constant):
        return 0.5
    return _LUT


def ready_ns(op: Op) -> float:
    """Nanoseconds after the clock edge at which the value of a registered operation exists."""
    return 2.2 if op.kind == "array_load" else 0.0
