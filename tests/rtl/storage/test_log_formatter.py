# SPDX-License-Identifier: Apache-2.0
"""Log sectors in RTL: byte for byte what the layout page says, and what the C++ array wrote."""

from __future__ import annotations

import itertools
import random
import struct

import pytest
from kumihimo import _storage
from kumihimo.testing import Dut, Frame
from storage_bench import LOG_CMD, STALLS, Bench, bits, pack

Record = tuple[int, int, int, list[int]]  # sequence number, logical stripe, kind, positions


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("storage_log")
    bench.add(
        "log",
        "kumi_log_formatter",
        axis={"s_rec": 64, "m_axis": 64},
        hdr={"s_cmd": bits(LOG_CMD)},
        pins_out={"done": 1, "done_sectors": 32},
    )
    return bench.build()


@pytest.fixture
def dut(built: Dut) -> Dut:
    built.restart()
    built.watch("log_done")
    return built


def crc32c(data: bytes) -> int:
    """Bit by bit."""
    c = 0xFFFFFFFF
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    return c ^ 0xFFFFFFFF


def sealed(body: bytes) -> bytes:
    sector = body.ljust(512, b"\0")
    return sector[:4] + struct.pack("<I", crc32c(sector)) + sector[8:]


def sectors_of(
    records: list[Record], w: int, owner: int, generation: int, index: int
) -> list[bytes]:
    """A commit, by the page."""
    fit = 480 // (16 + 8 * w)
    parts = [records[i : i + fit] for i in range(0, len(records), fit)]
    out = []
    for i, part in enumerate(parts):
        body = b"KLOG" + struct.pack(
            "<6IHBB", 0, owner, generation, index + i, index, len(parts), len(part), 1, 2 + w
        )
        for seq, logical, kind, places in part:
            body += struct.pack(f"<QIBBH{w}Q", seq, logical, kind, w, 0, *places)
        out.append(sealed(body))
    return out


def some(r: random.Random, count: int, w: int) -> list[Record]:
    out = []
    for _ in range(count):
        places = [r.getrandbits(64) for _ in range(w)]
        out.append((r.getrandbits(64), r.getrandbits(32), r.choice((1, 2)), places))
    return out


def frame(r: random.Random, record: Record) -> bytes:
    """A record as the unit takes it; what it is to put in itself is rubbish here."""
    seq, logical, kind, places = record
    rubbish = r.getrandbits(24)
    return struct.pack(
        f"<Q{len(places) + 1}Q", seq, logical | kind << 32 | rubbish << 40, *places
    )  # fmt: skip


def commit(dut: Dut, records: list[Record], w: int, index: int = 1, seed: int = 0) -> None:
    r = random.Random(seed)
    command = pack(LOG_CMD, w=w, owner=0x11223344, generation=7, index=index, count=len(records))
    dut.send("s_hdr_log_cmd", [command])
    if records:
        dut.send("s_axis_log_rec", [frame(r, x) for x in records])


