# SPDX-License-Identifier: Apache-2.0
"""Writes that are answered before a disk has them: memory, errors, kills, and who sees what."""

from __future__ import annotations

import random
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbd_client as nbd
import pytest
from arraykit import Rig
from kumihimo._storage import Array, FileDevice, NbdServer, StorageError, Volume
from nbd_client import Nbd

CHUNK = 4096
MIB = 1 << 20


def _files(folder: Path, count: int = 5, size: int = 24 * MIB) -> list[Path]:
    paths = [folder / f"disk{i}" for i in range(count)]
    for path in paths:
        with path.open("ab") as f:
            f.truncate(size)
    return paths


def _array(
    folder: Path, k: int = 1, p: int = 0, *, dynamic: bool = True
) -> tuple[list[FileDevice], Array]:
    """With `dynamic` a disk that this machine lets wait gets less, perhaps nothing."""
    disks = [FileDevice(str(path)) for path in _files(folder)]
    Array.create(disks, chunk_log2=12, k=k, p=p, dynamic=dynamic, seed=1)
    return disks, Array.open(disks)


def _wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not until():
        assert time.monotonic() < end
        time.sleep(0.01)


def _written_to(volume: Volume, unwritten: int) -> None:
    _wait(lambda: int(volume.write_status()["unwritten"]) <= unwritten)


def test_a_stalled_disk_holds_up_no_other(tmp_path: Path) -> None:
    """Four times what fits into memory is written while a disk stands still."""
    disks, array = _array(tmp_path)
    volume = Volume(array, cache_bytes=MIB, commit_s=1000.0)
    data = random.Random(1).randbytes(4 * MIB)
    disks[1].hang()
    most = 0
    for at in range(0, len(data), CHUNK):
        volume.write(at, data[at : at + CHUNK])
        most = max(most, int(volume.write_status()["unwritten"]))
    assert MIB // 2 < most <= MIB + 2 * CHUNK
    assert volume.read(0, len(data)) == data
    disks[1].resume()
    volume.flush()
    status = volume.write_status()
    assert (status["unwritten"], status["problem"], status["dropped"]) == (0, "", 0)
    assert volume.read(0, len(data)) == data


@pytest.mark.parametrize("threads", [1, 8])
def test_memory_does_not_grow_while_no_disk_answers(tmp_path: Path, threads: int) -> None:
    """Requests wait; each writes 64 KiB, and each may be over the limit by what it brings."""
    disks, array = _array(tmp_path, 3, 1)
    volume = Volume(array, cache_bytes=MIB, commit_s=0.05)
    piece = 65536
    data = random.Random(2).randbytes(8 * MIB)
    for disk in disks:
        disk.hang()

    def some(first: int) -> None:
        for at in range(first * piece, len(data), threads * piece):
            volume.write(at, data[at : at + piece])

    writers = [threading.Thread(target=some, args=(i,)) for i in range(threads)]
    for writer in writers:
        writer.start()
    _wait(lambda: int(volume.write_status()["unwritten"]) > MIB)
    time.sleep(0.3)
    assert all(writer.is_alive() for writer in writers)
    # What a request of 64 KiB keeps with stripes of 12 KiB, the ends in copies of their own.
    assert int(volume.write_status()["unwritten"]) <= MIB + threads * (piece + 2 * 16384)
    reader = threading.Thread(target=lambda: volume.read(0, CHUNK))
    reader.start()
    reader.join(10)
    assert not reader.is_alive()  # from memory
    for disk in disks:
        disk.resume()
    for writer in writers:
        writer.join()
    volume.flush()
    assert volume.read(0, len(data)) == data


