# SPDX-License-Identifier: Apache-2.0
"""An RDMA node and Linux's own soft-RoCE: ibv_rc_pingpong and perftest, unmodified, with loss.

25 s: a guest for each direction.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.guest import RdmaGuest
from kumihimo.guest.qemu import missing
from kumihimo.rdma import Exchange, PerftestClient, PerftestServer, PingPong

if missing():
    pytest.fail(f"this test needs the Debian packages {' '.join(missing())}")

CLUSTER = """
name: meeting
nodes:
  alice: {design: roce_endpoint, ip: 10.77.0.1/24}
peers:
  guest: {socket: guest.sock, listen: true}
cables:
  - {between: [alice.eth0, guest], loss: LOSS}
"""

UP = """
set -e
ip addr add 10.77.0.9/24 dev eth0
ip link set eth0 up
until ping -c 1 -W 1 10.77.0.1 > /dev/null; do :; done
rdma link add rxe0 type rxe netdev eth0
echo ready
"""
CLIENTS = """
ibv_rc_pingpong -d rxe0 -g 1 -c -s 3000 -n COUNT -p PORT 10.0.2.2
for verb in send write read; do
  ib_${verb}_bw -d rxe0 -x 1 -s SIZE -n COUNT -p PORT 10.0.2.2
done
ib_atomic_bw -d rxe0 -x 1 -n COUNT -p PORT 10.0.2.2
echo all done
"""
SERVERS = """
ibv_rc_pingpong -d rxe0 -g 1 -s 3000 -n COUNT -p PORT
for verb in send write read; do
  ib_${verb}_bw -d rxe0 -x 1 -s SIZE -n COUNT -p PORT
done
ib_atomic_bw -d rxe0 -x 1 -n COUNT -p PORT
echo all done
"""
COUNT, SIZE = 20, 6000


@contextmanager
def served(folder: Path, loss: str) -> Iterator[Cluster]:
    """The cluster, run by a thread."""
    (folder / "cluster.yaml").write_text(CLUSTER.replace("LOSS", loss))
    with Cluster(folder / "cluster.yaml") as cluster, cluster.serving():
        yield cluster


def script(text: str, port: int) -> str:
    """Of the guest."""
    whole = (UP + text).replace("PORT", str(port))
    return whole.replace("COUNT", str(COUNT)).replace("SIZE", str(SIZE))


def nothing_was_wrong(cluster: Cluster, loss: str) -> None:
    """No packet that the wire or the engine could not read; frames were lost as asked."""
    counts = cluster["alice"].regs.rdma.counters()
    wrong = ("bad_icrc", "drop_opcode", "drop_version", "drop_length", "qp_error", "mem_error")
    assert {name: counts[name] for name in wrong} == dict.fromkeys(wrong, 0)
    (cable,) = cluster.stats()["cables"].values()
    assert (cable["ab"]["lost"] + cable["ba"]["lost"] > 0) == (loss != "0 %")


@pytest.mark.parametrize("loss", ["1 %"])
def test_tools_of_linux_are_clients(tmp_path: Path, loss: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    text = script(CLIENTS, listener.getsockname()[1])
    with (
        served(tmp_path, loss) as cluster,
        RdmaGuest(tmp_path / "guest.sock", text, outside=True) as guest,
    ):
        guest.wait_for("ready", 60)
        rdma = cluster["alice"].rdma
        with Exchange.listen(listener, 30) as exchange:
            pingpong = PingPong(rdma, "10.77.0.1", size=3000)
            pingpong.greet(exchange)
            pingpong.serve(COUNT)
            rdma.destroy_qp(pingpong.pair)
        for verb in ("send", "write", "read", "atomic"):
            with Exchange.listen(listener, 60) as exchange:
                server = PerftestServer(rdma, "10.77.0.1", verb)
                server.run(exchange)
                assert verb != "send" or server.received == COUNT
        shown = guest.finish(60)
        assert f"{COUNT} iters" in shown
        assert "invalid data" not in shown
        assert "all done" in shown
        assert cluster["alice"].regs.rdma.counters()["rx_request"] > 5 * COUNT
        nothing_was_wrong(cluster, loss)


@pytest.mark.parametrize("loss", ["1 %"])
def test_tools_of_linux_are_servers(tmp_path: Path, loss: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with (
        served(tmp_path, loss) as cluster,
        RdmaGuest(tmp_path / "guest.sock", script(SERVERS, port), forward={port: port}) as guest,
    ):
        guest.wait_for("ready", 60)
        rdma = cluster["alice"].rdma
        pingpong = PingPong(rdma, "10.77.0.1", size=3000)
        with pingpong.begin(port):
            pingpong.serve(COUNT, first=True)
        rdma.destroy_qp(pingpong.pair)
        for verb in ("send", "write", "read", "atomic"):
            client = PerftestClient(rdma, "10.77.0.1", verb)
            with client.reach(port) as exchange:
                remote = client.greet(exchange)
                client.run(remote, SIZE, COUNT)
                client.finish(exchange, SIZE, COUNT)
        first = int.from_bytes(rdma.memory.read(0, 8), "little")
        values = [int.from_bytes(rdma.memory.read(8 * i, 8), "little") for i in range(COUNT)]
        assert values == [first + i for i in range(COUNT)]  # each addition once, in order
        assert "all done" in guest.finish(60)
        nothing_was_wrong(cluster, loss)
