# SPDX-License-Identifier: Apache-2.0
"""The command layer against a disk at the level of FISes: every command, every kind of error."""

from __future__ import annotations

import random

import pytest
from cmd_bench import Cmd, Request
from kumihimo.testing.sizes import by_size
from sata_disk import SECTOR, Disk, Faults, Nature


def work(cmd: Cmd, count: int, sectors: int, seed: int = 5) -> dict[int, bytes]:
    """Random reads and writes that do not overlap; what the sectors must be in the end."""
    rng = random.Random(seed)
    want: dict[int, bytes] = {}
    places = list(range(count))
    rng.shuffle(places)
    for place in places:
        size = rng.choice([1, 2, rng.randrange(1, sectors + 1)])
        lba = place * (sectors + 5)
        if rng.random() < 0.6:
            data = rng.randbytes(size * SECTOR)
            cmd.user.give(Request("WRITE", lba, size, data, fua=rng.random() < 0.2))
            want.update({lba + i: data[i * SECTOR : (i + 1) * SECTOR] for i in range(size)})
        else:
            cmd.user.give(Request("READ", lba, size))
    return want


def right(cmd: Cmd, request: Request) -> bool:
    """The data of a read are what the disk holds, each byte has come exactly once or more."""
    data = b"".join(cmd.disk.sector(request.lba + i) for i in range(request.sectors))
    covered = bytearray(len(data))
    for offset, size in request.came:
        covered[offset : offset + size] = b"\1" * size
    return bytes(request.got) == data and all(covered)


def check(cmd: Cmd, want: dict[int, bytes]) -> None:
    """All well, and the disk holds what was written."""
    assert [(r.op, r.reason) for r in cmd.user.done if r.reason != "OK"] == []
    assert cmd.disk.errors == []
    for lba, data in want.items():
        assert cmd.disk.sector(lba) == data, lba
    for request in cmd.user.done:
        assert request.op != "READ" or right(cmd, request)


@pytest.mark.parametrize(
    "nature",
    [
        Nature(),
        Nature(ncq=False, fua=False),
        Nature(ncq=False, pio_split=True),
        Nature(split=0.5, small=0.3, pile=3),
        Nature(depth=4, auto_activate=False),
        Nature(shuffle=False, lazy=0, pile=8),
    ],
)
@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_reads_and_writes(nature: Nature, stall: float) -> None:
    cmd = Cmd(nature, stall=stall, seed=3)
    cmd.ready()
    want = work(cmd, 50, 20)
    cmd.all_done(900_000)
    check(cmd, want)
    assert len(cmd.user.done) == 50
    assert cmd.disk.most_queued <= nature.depth
    assert cmd.disk.most_queued >= (2 if nature.ncq and nature.lazy else 0)
    assert cmd.resets == 0
    events = cmd.events()
    assert [
        events[n]
        for n in ("reissue", "ncq_log", "recovery", "cmd_timeout", "protocol_error", "unexpected")
    ] == [0] * 6


def test_queue_is_filled_and_served_out_of_order() -> None:
    cmd = Cmd(Nature(lazy=60))
    cmd.ready()
    requests = [cmd.user.give(Request("READ", i * 8, 8)) for i in range(80)]
    cmd.all_done(900_000)
    check(cmd, {})
    assert cmd.disk.most_queued == 32
    assert [r.lba for r in cmd.user.done] != [r.lba for r in requests]
    tags = {entry for entry in cmd.disk.log if entry.startswith("60#")}
    assert len(tags) == 32


def test_longest_requests() -> None:
    """65,536 sectors: their count is sent as zero. TRIM of that many takes two entries."""
    cmd = Cmd()
    cmd.ready()
    cmd.user.give(Request("TRIM", 0x12345, 65536))
    cmd.user.give(Request("TRIM", 7, 3))
    cmd.all_done()
    assert cmd.disk.trimmed == [(0x12345, 65535), (0x12345 + 65535, 1), (7, 3)]
    request = cmd.user.give(Request("READ", 0, 65536))
    cmd.until(lambda: len(request.came) >= 3, 60_000)
    assert request.came[:3] == [(0, 8192), (8192, 8192), (16384, 8192)]
    ((op, lba, sectors, _),) = cmd.disk.queue.values()
    assert (op, lba, sectors) == (0x60, 0, 65536)


