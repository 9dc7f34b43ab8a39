# SPDX-License-Identifier: Apache-2.0
"""kumi_iperf_server: against a model of its peers, and against the iperf 2 program itself."""

from __future__ import annotations

import random
import re
import socket
import struct
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from kumihimo.testing import Frame
from kumihimo.testing.sizes import data_widths
from tcp_app_bench import KernelBench
from tcp_app_model import CLOSED, OK, REFUSED, RESET, Session
from tcp_app_sockets import SocketEngine, program, running

pytestmark = pytest.mark.long  # all data widths

UDP = {"s_udp_hdr": {"W": 164}, "m_udp_hdr": {"W": 164}}
PARAMS = {"SESSIONS": 16, "CHUNK": 2048}
VERSION1, RUN_NOW, SEQNO64B = 0x80000000, 1, 0x08000000


@pytest.fixture(scope="module", params=data_widths(64, 128, 256, 512))
def built(request: pytest.FixtureRequest) -> KernelBench:
    module = "kumi_iperf_server"
    return KernelBench(module, "iperf_server", request.param, PARAMS, UDP)


@pytest.fixture
def bench(built: KernelBench) -> Iterator[KernelBench]:
    built.dut.restart()
    yield built


def header(flags: int, port: int, amount: int) -> bytes:
    return struct.pack(">IiiiiI", flags, 1, port, 0, 0, amount & 0xFFFFFFFF)


# ---- TCP -----------------------------------------------------------------------------------------


def test_sink(bench: KernelBench) -> None:
    """Streams of any length, also shorter than a header, are read to the end and closed."""
    engine = bench.listening()
    assert engine.ports == {5001}
    total = 0
    for n in (0, 1, 23, 24, 25, 100, 5000, 20000):
        s = engine.connect(5001)
        assert s
        engine.feed(s, bytes(n))
        engine.fin(s)
        total += n
        engine.until(lambda s=s: s.ended and not s.unread, 4000)
        assert s.reason == CLOSED and not s.to_peer
    engine.until(lambda: not bench.dut.get("busy"), 3000)
    assert bench.regs.read64("received") == total
    assert bench.regs.counters()["asked_back"] == 0


@pytest.mark.parametrize("now", [0, 1], ids=["after", "at_once"])
def test_connects_back_for_bytes(bench: KernelBench, now: int) -> None:
    engine = bench.listening(ring=4096)
    made: list[Session] = []
    asked: list[tuple[int, int]] = []

    def answer(ip: int, port: int) -> int:
        asked.append((ip, port))
        return OK

    engine.accept_open, engine.on_open = answer, made.append
    s = engine.connect(5001, ip=0x0A010203)
    assert s
    data = header(VERSION1 | now, 6001, 30_001) + bytes(4000)
    for at in range(0, len(data), 10):
        engine.feed(s, data[at : at + 10])
    if now:
        engine.until(lambda: made, 3000)
        assert not s.peer_fin
        engine.fin(s)
    else:
        for _ in range(300):
            engine.step()
        assert not asked
        engine.fin(s)
        engine.until(lambda: made, 1000)
    assert asked == [(0x0A010203, 6001)]
    back = made[0]
    back.drain = 1000
    engine.until(lambda: back.closed and not back.owed, 8000)
    assert bytes(back.to_peer) == bytes(30_001)
    engine.fin(back)
    engine.until(lambda: not engine.sessions, 2000)
    assert back.reason == CLOSED
    assert bench.regs.read64("sent") == 30_001


def test_connects_back_for_a_time(bench: KernelBench) -> None:
    """Ten units of 10 ms on a clock that the test turns; six clients at once."""
    engine = bench.listening(ring=4096)
    made: list[Session] = []
    engine.on_open = made.append
    for i in range(6):
        s = engine.connect(5001, ip=1 + i)
        assert s
        engine.feed(s, header(VERSION1, 5001, -10) + bytes(100))
        engine.fin(s)
    now = 0xFFFFFF00
    bench.dut.set("now_us", now)
    engine.until(lambda: all(s.to_peer for s in made) and len(made) == 6, 3000)
    bench.dut.set("now_us", (now + 99_000) & 0xFFFFFFFF)
    for s in made:
        s.drain = 500
    for _ in range(1500):
        engine.step()
    assert all(len(s.to_peer) > 5000 and not s.closed for s in made)
    bench.dut.set("now_us", (now + 101_000) & 0xFFFFFFFF)
    engine.until(lambda: all(s.closed for s in made), 2000)
    for s in made:
        engine.fin(s)
    engine.until(lambda: not engine.sessions, 1000)


