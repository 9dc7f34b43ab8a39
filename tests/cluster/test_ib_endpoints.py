# SPDX-License-Identifier: Apache-2.0
"""Two InfiniBand endpoints on a cable: packets, captures, bit errors, plugs, replay."""

from __future__ import annotations

import contextlib
import io
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ib_packets import icrc, packet, smp
from kumihimo.capture.decode import short
from kumihimo.capture.pcapng import ERF, ERF_HEADER, Capture
from kumihimo.cli import ib as ib_command
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import ClusterFileError, plan
from kumihimo.common.errors import KumiError
from kumihimo.ib.mailbox import Mailbox
from kumihimo.ib.port import Port
from kumihimo.manager.agent import serving_cluster
from kumihimo.testing.sizes import by_size

FILE = """\
name: ibpair
nodes:
  a: {{design: ib_endpoint, clocks: {{clk: {clock}}}, ip: none, params: {{{params}}}, regs: {{{regs}, ib_port.lid.lid: 1}}}}
  b: {{design: ib_endpoint, clocks: {{clk: {clock}}}, ip: none, params: {{{params}}}, regs: {{{regs}, ib_port.lid.lid: 2}}}}
cables:
  - {{between: [a.p1, b.p1], {cable}}}
{more}
"""  # noqa: E501
AUTO = "ib_port.ctrl.auto_active: 1"
SHIPPED = "LANES: 4, DATA_W: 64"  # one library for all tests that ask for nothing else
RX_BYTES, LONGEST = 32768, 2048


def file(
    folder: Path, cable: str = "latency: 10 m", more: str = "", params: str = SHIPPED,
    clock: str = "125 MHz", regs: str = AUTO,
) -> Path:  # fmt: skip
    """The cluster file."""
    path = folder / "ibpair.yaml"
    path.write_text(
        FILE.format(cable=cable, more=more, params=params, clock=clock, regs=regs)
    )  # fmt: skip
    return path


