# SPDX-License-Identifier: Apache-2.0
"""The kernels alone: records and payloads in and out, registers, back-pressure, losses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import probes
import pytest
from kumihimo.regs import BLOCKS, Block
from kumihimo.testing import Dut, Frame
from kumihimo.testing.sizes import data_widths

pytestmark = pytest.mark.long  # all data widths

HERE = Path(__file__).parent
GEN, CHECK, PING, ECHO = 0x0000, 0x1000, 0x2000, 0x3000
CKS_NONE, CKS_GENERATE, CKS_GIVEN = 0, 1, 2
RESULTS = (
    "received",
    "lost",
    "duplicated",
    "reordered",
    "stale",
    "corrupt",
    "bad_payload",
    "other_port",
    "next_seq",
)


class Bench:
    """The test top with its four register blocks."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.bytes = width // 8
        self.dut = Dut(HERE / "kumi_t_kernels.sv", params={"DATA_W": width})
        self.gen = Block(self, BLOCKS["traffic_gen"], GEN)
        self.check = Block(self, BLOCKS["traffic_check"], CHECK)
        self.ping = Block(self, BLOCKS["pingpong"], PING)
        self.echo = Block(self, BLOCKS["echo"], ECHO)
        self.udp = self.dut.struct("udp_hdr_t")

    def read(self, addr: int) -> int:
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        self.dut.axil_write(addr, data)

    def record(self, **fields: int) -> int:
        return self.udp.pack(**fields)

    def fields(self, frame: Frame) -> dict[str, Any]:
        return self.udp.unpack(frame.value)

    def feed(self, port: str, payload: bytes, bad: bool = False, **fields: int) -> None:
        self.dut.send(f"s_hdr_{port}", [self.record(length=len(payload), **fields)])
        if payload:
            self.dut.send(f"s_axis_{port}", [Frame(payload, bad=bad)])


