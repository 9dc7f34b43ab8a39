# SPDX-License-Identifier: Apache-2.0
"""The lower layers of a SATA host against an independent device: FISes both ways, and trouble."""

from __future__ import annotations

import random

import pytest
from sata_bench import Host, data_fis
from sata_device import PRIMS, Habits

RECEIVED = {0x34: 5, 0x39: 1, 0x41: 7, 0x5F: 5, 0xA1: 2}
# What a clean line must never cause.
TROUBLE = ("rx_bad", "rx_abort", "rx_overrun", "bad_word", "timeout", "dead", "ev_retry", "ev_lost")


def command(rng: random.Random) -> list[int]:
    """A register FIS from the host."""
    return [rng.getrandbits(24) << 8 | 0x27] + [rng.getrandbits(32) for _ in range(4)]


def from_host(rng: random.Random, count: int, words: int = 120) -> list[list[int]]:
    """Commands and data mixed."""
    return [
        command(rng) if rng.random() < 0.5 else data_fis(rng, rng.randint(1, words))
        for _ in range(count)
    ]


def from_device(rng: random.Random, count: int, words: int = 120) -> list[list[int]]:
    """FISes of every kind that a device sends."""
    out = []
    for _ in range(count):
        if rng.random() < 0.4:
            out.append(data_fis(rng, rng.randint(1, words)))
        else:
            kind, size = rng.choice(list(RECEIVED.items()))
            more = [rng.getrandbits(32) for _ in range(size - 1)]
            out.append([rng.getrandbits(24) << 8 | kind, *more])
    return out


def exchange(host: Host, out: list[list[int]], back: list[list[int]], limit: int = 60_000):  # type: ignore[no-untyped-def]
    """Send all both ways; what the host's reader got."""
    got: list[tuple[list[int], bool]] = []
    for fis in out:
        host.send(fis)
    before, answered = len(host.codes), len(host.device.answers)
    host.device.outbox.extend(back)
    host.until(
        lambda: (
            len(host.codes) - before == len(out)
            and len(host.device.answers) - answered == len(back)
        ),
        limit,
        "the end of the exchange",
    )
    host.run(600)
    got += host.received()
    assert host.device.errors == []
    return got


@pytest.mark.parametrize(
    "habits,more",
    [
        (Habits(), {}),
        (Habits(cont=False), {"CONT": 0}),
        (Habits(hold=0.02, pause=0.02), {"gaps": 0.02}),
        (Habits(hold=0.2, pause=0.2, dmat=0.05, hold_answer=20), {"delay": 15}),
        (Habits(hold=0.05, cont=False), {"delay": 0, "gaps": 0.01}),
        (Habits(pause=0.1, align_gap=60), {"delay": 9}),
    ],
)
@pytest.mark.parametrize("stall", [0.0, 0.6])
def test_fises_both_ways(habits: Habits, more: dict[str, int], stall: float) -> None:
    host = Host(habits, seed=int(stall * 10) + 3, **more)  # type: ignore[arg-type]
    if stall:
        host.dut.stall_all(rx=0.3, tx=stall, seed=5)
    host.start()
    rng = random.Random(7)
    out, back = from_host(rng, 12), from_device(rng, 14)
    got = exchange(host, out, back)
    assert host.codes == ["OK"] * len(out)
    assert host.device.got == out
    assert got == [(fis, False) for fis in back]
    assert host.device.answers == ["R_OK"] * len(back)
    events = host.events()
    assert [name for name in TROUBLE if events[name]] == []
    assert ("CONT" in host.device.names) == (more.get("CONT", 1) == 1)


def test_longest_data_fis_and_its_cost() -> None:
    host = Host(delay=4)
    host.start()
    rng = random.Random(2)
    out, back = data_fis(rng, 2048), data_fis(rng, 2048)
    for way in ("out", "back"):
        at = host.dut.cycle
        got = exchange(host, [out] if way == "out" else [], [back] if way == "back" else [])
        assert host.dut.cycle - at - 600 < 2048 + 16 + 4 + 60  # ALIGNs, frame, handshake
    assert host.device.got == [out]
    assert got == [(back, False)]


