# SPDX-License-Identifier: Apache-2.0
"""Views of a replay's waveform: every name in them is in the hierarchy that pylibfst reads."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pylibfst
import pytest
from kumihimo import Cluster, KumiError
from kumihimo.capture.fst import read_hierarchy

ONE = """
nodes:
  alice: {design: udp_echo}
cables:
  - {between: [alice, host0]}
taps:
  host0:
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("waves")
    (made / "one.yaml").write_text(ONE)
    with Cluster(made / "one.yaml", offline=True, record=made / "one.kumirec") as cluster:
        cluster.run("2 us")
    words = [sys.executable, "-m", "kumihimo.cli", "replay", str(made / "one.kumirec")]
    words += ["--trace", "alice", "--out", str(made)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for suffix in ("fst", "gtkw", "sucl"):
        assert f"alice.{suffix}" in done.stderr
    return made


@pytest.fixture(scope="module")
def names(folder: Path) -> dict[str, int]:
    """Name as GTKWave writes it, and width, of every signal."""
    file = pylibfst.lib.fstReaderOpen(str(folder / "alice.fst").encode())
    _, signals = pylibfst.get_scopes_signals2(file)
    found = {name.replace(" ", ""): signal.length for name, signal in signals.by_name.items()}
    pylibfst.lib.fstReaderClose(file)
    return {re.sub(r"\[0:0\]$", "[0]", name): bits for name, bits in found.items()}


def test_the_reader_agrees_with_gtkwaves(folder: Path, names: dict[str, int]) -> None:
    mine = {s.name: s.bits for s in read_hierarchy(folder / "alice.fst").walk()}
    assert {re.sub(r"\[0:0\]$", "[0]", name): bits for name, bits in mine.items()} == names


def test_gtkwave_finds_every_trace(folder: Path, names: dict[str, int]) -> None:
    depth, count = [], 0
    for line in (folder / "alice.gtkw").read_text().splitlines():
        if line.startswith("@"):
            flags = int(line[1:], 16)
        elif line.startswith("-"):
            if flags & 0x800000:
                depth.append(line)
            else:
                assert depth.pop() == line
        elif line.startswith("^"):
            assert (folder / line.split()[1]).is_file()
        elif line.startswith(("#", "+")):
            for index, name in re.findall(r" \((\d+)\)(\S+)", line):
                assert int(index) < names[name]
        elif not line.startswith(("[", "*")):
            assert line in names
            count += 1
    assert not depth and count > 500


def test_streams_come_first_and_records_are_decoded(folder: Path) -> None:
    text = (folder / "alice.gtkw").read_text()
    groups = [text.index(f"\n-{g}\n") for g in ("eth0 (eth)", "axil (axil)", "kernel echo")]
    rest = text.index("\n-kumi_node_udp_echo.u_core.u_shell\n")
    assert groups == sorted(groups) and groups[-1] < text.index("\n-s_hdr\n") < rest
    data = "top.kumi_node_udp_echo.u_core.u_echo.s_hdr.data[163:0]"
    bits = " ".join(f"({i}){data}" for i in range(66, 98))
    assert f"\n#{{peer_ip[31:0]}} {bits}\n" in text
    cks = f"alice.enums/kumi_ip_pkg_udp_cks_e.txt\n#{{cks[1:0]}} (162){data} (163){data}\n"
    assert cks in text
    assert "10 CKS_GIVEN" in (folder / "alice.enums/kumi_ip_pkg_udp_cks_e.txt").read_text()
    assert str(folder) not in text


def test_surfer_finds_every_variable(folder: Path, names: dict[str, int]) -> None:
    plain = {re.sub(r"\[\d+(:\d+)?\]$", "", name) for name in names}
    lines = (folder / "alice.sucl").read_text().splitlines()
    shown = [line.split()[1] for line in lines if line.startswith("variable_add ")]
    assert set(shown) <= plain and "top.s_axis_eth0_tdata" in shown
    assert "divider_add kernel echo s_hdr" in lines and lines[-1].startswith("zoom_to 0 ")


def test_a_file_that_is_no_waveform(tmp_path: Path) -> None:
    file = tmp_path / "x.fst"
    for data in (b"", b"VCD? No.", bytes(100)):
        file.write_bytes(data)
        with pytest.raises(KumiError, match="not a complete FST waveform"):
            read_hierarchy(file)
