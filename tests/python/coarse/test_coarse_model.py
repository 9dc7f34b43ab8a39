# SPDX-License-Identifier: Apache-2.0
"""The coarse model: programs are the collectives they are called, queues are queues, fits fit."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from kumihimo.coarse import Model, Torus, Tree, collective
from kumihimo.coarse.fit import Run, fit, quick_held_out, quick_training
from kumihimo.coarse.model import _OnTree
from kumihimo.coarse.program import (
    Combine,
    Program,
    all_to_all,
    doubling_all_reduce,
    ring_all_reduce,
    torus_all_reduce,
    torus_all_to_all,
)
from kumihimo.common.errors import KumiError


def play(program: Program, data: np.ndarray, shape: tuple[int, int] = (0, 0)) -> list[np.ndarray]:
    """Run a program in numpy. Changes `data`; returns what each round has brought to the boards."""
    came: list[np.ndarray] = []
    boards = np.arange(program.boards)
    for each in program.all():
        out = np.zeros((program.boards, each.words), data.dtype)
        for board in boards:
            place = slice(int(each.source[board]), int(each.source[board]) + each.words)
            if each.combine != Combine.NOTHING:
                brought = came[-1][board, each.skip : each.skip + each.words]
                old = data[board, place] if each.combine == Combine.ADD else 0
                data[board, place] = old + brought
            out[board] = data[board, place]
        if each.to is None:
            continue
        if isinstance(each.to, int):
            across, down = shape
            x, y = boards % across, boards // across
            to = y * across + (x + 1) % across if each.to == 0 else (y + 1) % down * across + x
        else:
            to = each.to
        assert sorted(to) == list(boards)  # each board receives one message
        arrived = np.empty_like(out)
        arrived[to] = out
        came.append(arrived)
    return came


ALL_REDUCES: list[tuple[int, tuple[int, int], Callable[[int], Program]]] = [
    (2, (0, 0), lambda words: ring_all_reduce(2, words)),
    (7, (0, 0), lambda words: ring_all_reduce(7, words)),
    (16, (0, 0), lambda words: doubling_all_reduce(16, words)),
    (12, (4, 3), lambda words: torus_all_reduce((4, 3), words)),
    (2, (2, 1), lambda words: torus_all_reduce((2, 1), words)),
]


@pytest.mark.parametrize(("boards", "shape", "make"), ALL_REDUCES)
def test_all_reduces_add_what_all_boards_have(
    boards: int, shape: tuple[int, int], make: Callable[[int], Program]
) -> None:
    words = 3 * boards
    data = np.random.default_rng(1).integers(0, 1 << 30, (boards, words))
    wanted = data.sum(0)
    play(make(words), data, shape)
    assert (data == wanted).all()


def test_all_to_all_brings_each_board_the_words_for_it() -> None:
    boards, words = 6, 2
    data = np.arange(boards * boards * words).reshape(boards, boards * words)
    came = play(all_to_all(boards, words), data.copy())
    for number, each in enumerate(came):
        for board in range(boards):
            sender = (board - number - 1) % boards
            assert (each[board] == data[sender, board * words : (board + 1) * words]).all()


def test_a_torus_all_to_all_brings_each_row_and_column_once() -> None:
    """Each board takes a block out of every message of a dimension, and passes the rest on."""
    shape = (4, 3)
    rounds = torus_all_to_all(shape, 2).all()
    assert [each.words for each in rounds] == [18, 12, 6, 16, 8, 0]
    assert [each.to for each in rounds] == [0, 0, 0, 1, 1, None]


def test_recursive_doubling_takes_powers_of_two() -> None:
    with pytest.raises(ValueError, match="power of two"):
        doubling_all_reduce(12, 1)


def test_queues_are_first_come_first_served() -> None:
    """Against a queue that handles one frame after the other."""
    rng = random.Random(3)
    tree = Tree((4, 4))
    queues = _OnTree(Model.load().tree, tree)
    busy = [0.0] * tree.link_count
    for _ in range(20):
        count = rng.randint(1, 60)
        link = [rng.randrange(6) for _ in range(count)]
        at = [rng.uniform(0, 500) for _ in range(count)]
        service = rng.uniform(1, 40)
        found = queues._queue(np.array(link), np.array(at), service)
        for n in sorted(range(count), key=lambda n: at[n]):
            begin = max(at[n], busy[link[n]])
            busy[link[n]] = begin + service
            assert found[n] == pytest.approx(begin - at[n], abs=1e-6)


def test_a_long_ring_is_the_sum_of_its_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is used for many boards equals what is worked out round by round."""
    model, tree = Model.load(), Tree((8, 8, 2))
    program = ring_all_reduce(tree.boards, 100 * tree.boards)
    exact = model.predict(tree, program).ns
    monkeypatch.setattr("kumihimo.coarse.model._EXACT_ROUNDS", 0)
    assert model.predict(tree, program).ns == pytest.approx(exact, rel=1e-3)