class Ends:
    """A running pair: ports and mailboxes."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.port = {name: Port(cluster[name].regs["ib_port"]) for name in "ab"}
        self.mail = {name: Mailbox(cluster, cluster[name]) for name in "ab"}

    def wait(self, state: str = "Active", limit_us: int = 200) -> None:
        """Run until both ports are in a state."""
        for _ in range(limit_us // 5):
            if all(self.port[name].state.port == state for name in "ab"):
                self.cluster.run("40 us")  # the first link packets of every lane
                return
            self.cluster.run("5 us")
        pytest.fail(f"not {state}: {[self.port[name].state for name in 'ab']}")

    def exchange(self, packets: list[bytes], to: str = "b") -> None:
        """Send from the other end; they arrive in order with the right ICRC."""
        got = []
        for data in packets:
            self.mail["a" if to == "b" else "b"].send(data)
            got += self.mail[to].receive()
        for _ in range(50):
            if len(got) >= len(packets):
                break
            self.cluster.run("2 us")
            got += self.mail[to].receive()
        for vl in {data[0] >> 4 for data in packets}:
            wanted = [data + icrc(data) for data in packets if data[0] >> 4 == vl]
            assert [r.data for r in got if r.vl == vl] == wanted, self.port[to].drops()


@contextlib.contextmanager
def running(path: Path, **more: Any) -> Iterator[Ends]:
    """A started pair with Active ports."""
    with Cluster(path, offline=True, **more) as cluster:
        ends = Ends(cluster)
        ends.wait()
        yield ends


@pytest.mark.parametrize(
    "params,clock,rate",
    [
        (SHIPPED, "125 MHz", 2.5e9),
        ("LANES: 1, DATA_W: 32", "125 MHz", 5e9),
        pytest.param("LANES: 4, DATA_W: 32", "250 MHz", 2.5e9, marks=pytest.mark.long(only=True)),
    ],
)
def test_packets_both_ways(tmp_path: Path, params: str, clock: str, rate: float) -> None:
    """Every length modulo the data path, the largest, and management on VL15."""
    rng = random.Random(1)
    with running(file(tmp_path, "latency: 3 m, skew: 9 ns", "", params, clock)) as ends:
        sizes = [*range(9), 256, 2048] if rate == 2.5e9 else [0, 5, 2048]
        for name, dlid, slid in (("b", 2, 1), ("a", 1, 2)):
            packets = [packet(rng.randbytes(size), dlid, slid, psn=size) for size in sizes]
            packets += [smp(attribute, attribute) for attribute in (0x10, 0x11)]
            ends.exchange(packets, name)
        for name in "ab":
            assert not any(ends.port[name].drops().values())
            counters = ends.port[name].counters()
            assert counters["xmit_pkts"] == counters["rcv_pkts"] == len(sizes) + 2
            assert counters["symbol_error"] == counters["link_downed"] == 0
        cable = ends.cluster.stats()["lanes"]["a.p1--b.p1"]
        assert (cable["width"], cable["lane_rate_bps"]) == (int(params[7]), rate)
        assert cable["latency_ps"] == 15_000


def test_packets_for_others_are_dropped(tmp_path: Path) -> None:
    """With `lid.only` other unicast LIDs are dropped; a full mailbox drops, too."""
    with running(file(tmp_path)) as ends:
        ends.port["b"].registers["lid"].set(only=1, lmc=1)
        kept = [packet(b"x" * 20, dlid, 1) for dlid in (2, 3, 0xC001, 0xFFFF)]
        for dlid in (1, 4, 0xBFFF):
            ends.mail["a"].send(packet(b"other", dlid, 1))
        ends.exchange(kept)
        assert ends.port["b"].drops()["foreign"] == 3
        count = RX_BYTES // LONGEST + 4
        for n in range(count):
            ends.mail["a"].send(packet(bytes(LONGEST), 2, 1, psn=n))
        ends.cluster.run("40 us")
        full = ends.port["b"].drops()["mail_full"]
        got = ends.mail["b"].receive()
        assert full > 0 and len(got) + full == count
        with pytest.raises(ValueError, match="do not agree"):
            ends.mail["a"].send(packet(b"word", 2, 1)[:-4])


def test_states_by_command(tmp_path: Path) -> None:
    """Without `auto_active` software arms and activates; data is refused before."""
    with Cluster(file(tmp_path, regs="ib_port.ctrl.oper_vls: 1"), offline=True) as cluster:
        ends = Ends(cluster)
        ends.wait("Init")
        ends.mail["a"].send(packet(b"too early", 2, 1))
        ends.exchange([smp(0x11, 5)])
        assert ends.port["a"].counters()["xmit_discards"] == 1
        for state in ("arm", "activate"):
            for name in "ab":
                ends.port[name].command(**{state: 1})
            cluster.run("1 us")
        ends.wait()
        ends.exchange([packet(b"now", 2, 1)])
        ends.port["a"].command(clear=1)
        cluster.run("1 us")
        assert ends.port["a"].counters()["xmit_pkts"] == 0
        ends.port["b"].command(down=1)
        cluster.run("2 us")
        assert ends.port["b"].state.port in ("Down", "Init")
        ends.wait("Init")


def test_tshark_decodes_the_capture(tmp_path: Path) -> None:
    """What passes a port, both ways, field by field; nothing is malformed."""
    pcap = tmp_path / "ib.pcapng"
    rng = random.Random(2)
    sent = [
        packet(rng.randbytes(40), 2, 1, sl=3, opcode=0x04, qp=rng.randrange(2, 1 << 24), psn=n)
        for n in range(8)
    ]
    sent += [smp(attribute, attribute + 7) for attribute in (0x10, 0x11, 0x15)]
    back = [packet(rng.randbytes(60), 1, 2, qp=99, psn=1000 + n) for n in range(3)]
    with running(file(tmp_path), pcap=pcap) as ends:
        ends.exchange(sent)
        ends.exchange(back, "a")
    names = ("lrh.slid", "lrh.dlid", "lrh.vl", "lrh.sl", "lrh.pktlen", "bth.opcode", "bth.destqp",
             "bth.psn", "mad.attributeid", "invariant.crc")  # fmt: skip
    argv = ["tshark", "-n", "-r", str(pcap), "-T", "fields", "-E", "separator=|"]
    for name in (*(f"infiniband.{n}" for n in names), "_ws.malformed", "frame.protocols"):
        argv += ["-e", name]
    for name in ("rpcordma", "iser", "nvme-rdma", "smb_direct", "rds", "ipoib", "edp"):
        argv += ["--disable-protocol", name]  # programs that it would look for in random payload
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines()]
    assert len(rows) == len(sent) + len(back)
    packets = list(Capture(pcap))
    for row, data, kept in zip(rows, [*sent, *back], packets, strict=True):
        assert row[10] == "" and "infiniband" in row[11]
        bth = data[8:20]
        numbers = [int(v, 0) for v in row[:8]]
        assert numbers == [
            int.from_bytes(data[6:8], "big"), int.from_bytes(data[2:4], "big"), data[0] >> 4,
            data[1] >> 4, len(data) // 4 + 1, bth[0], int.from_bytes(bth[5:8], "big"),
            int.from_bytes(bth[9:12], "big"),
        ]  # fmt: skip
        assert bool(row[8]) == (data[0] >> 4 == 15)
        assert int(row[9], 0) == int.from_bytes(icrc(data), "big")
        assert (kept.interface, kept.link, kept.inbound) == ("a.p1", ERF, data[6:8] == b"\0\2")
        assert kept.data[ERF_HEADER:-2] == data + icrc(data)
        assert f"InfiniBand LID {numbers[0]} > {numbers[1]}" in short(kept.data, kept.link)


def test_bit_errors_are_counted(tmp_path: Path) -> None:
    """At a rate, and at given places: PortCounters show each violation, and no packet is wrong."""
    events = """\
