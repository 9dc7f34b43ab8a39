# SPDX-License-Identifier: Apache-2.0
"""Options and faults of a simulated disk: profiles, checks, and the engine's arguments."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..common.errors import KumiError, did_you_mean

SECTOR = 512
MIB = 1 << 20

PROFILES: dict[str, dict[str, Any]] = {
    "ssd": {
        "model": "KUMIHIMO SSD",
        "rotating": False,
        "read_rate": 540e6,
        "write_rate": 500e6,
        "latency_ps": 60_000_000,
        "write_latency_ps": 20_000_000,
        "jitter_ps": 20_000_000,
        "read_ahead": 256,
        "cache": 4 * MIB // SECTOR,
        "trim": True,
    },
    "hdd": {
        "model": "KUMIHIMO HDD",
        "rotating": True,
        "read_rate": 210e6,
        "write_rate": 210e6,
        "read_ahead": 2048,
        "cache": 16 * MIB // SECTOR,
        "trim": False,
        "rpm": 7200,
        "seek_min_ps": 1_000_000_000,
        "seek_max_ps": 18_000_000_000,
        "zones": 16,
        "inner_rate": 0.5,
    },
}
"""Defaults of the profiles; every value can be overridden."""


class Fault(NamedTuple):
    """A fault: number and fixed argument for the engine, and the arguments that it takes."""

    kind: int
    fixed: int
    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


FAULTS: dict[str, Fault] = {
    "slow": Fault(0, 0, ("factor",)),
    "hang": Fault(1, 1, (), ("forever",)),
    "resume": Fault(1, 0),
    "refuse": Fault(2, 0, ("share",)),
    "bad_crc": Fault(3, 0, ("share",)),
    "line_errors": Fault(4, 0, ("share",)),
    "bad_sectors": Fault(5, 0, ("lba",), ("count", "permanent")),
    "repair": Fault(6, 0, ("lba",), ("count",)),
    "corrupt": Fault(7, 0, ("lba",), ("count",)),
    "drop_writes": Fault(8, 0, ("count",)),
    "unplug": Fault(9, 0),
    "plug": Fault(9, 1),
    "power_cut": Fault(10, 0),
    "power_on": Fault(10, 1),
}
"""Names of the faults.

`slow` (factor): multiplies all access times of the medium; 1 ends it.
`hang` (forever): commands are accepted but never answered, until COMRESET, or until `resume`.
`refuse`, `bad_crc` (share): share of good received FISes answered with R_ERR, of sent FISes with a
wrong CRC.
`line_errors` (share): bit error rate of both directions.
`bad_sectors` (lba, count, permanent): unreadable until written, or permanently.
`repair` (lba, count): readable again. `corrupt` (lba, count): flips one bit in each, silently.
`drop_writes` (count): that number of writes is acknowledged but not performed.
`unplug`, `plug`: the cable; the disk stays powered. `power_cut`, `power_on`: the cache is lost.
"""


def fault_arguments(kind: str, **given: Any) -> tuple[int, int, int, float]:
    """(kind, a, b, x) for the engine; raises KumiError for unknown names and arguments."""
    if kind not in FAULTS:
        raise KumiError(f"There is no fault called {kind}.", did_you_mean(kind, FAULTS).strip(), 2)
    fault = FAULTS[kind]
    known = (*fault.needs, *fault.may)
    for name in given:
        if name not in known:
            have = f"It takes {', '.join(known)}." if known else "It takes nothing."
            raise KumiError(f"The fault {kind} has no argument {name}.", have, 2)
    for name in fault.needs:
        if name not in given:
            raise KumiError(f"The fault {kind} needs {name}.", "", 2)
    if kind == "hang":
        return fault.kind, 2 if given.get("forever") else 1, 0, 0.0
    if kind == "drop_writes":
        return fault.kind, int(given["count"]), 0, 0.0
    if "lba" in known:
        last = float(bool(given.get("permanent", False)))
        return fault.kind, int(given["lba"]), int(given.get("count", 1)), last
    x = given.get("factor", given.get("share", 0.0))
    return fault.kind, fault.fixed, 0, float(x)


def settings(
    profile: str = "ssd",
    size: int | None = None,
    file: str = "",
    snapshot: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """Options of a disk, as the compiled module takes them.

    Args:
        profile: "ssd" or "hdd"; the source of all defaults.
        size: bytes, a multiple of 512; default: the size of the file.
        file: file with the content; "": memory.
        snapshot: keep changes in memory, never write the file.
        more: read_rate and write_rate (bytes per second); latency_ps, write_latency_ps, jitter_ps;
            read_ahead and cache (sectors); rpm, seek_min_ps, seek_max_ps, zones, inner_rate;
            queue_depth, trim, serial, model, firmware; ready_ps (from power-on to the signature);
            line_ps (delay of each direction), cont, hold and hold_words (chance to hold at each
            word of a frame), gap_words (the line rests after the end of a command); seed.
    """
    if profile not in PROFILES:
        hint = did_you_mean(profile, PROFILES).strip()
        raise KumiError(f"There is no disk profile called {profile}.", hint, 2)
    if size is not None and size % SECTOR:
        raise KumiError(f"A disk of {size} bytes: the size must be a multiple of {SECTOR}.", "", 2)
    out = {**PROFILES[profile], "firmware": "1.0", "file": file, "keep": not snapshot, **more}
    out["sectors"] = (size or 0) // SECTOR
    return out