def test_other_commands() -> None:
    cmd = Cmd(Nature(pio_split=True), cache=2)
    cmd.ready()
    assert cmd.disk.features == [(0x03, 0x46), (0x10, 2), (0x82, 0)]
    data = bytes(range(256)) * 8
    cmd.user.give(Request("WRITE", 40, 4, data))
    cmd.user.give(Request("FLUSH"))
    log = cmd.user.give(Request("LOG", 0, 3))
    ident = cmd.user.give(Request("IDENTIFY"))
    good = cmd.user.give(Request("FEATURES", sectors=0x42, feature=0x05))
    refused = cmd.user.give(Request("FEATURES", feature=0xAA))
    read = cmd.user.give(Request("READ", 40, 4))
    cmd.all_done()
    assert [r.reason for r in cmd.user.done] == ["OK"] * 5 + ["ABRT", "OK"]
    assert (refused.status, refused.error) == (0x51, 0x04)
    assert cmd.disk.features[-2:] == [(0x05, 0x42), (0xAA, 0)]
    assert bytes(log.got) == b"".join(bytes([i]) * 512 for i in range(3))
    assert ident.got[510] == 0xA5 and sum(ident.got) & 255 == 0
    assert bytes(read.got) == data
    assert good.reason == "OK"
    # All in the order in which they were given.
    assert cmd.disk.log[-7:] == ["61#0", "ea", "2f", "ec", "ef", "ef", "60#0"]
    assert cmd.disk.errors == []


def test_what_runs_alone_waits_for_the_queue() -> None:
    cmd = Cmd(Nature(lazy=30))
    cmd.ready()
    for turn in range(4):
        for i in range(6):
            cmd.user.give(Request("READ", 100 * turn + 8 * i, 8))
        cmd.user.give(Request("FLUSH"))
    cmd.all_done(200_000)
    check(cmd, {})
    assert [r.op for r in cmd.user.done] == (["READ"] * 6 + ["FLUSH"]) * 4


@pytest.mark.parametrize("ncq", [True, False])
@pytest.mark.parametrize("fua", [True, False])
def test_fua(ncq: bool, fua: bool) -> None:
    """With FPDMA a bit; else a command of its own, or a flush behind the write."""
    cmd = Cmd(Nature(ncq=ncq, fua=fua))
    cmd.ready()
    cmd.user.give(Request("WRITE", 5, 2, b"a" * 1024, fua=True))
    cmd.user.give(Request("WRITE", 9, 1, b"b" * 512))
    cmd.all_done()
    check(cmd, {5: b"a" * 512, 9: b"b" * 512})
    assert cmd.disk.log[3:] == (
        ["61#0", "61#1"] if ncq else ["3d", "35"] if fua else ["35", "ea", "35"]
    )


def test_requests_out_of_range() -> None:
    cmd = Cmd(Nature(sectors=1000))
    cmd.ready()
    bad = [
        Request("READ", 0, 0),
        Request("READ", 0, 65537),
        Request("READ", 1000, 1),
        Request("WRITE", 999, 2, bytes(1024)),
        Request("TRIM", 2**48 - 1, 2),
        Request("LOG", 0, 0),
        Request("NONE", 0, 1),
    ]
    for request in bad:
        cmd.user.give(request)
    last = cmd.user.give(Request("READ", 999, 1))
    cmd.all_done()
    assert [r.reason for r in bad] == ["RANGE"] * len(bad)
    assert last.reason == "OK" and right(cmd, last)


