# SPDX-License-Identifier: Apache-2.0
"""Networks of circuit switches in RTL: one Verilated board per node, stepped together.

Rows of blocks travel between the boards' link ports in the cycles that lanes and cable take;
everything else is the hardware. All boards run from one clock and start their TDM frames in the
same cycle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from kumihimo.bench.core import BenchError
from kumihimo.link.planner.best_effort import best_routes
from kumihimo.link.planner.network import Network
from kumihimo.link.stdm import REG, Stdm
from kumihimo.link.stdm_model import Tables
from kumihimo.testing import Dut

HOP_CYCLES = 4  # of a switch, with a margin of 1: a link's cycles are these and the way of the row
BLOCK_W = 64
STAT = {"sent": 32, "words": 32, "least": 16, "most": 16, "errors": 16}


class _Registers:
    """Registers over the command stream.

    A read waits: alone while a board is set up, with the whole network (`step`) once it runs.
    """

    def __init__(self, dut: Dut) -> None:
        self._dut = dut
        self.step: Callable[[int], None] | None = None

    def read(self, addr: int) -> int:
        self._dut.send("s_cmd", addr << 32)
        if self.step is None:
            return self._dut.recv("m_rsp", 1, timeout_cycles=200_000)[0].value
        for _ in range(50_000):
            self.step(4)
            if got := self._dut.recv("m_rsp"):
                return got[0].value
        raise BenchError("a board does not answer")

    def write(self, addr: int, data: int) -> None:
        self._dut.send("s_cmd", 1 << 47 | addr << 32 | data)


class Board:
    """One board: a Verilated switch with its sources and sinks."""

    def __init__(
        self, name: str, number: int, dut: Dut, ports: list[str], local_ports: int
    ) -> None:
        self.name, self.number, self.dut = name, number, dut
        self.ports, self.locals = ports, local_ports
        dut.set("id", number)
        self.registers = _Registers(dut)
        self.switch = Stdm(self.registers)
        self.switch.board(number)
        self.links = self.switch.ports - local_ports
        self.up = 0
        self.tx = (0, 0)
        self.rx = (0, 0)

    def begin(self) -> None:
        """Run until this board is at position 0."""
        self.dut.run_until(lambda: self.dut.get("run"), 4000)
        self.dut.run_until(lambda: self.dut.get("pos") == 0, 600)

    def end(self, port: int, channel: int) -> int:
        """Index of a local channel."""
        return port * self.switch.channels + channel

    def stat(self, name: str, index: int) -> int:
        """A count of `kumi_stdm_probe_word`."""
        bits = STAT[name]
        return self.dut.get(name) >> bits * index & ((1 << bits) - 1)

    def best_effort(self, name: str, index: int) -> int:
        """A count of `kumi_stdm_probe_be`."""
        bits = 16 if name == "errors" else 32
        return self.dut.get(f"be_{name}") >> bits * index & ((1 << bits) - 1)


class Net:
    """A network of boards, ready to run a plan."""

    def __init__(
        self,
        network: Network,
        channels: int,
        hybrid: bool,
        profile: str = "fast",
        be_depth: int = 512,
    ) -> None:
        """Build one board for all: as many ports as the one with the most has."""
        self.network = network
        most = max(len(ports) for ports in network.ports.values())
        self.local_ports = max(len(hosts) for hosts in network.hosts.values())
        self.params = {
            "P": max(3, most),
            "LOCALS": self.local_ports,
            "CHANNELS": channels,
            "HYBRID": int(hybrid),
            "BE_DEPTH": be_depth,
        }
        self.profile = profile
        self.boards: dict[str, Board] = {}
        self._duts: dict[str, Dut] = {}
        self.now = 0

    def start(self, data: Mapping[str, Any]) -> None:
        """Fresh boards with the tables of a plan, all at position 0."""
        self.boards.clear()
        for number, name in enumerate(self.network.ports):
            dut = self._duts.get(name)
            if dut is None:
                dut = Dut.of_module(
                    "kumi_stdm_probe",
                    self.params,
                    {"s_cmd": {"W": 48}, "m_rsp": {"W": 32}},
                    profile=self.profile,
                )
                self._duts[name] = dut
            else:
                dut.restart()
            hosts = len(self.network.hosts[name])
            self.boards[name] = Board(name, number, dut, self.network.ports[name], hosts)
        self.design = next(iter(self._duts.values())).built.design_hash
        for name, board in self.boards.items():
            board.switch.load(Tables.of_plan(data, name).padded(board.switch.ports))
        routes = best_routes(self.network)
        for name, board in self.boards.items():
            if board.switch.hybrid:
                for port, targets in routes[name].items():
                    board.switch.routes(board.ports.index(port), dict(enumerate(targets)))
            board.switch.swap(wait=False)
            board.begin()
        self._wire(data)
        self.step(3 * (data["slots"] + data["guard"]))
        for name, board in self.boards.items():
            for link in self.network.into[name]:
                state = board.switch.link(board.ports.index(link.b_port))
                if not state["locked"]:
                    raise BenchError(f"{link} finds no TDM frames")

    def _wire(self, data: Mapping[str, Any]) -> None:
        cycles = {link["from"]: link["cycles"] for link in data["links"]}
        self.wires: list[tuple[Board, int, Board, int, deque[tuple[int, int]]]] = []
        for link in self.network.links:
            a, b = self.boards[link.a], self.boards[link.b]
            out, into = a.ports.index(link.a_port), b.ports.index(link.b_port)
            delay = cycles[link.start] - HOP_CYCLES
            line: deque[tuple[int, int]] = deque([(0, 0)] * (delay - 1))
            self.wires.append((a, out - a.locals, b, into - b.locals, line))
            b.up |= 1 << into - b.locals
        for board in self.boards.values():
            board.registers.step = self.step
            board.dut.set("up", board.up)
            board.dut.set("tx_take", board.up)

    def step(self, cycles: int = 1) -> None:
        """Run all boards, and carry rows between them."""
        boards = list(self.boards.values())
        mask = (1 << BLOCK_W) - 1
        for _ in range(cycles):
            self.now += 1
            kinds = dict.fromkeys(self.boards, 0)
            data = dict.fromkeys(self.boards, 0)
            for a, out, b, into, line in self.wires:
                kind, block = a.tx
                line.append((kind >> 2 * out & 3, block >> BLOCK_W * out & mask))
                kind, block = line.popleft()
                kinds[b.name] |= kind << 2 * into
                data[b.name] |= block << BLOCK_W * into
            for board in boards:
                dut = board.dut
                node = dut.node
                node.set_pin("now", self.now & 0xFFFFFFFF)
                node.set_pin("rx_kind", kinds[board.name])
                node.set_pin("rx_data", data[board.name])
                node.run(1)
                board.tx = (node.get_pin("tx_kind"), node.get_pin("tx_data"))
        for board in boards:
            board.dut._after()

    def swap(self, tables: Mapping[str, Tables]) -> None:
        """Load tables into all boards and swap, while everything runs."""
        for name, board in self.boards.items():
            for addr, word in board.switch.commands(tables[name].padded(board.switch.ports)):
                board.registers.write(addr, word)
            board.registers.write(REG["command"], 1)
        while any(board.dut.waiting("s_cmd") for board in self.boards.values()):
            self.step(64)
        self.step(2 * next(iter(tables.values())).frame_cycles)

    def set(self, pin: str, value: int) -> None:
        """A pin of all boards."""
        for board in self.boards.values():
            board.dut.set(pin, value)
