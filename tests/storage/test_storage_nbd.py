# SPDX-License-Identifier: Apache-2.0
"""The NBD server: the protocol by a client of our own, garbage, and clients no one here wrote."""

from __future__ import annotations

import random
import shutil
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbd_client as nbd
import pytest
from kumihimo._storage import Array, FileDevice, NbdServer, Volume
from nbd_client import Nbd
from nbd_programs import need, run

EINVAL, ENOSPC, EPERM, EOVERFLOW = 22, 28, 1, 75


class Served:
    """An array of four disks with parity, behind a socket."""

    def __init__(self, folder: Path, *, k: int = 3, p: int = 1, read_only: bool = False) -> None:
        self.folder = folder
        self.paths = [folder / f"disk{i}" for i in range(5)]
        fresh = not self.paths[0].exists()
        for path in self.paths:
            with path.open("ab") as f:
                f.truncate(40 << 20)
        disks = [FileDevice(str(path)) for path in self.paths]
        if fresh:
            Array.create(disks, name="exam", k=k, p=p, spares=1)
        self.array = Array.open(disks)
        self.volume = Volume(self.array, commit_s=0.5)
        self.path = str(folder / "nbd.sock")
        self.server = NbdServer(self.volume, self.path, -1, read_only)
        self.uri = f"nbd+unix:///?socket={self.path}"

    def go(self, structured: bool = True) -> Nbd:
        return Nbd(self.path).go(structured)

    def close(self) -> None:
        self.server.stop()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    one = Served(tmp_path)
    yield one
    one.close()


def test_options(served: Served) -> None:
    c = Nbd(served.path)
    c.hello()
    assert c.option(nbd.OPT_LIST) == [(nbd.SERVER, b"\0\0\0\4exam"), (nbd.ACK, b"")]
    assert c.option(nbd.OPT_LIST, b"x")[0][0] == nbd.ERR + 3
    assert c.option(nbd.OPT_STARTTLS)[0][0] == nbd.ERR + 1
    assert c.option(999, b"y" * 100)[0][0] == nbd.ERR + 1
    assert c.option(999, b"y" * 70_000)[0][0] == nbd.ERR + 9
    other = struct.pack(">I", 5) + b"other" + b"\0\0"
    assert c.option(nbd.OPT_INFO, other)[0][0] == nbd.ERR + 6
    assert c.option(nbd.OPT_GO, b"\0\0")[0][0] == nbd.ERR + 3
    meta = struct.pack(">II", 0, 0)
    assert c.option(nbd.OPT_LIST_META, meta)[0][0] == nbd.ERR + 3  # not without structured
    assert c.option(nbd.OPT_STRUCTURED, b"z")[0][0] == nbd.ERR + 3
    assert c.option(nbd.OPT_STRUCTURED) == [(nbd.ACK, b"")]
    listed = c.option(nbd.OPT_LIST_META, meta)
    both = [(nbd.META, bytes(4) + name) for name in (b"base:allocation", b"kumi:lost")]
    assert listed == [*both, (nbd.ACK, b"")]
    unknown = struct.pack(">III", 0, 1, 3) + b"x:y"
    assert c.option(nbd.OPT_SET_META, unknown) == [(nbd.ACK, b"")]
    named = struct.pack(">I", 4) + b"exam" + struct.pack(">H", 0)
    replies = c.option(nbd.OPT_INFO, named)
    assert struct.unpack(">HQH", replies[0][1])[1] == served.volume.size
    assert c.option(nbd.OPT_ABORT) == [(nbd.ACK, b"")]
    with pytest.raises(EOFError):
        c.take(1)


@pytest.mark.parametrize("no_zeroes", [False, True])
def test_export_name(served: Served, no_zeroes: bool) -> None:
    c = Nbd(served.path)
    c.hello(3 if no_zeroes else 1)
    c.s.sendall(b"IHAVEOPT" + struct.pack(">II", nbd.OPT_EXPORT_NAME, 0))
    size, _flags = struct.unpack(">QH", c.take(10))
    assert size == served.volume.size
    if not no_zeroes:
        assert c.take(124) == bytes(124)
    assert c.call(nbd.READ, 0, 100).data == bytes(100)


