# SPDX-License-Identifier: Apache-2.0
"""kumi_hls_remote_tx and _rx: order, credit, channels that stop no other, bad headers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo.testing import Dut

WINDOW = 512  # REMOTE_WINDOW


@pytest.fixture(scope="module")
def made() -> Dut:
    return Dut.of_module(Path(__file__).with_name("kumi_tb_hls_remote.sv"))


@pytest.fixture
def dut(made: Dut) -> Dut:
    made.restart(1)
    made.set("up", 1)
    made.set("spoil", 0)
    return made


def words(count: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [rng.getrandbits(256) for _ in range(count)]


def received(dut: Dut, port: str, count: int) -> list[int]:
    """Words of a port until that many have come; any more are an error."""
    found: list[bytes] = []
    for _ in range(400):
        found += dut.recv_data(port)
        if len(found) >= count:
            break
        dut.run(100)
    dut.run(200)
    found += dut.recv_data(port)
    return [int.from_bytes(word, "little") for word in found]


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 511, 512, 513, 2000])
@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_every_word_in_order(dut: Dut, count: int, stall: float) -> None:
    dut.stall_all(stall, stall, count)
    sent = [words(count, 1), words(count, 2)]
    for channel, data in enumerate(sent):
        dut.send(f"s_hdr_in{channel}", data)
    for channel, data in enumerate(sent):
        assert received(dut, f"m_hdr_out{channel}", count) == data


def test_a_peer_that_is_not_up(dut: Dut) -> None:
    """Nothing is sent; afterwards everything is."""
    dut.set("up", 0)
    data = words(40, 3)
    dut.send("s_hdr_in1", data)
    for _ in range(300):
        dut.run(1)
        assert not dut.get("m_valid_first")
    dut.set("up", 1)
    assert received(dut, "m_hdr_out1", 40) == data


def test_first_word(dut: Dut) -> None:
    """The header is offered after the cycles that kumi_hls_remote_tx states."""
    for wait in range(9):
        dut.restart(wait + 1)
        dut.set("up", 1)
        dut.run(50 + wait)
        dut.send("s_hdr_in0", words(1, wait))
        cycles = 0
        while not dut.get("m_valid_first"):
            dut.run(1)
            cycles += 1
            assert cycles < 40
        assert 9 <= cycles <= 9 + 4 + 2  # three other turns; and the way to the port


def test_unread_channel(dut: Dut) -> None:
    """One channel may have its window under way and no more; the other goes on."""
    dut.stall("m_hdr_out0", 1.0)
    dut.send("s_hdr_in0", words(1500, 4))
    dut.run(3000)
    data = words(1500, 5)
    dut.send("s_hdr_in1", data)
    assert received(dut, "m_hdr_out1", 1500) == data
    dut.stall("m_hdr_out0", 0.0)
    assert received(dut, "m_hdr_out0", 1500) == words(1500, 4)


@pytest.mark.parametrize("spoil", [1, 2, 3], ids=["kind", "channel", "report"])
def test_bad_header(dut: Dut, spoil: int) -> None:
    """What is of no kind or channel is dropped with an event, the next message is not."""
    dut.set("spoil", spoil)
    dut.watch("ev_drop")
    dut.send("s_hdr_in0", words(1, 6))
    dut.run(60)
    dut.set("spoil", 0)
    assert dut.counts("ev_drop") == {"0": 1}
    data = words(5, 7)
    dut.send("s_hdr_in0", data)
    assert received(dut, "m_hdr_out0", 5) == data
