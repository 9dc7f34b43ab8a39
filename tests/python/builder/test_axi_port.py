# SPDX-License-Identifier: Apache-2.0
"""The memory port: bursts of every shape, order, time, errors, broken rules."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

import pytest
from axi_ops import FIXED, INCR, WRAP, Burst, apply, random_burst
from kumihimo.build import BuildError, scan, toolchain
from kumihimo.testing import Dut, Frame, ProtocolError

HERE = Path(__file__).parent
WIRES = HERE / "hw/kumi_node_axi_wires.sv"


@pytest.fixture(scope="module")
def built() -> Dut:
    return Dut(WIRES)


@pytest.fixture
def dut(built: Dut) -> Dut:
    built.restart()
    return built


def send(dut: Dut, bursts: list[Burst], bus_bytes: int = 8) -> None:
    for b in bursts:
        if b.write:
            data = b"".join(w.to_bytes(bus_bytes, "little") for w in b.words)
            dut.send("s_hdr_aw", b.address_record())
            dut.send("s_axis_w", Frame(data, users=b.strobes))
        else:
            dut.send("s_hdr_ar", b.address_record())


def write(addr: int, data: bytes, id_: int = 0) -> Burst:
    """Full words of 8 bytes."""
    words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data), 8)]
    return Burst(True, addr, len(words), 3, INCR, id_, words, [255] * len(words))


def read(addr: int, beats: int, id_: int = 0) -> Burst:
    return Burst(False, addr, beats, 3, INCR, id_)


def reads(dut: Dut, bursts: list[Burst], bus: int = 8) -> tuple[list[list[bytes]], list[int], int]:
    """Wait for the reads.

    Returns the addressed bytes of each burst's beats, the ids in the order of their last beats, and
    how often beats of different ids alternated within a burst.
    """
    waiting: dict[int, list[tuple[int, list[bytes]]]] = {}
    out: list[list[bytes]] = []
    for b in bursts:
        out.append([])
        waiting.setdefault(b.id, []).append((len(out) - 1, out[-1]))
    ended: list[int] = []
    switches, inside = 0, -1
    for frame in dut.recv("m_axis_r", len(bursts), 60_000):
        for i, user in enumerate(frame.users):
            id_, word = user >> 3, frame.data[i * bus : (i + 1) * bus]
            number, beats = waiting[id_][0]
            first, end = bursts[number].beat_range(len(beats))
            beats.append(word[first % bus : first % bus + end - first])
            last = len(beats) == bursts[number].beats
            assert not last or i + 1 == frame.beats  # RLAST where the burst ends
            switches += inside not in (-1, id_)
            inside = -1 if last else id_
            if last:
                ended.append(id_)
                waiting[id_].pop(0)
    assert not any(waiting.values())
    return out, ended, switches


def test_a_node_has_the_port(dut: Dut) -> None:
    ports = {(p["name"], p["kind"]): p for p in dut.node.info["ports"]}
    assert ports["mem", "axi"]["rx_bits"] == ports["mem", "axi"]["tx_bits"] == 64
    mem = dut.memory("mem")
    assert mem.read(0xFFFF_0000, 4) == bytes(4)
    mem.write(4090, b"across a page")
    assert mem.read(4088, 16) == b"\0\0across a page\0"
    dut.drain()  # a port without streams waits for nothing
    with pytest.raises(KeyError, match="has no memory"):
        dut.memory("m_hdr_b")


@pytest.mark.parametrize("width", [32, 64, 512])
@pytest.mark.parametrize("loose", [False, True])
def test_random_bursts(width: int, loose: bool) -> None:
    """Each id has its own 8 KiB; a round's writes are answered before its reads are asked for."""
    bus, each = width // 8, 50
    dut = Dut(WIRES, {"DATA_W": width})
    rng = random.Random(width + loose)
    mem = dut.memory("mem")
    dut.stall_all(0.3, 0.3, seed=width)
    if loose:
        mem.configure(jitter_ps=300_000, reorder=True, interleave=True)
    image = bytearray(rng.randbytes(16 * 8192))
    mem.write(0, image)
    overtaken, switches = False, 0
    for _ in range(5):
        for is_write in (True, False):
            ids = [rng.randrange(16) for _ in range(each)]
            bursts = [random_burst(rng, is_write, bus, i * 8192, 8192, i) for i in ids]
            send(dut, bursts, bus)
            if is_write:
                answers = [b.value for b in dut.recv("m_hdr_b", each, 60_000)]
                assert not any(a & 3 for a in answers)
                ended = [a >> 2 for a in answers]
                for b in bursts:
                    apply(b, image, 0, bus)
            else:
                got, ended, more = reads(dut, bursts, bus)
                switches += more
                for b, beats in zip(bursts, got, strict=True):
                    assert beats == [image[slice(*b.beat_range(i))] for i in range(b.beats)], b
            assert sorted(ended) == sorted(ids)
            overtaken |= ended != ids
    assert overtaken == loose and (switches > 0) == loose
    assert mem.read(0, len(image)) == image
    stats = mem.stats
    assert stats["errors"] == stats["protocol_errors"] == 0
    assert stats["read_bursts"] == stats["write_bursts"] == 5 * each


