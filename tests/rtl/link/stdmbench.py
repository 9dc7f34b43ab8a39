# SPDX-License-Identifier: Apache-2.0
"""What the tests of the circuit switch share: the device, its registers, random tables."""

from __future__ import annotations

import random

from kumihimo.link.stdm import Stdm
from kumihimo.link.stdm_model import OUT_BE, OUT_CIRCUIT, InEntry, OutEntry, Tables
from kumihimo.testing import Dut


class Axil:
    """Register port of a Dut as the driver wants it."""

    def __init__(self, dut: Dut, port: str = "s_axil") -> None:
        self.dut, self.port = dut, port

    def read(self, addr: int) -> int:
        return self.dut.axil_read(addr, self.port)

    def write(self, addr: int, data: int) -> None:
        self.dut.axil_write(addr, data, self.port)


def switch(ports: int, locals_: int, channels: int, lanes: int = 1, **params: int) -> Dut:
    width = 64 * lanes
    return Dut.of_module(
        "kumi_stdm_switch",
        {"P": ports, "LOCALS": locals_, "CHANNELS": channels, "LANES": lanes, **params},
        {
            "*": {"DATA_W": width},
            "s_be": {"DATA_W": width, "DEST_W": 12},
            "m_be": {"DATA_W": width, "ID_W": 8},
        },
    )


def random_tables(
    rng: random.Random,
    ports: int,
    locals_: int,
    channels: int,
    slots: int,
    guard: int,
    density: float = 0.9,
) -> Tables:
    """Random tables that the switch accepts, whether legal for a plan or not."""
    tables = Tables.empty(ports, slots, guard)
    for pos in range(slots + guard):
        for port in range(ports):
            if rng.random() < density:
                owner = rng.randrange(channels if port < locals_ else 64)
                tables.out[port][pos] = OutEntry(OUT_CIRCUIT, rng.randrange(ports), owner)
            if port < locals_ and rng.random() < density:
                tables.into[port][pos] = InEntry(True, rng.randrange(channels))
    return tables


def driver(dut: Dut) -> Stdm:
    return Stdm(Axil(dut))


__all__ = ["OUT_BE", "Axil", "driver", "random_tables", "switch"]
