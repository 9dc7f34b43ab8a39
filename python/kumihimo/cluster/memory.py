# SPDX-License-Identifier: Apache-2.0
"""The memory behind an AXI4 port of a node: the same methods on a cluster's node and on a `Dut`."""

from __future__ import annotations

from typing import Any, Protocol

REORDER, INTERLEAVE, SHARED = 1, 2, 4
STAT_NAMES = {
    "rx_frames": "read_bursts",
    "rx_beats": "read_beats",
    "rx_bytes": "read_bytes",
    "tx_frames": "write_bursts",
    "tx_beats": "write_beats",
    "tx_bytes": "write_bytes",
    "tx_bad": "errors",
    "rx_wait": "waits",
    "protocol_errors": "protocol_errors",
}


class Backend(Protocol):
    """Implementation of the memory: the engine, or a single node."""

    def mem_read(self, addr: int, size: int) -> bytes:
        """Read bytes."""
        ...

    def mem_write(self, addr: int, data: bytes) -> None:
        """Write bytes."""
        ...

    def mem_fault(self, addr: int, size: int, on: bool) -> None:
        """Set or clear the fault flag of bytes."""
        ...

    def mem_stats(self) -> dict[str, Any]:
        """Counters under the names of STAT_NAMES."""
        ...


class Memory:
    """Content and counters of a node's memory. Bytes never written are zero."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def read(self, addr: int, size: int) -> bytes:
        """Read `size` bytes."""
        return self._backend.mem_read(addr, size)

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Write bytes, between two clock cycles."""
        self._backend.mem_write(addr, bytes(data))

    def fault(self, addr: int, size: int, on: bool = True) -> None:
        """Set or clear a fault: every access that touches these bytes returns SLVERR."""
        self._backend.mem_fault(addr, size, on)

    @property
    def stats(self) -> dict[str, int]:
        """Bursts, beats and bytes read and written, error responses, protocol errors."""
        return self._backend.mem_stats()


def settings(
    size: int = 0,
    latency_ps: int = 0,
    jitter_ps: int = 0,
    bandwidth_bps: float = 0.0,
    shared: bool = False,
    reorder: bool = False,
    interleave: bool = False,
) -> dict[str, Any]:
    """Options of a memory, as the compiled module takes them.

    Args:
        size: bytes; 0 is 4 GiB.
        latency_ps: from the address, or the last write data, to the response.
        jitter_ps: largest random addition to the latency, per burst.
        bandwidth_bps: bits per second and direction; 0: one beat per cycle.
        shared: both directions share the bandwidth.
        reorder: bursts with different ids may complete in any order.
        interleave: with reorder, read beats of different ids may alternate.
    """
    return {
        "size": size,
        "latency_ps": latency_ps,
        "jitter_ps": jitter_ps,
        "ps_per_byte": 8e12 / bandwidth_bps if bandwidth_bps else 0.0,
        "flags": REORDER * reorder + INTERLEAVE * interleave + SHARED * shared,
    }