ERRORS = [
    ((0x51, 0x40), "UNC"),
    ((0x51, 0x10), "IDNF"),
    ((0x51, 0x04), "ABRT"),
    ((0x51, 0x02), "ERR"),
    ((0x71, 0x04), "DF"),
]


@pytest.mark.parametrize("ncq", [True, False])
@pytest.mark.parametrize("registers,reason", ERRORS)
def test_errors_are_told_apart(ncq: bool, registers: tuple[int, int], reason: str) -> None:
    """One request fails; all others succeed."""
    cmd = Cmd(Nature(ncq=ncq, lazy=30), Faults(bad={83: registers}), seed=9)
    cmd.ready()
    requests = [cmd.user.give(Request("READ", 8 * i, 8)) for i in range(20)]
    cmd.all_done(200_000)
    assert [r.lba for r in requests if r.reason != "OK"] == [80]
    failed = requests[10]
    assert (failed.reason, failed.status & 0x7F, failed.error) == (
        reason,
        registers[0],
        registers[1],
    )
    assert failed.where == 83
    assert all(right(cmd, r) for r in requests if r.reason == "OK")
    events = cmd.events()
    assert events["ncq_log"] == int(ncq)
    assert events["recovery"] == 0
    assert cmd.disk.errors == []


def test_error_with_more_behind_it() -> None:
    """FISes that wait behind the report of an error do not keep the log from being read."""
    cmd = Cmd(Nature(lazy=30), Faults(bad={83: (0x51, 0x40)}, chatty=True), seed=9)
    cmd.ready()
    requests = [cmd.user.give(Request("READ", 8 * i, 8)) for i in range(20)]
    cmd.all_done(200_000)
    assert [r.lba for r in requests if r.reason != "OK"] == [80]
    assert cmd.events()["recovery"] == 0
    assert cmd.events()["unexpected"] > 0


def test_first_requests_wait_for_the_device() -> None:
    """Given before anything is ready, before the settings have come even: they wait."""
    cmd = Cmd(enable=0)
    cmd.step(200)
    cmd.configure(enable=1)
    cmd.step(8)
    request = cmd.user.give(Request("READ", 3, 4))
    cmd.all_done()
    assert request.reason == "OK" and right(cmd, request)


@pytest.mark.parametrize("ncq", [True, False])
def test_line_errors_are_repeated(ncq: bool) -> None:
    cmd = Cmd(Nature(ncq=ncq, lazy=20), Faults(line=2))
    cmd.ready()
    want = work(cmd, 16, 8)
    cmd.all_done(200_000)
    check(cmd, want)
    assert cmd.events()["reissue"] >= 2
    cmd.disk.faults.line = 3  # one more than there are repetitions
    request = cmd.user.give(Request("READ", 3, 1))
    cmd.all_done()
    assert request.reason == "ICRC"


@pytest.mark.parametrize("ncq", [True, False])
def test_broken_data_come_again(ncq: bool) -> None:
    """A Data FIS with a wrong CRC; the disk notices it, or it does not."""
    cmd = Cmd(Nature(ncq=ncq), seed=4)
    cmd.ready()
    cmd.spoil.extend([2049, 700, 2])
    requests = [cmd.user.give(Request("READ", 50 * i, 40)) for i in range(4)]
    cmd.all_done(200_000)
    assert all(r.reason == "OK" and right(cmd, r) for r in requests)
    assert cmd.events()["reissue"] >= 1 and not cmd.spoil
    cmd.disk.faults.short = 2
    request = cmd.user.give(Request("READ", 900, 40))
    cmd.all_done()
    assert request.reason == "OK" and right(cmd, request)
    cmd.disk.faults.short = 3
    request = cmd.user.give(Request("READ", 900, 40))
    cmd.all_done()
    assert request.reason == "SHORT"