def test_memory_of_a_long_request_counts_until_all_of_it_is_gone(tmp_path: Path) -> None:
    _, array = _array(tmp_path)
    volume = Volume(array, cache_bytes=MIB, commit_s=1000.0)
    r = random.Random(3)
    data = bytearray(r.randbytes(8 * MIB))
    volume.write(0, bytes(data))
    for _ in range(300):
        at = r.randrange(len(data) // CHUNK) * CHUNK
        piece = r.randbytes(CHUNK)
        data[at : at + CHUNK] = piece
        volume.write(at, piece)
    _written_to(volume, MIB)
    assert volume.read(0, len(data)) == data
    volume.flush()
    assert volume.write_status()["unwritten"] == 0
    assert volume.read(0, len(data)) == data


def _grow_old(rig: Rig) -> None:
    """Gathered, written for want of memory, trimmed; until all of it must be safe."""
    volume = rig.open(cache=32 << 10, commit_s=0.05)
    array = rig.array
    assert array is not None
    volume.write(0, b"o" * 64 * CHUNK)
    volume.flush()
    before = array.info()["commits"]
    volume.zero(CHUNK, CHUNK, False)
    _wait(lambda: array.info()["commits"] > before)
    volume.write(0, b"n" * CHUNK)
    for at in range(4 * CHUNK, 64 * CHUNK, CHUNK):
        volume.write(at, b"n" * CHUNK)
    then = int(array.info()["commits"])
    r = random.Random(8)

    def enough() -> bool:
        """There is at most one commit a period; after two periods nothing may be left."""
        volume.write(r.choice([2, 3]) * CHUNK, r.randbytes(CHUNK))
        return int(array.info()["commits"]) >= then + 4

    _wait(enough)
    rig.power.off = True


def test_what_is_old_gets_safe_while_others_go_on_writing() -> None:
    """Nobody flushes: the volume commits what is old, also a trim alone. Then the power goes."""
    rig = Rig.make(4, 1, 1, size=4 * MIB)
    _grow_old(rig)
    rig.close()
    rig.power.off = False
    for disk in rig.disks:
        disk.power_cycle(1)
    got = rig.open().read(0, 64 * CHUNK)
    assert got[: 2 * CHUNK] == b"n" * CHUNK + bytes(CHUNK)
    assert got[4 * CHUNK :] == b"n" * (60 * CHUNK)


def test_an_error_after_the_answer_is_in_every_flush(tmp_path: Path) -> None:
    """Without redundancy a disk dies that holds writes which are not flushed."""
    disks, array = _array(tmp_path, dynamic=False)
    volume = Volume(array, cache_bytes=64 << 10, commit_s=1000.0)
    data = random.Random(4).randbytes(MIB)
    volume.write(0, data)
    volume.flush()
    volume.write(0, bytes(reversed(data)))
    _written_to(volume, 64 << 10)
    disks[1].die()
    for _ in range(3):
        with pytest.raises(StorageError):
            volume.flush()
    # All of it once more: the disk that is lost would not hear of it.
    with pytest.raises(StorageError, match=r"suspended|before the data was safe"):
        volume.write(0, data)
        volume.flush()
    assert array.suspended()


def test_an_error_that_only_the_background_has_met(tmp_path: Path) -> None:
    disks, array = _array(tmp_path)
    volume = Volume(array, cache_bytes=4 * MIB, commit_s=0.1)
    volume.write(0, b"a" * MIB)
    volume.flush()
    for disk in disks:
        disk.die()
    volume.write(0, b"b" * MIB)
    _wait(lambda: volume.write_status()["problem"] != "")
    assert int(volume.write_status()["unwritten"]) >= MIB  # not forgotten
    with pytest.raises(StorageError):
        volume.flush()
    assert volume.read(0, MIB) == b"b" * MIB
    # More than fits into memory: an error, not a wait for ever.
    with pytest.raises(StorageError):
        for at in range(MIB, 16 * MIB, 65536):
            volume.write(at, b"c" * 65536)
    assert int(volume.write_status()["unwritten"]) <= 4 * MIB + 2 * 65536


def test_what_a_lost_disk_never_had_does_not_replace_what_was_flushed(tmp_path: Path) -> None:
    """After the next start the version before is there: its record was not replaced."""
    disks, array = _array(tmp_path, dynamic=False)
    volume = Volume(array, cache_bytes=64 << 10, commit_s=1000.0)
    old, new = b"o" * MIB, b"n" * MIB
    volume.write(0, old)
    volume.flush()
    volume.write(0, new)
    _written_to(volume, 64 << 10)
    disks[1].die()
    with pytest.raises(StorageError):
        volume.flush()
    del volume, array, disks
    again = Volume(Array.open([FileDevice(str(path)) for path in _files(tmp_path)]))
    got = again.read(0, MIB)
    assert all(got[at : at + CHUNK] in (old[:CHUNK], new[:CHUNK]) for at in range(0, MIB, CHUNK))
    assert old[:CHUNK] in (got[at : at + CHUNK] for at in range(0, MIB, CHUNK))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Volume]]:
    disks = [FileDevice(str(path)) for path in _files(tmp_path)]
    Array.create(disks, chunk_log2=12, k=3, p=1, seed=1)
    volume = Volume(Array.open(disks), cache_bytes=MIB, commit_s=0.02)
    server = NbdServer(volume, str(tmp_path / "nbd.sock"))
    yield str(tmp_path / "nbd.sock"), volume
    server.stop()


