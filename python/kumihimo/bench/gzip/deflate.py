# SPDX-License-Identifier: Apache-2.0
"""`kumi bench gzip`: the compressor on files, by lanes, beside gzip.

ratio: bytes in over bytes out, of all files of a set together. The corpus is the folder that
`--corpus` names; `own` are this project's own sources and pages, `system` programs and logs of the
machine; nothing was tuned to either. Ratios are of the model; a share of the files goes through the
circuit as well, and `mismatches` counts those whose bytes differ from the model's, or that zlib
does not decompress.
bytes_per_cycle: bytes of a file over the cycles from its first beat in to its last, at 8 lanes.
inflate_bytes_per_cycle: bytes out of kumi_inflate over the cycles from the first beat in to the
last one out, for the same bytes as gzip -6 packs them.
inflate_literals_per_cycle, inflate_match_bytes_per_cycle: the same, for literals of 8 bits alone,
and for matches of 258 bytes; with _128 at DATA_W 128.
latency_1k_cycles: a message of 1 KiB of text, first beat in to last beat out.
ratio_mbps_per_klut: ratio times MB/s at 300 MHz over thousands of LUTs, at 8 lanes; only if
`kumi synth --all` has mapped the circuit as it is now.
"""

from __future__ import annotations

import gzip
import random
import shutil
import subprocess
import zlib
from typing import Any

from kumihimo.bench import synthesis
from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.corpus import corpus, own_files, system_files
from kumihimo.bench.setup import SOFTWARE, Setup
from kumihimo.gzip import SETS, Format, compress_circuit, compress_model, software_sizes
from kumihimo.gzip.decompress import decompress_circuit

CLOCK_MHZ = 300.0
ROW = "compressor, 8 bytes a cycle"  # in docs/figures/rows.toml
QUICK_BYTES = 200_000  # of a file that go through the circuit
FULL_BYTES = 4_000_000

# Figures of others; docs/gzip.md, "Beside others", names the source of each.
PEERS: list[dict[str, Any]] = [
    {"what": "peer", "name": "Vitis GZip, dynamic, 8 cores", "corpus": "Silesia", "ratio": 2.70,
     "mb_s": 2000, "klut": 57, "ratio_mbps_per_klut": 95},
    {"what": "peer", "name": "Vitis GZip, fixed, 8 cores", "corpus": "Silesia", "ratio": 2.31,
     "mb_s": 2000, "klut": 39},
    {"what": "peer", "name": "best small open core", "corpus": "Calgary", "ratio": 2.272,
     "bytes_per_cycle": 1.0, "klut": 14.498, "ecp5_mhz": 48, "ratio_dickens": 1.899},
]  # fmt: skip


def _ratios(files: dict[str, bytes], name: str) -> dict[str, Any]:
    total_in = total_out = wrong = 0
    by_file = {}
    for file, data in files.items():
        packed = compress_model(data, SETS[name]).data
        wrong += zlib.decompress(packed, Format.GZIP.window_bits) != data
        total_in += len(data)
        total_out += len(packed)
        by_file[file] = round(len(data) / len(packed), 4)
    return {"ratio": total_in / total_out, "files": by_file, "wrong": wrong}


def _software(files: dict[str, bytes]) -> dict[str, float]:
    sums: dict[str, int] = {}
    tool = shutil.which("libdeflate-gzip")
    for data in files.values():
        sizes = {f"gzip{level}": size for level, size in software_sizes(data).items()}
        if tool:
            done = subprocess.run([tool, "-6", "-c"], input=data, capture_output=True, check=True)
            sizes["libdeflate6"] = len(done.stdout)
        for name, size in sizes.items():
            sums[name] = sums.get(name, 0) + size
    total = sum(map(len, files.values()))
    return {f"{name}_ratio": total / size for name, size in sums.items()}


def _circuit(name: str, data: bytes, result: BenchResult) -> tuple[dict[str, Any], int]:
    made = compress_circuit(data, SETS[name])
    assert made.feed is not None
    given = " ".join(f"{k}={v}" for k, v in SETS[name].sv.items())
    result.rtl[f"kumi_deflate {given}"] = made.design
    row = {
        "what": "circuit",
        "lanes": SETS[name].lanes,
        "bytes": len(data),
        "bytes_per_cycle": len(data) / made.feed,
        "cycles": made.cycles,
    }
    same = made.data == compress_model(data, SETS[name]).data
    return row, int(not same or zlib.decompress(made.data, 31) != data)


def _synthesis() -> dict[str, Any]:
    found = synthesis.rows(lambda row: row["title"] == ROW)
    cost: dict[str, Any] = found[0].get("xcup", {}) if found else {}
    return cost


def _decompressor(
    what: str, packed: bytes, result: BenchResult, width: int = 64
) -> tuple[float, int]:
    """Bytes out a cycle, and whether they are wrong."""
    opened = decompress_circuit(packed, width=width)
    result.rtl["kumi_inflate" if width == 64 else f"kumi_inflate DATA_W={width}"] = opened.design
    rate = len(opened.data) / opened.cycles
    row = {"what": what, "data_w": width, "bytes": len(opened.data), "bytes_per_cycle": rate}
    result.rows.append(row)
    return rate, int(opened.data != gzip.decompress(packed))


