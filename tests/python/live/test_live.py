# SPDX-License-Identifier: Apache-2.0
"""`kumi live` and `kumi report --html` in headless Chromium: numbers are read from the page."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Page, chromium
from kumihimo.capture.pairing import Exchange
from kumihimo.cli.report import run as report
from kumihimo.live.picture import graph, histogram

FILE = """\
name: seen
nodes:
  alice: {design: udp_echo}
cables:
  - {between: [alice, host0]}
taps:
  host0:
"""
KUMI = (sys.executable, "-m", "kumihimo.cli")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def files(page: Page, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cluster that `kumi live` boots, looked at while ping runs; its capture afterwards."""
    folder = tmp_path_factory.mktemp("seen")
    (folder / "seen.yaml").write_text(FILE)
    process = subprocess.Popen(
        [
            *(*KUMI, "live", folder / "seen.yaml", "--no-browser", "--json"),
            *("--pcap", folder / "seen.pcapng"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        (folder / "address").write_text(told["address"])
        assert told["name"] == "seen"
        yield folder
    finally:
        process.terminate()
        assert process.wait(30) == 0


def cells(page: Page, table: str) -> list[list[str]]:
    rows = f"[...document.querySelectorAll('#{table} tbody tr')]"
    return list(page.value(f"{rows}.map(r => [...r.cells].map(c => c.textContent))"))


def test_numbers_while_ping_runs(page: Page, files: Path) -> None:
    page.open((files / "address").read_text())
    page.wait("document.querySelectorAll('#graph .station').length === 2")
    names = page.value("[...document.querySelectorAll('#graph .station')].map(s => s.textContent)")
    assert sorted(names) == ["aliceudp_echo", "host0Linux"]
    done = subprocess.run(
        [*KUMI, "shell", "seen", "--", "ping", "-c", "5", "-i", "0.2", "-W", "20", "alice"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "5 received" in done.stdout, done.stdout + done.stderr
    page.wait(
        "[...document.querySelectorAll('#exchanges tbody tr')]"
        ".some(r => r.cells[1].textContent === 'ICMP echo' && r.cells[4].textContent === '5')"
    )
    (ping,) = [row for row in cells(page, "exchanges") if row[1] == "ICMP echo"]
    assert ping[0] == "alice.eth0" and ping[5] == "0" and ping[6].endswith(("ns", "us"))
    (cable,) = cells(page, "cables")
    assert cable[0] in ("alice.eth0--host0", "host0--alice.eth0") and cable[5] == "0"
    assert min(int(cable[1]), int(cable[2])) >= 6  # pings and ARP
    assert "times slower than the hardware" in page.value("clock.textContent")
    assert page.value("document.querySelectorAll('#latency .trace').length") >= 1
    assert page.problems == []


def test_registers_on_the_page(page: Page, files: Path) -> None:
    page.wait("document.querySelectorAll('#registers tbody tr').length > 3")
    page.value("block.value = 'alice.ip'; block.onchange({target: block})")
    page.wait("[...registers.tBodies[0].rows].some(r => r.cells[0].textContent === 'rx_icmp')")
    rows = {row[0]: row[2] for row in cells(page, "registers")}
    assert int(rows["rx_icmp"]) >= 5


def test_only_this_machine(files: Path) -> None:
    """A page of another site cannot ask under a name of its own that leads here."""
    address = (files / "address").read_text()
    asked = urllib.request.Request(address, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(asked, timeout=10)
    assert b"plotly.min.js" in urllib.request.urlopen(address, timeout=10).read()


def test_the_same_pictures_from_files(page: Page, files: Path, tmp_path: Path) -> None:
    stats = {
        "engine": {"now_ps": 10**9},
        "nodes": {"alice": {"design": "kumi_node_udp_echo", "ports": {}}},
        "cables": {},
    }
    (tmp_path / "seen.json").write_text(json.dumps(stats))
    html = tmp_path / "seen.html"
    assert report([files / "seen.pcapng", tmp_path / "seen.json"], None, True, html) == 0
    page.open(html.as_uri())
    page.wait("document.querySelectorAll('#exchanges tbody tr').length > 0")
    assert ["ICMP echo", "5"] in [[row[1], row[4]] for row in cells(page, "exchanges")]
    page.wait("document.querySelectorAll('#rates .trace').length >= 2")
    assert page.value("document.querySelectorAll('#graph .station').length") == 1
    assert page.value("document.getElementById('registers-section').hidden")
    assert page.problems == []


def test_pictures_as_data() -> None:
    found = histogram([1000 * i for i in range(100)])
    assert sum(found["count"]) == 100 and len(found["us"]) == 40 and found["us"][0] < 3
    assert histogram([]) == {"us": [], "count": []} and sum(histogram([7] * 5)["count"]) == 5
    lanes = {f"a.l0_{i}--b.l0_{i}": {} for i in range(4)}
    stats = {"nodes": {"a": {"design": "x"}, "b": {"design": "y"}}, "lanes": lanes, "cables": {}}
    made = graph(stats)
    assert made["cables"] == [{"name": "4 lanes", "a": "a", "b": "b"}]
    assert all(0 <= s["x"] <= 1 and 0 <= s["y"] <= 1 for s in made["stations"])
    assert Exchange("i", "k", "c", "s").figures()["latency_p99_ns"] is None
