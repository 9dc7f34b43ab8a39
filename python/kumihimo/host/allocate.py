# SPDX-License-Identifier: Apache-2.0
"""Buffers in memory shared by host and node, as numpy arrays.

    pool = Pool(platform.memory)
    with pool.allocate((1500,), "u1") as buffer:
        buffer[:] = 7
        buffer.flush()                # to the node
        node_reads(buffer.physical_address)

    from kumihimo.host import allocate
    buffer = allocate((1500,), "u1", target=cluster["alice"])     # of the node's own pool

A simulated node's memory is not this process's memory, and a board's cache may be stale: call
`flush` before the node reads and `invalidate` after it wrote. The DMA channels do both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ..common.errors import KumiError
from .platform import HostMemory

if TYPE_CHECKING:
    from ..cluster import Node

ALIGN = 64


class Pool:
    """First-fit allocator for a range of shared memory; adjacent free blocks are merged."""

    def __init__(self, memory: HostMemory, base: int = 0x10_0000, size: int = 1 << 28) -> None:
        self.memory = memory
        self._free = [(base, size)]

    def take(self, size: int, align: int = ALIGN) -> int:
        """Allocate bytes; returns their address."""
        size = max(size, 1) + -size % ALIGN
        for index, (at, room) in enumerate(self._free):
            start = at + -at % align
            if start + size <= at + room:
                rest = [(at, start - at), (start + size, at + room - start - size)]
                self._free[index : index + 1] = [piece for piece in rest if piece[1]]
                return start
        raise KumiError(f"The shared memory has no {size} bytes in one piece.")

    def give(self, addr: int, size: int) -> None:
        """Free bytes of `take`."""
        size = max(size, 1) + -size % ALIGN
        joined: list[tuple[int, int]] = []
        for at, room in sorted([*self._free, (addr, size)]):
            if joined and sum(joined[-1]) == at:
                joined[-1] = (joined[-1][0], joined[-1][1] + room)
            else:
                joined.append((at, room))
        self._free = joined

    @property
    def room(self) -> int:
        """Free bytes."""
        return sum(size for _, size in self._free)

    def allocate(
        self, shape: int | tuple[int, ...], dtype: npt.DTypeLike = np.uint32, align: int = ALIGN
    ) -> Buffer:
        """Allocate an array of zeros that the node can access."""
        kind = np.dtype(dtype)
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        nbytes = int(np.prod(sizes, dtype=np.int64)) * kind.itemsize
        addr = self.take(nbytes, align)
        buffer = np.zeros(sizes, kind).view(Buffer)
        buffer._place = (self, addr, nbytes)
        buffer.flush()
        return buffer


class Buffer(np.ndarray):
    """A numpy array in shared memory. Slices have addresses as well."""

    _place: tuple[Pool, int, int] | None = None

    def __array_finalize__(self, other: Any) -> None:
        """Views of a buffer are buffers; their address is determined on demand."""
        self._place = None

    def _found(self) -> tuple[Pool, int]:
        """The pool, and the address of the first byte."""
        view: Any = self
        while isinstance(view, Buffer):
            if view._place is not None:
                pool, addr, _ = view._place
                start = self.__array_interface__["data"][0] - view.__array_interface__["data"][0]
                return pool, addr + start
            view = view.base
        raise KumiError("This array has no place in shared memory (it is a copy, or was freed).")

    @property
    def physical_address(self) -> int:
        """Address as the node sees it."""
        return self._found()[1]

    @property
    def device_address(self) -> int:
        """The same as physical_address."""
        return self.physical_address

    def _whole(self) -> None:
        if not self.flags.c_contiguous:
            raise KumiError("The bytes of this view are not one piece; use a contiguous slice.")

    def flush(self) -> None:
        """Make what the host wrote visible to the node."""
        self._whole()
        pool, addr = self._found()
        pool.memory.write(addr, self.tobytes())

    def invalidate(self) -> None:
        """Make what the node wrote visible to the host."""
        self._whole()
        pool, addr = self._found()
        fresh = np.frombuffer(pool.memory.read(addr, self.nbytes), np.uint8)
        self.view(np.ndarray).reshape(-1).view(np.uint8)[:] = fresh

    def freebuffer(self) -> None:
        """Free the memory; the array stays readable."""
        if self._place is not None:
            pool, addr, nbytes = self._place
            self._place = None
            pool.give(addr, nbytes)

    def __enter__(self) -> Buffer:
        return self

    def __exit__(self, *_: object) -> None:
        self.freebuffer()


_pools: WeakKeyDictionary[Node, dict[str, Pool]] = WeakKeyDictionary()


def allocate(
    shape: int | tuple[int, ...],
    dtype: npt.DTypeLike = np.uint32,
    *,
    target: Node,
    memory: str = "",
) -> Buffer:
    """An array of zeros in a memory of a node, with PYNQ's signature.

    Kernels that take it flush it at their start and invalidate it at their end.
    """
    pools = _pools.setdefault(target, {})
    if memory not in pools:
        pools[memory] = Pool(target.memory(memory))
    return pools[memory].allocate(shape, dtype)
