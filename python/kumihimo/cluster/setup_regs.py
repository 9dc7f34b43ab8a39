# SPDX-License-Identifier: Apache-2.0
"""Register writes of a node's set-up: addresses, and `regs:` of the cluster file.

Blocks are discovered on a temporary instance of the node library.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..clusterfile import EventPlan, NodePlan
from ..common.errors import KumiError, did_you_mean
from ..regs import Block, RegInfo, RegisterError, RegisterMap
from .timers import TIMERS

Write = tuple[int, int]
_maps: dict[str, RegisterMap | None] = {}


class _Scratch:
    """Registers of a temporary instance."""

    def __init__(self, library: Path, port: str) -> None:
        from .. import _engine

        self._node = _engine.Node(str(library))
        self._node.reset()
        self._port = port

    def read(self, addr: int, /) -> int:
        data, resp = self._node.axil(self._port, False, addr)
        if resp != 0:
            raise RegisterError(f"no register at {addr:#x}")
        return int(data)

    def write(self, addr: int, data: int, /) -> None:
        self._node.axil(self._port, True, addr, data)


def register_map(library: Path, port: str | None) -> RegisterMap | None:
    """The blocks behind an AXI4-Lite port, or None when there is no identity block."""
    if port is None:
        return None
    key = f"{library}:{port}"
    if key not in _maps:
        try:
            _maps[key] = RegisterMap(_Scratch(library, port))
        except RegisterError:
            _maps[key] = None
    return _maps[key]


def writes(node: NodePlan, library: Path, port: str | None) -> list[Write]:
    """Every write of the node's set-up, in order."""
    regs = register_map(library, port)
    out: list[Write] = []
    if regs is not None and "ip6" in regs:
        out += _ip6(node, regs)
    if regs is not None and "ip" in regs and (node.ip is not None or node.spec.ip == "dhcp"):
        out += _addresses(node, regs)
    if regs is not None and "tcp" in regs:
        out += _tcp(node, regs)
    elif node.spec.timers in TIMERS and (regs is None or "ip6" not in regs):
        text = f"nodes.{node.name}.timers: the design {node.spec.design} has no TCP engine."
        raise KumiError(text, "Remove `timers:`.", 2)
    if regs is not None and "eth_port" in regs:
        mac = int(node.mac.replace(":", ""), 16)
        block = regs.eth_port
        out += [(block.mac_hi.addr, mac >> 32), (block.mac_lo.addr, mac & 0xFFFFFFFF)]
    if port is None and node.regs:
        text = f"nodes.{node.name}.regs: the design {node.spec.design} has no register port."
        raise KumiError(text, "Remove `regs:`, or add an AXI4-Lite port to the design.", 2)
    for path, value in node.regs.items():
        where = f"nodes.{node.name}.regs.{path}"
        out.append(named_write(where, node, regs, path, value, dict(out)))
    if regs is not None and "eth_port" in regs:
        out += _peers(node, regs.eth_port)
    return out


def _peers(node: NodePlan, block: Block) -> list[Write]:
    """The transport's peers, last: an entry is contacted at once."""
    out = []
    for number, mac in node.peers.items():
        address = int(mac.replace(":", ""), 16)
        out += [(block.peer_hi.addr, address >> 32), (block.peer_lo.addr, address & 0xFFFFFFFF)]
        out.append((block.peer.addr, number))
    return out


def event_writes(
    node: NodePlan, library: Path, port: str | None, events: Sequence[EventPlan]
) -> list[tuple[EventPlan, Write]]:
    """The node's register writes among the events.

    A field leaves the others as the events before have set them; at a condition, as the set-up has.
    """
    mine = [event for event in events if event.do == "write" and event.node == node.name]
    if not mine:
        return []
    if port is None:
        text = f"{mine[0].where}: the design {node.spec.design} has no register port."
        raise KumiError(text, code=2)
    regs = register_map(library, port)
    known = dict(writes(node, library, port))
    first = dict(known)
    out = []
    for event in mine:
        before = known if event.when is None else first
        addr, data = named_write(event.where, node, regs, event.register, event.value, before)
        if event.when is None:
            known[addr] = data
        out.append((event, (addr, data)))
    return out


def _addresses(node: NodePlan, regs: RegisterMap) -> list[Write]:
    block = regs.ip
    mac = int(node.mac.replace(":", ""), 16)
    hertz = node.spec.clocks.get("clk", DEFAULT_CLOCK)
    values = {
        "mac_lo": mac & 0xFFFFFFFF,
        "mac_hi": mac >> 32,
        "tick": max(2, min(round(hertz / 1000), 0xFFFFFF)),
    }
    if node.ip is not None:
        values |= {
            "netmask": int(node.ip.netmask),
            "gateway": int(node.gateway or ipaddress.IPv4Address(0)),
            "ip": int(node.ip.ip),
        }
    out = [(block[name].addr, value) for name, value in values.items() if name in block]
    if node.ip is None:
        out.append((regs.dhcp.ctrl.addr, 1))
    return out


