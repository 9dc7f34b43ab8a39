# SPDX-License-Identifier: Apache-2.0
"""Connection manager of a node: what Linux's rdma_cm, and so `rping`, connects to.

    manager = ConnectionManager(cluster["alice"].rdma, "10.77.0.1", base=0x80000)
    manager.listen(7174)
    connection = manager.accept()
    connection.pair.receive(...)
    connection.establish()

Its messages are datagrams between the queue pairs 1 of both sides (IBTA volume 1, chapter 12; what
rdma_cm adds: annex A11). Each is sent again until its answer comes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from . import cm_messages as cm
from .cm_messages import Message
from .records import Completion, RdmaError
from .verbs import MANAGER_QP, RECEIVE, QueuePair, Rdma

_Q_KEY = 0x8001_0000  # of all general services
_HEAD = 40  # a datagram's place in its receive's buffer
_STRIDE = 512
_BUFFERS = 8
_AGAIN = 250  # polls until a message is sent again
_TIMES = 20  # that it is sent


class Refused(RdmaError):
    """A REJ; `reason`: IBTA volume 1, table 112."""

    def __init__(self, address: str, reason: int) -> None:
        super().__init__(f"{address} has refused (reason {reason})")
        self.reason = reason


class Connection:
    """A connection with its queue pair; `accept` and `connect` of the manager make it."""

    def __init__(self, manager: ConnectionManager, pair: QueuePair, own_id: int, to: str) -> None:
        self._manager = manager
        self.pair, self.own_id, self.address = pair, own_id, to
        self.remote = Message(cm.REQ, 0)  # the peer's REQ or REP
        self.asked = self.remote  # our last message that wants an answer
        self.answer: Message | None = None  # to the peer's last message
        self.established = self.closed = False
        self.refused: int | None = None

    @property
    def private(self) -> bytes:
        """What the peer has sent with its REQ or REP."""
        return self.remote.private

    def establish(self, private: bytes = b"") -> None:
        """Answer the peer's REQ; the receives for its first messages are posted already."""
        self._manager.reply(self, private)

    def reject(self) -> None:
        """Refuse the peer's REQ."""
        self._manager.reject(self)

    def disconnect(self) -> None:
        """End the connection and free its queue pair."""
        self._manager.disconnect(self)