@pytest.mark.parametrize("ncq", [True, False])
@pytest.mark.parametrize("code", ["RERR", "ABORT", "TIMEOUT"])
def test_command_is_not_taken(ncq: bool, code: str) -> None:
    """The device refuses the command FIS for good: link reset, and again."""
    cmd = Cmd(Nature(ncq=ncq))
    cmd.ready()
    cmd.codes.extend([code])
    want = work(cmd, 10, 8)
    cmd.all_done(200_000)
    check(cmd, want)
    assert cmd.resets == 1
    assert cmd.events()["identified"] == 2


@pytest.mark.parametrize("ncq", [True, False])
@pytest.mark.parametrize("code", ["RERR", "ABORT", "TIMEOUT"])
def test_written_data_are_not_taken(ncq: bool, code: str) -> None:
    """Nobody says what became of them: time runs out, link reset, and again."""
    cmd = Cmd(Nature(ncq=ncq), limit=600)
    cmd.ready()
    data = random.Random(1).randbytes(60 * SECTOR)
    cmd.codes.extend(["OK", "OK", code])
    cmd.user.give(Request("WRITE", 70, 60, data))
    other = cmd.user.give(Request("READ", 500, 4))
    cmd.all_done(200_000)
    check(cmd, {70 + i: data[i * SECTOR : (i + 1) * SECTOR] for i in range(60)})
    assert cmd.resets == 1
    assert other.reason == "OK"


@pytest.mark.parametrize("ncq", [True, False])
def test_silent_device(ncq: bool) -> None:
    """One command is never answered: it alone is to blame, and fails in the end."""
    cmd = Cmd(Nature(ncq=ncq, shuffle=False, lazy=20), Faults(silent=1), limit=500)
    cmd.ready()
    want = work(cmd, 12, 8)
    cmd.all_done(300_000)
    check(cmd, want)
    assert cmd.resets == 1
    cmd.disk.faults.silent = 3
    cmd.user.done.clear()
    requests = [cmd.user.give(Request("READ", 8 * i, 8)) for i in range(4)]
    cmd.all_done(300_000)
    assert [r.reason for r in requests].count("TIMEOUT") == 1
    assert [r.reason for r in requests].count("OK") == 3
    assert cmd.resets == 4


def test_unplugged_and_plugged_again() -> None:
    """Requests wait for the device; if it stays away they get NO_DEVICE, and so do new ones."""
    cmd = Cmd(Nature(lazy=20))
    cmd.ready()
    want = work(cmd, 20, 16)
    cmd.until(lambda: len(cmd.user.done) >= 5)
    cmd.plugged = False
    cmd.step(800)
    cmd.plugged = True
    cmd.all_done(300_000)
    check(cmd, want)
    cmd.user.done.clear()
    work(cmd, 20, 16)
    cmd.until(lambda: len(cmd.user.done) >= 5)
    cmd.plugged = False
    cmd.all_done(300_000)
    done = [r.reason for r in cmd.user.done]
    assert set(done) == {"OK", "NO_DEVICE"}
    assert done[-1] == "NO_DEVICE"
    more = [cmd.user.give(Request("READ", i, 1)) for i in range(3)]
    cmd.all_done(2000)
    assert [r.reason for r in more] == ["NO_DEVICE"] * 3
    cmd.plugged = True
    cmd.ready()
    again = cmd.user.give(Request("READ", 8, 1))
    cmd.all_done()
    assert again.reason == "OK" and right(cmd, again)


def test_dead_and_disabled() -> None:
    cmd = Cmd(faults=Faults(dead=True), ready=300)
    request = cmd.user.give(Request("READ", 0, 1))
    cmd.all_done(60_000)
    assert request.reason == "NO_DEVICE"
    cmd.disk.faults.dead = False
    cmd.ready()
    assert cmd.resets >= 1  # no signature: link reset
    cmd.configure(enable=0)
    cmd.step(200)
    request = cmd.user.give(Request("READ", 0, 1))
    cmd.all_done(2000)
    assert request.reason == "NO_DEVICE"
    cmd.configure(enable=1)
    cmd.ready()
    request = cmd.user.give(Request("READ", 0, 1))
    cmd.all_done()
    assert request.reason == "OK"


