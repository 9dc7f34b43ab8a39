# SPDX-License-Identifier: Apache-2.0
"""State, settings and counters of an InfiniBand port (register block `ib_port`)."""

from __future__ import annotations

from dataclasses import dataclass

from ..regs import Block

PORT_STATES = {1: "Down", 2: "Init", 3: "Armed", 4: "Active"}
PHYS_STATES = {2: "Polling", 3: "Disabled", 4: "Training", 5: "LinkUp", 6: "Recovery"}
COUNTERS = (
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "rcv_errors",
    "rcv_remote_phys_errors",
    "rcv_switch_relay_errors",
    "xmit_discards",
    "xmit_constraint_errors",
    "rcv_constraint_errors",
    "link_integrity_errors",
    "buffer_overrun_errors",
    "vl15_dropped",
    "xmit_data",
    "rcv_data",
    "xmit_pkts",
    "rcv_pkts",
    "xmit_wait",
)
"""Registers of PortCounters, in the standard's order."""


@dataclass(frozen=True)
class PortState:
    """What a port shows; the states have the names of PortInfo."""

    port: str
    phys: str
    lid: int
    width: int
    """Lanes."""
    symbols: int
    """Per clock cycle, on all lanes together."""


class Port:
    """One port, by its register block."""

    def __init__(self, block: Block) -> None:
        """The port of a node: `Port(node.regs.ib_port)`."""
        self.registers = block

    @property
    def state(self) -> PortState:
        """The state now."""
        state, shape = self.registers["state"].fields(), self.registers["shape"].fields()
        agent = self.registers["agent"].fields()
        return PortState(
            PORT_STATES.get(state["port"], str(state["port"])),
            PHYS_STATES.get(state["phys"], str(state["phys"])),
            agent["lid"] if agent["present"] else self.registers["lid"].get("lid"),
            shape["lanes"],
            shape["symbols"],
        )

    def command(self, **what: int) -> None:
        """`down`, `arm`, `activate` or `clear` (PortCounters) as 1."""
        self.registers["command"].set(**what)

    def counters(self) -> dict[str, int]:
        """PortCounters."""
        return {name: self.registers[name].read() for name in COUNTERS}

    def drops(self) -> dict[str, int]:
        """Packets dropped, by reason."""
        return {reg.info.name: reg.read() for reg in self.registers if reg.info.group == "drops"}
