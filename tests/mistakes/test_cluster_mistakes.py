# SPDX-License-Identifier: Apache-2.0
"""Wrong cluster files, parameters and Python: one sentence each, as the YAML beside this says."""

from __future__ import annotations

import builtins
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kumihimo import Cluster, KumiError
from kumihimo.build import scan
from kumihimo.build.design import Direction, Port
from kumihimo.cli import app_new, app_replay, app_running  # noqa: F401
from kumihimo.cli.app import app
from kumihimo.cluster.channel import Channel, ChannelError
from kumihimo.cluster.static_check import mistakes
from kumihimo.clusterfile import plan_text
from ruamel.yaml import YAML
from typer.testing import CliRunner


def data(name: str) -> dict[str, Any]:
    return YAML(typ="safe").load(Path(__file__).with_name(name).read_text())


FILES, PYTHON = data("cluster.yaml"), data("python.yaml")


@pytest.mark.parametrize("name", list(FILES["mistakes"]))
def test_a_cluster_file(name: str, tmp_path: Path) -> None:
    case = FILES["mistakes"][name]
    text = case.get("text", FILES["base"])
    if "old" in case:
        assert case["old"] in text
        text = text.replace(case["old"], case["new"], 1)
    if "also" in case:
        text = text.replace("  host0:", case["also"])
    with pytest.raises(KumiError) as found:
        plan_text(text, tmp_path / "c.yaml")
    lines = str(found.value).splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"{tmp_path}/c.yaml:{case['line']}: ") and case["says"] in lines[0]


@pytest.mark.parametrize("name", list(FILES["parameters"]))
def test_a_parameter(name: str, tmp_path: Path) -> None:
    case = FILES["parameters"][name]
    params = "{design: udp_echo, params: {" + case["value"] + "}}"
    made = plan_text(FILES["base"].replace("{design: udp_echo}", params), tmp_path / "c.yaml")
    node = made.nodes["alice"]
    with pytest.raises(KumiError) as found:
        scan(node.design.file, node.spec.params)
    assert case["says"] in str(found.value).splitlines()[0]


@pytest.mark.parametrize("name", list(FILES["registers"]))
def test_a_register(name: str, tmp_path: Path) -> None:
    """As `kumi schema --check` says it, without a build."""
    case = FILES["registers"][name]
    more = case.get("node", "regs: {" + case.get("regs", "") + "}")
    node = "{design: udp_echo, " + more + "}"
    text = FILES["base"].replace("{design: udp_echo}", node)
    made = plan_text(text + case.get("events", ""), tmp_path / "c.yaml")
    (said,) = mistakes(made)
    assert said.startswith(f"{tmp_path}/c.yaml:") and case["says"] in said, said


@pytest.mark.parametrize("words", list(FILES["commands"]))
def test_a_command(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before anything is built or started."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "c.yaml").write_text(FILES["base"])
    done = CliRunner().invoke(app, shlex.split(words))
    assert isinstance(done.exception, KumiError), done.output
    said = str(done.exception)
    assert FILES["commands"][words] in said and "\n" not in said


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(plan_text(FILES["base"], "one.yaml"), offline=True) as started:
        yield started


@pytest.mark.parametrize(("code", "kind", "says"), PYTHON["python"])
def test_python(cluster: Cluster, code: str, kind: str, says: str) -> None:
    exception = KumiError if kind == "KumiError" else getattr(builtins, kind)
    names = {"cluster": cluster, "alice": cluster["alice"], "Cluster": Cluster}
    with pytest.raises(exception, match=re.escape(says)):
        exec(code, names)


@pytest.mark.parametrize(("code", "says"), PYTHON["channels"])
def test_a_channel(code: str, says: str) -> None:
    fields = (("addr", 8, 16), ("count", 0, 8))
    bytes_ = Direction("s_axis_data_", {"tdata": 64})
    records = Direction("s_hdr_info_", {"data": 24}, fields)
    out = Direction("m_axis_in_", {"tdata": 64})
    made = {
        "messages": Port("data", "axis", "clk", rx=bytes_),
        "records": Port("info", "hdr", "clk", rx=records),
        "inward": Port("in", "axis", "clk", tx=out),
    }
    names = {name: Channel(None, "alice", port, 0) for name, port in made.items()}  # type: ignore
    with pytest.raises(ChannelError, match=re.escape(says)):
        exec(code, names)
