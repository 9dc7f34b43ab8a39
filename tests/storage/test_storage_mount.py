# SPDX-License-Identifier: Apache-2.0
"""Mounted file systems on an array, a power cut under one, and programs of libnbd and nbdkit."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from arraykit import Rig
from nbd_programs import SYSTEM_PATH, as_device, as_file, mounted, need, program, run, served

MIB = 1 << 20
TREE = Path(__file__).parent


def _small(seed: int) -> Rig:
    """Six disks in memory, single parity, some 20 MiB."""
    rig = Rig.make(6, 3, 1, size=6 * MIB, seed=seed, spares=1)
    rig.open(cache=1 * MIB)
    return rig


@pytest.fixture
def rig() -> Iterator[Rig]:
    one = _small(1)
    yield one
    one.close()


def _same_tree(copy: Path) -> bool:
    files = [f for f in TREE.iterdir() if f.is_file()]
    return all((copy / f.name).read_bytes() == f.read_bytes() for f in files)


def _to_file(rig: Rig, path: Path) -> Path:
    assert rig.volume is not None
    path.write_bytes(rig.volume.read(0, rig.volume.size))
    return path


def test_ext4_mounted_through_nbdfuse_and_a_loop_device(rig: Rig, tmp_path: Path) -> None:
    """A tree is written and read by the kernel's ext4; a disk is lost between."""
    need("mount", "unshare")
    mkfs, fsck = need("mkfs.ext4", "e2fsck")
    point = tmp_path / "mnt"
    with served(rig.volume, tmp_path) as uri, as_file(uri, tmp_path) as file:
        with as_device(file) as device:
            run(mkfs, "-q", "-F", device)
            run(*mounted(f"mkdir t && cp '{TREE}'/*.py t/ && sync", device, point))
        rig.array.fail(2)
        with as_device(file) as device:
            shutil.rmtree(tmp_path / "out", ignore_errors=True)
            run(*mounted(f"cp -r t '{tmp_path}/out' && rm t/a*.py", device, point))
            assert _same_tree(tmp_path / "out")
            rig.volume.rebuild()
            run(fsck, "-f", "-n", device)
    assert rig.array.degraded_stripes() == 0
    run(fsck, "-f", "-n", _to_file(rig, tmp_path / "image"))


def test_ext4_mounted_by_fuse2fs(rig: Rig, tmp_path: Path) -> None:
    """The same where nothing of it needs a block device or root: nbdfuse, then fuse2fs."""
    mkfs, fsck, fuse2fs, fusermount = need("mkfs.ext4", "e2fsck", "fuse2fs", "fusermount3")
    point = tmp_path / "mnt"
    point.mkdir()
    with served(rig.volume, tmp_path) as uri, as_file(uri, tmp_path) as file:
        run(mkfs, "-q", "-F", file)
        with program(fuse2fs, "-f", file, point, shows=point / "lost+found") as child:
            for source in TREE.glob("*.py"):
                (point / source.name).write_bytes(source.read_bytes())
            run(fusermount, "-u", point)
            assert child.wait(30) == 0  # it writes the superblock when it ends
        with program(fuse2fs, "-f", "-o", "ro", file, point, shows=point / "lost+found") as child:
            for source in TREE.glob("*.py"):
                assert (point / source.name).read_bytes() == source.read_bytes()
            run(fusermount, "-u", point)
            assert child.wait(30) == 0  # it writes the superblock when it ends
    run(fsck, "-f", "-n", _to_file(rig, tmp_path / "image"))


# Files of known content, each named on standard output when fsync has returned.
WRITER = """
import os, random, sys
r = random.Random(int(sys.argv[1]))
for i in range(10_000):
    name = f"f{i % 40}.{i}"
    data = r.randbytes(r.choice([100, 5_000, 60_000]))
    try:
        with open(name, "wb") as f:
            f.write(data)
            if i % 2:
                f.flush()
                os.fsync(f.fileno())
        if i % 2:
            print(name, flush=True)
        old = f"f{i % 40}.{i - 40}"
        if i >= 40 and i % 2 == 0:
            os.unlink(old)
    except OSError:
        sys.exit(0)
"""


