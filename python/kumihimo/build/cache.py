# SPDX-License-Identifier: Apache-2.0
"""The shared cache: content-addressed folders, filled atomically, locked between processes."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_HELD = ".held"  # in a work folder: locked while its process lives


def cache_root() -> Path:
    """$KUMI_CACHE, else $XDG_CACHE_HOME/kumihimo, else ~/.cache/kumihimo."""
    named = os.environ.get("KUMI_CACHE")
    if named:
        return Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kumihimo"


def digest(*parts: str | bytes) -> str:
    """Hash of a sequence of parts; the boundaries count."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(str(len(data)).encode() + b":" + data)
    return h.hexdigest()


def file_digest(path: str | Path) -> str:
    """Hash of a file's content, "" if it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


@contextlib.contextmanager
def lock(name: str) -> Iterator[None]:
    """Exclusive lock between processes; released by the system if the process dies."""
    folder = cache_root() / "lock"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / name, "a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def work_folder() -> Iterator[Path]:
    """A scratch folder on the cache's file system, removed afterwards.

    What a process that was killed left is removed when the next one needs such a folder.
    """
    base = cache_root() / "tmp"
    base.mkdir(parents=True, exist_ok=True)
    _sweep(base)
    path = Path(tempfile.mkdtemp(dir=base))
    try:
        with open(path / _HELD, "w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _sweep(base: Path) -> None:
    """Remove work folders that no process holds; one younger than a minute may not be held yet."""
    for folder in base.iterdir():
        with contextlib.suppress(OSError):  # another process removes it, or is about to hold it
            if time.time() - folder.stat().st_mtime < 60:
                continue
            with open(folder / _HELD, "a") as handle:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


def install_file(source: Path, target: Path) -> None:
    """Move a finished file to its place in one step."""
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)


def install_folder(source: Path, target: Path) -> None:
    """Move a finished folder to its place; one that came first stays."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(source, target)
    except OSError:
        if not target.is_dir():
            raise
        shutil.rmtree(source, ignore_errors=True)


def write_json(path: Path, data: Any) -> None:
    """Write a JSON file in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(fd, "w") as handle:
        json.dump(data, handle, indent=1, sort_keys=True)
    os.replace(name, path)


def read_json(path: Path) -> Any:
    """A JSON file's content, None if it is missing or broken."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def prune(limit_bytes: int = 4 << 30) -> int:
    """Remove what was used longest ago until the cache is below the limit; returns bytes freed."""
    entries: list[tuple[float, int, Path]] = []
    for folder in ("lib", "obj"):
        for path in (cache_root() / folder).glob("*/*" if folder == "obj" else "*"):
            files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
            if files:
                size = sum(p.stat().st_size for p in files)
                entries.append((max(p.stat().st_mtime for p in files), size, path))
    total = sum(size for _, size, _ in entries)
    freed = 0
    for _, size, path in sorted(entries):
        if total - freed <= limit_bytes:
            break
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        freed += size
    return freed
