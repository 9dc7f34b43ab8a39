# SPDX-License-Identifier: Apache-2.0
"""Channels between kernels of different nodes: their ends, and the peers of the transport."""

from __future__ import annotations

from ..common.errors import did_you_mean
from .addresses import Fail
from .designs import RemoteChannel
from .load import Loaded
from .plans import NodePlan, Plan
from .source import Key

MOST = 16
"""Entries of the transport's peer table in these nodes."""
_CONNECTED = 1 << 31


class Channels:
    """Enters peers and ends of channels into a plan that has its nodes."""

    def __init__(self, loaded: Loaded, plan: Plan, fail: Fail) -> None:
        self.loaded = loaded
        self.spec = loaded.spec
        self.plan = plan
        self.fail = fail
        self.used: dict[tuple[str, str], Key] = {}

    def run(self) -> None:
        """Fill in `peers` and the registers of the nodes."""
        users = [n for n in self.plan.nodes.values() if n.design.remote or _transport(n)]
        for node in users[MOST:]:
            text = f"at most {MOST} nodes of a cluster have kernels on the transport"
            self.fail(("nodes", node.name), text, True)
        for node in users[:MOST]:
            others = enumerate(users[:MOST])
            node.peers.update({i: other.mac for i, other in others if other is not node})
        numbers = {node.name: i for i, node in enumerate(users)}
        joined = 0
        for index, spec in enumerate(self.spec.channels):
            source = self._end(spec.source, ("channels", index, "from"), reads=False)
            target = self._end(spec.to, ("channels", index, "to"), reads=True)
            if source and target:
                joined += self._join(index, source, target, numbers[target[0].name])
        if joined == len(self.spec.channels):  # else an end without another is the same mistake
            for node in self.plan.nodes.values():
                self._loose(node)

    def _end(self, text: str, key: Key, reads: bool) -> tuple[NodePlan, RemoteChannel] | None:
        """A node and one of its channels."""
        name, _, channel = text.partition(".")
        node = self.plan.nodes.get(name)
        if node is None:
            if name not in self.spec.nodes:
                self.fail(
                    key, f"there is no node called `{name}`.{did_you_mean(name, self.spec.nodes)}"
                )
            return None
        known = {c.name: c for c in node.design.remote}
        verb = "read" if reads else "write"
        fit = [f"`{name}.{c.name}`" for c in known.values() if c.reads == reads]
        have = f"they {verb} {', '.join(fit)}" if fit else f"they {verb} none"
        found = known.get(channel)
        if found is None:
            hint = did_you_mean(channel, known)
            text = f"no kernel of `{name}` has a channel io(`remote_{channel}`); {have}.{hint}"
            self.fail(key, text)
            return None
        if found.reads != reads:
            other = "write" if reads else "read"
            self.fail(key, f"the kernels of `{name}` {other} `{channel}` here; {have}")
            return None
        if (name, channel) in self.used:
            at = self.loaded.source.place(self.used[name, channel])
            self.fail(key, f"`{text}` already has its other end ({at}); a channel has one")
            return None
        self.used[name, channel] = key
        return node, found

    def _join(
        self,
        index: int,
        source: tuple[NodePlan, RemoteChannel],
        target: tuple[NodePlan, RemoteChannel],
        number: int,
    ) -> bool:
        """Say to the source where its channel leads; whether it can lead there."""
        (node, out), (other, into) = source, target
        if node is other:
            text = "both ends are on one node; let its kernels share a channel without io()"
        elif out.bits != into.bits:
            words = f"`{node.name}.{out.name}` has words of {out.bits} bits"
            text = f"{words} and `{other.name}.{into.name}` of {into.bits}; give both one type"
        else:
            node.regs[out.register] = _CONNECTED | number << 8 | into.number
            return True
        self.fail(("channels", index, "to"), text)
        return False

    def _loose(self, node: NodePlan) -> None:
        """Every remote channel has another end."""
        for channel in node.design.remote:
            if (node.name, channel.name) not in self.used:
                end = f"{node.name}.{channel.name}"
                line = f"{{from: OTHER.NAME, to: {end}}}" if channel.reads else (
                    f"{{from: {end}, to: OTHER.NAME}}")  # fmt: skip
                text = f"the channel `{channel.name}` has no other end; add `{line}` to `channels`"
                self.fail(("nodes", node.name), text, True)


def _transport(node: NodePlan) -> bool:
    return "TRANSPORT" in node.design.params and bool(node.spec.params.get("TRANSPORT"))
