# SPDX-License-Identifier: Apache-2.0
"""Joins programs that speak to libumad2sim (opensm, infiniband-diags) with a fabric.

Each program sits at a host, a channel adapter whose agent has a local manager: its datagrams go
into the agent as real packets and answers come out of it. The agent does what a kernel does for
them: the first and last hop of a directed route, and the source LID.

Transactions are renamed, so that two programs with the same numbers do not get each other's
answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from kumihimo.ib import packets, umad
from kumihimo.ib.packets import CLASS_SA, RESPONSE, Datagram, local_get
from kumihimo.ib.umad import Control, UmadServer

# Renamed transactions carry this in their upper bits.
_OWN_TIDS = 0x4B4D_0000_0000_0000
_FORGET = 60.0  # seconds after which an unused transaction is forgotten
_ASKS = {
    umad.NODE_INFO: packets.NODE_INFO,
    umad.PORT_INFO: packets.PORT_INFO,
    umad.P_KEYS: packets.P_KEYS,
}


class Fabric(Protocol):
    """What the bridge needs of a fabric."""

    def send(self, host: str, packet: bytes) -> None:
        """Give a packet (LRH to ICRC) to a host's agent, from its local manager."""

    def receive(self) -> list[tuple[str, bytes]]:
        """Packets for local managers since the last call; lets some time pass."""

    def set_is_sm(self, host: str, on: bool) -> None:
        """Whether a subnet manager runs at a host."""


@dataclass
class _Transaction:
    client: int  # or -1: of the bridge, for a control message
    tid: int  # the client's
    request: Datagram
    deadline: float  # of the answer
    used: float
    answered: bool = False
    control: Control | None = None


class Bridge:
    """The process between the sockets and the fabric."""

    def __init__(
        self,
        fabric: Fabric,
        hosts: list[str],
        name: str = "sim",
        timeout: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Programs that name no host ($SIM_HOST) sit at the first one.

        `timeout`: seconds of `clock` after which a request without an answer is given back to its
        program, which has no clock of its own.
        """
        self.fabric, self.hosts, self.timeout, self._clock = fabric, hosts, timeout, clock
        self.server = UmadServer(name)
        self._by_own: dict[int, _Transaction] = {}
        self._own_of: dict[tuple[int, int], int] = {}
        self._managers: set[str] = set()
        self._next = 1
        self.requests = 0
        self.timeouts = 0

    def close(self) -> None:
        """Close the sockets."""
        self.server.close()

    def serve(self, wait: float = 0.0) -> bool:
        """Move what there is; whether anything did."""
        controls, datagrams = self.server.wait(wait)
        for message in controls:
            self._control(message)
        self._tell_managers()
        for number, datagram in datagrams:
            self._from_client(number, datagram)
        arrived = self.fabric.receive()
        for host, packet in arrived:
            self._from_fabric(host, Datagram.of(packet))
        self._expire()
        return bool(controls or datagrams or arrived)

    @property
    def waiting(self) -> bool:
        """Whether an answer is due."""
        return any(not t.answered for t in self._by_own.values())

    # ---- programs -------------------------------------------------------------------------------

    def _control(self, message: Control) -> None:
        if message.kind == umad.CONNECT:
            self.server.connect(message, self.hosts[0], self.hosts)
            return
        if message.client not in self.server.clients:
            self.server.refuse(message)
            return
        client = self.server.clients[message.client]
        if message.kind == umad.DISCONNECT:
            self.server.answer(message)
            self.server.leave(message)
        elif message.kind == umad.SET_IS_SM:
            client.is_sm = bool(int.from_bytes(message.data[:4], "little"))
            self.server.answer(message)
        elif message.kind == umad.VENDOR:
            self.server.vendor(message)
        elif message.kind in _ASKS:
            ask = local_get(_ASKS[message.kind], self._next)
            self._send(-1, client.host, ask, message)
        else:
            self.server.answer(message)

    def _tell_managers(self) -> None:
        managers = {c.host for c in self.server.clients.values() if c.is_sm}
        for host in managers ^ self._managers:
            self.fabric.set_is_sm(host, host in managers)
        self._managers = managers

    def _from_client(self, number: int, datagram: Datagram) -> None:
        client = self.server.clients.get(number)
        if client is None:
            return
        if datagram.method & RESPONSE and (number, datagram.tid) not in self._own_of:
            self.fabric.send(client.host, datagram.packet())  # an answer to somebody else
        else:
            self._send(number, client.host, datagram)

    def _send(
        self, number: int, host: str, datagram: Datagram, control: Control | None = None
    ) -> None:
        """Send a request under a name of its own."""
        own = self._own_of.get((number, datagram.tid))
        if own is None:
            own = _OWN_TIDS | self._next
            self._next += 1
            self._own_of[number, datagram.tid] = own
        one_way = datagram.method in (packets.TRAP, packets.TRAP_REPRESS)
        answered = one_way or bool(datagram.method & RESPONSE)
        self._by_own[own] = _Transaction(
            number, datagram.tid, datagram, self._clock() + self.timeout, time.monotonic(),
            answered, control,
        )  # fmt: skip
        self.requests += 1
        self.fabric.send(host, datagram.with_tid(own).packet())

    # ---- fabric ---------------------------------------------------------------------------------

    def _from_fabric(self, host: str, datagram: Datagram) -> None:
        transaction = self._by_own.get(datagram.tid)
        if transaction is not None and datagram.method & RESPONSE and not _of_requester(datagram):
            if transaction.control is not None:
                self._answer_control(transaction, datagram)
                return
            client = self.server.clients.get(transaction.client)
            if client is None or client.host == host:
                transaction.answered, transaction.used = True, time.monotonic()
                if client is not None:
                    self.server.deliver(client.number, datagram.with_tid(transaction.tid))
                return
        for client in list(self.server.clients.values()):
            if client.host == host and client.is_sm:
                self.server.deliver(client.number, datagram)

    def _answer_control(self, transaction: _Transaction, datagram: Datagram) -> None:
        if transaction.control is not None and not transaction.answered:
            transaction.answered = True
            self.server.answer(transaction.control, datagram.mad[64:128])

    def _expire(self) -> None:
        now, old = self._clock(), time.monotonic() - _FORGET
        for own, t in list(self._by_own.items()):
            if not t.answered and now > t.deadline:
                t.answered = True
                self.timeouts += 1
                if t.control is not None:
                    self.server.refuse(t.control)
                else:
                    self.server.deliver(t.client, t.request, umad.TIMED_OUT)
            if t.answered and old > t.used:
                del self._by_own[own]
                self._own_of.pop((t.client, t.tid), None)


def _of_requester(datagram: Datagram) -> bool:
    """An RMPP acknowledgement, which goes to the manager although it has the bit of a response."""
    return datagram.mgmt_class == CLASS_SA and datagram.mad[24] == 1 and datagram.mad[25] == 2
