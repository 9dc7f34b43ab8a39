# SPDX-License-Identifier: Apache-2.0
"""Models of random kernels: each is built once, runs all its kernels at once, twice.

    python tests/hls/random_models.py FIRST LAST      compares the models of these seeds

The second run has random stalls at every port and a slow memory. Load and store units are those of
random_units.sv, which take and answer at random: with the project's own and the AXI multiplexers
behind them, which other tests have, a model takes three times as long to build.

What came out is kept under the content of everything that it depends on: a model is compared again
when its SystemVerilog, what that instantiates, the emulation or the comparison has changed. Models
up to PLAIN are of random_kernels, those behind it of random_wide.
"""

from __future__ import annotations

import inspect
import json
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path

import random_kernels as generator
from hlskit import Run, Twin, compiled, random_words
from kumihimo.build import cache
from kumihimo.common.paths import project_root
from kumihimo.hls import clang
from kumihimo.hls.errors import HlsError
from kumihimo.hls.frontend import Program
from kumihimo.hls.print_program import Printed
from kumihimo.testing.sizes import long_run
from random_wide import WideKernel

KERNELS = 10  # of a model: its build is the longest part, and grows with the square
MODELS = 200
PLAIN = 100
CLOCKS = (60.0, 125.0, 180.0, 250.0)  # MHz: other schedules of the same programs
TIMEOUT = 2_000_000  # cycles
CONDITIONS = ((0.0, 0), (0.35, 20))  # share of stalled cycles, cycles of the memory
UNITS = Path(__file__).with_name("random_units.sv")


@dataclass
class Outcome:
    """Kernels of a model that were compared; what differs and what is refused, in sentences."""

    kernels: int = 0
    different: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@contextmanager
def quick_builds() -> Iterator[None]:
    """Builds that are used once are not kept; the precompiled headers are those of all builds."""
    own = os.environ.get("KUMI_CACHE")
    headers = cache.cache_root() / "pch"
    headers.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kumi-random-") as folder:
        (Path(folder) / "pch").symlink_to(headers)
        os.environ["KUMI_CACHE"] = folder
        try:
            yield
        finally:
            if own is None:
                os.environ.pop("KUMI_CACHE", None)
            else:
                os.environ["KUMI_CACHE"] = own


def builds_of_tests() -> AbstractContextManager[None]:
    """In the long run builds are not kept; in the short one all tests share the runtime's."""
    return quick_builds() if long_run() else nullcontext()


