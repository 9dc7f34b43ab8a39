# SPDX-License-Identifier: Apache-2.0
"""The storage part of `kumi demo`: seven fast disks and a slow one, a file system, a dead disk.

No root and no kernel module is needed. The file system is made by mke2fs with a tree in it, goes
to the array through the NBD server as any client's writes do, and comes back the same way with a
disk dead and again after the rebuild; e2fsck and debugfs then read it.
"""

from __future__ import annotations

import hashlib
import shutil
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .. import _storage
from ..common import tools
from ..common.errors import EnvironmentProblem, KumiError
from ..common.process import find_program
from . import arrays
from .arrays import Speed
from .control import Service

FAST_MBS, SLOW_MBS = 40.0, 10.0
DISK_BYTES = 48 << 20
STEP = 1 << 20


@dataclass
class StorageResult:
    """What was seen. `lines` are for people, one a step."""

    speeds: list[Speed] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    files: int = 0
    bytes: int = 0
    rebuilt: int = 0
    clean: bool = False


class _Client:
    """Just enough of an NBD client: one request at a time."""

    def __init__(self, path: Path) -> None:
        self._s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._s.settimeout(60)
        self._s.connect(str(path))
        self._take(18)
        self._s.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 0))
        self.size, self.flags = struct.unpack(">QH", self._take(10))

    def _take(self, count: int) -> bytes:
        out = bytearray()
        while len(out) < count:
            part = self._s.recv(count - len(out))
            if not part:
                raise KumiError("the NBD server ended the connection")
            out += part
        return bytes(out)

    def call(self, kind: int, offset: int, length: int, data: bytes = b"") -> bytes:
        """READ 0, WRITE 1, FLUSH 3, WRITE_ZEROES 6."""
        self._s.sendall(struct.pack(">IHHQQI", 0x25609513, 0, kind, 1, offset, length) + data)
        _, error, _ = struct.unpack(">IIQ", self._take(16))
        if error:
            raise KumiError(f"the array answers with error {error}")
        return self._take(length) if kind == 0 else b""

    def put(self, image: Path) -> None:
        with image.open("rb") as f:
            at = 0
            while part := f.read(STEP):
                if any(part):
                    self.call(1, at, len(part), part)
                else:
                    self.call(6, at, len(part))
                at += len(part)
        self.call(3, 0, 0)

    def get(self, image: Path, size: int) -> str:
        """Reads into a file; returns the hash."""
        digest = hashlib.sha256()
        with image.open("wb") as f:
            for at in range(0, size, STEP):
                part = self.call(0, at, min(STEP, size - at))
                digest.update(part)
                f.write(part)
        return digest.hexdigest()

    def close(self) -> None:
        self._s.close()


def _run(*argv: str | Path) -> None:
    program = find_program(str(argv[0]))
    assert program is not None
    done = tools.run([program, *argv[1:]])
    if done.returncode:
        raise KumiError(f"{argv[0]} says: {(done.stdout + done.stderr).strip()[-300:]}")


def _hashes(tree: Path) -> dict[str, str]:
    return {
        str(p.relative_to(tree)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(tree.rglob("*"))
        if p.is_file()
    }


def missing_programs() -> list[str]:
    """What the demo needs and this machine lacks."""
    return [p for p in ("mkfs.ext4", "e2fsck", "debugfs") if find_program(p) is None]


def run(folder: Path, tree: Path, say: Callable[[str], None]) -> StorageResult:
    """Show the array in `folder` (scratch), with `tree` as what is stored."""
    if lacking := missing_programs():
        raise EnvironmentProblem(
            f"The storage demo needs {', '.join(lacking)}.",
            "Run: apt-get install -y --no-install-recommends e2fsprogs",
        )
    result = StorageResult()

    def tell(text: str) -> None:
        result.lines.append(text)
        say(text)

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"disk{i}.img" for i in range(8)]
    for path in paths:
        path.unlink(missing_ok=True)
    arrays.create_files(paths, DISK_BYTES)
    # Files are all equally fast, so each is held to a rate of its own.
    disks = [
        _storage.FileDevice(str(p), 10.0, rate, rate)
        for p, rate in zip(paths, [FAST_MBS] * 7 + [SLOW_MBS], strict=True)
    ]
    result.speeds = arrays.measure(disks, 4 << 20)
    del disks
    arrays.create(
        paths, redundancy="single", spares=1, speeds=result.speeds, force=True, name="demo"
    )
    unix = folder / "demo.sock"
    service = Service(paths, unix=unix, port=None)
    try:
        info = service.array.info()
        tell(
            f"array of 7 fast + 1 slow disks: {info['bytes'] >> 20} MiB, "
            f"stripes of {info['k']} data + {info['p']} check chunks, sum of the speeds "
            f"{sum(s.write_mbs for s in result.speeds):.0f} MB/s"
        )
        image, back = folder / "fs.img", folder / "back.img"
        size = info["bytes"] // STEP * STEP
        image.unlink(missing_ok=True)
        with image.open("wb") as f:
            f.truncate(size)
        _run("mkfs.ext4", "-q", "-F", "-d", tree, image)
        want = _hashes(tree)
        result.files = len(want)
        result.bytes = sum((tree / name).stat().st_size for name in want)
        client = _Client(unix)
        client.put(image)
        whole = hashlib.sha256(image.read_bytes()).hexdigest()
        tell(f"mkfs.ext4 with {result.files} files, {result.bytes / 1e6:.1f} MB, written over NBD")
        service.array.fail(3)
        degraded = service.array.degraded_stripes()
        if client.get(back, size) != whole:
            raise KumiError("with a dead disk the array reads other bytes")
        tell(f"disk 3 killed: {degraded} stripes lack a chunk, all {size >> 20} MiB read equal")
        start = time.monotonic()
        service.volume.start_rebuild()
        service.volume.wait_rebuild()
        status = service.volume.rebuild_status()
        left = service.array.degraded_stripes()
        if status["problem"] or left:
            raise KumiError(f"the rebuild left {left} stripes: {status['problem']}")
        result.rebuilt = int(service.array.info()["repaired"])
        tell(
            f"rebuilt {result.rebuilt} chunks on spare room of the others "
            f"in {time.monotonic() - start:.1f} s"
        )
        if client.get(back, size) != whole:
            raise KumiError("after the rebuild the array reads other bytes")
        client.close()
        _run("e2fsck", "-f", "-n", back)
        out = folder / "tree"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        _run("debugfs", "-R", f"rdump / {out}", back)
        shutil.rmtree(out / "lost+found", ignore_errors=True)
        if _hashes(out) != want:
            raise KumiError("files differ after the rebuild")
        result.clean = True
        tell(f"e2fsck clean, all {result.files} files equal")
    finally:
        service.close()
        for path in (*paths, folder / "fs.img", folder / "back.img"):
            path.unlink(missing_ok=True)
        shutil.rmtree(folder / "tree", ignore_errors=True)
    return result
