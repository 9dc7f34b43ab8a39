# SPDX-License-Identifier: Apache-2.0
"""Two Linux hosts at the ends of one cable of the cluster engine: what a TCP node is held against.

Everything that is done to a node through its TAP can be done to the Linux kernel here, with the
same impairments of the same cable. Linux lives in wall time, the cable in virtual time, which runs
free while frames are on it: the cable's own delay is not felt, its losses are.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from kumihimo.bench.tcp.linux_host import LinuxStation

CLIENT_IP, SERVER_IP = "10.77.0.1", "10.77.0.10"


class LinuxPair:
    """A client host and a host with the servers of a TCP node, joined. Use it in a `with`."""

    def __init__(
        self,
        impairments: Mapping[str, float] | None = None,
        mtu: int = 1500,
        rate_bps: float = 10e9,
        latency_ps: int = 500_000,
        settings: Mapping[str, str | int] | None = None,
        seed: int = 1,
    ) -> None:
        """`impairments` are those of kumihimo._engine.Impairments, the same in both directions."""
        from kumihimo._engine import Engine, Impairments

        given: dict[str, Any] = dict(impairments or {})
        hosts = {"linux": SERVER_IP}
        self.client = LinuxStation(
            "host0", f"{CLIENT_IP}/24", "02:4b:4d:00:01:01", mtu, settings, hosts
        )
        try:
            self.server = LinuxStation(
                "host1", f"{SERVER_IP}/24", "02:4b:4d:00:01:0a", mtu, settings
            )
        except BaseException:
            self.client.close()
            raise
        self.engine = Engine(threads=1, seed=seed)
        ends = [(self.engine.add_tap(s.name, s.fd), "") for s in (self.client, self.server)]
        self.engine.connect(
            ends[0],
            ends[1],
            rate_bps=rate_bps,
            latency_ps=latency_ps,
            ab=Impairments(**given),
            ba=Impairments(**given),
        )
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._drive, name="kumi-serve", daemon=True)

    def _drive(self) -> None:
        self.engine.serve(self._ended.is_set)

    def lost(self) -> int:
        """Frames that the cable has dropped, damaged ones included."""
        (cable,) = self.engine.stats()["cables"].values()
        return sum(int(cable[way][name]) for way in ("ab", "ba") for name in ("lost", "corrupted"))

    def __enter__(self) -> LinuxPair:
        self.engine.start()
        self._thread.start()
        self.server.serve(["--receive", "65536"])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        self.engine.close()
        self.client.close()
        self.server.close()