def _ip6(node: NodePlan, regs: RegisterMap) -> list[Write]:
    """The address, whole before it is used; with `timers: fast` it is not probed for another owner.

    IPv4's come later, so that the link's address is of the node's own MAC address.
    """
    block = regs.ip6
    enable = int(node.spec.ip6 != "none")
    probes = {"ctrl.probes": 0} if node.spec.timers == "fast" else {}
    out: list[Write] = []

    def write(path: str, value: int) -> None:
        where = f"nodes.{node.name}.ip6"
        out.append(named_write(where, node, regs, f"ip6.{path}", value, dict(out)))

    for path, value in ({"ctrl.enable": 0} | probes).items():
        write(path, value)
    if node.spec.ip6 not in ("none", "auto"):
        packed = ipaddress.IPv6Interface(node.spec.ip6).ip.packed
        for i in range(4):
            word = int.from_bytes(packed[4 * i : 4 * i + 4], "big")
            out.append((block[f"address_{i}"].addr, word))
    write("ctrl.enable", enable)
    return out


def _tcp(node: NodePlan, regs: RegisterMap) -> list[Write]:
    """Time base, `timers:`, and secrets that are unique to the node and equal in every run."""
    block = regs.tcp
    hertz = node.spec.clocks.get("clk", DEFAULT_CLOCK)
    secret = hashlib.sha256(f"kumihimo {node.name} {node.mac}".encode()).digest()
    words = [int.from_bytes(secret[4 * i : 4 * i + 4], "little") for i in range(len(SECRETS))]
    values = {"period": round(1e12 / hertz), **dict(zip(SECRETS, words, strict=True))}
    out = [(block[name].addr, value) for name, value in values.items()]
    for path, value in TIMERS.get(node.spec.timers, {}).items():
        where = f"nodes.{node.name}.timers"
        out.append(named_write(where, node, regs, f"tcp.{path}", value, dict(out)))
    return out


def named_write(
    where: str,
    node: NodePlan,
    regs: RegisterMap | Mapping[str, Block] | None,
    path: str,
    value: int,
    before: dict[int, int],
) -> Write:
    """A write of the cluster file; a field modifies the reset value or an earlier write."""
    if path[:1].isdigit():
        if int(path, 0) % 4:
            raise KumiError(f"{where}: a register's address is a multiple of 4.", code=2)
        return int(path, 0), value
    if regs is None:
        text = f"{where}: the design {node.spec.design} has no identity block."
        raise KumiError(text, "Write a byte address like `0x1000` instead of a name.", 2)
    parts = path.split(".")
    if len(parts) not in (2, 3):
        raise KumiError(f"{where}: expected `block.register` or `block.register.field`.", code=2)
    if parts[0] not in regs:
        hint = did_you_mean(parts[0], regs)
        raise KumiError(f"{where}: the node has no register block `{parts[0]}`.{hint}", code=2)
    block = regs[parts[0]]
    if parts[1] not in block:
        hint = did_you_mean(parts[1], [reg.info.name for reg in block])
        raise KumiError(f"{where}: there is no register `{parts[1]}`.{hint}", code=2)
    reg = block[parts[1]]
    if "w" not in reg.info.access:
        raise KumiError(f"{where}: the register can only be read.", code=2)
    if len(parts) == 2:
        bits = max(field.lsb + field.width for field in reg.info.fields)
        if value >> bits:
            text = f"{where}: the register has {bits} bits; {value:#x} does not fit."
            raise KumiError(text, code=2)
        return reg.addr, value
    return reg.addr, _with_field(where, reg.info, parts[2], value, before.get(reg.addr))


def _with_field(where: str, info: RegInfo, name: str, value: int, word: int | None) -> int:
    fields = {field.name: field for field in info.fields}
    if name not in fields:
        hint = did_you_mean(name, fields)
        raise KumiError(f"{where}: there is no field `{name}`.{hint}", code=2)
    if word is None:
        word = 0
        for field in info.fields:
            if "r" in field.access:
                word = field.insert(word, field.reset or 0)
    try:
        return fields[name].insert(word, value)
    except ValueError as problem:
        raise KumiError(f"{where}: {problem}", code=2) from None


DEFAULT_CLOCK = 156.25e6
SECRETS = ("secret0", "secret1", "secret2", "secret3", "cookie_key0", "cookie_key1")