events:
  - {at: 150 us, do: flip, cable: b.p1, bit: 3}
  - {at: 160 us, do: flip, cable: a.p1, lane: 2, bit: 11, direction: b_to_a}
"""
    with running(file(tmp_path, more=events)) as ends:
        assert [ends.port[n].counters()["symbol_error"] for n in "ab"] == [0, 0]
        ends.cluster.run(170_000_000 - ends.cluster.now_ps)
        assert all(ends.port[n].counters()["symbol_error"] in (1, 2) for n in "ab")
        ends.cluster.flip("a.p1", bit=0, lane=3)
        ends.cluster.run("2 us")
        assert ends.port["b"].counters()["symbol_error"] in (2, 3, 4)
        cable = ends.cluster.stats()["lanes"]["a.p1--b.p1"]
        assert (cable["ab"]["bit_errors"], cable["ba"]["bit_errors"]) == (2, 1)
        with pytest.raises(Exception, match="has no bit 25 of lane 0"):
            ends.cluster.flip("a.p1", bit=25)
        with pytest.raises(KumiError, match=r"no cable at a\.p9"):
            ends.cluster.flip("a.p9", bit=0)

    (folder := tmp_path / "rate").mkdir()
    with running(file(folder, "latency: 10 m, ber: 2e-5, b_to_a: {}")) as ends:
        rng = random.Random(3)
        got = 0
        for n in range(by_size(40, 2000)):
            data = packet(rng.randbytes(200), 2, 1, psn=n)
            ends.mail["a"].send(data)
            ends.cluster.run("1 us")
            for received in ends.mail["b"].receive():
                got += 1
                assert received.data[-4:] == icrc(received.data[:-4])
        errors = ends.cluster.stats()["lanes"]["a.p1--b.p1"]["ab"]["bit_errors"]
        counters = ends.port["b"].counters()
        assert errors > 50
        assert 0.7 * errors < counters["symbol_error"] < 2.2 * errors
        lost = ends.port["b"].drops()
        assert got + lost["bad_packet"] + lost["bad_length"] + lost["bad_vl"] >= 0.9 * n
        assert ends.port["a"].counters()["symbol_error"] == 0


PULLED = """\
events:
  - {at: 300 us, do: unplug, cable: a.p1}
  - {at: 1300 us, do: plug, cable: a.p1}
