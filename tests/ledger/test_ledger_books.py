# SPDX-License-Identifier: Apache-2.0
"""A balance that does not close is an error: of a cluster that ends, and of a node after a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ip_drops import datagram, learn
from kumihimo.cluster import Cluster, audit
from kumihimo.cluster.snapshot import snapshot
from kumihimo.common.errors import KumiError
from kumihimo.testing import books
from kumihimo.testing import ledger as plugin
from ledgerkit import Rig

PAIR = """\
nodes:
  alice: {design: udp_echo}
  bob: {design: udp_echo}
cables:
  - {between: [alice, bob]}
"""


def without(counter: str, take: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Counters in which one of the IP stack has forgotten a frame."""

    def taken(*args: Any, **more: Any) -> dict[str, Any]:
        stats = take(*args, **more)
        for seen in stats["registers"].values():
            seen["busy"] = False
            seen["moved"] = 0
            seen["blocks"]["ip"][counter] = 0
        return stats

    return taken


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "pair.yaml").write_text(PAIR)
    return tmp_path / "pair.yaml"


def test_a_cluster_that_loses_a_frame_fails(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both announce their address, which the other one takes: one of these goes unexplained."""
    monkeypatch.setattr(audit, "snapshot", without("rx_arp", snapshot))
    cluster = Cluster(file).start()
    cluster.run("20 us")
    with pytest.raises(KumiError, match=r"alice: 1 frame in, 1 that no counter accounts for"):
        cluster.close()
    assert cluster._engine is None, "it has ended in spite of that"
    monkeypatch.setenv(audit.VARIABLE, "")
    cluster = Cluster(file).start()
    cluster.run("20 us")
    cluster.close()


def test_an_error_of_the_program_comes_first(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "snapshot", without("rx_arp", snapshot))
    with pytest.raises(ZeroDivisionError), Cluster(file) as cluster:
        cluster.run("20 us")
        raise ZeroDivisionError


def test_a_capture_does_not_hold_the_reading_of_registers(file: Path, tmp_path: Path) -> None:
    """It ends with the run: twice the same run gives the same capture, read or not."""
    kept = []
    for name, strict in (("read", "strict"), ("not", "")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(audit.VARIABLE, strict)
            with Cluster(file, pcap=tmp_path / name) as cluster:
                cluster.run("1 us")  # the announcements are on their way
            kept.append((tmp_path / name).read_bytes())
    assert kept[0] == kept[1]


def test_a_node_that_loses_a_frame_fails() -> None:
    rig = Rig("udp_echo", {"DATA_W": 64})
    rig.restart()
    learn(rig)
    rig.send(datagram(rig))
    rig.dut.drain(100_000)
    plugin._check(rig.dut)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(books, "stats_of", without("rx_arp", books.stats_of))
        with pytest.raises(AssertionError, match="1 that no counter accounts for"):
            plugin._check(rig.dut)


@pytest.mark.no_ledger("shows that the switch is off in a test that says why")
def test_an_excused_test_is_not_strict() -> None:
    assert not audit.strict()


def test_every_other_test_is_strict() -> None:
    assert audit.strict()