def test_align_pairs() -> None:
    """Two ALIGNs lead every 256 words, in frames and out of them."""
    host = Host()
    host.start()
    host.run(20)
    host.log = []
    exchange(host, [data_fis(host.rng, 1500)], [])
    aligns = [i for i, word in enumerate(host.log) if word == (PRIMS["ALIGN"], 1)]
    assert len(aligns) >= 12
    assert {i % 256 for i in aligns} == {aligns[0] % 256, (aligns[0] + 1) % 256} or (
        aligns[1] - aligns[0] == 255
    )
    assert len(aligns) == pytest.approx(len(host.log) / 128, abs=2)


def test_slow_reader_holds_the_device() -> None:
    """The reader stops altogether: the device is asked to HOLD, and no word is lost."""
    host = Host(Habits(hold_answer=20), delay=6, WAIT_CYCLES=500)
    host.start()
    fis = data_fis(host.rng, 1000)
    host.dut.stall("m_axis", 1.0)
    host.device.outbox.append(fis)
    host.run(3000)
    assert host.device.answers == []
    assert host.device.state == "holda"
    host.dut.stall("m_axis", 0.0)
    host.until(lambda: host.device.answers, 4000, "the answer")
    host.run(300)
    assert host.received() == [(fis, False)]
    events = host.events()
    assert [name for name in TROUBLE if events[name]] == []


def test_host_answers_hold_in_time() -> None:
    """From HOLD to the last word of data, seen by the device: the line's delay and 20 words."""
    host = Host(Habits(hold=0.05), delay=0)
    host.start()
    exchange(host, [data_fis(host.rng, 900)], [])
    assert 0 < host.device.after_hold <= 20


def test_device_that_ignores_hold_loses_the_fis_and_nothing_else() -> None:
    host = Host(Habits(hold_answer=400), delay=4)
    host.start()
    host.dut.stall("m_axis", 1.0)
    fis = data_fis(host.rng, 300)
    host.device.stop_in = 10**6
    host.device.outbox.append(fis)
    for _ in range(600):
        host.device.stop_in = 10**6  # it never gets there
        host.cycle()
    host.dut.stall("m_axis", 0.0)
    host.until(lambda: host.device.answers, 8000, "the answer")
    assert host.device.answers == ["R_ERR"]
    host.run(300)
    ((_, bad),) = host.received()
    assert bad
    assert host.events()["rx_overrun"] > 0
    good = data_fis(host.rng, 30)
    host.device.habits.hold_answer = 20
    assert exchange(host, [], [good]) == [(good, False)]


def test_wrong_crc_is_refused_and_not_delivered() -> None:
    host = Host()
    host.start()
    register, data = [0x34, 1, 2, 3, 4], data_fis(host.rng, 20)
    for fis in (register, data):
        host.device.broken = True
        got = exchange(host, [], [fis])
        assert got == ([(fis, True)] if fis is data else [])
        assert exchange(host, [], [fis]) == [(fis, False)]
    assert host.device.answers == ["R_ERR", "R_OK"] * 2
    assert host.events()["ev_drop"] == 1


@pytest.mark.parametrize(
    "fis",
    [
        [0x27, 0, 0, 0, 0],
        [0x34, 0, 0, 0],
        [0x34] + [0] * 11,
        [0x46],
        [0x00, 1],
        [0x46] + [0] * 2049,
    ],
)
def test_illegal_fis_is_refused(fis: list[int]) -> None:
    host = Host()
    host.start()
    got = exchange(host, [], [fis])
    assert host.device.answers == ["R_ERR"]
    assert all(bad for _, bad in got)
    good = [0xA1, 5]
    assert exchange(host, [], [good]) == [(good, False)]


