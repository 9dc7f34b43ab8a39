# SPDX-License-Identifier: Apache-2.0
"""What io names of channels are refused: place, reason and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.hls.errors import HlsError
from kumihimo.hls.node import build_node

PASS = "__kernel void k(void) { write_channel_intel(OUT, read_channel_intel(IN)); }\n"


def channels(kind: str, into: str, out: str) -> str:
    """Two channels of a type, the second written by a kernel that reads the first."""
    rows = [
        f'channel {kind} {name} __attribute__((io("{io}")));\n'
        for name, io in (("IN", into), ("OUT", out))
    ]
    return "".join(rows) + PASS


REFUSED = {
    "a link's word of 32 bits": (
        channels("int", "link0_receive", "link0_send"),
        "has 32 bits, link0_receive has 64 or 128 or 256",
        "channel ulong IN",
    ),
    "a link's end that leads the other way": (
        channels("ulong", "link0_send", "link1_send"),
        "link0_send is to be written by kernels",
        "a kernel has read it",
    ),
    "a link of two widths": (
        channels("ulong", "link0_receive", "link1_send")
        + 'channel ulong2 WIDE __attribute__((io("link0_send")));\n'
        + "__kernel void w(void) { write_channel_intel(WIDE, (ulong2)(1, 2)); }\n",
        "link0_send and the other direction of the link have words of different widths",
        "one type",
    ),
    "a link that is not there": (
        channels("ulong", "link4_receive", "link0_send"),
        r'io\("link4_receive"\) is no binding',
        "link3_receive",
    ),
    "a name that is misspelt": (
        channels("int8", "recieve_data", "send_data"),
        r'io\("recieve_data"\) is no binding. Did you mean "receive_data"',
        "without io()",
    ),
    "a remote channel of 512 bits": (
        channels("int16", "remote_a", "remote_b"),
        "has 512 bits, remote_a has at most 256",
        "channel int8",
    ),
    "remote channels beside sockets": (
        channels("int8", "remote_a", "send_data"),
        "are of different Ethernet ports",
        "A node has one: ",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(tmp_path: Path, what: str) -> None:
    text, reason, instead = REFUSED[what]
    file = tmp_path / "own.cl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(HlsError, match=reason) as found:
        build_node(file, tmp_path / "node")
    assert instead in found.value.hint
    assert str(found.value).startswith(f"{file}:") or "own.cl:" in str(found.value)


def test_links_beside_a_transport(tmp_path: Path) -> None:
    """A node may have an Ethernet binding and links; each has its registers."""
    file = tmp_path / "own.cl"
    file.write_text(channels("int8", "remote_a", "link2_send"), encoding="utf-8")
    text = build_node(file, tmp_path / "node").read_text(encoding="utf-8")
    assert "s_axis_eth0_tdata" in text and "m_lane_l2_3_data" in text
    core = (tmp_path / "node" / "kumi_node_own_core.sv").read_text(encoding="utf-8")
    kinds = "{kumi_regs_pkg::BLOCK_LANES, kumi_regs_pkg::BLOCK_ETH_RTP, own_regs_pkg::BLOCK}"
    assert kinds in core and "assign kernel_busy = 1'b1;" in core
