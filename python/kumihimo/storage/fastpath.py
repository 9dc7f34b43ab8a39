# SPDX-License-Identifier: Apache-2.0
"""MB/s of the array's NBD server beside nbdkit's file server, on the same disks, in wall time.

Both servers run all the time and are used by turns, so each figure of ours has one of nbdkit's
taken a moment before or after: the share is the median of such pairs, which other load on the
machine moves little. Servers and clients have a raised priority where the system allows it.

Both answer writes from memory. After its turn each brings what is left there to the disks, outside
of the time, so that neither does work of its own turn in the other's.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..common import tools
from ..common.process import find_program
from . import arrays
from .control import Service

DISKS = 4
PRIORITY = -12
MEMORY = Path("/dev/shm")
CHUNK = {"copy": 256 << 10, "random": 4 << 10}


@dataclass
class _Server:
    uri: str
    settle: Callable[[], None]  # everything to the disks


@contextmanager
def _priority() -> Iterator[bool]:
    """Raised for this thread and what it starts; False where that is not allowed."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    except PermissionError:
        yield False
        return
    try:
        yield True
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)


@contextmanager
def _array(folder: Path, size: int, chunk: int) -> Iterator[_Server]:
    paths = [folder / f"disk{i}" for i in range(DISKS)]
    arrays.create_files(paths, size // DISKS * 2)
    arrays.create(paths, chunk=chunk, force=True)
    service = Service(paths, unix=folder / "array.sock", port=None)
    try:
        yield _Server(service.uri(folder / "array.sock"), service.volume.flush)
    finally:
        service.close()


@contextmanager
def _nbdkit(folder: Path, size: int) -> Iterator[_Server]:
    file = folder / "plain"
    arrays.create_files([file], size)
    place = folder / "nbdkit.sock"
    argv = [str(find_program("nbdkit")), "-f", "-U", str(place), "file", str(file)]
    server = tools.begin(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            if place.exists():
                break
            time.sleep(0.05)
        with file.open("rb") as f:
            yield _Server(f"nbd+unix:///?socket={place}", partial(os.fsync, f.fileno()))
    finally:
        server.end()


def _copy(source: str, target: str) -> float:
    """Seconds of a copy, at the end of which the data are safe."""
    start = time.monotonic()
    argv = [str(find_program("nbdcopy")), "--flush", source, target]
    tools.run(argv, timeout=600).check_returncode()
    return time.monotonic() - start


def _fio(uri: str, how: str, block: str, depth: int, size: int) -> float:
    """MB/s of a second of fio over one connection."""
    argv = [str(find_program("fio")), "--name=a", "--ioengine=nbd", f"--uri={uri}"]
    argv += [f"--rw={how}", f"--bs={block}", f"--iodepth={depth}", f"--size={size}"]
    argv += ["--time_based", "--runtime=1", "--output-format=json", "--verify_state_save=0"]
    done = tools.run(argv, timeout=600)
    done.check_returncode()
    job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    return float(job["read" if "read" in how else "write"]["bw_bytes"]) / 1e6


def _pairs(
    name: str, rounds: int, rate: Callable[[str], float], servers: dict[str, _Server]
) -> dict[str, Any]:
    """Both by turns; who begins alternates. The first round is for warming up."""
    got: dict[str, list[float]] = {who: [] for who in servers}
    for i in range(rounds + 1):
        for who in servers if i % 2 else reversed(servers):
            value = rate(servers[who].uri)
            servers[who].settle()
            if i:
                got[who].append(value)
    shares = [a / b for a, b in zip(got["ours"], got["nbdkit"], strict=True)]
    return {
        "what": name,
        "pairs": rounds,
        "ours_mb_s": statistics.median(got["ours"]),
        "nbdkit_mb_s": statistics.median(got["nbdkit"]),
        "share": statistics.median(shares),
        "worst_share": min(shares),
    }


def _image(folder: Path, size: int) -> Path:
    image = folder / "image"
    with image.open("wb") as f:
        block = bytes(range(1, 256)) * 4112
        while f.tell() < size:
            f.write(block[: min(len(block), size - f.tell())])
    return image


def _copies(folder: Path, where: str, size: int, rounds: int) -> list[dict[str, Any]]:
    image = _image(folder, size)
    mb = size / 1e6
    with _array(folder, size, CHUNK["copy"]) as ours, _nbdkit(folder, size) as theirs:
        both = {"ours": ours, "nbdkit": theirs}
        write = _pairs("nbdcopy, write", rounds, lambda u: mb / _copy(str(image), u), both)
        # The volume is larger than the image; what was never written is skipped as a hole.
        read = _pairs("nbdcopy, read", rounds, lambda u: mb / _copy(u, "null:"), both)
    head = {"set": f"beside nbdkit, {DISKS} files {where}", "chunk_kib": CHUNK["copy"] >> 10}
    return [{**head, **row} for row in (write, read)]


def _random(folder: Path, where: str, size: int, rounds: int) -> list[dict[str, Any]]:
    """Small requests and single connections; chunks as small as the requests.

    Everything has been written before: what never was is answered without a look at the disks.
    """
    rows = []
    image = _image(folder, size)
    kinds = {"1M": [("read", 1), ("read", 16), ("write", 16)]}
    kinds["4k"] = [(op, depth) for op in ("randread", "randwrite") for depth in (1, 32)]
    for block, cases in kinds.items():
        inner = folder / block
        inner.mkdir()
        chunk = CHUNK["copy" if block == "1M" else "random"]
        with _array(inner, size, chunk) as ours, _nbdkit(inner, size) as theirs:
            both = {"ours": ours, "nbdkit": theirs}
            for server in both.values():
                _copy(str(image), server.uri)
                server.settle()
            for op, depth in cases:
                rate = partial(_fio, how=op, block=block, depth=depth, size=size)
                row = _pairs(f"fio, {op} of {block}, depth {depth}", rounds, rate, both)
                head = {"set": f"beside nbdkit, {DISKS} files {where}", "chunk_kib": chunk >> 10}
                rows.append({**head, **row})
    return rows


def against_nbdkit(quick: bool) -> list[dict[str, Any]]:
    """Rows of all comparisons. Empty where the programs are missing."""
    if not (find_program("nbdkit") and find_program("nbdcopy")):
        return []
    size = (64 if quick else 192) << 20
    rounds = 5 if quick else 9
    rows: list[dict[str, Any]] = []
    with contextlib.ExitStack() as stack:
        raised = stack.enter_context(_priority())
        places: list[tuple[str, Path | None]] = [("on a file system", None)]
        if MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
            places.append(("in memory", MEMORY))
        for where, place in places:
            name = stack.enter_context(tempfile.TemporaryDirectory(prefix="kumi-st-", dir=place))
            folder = Path(name)
            rows += _copies(folder, where, size, rounds)
        if not quick and find_program("fio"):
            inner = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kumi-st-")))
            rows += _random(inner, "on a file system", size, 5)
    for row in rows:
        row["raised_priority"] = raised
    return rows


def share(rows: list[dict[str, Any]]) -> float | None:
    """The least median among the copies."""
    return min((r["share"] for r in rows if r["what"].startswith("nbdcopy")), default=None)
