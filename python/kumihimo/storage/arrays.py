# SPDX-License-Identifier: Apache-2.0
"""Arrays on files and block devices: creation, opening, speed test."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import _storage
from ..common.errors import KumiError
from .bounds import fixed_width_rate

MOST_WIDTH = 30  # chunks of a stripe
MOST_SLOTS = 1 << 24  # chunks of a disk
LEAST_CHUNK, MOST_CHUNK = 4096, 4 << 20
USUAL_CHUNK = 65536
REDUNDANCY = {
    "none": (1, 0),
    "mirror": (1, 1),
    "mirror3": (1, 2),
    "single": (0, 1),
    "double": (0, 2),
}
MAGIC = b"KUMISTOR"
TIMEOUT_S = 60.0
LATE_S = 2.0


@dataclass(frozen=True)
class Speed:
    """Speed of one disk in MB/s."""

    path: Path
    read_mbs: float
    write_mbs: float


def create_files(paths: Sequence[Path], size: int) -> None:
    """Create sparse files of `size` bytes where none exist."""
    for path in paths:
        if not path.exists():
            with path.open("wb") as f:
                f.truncate(size)


def size_of(path: Path) -> int:
    """Bytes of a file or block device."""
    with path.open("rb") as f:
        return f.seek(0, os.SEEK_END)


def uuid_of(path: Path) -> str:
    """UUID of the array that a disk belongs to; empty: none."""
    with path.open("rb") as f:
        head = f.read(32)
    if len(head) < 32 or head[:8] != MAGIC:
        return ""
    h = head[16:32].hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def parse_size(text: str) -> int:
    """Parse '64M', '10G', '4096' (bytes); K, M, G, T are powers of 1024."""
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    word = text.strip().upper().removesuffix("B").removesuffix("I")
    shift = units.get(word[-1:], 0)
    try:
        return int(float(word[:-1] if shift else word) * (1 << shift))
    except ValueError:
        raise KumiError(f"'{text}' is no size.", "Say for example 64M or 10G.", code=2) from None


def chunk_log2(size: int) -> int:
    """Log2 of a chunk size."""
    if size & (size - 1) or not LEAST_CHUNK <= size <= MOST_CHUNK:
        raise KumiError("A chunk has 4K to 4M, a power of two.", code=2)
    return size.bit_length() - 1


def default_chunk(sizes: Sequence[int]) -> int:
    """64 KiB, or as much as the largest disk needs so that none of its space is beyond reach."""
    chunk = USUAL_CHUNK
    while chunk < MOST_CHUNK and max(sizes, default=0) > MOST_SLOTS * chunk:
        chunk *= 2
    return chunk


def out_of_reach(sizes: Sequence[int], chunk: int) -> int:
    """Bytes of the disks that chunks of this size cannot address."""
    return sum(max(0, size - MOST_SLOTS * chunk) for size in sizes)


def check_paths(paths: Sequence[Path]) -> None:
    """Raise unless every disk is a different existing file or block device."""
    seen: dict[tuple[int, int], Path] = {}
    for path in paths:
        try:
            st = os.stat(path)
        except FileNotFoundError:
            raise KumiError(f"{path} is not there.", "--size makes files.") from None
        if not (stat.S_ISREG(st.st_mode) or stat.S_ISBLK(st.st_mode)):
            raise KumiError(f"{path} is neither a file nor a block device.", code=2)
        other = seen.setdefault((st.st_dev, st.st_ino), path)
        if other is not path:
            raise KumiError(f"{path} and {other} are the same disk.", code=2)


def devices(
    paths: Sequence[Path],
    *,
    timeout_s: float = TIMEOUT_S,
    late_s: float = LATE_S,
    writable: bool = True,
) -> list[_storage.FileDevice]:
    """Open disks, locked for this process."""
    check_paths(paths)
    return [_storage.FileDevice(str(p), timeout_s, 0.0, 0.0, writable, late_s) for p in paths]


def measure(disks: Sequence[_storage.FileDevice], size: int) -> list[Speed]:
    """Write and read `size` bytes on all disks at the same time, overwriting their content."""
    speeds = _storage.speed_test(disks, size, min(1 << 20, size), 2)
    return [
        Speed(Path(d.name), read, write) for d, (read, write) in zip(disks, speeds, strict=True)
    ]


def require_unused(paths: Sequence[Path]) -> None:
    """Raise if a disk belongs to an array."""
    for path in paths:
        if uuid_of(path):
            raise KumiError(
                f"{path} belongs to array {uuid_of(path)} already.",
                "--force makes a new one of it; what is on it is lost.",
            )


@dataclass(frozen=True)
class WidthOption:
    """Capacity and rate of an array for one stripe width; with k = 1 the chunks are copies."""

    width: int
    size: int
    mbs: float  # greatest rate of writing user data
    k: int  # data chunks


def width_options(
    sizes: Sequence[int], rates: Sequence[float], p: int, chunk: int, spares: int = 0
) -> list[WidthOption]:
    """Every width possible on disks of these sizes and write rates (MB/s), p parity chunks each.

    None on disks too few for parity; else copies, the same redundancy, are the narrowest.
    """
    found: list[WidthOption] = []
    widest = min(len(sizes) - spares, MOST_WIDTH)
    for width in range(p + 1, widest + 1) if widest > p + 1 else ():
        slots = [_storage.geometry(size, chunk_log2(chunk), width)[2] for size in sizes]
        stripes, _ = _storage.capacity(slots, width, spares)
        rate = fixed_width_rate(rates, width, p)
        found.append(WidthOption(width, stripes * (width - p) * chunk, rate, width - p))
    return found


def best_option(options: Sequence[WidthOption]) -> WidthOption:
    """The largest; within 0.5 % of it the fastest; within 1 % of that the narrowest.

    Copies only if they hold more than parity of any width, which capacity alone decides: a disk
    much smaller than the others is in every stripe that needs all of them.
    """
    largest = max(o.size for o in options)
    large = [o for o in options if o.size >= 0.995 * largest]
    large = [o for o in large if o.k > 1] or large
    fastest = max(o.mbs for o in large)
    return min((o for o in large if o.mbs >= 0.99 * fastest), key=lambda o: o.width)


def create(
    paths: Sequence[Path],
    *,
    redundancy: str = "none",
    width: int = 0,
    chunk: int = 0,
    spares: int = 0,
    dynamic: bool = True,
    name: str = "array",
    speeds: Sequence[Speed] = (),
    force: bool = False,
) -> None:
    """Create an array. The default width is the one with the largest capacity.

    Default chunk: see `default_chunk`.
    """
    if redundancy not in REDUNDANCY:
        raise KumiError(f"Redundancy is one of {', '.join(REDUNDANCY)}.", code=2)
    if not force:
        require_unused(paths)
    chunk = chunk or default_chunk([size_of(x) for x in paths])
    k, p = REDUNDANCY[redundancy]
    write = [s.write_mbs for s in speeds] or [500.0] * len(paths)
    read = [s.read_mbs for s in speeds] or [500.0] * len(paths)
    if k == 0:
        options = width_options([size_of(x) for x in paths], write, p, chunk, spares)
        if not options or not p + 2 <= (width or p + 2) <= options[-1].width:
            raise KumiError(
                f"{redundancy} parity with stripes of {width or p + 2} and {spares} spare is not "
                f"possible with {len(paths)} disks.",
                f"Stripes have at least {p + 2} chunks; copies are --redundancy mirror or mirror3.",
                code=2,
            )
        k = (width or best_option(options).width) - p
    _storage.Array.create(
        devices(paths),
        name=name,
        chunk_log2=chunk_log2(chunk),
        k=k,
        p=p,
        spares=spares,
        dynamic=dynamic,
        read_mbs=read,
        write_mbs=write,
        force=force,
    )


def open_array(
    paths: Sequence[Path],
    *,
    degraded: bool = False,
    read_only: bool = False,
    salvage: bool = False,
    force: bool = False,
    timeout_s: float = TIMEOUT_S,
    late_s: float = LATE_S,
) -> _storage.Array:
    """Open the array on these disks, in any order.

    With `salvage` also beyond its redundancy, or on so few disks that the others may have gone on
    without them; then read-only: what is not known to be the latest is an error.
    With `force` these disks are the array from now on: what is missing beyond the redundancy is
    removed, and what cannot be read without it is lost. With `read_only` too nothing is written.
    """
    return _storage.Array.open(
        devices(paths, timeout_s=timeout_s, late_s=late_s, writable=not read_only),
        degraded=degraded,
        read_only=read_only,
        salvage=salvage,
        force=force,
    )
