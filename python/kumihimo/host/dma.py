# SPDX-License-Identifier: Apache-2.0
"""One channel of `kumi_dma`, with PYNQ's DMA interface, or as packet rings.

    dma.sendchannel.transfer(buffer); dma.sendchannel.wait()
    dma.recvchannel.transfer(buffer); dma.recvchannel.wait(); dma.recvchannel.transferred

    with dma.packets() as ring:
        ring.send(b"...")
        for packet in ring.poll(): ...

A channel is used in one of these ways at a time.
"""

from __future__ import annotations

import asyncio

from ..regs import Block
from .allocate import Buffer, Pool
from .packets import PacketRing
from .platform import Platform, wait_for
from .ring import CODES, MAX_LENGTH, Completion, DmaError, Flag, Ring

SEND, RECV = 0, 1


class Channel:
    """One direction: a buffer is one packet."""

    def __init__(self, platform: Platform, block: Block, index: int, pool: Pool) -> None:
        self._platform = platform
        self._ring = Ring(platform, block, index, pool, 2)
        self._send = index == SEND
        self._active: Buffer | None = None
        self._last: Completion | None = None
        self._started = False

    @property
    def running(self) -> bool:
        """Whether the channel is on."""
        return self._started

    @property
    def idle(self) -> bool:
        """Whether a transfer may start."""
        self._reap()
        return self._active is None

    @property
    def error(self) -> bool:
        """Whether the last transfer failed."""
        return self._last is not None and self._last.code != 0

    @property
    def transferred(self) -> int:
        """Bytes of the last completed transfer."""
        return self._last.length if self._last else 0

    def start(self) -> None:
        """Start the channel; `transfer` does so by itself."""
        self._ring.start()
        self._started = True

    def stop(self) -> None:
        """Stop the channel; a transfer in progress is aborted."""
        self._ring.stop()
        self._started = False
        self._active = None

    def transfer(self, array: Buffer, start: int = 0, nbytes: int = 0, dest: int = 0) -> None:
        """Start to send a buffer as one packet, or to receive one packet into it.

        Args:
            array: contiguous buffer in shared memory.
            start: offset of the first byte.
            nbytes: number of bytes; 0: up to the end.
            dest: tdest of the packet (sending).
        """
        if not self.idle:
            raise DmaError("The channel is busy; wait for the transfer before.")
        nbytes = nbytes or array.nbytes - start
        if start < 0 or nbytes <= 0 or start + nbytes > array.nbytes:
            raise ValueError(f"The buffer has {array.nbytes} bytes.")
        if nbytes > MAX_LENGTH:
            raise ValueError(f"A transfer moves {MAX_LENGTH} bytes at most, not {nbytes}.")
        if not self._started:
            self.start()
        array.flush()
        flags = Flag.SOP | Flag.EOP if self._send else Flag(0)
        self._ring.post(array.physical_address + start, nbytes, flags, dest)
        self._ring.doorbell()
        self._active = array

    def _reap(self) -> bool:
        """Process the completion, if any."""
        if self._active is None:
            return True
        done = self._ring.reap(1)
        if not done:
            return False
        self._last = done[0]
        if not self._send:
            self._active.invalidate()
        self._active = None
        return True

    def wait(self, seconds: float = 1.0) -> int:
        """Wait for the transfer; returns its bytes. The timeout is in the node's time."""
        if self._active is None and self._last is None:
            raise DmaError("No transfer was started.")
        try:
            wait_for(self._platform, self._reap, "the DMA transfer", seconds)
        except Exception:
            self._ring.check()
            raise
        return self._result()

    async def wait_async(self, seconds: float = 1.0) -> int:
        """Like wait, for asyncio."""
        end = self._platform.now() + seconds
        while not self._reap():
            if self._platform.now() >= end:
                return self.wait(0)
            self._platform.pause()
            await asyncio.sleep(0)
        return self._result()

    def _result(self) -> int:
        assert self._last is not None
        if self._last.code:
            raise DmaError(f"DMA transfer: {CODES.get(self._last.code, 'unknown error')}.")
        if not self._send and not self._last.flags & Flag.EOP:
            raise DmaError("The packet was longer than the buffer; the rest of it comes next.")
        if self._last.flags & Flag.BAD:
            raise DmaError("The packet was marked bad by its sender.")
        return self._last.length


class DMA:
    """Driver of a `dma` register block."""

    def __init__(self, platform: Platform, block: Block, pool: Pool) -> None:
        self._platform = platform
        self._pool = pool
        self.register_map = block
        self.sendchannel = Channel(platform, block, SEND, pool)
        self.recvchannel = Channel(platform, block, RECV, pool)

    def packets(self, slots: int = 256, mtu: int = 9216) -> PacketRing:
        """Use the channel as packet rings; stops transfers of both directions."""
        self.sendchannel.stop()
        self.recvchannel.stop()
        return PacketRing(self._platform, self.register_map, self._pool, slots, mtu)

    @property
    def counters(self) -> dict[str, int]:
        """Event counters."""
        return self.register_map.counters()