@pytest.mark.parametrize("structured", [False, True])
def test_commands(served: Served, structured: bool) -> None:
    c = served.go(structured)
    assert c.flags & 0x16D == 0x16D
    size = c.size
    data = random.Random(1).randbytes(300_000)
    assert c.call(nbd.WRITE, 12_345, len(data), data).error == 0
    assert c.call(nbd.READ, 12_345, len(data)).data == data
    assert c.call(nbd.WRITE, 0, 4096, b"a" * 4096, nbd.FUA).error == 0
    assert c.call(nbd.FLUSH, 0, 0).error == 0
    assert c.call(nbd.ZEROES, 20_000, 50_000, flags=nbd.NO_HOLE | nbd.FUA).error == 0
    assert (
        c.call(nbd.READ, 19_999, 50_002).data == data[7654:7655] + bytes(50_000) + data[57655:57656]
    )
    assert c.call(nbd.TRIM, 0, 1 << 20).error == 0
    # Past the end, unknown commands and flags: an error each, and the connection goes on.
    assert c.call(nbd.READ, size - 10, 11).error == EINVAL
    assert c.call(nbd.READ, 1 << 63, 1).error == EINVAL
    assert c.call(nbd.READ, 0, (32 << 20) + 1).error == EOVERFLOW
    assert c.call(nbd.WRITE, size - 10, 11, bytes(11)).error == ENOSPC
    assert c.call(nbd.ZEROES, size, 1).error == ENOSPC
    assert c.call(nbd.TRIM, size, 1).error == EINVAL
    assert c.call(nbd.CACHE, 0, 1).error == EINVAL
    assert c.call(77, 0, 1).error == EINVAL
    assert c.call(nbd.READ, 0, 1, flags=1 << 9).error == EINVAL
    assert c.call(nbd.READ, size - 1, 1).data == b"\0"
    if structured:
        last = c.call(nbd.STATUS, 0, size).extents
        assert sum(n for n, _ in last) == size and {f for _, f in last} <= {0, 3}
        assert len(c.call(nbd.STATUS, 0, size, flags=nbd.REQ_ONE).extents) == 1
        assert c.call(nbd.STATUS, 0, 0).error == EINVAL
    else:
        assert c.call(nbd.STATUS, 0, 512).error == EINVAL


def test_many_requests_on_many_connections(served: Served) -> None:
    """Replies come in any order; a flush on one connection covers the writes of all."""
    clients = [served.go() for _ in range(4)]
    r = random.Random(2)
    pieces = {i: r.randbytes(r.choice([512, 4096, 70_000])) for i in range(200)}
    for i, data in pieces.items():
        clients[i % 4].send(nbd.WRITE, i * 80_000, len(data), data)
    for i in range(200):
        assert clients[i % 4].receive()[1].error == 0
    assert clients[0].call(nbd.FLUSH, 0, 0).error == 0
    where = {}
    for i, data in pieces.items():
        where[i % 4, clients[i % 4].send(nbd.READ, i * 80_000, len(data))] = i
    for i in range(200):
        cookie, reply = clients[i % 4].receive()
        assert reply.data == pieces[where[i % 4, cookie]]


def test_a_client_that_reads_no_replies_stalls_only_itself(served: Served) -> None:
    lazy, busy = served.go(), served.go()
    for i in range(60):
        lazy.send(nbd.READ, i << 19, 1 << 19)
    for i in range(50):
        assert len(busy.call(nbd.READ, i * 4096, 100_000).data) == 100_000
    for _ in range(60):
        assert len(lazy.receive()[1].data) == 1 << 19


def test_read_only(tmp_path: Path) -> None:
    Served(tmp_path).close()
    served = Served(tmp_path, read_only=True)
    c = served.go()
    assert c.flags & 2
    for kind in (nbd.TRIM, nbd.ZEROES):
        assert c.call(kind, 0, 512).error == EPERM
    assert c.call(nbd.WRITE, 0, 512, bytes(512)).error == EPERM
    served.close()


