# SPDX-License-Identifier: Apache-2.0
"""Replays that explain: the first frame that differs, the commit that did it, what came before.

A tiny design of the test's own is built, edited and built again.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pylibfst
import pytest
from kumihimo.cli import bisect, replay, up
from kumihimo.cli.bisect import Subject, first_bad
from kumihimo.cluster import Cluster

# Sends every frame back; 40 us after a frame that begins with 0xEE it sends one of its own.
NODE = """\
module kumi_node_late #(
    parameter int DATA_W = 64
) (
    input  logic              clk,
    input  logic              rst,
    input  logic [DATA_W-1:0] s_axis_eth0_tdata,
    input  logic [       7:0] s_axis_eth0_tkeep,
    input  logic              s_axis_eth0_tvalid,
    output logic              s_axis_eth0_tready,
    input  logic              s_axis_eth0_tlast,
    input  logic              s_axis_eth0_tuser,
    output logic [DATA_W-1:0] m_axis_eth0_tdata,
    output logic [       7:0] m_axis_eth0_tkeep,
    output logic              m_axis_eth0_tvalid,
    input  logic              m_axis_eth0_tready,
    output logic              m_axis_eth0_tlast,
    output logic              m_axis_eth0_tuser
);
  logic first_q, armed_q;
  logic [12:0] count_q;
  logic [ 2:0] beat_q;
  logic own;
  assign own = beat_q != 0;
  assign s_axis_eth0_tready = m_axis_eth0_tready && !own;
  assign m_axis_eth0_tdata = own ? '0 : s_axis_eth0_tdata /* edit */;
  assign m_axis_eth0_tkeep = own ? '1 : s_axis_eth0_tkeep;
  assign m_axis_eth0_tvalid = own || s_axis_eth0_tvalid;
  assign m_axis_eth0_tlast = own ? beat_q == 1 : s_axis_eth0_tlast;
  assign m_axis_eth0_tuser = own ? beat_q == 1 : s_axis_eth0_tuser;

  always_ff @(posedge clk) begin
    if (s_axis_eth0_tvalid && s_axis_eth0_tready) begin
      first_q <= s_axis_eth0_tlast;
      if (first_q && s_axis_eth0_tdata[7:0] == 8'hEE) armed_q <= 1'b1;
    end
    if (armed_q) count_q <= count_q + 1'b1;
    if (count_q == 6250) begin
      armed_q <= 1'b0;
      count_q <= '0;
      beat_q  <= 3'd7;
    end else if (own && m_axis_eth0_tready) beat_q <= beat_q - 1'b1;
    if (rst) begin
      first_q <= 1'b1;
      armed_q <= 1'b0;
      count_q <= '0;
      beat_q  <= '0;
    end
  end
endmodule
"""
EDIT = "s_axis_eth0_tdata /* edit */"
CLUSTER = """\
nodes:
  n: {design: kumi_node_late.sv}
cables:
  - {between: [wire, n]}
peers:
  wire: {socket: wire.sock}
"""


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the cluster, and a path short enough for sockets."""
    monkeypatch.setenv("KUMI_BUILD", "quick")
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "kumi_node_late.sv").write_text(NODE)
        (Path(place) / "c.yaml").write_text(CLUSTER)
        yield Path(place)


def edit(folder: Path, new: str) -> None:
    (folder / "kumi_node_late.sv").write_text(NODE.replace(EDIT, new))


def frame(number: int, first: int = 2) -> bytes:
    head = bytes([first, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0xB5])
    return head + number.to_bytes(2, "big") + bytes(range(48))


def send(folder: Path, *frames: bytes) -> socket.socket:
    """To the node, through the peer's socket."""
    made = socket.socket(socket.AF_UNIX)
    made.connect(str(folder / "wire.sock"))
    made.sendall(b"".join(struct.pack(">I", len(f)) + f for f in frames))
    return made


@pytest.fixture
def recording(folder: Path) -> Path:
    """Ten frames, a recording."""
    file = folder / "run.kumirec"
    with Cluster(folder / "c.yaml", record=file) as cluster:
        wire = send(folder, *[frame(i) for i in range(10)])
        cluster.run("30 us")
        wire.close()
    return file


def run(recording: Path, out: Path, **more: Any) -> int:
    return replay.run(recording, None, [], "0", None, out, None, True, 1, **more)