@pytest.mark.parametrize(
    "nature", [Nature(lba48=False), Nature(sectors=0)], ids=["no lba48", "empty"]
)
def test_device_that_is_no_disk_of_ours(nature: Nature) -> None:
    cmd = Cmd(nature)
    cmd.until(lambda: cmd.dut.get_struct("status")["unsupported"])
    request = cmd.user.give(Request("READ", 0, 1))
    cmd.all_done()
    assert request.reason == "NO_DEVICE"


def test_packet_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its signature says that it takes other commands."""
    monkeypatch.setattr(Disk, "reset", _packet_reset(Disk.reset))
    cmd = Cmd()
    cmd.until(lambda: cmd.dut.get_struct("status")["unsupported"])
    assert cmd.disk.log == []


def _packet_reset(real):  # type: ignore[no-untyped-def]
    def reset(self: Disk, signature: bool = True) -> None:
        real(self, signature)
        if self.out:
            self.out[0][1] = 0x00EB1401

    return reset


def test_identify_fails_at_first() -> None:
    cmd = Cmd(faults=Faults(ident_error=2, refuse_features=True))
    cmd.ready()
    assert cmd.resets == 2
    want = work(cmd, 6, 8)
    cmd.all_done(100_000)
    check(cmd, want)


def test_software_reset() -> None:
    """It waits for those before it; the device is identified again."""
    cmd = Cmd()
    cmd.ready()
    for i in range(5):
        cmd.user.give(Request("READ", i, 1))
    cmd.user.give(Request("RESET"))
    cmd.user.give(Request("READ", 9, 1))
    cmd.all_done()
    assert [r.op for r in cmd.user.done] == ["READ"] * 5 + ["RESET", "READ"]
    assert [r.reason for r in cmd.user.done] == ["OK"] * 7
    assert "SRST" in cmd.disk.log
    assert cmd.events()["identified"] == 2
    assert cmd.resets == 0


def test_restart_by_the_user() -> None:
    cmd = Cmd(Nature(lazy=20))
    cmd.ready()
    want = work(cmd, 20, 16)
    cmd.until(lambda: len(cmd.user.done) >= 4)
    cmd.configure(restart=1)
    cmd.dut.run(1)
    cmd.configure(restart=0)
    cmd.all_done(200_000)
    check(cmd, want)
    assert cmd.resets == 1


@pytest.mark.parametrize("kind", ["marked", "short"])
@pytest.mark.parametrize("ncq", [True, False])
def test_bad_write_data(kind: str, ncq: bool) -> None:
    """The user's frame is bad: that request fails, the others do not."""
    cmd = Cmd(Nature(ncq=ncq, shuffle=False))
    cmd.ready()
    if kind == "marked":
        cmd.user.spoil_source = 1
    else:
        cmd.user.cut_source = 1
    requests = [
        cmd.user.give(Request("WRITE", 100 * i, 20, bytes([i]) * 20 * SECTOR)) for i in range(4)
    ]
    cmd.all_done(200_000)
    reasons = [r.reason for r in requests]
    assert reasons.count("BAD_DATA") == 1 and reasons.count("OK") == 3
    for i, request in enumerate(requests):
        if request.reason == "OK":
            assert cmd.disk.sector(100 * i + 19) == bytes([i]) * SECTOR


