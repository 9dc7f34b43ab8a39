# SPDX-License-Identifier: Apache-2.0
"""Points of a sweep, values set from outside a cluster file, and the table."""

from __future__ import annotations

import csv
import math
import statistics
from pathlib import Path

import pandas as pd
import pytest
from kumihimo.clusterfile import plan
from kumihimo.clusterfile.source import ClusterFileError
from kumihimo.common.errors import KumiError
from kumihimo.sweep import Outcome, Table, points, write_csv, write_parquet
from kumihimo.sweep.plot import write_plot
from kumihimo.sweep.worker import found_in, numbers

PAIR = """\
seed: 5
defaults: {cable: {rate: 25 Gbps}}
nodes:
  alice: {design: udp_echo, ip: 10.77.0.10/24, regs: {echo.port: 7}}
  bob: {design: udp_echo, ip: 10.77.0.11/24}
switches: {sw0: {ports: 2}}
cables:
  - {between: [alice, sw0.0]}
  - {between: [bob, sw0.1], loss: 1 %}
"""


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    file = tmp_path / "pair.yaml"
    file.write_text(PAIR)
    return file


def test_every_combination_and_repetition() -> None:
    made = points(["cable.loss=0,1e-3", "cables.0.rate=10 Gbps,25 Gbps"], repeat=2, seed=5)
    assert [p.number for p in made] == list(range(8))
    assert [p.seed for p in made] == [5, 6] * 4
    assert made[2].settings == (("cable.loss", "0"), ("cables.0.rate", "25 Gbps"))
    assert made[7].of_file[-1] == ("seed", "6")


def test_a_list_is_one_value_and_the_command_takes_values() -> None:
    (point,) = points(["nodes.alice.open_ports=[a, b]", "arg.size=64"])
    assert point.settings[0][1] == "[a, b]"
    assert [path for path, _ in point.of_file] == ["nodes.alice.open_ports", "seed"]
    words = ["ping", "-s{arg.size}", "{seed}", "${other}"]
    assert point.words(words) == ["ping", "-s64", "1", "${other}"]


@pytest.mark.parametrize(
    ("words", "repeat", "sentence"),
    [
        (["cable.loss"], 1, "expected PATH=VALUE"),
        (["cable.loss=1,,2"], 1, "expected PATH=VALUE"),
        (["cable.loss=1,1"], 1, "named twice"),
        (["cable.loss=1", "cable.loss=2"], 1, "two options"),
        (["seed=1,2"], 2, "both choose seeds"),
    ],
)
def test_wrong_axes_are_sentences(words: list[str], repeat: int, sentence: str) -> None:
    with pytest.raises(KumiError, match=sentence):
        points(words, repeat)


def test_values_reach_the_file(pair: Path) -> None:
    settings = [
        ("cable.loss", "0.25"),
        ("cables.1.latency", "2 us"),
        ("node.regs.echo.port", "99"),
        ("switches.sw0.mode", "cut-through"),
        ("network", "10.77.0.0/16"),
        ("seed", "77"),
    ]
    spec = plan(pair, settings).spec
    assert [cable.loss for cable in spec.cables] == [0.25, 0.25]
    assert [cable.latency for cable in spec.cables] == [500_000, 2_000_000]
    assert [cable.rate for cable in spec.cables] == [25e9, 25e9]  # defaults still hold
    assert {node.regs["echo.port"] for node in spec.nodes.values()} == {99}
    assert spec.switches["sw0"].mode == "cut-through"
    assert spec.seed == 77
    assert plan(pair).spec.seed == 5


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("cabel.loss", "1", 'no section `cabel`.*"cable"'),
        ("cables.2.loss", "1", "0 to 1"),
        ("nodes.alise.ip", "1", 'no `alise` in `nodes`.*"alice"'),
        ("cables", "1", "name an item"),
        ("tap.mtu", "1500", "no such item"),
        ("nodes.alice.design.x", "1", "`design` is `udp_echo`"),
        ("cable.loss", "often", "--set cable.loss=often: .*loss"),
        ("cable.los", "0.1", "los"),
    ],
)
def test_what_does_not_suit_the_file(pair: Path, path: str, value: str, sentence: str) -> None:
    with pytest.raises(ClusterFileError, match=sentence):
        plan(pair, [(path, value)])


def test_numbers_of_an_output() -> None:
    text = "3 packets\nrtt min/avg = 1.5/2.25/3 ms\n" + '{"lost": 2, "rate": {"up": 3.5}}\n'
    found = dict(found_in(text, {"rtt": r"/([\d.]+)/"}))
    assert found == {"output.lost": 2, "output.rate.up": 3.5, "rtt": 2.25}
    with pytest.raises(KumiError, match="no match"):
        dict(found_in(text, {"rtt": "rtt=([0-9]+)"}))
    with pytest.raises(KumiError, match="not a number"):
        dict(found_in(text, {"rtt": "(packets)"}))
    assert dict(numbers({"a": [1, {"b": 2}], "c": True, "d": "x"})) == {"a.0": 1, "a.1.b": 2}


def _table(tmp_path: Path) -> Table:
    made = points(["cable.loss=0,1e-4,1e-3", "cable.rate=10 Gbps,25 Gbps"], repeat=3)
    outcomes = []
    for point in made:
        ok = point.number != 4
        values = {"frames": point.number**2} if ok else {}
        problem = "" if ok else 'broken, "so"'
        outcomes.append(Outcome(point, tmp_path, ok, problem, 0.5, 100.0, values))
    return Table(outcomes)


def test_table_in_both_formats_as_pandas_reads_it(tmp_path: Path) -> None:
    table = _table(tmp_path)
    write_csv(table, tmp_path / "t.csv")
    write_parquet(table, tmp_path / "t.parquet")
    text, typed = pd.read_csv(tmp_path / "t.csv"), pd.read_parquet(tmp_path / "t.parquet")
    assert list(text.columns) == list(typed.columns) == table.columns
    for frame in (text, typed):
        assert frame["cable.loss"].tolist() == [row["cable.loss"] for row in table.rows()]
        assert frame["frames"].isna().tolist() == [n == 4 for n in range(18)]
        assert frame["frames"].dropna().tolist() == [n * n for n in range(18) if n != 4]
    with (tmp_path / "t.csv").open() as file:
        assert list(csv.DictReader(file))[4]["problem"] == 'broken, "so"'


def test_means_and_spread(tmp_path: Path) -> None:
    groups = _table(tmp_path).groups("frames")
    assert [(g.count, g.failed) for g in groups] == [(3, 0), (2, 1), *[(3, 0)] * 4]
    assert groups[1].mean == statistics.fmean([9, 25])
    assert math.isclose(groups[2].spread, statistics.stdev([36, 49, 64]))
    write_plot(_table(tmp_path), "frames", tmp_path / "frames.svg")
    assert "cable.rate=25 Gbps" in (tmp_path / "frames.svg").read_text()


def test_an_unknown_value_names_a_similar_one(tmp_path: Path) -> None:
    assert _table(tmp_path).matching("fr*") == ["frames"]
    with pytest.raises(KumiError, match=r'Did you mean "frames"\?'):
        _table(tmp_path).matching("frame")
