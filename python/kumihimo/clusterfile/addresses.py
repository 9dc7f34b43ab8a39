# SPDX-License-Identifier: Apache-2.0
"""Addresses of a plan's stations: given ones checked, automatic ones chosen."""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from ..common.errors import did_you_mean
from .designs import DesignSketch
from .load import Loaded
from .plans import NodePlan, PeerPlan, Plan, TapPlan
from .source import Key


class Fail(Protocol):
    """Reports a problem at a key of the cluster file."""

    def __call__(self, key: Key, text: str, on_key: bool = False) -> None:
        """Report a problem."""
        ...


def register_number(value: int | str | None, addresses: Mapping[str, str]) -> int:
    """Value of a register; the name of a station stands for its address."""
    if isinstance(value, int):
        return value
    if value is not None and value in addresses:
        return int(ipaddress.IPv4Address(addresses[value]))
    raise ValueError(
        f"expected a number, an IPv4 address or the name of a station, found "
        f"`{value}`.{did_you_mean(str(value), addresses)}"
    )


class Addresses:
    """Places nodes, TAPs and peers with their addresses into a plan that has its cables."""

    def __init__(
        self, loaded: Loaded, plan: Plan, designs: Mapping[str, DesignSketch], fail: Fail
    ) -> None:
        self.loaded = loaded
        self.spec = loaded.spec
        self.plan = plan
        self.designs = designs
        self.fail = fail
        self._macs: dict[int, Iterator[int]] = {}
        self._ips: dict[int, Iterator[int]] = {}

    def run(self) -> None:
        """Fill in `nodes`, `taps` and `peers` of the plan."""
        macs: dict[str, Key] = {}
        ips: dict[ipaddress.IPv4Address, Key] = {}
        pool = ipaddress.IPv4Network(self.spec.network)
        for section in ("nodes", "taps"):
            for name, spec in getattr(self.spec, section).items():
                if spec.mac != "auto":
                    self._once(macs, spec.mac, (section, name, "mac"), "MAC address")
                if spec.ip not in ("auto", "dhcp", "none"):
                    address = ipaddress.IPv4Interface(spec.ip).ip
                    self._once(ips, address, (section, name, "ip"), "IP address")
        for name, peer in self.spec.peers.items():
            socket = self.loaded.folder(("peers", name)) / peer.socket
            self.plan.peers[name] = PeerPlan(name, peer, socket)
        for name, tap in self.spec.taps.items():
            mac = self._auto_mac(tap.mac, macs, 0xFF00)
            ip = self._auto_ip(tap.ip, ips, pool, 1, ("taps", name))
            self.plan.taps[name] = TapPlan(name, tap, mac, ip)
        for name, node in self.spec.nodes.items():
            if name not in self.designs:
                continue
            mac = self._auto_mac(node.mac, macs, 1)
            ip = self._auto_ip(node.ip, ips, pool, 10, ("nodes", name))
            gateway = ipaddress.IPv4Address(node.gateway) if node.gateway else None
            if gateway and node.ip == "dhcp":
                self.fail(
                    ("nodes", name, "gateway"), "with `ip: dhcp` the server gives the gateway"
                )
            if gateway and ip and gateway not in ip.network:
                text = f"the gateway {gateway} is not in the node's network {ip.network}"
                self.fail(("nodes", name, "gateway"), text)
            if gateway and ip and gateway == ip.ip:
                self.fail(("nodes", name, "gateway"), "the gateway is the node itself")
            self.plan.nodes[name] = NodePlan(name, node, self.designs[name], mac, ip, gateway, {})
        self._registers()
        self._reachable()

    def _registers(self) -> None:
        """Register values may be the name of a station: its address."""
        addresses = self.plan.addresses()
        for name, node in self.plan.nodes.items():
            for register, value in node.spec.regs.items():
                try:
                    node.regs[register] = register_number(value, addresses)
                except ValueError as problem:
                    self.fail(("nodes", name, "regs", register), str(problem))

    def _once(self, seen: dict[Any, Key], value: object, key: Key, what: str) -> None:
        if value in seen:
            at = self.loaded.source.place(seen[value])
            self.fail(key, f"the {what} {value} is also used by `{seen[value][1]}` ({at})")
        seen[value] = key

    def _auto_mac(self, mac: str, seen: dict[str, Key], start: int) -> str:
        if mac != "auto":
            return mac
        # None is given back, so the search goes on where the last one ended.
        for number in self._macs.setdefault(start, itertools.count(start)):
            text = f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"
            if text not in seen:
                seen[text] = ()
                return text
        raise AssertionError("numbers do not end")

    def _auto_ip(
        self,
        ip: str,
        seen: dict[ipaddress.IPv4Address, Key],
        pool: ipaddress.IPv4Network,
        start: int,
        key: Key,
    ) -> ipaddress.IPv4Interface | None:
        if ip in ("dhcp", "none"):
            return None
        if ip != "auto":
            return ipaddress.IPv4Interface(ip)
        first, last = int(pool.network_address) + 1, int(pool.broadcast_address) - 1
        order = itertools.chain(
            range(min(int(pool.network_address) + start, last + 1), last + 1),
            range(first, min(first + start, last + 1)),
        )
        for number in self._ips.setdefault(start, order):
            address = ipaddress.IPv4Address(number)
            if address not in seen:
                seen[address] = key
                return ipaddress.IPv4Interface((address, pool.prefixlen))
        self.fail(key, f"no free address is left in `network` {pool}; make it larger", True)
        return None

    def _segments(self) -> list[set[str]]:
        """Stations that share one Ethernet (joined by cables and switches)."""
        group: dict[str, set[str]] = {}
        for cable in self.plan.cables:
            sides = []
            for end in (cable.a, cable.b):
                label = f"{end.name}.{end.port}" if end.kind == "node" else end.name
                sides.append(group.setdefault(label, {label}))
            if sides[0] is sides[1]:
                continue
            more, fewer = sorted(sides, key=len, reverse=True)
            more |= fewer
            for label in fewer:
                group[label] = more
        return list({id(s): s for s in group.values()}.values())

    def _reachable(self) -> None:
        """Stations of one Ethernet must share a network with some other station there."""
        stations: dict[str, tuple[Key, ipaddress.IPv4Interface]] = {}
        for name, tap in self.plan.taps.items():
            if tap.ip:
                stations[name] = (("taps", name, "ip"), tap.ip)
        for name, node in self.plan.nodes.items():
            if node.ip and node.design.eth:
                stations[f"{name}.{node.design.eth[0]}"] = (("nodes", name, "ip"), node.ip)
        for segment in self._segments():
            here = {label: stations[label] for label in segment if label in stations}
            for label, (key, ip) in here.items():
                others = [o for n, (_k, o) in here.items() if n != label]
                if others and not any(o.ip in ip.network and ip.ip in o.network for o in others):
                    networks = ", ".join(sorted({str(o) for o in others}))
                    text = f"{ip} shares no network with the stations it is cabled to ({networks})"
                    self.fail(key, text)