def test_breaches_of_the_protocol() -> None:
    """FISes that mean nothing here are counted; those that would move data begin a recovery."""
    cmd = Cmd()
    cmd.ready()
    for fis in ([0x00500034, 0, 0, 0, 0], [0x004000A1, 0xFFFFFFFF], [0x00D00034, 0, 0, 0, 0]):
        cmd.disk.out.append(fis)
        cmd.step(40)
        cmd.step(40)
    assert cmd.events()["unexpected"] == 3
    assert cmd.resets == 0
    wrong = [
        [0x39],
        [0x46, 1, 2, 3],
        [0x2041, 3, 0, 0, 0, 512, 0],
        [0x205F, 0, 0, 0, 512],
    ]
    for i, fis in enumerate(wrong):
        cmd.ready()
        cmd.disk.out.append(fis)
        cmd.until(lambda i=i: cmd.resets == i + 1)
        cmd.step()  # in the first cycle of a recovery the status may still say ready
    cmd.ready()
    assert cmd.events()["protocol_error"] == len(wrong)
    assert cmd.events()["data_in"] == 5  # of IDENTIFY
    # DMA Setup beyond the request, or in the wrong direction.
    for fis in (
        [0x2041, 0, 0, 0, 512, 1024, 0],
        [0x2041, 0, 0, 0, 0, 0, 0],
        [0x2041, 0, 0, 0, 2, 4, 0],
        [0x8041, 0, 0, 0, 0, 512, 0],
    ):
        before = cmd.resets
        cmd.disk.nature.lazy = 1000
        request = cmd.user.give(Request("READ", 0, 2))
        cmd.until(lambda: cmd.disk.queue)
        cmd.step(40)
        cmd.disk.out.append(fis)
        cmd.until(lambda before=before: cmd.resets == before + 1)
        cmd.disk.nature.lazy = 0
        cmd.all_done()
        assert request.reason == "OK" and right(cmd, request)


@pytest.mark.long
@pytest.mark.parametrize("seed", by_size((1, 2), range(6)))  # with and without NCQ
def test_everything_at_once(seed: int) -> None:
    """Faults of all kinds at random times: one response each, and what says OK is right."""
    rng = random.Random(seed)
    cmd = Cmd(Nature(ncq=seed % 3 != 2, split=0.3, small=0.2, lazy=6), seed=seed, limit=2000)
    cmd.ready()
    want: dict[int, bytes] = {}
    given = 0
    for turn in range(14):
        for _ in range(rng.randrange(1, 12)):
            lba, size = 64 * given, rng.randrange(1, 24)
            given += 1
            if rng.random() < 0.5:
                data = rng.randbytes(size * SECTOR)
                cmd.user.give(Request("WRITE", lba, size, data))
                want.update({lba + i: data[i * SECTOR : (i + 1) * SECTOR] for i in range(size)})
            else:
                cmd.user.give(Request("READ", lba, size))
        if rng.random() < 0.2:
            cmd.user.give(Request(rng.choice(["FLUSH", "TRIM", "RESET"]), 10**5, 9))
        for _ in range(rng.randrange(200)):
            cmd.step()
        fault = turn % 7
        if fault == 0:
            cmd.disk.faults.line += 1
        elif fault == 1:
            cmd.spoil.append(rng.randrange(2, 100))
        elif fault == 2:
            cmd.codes.extend(["OK"] * rng.randrange(4) + [rng.choice(["RERR", "TIMEOUT"])])
        elif fault == 3:
            cmd.plugged = False
            cmd.step(rng.randrange(20, 400))
            cmd.plugged = True
        elif fault == 4:
            cmd.disk.faults.silent += 1
        elif fault == 5:
            cmd.disk.faults.bad = {64 * rng.randrange(given): (0x51, 0x40)}
        else:
            cmd.disk.out.append([0x39])
    cmd.all_done(900_000)
    reasons = [r.reason for r in cmd.user.done]
    assert set(reasons) <= {"OK", "UNC", "TIMEOUT", "ICRC", "SHORT"}, set(reasons)
    assert reasons.count("OK") > 0.7 * len(reasons)
    for request in cmd.user.done:
        if request.reason == "OK" and request.op == "READ":
            assert right(cmd, request)
        if request.reason == "OK" and request.op == "WRITE":
            assert all(
                cmd.disk.sector(request.lba + i) == want[request.lba + i]
                for i in range(request.sectors)
            )
