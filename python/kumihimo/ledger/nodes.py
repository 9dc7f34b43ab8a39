# SPDX-License-Identifier: Apache-2.0
"""Accounts of nodes: what their register counters say of the frames that their ports took.

Counters wrap after 2^32 - 1, so sums are compared modulo 2^32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..regs import BLOCKS
from .accounts import NOT_READ, Account, Item, items
from .drops import is_drop, reason
from .wires import Stats, ends

Blocks = Mapping[str, Mapping[str, int]]

# The block whose packets have an account of their own.
CIRCUITS = "circuit"
# What the IP stack does with a received frame, and with one to send.
_IP_IN = {
    "rx_arp": "ARP packets taken",
    "rx_icmp": "pings answered",
    "rx_raw": "packets of other protocols delivered",
    "rx_udp": "datagrams delivered",
}
_IP_BUFFER = ("rx_overflow", "rx_buffer_bad")
# What IPv6 in front of it does; packets of TCP and UDP reach the stack.
_IP6_IN = {"rx_icmp": "ICMPv6 messages taken"}
# Outcomes of a frame at the Ethernet controller without IP.
_ETH_IN = {"rx_ok": "frames delivered"}
_ETH_DROPS = (
    *("rx_bad", "rx_control", "rx_not_ours", "rx_foreign", "rx_malformed", "rx_no_room"),
    "rx_orphan",
)
# Outcomes of a frame at the transport behind it, and the frames that it sends.
_RTP_IN = {
    "rx_data": "DATA frames taken",
    "rx_dup": "DATA frames that came twice",
    "rx_ack": "ACK frames",
    "rx_hello": "HELLO frames",
    "rx_reset": "RESET frames",
}
_RTP_DROPS = (
    *("rx_bad", "rx_malformed", "rx_unknown", "rx_stale_tag", "rx_out_of_window", "rx_bad_ack"),
    "rx_hello_overflow",
)
_RTP_OUT = ("tx_data", "tx_retransmit", "tx_ack", "tx_hello", "tx_reset")
# Outcomes of a segment at the TCP engine.
_TCP_IN = {"hit": "segments of sessions", "miss": "segments of no session"}
_TCP_DROPS = (
    *("drop_disabled", "drop_proto", "drop_bad", "drop_short", "drop_offset", "drop_checksum"),
    *("drop_buffer_full", "drop_hit_full", "drop_miss_full"),
)
# Outcomes of a datagram at the RoCEv2 wire.
_RDMA_IN = {"rx_packet": "packets of queue pairs"}
_RDMA_DROPS = ("drop_port", "drop_opcode", "drop_version", "drop_length")


def description(block: str, counter: str) -> str:
    """What the register map says; a second block of a kind has a number (`sata1`)."""
    info = BLOCKS.get(block) or BLOCKS.get(block.rstrip("0123456789"))
    try:
        return info.reg(counter.partition("[")[0]).description if info else ""
    except KeyError:
        return ""


def _signed(count: int) -> int:
    count &= 0xFFFFFFFF
    return count - (1 << 32) if count >> 31 else count


class _Node:
    def __init__(
        self, name: str, ports: list[Stats], seen: Mapping[str, Any], resets: int = 0
    ) -> None:
        self.name = name
        self.cabled = bool(ports)
        self.resets = resets
        self.blocks: Blocks = seen.get("blocks", {})
        self.own: Mapping[str, Mapping[str, str]] = seen.get("about", {})
        self.busy = bool(seen.get("busy", 0))
        self.account = Account(name, "node", sum(int(p["rx_frames"]) for p in ports))
        self.sent = sum(int(p["tx_frames"]) for p in ports)
        self.account.uncertain = int(seen.get("moved", 0))
        self.used: set[tuple[str, str]] = set()
        places = [(str(kind).strip("\0 "), base) for kind, base in seen.get("unknown", ())]
        unknown = ", ".join(f"{kind} at {base:#x}" for kind, base in places if kind)
        if seen.get("problem"):
            self.account.note = f"{NOT_READ} ({seen['problem']})"
        elif unknown:
            self.account.note = f"not in any register map: {unknown}"

    def _about(self, block: str, counter: str) -> str:
        return self.own.get(block, {}).get(counter) or description(block, counter)

    def _take(self, block: str, names: Mapping[str, str] | tuple[str, ...]) -> list[Item]:
        """Items of these counters; without a word of ours the register map has one."""
        counts = self.blocks[block]
        found = []
        for name in names:
            if name in counts:
                self.used.add((block, name))
                if isinstance(names, Mapping):
                    text = names[name]
                else:
                    text = reason(self._about(block, name)) or name.replace("_", " ")
                found.append((f"{block}.{name}", int(counts[name]), text))
        return items(found)

    def run(self) -> Iterator[Account]:
        account, blocks = self.account, self.blocks
        output = None
        if not self.cabled:
            account.counted = False  # the packets of its kernels come another way
        elif "ip" in blocks:
            account.went = self._take("ip", _IP_IN)
            drops = tuple(name for name in blocks["ip"] if name.startswith("drop_"))
            account.dropped = self._take("ip", (*drops, *_IP_BUFFER))
            if "ip6" in blocks:
                account.went += self._take("ip6", _IP6_IN)
                drops = tuple(name for name in blocks["ip6"] if name.startswith("drop_"))
                account.dropped += self._take("ip6", drops)
            self._kernel()
            self._tcp()
            self._rdma()
            output = self._output("ip", ("tx_drop_length", "tx_drop_pending_full"))
        elif "eth_port" in blocks:
            account.went = self._take("eth_port", _ETH_IN)
            account.dropped = self._take("eth_port", _ETH_DROPS)
            made = int(blocks["eth_port"]["tx_frame"])
            if "eth_rtp" in blocks:
                made = self._transport()
            output = Account(self.name, "node output", made)
            output.uncertain = account.uncertain
            output.went = items([("", self.sent, "sent")])
        else:
            account.counted = False
            account.note = account.note or "its registers do not count frames"
            account.later = items([("", self.sent, "frames sent")])
        if self.resets:
            account.counted = False
            account.note = f"reset {self.resets} times: its counters began again"
            output = None
        self._settle(account)
        for block, counts in blocks.items():
            for name in counts:
                known = (block, name) in self.used or block == CIRCUITS
                if not known and is_drop(name, self._about(block, name)):
                    account.later += self._take(block, (name,))
        if self.cabled or account.later:
            yield account
        if output is not None:
            self._settle(output)
            yield output

    def _settle(self, account: Account) -> None:
        """Remainders are inside while the node is busy; unexplained otherwise."""
        left = _signed(account.remainder)
        if self.account.note.startswith(NOT_READ):
            account.counted = False
        account.came_in += left - account.remainder  # counters that have wrapped
        if left > 0 and self.busy and account.counted:
            account.inside += left

    def _deliver(self, old: str, entered: int, went: list[Item], dropped: list[Item]) -> None:
        """Replace what the stack delivered by what the block behind it did with it.

        A datagram whose checksum proves wrong at its end has already begun at the kernel: the
        stack counts it as dropped, and the kernel counts it too.
        """
        account = self.account
        given = next((item.count for item in account.went if item.name == old), 0)
        begun = min(entered - given, account.drops)
        account.went = [item for item in account.went if item.name != old] + went
        account.dropped += dropped
        over = begun - (entered - sum(item.count for item in (*went, *dropped)))
        if over > 0:
            text = "counted by the IP stack too: the end of their frame was bad"
            account.added.append(Item("", over, text))

    def _transport(self) -> int:
        """What became of the frames for the reliable transport; returns the frames it sent."""
        counts = self.blocks["eth_rtp"]
        went, dropped = self._take("eth_rtp", _RTP_IN), self._take("eth_rtp", _RTP_DROPS)
        entered = sum(item.count for item in (*went, *dropped))
        self._deliver("eth_port.rx_ok", entered, went, dropped)
        return sum(int(counts[name]) for name in _RTP_OUT) & 0xFFFFFFFF

    def _kernel(self) -> None:
        if set(self.blocks) - {"id", "ip"} != {"echo"}:
            return  # several kernels share the datagrams
        echo = self.blocks["echo"]
        self.used |= {("echo", "tx_datagrams"), ("echo", "bad_payload")}
        # A reply to a datagram with a bad end carries the mark on and does not leave the node.
        answered = int(echo["tx_datagrams"]) - int(echo["bad_payload"])
        went = items([("echo.tx_datagrams", answered, "datagrams answered")])
        dropped = self._take("echo", ("drop_port", "drop_disabled"))
        self._deliver("ip.rx_udp", int(echo["rx_datagrams"]), went, dropped)

    def _tcp(self) -> None:
        if "tcp" not in self.blocks:
            return
        went, dropped = self._take("tcp", _TCP_IN), self._take("tcp", _TCP_DROPS)
        entered = sum(item.count for item in (*went, *dropped))
        self._deliver("ip.rx_raw", entered, went, dropped)

    def _rdma(self) -> None:
        if "rdma" not in self.blocks:
            return
        went, dropped = self._take("rdma", _RDMA_IN), self._take("rdma", _RDMA_DROPS)
        entered = sum(item.count for item in (*went, *dropped))
        self._deliver("ip.rx_udp", entered, went, dropped)

    def _output(self, block: str, drops: tuple[str, ...]) -> Account:
        """Packets to send: dropped by the stack, then frames of the stack and of its buffer."""
        counts = self.blocks[block]
        made = Account(self.name, "node output", int(counts["tx_frame"]))
        made.uncertain = self.account.uncertain
        made.dropped = self._take(block, (*drops, "tx_drop_timeout"))
        made.came_in += made.drops
        made.dropped += self._take(block, ("tx_buffer_bad",))
        if "ip6" in self.blocks:
            counts6 = self.blocks["ip6"]
            # Of its own; port unreachable are the stack's.
            made.came_in += int(counts6.get("tx_icmp", 0)) - int(counts6.get("tx_unreachable", 0))
            lost = tuple(name for name in counts6 if name.startswith("tx_drop_"))
            made.dropped += self._take("ip6", lost)
        gone = int(counts["tx_resolved"]) + int(counts["tx_drop_timeout"])
        made.inside = max(0, _signed(int(counts["tx_pending"]) - gone))  # wait for an ARP reply
        made.came_in += made.inside
        made.went = items([("", self.sent, "sent")])
        return made


def nodes(stats: Stats) -> Iterator[Account]:
    """Each node: its input, and its output where counters tell of it.

    A node without Ethernet cables is there if something was dropped in it.
    """
    cabled: dict[str, list[Stats]] = {}
    for _, one, two in ends(stats):
        for end in (one, two):
            if end.kind == "node":
                cabled.setdefault(end.owner, []).append(end.stats)
    for name in stats.get("nodes", {}):
        seen = stats.get("registers", {}).get(name, {})
        resets = int(stats["nodes"][name].get("resets", 0))
        yield from _Node(name, cabled.get(name, []), seen, resets).run()