def test_back_is_refused_or_ends(bench: KernelBench) -> None:
    engine = bench.listening()
    engine.accept_open = lambda ip, port: REFUSED
    for flags in (VERSION1, VERSION1 | RUN_NOW):
        s = engine.connect(5001)
        assert s
        engine.feed(s, header(flags, 5001, 1000))
        engine.fin(s)
    engine.until(lambda: not engine.sessions and bench.regs.counters()["back_failed"] == 2, 2000)
    made: list[Session] = []
    engine.accept_open, engine.on_open = lambda ip, port: OK, made.append
    s = engine.connect(5001)
    assert s
    engine.feed(s, header(VERSION1 | RUN_NOW, 5001, -100000000))
    engine.until(lambda: made and len(made[0].to_peer) > 5000, 3000)
    engine.kill(made[0], RESET)
    engine.kill(s, RESET)
    engine.until(lambda: not engine.sessions, 1000)
    engine.until(lambda: not bench.dut.get("busy"), 1000)
    bench.regs.ctrl.set(back=0)
    s = engine.connect(5001)
    assert s
    engine.feed(s, header(VERSION1 | RUN_NOW, 5001, 1000))
    engine.fin(s)
    engine.until(lambda: not engine.sessions, 1000)
    assert bench.regs.counters()["asked_back"] == 3


# ---- UDP -----------------------------------------------------------------------------------------


def udp(
    bench: KernelBench, data: bytes, port: int = 40000, bad: bool = False, to: int = 5001
) -> None:
    record = bench.dut.struct("udp_hdr_t").pack(
        length=len(data), peer_ip=0x0A000002, peer_port=port, local_port=to
    )
    bench.dut.send("s_udp_hdr", [record])
    if data:
        bench.dut.send("s_udp", [Frame(data, bad=bad)])