class RandomUnits(Twin):
    """A twin whose loads and stores are those of random_units.sv."""

    def __init__(self, file: Path, folder: Path, mhz: float, made: tuple[Program, Printed]) -> None:
        """Build both."""
        self.files = folder / "memory.hex", folder / "stores.txt"
        folder.mkdir(parents=True, exist_ok=True)
        units = folder / "random_units.sv"
        text = UNITS.read_text(encoding="utf-8").replace("FOLDER_", str(folder))
        units.write_text(text, encoding="utf-8")
        self._fill({}, 0.0, 0)
        super().__init__(file, folder, mhz, made=made, units=[units])

    def _fill(self, content: Mapping[int, bytes], stall: float, latency: int) -> None:
        """Memory at the start, and no stores."""
        image, log = self.files
        slow = bytes([int(256 * stall), 256 - 256 // (latency + 1)])
        rows = [f"@{at:x} {data.hex(' ')}" for at, data in {**content, 0: slow}.items()]
        image.write_text("\n".join(rows) + "\n", encoding="utf-8")
        log.write_text("", encoding="utf-8")

    def rtl(
        self,
        run: Run,
        buffers: Mapping[tuple[str, str], bytes],
        outputs: Mapping[str, Sequence[int]],
        stall: float,
        seed: int,
        latency: int,
        jitter: int,
        timeout: int,
    ) -> tuple[list[str], dict[tuple[str, str], bytes]]:
        """As of a twin; memory is what the stores made of it."""
        places = self.places(buffers)
        self._fill({places[key]: data for key, data in buffers.items()}, stall, latency)
        found, _ = super().rtl(run, buffers, outputs, stall, seed, latency, jitter, timeout)
        memory = {places[key] + i: byte for key, data in buffers.items()
                  for i, byte in enumerate(data)}  # fmt: skip
        for line in self.files[1].read_text(encoding="utf-8").splitlines():
            at, byte = (int(word, 16) for word in line.split())
            memory[at] = byte
        ours = sum(map(len, buffers.values()))
        if len(memory) != ours:
            found.append(f"{len(memory) - ours} bytes outside of all buffers were stored to")
        return found, {
            key: bytes(memory[places[key] + i] for i in range(len(data)))
            for key, data in buffers.items()
        }


class Model:
    """The kernels of one seed, without those that are refused."""

    def __init__(
        self,
        seed: int,
        folder: Path,
        count: int = KERNELS,
        kernels: Sequence[generator.Kernel] = (),
        own_units: bool = False,
    ) -> None:
        """The first `count` kernels of a seed, or others; `own_units`: the project's."""
        self.seed = seed
        self.own_units = own_units
        self.folder = folder
        self.mhz = CLOCKS[seed % len(CLOCKS)]
        self.outcome = Outcome()
        family = generator.Kernel if seed <= PLAIN else WideKernel
        self.kernels = list(kernels) or [family(f"k{i}", seed * 1000 + i) for i in range(count)]
        self.texts = {kernel.name: kernel.text() for kernel in self.kernels}
        self.file = folder / f"random_{seed}.cl"
        self._write()
        self.key = self._compiled()

    def _write(self) -> None:
        text = "\n".join(self.texts[kernel.name] for kernel in self.kernels)
        self.file.write_text(text, encoding="utf-8")

    def _compiled(self) -> str:
        """Leave out what the compiler refuses; the key of what is left."""
        while True:
            try:
                self.made = compiled(self.file, self.mhz)
                break
            except HlsError as problem:
                self._leave_out(problem)
        modules = [f"{name}\n{text}" for name, text in self.made[1].modules.items()]
        text = self.file.read_text(encoding="utf-8")
        return cache.digest(text, *modules, _surroundings(modules))[:32]

    def _leave_out(self, problem: HlsError) -> None:
        lines = self.file.read_text(encoding="utf-8").split("\n")[: problem.place.line]
        name = re.findall(r"__kernel void (\w+)\(", "\n".join(lines))[-1]
        self.outcome.refused.append(f"seed {self.seed}, {name}: {problem}")
        self.kernels = [kernel for kernel in self.kernels if kernel.name != name]
        self._write()

    def compare(self) -> Outcome:
        """RTL against emulation."""
        make = Twin if self.own_units else RandomUnits
        twin = make(self.file, self.folder / f"rtl_{self.seed}", self.mhz, made=self.made)
        ports = {p.channel.name for p in twin.printed.ports}
        rng = random.Random(self.seed)
        for stall, latency in CONDITIONS:
            run = self._run(rng, ports)
            try:
                found = twin.differences(run, stall, self.seed, latency, latency // 2, TIMEOUT)
            except AssertionError as hang:
                found = [str(hang)]
            where = f"seed {self.seed}, stalls {stall}"
            self.outcome.different += [f"{where}: {text}" for text in found]
        self.outcome.kernels = len(self.kernels)
        return self.outcome

    def _run(self, rng: random.Random, ports: set[str]) -> Run:
        runs, inputs = {}, {}
        for kernel in self.kernels:
            bits = {"a": generator.BITS[kernel.a_type], "b": generator.BITS[kernel.b_type]}
            runs[kernel.name] = {
                **{k: bytearray(rng.randbytes(generator.WORDS * n // 8)) for k, n in bits.items()},
                "n": rng.getrandbits(32),
                "m": rng.getrandbits(64),
            }
            if f"IN_{kernel.name}" in ports:
                words = random_words(generator.BITS[kernel.in_type], generator.INPUTS, self.seed)
                inputs[f"IN_{kernel.name}"] = words
        return Run(runs, inputs)


def _surroundings(texts: Iterable[str]) -> str:
    """Digest of what a model depends on beside its text: modules, emulation, comparison.

    The library of functions (`kumi_cl_lib.h`) is the same text for RTL and emulation: it shows in
    the SystemVerilog.
    """
    known = {file.stem: file for file in (project_root() / "hw").rglob("*.sv")}
    known |= dict.fromkeys(("kumi_hls_load", "kumi_hls_store", "kumi_axi_mux"), UNITS)
    used: dict[str, str] = {}
    work = list(texts)
    while work:
        for name in re.findall(r"\bkumi_\w+", work.pop()):
            if name in known and name not in used:
                used[name] = known[name].read_text(encoding="utf-8")
                work.append(used[name])
    headers = sorted(clang.INCLUDE.glob("kumi_cl_emu.[ch]"))
    tools = [Path(__file__).with_name("hlskit.py"), *headers]
    own = [inspect.getsource(Model), inspect.getsource(RandomUnits), repr((CONDITIONS, TIMEOUT))]
    modules = [used[name] for name in sorted(used)]
    return cache.digest(*own, *modules, *(file.read_bytes() for file in tools))


_NO_PASS = ("report", "host", "print_node", "waits")  # files that decide nothing here


def _whole() -> str:
    """Digest of everything that any outcome depends on: if equal, no model is compiled again."""
    here = Path(__file__).parent
    files = [f for f in clang.INCLUDE.parent.rglob("*") if not f.name.startswith(_NO_PASS)]
    files += (project_root() / "hw" / "hls").glob("*.sv")
    files += [here / f"{name}.py" for name in ("hlskit", "random_kernels", "random_wide")]
    files.append(UNITS)
    texts = [f.read_bytes() for f in sorted(files) if f.suffix in (".py", ".h", ".c", ".sv")]
    own = [inspect.getsource(Model), inspect.getsource(RandomUnits)]
    own.append(repr((CONDITIONS, TIMEOUT, CLOCKS, PLAIN)))
    return str(cache.digest(*own, *texts))[:32]


def compare_all(
    seeds: Iterable[int], count: int = KERNELS, kept_only: bool = False
) -> Iterator[tuple[int, Outcome]]:
    """Compare the models of seeds; an outcome may be one that is kept, `kept_only`: is."""
    kept = cache.cache_root() / "hls-random"
    kept.mkdir(parents=True, exist_ok=True)
    whole = _whole()
    with quick_builds(), tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            known = kept / f"{whole}-{seed}-{count}.json"
            if known.is_file():
                yield seed, Outcome(**json.loads(known.read_text(encoding="utf-8")))
                continue
            if kept_only:
                continue
            model = Model(seed, Path(folder), count)
            file = kept / f"{model.key}.json"
            if file.is_file():
                outcome = Outcome(**json.loads(file.read_text(encoding="utf-8")))
            else:
                outcome = model.compare()
                cache.write_json(file, asdict(outcome))
            cache.write_json(known, asdict(outcome))
            yield seed, outcome


def main() -> None:
    """Compare the models of a range of seeds."""
    first, last = map(int, sys.argv[1:])
    began = time.monotonic()
    for seed, found in compare_all(range(first, last + 1)):
        took = time.monotonic() - began
        print(f"model {seed}: {found.kernels} kernels, at {took:.0f} s", flush=True)
        for text in (*found.different, *found.refused):
            print(f"  {text}", flush=True)


if __name__ == "__main__":
    main()
