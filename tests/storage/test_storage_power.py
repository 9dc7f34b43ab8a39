# SPDX-License-Identifier: Apache-2.0
"""Random power cuts: what was flushed is there, the rest is old or new, parity fits, each time.

The disks keep or lose every sector written since their last flush by chance. KUMI_POWER_CUTS sets
the number of cuts for each of the ten kinds of array. Half as many again with writes that are
answered from memory and written behind by other threads.
"""

from __future__ import annotations

import os
import random

import pytest
from arraykit import Oracle, Rig, random_step
from kumihimo._storage import StorageError

KINDS = {
    "none": (3, 1, 0, 0),
    "mirror": (4, 1, 1, 1),
    "single": (6, 3, 1, 1),
    "double": (7, 3, 2, 1),
    "one-disk": (1, 1, 0, 0),
}
CUTS = int(os.environ.get("KUMI_POWER_CUTS", "100"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("behind", [False, True])
def test_power_cuts(kind: str, dynamic: bool, behind: bool) -> None:
    count, k, p, spares = KINDS[kind]
    commit_s = 0.002 if behind else 0.0
    r = random.Random(f"{kind} {dynamic}")
    rig = Rig.make(count, k, p, size=512 << 10, spares=spares, dynamic=dynamic)
    volume = rig.open(commit_s=commit_s)
    oracle = Oracle(volume.size)
    lost_device: int | None = None
    for cut in range(CUTS // 2 if behind else CUTS):
        rig.power.sectors_left = r.randrange(1, 4000) if r.random() < 0.7 else r.randrange(1, 120)
        try:
            while True:
                random_step(r, volume, oracle)
                if p and lost_device is None and r.random() < 0.02:
                    lost_device = r.randrange(count)
                    rig.array.fail(rig.number(lost_device))
                    volume.rebuild()
        except StorageError:
            assert rig.power.off
        del volume  # its threads end before the disks have power again
        rig.close()
        # Also while it starts: a start that is cut leaves a disk set that starts.
        for _ in range(3):
            rig.power.off = False
            for disk in rig.disks:
                disk.power_cycle(r.randrange(1 << 60))
            rig.power.sectors_left = r.randrange(1, 200) if r.random() < 0.3 else (1 << 63)
            disks = [d for i, d in enumerate(rig.disks) if i != lost_device]
            r.shuffle(disks)
            try:
                volume = rig.open(disks, degraded=lost_device is not None, commit_s=commit_s)
                break
            except StorageError:
                assert rig.power.off
        else:
            rig.power.off = False
            rig.power.sectors_left = 1 << 63
            for disk in rig.disks:
                disk.power_cycle(r.randrange(1 << 60))
            volume = rig.open(
                [d for i, d in enumerate(rig.disks) if i != lost_device],
                degraded=lost_device is not None,
                commit_s=commit_s,
            )
        rig.power.sectors_left = 1 << 63
        oracle.check_after_cut(volume.read(0, volume.size))
        # Parity fits its data: a scrub finds nothing to mend in stripes that were whole.
        before = rig.array.info()["repaired"]
        rig.array.repair(0, rig.array.info()["stripes"], True)
        if lost_device is None:
            assert rig.array.info()["repaired"] == before, f"cut {cut}: parity did not fit"
        volume.flush()
        if lost_device is not None and r.random() < 0.5:
            rig.array.add(rig.disks[lost_device], 500, 500, True)
            volume.rebuild()
            lost_device = None
            assert rig.array.degraded_stripes() == 0
    assert volume.read(0, volume.size) == bytes(oracle.now)
