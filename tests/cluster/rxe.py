# SPDX-License-Identifier: Apache-2.0
"""Linux's RDMA tools in one guest against a node: each tool as client, then each as server."""

from __future__ import annotations

import random
import re
import socket
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from kumihimo.cluster import Cluster
from kumihimo.guest import RdmaGuest
from kumihimo.rdma import (
    ConnectionManager,
    Exchange,
    PerftestClient,
    PerftestServer,
    PingPong,
    Rdma,
    RpingClient,
    RpingServer,
)

NODE, GUEST = "10.77.0.1", "10.77.0.9"
VERBS = ("send", "write", "read", "atomic")
MANAGER, BUFFERS = 0x40_0000, 0x20_0000  # in the node's memory
RPING_PORT = 7174
WAIT_S = 300  # for a guest on a busy machine

CLUSTER = f"""
name: meeting
nodes:
  alice: {{design: roce_endpoint, ip: {NODE}/24}}
peers:
  guest: {{socket: guest.sock, listen: true}}
cables:
  - {{between: [alice.eth0, guest], WIRE}}
"""
# Packets wait for long in a guest that is faster than its wire: codel would drop them, and rxe send
# all of them again after perftest's usual 67 ms (TIMEOUT is 4.096 us * 2^n).
SCRIPT = f"""
set -e
ip addr add {GUEST}/24 dev eth0
echo pfifo_fast > /proc/sys/net/core/default_qdisc
ip link set eth0 qlen 10000 up
until ping -c 1 -W 1 {NODE} > /dev/null; do :; done
rdma link add rxe0 type rxe netdev eth0
echo ready
ibv_rc_pingpong -d rxe0 -g 1 -c -s 3000 -n COUNT -p TO 10.0.2.2
for verb in send write read; do
  ib_${{verb}}_bw -d rxe0 -x 1 -u TIMEOUT -q PAIRS -s SIZE -n COUNT -p TO 10.0.2.2
done
ib_atomic_bw -d rxe0 -x 1 -u TIMEOUT -q PAIRS -n COUNT -p TO 10.0.2.2
rping -c -a {NODE} -p {RPING_PORT} -C COUNT -S PING -V -v
echo clients done
ibv_rc_pingpong -d rxe0 -g 1 -s 3000 -n COUNT -p FROM
for verb in send write read; do
  ib_${{verb}}_bw -d rxe0 -x 1 -u TIMEOUT -q PAIRS -s SIZE -n COUNT -p FROM
done
ib_atomic_bw -d rxe0 -x 1 -u TIMEOUT -q PAIRS -n COUNT -p FROM
rping -s -a {GUEST} -p {RPING_PORT} -C COUNT -S PING -v
echo servers done
"""


@dataclass
class Form:
    """How much, and over what cable (`wire`: its properties in the cluster file)."""

    wire: str
    count: int = 10
    size: int = 6000
    pairs: int = 2
    ping: int = 2000
    timeout: int = 17  # of the guest's queue pairs: 4.096 us * 2^17 is 537 ms


def ended(pingpong: PingPong, guest: RdmaGuest, form: Form, times: int) -> None:
    """Give the pair back once the tool is done: the last acknowledgement may have to come again."""
    guest.wait_for(f"{form.count} iters", WAIT_S, lines=times)
    pingpong.rdma.destroy_qp(pingpong.pair)


def clients(
    rdma: Rdma,
    manager: ConnectionManager,
    listener: socket.socket,
    guest: RdmaGuest,
    form: Form,
) -> None:
    """The guest's tools are the clients."""
    with Exchange.listen(listener, WAIT_S) as exchange:
        pingpong = PingPong(rdma, NODE, size=3000)
        pingpong.greet(exchange)
        pingpong.serve(form.count)
        ended(pingpong, guest, form, 1)
    for verb in VERBS:
        with Exchange.listen(listener, WAIT_S) as exchange:
            server = PerftestServer(rdma, NODE, verb, pairs=form.pairs)
            server.run(exchange)
            assert verb != "send" or server.received == form.count * form.pairs
    pings = RpingServer(rdma, manager, BUFFERS).serve(form.count)
    assert [len(ping) for ping in pings] == [form.ping] * form.count
    # As rping makes them: a number, and letters that begin one later in each ping.
    for number, ping in enumerate(pings):
        assert ping.startswith(b"rdma-ping-%d: " % number)
    assert len(set(pings)) == form.count


