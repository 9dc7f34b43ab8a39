# SPDX-License-Identifier: Apache-2.0
"""Replacement of a disk of a storage node at run time.

The new disk goes into a free port and joins; then the old one leaves, if it still works. Without a
free port the old one is pulled out first, if all data can be read without it. If the node has no
device number left, a failed device is forgotten at once: its chunks are absent until the rebuild.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from ... import _storage
from ...common.errors import KumiError
from .array import NodeArray
from .link import SECTOR
from .membership import Disk

TEST_BYTES = 256 << 10  # of a speed test, at most
TEST_SECTORS = 128  # of one of its commands, at most


class Bays(Protocol):
    """Drive bays of a node."""

    ports: int

    @property
    def at(self) -> Mapping[int, Path]:
        """Plugged-in disks, by port."""
        ...

    def check(self, path: Path) -> None:
        """Raise if a path cannot be a disk here."""
        ...

    def plug(self, port: int, path: Path) -> Disk:
        """Plug a disk into an empty port and wait until the node has identified it."""
        ...

    def pull(self, port: int) -> None:
        """Remove a disk."""
        ...


def speed(node: NodeArray, disk: Disk) -> tuple[int, int]:
    """Measure read and write rate in kB/s in the middle of a disk.

    What is there is lost.
    """
    sectors = min(TEST_SECTORS, node.width * node.chunk // SECTOR)
    count = max(1, min(TEST_BYTES, disk.size // 4) // (sectors * SECTOR))
    first = disk.size // 2 // SECTOR
    rates = []
    for write in (True, False):
        with node.lock:
            cycles = node.link.measure(
                disk.port, sectors=sectors, count=count, first=first, write=write
            )
        rates.append(max(1, count * sectors * SECTOR * node.clock_hz // (cycles * 1000)))
    return rates[1], rates[0]


def clear(node: NodeArray, bays: Bays) -> None:
    """Remove the disks that the array has forgotten."""
    with node.lock:
        for port in set(bays.at) - set(node.port_of.values()):
            bays.pull(port)


def _remove(node: NodeArray, bays: Bays, port: int) -> None:
    bays.pull(port)
    node.disk_removed(port)


def replace(node: NodeArray, bays: Bays, old: int, path: Path) -> None:
    """Add the new disk; fail the old one, or drain it by the next rebuild."""
    bays.check(path)
    with node.lock:
        port = next((p for p in range(bays.ports) if p not in bays.at), None)
        pull = port is None
        if port is None:
            if old not in node.port_of:
                raise KumiError(
                    f"All {bays.ports} ports of the node are taken, and device {old} is at none.",
                    "Serve the array with more: --ports.",
                )
            port = node.port_of[old]
            _require_redundant(node, old)
        forget = _number_to_reuse(node, old, pull)
        leaves = not pull and node.state(old) == "active"  # its number may soon be the new one's
        if pull:
            if node.state(old) != "failed":
                node.fail(old)
            _remove(node, bays, port)
        disk = bays.plug(port, path)
        try:
            rates = speed(node, disk)
            if forget is not None:
                node.evict(forget)
            node.add(disk, *rates, force=True)
        except (KumiError, _storage.StorageError):
            bays.pull(port)
            raise
        if leaves:
            node.drain(old)


def _number_to_reuse(node: NodeArray, old: int, pull: bool) -> int | None:
    """The failed device, if any, whose number the new one takes over."""
    if node.has_free_number():
        return None
    failed = [d for d in range(node.super.entries) if node.state(d) == "failed"]
    if pull or old in failed:
        failed = [old]
    if not failed:
        raise KumiError(
            f"The node knows {node.ports} devices at most.",
            "Wait until the rebuild has ended, or serve the array with more --ports.",
        )
    return failed[0]


def _require_redundant(node: NodeArray, d: int) -> None:
    """Raise if a working device holds data that is nowhere else."""
    count = 0 if node.state(d) == "failed" else node.unreadable_without(d)
    if count:
        raise KumiError(
            f"The node has no free port, and without device {d} {count} stripes could not be read.",
            "Wait until a rebuild has ended, or serve the array with more --ports.",
        )
