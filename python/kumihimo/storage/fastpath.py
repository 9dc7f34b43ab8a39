# SPDX-License-Identifier: Apache-2.0
"""MB/s of the array's NBD server beside nbdkit's file server, on the same disks, in wall time."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..doctor import find_program
from . import arrays
from .control import Service

DISKS = 4


@contextmanager
def _array(folder: Path, size: int) -> Iterator[str]:
    paths = [folder / f"disk{i}" for i in range(DISKS)]
    arrays.make_files(paths, size // DISKS * 2)
    arrays.create(paths, chunk=256 << 10, force=True)
    service = Service(paths, unix=folder / "array.sock", port=None)
    try:
        yield service.uri(folder / "array.sock")
    finally:
        service.close()


@contextmanager
def _nbdkit(folder: Path, size: int) -> Iterator[str]:
    file = folder / "plain"
    arrays.make_files([file], size)
    place = folder / "nbdkit.sock"
    place.unlink(missing_ok=True)
    argv = [str(find_program("nbdkit")), "-f", "-U", str(place), "file", str(file)]
    server = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            if place.exists():
                break
            time.sleep(0.05)
        yield f"nbd+unix:///?socket={place}"
    finally:
        server.terminate()
        server.wait()


def _copy(source: str, target: str) -> float:
    start = time.monotonic()
    argv = [str(find_program("nbdcopy")), source, target]
    subprocess.run(argv, check=True, capture_output=True, timeout=300)
    return time.monotonic() - start


def against_nbdkit(quick: bool) -> dict[str, Any] | None:
    """Copies with nbdcopy, by turns; the best of each. None where the programs are missing."""
    if not (find_program("nbdkit") and find_program("nbdcopy")):
        return None
    size = (128 if quick else 256) << 20
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="kumi-storage-") as name:
        folder = Path(name)
        image = folder / "image"
        with image.open("wb") as f:
            block = bytes(range(1, 256)) * 4112
            while f.tell() < size:
                f.write(block[: min(len(block), size - f.tell())])
        with _array(folder, size) as ours, _nbdkit(folder, size) as theirs:
            for _ in range(3 if quick else 5):
                for who, uri in (("ours", ours), ("nbdkit", theirs)):
                    for kind, (a, b) in {
                        "write": (str(image), uri),
                        "read": (uri, "null:"),
                    }.items():
                        spent = _copy(a, b)
                        key = f"{who}_{kind}"
                        best[key] = min(best.get(key, spent), spent)
    mb = size / 1e6
    # Ours is larger than the image and is read whole; what was never written costs nothing.
    rates = {f"{key}_mb_s": mb / spent for key, spent in best.items()}
    share = min(
        rates["ours_write_mb_s"] / rates["nbdkit_write_mb_s"],
        rates["ours_read_mb_s"] / rates["nbdkit_read_mb_s"],
    )
    return {"set": f"{DISKS} files, no redundancy, nbdcopy", "share": share, **rates}
