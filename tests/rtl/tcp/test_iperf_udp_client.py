# SPDX-License-Identifier: Apache-2.0
"""The UDP client of kumi_iperf_server: streams from registers, and the server's report."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import pairwise

import pytest
from tcp_app_bench import KernelBench
from test_iperf_server import PARAMS, UDP, VERSION1, Back, asking, udp

PEER_IP = 0x0A000002
FIGURES = (5_000_000_001, 12, 345_678, 3, 2, 17, 0, 250)  # bytes, s, us, lost, late, all, jitter


@pytest.fixture(scope="module", params=[64, 512])
def built(request: pytest.FixtureRequest) -> KernelBench:
    return KernelBench("kumi_iperf_server", "iperf_server", request.param, PARAMS, UDP)


@pytest.fixture
def bench(built: KernelBench) -> Iterator[KernelBench]:
    built.dut.restart()
    yield built


def start(
    bench: KernelBench, amount: int = 0, us: int = 0, rate: int = 8_000_000, length: int = 100
) -> None:
    """Begin a stream, of bytes or for a time."""
    regs = bench.regs
    regs.udp_client_ip.write(PEER_IP)
    regs.udp_client.set(port=5002, length=length)
    regs.udp_client_rate.write(rate)
    regs.udp_client_bytes.write(amount)
    regs.udp_client_time_us.write(us)
    regs.udp_client_ctrl.set(start=1)


def report(number: int, figures: tuple[int, ...] = FIGURES, wide: bool = True) -> bytes:
    """The answer of iperf 2.1 (wide), or 2.0."""
    total, *rest = figures
    head = struct.pack(">iII", -number, 0, 0) + (struct.pack(">i", -1) if wide else b"")
    words = struct.pack(">10I", VERSION1, total >> 32, total & 0xFFFFFFFF, *rest)
    return (head + words).ljust(128, b"\0")


def result(bench: KernelBench) -> tuple[int, ...]:
    """What the registers say, in the order of FIGURES without the seconds of jitter."""
    regs = bench.regs
    names = ("s", "us", "lost", "out_of_order", "datagrams", "jitter_us")
    return (regs.read64("report_bytes"), *(regs[f"report_{name}"].read() for name in names))


@pytest.mark.parametrize("wide", [True, False], ids=["new", "old"])
def test_bytes(bench: KernelBench, wide: bool) -> None:
    """By bytes, at the rate set; the last one until the report, whose figures are kept."""
    back, status = Back(bench), bench.regs.udp_client_status
    start(bench, 450, rate=80_000_000)  # a datagram of 100 bytes in 10 us
    got = back.collect(80)
    assert [(g[0], g[3], g[4]) for g in got] == [(n, 100, 5002) for n in (1, 2, 3, 4, 5, -6)]
    assert [b[2] - a[2] for a, b in pairwise(got[:5])] == [10] * 4
    assert status.get("running") == 1 and status.get("report") == 0 and bench.dut.get("busy")
    start(bench, 100_000)  # ignored
    udp(bench, report(6, wide=wide), port=5002, to=got[0][5])
    assert back.collect(10) == []
    assert status.get("running") == 0 and status.get("report") == 1 and not bench.dut.get("busy")
    assert result(bench) == (*FIGURES[:6], FIGURES[7])
    assert bench.regs.counters()["udp_dead"] == 0


def test_time_and_stop(bench: KernelBench) -> None:
    """For a time; a stream is stopped; a length beyond the limits."""
    back, regs = Back(bench), bench.regs
    start(bench, us=500, rate=8_000_000)  # 100 us a datagram
    got = back.collect(700)
    assert [g[0] for g in got][:-1] == list(range(1, len(got))) and 5 <= len(got) <= 7
    assert got[-1][0] < 0
    udp(bench, report(6), port=5002, to=got[0][5])
    back.collect(10)
    start(bench, us=1 << 30, rate=8_000_000, length=20)
    got = back.collect(300)
    assert len(got) > 2 and {g[3] for g in got} == {64} and regs.udp_client_status.get("running")
    regs.udp_client_ctrl.set(stop=1)
    got = back.collect(100)
    assert got[-1][0] < 0
    udp(bench, report(6), port=5002, to=got[0][5])
    back.collect(10)
    assert regs.udp_client_status.get("running") == 0


def test_no_report(bench: KernelBench) -> None:
    """Answers that are damaged, short, late or to another port are none; ten last datagrams."""
    back, status = Back(bench), bench.regs.udp_client_status
    start(bench, 100)
    got = back.collect(20)
    assert [g[0] for g in got] == [1, -2]
    udp(bench, report(2), port=5002, to=got[0][5] ^ 1)
    udp(bench, bytes(128), port=5002, to=5001)
    back.collect(5)
    assert status.get("running") == 1 and status.get("report") == 0
    udp(bench, report(2), port=5002, bad=True, to=got[0][5])
    back.collect(5)
    assert status.get("report") == 0  # answered, but nothing to believe
    start(bench, 100)
    first = back.collect(20)[0]
    udp(bench, report(2)[:40], port=5002, to=first[5])
    back.collect(5)
    assert status.get("running") == 0 and status.get("report") == 0
    udp(bench, report(2), port=5002, to=first[5])
    back.collect(5)
    assert status.get("report") == 0
    start(bench, 100)
    got = back.collect(40_200)
    assert [g[0] for g in got] == [1] + [-2] * 10
    assert status.get("running") == 0 and bench.regs.counters()["udp_dead"] == 1


def test_nobody_there(bench: KernelBench) -> None:
    """ARP finds nobody: it ends. Silence does not end it: a server is silent until the end."""
    back, status, dut = Back(bench), bench.regs.udp_client_status, bench.dut
    bench.regs.udp_quiet.write(1)
    start(bench, us=1 << 30, rate=8_000)  # a datagram in 100 ms
    back.collect(10)
    for _ in range(25):
        back.us += 100_000
        dut.set("now_us", back.us)
        dut.run(20)
    assert status.get("running") == 1
    for ip in (PEER_IP + 1, PEER_IP):
        dut.set("unresolved", {"valid": 1, "ip": ip})
        dut.run(2)
        dut.set("unresolved", {"valid": 0, "ip": 0})
        back.collect(20)
        assert status.get("running") == (ip != PEER_IP)
    assert bench.regs.counters()["udp_dead"] == 1 and not dut.get("busy")


def test_beside_streams_back(bench: KernelBench) -> None:
    """One stream at a time: an own one waits for those of clients, and they for it."""
    back, status = Back(bench), bench.regs.udp_client_status
    udp(bench, asking(1, 6000, 64, at_once=True, length=64))
    got = back.collect(20)
    start(bench, 64, length=64)
    assert {g[4] for g in got} == {6000} and back.collect(20) == []
    udp(bench, bytes(128), port=6000, to=got[0][5])
    mine = back.collect(20)
    assert {g[4] for g in mine} == {5002} and status.get("running") == 1
    udp(bench, asking(1, 6001, 64, at_once=True, length=64), port=40001)
    assert back.collect(20) == []
    udp(bench, report(2), port=5002, to=mine[0][5])
    assert {g[4] for g in back.collect(20)} == {6001} and status.get("running") == 0
    assert status.get("report") == 1
