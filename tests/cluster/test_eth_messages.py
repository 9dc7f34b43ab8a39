# SPDX-License-Identifier: Apache-2.0
"""Messages from Python over the transport: once and in order over bad cables, and errors told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.cluster.channel import ChannelTimeout
from kumihimo.cluster.messages import Messages

TEXT = """\
name: messages
seed: 3
defaults:
  node: {{design: eth_messages, clocks: {{clk: 316.666667 MHz, eth_clk: 312.5 MHz}}, ip: none}}
  cable: {{rate: 40 Gb/s, latency: 500 ns{bad}}}
nodes:
  a: {{regs: {{eth_port.option.mtu: 1514}}}}
  b: {{regs: {{eth_port.option.mtu: 1514}}}}
  c: {{regs: {{eth_port.option.mtu: 1514}}}}
switches:
  sw: {{ports: 4}}
cables:
  - {{between: [a, sw]}}
  - {{between: [b, sw]}}
  - {{between: [c, sw]}}
"""


def test_messages_over_bad_cables(tmp_path: Path) -> None:
    """Lost, doubled, reordered frames: each message arrives once, whole, in order."""
    (tmp_path / "m.yaml").write_text(TEXT.format(bad=", loss: 3 %, duplicate: 2 %, reorder: 2 %"))
    rng = random.Random(5)
    with Cluster(tmp_path / "m.yaml") as cluster:
        names = ("a", "b", "c")
        ports = [Messages(cluster[name]) for name in names]
        for here, port in enumerate(ports):
            for there, name in enumerate(names):
                if there != here:
                    port.add_peer(there, cluster[name].mac)
        sent: dict[tuple[int, int], list[bytes]] = {}
        for _ in range(12):
            for here in range(3):
                there = (here + rng.randint(1, 2)) % 3
                data = rng.randbytes(rng.choice([1, 40, 1500, 6000]))
                sent.setdefault((here, there), []).append(data)
        cluster.run("500 us")
        for (here, there), messages in sent.items():
            for data in messages:
                ports[here].send(there, data)
        for there, port in enumerate(ports):
            want = {here: m for (here, to), m in sent.items() if to == there}
            for _ in range(sum(map(len, want.values()))):
                peer, data = port.receive(timeout="20 ms")
                assert data == want[peer].pop(0)
            assert not any(want.values())
            with pytest.raises(ChannelTimeout):
                port.receive(timeout="100 us")
        again = sum(cluster[n].regs.eth_rtp.counters()["tx_retransmit"] for n in names)
        assert again > 0


def test_a_peer_that_is_not_there(tmp_path: Path) -> None:
    """A message to it fails, is reported, and does not block the next one."""
    (tmp_path / "m.yaml").write_text(TEXT.format(bad=""))
    with Cluster(tmp_path / "m.yaml") as cluster:
        a, b = Messages(cluster["a"]), Messages(cluster["b"])
        a.add_peer(1, cluster["b"].mac)
        a.add_peer(2, "02:00:00:00:77:77")
        b.add_peer(9, cluster["a"].mac)
        a.wait_up(1)
        a.send(2, b"nobody hears this")
        a.send(99, b"nor this")
        a.send(1, b"this is heard")
        assert b.receive() == (9, b"this is heard")
        cluster.run("20 us")
        assert next(s for s in a.statuses() if s[1] == "message failed")[0] == 2
        assert cluster["a"].regs.eth_rtp.counters()["tx_failed"] == 2
