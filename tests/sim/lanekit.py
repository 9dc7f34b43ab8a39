# SPDX-License-Identifier: Apache-2.0
"""A test node with any number of lanes, and what its words are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kumihimo import _engine
from kumihimo.build import BuildResult, FileList, build

HW = Path(__file__).parent / "hw"
PERIOD = 6400
MASK = (1 << 64) - 1


def follow(word: int) -> int:
    """The word after this one (xorshift 13-7-17)."""
    word ^= word << 13 & MASK
    word ^= word >> 7
    return word ^ (word << 17 & MASK)


def sequence(start: int, count: int) -> dict[int, int]:
    """Word to its number."""
    out = {}
    for i in range(count):
        out[start] = i
        start = follow(start)
    return out


def start_word(lane: int) -> int:
    return 0x9E3779B97F4A7C15 * (lane + 1) & MASK


def top_text(lanes: int, busy: bool = True, rx_clock: bool = False) -> str:
    """A node with lanes l0_0, l0_1, ...; pins good_i, errors_i, locked, tx_0, rx_0.

    `rx_clock`: what comes in is on a clock of its own, as if it were recovered from the line.
    """
    io, body = ["input logic clk", "input logic rst"], []
    rx = "rx_" if rx_clock else ""
    if rx_clock:
        names = ":".join(f"s_lane_l0_{i}" for i in range(lanes))
        io.append(
            f'(* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF {names}, ASSOCIATED_RESET rx_rst" *)\n'
            "    input logic rx_clk"
        )
        io.append("input logic rx_rst")
    for i in range(lanes):
        n = f"l0_{i}"
        io += [
            f"output logic [63:0] m_lane_{n}_data",
            f"output logic [1:0] m_lane_{n}_head",
            f"input logic [63:0] s_lane_{n}_data",
            f"input logic [1:0] s_lane_{n}_head",
            f"output logic s_lane_{n}_slip",
            f"output logic [31:0] good_{i}",
            f"output logic [31:0] errors_{i}",
        ]
        body.append(
            f"kumi_tb_lane #(.START(64'd{start_word(i)})) lane_{i} (.clk, .rst, "
            f".tx_data(m_lane_{n}_data), .tx_head(m_lane_{n}_head), .rx_clk({rx}clk), "
            f".rx_rst({rx}rst), .rx_data(s_lane_{n}_data), .rx_head(s_lane_{n}_head), "
            f".slip(s_lane_{n}_slip), .locked(locked[{i}]), .good(good_{i}), .errors(errors_{i}));"
        )
    io += [
        f"output logic [{lanes - 1}:0] locked",
        "output logic [63:0] tx_0",
        "output logic [63:0] rx_0",
        "input logic work",
    ]
    body += ["assign tx_0 = m_lane_l0_0_data;", "assign rx_0 = s_lane_l0_0_data;"]
    if busy:
        io.append("output logic busy")
        body.append("assign busy = work;")
    else:
        io.append("output logic idle")
        body.append("assign idle = !work;")
    name = top_name(lanes, busy, rx_clock)
    return (
        f"module {name} (\n    " + ",\n    ".join(io) + "\n);\n" + "\n".join(body) + "\nendmodule\n"
    )


def top_name(lanes: int, busy: bool, rx_clock: bool) -> str:
    return f"kumi_node_lanes{lanes}{'' if busy else '_mute'}{'_rx' if rx_clock else ''}"


def lane_node(
    lanes: int, busy: bool = True, rx_clock: bool = False, profile: str = "fast"
) -> BuildResult:
    name = top_name(lanes, busy, rx_clock)
    return build(
        name,
        profile=profile,
        top=name,
        text=top_text(lanes, busy, rx_clock),
        sources=FileList(files=[HW / "kumi_tb_lane.sv"]),
    )


def pair(
    path: str, lanes: int, threads: int = 1, seed: int = 1, **cable: Any
) -> tuple[Any, list[int], list[int]]:
    """Two nodes, every lane joined with its like. `skews`: one a lane."""
    eng = _engine.Engine(threads, seed=seed)
    nodes = [eng.add_node(name, path, {"clk": PERIOD}) for name in ("a", "b")]
    skews = cable.pop("skews", [0] * lanes)
    cables = [
        eng.connect_lane((nodes[0], f"l0_{i}"), (nodes[1], f"l0_{i}"), skew_ps=skews[i], **cable)
        for i in range(lanes)
    ]
    return eng, nodes, cables
