# SPDX-License-Identifier: Apache-2.0
"""The adapter runtime: every port kind, clocks, time, and what it reports of bad designs."""

from __future__ import annotations

import ctypes
import random
import struct
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from kumihimo.testing import Dut, DutFailed, Frame, Hang, ProtocolError

LOOP = Path(__file__).parent / "hw/kumi_node_loop.sv"


@pytest.fixture(scope="module")
def built() -> Dut:
    return Dut(LOOP, periods_ps={"clk": 6400, "side_clk": 2500})


@pytest.fixture
def dut(built: Dut) -> Dut:
    built.restart()
    return built


def frames(seed: int, n: int, most: int) -> list[bytes]:
    rng = random.Random(seed)
    return [rng.randbytes(rng.randint(1, most)) for _ in range(n)]


def test_what_the_design_has(dut: Dut) -> None:
    info = dut.node.info
    assert info["design"] == "loop" and info["clocks"] == ["clk", "side_clk"]
    ports = {(p["name"], p["kind"]): p for p in info["ports"]}
    assert ports["eth0", "eth"]["rx_bits"] == ports["eth0", "eth"]["tx_bits"] == 64
    assert ports["side", "axis"]["clock"] == "side_clk"
    assert ports["rec", "hdr"]["rx_bits"] == 70
    assert ports["", "axil"]["to_node"]
    assert {p["name"]: p["bits"] for p in info["pins"]}["wide_in"] == 100