def test_garbage_writes_nothing_and_ends_only_its_connection(served: Served) -> None:
    good = served.go()
    data = random.Random(3).randbytes(1 << 20)
    good.call(nbd.WRITE, 0, len(data), data, nbd.FUA)
    before = served.server.counters()["written_bytes"]
    disks = [path.read_bytes() for path in served.paths]
    r = random.Random(4)
    for i in range(150):
        c = Nbd(served.path)
        c.s.settimeout(5)
        try:
            if i % 3 == 0:
                c.take(18)
                c.s.sendall(r.randbytes(r.randrange(1, 300)))
            elif i % 3 == 1:
                c.hello()
                head = b"IHAVEOPT" + struct.pack(">II", r.randrange(12), r.choice([3, 40, 1 << 30]))
                c.s.sendall(head + r.randbytes(r.randrange(0, 60)))
            else:
                c.go()
                head = bytearray(struct.pack(">IHHQQI", 0x25609513, 0, 1, 1, 0, 1 << 16))
                if i % 2:
                    head[r.randrange(4)] ^= 1 << r.randrange(8)  # no request any more
                c.s.sendall(bytes(head) + r.randbytes(r.randrange(0, 1 << 15)))  # payload cut
            if r.random() < 0.5:
                c.s.shutdown(1)
        except (OSError, EOFError):
            pass
        c.close()
    assert good.call(nbd.READ, 0, len(data)).data == data
    counters = served.server.counters()
    assert counters["written_bytes"] == before and counters["broken"] > 20
    assert [path.read_bytes() for path in served.paths] == disks
    # No connection hangs on: the server ends at once.
    start = time.monotonic()
    good.close()
    served.server.stop()
    assert time.monotonic() - start < 10


