# SPDX-License-Identifier: Apache-2.0
"""CRC, scrambler and CONT beside LiteSATA's, generated from its package, bit for bit."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from kumihimo.testing import Dut
from sata_device import PRIMS, REPEATS

HERE = Path(__file__).parent
# Numbers of prim_e that rx_words and tx_words use, by name.
ORDER = [
    "DATA",
    "BAD",
    "ALIGN",
    "SYNC",
    "CONT",
    "X_RDY",
    "R_RDY",
    "SOF",
    "EOF",
    "R_IP",
    "R_OK",
    "R_ERR",
    "WTRM",
    "HOLD",
    "HOLDA",
    "DMAT",
]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lite") / "litesata_parts.v"
    made = subprocess.run(
        [sys.executable, str(HERE / "litesata_parts.py"), str(out)], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    return out


def sequence(rng: random.Random, count: int) -> list[tuple[str, int]]:
    """Primitives, most of them for a while, and data."""
    out: list[tuple[str, int]] = []
    names = sorted(REPEATS)
    while len(out) < count:
        kind = rng.random()
        if kind < 0.6:
            out += [(rng.choice(names), 0)] * rng.randrange(1, 12)
        elif kind < 0.8:
            out += [("DATA", rng.getrandbits(32)) for _ in range(rng.randrange(1, 9))]
        else:
            out.append((rng.choice(["SOF", "EOF"]), 0))
    return out[:count]


def runs(seen: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """A primitive that goes on, as one, however often it is shown.

    Before data that follow filler both sides show it once more; it means nothing.
    """
    out: list[tuple[str, int]] = []
    for item in seen:
        if not (out and item[0] in REPEATS and out[-1] == item):
            out.append(item)
    return out


@pytest.mark.parametrize("which", ["crc", "scrambler"])
def test_sums(parts: Path, which: str) -> None:
    theirs = Dut(parts, profile="fast")
    ours = Dut.of_module(f"kumi_sata_{which}")
    rng = random.Random(which)
    pin = {"crc": "crc", "scrambler": "word"}[which]
    for i in range(3000):
        init, en, data = int(i == 0 or rng.random() < 0.01), rng.randrange(2), rng.getrandbits(32)
        for dut in (theirs, ours):
            dut.set("init", init)
            dut.set("en", en)
            if dut is theirs or which == "crc":
                dut.set("data", data)
            dut.run(1)
        if i:
            assert theirs.get(pin) == ours.get(pin), i


def test_their_cont_to_our_receiver(parts: Path) -> None:
    """What their inserter makes of a sequence, our receiver undoes."""
    theirs = Dut(parts, profile="fast")
    ours = Dut.of_module("kumi_sata_prim_decode")
    rng = random.Random(1)
    want = sequence(rng, 3000)
    todo, got, conts = list(want), [], 0
    while todo:
        name, data = todo[0]
        theirs.set("ins_in_valid", 1)
        theirs.set("ins_in_data", data if name == "DATA" else PRIMS[name])
        theirs.set("ins_in_k", 0 if name == "DATA" else 1)
        theirs.run(1)
        if theirs.get("ins_in_ready"):
            todo.pop(0)
        word, k = theirs.get("ins_out_data"), theirs.get("ins_out_k")
        assert theirs.get("ins_out_valid")
        conts += (word, k) == (PRIMS["CONT"], 1)
        ours.set("rx_data", word)
        ours.set("rx_k", k)
        ours.set("rx_valid", 1)
        ours.run(1)
        ours.set("rx_valid", 0)
        ours.run(1)
        assert ours.get("w_valid")
        prim = ORDER[ours.get("w_prim")]
        got.append((prim, ours.get("w_data") if prim == "DATA" else 0))
    assert runs(got) == runs(want)
    assert conts > 50


def test_our_cont_to_their_remover(parts: Path) -> None:
    """The words of our sender without ALIGN, through their remover, are what was asked for."""
    theirs = Dut(parts, profile="fast")
    ours = Dut.of_module("kumi_sata_prim_encode")
    rng = random.Random(2)
    todo = sequence(rng, 3000)
    taken: list[tuple[str, int]] = []
    words: list[tuple[int, int]] = []
    ours.set("up", 1)
    names = {word: name for name, word in PRIMS.items()}
    while todo:
        name, data = todo[0]
        ours.set("t_prim", ORDER.index(name))
        ours.set("t_data", data)
        ours.run(1)
        words.append((ours.get("tx_data"), ours.get("tx_k")))
        if ours.get("t_take"):
            taken.append(todo.pop(0))
    ours.set("t_prim", ORDER.index("SYNC"))
    ours.run(1)
    words.append((ours.get("tx_data"), ours.get("tx_k")))
    got: list[tuple[str, int]] = []
    for word, k in words[1:]:
        if (word, k) == (PRIMS["ALIGN"], 1):
            continue
        theirs.set("rem_in_valid", 1)
        theirs.set("rem_in_data", word)
        theirs.set("rem_in_k", k)
        theirs.run(1)
        out, out_k = theirs.get("rem_out_data"), theirs.get("rem_out_k")
        got.append(("DATA", out) if out_k == 0 else (names[out], 0))
    assert runs(got) == runs(taken)
    assert sum(word == (PRIMS["CONT"], 1) for word in words) > 50
