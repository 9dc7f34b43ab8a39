# SPDX-License-Identifier: Apache-2.0
"""Queue pairs, memory regions, work requests and completions of a node with RDMA.

    rdma = cluster["alice"].rdma
    region = rdma.register(0x10000, 65536, remote_write=True)
    pair = rdma.create_qp()
    pair.connect(peer_ip, peer_qpn, peer_psn)
    pair.send(region.address, 1024)
    (done,) = rdma.wait(1)

The registers behind it are those of regs/rdma.rdl; a board has them at the same addresses.
"""

from __future__ import annotations

import ipaddress
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from .records import Completion, RdmaError

SEND, SEND_IMM, WRITE, WRITE_IMM, READ, COMPARE_SWAP, FETCH_ADD, RECEIVE = range(8)
_TO_READY, _TO_RESET, _TO_ERROR, _REGION = range(4)
_DATAGRAMS = 1 << 18
MANAGER_QP = 1  # what the connection manager's messages go to
_MTU = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
_MASK = 0xFFFFFFFF


_SOURCE_PORT = 0xC000  # of RoCEv2


@dataclass(frozen=True)
class MemoryRegion:
    """A part of the node's memory that peers may name with `key`."""

    address: int
    length: int
    key: int


def _way(address: str | int, flow: int | None) -> tuple[int, int]:
    """Peer and flow as in `rc_path_t`."""
    if isinstance(address, int):
        return address, flow or 0
    return int(ipaddress.IPv4Address(address)), _SOURCE_PORT if flow is None else flow


