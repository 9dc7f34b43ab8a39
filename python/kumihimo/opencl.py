# SPDX-License-Identifier: Apache-2.0
"""Kernels of a node with the names of pyopencl: contexts, buffers, programs and queues.

    import kumihimo.opencl as cl

    ctx = cl.Context(cluster["alice"])
    queue = cl.CommandQueue(ctx)
    a = cl.Buffer(ctx, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
    out = cl.Buffer(ctx, cl.mem_flags.WRITE_ONLY, numbers.nbytes)
    cl.Program(ctx).scale(queue, None, None, a, out, np.float32(0.5), len(numbers))
    cl.enqueue_copy(queue, result, out)

A queue is in order: a kernel starts when the one before it has ended. Kernels that talk to each
other by channels are started from queues of their own, as in the vendors' compilers.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from .cluster import Node
from .common.errors import KumiError
from .hls.host import KernelHandle
from .host.allocate import Pool

TIMEOUT = "1 s"  # simulated


class mem_flags:
    """How a buffer is used and made: names and values of OpenCL."""

    READ_WRITE = 1
    WRITE_ONLY = 2
    READ_ONLY = 4
    COPY_HOST_PTR = 32


class Context:
    """One node and what its memory holds."""

    def __init__(self, node: Node, memory: str = "") -> None:
        self.node = node
        self.memory = node.memory(memory)
        self.pool = Pool(self.memory)


class Buffer:
    """Bytes in a node's memory, without a copy here."""

    def __init__(
        self, ctx: Context, flags: int, size: int = 0, hostbuf: npt.ArrayLike | None = None
    ) -> None:
        """Allocate `size` bytes, or as many as `hostbuf` has, which COPY_HOST_PTR copies."""
        copy = bool(flags & mem_flags.COPY_HOST_PTR)
        if copy != (hostbuf is not None):
            raise KumiError("A buffer has `hostbuf` and COPY_HOST_PTR, or neither.")
        data = None if hostbuf is None else np.ascontiguousarray(hostbuf)
        self.size = size if data is None else int(data.nbytes)
        if self.size <= 0 or (data is not None and size not in (0, data.nbytes)):
            raise KumiError(
                f"A buffer of {self.size} bytes cannot be.", "Give `size` or `hostbuf`."
            )
        self.context, self.flags = ctx, flags
        self._address: int | None = ctx.pool.take(self.size)
        if data is not None:
            ctx.memory.write(self._address, data.tobytes())

    @property
    def physical_address(self) -> int:
        """Address as the node sees it."""
        if self._address is None:
            raise KumiError("The buffer was released.")
        return self._address

    int_ptr = physical_address

    def release(self) -> None:
        """Free the memory."""
        self.context.pool.give(self.physical_address, self.size)
        self._address = None

    def __enter__(self) -> Buffer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._address is not None:
            self.release()


class Event:
    """The end of a kernel's run."""

    def __init__(self, kernel: KernelHandle) -> None:
        self._kernel = kernel
        self._cycles: int | None = None

    def wait(self, timeout: str | int = TIMEOUT) -> int:
        """Run the cluster until the kernel has ended; returns its cycles."""
        if self._cycles is None:
            self._cycles = self._kernel.wait(timeout)
        return self._cycles


class CommandQueue:
    """Commands for a node, one after the other."""

    def __init__(self, ctx: Context) -> None:
        self.context = ctx
        self._last: Event | None = None

    def finish(self) -> None:
        """Wait for the last command."""
        if self._last is not None:
            self._last.wait()

    def enqueue(self, kernel: KernelHandle, values: list[Any]) -> Event:
        """Start a kernel when the one before has ended."""
        self.finish()
        kernel.start(*values)
        self._last = Event(kernel)
        return self._last


class Kernel:
    """A kernel to be called: queue, global size, size of a work-group, arguments."""

    def __init__(self, handle: KernelHandle) -> None:
        self._handle = handle
        self._axes = [n for n in handle.arguments if n.startswith("global_size_")]

    def __call__(
        self,
        queue: CommandQueue,
        global_size: tuple[int, ...] | None,
        local_size: tuple[int, ...] | None,
        *values: Any,
    ) -> Event:
        """Start it. `local_size` is in the source: reqd_work_group_size."""
        del local_size
        sizes = list(global_size or ())
        if not self._axes and all(n == 1 for n in sizes):
            sizes = []
        if len(sizes) != len(self._axes):
            have = f"{len(self._axes)} dimensions" if self._axes else "one work-item"
            raise KumiError(f"The kernel {self._handle.name} has {have}.", f"Given: {global_size}.")
        return queue.enqueue(self._handle, [*values, *sizes])


class Program:
    """The kernels of a node as attributes."""

    def __init__(self, ctx: Context) -> None:
        self._context = ctx

    def __getattr__(self, name: str) -> Kernel:
        return Kernel(self._context.node.kernel(name))


def enqueue_copy(
    queue: CommandQueue, dest: Buffer | npt.NDArray[Any], src: Buffer | npt.NDArray[Any]
) -> None:
    """Copy between a buffer and an array, after what is in the queue."""
    queue.finish()
    memory = queue.context.memory
    if isinstance(dest, Buffer) and not isinstance(src, Buffer):
        data = np.ascontiguousarray(src).tobytes()
        _fits(len(data), dest.size)
        memory.write(dest.physical_address, data)
    elif isinstance(src, Buffer) and not isinstance(dest, Buffer):
        _fits(dest.nbytes, src.size)
        fresh = np.frombuffer(memory.read(src.physical_address, dest.nbytes), dest.dtype)
        dest[...] = fresh.reshape(dest.shape)
    else:
        raise KumiError("One of the two is a Buffer, the other an array.")


def _fits(size: int, room: int) -> None:
    if size > room:
        raise KumiError(f"{size} bytes do not fit into a buffer of {room}.")