def test_refused_command_is_sent_again_and_data_are_not() -> None:
    host = Host()
    host.start()
    host.device.habits.refuse = 1.0
    exchange(host, [command(host.rng), data_fis(host.rng, 9)], [])
    assert host.codes == ["RERR", "RERR"]
    assert host.device.refused == 4 + 1  # once and RETRIES, and once
    host.device.habits.refuse = 0.5
    host.codes.clear()
    out = [command(host.rng) for _ in range(20)]
    exchange(host, out, [])
    assert host.device.got == [fis for fis, c in zip(out, host.codes, strict=True) if c == "OK"]
    assert host.codes.count("OK") >= 15


def test_source_marks_its_fis_bad() -> None:
    """Nothing of it counts as received; the next one is whole."""
    host = Host()
    host.start()
    host.send(data_fis(host.rng, 40), bad=True)
    host.send([0x27, 1, 2], bad=True)
    host.send([0x27] + [1] * 8)
    host.send(data_fis(host.rng, 2060))
    good = command(host.rng)
    host.send(good)
    host.until(lambda: len(host.codes) == 5, 9000, "the codes")
    assert host.codes == ["BAD"] * 4 + ["OK"]
    assert host.device.got == [good]


@pytest.mark.parametrize("way", ["out", "back"])
def test_device_breaks_off(way: str) -> None:
    host = Host(Habits(sync=0.01), seed=4)
    host.start()
    rng = random.Random(5)
    out = from_host(rng, 25) if way == "out" else []
    back = from_device(rng, 25) if way == "back" else []
    got = exchange(host, out, back)
    if way == "out":
        assert set(host.codes) == {"OK", "ABORT"}
        assert host.device.got == [f for f, c in zip(out, host.codes, strict=True) if c == "OK"]
        assert all(c == "OK" for f, c in zip(out, host.codes, strict=True) if f[0] & 255 == 0x27)
    else:
        answers = host.device.answers
        assert set(answers) == {"R_OK", "own SYNC"}
        good = [f for f, a in zip(back, answers, strict=True) if a == "R_OK"]
        assert [f for f, bad in got if not bad] == good


def test_power_saving_is_refused() -> None:
    host = Host()
    host.start()
    host.run(20)
    saved = host.device.step
    host.device.step = lambda d, k: (saved(d, k), (PRIMS["PMREQ_P"], 1))[1]  # type: ignore[method-assign]
    host.run(60)
    host.device.step = saved  # type: ignore[method-assign]
    host.device.tx_same, host.device.tx_last = 0, ""
    assert host.device.names.get("PMNAK", 0) >= 2
    out = command(host.rng)
    exchange(host, [out], [])
    assert host.device.got == [out]


def test_silent_device_times_out_and_the_link_begins_anew() -> None:
    """SYNC for ever: every try times out. Nothing at all: COMRESET."""
    host = Host(Habits(silent=True), WAIT_CYCLES=200)
    host.start()
    host.send(command(host.rng))
    host.until(lambda: host.codes, 9000, "the code")
    assert host.codes == ["TIMEOUT"]
    events = host.events()
    assert (events["timeout"], events["dead"], events["ev_retry"]) == (4, 0, 3)
    # Never SYNC or X_RDY.
    host.codes.clear()
    saved = host.device.step
    host.device.step = lambda d, k: (PRIMS["R_IP"], 1)  # type: ignore[method-assign]
    host.run(20)
    host.send(data_fis(host.rng, 9))
    host.until(lambda: host.codes and host.sent_oob.count("COMRESET") == 2, 9000, "COMRESET")
    assert host.codes == ["TIMEOUT"]
    assert host.events()["dead"] == 1
    host.device.step = saved  # type: ignore[method-assign]
    host.device.habits.silent = False
    host.run(300)
    host.start()
    out = command(host.rng)
    exchange(host, [out], [])
    assert host.device.got == [out]