"""


def session(ends: Ends) -> None:
    """Packets before and after the plug is out for a millisecond."""
    rng = random.Random(4)
    ends.exchange([packet(rng.randbytes(90), 2, 1, psn=n) for n in range(3)])
    ends.cluster.run(310_000_000 - ends.cluster.now_ps)
    for name in "ab":
        state = ends.port[name].state
        assert (state.port, state.phys) == ("Down", "Polling")
        assert ends.port[name].counters()["link_downed"] == 1
    ends.cluster.run(1_310_000_000 - ends.cluster.now_ps)
    ends.wait()
    ends.exchange([packet(rng.randbytes(90), 1, 2, psn=n) for n in range(3)], "a")


def test_a_plug_pulled_and_a_replay(tmp_path: Path) -> None:
    """Out for a millisecond and back; the recording replays with any number of threads."""
    record, pcap = tmp_path / "run.kumirec", tmp_path / "run.pcapng"
    path = file(tmp_path, "latency: 10 m, skew: 6 ns, ber: 1e-7", PULLED)
    with running(path, record=record, pcap=pcap, threads=2) as ends:
        session(ends)
        digest, stats = ends.cluster.digest(), ends.cluster.stats()["lanes"]
    assert stats["a.p1--b.p1"]["ab"]["plugs"] == 2 and stats["a.p1--b.p1"]["ab"]["lost"] > 100_000
    for threads in (1, 2):
        again = tmp_path / f"again{threads}.pcapng"
        cluster = Cluster(path, offline=True, threads=threads, pcap=again)
        try:
            result = cluster.replay(record)
            assert result["equal"] and result["complete"] and result["digest"] == digest
            assert cluster.stats()["lanes"] == stats
        finally:
            cluster.close()
        assert again.read_bytes() == pcap.read_bytes()


def test_the_command(tmp_path: Path) -> None:
    """`kumi ib` shows both ports, and ends with 1 when one is down."""
    with running(file(tmp_path)) as ends, serving_cluster(ends.cluster) as session:

        def ask(*more: bool) -> tuple[int, str]:
            shown = io.StringIO()
            with ends.cluster.serving(), contextlib.redirect_stdout(shown):
                code = ib_command.run(str(session.pid), *more)
            return code, shown.getvalue()

        code, text = ask(False, True)
        rows = {row["name"]: row for row in json.loads(text)["ports"]}
        assert code == 0 and rows["a.p1"]["neighbour"] == "b.p1"
        assert [(r["lid"], r["port"], r["phys"]) for r in rows.values()] == [
            (1, "Active", "LinkUp"), (2, "Active", "LinkUp"),
        ]  # fmt: skip
        assert (rows["b.p1"]["width"], rows["b.p1"]["lane_rate_bps"]) == (4, 2.5e9)
        ends.cluster.plug("b.p1", False)
        ends.cluster.run("5 us")
        code, text = ask(True, True)
        ports = json.loads(text)["ports"]
        assert code == 1 and {row["port"] for row in ports} == {"Down"}
        assert {row["counters"]["link_downed"] for row in ports} == {1}


@pytest.mark.parametrize(
    "old,new,text",
    [
        ("latency: 10 m", "rate: 10 Gb/s", "an InfiniBand cable has no `rate`"),
        ("latency: 10 m", "latency: -3 m", "a length cannot be negative"),
        ("b.p1]", "b.p2]", "has no port `p2`"),
        ("latency: 10 m", "b_to_a: {loss: 1 %}", "of an InfiniBand port only `ber`"),
        ("[a.p1, b.p1]", "[a.p1, a.p1]", "port `p1` has no cable"),
        ("latency: 10 m}", "latency: 10 m}\nevents:\n  - {at: 1 us, do: flip, cable: c.p1, bit: 0}",
         "has no InfiniBand cable"),
    ],
)  # fmt: skip
def test_mistakes_in_the_file(tmp_path: Path, old: str, new: str, text: str) -> None:
    path = file(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ClusterFileError) as problem:
        plan(path)
    assert text in str(problem.value)


def test_ends_that_do_not_fit(tmp_path: Path) -> None:
    """Other widths, rates, or skews for other lanes are refused when the cluster is set up."""
    path = file(tmp_path)
    lines = path.read_text()
    for old, new, text in (
        ("b: {design: ib_endpoint, clocks: {clk: 125 MHz}", "b: {design: ib_endpoint, "
         "clocks: {clk: 250 MHz}", "one end is 4x at 2.5 Gb/s a lane"),
        ("latency: 10 m", "skew: [1 ns, 2 ns]", "2 skews for 4 lanes"),
        ("latency: 10 m", "skew: [1 us, 0, 0, 0]", "a skew is at most 32 symbols"),
    ):  # fmt: skip
        path.write_text(lines.replace(old, new))
        cluster = Cluster(path, offline=True)
        with pytest.raises(KumiError, match=text):
            cluster.start()
