# SPDX-License-Identifier: Apache-2.0
"""Initial RAM file systems of guests: cpio archives (format `newc`) of this machine's programs."""

from __future__ import annotations

import gzip
import lzma
import re
import stat
import subprocess
from pathlib import Path

_TRAILER = "TRAILER!!!"


class Archive:
    """A cpio archive; folders of what is added are made on the way."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._known: set[str] = set()

    def _entry(self, name: str, mode: int, body: bytes) -> None:
        path = name.encode() + b"\0"
        links, number = 1, len(self._known)
        fields = (number, mode, 0, 0, links, 0, len(body), 0, 0, 0, 0, len(path), 0)
        self._data += b"070701" + b"".join(b"%08X" % field for field in fields) + path
        self._data += bytes(-len(self._data) % 4) + body
        self._data += bytes(-len(self._data) % 4)

    def folder(self, name: str) -> None:
        """A folder and those above it."""
        parts = name.strip("/").split("/")
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            if path not in self._known:
                self._known.add(path)
                self._entry(path, stat.S_IFDIR | 0o755, b"")

    def file(self, name: str, body: bytes, mode: int = 0o755) -> None:
        """A file; the first of a name stays."""
        name = name.strip("/")
        if name in self._known:
            return
        if "/" in name:
            self.folder(name.rpartition("/")[0])
        self._known.add(name)
        self._entry(name, stat.S_IFREG | mode, body)

    def link(self, name: str, target: str) -> None:
        """A symbolic link."""
        self._known.add(name)
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def program(self, path: Path) -> None:
        """A program of this machine, in /tools, with the libraries that it is linked with."""
        self.file(f"tools/{path.name}", path.read_bytes())
        self.libraries(path)

    def libraries(self, path: Path) -> None:
        """The libraries that a file is linked with, at their places."""
        shown = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False)
        for library in re.findall(r"(/\S+\.so\S*)", shown.stdout):
            self.file(library, Path(library).read_bytes())

    def module(self, path: Path) -> None:
        """A kernel module, in /modules, unpacked."""
        body = path.read_bytes()
        name = path.name.partition(".")[0]
        self.file(f"modules/{name}.ko", lzma.decompress(body) if path.suffix == ".xz" else body)

    def packed(self) -> bytes:
        """The archive, compressed."""
        return gzip.compress(self.plain(), compresslevel=1, mtime=0)

    def plain(self) -> bytes:
        """The archive."""
        whole = Archive()
        whole._data += self._data
        whole._entry(_TRAILER, 0, b"")
        return bytes(whole._data) + bytes(-len(whole._data) % 512)
