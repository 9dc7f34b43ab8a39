# SPDX-License-Identifier: Apache-2.0
"""Remote stores and RDMA writes of `ib_router` nodes (register block `ib_router`)."""

from __future__ import annotations

from collections.abc import Iterable

from ..cluster import Cluster, Node
from ..clusterfile import units
from ..common.errors import KumiError
from .port import Port

QP_BASE = 0x1000
CHANNELS = 4
PAGE, WORD, BLOCK = 4096, 8, 472
KICK, WINDOW, REGION = 0, 1, 2
OP_BOTF, OP_RDMA = 2, 3
WINDOW_AREA, WINDOW_KICK, WINDOW_DATA = 1 << 19, 63, 2
MOST_RDMA = 0xFFF8
DEFAULT_P_KEY = 0xFFFF
STEP = "500 ns"


class Router:
    """One node: its peers, its memory as others may write it, and what it sends.

    Peers have names after `join`, and numbers always. Addresses are places in the memory behind the
    node's port `m_axi_mem`.
    """

    def __init__(self, cluster: Cluster, node: Node) -> None:
        """The router of a started cluster's node."""
        self.name = node.name
        self.registers = node.regs["ib_router"]
        self.memory = node.memory()
        self._cluster = cluster
        self._port = Port(node.regs["ib_port"])
        shape = self.registers["shape"].fields()
        self.size = shape["peers"]
        """Entries of its table of peers."""
        self._windows, self._turn = shape["windows"], 0
        self._pages: dict[tuple[int, ...], int] = {}
        self._kicks = shape["kicks"]
        self.group = 1
        """Process group of the stores."""
        self.peers: dict[str, int] = {}
        """Numbers of peers by name."""

    # ---- set-up ----------------------------------------------------------------------------------
    @property
    def lid(self) -> int:
        """The LID that a subnet manager has assigned, 0: none."""
        return self._port.state.lid

    @property
    def number(self) -> int:
        """Number of this node in the tables of its peers."""
        return int(self.registers["node"].read())

    def open(self, number: int, base: int, size: int, group: int = 1) -> None:
        """Set this node's number, and the memory that its peers may write and it may read.

        Args:
            number: of this node in the tables of its peers.
            base: first byte of the region and of the windows' local memory.
            size: bytes.
            group: process group; packets of another one are dropped.
        """
        self.registers["node"].write(number)
        self._entry(REGION, 0, 1 << 80 | group << 64 | base << 32 | size)
        for window in range(self._windows):
            self._entry(WINDOW, window, 1 << 82 | group << 64 | base << 32 | size)
        for page in range(self._kicks):
            self._entry(KICK, page, 0)
        self._pages.clear()
        self.group = group

    def connect(self, number: int, lid: int, p_key: int = DEFAULT_P_KEY) -> None:
        """Enter a peer; both sides' connections begin again, so both enter each other."""
        if not 0 <= number < self.size:
            raise KumiError(f"{self.name} has peers 0 to {self.size - 1}, not {number}.")
        self.registers["peer_address"].set(lid=lid, p_key=p_key)
        self.registers["peer_qp"].set(qpn=QP_BASE + CHANNELS * self.number)
        self._peer(number, 1)

    def disconnect(self, number: int) -> None:
        """Take a peer out; packets for it are dropped and counted."""
        self._peer(number, 0)

    def _peer(self, number: int, enable: int) -> None:
        self.registers["peer"].set(index=number, enable=enable, write=1)
        self._until("peer_busy", "the table of peers")

    def _entry(self, table: int, index: int, value: int) -> None:
        for n, name in enumerate(("entry_lo", "entry_mid", "entry_hi")):
            self.registers[name].write(value >> 32 * n & 0xFFFF_FFFF)
        self.registers["entry"].set(sel=table, index=index, write=1)

    # ---- use -------------------------------------------------------------------------------------
    def store(self, peer: str | int, address: int, data: bytes, channel: int = 0) -> None:
        """Write a peer's memory, a packet for each word of 8 bytes or part of one (AOTF).

        Raises:
            KumiError: the interface refused it.
        """
        while data:
            part = data[: WORD - address % WORD]
            lanes = ((1 << len(part)) - 1) << address % WORD
            page = self._page(self._number(peer), address // PAGE, channel)
            word = part.rjust(len(part) + address % WORD, b"\0").ljust(WORD, b"\0")
            self._write(page * PAGE + address % PAGE // WORD * WORD, word, lanes)
            address, data = address + len(part), data[len(part) :]

    def store_block(self, peer: str | int, address: int, data: bytes) -> None:
        """Write a peer's memory by one packet of 8 to 472 bytes out of a window (BOTF)."""
        if not WORD <= len(data) <= BLOCK or address % WORD:
            raise ValueError(f"8 to {BLOCK} bytes, at a multiple of 8")
        window = self._free_window()
        for n in range(0, len(data), WORD):
            self._word(window, WINDOW_DATA + n // WORD, data[n : n + WORD].ljust(WORD, b"\0"))
        self._command(window, peer, OP_BOTF, address, len(data))

    def rdma_write(self, peer: str | int, address: int, local: int, size: int) -> None:
        """Write a peer's memory from this node's own; returns when it has been begun."""
        if address % WORD or local % WORD:
            raise ValueError("both places must be multiples of 8")
        while size:
            part = min(size, MOST_RDMA)
            window = self._free_window()
            self._word(window, WINDOW_DATA, local.to_bytes(WORD, "little"))
            self._command(window, peer, OP_RDMA, address, part)
            address, local, size = address + part, local + part, size - part

    def flush(self, limit: str = "10 ms") -> None:
        """Wait until all that was begun has been acknowledged, or its peer is dead."""
        end = self._cluster.now_ps + units.time_ps(limit)
        while self.registers["window"].read() or self.registers["status"].read() & 0b1011:
            if self._cluster.now_ps > end:
                raise KumiError(f"{self.name}: packets still wait for an answer.")
            self._cluster.run(STEP)

    def wait_arrived(self) -> None:
        """Wait until what this node's router has acknowledged is in its memory."""
        self._until("arriving", "memory")

    @property
    def dead(self) -> list[int]:
        """Numbers of the peers that have not answered."""
        bits = sum(word << 32 * n for n, word in enumerate(self.registers["dead"].read_all()))
        return [n for n in range(self.size) if bits >> n & 1]

    def traffic(self) -> dict[str, int]:
        """Packets sent and received."""
        return self.registers.counters("traffic")

    def drops(self) -> dict[str, int]:
        """Packets dropped, by reason; those that are not zero."""
        return {name: n for name, n in self.registers.counters("drops").items() if n}

    # ---- registers -------------------------------------------------------------------------------
    def _number(self, peer: str | int) -> int:
        if isinstance(peer, int):
            return peer
        if peer not in self.peers:
            raise KumiError(f"{self.name} has no peer {peer}.", f"It has: {', '.join(self.peers)}.")
        return self.peers[peer]

    def _page(self, number: int, page: int, channel: int) -> int:
        """A kick page for a page of a peer's region; the oldest one makes place for a new one."""
        key = (number, page, channel, self.group)
        if key not in self._pages:
            used = len(self._pages)
            index = used if used < self._kicks else self._pages.pop(next(iter(self._pages)))
            entry = 1 << 87 | channel << 85 | PAGE << 72 | number << 56 | self.group << 32
            self._entry(KICK, index, entry | page * PAGE)
            self._pages[key] = index
        return self._pages[key]

    def _free_window(self) -> int:
        window, self._turn = self._turn, (self._turn + 1) % self._windows
        while self.registers["window"].read() >> window & 1:
            self._cluster.run(STEP)
        return window

    def _command(self, window: int, peer: str | int, op: int, address: int, size: int) -> None:
        head = self._number(peer) | size << 40 | op << 56
        self._word(window, 0, head.to_bytes(WORD, "little"))
        self._word(window, 1, address.to_bytes(WORD, "little"))
        self._word(window, WINDOW_KICK, bytes(WORD))

    def _word(self, window: int, word: int, data: bytes) -> None:
        self._write(WINDOW_AREA | window * PAGE | word * WORD, data, 0xFF)

    def _write(self, place: int, data: bytes, lanes: int) -> None:
        self.registers["store"].set(addr=place, strobes=lanes)
        self.registers["store_lo"].write(int.from_bytes(data[:4], "little"))
        self.registers["store_hi"].write(int.from_bytes(data[4:], "little"))
        self._until("store_busy", "the interface")
        if self.registers["status"].get("store_refused"):
            raise KumiError(f"{self.name} refused a store to {place:#x} of its interface.")

    def _until(self, busy: str, what: str, limit_ps: int = 20_000_000_000) -> None:
        end = self._cluster.now_ps + limit_ps
        while self.registers["status"].get(busy):
            if self._cluster.now_ps > end:
                raise KumiError(f"{self.name}: {what} takes nothing any more.")
            self._cluster.run(STEP)


def settle(*routers: Router) -> None:
    """Wait until all that these routers have begun is in the memories of those that are here."""
    for router in routers:
        router.flush()
    for router in routers:
        router.wait_arrived()


def join(
    cluster: Cluster, names: Iterable[str] = (), base: int = 0, size: int = 1 << 20
) -> dict[str, Router]:
    """Enter the routers of a cluster at each other, by the LIDs of the subnet manager's sweep.

    Args:
        cluster: with ports that are Active.
        names: nodes, by default every one with a router; their numbers are in this order.
        base: first byte of each one's memory that the others may write.
        size: bytes of it.

    Raises:
        KumiError: a port has no LID yet.
    """
    wanted = list(names) or [n for n in cluster.plan.nodes if "ib_router" in cluster[n].regs]
    routers = {name: Router(cluster, cluster[name]) for name in wanted}
    lids = {name: router.lid for name, router in routers.items()}
    for name, lid in lids.items():
        if not lid:
            raise KumiError(f"{name} has no LID.", "A subnet manager has to bring the fabric up.")
    for number, router in enumerate(routers.values()):
        router.open(number, base, size)
    for router in routers.values():
        for number, name in enumerate(wanted):
            router.peers[name] = number
            if name != router.name:
                router.connect(number, lids[name])
    return routers