def test_sampled_rounds_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    model, tree = Model.load(), Tree((16, 16), 4)
    program = all_to_all(tree.boards, 8)
    exact = model.predict(tree, program).ns
    monkeypatch.setattr("kumihimo.coarse.model._EXACT_ROUNDS", 0)
    found = model.predict(tree, program)
    assert found.low_ns <= exact <= found.high_ns
    assert found.ns == pytest.approx(exact, rel=0.05)


def test_a_fit_finds_the_parameters_that_made_the_runs() -> None:
    kept = Model.load()
    made = [
        Run(run.network, run.program, kept.predict(run.network, run.program).ns)
        for run in quick_training() + quick_held_out()
    ]
    found = fit(made, made)
    assert max(found.error.values()) < 0.01
    assert found.tree["switch"] == pytest.approx(kept.tree["switch"], rel=0.05)


def test_predictions_grow_and_have_a_band() -> None:
    model = Model.load()
    last = 0.0
    for boards in (64, 1024, 65536):
        found = model.predict(*collective("all-reduce", boards, 4096))
        assert last < found.ns and found.low_ns < found.ns < found.high_ns
        last = found.ns
    wide = model.predict(*collective("all-to-all", 1024, 4096, oversubscription=8))
    assert wide.ns > model.predict(*collective("all-to-all", 1024, 4096)).ns


@pytest.mark.parametrize(
    "words", [("all-reduce", 96, 64), ("all-reduce", 4096 + 32, 64), ("gather", 8, 64)]
)
def test_what_is_no_cluster_is_refused(words: tuple[str, int, int]) -> None:
    with pytest.raises(KumiError):
        collective(*words)


def test_kumi_model(tmp_path: Path) -> None:
    def kumi(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "kumihimo.cli", "model", *words]
        return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)

    done = kumi("predict", "all-to-all", "--boards", "64,1024", "--network", "torus", "--json")
    assert [row["boards"] for row in json.loads(done.stdout)["rows"]] == [64, 1024]
    file = tmp_path / "own.json"
    file.write_text(kumi("show", "--json").stdout)
    done = kumi("predict", "all-reduce", "--boards", "64", "--model", str(file))
    assert done.returncode == 0 and "tree 32 x 2" in done.stdout
    file.write_text("{}")
    done = kumi("predict", "all-reduce", "--model", str(file))
    assert done.returncode == 2 and "kumi model fit" in done.stderr
    assert kumi("predict", "all-reduce", "--boards", "many").returncode == 2


def test_networks_know_their_links() -> None:
    tree = Tree((4, 2, 2), 2)
    ranks = np.arange(16)
    assert list(tree.meeting(ranks, ranks ^ 1)) == [1] * 16
    assert list(tree.meeting(ranks, ranks ^ 4)) == [2] * 16
    assert list(tree.meeting(ranks, ranks ^ 8)) == [3] * 16
    used = [len(users) for users, _, _ in tree.links(ranks, ranks ^ 8)]
    assert used == [16, 16, 16, 16, 16]
    assert [rate for _, _, rate in tree.links(ranks, ranks ^ 8)] == [2, 4, 4, 2, 1]
    assert Torus((4, 2)).boards == 8