def _literals() -> bytes:
    """A stream of literals of 8 bits alone."""
    rng = random.Random(5)
    noise = bytes(rng.randrange(144) for _ in range(60_000))
    one = zlib.compressobj(6, zlib.DEFLATED, Format.GZIP.window_bits, 8, zlib.Z_FIXED)
    return one.compress(noise) + one.flush()


def run(progress: Progress, quick: bool) -> BenchResult:
    """All sets on all files."""
    own = own_files()
    files = dict(corpus() or own)
    dickens = files.pop("dickens", None)  # of the Silesia corpus, beside Calgary's totals
    steps = 3 * len(SETS) + 5
    result = BenchResult("gzip")
    done = 0
    mismatches = 0
    ratios: dict[str, float] = {}
    on_dickens: dict[str, float] = {}
    for title, which in (("corpus", files), ("own", own), ("system", system_files())):
        result.rows.append({"what": f"gzip on {title}"} | _software(which))
        for name in SETS:
            progress.step(f"set {name} on {title}", done, steps)
            done += 1
            found = _ratios(which, name)
            mismatches += found.pop("wrong")
            ratios.setdefault(name, found["ratio"])
            result.rows.append({"what": f"model on {title}", "set": name} | found)

    limit = QUICK_BYTES if quick else FULL_BYTES
    joined = b"".join(files.values())[:limit]
    rates = {}
    for name in ("1", "4", "8"):
        progress.step(f"circuit, set {name}", done, steps)
        done += 1
        row, wrong = _circuit(name, joined if name == "8" else joined[: limit // 4], result)
        mismatches += wrong
        rates[name] = row["bytes_per_cycle"]
        result.rows.append(row)
    progress.step("decompressor", done, steps)
    done += 1
    inflate = {}
    matches = gzip.compress(random.Random(5).randbytes(3000) * 600, 9)
    for what, packed, width in (
        ("decompressor", gzip.compress(joined, 6), 64),
        ("decompressor, literals", _literals(), 64),
        ("decompressor, matches", matches, 64),
        ("decompressor, matches, 128 bits", matches, 128),
    ):
        inflate[what], wrong = _decompressor(what, packed, result, width)
        mismatches += wrong
    progress.step("latency", done, steps)
    short, wrong = _circuit("8", own["docs"][:1024], result)
    mismatches += wrong
    result.rows += PEERS

    cost = _synthesis()
    per_klut = None
    if cost.get("lut_eq"):
        per_klut = ratios["8"] * rates["8"] * CLOCK_MHZ / (cost["lut_eq"] / 1000)
    if dickens is not None:
        only = {"dickens": dickens}
        result.rows.append({"what": "gzip on dickens"} | _software(only))
        for name in SETS:
            found = _ratios(only, name)
            mismatches += found.pop("wrong")
            on_dickens[name] = found["ratio"]
            result.rows.append({"what": "model on dickens", "set": name} | found)
    software = _software(files)
    result.summary = {
        "ratio": ratios["8"],
        "ratio_best": ratios["best"],
        "ratio_dickens": on_dickens.get("8"),
        "gzip1_ratio": software["gzip1_ratio"],
        "gzip6_ratio": software["gzip6_ratio"],
        "bytes_per_cycle": rates["8"],
        "bytes_per_cycle_per_lane": min(rates[n] / SETS[n].lanes for n in rates),
        "inflate_bytes_per_cycle": inflate["decompressor"],
        "inflate_literals_per_cycle": inflate["decompressor, literals"],
        "inflate_match_bytes_per_cycle": inflate["decompressor, matches"],
        "inflate_match_bytes_per_cycle_128": inflate["decompressor, matches, 128 bits"],
        "latency_1k_cycles": short["cycles"],
        "ratio_mbps_per_klut": per_klut,
        "depth_8": cost.get("depth"),
        "mismatches": mismatches,
    }
    result.goals = {
        "bytes_per_cycle": (">=", 7.6),
        "bytes_per_cycle_per_lane": (">=", 0.95),
        "ratio_best": (">=", software["gzip6_ratio"]),
        "inflate_literals_per_cycle": (">=", 2.0),
        "inflate_match_bytes_per_cycle_128": (">=", 8.0),
        "ratio_mbps_per_klut": (">=", 190.0),
        "depth_8": ("<=", 10.0),
        "mismatches": ("==", 0.0),
    }
    if corpus():
        result.goals["ratio"] = (">=", 2.93)
    if dickens is not None:
        result.goals["ratio_dickens"] = (">=", 2.45)
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    result.setup = Setup("kumi_deflate")
    result.setups = {name: Setup("kumi_inflate") for name in result.summary if "inflate" in name}
    wide = Setup("kumi_inflate", {"DATA_W": 128})
    result.setups["inflate_match_bytes_per_cycle_128"] = wide
    result.setups["ratio_best"] = Setup("kumi_deflate", SETS["best"].sv)
    result.setups["bytes_per_cycle_per_lane"] = Setup("kumi_deflate", note="least of 1, 4, 8 lanes")
    for level in ("gzip1_ratio", "gzip6_ratio"):
        result.setups[level] = SOFTWARE
    return result