class ConnectionManager:
    """Takes queue pair 1 of a node.

    Arguments:
        rdma: of the node.
        address: its IPv4 address.
        base: 8 KiB of the node's memory for messages.
        psn: packet number with which peers are to begin.
        timeout: of the queue pairs' acknowledgements; None: what the request says, of Linux 2 s.
    """

    def __init__(
        self, rdma: Rdma, address: str, base: int, psn: int = 0x345678, timeout: int | None = None
    ) -> None:
        self.rdma, self.address, self.base, self.psn = rdma, address, base, psn
        self.timeout = timeout
        self._gsi = rdma.reserve_qp(MANAGER_QP, self._completed)
        self._gsi.open_datagrams(_Q_KEY)
        for slot in range(_BUFFERS):
            self._gsi.receive(base + slot * _STRIDE, _STRIDE, id=slot)
        self._ports: dict[int, deque[Connection]] = {}
        self._connections: dict[int, Connection] = {}
        self._next_id = self._next_slot = self._next_transaction = 0

    def close(self) -> None:
        """Free queue pair 1."""
        self.rdma.destroy_qp(self._gsi)

    def listen(self, port: int) -> None:
        """Keep connections to a port for `accept`; those to others are refused."""
        self._ports[port] = deque()

    def accept(self, tries: int = 30_000) -> Connection:
        """Wait for a connection to a port of `listen`; its queue pair is ready."""

        def asked() -> deque[Connection] | None:
            return next((queue for queue in self._ports.values() if queue), None)

        self._until(lambda: asked() is not None, tries, "nobody connects")
        queue = asked()
        assert queue is not None
        return queue.popleft()

    def connect(
        self, address: str, port: int, private: bytes = b"", mtu: int = 1024, ack_timeout: int = 14
    ) -> Connection:
        """Connect to a port, with a path MTU and a time-out (4.096 us * 2^ack_timeout)."""
        connection = self._open(address)
        request = Message(
            cm.REQ,
            self._transaction(),
            local_id=connection.own_id,
            qpn=connection.pair.number,
            psn=self.psn,
            private=private,
            port=port,
            source=self.address,
            source_port=0x8000 | connection.own_id & 0x7FFF,
            destination=address,
            mtu=mtu,
            ack_timeout=ack_timeout,
        )
        self._ask(connection, request, lambda: connection.established)
        return connection

    # -- of a connection

    def reply(self, connection: Connection, private: bytes) -> None:
        """REP, until RTU."""
        asked = connection.remote
        connection.answer = Message(
            cm.REP,
            asked.transaction,
            local_id=connection.own_id,
            remote_id=asked.local_id,
            qpn=connection.pair.number,
            psn=self.psn,
            private=private,
            source=self.address,
            responder_resources=min(asked.initiator_depth, 16),
            initiator_depth=min(asked.responder_resources, 16),
        )
        self._ask(connection, connection.answer, lambda: connection.established)

    def reject(self, connection: Connection) -> None:
        """REJ, and forget the connection."""
        self._send(connection.address, _rejection(connection.remote, cm.CONSUMER_REJECT))
        self._forget(connection)

    def disconnect(self, connection: Connection) -> None:
        """DREQ, until DREP; nothing if the peer was first."""
        if not connection.closed:
            message = Message(
                cm.DREQ,
                self._transaction(),
                local_id=connection.own_id,
                remote_id=connection.remote.local_id,
                qpn=connection.remote.qpn,
            )
            self._ask(connection, message, lambda: connection.closed)
        self._forget(connection)

    def _open(self, address: str) -> Connection:
        self._next_id += 1
        connection = Connection(self, self.rdma.create_qp(), self._next_id, address)
        self._connections[connection.own_id] = connection
        return connection

    def _forget(self, connection: Connection) -> None:
        if self._connections.pop(connection.own_id, None):
            self.rdma.destroy_qp(connection.pair)

    def _ready(self, connection: Connection, asked: Message, reads: int) -> None:
        """The queue pair from reset to ready to send; `asked`: whose path this is."""
        connection.pair.connect(
            connection.address,
            connection.remote.qpn,
            self.psn,  # each side says with which number the other one is to begin
            connection.remote.psn,
            mtu=asked.mtu,
            timeout=asked.ack_timeout if self.timeout is None else self.timeout,
            retry_cnt=asked.retry_cnt,
            rnr_retry=connection.remote.rnr_retry,
            max_rd_atomic=max(1, min(reads, 16)),
        )

    # -- messages

    def _transaction(self) -> int:
        self._next_transaction += 1
        return self._next_transaction

    def _until(self, done: Callable[[], bool], tries: int, otherwise: str) -> None:
        for _ in range(tries):
            self.rdma.gather()
            if done():
                return
            self.rdma.advance()
        raise RdmaError(otherwise)

    def _ask(self, connection: Connection, message: Message, done: Callable[[], bool]) -> None:
        """Send a message, again and again, until it is answered."""
        connection.asked = message
        for _ in range(_TIMES):
            self._send(connection.address, message)
            for _ in range(_AGAIN):
                self.rdma.gather()
                if connection.refused is not None:
                    reason = connection.refused
                    self._forget(connection)
                    raise Refused(connection.address, reason)
                if done():
                    return
                self.rdma.advance()
        self._forget(connection)
        raise RdmaError(f"{connection.address} does not answer")

    def _send(self, to: str, message: Message) -> None:
        slot = self.base + (_BUFFERS + self._next_slot) * _STRIDE
        self._next_slot = (self._next_slot + 1) % _BUFFERS
        self.rdma.memory.write(slot, message.pack())
        self._gsi.send_datagram(slot, cm.MAD_BYTES, to, MANAGER_QP, _Q_KEY)

    def _completed(self, done: Completion) -> None:
        """Of queue pair 1."""
        if done.op != RECEIVE:
            return
        mad = b""
        if done.ok:
            mad = self.rdma.memory.read(self.base + done.id * _STRIDE, done.length)[_HEAD:]
        self._gsi.receive(self.base + done.id * _STRIDE, _STRIDE, id=done.id)
        message = cm.parse(mad)
        if message is None:
            return
        if message.kind == cm.REQ:
            self._requested(done.src_address, message)
        else:
            connection = self._connections.get(message.remote_id)
            if connection is not None and connection.address == done.src_address:
                self._answered(connection, message)
            elif message.kind == cm.DREQ:  # its DREP was lost, and the connection is forgotten
                self._send(done.src_address, _farewell(message))

    def _requested(self, source: str, message: Message) -> None:
        for known in self._connections.values():
            if (known.address, known.remote.local_id) == (source, message.local_id):
                if known.answer is not None:  # it was lost
                    self._send(source, known.answer)
                return
        if message.port not in self._ports:
            self._send(source, _rejection(message, cm.INVALID_SERVICE))
            return
        connection = self._open(source)
        connection.remote = message
        self._ready(connection, message, message.responder_resources)
        self._ports[message.port].append(connection)

    def _answered(self, connection: Connection, message: Message) -> None:
        if message.kind == cm.REP:
            if not connection.established:
                connection.remote = message
                self._ready(connection, connection.asked, message.responder_resources)
                connection.answer = Message(
                    cm.RTU,
                    message.transaction,
                    local_id=connection.own_id,
                    remote_id=message.local_id,
                )
                connection.established = True
            assert connection.answer is not None
            self._send(connection.address, connection.answer)
        elif message.kind == cm.RTU:
            connection.established = True
        elif message.kind == cm.REJ:
            connection.refused = message.reason
        elif message.kind == cm.DREQ:
            connection.established = connection.closed = True
            self._send(connection.address, _farewell(message))
        elif message.kind == cm.DREP:
            connection.closed = True


def _rejection(message: Message, reason: int) -> Message:
    return Message(cm.REJ, message.transaction, remote_id=message.local_id, reason=reason)


def _farewell(message: Message) -> Message:
    return Message(
        cm.DREP, message.transaction, local_id=message.remote_id, remote_id=message.local_id
    )
