# SPDX-License-Identifier: Apache-2.0
"""IP between boards joined by serial links: a private network with a TUN for each board's host.

    with LinkedBoards(...) as boards, LinkSockets(boards) as sockets:
        sockets["n0"].run(["ping", "-c3", sockets.best("n2")])

Addresses, b being the number of the board, from 1:

    10.9.0.b  host b, by best-effort packets; when the plan has them
    10.9.1.b  IP kernel of board b, for the host that has a circuit to it
    10.9.2.b  host b, for the hosts that have a circuit to it

The hosts' packets are moved by one thread (`host.TunBridge`), which runs the boards too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..common.closing import Closing
from ..common.errors import KumiError
from ..host import TunBridge, serve
from ..host.tun import Packets
from ..net import Namespace, TapConfig
from .boards import BEST_MOST, HOST, KERNEL, LinkedBoards, Ways

DEVICE = "link0"
STEP_PS = 1_000_000  # simulated time between two polls of the TUNs
STOP_SECONDS = 60.0


class LinkSockets(Closing):
    """Networks by board. Close it, or use it in a `with`."""

    def __init__(
        self, boards: LinkedBoards, mtu: int = 1500, behind: Mapping[str, str] | None = None
    ) -> None:
        """Create the networks and start forwarding packets.

        Args:
            boards: the boards; nothing else may run their cluster while this is open.
            mtu: of the TUNs.
            behind: other networks, by the board whose host is the gateway to them; its own
                network must forward packets. They are reached by best-effort packets.
        """
        if mtu > BEST_MOST and any(board.get("routes") for board in boards.plan.boards.values()):
            text = (
                f"A best-effort packet has at most {BEST_MOST} bytes, an MTU of {mtu} is too much."
            )
            raise KumiError(text, "Plan without `best_effort`, or take a smaller MTU.")
        self.boards = boards
        self.mtu = mtu
        self.behind = dict(behind or {})
        self.networks: dict[str, Namespace] = {}
        self.bridges: dict[str, TunBridge] = {}
        self._failure: list[BaseException] = []
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        try:
            for name in boards.overlays:
                self._join(name)
            self._start()
        except BaseException:
            self._close_networks()
            raise

    # ---- addresses -------------------------------------------------------------------------

    def best(self, board: str) -> str:
        """Address of a host, by best-effort packets."""
        return f"10.9.0.{self._number(board)}"

    def kernel(self, board: str) -> str:
        """Address of an IP kernel."""
        return f"10.9.1.{self._number(board)}"

    def circuit(self, board: str) -> str:
        """Address of a host, by circuits."""
        return f"10.9.2.{self._number(board)}"

    def _number(self, board: str) -> int:
        return self.boards.number(board) + 1

    # ---- set-up ----------------------------------------------------------------------------

    def _channels(self, name: str) -> tuple[dict[str, int], dict[str, int]]:
        """DMA channels of a host's circuits: by other host, and by board with a kernel."""
        hosts: dict[str, int] = {}
        kernels: dict[str, int] = {}
        for item in self.boards.plan.circuits:
            (a, a_port, channel), (b, b_port, _) = self.boards.ends(item["name"])
            if a == name and a_port == HOST and b_port in (HOST, KERNEL):
                (hosts if b_port == HOST else kernels).setdefault(b, channel)
        return hosts, kernels

    def _join(self, name: str) -> None:
        """Network and bridge of one host."""
        boards = self.boards
        hosts, kernels = self._channels(name)
        rings: list[Packets] = []
        routes: dict[str, int] = {}
        for others, address in ((hosts, self.circuit), (kernels, self.kernel)):
            for other, channel in others.items():
                routes[f"{address(other)}/32"] = 256 * len(rings)
                rings.append(boards.ring(name, channel))
        if boards.plan.boards[name].get("routes"):
            for other in boards.overlays:
                if other != name:
                    routes[f"{self.best(other)}/32"] = 256 * len(rings) + boards.number(other)
            for gateway, net in self.behind.items():
                if gateway != name:
                    routes[net] = 256 * len(rings) + boards.number(gateway)
            rings.append(boards.best(name))
        for other in kernels:
            boards.kernel_address(other, f"{self.kernel(other)}/24")
        network = Namespace([TapConfig(DEVICE, "", f"{self.best(name)}/24", self.mtu)])
        self.networks[name] = network
        self.bridges[name] = TunBridge(network.tap_fds[DEVICE], Ways(rings), routes)
        for argv in (
            ["ip", "addr", "add", f"{self.circuit(name)}/24", "dev", DEVICE],
            ["ip", "route", "add", "10.9.1.0/24", "dev", DEVICE],
            *(
                ["ip", "route", "add", net, "via", self.best(gateway), "dev", DEVICE]
                for gateway, net in self.behind.items()
                if gateway != name
            ),
        ):
            done = network.run(argv)
            if done.returncode:
                raise KumiError(f"The network of {name} was not set up: {done.stderr.strip()}.")

    def _work(self) -> None:
        try:
            run = self.boards.cluster.run
            serve(list(self.bridges.values()), self._ended.is_set, lambda: run(STEP_PS))
        except BaseException as problem:
            self._failure.append(problem)

    def __getitem__(self, board: str) -> Namespace:
        """Network of a board's host."""
        return self.networks[board]

    def check(self) -> None:
        """Re-raise the exception that ended the forwarding thread."""
        if self._failure:
            raise self._failure[0]

    def _close_networks(self) -> None:
        for network in self.networks.values():
            network.close()

    def _start(self) -> None:
        self._ended.clear()
        self._thread = threading.Thread(target=self._work, name="kumi-link-ip", daemon=True)
        self._thread.start()

    def _stop(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)
            if self._thread.is_alive():
                raise KumiError("The thread that moves packets does not end.")
            self._thread = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop forwarding during the block: boards and rings belong to the caller."""
        self._stop()
        self.check()
        try:
            yield
        finally:
            self._start()

    def close(self) -> None:
        """Stop forwarding and remove the networks; the boards keep running."""
        try:
            self._stop()
        finally:
            self._close_networks()
        self.check()
