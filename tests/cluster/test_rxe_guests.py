# SPDX-License-Identifier: Apache-2.0
"""Two Linux guests with soft-RoCE talk through the simulated switch: the reference of RoCEv2.

20 s, of which 5 s each guest boots.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.guest import GuestFailed, RdmaGuest
from kumihimo.guest.rdma import missing

if missing():
    pytest.fail(f"this test needs the Debian packages {' '.join(missing())}")

CLUSTER = """
name: rxe
switches: {sw: {}}
peers:
  a: {socket: a.sock, listen: true}
  b: {socket: b.sock, listen: true}
cables:
  - {between: [a, sw], loss: 1 %}
  - {between: [b, sw]}
"""

UP = """
set -e
ip addr add 10.0.0.HOST/24 dev eth0
ip link set eth0 up
rdma link add rxe0 type rxe netdev eth0
rdma link | grep -q ACTIVE
"""


def test_soft_roce_through_the_switch_with_loss(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    pingpong = "ibv_rc_pingpong -d rxe0 -g 1 -n 200 -c"
    write = "ib_write_bw -d rxe0 -x 1 -n 100 -s 8192 -p 18600"
    with Cluster(tmp_path / "cluster.yaml") as cluster:
        thread = threading.Thread(target=cluster.serve)
        thread.start()
        try:
            # Who loses the last acknowledgement fails once the other side has gone: the server is
            # there for the next try.
            server = UP.replace("HOST", "1") + (
                f"(while :; do {pingpong} || :; done) > /dev/null 2>&1 &\n{write}\n"
            )
            client = UP.replace("HOST", "2") + (
                "until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done\n"
                f"until {pingpong} 10.0.0.1; do sleep 0.2; done\n"
                f"sleep 0.5; {write} 10.0.0.1\n"
            )
            with (
                RdmaGuest(tmp_path / "a.sock", server, mac="02:bb:00:00:00:01") as a,
                RdmaGuest(tmp_path / "b.sock", client, mac="02:bb:00:00:00:02") as b,
            ):
                shown = b.finish(180)
                assert "200 iters" in shown
                assert "invalid data" not in shown
                assert " 8192       100" in shown
                a.finish(60)
        finally:
            cluster.engine.stop()
            thread.join(10)
        (lossy,) = (c for n, c in cluster.stats()["cables"].items() if n.startswith("a"))
        assert lossy["ab"]["lost"] > 0
        assert lossy["ba"]["lost"] > 0


def test_a_guest_ends_when_told(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    with Cluster(tmp_path / "cluster.yaml"):
        with RdmaGuest(tmp_path / "a.sock", "echo here; sleep 1000") as guest:
            guest.wait_for("here", 40)
            start = time.monotonic()
            guest.stop()
            assert time.monotonic() - start < 2
            assert not guest.running
        with (
            RdmaGuest(tmp_path / "b.sock", "echo no; exit 3") as guest,
            pytest.raises(GuestFailed, match=r"failed \(3\)"),
        ):
            guest.finish(40)
