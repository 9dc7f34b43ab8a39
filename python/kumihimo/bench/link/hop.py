# SPDX-License-Identifier: Apache-2.0
"""A word from board to board through the circuit switch, over a link without cable."""

from __future__ import annotations

from kumihimo.bench.core import BenchError
from kumihimo.link.stdm import Stdm
from kumihimo.link.stdm_model import OUT_CIRCUIT, InEntry, OutEntry, Tables
from kumihimo.testing import Dut

SLOTS, GUARD = 26, 6
HELD = 17  # words that a channel of the switch holds
LANE_CYCLES = 3  # kumi_link_lanes, row to row, one lane
PORT_CYCLES = 3  # from the crossing at the far switch to its local port


class _Registers:
    def __init__(self, dut: Dut, port: str) -> None:
        self.dut, self.port = dut, port

    def read(self, addr: int) -> int:
        return self.dut.axil_read(addr, self.port)

    def write(self, addr: int, data: int) -> None:
        self.dut.axil_write(addr, data, self.port)


def hop() -> dict[str, int]:
    """Cycles of a hop through a switch, and from a crossing at A to the local port at B.

    Words wait at A all the time, so a new one is taken in the cycle in which an old one crosses.
    """
    width = {"DATA_W": 64}
    dut = Dut.of_module(
        "tests/rtl/link/kumi_t_stdm_pair.sv",
        {"LANES": 1, "BUNDLED": 1},
        {
            "*": width,
            "s_be_a": {**width, "DEST_W": 12},
            "s_be_b": {**width, "DEST_W": 12},
            "m_be_a": {**width, "ID_W": 8},
            "m_be_b": {**width, "ID_W": 8},
        },
        profile="fast",
    )
    ends = [Stdm(_Registers(dut, f"s_axil_{x}[0]")) for x in "ab"]
    for end in ends:
        end.load(Tables.empty(3, SLOTS, GUARD))
        end.swap()
    for _ in range(200):
        if all(end.link(1)["locked"] for end in ends):
            break
        dut.run(50)
    else:
        raise BenchError("the link between the two switches did not come up")
    near = Tables.empty(3, SLOTS, GUARD)
    far = Tables.empty(3, SLOTS, GUARD)
    for place in (0, 7, 9):
        near.into[0][place] = InEntry(True, 0)
        near.out[1][place] = OutEntry(OUT_CIRCUIT, 0, 5)
        far.out[0][(place + ends[1].link(1)["offset"]) % (SLOTS + GUARD)] = OutEntry(
            OUT_CIRCUIT, 1, 0
        )
    for end, tables in ((ends[1], far), (ends[0], near)):
        end.load(tables)
        end.swap()
    words = [n.to_bytes(8, "little") for n in range(200)]
    dut.send("s_word_a[0]", words)
    got = dut.recv("m_word_b[0]", len(words))
    if [f.data for f in got] != words:
        raise BenchError("words were lost on the way between the two switches")
    taken = [cycle for cycle, _ in dut.sent("s_word_a[0]")]
    pairs = list(zip(got, taken[HELD:], strict=False))[HELD:]  # the channel has to fill first
    times = {frame.cycle - cycle for frame, cycle in pairs}
    if len(times) != 1:
        raise BenchError(f"words took different times: {sorted(times)}")
    board = times.pop()
    return {"board_cycles": board, "hop_cycles": board - LANE_CYCLES - PORT_CYCLES}