def test_against_cocotbext_axi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bursts at cocotbext-axi's AxiRam: same answers, same data, same memory."""
    from cocotb_tools.runner import get_results, get_runner

    size, bus = 16384, 8
    rng = random.Random(12)
    rounds = [
        [random_burst(rng, w, bus, 0, size, 0) for w in (True, False) for _ in range(25)]
        for _ in range(6)
    ]
    ops, result = tmp_path / "ops.json", tmp_path / "result.json"
    todo = {"size": size, "rounds": [[b.to_json() for b in r] for r in rounds]}
    ops.write_text(json.dumps(todo))
    root = toolchain.verilator_root()
    monkeypatch.setenv("VERILATOR_ROOT", str(root))
    monkeypatch.setenv("PATH", f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include")
    runner = get_runner("verilator")
    runner.build(
        sources=[WIRES],
        hdl_toplevel="kumi_node_axi_wires",
        build_dir=tmp_path / "sim",
        build_args=["-O3", "-Wno-fatal", "-CFLAGS", "-O0"],
        timescale=("1ns", "1ps"),
    )
    results = runner.test(
        hdl_toplevel="kumi_node_axi_wires",
        hdl_toplevel_lang="verilog",
        test_module="axi_ram_cocotb",
        build_dir=tmp_path / "sim",
        test_dir=tmp_path / "sim",
        extra_env={
            "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]),
            "COCOTB_LOG_LEVEL": "WARNING",
            "AXI_OPS": str(ops),
            "AXI_RESULT": str(result),
        },
    )
    assert get_results(results) == (1, 0)
    theirs = json.loads(result.read_text())

    dut = Dut(WIRES)
    dut.stall_all(0.2, 0.2, seed=3)
    theirs_reads = iter(theirs["reads"])
    for bursts in rounds:
        writes = [b for b in bursts if b.write]
        send(dut, writes)
        assert [b.value & 3 for b in dut.recv("m_hdr_b", len(writes))] == [0] * len(writes)
        asked = [b for b in bursts if not b.write]
        send(dut, asked)
        for b, mine in zip(asked, reads(dut, asked)[0], strict=True):
            words = [w.to_bytes(bus, "little") for w in next(theirs_reads)]
            spans = [b.beat_range(i) for i in range(b.beats)]
            assert mine == [
                w[first % bus : first % bus + end - first]
                for w, (first, end) in zip(words, spans, strict=True)
            ]
    assert theirs["answers"] == [0] * len(theirs["answers"]) and len(theirs["answers"]) == 150
    assert next(theirs_reads, None) is None
    assert dut.memory("mem").read(0, size).hex() == theirs["memory"]


def test_write_data_may_come_first(dut: Dut) -> None:
    dut.send("s_axis_w", [Frame(bytes([n]) * 16, users=[255, 255]) for n in (1, 2, 3)])
    dut.run(20)
    assert dut.stats("m_axi_mem")["tx_beats"] == 6
    for n in range(3):
        dut.send("s_hdr_aw", Burst(True, 0x100 * n, 2, 3, INCR, 0).address_record())
    dut.recv("m_hdr_b", 3)
    assert [dut.memory("mem").read(0x100 * n, 16) for n in range(3)] == [
        bytes([n]) * 16 for n in (1, 2, 3)
    ]


def test_a_read_before_the_answer_of_a_write_meets_old_data(dut: Dut) -> None:
    mem = dut.memory("mem")
    mem.configure(latency_cycles=50)
    send(dut, [write(64, b"new data")])
    dut.run(20)
    assert mem.read(64, 8) == bytes(8)
    send(dut, [read(64, 1)])
    dut.recv("m_hdr_b", 1)
    assert mem.read(64, 8) == b"new data"
    assert reads(dut, [read(64, 1)])[0] == [[bytes(8)]]
    send(dut, [read(64, 1)])
    assert reads(dut, [read(64, 1)])[0] == [[b"new data"]]


def test_latency(dut: Dut) -> None:
    dut.memory("mem").configure(latency_cycles=40)
    send(dut, [read(0, 4), write(0, bytes(64))])
    (r,) = dut.recv("m_axis_r", 1)
    (b,) = dut.recv("m_hdr_b", 1)
    # The address moves in cycle 0, the last of 8 words of data in cycle 7.
    assert (r.cycle, r.last_cycle, b.cycle) == (40, 43, 47)


@pytest.mark.parametrize("shared", [False, True])
def test_bandwidth(dut: Dut, shared: bool) -> None:
    """At 156.25 MHz and 64 bits the port carries 10 Gb/s each way; the memory gives 4 Gb/s."""
    dut.memory("mem").configure(bandwidth_bps=4e9, latency_ps=100_000, shared=shared)
    for i in range(40):
        send(dut, [read(1024 * i, 32), write(1024 * i, bytes(256))])
    r = dut.recv("m_axis_r", 40, 60_000)
    b = dut.recv("m_hdr_b", 40, 60_000)
    bits = 40 * 256 * 8
    took = (r[-1].last_cycle * 6400, b[-1].cycle * 6400)
    if shared:
        assert 2 * bits / (max(took) / 1e12) == pytest.approx(4e9, rel=0.05)
    else:
        assert [bits / (t / 1e12) for t in took] == pytest.approx([4e9, 4e9], rel=0.05)


def test_no_limit_is_a_beat_a_cycle(dut: Dut) -> None:
    for i in range(20):
        send(dut, [read(512 * i, 64), write(512 * i, bytes(512))])
    r = dut.recv("m_axis_r", 20)
    assert r[-1].last_cycle - r[0].cycle == 20 * 64 - 1
    assert dut.sent("s_axis_w")[-1][1] == 20 * 64 - 1


def test_errors(dut: Dut) -> None:
    mem = dut.memory("mem")
    mem.configure(size=8192)
    mem.write(8192 - 64, b"e" * 64)
    send(dut, [Burst(False, 8192 - 16, 4, 3, FIXED), read(8192 - 32, 4), read(8192, 2)])
    users = [f.users for f in dut.recv("m_axis_r", 3)]
    assert users == [[0] * 4, [0] * 4, [6, 6]]
    send(dut, [write(8192, b"too far."), write(8192 - 8, b"the end.")])
    assert [b.value for b in dut.recv("m_hdr_b", 2)] == [3, 0]
    assert mem.read(8192 - 8, 16) == b"the end." + bytes(8)

    mem.fault(100, 8)
    mem.fault(4096, 100)
    mem.fault(4104, 1000, False)
    send(dut, [read(88, 4), read(4096, 3), write(96, b"x" * 16), write(4104, b"y" * 8)])
    assert [f.users for f in dut.recv("m_axis_r", 2)] == [[0, 4, 4, 0], [4, 0, 0]]
    assert [b.value for b in dut.recv("m_hdr_b", 2)] == [2, 0]
    assert mem.read(96, 16) == bytes(16) and mem.read(4104, 8) == b"y" * 8
    mem.fault(100, 8, False)
    send(dut, [write(96, b"x" * 16)])
    assert dut.recv("m_hdr_b", 1)[0].value == 0
    assert mem.stats["errors"] == 5 and mem.stats["protocol_errors"] == 0


@pytest.mark.parametrize(
    "burst,text",
    [
        (Burst(False, 4096 - 8, 2, 3, INCR), "4 KiB"),
        (Burst(False, 0, 1, 4, INCR), "wider than the port"),
        (Burst(False, 0, 1, 3, 3), "reserved burst type"),
        (Burst(False, 0, 17, 3, FIXED), "more than 16"),
        (Burst(False, 0, 3, 3, WRAP), "not 2, 4, 8 or 16"),
        (Burst(False, 4, 4, 3, WRAP), "does not start at a multiple"),
        (Burst(True, 0, 2, 3, INCR, 0, [0, 0, 0], [255] * 3), "WLAST"),
        (Burst(True, 0, 3, 3, INCR, 0, [0, 0], [255] * 2), "WLAST"),
        (Burst(True, 2, 1, 1, INCR, 0, [0], [0b11]), "strobe"),
    ],
)
def test_broken_rules_are_seen(dut: Dut, burst: Burst, text: str) -> None:
    send(dut, [burst])
    with pytest.raises(ProtocolError, match="m_axi_mem"):
        dut.run(60)
    assert any(text in m for _, m in dut.messages)


@pytest.mark.parametrize("rule", [1, 2])
def test_an_address_must_stay(dut: Dut, rule: int) -> None:
    dut.set("break_rule", rule)
    dut.stall("m_axi_mem", 0.5, seed=4)
    send(dut, [write(8 * n, bytes(8)) for n in range(20)])
    with pytest.raises(ProtocolError, match="m_axi_mem"):
        dut.run(200)
    assert any("before ready" in m for _, m in dut.messages)


def test_a_master_without_wlast_is_caught_up_with(built: Dut) -> None:
    """What follows a burst with the wrong WLAST lands where it belongs."""
    built.restart()
    built.check = False
    try:
        send(built, [Burst(True, 0, 2, 3, INCR, 0, [1, 2, 3], [255] * 3), write(64, b"abcdefgh")])
        send(built, [write(128, b"12345678")])
        built.run(60)
        assert built.memory("mem").stats["protocol_errors"] >= 1
        send(built, [write(192, b"********")])
        built.run(60)
        mem = built.memory("mem")
        assert mem.read(0, 16) == b"\1" + bytes(7) + b"\2" + bytes(7)
    finally:
        built.check = True


@pytest.mark.parametrize(
    "old,new,text",
    [
        ("[         7:0] m_axi_mem_awlen", "[         3:0] m_axi_mem_awlen", "awlen has 4 bits"),
        ("parameter int DATA_W = 64", "parameter int DATA_W = 48", "must have 32, 64, 128"),
        ("parameter int ID_W   = 4", "parameter int ID_W   = 9", "at most 8 bits"),
        ("parameter int ADDR_W = 40", "parameter int ADDR_W = 65", "12 to 64 bits"),
        (
            "output logic                m_axi_mem_wlast",
            "output logic  wlast",
            "lacks m_axi_mem_wlast",
        ),
        (
            "input  logic                m_axi_mem_rlast",
            "output logic  m_axi_mem_rlast",
            "direction",
        ),
    ],
)
def test_bad_ports_are_refused(tmp_path: Path, old: str, new: str, text: str) -> None:
    source = WIRES.read_text()
    assert old in source
    top = tmp_path / WIRES.name
    body = source.replace(old, new)
    if "wlast" in old:
        body = body.replace("assign m_axi_mem_wlast", "assign wlast")
    if "rlast" in old:
        body = body.replace("m_axis_r_tlast    = m_axi_mem_rlast", "m_axis_r_tlast    = 1'b0")
        body = body.replace(
            "assign m_axis_r_tlast", "assign m_axi_mem_rlast = 1'b0;\n  assign m_axis_r_tlast"
        )
    top.write_text(body)
    with pytest.raises(BuildError, match=text):
        scan(top)
