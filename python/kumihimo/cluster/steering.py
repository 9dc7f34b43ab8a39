# SPDX-License-Identifier: Apache-2.0
"""Receive flow steering of a network card: which queue a TCP or UDP flow goes to.

    steering = cluster["card"].steering()
    web = Flow("tcp", "10.77.0.1", 40000, "10.77.0.2", 80)  # as in the frames that the card gets
    steering.insert(web, queue=3)

The registers are those at 0x1000 of docs/decisions/0006-nic.md. The table belongs to the card: a
driver that resets it leaves the table as it is.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ..common.errors import KumiError

BASE = 0x1000
INFO, COMMAND, RESULT, USED, KIND, QUEUE, PORTS, SLOT = range(BASE, BASE + 0x20, 4)
SOURCE, DESTINATION = BASE + 0x20, BASE + 0x30
INSERT, DELETE, CLEAR, FIND, READ = range(1, 6)
DONE, UNKNOWN, BAD_FLOW, FULL, DUPLICATE, ABSENT = range(6)
PROTOCOLS = {"tcp": 6, "udp": 17}

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Registers(Protocol):
    """Registers of a card by byte address."""

    def read(self, addr: int, /) -> int:
        """A word."""
        ...

    def write(self, addr: int, data: int, /) -> None:
        """Write a word."""
        ...


@dataclass(frozen=True)
class Flow:
    """A flow as it comes from the wire: the source is the other end, the destination is here."""

    protocol: str
    """`tcp` or `udp`."""
    source: str
    source_port: int
    destination: str
    destination_port: int

    def words(self) -> dict[int, int]:
        """The registers that describe it."""
        try:
            source = ipaddress.ip_address(self.source)
            to = ipaddress.ip_address(self.destination)
        except ValueError as problem:
            raise KumiError(f"{self}: {problem}.") from None
        if source.version != to.version:
            raise KumiError(f"{self}: one address is IPv4, the other IPv6.")
        if self.protocol not in PROTOCOLS:
            raise KumiError(f"{self}: the protocol is `tcp` or `udp`.")
        for port in (self.source_port, self.destination_port):
            if not 0 <= port < 1 << 16:
                raise KumiError(f"{self}: a port is 0 to 65535.")
        out = {KIND: source.version << 8 | PROTOCOLS[self.protocol]}
        out[PORTS] = self.source_port << 16 | self.destination_port
        for base, address in ((SOURCE, source), (DESTINATION, to)):
            data = int(address).to_bytes(16, "big")
            for i in range(4):
                out[base + 4 * i] = int.from_bytes(data[4 * i : 4 * i + 4], "big")
        return out

    @classmethod
    def of(cls, words: dict[int, int]) -> Flow:
        """The flow that registers describe."""
        kinds = {number: name for name, number in PROTOCOLS.items()}
        six = words[KIND] >> 8 == 6

        def address(base: int) -> str:
            number = sum(words[base + 4 * i] << 32 * (3 - i) for i in range(4))
            return str(ipaddress.IPv6Address(number) if six else ipaddress.IPv4Address(number))

        source, to = words[PORTS] >> 16, words[PORTS] & 0xFFFF
        return cls(kinds[words[KIND] & 0xFF], address(SOURCE), source, address(DESTINATION), to)

    def __str__(self) -> str:
        ends = (self.source, self.source_port), (self.destination, self.destination_port)
        return f"{self.protocol} " + " to ".join(f"{address} port {port}" for address, port in ends)


class Steering:
    """The table of a card. An entry comes before RSS; iterate over it for (flow, queue)."""

    def __init__(self, registers: Registers) -> None:
        self._registers = registers
        info = registers.read(INFO)
        self.capacity, self._slots = info & 0xFFFF, info >> 16
        if not self.capacity:
            raise KumiError("This card has no table of flows.")

    def _command(self, number: int) -> int:
        self._registers.write(COMMAND, number)
        return self._registers.read(RESULT)

    def _flow(self, flow: Flow, number: int) -> int:
        for addr, word in flow.words().items():
            self._registers.write(addr, word)
        return self._command(number)

    def insert(self, flow: Flow, queue: int) -> None:
        """Send a flow to a receive queue, counted in pairs from 0.

        While the queue is not in use, RSS or the even spread chooses as if there were no entry.
        """
        self._registers.write(QUEUE, queue)
        result = self._flow(flow, INSERT)
        if result == BAD_FLOW:
            raise KumiError(f"{flow}: the card has no queue {queue}.")
        if result == DUPLICATE:
            raise KumiError(f"{flow} is in the table already.", "Delete it first.")
        if result == FULL:
            raise KumiError(f"{flow} finds no room in the table: {len(self)} flows are there.")
        assert result == DONE, result

    def delete(self, flow: Flow) -> None:
        """Forget a flow."""
        if self._flow(flow, DELETE) != DONE:
            raise KumiError(f"{flow} is not in the table.")

    def find(self, flow: Flow) -> int | None:
        """The queue of a flow, or None."""
        return self._registers.read(QUEUE) if self._flow(flow, FIND) == DONE else None

    def clear(self) -> None:
        """Forget all flows."""
        self._command(CLEAR)

    def __len__(self) -> int:
        return self._registers.read(USED)

    def __iter__(self) -> Iterator[tuple[Flow, int]]:
        for slot in range(self._slots):
            self._registers.write(SLOT, slot)
            if self._command(READ) != DONE:
                continue
            where = (KIND, PORTS, *range(SOURCE, SOURCE + 0x20, 4))
            words = {addr: self._registers.read(addr) for addr in where}
            yield Flow.of(words), self._registers.read(QUEUE)
