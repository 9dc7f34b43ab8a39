# SPDX-License-Identifier: Apache-2.0
"""The disk model at a link of RTL: content, commands, queues, errors, faults, power."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from kumihimo.common.errors import KumiError
from kumihimo.testing import Hang
from satakit import DATA, PERIOD, REGISTERS, SECTOR, Failed, Host, Job, command

MIB = 1 << 20
US = 1_000_000


def host(**more: Any) -> Host:
    h = Host(**more)
    assert h.start()[1:4] == [1, 0, 1]
    return h


def some(seed: int, sectors: int) -> bytes:
    return random.Random(seed).randbytes(sectors * SECTOR)


def medium(h: Host, lba: int, sectors: int) -> bytes:
    return h.disk.read(lba * SECTOR, sectors * SECTOR, cached=False)


def test_identity() -> None:
    h = host(size=3 * 10**9 // 512 * 512, serial="K-0815", queue_depth=16)
    assert h.fis == []
    w = h.identify()
    assert w[100] | w[101] << 16 == h.disk.sectors == 3 * 10**9 // 512
    assert w[75] == 15 and w[76] >> 8 & 1 and w[78] >> 2 & 1 and w[169] & 1 and w[217] == 1
    assert b"".join(x.to_bytes(2, "big") for x in w[10:20]).strip() == b"K-0815"
    assert w[255] & 255 == 0xA5


def test_signature_and_registers() -> None:
    h = Host(size=MIB)
    fis = h.start()
    assert fis[0] >> 16 & 255 == 0x50 and fis[0] >> 24 == 1 and fis[1] & 0xFFFFFF == 1
    assert h.dut.get("up")
    h.give([0x27, 0, 0, 4 << 24, 0])  # SRST on, then off
    h.give([0x27, 0, 0, 0, 0])
    assert h.next(REGISTERS) == fis
    assert h.disk.stats["soft_resets"] == 1


def test_content_both_ways() -> None:
    h = host(size=64 * MIB)
    rng = random.Random(5)
    held = {}
    for i in range(12):
        lba, count = 8000 * i + rng.randrange(1000), rng.choice([1, 2, 15, 16, 17, 130])
        held[lba] = some(i, count)
        h.write(lba, held[lba])
    for lba, data in held.items():
        assert h.disk.read(lba * SECTOR, len(data)) == data
        assert h.read(lba, len(data) // SECTOR) == data
    assert h.read(120_000, 3) == bytes(3 * SECTOR)
    h.disk.write(777 * SECTOR + 13, b"from outside")
    assert h.read(777, 1)[13:25] == b"from outside"
    assert h.disk.read(777 * SECTOR + 13, 12, cached=False) == b"from outside"
    with pytest.raises(KumiError, match="beyond its end"):
        h.disk.read(64 * MIB - 1, 2)


@pytest.mark.parametrize("seed", [1, 2])
def test_queue(seed: int) -> None:
    h = host(size=64 * MIB, seed=seed, hold=0.002)
    rng = random.Random(seed)
    writes = {
        tag: Job(5000 + 100 * tag, some(tag, rng.choice([1, 8, 33, 64]))) for tag in range(32)
    }
    ends = h.run_queue(writes)
    assert sorted(ends) == list(range(32)) and ends != sorted(ends)
    h.features(0x10, 2)  # DMA Setup is the first activation
    more = {tag: Job(50_000 + 100 * tag, some(tag + 99, 20)) for tag in range(0, 32, 5)}
    h.run_queue(more)
    assert h.activated == len(more)
    reads = {tag: Job(job.lba, sectors=job.count) for tag, job in writes.items()}
    ends = h.run_queue(reads)
    assert ends != sorted(ends)
    for tag, job in reads.items():
        assert bytes(job.got) == writes[tag].data
    for job in more.values():
        assert h.disk.read(job.lba * SECTOR, len(job.data)) == job.data
    assert h.disk.stats["queue_depth_seen"] > 25
    assert h.disk.stats["wire"]["holds_sent"] > 0


def test_bad_commands() -> None:
    h = host(size=MIB)
    for fis, error in (
        (command(0x25, 2048, 1), 0x10),  # beyond the end
        (command(0x35, 2047, 2), 0x10),
        (command(0x25, 0, 1, device=0), 0x04),  # cylinders and heads
        (command(0x99), 0x04),
        (command(0x2F, 0x30, 1), 0x04),  # no such log
        (command(0xEF, 0, 0, 0x42), 0x04),  # no such feature
        (command(0x06, 0, 9, 1), 0x04),  # more ranges than a command may have
    ):
        h.give(fis)
        with pytest.raises(Failed) as failed:
            h.end()
        assert (failed.value.status, failed.value.error) == (0x51, error)
    assert h.send([DATA, 1, 2]) == "RERR"  # nobody asked for it
    assert h.disk.stats["errors"] == 7
    assert h.read(0, 1) == bytes(SECTOR)


def test_bad_sectors() -> None:
    h = host(size=MIB)
    h.write(100, some(1, 32))
    h.flush()
    h.disk.fault("bad_sectors", lba=110, count=2)
    h.give(command(0x25, 100, 32))
    data = h.next(DATA)
    assert len(data) == 1 + 10 * 128  # what can be read
    with pytest.raises(Failed) as failed:
        h.end()
    assert (failed.value.error, failed.value.lba) == (0x40, 110)
    h.write(110, some(2, 2), fua=True)  # another place is used
    assert h.read(100, 32) == some(1, 32)[: 10 * SECTOR] + some(2, 2) + some(1, 32)[12 * SECTOR :]
    h.disk.fault("bad_sectors", lba=5, permanent=True)
    h.give(command(0x35, 0, 16))
    with pytest.raises(Failed) as failed:
        h.end()
    assert failed.value.status == 0x71  # device fault
    h.disk.fault("repair", lba=5)
    h.write(0, some(3, 16))


def test_queue_error_log() -> None:
    h = host(size=MIB)
    h.disk.fault("bad_sectors", lba=40)
    for tag in (3, 7, 9):
        h.queue(0x60, tag, 10 * tag - 30, 16)
        h.end()
    with pytest.raises(Failed) as failed:
        while True:  # tag 7 reads sectors 40 to 55
            fis = h.next(timeout=2_000_000)
            if fis[0] & 255 == 0xA1 and fis[0] >> 16 & 1:
                raise Failed(fis[0] >> 16 & 255, fis[0] >> 24, 0)
    assert failed.value.error == 0x40
    h.give(command(0x25, 0, 1))  # nothing goes before the log was read
    with pytest.raises(Failed, match="error 04"):
        h.end()
    log = h.log()
    assert log[0] == 7 and log[3] == 0x40 and int.from_bytes(log[4:7], "little") == 40
    h.dut.run(100)
    assert h.disk.stats["under_way"] == 0
    h.run_queue({3: Job(0, sectors=16), 9: Job(60, sectors=16)})


def test_unqueued_amid_queue() -> None:
    h = host(size=MIB, latency_ps=500 * US)
    h.queue(0x60, 4, 0, 8)
    h.end()
    h.give(command(0x25, 0, 1))
    with pytest.raises(Failed, match="error 04"):
        h.end()
    assert h.log()[0] == 0x80
    h.queue(0x60, 31, 2041, 8)  # beyond the end
    with pytest.raises(Failed, match="error 10"):
        h.end()
    assert h.log()[0] == 31


def test_cache_and_power() -> None:
    h = host(size=4 * MIB, write_rate=20e6)
    old, new = some(1, 400), some(2, 400)
    h.write(0, old)
    h.flush()
    assert medium(h, 0, 400) == old
    h.write(0, new[: 200 * SECTOR])
    h.write(200, new[200 * SECTOR :])
    assert h.disk.read(0, 400 * SECTOR) == new
    h.disk.fault("power_cut")
    h.dut.run(10)
    after = h.disk.read(0, 400 * SECTOR)
    fate = set()
    for i in range(0, len(after), SECTOR):
        sector = after[i : i + SECTOR]
        assert sector in (old[i : i + SECTOR], new[i : i + SECTOR])
        fate.add(sector == new[i : i + SECTOR])
    lost = h.disk.stats["sectors_lost"]
    assert lost == sum(after[i : i + SECTOR] != new[i : i + SECTOR] for i in range(0, 204800, 512))
    assert fate == {True, False}
    h.disk.fault("power_on")
    h.fis.clear()
    h.start()
    h.write(0, new, fua=True)  # on the medium at its end
    assert medium(h, 0, 400) == new
    h.features(0x82)  # no cache
    h.write(50, old[: 9 * SECTOR])
    assert medium(h, 50, 9) == old[: 9 * SECTOR]
    h.run_queue({1: Job(70, some(5, 3))})
    assert medium(h, 70, 3) == some(5, 3)
    h.features(0x02)
    h.write(0, old[:SECTOR])
    h.run_queue({1: Job(90, some(6, 3), fua=True)})
    assert medium(h, 90, 3) == some(6, 3)


def test_dropped_and_corrupt() -> None:
    h = host(size=MIB)
    h.write(8, some(1, 4))
    h.flush()
    h.disk.fault("drop_writes", count=1)
    h.write(8, some(2, 4))
    assert h.read(8, 4) == some(1, 4)
    h.disk.fault("corrupt", lba=9, count=1)
    got = h.read(8, 4)
    differ = [a ^ b for a, b in zip(got, some(1, 4), strict=True) if a != b]
    assert len(differ) == 1 and differ[0].bit_count() == 1
    assert got[:512] == some(1, 4)[:512] and got[1024:] == some(1, 4)[1024:]


def test_trim() -> None:
    h = host(size=MIB)
    h.write(0, some(1, 64))
    ranges = [(3, 5), (40, 24), (0, 0)]
    block = b"".join((lba | n << 48).to_bytes(8, "little") for lba, n in ranges)
    h.give(command(0x06, 0, 1, 1))
    h.pour(block.ljust(512, b"\0"))
    want = bytearray(some(1, 64))
    want[3 * 512 : 8 * 512] = bytes(5 * 512)
    want[40 * 512 :] = bytes(24 * 512)
    assert h.read(0, 64) == bytes(want)
    h = host(size=MIB, profile="hdd", seek_max_ps=0, seek_min_ps=0)
    h.give(command(0x06, 0, 1, 1))
    with pytest.raises(Failed, match="error 04"):
        h.end()


@pytest.mark.parametrize("cont", [True, False])
def test_hold(cont: bool) -> None:
    """Both sides hold, in both directions."""
    h = host(size=MIB, hold=0.02, hold_words=60, cont=cont, params={"CONT": int(cont)})
    h.dut.stall("m_axis_fis", 0.6)
    h.dut.stall("s_axis_fis", 0.2)
    data = some(1, 96)
    h.write(0, data)
    assert h.read(0, 96) == data
    wire = h.disk.stats["wire"]
    assert wire["holds_sent"] > 100 and wire["holds_got"] > 10 and wire["crc_errors"] == 0


def test_refused_fises() -> None:
    h = host(size=MIB)
    h.write(0, some(1, 16))
    h.disk.fault("refuse", share=1.0)
    assert h.send(command(0x25, 0, 1)) == "RERR"  # after all repetitions
    h.disk.fault("refuse", share=0.0)
    h.give(command(0x35, 0, 16))
    h.next(0x39)
    h.disk.fault("refuse", share=1.0)
    assert h.send([DATA, *range(16 * 128)]) == "RERR"
    with pytest.raises(Failed) as failed:
        h.end()
    assert failed.value.error == 0x84  # interface CRC, aborted
    h.disk.fault("refuse", share=0.3)
    for _ in range(8):  # repeated by the host
        h.send(command(0xE5))
    assert h.disk.stats["wire"]["refused"] > 4


def test_spoiled_fises() -> None:
    h = host(size=MIB)
    h.write(0, some(1, 64))
    h.disk.fault("bad_crc", share=0.3)
    ended = []
    for _ in range(12):
        try:
            ended.append(h.read(0, 64) == some(1, 64))
        except Failed as failed:
            assert failed.error == 0x84
            ended.append(False)
    assert True in ended and False in ended
    wire = h.disk.stats["wire"]
    assert wire["rerr_got"] == wire["spoiled"] > 5 and wire["repeated"] > 0


def test_line_errors() -> None:
    """What comes through is right, or it is an error; the link lives on."""
    h = host(size=MIB, seed=3)
    data = some(1, 32)
    h.write(0, data)
    h.disk.fault("line_errors", share=2e-6)
    good = 0
    for _ in range(40):
        try:
            assert h.read(0, 32) == data
            good += 1
        except (Failed, Hang, AssertionError) as trouble:
            assert not isinstance(trouble, AssertionError) or isinstance(trouble, Hang)
            h.dut.set("restart", 1)
            h.dut.run(4)
            h.dut.set("restart", 0)
            h.dut.recv("m_axis_fis")
            h.fis.clear()
            h.start()
    assert good > 20 and h.disk.stats["wire"]["broken_words"] > 3


def test_hang_and_reset() -> None:
    h = host(size=MIB)
    h.write(0, some(1, 4))
    h.disk.fault("hang")
    h.give(command(0x25, 0, 4))
    with pytest.raises(Hang):
        h.next(timeout=60_000)
    h.dut.set("restart", 1)
    h.dut.run(4)
    h.dut.set("restart", 0)
    h.start()
    assert h.read(0, 4) == some(1, 4)
    h.disk.fault("hang", forever=True)
    h.dut.set("restart", 1)
    h.dut.run(4)
    h.dut.set("restart", 0)
    with pytest.raises(Hang):
        h.next(timeout=60_000)
    assert h.dut.get("up")  # the link is up, the disk does not answer
    h.disk.fault("resume")
    assert h.start()
    assert h.read(0, 4) == some(1, 4)


def test_unplug() -> None:
    h = host(size=MIB)
    h.write(0, some(1, 4))
    h.disk.fault("unplug")
    h.dut.run(2000)
    assert not h.dut.get("up") and not h.disk.stats["linked"]
    assert h.disk.read(0, 4 * SECTOR) == some(1, 4)  # the power is on: nothing is lost
    h.disk.fault("plug")
    h.start()
    assert h.read(0, 4) == some(1, 4)
    h.disk.fault("unplug", at=h.dut.cycle * PERIOD + 3 * US)
    h.give(command(0x25, 0, 1024))
    h.dut.run_until(lambda: not h.dut.get("up"), 100_000)
    h.dut.run(50_000)
    h.dut.recv("m_axis_fis")
    h.fis.clear()
    h.disk.fault("plug")
    h.start()
    assert h.read(0, 4) == some(1, 4)


def test_same_seed_same_run() -> None:
    def run(seed: int) -> tuple[str, int]:
        h = host(size=MIB, seed=seed, hold=0.01)
        h.dut.node.disk_fault("s0", 4, 0, 0, 1e-9)
        h.run_queue({t: Job(t * 40, some(t, 20)) for t in range(8)})
        h.run_queue({t: Job(t * 40, sectors=20) for t in range(8)})
        return str(h.dut.node.disk_digest("s0")), h.dut.cycle

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_files(tmp_path: Path) -> None:
    image = tmp_path / "disk.img"
    h = host(size=MIB, file=str(image))
    h.write(100, some(1, 20))
    h.flush()
    assert image.stat().st_size == MIB
    assert image.read_bytes()[100 * 512 : 120 * 512] == some(1, 20)
    with pytest.raises(Exception, match="another disk or program uses it"):
        Host(size=MIB, file=str(image))
    del h
    h = host(file=str(image), snapshot=True)  # as large as the file
    assert h.read(100, 20) == some(1, 20)
    h.write(100, some(2, 20), fua=True)
    assert h.read(100, 20) == some(2, 20)
    assert image.read_bytes()[100 * 512 : 120 * 512] == some(1, 20)
    del h
    image.write_bytes(image.read_bytes()[: 110 * 512 + 100])  # truncated
    h = host(size=MIB)
    for wrong, text in (
        ({"size": MIB, "file": str(image)}, "it has 56420 bytes, the disk 1048576"),
        ({"file": str(image)}, "it has 56420 bytes, the disk 56320"),
        ({"size": 512, "file": str(image), "snapshot": True}, "it has 56420 bytes, the disk 512"),
        ({"file": str(tmp_path / "none"), "snapshot": True}, "No such file"),
        ({"file": str(tmp_path), "size": 512}, "directory"),
        ({"size": 1000}, "multiple of 512"),
        ({"profile": "tape"}, "no disk profile"),
        ({"size": 512, "cache": 1}, "at least 64 sectors"),
        ({"size": 512, "colour": 1}, "no setting colour"),
    ):
        with pytest.raises((KumiError, RuntimeError, KeyError), match=text):
            h.dut.disk("s0", **wrong)  # type: ignore[arg-type]
    assert image.stat().st_size == 110 * 512 + 100
    for kind, arguments, text in (
        ("slwo", {}, 'mean "slow"'),
        ("slow", {}, "needs factor"),
        ("hang", {"lba": 1}, "no argument lba"),
        ("bad_sectors", {"lba": 2048}, "beyond its end"),
        ("refuse", {"share": 2.0}, "from 0 to 1"),
        ("slow", {"factor": 0.0}, "a factor from"),
    ):
        with pytest.raises((KumiError, RuntimeError, KeyError), match=text):
            h.dut.disk("s0", size=MIB).fault(kind, **arguments)  # type: ignore[arg-type]