def datagram(number: int, us: int, size: int, wide: bool = True) -> bytes:
    out = struct.pack(">iII", number, us // 1000000, us % 1000000)
    if wide:
        out += struct.pack(">iI", -1 if number < 0 else 0, 0x40010098 | SEQNO64B)
    else:
        out += struct.pack(">I", 0)
    return out + bytes(size - len(out))


@pytest.mark.parametrize("wide", [True, False], ids=["new", "old"])
def test_udp_report(bench: KernelBench, wide: bool) -> None:
    """Random loss, order and delay; the report against the same sums in Python."""
    dut = bench.dut
    dut.stall_all(rx=0.1, tx=0.3, seed=2)
    rnd = random.Random(1)
    numbers = list(range(1, 60))
    for _ in range(6):
        i = rnd.randrange(1, len(numbers) - 1)
        numbers[i], numbers[i + 1] = numbers[i + 1], numbers[i]
    for _ in range(7):
        numbers.pop(rnd.randrange(1, len(numbers) - 1))
    numbers = [n for n in numbers if n != 59] + [-59]
    now = 0xFFFFF000
    highest, lost, late, size_sum, jitter, transit = 0, 0, 0, 0, 0, 0
    start = 0
    for i, number in enumerate(numbers):
        sent_at = (now - rnd.randint(100, 900)) & 0xFFFFFFFF
        n = abs(number)
        size = rnd.choice((24, 60, 64, 100, 1470))
        dut.set("now_us", now)
        udp(bench, datagram(number, sent_at + (1 << 33), size, wide))
        dut.drain(settle=40)
        flight = (now - sent_at - (1 << 33)) & 0xFFFFFFFF
        if i == 0:
            start, highest = now, n
        else:
            delta = (flight - transit + (1 << 31)) % (1 << 32) - (1 << 31)
            jitter += abs(delta) - (jitter >> 4)
            if n > highest:
                lost += n - highest - 1
                highest = n
            else:
                late += 1
                lost = max(0, lost - 1)
        transit = flight
        size_sum += size
        stop = now
        now = (now + rnd.randint(500, 1500)) & 0xFFFFFFFF
    (report,) = dut.recv("m_udp", 1)
    (record,) = dut.recv("m_udp_hdr", 1)
    fields = dut.struct("udp_hdr_t").unpack(record.value)
    assert (fields["length"], fields["peer_port"], fields["local_port"]) == (128, 40000, 5001)
    at = 16 if wide else 12
    assert report.data[:at] == datagram(-59, sent_at + (1 << 33), 100, wide)[:at]
    told = struct.unpack(">10I", report.data[at : at + 40])
    want = (VERSION1, 0, size_sum, 0, (stop - start) & 0xFFFFFFFF, lost, late, 59, 0, jitter >> 4)
    assert told == want
    assert len(report) == 128 and not any(report.data[at + 40 :])
    assert late and lost
    # The last one comes again: the same report.
    udp(bench, datagram(-59, 5, 100, wide))
    (again,) = dut.recv("m_udp", 1)
    assert again.data[at:] == report.data[at:]
    # A new run from the same port.
    udp(bench, datagram(1, 5, 100, wide))
    udp(bench, datagram(-2, 5, 200, wide))
    (anew,) = dut.recv("m_udp", 1)
    assert struct.unpack(">10I", anew.data[at : at + 40])[1:8] == (0, 300, 0, 0, 0, 0, 2)


def test_udp_flows_and_bad_input(bench: KernelBench) -> None:
    dut = bench.dut
    for number in (1, 2, 3):
        for flow in range(8):
            udp(bench, datagram(number, 0, 100 + flow), port=1000 + flow)
    udp(bench, bytes(11))
    udp(bench, b"")
    udp(bench, datagram(4, 0, 100), port=1000, bad=True)
    udp(bench, datagram(4, 0, 100), port=1000, to=5002)
    for flow in range(8):
        udp(bench, datagram(-4, 0, 100), port=1000 + flow)
    frames = dut.recv("m_udp", 8)
    for flow, f in enumerate(frames):
        told = struct.unpack(">10I", f.data[16:56])
        assert told[2] == 3 * (100 + flow) + 100 and told[7] == 4 and told[5] == 0
    counters = bench.regs.counters()
    assert counters["udp_bad"] == 3 and counters["udp_port"] == 1
    assert counters["udp_datagrams"] == 32 and counters["udp_reports"] == 8
    assert bench.regs.read64("udp") == 3 * sum(100 + i for i in range(8)) + 800


# ---- UDP, back -----------------------------------------------------------------------------------


def asking(
    number: int, port: int, amount: int, *, at_once: bool = False, rate: int = 0, length: int = 0
) -> bytes:
    """A datagram of a client with -r or -d, as iperf 2.1.8 makes it."""
    flags = VERSION1 | 0x40000000 | SEQNO64B | int(at_once)
    out = struct.pack(">iIIi", number, 0, 0, -1 if number < 0 else 0)
    out += struct.pack(">IiiiiI", flags, 1, port, length, 0, amount & 0xFFFFFFFF)
    return (out + bytes(24) + struct.pack(">II", rate & 0xFFFFFFFF, rate >> 32)).ljust(100, b"\0")


class Back:
    """The far end of a stream back, and the clock."""

    def __init__(self, bench: KernelBench) -> None:
        self.dut, self.us = bench.dut, 100
        self.records: list[dict[str, int]] = []
        self.frames: list[Frame] = []

    def collect(self, us: int) -> list[tuple[int, int, int, int, int, int]]:
        """Number, second, microsecond, length, port there, port here; of some time."""
        got = []
        unpack = self.dut.struct("udp_hdr_t").unpack
        for _ in range(us):
            self.us += 1
            self.dut.set("now_us", self.us)
            self.dut.run(12)
            self.records += [unpack(r.value) for r in self.dut.recv("m_udp_hdr")]
            self.frames += self.dut.recv("m_udp")
            while self.records and self.frames:
                f, frame = self.records.pop(0), self.frames.pop(0)
                assert len(frame) == f["length"]
                if f["local_port"] == 5001:
                    continue  # a report
                number, second, us_ = struct.unpack(">iII", frame.data[:12])
                assert not any(frame.data[16:])
                got.append((number, second, us_, len(frame), f["peer_port"], f["local_port"]))
        return got


def test_udp_back(bench: KernelBench) -> None:
    """By bytes after the stream, by time at once; at the rate asked for, until answered."""
    back, dut = Back(bench), bench.dut
    rate = 200 * 8 * 100_000  # a datagram of 200 bytes every 10 us
    udp(bench, asking(1, 6001, 1000, rate=rate, length=200))
    assert back.collect(20) == []
    udp(bench, asking(-2, 6001, 1000, rate=rate, length=200))
    got = back.collect(90)
    assert [g[0] for g in got] == [1, 2, 3, 4, 5, -6]
    assert {g[3:5] for g in got} == {(200, 6001)}
    times = [g[1] * 1_000_000 + g[2] for g in got[:5]]
    assert [b - a for a, b in pairwise(times)] == [10] * 4
    ours = got[0][5]
    assert {g[5] for g in got} == {ours} and ours >> 8 == 0xC0
    assert dut.get("busy")
    udp(bench, bytes(128), port=6001, to=ours)  # the client's report
    assert back.collect(3) == [] and not dut.get("busy")
    udp(bench, asking(-2, 6001, 1000, rate=rate, length=200))  # once more, as its answer was lost
    assert back.collect(20) == []
    # At once; lengths that are too short or too long; the rate of a client that names none.
    udp(bench, asking(1, 6002, 100, at_once=True, length=10, rate=1 << 40), port=41000)
    got = back.collect(20)
    assert [(g[0], g[3]) for g in got] == [(1, 64), (2, 64), (-3, 64)]
    udp(bench, bytes(128), port=6002, to=got[0][5])
    udp(bench, asking(1, 6002, -1, at_once=True, length=500), port=42000)
    got = back.collect(10_100)  # 1 Mbit/s is 2^20 bits a second: a datagram in 3,814.7 us
    assert [(g[0], g[3]) for g in got] == [(1, 500), (2, 500), (3, 500), (-4, 500)]
    assert [g[2] - got[0][2] for g in got[1:3]] == [3815, 7630]
    assert 10_000 <= got[3][2] - got[0][2] <= 10_003
    udp(bench, bytes(128), port=6002, to=got[0][5])
    udp(bench, asking(1, 6003, 1471, at_once=True, length=9000, rate=1 << 30), port=43000)
    got = back.collect(90)
    assert [(g[0], g[3]) for g in got] == [(1, 1470), (2, 1470), (-3, 1470)]
    udp(bench, bytes(128), port=6002, to=got[0][5])
    back.collect(3)
    counters = bench.regs.counters()
    assert counters["udp_back"] == 4 and counters["udp_port"] == 0
    assert counters["udp_full"] == counters["udp_dead"] == 0


@pytest.mark.parametrize("built", [64], indirect=True)
def test_udp_back_limits(bench: KernelBench) -> None:
    """More ask than may wait; one that does not answer is dropped; an old client's header."""
    back = Back(bench)
    for flow in range(8):
        udp(bench, asking(1, 6000 + flow, 64, at_once=True, length=64), port=40000 + flow)
    seen = back.collect(30)
    counters = bench.regs.counters()
    served = counters["udp_back"]
    assert 5 <= served <= 7 and served + counters["udp_full"] == 8
    # The first one gets its last datagram ten times, 4 ms apart, and is then dropped.
    seen += back.collect(39_900)
    first = [g for g in seen if g[4] == 6000]
    assert [g[0] for g in first] == [1] + [-2] * 10
    for a, b in pairwise(first[1:]):
        assert 4000 <= b[2] - a[2] <= 4003
    assert not bench.regs.counters()["udp_dead"] and len(seen) == 11
    for flow in range(1, served):
        got = back.collect(120 if flow == 1 else 20)
        assert {g[4] for g in got} == {6000 + flow} and got[-1][0] == -2
        udp(bench, bytes(128), to=got[-1][5])
    assert back.collect(20) == [] and not bench.dut.get("busy")
    assert bench.regs.counters()["udp_dead"] == 1
    head = struct.pack(">iII", -7, 0, 0)
    old = head + struct.pack(">IiiiiI", VERSION1, 1, 6100, 100, 100 * 8 * 200_000, 300)
    udp(bench, old.ljust(100, b"\0"), port=39001)
    got = back.collect(40)
    assert [g[0] for g in got] == [1, 2, 3, -4] and got[1][2] - got[0][2] == 5
    assert {g[3:5] for g in got} == {(100, 6100)}
    udp(bench, bytes(128), to=got[0][5])
    udp(bench, old[:35], port=39002)  # too short to ask
    bench.regs.ctrl.set(back=0)
    udp(bench, old, port=39003)
    assert back.collect(20) == []


# ---- the program itself --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def one() -> KernelBench:
    module = "kumi_iperf_server"
    return KernelBench(module, "iperf_server", 128, PARAMS, UDP)


def rates(text: str) -> list[tuple[float, float]]:
    """(seconds, bytes) of the reports that iperf printed."""
    unit = {"": 1, "K": 1 << 10, "M": 1 << 20}
    rows = re.findall(r"-\s?(\d+\.\d+) sec\s+([\d.]+) ([KM]?)Bytes", text)
    return [(float(t), float(n) * unit[u]) for t, n, u in rows]


@pytest.mark.parametrize("how", ["", "-r", "-d"])
def test_iperf_client_tcp(one: KernelBench, how: str) -> None:
    one.dut.restart()
    engine = SocketEngine(one.dut, "127.0.0.1", ring=65536, step=200)
    engine.until(lambda: engine.listeners, 100)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        own = probe.getsockname()[1]
    words = [program("iperf"), "-c", "127.0.0.1", "-p", str(engine.numbers[5001])]
    # By amount where the server is to connect back: by time, iperf waits only 3 s for that.
    words += ["-n", "512K", how, "-L", str(own)] if how else ["-t", "0.5"]
    with running([*words, "-l", "8K"]) as child:
        end = time.monotonic() + 120
        while child.poll() is None:
            assert time.monotonic() < end, "iperf does not come to an end"
            one.dut.set("now_us", engine.now_us())
            engine.step()
        assert child.stdout
        text = child.stdout.read()
    engine.until(lambda: not engine.sessions, 2000)
    engine.close()
    assert child.returncode == 0, text
    found = rates(text)
    assert len(found) == (2 if how else 1), text
    received, sent = one.regs.read64("received"), one.regs.read64("sent")
    assert received > 10_000 and (sent > 10_000) == bool(how)
    sizes = [received, sent] if how else [received]
    for size in sizes:
        assert any(abs(n - size) < 0.02 * size for _, n in found), (text, sizes)


def test_iperf_client_udp(one: KernelBench) -> None:
    dut = one.dut
    dut.restart()
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", 0))
    sock.setblocking(False)
    words = [program("iperf"), "-c", "127.0.0.1", "-p", str(sock.getsockname()[1])]
    words += ["-u", "-t", "0.4", "-b", "2M"]
    started = time.monotonic()
    peer = ("", 0)
    lose, came = {5, 6, 30}, 0
    with running(words) as child:
        while child.poll() is None:
            assert time.monotonic() < started + 30, "iperf does not come to an end"
            dut.set("now_us", int((time.monotonic() - started) * 1e6))
            try:
                data, peer = sock.recvfrom(65536)
                came += 1
                if came not in lose:
                    udp(one, data, port=peer[1])
            except BlockingIOError:
                pass
            dut.run(20)
            dut.recv("m_udp_hdr")
            for f in dut.recv("m_udp"):
                sock.sendto(f.data, peer)
        assert child.stdout
        text = child.stdout.read()
    sock.close()
    assert "Server Report" in text and "WARNING" not in text, text
    (lost, total) = re.findall(r"ms\s+(\d+)/(\d+)", text)[-1]
    assert int(lost) == 3 and int(total) > 50, text
