# SPDX-License-Identifier: Apache-2.0
"""Five kernels in OpenCL and by hand: both do what emulation does, at the same rate."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hlskit import Run, Twin, random_words

HERE = Path(__file__).parent
N = 200


@pytest.fixture(scope="module", params=["generated", "by hand"])
def twin(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Twin:
    """The program as generated, or with its kernels replaced by those of hand/."""
    own = sorted((HERE / "hand").glob("*.sv")) if request.param == "by hand" else []
    return Twin(HERE / "hand.cl", tmp_path_factory.mktemp("hand"), instead=own)


def messages(n: int, seed: int) -> list[int]:
    """What the checker expects, some of it wrong."""
    rng = random.Random(seed)
    out, x = [], seed
    for i in range(n):
        out.append((x << 32 | i) ^ (rng.getrandbits(1) << rng.randrange(64)))
        x = x >> 1 ^ (0x80200003 if x & 1 else 0)
    return out


RUNS = {
    "echo": lambda n: Run({"echo": {"n": n}}, {"ECHO_IN": random_words(64, n, 1)}),
    "add": lambda n: Run(
        {"add": {"n": n}},
        {"ADD_A": random_words(128, n, 2), "ADD_B": random_words(128, n, 3)},
    ),
    "gen": lambda n: Run({"gen": {"n": n, "seed": 0x1234567}}),
    "check": lambda n: Run({"check": {"n": n, "seed": 99}}, {"CHECK_IN": messages(n, 99)}),
    **{
        f"combine {prev}{local}{keep}": lambda n, p=prev, c=local, k=keep: Run(
            {"combine": {"n": n, "from_prev": p, "from_local": c, "keep": k}},
            {
                "PREV": random_words(256, n * p, 4),
                "LOCAL": random_words(256, n * c, 5),
            },
        )
        for prev, local, keep in ((1, 0, 0), (1, 1, 0), (0, 1, 1), (1, 1, 1))
    },
}


@pytest.mark.parametrize("name", RUNS)
def test_both_do_what_emulation_does(twin: Twin, name: str) -> None:
    assert twin.compare(RUNS[name](N)) <= N + 60
    twin.compare(RUNS[name](N), stall=0.4, seed=3)
    for n in (0, 1, 2):
        twin.compare(RUNS[name](n), stall=0.2, seed=n + 4)