@pytest.mark.parametrize("piece", [0, 1, 4, 7, 8, 32, 64])
@pytest.mark.parametrize("rx,tx", [(0, 0), (0.3, 0.5), (0.9, 0), (0, 0.9)])
def test_frames_survive_any_repacking(dut: Dut, piece: int, rx: float, tx: float) -> None:
    sent = frames(piece, 60, 130)
    dut.stall_all(rx, tx, seed=3)
    dut.send("eth0", sent, piece_bytes=piece)
    assert dut.recv_data("eth0", len(sent), 60_000) == sent
    stats = dut.stats("s_axis_eth0")
    assert stats["rx_frames"] == stats["tx_frames"] == len(sent)
    assert stats["rx_bytes"] == sum(map(len, sent))
    assert stats["rx_beats"] == sum((len(f) + 7) // 8 for f in sent)


def test_no_bubbles_at_full_rate(dut: Dut) -> None:
    dut.send("eth0", [bytes(800)] * 20, piece_bytes=64)
    got = dut.recv("eth0", 20)
    assert got[-1].last_cycle - got[0].cycle == 20 * 100 - 1
    assert dut.sent("eth0")[0] == (0, 99)
    assert got[0].cycle == 1
    assert dut.stats("eth0")["tx_gap"] == 0


def test_bad_frames_and_side_band(dut: Dut) -> None:
    dut.send("eth0", [Frame(b"good"), Frame(b"bad" * 9, bad=True)])
    assert [f.bad for f in dut.recv("eth0", 2)] == [False, True]
    assert dut.stats("eth0")["tx_bad"] == 1
    dut.send("side", Frame(b"abc", users=[1, 0x3FE, 0x2AA], id=9, dest=17))
    (side,) = dut.recv("side", 1)
    assert (side.data, side.users, side.id, side.dest) == (b"abc", [1, 0x3FE, 0x2AA], 9, 17)
    dut.send("side", Frame(b"x", bad=True, user=0x200))
    (side,) = dut.recv("side", 1)
    assert side.bad and side.user == 0x201


def test_header_stream(dut: Dut) -> None:
    values = [0, (1 << 70) - 1, 0x2A_5555_AAAA_0123_4567, 1]
    dut.stall_all(0.5, 0.5, seed=9)
    dut.send("s_hdr_rec", values)
    assert [f.value for f in dut.recv("m_hdr_rec", 4)] == values


def test_registers(dut: Dut) -> None:
    for i in range(16):
        dut.axil_write(4 * i, 0x1111_1111 * i)
    dut.axil_write(8, 0xAABBCCDD, strb=0b0101)
    assert [dut.axil_read(4 * i) for i in range(4)] == [0, 0x11111111, 0x22BB22DD, 0x33333333]
    assert dut.axil_response(False, 0x100) == 2
    with pytest.raises(DutFailed, match="response 2"):
        dut.axil_write(0x100, 0)


def test_register_timeout_and_a_late_answer(dut: Dut) -> None:
    dut.axil_write(4, 77)
    assert dut.axil_response(False, 0x300) == 255  # answers after 70,000 cycles
    assert dut.cycle >= 65536
    dut.run(5000)
    assert dut.axil_read(4) == 77  # the late answer was not taken for this one
    assert dut.axil_response(True, 0x200) == 255


def test_pins(dut: Dut) -> None:
    value = random.Random(1).getrandbits(100)
    dut.set("wide_in", value)
    dut.run()
    assert dut.get("wide_out") == value ^ ((1 << 100) - 1)
    assert dut.get("wide_in") == value
    assert dut.get("label").to_bytes(16, "big").strip(b"\0") == b"loop"
    with pytest.raises(KeyError, match='Did you mean "wide_in"'):
        dut.set("wide_ni", 1)


def test_watched_pins_count_cycles(dut: Dut) -> None:
    dut.watch("wide_out")
    dut.set("wide_in", (1 << 100) - 1 - 0b101)
    dut.run(10)
    dut.set("wide_in", (1 << 100) - 1)
    dut.run(5)
    counts = dut.counts("wide_out")
    assert (counts["0"], counts["1"], counts["2"], counts["99"]) == (10, 0, 10, 0)


def test_clocks_keep_their_ratio(dut: Dut) -> None:
    dut.run(1000)
    core, side = dut.get("core_cycles"), dut.get("side_cycles")
    dut.run(1000)
    assert dut.get("core_cycles") - core == 1000
    assert dut.get("side_cycles") - side == 1000 * 6400 // 2500


def test_a_piece_of_time_is_the_same_as_its_parts(dut: Dut) -> None:
    def play(step: int) -> list[tuple[bytes, int, int]]:
        dut.restart()
        dut.stall_all(0.3, 0.3, seed=5)
        dut.line("eth0", 10e9)
        dut.send("eth0", frames(4, 30, 400), piece_bytes=32)
        dut.send("side", frames(5, 30, 40))
        for _ in range(0, 3000, step):
            dut.node.run_raw(step)
        got = dut.recv("eth0") + dut.recv("side")
        return [(f.data, f.cycle, f.last_cycle) for f in got]

    whole = play(3000)
    assert len(whole) == 60
    assert play(1) == whole
    assert play(500) == whole


def test_random_start_is_seeded(dut: Dut) -> None:
    seen = []
    for seed in (1, 2, 1):
        dut.restart(seed=seed)
        dut.run()
        seen.append(dut.get("unset"))
    assert seen[0] == seen[2] != seen[1]


# ---- the line of an eth port ------------------------------------------------------------------


def test_line_rate_shapes_what_leaves(dut: Dut) -> None:
    """At 5 Gb/s a 64-bit beat takes 12.8 ns, two cycles; 24 bytes of overhead follow a frame."""
    dut.line("eth0", 5e9)
    for _ in range(6):
        dut.node.push("eth0", bytes(100), t_ps=0)
    got = dut.recv("eth0", 6)
    starts = [f.cycle for f in got]
    per_frame = (100 + 24) * 1.6 / 6.4
    for a, b in pairwise(starts):
        assert abs(b - a - per_frame) <= 1
    assert got[0].last_cycle - got[0].cycle == pytest.approx((100 - 8) * 1.6 / 6.4, abs=1)


def test_a_line_that_was_idle_is_no_faster_later(dut: Dut) -> None:
    dut.line("eth0", 5e9)
    dut.run(20_000)
    for _ in range(20):
        dut.node.push("eth0", bytes(100))
    starts = [f.cycle for f in dut.recv("eth0", 20)]
    assert (starts[-1] - starts[0]) / 19 == pytest.approx((100 + 24) * 1.6 / 6.4, abs=0.2)


def test_time_stamp_is_the_end_of_the_last_byte(dut: Dut) -> None:
    dut.line("eth0", 10e9)
    dut.node.push("eth0", bytes(60), piece_bytes=64)  # on the line from 0 to 48,000 ps
    dut.run(40)
    (frame,) = dut.node.pop("eth0")
    # Each 8 bytes are taken at the first edge at or after their arrival, and leave one cycle later.
    arrivals = [min(60, 8 * (i + 1)) * 800 for i in range(8)]
    edges = [-(-t // 6400) + 1 for t in arrivals]
    ends, free = [], 0
    for edge, n in zip(edges, [8] * 7 + [4], strict=True):
        free = max(free, edge * 6400) + n * 800
        ends.append(free)
    assert list(frame.beat_ps) == ends


def test_a_slow_clock_still_fills_the_line() -> None:
    """512 bits at 322.265625 MHz and 100 Gb/s: a beat is 5,120 ps, the period 3,103 ps."""
    dut = Dut(LOOP, {"DATA_W": 512}, periods_ps={"clk": 3103, "side_clk": 3103})
    dut.line("eth0", 100e9)
    for _ in range(40):
        dut.node.push("eth0", bytes(1536))
    dut.run(2000)
    got = dut.node.pop("eth0")
    ends = [f.t_last_ps for f in got]
    rate = (ends[30] - ends[5]) / 25 / 80
    assert rate == pytest.approx(1536 + 24, rel=0.002)


def test_frames_that_find_no_room_are_dropped_whole(dut: Dut) -> None:
    dut.line("eth0", 10e9, rx_limit_bytes=512)
    dut.stall("m_axis_eth0", 0.75, seed=4)
    sent = [bytes([i]) * 200 for i in range(60)]
    dut.send("eth0", sent)
    dut.node.run_until_taken(50_000)
    dut.run(500)
    got = dut.recv("eth0")
    stats = dut.stats("eth0")
    good = [f.data for f in got if not f.bad]
    cut = [f for f in got if f.bad]
    assert stats["rx_overflow"] == len(sent) - len(good) > 0
    assert all(f in sent for f in good) and good == sorted(good)
    assert all(sent[f.data[0]].startswith(f.data[:-1]) for f in cut)


# ---- designs that misbehave -------------------------------------------------------------------


@pytest.mark.parametrize("rule", [1, 2, 3])
def test_broken_stream_rules_are_seen(dut: Dut, rule: int) -> None:
    dut.set("break_rule", rule)
    dut.stall("m_axis_eth0", 0.5, seed=2)
    dut.send("eth0", frames(1, 20, 40))
    with pytest.raises(ProtocolError, match="m_axis_eth0"):
        dut.run(400)


@pytest.mark.parametrize("say,text", [(2, "it went wrong"), (3, r"\$finish"), (5, "the end")])
def test_a_failing_design_does_not_end_the_process(dut: Dut, say: int, text: str) -> None:
    dut.run(3)
    dut.set("say", say)
    with pytest.raises(DutFailed, match=text):
        dut.run(2)
    dut.node.run(1000)  # harmless
    dut.restart()
    dut.send("eth0", b"alive")
    assert dut.recv_data("eth0", 1) == [b"alive"]


def test_messages(dut: Dut) -> None:
    dut.set("wide_in", 1234)
    dut.set("say", 1)
    dut.run(2)
    assert dut.messages == [(0, "value 1234")] * 2
    dut.set("say", 4)
    dut.run(1)
    level, text = dut.messages[-1]
    assert level == 1 and "take care" in text


def test_a_hang_is_told(dut: Dut) -> None:
    dut.send("eth0", b"one frame")
    with pytest.raises(Hang, match="1 of 2 frames came out of eth0 within 100 cycles"):
        dut.recv("eth0", 2, timeout_cycles=100)
    with pytest.raises(Hang, match="pigs fly did not come true within 50 cycles"):
        dut.run_until(lambda: False, 50, what="pigs fly")


def test_wrong_uses_are_explained(dut: Dut) -> None:
    with pytest.raises(KeyError, match="has no port eth1"):
        dut.send("eth1", b"x")
    with pytest.raises(RuntimeError, match="at least one byte"):
        dut.send("eth0", b"")
    with pytest.raises(RuntimeError, match="has no clock"):
        Dut(LOOP, periods_ps={"klc": 1})


def test_waveform(tmp_path: Path) -> None:
    path = tmp_path / "loop.fst"
    dut = Dut(LOOP, trace=path)
    dut.send("eth0", frames(1, 5, 100))
    dut.recv("eth0", 5)
    dut.node.trace(False)
    blocks = fst_blocks(path.read_bytes())
    hierarchy = lz4_block(blocks[HIERARCHY_LZ4][8:], int.from_bytes(blocks[HIERARCHY_LZ4][:8]))
    assert b"s_axis_eth0_tdata" in hierarchy
    whole, count = struct.unpack_from(">QQ", blocks[GEOMETRY])
    geometry = zlib.decompress(blocks[GEOMETRY][16:])
    assert len(geometry) == whole and count > 10


GEOMETRY, HIERARCHY_LZ4 = 3, 6


def fst_blocks(data: bytes) -> dict[int, bytes]:
    """Blocks of an FST file by type: a type byte, the length with its own 8 bytes, the content."""
    blocks, at = {}, 0
    while at < len(data):
        (length,) = struct.unpack_from(">Q", data, at + 1)
        blocks[data[at]] = data[at + 9 : at + 1 + length]
        at += 1 + length
    return blocks


def lz4_block(data: bytes, size: int) -> bytes:
    """Decompressed by the library itself."""
    out = ctypes.create_string_buffer(size)
    count = ctypes.CDLL("liblz4.so.1").LZ4_decompress_safe(data, out, len(data), size)
    assert count == size
    return out.raw