@pytest.mark.parametrize("ber", [0.0005, 0.004])
def test_bit_errors(ber: float) -> None:
    """Broken words of every kind: nothing wrong is delivered, and nothing hangs."""
    host = Host(Habits(hold=0.01, pause=0.01), seed=11, WAIT_CYCLES=400)
    host.start()
    rng = random.Random(12)
    out, back = from_host(rng, 60, 60), from_device(rng, 60, 60)
    for fis in out:
        host.send(fis)
    host.device.outbox.extend(back)
    host.ber = ber
    got: list[tuple[list[int], bool]] = []
    stuck = 0
    while len(host.codes) < len(out) or host.device.outbox:
        before = (len(host.codes), len(host.device.outbox))
        host.run(1500)
        got += host.received()
        # The device has no clock of its own: a lost EOF or R_OK may leave it waiting.
        if before == (len(host.codes), len(host.device.outbox)):
            stuck += 1
            host.device.relink()
            assert stuck < 40
    host.ber = 0.0
    host.device.relink()
    host.run(2000)
    got += host.received()
    assert all(fis in out for fis in host.device.got)
    for fis, code in zip(out, host.codes, strict=True):
        assert code != "OK" or fis in host.device.got
    assert all(fis in back for fis, bad in got if not bad)
    assert host.events()["bad_word"] > 0
    assert host.codes.count("OK") > 30
    assert [fis for fis, bad in got if not bad]
    last_out, last_back = command(rng), data_fis(rng, 33)
    assert exchange(host, [last_out], [last_back]) == [(last_back, False)]
    assert host.device.got[-1] == last_out


@pytest.mark.parametrize("seed", range(4))
def test_unplug_and_replug(seed: int) -> None:
    host = Host(seed=seed, WAIT_CYCLES=500)
    rng = random.Random(seed)
    host.start()
    for turn in range(3):
        host.codes.clear()
        host.device.got.clear()
        host.device.outbox.clear()
        host.send(data_fis(rng, 300))
        host.device.outbox.append(data_fis(rng, 300))
        host.run(rng.randrange(20, 500))
        host.plugged = False
        host.until(lambda: not host.dut.get("up"), 200, "the loss")
        host.send(command(rng))
        host.until(lambda: len(host.codes) == 2, 3000, "codes")
        assert host.codes[1] == "DOWN"
        host.run(3500)
        assert host.dut.get("present") == 0
        host.received()
        host.plugged = True
        host.device.outbox.clear()
        host.device.got.clear()
        host.start()
        out, back = command(rng), data_fis(rng, 50)
        assert exchange(host, [out], [back]) == [(back, False)], turn
        assert host.device.got[-1:] == [out]


def test_start_of_a_link() -> None:
    """A device that is deaf at first, swapped wires, COMINIT by the device, restart by the user."""
    host = Host()
    host.drop_oob = 2
    host.run(600)
    assert host.dut.get("present") == 0
    host.start()
    assert host.sent_oob == ["COMRESET"] * 3 + ["COMWAKE"]
    assert host.dut.get("present") == 1
    assert host.events()["ev_init_retry"] == 2

    host.phase, host.count = "cominit", 0  # the device asks for it
    host.until(lambda: not host.dut.get("up"), 50, "the loss")
    host.start()
    assert host.sent_oob[-1] == "COMWAKE"
    assert host.sent_oob.count("COMRESET") == 3

    host.invert = True
    host.dut.set("restart", 1)
    host.cycle()
    host.dut.set("restart", 0)
    host.run(3)
    assert not host.dut.get("up")
    host.until(lambda: host.dut.get("rx_invert"), 500, "the polarity")
    host.invert = False
    host.start()
    out = command(host.rng)
    exchange(host, [out], [])
    assert host.device.got == [out]


def test_no_align_is_tried_again() -> None:
    host = Host()
    saved = PRIMS["ALIGN"]
    host.run(60)
    try:
        PRIMS["ALIGN"] = 0x11111111
        host.run(1500)
        assert not host.dut.get("up")
        assert host.sent_oob.count("COMRESET") >= 3
    finally:
        PRIMS["ALIGN"] = saved
    host.start()
