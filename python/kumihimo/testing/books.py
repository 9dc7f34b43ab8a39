# SPDX-License-Identifier: Apache-2.0
"""The counters of a node under test, in the form of a cluster's: for its ledger."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from kumihimo.cluster.snapshot import counted, names
from kumihimo.ledger import Ledger
from kumihimo.regs import RegisterMap
from kumihimo.testing.dut import Dut

PORT = "eth0"
SETTLE_CYCLES = 4096
BALANCE = ("ip", "ip6", "eth_port", "eth_rtp", "tcp", "rdma", "echo")
"""Blocks whose counters are in a node's balance."""


class _Registers:
    """The node's register port, for the register map."""

    def __init__(self, dut: Dut) -> None:
        self._dut = dut

    def read(self, addr: int) -> int:
        return self._dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        self._dut.axil_write(addr, data)


def is_node(dut: Dut) -> bool:
    """Whether it is a node with registers and an Ethernet port."""
    ports = {port.name: port.kind for port in dut.info.ports}
    pins = {pin.name for pin in dut.info.pins}
    return ports.get(PORT) == "eth" and "axil" in ports.values() and "busy" in pins


def stats_of(dut: Dut, blocks: Collection[str] = (), name: str = "node") -> dict[str, Any]:
    """What `snapshot` is of a cluster; the other end of the cable is the script `wire`.

    `blocks`: only these, in place of all.
    """
    if is_node(dut):
        for _ in range(0, SETTLE_CYCLES, 32):
            if not dut.get("busy"):
                break
            dut.run(32)
    before = _frames(dut)
    regs = RegisterMap(_Registers(dut))
    found = {
        block: {
            key: reg.read(index)
            for reg in regs[block]
            if counted(reg.info)
            for index, key in enumerate(names(reg.info))
        }
        for block in regs
        if block != "kernel" and (not blocks or block in blocks)
    }
    # Blocks that are not read are known to be there: the kernels' share of the datagrams.
    found.update({block: {} for block in regs if block != "kernel" and block not in found})
    ports = {PORT: dut.stats(PORT)} if is_node(dut) else {}
    came, went = _frames(dut)
    line = {"bytes_in": 0, "bytes_out": 0, "duplicated": 0, "reordered": 0, "lost": 0}
    cable = {
        "ab": {**line, "frames_in": came, "frames_out": came},
        "ba": {**line, "frames_in": went, "frames_out": went},
    }
    seen = {
        "blocks": found,
        "about": {},
        "unknown": [list(place) for place in regs.unknown],
        "problem": "",
        "moved": came + went - sum(before),
        "busy": is_node(dut) and bool(dut.get("busy")),
    }
    return {
        "engine": {"now_ps": dut.node.now_ps},
        "nodes": {name: {"design": dut.info.design, "ports": ports}},
        "scripts": {"wire": {"tx_frames": came, "rx_frames": went, "rx_pause": 0}},
        "cables": {f"wire--{name}.{PORT}": cable} if ports else {},
        "registers": {name: seen},
    }


def _frames(dut: Dut) -> tuple[int, int]:
    if not is_node(dut):
        return 0, 0
    port = dut.stats(PORT)
    return int(port["rx_frames"]), int(port["tx_frames"])


def ledger_of(dut: Dut, blocks: Collection[str] = BALANCE) -> Ledger:
    """The ledger of a node under test."""
    return Ledger.of(stats_of(dut, blocks, dut.info.design))
