# SPDX-License-Identifier: Apache-2.0
"""Accounts of what the simulator itself counts: cables, switches, and the ends of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .accounts import Account, Item, items

Stats = dict[str, Any]

CABLE = {
    "lost": "the cable's chance of loss",
    "fcs_dropped": "FCS wrong after a bit error on the cable",
    "backlog_dropped": "delayed beyond what the cable holds",
    "unplugged": "the cable was unplugged",
}
PORT = {
    "rx_overflow": "the node did not take its input for so long that the port's queue was full",
    "rx_reset": "waited at the port when the node was reset",
}
END = {"rx_fcs_errors": "FCS wrong after a bit error on the cable"}
SWITCH = {
    "rx_fcs_errors": "FCS wrong after a bit error on the cable",
    "rx_runts": "shorter than an Ethernet header",
    "rx_oversize": "longer than the switch takes",
    "rx_reserved": "for a reserved group address, which switches do not forward",
    "rx_same_port": "its destination is behind the port that it came from",
    "tx_queue_full": "the queue of this port was full",
}
OUTSIDE = {
    "to_linux_full": "Linux took no more frames",
    "to_linux_down": "the interface was down",
    "to_linux_gone": "the interface had been removed",
    "to_linux_refused": "refused by Linux",
    "to_peer_absent": "nobody was connected to the socket",
    "to_peer_full": "the program behind the socket did not read",
    "to_peer_left": "the program behind the socket left before it had them",
}
_ENDS = (("taps", "tap"), ("peers", "peer"), ("scripts", "script"))


@dataclass(frozen=True)
class Port:
    """One end of a cable, with its counters."""

    name: str
    kind: str
    owner: str
    stats: Stats


def port(stats: Stats, name: str) -> Port | None:
    """The port of that name (`alice.eth0`, `sw0.3`, `host0`)."""
    owner, _, number = name.rpartition(".")
    for section, kind in (("nodes", "node"), ("switches", "switch")):
        found = stats.get(section, {}).get(owner, {}).get("ports", {}).get(number)
        if found is not None:
            return Port(name, kind, owner, found)
    for section, kind in _ENDS:
        if name in stats.get(section, {}):
            return Port(name, kind, name, stats[section][name])
    return None


def ends(stats: Stats) -> Iterator[tuple[str, Port, Port]]:
    """Every Ethernet cable and its two ends; a name may itself contain two hyphens."""
    for name in stats.get("cables", {}):
        cuts = [at for at in range(len(name)) if name.startswith("--", at)]
        for at in cuts:
            one, two = port(stats, name[:at]), port(stats, name[at + 2 :])
            if one is not None and two is not None:
                yield name, one, two
                break


def cables(stats: Stats) -> Iterator[Account]:
    """Each direction of each cable: from the sender's counter to the receiver's."""
    for name, one, two in ends(stats):
        for way, sender, receiver in (("ab", one, two), ("ba", two, one)):
            yield _direction(f"cables.{name}.{way}", stats["cables"][name][way], sender, receiver)


def _direction(path: str, link: Stats, sender: Port, receiver: Port) -> Account:
    sent = int(sender.stats["tx_frames"])
    if sender.kind == "switch":
        sent += int(sender.stats["tx_pause"])
    dropped = [(f"{path}.{key}", int(link.get(key, 0)), text) for key, text in CABLE.items()]
    got = int(receiver.stats["rx_frames"])
    if receiver.kind == "node":
        dropped += _dropped(receiver, PORT)
    elif receiver.kind != "switch":
        got += int(receiver.stats["rx_pause"])
        dropped += _dropped(receiver, END)
    account = Account(f"{sender.name} -> {receiver.name}", "cable", sent)
    account.added = items([(f"{path}.duplicated", int(link["duplicated"]), "duplicated")])
    account.went = items([("", got, "received")])
    account.dropped = items(dropped)
    # Frames held back to be overtaken, and frames on the line or in the queue of the port.
    here = sum(int(link.get(key, 0)) for key in CABLE) + int(link["frames_out"])
    held = int(link["frames_in"]) + int(link["duplicated"]) - here
    gone = got + sum(count for name, count, _ in dropped if not name.startswith(path))
    line = int(link["frames_out"]) - gone
    if held == -1 and (
        link["lost"] or link.get("unplugged")
    ):  # its loss was decided with its first byte
        account.added.append(Item("", 1, "being sent"))
        held = 0
    if line < 0 and receiver.kind == "node" and receiver.stats["rx_overflow"]:
        text = "truncated by the full queue of the port, and delivered with the mark of a bad frame"
        account.added.append(Item(f"{receiver.name}.rx_overflow", -line, text))
        line = 0
    account.inside = max(0, held if link["reordered"] else 0) + max(0, line)
    return account


def _dropped(end: Port, texts: dict[str, str]) -> list[tuple[str, int, str]]:
    found = [(key, int(end.stats.get(key, 0)), text) for key, text in texts.items()]
    return [(f"{end.name}.{key}", count, text) for key, count, text in found]


def switches(stats: Stats) -> Iterator[Account]:
    """Each switch: copies made by flooding count as added."""
    for name, switch in stats.get("switches", {}).items():
        ports = [Port(f"{name}.{n}", "switch", name, p) for n, p in switch["ports"].items()]
        account = Account(name, "switch", sum(int(p.stats["rx_frames"]) for p in ports))
        flooded = int(switch["flooded"])
        extra = flooded * max(0, len(ports) - 2)
        account.added = items([(f"{name}.flooded", extra, "copied by flooding")])
        account.went = items(
            [
                ("", sum(int(p.stats["tx_frames"]) for p in ports), "out"),
                ("", sum(int(p.stats["rx_pause"]) for p in ports), "PAUSE frames obeyed"),
            ]
        )
        dropped = [drop for p in ports for drop in _dropped(p, SWITCH)]
        if len(ports) == 1:
            dropped.append((f"{name}.flooded", flooded, "there is no other port"))
        account.dropped = items(dropped)
        early = -account.remainder
        if early > 0 and switch["mode"] == "cut-through" and account.drops >= early:
            text = "sent on before their error was known"
            account.added.append(Item(f"{name}.rx_fcs_forwarded", early, text))
        account.inside = max(0, account.remainder)
        yield account


def outside(stats: Stats) -> Iterator[Account]:
    """TAPs, sockets and scripts: what they passed on to the outside."""
    cabled = {end.name for _, one, two in ends(stats) for end in (one, two)}
    words = {"tap": "delivered to Linux", "peer": "delivered to the socket", "script": "delivered"}
    for section, kind in _ENDS:
        for name, counts in stats.get(section, {}).items():
            if name not in cabled:
                continue  # the end of a channel
            account = Account(name, kind, int(counts["rx_frames"]))
            account.dropped = items(_dropped(Port(name, kind, name, counts), OUTSIDE))
            account.inside = int(counts.get("to_peer_waiting", 0))
            gone = account.came_in - account.drops - account.inside
            account.went = items([("", gone, words[kind])])
            yield account
