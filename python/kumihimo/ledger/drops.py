# SPDX-License-Identifier: Apache-2.0
"""Which registers count drops: by their names, or by what the register maps say of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..regs import BLOCKS, BlockInfo, RegInfo

_NAME = re.compile(r"(^|_)drop(ped)?(_|$)")
_SAYS = re.compile(r"^Drop\b|\bdropped\b|\bdiscarded\b")


def is_drop(counter: str, text: str) -> bool:
    """Whether a counter of this name and description counts frames, packets or messages dropped."""
    name = counter.partition("[")[0]
    return bool(_NAME.search(name) or _SAYS.search(text)) and not text.startswith("Bytes ")


def counts_drops(info: RegInfo) -> bool:
    """Whether a register does: one that software cannot write."""
    return info.access == "r" and is_drop(info.name, info.description)


def drop_counters(blocks: Mapping[str, BlockInfo] = BLOCKS) -> dict[str, str]:
    """Every drop counter of the register maps, `block.counter`, and its description."""
    return {
        f"{name}.{reg.name}": reg.description
        for name, block in blocks.items()
        for reg in block.regs
        if counts_drops(reg)
    }


def reason(text: str) -> str:
    """A description of drops, without saying again that they are dropped."""
    return re.sub(r"^(Drop|[\w ]+ dropped): ", "", text.rstrip("."))
