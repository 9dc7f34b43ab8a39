# SPDX-License-Identifier: Apache-2.0
"""All register maps. Generated from regs/*.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo
from . import echo as _echo
from . import id as _id
from . import ip as _ip
from . import pingpong as _pingpong
from . import traffic_check as _traffic_check
from . import traffic_gen as _traffic_gen

BLOCKS: dict[str, BlockInfo] = {
    "echo": _echo.BLOCK,
    "id": _id.BLOCK,
    "ip": _ip.BLOCK,
    "pingpong": _pingpong.BLOCK,
    "traffic_check": _traffic_check.BLOCK,
    "traffic_gen": _traffic_gen.BLOCK,
}