@pytest.mark.parametrize(("rx", "tx"), STALLS)
@pytest.mark.parametrize("w", [1, 2, 4, 7, 8, 12, 13, 28, 30])
def test_commits(dut: Dut, w: int, rx: float, tx: float) -> None:
    """Of one record, of a sector more or less, of many; one behind the other."""
    r = random.Random(w)
    fit = 480 // (16 + 8 * w)
    dut.stall_all(rx, tx, seed=w)
    sizes = [1, fit, fit + 1, max(1, fit - 1), 2 * fit, 5 * fit + 1, 2]
    expected = []
    for i, count in enumerate(sizes):
        records = some(r, count, w)
        commit(dut, records, w, 1 + 10 * i, i)
        expected += sectors_of(records, w, 0x11223344, 7, 1 + 10 * i)
    out = dut.recv("m_axis_log_axis", len(expected))
    assert [f.data for f in out] == expected
    assert not any(f.bad for f in out)
    dut.run(4)
    assert dut.counts("log_done") == {"0": len(sizes)}
    assert dut.get("log_done_sectors") == -(-2 // fit)


def test_head_and_nothing(dut: Dut) -> None:
    dut.send(
        "s_hdr_log_cmd",
        [
            pack(LOG_CMD, w=4, owner=5, count=0),
            pack(LOG_CMD, w=0, owner=5, count=3),
            pack(LOG_CMD, w=31, owner=5, count=3),
            pack(
                LOG_CMD, head=1, w=4, owner=0xA1B2C3D4, generation=9, index=77, count=0x12345678,
                seq=0x1122334455667788,
            ),
        ],
    )  # fmt: skip
    body = b"KLOG" + struct.pack("<6IHBB", 0, 0xA1B2C3D4, 9, 0, 0, 1, 0, 2, 0)
    body += struct.pack("<IIQ", 0x12345678, 0, 0x1122334455667788)
    assert dut.recv_data("m_axis_log_axis", 1) == [sealed(body)]
    dut.run(4)
    assert dut.counts("log_done") == {"0": 4}
    assert dut.get("log_done_sectors") == 1


def test_the_cpp_arrays_log(dut: Dut) -> None:
    """Each half of each disk of an array: its sectors are made again from the records in them."""
    power = _storage.PowerDomain()
    disks = [_storage.MemDevice(f"d{i}", 1 << 20, power) for i in range(5)]
    _storage.Array.create(disks, chunk_log2=12, k=3, p=2, dynamic=False, read_mbs=[500.0] * 5,
                          write_mbs=[500.0] * 5, seed=3)  # fmt: skip
    array = _storage.Array.open(disks)
    volume = _storage.Volume(array, 1 << 20, 0.0)
    r = random.Random(1)
    for _ in range(24):
        at = r.randrange(volume.size - 30_000)
        volume.write(at, r.randbytes(r.randrange(1, 30_000)))
        if r.random() < 0.4:
            volume.zero(r.randrange(volume.size // 12288) * 12288, 12288)
        volume.flush()
    image = disks[1].image
    half = struct.unpack_from("<I", image, 96)[0]
    heads = commits = 0
    for j in range(2):
        base = 65536 + j * half * 512
        sectors = [image[base + i * 512 : base + i * 512 + 512] for i in range(half)]
        i = 0
        while sectors[i][:4] == b"KLOG":
            fields = struct.unpack_from("<4s6IHBB", sectors[i])
            _, _, owner, generation, index, first, count, n, kind, words = fields
            if kind == 2:
                checkpoint, _, seq = struct.unpack_from("<IIQ", sectors[i], 32)
                record = pack(LOG_CMD, head=1, owner=owner, generation=generation,
                              count=checkpoint, seq=seq)  # fmt: skip
                dut.send("s_hdr_log_cmd", [record])
                # The controller knows nothing of the array's events; 0 says so.
                head = sectors[i]
                sectors[i] = sealed(head[:4] + bytes(4) + head[8:48] + bytes(8) + head[56:])
                heads += 1
            else:
                assert index == first and words == 7
                frames = []
                for sector in sectors[i : i + count]:
                    n = struct.unpack_from("<H", sector, 28)[0]
                    frames += [sector[32 + 56 * x : 88 + 56 * x] for x in range(n)]
                dut.send("s_hdr_log_cmd", [pack(LOG_CMD, w=5, owner=owner, generation=generation,
                                                index=index, count=len(frames))])  # fmt: skip
                dut.send("s_axis_log_rec", frames)
                commits += 1
            assert dut.recv_data("m_axis_log_axis", count) == sectors[i : i + count]
            i += count
    assert heads >= 1 and commits >= 15


@pytest.mark.parametrize("w", [1, 5, 30])
def test_broken_records(dut: Dut, w: int) -> None:
    """Too short, too long, partial, marked: the sector is marked, and the next one is well."""
    r = random.Random(w)
    fit = 480 // (16 + 8 * w)
    short = struct.pack("<Q", 5)
    for where in {0, fit - 1}:
        for broken in (short, bytes(8 * (w + 3)), bytes(8 * (w + 9)), bytes(8 * (w + 2) - 1), None):
            records = some(r, fit + 1, w)
            frames = [Frame(frame(r, x)) for x in records]
            if broken is None:
                frames[where].bad = True
            else:
                frames[where] = Frame(broken)
            dut.send(
                "s_hdr_log_cmd",
                [pack(LOG_CMD, w=w, owner=1, generation=2, index=3, count=len(records))],
            )
            dut.send("s_axis_log_rec", frames)
            out = dut.recv("m_axis_log_axis", 2)
            assert [f.bad for f in out] == [True, False]
            assert [len(f.data) for f in out] == [512, 512]
            expected = sectors_of(records, w, 1, 2, 3)
            assert out[1].data == expected[1]
            if broken is None:
                assert out[0].data == expected[0]
            else:  # the others of the sector are where they belong, and the sum is right
                size = 16 + 8 * w
                for i in range(fit):
                    at = 32 + i * size
                    if i != where:
                        assert out[0].data[at : at + size] == expected[0][at : at + size]
                data = out[0].data
                assert sealed(data[:4] + bytes(4) + data[8:]) == data


def test_time(dut: Dut) -> None:
    """First beat, and sectors behind each other without a gap but the header and the padding."""
    dut.send("s_hdr_log_cmd", [pack(LOG_CMD, head=1)])
    out = dut.recv("m_axis_log_axis", 1)[0]
    assert out.cycle - dut.sent("s_hdr_log_cmd")[0][0] == 74
    assert out.last_cycle - out.cycle == 63
    dut.run(4)
    commit(dut, some(random.Random(1), 200, 4), 4)
    frames = dut.recv("m_axis_log_axis", 20)
    assert frames[0].cycle - dut.sent("s_hdr_log_cmd")[-1][0] == 109
    starts = [f.cycle for f in frames]
    assert max(b - a for a, b in itertools.pairwise(starts)) <= 69
    assert frames[0].last_cycle - starts[0] == 63