@pytest.mark.parametrize("seed", range(3))
def test_ext4_journal_replays_after_a_power_cut(seed: int, tmp_path: Path) -> None:
    """Power goes while the kernel writes files: what fsync has answered is there."""
    python, _unshare = need("python3", "unshare")
    mkfs, fsck, debugfs = need("mkfs.ext4", "e2fsck", "debugfs")
    r = random.Random(seed)
    rig = _small(seed + 10)
    acknowledged: list[str] = []
    with (
        served(rig.volume, tmp_path) as uri,
        as_file(uri, tmp_path) as file,
        as_device(file) as device,
    ):
        run(mkfs, "-q", "-F", "-b", "1024", "-J", "size=2", device)
        (tmp_path / "writer.py").write_text(WRITER)
        script = f"exec '{python}' '{tmp_path}/writer.py' {seed}"
        words = mounted(script, device, tmp_path / "mnt", "commit=1,errors=remount-ro")
        env = {**os.environ, "PATH": SYSTEM_PATH}
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env) as child:
            assert child.stdout is not None
            cut = r.randrange(20, 120)
            for line in child.stdout:
                acknowledged.append(line.strip())
                if len(acknowledged) == cut:
                    rig.power.sectors_left = r.randrange(1, 600)
            assert child.wait(60) == 0
    assert rig.power.off and len(acknowledged) >= cut
    rig.close()
    rig.power.off, rig.power.sectors_left = False, 1 << 60
    for i, disk in enumerate(rig.disks):
        disk.power_cycle(seed * 100 + i)
    r.shuffle(rig.disks)
    rig.open()
    image = _to_file(rig, tmp_path / "image")
    assert "needs_recovery" in run(debugfs, "-R", "features", image)
    assert "recovering journal" in run(fsck, "-f", "-y", image, good=(0, 1)), "nothing to replay"
    run(fsck, "-f", "-n", image)
    out = tmp_path / "out"
    out.mkdir()
    run(debugfs, "-R", f"rdump / {out}", image)
    again = random.Random(seed)
    want = {}
    last = int(acknowledged[-1].split(".")[1])
    for i in range(last + 1):
        want[f"f{i % 40}.{i}"] = again.randbytes(again.choice([100, 5_000, 60_000]))
    # Files of odd numbers were never deleted; all others may be there or not.
    for name in acknowledged:
        assert (out / name).read_bytes() == want[name], name
    assert rig.volume is not None
    rig.volume.rebuild(verify=True)
    assert rig.array is not None and rig.array.info()["repaired"] == 0
    rig.close()