class QueuePair:
    """One queue pair of a node."""

    def __init__(self, rdma: Rdma, number: int) -> None:
        self._rdma = rdma
        self.number = number

    def connect(
        self,
        address: str | int,
        qpn: int,
        rq_psn: int,
        sq_psn: int = 0,
        *,
        mtu: int = 1024,
        timeout: int = 14,
        retry_cnt: int = 7,
        rnr_retry: int = 7,
        min_rnr_timer: int = 12,
        max_rd_atomic: int = 1,
        flow: int | None = None,
        p_key: int = 0xFFFF,
        access: bool = True,
    ) -> None:
        """From reset to ready to send, to a peer's queue pair.

        `address` is the peer's IPv4 address with RoCEv2, its LID on InfiniBand; `flow` the UDP
        source port (49152 if none is given), or the service level (0). `rq_psn` is the first packet
        number that the peer sends, `sq_psn` the first of ours; `access`: the peer may write, read
        and use atomics.
        """
        if mtu not in _MTU:
            raise RdmaError(f"a path MTU is one of {', '.join(map(str, _MTU))}, not {mtu}")
        regs = self._rdma.regs
        peer, flow = _way(address, flow)
        regs.peer_addr.write(peer)
        regs.path.write(flow << 8)
        regs.dest_qp.write(qpn)
        regs.attr.write(p_key | _MTU[mtu] << 16 | max_rd_atomic << 24)
        regs.sq_psn.write(sq_psn)
        regs.rq_psn.write(rq_psn)
        regs.retry.write(timeout | retry_cnt << 8 | rnr_retry << 12 | min_rnr_timer << 16)
        self._rdma.set_up(_TO_READY, self.number, 0x7 << 20 if access else 0)

    def open_datagrams(
        self, q_key: int, *, psn: int = 0, mtu: int = 1024, p_key: int = 0xFFFF
    ) -> None:
        """From reset to ready to send, for datagrams: to and from any peer that has `q_key`."""
        if mtu not in _MTU:
            raise RdmaError(f"a path MTU is one of {', '.join(map(str, _MTU))}, not {mtu}")
        regs = self._rdma.regs
        regs.q_key.write(q_key)
        regs.attr.write(p_key | _MTU[mtu] << 16)
        regs.sq_psn.write(psn)
        regs.rq_psn.write(0)
        regs.retry.write(0)
        self._rdma.set_up(_TO_READY, self.number, _DATAGRAMS)

    def reset(self) -> None:
        """To the reset state: its queues are empty."""
        self._rdma.set_up(_TO_RESET, self.number)

    def fail(self) -> None:
        """To the error state: what is posted completes as flushed."""
        self._rdma.set_up(_TO_ERROR, self.number)

    @property
    def failed(self) -> bool:
        """Whether it is in the error state."""
        regs = self._rdma.regs
        regs.error_select.write(self.number // 32)
        return bool(int(regs.error_state.read()) >> self.number % 32 & 1)

    def post(self, op: int, address: int, length: int, id: int = 0, **fields: int) -> None:
        """Post a work request; `fields` are those of the registers `wr_*`."""
        self._rdma.post(self.number, op, address, length, id, fields)

    def receive(self, address: int, length: int, id: int = 0) -> None:
        """Post a receive."""
        self.post(RECEIVE, address, length, id)

    def send(self, address: int, length: int, id: int = 0, imm: int | None = None) -> None:
        """Post a SEND."""
        if imm is None:
            self.post(SEND, address, length, id)
        else:
            self.post(SEND_IMM, address, length, id, imm=imm)

    def send_datagram(
        self,
        address: int,
        length: int,
        to: str | int,
        qpn: int,
        q_key: int,
        id: int = 0,
        flow: int | None = None,
    ) -> None:
        """Post a SEND to a queue pair for datagrams at an address as for `connect`.

        A datagram arrives 40 bytes behind the start of its receive's buffer.
        """
        peer, flow = _way(to, flow)
        path = peer << 24 | flow << 8
        self.post(SEND, address, length, id, remote=qpn, rkey=q_key, compare=path)

    def write(
        self,
        address: int,
        length: int,
        remote: int,
        rkey: int,
        id: int = 0,
        imm: int | None = None,
    ) -> None:
        """Post an RDMA WRITE."""
        if imm is None:
            self.post(WRITE, address, length, id, remote=remote, rkey=rkey)
        else:
            self.post(WRITE_IMM, address, length, id, remote=remote, rkey=rkey, imm=imm)

    def read(self, address: int, length: int, remote: int, rkey: int, id: int = 0) -> None:
        """Post an RDMA READ."""
        self.post(READ, address, length, id, remote=remote, rkey=rkey)

    def fetch_add(self, address: int, remote: int, rkey: int, add: int, id: int = 0) -> None:
        """Post a fetch-and-add; the value before comes to `address`."""
        self.post(FETCH_ADD, address, 8, id, remote=remote, rkey=rkey, swap_add=add)

    def compare_swap(
        self, address: int, remote: int, rkey: int, compare: int, swap: int, id: int = 0
    ) -> None:
        """Post a compare-and-swap; the value before comes to `address`."""
        self.post(
            COMPARE_SWAP, address, 8, id, remote=remote, rkey=rkey, compare=compare, swap_add=swap
        )


class Memory(Protocol):
    """What the node's memory offers (`kumihimo.cluster.Memory`)."""

    def read(self, addr: int, size: int) -> bytes:
        """Read `size` bytes."""
        ...

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Write bytes."""
        ...


class Rdma:
    """The RDMA block of a node: `cluster["alice"].rdma`.

    Arguments:
        name: of the node, for messages.
        regs: the registers of the block.
        memory: what addresses of regions and work requests are addresses of.
        advance: lets time pass while a verb waits.
    """

    def __init__(self, name: str, regs: Any, memory: Memory, advance: Callable[[], object]) -> None:
        self.name, self.regs, self.memory = name, regs, memory
        self._advance = advance
        self._written: dict[str, int] = {}
        shape = int(self.regs.shape.read())
        self.qps, self.regions = shape & 0xFFFF, shape >> 16
        # InfiniBand keeps 0 and 1 for its managers: they come last.
        self._free_qps = [0, MANAGER_QP, *range(self.qps - 1, 1, -1)]
        self._free_regions = list(range(self.regions - 1, -1, -1))
        self._handlers: dict[int, Callable[[Completion], None]] = {}
        self._found: deque[Completion] = deque()

    # -- set-up

    def set_up(self, op: int, qp: int = 0, flags: int = 0) -> None:
        """Start a set-up and wait until it applies."""
        self._ready("setup_ready", 1)
        self.regs.setup.write(qp | op << 16 | flags)
        self.regs.command.write(2)
        self._ready("setup_ready", 1)

    @property
    def free_qps(self) -> int:
        """Queue pairs that are not in use."""
        return len(self._free_qps)

    def create_qp(self) -> QueuePair:
        """A queue pair that is not in use."""
        if not self._free_qps:
            raise RdmaError(f"all {self.qps} queue pairs are in use")
        return QueuePair(self, self._free_qps.pop())

    def reserve_qp(self, number: int, handler: Callable[[Completion], None]) -> QueuePair:
        """The queue pair with this number, all of whose completions go to `handler`."""
        if number not in self._free_qps:
            raise RdmaError(f"queue pair {number} is in use")
        self._free_qps.remove(number)
        self._handlers[number] = handler
        return QueuePair(self, number)

    def destroy_qp(self, pair: QueuePair) -> None:
        """Reset a queue pair and free its number."""
        pair.reset()
        self._handlers.pop(pair.number, None)
        self._free_qps.insert(2 if pair.number > MANAGER_QP else 0, pair.number)

    def register(
        self,
        address: int,
        length: int,
        *,
        remote_write: bool = True,
        remote_read: bool = True,
        remote_atomic: bool = True,
        tag: int = 0x5A,
    ) -> MemoryRegion:
        """Let peers use a part of the memory; `tag` is the low byte of its key."""
        if not self._free_regions:
            raise RdmaError(f"all {self.regions} memory regions are in use")
        key = self._free_regions.pop() << 8 | tag
        self._region(MemoryRegion(address, length, key), True, remote_write, remote_read,
                     remote_atomic)  # fmt: skip
        return MemoryRegion(address, length, key)

    def deregister(self, region: MemoryRegion) -> None:
        """Peers can no longer use a region, and none of their bytes is on its way to it."""
        self._region(region, False, False, False, False)
        self._free_regions.insert(0, region.key >> 8)

    def _region(
        self, region: MemoryRegion, valid: bool, write: bool, read: bool, atomic: bool
    ) -> None:
        regs = self.regs
        regs.region_lo.write(region.address & _MASK)
        regs.region_hi.write(region.address >> 32)
        regs.region_length_lo.write(region.length & _MASK)
        regs.region_length_hi.write(region.length >> 32)
        regs.region_key.write(region.key)
        flags = write << 20 | read << 21 | atomic << 22 | valid << 23
        self.set_up(_REGION, 0, flags)

    # -- work

    def post(
        self, qp: int, op: int, address: int, length: int, id: int, fields: dict[str, int]
    ) -> None:
        """Post a work request; those on success complete too (`signaled`)."""
        signaled, fence = fields.pop("signaled", 1), fields.pop("fence", 0)
        solicited = fields.pop("solicited", 0)
        words = {
            "wr_ctrl": qp | op << 16 | signaled << 24 | solicited << 25 | fence << 26,
            "wr_id": id,
            "wr_local_lo": address & _MASK,
            "wr_local_hi": address >> 32,
            "wr_length": length,
        }
        for name, value in fields.items():
            if name in ("remote", "compare", "swap_add"):
                words[f"wr_{name}_lo"] = value & _MASK
                words[f"wr_{name}_hi"] = value >> 32 & _MASK
            else:
                words[f"wr_{name}"] = value
        for name, value in words.items():
            if self._written.get(name) != value:
                getattr(self.regs, name).write(value)
                self._written[name] = value
        self._ready("post_ready", 0)
        self.regs.command.write(1)

    def poll(self, most: int = 16) -> list[Completion]:
        """Completions that are there, at most so many."""
        self.gather(most)
        return [self._found.popleft() for _ in range(min(most, len(self._found)))]

    def gather(self, most: int = 16) -> None:
        """Take completions from the node, and keep for `poll` those without a handler."""
        while len(self._found) < most and int(self.regs.status.read()) >> 2 & 1:
            done = self._completion()
            self.regs.command.write(4)
            self._handlers.get(done.qp, self._found.append)(done)

    def _completion(self) -> Completion:
        """What the completion registers hold."""
        regs = self.regs
        word = int(regs.wc.read())
        source: dict[str, Any] = {}
        if word >> 16 & 15 == RECEIVE:
            address = ipaddress.IPv4Address(int(regs.wc_src_addr.read()))
            flow = int(regs.wc_src_flow.read()) >> 8
            source = {"src_address": str(address), "src_flow": flow}
        return Completion(
            qp=word & 0xFFFF,
            id=int(regs.wc_id.read()),
            op=word >> 16 & 15,
            status=word >> 20 & 15,
            length=int(regs.wc_length.read()),
            imm=int(regs.wc_imm.read()) if word >> 24 & 1 else None,
            write=bool(word >> 25 & 1),
            src_qp=int(regs.wc_src_qp.read()),
            **source,
        )

    def advance(self) -> None:
        """Let a little time pass."""
        self._advance()

    def wait(self, count: int = 1, tries: int = 1000) -> list[Completion]:
        """So many completions; raises when they do not come while time advances `tries` times."""
        found = self.poll(count)
        while len(found) < count:
            tries -= 1
            if tries < 0:
                raise RdmaError(f"{len(found)} of {count} completions came")
            self._advance()
            found += self.poll(count - len(found))
        return found

    def _ready(self, what: str, bit: int) -> None:
        for _ in range(1000):
            if int(self.regs.status.read()) >> bit & 1:
                return
            self._advance()
        raise RdmaError(f"the engine of {self.name} does not accept anything ({what})")
