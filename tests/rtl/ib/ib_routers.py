# SPDX-License-Identifier: Apache-2.0
"""Routers under test, joined by a fabric in Python that may lose and change packets."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kumihimo.testing import Dut, Frame

QP_BASE = 0x1000
P_KEY = 0x8001
SEND_IMM, ACK = 0x05, 0x11
STEP = 64  # cycles


@dataclass(frozen=True)
class Bth:
    """The fields of a packet that a router sends, by their places in IBTA volume 1."""

    dlid: int
    slid: int
    sl: int
    pkt_len: int
    opcode: int
    pkey: int
    qp: int
    psn: int
    extra: bytes
    payload: bytes

    @staticmethod
    def of(data: bytes) -> Bth:
        """A packet from LRH to ICRC."""
        return Bth(
            int.from_bytes(data[2:4], "big"), int.from_bytes(data[6:8], "big"), data[1] >> 4,
            int.from_bytes(data[4:6], "big"), data[8], int.from_bytes(data[10:12], "big"),
            int.from_bytes(data[13:16], "big"), int.from_bytes(data[17:20], "big"), data[20:24],
            data[24:-4],
        )  # fmt: skip


class Router:
    """A router: number, LID 100 + number; its peers are the routers with other numbers."""

    def __init__(self, number: int, peers: Sequence[int], size: int = 4, **settings: int) -> None:
        self.number, self.lid = number, 100 + number
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_ib_router.sv",
            {"PEERS": size},
            {"*": {"DATA_W": 64, "DEST_W": 2}, "s_peer": {"W": 57 + (size - 1).bit_length()}},
            files=["tests/rtl/ib/kumi_tb_sw2_wire.sv"],
        )  # fmt: skip
        pins = {"lid": self.lid, "sl": 0x3210, "timeout": 40, "rnr_wait": 8, "retries": 7}
        for pin, value in (pins | settings).items():
            self.dut.set(pin, value)
        self.dut.set("hold", 0)
        self.dut.watch("ev")
        for peer in peers:
            self.peer(peer)

    def peer(self, number: int, enable: int = 1, pkey: int = P_KEY) -> None:
        """Write the entry of a peer."""
        qp = QP_BASE + 4 * self.number
        entry = enable << 56 | (100 + number) << 40 | pkey << 24 | qp
        self.dut.send("s_peer", [number << 57 | entry])
        self.dut.drain()

    def send(self, packets: bytes | list[bytes], vc: int = 0) -> None:
        """SW2 packets on a channel."""
        self.dut.send(f"s_axis_{vc}", packets)

    def events(self) -> dict[str, int]:
        """Counts that are not zero."""
        return {k: v for k, v in self.dut.counts("ev").items() if v}


class Fabric:
    """Carries packets by their DLID; `change` may lose one (none) or change it."""

    def __init__(self, routers: Sequence[Router], seed: int = 1) -> None:
        self.routers = {r.lid: r for r in routers}
        self.rng = random.Random(seed)
        self.carried: list[bytes] = []
        self.change: Callable[[bytes], list[bytes]] = lambda data: [data]

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            for router in self.routers.values():
                router.dut.run(STEP)
                for frame in router.dut.recv("m_axis_ib"):
                    self.carried.append(frame.data)
                    for data in self.change(frame.data):
                        to = self.routers.get(int.from_bytes(frame.data[2:4], "big"))
                        if to is not None:
                            to.dut.send("s_axis_ib", [data])

    def collect(self, router: Router, count: int, limit: int = 2000) -> list[Frame]:
        """Run until so many SW2 packets have come out of a router."""
        got: list[Frame] = []
        for _ in range(limit):
            got += router.dut.recv("m_axis_sw2")
            if len(got) >= count:
                return got
            self.step()
        raise AssertionError(f"{len(got)} of {count} packets; {router.events()}")