def servers(
    rdma: Rdma, manager: ConnectionManager, port: int, guest: RdmaGuest, form: Form
) -> list[bytes]:
    """The guest's tools are the servers; the pings."""
    pingpong = PingPong(rdma, NODE, size=3000)
    with pingpong.begin(port, patience=WAIT_S):
        pingpong.serve(form.count, first=True)
    ended(pingpong, guest, form, 2)
    for verb in VERBS:
        client = PerftestClient(rdma, NODE, verb, pairs=form.pairs)
        with client.reach(port, WAIT_S) as exchange:
            remotes = client.greet(exchange)
            client.run(remotes, form.size, form.count)
            client.finish(exchange, form.size, form.count)
    if form.pairs == 1:
        word = [int.from_bytes(rdma.memory.read(8 * i, 8), "little") for i in range(form.count)]
        assert word == [word[0] + i for i in range(form.count)]  # each addition once, in order
    rng = random.Random(form.size)
    letters = [bytes(rng.randrange(33, 127) for _ in range(form.ping)) for _ in range(form.count)]
    pings = [text[:-1] + b"\0" for text in letters]
    RpingClient(rdma, manager, BUFFERS, size=form.ping).run(GUEST, RPING_PORT, pings)
    return pings


def meet(folder: Path, form: Form) -> None:
    """All tools in both directions; then nothing of it is left."""
    (folder / "cluster.yaml").write_text(CLUSTER.replace("WIRE", form.wire))
    listener = socket.create_server(("127.0.0.1", 0))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    values = {"TO": listener.getsockname()[1], "FROM": port, "COUNT": form.count}
    values |= {"SIZE": form.size, "PAIRS": form.pairs, "PING": form.ping, "TIMEOUT": form.timeout}
    script = re.sub(r"\b(" + "|".join(values) + r")\b", lambda m: str(values[m[0]]), SCRIPT)
    with ExitStack() as stack:
        cluster = stack.enter_context(Cluster(folder / "cluster.yaml"))
        stack.enter_context(cluster.serving())
        guest = stack.enter_context(
            RdmaGuest(folder / "guest.sock", script, outside=True, forward={port: port})
        )
        guest.wait_for("ready", WAIT_S)
        rdma = cluster["alice"].rdma
        free_qps = rdma.free_qps
        manager = ConnectionManager(rdma, NODE, MANAGER, timeout=8)
        manager.listen(RPING_PORT)
        try:
            clients(rdma, manager, listener, guest, form)
            guest.wait_for("clients done", WAIT_S)
            pings = servers(rdma, manager, port, guest, form)
        except BaseException as error:  # a tool that gave up is seen on its side only
            error.add_note(f"the guest's console ends with:\n{guest.output[-3000:]}")
            raise
        shown = guest.finish(WAIT_S)
        assert "servers done" in shown
        assert "invalid data" not in shown
        for ping in pings:  # rping prints what it has read
            assert ping[:-1].decode() in shown
        manager.close()
        assert rdma.free_qps == free_qps
        wire_was_clean(cluster, form)


def wire_was_clean(cluster: Cluster, form: Form) -> None:
    """No packet that the wire or the engine could not read; frames were lost as asked."""
    counts = cluster["alice"].regs.rdma.counters()
    wrong = ("bad_icrc", "drop_opcode", "drop_version", "drop_length", "mem_error")
    assert {name: counts[name] for name in wrong} == dict.fromkeys(wrong, 0)
    assert counts["rx_request"] > 8 * form.count
    (cable,) = cluster.stats()["cables"].values()
    for what, counter in (("loss", "lost"), ("reorder", "reordered")):
        happened = cable["ab"][counter] + cable["ba"][counter] > 0
        assert happened == (what in form.wire), counter