@pytest.fixture(scope="module", params=data_widths(64, 128, 256, 512))
def built(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


@pytest.fixture
def bench(built: Bench) -> Iterator[Bench]:
    built.dut.restart()
    yield built


def test_registers_as_described(bench: Bench) -> None:
    """Reset values, then every field that software owns, all ones and all zeros."""
    for block in (bench.gen, bench.check, bench.ping, bench.echo):
        for reg in block:
            word = reg.read()
            for field in reg.info.fields:
                if "r" in field.access and field.reset is not None:
                    assert field.extract(word) == field.reset, f"{block} {reg} {field.name}"
            if all(field.access == "rw" for field in reg.info.fields):
                for value in (0xFFFFFFFF, 0):
                    bench.dut.axil_write(reg.addr, value)
                    assert reg.read() == value & sum(f.mask for f in reg.info.fields), str(reg)
        for addr in (0x3FC, 0xFFC):
            assert bench.dut.axil_response(False, block.base + addr) == 2
    assert bench.gen.status.read() == bench.ping.status.read() == 0


# ---- echo ------------------------------------------------------------------------------------


@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_echo(bench: Bench, stall: float) -> None:
    dut, rng = bench.dut, random.Random(7)
    if stall:
        dut.stall_all(rx=stall, tx=stall, seed=3)
    sent = []
    for size in [0, 1, 7, 8, 9, 18, 63, 64, 65, 0, 0, 512, 1472] + [
        rng.randrange(0, 300) for _ in range(60)
    ]:
        given = size % 2
        fields = dict(
            peer_mac=rng.getrandbits(48),
            peer_mac_valid=0,
            vlan_valid=rng.getrandbits(1),
            vlan_tci=rng.getrandbits(16),
            peer_ip=rng.getrandbits(32),
            peer_port=rng.getrandbits(16),
            local_port=rng.getrandbits(16),
            checksum=rng.getrandbits(16) if given else 0,
            cks=CKS_GIVEN if given else CKS_NONE,
        )
        payload = rng.randbytes(size)
        bad = size > 0 and rng.random() < 0.2
        bench.feed("echo", payload, bad, **fields)
        sent.append((fields, payload, bad))
    frames = [f for f in sent if f[1]]
    back = dut.recv("m_axis_echo", len(frames), timeout_cycles=60000)
    for frame, (_, payload, bad) in zip(back, frames, strict=True):
        assert frame.data == payload
        assert frame.bad == bad
    records = dut.recv("m_hdr_echo", len(sent), timeout_cycles=2000)
    for record, (fields, payload, _) in zip(records, sent, strict=True):
        assert bench.fields(record) == {**fields, "peer_mac_valid": 1, "length": len(payload)}
    dut.drain()
    assert bench.echo.counters() == {
        "rx_datagrams": len(sent),
        "tx_datagrams": len(sent),
        "drop_port": 0,
        "drop_disabled": 0,
        "bad_payload": sum(f[2] for f in sent),
    }
    assert dut.get("kernel_busy") == 0
    if not stall:
        assert dut.stats("m_axis_echo")["tx_gap"] == 0


def test_echo_port_and_switch(bench: Bench) -> None:
    dut = bench.dut
    bench.echo.port.write(7)
    for port in (7, 8, 7, 9):
        bench.feed("echo", bytes([port]) * 100, local_port=port)
    dut.drain()
    bench.echo.ctrl.set(enable=0)
    bench.feed("echo", b"off", local_port=7)
    bench.feed("echo", b"", local_port=9)
    dut.drain()
    assert [f.data[0] for f in dut.recv("m_axis_echo")] == [7, 7]
    assert bench.echo.counters() == {
        "rx_datagrams": 6,
        "tx_datagrams": 2,
        "drop_port": 2,
        "drop_disabled": 2,
        "bad_payload": 0,
    }


def test_echo_keeps_up(bench: Bench) -> None:
    """Frames of one beat and more, back to back: a beat every cycle."""
    dut = bench.dut
    for size in (bench.bytes, 5 * bench.bytes):
        for _ in range(40):
            bench.feed("echo", bytes(size), local_port=1)
        frames = dut.recv("m_axis_echo", 40)
        spent = frames[-1].last_cycle - frames[0].cycle + 1
        assert spent <= 40 * size // bench.bytes + 1


# ---- generator -------------------------------------------------------------------------------


def _generate(bench: Bench, **setup: int) -> tuple[list[dict[str, Any]], list[Frame]]:
    count = setup.pop("frames", 100)
    bench.gen.length.set(low=setup.pop("low", 18), high=setup.pop("high", 1472))
    bench.gen.option.set(flow=setup.pop("flow", 0), checksum=setup.pop("checksum", 0))
    for name, value in setup.items():
        bench.gen[name].write(value)
    bench.gen.frames.write(count)
    bench.gen.ctrl.set(start=1)
    frames = bench.dut.recv("m_axis_gen", count, timeout_cycles=400_000)
    bench.dut.drain()
    records = [bench.fields(f) for f in bench.dut.recv("m_hdr_gen", count)]
    assert bench.gen.status.get("running") == 0
    assert bench.gen.sent.read() == count
    assert bench.gen.read64("sent_bytes") == sum(len(f.data) for f in frames)
    return records, frames


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_generator_content(bench: Bench, stall: float) -> None:
    if stall:
        bench.dut.stall_all(tx=stall, seed=5)
    bench.gen.ports.set(own=1111, peer=2222)
    records, frames = _generate(
        bench, flow=0xA5C3, peer_ip=0x0A4D0001, low=3, high=200, checksum=1, frames=150
    )
    for index, (record, frame) in enumerate(zip(records, frames, strict=True)):
        flow, seq, _ = probes.read(frame.data)
        assert (flow, seq) == (0xA5C3, index)
        assert not frame.bad
        assert 16 <= len(frame.data) <= 200
        assert record == {
            "peer_mac": 0,
            "peer_mac_valid": 0,
            "vlan_valid": 0,
            "vlan_tci": 0,
            "peer_ip": 0x0A4D0001,
            "peer_port": 2222,
            "local_port": 1111,
            "length": len(frame.data),
            "checksum": 0,
            "cks": CKS_GENERATE,
        }
    sizes = {len(f.data) for f in frames}
    assert len(sizes) > 60
    # The same seed gives the same sizes, whatever the back-pressure did.
    bench.dut.restart()
    _, again = _generate(bench, flow=0xA5C3, low=3, high=200, frames=150)
    assert [len(f.data) for f in again] == [len(f.data) for f in frames]


def test_generator_sizes(bench: Bench) -> None:
    for low, high, expected in ((18, 18, 18), (0, 0, 16), (65535, 1, 8972), (500, 20, 500)):
        _, frames = _generate(bench, low=low, high=high, frames=3)
        assert {len(f.data) for f in frames} == {expected}
        for frame in frames:
            probes.read(frame.data)
    bench.gen.seed.write(99)
    _, frames = _generate(bench, low=100, high=107, frames=400)
    counts = [sum(len(f.data) == n for f in frames) for n in range(100, 108)]
    assert min(counts) > 20, counts


def test_generator_speed(bench: Bench) -> None:
    """No idle cycle inside frames, two cycles from start to start at least."""
    size = 8 * bench.bytes
    _, frames = _generate(bench, low=size, high=size, frames=50)
    spent = frames[-1].last_cycle - frames[0].cycle + 1
    assert spent == 50 * 8
    _, frames = _generate(bench, low=16, high=16, frames=50)
    spent = frames[-1].cycle - frames[0].cycle
    assert spent == 49 * max(2, 16 // bench.bytes)


@pytest.mark.parametrize("rate", [0.25, 1.0, 3.3])
def test_generator_rate(bench: Bench, rate: float) -> None:
    units = round(rate * 65536)
    _, frames = _generate(bench, low=100, high=300, frames=200, rate=units)
    charged = sum(len(f.data) + 66 for f in frames[:-1])
    spent = frames[-1].cycle - frames[0].cycle
    assert spent == pytest.approx(charged * 65536 / units, rel=0.005)


def test_generator_stop(bench: Bench) -> None:
    bench.gen.length.set(low=64, high=64)
    bench.gen.frames.write(0)
    bench.gen.ctrl.set(start=1)
    bench.dut.run(500)
    assert bench.gen.status.get("running") == 1
    assert bench.dut.get("kernel_busy") & 1
    bench.gen.ctrl.set(stop=1)
    bench.dut.run(100)
    assert bench.gen.status.get("running") == 0
    frames = bench.dut.recv("m_axis_gen")
    assert bench.gen.sent.read() == len(frames) > 20
    for index, frame in enumerate(frames):
        assert probes.read(frame.data)[1] == index
    bench.gen.ctrl.set(start=1)
    assert probes.read(bench.dut.recv("m_axis_gen", 1)[0].data)[1] == 0


# ---- checker ---------------------------------------------------------------------------------


def _results(bench: Bench) -> dict[str, int]:
    bench.dut.drain()
    names = [
        "received",
        "lost",
        "duplicated",
        "reordered",
        "stale",
        "corrupt",
        "bad_payload",
        "other_port",
        "next_seq",
    ]
    return {name: bench.check[name].read() for name in names}


def _model(events: list[tuple[int, str]], window: int = 64) -> dict[str, int]:
    """What the checker must say, from the numbers alone."""
    out = dict.fromkeys(RESULTS, 0)
    seen: set[int] = set()
    for seq, what in events:
        if what != "good":
            out[what] += 1
        elif seq >= out["next_seq"]:
            out["next_seq"] = seq + 1
            seen.add(seq)
        elif out["next_seq"] - seq > window:
            out["stale"] += 1
        elif seq in seen:
            out["duplicated"] += 1
        else:
            out["reordered"] += 1
            seen.add(seq)
    out["received"] = len(seen)
    out["lost"] = out["next_seq"] - len(seen)
    return out


@pytest.mark.parametrize("stall", [0.0, 0.3])
def test_checker_accounts(bench: Bench, stall: float) -> None:
    rng = random.Random(bench.width)
    if stall:
        bench.dut.stall_all(rx=stall, seed=9)
    bench.check.match.set(port=4662, flow=77)
    order = [n for n in range(600) if rng.random() > 0.1]
    order = [n for n in order for _ in range(2 if rng.random() < 0.05 else 1)]
    for _ in range(60):
        at = rng.randrange(len(order) - 100)
        order.insert(at + rng.choice([1, 3, 20, 50, 63, 64, 65, 90]), order.pop(at))
    events: list[tuple[int, str]] = []
    for seq in order:
        size = rng.choice([20, 24, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 127, 128, 129, 400])
        probe = bytearray(probes.make(size, seq, 77, rng.getrandbits(64)))
        what, bad, port = "good", False, 4662
        kind = rng.random()
        if kind < 0.05:
            what, bad = "bad_payload", True
        elif kind < 0.10:
            what = "corrupt"
            probe[rng.randrange(size)] ^= 1 << rng.randrange(8)
        elif kind < 0.13:
            what, port = "other_port", 4663
        elif kind < 0.16:
            what = "corrupt"
            probe = probe[: rng.randrange(0, 16)]
        elif kind < 0.18:
            what, probe = "corrupt", bytearray(probes.make(size, seq, 78, 5))
        bench.feed("check", bytes(probe), bad, local_port=port)
        events.append((seq, what))
    expected = _model(events)
    assert _results(bench) == expected
    assert expected["stale"] > 0 and expected["duplicated"] > 0 and expected["reordered"] > 0
    bins = bench.check["bin"].read_all()
    assert sum(bins) == expected["received"]
    bench.check.ctrl.set(clear=1)
    assert set(_results(bench).values()) == {0}
    assert sum(bench.check["bin"].read_all()) == 0
    bench.feed("check", probes.make(64, 0, 77), local_port=4662)
    assert _results(bench)["received"] == 1


def test_every_single_bit_counts(bench: Bench) -> None:
    """Any flipped bit of a probe of 20 bytes or more makes it corrupt."""
    size = 40
    probe = probes.make(size, 1234, 0, 0x0123456789ABCDEF)
    for bit in range(size * 8):
        flipped = bytearray(probe)
        flipped[bit // 8] ^= 1 << bit % 8
        bench.feed("check", bytes(flipped), local_port=4662)
    results = _results(bench)
    assert results["corrupt"] == size * 8
    assert results["received"] == 0


def test_latency_histogram(bench: Bench) -> None:
    dut = bench.dut
    wanted = [1 << k for k in range(6, 20)] + [3 << k for k in range(5, 12)]
    measured = []
    for seq, latency in enumerate(wanted):
        now = dut.get("now")
        bench.feed("check", probes.make(64, seq, 0, (now - latency) % (1 << 64)), local_port=4662)
        dut.drain()
        first, last = dut.sent("s_axis_check")[-1]
        assert first <= last
        measured.append((latency, last - now))
    bins = bench.check["bin"].read_all()
    assert sum(bins) == len(wanted)
    total = bench.check.read64("lat_sum")
    low, high = bench.check.lat_min.read(), bench.check.lat_max.read()
    assert sum(wanted) <= total <= sum(wanted) + 64 * len(wanted)
    assert min(wanted) <= low <= min(wanted) + 64
    assert max(wanted) <= high <= max(wanted) + 64
    assert sum(bins[20:]) == 0 and bins[19] == 1 and bins[18] == 1


def _loop(bench: Bench) -> list[Frame]:
    """Move what the generator sent to the checker."""
    dut = bench.dut
    records = dut.recv("m_hdr_gen")
    frames = dut.recv("m_axis_gen")
    assert len(records) == len(frames)
    for record, frame in zip(records, frames, strict=True):
        fields = bench.fields(record)
        bench.feed("check", frame.data, local_port=fields["peer_port"])
    return frames


def test_generator_to_checker(bench: Bench) -> None:
    bench.gen.length.set(low=16, high=300)
    bench.gen.frames.write(300)
    bench.gen.ctrl.set(start=1)
    bench.dut.run_until(lambda: not bench.gen.status.read(), 200_000, step=500)
    frames = _loop(bench)
    results = _results(bench)
    assert results == {
        **dict.fromkeys(results, 0),
        "received": 300,
        "next_seq": 300,
    }
    assert bench.check.read64("bytes") == sum(len(f.data) for f in frames)
    assert bench.check.read64("bytes") == bench.gen.read64("sent_bytes")


# ---- ping-pong -------------------------------------------------------------------------------


def _start_ping(bench: Bench, **setup: int) -> None:
    bench.ping.peer_ip.write(0x0A4D0002)
    bench.ping.ports.set(own=4660, peer=7)
    for name, value in setup.items():
        bench.ping[name].write(value)
    bench.ping.ctrl.set(start=1)


def _pong(bench: Bench, delay: int = 50) -> bytes:
    """Answer the next probe after a number of cycles."""
    frame = bench.dut.recv("m_axis_ping", 1)[0]
    record = bench.fields(bench.dut.recv("m_hdr_ping", 1)[0])
    assert record["length"] == len(frame.data)
    assert (record["peer_ip"], record["peer_port"], record["local_port"]) == (0x0A4D0002, 7, 4660)
    bench.dut.run(delay)
    bench.feed("ping", frame.data, peer_ip=0x0A4D0002, peer_port=7, local_port=4660)
    bench.dut.drain()
    return frame.data


def test_pingpong(bench: Bench) -> None:
    dut = bench.dut
    _start_ping(bench, rounds=20, length=100)
    rtts = []
    for index in range(20):
        first = dut.recv("m_axis_ping", 1)[0]
        assert probes.read(first.data)[1] == index
        record = bench.fields(dut.recv("m_hdr_ping", 1)[0])
        dut.run(10 * (index + 1))
        bench.feed("ping", first.data, local_port=4660)
        dut.drain(settle=8)
        rtts.append(dut.sent("s_axis_ping")[-1][1] - first.cycle)
        assert bench.ping.rtt_last.read() == rtts[-1]
        assert record["cks"] == CKS_NONE
    assert bench.ping.status.read() == 0
    assert dut.get("kernel_busy") == 0
    assert bench.ping.rtt_min.read() == min(rtts)
    assert bench.ping.rtt_max.read() == max(rtts)
    assert bench.ping.read64("rtt_sum") == sum(rtts)
    assert (bench.ping.sent.read(), bench.ping.received.read(), bench.ping.lost.read()) == (
        20,
        20,
        0,
    )
    bins = bench.ping["bin"].read_all()
    assert bins == [sum(r.bit_length() - 1 == k for r in rtts) for k in range(32)]
    assert not any(bench.ping.counters().values())


def test_pingpong_losses(bench: Bench) -> None:
    dut = bench.dut
    _start_ping(bench, rounds=6, length=64, timeout=2000, gap=100)
    _pong(bench)  # 0: answered
    lost = dut.recv("m_axis_ping", 1)[0].data  # 1: lost
    dut.recv("m_hdr_ping", 1)
    two = dut.recv("m_axis_ping", 1, timeout_cycles=3000)[0].data  # 2: the next round
    dut.recv("m_hdr_ping", 1)
    bench.feed("ping", lost, local_port=4660)  # late
    bench.feed("ping", two, bad=True, local_port=4660)  # bad
    bench.feed("ping", two[:-1] + bytes([two[-1] ^ 1]), local_port=4660)  # corrupt
    bench.feed("ping", b"", local_port=4660)  # corrupt
    bench.feed("ping", two, local_port=4661)  # another port
    bench.feed("ping", two, local_port=4660)  # answered
    bench.feed("ping", two, local_port=4660)  # duplicated
    dut.drain()
    for _ in range(3):
        _pong(bench)
    assert bench.ping.status.read() == 0
    assert bench.ping.counters() == {"late": 2, "corrupt": 2, "bad_payload": 1, "drop_port": 1}
    assert (bench.ping.sent.read(), bench.ping.received.read(), bench.ping.lost.read()) == (6, 5, 1)
    # All lost: the run still ends.
    _start_ping(bench, rounds=3, timeout=500, gap=0)
    dut.run_until(lambda: not bench.ping.status.read(), 5000, step=100)
    assert bench.ping.lost.read() == 3
    assert bench.ping.rtt_min.read() == 0xFFFFFFFF


def test_pingpong_stop_and_restart(bench: Bench) -> None:
    dut = bench.dut
    _start_ping(bench, rounds=0, timeout=0, length=18)
    for _ in range(5):
        _pong(bench, 3)
    old = dut.recv("m_axis_ping", 1)[0].data
    bench.ping.ctrl.set(start=1)  # restarts; the open round's reply must not count
    new = dut.recv("m_axis_ping", 1)[0].data
    assert probes.read(new)[1] == probes.read(old)[1] + 1
    bench.feed("ping", old, local_port=4660)
    dut.drain()
    assert bench.ping.received.read() == 0
    bench.feed("ping", new, local_port=4660)
    dut.drain()
    assert bench.ping.received.read() == 1
    dut.recv("m_axis_ping", 1)
    bench.ping.ctrl.set(stop=1)
    assert bench.ping.status.read() == 1  # the open round has no time-out
    bench.ping.timeout.write(300)
    bench.ping.ctrl.set(start=1)
    dut.run(100)
    bench.ping.ctrl.set(stop=1)
    dut.run_until(lambda: not bench.ping.status.read(), 1000, step=20)
    assert (bench.ping.sent.read(), bench.ping.lost.read()) == (1, 1)
