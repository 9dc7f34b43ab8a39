# SPDX-License-Identifier: Apache-2.0
"""Widths of the signals of a port, for the kinds with more than one rule."""

from __future__ import annotations

from kumihimo.build.errors import BuildError


def check_ib(where: str, prefix: str, signals: dict[str, int]) -> None:
    """Raise if one direction of an InfiniBand port has a width that there is not."""
    bits, lanes = signals["data"], signals.get("signal", 4)
    if bits not in (32, 64) or lanes not in (1, 4) or (lanes == 1 and bits != 32):
        raise BuildError(
            f"{where}: port {prefix}*: an InfiniBand port has 32 bits of data on 1 lane, or 32 or "
            f"64 on 4; not {bits} on {lanes}"
        )
    for name, wanted in (("k", bits // 8), ("err", bits // 8), ("quiet", 1)):
        if signals.get(name, wanted) != wanted:
            raise BuildError(
                f"{where}: port {prefix}{name} has {signals[name]} bits, {wanted} are needed"
            )


def check_axi(where: str, prefix: str, signals: dict[str, int]) -> None:
    """Raise if an AXI4 master has widths that do not fit together."""
    bits = signals["wdata"]
    if bits not in (32, 64, 128, 256, 512):
        raise BuildError(
            f"{where}: port {prefix}*: AXI4 data must have 32, 64, 128, 256 or 512 bits, not {bits}"
        )
    ids = signals.get("awid", 0)
    addr = signals["awaddr"]
    wanted = {"rdata": bits, "wstrb": bits // 8, "araddr": addr, "awlen": 8, "arlen": 8}
    wanted |= dict.fromkeys(("awsize", "arsize"), 3) | dict.fromkeys(("awburst", "arburst"), 2)
    wanted |= dict.fromkeys(("bresp", "rresp"), 2) | dict.fromkeys(("bid", "arid", "rid"), ids)
    for name, width in wanted.items():
        if signals.get(name, 0) != width:
            raise BuildError(
                f"{where}: port {prefix}{name} has {signals[name]} bits, {width} are needed"
            )
    if ids > 8:
        raise BuildError(f"{where}: port {prefix}*: ids have at most 8 bits, not {ids}")
    if not 12 <= addr <= 64:
        raise BuildError(f"{where}: port {prefix}*: addresses have 12 to 64 bits, not {addr}")
