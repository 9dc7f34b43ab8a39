# SPDX-License-Identifier: Apache-2.0
"""The examples of examples/opencl: each on its own cluster, against numpy or a dictionary."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType

import numpy as np
from kumihimo import Cluster

FOLDER = Path(__file__).parents[2] / "examples" / "opencl"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sender_and_receiver() -> None:
    """The program itself compares what arrives."""
    example("ethernet").main()


def test_all_reduce() -> None:
    module = example("allreduce")
    rng = np.random.default_rng(2)
    with Cluster(FOLDER / "allreduce.yaml") as cluster:
        for count in (1, 5, 300):
            data = rng.integers(-(2**31), 2**31, (4, 32 * count)).astype(np.int32)
            found, _ = module.all_reduce(cluster, data, count)
            assert (found == data.sum(0, dtype=np.int32)).all()


def test_stencil() -> None:
    module = example("stencil")
    rng = np.random.default_rng(3)
    with Cluster(FOLDER / "stencil.yaml") as cluster:
        for count in (1, 2, 290):
            cells = rng.integers(-(2**20), 2**20, 8 * count).astype(np.int32)
            found, _ = module.stream(cluster, cells)
            assert (found == module.smooth(module.smooth(cells))).all()


def test_matmul() -> None:
    """The sums are in the order of the rows of B, so they are equal bit for bit."""
    module = example("matmul")
    rng = np.random.default_rng(4)
    with Cluster(FOLDER / "matmul.yaml") as cluster:
        a, b = (rng.normal(size=(12, 12)).astype(np.float32) for _ in range(2))
        found, _ = module.product(cluster, a, b)
        expected = np.zeros_like(a)
        for k in range(12):
            expected = expected + a[:, k : k + 1] * b[k]
        assert (found == expected).all()


def test_store() -> None:
    """200 random requests of a program on Linux, as a dictionary answers them."""
    module = example("store")
    rng = random.Random(5)
    keys = [rng.getrandbits(32) for _ in range(12)]
    requests = [
        (rng.choice([module.GET, module.PUT, module.DELETE]), rng.choice(keys), rng.getrandbits(64))
        for _ in range(200)
    ]
    table: dict[int, int] = {}
    expected = []
    for what, key, value in requests:
        if what == module.PUT:
            table[key] = value
            expected.append((module.DONE, value))
        elif key not in table:
            expected.append((module.MISSING, 0))
        else:
            expected.append((module.DONE, table[key]))
            if what == module.DELETE:
                del table[key]
    with Cluster(FOLDER / "store.yaml") as cluster, cluster.serving():
        assert module.ask(cluster, requests) == expected