def test_nbdkit_in_front(rig: Rig, tmp_path: Path) -> None:
    """The client of nbdkit (its nbd plugin) and filters that check what is under them."""
    kit, copy, info, mkfs, img = need("nbdkit", "nbdcopy", "nbdinfo", "mkfs.ext4", "qemu-img")
    size = rig.volume.size
    image = tmp_path / "image"
    r = random.Random(3)
    image.write_bytes(r.randbytes(3 * MIB) + bytes(2 * MIB) + r.randbytes(size - 5 * MIB))
    with served(rig.volume, tmp_path) as uri:
        run(copy, image, uri)
        # checkwrite: every write, zero and trim of a client must be what the plugin holds already.
        front = tmp_path / "check.sock"
        words = [kit, "-f", "-U", front, "--filter=checkwrite", "nbd", f"uri={uri}"]
        with program(*words, shows=front):
            run(copy, image, f"nbd+unix:///?socket={front}")
        image.write_bytes(b"\1" + image.read_bytes()[1:])
        words[3] = front = tmp_path / "check2.sock"
        with program(*words, shows=front):
            fails = subprocess.run(
                [copy, str(image), f"nbd+unix:///?socket={front}"], capture_output=True, check=False
            )
            assert fails.returncode != 0  # the filter does compare
        # A proxy with several connections: same size, same map, same bytes, both ways.
        front = tmp_path / "proxy.sock"
        proxied = f"nbd+unix:///?socket={front}"
        with program(kit, "-f", "-U", front, "nbd", f"uri={uri}", "shared=true", shows=front):
            assert run(info, "--size", proxied) == run(info, "--size", uri)
            assert run(info, "--map", "--totals", proxied) == run(info, "--map", "--totals", uri)
            run(copy, "--flush", image, proxied)
            run(img, "compare", "-f", "raw", "-F", "raw", image, proxied)
        run(img, "compare", "-f", "raw", "-F", "raw", image, uri)
        # ext2: a file out of a file system on the array, without a mount.
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / "inner").write_bytes(r.randbytes(300_000))
        plain = tmp_path / "plain"
        with plain.open("wb") as f:
            f.truncate(size // MIB * MIB)
        run(mkfs, "-q", "-F", "-d", tree, plain)
        run(copy, plain, uri)
        front = tmp_path / "ext2.sock"
        words = [kit, "-f", "-r", "-U", front, "--filter=ext2", "nbd", f"uri={uri}"]
        with program(*words, "ext2file=/inner", shows=front):
            run(copy, f"nbd+unix:///?socket={front}", tmp_path / "inner")
    assert (tmp_path / "inner").read_bytes() == (tree / "inner").read_bytes()


def test_copy_between_two_arrays(rig: Rig, tmp_path: Path) -> None:
    """Copies from one server to another; holes stay holes; nbddump reads what is there."""
    copy, info, dump = need("nbdcopy", "nbdinfo", "nbddump")
    other = _small(2)
    assert rig.volume.size == other.volume.size
    data = random.Random(5).randbytes(4 * MIB)
    rig.volume.write(1 * MIB, data)
    rig.volume.write(12 * MIB, data)
    with (
        served(rig.volume, tmp_path, "a") as a,
        served(other.volume, tmp_path, "b") as b,
    ):
        run(copy, "--flush", a, b)
        assert "hole" in run(info, "--map", b)
        lines = run(dump, "--length=16", b).splitlines()
        assert lines[0].split()[1:4] == ["00", "00", "00"]
    assert other.volume.read(0, other.volume.size) == rig.volume.read(0, rig.volume.size)
    other.close()


SCRIPT = """
import random
r = random.Random(9)
size = h.get_size()
assert h.can_flush() and h.can_fua() and h.can_trim() and h.can_zero() and h.can_multi_conn()
assert h.can_df() and not h.is_read_only() and h.get_structured_replies_negotiated()
# Forty writes under way at once, then all reads at once.
data = [r.randbytes(r.choice([512, 5000, 70000])) for _ in range(40)]
places = [i * 100000 for i in range(40)]
def all_done(cookies):
    left = set(cookies)
    while left:
        h.poll(1000)
        left = {c for c in left if not h.aio_command_completed(c)}
all_done([h.aio_pwrite(bytearray(d), at) for d, at in zip(data, places)])
h.flush()
buffers = [nbd.Buffer(len(d)) for d in data]
all_done([h.aio_pread(b, at) for b, at in zip(buffers, places)])
assert [bytes(b.to_bytearray()) for b in buffers] == data
# A structured read tells where its data are; with DF it comes in one piece.
got = []
def chunk(piece, offset, status, error):
    got.append((offset, bytes(piece), status))
    return 0
back = h.pread_structured(len(data[0]), places[0], chunk, nbd.CMD_FLAG_DF)
assert bytes(back) == data[0] and got == [(places[0], data[0], nbd.READ_DATA)]
# Trim and zeroes, and what the map says then.
def extents(at, length):
    out = []
    def note(context, offset, entries, error):
        out.extend(zip(entries[::2], entries[1::2]))
        return 0
    h.block_status(length, at, note)
    return out
MIB = 1 << 20
h.pwrite(bytearray(b"x" * 4 * MIB), 8 * MIB, nbd.CMD_FLAG_FUA)
assert all(kind == 0 for _, kind in extents(8 * MIB, 4 * MIB))
h.trim(4 * MIB, 8 * MIB, nbd.CMD_FLAG_FUA)
assert any(kind & nbd.STATE_HOLE for _, kind in extents(8 * MIB, 4 * MIB))
h.pwrite(bytearray(b"y" * MIB), 8 * MIB)
h.zero(MIB, 8 * MIB, nbd.CMD_FLAG_NO_HOLE)
assert bytes(h.pread(MIB, 8 * MIB)) == bytes(MIB)
# libnbd lets these through only when told to; the server answers each and goes on.
h.set_strict_mode(0)
def refused(call, *names):
    try:
        call()
    except nbd.Error as e:
        assert e.errno in names, (e.errno, names)
    else:
        raise AssertionError("was not refused")
refused(lambda: h.pread(512, size), "EINVAL")
refused(lambda: h.pwrite(bytearray(512), size - 511), "ENOSPC", "EINVAL")
refused(lambda: h.trim(512, size + 4096), "EINVAL", "ENOSPC")
refused(lambda: h.pread(512, 0, 1 << 14), "EINVAL")
refused(lambda: h.cache(512, 0), "EINVAL", "ENOTSUP")
assert bytes(h.pread(len(data[1]), places[1])) == data[1]
h.shutdown()
print("all done")
"""


def test_nbdsh(rig: Rig, tmp_path: Path) -> None:
    """The shell of libnbd: asynchronous, structured, and with requests that are wrong."""
    (shell,) = need("nbdsh")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with served(rig.volume, tmp_path) as uri:
        out = run(shell, "--base-allocation", "-u", uri, "-c", f"exec(open('{script}').read())")
    assert out.strip().endswith("all done")