def test_what_one_connection_has_written_all_others_read(served: tuple[str, Volume]) -> None:
    path, _ = served
    clients = [Nbd(path).go() for _ in range(3)]
    r = random.Random(5)
    size = 2 * MIB
    content = bytearray(size)
    clients[0].call(nbd.WRITE, 0, size, bytes(content))
    for i in range(400):
        one, other = r.sample(clients, 2)
        n = r.choice([1, 512, CHUNK, 3 * CHUNK, 40000, 200000])
        at = r.randrange(size - n)
        at -= r.choice([0, at % CHUNK, at % (3 * CHUNK)])
        data = r.randbytes(n)
        content[at : at + n] = data
        assert one.call(nbd.WRITE, at, n, data).error == 0
        around = max(0, at - 1000)
        n = min(size - around, n + 2000)
        assert other.call(nbd.READ, around, n).data == content[around : around + n], i


def test_many_requests_of_a_connection_at_once(served: tuple[str, Volume]) -> None:
    """Replies go out together; each comes, also when reads and flushes are in between."""
    c = Nbd(served[0]).go()
    r = random.Random(6)
    content = bytearray(MIB)
    c.call(nbd.WRITE, 0, MIB, bytes(content))
    for _ in range(30):
        places = r.sample(range(MIB // CHUNK), 60)
        asked: dict[int, bytes] = {}
        for i, place in enumerate(places):
            at = place * CHUNK
            if i % 7 == 3:
                asked[c.send(nbd.READ, at, CHUNK)] = bytes(content[at : at + CHUNK])
            elif i % 29 == 5:
                asked[c.send(nbd.FLUSH, 0, 0)] = b""
            else:
                data = r.randbytes(CHUNK)
                content[at : at + CHUNK] = data
                flags = nbd.FUA if i % 13 == 0 else 0
                asked[c.send(nbd.WRITE, at, CHUNK, data, flags)] = b""
        while asked:
            cookie, reply = c.receive()
            assert reply.error == 0
            assert reply.data == asked.pop(cookie)
    assert c.call(nbd.READ, 0, MIB).data == content


@pytest.mark.parametrize("seed", range(3))
def test_zeroes_and_trims_race_with_writes(served: tuple[str, Volume], seed: int) -> None:
    """Each client has stripes of its own beside those of the others, in the same shards."""
    path, volume = served
    stripe = 3 * CHUNK
    problems: list[str] = []
    results: dict[int, bytes] = {}

    def use(number: int) -> None:
        c = Nbd(path).go()
        r = random.Random(f"{seed} {number}")
        base = number * 256 * stripe  # as many stripes as there are shards
        content = bytearray(64 * stripe)
        c.call(nbd.WRITE, base, len(content), bytes(content))
        for i in range(250):
            first, count = r.randrange(60), r.randrange(1, 5)
            at, n = first * stripe, count * stripe
            what = r.random()
            if what < 0.5:
                at += r.choice([0, 0, 512, 700])
                n = r.choice([n, CHUNK, 512, 1000])
                n = min(n, len(content) - at)
                content[at : at + n] = r.randbytes(n)
                c.call(nbd.WRITE, base + at, n, bytes(content[at : at + n]))
            elif what < 0.7:
                n -= r.choice([0, 512])
                content[at : at + n] = bytes(n)
                c.call(nbd.ZEROES, base + at, n, flags=r.choice([0, nbd.NO_HOLE, nbd.FUA]))
            elif what < 0.85:
                content[at : at + n] = bytes(n)  # whole stripes read as zeros here
                c.call(nbd.TRIM, base + at, n)
            elif what < 0.9:
                c.call(nbd.FLUSH, 0, 0)
            if c.call(nbd.READ, base + at, n).data != content[at : at + n]:
                problems.append(f"client {number}, step {i}")
                return
        results[number] = bytes(content)
        c.close()

    clients = [threading.Thread(target=use, args=(i,)) for i in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert not problems
    volume.flush()
    for number, content in results.items():
        assert volume.read(number * 256 * stripe, len(content)) == content
    assert len(results) == 4


SERVER = """
import sys, signal
from kumihimo._storage import Array, FileDevice, NbdServer, Volume
folder, *paths = sys.argv[1:]
array = Array.open([FileDevice(p) for p in paths])
volume = Volume(array, cache_bytes=256 << 10, commit_s=0.03)
server = NbdServer(volume, folder + "/nbd.sock")
print("ready", flush=True)
signal.pause()
"""


@pytest.mark.parametrize(("k", "p"), [(1, 0), (3, 1)])
def test_killed_with_writes_in_memory(tmp_path: Path, k: int, p: int) -> None:
    """SIGKILL at any moment: what was flushed or sent with FUA is there, the rest is old or new.

    One connection writes without a flush, another with FUA, each chunk with its number and that of
    the round.
    """
    paths = [str(path) for path in _files(tmp_path)]
    devices = [FileDevice(path) for path in paths]
    Array.create(devices, chunk_log2=12, k=k, p=p, seed=1)
    del devices
    chunks, r = 600, random.Random(7 + k)

    def stamp(chunk: int, version: int) -> bytes:
        return struct.pack("<II", chunk, version) * (CHUNK // 8)

    safe = [0] * chunks  # the version that must be there at least
    sent = [0] * chunks
    version = 0
    for kill in range(6):
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(tmp_path), *paths],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None and server.stdout.readline() == "ready\n"
        place = str(tmp_path / "nbd.sock")
        plain, safely = Nbd(place).go(), Nbd(place).go()
        for c in range(chunks):
            got = plain.call(nbd.READ, c * CHUNK, CHUNK).data
            _, found = struct.unpack_from("<II", got)
            assert got == (stamp(c, found) if found else bytes(CHUNK)), f"kill {kill}, chunk {c}"
            assert safe[c] <= found <= sent[c], f"kill {kill}, chunk {c}"
            safe[c] = sent[c] = found
        deadline = time.monotonic() + r.uniform(0.05, 0.4)
        while time.monotonic() < deadline:
            version += 1
            for c in r.sample(range(chunks), 20):
                sent[c] = version
                assert plain.call(nbd.WRITE, c * CHUNK, CHUNK, stamp(c, version)).error == 0
            c = r.randrange(chunks)
            version += 1
            sent[c] = version
            how = nbd.FUA if r.random() < 0.9 else 0
            assert safely.call(nbd.WRITE, c * CHUNK, CHUNK, stamp(c, version), how).error == 0
            if how:
                safe[c] = version
            if r.random() < 0.1:
                assert safely.call(nbd.FLUSH, 0, 0).error == 0
                safe[:] = sent
        server.send_signal(signal.SIGKILL)
        server.wait()
        for client in (plain, safely):
            client.close()
    array = Array.open([FileDevice(path) for path in paths])
    array.repair(0, array.info()["stripes"], True)
    assert array.info()["repaired"] == 0
