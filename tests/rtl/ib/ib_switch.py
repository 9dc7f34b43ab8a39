# SPDX-License-Identifier: Apache-2.0
"""A switch with an endpoint's link layer at each port, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ib_model import Found, Header, Symbol, packet, read_line
from ib_pair import ACTIVE, ARMED, INIT, config
from kumihimo.testing import Dut, Frame

OWN_LID = 9
MCAST = 0xC000
NO_LIMIT = 31
# Bits of ib_relay_events_t.
RELAY = ("discard", "hoq_life", "life", "too_long", "inactive", "loop", "no_vl", "no_route")


def lid_of(port: int) -> int:
    """LID of the endpoint at a port."""
    return 16 + port


class Fabric:
    """The switch: ports 1 to `ports`, LIDs by `lid_of`, OWN_LID is the switch's own."""

    def __init__(
        self, ports: int = 4, lanes: int = 4, width: int = 64, vls: int = 4, blocks: int = 64
    ) -> None:
        self.ports, self.vls, self.lanes, self.bytes = ports, vls, lanes, width // 8
        self.blocks = blocks
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_ib_switch.sv",
            {"PORTS": ports, "LANES": lanes, "DATA_W": width, "DATA_VLS": vls, "BLOCKS": blocks},
            {
                "*": {"DATA_W": width, "DEST_W": 8},
                "s_axis_line": {"DATA_W": width, "USER_W": 2 * self.bytes},
                "m_axis_line": {"DATA_W": width, "USER_W": self.bytes},
            },
        )
        self.prepare()

    def prepare(self) -> None:
        """Settings, tables, and all ports Active; after construction or `restart`."""
        self.cfg = config(self.vls) | {"phy_errors": 15}
        self.dut.set("cfg", self.cfg)
        self.dut.set("rx_ready", (1 << 16 * self.ports) - 1)
        self.dut.set("switch_life", NO_LIMIT)
        self.dut.set("hoq_life", (1 << 5 * self.ports) - 1)
        self.dut.set("own_lid", OWN_LID)
        self.dut.run_until(lambda: self.dut.get("tables_ready"))
        for port in range(1, self.ports + 1):
            self.route(lid_of(port), port)
        for source in range(self.ports + 1):
            for out in range(self.ports + 1):
                self.map_vls(source, out, [sl % self.vls for sl in range(16)])
        self.bring_up()
        self.symbols: list[Symbol] = []

    def restart(self) -> None:
        self.dut.restart()
        self.prepare()

    # ---- tables ---------------------------------------------------------------------------------

    def _write(self, kind: str, values: Mapping[str, int]) -> None:
        for name, value in values.items():
            self.dut.set(f"{kind}_{name}", value)
        self.dut.set(f"{kind}_we", 1)
        self.dut.run(1)
        self.dut.set(f"{kind}_we", 0)

    def route(self, lid: int, port: int) -> None:
        self._write("lft", {"lid": lid, "port": port})
        self.dut.run(2)

    def join(self, lid: int, ports: Iterable[int]) -> None:
        """Members of a multicast group."""
        mask = sum(1 << p for p in ports)
        for position in range((self.ports + 16) // 16):
            self._write(
                "mft",
                {"lid": lid, "position": position, "mask": mask >> 16 * position & 0xFFFF},
            )
        self.dut.run(2)

    def map_vls(self, source: int, out: int, vls: Sequence[int]) -> None:
        """Row of the SL-to-VL table."""
        row = sum(vl << 60 - 4 * sl for sl, vl in enumerate(vls))
        self._write("s2v", {"in": source, "out": out, "table": row})

    # ---- ports ----------------------------------------------------------------------------------

    def states(self, side: str = "switch") -> list[int]:
        value = self.dut.get(f"states_{side}")
        return [value >> 3 * p & 7 for p in range(self.ports)]

    def command(self, state: int, ports: Iterable[int], side: str = "switch") -> None:
        self.dut.set(f"set_state_{side}", sum(state << 3 * (p - 1) for p in ports))
        self.dut.run(1)
        self.dut.set(f"set_state_{side}", 0)

    def bring_up(self, ports: Iterable[int] | None = None) -> None:
        """Ports Active at both ends, with credit."""
        ports = list(ports or range(1, self.ports + 1))

        def at_least(state: int) -> bool:
            both = zip(self.states(), self.states("ends"), strict=True)
            return all(min(s) >= state for p, s in enumerate(both, 1) if p in ports)

        self.dut.run_until(lambda: at_least(INIT), 60_000, step=32, what="Init")
        for state in (ARMED, ACTIVE):
            for side in ("switch", "ends"):
                waiting = [p for p in ports if self.states(side)[p - 1] < state]
                self.command(state, waiting, side)
                self.dut.run(4)
            self.dut.run(100)
        self.dut.run_until(lambda: at_least(ACTIVE), 10_000, step=32, what="Active")
        self.dut.run(1200)  # link packets of every lane

    def hold(self, blocked: Iterable[tuple[int, int]]) -> None:
        """Endpoints do not read these (port, VL)."""
        mask = (1 << 16 * self.ports) - 1
        for port, vl in blocked:
            mask &= ~(1 << 16 * (port - 1) + vl)
        self.dut.set("rx_ready", mask)

    def counters(self, port: int, end: bool = False) -> dict[str, int]:
        self.dut.set("watch", port)
        self.dut.run(2)
        return self.dut.get_struct("counters_end" if end else "counters")

    def relay(self, port: int) -> dict[str, int]:
        """Cycles in which each reason was reported for a port, since `dut.watch("relay")`."""
        bits = self.dut.counts("relay")
        found = {name: bits[str(8 * port + i)] for i, name in enumerate(RELAY)}
        return {name: n for name, n in found.items() if n}

    # ---- packets --------------------------------------------------------------------------------

    def send(self, port: int, packets: bytes | Iterable[bytes]) -> None:
        self.dut.send(f"s_axis_{port - 1}", packets)

    def recv(self, port: int, count: int | None = None, limit: int = 60_000) -> list[Frame]:
        return self.dut.recv(f"m_axis_{port - 1}", count, limit)

    def recv_data(self, port: int, count: int | None = None, limit: int = 60_000) -> list[bytes]:
        return [f.data for f in self.recv(port, count, limit)]

    def feed(self, port: int, symbols: Iterable[Symbol], errors: Iterable[int] = ()) -> None:
        """Symbols into a port of the switch instead of its endpoint's."""
        self.dut.set("script", port)
        line = list(symbols)
        line += [(0, False)] * (-len(line) % self.bytes)
        bad = set(errors)
        users = []
        for at in range(0, len(line), self.bytes):
            k = sum(int(flag) << i for i, (_, flag) in enumerate(line[at : at + self.bytes]))
            err = sum(1 << i for i in range(self.bytes) if at + i in bad)
            users.append(k | err << self.bytes)
        self.dut.send("s_axis_line", Frame(bytes(b for b, _ in line), users=users))

    def line(self) -> list[Found]:
        """What the switch has sent on the line of the watched port."""
        for frame in self.dut.recv("m_axis_line"):
            for beat, k in enumerate(frame.users):
                data = frame.data[beat * self.bytes : (beat + 1) * self.bytes]
                self.symbols += [(b, bool(k >> i & 1)) for i, b in enumerate(data)]
        return list(read_line(self.symbols, self.lanes))


def to(port: int, payload: bytes, source: int = 1, sl: int = 0, psn: int = 0) -> bytes:
    """A packet to the endpoint at a port."""
    return packet(payload, Header(dlid=lid_of(port), slid=lid_of(source), sl=sl, psn=psn))
