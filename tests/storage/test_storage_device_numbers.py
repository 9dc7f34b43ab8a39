# SPDX-License-Identifier: Apache-2.0
"""A device is forgotten, or its number given anew, while an earlier write is under way."""

from __future__ import annotations

import random
import threading

import pytest
from kumihimo._storage import Array, CallbackDevice, Volume

CHUNK, K, P = 4096, 3, 1
STRIPE = K * CHUNK


class Disk:
    """Bytes; chunks that the writer's thread writes are counted, and the last has to wait."""

    writer: threading.Thread | None = None
    inside, go = threading.Event(), threading.Event()
    seen: list[int]

    def __init__(self, number: int) -> None:
        self.number, self.bytes = number, bytearray(512 << 10)
        self.device = CallbackDevice(f"disk{number}", len(self.bytes), self.call)

    def call(self, op: str, offset: int, data: bytes | int) -> bytes | None:
        """One operation."""
        if op == "read":
            assert isinstance(data, int)
            return bytes(self.bytes[offset : offset + data])
        if op == "write":
            assert isinstance(data, bytes)
            if threading.current_thread() is Disk.writer:
                Disk.seen.append(self.number)
                if len(Disk.seen) == K + P:
                    Disk.inside.set()
                    Disk.go.wait(60)
            self.bytes[offset : offset + len(data)] = data
        return None


@pytest.mark.parametrize("anew", [False, True], ids=["forgotten", "given anew"])
def test_a_write_that_lasts_longer_than_its_device(anew: bool) -> None:
    disks = [Disk(i) for i in range(6)]
    Array.create([d.device for d in disks], chunk_log2=12, k=K, p=P, spares=1, dynamic=False)
    array = Array.open([d.device for d in disks])
    volume = Volume(array)
    expected = bytearray(volume.size)
    expected[: 11 * STRIPE] = random.Random(1).randbytes(11 * STRIPE)
    volume.write(0, bytes(expected[: 10 * STRIPE]))
    volume.flush()

    Disk.seen = []
    Disk.inside.clear()
    Disk.go.clear()
    late = bytes(expected[10 * STRIPE : 11 * STRIPE])
    Disk.writer = threading.Thread(target=volume.write, args=(10 * STRIPE, late))
    Disk.writer.start()
    assert Disk.inside.wait(60)
    gone = Disk.seen[0]  # it has its chunk
    array.fail(gone)
    volume.rebuild()
    assert gone not in [d["index"] for d in array.devices()]
    disks = [d for d in disks if d.number != gone]
    if anew:
        disks.append(Disk(6))
        array.add(disks[-1].device, 500, 500)
        assert gone in [d["index"] for d in array.devices()]
        volume.rebuild()
    Disk.go.set()
    Disk.writer.join()
    volume.flush()
    assert volume.read(0, volume.size) == bytes(expected)
    found = Volume(Array.open([d.device for d in disks], read_only=True))
    assert found.read(0, found.size) == bytes(expected)
    assert array.degraded_stripes() == 1
    volume.rebuild()
    assert array.degraded_stripes() == 0

    expected[11 * STRIPE : 14 * STRIPE] = random.Random(2).randbytes(3 * STRIPE)
    volume.write(11 * STRIPE, bytes(expected[11 * STRIPE : 14 * STRIPE]))
    volume.flush()
    del volume
    array = Array.open([d.device for d in disks])
    assert Volume(array).read(0, len(expected)) == bytes(expected)
    array.repair(0, array.info()["stripes"], True)
    assert array.info()["repaired"] == 0