def test_the_first_frame_that_differs(
    folder: Path, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(recording, folder) == 0  # nothing was edited
    # From the seventh frame on a bit is wrong: the number is in bytes 14 and 15.
    edit(folder, "(s_axis_eth0_tdata ^ (64'(s_axis_eth0_tdata[63:48] == 16'h0600) << 40))")
    capsys.readouterr()
    assert run(recording, folder, as_json=True) == 1
    printed, said = capsys.readouterr()
    told = json.loads(printed.splitlines()[-1])["difference"]
    assert (told["kind"], told["sender"], told["interface"]) == ("changed", "n", "n.eth0")
    assert told["first"]["frame"] == frame(6).hex() and told["first"] != told["second"]
    assert "has other bytes: sent by n, seen at n.eth0 at" in said
    # Byte 13 of the frame, and the lines above as tshark or we decode them.
    assert "- 0000  02 00 00 00 00 01 02 00 00 00 00 09 88 b5 00 06" in printed
    assert "+ 0000  02 00 00 00 00 01 02 00 00 00 00 09 88 b4 00 06" in printed
    assert (folder / "n.fst").is_file() and (folder / "n.gtkw").is_file()


def test_commits_and_designs(
    folder: Path, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The third of four commits changes what comes out; a plain diff of two designs agrees."""

    def git(*words: str) -> str:
        who = ("-c", "user.name=k", "-c", "user.email=k@example.org")
        done = subprocess.run(
            ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    commits = []
    bad = "s_axis_eth0_tdata ^ 64'h1"
    for text in (EDIT, EDIT + " /* words */", bad, bad + " /* and */"):
        edit(folder, text)
        git("add", "kumi_node_late.sv", "c.yaml")
        git("commit", "-q", "-m", f"design with {text}")
        commits.append(git("rev-parse", "HEAD"))
    assert bisect.run(recording, commits[0], "HEAD", folder / "out", 1, True) == 1
    printed, said = capsys.readouterr()
    told = json.loads(printed.splitlines()[-1])
    assert (told["bad"], told["good"]) == (commits[2][:10], commits[1][:10])
    assert told["difference"]["first"]["frame"] == frame(0).hex()
    assert f"design with {bad}" in said
    assert len(list((folder / "out").glob("*/n.fst"))) == 2
    assert git("worktree", "list").count("\n") == 0
    # Without an edit between them there is nothing to find.
    assert bisect.run(recording, commits[2], commits[3], folder, 1, False) == 0


def test_where_a_bisection_ends() -> None:
    for count in range(2, 12):
        for first in range(1, count):
            for lost in (set(), {1}, {count - 2}, set(range(1, count - 1))):
                names = [Subject(str(i), Path()) for i in range(count)]
                asked = []

                def judge(
                    s: Subject, first: int = first, lost: set[int] = lost, asked: list[str] = asked
                ) -> bool | None:
                    asked.append(s.name)
                    return None if int(s.name) in lost else int(s.name) < first

                good, bad = first_bad(names, judge)
                assert good < first <= bad and set(range(good + 1, bad)) <= lost
                assert len(set(asked)) == len(asked)


def values(file: Path, name: str) -> list[tuple[int, int]]:
    """(time in ps, value) of each change of a signal."""
    found: list[tuple[int, int]] = []
    opened = pylibfst.lib.fstReaderOpen(str(file).encode())
    assert opened != pylibfst.ffi.NULL
    _, signals = pylibfst.get_scopes_signals2(opened)
    handle = next(s.handle for path, s in signals.by_name.items() if path.endswith(name))
    pylibfst.lib.fstReaderSetFacProcessMaskAll(opened)

    def change(_data: Any, at: int, which: int, value: Any) -> None:
        if which == handle:
            text = pylibfst.ffi.string(value).decode()
            found.append((at, int(text, 2) if set(text) <= {"0", "1"} else -1))

    pylibfst.fstReaderIterBlocks(opened, change)
    pylibfst.lib.fstReaderClose(opened)
    return found


def test_the_waveform_before_the_trigger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cause came 40 us before the trigger, and is in the waveform."""
    trigger = up.trigger("50us", "n.eth0.tx_bad>0", [], folder)

    ended = threading.Event()

    def traffic() -> None:
        deadline = time.monotonic() + 60
        while not (folder / "wire.sock").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        wire = send(folder, *[frame(i, 0xEE if i == 105 else 2) for i in range(200)])
        if not ended.wait(60):
            os.kill(os.getpid(), signal.SIGTERM)  # `up` ends in order, without its trigger
        wire.close()

    thread = threading.Thread(target=traffic)
    thread.start()
    code = up.run(folder / "c.yaml", None, None, None, None, 1, None, trigger)
    ended.set()
    thread.join()
    assert code == 0 and "n.eth0.tx_bad = 1 since some time between" in capsys.readouterr().err
    armed = values(folder / "n.fst", "armed_q")
    rises = [at for at, value in armed if value == 1]
    falls = [at for at, value in armed if value == 0 and rises and at > rises[0]]
    assert len(rises) == 1 and falls[0] - rises[0] == 6251 * 6400