def test_nbdinfo_and_nbdcopy(served: Served, tmp_path: Path) -> None:
    info, copy = need("nbdinfo", "nbdcopy")
    assert int(run(info, "--size", served.uri)) == served.volume.size
    assert "can_multi_conn: true" in run(info, served.uri)
    image = tmp_path / "image"
    image.write_bytes(random.Random(5).randbytes(20 << 20) + bytes(20 << 20))
    run(copy, "--flush", str(image), served.uri)
    assert "hole" in run(info, "--map", served.uri)
    run(copy, served.uri, str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes()[: 40 << 20] == image.read_bytes()


def test_qemu(served: Served) -> None:
    io, img = need("qemu-io", "qemu-img")
    commands = (
        "write -P 0xab 1M 64k",
        "read -P 0xab 1M 64k",
        "write -f -P 1 0 4k",
        "flush",
        "discard 4M 1M",
        "write -P 7 8M 1M",
        "write -z 8M 64k",
        "read -P 0 8M 64k",
        "read -P 7 8454144 64k",
    )
    words = [w for c in commands for w in ("-c", c)]
    text = run(io, "-f", "raw", *words, served.uri)
    assert "verification failed" not in text
    run(img, "bench", "-f", "raw", "-c", "500", "-d", "16", "-s", "4096", "-w", served.uri)


def test_fio_verifies(served: Served) -> None:
    (fio,) = need("fio")
    common = ["--ioengine=nbd", f"--uri={served.uri}", "--verify=crc32c", "--verify_fatal=1"]
    common += ["--verify_state_save=0"]
    run(fio, "--name=a", *common, "--rw=randrw", "--bs=4k", "--iodepth=16", "--size=8M")
    run(fio, "--name=b", *common, "--rw=write", "--bs=1M", "--iodepth=8", "--size=64M")


def test_file_system_survives_a_lost_disk(served: Served, tmp_path: Path) -> None:
    """ext4 with a tree in it, copied through NBD; a disk is lost; then e2fsck and debugfs."""
    mkfs, fsck, debugfs = need("mkfs.ext4", "e2fsck", "debugfs")
    tree = tmp_path / "tree"
    shutil.copytree(Path(__file__).parent, tree, ignore=shutil.ignore_patterns("__pycache__"))
    image = tmp_path / "fs"
    with image.open("wb") as f:
        f.truncate(served.volume.size // (1 << 20) * (1 << 20))
    run(mkfs, "-q", "-F", "-d", str(tree), str(image))
    c = served.go()
    data = image.read_bytes()
    step = 1 << 20
    for at in range(0, len(data), step):
        part = data[at : at + step]
        kind = (nbd.WRITE, part) if any(part) else (nbd.ZEROES, b"")
        assert c.call(kind[0], at, len(part), kind[1]).error == 0
    assert c.call(nbd.FLUSH, 0, 0).error == 0
    served.array.fail(1)
    served.volume.rebuild()
    assert served.array.degraded_stripes() == 0
    with image.open("wb") as f:
        for at in range(0, len(data), step):
            f.write(c.call(nbd.READ, at, min(step, len(data) - at)).data)
    run(fsck, "-f", "-n", str(image))
    out = tmp_path / "out"
    out.mkdir()
    run(debugfs, "-R", f"rdump / {out}", str(image))
    for path in tree.iterdir():
        assert (out / path.name).read_bytes() == path.read_bytes()


def test_what_is_lost_is_in_a_metadata_context(tmp_path: Path) -> None:
    """Nbdinfo shows where reads are errors; the rest of the volume is as ever."""
    served = Served(tmp_path, k=1, p=0)
    client = served.go()
    assert client.call(nbd.WRITE, 0, 1 << 20, b"x" * (1 << 20)).error == 0
    assert client.call(nbd.FLUSH, 0, 0).error == 0
    ((device, slot, _),) = served.array.places(3)
    del client
    served.close()
    del served.server, served.volume, served.array
    image = bytearray(served.paths[device].read_bytes())
    at = int.from_bytes(image[104:112], "little") + 65536 * slot
    image[at] ^= 1
    served.paths[device].write_bytes(bytes(image))
    served = Served(tmp_path, k=1, p=0)
    client = served.go()
    assert client.call(nbd.READ, 3 * 65536, 512).error == 5
    assert client.call(nbd.WRITE, 3 * 65536, 512, bytes(512)).error == 5
    assert client.call(nbd.FLUSH, 0, 0).error == 0
    need("nbdinfo")
    out = run("nbdinfo", "--map=kumi:lost", served.uri)
    rows = [line.split()[:3] for line in out.splitlines()]
    assert rows[:2] == [["0", str(3 * 65536), "0"], [str(3 * 65536), "65536", "1"]]
    assert len(rows) == 3 and rows[2][2] == "0"
    listed = run("nbdinfo", "--map=base:allocation", served.uri)
    assert listed.splitlines()[0].split()[:3] == ["0", str(1 << 20), "0"]
    assert client.call(nbd.WRITE, 3 * 65536, 65536, b"y" * 65536).error == 0
    assert client.call(nbd.FLUSH, 0, 0).error == 0
    assert client.call(nbd.READ, 3 * 65536, 512).data == b"y" * 512
    served.close()


def test_connections_are_limited(tmp_path: Path) -> None:
    """One too many is closed; when another has gone there is room again."""
    served = Served(tmp_path)
    path = str(tmp_path / "few.sock")
    server = NbdServer(served.volume, path, max_connections=3)
    clients = [Nbd(path).go() for _ in range(3)]
    for _ in range(2):
        with pytest.raises((EOFError, ConnectionError)):
            Nbd(path).go()
    assert server.counters()["refused"] == 2
    assert all(c.call(nbd.READ, 0, 512).error == 0 for c in clients)
    clients.pop().close()
    end = time.monotonic() + 20
    while True:
        try:
            Nbd(path).go()
            break
        except (EOFError, ConnectionError):
            assert time.monotonic() < end
    server.stop()
    served.close()


def test_no_thread_left_ends_a_connection_and_no_more(tmp_path: Path) -> None:
    """With few processes allowed, a client that gets no thread is closed; others are served."""
    script = tmp_path / "run.py"
    script.write_text(
        """
import resource, socket, sys
from kumihimo._storage import Array, MemDevice, NbdServer, PowerDomain, Volume
power = PowerDomain()
disks = [MemDevice(f"d{i}", 1 << 20, power) for i in range(3)]
Array.create(disks, k=1, p=1, chunk_log2=12)
volume = Volume(Array.open(disks))
server = NbdServer(volume, sys.argv[1])
def greeted():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(sys.argv[1])
    return s, s.recv(18)
first, hello = greeted()
assert hello[:8] == b"NBDMAGIC"
# Every thread needs a stack of its own: there is no room for one more.
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (2 << 20), -1))
other, hello = greeted()
assert hello == b"", hello
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
other, hello = greeted()
assert hello[:8] == b"NBDMAGIC"
assert server.counters()["refused"] == 1
first.close(); other.close()
server.stop()
print("served")
"""
    )
    assert run(sys.executable, script, tmp_path / "s").strip() == "served"
